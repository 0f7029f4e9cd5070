//! What a verdict rests on, as rows keep it: the same in every run, measurements apart.

use std::time::Duration;

use crate::{
    checkers::Comparison,
    config::Limits,
    sandbox::{Exit, LimitKind, ProcessReport},
    verdict::Verdict,
};

/// Longest detail in a row.
const MAX_DETAIL: usize = 400;

/// What a verdict rests on. Of a run that went over a limit, only what does not depend on the
/// moment at which it was ended stands outside `measured`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// `None` when a signal or a limit ended the run.
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    /// Up to one byte past the limit; 0 when time or memory ran out first.
    pub stdout_bytes: u64,
    /// The limit that ended the run, with its value: "cpu 4000 ms".
    pub limit: Option<String>,
    /// What differs, or the end of standard error; shortened and escaped.
    pub detail: Option<String>,
    pub measured: Measured,
}

/// Differs from run to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    pub cpu_time_ms: u64,
    pub wall_time_ms: u64,
    pub peak_memory_kib: Option<u64>,
    /// Whether the run came too near its limit and was repeated alone.
    pub repeated: bool,
}

pub(super) fn of(
    report: &ProcessReport,
    verdict: Verdict,
    comparison: Option<Comparison>,
    limits: &Limits,
    repeated: bool,
) -> Evidence {
    let limit = report.limit.or((verdict == Verdict::MemoryLimit).then_some(LimitKind::Memory));
    let (exit_code, signal) = match (limit, report.exit) {
        (Some(_), _) => (None, None),
        (None, Exit::Code(code)) => (Some(code), None),
        (None, Exit::Signal(signal)) => (None, Some(signal)),
    };
    let stdout_bytes = match limit {
        None => report.stdout_bytes,
        Some(LimitKind::Output) => (limits.output_kib << 10) + 1,
        Some(_) => 0,
    };
    let detail = match comparison {
        Some(Comparison::Mismatch { detail }) => Some(detail),
        None if limit.is_none() => Some(message(&report.stderr, Part::End)).filter(|text| !text.is_empty()),
        _ => None,
    };
    Evidence {
        exit_code,
        signal,
        stdout_bytes,
        limit: limit.map(|kind| limit_words(kind, limits)),
        detail,
        measured: Measured {
            cpu_time_ms: millis(report.cpu),
            wall_time_ms: millis(report.wall),
            peak_memory_kib: report.peak_memory_kib,
            repeated,
        },
    }
}

pub(super) fn limit_words(kind: LimitKind, limits: &Limits) -> String {
    match kind {
        // Which of the two runs out first hangs on what else the machine does.
        LimitKind::Cpu | LimitKind::Wall => format!("cpu {} ms, wall {} ms", limits.cpu_ms, limits.wall_ms),
        LimitKind::Memory => format!("memory {} MiB", limits.memory_mib),
        LimitKind::Output => format!("output {} KiB", limits.output_kib),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[derive(Clone, Copy)]
pub(super) enum Part {
    /// Compilers name the first error first.
    Start,
    /// Interpreters name what went wrong last.
    End,
}

/// Readable on one line, whatever bytes a program wrote.
pub(super) fn message(bytes: &[u8], part: Part) -> String {
    let text = without_temporary_names(&String::from_utf8_lossy(bytes.trim_ascii()));
    let text: String = text
        .chars()
        .flat_map(|c| {
            let shown = !c.is_control() && !is_invisible(c);
            let escaped = (!shown).then(|| c.escape_default());
            shown.then_some(c).into_iter().chain(escaped.into_iter().flatten())
        })
        .collect();
    let n_chars = text.chars().count();
    match part {
        _ if n_chars <= MAX_DETAIL => text,
        Part::Start => text.chars().take(MAX_DETAIL).collect::<String>() + "...",
        Part::End => String::from("...") + &text.chars().skip(n_chars - MAX_DETAIL).collect::<String>(),
    }
}

/// A linker's message names the compiler's temporary files (`/tmp/ccXXXXXX.o`), anew each time.
fn without_temporary_names(text: &str) -> String {
    const PREFIX: &str = "/tmp/cc";
    const N_RANDOM: usize = 6;
    let mut parts = text.split(PREFIX);
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let n_random = part.chars().take(N_RANDOM).take_while(char::is_ascii_alphanumeric).count();
        clean.push_str(PREFIX);
        clean.push_str(if n_random == N_RANDOM { "XXXXXX" } else { &part[..n_random] });
        clean.push_str(&part[n_random..]);
    }
    clean
}

/// Characters that turn or hide the text around them.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_a_linker_are_the_same_each_time() {
        let of = |name: &str| message(format!("/usr/bin/ld: {name}: in function `main'").as_bytes(), Part::Start);
        assert_eq!(of("/tmp/ccAb12Cd.o"), of("/tmp/ccZZZZ99.o"));
        assert!(of("/tmp/ccé.o").contains("/tmp/ccé.o"));
    }
}
