//! What all queries of one problem see: its texts, and its programs by outcome.

use std::collections::BTreeMap;

use super::{Input, Settings, documents, documents::Corpora, draw};
use crate::{
    languages::Language,
    tables::{CodeDocument, Reason, Rejected, TextDocument},
};

/// One problem. Lists are sorted by the keys of the rows that they were made of.
pub(super) struct View<'a> {
    pub problem_id: &'a str,
    pub full: String,
    pub abbreviated: Option<&'a str>,
    pub level: Option<u32>,
    /// The statement's document.
    pub text: Option<&'a TextDocument>,
    pub noise: Vec<&'a TextDocument>,
    pub passed: Vec<&'a CodeDocument>,
    pub failed: Vec<&'a CodeDocument>,
}

/// All problems, sorted by id.
pub(super) fn views<'a>(input: &'a Input, corpora: &'a Corpora) -> Vec<View<'a>> {
    let levels: BTreeMap<&str, u32> = input.difficulty.iter().map(|row| (row.problem_id.as_str(), row.level)).collect();
    let mut views: BTreeMap<&str, View> = BTreeMap::new();
    for rewrite in &input.rewrites {
        let problem_id = rewrite.problem_id.as_str();
        let view = View {
            problem_id,
            full: documents::full_text(rewrite),
            abbreviated: None,
            level: levels.get(problem_id).copied(),
            text: None,
            noise: Vec::new(),
            passed: Vec::new(),
            failed: Vec::new(),
        };
        views.insert(problem_id, view);
    }
    for row in &input.abbreviations {
        if let Some(view) = views.get_mut(row.problem_id.as_str()) {
            view.abbreviated = Some(&row.text);
        }
    }
    add_documents(&mut views, corpora);
    views.into_values().collect()
}

fn add_documents<'a>(views: &mut BTreeMap<&'a str, View<'a>>, corpora: &'a Corpora) {
    for document in &corpora.codes {
        let Some(view) = views.get_mut(document.meta.source_problem_id.as_str()) else { continue };
        if document.meta.passed { view.passed.push(document) } else { view.failed.push(document) }
    }
    for document in &corpora.texts {
        let Some(view) = views.get_mut(document.meta.source_problem_id.as_str()) else { continue };
        if document.meta.is_noise_sample { view.noise.push(document) } else { view.text = Some(document) }
    }
    for view in views.values_mut() {
        view.passed.sort_by(|a, b| a.meta.solution_key.cmp(&b.meta.solution_key));
        view.failed.sort_by(|a, b| a.meta.solution_key.cmp(&b.meta.solution_key));
        view.noise.sort_by(|a, b| a.meta.noise_type.cmp(&b.meta.noise_type));
    }
}

impl<'a> View<'a> {
    /// Programs that passed, in one language or in any.
    pub(super) fn passed_in(&self, language: Option<Language>) -> Vec<&'a CodeDocument> {
        self.passed.iter().copied().filter(|document| language.is_none_or(|l| document.language == l)).collect()
    }

    /// Languages in which somebody solved the problem, in a fixed order.
    pub(super) fn languages(&self) -> Vec<Language> {
        let mut languages: Vec<Language> = self.passed.iter().map(|document| document.language).collect();
        languages.sort_unstable();
        languages.dedup();
        languages
    }

    /// Up to the limit of failed programs, those that `prefers` likes first. Nothing else fills the
    /// list up: a program that passed is right, whatever the query asks for.
    pub(super) fn draw_failed(
        &self,
        settings: &Settings,
        query_id: &str,
        prefers: impl Fn(&CodeDocument) -> bool,
    ) -> Vec<String> {
        let mut drawn = self.failed.clone();
        drawn.sort_by_cached_key(|document| {
            (!prefers(document), draw::rank(settings.seed, &[query_id, &document.meta.solution_key]))
        });
        drawn.truncate(settings.max_hard_negatives);
        drawn.into_iter().map(|document| document.code_id.clone()).collect()
    }

    /// Up to the limit of the problem's hard-negative statements.
    pub(super) fn draw_noise(&self, settings: &Settings, query_id: &str) -> Vec<String> {
        let mut drawn = self.noise.clone();
        drawn.sort_by_cached_key(|document| draw::rank(settings.seed, &[query_id, &documents::text_origin(document)]));
        drawn.truncate(settings.max_hard_negatives);
        drawn.into_iter().map(|document| document.text_id.clone()).collect()
    }

    pub(super) fn reject(&self, reason: Reason, detail: &str) -> Rejected {
        Rejected { key: self.problem_id.to_owned(), reason, detail: detail.to_owned() }
    }
}
