//! Comparison, case by case.

use super::*;

fn compare(checker: &Checker, expected: &str, output: &[u8]) -> Result<bool, Breakdown> {
    let case = Case { input: "", expected, output };
    let comparison = checker.compare(case, |_, _| unreachable!("no checking program"))?;
    Ok(comparison == Comparison::Match)
}

fn check(checker: &Checker, expected: &str, output: &str, accepted: bool) {
    let compared = compare(checker, expected, output.as_bytes());
    assert_eq!(compared, Ok(accepted), "{}: {expected:?} and {output:?}", checker.describe());
}

const TOKENS: Checker = Checker::Tokens { abs: 1e-6, rel: 1e-6 };

/// Case 1.
#[test]
fn tokens_run_together_are_other_tokens() {
    check(&TOKENS, "a b", "ab", false);
    check(&TOKENS, "a b", "a\n b \n", true);
}

/// Case 2.
#[test]
fn tokens_too_many_or_too_few_are_wrong() {
    check(&TOKENS, "5", "5 1 0", false);
    check(&TOKENS, "5.0 1.0", "5.0", false);
    check(&TOKENS, "5", "", false);
}

/// Case 4.
#[test]
fn trailing_blanks_are_forgiven_by_lines_and_not_by_exact() {
    for output in ["1 2 \n3\t\r\n\n \n", "1 2\n3"] {
        check(&Checker::Lines, "1 2\n3\n", output, true);
        check(&Checker::Exact, "1 2\n3\n", output, false);
    }
    check(&Checker::Exact, "1 2\n3\n", "1 2\n3\n", true);
    check(&Checker::Lines, "1 2\n3\n", " 1 2\n3\n", false);
    check(&Checker::Lines, "1\n\n2\n", "1\n2\n", false);
    assert_eq!(Checker::Lines.describe(), "lines");
}

/// Case 7.
#[test]
fn integers_get_no_tolerance_and_case_counts() {
    check(&TOKENS, "1000000008", "1000000007", false);
    check(&TOKENS, "YES", "Yes", false);
    check(&TOKENS, "1000000008", "1000000008.0", false);
    check(&Checker::Lines, "YES", "Yes", false);
    check(&Checker::Json, "1000000008", "1000000007", false);
}

/// Case 8.
#[test]
fn fractions_have_a_tolerance_where_the_checker_says_so() {
    check(&TOKENS, "0.333333333", "0.3333333333", true);
    check(&Checker::Exact, "0.333333333", "0.3333333333", false);
    check(&Checker::Lines, "0.333333333", "0.3333333333", false);
    check(&Checker::Json, "0.3", "0.30000000000000004", true);
    check(&Checker::Json, "0.3", "0.3001", false);
    check(&Checker::Json, "true", "1", false);
    check(&Checker::Json, "1", "true", false);
    check(&TOKENS, "1e6", "1000000.5", true);
    check(&TOKENS, "1e6", "1000002", false);
    check(&TOKENS, "2.0", "2", true);
    for word in ["inf", "nan", "1.0.0", "0x1"] {
        check(&TOKENS, "1.5", word, false);
    }
    check(&Checker::Tokens { abs: 0.0, rel: 0.0 }, "1.5", "1.50", true);
}

#[test]
fn json_keeps_types_and_digits() {
    check(&Checker::Json, "[1,2]", " [1, 2]\n", true);
    check(&Checker::Json, "[1,2]", "[2,1]", false);
    check(&Checker::Json, "1.0", "1", true);
    check(&Checker::Json, "1", "1.0", false);
    check(&Checker::Json, "\"1\"", "1", false);
    check(&Checker::Json, "null", "0", false);
    check(&Checker::Json, r#"{"a": [1, {"b": 2.5}]}"#, r#"{"a":[1,{"b":2.5000000001}]}"#, true);
    check(&Checker::Json, r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#, false);
    check(&Checker::Json, "\"\u{e9}\"", r#""\u00e9""#, true);
    check(&Checker::Json, "100000000000000000000000000001", "100000000000000000000000000002", false);
    check(&Checker::Json, "100000000000000000000000000001", "100000000000000000000000000001", true);
    check(&Checker::Json, "[]", "[] []", false);
    check(&Checker::Json, "[]", "[", false);
    check(&Checker::Json, "1", "01", false);
    check(&Checker::Json, "1.5", "NaN", false);
    check(&Checker::Json, "\"a\"", "\"a", false);
    check(&Checker::Json, "\"a\"", "\"a\\", false);
}

#[test]
fn deep_json_is_refused_and_does_not_overflow() {
    let deep = "[".repeat(1_000_000);
    check(&Checker::Json, "[]", &deep, false);
}

#[test]
fn an_expected_output_that_is_no_json_is_a_breakdown() {
    assert!(compare(&Checker::Json, "abc", b"abc").is_err());
}

#[test]
fn outputs_that_are_no_utf_8_are_compared_as_bytes() {
    for checker in [Checker::Exact, Checker::Lines, TOKENS, Checker::Json] {
        assert_eq!(compare(&checker, "1", b"\xff\xfe"), Ok(false), "{}", checker.describe());
    }
    let Ok(Comparison::Mismatch { detail }) =
        Checker::Lines.compare(Case { input: "", expected: "1", output: b"\x1b[2J\xff" }, |_, _| unreachable!())
    else {
        panic!("a mismatch");
    };
    assert_eq!(detail, r"line 1: `1` is expected, not `\x1b[2J\xff`");
}

fn with_program(exit: Exit, stderr: &[u8], limit: Option<crate::sandbox::LimitKind>) -> Result<Comparison, Breakdown> {
    let program = CheckingProgram { language: Language::Python, path: "c.py".to_owned(), code: String::new() };
    let report = ProcessReport {
        exit,
        cpu: std::time::Duration::ZERO,
        wall: std::time::Duration::ZERO,
        peak_memory_kib: None,
        oom_killed: false,
        stdout: Vec::new(),
        stdout_bytes: 0,
        stderr: stderr.to_vec(),
        limit,
        out: None,
    };
    let case = Case { input: "i", expected: "e", output: b"o\xff" };
    Checker::Program(program).compare(case, |_, question| {
        assert_eq!(question, "{\"input\":\"i\",\"expected\":\"e\",\"output\":\"o\u{fffd}\"}".as_bytes());
        Ok(report)
    })
}

/// Case 6: the problem's own program decides, and only by the two codes that mean a decision.
#[test]
fn a_checking_program_accepts_rejects_or_breaks_down() {
    assert_eq!(with_program(Exit::Code(0), b"", None), Ok(Comparison::Match));
    assert!(matches!(with_program(Exit::Code(1), b"no", None), Ok(Comparison::Mismatch { .. })));
    assert!(with_program(Exit::Code(1), b"Traceback (most recent call last):\n", None).is_err());
    assert!(with_program(Exit::Code(2), b"", None).is_err());
    assert!(with_program(Exit::Signal(9), b"", None).is_err());
    assert!(with_program(Exit::Code(0), b"", Some(crate::sandbox::LimitKind::Cpu)).is_err());
}
