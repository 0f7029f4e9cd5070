//! What a run comes to: the closed list of verdicts, their order, and the one translation from
//! what the sandbox saw to a verdict.
//!
//! `internal-error` is ours, never the program's: it must not become a label.

use serde::{Deserialize, Serialize};

use crate::{
    checkers::Comparison,
    sandbox::{Exit, LimitKind, ProcessReport},
};

/// In order of precedence, first the one that decides: a program's verdict is the least of its
/// runs' verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The harness failed. Never a label.
    InternalError,
    /// The reply held no program.
    NoCode,
    CompileError,
    TimeLimit,
    MemoryLimit,
    OutputLimit,
    RuntimeError,
    WrongAnswer,
    Accepted,
}

impl Verdict {
    pub const ALL: [Self; 9] = [
        Self::InternalError,
        Self::NoCode,
        Self::CompileError,
        Self::TimeLimit,
        Self::MemoryLimit,
        Self::OutputLimit,
        Self::RuntimeError,
        Self::WrongAnswer,
        Self::Accepted,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InternalError => "internal-error",
            Self::NoCode => "no-code",
            Self::CompileError => "compile-error",
            Self::TimeLimit => "time-limit",
            Self::MemoryLimit => "memory-limit",
            Self::OutputLimit => "output-limit",
            Self::RuntimeError => "runtime-error",
            Self::WrongAnswer => "wrong-answer",
            Self::Accepted => "accepted",
        }
    }

    /// What a run says by itself, before its output is looked at; `None`: it ended well, the output
    /// decides. `says_out_of_memory`: the runtime of the language has said so.
    #[must_use]
    pub fn of_process(report: &ProcessReport, says_out_of_memory: bool) -> Option<Self> {
        // A process that the kernel killed for memory leaves the others in any state: they may wait
        // for it until time runs out, or end as if all were well.
        let out_of_memory = report.oom_killed || report.limit == Some(LimitKind::Memory);
        match (report.limit, report.exit) {
            _ if out_of_memory => Some(Self::MemoryLimit),
            (Some(LimitKind::Cpu | LimitKind::Wall), _) => Some(Self::TimeLimit),
            (Some(LimitKind::Output), _) | (_, Exit::Signal(libc::SIGXFSZ)) => Some(Self::OutputLimit),
            (_, Exit::Code(0)) => None,
            _ if says_out_of_memory => Some(Self::MemoryLimit),
            _ => Some(Self::RuntimeError),
        }
    }

    /// What the output of a run says that ended well.
    #[must_use]
    pub fn of_output(comparison: &Comparison) -> Self {
        match comparison {
            Comparison::Match => Self::Accepted,
            Comparison::Mismatch { .. } => Self::WrongAnswer,
        }
    }

    /// The verdict over all runs of a program. `None` for no runs at all: that is no pass.
    #[must_use]
    pub fn of_suite(verdicts: impl IntoIterator<Item = Self>) -> Option<Self> {
        verdicts.into_iter().min()
    }

    /// Whether the verdict says something of the program, and so may become a label.
    #[must_use]
    pub fn is_label(self) -> bool {
        self != Self::InternalError
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn report(exit: Exit, limit: Option<LimitKind>, oom_killed: bool) -> ProcessReport {
        ProcessReport {
            exit,
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            peak_memory_kib: None,
            oom_killed,
            stdout: Vec::new(),
            stdout_bytes: 0,
            stderr: Vec::new(),
            limit,
            out: None,
        }
    }

    fn check(exit: Exit, limit: Option<LimitKind>, oom_killed: bool, verdict: Option<Verdict>) {
        assert_eq!(Verdict::of_process(&report(exit, limit, oom_killed), false), verdict, "{exit:?} {limit:?}");
    }

    #[test]
    fn a_limit_is_told_from_a_crash() {
        use Verdict::{MemoryLimit, OutputLimit, RuntimeError, TimeLimit};
        let killed = Exit::Signal(libc::SIGKILL);
        check(Exit::Code(0), None, false, None);
        check(killed, Some(LimitKind::Cpu), false, Some(TimeLimit));
        check(killed, Some(LimitKind::Wall), false, Some(TimeLimit));
        check(killed, Some(LimitKind::Memory), false, Some(MemoryLimit));
        check(killed, Some(LimitKind::Output), false, Some(OutputLimit));
        check(Exit::Signal(libc::SIGXFSZ), None, false, Some(OutputLimit));
        check(killed, None, false, Some(RuntimeError));
        check(Exit::Signal(libc::SIGSEGV), None, false, Some(RuntimeError));
        check(Exit::Code(1), None, false, Some(RuntimeError));
    }

    #[test]
    fn a_child_killed_for_memory_decides_though_the_program_ended_well() {
        check(Exit::Code(0), Some(LimitKind::Memory), true, Some(Verdict::MemoryLimit));
        check(Exit::Code(0), None, true, Some(Verdict::MemoryLimit));
        check(Exit::Signal(9), Some(LimitKind::Wall), true, Some(Verdict::MemoryLimit));
    }

    #[test]
    fn a_runtime_that_says_it_is_out_of_memory_is_believed_only_when_it_failed() {
        assert_eq!(Verdict::of_process(&report(Exit::Code(3), None, false), true), Some(Verdict::MemoryLimit));
        assert_eq!(Verdict::of_process(&report(Exit::Code(0), None, false), true), None);
    }

    #[test]
    fn a_suite_without_runs_has_no_verdict() {
        assert_eq!(Verdict::of_suite([]), None);
        assert_eq!(Verdict::of_suite([Verdict::Accepted, Verdict::WrongAnswer]), Some(Verdict::WrongAnswer));
        assert_eq!(Verdict::of_suite([Verdict::InternalError, Verdict::TimeLimit]), Some(Verdict::InternalError));
    }
}
