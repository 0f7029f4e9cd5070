//! Ruby, without `RubyGems` (a fivefold start), but with the bundled libraries that contest programs use.

use std::path::PathBuf;

use super::toolchain::{CompilePlan, Keeps, RunPlan, ask, ask_version, environment, find, plan, words};
use crate::sandbox::PROGRAM_DIR;

const FLAGS: [&str; 1] = ["--disable=gems"];
/// Part of every Ruby, yet only found by `RubyGems`.
const LIBRARY_PATHS: &str = "puts Gem::Specification.select { |gem| %w[prime matrix].include?(gem.name) } \
                             .map(&:full_require_paths).flatten.sort";

#[derive(Clone, Debug)]
pub(super) struct Interpreter {
    path: PathBuf,
    libraries: Vec<String>,
}

pub(super) fn probe() -> Result<(String, Interpreter), String> {
    let path = find("ruby")?;
    let version = ask_version(&path, &["--version"])?;
    // A Ruby without gems at all is a Ruby all the same.
    let libraries = ask(&path, &["-e", LIBRARY_PATHS]).unwrap_or_default();
    let libraries = libraries.lines().filter(|line| line.starts_with('/')).map(|line| format!("-I{line}")).collect();
    Ok((version, Interpreter { path, libraries }))
}

impl Interpreter {
    pub(super) fn compile_plan(&self, code: &str) -> CompilePlan {
        let argv = words(&self.path, &[FLAGS[0], "-W0", "-c", &format!("{PROGRAM_DIR}/main.rb")]);
        plan("main.rb", code, argv, Keeps::Sources)
    }

    pub(super) fn run_plan(&self) -> RunPlan {
        let mut argv = words(&self.path, &FLAGS);
        argv.extend(self.libraries.iter().cloned());
        argv.push(format!("{PROGRAM_DIR}/main.rb"));
        RunPlan { argv, env: environment(&[]) }
    }
}
