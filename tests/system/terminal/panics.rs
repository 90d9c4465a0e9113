//! A fault of the program, in its loop or in a task beside it: the terminal is given back, then it is said what
//! happened, and the program ends with a code of its own.

use std::ffi::OsString;

use noughts::i18n::Texts;
use noughts::{app, cli, terminal};
use noughts_tests::terminal::pty::Pty;
use tokio::signal::unix::{SignalKind, signal};

/// What `main` does, with a fault on demand: where `beside` in a task, else where the loop runs.
fn run_panicking_program(in_background: bool) {
    terminal::install_panic_hook(Texts::default());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut demand = signal(SignalKind::user_defined1()).expect("a signal of our own");
        let fault = async move {
            demand.recv().await;
            panic!("on demand");
        };
        let line = ["noughts", "local", "--x", "Ann", "--o", "Bob"].map(OsString::from);
        let game =
            app::run(cli::parse_args(line.into(), Texts::default()).expect("a line"), Texts::default());
        if in_background {
            tokio::spawn(fault);
            game.await.expect("it runs until the fault");
        } else {
            tokio::select! {
                () = fault => {}
                ended = game => drop(ended.expect("it runs until the fault")),
            }
        }
    });
}

#[test]
#[ignore = "a program, not a test: see below"]
fn program_panics_in_background() {
    run_panicking_program(true);
}

#[test]
#[ignore = "a program, not a test: see below"]
fn program_panics_in_loop() {
    run_panicking_program(false);
}

#[tokio::test]
async fn a_panic_restores_the_terminal_and_is_reported() {
    for test in ["terminal::panics::program_panics_in_background", "terminal::panics::program_panics_in_loop"]
    {
        let pty = Pty::spawn_test(test);
        pty.wait_for_text("Ann is to move.").await;
        pty.send_keys("5");
        pty.wait_for_text("Bob is to move.").await;
        assert!(pty.unrestored_modes().contains(&"the mouse is captured"), "{pty:?}");
        pty.send_signal("USR1");
        assert_eq!(pty.wait_for_exit().await, 101, "{test}");
        pty.wait_until_restored().await;
        // It is on the shell's screen, behind what was there before.
        for said in ["running 1 test", "noughts: a fault in this program.", "on demand", "panics.rs"] {
            pty.wait_for_text(said).await;
        }
    }
}
