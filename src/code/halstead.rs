//! Halstead's counts over the tokens of a program, and the effort that follows from them.

use std::collections::BTreeSet;

use tree_sitter::{Node, Tree};

use super::{
    Next, is_comment,
    rules::{Rules, SEPARATORS},
    text, walk,
};

/// What Halstead's measures are made of.
#[derive(Debug, Default)]
pub(super) struct Counts<'source> {
    operators: BTreeSet<&'source str>,
    operands: BTreeSet<&'source str>,
    n_operators: usize,
    n_operands: usize,
}

impl<'source> Counts<'source> {
    /// Difficulty × volume, to three decimals. `None` without operators (no difficulty) or without
    /// operands (a division by zero).
    #[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
    pub(super) fn effort(&self) -> Option<f64> {
        if self.operators.is_empty() || self.operands.is_empty() {
            return None;
        }
        let (n1, n2) = (self.operators.len() as f64, self.operands.len() as f64);
        let volume = (self.n_operators + self.n_operands) as f64 * (n1 + n2).log2();
        let difficulty = n1 / 2.0 * self.n_operands as f64 / n2;
        // Rounded: the last bits of a logarithm differ from one machine's library to another's.
        Some((difficulty * volume * 1e3).round() / 1e3)
    }

    fn add_operand(&mut self, operand: &'source str) {
        self.operands.insert(operand);
        self.n_operands += 1;
    }

    fn add_operator(&mut self, operator: &'source str) {
        self.operators.insert(operator);
        self.n_operators += 1;
    }
}

/// Counts the tokens of a program.
pub(super) fn count<'source>(rules: &Rules, tree: &Tree, source: &'source str) -> Counts<'source> {
    let mut counts = Counts::default();
    let mut pending = vec![tree.root_node()];
    while let Some(root) = pending.pop() {
        walk(root, |node| visit(rules, node, source, &mut counts, &mut pending));
    }
    counts
}

/// Takes a literal as a whole and puts the code interpolated into it off for later.
fn visit<'tree, 'source>(
    rules: &Rules,
    node: Node<'tree>,
    source: &'source str,
    counts: &mut Counts<'source>,
    pending: &mut Vec<Node<'tree>>,
) -> Next {
    if is_comment(rules, node) {
        return Next::Skip;
    }
    if rules.literals.contains(&node.kind()) {
        counts.add_operand(text(node, source));
        let mut cursor = node.walk();
        pending.extend(node.named_children(&mut cursor).filter(|child| rules.interpolations.contains(&child.kind())));
        return Next::Skip;
    }
    if node.child_count() == 0 && !node.byte_range().is_empty() {
        add_leaf(rules, node, source, counts);
    }
    Next::Descend
}

fn add_leaf<'source>(rules: &Rules, node: Node, source: &'source str, counts: &mut Counts<'source>) {
    let kind = node.kind();
    if rules.operands.contains(&kind) {
        counts.add_operand(text(node, source));
    } else if !SEPARATORS.contains(&kind) && !rules.closers.contains(&kind) {
        counts.add_operator(text(node, source));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{code, languages::Language};

    /// Distinct operators and operands, then all operators and operands, counted by hand.
    fn check(language: Language, source: &str, expected: [usize; 4]) {
        let tree = code::parse(language, source);
        let counts = count(code::rules::of(language), &tree, source);
        let found = [counts.operators.len(), counts.operands.len(), counts.n_operators, counts.n_operands];
        assert_eq!(found, expected, "{source}\n{counts:?}");
    }

    #[test]
    fn operators_and_operands_are_told_apart() {
        // = + if > : a a 1 a 2 b
        check(Language::Python, "a = a + 1\nif a > 2:\n    b\n", [4, 4, 4, 6]);
        // int x2, ( { = ; return - | main a 1 a 1
        check(Language::C, "int main() { int a = 1; return a - 1; }", [6, 3, 7, 5]);
        // class { int ( int { return * | A f x x x
        check(Language::Java, "class A { int f(int x) { return x * x; } }", [6, 3, 8, 5]);
        // package func ( { := | main main x 1
        check(Language::Go, "package main\nfunc main() { x := 1 }\n", [5, 3, 5, 4]);
        // def ( + | f a a 1
        check(Language::Ruby, "def f(a)\n  a + 1\nend\n", [3, 3, 3, 4]);
        // auto = [ ( int { return & | f x x 1
        check(Language::Cpp, "auto f = [](int x) { return x & 1; };", [8, 3, 8, 4]);
    }

    #[test]
    fn a_string_is_one_operand_and_interpolated_code_counts() {
        check(Language::Python, "x = 'a b'\n", [1, 2, 1, 2]);
        // = { + | x f'{a + 1} b' a 1
        check(Language::Python, "x = f'{a + 1} b'\n", [3, 4, 3, 4]);
        // = #{ + | x "…" a 1
        check(Language::Ruby, "x = \"#{a + 1} b\"\n", [3, 4, 3, 4]);
        check(Language::Java, "class A { String s = \"\"; }", [3, 4, 3, 4]);
    }

    #[test]
    fn comments_and_docstrings_count_nowhere() {
        check(Language::Python, "\"\"\"doc\"\"\"\n# c\nx = 1\n", [1, 2, 1, 2]);
    }

    #[test]
    fn effort_follows_from_the_counts() {
        let source = "a = a + 1\nif a > 2:\n    b\n";
        let tree = code::parse(Language::Python, source);
        let counts = count(code::rules::of(Language::Python), &tree, source);
        // Difficulty 4/2 × 6/4 = 3, volume 10 × log2 8 = 30.
        assert_eq!(counts.effort(), Some(90.0));
    }
}
