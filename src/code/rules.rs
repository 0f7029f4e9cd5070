//! What counts in which language: the published rule table. Data only.
//!
//! In all languages alike:
//! - **Units** are the program itself and each function with a body, anonymous ones among them; a
//!   block that is handed to a call (Ruby's `do … end`) is no unit and no decision.
//! - **Decisions** are conditions, loops, handlers, labels of cases other than the default, and each
//!   short-circuit operator. `finally`, `else`, `default`, `assert` and preprocessor lines are none.
//! - **Operands** are identifiers and literals, told apart by their text; a string is one operand,
//!   and code interpolated into it is counted as well.
//! - **Operators** are all other tokens: keywords, types built in, punctuation. Brackets count once
//!   a pair, so the opening bracket of a call is the call's operator. Separators (`,` `;` `:`) and
//!   words that only close or separate (`end`, `then`) count nowhere.
//! - The body of a macro is opaque: one operand, no decision.
//!
//! A test holds every name in here against its grammar.

use crate::languages::Language;

/// When a node of a kind is a decision.
#[derive(Clone, Copy, Debug)]
pub enum When {
    Always,
    /// Its field of this name is there.
    Has(&'static str),
    /// Its operator is one of these.
    Operator(&'static [&'static str]),
    /// Its first token is this one.
    StartsWith(&'static str),
    /// No child of this kind is the wildcard `_`.
    NoWildcard(&'static str),
}

/// One language's row of the table. Kinds are node kinds of its grammar.
#[derive(Debug)]
pub struct Rules {
    /// Functions; those without a `body` (declarations) do not count.
    pub units: &'static [&'static str],
    pub decisions: &'static [(&'static str, When)],
    /// Nodes with a field of code that is evaluated by the compiler: no decision is in it.
    pub compile_time: &'static [(&'static str, &'static str)],
    /// Leaves that are operands.
    pub operands: &'static [&'static str],
    /// Nodes that are one operand as a whole.
    pub literals: &'static [&'static str],
    /// Code inside a literal.
    pub interpolations: &'static [&'static str],
    pub comments: &'static [&'static str],
    /// A statement of the first kind that is nothing but the second is a comment.
    pub docstring: Option<(&'static str, &'static str)>,
    /// Words that only close or separate, beside the punctuation in [`SEPARATORS`].
    pub closers: &'static [&'static str],
}

/// Punctuation that counts nowhere.
pub const SEPARATORS: &[&str] = &[")", "]", "}", "]]", ",", ";", ":", "\n", "\"", "'", "`", "#endif", "\0"];

const SHORT_CIRCUIT: When = When::Operator(&["&&", "||", "and", "or"]);
const PREPROCESSOR: &[(&str, &str)] = &[("preproc_if", "condition"), ("preproc_elif", "condition")];
use When::{Always, Has, NoWildcard, StartsWith};

/// The rules of a language.
#[must_use]
pub fn of(language: Language) -> &'static Rules {
    match language {
        Language::C => &C,
        Language::Cpp => &CPP,
        Language::Go => &GO,
        Language::Java => &JAVA,
        Language::Python => &PYTHON,
        Language::Ruby => &RUBY,
    }
}

/// The grammar that the rules speak of.
#[must_use]
pub fn grammar(language: Language) -> tree_sitter::Language {
    match language {
        Language::C => tree_sitter_c::LANGUAGE.into(),
        Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::Java => tree_sitter_java::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::Ruby => tree_sitter_ruby::LANGUAGE.into(),
    }
}

static C: Rules = Rules {
    units: &["function_definition"],
    decisions: &[
        ("if_statement", Always),
        ("for_statement", Always),
        ("while_statement", Always),
        ("do_statement", Always),
        ("case_statement", Has("value")),
        ("conditional_expression", Always),
        ("binary_expression", SHORT_CIRCUIT),
    ],
    compile_time: PREPROCESSOR,
    operands: &[
        "identifier",
        "field_identifier",
        "type_identifier",
        "statement_identifier",
        "number_literal",
        "true",
        "false",
        "NULL",
        "nullptr",
        "system_lib_string",
        "preproc_arg",
    ],
    literals: &["string_literal", "char_literal"],
    interpolations: &[],
    comments: &["comment"],
    docstring: None,
    closers: &[],
};

static CPP: Rules = Rules {
    units: &["function_definition", "lambda_expression"],
    decisions: &[
        ("if_statement", Always),
        ("for_statement", Always),
        ("for_range_loop", Always),
        ("while_statement", Always),
        ("do_statement", Always),
        ("case_statement", Has("value")),
        ("catch_clause", Always),
        ("conditional_expression", Always),
        ("binary_expression", SHORT_CIRCUIT),
    ],
    compile_time: PREPROCESSOR,
    operands: &[
        "identifier",
        "field_identifier",
        "type_identifier",
        "namespace_identifier",
        "statement_identifier",
        "number_literal",
        "literal_suffix",
        "true",
        "false",
        "NULL",
        "nullptr",
        "this",
        "system_lib_string",
        "preproc_arg",
    ],
    literals: &["string_literal", "char_literal", "raw_string_literal"],
    interpolations: &[],
    comments: &["comment"],
    docstring: None,
    closers: &[],
};

static GO: Rules = Rules {
    units: &["function_declaration", "method_declaration", "func_literal"],
    decisions: &[
        ("if_statement", Always),
        ("for_statement", Always),
        ("expression_case", Always),
        ("type_case", Always),
        ("communication_case", Always),
        ("binary_expression", SHORT_CIRCUIT),
    ],
    compile_time: &[],
    operands: &[
        "identifier",
        "blank_identifier",
        "field_identifier",
        "package_identifier",
        "type_identifier",
        "label_name",
        "int_literal",
        "float_literal",
        "imaginary_literal",
        "rune_literal",
        "true",
        "false",
        "nil",
        "iota",
    ],
    literals: &["interpreted_string_literal", "raw_string_literal"],
    interpolations: &[],
    comments: &["comment"],
    docstring: None,
    closers: &[],
};

static JAVA: Rules = Rules {
    units: &["method_declaration", "constructor_declaration", "compact_constructor_declaration", "lambda_expression"],
    decisions: &[
        ("if_statement", Always),
        ("for_statement", Always),
        ("enhanced_for_statement", Always),
        ("while_statement", Always),
        ("do_statement", Always),
        ("switch_label", StartsWith("case")),
        ("guard", Always),
        ("catch_clause", Always),
        ("ternary_expression", Always),
        ("binary_expression", SHORT_CIRCUIT),
    ],
    compile_time: &[],
    operands: &[
        "identifier",
        "type_identifier",
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
        "decimal_floating_point_literal",
        "hex_floating_point_literal",
        "character_literal",
        "true",
        "false",
        "null_literal",
        "this",
        "super",
        "underscore_pattern",
    ],
    literals: &["string_literal"],
    interpolations: &["string_interpolation"],
    comments: &["line_comment", "block_comment"],
    docstring: None,
    closers: &["\"\"\""],
};

static PYTHON: Rules = Rules {
    units: &["function_definition", "lambda"],
    decisions: &[
        ("if_statement", Always),
        ("elif_clause", Always),
        ("for_statement", Always),
        ("while_statement", Always),
        ("except_clause", Always),
        ("case_clause", NoWildcard("case_pattern")),
        // Of comprehensions, and the guard of a case.
        ("for_in_clause", Always),
        ("if_clause", Always),
        ("conditional_expression", Always),
        ("boolean_operator", Always),
    ],
    compile_time: &[],
    operands: &["identifier", "integer", "float", "true", "false", "none", "ellipsis"],
    literals: &["string"],
    interpolations: &["interpolation"],
    comments: &["comment"],
    docstring: Some(("expression_statement", "string")),
    closers: &["line_continuation"],
};

static RUBY: Rules = Rules {
    units: &["method", "singleton_method", "lambda"],
    decisions: &[
        ("if", Always),
        ("elsif", Always),
        ("unless", Always),
        ("if_modifier", Always),
        ("unless_modifier", Always),
        ("while", Always),
        ("until", Always),
        ("while_modifier", Always),
        ("until_modifier", Always),
        ("for", Always),
        ("when", Always),
        ("in_clause", Always),
        ("if_guard", Always),
        ("unless_guard", Always),
        ("rescue", Always),
        ("rescue_modifier", Always),
        ("conditional", Always),
        ("binary", SHORT_CIRCUIT),
    ],
    compile_time: &[],
    operands: &[
        "identifier",
        "constant",
        "instance_variable",
        "class_variable",
        "global_variable",
        "integer",
        "float",
        "character",
        "simple_symbol",
        "hash_key_symbol",
        "true",
        "false",
        "nil",
        "self",
        "super",
    ],
    literals: &[
        "string",
        "bare_string",
        "bare_symbol",
        "delimited_symbol",
        "regex",
        "subshell",
        "heredoc_body",
        "rational",
        "complex",
    ],
    interpolations: &["interpolation"],
    comments: &["comment", "uninterpreted"],
    docstring: None,
    closers: &["end", "then", "heredoc_beginning", "empty_statement"],
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds that the grammar takes for named nodes, and tokens.
    fn kinds(rules: &Rules) -> (Vec<&'static str>, Vec<&'static str>) {
        let mut named: Vec<&str> = [rules.units, rules.literals, rules.interpolations, rules.comments].concat();
        named.extend(rules.decisions.iter().map(|(kind, _)| *kind));
        named.extend(rules.compile_time.iter().map(|(kind, _)| *kind));
        named.extend(rules.docstring.iter().flat_map(|(statement, string)| [*statement, *string]));
        (named, [rules.operands, rules.closers].concat())
    }

    #[test]
    fn every_kind_in_the_table_is_known_to_its_grammar() {
        for language in Language::ALL {
            let grammar = grammar(language);
            let (named, either) = kinds(of(language));
            for kind in named {
                assert_ne!(grammar.id_for_node_kind(kind, true), 0, "{language:?} has no `{kind}`");
            }
            for kind in either {
                let known = [true, false].map(|named| grammar.id_for_node_kind(kind, named) != 0);
                assert!(known.contains(&true), "{language:?} has no `{kind}`");
            }
        }
    }

    #[test]
    fn every_field_and_operator_in_the_table_is_known_to_its_grammar() {
        for language in Language::ALL {
            let grammar = grammar(language);
            for (kind, when) in of(language).decisions {
                match when {
                    Always => {}
                    Has(field) => assert!(grammar.field_id_for_name(field).is_some(), "{language:?} {kind}"),
                    When::Operator(_) => {
                        assert!(grammar.field_id_for_name("operator").is_some(), "{language:?} {kind}");
                    }
                    StartsWith(token) => assert_ne!(grammar.id_for_node_kind(token, false), 0, "{language:?} {kind}"),
                    NoWildcard(child) => assert_ne!(grammar.id_for_node_kind(child, true), 0, "{language:?} {kind}"),
                }
            }
        }
    }
}
