//! Faults cannot be injected into release binaries.

use noughts_server::testing::BROKEN_ON_PURPOSE;
use noughts_tests::program;

#[test]
fn no_released_binary_contains_an_injected_fault() {
    let contains_marker = |path: &std::path::Path| {
        let bytes = std::fs::read(path).expect("a program");
        bytes.windows(BROKEN_ON_PURPOSE.len()).any(|bytes| bytes == BROKEN_ON_PURPOSE.as_bytes())
    };
    assert!(
        contains_marker(&std::env::current_exe().expect("a test has a path")),
        "the search finds nothing in a faulty binary"
    );
    for name in ["noughts-server", "noughts"] {
        assert!(!contains_marker(&program::binary_path(name)), "{name} contains injected faults");
    }
}
