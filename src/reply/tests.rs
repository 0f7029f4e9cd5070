//! Replies as models write them.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{languages::Language, prompts::ReplySchema};

fn code(text: &str, language: Language) -> Result<String, Reason> {
    extract_code(text, language, FinishReason::Stop).map_err(|reject| reject.reason)
}

#[track_caller]
fn check(reply: &str, language: Language, program: &str) {
    assert_eq!(code(reply, language).as_deref(), Ok(program), "reply:\n{reply}");
}

#[track_caller]
fn check_python(reply: &str, program: &str) {
    check(reply, Language::Python, program);
}

#[test]
fn case_30_code_block_before_a_sample_output_block_is_the_program() {
    check_python("Here:\n```python\nprint(1)\n```\nSample output:\n```\n1\n```\n", "print(1)\n");
    check_python("```python\nprint(1)\n```\nOutput:\n```text\n1 2 3 4 5 6 7 8 9 10\n```", "print(1)\n");
    check_python("Input:\n```\n5 3\n```\n```python\nprint(1)\n```\nOutput:\n```\n1\n```", "print(1)\n");
    check("```\nIt's\n```\nthat's\n```ruby\nputs 1\n```\nwhat's\n```\n1\n```", Language::Ruby, "puts 1\n");
    check_python("```\nprint(int(input()) + 1)\n```\nFor 1 it prints:\n```\n2\n```\n", "print(int(input()) + 1)\n");
}

#[test]
fn case_30_block_that_is_never_closed_reaches_to_the_end() {
    check_python("```python\nprint(1)\nprint(2)\n", "print(1)\nprint(2)\n");
    check_python("```python\nprint(1)", "print(1)");
    check_python("```python\nprint(1)```", "print(1)");
    check_python("<code>```python\nprint(1)\n</code>", "print(1)\n");
    let cut = extract_code("```python\nprint(1)\nprin", Language::Python, FinishReason::Length);
    assert_eq!(cut.map_err(|reject| reject.reason), Err(Reason::TruncatedReply));
    let filtered = extract_code("```python\nprint(1)\nprin", Language::Python, FinishReason::Other);
    assert_eq!(filtered.map_err(|reject| reject.reason), Err(Reason::UnclosedBlock));
}

#[test]
fn case_30_indented_and_tilde_fences_are_fences() {
    check_python("~~~python\nprint('```')\n~~~\n", "print('```')\n");
    check_python("   ```python\n   if 1:\n       print(1)\n   ```\n", "if 1:\n    print(1)\n");
    check_python("1. Solution:\n\n    ```python\n    if 1:\n        print(1)\n    ```\n", "if 1:\n    print(1)\n");
    check_python("- ```python\n  print(1)\n  ```", "print(1)\n");
    check_python("    ```python\nif 1:\n    print(1)\n    ```\n", "if 1:\nprint(1)\n");
}

#[test]
fn case_30_fences_in_tags_and_tags_in_fences() {
    check_python("<code>```python\nprint(1)\n```</code>", "print(1)\n");
    check_python("<answer>\n```python\nprint(1)\n```\n</answer>", "print(1)\n");
    check_python("```python\n<code>\nprint(1)\n</code>\n```", "print(1)\n");
    check_python("```\n```python\nprint(1)\n```\n```", "print(1)\n");
    check_python("````markdown\nHere:\n```python\nprint(1)\n```\n````", "print(1)\n");
}

#[test]
fn case_29_fence_line_in_a_python_string_does_not_end_the_program() {
    let program = "DOC = \"\"\"\n```\nusage\n```\n\"\"\"\nprint(len(DOC))\n";
    check_python(&format!("```python\n{program}```\n"), program);
    check_python(&format!("```python\n{program}```\nIt prints:\n```\n14\n```\n"), program);
    let odd = "def f():\n    \"\"\"\n```\n    \"\"\"\n    return 1\nprint(f())\n";
    check_python(&format!("So:\n\n```python\n{odd}```\n\nDone."), odd);
    check_python(&format!("```python\n{odd}"), odd);
    let labelled = "\"\"\"\n```python\n>>> f(1)\n```\nand\n```python\n>>> f(2)\n```\n\"\"\"\nprint(1)\n";
    check_python(&format!("```python\n{labelled}```"), labelled);
    check_python(&format!("````python\n{program}````\nand so on"), program);
    let indented = "def f():\n    '''\n    ```\n    f()\n    ```\n    '''\nprint(f())\n";
    check_python(&format!("```python\n{indented}```"), indented);
}

#[test]
fn case_29_fence_line_in_a_comment_or_string_of_other_languages() {
    let cpp = "/*\n```\n1 2\n```\n*/\n#include <iostream>\nint main() { std::cout << 1; }\n";
    check(&format!("```cpp\n{cpp}```\n\n```\n1\n```"), Language::Cpp, cpp);
    let java = "/**\n```\nx\n```\n*/\npublic class Main { public static void main(String[] a) {} }\n";
    check(&format!("```java\n{java}```"), Language::Java, java);
    let go = "package main\n\n/*\n```\nx\n```\n*/\nfunc main() {}\n";
    check(&format!("```go\n{go}```"), Language::Go, go);
    let ruby = "=begin\n```\nx\n```\n=end\nputs 1\n";
    check(&format!("```ruby\n{ruby}```"), Language::Ruby, ruby);
    let heredoc = "puts <<~TEXT\n```\nx\n```\nTEXT\nputs 1\n";
    check(&format!("```ruby\n{heredoc}```"), Language::Ruby, heredoc);
}

#[test]
fn faulty_program_ends_at_its_first_fence() {
    check_python("```python\nprint(1\n```\nOutput:\n```\n1\n```", "print(1\n");
    check("```java\nclass Main {\n```\nand\n```\n1\n```", Language::Java, "class Main {\n");
    check("```ruby\nputs \"a\n```\nThat's it.\n", Language::Ruby, "puts \"a\n");
}

#[test]
fn case_29_fence_line_in_a_json_string_does_not_end_it() {
    let reply = "```json\n{\"inputs\": [\"a\\n```\\nb\", \"```\"]}\n```\n";
    assert_eq!(json(reply), Ok(json!({"inputs": ["a\n```\nb", "```"]})));
}

#[test]
fn of_several_programs_the_whole_one_is_chosen() {
    check_python(
        "The core is\n```python\nx = [a + b for a, b in zip(long_first_list, long_second_list)]\n```\nso\n```python\nprint(1)\n```",
        "print(1)\n",
    );
    check_python(
        "```python\nprint(1)\n```\nor, longer:\n```python\nimport sys\nprint(2)\n```",
        "import sys\nprint(2)\n",
    );
    check_python(
        "```python\nprint(1)\n```\nsame in Ruby, much longer:\n```ruby\nputs 1 + 2 + 3 + 4\n```",
        "print(1)\n",
    );
    check_python("```bash\npython3 print.py && print(1)\n```\n```\nprint(2)\n```", "print(2)\n");
    check("```c\nint main() { return 0; }\n```", Language::Cpp, "int main() { return 0; }\n");
    assert_eq!(code("```python\nprint(1)\n```", Language::Ruby), Err(Reason::NoCodeBlock));
    assert_eq!(code("```\n5\n```", Language::Python), Err(Reason::NoCodeBlock));
}

#[test]
fn code_in_thoughts_is_not_the_solution() {
    check_python(
        "<think>\n```python\nprint('a long wrong try')\n```\n</think>\n```python\nprint(1)\n```",
        "print(1)\n",
    );
    check_python("wrong:\n```python\nprint('wrong')\n```\n</think>\n\n```python\nprint(1)\n```", "print(1)\n");
    check_python(
        "So.\n<thinking>\n```python\nprint('wrong one')\n```\n</thinking>\n```python\nprint(1)\n```",
        "print(1)\n",
    );
    check_python("```python\nprint('''\n<think>\n''')\n```", "print('''\n<think>\n''')\n");
    assert_eq!(code("<think>\n```python\nprint(1)\n```", Language::Python), Err(Reason::NoCodeBlock));
}

#[test]
fn program_keeps_every_byte() {
    check_python("```python\r\nprint(1)\r\n\r\nprint(2)\t \r\n```\r\n", "print(1)\r\n\r\nprint(2)\t \r\n");
    check_python(
        "```python\n\n\n# a comment\nx = 7 // 2\nprint(x)  \n\n```",
        "\n\n# a comment\nx = 7 // 2\nprint(x)  \n\n",
    );
    let cpp = "#include <cstdio>\n\n// half\nint main() { std::puts(\"\\u00e9\u{e9}\"); }\n\nmain();\n";
    check(&format!("```cpp\n{cpp}```"), Language::Cpp, cpp);
}

#[test]
fn reply_without_a_program_is_rejected_by_name() {
    for (reply, finish_reason, reason) in [
        ("I'm sorry, but I can't help with that.", FinishReason::Stop, Reason::Refusal),
        ("", FinishReason::Refusal, Reason::Refusal),
        ("First sort the list, then sum it.", FinishReason::Stop, Reason::NoCodeBlock),
        ("First sort the", FinishReason::Length, Reason::TruncatedReply),
        ("<think>hm", FinishReason::Length, Reason::TruncatedReply),
        ("```python\n\n```", FinishReason::Stop, Reason::EmptyCode),
        ("```python\nx = \"\"\"\n```\na\n", FinishReason::Length, Reason::TruncatedReply),
    ] {
        let reject = extract_code(reply, Language::Python, finish_reason).expect_err(reply);
        assert_eq!(reject.reason, reason, "{reply}");
    }
    let cut_prose = extract_code("```python\nprint(1)\n```\nThis wor", Language::Python, FinishReason::Length);
    assert_eq!(cut_prose.as_deref(), Ok("print(1)\n"), "only the prose was cut");
}

fn schema() -> ReplySchema {
    let schema = json!({
        "type": "object",
        "properties": {"inputs": {"type": "array", "items": {"type": "string"}}},
        "required": ["inputs"],
    });
    ReplySchema::parse(schema.to_string()).expect("a schema")
}

fn json(reply: &str) -> Result<serde_json::Value, Reason> {
    extract_json(reply, &schema(), FinishReason::Stop).map_err(|reject| reject.reason)
}

#[test]
fn case_28_json_is_found_among_brackets_and_behind_thoughts() {
    let value = Ok(json!({"inputs": ["a\nb", "[2]"]}));
    let text = r#"{"inputs": ["a\nb", "[2]"]}"#;
    assert_eq!(json(text), value);
    assert_eq!(json(&format!("As said in [1], {text} and so on [2].")), value);
    assert_eq!(json(&format!("```json\n{text}\n```")), value);
    let wrong = r#"{"inputs": ["a much longer value that was only thought of"]}"#;
    assert_eq!(json(&format!("<think>perhaps {wrong}</think>{text}")), value);
    assert_eq!(json(&format!("perhaps {wrong}\n</think>\n{text}")), value);
    assert_eq!(json(&format!("{{see below}} [a] {text}")), value);
    let array = ReplySchema::parse(r#"{"type": "array", "items": {"type": "string"}}"#.to_owned()).expect("a schema");
    let found = extract_json("[1] gives\n[\"a\\nb\"]\n[2]", &array, FinishReason::Stop);
    assert_eq!(found, Ok(json!(["a\nb"])));
}

#[test]
fn json_that_is_missing_or_odd_is_rejected_by_name() {
    for (reply, finish_reason, reason) in [
        ("no value here", FinishReason::Stop, Reason::NotJson),
        (r#"{"inputs": ["a"],}"#, FinishReason::Stop, Reason::OffSchema),
        (r#"{"inputs": [1]}"#, FinishReason::Stop, Reason::OffSchema),
        (r#"{"inputs": ["a", "b"#, FinishReason::Length, Reason::TruncatedReply),
        (r#"{"inputs": ["a", "b"#, FinishReason::Stop, Reason::NotJson),
        ("I cannot do that.", FinishReason::Stop, Reason::Refusal),
        ("{", FinishReason::Refusal, Reason::Refusal),
    ] {
        let reject = extract_json(reply, &schema(), finish_reason).expect_err(reply);
        assert_eq!(reject.reason, reason, "{reply}: {}", reject.detail);
    }
    let reject = extract_json(r#"{"inputs": ["a", 1]}"#, &schema(), FinishReason::Stop).expect_err("off schema");
    assert!(reject.detail.contains("/inputs/1"), "{}", reject.detail);
}

#[test]
fn broken_json_of_many_brackets_takes_no_time() {
    let text = "[".repeat(200_000);
    assert_eq!(json(&text), Err(Reason::NotJson));
}

#[test]
fn text_is_freed_of_what_stands_around_it() {
    let body = "Tea Party\n\nThere are N guests.\n\nInput: one line: N.";
    for reply in [
        body.to_owned(),
        format!("\n{body}\n\n"),
        format!("Modified Problem:\n\n{body}"),
        format!("## Modified Problem\n\n{body}"),
        format!("**Modified Problem:**\n{body}"),
        format!("Modified Problem: {body}"),
        format!("**Title:** {body}"),
        format!("Here is the modified problem:\n\n---\n\n{body}\n\n---"),
        format!("Sure! Here's a new version of the problem:\n\n{body}\n\nLet me know if you need more."),
        format!("Certainly.\n\n{body}"),
        format!("```text\n{body}\n```"),
        format!("<think>Modified Problem: coffee</think>\n{body}"),
    ] {
        assert_eq!(extract_text(&reply, FinishReason::Stop), Ok(body), "{reply}");
    }
}

#[test]
fn text_of_its_own_is_left_alone() {
    for text in [
        "Here is a river. On its banks stand N huts.",
        "This is the tale of a king: he counts coins.",
        "Problem solvers\n\nN people meet.",
        "A summary of N words: count them.",
        "First part\n\n```\n1 2\n```",
    ] {
        assert_eq!(extract_text(text, FinishReason::Stop), Ok(text));
    }
}

#[test]
fn text_that_is_missing_is_rejected_by_name() {
    let reason = |reply, finish_reason| extract_text(reply, finish_reason).map_err(|reject| reject.reason);
    assert_eq!(reason(" \n", FinishReason::Stop), Err(Reason::TooShort));
    assert_eq!(reason("N guests wa", FinishReason::Length), Err(Reason::TruncatedReply));
    assert_eq!(reason("I\u{2019}m sorry, I can\u{2019}t.", FinishReason::Stop), Err(Reason::Refusal));
}

/// Text made of what replies are made of, so that the odd combinations come up.
fn reply_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("```"),
        Just("````"),
        Just("~~~"),
        Just("python"),
        Just("ruby\n"),
        Just("\n"),
        Just("\r\n"),
        Just("    "),
        Just("<think>"),
        Just("</think>"),
        Just("<code>"),
        Just("</code>"),
        Just("print(1)"),
        Just("\"\"\""),
        Just("{\"inputs\": ["),
        Just("\"a\""),
        Just("]}"),
        Just("[1]"),
        Just("- "),
        Just("1. "),
        Just("Modified Problem:"),
        Just("---"),
        Just("\u{e9}\u{1f600}"),
    ];
    prop::collection::vec(prop_oneof![4 => piece.prop_map(str::to_owned), 1 => ".{0,6}"], 0..40)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn extraction_never_panics_and_never_invents(reply in reply_like()) {
        for finish_reason in [FinishReason::Stop, FinishReason::Length, FinishReason::Other] {
            for language in [Language::Python, Language::Ruby] {
                if let Ok(program) = extract_code(&reply, language, finish_reason) {
                    let is_piece = reply.contains(&program);
                    prop_assert!(is_piece || program.split_inclusive('\n').all(|line| reply.contains(line)));
                    prop_assert!(is_piece || reply.contains(" ```") || reply.contains(" ~~~"));
                }
            }
            let _ = extract_json(&reply, &schema(), finish_reason);
            if let Ok(text) = extract_text(&reply, finish_reason) {
                prop_assert!(reply.contains(text));
            }
        }
    }

    #[test]
    fn fenced_program_without_fences_inside_comes_back_whole(lines in prop::collection::vec("[a-z =+/#\\t]{0,12}", 1..12)) {
        let program = lines.join("\n") + "\n";
        prop_assume!(!program.trim().is_empty());
        let reply = format!("Text.\n\n```python\n{program}```\n\nOutput:\n\n```\n1\n```\n");
        prop_assert_eq!(code(&reply, Language::Python), Ok(program));
    }
}
