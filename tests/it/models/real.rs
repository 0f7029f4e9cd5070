//! A real model behind a real server: `make test-models`.

use serde_json::Value;

use super::kills::Project;

const RECORDED: &str = "provider = \"replay\"\nrecordings = \"snapshots/demo/replies\"";

#[test]
fn real_model_answers_over_both_formats_and_every_reply_is_read_or_rejected_by_name() {
    let Ok(url) = std::env::var("COREBUILD_MODEL_SERVER") else {
        println!("skipped: COREBUILD_MODEL_SERVER names no server (make test-models)");
        return;
    };
    let project = Project::new(RECORDED);
    project.succeed(&["cut", "demo202601", "-q"]);
    for provider in ["openai", "anthropic"] {
        let model = format!(
            "provider = \"{provider}\"\nbase_url = \"{url}\"\nmodel = \"smollm2-{provider}\"\nconcurrency = 1\n\
             price = {{ date = \"2026-01-01\", input = 1.0, output = 2.0 }}\n\
             sampling = {{ max_tokens = 400, seed = 7 }}"
        );
        project.configure(&["demo-writer", "demo-alpha"], &model);
        // Earlier replies, the recorded ones among them, are of the same key and would be served.
        fs_err::remove_dir_all(project.journal("rewrite").parent().expect("a directory")).expect("removed");
        for stage in ["rewrite", "solve", "queries"] {
            let args = ["preview", stage, "demo202601", "-n", "2", "--call", "--json"];
            let rows: Value = serde_json::from_str(&project.succeed(&args)).expect("JSON");
            for row in rows["rows"].as_array().expect("rows") {
                let reply = &row["reply"];
                assert!(reply["usage"]["output_tokens"].as_u64().is_some_and(|n| n > 0), "{row}");
                assert!(!reply["text"].as_str().expect("a text").is_empty());
                assert!(reply["dollars"].as_f64().is_some_and(|dollars| dollars > 0.0));
                let rejected = reply["parsed"]["rejected"].as_str();
                println!(
                    "{provider} {stage} {}: {} tokens, {}, {}",
                    row["row_id"].as_str().unwrap_or_default(),
                    reply["usage"]["output_tokens"],
                    reply["finish_reason"],
                    rejected.unwrap_or("read")
                );
                assert!(rejected.is_none_or(|reason| reason != "internal-error"));
            }
        }
        let cost: Value = serde_json::from_str(&project.succeed(&["cost", "--json"])).expect("JSON");
        assert!(cost["dollars"].as_f64().is_some_and(|dollars| dollars > 0.0), "{cost}");
    }
}
