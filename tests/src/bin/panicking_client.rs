//! The client with a panic on demand: `panicking_client loop|task` plays a local game until SIGUSR1, and then
//! panics in the application loop or in a background task.

use std::ffi::OsString;

use noughts::testing::{Texts, install_panic_hook, parse_args, run_app};
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() {
    let is_in_task = match std::env::args().nth(1).as_deref() {
        Some("loop") => false,
        Some("task") => true,
        _ => panic!("usage: panicking_client loop|task"),
    };
    println!("panicking_client started");
    install_panic_hook(Texts::default());
    let mut sigusr1 = signal(SignalKind::user_defined1()).expect("a signal handler");
    let panic_on_signal = async move {
        sigusr1.recv().await;
        panic!("on demand");
    };
    let arguments = ["noughts", "local", "--x", "Ann", "--o", "Bob"].map(OsString::from);
    let cli = parse_args(arguments.into(), Texts::default()).expect("valid arguments");
    let game = run_app(cli, Texts::default());
    if is_in_task {
        tokio::spawn(panic_on_signal);
        Box::pin(game).await.expect("the game runs until the panic");
    } else {
        tokio::select! {
            () = panic_on_signal => {}
            result = game => drop(result.expect("the game runs until the panic")),
        }
    }
}
