//! Program queries that ask for the statement they solve.
//!
//! The corpus holds one text a problem, so `full` and `canonical` queries of the same program would
//! be the same question twice. Here a program is the anchor of one retrieval query at most: the two
//! families differ in their anchors, and where programs run out it is `canonical` that goes short.

use super::{
    Settings,
    candidate::{Candidate, query_id},
    draw,
    view::View,
};
use crate::{
    languages::Language,
    tables::{CodeDocument, Reason, Rejected, query::Task},
};

const FAMILIES: [&str; 2] = ["full", "canonical"];

/// Anchors of any language, and one per language where at least two solved the problem.
pub(super) fn retro(view: &View, settings: &Settings, rejected: &mut Vec<Rejected>) -> Vec<Candidate> {
    let languages = view.languages();
    // The questions that every solved problem can ask come first.
    let by_language = languages.iter().copied().map(Some).filter(|_| languages.len() > 1);
    let by_language: Vec<Option<Language>> = by_language.collect();
    let asked = [vec![None], by_language].into_iter().flat_map(|blocks| {
        FAMILIES.into_iter().flat_map(move |family| blocks.clone().into_iter().map(move |block| (family, block)))
    });
    let mut unused = view.passed.clone();
    let mut candidates = Vec::new();
    for (family, block) in asked {
        let subtask = format!("c2t_{family}_retro_{}", block.map_or("any", Language::name));
        let id = query_id(settings, &subtask, &format!("{}_0", view.problem_id));
        let Some(anchor) = take_anchor(&mut unused, block, settings, &id) else {
            let detail = format!("`{}` has {} passing programs", view.problem_id, view.passed.len());
            rejected.push(Rejected { key: id, reason: Reason::NoAnchor, detail });
            continue;
        };
        let mut candidate = Candidate::of_anchor(settings, view, Task::Code2Text, &subtask, id, anchor);
        candidate.query.meta.available_languages = block.map(|_| languages.clone());
        judge(&mut candidate, view, settings);
        candidates.push(candidate);
    }
    candidates
}

/// A query of any language takes from the languages that have most programs left, so that it does
/// not use up the only program of one.
fn take_anchor<'a>(
    unused: &mut Vec<&'a CodeDocument>,
    block: Option<Language>,
    settings: &Settings,
    query_id: &str,
) -> Option<&'a CodeDocument> {
    let n_left = |language: Language| unused.iter().filter(|document| document.language == language).count();
    let most = unused.iter().map(|document| n_left(document.language)).max()?;
    let fits = |document: &CodeDocument| match block {
        Some(language) => document.language == language,
        None => n_left(document.language) == most,
    };
    let rank = |document: &CodeDocument| draw::rank(settings.seed, &[query_id, &document.meta.solution_key]);
    let (at, _) = unused.iter().enumerate().filter(|(_, d)| fits(d)).min_by_key(|(_, d)| rank(d))?;
    Some(unused.remove(at))
}

fn judge(candidate: &mut Candidate, view: &View, settings: &Settings) {
    candidate.positives.extend(view.text.map(|text| text.text_id.clone()));
    candidate.negatives = view.draw_noise(settings, &candidate.query.query_id);
}

/// Pairs of a program and a text to be told apart: per problem two with its own text (1) and two
/// with another problem's (0). A pair of label 0 judges its text as a hard negative and nothing else.
pub(super) fn matches(solved: &[&View], settings: &Settings, rejected: &mut Vec<Rejected>) -> Vec<Candidate> {
    let partners = Partners::of(solved, settings);
    let mut candidates = Vec::new();
    for view in solved {
        let mut anchors = view.passed.clone();
        anchors.sort_by_cached_key(|anchor| {
            draw::rank(settings.seed, &["c2t_match", view.problem_id, &anchor.meta.solution_key])
        });
        let mut paired: Vec<&str> = Vec::new();
        for n in 0..4 {
            let id = query_id(settings, "c2t_match", &format!("{}_{n}", view.problem_id));
            let pair = if n < 2 {
                positive_pair(view, settings, &anchors, n, id.clone())
            } else {
                negative_pair(view, settings, &anchors, n, id.clone(), &partners, &mut paired)
            };
            match pair {
                Ok(candidate) => candidates.push(candidate),
                Err(reason) => rejected.push(Rejected { key: id, reason, detail: reason.describe().to_owned() }),
            }
        }
    }
    candidates
}

fn pair(view: &View, settings: &Settings, anchor: &CodeDocument, n: usize, id: String) -> Candidate {
    let mut candidate = Candidate::of_anchor(settings, view, Task::Code2Text, "c2t_match", id, anchor);
    candidate.query.label = Some(u32::from(n < 2));
    candidate.query.text_type = Some(FAMILIES[n % 2].to_owned());
    candidate.query.meta.pair_type = Some(if n < 2 { "positive" } else { "negative_random" }.to_owned());
    candidate
}

/// The second pair needs an anchor of its own: with the first one's it would be the same row.
fn positive_pair(
    view: &View,
    settings: &Settings,
    anchors: &[&CodeDocument],
    n: usize,
    id: String,
) -> Result<Candidate, Reason> {
    let anchor = anchors.get(n).ok_or(Reason::NoAnchor)?;
    let mut candidate = pair(view, settings, anchor, n, id);
    judge(&mut candidate, view, settings);
    candidate.query.text_id = candidate.positives.first().cloned();
    Ok(candidate)
}

fn negative_pair<'a>(
    view: &View<'a>,
    settings: &Settings,
    anchors: &[&CodeDocument],
    n: usize,
    id: String,
    partners: &Partners<'a>,
    paired: &mut Vec<&'a str>,
) -> Result<Candidate, Reason> {
    let anchor = anchors[n % anchors.len()];
    paired.push(view.problem_id);
    let (partner, text_id) = partners.draw(settings, &id, paired).ok_or(Reason::NoPartner)?;
    paired.push(partner);
    let mut candidate = pair(view, settings, anchor, n, id);
    candidate.query.text_id = Some(text_id.to_owned());
    candidate.query.meta.negative_problem_id = Some(partner.to_owned());
    candidate.negatives = vec![text_id.to_owned()];
    Ok(candidate)
}

/// Solved problems on a ring of ranks. A query takes the first one behind its own rank, so another
/// problem on the ring changes only the queries that come to stand before it.
struct Partners<'a>(Vec<(draw::Rank, &'a str, &'a str)>);

impl<'a> Partners<'a> {
    fn of(solved: &[&View<'a>], settings: &Settings) -> Self {
        let with_text = solved.iter().filter_map(|view| Some((view.problem_id, view.text?.text_id.as_str())));
        let place = |problem_id: &str| draw::rank(settings.seed, &["c2t_match", problem_id]);
        let mut ring: Vec<_> = with_text.map(|(problem, text)| (place(problem), problem, text)).collect();
        ring.sort_unstable();
        Self(ring)
    }

    /// A problem that is none of `taken`, and its text.
    fn draw(&self, settings: &Settings, query_id: &str, taken: &[&str]) -> Option<(&'a str, &'a str)> {
        let rank = draw::rank(settings.seed, &[query_id]);
        let start = self.0.partition_point(|(place, ..)| *place < rank);
        let places = self.0[start..].iter().chain(&self.0[..start]);
        places.map(|(_, problem, text)| (*problem, *text)).find(|(problem, _)| !taken.contains(problem))
    }
}
