//! The `noughts` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    noughts::run_program()
}
