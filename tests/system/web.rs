//! The browser page: its modules, and the page of a real server in real browsers.
//!
//! The browsers are driven over WebDriver by `web/browser/*.mjs`, which `node --test` runs.

mod browser_processes;
mod page_engine;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use noughts_tests::program::{binary_path, output_within, system_command};
use tokio::sync::Mutex;

use self::browser_processes::BrowserProcesses;

const NODE_TIMEOUT: Duration = Duration::from_secs(120);
const COMPILER_TIMEOUT: Duration = Duration::from_secs(120);
const BROWSER_TIMEOUT: Duration = Duration::from_secs(300);
/// Package of npm that finds violations of accessibility rules.
const AXE_PACKAGE: &str = "axe-core@4.14.1";
/// Set to `1`, this variable skips the tests in browsers.
const SKIP_VARIABLE: &str = "NOUGHTS_SKIP_BROWSER";

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/system/web"))
}

fn check(what: &str, output: &Output) {
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(
        output.status.success(),
        "{what}: {}\n{stdout}{stderr}",
        output.status
    );
    for line in stdout.lines().filter(|line| line.starts_with("# measured")) {
        println!("{line}");
    }
}

fn node_tests(file: &str) -> Command {
    let mut node = system_command("node", "nodejs");
    node.args(["--test", file]).current_dir(folder());
    node
}

/// Returns the path of axe-core, which npm loads once into this folder.
async fn axe_path(folder: &Path) -> PathBuf {
    let path = folder.join("node_modules/axe-core/axe.min.js");
    if !path.exists() {
        std::fs::create_dir_all(folder).expect("the folder of the build is writable");
        let mut npm = system_command("npm", "npm");
        npm.args([
            "install",
            "--no-save",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            AXE_PACKAGE,
        ]);
        npm.args(["--prefix", "."]).current_dir(folder);
        check("npm", &output_within(NODE_TIMEOUT, npm).await);
    }
    path
}

/// Returns whether the environment skips the tests in browsers, and prints so.
fn report_skipped_browser(file: &str) -> bool {
    let is_skipped = std::env::var_os(SKIP_VARIABLE).is_some_and(|value| value == "1");
    if is_skipped {
        println!("{SKIP_VARIABLE}=1: {file} is skipped, the page is not tested in a browser");
    }
    is_skipped
}

/// Runs a test file that drives browsers. One at a time: a browser takes the processor time of several servers.
async fn run_browser_tests(file: &str) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());
    if report_skipped_browser(file) {
        return;
    }
    let _guard = ONE_AT_A_TIME.lock().await;
    let programs = [
        ("chromium", "chromium"),
        ("chromedriver", "chromium-driver"),
        ("tsc", "node-typescript"),
    ];
    for (program, package) in programs {
        drop(system_command(program, package));
    }
    let processes = BrowserProcesses::default();
    let mut node = node_tests(file);
    let server = binary_path("noughts-server");
    node.env(
        "NOUGHTS_AXE",
        axe_path(server.with_file_name("axe-core").as_path()).await,
    );
    node.env("NOUGHTS_SERVER", server);
    node.env("TMPDIR", processes.folder());
    check(file, &output_within(BROWSER_TIMEOUT, node).await);
}

/// Runs a test file without a browser.
async fn run_node_tests(file: &str, environment: &[(&str, &OsStr)]) {
    let mut node = node_tests(file);
    node.envs(environment.iter().copied());
    check(file, &output_within(NODE_TIMEOUT, node).await);
}

#[tokio::test]
async fn the_modules_of_the_page_follow_the_protocol() {
    run_node_tests("logic.test.mjs", &[]).await;
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
async fn two_browsers_play_on_the_page() {
    run_browser_tests("browser/play.mjs").await;
}

#[tokio::test]
async fn offers_clocks_and_absence_are_shown() {
    run_browser_tests("browser/rooms.mjs").await;
}

#[tokio::test]
async fn controls_keep_the_focus_and_their_meaning() {
    run_browser_tests("browser/controls.mjs").await;
}

#[tokio::test]
async fn the_page_survives_lost_connections_and_hostile_frames() {
    run_browser_tests("browser/failures.mjs").await;
}

#[tokio::test]
async fn boards_and_languages_fit_every_window() {
    run_browser_tests("browser/boards.mjs").await;
}

#[tokio::test]
async fn every_screen_is_accessible() {
    run_browser_tests("browser/accessibility.mjs").await;
}

#[tokio::test]
async fn the_page_stays_within_its_budgets() {
    run_browser_tests("browser/budgets.mjs").await;
}

#[tokio::test]
async fn the_page_is_installable_and_survives_a_missing_file() {
    run_browser_tests("browser/install.mjs").await;
}

#[tokio::test]
async fn a_visitor_in_webkit_plays_with_one_in_chromium() {
    if !report_skipped_browser("browser/webkit.mjs") {
        for (program, package) in [("WebKitWebDriver", "webkit2gtk-driver"), ("Xvfb", "xvfb")] {
            drop(system_command(program, package));
        }
        run_browser_tests("browser/webkit.mjs").await;
    }
}

#[tokio::test]
async fn a_visitor_plays_with_the_bot_of_the_page() {
    run_browser_tests("browser/bot.mjs").await;
}

#[tokio::test]
async fn a_visitor_watches_the_games_of_others() {
    run_browser_tests("browser/watch.mjs").await;
}

#[tokio::test]
async fn records_of_games_are_those_of_the_terminal() {
    run_node_tests("record.test.mjs", &[]).await;
}

#[tokio::test]
async fn a_visitor_replays_games() {
    run_browser_tests("browser/replay.mjs").await;
}

#[tokio::test]
async fn the_checks_of_the_page_find_planted_faults() {
    run_browser_tests("browser/checks.mjs").await;
}

#[tokio::test]
async fn messages_of_the_server_move_no_button() {
    run_browser_tests("browser/layout.mjs").await;
}

#[tokio::test]
async fn the_lobby_follows_the_server() {
    run_browser_tests("browser/lobby.mjs").await;
}
