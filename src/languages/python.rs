//! Python, by the system's interpreter, and the driver that calls a bare method of a functional
//! problem. The program text itself is executed as it is.

use std::path::PathBuf;

use super::toolchain::{CompilePlan, Entry, Keeps, RunPlan, ask_version, environment, find, plan, words};
use crate::sandbox::{OUT_DIR, PROGRAM_DIR};

/// Without `site` a start takes three quarters of the time, and no package can be imported by one
/// machine's luck. What `site` would have given to programs is added back by [`START`]: `exit` and
/// `quit`.
const FLAGS: [&str; 3] = ["-s", "-S", "-B"];
/// Runs a compiled program as its main module would be run.
const START: &str = include_str!("python/start.py");
/// Calls the program's method.
const DRIVER: &str = include_str!("python/driver.py");
/// Sets and dictionaries of strings in the same order in every run.
const HASH_SEED: &str = "PYTHONHASHSEED=0";
/// Compiles once what would be compiled anew in every run; also finds what does not compile.
const COMPILE: &str = include_str!("python/compile.py");

#[derive(Clone, Debug)]
pub(super) struct Interpreter {
    path: PathBuf,
}

pub(super) fn probe() -> Result<(String, Interpreter), String> {
    let path = find("python3")?;
    Ok((ask_version(&path, &["--version"])?, Interpreter { path }))
}

impl Interpreter {
    pub(super) fn compile_plan(&self, code: &str, func_name: Option<&str>) -> CompilePlan {
        let program = format!("{PROGRAM_DIR}/main.py");
        let argv = words(&self.path, &["-I", "-S", "-B", "-c", COMPILE, OUT_DIR, &program]);
        let mut plan = plan("main.py", code, argv, Keeps::Both);
        if let Some(func_name) = func_name.filter(|name| needs_driver(code, name)) {
            plan.files.push(("driver.py".to_owned(), DRIVER.as_bytes().to_vec()));
            plan.files.push(("method".to_owned(), func_name.as_bytes().to_vec()));
            plan.argv.push(format!("{PROGRAM_DIR}/driver.py"));
            plan.entry = Entry::Driver;
        }
        plan
    }

    pub(super) fn run_plan(&self, entry: &Entry) -> RunPlan {
        let file_name = if *entry == Entry::Driver { "driver.py" } else { "main.py" };
        let mut arguments = FLAGS.to_vec();
        let path = format!("{PROGRAM_DIR}/{file_name}");
        arguments.extend(["-c", START, &path]);
        RunPlan { argv: words(&self.path, &arguments), env: environment(&[HASH_SEED]) }
    }
}

/// Whether a program only defines what a functional problem asks for: it has the class or the
/// function, and nothing in it reads standard input.
fn needs_driver(code: &str, func_name: &str) -> bool {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_python::LANGUAGE.into()).expect("the grammar fits the library");
    let Some(tree) = parser.parse(code, None) else {
        return false;
    };
    let root = tree.root_node();
    let mut cursor = root.walk();
    let defines = root.named_children(&mut cursor).any(|node| {
        let node = node.child_by_field_name("definition").unwrap_or(node);
        let name = node.child_by_field_name("name").map(|name| &code[name.byte_range()]);
        match node.kind() {
            "class_definition" => name == Some("Solution"),
            "function_definition" => name == Some(func_name),
            _ => false,
        }
    });
    defines && !reads_stdin(root, code)
}

fn reads_stdin(node: tree_sitter::Node<'_>, code: &str) -> bool {
    let text = |node: tree_sitter::Node<'_>| &code[node.byte_range()];
    match node.kind() {
        "identifier" if matches!(text(node), "stdin" | "fileinput") => return true,
        "call" => {
            let function = node.child_by_field_name("function").map(text);
            let arguments = node.child_by_field_name("arguments").map(text).unwrap_or_default();
            if function == Some("input") || (function == Some("open") && arguments.starts_with("(0")) {
                return true;
            }
        }
        _ => (),
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| reads_stdin(child, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_class_gets_a_driver_and_a_whole_program_does_not() {
        let bare =
            "from typing import List\nclass Solution:\n    def f(self, input: List[int]) -> int:\n        return 1\n";
        assert!(needs_driver(bare, "f"));
        assert!(needs_driver("def f(x):\n    return x\n", "f"));
        assert!(needs_driver("@cache\ndef f(x):\n    return x\n", "f"));
        for reader in ["print(Solution().f(input()))", "import sys\nfor line in sys.stdin: pass", "open(0).read()"] {
            assert!(!needs_driver(&format!("{bare}{reader}\n"), "f"), "{reader}");
        }
        assert!(!needs_driver("print(1)", "f"));
        // Words in comments and strings are no reads.
        assert!(needs_driver(&format!("{bare}# reads stdin by input()\ns = 'input()'\n"), "f"));
    }
}
