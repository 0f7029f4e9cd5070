//! Templates, good and bad, and the shipped ones.

use std::path::PathBuf;

use serde_json::json;

use super::*;
use crate::tables::{SearchKind, Strategy};

/// A root with one template, and the template.
fn prompt(front_matter: &str, body: &str) -> Result<Prompt, ConfigError> {
    let root = tempfile::tempdir().expect("a temporary directory");
    let dir = root.path().join("prompts/solve");
    fs_err::create_dir_all(&dir).expect("a directory");
    let settings = "[settings]\ntemperature = 0.5\nmax_tokens = 10\n";
    let text = format!(
        "+++\nname = \"p\"\nversion = 3\nreply = \"text\"\n{front_matter}\n{settings}+++\n=== user ===\n{body}"
    );
    fs_err::write(dir.join("p.jinja"), text).expect("a template");
    Prompt::load(root.path(), "solve", "p")
}

fn content(prompt: &Prompt, variables: &Value) -> String {
    prompt.render("row-7", variables).expect("renders").remove(0).content
}

#[test]
fn case_26_braces_render_verbatim() {
    let json = r#"{"tests": [{"input": "1\n", "output": {"a": {}}}], "b": "{0} ${x} %s"}"#;
    let prompt = prompt("variables = [\"x\"]", &format!("Like this:\n{json}\n{{{{ x }}}}\n")).expect("a prompt");
    let value = "{{ x }} {% if y %} {# no #} {\"a\": 1} <b> & 'c' \\n";
    assert_eq!(content(&prompt, &json!({ "x": value })), format!("Like this:\n{json}\n{value}"));
}

#[test]
fn case_27_field_that_is_absent_null_or_empty_is_named_with_file_line_and_row() {
    let prompt = prompt(
        "variables = [\"problem\", \"tests\"]",
        "One\n{{ problem.title }}\n\n{% for test in tests %}\n{{ test.input }}\n{% endfor %}\n",
    )
    .expect("a prompt");
    let good = json!({"problem": {"title": "T"}, "tests": [{"input": "1"}]});
    assert_eq!(content(&prompt, &good), "One\nT\n\n1");
    for (variables, line, field, fault) in [
        (json!({"tests": [{"input": "1"}]}), 12, "problem", "is absent"),
        (json!({"problem": null, "tests": [{"input": "1"}]}), 12, "problem", "is null"),
        (json!({"problem": {}, "tests": [{"input": "1"}]}), 12, "problem", "is empty"),
        (json!({"problem": {"titel": "T"}, "tests": [{"input": "1"}]}), 12, "problem.title", "is absent"),
        (json!({"problem": {"title": null}, "tests": [{"input": "1"}]}), 12, "problem.title", "is null"),
        (json!({"problem": {"title": " \n"}, "tests": [{"input": "1"}]}), 12, "problem.title", "is empty"),
        (json!({"problem": {"title": "T"}, "tests": []}), 14, "tests", "is empty"),
        (json!({"problem": {"title": "T"}, "tests": [{}]}), 15, "test.input", "is absent"),
        (json!({"problem": {"title": "T"}, "tests": [{"input": ""}]}), 15, "test.input", "is empty"),
    ] {
        let error = prompt.render("row-7", &variables).expect_err("a fault").message;
        let expected = format!("`prompts/solve/p.jinja` line {line}: field `{field}` of row `row-7` {fault}");
        assert_eq!(error, expected, "{variables}");
    }
}

#[test]
fn optional_field_may_be_absent_null_or_empty_but_not_printed_then() {
    let careful = prompt("variables = []\noptional = [\"x\"]", "a{% if x %}{{ x }}{% endif %}b").expect("a prompt");
    for variables in [json!({}), json!({"x": null}), json!({"x": ""}), json!({"x": []})] {
        assert_eq!(content(&careful, &variables), "ab");
    }
    assert_eq!(content(&careful, &json!({"x": "-"})), "a-b");
    let careless = prompt("variables = []\noptional = [\"x\"]", "{{ x }}").expect("a prompt");
    let error = careless.render("row-7", &json!({})).expect_err("a fault");
    assert!(error.message.contains("field `x` of row `row-7` is null"), "{}", error.message);
}

#[test]
fn template_and_front_matter_must_agree() {
    for (front_matter, body, fault) in [
        ("variables = []", "{{ x }}", "does not declare: x"),
        ("variables = [\"x\"]", "no", "does not use: x"),
        ("variables = [\"x\"]", "{{ x ", "line 11: syntax error: unexpected end of input"),
        ("variables = []\nschema = \"replies/x.json\"", "a", "does not ask for JSON"),
        ("variables = []\ncolour = 1", "a", "unknown field `colour`"),
    ] {
        let error = prompt(front_matter, body).expect_err(fault).message;
        assert!(error.contains("prompts/solve/p.jinja") && error.contains(fault), "{error}");
    }
    let prompt = prompt("variables = [\"x\"]", "{{ x }}").expect("a prompt");
    let error = prompt.render("row-7", &json!({"x": "1", "y": "2"})).expect_err("unknown field").message;
    assert!(error.contains("unknown field `y`"), "{error}");
}

#[test]
fn hash_covers_template_and_schema() {
    let one = prompt("variables = [\"x\"]", "{{ x }}").expect("a prompt");
    let other = prompt("variables = [\"x\"]", "{{ x }}.").expect("a prompt");
    assert_ne!(one.sha256(), other.sha256());
    assert_eq!(one.sha256().len(), 64);
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn render_shipped(stage: &str, name: &str, variables: &Value) -> (Prompt, String) {
    let prompt = Prompt::load(&root(), stage, name).unwrap_or_else(|error| panic!("{}", error.message));
    let messages = prompt.render("row-7", variables).unwrap_or_else(|error| panic!("{}", error.message));
    assert_eq!(messages.iter().map(|message| message.role).collect::<Vec<_>>(), [Role::System, Role::User]);
    let text = messages.into_iter().map(|message| message.content).collect::<Vec<_>>().join("\n");
    assert!(!text.contains("\n\n\n"), "{text}");
    (prompt, text)
}

#[test]
fn every_shipped_prompt_loads() {
    for stage in ["abbreviate", "negatives", "queries", "rewrite", "solve", "tests"] {
        let prompts = load_all(&root(), stage).unwrap_or_else(|error| panic!("{}", error.message));
        assert!(!prompts.is_empty(), "{stage}");
    }
    let mut strategies: Vec<&str> = Strategy::ALL.map(Strategy::name).to_vec();
    strategies.sort_unstable();
    assert_eq!(names(&root(), "negatives").expect("names"), strategies);
}

#[test]
fn solve_names_entry_point_and_input_form_of_every_language() {
    for (language, entry) in [
        ("c", "int main(void)"),
        ("cpp", "int main()"),
        ("go", "package main"),
        ("java", "public class Main"),
        ("python", "Python 3.11"),
        ("ruby", "Ruby 3.1"),
    ] {
        let stdin = json!({"statement": "Sum.", "language": language, "functional": false, "starter_code": ""});
        let (_, text) = render_shipped("solve", "standard", &stdin);
        assert!(text.contains(entry) && text.contains(&format!("`{language}`")), "{text}");
        assert!(!text.contains("JSON") && !text.contains("starter"), "{text}");
        let functional = json!({"statement": "Sum.", "language": language, "functional": true, "starter_code": "class Solution:\n    def f(self)"});
        let (_, text) = render_shipped("solve", "standard", &functional);
        assert!(text.contains("class Solution:\n    def f(self)") && text.contains("one JSON value a line"), "{text}");
    }
    let unknown = json!({"statement": "Sum.", "language": "cobol", "functional": false});
    let prompt = Prompt::load(&root(), "solve", "standard").expect("the prompt");
    assert!(prompt.render("row-7", &unknown).is_err());
}

#[test]
fn other_shipped_prompts_render() {
    let problem = json!({"title": "Tea", "statement": "There are N guests."});
    for name in Strategy::ALL.map(Strategy::name) {
        let (_, text) = render_shipped("negatives", name, &problem);
        assert!(!text.to_lowercase().contains("original"), "{text}");
    }
    render_shipped("abbreviate", "abbreviate", &problem);
    let (_, text) = render_shipped("rewrite", "statement", &problem);
    assert!(text.contains("There is no starter code"), "{text}");
    let samples = json!({"statement": "S", "samples": ["1 <2\n"], "n_inputs": 8});
    let (_, text) = render_shipped("tests", "synthesise", &samples);
    assert!(text.contains(r#"["1 <2\n"]"#), "values are no HTML: {text}");
    let tests = json!({"original_statement": "A", "rewritten_statement": "B", "n_tests": 1,
        "tests": [{"input": "1", "output": "it's"}]});
    let (_, text) = render_shipped("rewrite", "tests", &tests);
    assert!(text.contains(r#"[{"input":"1","output":"it's"}]"#), "{text}");
    let queries = json!({"title": "Tea", "statement": "S", "per_kind": 2,
        "nearest": [{"title": "Coffee", "statement": "Beans."}, {"title": "Milk", "statement": "Cows."}]});
    let (_, text) = render_shipped("queries", "search", &queries);
    assert!(text.contains("--- Coffee") && text.contains("--- Milk"), "{text}");
}

#[test]
fn schemas_ask_for_what_their_prompts_show() {
    let schema = |stage, name| Prompt::load(&root(), stage, name).expect("a prompt").schema.expect("a schema");
    let kinds: serde_json::Map<String, Value> =
        SearchKind::ALL.iter().map(|kind| (kind.name().to_owned(), json!(["a query"]))).collect();
    for (schema, value) in [
        (schema("queries", "search"), Value::Object(kinds)),
        (schema("tests", "synthesise"), json!({"inputs": ["1\n"]})),
        (schema("rewrite", "tests"), json!({"tests": [{"input": "", "output": ""}]})),
        (schema("rewrite", "statement"), json!({"title": "T", "statement": "S", "starter_code": "", "changes": []})),
    ] {
        assert_eq!(schema.fault(&value), None);
        assert!(schema.fault(&json!({})).is_some());
        let mut extra = value.clone();
        extra["extra"] = json!(1);
        assert!(schema.fault(&extra).is_some());
    }
}
