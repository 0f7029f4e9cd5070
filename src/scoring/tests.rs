//! Scoring held against `trec_eval`: golden numbers by `pytrec_eval-terrier` 0.5.11.

use super::*;
use crate::{
    retrieval::Ranking,
    tables::{Qrel, query::QueryMeta},
};

pub(super) fn query(query_id: &str, subtask: &str) -> Query {
    Query {
        query_id: query_id.to_owned(),
        query: String::new(),
        split: Task::Text2Code,
        subtask: subtask.to_owned(),
        query_type: None,
        sub_query_type: None,
        language_constraint: None,
        anchor_language: None,
        anchor_model: None,
        text_id: None,
        label: None,
        text_type: None,
        meta: QueryMeta {
            source_problem_id: String::new(),
            original_query_type: None,
            anchor_code_id: None,
            target_languages: None,
            available_languages: None,
            pair_type: None,
            negative_problem_id: None,
            num_relevant_docs: 0,
            num_hard_negatives: 0,
            difficulty_level: None,
            created_at: String::new(),
            generator_version: String::new(),
        },
    }
}

fn collection(queries: &[&str], qrels: &[(&str, &str, u32)]) -> Collection {
    let qrel = |(query_id, doc_id, relevance): &(&str, &str, u32)| Qrel {
        query_id: (*query_id).to_owned(),
        doc_id: (*doc_id).to_owned(),
        relevance: *relevance,
    };
    Collection {
        task: Task::Text2Code,
        documents: Vec::new(),
        queries: queries.iter().map(|id| query(id, "all")).collect(),
        qrels: qrels.iter().map(qrel).collect(),
        anchors: BTreeMap::new(),
    }
}

fn ranking(hits: &[(&str, f32)]) -> Ranking {
    Ranking::new(hits.iter().map(|(doc_id, score)| Hit { doc_id: (*doc_id).to_owned(), score: *score }).collect())
}

/// The measures of one query with one relevant document among hits that all have the same score.
fn tied(relevant: &str, docs: &[&str]) -> BTreeMap<String, f64> {
    let hits: Vec<(&str, f32)> = docs.iter().map(|doc| (*doc, 1.0)).collect();
    let rankings = Rankings::from([("q".to_owned(), ranking(&hits))]);
    score_queries(&collection(&["q"], &[("q", relevant, 2)]), &rankings, &[10]).remove(0).measures
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
}

#[test]
fn case_43_ties_are_broken_as_trec_eval_breaks_them() {
    near(tied("b", &["a", "b"])["ndcg_cut_10"], 1.0);
    near(tied("b", &["b", "c"])["ndcg_cut_10"], 0.630_929_753_571_457_5);
    let best = tied("d3", &["d1", "d2", "d3"]);
    near(best["ndcg_cut_10"], 1.0);
    near(best["map"], 1.0);
    let worst = tied("d3", &["d5", "d4", "d3"]);
    near(worst["ndcg_cut_10"], 0.5);
    near(worst["map"], 1.0 / 3.0);
    near(worst["tied_share"], 1.0);
}

#[test]
fn case_44_grades_in_the_wrong_order_have_linear_gain() {
    near(measures::ndcg(&[1, 2], &[2, 1], 10), 0.859_718_699_852_197_2);
    // Relevance level 2: the document of grade 1 is not relevant.
    near(measures::average_precision(&[false, true], 1, 2), 0.5);
}

#[test]
fn scores_that_single_precision_cannot_tell_apart_are_ties() {
    let rankings = |score: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "what is tested")]
        let score = score as f32;
        Rankings::from([("q".to_owned(), ranking(&[("a", score), ("b", 1.0)]))])
    };
    let collection = collection(&["q"], &[("q", "a", 2)]);
    // pytrec_eval answers 0.5 for 1 + 1e-8 and 1 for 1 + 1e-7.
    near(score_queries(&collection, &rankings(1.0 + 1e-8), &[10])[0].measures["recip_rank"], 0.5);
    near(score_queries(&collection, &rankings(1.0 + 1e-7), &[10])[0].measures["recip_rank"], 1.0);
}

#[test]
fn a_hard_negative_gains_nothing() {
    let collection = collection(&["q"], &[("q", "a", 2), ("q", "b", 1)]);
    let rankings = Rankings::from([("q".to_owned(), ranking(&[("b", 2.0), ("a", 1.0)]))]);
    let measures = &score_queries(&collection, &rankings, &[1, 10])[0].measures;
    near(measures["ndcg_cut_10"], 0.630_929_753_571_457_5);
    near(measures["recip_rank"], 0.5);
    near(measures["P_1"], 0.0);
    near(measures["hard_negative_first"], 1.0);
    near(measures["hard_negative_share_1"], 1.0);
    near(measures["hard_negative_share_10"], 0.1);
}

#[test]
fn intrusion_is_undefined_without_a_judged_hard_negative() {
    let collection = collection(&["q", "r"], &[("q", "a", 2), ("r", "a", 2), ("r", "b", 1)]);
    let rankings = Rankings::from([("r".to_owned(), ranking(&[("b", 1.0)]))]);
    let scores = score_queries(&collection, &rankings, &[10]);
    assert!(!scores[0].measures.contains_key("hard_negative_first"));
    // Nothing relevant was retrieved, but a hard negative was.
    near(scores[1].measures["hard_negative_first"], 1.0);
    near(average(&scores, WithoutPositive::Excluded).measures["hard_negative_first"], 1.0);
}

#[test]
fn queries_without_a_positive_are_counted_and_left_out() {
    let collection = collection(&["q", "r", "s"], &[("q", "a", 2), ("r", "a", 1)]);
    let rankings = Rankings::from(["q", "r", "s"].map(|id| (id.to_owned(), ranking(&[("a", 1.0)]))));
    let scores = score_queries(&collection, &rankings, &[10]);
    let excluded = average(&scores, WithoutPositive::Excluded);
    assert_eq!((excluded.n_queries, excluded.n_averaged, excluded.n_without_positive), (3, 1, 2));
    near(excluded.measures["map"], 1.0);
    let zero = average(&scores, WithoutPositive::Zero);
    assert_eq!((zero.n_averaged, zero.measures["map"]), (3, 0.333_333));
}

#[test]
fn the_anchor_of_a_query_is_no_hit() {
    let mut collection = collection(&["q"], &[("q", "a", 2)]);
    let rankings = Rankings::from([("q".to_owned(), ranking(&[("self", 9.0), ("a", 1.0)]))]);
    near(score_queries(&collection, &rankings, &[10])[0].measures["recip_rank"], 0.5);
    collection.anchors.insert("q".to_owned(), "self".to_owned());
    near(score_queries(&collection, &rankings, &[10])[0].measures["recip_rank"], 1.0);
}

#[test]
fn a_query_without_a_ranking_scores_zero() {
    let scores = score_queries(&collection(&["q"], &[("q", "a", 2)]), &Rankings::new(), &[10]);
    near(scores[0].measures["ndcg_cut_10"], 0.0);
    assert!(!scores[0].measures.contains_key("tied_share"));
}

#[test]
fn the_overall_mean_weighs_queries_not_subtasks() {
    let mut collection = collection(&["q", "r", "s"], &[("q", "a", 2), ("r", "b", 2), ("s", "b", 2)]);
    collection.queries[0].subtask = "other".to_owned();
    let rankings = Rankings::from(["q", "r", "s"].map(|id| (id.to_owned(), ranking(&[("a", 1.0)]))));
    let scores = score_queries(&collection, &rankings, &[10]);
    let task = average_task(Task::Text2Code, &scores, WithoutPositive::Excluded);
    assert_eq!(task.average.measures["map"], 0.333_333);
    assert_eq!(task.subtasks["other"].measures["map"], 1.0);
    assert_eq!(task.subtasks["all"].n_queries, 2);
}

/// A made-up collection with many ties; the same formulas were put to `pytrec_eval`.
fn made_up() -> (Collection, Rankings) {
    let grade = |q: u32, d: u32| match (q * 7 + d * 13) % 19 {
        0 | 5 => Some(2),
        1 | 7 => Some(1),
        2 => Some(0),
        _ => None,
    };
    let ids: Vec<String> = (0..10).map(|q| format!("q{q}")).collect();
    let mut collection = collection(&ids.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    let mut rankings = Rankings::new();
    for q in 0..10u32 {
        let mut hits = Vec::new();
        for d in 0..60u32 {
            let (query_id, doc_id) = (format!("q{q}"), format!("d{d}"));
            if let Some(relevance) = grade(q, d) {
                collection.qrels.push(Qrel { query_id, doc_id: doc_id.clone(), relevance });
            }
            if (q + d * 3) % 5 != 0 {
                let score = f32::from(u8::try_from((q * 31 + d * 17) % 11).unwrap()) / 4.0;
                hits.push(Hit { doc_id, score });
            }
        }
        rankings.insert(format!("q{q}"), Ranking::new(hits));
    }
    (collection, rankings)
}

#[test]
fn every_measure_of_a_run_full_of_ties_is_that_of_pytrec_eval() {
    let (collection, rankings) = made_up();
    let scores = score_queries(&collection, &rankings, &[5, 10, 20]);
    for (score, expected) in scores.iter().zip(GOLDEN) {
        for (name, expected) in GOLDEN_NAMES.iter().zip(expected) {
            let found = score.measures[*name];
            assert!((found - expected).abs() < 1e-9, "{} {name}: {found} is not {expected}", score.query_id);
        }
    }
}

const GOLDEN_NAMES: [&str; 10] = [
    "ndcg_cut_5",
    "ndcg_cut_10",
    "map",
    "map_cut_10",
    "recall_5",
    "recall_10",
    "recall_20",
    "P_5",
    "P_10",
    "recip_rank",
];

#[rustfmt::skip]
const GOLDEN: [[f64; 10]; 10] = [
    [0.213_986_264_734_527_56, 0.252_884_736_421_006_84, 0.159_461_152_882_205_5, 0.099_999_999_999_999_99, 0.142_857_142_857_142_85, 0.285_714_285_714_285_7, 0.428_571_428_571_428_55, 0.2, 0.2, 0.5],
    [0.0, 0.107_789_154_524_510_93, 0.109_026_309_607_704_94, 0.027_777_777_777_777_776, 0.0, 0.166_666_666_666_666_66, 0.333_333_333_333_333_3, 0.0, 0.1, 0.166_666_666_666_666_66],
    [0.0, 0.091_092_403_223_458_06, 0.086_907_269_804_902_72, 0.018_518_518_518_518_517, 0.0, 0.166_666_666_666_666_66, 0.166_666_666_666_666_66, 0.0, 0.1, 0.111_111_111_111_111_1],
    [0.213_986_264_734_527_56, 0.190_920_866_178_934_67, 0.179_112_554_112_554_1, 0.083_333_333_333_333_33, 0.166_666_666_666_666_66, 0.166_666_666_666_666_66, 0.333_333_333_333_333_3, 0.2, 0.1, 0.5],
    [0.0, 0.100_867_471_166_271_15, 0.099_811_697_254_152_5, 0.023_809_523_809_523_808, 0.0, 0.166_666_666_666_666_66, 0.333_333_333_333_333_3, 0.0, 0.1, 0.142_857_142_857_142_85],
    [0.0, 0.087_471_714_101_408_2, 0.086_637_090_811_319_48, 0.016_666_666_666_666_666, 0.0, 0.166_666_666_666_666_66, 0.333_333_333_333_333_3, 0.0, 0.1, 0.1],
    [0.169_580_102_636_808_06, 0.238_772_920_850_814_92, 0.151_302_622_498_274_67, 0.088_888_888_888_888_89, 0.166_666_666_666_666_66, 0.333_333_333_333_333_3, 0.333_333_333_333_333_3, 0.2, 0.2, 0.333_333_333_333_333_3],
    [0.0, 0.086_713_828_494_119_72, 0.108_590_575_818_428_06, 0.017_857_142_857_142_856, 0.0, 0.142_857_142_857_142_85, 0.285_714_285_714_285_7, 0.0, 0.1, 0.125],
    [0.169_580_102_636_808_06, 0.238_772_920_850_814_92, 0.183_040_935_672_514_6, 0.088_888_888_888_888_89, 0.166_666_666_666_666_66, 0.333_333_333_333_333_3, 0.5, 0.2, 0.2, 0.333_333_333_333_333_3],
    [0.131_205_077_512_341_78, 0.204_249_606_380_197_62, 0.189_854_705_095_568_87, 0.076_190_476_190_476_18, 0.142_857_142_857_142_85, 0.285_714_285_714_285_7, 0.428_571_428_571_428_55, 0.2, 0.2, 0.2],
];
