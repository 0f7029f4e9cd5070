//! Whole programs of every language, judged. Named after the cases of the field that they settle.

use super::*;
use crate::{config::Isolation, tables::Style};

fn config() -> ExecuteConfig {
    ExecuteConfig {
        min_isolation: Isolation::Namespaces,
        limits: limits(),
        language_limits: BTreeMap::new(),
        compile_limits: Limits { cpu_ms: 20_000, wall_ms: 60_000, memory_mib: 1024, output_kib: 256, processes: 128 },
        repeat_margin: 0.25,
        max_internal_error_share: 0.0,
    }
}

fn limits() -> Limits {
    Limits { cpu_ms: 4_000, wall_ms: 12_000, memory_mib: 512, output_kib: 16 << 10, processes: 64 }
}

/// A judge for some languages; `None`, said aloud, where this machine cannot have one.
fn judge_of(languages: &[Language]) -> Option<Judge> {
    let sandbox = match Sandbox::probe(Isolation::Namespaces) {
        Ok(sandbox) => sandbox,
        Err(error) => return skip(&error.to_string()),
    };
    let mut toolchains = Vec::new();
    for language in languages {
        match Toolchain::probe(*language) {
            Ok(toolchain) => toolchains.push(toolchain),
            Err(error) => return skip(&error.to_string()),
        }
    }
    Some(Judge::new(sandbox, toolchains, &config(), None).unwrap())
}

fn skip(why: &str) -> Option<Judge> {
    assert!(std::env::var_os("COREBUILD_REQUIRE_SANDBOX").is_none(), "{why}");
    eprintln!("skipped: {why}");
    None
}

fn compile(judge: &Judge, language: Language, code: &str, func_name: Option<&str>) -> Program {
    match judge.compile(language, code, func_name).unwrap() {
        Compiled::Program(program) => program,
        Compiled::Error { detail } => panic!("{}: {detail}\n{code}", language.name()),
    }
}

fn run(judge: &Judge, language: Language, code: &str, input: &str, expected: &str) -> Judged {
    let program = compile(judge, language, code, None);
    judge.run_test(&program, TestCase { input, expected }, &Checker::Lines, &limits()).unwrap()
}

fn check(language: Language, code: &str, input: &str, expected: &str, verdict: Verdict) -> Option<Evidence> {
    let judge = judge_of(&[language])?;
    let judged = run(&judge, language, code, input, expected);
    assert_eq!(judged.verdict, verdict, "{code}\n{:?}", judged.evidence);
    Some(judged.evidence)
}

fn check_python(code: &str, input: &str, expected: &str, verdict: Verdict) -> Option<Evidence> {
    check(Language::Python, code, input, expected, verdict)
}

#[test]
fn every_language_compiles_runs_and_starts_under_the_limits() {
    for language in Language::ALL {
        let Some(judge) = judge_of(&[language]) else { continue };
        judge.self_test(language, &limits()).unwrap();
        println!("{}: {}", language.name(), judge.toolchain(language).unwrap().version);
    }
}

/// Case 10.
#[test]
fn two_buffered_line_reads_see_two_lines() {
    let code =
        "import sys\nread = sys.stdin.buffer.readline\nn = int(read())\nprint(n, sum(map(int, read().split())))\n";
    check_python(code, "3\n1 2 3\n", "3 6\n", Verdict::Accepted);
}

/// Case 11.
#[test]
fn iterating_over_standard_input_sees_every_line() {
    check_python("import sys\nprint(sum(int(line) for line in sys.stdin))\n", "1\n2\n3", "6", Verdict::Accepted);
}

/// Case 12.
#[test]
fn programs_reach_their_streams_and_globals_and_end_in_every_common_way() {
    let programs = [
        "data = open(0).read().split()\nprint(sum(map(int, data)))\n",
        "import sys\ndata = sys.stdin.read().split()\nsys.stdout.buffer.write(str(sum(map(int, data))).encode() + b'\\n')\n",
        "import os\nos.write(1, b'%d\\n' % sum(map(int, os.read(0, 100).split())))\n",
        "total = 0\ndef add(x):\n    global total\n    total += x\nfor x in input().split(): add(int(x))\nprint(total)\n",
        "def main():\n    global total\n    total = sum(map(int, input().split()))\nif __name__ == '__main__':\n    main()\nprint(total)\n",
        "print(sum(map(int, input().split())))\nquit()\nprint('not reached')\n",
        "print(sum(map(int, input().split())))\nexit(0)\n",
        "import sys\nprint(sum(map(int, input().split())))\nsys.exit()\n",
        "import sys, threading\ndef main():\n    print(sum(map(int, input().split())))\nthreading.stack_size(1 << 27)\nt = threading.Thread(target=main)\nt.start()\nt.join()\n",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\nprint(A(sum(map(int, input().split()))).x)\n",
    ];
    for code in programs {
        check_python(code, "1 2 3\n", "6\n", Verdict::Accepted);
    }
    check_python("print(sum(map(int, input().split())))\nexit(3)\n", "1 2 3\n", "6\n", Verdict::RuntimeError);
}

/// Case 13.
#[test]
fn input_arrives_byte_for_byte() {
    let code = "import sys\ndata = sys.stdin.buffer.read()\nprint(len(data), data)\n";
    check_python(code, "1 2", "3 b'1 2'\n", Verdict::Accepted);
    check_python(code, "a \r\n\tb\u{e9}", r"8 b'a \r\n\tb\xc3\xa9'", Verdict::Accepted);
    let java = "import java.io.*;\npublic class Main { public static void main(String[] a) throws IOException {\n\
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in));\n\
                String line; while ((line = in.readLine()) != null) System.out.println(\"[\" + line + \"]\"); } }\n";
    check(Language::Java, java, "1 2 \n3", "[1 2 ]\n[3]\n", Verdict::Accepted);
}

/// Case 14.
#[test]
fn large_outputs_arrive_whole() {
    for n_bytes in [100_000_usize, 10_000_000] {
        let code = format!("import sys\nsys.stdin.read()\nsys.stdout.write('x' * {n_bytes})\n");
        let input = "y".repeat(n_bytes);
        if let Some(evidence) = check_python(&code, &input, &"x".repeat(n_bytes), Verdict::Accepted) {
            assert_eq!(evidence.stdout_bytes, n_bytes as u64);
        }
    }
    // Both streams at once, and the input still unread.
    let code = "import sys\nfor i in range(1000):\n    sys.stderr.write('e' * 4000)\n    sys.stdout.write('o' * 4000)\nsys.stdin.read()\n";
    check_python(code, &"y".repeat(1 << 20), &"o".repeat(4_000_000), Verdict::Accepted);
}

/// Case 15.
#[test]
fn too_much_output_is_an_output_limit() {
    for code in ["import sys\nsys.stdout.write('x' * ((16 << 20) + 1))\n", "while True: print('x' * 1000)\n"] {
        if let Some(evidence) = check_python(code, "", "x", Verdict::OutputLimit) {
            assert_eq!(evidence.limit.as_deref(), Some("output 16384 KiB"));
            assert_eq!(evidence.stdout_bytes, (16 << 20) + 1);
            assert_eq!(evidence.signal, None);
        }
    }
    let full = "import sys\nsys.stdout.write('x' * (16 << 20))\n";
    check_python(full, "", &"x".repeat(16 << 20), Verdict::Accepted);
}

/// Case 16.
#[test]
fn a_sleeper_is_a_time_limit_and_what_it_printed_is_kept() {
    let Some(judge) = judge_of(&[Language::Python]) else { return };
    let code = "import time\nprint('partial', flush=True)\ntime.sleep(60)\n";
    let program = compile(&judge, Language::Python, code, None);
    let limits = Limits { cpu_ms: 1000, wall_ms: 1200, ..limits() };
    let report = judge.run(&program, b"", &limits).unwrap();
    assert_eq!((report.limit, report.stdout.as_slice()), (Some(LimitKind::Wall), &b"partial\n"[..]));
    let test = TestCase { input: "", expected: "partial" };
    let judged = judge.run_test(&program, test, &Checker::Lines, &limits).unwrap();
    assert_eq!(judged.verdict, Verdict::TimeLimit);
    assert_eq!(judged.evidence.limit.as_deref(), Some("cpu 1000 ms, wall 1200 ms"));
    assert!(judged.evidence.measured.repeated);
}

/// Case 17.
#[test]
fn a_large_static_array_is_a_memory_limit() {
    let code = "#include <stdio.h>\n#include <string.h>\nstatic char a[800 << 20];\n\
                int main(void) { memset(a, 1, sizeof a); printf(\"%d\\n\", a[12345]); return 0; }\n";
    if let Some(evidence) = check(Language::C, code, "", "1", Verdict::MemoryLimit) {
        assert_eq!(evidence.limit.as_deref(), Some("memory 512 MiB"));
    }
    // What is only declared is not used.
    let code = "#include <stdio.h>\nstatic char a[800 << 20];\nint main(void) { a[9] = 1; printf(\"%d\\n\", a[9]); return 0; }\n";
    check(Language::C, code, "", "1", Verdict::Accepted);
}

/// Case 18.
#[test]
fn java_starts_under_small_limits_or_names_a_floor() {
    let Some(judge) = judge_of(&[Language::Java]) else { return };
    for memory_mib in [64, 256, 512] {
        judge.self_test(Language::Java, &Limits { memory_mib, ..limits() }).unwrap();
    }
    let error = judge.self_test(Language::Java, &Limits { memory_mib: 8, ..limits() }).unwrap_err();
    let config = error.downcast_ref::<crate::exit_code::ConfigError>().expect("a configuration error");
    assert!(config.message.contains("does not start under memory_mib = 8"), "{config}");
    assert!(config.hint.as_deref().is_some_and(|hint| hint.starts_with("set memory_mib = ")), "{config:?}");
}

#[test]
fn a_java_heap_that_is_full_is_a_memory_limit() {
    let code = "import java.util.*;\npublic class Hungry { public static void main(String[] a) {\n\
                List<int[]> all = new ArrayList<>(); while (true) all.add(new int[1 << 20]); } }\n";
    check(Language::Java, code, "", "", Verdict::MemoryLimit);
    let caught = "public class Main { public static void main(String[] a) { System.exit(3); } }\n";
    check(Language::Java, caught, "", "", Verdict::RuntimeError);
}

/// Case 19.
#[test]
fn deep_recursion_crashes_and_silent_exits_are_told_apart() {
    let deep = "import sys\nfrom functools import lru_cache\nsys.setrecursionlimit(10 ** 6)\n@lru_cache(None)\n\
                def f(n):\n    return 0 if n == 0 else f(n - 1) + 1\nprint(f(40000))\n";
    check_python(deep, "", "40000", Verdict::Accepted);
    let crash =
        "#include <stdio.h>\nint main(void) { printf(\"1\\n\"); fflush(stdout); *(volatile int *)0 = 1; return 0; }\n";
    if let Some(evidence) = check(Language::C, crash, "", "1", Verdict::RuntimeError) {
        assert_eq!((evidence.exit_code, evidence.signal), (None, Some(libc::SIGSEGV)));
    }
    check_python("import os\nos._exit(0)\n", "", "1", Verdict::WrongAnswer);
    let abort = "#include <stdlib.h>\nint main(void) { abort(); }\n";
    if let Some(evidence) = check(Language::C, abort, "", "1", Verdict::RuntimeError) {
        assert_eq!(evidence.signal, Some(libc::SIGABRT));
    }
}

/// Case 22: with less isolation than asked for there is no sandbox; with enough, every row says so.
#[test]
fn the_isolation_in_force_is_named_or_refused() {
    match Sandbox::probe(Isolation::Cgroups) {
        Ok(sandbox) => {
            assert_eq!(sandbox.level(), Isolation::Cgroups);
            assert!(sandbox.describe().contains("cgroups v"));
        }
        Err(error) => {
            assert!(error.message.contains("no sandbox of isolation `cgroups`"));
            assert!(error.hint.is_some());
        }
    }
}

#[test]
fn a_busy_loop_is_a_time_limit_without_a_second_run() {
    let Some(judge) = judge_of(&[Language::Python]) else { return };
    let program = compile(&judge, Language::Python, "while True: pass\n", None);
    let limits = Limits { cpu_ms: 300, ..limits() };
    let test = TestCase { input: "", expected: "" };
    let judged = judge.run_test(&program, test, &Checker::Lines, &limits).unwrap();
    assert_eq!(judged.verdict, Verdict::TimeLimit);
    assert_eq!(judged.evidence.limit.as_deref(), Some("cpu 300 ms, wall 12000 ms"));
    assert!(!judged.evidence.measured.repeated);
}

#[test]
fn a_run_near_its_limit_is_repeated_alone() {
    let Some(judge) = judge_of(&[Language::Python]) else { return };
    let code = "import time\nwhile time.process_time() < 0.3: pass\nprint('done')\n";
    let program = compile(&judge, Language::Python, code, None);
    for (cpu_ms, verdict) in [(350, Verdict::Accepted), (280, Verdict::TimeLimit)] {
        let limits = Limits { cpu_ms, ..limits() };
        let test = TestCase { input: "", expected: "done" };
        let judged = judge.run_test(&program, test, &Checker::Lines, &limits).unwrap();
        assert_eq!(judged.verdict, verdict, "{:?}", judged.evidence);
        assert!(judged.evidence.measured.repeated);
    }
}

#[test]
fn programs_that_do_not_compile_are_told_from_those_that_fail() {
    let broken = [
        (Language::C, "int main(void) { return }\n"),
        (Language::Cpp, "int main() { undeclared(); }\n"),
        (Language::Go, "package main\n\nimport \"os\"\n\nfunc main() {}\n"),
        (Language::Java, "public class Main { public static void main(String[] a) { int x = \"\"; } }\n"),
        (Language::Python, "print 1\n"),
        (Language::Python, "x = 1\0\n"),
        (Language::Ruby, "puts(1\n"),
    ];
    for (language, code) in broken {
        let Some(judge) = judge_of(&[language]) else { continue };
        match judge.compile(language, code, None).unwrap() {
            Compiled::Error { detail } => println!("{}: {detail}", language.name()),
            Compiled::Program(_) => panic!("{} compiles {code}", language.name()),
        }
    }
}

#[test]
fn java_is_entered_at_its_main_wherever_that_stands() {
    let programs = [
        "class A {}\nclass Solution { public static void main(String[] a) { System.out.println(1); } }\n",
        "package deep.inside;\npublic class Tool { public static void main(String... a) { System.out.println(1); } }\n",
        "interface X {}\npublic class Main { static class Node {} public static void main(String[] a) { System.out.println(1); } }\n",
        "class First { public static void main(String[] a) { System.out.println(2); } }\n\
         public class Second { public static void main(String[] a) { System.out.println(1); } }\n",
    ];
    for code in programs {
        check(Language::Java, code, "", "1", Verdict::Accepted);
    }
    check(Language::Java, "public class Main { }\n", "", "1", Verdict::RuntimeError);
}

#[test]
fn ruby_finds_its_own_libraries() {
    let code = "require 'json'\nrequire 'set'\nrequire 'prime'\nrequire 'matrix'\n\
                puts JSON.generate([Prime.first(3), Set.new([1]).size, Matrix[[2]].det])\n";
    check(Language::Ruby, code, "", "[[2,3,5],1,2]", Verdict::Accepted);
}

fn call(code: &str, func_name: &str, input: &str, expected: &str) -> Option<Judged> {
    let judge = judge_of(&[Language::Python])?;
    let program = compile(&judge, Language::Python, code, Some(func_name));
    let checker = Checker::from_spec(&crate::config::CheckerSpec::default_for(Style::Functional), "".as_ref()).unwrap();
    Some(judge.run_test(&program, TestCase { input, expected }, &checker, &limits()).unwrap())
}

fn check_call(code: &str, func_name: &str, input: &str, expected: &str, verdict: Verdict) {
    if let Some(judged) = call(code, func_name, input, expected) {
        assert_eq!(judged.verdict, verdict, "{code}\n{:?}", judged.evidence);
    }
}

#[test]
fn a_bare_solution_class_is_driven() {
    let sum = "class Solution:\n    def total(self, nums: List[int], k: int) -> int:\n        \
               print('debug')\n        return sum(nums) + k\n";
    check_call(sum, "total", "[1,2,3]\n4", "10", Verdict::Accepted);
    check_call(sum, "total", "[1,2,3]\n4\n", "11", Verdict::WrongAnswer);
    // The only public method, should a model have named it otherwise.
    check_call(&sum.replace("total", "summed"), "total", "[1]\n1", "2", Verdict::Accepted);
    let names = "class Solution:\n    def f(self, words: List[str]) -> bool:\n        \
                 c = Counter(words)\n        h = [inf]\n        heappush(h, -1)\n        d = deque([1])\n        \
                 return c['a'] == 2 and heapq.heappop(h) == -1 and bisect_left([1, 2], 2) == 1 and gcd(4, 6) == 2\n";
    check_call(names, "f", r#"["a","b","a"]"#, "true", Verdict::Accepted);
    check_call(names, "f", r#"["a","b","a"]"#, "1", Verdict::WrongAnswer);
    let nested = "@dataclass\nclass P:\n    x: int\nfrom dataclasses import dataclass\nclass Solution:\n    def f(self, x): return x\n";
    check_call(nested, "f", "1", "1", Verdict::RuntimeError);
    let dataclass = "from dataclasses import dataclass\n@dataclass(order=True)\nclass P:\n    x: int\n\
                     class Solution:\n    def f(self, x: int) -> List[int]:\n        return (P(x).x, 0.1 + 0.2, None)\n";
    check_call(dataclass, "f", "1", "[1, 0.3, null]", Verdict::Accepted);
    let examples = "class Solution:\n    def f(self, x): return x * 2\nprint(Solution().f(1))\nif __name__ == '__main__':\n    print('x')\n";
    check_call(examples, "f", "3", "6", Verdict::Accepted);
    check_call("def f(x):\n    return x + 1\n", "f", "3", "4", Verdict::Accepted);
    let power = "class Solution:\n    def f(self, x):\n        return pow(3, x, 7)\n";
    check_call(power, "f", "4", "4", Verdict::Accepted);
    let deep = "class Solution:\n    def f(self, n: int) -> int:\n        @cache\n        def g(n):\n            return n and 1 + g(n - 1)\n        return g(n)\n";
    check_call(deep, "f", "20000", "20000", Verdict::Accepted);
}

#[test]
fn a_whole_program_for_a_functional_problem_is_run_as_it_is() {
    let code = "import json\nclass Solution:\n    def f(self, x): return x\nx = json.loads(input())\nprint(json.dumps(Solution().f(x)))\n";
    check_call(code, "f", "[1]", "[1]", Verdict::Accepted);
}

#[test]
fn no_tests_are_no_pass() {
    let Some(judge) = judge_of(&[Language::Python]) else { return };
    let program = compile(&judge, Language::Python, "print(1)\n", None);
    let judged = judge.run_suite(&program, &[], &Checker::Lines, &limits());
    assert!(matches!(judged, Err(InternalError::NoTests)));
}

/// Case 6.
#[test]
fn a_checking_program_decides_where_several_answers_are_right() {
    let Some(judge) = judge_of(&[Language::Python]) else { return };
    let checking = |code: &str| {
        Checker::Program(CheckingProgram { language: Language::Python, path: "c.py".to_owned(), code: code.to_owned() })
    };
    let code = "import json, sys\ncase = json.load(sys.stdin)\na, b = map(int, case['input'].split())\n\
                output = case['output'].strip()\nsys.exit(0 if output.isdigit() and int(output) != a + b else 1)\n";
    let program = compile(&judge, Language::Python, "print(int(input().split()[0]) + 1)\n", None);
    let judged = |checker: &Checker, input: &str| {
        judge.run_test(&program, TestCase { input, expected: "9" }, checker, &limits())
    };
    assert_eq!(judged(&checking(code), "1 5").unwrap().verdict, Verdict::Accepted);
    assert_eq!(judged(&checking(code), "1 1").unwrap().verdict, Verdict::WrongAnswer);
    assert!(matches!(judged(&checking("1 / 0\n"), "1 1"), Err(InternalError::Checker(_))));
    assert!(matches!(judged(&checking("import sys\nsys.exit(2)\n"), "1 1"), Err(InternalError::Checker(_))));
    assert!(matches!(judged(&checking("not python\n"), "1 1"), Err(InternalError::Checker(_))));
}

#[test]
fn the_cache_gives_the_same_program_and_survives_damage() {
    let Ok(sandbox) = Sandbox::probe(Isolation::Namespaces) else { return };
    let Ok(toolchain) = Toolchain::probe(Language::C) else { return };
    let directory = tempfile::tempdir().unwrap();
    let judge = Judge::new(sandbox, [toolchain], &config(), Some(directory.path().to_path_buf())).unwrap();
    let code = "#include <stdio.h>\nint main(void) { puts(\"1\"); return 0; }\n";
    let first = compile(&judge, Language::C, code, None);
    let entries = || -> Vec<PathBuf> {
        let shards = fs_err::read_dir(directory.path()).unwrap();
        shards.flat_map(|shard| fs_err::read_dir(shard.unwrap().path()).unwrap()).map(|e| e.unwrap().path()).collect()
    };
    assert_eq!(entries().len(), 1);
    assert_eq!(compile(&judge, Language::C, code, None).files.key(), first.files.key());
    let mut bytes = fs_err::read(&entries()[0]).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs_err::write(&entries()[0], bytes).unwrap();
    assert_eq!(compile(&judge, Language::C, code, None).files.key(), first.files.key());
}

/// Case 20.
#[test]
fn verdicts_are_the_same_for_one_worker_and_for_many() {
    let Some(judge) = judge_of(&[Language::Python, Language::C]) else { return };
    let python = compile(&judge, Language::Python, "import sys\nprint(sum(map(int, sys.stdin)))\n", None);
    let wrong = compile(&judge, Language::Python, "print(0)\n", None);
    let crash = compile(&judge, Language::C, "int main(void) { return 1; }\n", None);
    let limits = Limits { cpu_ms: 1_000, wall_ms: 20_000, ..limits() };
    let verdict_of = |n: usize| {
        let program = [&python, &wrong, &crash][n % 3];
        let test = TestCase { input: "1\n2\n", expected: "3" };
        judge.run_test(program, test, &Checker::Lines, &limits).unwrap().verdict
    };
    let alone: Vec<Verdict> = (0..24).map(verdict_of).collect();
    let together: Vec<Verdict> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..24)
            .map(|n| {
                scope.spawn({
                    let verdict_of = &verdict_of;
                    move || verdict_of(n)
                })
            })
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(alone, together);
    assert_eq!(alone[..3], [Verdict::Accepted, Verdict::WrongAnswer, Verdict::RuntimeError]);
}
