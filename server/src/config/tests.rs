use std::collections::BTreeSet;

use clap::CommandFactory;

use super::server_limits::LimitField;
use super::*;
use crate::runtime::clock::millis;

#[cfg(not(feature = "cluster"))]
const PAGES: &str = include_str!("../../README.md");
#[cfg(feature = "cluster")]
const PAGES: &str = concat!(
    include_str!("../../README.md"),
    include_str!("../../CLUSTER.md")
);

#[test]
fn flags_are_well_formed() {
    ServerConfig::command().debug_assert();
}

fn flags_of_subcommands(command: &clap::Command) -> BTreeSet<String> {
    let flags = |command: &clap::Command| {
        let own = command
            .get_arguments()
            .filter_map(|argument| argument.get_long());
        let own = own.map(|flag| format!("--{flag}"));
        own.chain(flags_of_subcommands(command)).collect::<Vec<_>>()
    };
    command.get_subcommands().flat_map(flags).collect()
}

#[test]
fn each_flag_is_documented_and_exists() {
    let command = ServerConfig::command();
    let visible = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set());
    let known: BTreeSet<String> = visible
        .filter_map(|argument| argument.get_long())
        .map(|flag| format!("--{flag}"))
        .collect();
    let of_subcommands: BTreeSet<String> = flags_of_subcommands(&command);
    let is_flag_letter = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    let documented: BTreeSet<&str> = PAGES
        .split(|letter: char| !is_flag_letter(letter))
        .filter(|word| word.len() > 2 && word.starts_with("--") && !word.starts_with("---"))
        .collect();
    for flag in documented.iter().filter(|flag| {
        ![
            "--path",
            "--help",
            "--features",
            "--signal",
            "--release",
            "--bin",
            "--now",
            "--unsetenv",
        ]
        .contains(flag)
    }) {
        let exists = known.contains(*flag) || of_subcommands.contains(*flag);
        assert!(exists, "the page names {flag}, which does not exist");
    }
    for flag in known
        .iter()
        .filter(|flag| !["--help", "--version"].contains(&flag.as_str()))
    {
        assert!(
            documented.contains(flag.as_str()),
            "the page does not name {flag}"
        );
    }
}

fn parse_limits(arguments: &[&str]) -> Result<ServerLimits, String> {
    let config = ServerConfig::try_parse_from(["noughts-server"].iter().chain(arguments));
    config
        .map(|config| config.limits)
        .map_err(|error| error.to_string())
}

#[test]
fn limits_are_set_by_name_and_the_last_value_counts() {
    let limits = parse_limits(&[
        "--max-rooms",
        "7",
        "--set",
        "reconnect-grace = 1500ms, max-new-per-second=3",
        "--set",
        "max-new-per-second=4",
    ])
    .unwrap();
    assert_eq!(limits.max_rooms, 7);
    assert_eq!(millis(limits.reconnect_grace), 1500);
    assert_eq!(limits.max_new_per_second, Some(4));
    assert_eq!(limits.leave_grace, ServerLimits::default().leave_grace);
}

#[test]
fn the_page_lists_all_limits() {
    let row = |field: &LimitField<ServerLimits>| {
        let name = if field.flag.is_some() {
            format!("--{}", field.name)
        } else {
            field.name.clone()
        };
        let (default, range) = (field.shown_default(), &field.range);
        format!(
            "| `{name}` | {default} | {range} | {} |\n",
            field.document()
        )
    };
    let rows: String = LIMITS.iter().map(row).collect();
    let table = format!("\n| name | default | value | effect |\n|---|---|---|---|\n{rows}\n");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    noughts_golden::check_part(page, "limits", &table);
}

#[test]
fn derived_limits_follow_from_the_connections_of_an_address() {
    let limits = ServerLimits::default();
    assert_eq!(limits.new_connections_per_second(), 86);
    assert_eq!(limits.spectator_byte_rate(), 48 * 64);
    assert_eq!(limits.lobby_byte_rate(), 2 * 48 * 64);
}

#[test]
fn a_refused_limit_names_what_it_takes() {
    for (arguments, expected) in [
        (["--set", "send-queue"], "NAME=VALUE"),
        (["--set", "=3"], "NAME=VALUE"),
        (
            ["--set", "reconnect-grace=soon"],
            "reconnect-grace takes a time, 0s to 1year",
        ),
        (
            ["--set", "lobby-inbox=0"],
            "lobby-inbox takes a number, 1 to 1000000",
        ),
        (["--set", "colour=red"], "write-timeout (a time, 1ms to 1h)"),
        (["--set", "max-rooms=7"], "flag of its own: --max-rooms"),
        (["--max-rooms", "many"], "max-rooms takes a number"),
    ] {
        let error = parse_limits(&arguments).unwrap_err();
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

#[test]
fn the_wait_before_a_drain_is_limited_and_depends_on_the_mode() {
    let parse = |flags: &[&str]| {
        let config = ServerConfig::try_parse_from(["noughts-server"].iter().chain(flags));
        config.map(|config| millis(config.drain_wait()))
    };
    assert_eq!(parse(&[]).unwrap(), 0);
    assert_eq!(parse(&["--drain-wait", "5m"]).unwrap(), 300_000);
    for flag in ["301s", "soon", ""] {
        assert!(parse(&["--drain-wait", flag]).is_err(), "{flag}");
    }
    #[cfg(feature = "cluster")]
    {
        assert_eq!(parse(&["--cluster", "nats://a"]).unwrap(), 3_000);
        assert_eq!(
            parse(&["--cluster", "nats://a", "--drain-wait", "0s"]).unwrap(),
            0
        );
    }
}

#[test]
fn only_websocket_addresses_are_accepted() {
    for text in [
        "ws://192.168.1.5:7878/ws",
        "wss://games.example.org/ws",
        "wss://[::1]:443/ws",
    ] {
        assert_eq!(
            text.parse::<PublicUrl>().map(|url| url.as_str().to_owned()),
            Ok(text.to_owned())
        );
    }
    let long = format!("wss://{}/ws", "a".repeat(PublicUrl::MAX_BYTES));
    for text in [
        "",
        "games.example.org",
        "https://games.example.org/",
        "ws://",
        "ws://a b/ws",
        &long,
    ] {
        assert_eq!(text.parse::<PublicUrl>(), Err(PublicUrlError), "{text}");
    }
}
