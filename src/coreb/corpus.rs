//! A published release by problem, in corpus order.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::sources::coreb::{Code, Release, Text};

/// One problem with its documents, each list in corpus order.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    pub id: &'a str,
    pub statement: &'a Text,
    pub noise: Vec<&'a Text>,
    pub codes: Vec<&'a Code>,
}

impl<'a> Problem<'a> {
    pub fn passed(&self) -> impl Iterator<Item = &'a Code> + Clone {
        self.codes.iter().copied().filter(|code| code.passed)
    }

    pub fn failed(&self) -> impl Iterator<Item = &'a Code> + Clone {
        self.codes.iter().copied().filter(|code| !code.passed)
    }

    /// Languages with a passed program, sorted.
    #[must_use]
    pub fn passing_languages(&self) -> BTreeSet<&'a str> {
        self.passed().map(|code| code.language.as_str()).collect()
    }
}

/// Problems in the order of their statements.
#[must_use]
pub fn problems(release: &Release) -> Vec<Problem<'_>> {
    let (mut noise, mut codes) = (HashMap::<&str, Vec<&Text>>::new(), HashMap::<&str, Vec<&Code>>::new());
    for text in release.texts.iter().filter(|text| text.is_noise()) {
        noise.entry(text.problem_id()).or_default().push(text);
    }
    for code in &release.codes {
        codes.entry(&code.problem_id).or_default().push(code);
    }
    let statements = release.texts.iter().filter(|text| !text.is_noise());
    statements
        .map(|statement| {
            let id = statement.source_problem_id.as_str();
            let (noise, codes) = (noise.remove(id).unwrap_or_default(), codes.remove(id).unwrap_or_default());
            Problem { id, statement, noise, codes }
        })
        .collect()
}

/// Documents and problems by id.
#[derive(Debug)]
pub struct Lookup<'a> {
    pub codes: HashMap<&'a str, &'a Code>,
    pub texts: HashMap<&'a str, &'a Text>,
    pub problems: BTreeMap<&'a str, Problem<'a>>,
}

impl<'a> Lookup<'a> {
    #[must_use]
    pub fn of(release: &'a Release) -> Self {
        Self {
            codes: release.codes.iter().map(|code| (code.code_id.as_str(), code)).collect(),
            texts: release.texts.iter().map(|text| (text.text_id.as_str(), text)).collect(),
            problems: problems(release).into_iter().map(|problem| (problem.id, problem)).collect(),
        }
    }

    /// The problem of a document of either kind.
    #[must_use]
    pub fn problem_of(&self, doc_id: &str) -> Option<&'a str> {
        let code = self.codes.get(doc_id).map(|code| code.problem_id.as_str());
        code.or_else(|| self.texts.get(doc_id).map(|text| text.problem_id()))
    }
}
