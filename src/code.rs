//! What can be read off source text: complexity, effort and size of one program, over syntax trees.
//!
//! What counts is said language by language in [`rules`]. Counts of two languages are not
//! comparable, so nothing may average or cluster across them. A program whose tree holds an error
//! has no metrics at all ([`Unparsable`]): a partial tree would be measured as a small program.

mod complexity;
mod halstead;
pub mod rules;
mod size;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tree_sitter::{Node, Parser, Tree};

use crate::languages::Language;

/// Metrics of one program. Undefined is null, never 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeMetrics {
    /// Decisions + 1 per function, the module body a unit of its own; the sum over units.
    pub cyclomatic: u32,
    /// Halstead effort over the whole program; null where a volume or a difficulty is undefined.
    pub halstead_effort: Option<f64>,
    /// Lines that hold code.
    pub sloc: u32,
}

/// The grammar finds an error, so there are no metrics. A preprocessor macro that stands for syntax
/// (`rep(i, n) f(i);`) is an error too, unless what it makes looks like some other construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("syntax error in line {line}")]
pub struct Unparsable {
    /// Counts from 1.
    pub line: usize,
}

/// Measures one program.
///
/// # Errors
/// [`Unparsable`], with the line of the first error.
pub fn measure(language: Language, source: &str) -> Result<CodeMetrics, Unparsable> {
    let tree = parse(language, source);
    if let Some(line) = first_error(&tree) {
        return Err(Unparsable { line });
    }
    let rules = rules::of(language);
    Ok(CodeMetrics {
        cyclomatic: complexity::cyclomatic(rules, &tree, source),
        halstead_effort: halstead::count(rules, &tree, source).effort(),
        sloc: size::sloc(rules, &tree),
    })
}

fn parse(language: Language, source: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&rules::grammar(language)).expect("grammars and parser are of compatible versions");
    parser.parse(source, None).expect("a parser with a language and without a time limit returns a tree")
}

fn first_error(tree: &Tree) -> Option<usize> {
    if !tree.root_node().has_error() {
        return None;
    }
    let mut line = 1;
    walk(tree.root_node(), |node| {
        if node.is_error() || node.is_missing() {
            line = node.start_position().row + 1;
            return Next::Stop;
        }
        if node.has_error() { Next::Descend } else { Next::Skip }
    });
    Some(line)
}

/// Where a walk goes after a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Descend,
    Skip,
    Stop,
}

/// Visits nodes parents first, in source order. Without recursion: programs nest deeply.
fn walk<'tree>(root: Node<'tree>, mut visit: impl FnMut(Node<'tree>) -> Next) {
    let mut cursor = root.walk();
    loop {
        match visit(cursor.node()) {
            Next::Stop => return,
            Next::Descend if cursor.goto_first_child() => continue,
            _ => {}
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The source text of a node.
fn text<'source>(node: Node, source: &'source str) -> &'source str {
    &source[node.byte_range()]
}

/// Comments, and what counts as one: a statement that is nothing but a string documents the code.
fn is_comment(rules: &rules::Rules, node: Node) -> bool {
    rules.comments.contains(&node.kind())
        || rules.docstring.is_some_and(|(statement, string)| {
            node.kind() == statement
                && node.named_child_count() == 1
                && node.named_child(0).is_some_and(|child| child.kind() == string)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effort(language: Language, source: &str) -> Option<f64> {
        measure(language, source).unwrap().halstead_effort
    }

    #[test]
    fn a_tree_with_an_error_is_unparsable_and_names_the_line() {
        assert_eq!(measure(Language::Python, "x = 1\nif x\n"), Err(Unparsable { line: 2 }));
        assert!(measure(Language::Cpp, "int main() { rep(i, n) f(i); }").is_err());
        assert_eq!(
            measure(Language::Java, "class A {\n  int x = ;\n}").unwrap_err().to_string(),
            "syntax error in line 2"
        );
        for language in Language::ALL {
            assert!(measure(language, "((( [").is_err(), "{language:?}");
        }
    }

    #[test]
    fn case_51_a_call_only_line_has_a_positive_effort_never_a_silent_zero() {
        // n1 = 1 `(`, N1 = 2; n2 = 2, N2 = 2; volume 4 log2 3, difficulty 1/2.
        let expected = 2.0 * 3f64.log2();
        assert!((effort(Language::Python, "print(input())\n").unwrap() - expected).abs() < 1e-3);
        assert!((effort(Language::Ruby, "puts(gets())\n").unwrap() - expected).abs() < 1e-3);
    }

    #[test]
    fn undefined_effort_is_null() {
        for source in ["", "# nothing\n", "\"\"\"doc\"\"\"\n", "x\n", "pass\n"] {
            assert_eq!(effort(Language::Python, source), None, "{source:?}");
        }
        assert_eq!(effort(Language::Ruby, "x\n"), None);
    }

    #[test]
    fn an_empty_program_is_one_unit_without_lines() {
        for language in Language::ALL {
            let metrics = measure(language, "").unwrap();
            assert_eq!((metrics.cyclomatic, metrics.sloc, metrics.halstead_effort), (1, 0, None), "{language:?}");
        }
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let source = format!("x = {}1{}\n", "(".repeat(20_000), ")".repeat(20_000));
        assert_eq!(measure(Language::Python, &source).unwrap().sloc, 1);
    }
}
