//! What holds of every release.

use std::os::unix::fs::PermissionsExt;

use super::{sample, *};
use crate::{
    exit_code::{self, ExitCode},
    stages::qrels,
    tables::query::Task,
};

fn text(name: &str) -> String {
    String::from_utf8(sample::mini().remove(name).expect(name)).unwrap()
}

fn lines(name: &str) -> Vec<serde_json::Value> {
    text(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_release_has_the_published_files_and_the_beir_layout() {
    let names: Vec<String> = sample::mini().into_keys().collect();
    insta::assert_snapshot!(names.join("\n"), @r#"
    README.md
    anchors.jsonl
    beir/code2code/README.md
    beir/code2code/anchors.jsonl
    beir/code2code/corpus.jsonl
    beir/code2code/qrels/test.jsonl
    beir/code2code/qrels/test.tsv
    beir/code2code/queries.jsonl
    beir/code2text/README.md
    beir/code2text/corpus.jsonl
    beir/code2text/qrels/test.jsonl
    beir/code2text/qrels/test.tsv
    beir/code2text/queries.jsonl
    beir/text2code/README.md
    beir/text2code/corpus.jsonl
    beir/text2code/qrels/test.jsonl
    beir/text2code/qrels/test.tsv
    beir/text2code/queries.jsonl
    code2code_qrels.jsonl
    code2code_queries.jsonl
    code2text_qrels.jsonl
    code2text_queries.jsonl
    code_corpus.jsonl
    manifest.json
    rejected.jsonl
    text2code_qrels.jsonl
    text2code_queries.jsonl
    text_corpus.jsonl
    "#);
}

#[test]
fn records_of_a_file_all_have_the_same_fields_and_lose_nothing() {
    let formed = qrels::sample::mini();
    for task in Task::ALL {
        let of_task: Vec<&Query> = formed.queries.iter().filter(|query| query.split == task).collect();
        let records: Vec<_> = of_task.iter().map(|query| layout::record(query).unwrap()).collect();
        let fields = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        for (record, query) in records.iter().zip(&of_task) {
            assert_eq!(fields(record), fields(&records[0]));
            assert_eq!(fields(&record["meta"]), fields(&records[0]["meta"]));
            assert_eq!(serde_json::from_value::<Query>(record.clone()).unwrap(), **query);
        }
    }
}

#[test]
fn numbers_are_whole_and_grades_one_or_two() {
    for row in lines("text2code_qrels.jsonl") {
        assert!(matches!(row["relevance"].as_u64(), Some(1 | 2)));
    }
    for row in lines("code_corpus.jsonl") {
        assert_eq!(row["meta"]["test_total"], 8);
        assert!(row["meta"]["test_total"].is_u64());
    }
}

#[test]
fn the_order_of_rows_does_not_change_a_byte() {
    let mut turned = qrels::sample::mini();
    turned.queries.reverse();
    turned.qrels.reverse();
    turned.code_documents.reverse();
    turned.text_documents.reverse();
    turned.anchors.reverse();
    let files = files(&sample::records(turned), &sample::provenance()).unwrap();
    assert_eq!(files, sample::mini());
}

#[test]
fn beir_judgements_have_a_header_whole_scores_and_no_pair_of_label_0() {
    let tsv = text("beir/code2text/qrels/test.tsv");
    assert!(tsv.starts_with("query-id\tcorpus-id\tscore\nq_mini202601_"));
    assert!(tsv.ends_with("\t1\n") || tsv.ends_with("\t2\n"));
    let all = lines("code2text_queries.jsonl").len();
    let pairs = lines("code2text_queries.jsonl").iter().filter(|row| row["label"] == 0).count();
    assert!(pairs > 0);
    assert_eq!(lines("beir/code2text/queries.jsonl").len(), all - pairs);
    for row in lines("beir/code2code/corpus.jsonl") {
        assert_eq!(row["title"], "");
    }
}

#[test]
fn the_card_opens_with_configurations_of_json_lines_only() {
    for name in ["README.md", "beir/text2code/README.md"] {
        let card = text(name);
        let (header, _) = card.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        let paths: Vec<&str> = header.lines().filter_map(|line| line.trim().strip_prefix("path: ")).collect();
        assert_eq!(paths.len(), if name == "README.md" { 8 } else { 3 });
        for path in paths {
            assert_eq!(std::path::Path::new(path).extension().unwrap(), "jsonl");
            let dir = name.strip_suffix("README.md").unwrap();
            assert!(sample::mini().contains_key(&format!("{dir}{path}")), "{path}");
        }
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "the golden text is long")]
fn the_card_says_what_is_in_the_release() {
    let card = text("README.md");
    let queries = card.split("## Queries").nth(1).unwrap();
    insta::assert_snapshot!(queries, @r#"
    
    
    | task | subtask | queries | positives (2) | hard negatives (1) |
    |---|---|---|---|---|
    | text2code | t2c_canonical_retro_any | 3 | 19 | 6 |
    | text2code | t2c_canonical_retro_cpp | 2 | 4 | 3 |
    | text2code | t2c_canonical_retro_go | 2 | 3 | 3 |
    | text2code | t2c_canonical_retro_java | 2 | 3 | 3 |
    | text2code | t2c_canonical_retro_python | 3 | 5 | 6 |
    | text2code | t2c_canonical_retro_ruby | 3 | 4 | 6 |
    | text2code | t2c_full_retro_any | 3 | 19 | 6 |
    | text2code | t2c_full_retro_cpp | 2 | 4 | 3 |
    | text2code | t2c_full_retro_go | 2 | 3 | 3 |
    | text2code | t2c_full_retro_java | 2 | 3 | 3 |
    | text2code | t2c_full_retro_python | 3 | 5 | 6 |
    | text2code | t2c_full_retro_ruby | 3 | 4 | 6 |
    | text2code | t2c_search_any | 18 | 114 | 36 |
    | text2code | t2c_search_cpp | 12 | 24 | 18 |
    | text2code | t2c_search_go | 12 | 18 | 18 |
    | text2code | t2c_search_java | 12 | 18 | 18 |
    | text2code | t2c_search_python | 18 | 30 | 36 |
    | text2code | t2c_search_ruby | 18 | 24 | 36 |
    | code2code | c2c_cross_lang | 18 | 56 | 24 |
    | code2code | c2c_cross_model | 18 | 56 | 24 |
    | code2code | c2c_mono_lang | 14 | 14 | 12 |
    | code2text | c2t_canonical_retro_any | 3 | 3 | 9 |
    | code2text | c2t_canonical_retro_go | 1 | 1 | 3 |
    | code2text | c2t_canonical_retro_python | 1 | 1 | 3 |
    | code2text | c2t_canonical_retro_ruby | 1 | 1 | 3 |
    | code2text | c2t_full_retro_any | 3 | 3 | 9 |
    | code2text | c2t_full_retro_cpp | 2 | 2 | 6 |
    | code2text | c2t_full_retro_go | 1 | 1 | 3 |
    | code2text | c2t_full_retro_java | 2 | 2 | 6 |
    | code2text | c2t_full_retro_python | 2 | 2 | 6 |
    | code2text | c2t_full_retro_ruby | 3 | 3 | 9 |
    | code2text | c2t_match | 12 | 6 | 24 |
    
    ## How to score
    
    - Grade 2 is a positive, grade 1 a hard negative. A hard negative is **not** relevant: set grades below 2 to 0 before nDCG, and take 2 as the relevance level of recall, MAP, MRR and precision.
    - Positives of programs passed every test. Hard negatives of programs failed one. A program that passed is never a hard negative of its problem.
    - text2code queries of a language want programs that passed in it; programs that passed in another language are not judged.
    - code2code: leave the anchor (`anchors.jsonl`) out of its query's ranking. `mono_lang` wants other models' programs in the same language, `cross_lang` the same model's in other languages, `cross_model` other models' in other languages. Right programs outside of what a subtask wants are not judged in it.
    - code2text: `full` and `canonical` search the same statements; they differ in their anchors.
    - `c2t_match`: pairs to tell apart. Label 0 has no positive: its one judgement (grade 1) is the paired text. Leave label 0 out of averages over searches; the BEIR layout does.
    - Ties: by document id, falling, as bytes (trec_eval's rule).
    
    ## Tokens (cl100k_base)
    
    | texts | n | total | median | 95 % | longest |
    |---|---|---|---|---|---|
    | code corpus | 37 | 444 | 12 | 12 | 12 |
    | text corpus | 20 | 368 | 17 | 25 | 25 |
    | text2code queries | 120 | 1641 | 12 | 25 | 25 |
    | code2code queries | 50 | 600 | 12 | 12 | 12 |
    | code2text queries | 31 | 372 | 12 | 12 | 12 |
    
    ## Verdicts
    
    | model | language | accepted | wrong-answer | time-limit | compile-error |
    |---|---|---|---|---|---|
    | Alpha-1 | cpp | 2 | 1 | 0 | 0 |
    | Alpha-1 | go | 1 | 2 | 0 | 0 |
    | Alpha-1 | java | 2 | 1 | 1 | 0 |
    | Alpha-1 | python | 2 | 1 | 0 | 1 |
    | Alpha-1 | ruby | 2 | 0 | 2 | 0 |
    | beta-2 | cpp | 2 | 1 | 0 | 0 |
    | beta-2 | go | 2 | 2 | 0 | 0 |
    | beta-2 | java | 1 | 2 | 0 | 1 |
    | beta-2 | python | 3 | 1 | 0 | 0 |
    | beta-2 | ruby | 2 | 2 | 0 | 0 |
    
    ## Difficulty (by code metrics of references, 0 is the easiest)
    
    | level | problems |
    |---|---|
    | 0 | 1 |
    | 1 | 2 |
    | 2 | 1 |
    
    ## What was rejected, and why
    
    | stage | reason | rows | what it means |
    |---|---|---|---|
    | solve | no-code-block | 1 | The reply holds no program. |
    
    ## License and provenance
    
    - Source `lcb` (livecodebench, revision `r1`). LiveCodeBench collects problems from contest sites; rights in them stay with the sites.
    - Model `Alpha-1` writes programs.
    
    No original statement is in this release: statements are rewritten, and hard-negative ones are written anew. Programs and texts were written by the models named above; their providers' terms apply too. Whoever publishes the release answers for its license.
    "#);
}

#[test]
fn the_manifest_hashes_every_other_file_and_names_no_place_on_the_machine() {
    let files = sample::mini();
    let manifest: serde_json::Value = serde_json::from_slice(&files[MANIFEST]).unwrap();
    let listed = manifest["files"].as_object().unwrap();
    assert_eq!(listed.len(), files.len() - 1);
    for (name, entry) in listed {
        assert_eq!(entry["sha256"], crate::ids::sha256_hex(&files[name]));
        assert_eq!(entry["bytes"], files[name].len());
    }
    assert_eq!(listed["rejected.jsonl"]["rows"], 1);
    assert!(listed["README.md"]["rows"].is_null());
    assert_eq!(manifest["prompts"].as_object().unwrap().len(), 1);
    assert_eq!(manifest["toolchains"]["python"], "Python 3.11");
    assert!(!text(MANIFEST).contains("/home/"));
}

#[test]
fn rejected_rows_keep_their_stage() {
    let merged = with_stage("solve", "{\"key\":\"a\"}\n{\"key\":\"b\"}\n");
    assert_eq!(merged, "{\"stage\":\"solve\",\"key\":\"a\"}\n{\"stage\":\"solve\",\"key\":\"b\"}\n");
}

#[test]
fn a_release_appears_whole_readable_and_only_once() {
    let dist = tempfile::tempdir().unwrap();
    let dir = dist.path().join("mini202601");
    fs_err::create_dir(dist.path().join(".mini202601.partial-killed")).unwrap();
    let mut files = sample::mini();
    publish::publish(&dir, &files).unwrap();
    assert_eq!(fs_err::read_dir(dist.path()).unwrap().count(), 1, "nothing is left beside it");
    for name in files.keys() {
        let mode = fs_err::metadata(dir.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644, "{name}");
    }
    publish::publish(&dir, &files).unwrap();
    files.insert("README.md".into(), b"other".to_vec());
    let error = publish::publish(&dir, &files).unwrap_err();
    assert_eq!(ExitCode::of(&error), ExitCode::Invalid);
    assert!(error.to_string().contains("README.md"));
    assert!(exit_code::hint(&error).unwrap().contains("never changed"));
    assert_ne!(fs_err::read(dir.join("README.md")).unwrap(), b"other");
}

#[test]
fn a_file_put_beside_a_release_is_noticed() {
    let dist = tempfile::tempdir().unwrap();
    let dir = dist.path().join("mini202601");
    publish::publish(&dir, &sample::mini()).unwrap();
    fs_err::write(dir.join("beir/notes.txt"), "x").unwrap();
    let error = publish::publish(&dir, &sample::mini()).unwrap_err();
    assert!(error.to_string().contains("beir/notes.txt"), "{error}");
}

#[test]
fn a_release_with_a_fault_does_not_appear() {
    let dist = tempfile::tempdir().unwrap();
    let dir = dist.path().join("mini202601");
    let mut formed = qrels::sample::mini();
    let copy = formed.code_documents[0].code.clone();
    formed.code_documents[1].code_length = copy.chars().count();
    formed.code_documents[1].code = copy;
    let files = files(&sample::records(formed), &sample::provenance()).unwrap();
    let error = publish::publish(&dir, &files).unwrap_err();
    assert_eq!(ExitCode::of(&error), ExitCode::Invalid);
    assert!(error.to_string().contains("`code_mini202601_00001`"), "{error}");
    assert_eq!(fs_err::read_dir(dist.path()).unwrap().count(), 0);
}
