//! Tables of `README.md` that follow from the code.

use noughts_protocol::wire::{
    AnnouncedLimits, CloseCode, Feature, FeatureSet, MAX_MESSAGE_BYTES, MAX_REQUEST_BYTES, Phrase,
    RejectCode, Request,
};
use noughts_protocol::{Name, RequestId, RuleFlag, Rules, TimeControl};

use crate::page::crate_root;

/// Compares the tables, or writes them.
pub(crate) fn check() {
    let parts = [
        ("features", features()),
        ("flags", flags()),
        ("phrases", phrases()),
        ("announced limits", announced_limits()),
        ("reject codes", reject_codes()),
        ("close codes", close_codes()),
        ("limits", limits()),
    ];
    for (name, table) in parts {
        noughts_golden::check_part(crate_root().join("README.md"), name, &table);
    }
}

/// Returns the paragraphs of a doc comment, each in one line.
fn paragraphs(document: &[&str]) -> Vec<String> {
    let lines: Vec<&str> = document.iter().map(|line| line.trim()).collect();
    lines
        .split(|line| line.is_empty())
        .map(|lines| lines.join(" "))
        .collect()
}

fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(N));
    let rows: String = rows.into_iter().map(|row| line(&row)).collect();
    format!("\n{}{rule}{rows}\n", line(&head.map(str::to_owned)))
}

fn code(word: impl std::fmt::Display) -> String {
    format!("`{word}`")
}

fn features() -> String {
    let row = |feature: Feature| {
        [
            code(feature.as_str()),
            paragraphs(feature.document()).concat(),
        ]
    };
    table(["feature", "effect"], Feature::ALL.map(row))
}

fn flags() -> String {
    let row = |flag: &RuleFlag| {
        let mut meaning = flag.meaning().trim_end_matches('.').to_owned();
        meaning[..1].make_ascii_lowercase();
        [code(format_args!("+{flag}")), meaning]
    };
    table(["flag", "meaning"], RuleFlag::ALL.iter().map(row))
}

fn phrases() -> String {
    let row = |phrase: Phrase| {
        [
            code(format_args!("\"{}\"", phrase.as_str())),
            paragraphs(phrase.document()).concat(),
        ]
    };
    table(["phrase", "meaning"], Phrase::ALL.map(row))
}

fn announced_limits() -> String {
    let row = |(name, document): &(&str, &[&str])| [code(name), paragraphs(document).concat()];
    table(
        ["limit", "meaning"],
        AnnouncedLimits::DOCUMENTS.iter().map(row),
    )
}

fn reject_codes() -> String {
    let row = |reject: RejectCode| {
        let mut cells = paragraphs(reject.document()).into_iter();
        let mut cell = || cells.next().unwrap_or_else(|| "–".into());
        [code(reject), cell(), cell()]
    };
    table(["code", "meaning", "what to do"], RejectCode::ALL.map(row))
}

fn close_codes() -> String {
    let row = |close: CloseCode| {
        let mut cells = paragraphs(close.document()).into_iter();
        let meaning = cells.next().unwrap_or_default();
        let can_resume = if close.can_resume() { "yes" } else { "no" };
        let reconnect: String = cells.map(|condition| format!(". {condition}")).collect();
        let number = close.code().to_string();
        [
            number,
            code(close.reason()),
            meaning,
            format!("{can_resume}{reconnect}"),
        ]
    };
    table(
        ["code", "reason", "meaning", "reconnect automatically?"],
        CloseCode::ALL.map(row),
    )
}

/// Returns the limits of every server.
fn limits() -> String {
    let bytes = |count: usize| format!("{count} bytes");
    let name = format!(
        "{} columns, {} characters",
        Name::MAX_COLUMNS,
        Name::MAX_CHARS
    );
    let wants = format!(
        "{} names of {} bytes",
        FeatureSet::MAX_NAMES,
        FeatureSet::MAX_NAME_BYTES
    );
    let rules = format!(
        "{} bytes, {} dimensions, sides of {}, {} cells",
        Rules::MAX_TEXT,
        Rules::MAX_DIMENSIONS,
        Rules::MAX_SIDE,
        Rules::MAX_CELLS
    );
    let rows = [
        (
            "a message from a client",
            bytes(MAX_REQUEST_BYTES),
            "close 1009",
        ),
        (
            "a message from a server",
            bytes(MAX_MESSAGE_BYTES),
            "never sent: set the limit of your library to at least this",
        ),
        (
            "fields of a request",
            max_accepted(&list).to_string(),
            "`bad_message`",
        ),
        ("`id`, `seq`", RequestId::MAX.to_string(), "`bad_field`"),
        ("`name`", name, "`bad_field`"),
        (
            "`client`",
            format!("{} characters", max_accepted(&hello)),
            "`bad_field`",
        ),
        ("`wants`", wants, "`bad_field`"),
        ("`rules`", rules, "`bad_field`"),
        (
            "base of a clock",
            format!("{} seconds", TimeControl::MAX_BASE_S),
            "`bad_field`",
        ),
        (
            "increment of a clock",
            format!("{} seconds", TimeControl::MAX_INCREMENT_S),
            "`bad_field`",
        ),
    ];
    let row = |(what, limit, beyond): (&str, String, &str)| [what.into(), limit, beyond.into()];
    table(["what", "limit", "beyond it"], rows.map(row))
}

/// Returns the largest size that a request may have.
fn max_accepted(text: &dyn Fn(usize) -> String) -> usize {
    let sizes = (2..100).take_while(|&size| Request::parse(&text(size)).is_ok());
    sizes.last().expect("a small request is accepted")
}

fn hello(client: usize) -> String {
    let client = "é".repeat(client);
    format!(
        r#"{{"type":"hello","id":1,"versions":[1,1],"name":"a","kind":"bot","client":"{client}"}}"#
    )
}

fn list(fields: usize) -> String {
    let more: String = (2..fields)
        .map(|field| format!(r#","{field}":0"#))
        .collect();
    format!(r#"{{"type":"list","id":1{more}}}"#)
}
