//! Arguments → one function a command → exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    corebuild::cli::main()
}
