//! What people run cannot be broken on purpose.

use noughts_server::fault::BROKEN;
use noughts_tests::program;

#[test]
fn no_program_holds_a_deliberate_fault() {
    let holds = |path: &std::path::Path| {
        let bytes = std::fs::read(path).expect("a program");
        bytes.windows(BROKEN.len()).any(|bytes| bytes == BROKEN.as_bytes())
    };
    assert!(holds(&std::env::current_exe().expect("a test has a path")), "this is no way to look");
    for name in ["noughts-server", "noughts"] {
        assert!(!holds(&program::path(name)), "{name} can be broken on purpose");
    }
}
