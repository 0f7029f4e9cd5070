//! What tells a program of a language from other text: fence labels, words, and its grammar.

use tree_sitter::{Parser, Tree};

use crate::languages::Language;

/// What the label of a fence says about its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    /// Data, a shell, another language: never the program.
    Other,
    /// C for C++ and the other way round.
    Sibling,
    /// No label, or one that says nothing.
    Silent,
    /// The language asked for.
    Asked,
}

/// Labels of blocks that hold no program in any of our languages.
const DATA: [&str; 30] = [
    "text",
    "txt",
    "plaintext",
    "plain",
    "output",
    "input",
    "stdin",
    "stdout",
    "console",
    "terminal",
    "bash",
    "sh",
    "shell",
    "zsh",
    "cmd",
    "powershell",
    "json",
    "yaml",
    "toml",
    "xml",
    "html",
    "css",
    "csv",
    "diff",
    "latex",
    "math",
    "mermaid",
    "sample",
    "example",
    "none",
];

/// Labels of languages that are not ours.
const FOREIGN: [&str; 20] = [
    "javascript",
    "js",
    "typescript",
    "ts",
    "rust",
    "rs",
    "kotlin",
    "kt",
    "swift",
    "scala",
    "php",
    "perl",
    "haskell",
    "csharp",
    "cs",
    "c#",
    "julia",
    "sql",
    "r",
    "pseudocode",
];

/// Reads the info string of a fence.
pub(super) fn label(info: &str, asked: Language) -> Label {
    let word = first_word(info);
    match language(&word) {
        Some(language) if language == asked => Label::Asked,
        Some(Language::C) if asked == Language::Cpp => Label::Sibling,
        Some(Language::Cpp) if asked == Language::C => Label::Sibling,
        Some(_) => Label::Other,
        None if DATA.contains(&word.as_str()) || FOREIGN.contains(&word.as_str()) => Label::Other,
        None => Label::Silent,
    }
}

/// Whether a block is Markdown around further blocks.
pub(super) fn is_markdown(info: &str) -> bool {
    matches!(first_word(info).as_str(), "markdown" | "md")
}

/// `python`, `{.python .numberLines}`, `python:main.py`, `lang=python`, `Python 3` → `python`.
fn first_word(info: &str) -> String {
    let word = info.trim().trim_start_matches(['{', '.']);
    let word = word.strip_prefix("lang=").or_else(|| word.strip_prefix("language-")).unwrap_or(word);
    let end = word.find(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | '}' | '{' | '<')).unwrap_or(word.len());
    word[..end].to_lowercase()
}

fn language(word: &str) -> Option<Language> {
    Some(match word {
        "c" | "c99" | "c11" | "c17" | "h" => Language::C,
        "cpp" | "c++" | "cxx" | "cc" | "c++11" | "c++14" | "c++17" | "c++20" | "cpp17" | "cpp20" | "hpp" => {
            Language::Cpp
        }
        "go" | "golang" => Language::Go,
        "java" | "java8" | "java11" | "java17" => Language::Java,
        "python" | "py" | "python3" | "py3" | "python2" | "pypy" | "pypy3" => Language::Python,
        "ruby" | "rb" => Language::Ruby,
        _ => return None,
    })
}

/// Whether a text parses without a fault and leaves nothing open. Empty text does not count.
pub(super) fn parses(text: &str, language: Language) -> bool {
    if text.trim().is_empty() {
        return false;
    }
    let mut parser = Parser::new();
    parser.set_language(&grammar(language)).expect("the grammars are of the parser's version");
    parser.parse(text, None).is_some_and(|tree| !tree.root_node().has_error() && closes_heredocs(&tree))
}

/// Ruby's grammar lets a text end inside a heredoc: it then makes up an empty end.
fn closes_heredocs(tree: &Tree) -> bool {
    let mut n_open = 0_usize;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        match node.kind() {
            "heredoc_beginning" => n_open += 1,
            "heredoc_end" if !node.byte_range().is_empty() => n_open = n_open.saturating_sub(1),
            _ => {}
        }
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return n_open == 0;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}

fn grammar(language: Language) -> tree_sitter::Language {
    match language {
        Language::C => tree_sitter_c::LANGUAGE,
        Language::Cpp => tree_sitter_cpp::LANGUAGE,
        Language::Go => tree_sitter_go::LANGUAGE,
        Language::Java => tree_sitter_java::LANGUAGE,
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::Ruby => tree_sitter_ruby::LANGUAGE,
    }
    .into()
}

/// Whether a text has what a whole program of the language cannot do without. Cheap and forgiving:
/// it chooses between blocks, it does not judge one.
pub(super) fn looks_like_program(text: &str, language: Language) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    match language {
        Language::C | Language::Cpp => has(&["main"]) && has(&["{"]),
        Language::Java => has(&["class ", "record ", "interface "]) && has(&["main"]),
        Language::Go => has(&["package "]) && has(&["func "]),
        Language::Python => has(&["print(", "print ", "stdout", "def "]),
        Language::Ruby => {
            has(&["puts", "print", "$stdout", "STDOUT", "def "]) || (has(&["p "]) && parses(text, language))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_in_all_their_dress() {
        for info in ["python", " Python ", "python3", "py", "{.python .numberLines}", "python:main.py", "lang=python"] {
            assert_eq!(label(info, Language::Python), Label::Asked, "{info}");
        }
        for info in ["", "code", "solution.py"] {
            assert_eq!(label(info, Language::Python), Label::Silent, "{info}");
        }
        for info in ["text", "output", "ruby", "javascript"] {
            assert_eq!(label(info, Language::Python), Label::Other, "{info}");
        }
        assert_eq!(label("c++17", Language::Cpp), Label::Asked);
        assert_eq!(label("c", Language::Cpp), Label::Sibling);
    }

    #[test]
    fn every_language_has_a_grammar_that_knows_a_fault() {
        for (language, program) in [
            (Language::C, "int main(void) { return 0; }"),
            (Language::Cpp, "#include <iostream>\nint main() { std::cout << 1; }"),
            (Language::Go, "package main\n\nfunc main() {}\n"),
            (Language::Java, "public class Main { public static void main(String[] a) {} }"),
            (Language::Python, "print(1)\n"),
            (Language::Ruby, "puts [1, 2].sum\n"),
        ] {
            assert!(parses(program, language), "{language:?}");
            assert!(!parses(&format!("{program}\n(((\n"), language), "{language:?}");
            assert!(!parses(" \n", language));
        }
        for open in ["puts <<~A\nx\n", "puts <<A, <<B\nx\nA\ny\n", "=begin\nx\n", "puts \"a\n"] {
            assert!(!parses(open, Language::Ruby), "{open}");
        }
        assert!(parses("puts <<A, <<B\nx\nA\ny\nB\n", Language::Ruby));
    }
}
