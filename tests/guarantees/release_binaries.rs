//! The programs that users build contain nothing that only tests need.

use std::process::Command;

use noughts_tests::program::output;

/// Returns the packages and features that cargo selects, one package a line.
async fn selected_features(arguments: &[&str]) -> String {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--locked", "--offline", "--format", "{p} {f}"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = output(tree).await;
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    String::from_utf8(output.stdout).expect("names of packages")
}

#[tokio::test]
async fn no_released_program_contains_an_injected_fault_or_the_echo_endpoint() {
    let tests = selected_features(&["-p", "noughts-tests", "--depth", "1"]).await;
    let programs = ["-p", "noughts-server", "-p", "noughts", "-e", "normal"];
    let programs = selected_features(&programs).await;
    let selects = |tree: &str, feature: &str| {
        tree.lines().any(|line| {
            line.trim_start_matches(['├', '└', '─', ' '])
                .starts_with("noughts-server ")
                && line.contains(feature)
        })
    };
    assert!(
        selects(&tests, "faults"),
        "the search finds nothing: {tests}"
    );
    for feature in ["faults", "echo"] {
        assert!(!selects(&programs, feature), "{programs}");
    }
    assert!(programs.contains("noughts-server "), "{programs}");
}
