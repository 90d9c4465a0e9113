//! The page of a real server in real browsers.
//!
//! The suites of `web/browser/` share one Chromium. Two suites run at the same time. The name of this file sorts first,
//! so that its test begins first: the test computes, and most other tests wait.

mod browser_processes;

use std::path::{Path, PathBuf};
use std::time::Duration;

use noughts_tests::program::{binary_path, output_within, system_command};

use self::browser_processes::BrowserProcesses;
use crate::web::{NODE_TIMEOUT, check, node_tests};

/// Timeout of all suites. A suite that hangs ends itself earlier, even on a busy machine, and reports where it hung.
const BROWSER_TIMEOUT: Duration = Duration::from_secs(900);
/// Package of npm that finds violations of accessibility rules.
const AXE_PACKAGE: &str = "axe-core@4.14.1";
/// Set to `1`, this variable skips the tests in browsers.
const SKIP_VARIABLE: &str = "NOUGHTS_SKIP_BROWSER";

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

/// Runs all suites in one test, because they share a browser: separate tests would only wait for each other.
#[tokio::test]
async fn the_page_works_in_browsers() {
    if std::env::var_os(SKIP_VARIABLE).is_some_and(|value| value == "1") {
        println!("{SKIP_VARIABLE}=1: the page is not tested in browsers");
        return;
    }
    let programs = [
        ("chromium-headless-shell", "chromium-headless-shell"),
        ("WebKitWebDriver", "webkit2gtk-driver"),
        ("Xvfb", "xvfb"),
    ];
    for (program, package) in programs {
        drop(system_command(program, package));
    }
    let processes = BrowserProcesses::default();
    let mut node = node_tests(&["browser/main.mjs"]);
    let server = binary_path("noughts-server");
    node.env(
        "NOUGHTS_AXE",
        axe_path(server.with_file_name("axe-core").as_path()).await,
    );
    node.env("NOUGHTS_SERVER", server);
    node.env("TMPDIR", processes.folder());
    check(
        "the suites in browsers",
        &output_within(BROWSER_TIMEOUT, node).await,
    );
}
