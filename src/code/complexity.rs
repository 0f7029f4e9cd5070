//! Cyclomatic complexity: one per unit and one per decision, over the whole program.

use std::collections::BTreeSet;

use tree_sitter::{Node, Tree};

use super::{
    Next,
    rules::{Rules, When},
    text, walk,
};

/// The sum over units of decisions + 1; the program itself is a unit.
pub(super) fn cyclomatic(rules: &Rules, tree: &Tree, source: &str) -> u32 {
    let mut sum = 1;
    let mut compile_time = BTreeSet::new();
    walk(tree.root_node(), |node| {
        if compile_time.contains(&node.id()) {
            return Next::Skip;
        }
        if node.is_named() {
            compile_time.extend(compile_time_child(rules, node));
            sum += u32::from(is_unit(rules, node)) + u32::from(is_decision(rules, node, source));
        }
        Next::Descend
    });
    sum
}

fn compile_time_child(rules: &Rules, node: Node) -> Option<usize> {
    let (_, field) = rules.compile_time.iter().find(|(kind, _)| *kind == node.kind())?;
    Some(node.child_by_field_name(field)?.id())
}

fn is_unit(rules: &Rules, node: Node) -> bool {
    rules.units.contains(&node.kind()) && node.child_by_field_name("body").is_some()
}

fn is_decision(rules: &Rules, node: Node, source: &str) -> bool {
    rules.decisions.iter().any(|(kind, when)| *kind == node.kind() && holds(*when, node, source))
}

fn holds(when: When, node: Node, source: &str) -> bool {
    match when {
        When::Always => true,
        When::Has(field) => node.child_by_field_name(field).is_some(),
        When::Operator(operators) => {
            node.child_by_field_name("operator").is_some_and(|operator| operators.contains(&operator.kind()))
        }
        When::StartsWith(token) => node.child(0).is_some_and(|child| child.kind() == token),
        When::NoWildcard(kind) => {
            let mut cursor = node.walk();
            !node.named_children(&mut cursor).any(|child| child.kind() == kind && text(child, source) == "_")
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{code::measure, languages::Language};

    /// `expected` is counted by hand: 1 for the program, 1 per function, 1 per decision.
    fn check(language: Language, source: &str, expected: u32) {
        assert_eq!(measure(language, source).unwrap().cyclomatic, expected, "{source}");
    }

    #[test]
    fn python_decisions_are_counted() {
        check(Language::Python, "n = int(input())\nprint(n)\n", 1);
        check(
            Language::Python,
            "def f(a, b):\n    if a and b:\n        return 1\n    elif a:\n        return 2\n    return 3\n",
            5,
        );
        check(Language::Python, "for i in range(3):\n    while i:\n        i -= 1\n    else:\n        pass\n", 3);
        check(Language::Python, "def f(s):\n    return [x for x in s if x and s]\n", 5);
        check(Language::Python, "f = lambda x: 1 if x else 2\n", 3);
        check(Language::Python, "if a or b or c: pass\n", 4);
    }

    #[test]
    fn python_handlers_count_and_finally_does_not() {
        let source = "try:\n    f()\nexcept A:\n    pass\nexcept B:\n    pass\nelse:\n    pass\nfinally:\n    pass\n";
        check(Language::Python, source, 3);
    }

    #[test]
    fn python_wildcard_case_is_the_default() {
        check(
            Language::Python,
            "match x:\n    case 1:\n        a()\n    case 2 | 3:\n        b()\n    case _:\n        c()\n",
            3,
        );
        check(Language::Python, "match x:\n    case 1 if y:\n        a()\n    case _:\n        c()\n", 3);
    }

    #[test]
    fn c_decisions_are_counted() {
        check(Language::C, "int main(void) { return 0; }", 2);
        check(Language::C, "int f(int); int main(void) { do { } while (f(1)); return f(2) ? 1 : 0; }", 4);
        check(Language::C, "int f(int x) { switch (x) { case 1: return 1; case 2: return 2; default: return 3; } }", 4);
        check(Language::C, "#if A && B\nint x;\n#endif\nint f(int a) { for (;;) if (a && a > 1 || !a) return 1; }", 6);
    }

    #[test]
    fn cpp_lambdas_are_units_and_rvalue_references_no_decisions() {
        check(
            Language::Cpp,
            "int f(std::vector<int>&& v) { for (auto&& x : v) { if (x > 0 and x < 9) return x; } return 0; }",
            5,
        );
        check(
            Language::Cpp,
            "int main() { auto g = [](int x) { return x ? 1 : 2; }; try { g(1); } catch (...) {} }",
            5,
        );
        check(Language::Cpp, "struct A { A() = default; int f() const { return 1; } int g(); };", 2);
    }

    #[test]
    fn java_decisions_are_counted() {
        check(Language::Java, "class A { int f(int x) { return x > 0 && x < 9 ? 1 : 2; } }", 4);
        check(
            Language::Java,
            "class A { int f(int x) { switch (x) { case 1: return 1; case 2: return 2; default: return 3; } } }",
            4,
        );
        check(Language::Java, "class A { int f(int x) { return switch (x) { case 1, 2 -> 1; default -> 3; }; } }", 3);
        check(
            Language::Java,
            "interface I { int f(int x); } class A { A() {} void g(int[] v) { for (int x : v) { try { } catch (Exception e) { } } } }",
            5,
        );
        check(Language::Java, "class A { java.util.function.IntUnaryOperator f = x -> x + 1; }", 2);
    }

    #[test]
    fn go_decisions_are_counted() {
        check(Language::Go, "package main\nfunc main() { for i := 0; i < 3; i++ { if i > 1 || i == 0 { } } }\n", 5);
        check(
            Language::Go,
            "package main\nfunc f(x int) int { switch x { case 1, 2: return 1; default: return 2 } }\n",
            3,
        );
        check(Language::Go, "package main\nfunc f(x any) { switch x.(type) { case int: case string: } }\n", 4);
        check(Language::Go, "package main\nfunc main() { f := func(x int) bool { return x > 0 && x < 9 }; f(1) }\n", 4);
    }

    #[test]
    fn ruby_decisions_are_counted() {
        check(Language::Ruby, "def f(a)\n  return 1 if a > 0 && a < 9\n  a ? 2 : 3\nend\n", 5);
        check(Language::Ruby, "case x\nwhen 1 then a\nwhen 2, 3 then b\nelse c\nend\n", 3);
        check(Language::Ruby, "begin\n  f\nrescue A\n  g\nensure\n  h\nend\n", 2);
        check(Language::Ruby, "[1, 2].each do |x|\n  puts x unless x.zero? or x == 1\nend\n", 3);
        check(Language::Ruby, "if a\n  b\nelsif c\n  d\nend while e\n", 4);
        check(Language::Ruby, "f = ->(x) { x }\n", 2);
    }
}
