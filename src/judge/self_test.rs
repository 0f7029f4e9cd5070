//! Before any verdict: does each language's runtime start at all under the limits that are set? One
//! that does not is a mistake in the configuration, and the message names a limit that would do.

use anyhow::Result;

use super::{Compiled, InternalError, Judge};
use crate::{
    config::Limits,
    exit_code::{ConfigError, Unavailable},
    languages::Language,
    sandbox::{Exit, ProcessReport},
};

/// Highest memory limit that is tried for a floor.
const MAX_FLOOR_MIB: u64 = 8192;
const WORD: &str = "corebuild";

impl Judge {
    /// Compiles and runs a program of one line in a language.
    ///
    /// # Errors
    /// A [`ConfigError`] when the limits are too low for the runtime, with a floor; an
    /// [`Unavailable`] when it does not work under any.
    pub fn self_test(&self, language: Language, limits: &Limits) -> Result<()> {
        let program = match self.compile(language, echo_program(language), None)? {
            Compiled::Program(program) => program,
            Compiled::Error { detail } => {
                let message = format!("{} does not compile a trivial program: {detail}", language.title());
                return Err(Unavailable::new(message)
                    .hint("raise [execute.compile_limits], or mend the compiler")
                    .into());
            }
        };
        let passes = |limits: &Limits| -> Result<Result<(), String>, InternalError> {
            Ok(works(&self.run(&program, WORD.as_bytes(), limits)?))
        };
        let Err(reason) = passes(limits)? else {
            return Ok(());
        };
        let mut roomy = Limits { memory_mib: limits.memory_mib.next_power_of_two(), ..limits.clone() };
        while roomy.memory_mib < MAX_FLOOR_MIB {
            roomy.memory_mib *= 2;
            if passes(&roomy)?.is_ok() {
                let message =
                    format!("{} does not start under memory_mib = {}: {reason}", language.title(), limits.memory_mib);
                let hint = format!("set memory_mib = {} for {} in [execute]", roomy.memory_mib, language.name());
                return Err(ConfigError::new(message).hint(hint).into());
            }
        }
        let message =
            format!("{} does not run a trivial program under the limits of [execute]: {reason}", language.title());
        Err(ConfigError::new(message).hint("raise `cpu_ms`, `wall_ms` or `processes`").into())
    }
}

fn works(report: &ProcessReport) -> Result<(), String> {
    if report.exit == Exit::Code(0) && report.limit.is_none() && report.stdout.trim_ascii() == WORD.as_bytes() {
        return Ok(());
    }
    Err(format!(
        "{:?}, limit {:?}, output `{}`, error `{}`",
        report.exit,
        report.limit,
        report.stdout[..report.stdout.len().min(60)].escape_ascii(),
        report.stderr[..report.stderr.len().min(200)].escape_ascii()
    ))
}

/// Prints the line that it reads.
fn echo_program(language: Language) -> &'static str {
    match language {
        Language::C => {
            "#include <stdio.h>\nint main(void) { char s[64]; if (scanf(\"%63s\", s) != 1) return 1; puts(s); return 0; }\n"
        }
        Language::Cpp => {
            "#include <iostream>\n#include <string>\nint main() { std::string s; std::cin >> s; std::cout << s << '\\n'; }\n"
        }
        Language::Go => {
            "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tvar s string\n\tfmt.Scan(&s)\n\tfmt.Println(s)\n}\n"
        }
        Language::Java => {
            "import java.util.Scanner;\n\nclass Main {\n    public static void main(String[] args) {\n        \
             System.out.println(new Scanner(System.in).next());\n    }\n}\n"
        }
        Language::Python => "import json\nprint(json.loads(json.dumps(input())))\n",
        Language::Ruby => "require 'json'\nputs JSON.parse(JSON.generate([gets.chomp]))[0]\n",
    }
}
