//! Java. The runtime gets a heap a little below the memory limit, so that it starts under any limit
//! that it can live with, and ends with a word of its own when the heap is full.

use std::path::PathBuf;

use super::{
    class_file,
    toolchain::{CompilePlan, Entry, Keeps, RunPlan, ask_version, environment, find, plan, words},
};
use crate::{
    config::Limits,
    sandbox::{OUT_DIR, PROGRAM_DIR, PackedFile},
};

/// Programs are short: a second compiler tier and a parallel collector cost more than they give.
const RUNTIME_FLAGS: [&str; 4] =
    ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-XX:ReservedCodeCacheSize=48m"];
/// What `-XX:+ExitOnOutOfMemoryError` ends with.
const OUT_OF_MEMORY_CODE: i32 = 3;
const OUT_OF_MEMORY_WORDS: &[u8] = b"Terminating due to java.lang.OutOfMemoryError";
/// What a Java runtime takes beside its heap.
const OUTSIDE_HEAP_MIB: u64 = 96;

#[derive(Clone, Debug)]
pub(super) struct Tools {
    java: PathBuf,
    javac: PathBuf,
}

pub(super) fn probe() -> Result<(String, Tools), String> {
    let java = find("java")?;
    let javac = find("javac")?;
    let version = ask_version(&java, &["-version"])?;
    let compiler = ask_version(&javac, &["-version"])?;
    Ok((format!("{version}, {compiler}"), Tools { java, javac }))
}

impl Tools {
    /// The compiler insists on a file named after its public class.
    pub(super) fn compile_plan(&self, code: &str, limits: &Limits) -> CompilePlan {
        let public = public_type(code);
        let file_name = format!("{}.java", public.as_deref().unwrap_or("Main"));
        let heap = format!("-J-Xmx{}m", heap_mib(limits));
        let source = format!("{PROGRAM_DIR}/{file_name}");
        let flags = RUNTIME_FLAGS.map(|flag| format!("-J{flag}"));
        let mut arguments: Vec<&str> = flags.iter().map(String::as_str).collect();
        // No annotation processors: nothing of the program may run in the compiler.
        arguments.extend([heap.as_str(), "-proc:none", "-nowarn", "-encoding", "UTF-8", "-d", OUT_DIR, &source]);
        let mut plan = plan(&file_name, code, words(&self.javac, &arguments), Keeps::Out);
        plan.entry = Entry::Class(public);
        plan
    }

    pub(super) fn run_plan(&self, entry: &Entry, limits: &Limits) -> RunPlan {
        let heap = format!("-Xmx{}m", heap_mib(limits));
        let class = match entry {
            Entry::Class(Some(class)) => class,
            _ => "Main",
        };
        let mut arguments = RUNTIME_FLAGS.to_vec();
        arguments.extend([
            heap.as_str(),
            "-Xss64m",
            "-Xshare:auto",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:+DisplayVMOutputToStderr",
            "-cp",
            PROGRAM_DIR,
            class,
        ]);
        RunPlan { argv: words(&self.java, &arguments), env: environment(&[]) }
    }
}

/// Leaves room for the rest of the runtime, or, below twice that, half.
fn heap_mib(limits: &Limits) -> u64 {
    limits.memory_mib.saturating_sub(OUTSIDE_HEAP_MIB).max(limits.memory_mib / 2)
}

pub(super) fn says_out_of_memory(exit_code: i32, stderr: &[u8]) -> bool {
    exit_code == OUT_OF_MEMORY_CODE
        && stderr.windows(OUT_OF_MEMORY_WORDS.len()).any(|window| window == OUT_OF_MEMORY_WORDS)
}

/// The class to start: the public one, else `Main`, else the first that has a `main`. Where none has,
/// the public one, so that the runtime can say what is missing.
pub(super) fn main_class(out: &[PackedFile<'_>], public: Option<&str>) -> Option<String> {
    let mains: Vec<String> = out.iter().filter_map(|file| class_file::with_main(file.bytes)).collect();
    let simple = |class: &str| class.rsplit('.').next().unwrap_or_default().to_owned();
    let preferred = [public, Some("Main")].into_iter().flatten();
    preferred
        .filter_map(|name| mains.iter().find(|class| simple(class) == name))
        .chain(mains.first())
        .next()
        .cloned()
        .or_else(|| public.map(str::to_owned))
}

/// The name of the public top-level type.
fn public_type(code: &str) -> Option<String> {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_java::LANGUAGE.into()).expect("the grammar fits the library");
    let tree = parser.parse(code, None)?;
    let root = tree.root_node();
    let mut cursor = root.walk();
    let types = root.named_children(&mut cursor).filter(|node| node.kind().ends_with("_declaration"));
    let mut public = types.filter(|node| {
        let modifiers = node.named_child(0).filter(|child| child.kind() == "modifiers");
        modifiers.is_some_and(|modifiers| code[modifiers.byte_range()].split_whitespace().any(|word| word == "public"))
    });
    let name = public.next()?.child_by_field_name("name")?;
    Some(code[name.byte_range()].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_type_is_found_behind_comments_and_strings() {
        let code = r#"
            // public class Wrong {}
            import java.util.*;
            class Helper { String s = "public class Other {}"; public static class Inner {} }
            @SuppressWarnings("x") public final class Right { public static void main(String[] a) {} }
        "#;
        assert_eq!(public_type(code).as_deref(), Some("Right"));
        assert_eq!(public_type("class Main { public class Inner {} }"), None);
        assert_eq!(public_type("public record Point(int x) {}").as_deref(), Some("Point"));
        assert_eq!(public_type("public enum E { A; }").as_deref(), Some("E"));
        assert_eq!(public_type("public interface I {}").as_deref(), Some("I"));
    }

    #[test]
    fn the_heap_leaves_room_for_the_runtime() {
        let limits = |memory_mib| Limits { cpu_ms: 1, wall_ms: 1, memory_mib, output_kib: 1, processes: 1 };
        assert_eq!([64, 256, 512].map(|memory| heap_mib(&limits(memory))), [32, 160, 416]);
    }
}
