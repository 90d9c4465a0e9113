//! The modules of the page, without a browser.

mod page_engine;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use noughts_tests::program::{TempDir, output_within, system_command};

/// Timeout of a Node command.
pub(crate) const NODE_TIMEOUT: Duration = Duration::from_secs(120);
const COMPILER_TIMEOUT: Duration = Duration::from_secs(120);

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/system/web"))
}

/// Prints the output of a command, and checks that the command has succeeded.
///
/// # Panics
/// If the command has failed.
pub(crate) fn check(what: &str, output: &Output) {
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(
        output.status.success(),
        "{what}: {}\n{stdout}{stderr}",
        output.status
    );
    println!("{stdout}");
}

/// Runs Node in the folder of its tests.
pub(crate) fn node_tests(arguments: &[&str]) -> Command {
    let mut node = system_command("node", "nodejs");
    node.arg("--test-reporter=spec")
        .args(arguments)
        .current_dir(folder());
    node
}

/// Runs a test file without a browser.
async fn run_node_tests(file: &str, environment: &[(&str, &OsStr)]) {
    let mut node = node_tests(&["--test", file]);
    node.envs(environment.iter().copied());
    check(file, &output_within(NODE_TIMEOUT, node).await);
}

#[tokio::test]
async fn the_modules_of_the_page_follow_the_protocol() {
    // The texts of the page exist only after its build.
    let texts = TempDir::default();
    for file in noughts_web::page_files() {
        if let Some((_, name)) = file.path.split_once("/i18n/") {
            let path = texts.path().join(name.replace(".js", ".mjs"));
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder of texts");
            std::fs::write(path, file.raw).expect("a file of texts");
        }
    }
    let folder = texts.path().as_os_str();
    run_node_tests("logic.test.mjs", &[("NOUGHTS_PAGE_TEXTS", folder)]).await;
}

#[tokio::test]
async fn the_page_loses_no_game_and_no_invitation() {
    run_node_tests("session.test.mjs", &[]).await;
}

#[tokio::test]
async fn the_types_of_the_page_are_consistent() {
    let mut compile = system_command("tsc", "node-typescript");
    compile
        .args(["--project", "tsconfig.json"])
        .current_dir(folder());
    check("tsc", &output_within(COMPILER_TIMEOUT, compile).await);
}

#[tokio::test]
async fn the_puzzle_of_the_day_is_judged() {
    run_node_tests("puzzle.test.mjs", &[]).await;
}

#[tokio::test]
async fn games_without_a_server_are_decided_as_on_a_server() {
    run_node_tests("local.test.mjs", &[]).await;
}

#[tokio::test]
async fn records_of_games_are_those_of_the_terminal() {
    run_node_tests("record.test.mjs", &[]).await;
}
