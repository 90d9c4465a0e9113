//! The programs that users build contain nothing that only tests need.

use std::process::Command;

use noughts_tests::program::output;

/// Returns the packages and features that cargo selects, one package a line.
async fn selected_features(arguments: &[&str]) -> String {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--locked", "--offline", "--format", "{lib} {f}"])
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
    // These are the arguments of the build in server/deploy/package.
    let feature = "noughts-server/cluster";
    let programs = [
        "-p",
        "noughts-server",
        "-p",
        "noughts",
        "--features",
        feature,
        "-e",
        "normal",
    ];
    let programs = selected_features(&programs).await;
    let selects = |tree: &str, feature: &str| {
        tree.lines().any(|line| {
            line.trim_start_matches(['├', '└', '─', ' '])
                .strip_prefix("noughts_server ")
                .is_some_and(|features| features.split(',').any(|selected| selected == feature))
        })
    };
    assert!(
        selects(&tests, "faults"),
        "the search finds nothing: {tests}"
    );
    let manifest = include_str!("../../server/Cargo.toml");
    for feature in ["faults", "echo"] {
        let declaration = format!("\n{feature} = []\n");
        assert!(manifest.contains(&declaration), "no feature {feature}");
        assert!(!selects(&programs, feature), "{programs}");
    }
    assert!(programs.contains("noughts_server "), "{programs}");
}
