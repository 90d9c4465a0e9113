//! Faults cannot be injected into release binaries.

use noughts_server::testing::FAULT_INJECTION_MARKER;
use noughts_tests::program;

#[test]
fn no_released_binary_contains_an_injected_fault() {
    let contains_marker = |path: &std::path::Path| {
        let bytes = std::fs::read(path).expect("a program");
        bytes
            .windows(FAULT_INJECTION_MARKER.len())
            .any(|bytes| bytes == FAULT_INJECTION_MARKER.as_bytes())
    };
    assert!(
        contains_marker(&std::env::current_exe().expect("a test has a path")),
        "the search finds nothing in a faulty binary"
    );
    for name in ["noughts-server", "noughts"] {
        assert!(
            !contains_marker(&program::binary_path(name)),
            "{name} contains injected faults"
        );
    }
}
