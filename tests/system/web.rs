//! The browser page: its modules against the golden files.
//!
//! `web/browser.test.mjs` drives two browsers against a server over WebDriver; `client/web/README.md` has the command.

use std::ffi::OsStr;
use std::time::Duration;

use noughts_tests::program::{binary_path, output_within, system_command};

mod page_engine;

const NODE_TIMEOUT: Duration = Duration::from_secs(120);

/// Runs a test file with `node --test`.
async fn run_node_tests(file: &str, environment: &[(&str, &OsStr)]) {
    let mut node = system_command("node", "nodejs");
    node.args(["--test", file]).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/system/web"));
    node.env("NOUGHTS_SERVER", binary_path("noughts-server"));
    node.envs(environment.iter().copied());
    let output = output_within(NODE_TIMEOUT, node).await;
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{file}:\n{stdout}{stderr}");
}

#[tokio::test]
async fn the_modules_of_the_page_follow_the_protocol() {
    run_node_tests("logic.test.mjs", &[]).await;
}
