//! The TypeScript types of the protocol: every golden value matches its type, and an invalid value does not.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use noughts_tests::program::{TempDir, output_within, system_command};

/// Timeout for the compiler.
const COMPILER_TIMEOUT: Duration = Duration::from_secs(120);

fn protocol_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../protocol")
        .join(path)
}

/// Returns a program that declares each golden value as a constant of its type.
fn typed_golden_values() -> String {
    let mut program = "import type * as noughts from \"./noughts\";\n".to_owned();
    let mut names: Vec<String> = std::fs::read_dir(protocol_path("golden"))
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    names.sort();
    for name in names {
        let group = name.split('-').next().unwrap_or_default();
        let of_type = match group {
            "request" => "Request",
            "message" => "Message",
            "event" => "EventRecord",
            "notice" => "Notice",
            "outcome" => "Outcome",
            _ => continue,
        };
        let text =
            std::fs::read_to_string(protocol_path("golden").join(&name)).expect("a golden file");
        for line in text.lines() {
            writeln!(
                program,
                "export {{}}; {{ const value: noughts.{of_type} = {line}; void value; }}"
            )
            .expect("a string takes all text");
        }
    }
    program
}

const INVALID_VALUES: &str = r#"
// @ts-expect-error A seat is X or O.
{ const value: noughts.Request = {"id":1,"type":"seek","rules":"3x3:3","seat":"x"}; void value; }
// @ts-expect-error A move has a seq.
{ const value: noughts.Request = {"id":1,"type":"move","cell":4}; void value; }
// @ts-expect-error No such message.
{ const value: noughts.Message = {"type":"later"}; void value; }
/** The kind of a message determines its fields. */
export function room(message: noughts.Message): string | null {
  switch (message.type) {
    case "snapshot": case "events": case "notice": return message.room;
    case "welcome": case "done": case "reject": case "rooms": case "restarting": return null;
    case "lobby": case "lobby_changed": case "announcement": return null;
    case "games": case "game": case "profile": return null;
  }
}
"#;

#[tokio::test]
async fn the_types_describe_the_golden_values() {
    let folder = TempDir::default();
    std::fs::copy(
        protocol_path("asyncapi/noughts.d.ts"),
        folder.path().join("noughts.d.ts"),
    )
    .expect("the types are in the tree");
    std::fs::write(
        folder.path().join("golden.ts"),
        typed_golden_values() + INVALID_VALUES,
    )
    .expect("a temporary folder");
    let mut compile = system_command("tsc", "node-typescript");
    compile.args([
        "--strict",
        "--noEmit",
        "--skipLibCheck",
        "--lib",
        "es2020",
        "--target",
        "es2020",
        "--module",
        "es2020",
        "golden.ts",
    ]);
    compile.current_dir(folder.path());
    let done = output_within(COMPILER_TIMEOUT, compile).await;
    let [stdout, stderr] = [&done.stdout, &done.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(done.status.success(), "{}\n{stdout}\n{stderr}", done.status);
}
