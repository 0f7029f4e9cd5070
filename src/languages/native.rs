//! C and C++, by GCC.

use std::path::PathBuf;

use super::{
    Language,
    toolchain::{CompilePlan, Keeps, ask_version, find, plan, script},
};
use crate::sandbox::{OUT_DIR, PROGRAM_DIR};

#[derive(Clone, Debug)]
pub(super) struct Compiler {
    path: PathBuf,
    file_name: &'static str,
    flags: &'static str,
    libraries: &'static str,
}

pub(super) fn probe(language: Language) -> Result<(String, Compiler), String> {
    let (name, file_name, flags, libraries) = match language {
        Language::C => ("gcc", "main.c", "-std=gnu17 -O2 -w", "-lm"),
        _ => ("g++", "main.cpp", "-std=c++17 -O2 -w", ""),
    };
    let path = find(name)?;
    let version = ask_version(&path, &["--version"])?;
    Ok((format!("{version} {flags}"), Compiler { path, file_name, flags, libraries }))
}

impl Compiler {
    pub(super) fn compile_plan(&self, code: &str) -> CompilePlan {
        let Self { path, file_name, flags, libraries } = self;
        let compile = format!(
            "{} {flags} -pipe -fdiagnostics-color=never -o {OUT_DIR}/main {PROGRAM_DIR}/{file_name} {libraries}",
            path.display()
        );
        plan(file_name, code, script(&[format!("mkdir {OUT_DIR}"), compile]), Keeps::Out)
    }
}
