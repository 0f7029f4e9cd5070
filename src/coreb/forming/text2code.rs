//! Text to code: abbreviated statements, full statements, searches.

use std::collections::{BTreeSet, HashMap};

use super::{Former, owned, those};
use crate::{
    coreb::corpus::Problem,
    sources::coreb::{Amount, Code, PublishedQuery, Release},
    tables::query::Task,
};

/// Search strings of a problem in v202603, by slot.
const SLOTS: [&str; 6] = [
    "algorithm_search",
    "algorithm_search",
    "description_search",
    "description_search",
    "title_search",
    "title_search",
];
const MAX_SEARCHES: usize = 50;

/// What a statement query is made of.
#[derive(Clone, Copy)]
enum Family {
    Canonical,
    Full,
}

impl Former {
    pub(super) fn text2code(&mut self, release: &Release, problems: &[Problem], solved: &[&Problem]) {
        for family in [Family::Canonical, Family::Full] {
            for problem in solved {
                self.statement_queries(problem, family);
            }
            self.end_block();
        }
        let published: Vec<&PublishedQuery> =
            release.queries.get(&Task::Text2Code).into_iter().flatten().filter(|query| query.is_search()).collect();
        self.searches_in_any(&published, problems);
        if self.edition.draws_negatives() {
            self.searches_by_slot(release, &published, problems);
        } else {
            self.searches_as_published(&published, problems);
        }
    }

    fn statement_queries(&mut self, problem: &Problem, family: Family) {
        let blocks = std::iter::once(None).chain(problem.passing_languages().into_iter().map(Some));
        for language in blocks {
            let (name, kind, text) = match family {
                Family::Canonical => ("canonical", "abbreviated", problem.statement.abbreviated_text.as_ref()),
                Family::Full => ("full", "full_description", Some(&problem.statement.text)),
            };
            let subtask = format!("t2c_{name}_retro_{}", language.unwrap_or("any"));
            let query_id = self.next_id(&subtask);
            let query = PublishedQuery {
                query: text.cloned().unwrap_or_default(),
                sub_query_type: Some(kind.to_owned()),
                original_query_type: Some(kind.to_owned()),
                ..self.text_query(&query_id, &subtask, problem.id, language)
            };
            self.push(query);
            let positives: Vec<&Code> = problem.passed().filter(|code| asks_for(language, code)).collect();
            self.judge_staged(&query_id, problem, &positives, language);
        }
    }

    fn text_query(&self, query_id: &str, subtask: &str, problem_id: &str, language: Option<&str>) -> PublishedQuery {
        let kind = if language.is_some() { "language_specific" } else { "language_agnostic" };
        PublishedQuery {
            query_type: Some(kind.to_owned()),
            language_constraint: Some(language.unwrap_or("none").to_owned()),
            ..self.blank(query_id, subtask, problem_id)
        }
    }

    fn judge_staged(&mut self, query_id: &str, problem: &Problem, positives: &[&Code], language: Option<&str>) {
        let stages = stages(problem, positives, language);
        let negatives = self.staged(stages);
        self.judge_codes(query_id, positives, &negatives);
    }

    /// The slots of this block are unknown; its judgements follow from the published problem.
    fn searches_in_any(&mut self, published: &[&PublishedQuery], problems: &[Problem]) {
        for query in published.iter().filter(|query| query.language().is_none()) {
            self.index += 1;
            self.formed
                .unknown
                .push((query.query_id.clone(), "the pool that this block was drawn from is not published"));
            if let Some(problem) = problems.iter().find(|problem| problem.id == query.problem_id) {
                self.judge_codes(&query.query_id, &problem.codes, &[]);
            }
        }
        for _ in 0..self.edition.words_of_search_any() {
            self.random.word();
        }
    }

    /// Language blocks whose pool is known slot by slot: the draw gives problem and kind, and the
    /// text of a slot is the one that stands where the slot is first drawn.
    fn searches_by_slot(&mut self, release: &Release, published: &[&PublishedQuery], problems: &[Problem]) {
        let by_id: HashMap<&str, &PublishedQuery> =
            published.iter().map(|query| (query.query_id.as_str(), *query)).collect();
        let mut texts: HashMap<(&str, usize), &str> = HashMap::new();
        for language in languages_by_appearance(&release.codes) {
            let subtask = format!("t2c_search_{language}");
            let solved = problems.iter().filter(|problem| problem.passing_languages().contains(language));
            let pool: Vec<(&Problem, usize)> =
                solved.flat_map(|problem| (0..SLOTS.len()).map(move |slot| (problem, slot))).collect();
            for (problem, slot) in self.random.sample(&pool, MAX_SEARCHES.min(pool.len())) {
                let query_id = self.next_id(&subtask);
                let published = by_id.get(query_id.as_str()).map(|query| query.query.as_str());
                match texts.get(&(problem.id, slot)).copied().or(published) {
                    Some(text) => {
                        texts.insert((problem.id, slot), text);
                        self.search(&query_id, &subtask, problem, language, SLOTS[slot], text);
                    }
                    None => self.formed.unknown.push((query_id, "the drawn slot's text is not published")),
                }
            }
        }
    }

    fn search(&mut self, id: &str, subtask: &str, problem: &Problem, language: &str, kind: &str, text: &str) {
        let positives = those(&problem.codes, |code| code.language == language);
        let models: BTreeSet<&str> = positives.iter().map(|code| code.model.as_str()).collect();
        let sub_query_type = if kind == "title_search" { "algorithm_search" } else { kind };
        let query = PublishedQuery {
            query: text.to_owned(),
            sub_query_type: Some(sub_query_type.to_owned()),
            original_query_type: Some(kind.to_owned()),
            num_relevant_docs: Some(Amount::of(positives.len())),
            is_multi_model: Some(models.len() > 1),
            models_in_relevant_docs: Some(owned(models)),
            ..self.text_query(id, subtask, problem.id, Some(language))
        };
        self.push(query);
        self.judge_staged(id, problem, &positives, Some(language));
    }

    /// Language blocks whose pool is unknown: judgements follow from the published problems. The
    /// stream goes on where all blocks are behind it.
    fn searches_as_published(&mut self, published: &[&PublishedQuery], problems: &[Problem]) {
        for query in published.iter().filter(|query| query.language().is_some()) {
            self.formed
                .unknown
                .push((query.query_id.clone(), "the search strings that were not drawn are not published"));
            if let Some(problem) = problems.iter().find(|problem| problem.id == query.problem_id) {
                let positives = those(&problem.codes, |code| asks_for(query.language(), code));
                self.judge_codes(&query.query_id, &positives, &[]);
            }
        }
        for _ in self.edition.words_of_search_any()..super::Edition::WORDS_OF_SEARCH_V202602 {
            self.random.word();
        }
    }
}

fn asks_for(language: Option<&str>, code: &Code) -> bool {
    language.is_none_or(|language| code.language == language)
}

/// Failed programs in the language asked for, failed ones in others, passed ones in others. A query
/// for any language knows the first alone.
fn stages<'a>(problem: &Problem<'a>, positives: &[&Code], language: Option<&str>) -> [Vec<&'a Code>; 3] {
    let others = those(&problem.codes, |code| positives.iter().all(|positive| positive.code_id != code.code_id));
    let failed = those(&others, |code| !code.passed);
    match language {
        None => [failed, Vec::new(), Vec::new()],
        Some(language) => [
            those(&failed, |code| code.language == language),
            those(&failed, |code| code.language != language),
            those(&others, |code| code.passed),
        ],
    }
}

/// Languages in the order in which their first passed program stands in the corpus.
fn languages_by_appearance(codes: &[Code]) -> Vec<&str> {
    let mut languages: Vec<&str> = Vec::new();
    for code in codes.iter().filter(|code| code.passed) {
        if !languages.contains(&code.language.as_str()) {
            languages.push(&code.language);
        }
    }
    languages
}
