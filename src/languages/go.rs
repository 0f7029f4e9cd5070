//! Go. Where the standard library comes compiled (up to Go 1.19), compiler and linker are called
//! directly, which takes half the time of `go build` and needs no cache.

use std::path::{Path, PathBuf};

use super::toolchain::{CompilePlan, Keeps, RunPlan, ask, ask_version, environment, find, plan, script};
use crate::{
    config::Limits,
    sandbox::{OUT_DIR, PROGRAM_DIR, SCRATCH_DIR},
};

#[derive(Clone, Debug)]
pub(super) struct Tools {
    go: PathBuf,
    /// Compiler and linker, and the compiled standard library.
    direct: Option<(PathBuf, PathBuf)>,
}

pub(super) fn probe() -> Result<(String, Tools), String> {
    let go = find("go")?;
    let version = ask_version(&go, &["version"])?;
    let settings = ask(&go, &["env", "GOTOOLDIR", "GOROOT", "GOOS", "GOARCH"])?;
    let settings: Vec<&str> = settings.lines().collect();
    let &[tool_dir, root, os, arch] = settings.as_slice() else {
        return Err("`go env` prints something unexpected".to_owned());
    };
    let library = Path::new(root).join("pkg").join(format!("{os}_{arch}"));
    let direct = library.join("fmt.a").exists().then(|| (PathBuf::from(tool_dir), library));
    Ok((version, Tools { go, direct }))
}

impl Tools {
    pub(super) fn compile_plan(&self, code: &str) -> CompilePlan {
        let source = format!("{PROGRAM_DIR}/main.go");
        let make_out = format!("mkdir {OUT_DIR}");
        let Some((tools, library)) = &self.direct else {
            let build = format!("{} build -ldflags='-s -w' -o {OUT_DIR}/main {source}", self.go.display());
            let mut plan = plan("main.go", code, script(&[make_out, build]), Keeps::Out);
            let cache = format!("GOCACHE={SCRATCH_DIR}/cache");
            plan.env.extend(["GO111MODULE=off", "GOPROXY=off", "GOFLAGS=-buildvcs=false", &cache].map(str::to_owned));
            return plan;
        };
        let (tools, library) = (tools.display(), library.display());
        let compile = format!("{tools}/compile -p main -complete -I {library} -o {SCRATCH_DIR}/main.a {source}");
        let link = format!("{tools}/link -s -w -L {library} -o {OUT_DIR}/main {SCRATCH_DIR}/main.a");
        plan("main.go", code, script(&[make_out, compile, link]), Keeps::Out)
    }
}

/// The collector is told to work harder as the limit comes near; what is really live decides.
pub(super) fn run_plan(limits: &Limits) -> RunPlan {
    let soft_limit = format!("GOMEMLIMIT={}MiB", limits.memory_mib * 9 / 10);
    RunPlan { argv: vec![format!("{PROGRAM_DIR}/main")], env: environment(&[&soft_limit]) }
}
