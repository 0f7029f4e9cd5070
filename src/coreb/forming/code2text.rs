//! Code to text: programs ask for their statement, and match pairs.

use super::{Former, N_NEGATIVES, SEED, owned};
use crate::{
    coreb::{corpus::Problem, mersenne::Random},
    sources::coreb::{Amount, Code, PublishedQuery},
};

/// Full statements and their abbreviations share a document, so both ask for the same.
#[derive(Clone, Copy)]
enum Family {
    Full,
    Canonical,
}

impl Family {
    const ALL: [Self; 2] = [Self::Full, Self::Canonical];

    fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Canonical => "canonical",
        }
    }
}

impl Former {
    pub(super) fn code2text(&mut self, solved: &[&Problem]) {
        for family in Family::ALL {
            for problem in solved {
                self.retro(problem, anchor_of(problem), family, None);
            }
            self.end_block();
            for problem in solved {
                self.retro_by_language(problem, family);
            }
            self.end_block();
        }
        self.matches(solved);
    }

    /// One anchor a language, in the order of the corpus, where there are two languages or more.
    fn retro_by_language(&mut self, problem: &Problem, family: Family) {
        let languages = problem.passing_languages();
        if languages.len() < 2 {
            return;
        }
        let mut anchors: Vec<&Code> = Vec::new();
        for code in problem.passed() {
            if anchors.iter().all(|anchor| anchor.language != code.language) {
                anchors.push(code);
            }
        }
        for anchor in anchors {
            self.retro(problem, anchor, family, Some(owned(languages.iter().copied())));
        }
    }

    fn retro(&mut self, problem: &Problem, anchor: &Code, family: Family, languages: Option<Vec<String>>) {
        let block = if languages.is_some() { anchor.language.as_str() } else { "any" };
        let subtask = format!("c2t_{}_retro_{block}", family.name());
        let kind = if languages.is_some() { "cross_language_invariance" } else { "description_retrieval" };
        let query_id = self.next_id(&subtask);
        let query = PublishedQuery {
            task_type: Some(kind.to_owned()),
            meta_text_type: Some(format!("{}_description", family.name())),
            available_languages: languages,
            ..self.anchored(&query_id, &subtask, anchor)
        };
        self.push(query);
        self.judge(&query_id, [problem.statement.text_id.clone()], 2);
        if self.edition.draws_negatives() {
            let negatives = noise(&mut self.random, problem);
            self.judge(&query_id, negatives, 1);
        }
    }

    /// Four pairs a problem. Their hard negatives come from a second stream, behind all positives.
    fn matches(&mut self, solved: &[&Problem]) {
        let mut made: Vec<(String, &Problem)> = Vec::new();
        for problem in solved {
            let others: Vec<&Problem> = solved.iter().copied().filter(|other| other.id != problem.id).collect();
            let foreign = if others.is_empty() {
                Vec::new()
            } else {
                vec![*self.random.choice(&others), *self.random.choice(&others)]
            };
            let own = Family::ALL.map(|family| (family, *problem));
            for (family, of) in own.into_iter().chain(Family::ALL.into_iter().zip(foreign)) {
                made.push((self.pair(problem, of, family), problem));
            }
        }
        if self.edition.draws_negatives() {
            let mut second = Random::new(SEED);
            for (query_id, problem) in made {
                let negatives = noise(&mut second, problem);
                self.judge(&query_id, negatives, 1);
            }
        }
    }

    /// A program beside the statement of its own problem or of another.
    fn pair(&mut self, problem: &Problem, of: &Problem, family: Family) -> String {
        let is_own = problem.id == of.id;
        let anchor = anchor_of(problem);
        let query_id = self.next_id("c2t_match");
        let query = PublishedQuery {
            code: Some(anchor.code.clone()),
            text_id: Some(of.statement.text_id.clone()),
            label: Some(Amount::of(usize::from(is_own))),
            text_type: Some(family.name().to_owned()),
            text: of.statement.abbreviated_text.clone().filter(|_| matches!(family, Family::Canonical)),
            pair_type: Some(if is_own { "positive" } else { "negative_random" }.to_owned()),
            negative_problem_id: (!is_own).then(|| of.id.to_owned()),
            ..self.anchored(&query_id, "c2t_match", anchor)
        };
        self.push(query);
        if is_own {
            self.judge(&query_id, [problem.statement.text_id.clone()], 2);
        }
        query_id
    }
}

/// The first passed Python program, else the first passed one.
fn anchor_of<'a>(problem: &Problem<'a>) -> &'a Code {
    let python = problem.passed().find(|code| code.language == "python");
    python.or_else(|| problem.passed().next()).expect("only solved problems get queries")
}

/// Three of the problem's noise texts.
fn noise(random: &mut Random, problem: &Problem) -> Vec<String> {
    let drawn = random.sample(&problem.noise, N_NEGATIVES.min(problem.noise.len()));
    drawn.into_iter().map(|text| text.text_id.clone()).collect()
}
