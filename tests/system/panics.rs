//! A fault of the program, in its loop or in a task beside it: the terminal is given back, then it is said what
//! happened, and the program ends with a code of its own.

use std::ffi::OsString;

use noughts::words::Words;
use noughts::{app, cli, terminal};
use noughts_tests::pty::Pty;
use tokio::signal::unix::{SignalKind, signal};

/// What `main` does, with a fault on demand: where `beside` in a task, else where the loop runs.
fn program(beside: bool) {
    terminal::end_on_panic(Words::default());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut demand = signal(SignalKind::user_defined1()).expect("a signal of our own");
        let fault = async move {
            demand.recv().await;
            panic!("on demand");
        };
        let line = ["noughts", "local", "--x", "Ann", "--o", "Bob"].map(OsString::from);
        let game = app::run(cli::read(line.into(), Words::default()).expect("a line"), Words::default());
        if beside {
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
fn that_fails_beside_its_loop() {
    program(true);
}

#[test]
#[ignore = "a program, not a test: see below"]
fn that_fails_in_its_loop() {
    program(false);
}

#[tokio::test]
async fn the_terminal_is_given_back_and_the_fault_is_told() {
    for test in ["panics::that_fails_beside_its_loop", "panics::that_fails_in_its_loop"] {
        let pty = Pty::ourselves(test);
        pty.sees("Ann is to move.").await;
        pty.keys("5");
        pty.sees("Bob is to move.").await;
        assert!(pty.out_of_order().contains(&"the mouse is captured"), "{pty:?}");
        pty.signal("USR1");
        assert_eq!(pty.ended().await, 101, "{test}");
        pty.given_back().await;
        // It is on the shell's screen, behind what was there before.
        for said in ["running 1 test", "noughts: a fault in this program.", "on demand", "panics.rs"] {
            pty.sees(said).await;
        }
    }
}
