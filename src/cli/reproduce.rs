//! `corebuild reproduce`.

use std::path::Path;

use anyhow::{Result, bail};

use crate::{
    console::Console,
    coreb::{forming::Edition, reproduction, tables},
    exit_code::{ConfigError, ExitCode},
    sources::coreb::Release,
};

pub(super) fn run(name: &str, from: &Path, json: bool, console: &Console) -> Result<ExitCode> {
    let reproduction = reproduction::reproduce(&Release::load(from)?, edition(name)?);
    console.data(&if json { serde_json::to_string(&reproduction)? } else { reproduction.render() });
    Ok(if reproduction.is_complete() { ExitCode::Done } else { ExitCode::Invalid })
}

pub(super) fn tables(name: &str, from: &Path, json: bool, console: &Console) -> Result<ExitCode> {
    let cells = tables::cells(&Release::load(from)?, edition(name)?);
    console.data(&if json {
        serde_json::to_string(&serde_json::json!({"cells": cells}))?
    } else {
        tables::render(&cells)
    });
    Ok(ExitCode::Done)
}

fn edition(name: &str) -> Result<Edition> {
    let Some(edition) = Edition::named(name) else {
        let known: Vec<&str> = Edition::ALL.iter().map(|edition| edition.name()).collect();
        bail!(ConfigError::new(format!("unknown published release `{name}` (known: {})", known.join(", "))));
    };
    Ok(edition)
}
