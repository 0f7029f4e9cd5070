//! Size: the lines of a program that hold code.

use std::collections::BTreeSet;

use tree_sitter::Tree;

use super::{Next, is_comment, rules::Rules, walk};

/// Lines on which some token that is no comment begins, goes on or ends.
pub(super) fn sloc(rules: &Rules, tree: &Tree) -> u32 {
    let mut lines = BTreeSet::new();
    walk(tree.root_node(), |node| {
        if is_comment(rules, node) {
            return Next::Skip;
        }
        // Some grammars make tokens of line ends: they hold no code.
        if node.child_count() == 0 && !node.byte_range().is_empty() && node.kind() != "\n" {
            lines.extend(node.start_position().row..=node.end_position().row);
        }
        Next::Descend
    });
    u32::try_from(lines.len()).expect("a program has fewer than 2^32 lines")
}

#[cfg(test)]
mod tests {
    use crate::{code::measure, languages::Language};

    fn check(language: Language, source: &str, expected: u32) {
        assert_eq!(measure(language, source).unwrap().sloc, expected, "{source}");
    }

    #[test]
    fn blank_lines_comments_and_docstrings_are_no_code() {
        check(Language::Python, "# a\n\ndef f():\n    \"\"\"doc\n    more\"\"\"\n    return 1  # b\n", 2);
        check(Language::C, "/* a\n b */\n#include <stdio.h>\n\nint main(void)\n{\n  return 0; // c\n}\n", 5);
        check(Language::Cpp, "#define A 1\n\nint x = A;\n", 2);
        check(Language::Java, "/** doc */\nclass A {\n}\n", 2);
        check(Language::Go, "package main\n\n// a\nfunc main() {\n}\n", 3);
        check(Language::Ruby, "# a\n=begin\nx\n=end\nputs 1\n\n__END__\nrest\n", 1);
    }

    #[test]
    fn every_line_of_a_long_token_counts() {
        check(Language::Python, "x = \"\"\"a\nb\n\"\"\"\n", 3);
        check(Language::Ruby, "x = <<~A\n  b\n  c\nA\n", 4);
    }
}
