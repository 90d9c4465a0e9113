//! Fields of all requests: invalid values, and whether they are optional.

use noughts_protocol::wire::{RejectCode, Request};

use super::{expect_canonical, expect_reject};

/// Valid request of each type, with its required fields and invalid values of each field: a value of a different type,
/// and a text that the parser of the value rejects. The tests of these parsers contain further texts.
const REQUIRED_FIELDS: &[(&str, &str, &[&str])] = &[
    (
        HELLO,
        "versions",
        &[
            "1",
            "[1]",
            "[1,1,1]",
            "[-1,1]",
            "[1.0,1]",
            "[1,65536]",
            "[2,1]",
            "\"1-1\"",
            "{}",
            "[\"1\",1]",
        ],
    ),
    (
        HELLO,
        "name",
        &["7", "[]", r#""""#, r#""a\u202eb""#, LONG_NAME],
    ),
    (
        HELLO,
        "kind",
        &[
            "0",
            "\"Bot\"",
            "\"robot\"",
            "\"\"",
            "[\"bot\"]",
            r#"{"bot":null}"#,
        ],
    ),
    (SEEK, "rules", &["3", "[3,3,3]", r#""chess""#]),
    (
        CREATE,
        "rules",
        &["3", r#""3x3:3+turn""#, r#""9:3+gravity""#],
    ),
    (
        JOIN,
        "room",
        &[
            "7",
            r#""""#,
            r#""k7qf3mz""#,
            r#""k7qf3mzx0""#,
            r#""k7qf3mz*""#,
            r#""../../..""#,
            r#""%00""#,
        ],
    ),
    (
        WATCH,
        "room",
        &["7", r#""k7qf-3mzx-000""#, r#""uuuuuuuu""#, r#""k7qf3mzé""#],
    ),
    (RESUME, "room", &["7", r#""pet1-t97t-9axa""#, r#""""#]),
    (
        SYNC,
        "seq",
        &[
            "-1",
            "1.0",
            "\"7\"",
            "9007199254740992",
            "18446744073709551616",
            "[]",
        ],
    ),
    (
        MOVE,
        "cell",
        &[
            "-1",
            "4.0",
            "4.5",
            "1e2",
            "\"4\"",
            "\"b2\"",
            "65536",
            "18446744073709551616",
            "true",
            "[4]",
        ],
    ),
    (MOVE, "seq", &["-1", "4.0", "\"4\"", "9007199254740992"]),
    (
        OFFER,
        "offer",
        &[
            "0",
            r#""Draw""#,
            r#""money""#,
            r#""""#,
            r#"{"draw":null}"#,
            r#"{"draw":1}"#,
        ],
    ),
    (ACCEPT, "offer", &["0", r#""loss""#, "[\"draw\"]"]),
    (DECLINE, "offer", &["0", r#""take_back""#]),
    (ANSWER, "seek", &["-1", "1.5", "\"17\"", "9007199254740992"]),
    (GAME, "game", &["-1", "1.5", "\"17\"", "9007199254740992"]),
    (
        SAY,
        "phrase",
        &[
            "1",
            r#""Hello""#,
            r#""hello there""#,
            r#""""#,
            r#"{"hello":null}"#,
        ],
    ),
    (
        CLAIM,
        "result",
        &["1", r#""loss""#, r#""Win""#, r#"{"win":null}"#],
    ),
    (REMARK, "seq", &["-1", "4.0", "\"4\"", "9007199254740992"]),
    (REMARK, "evaluation", &["5", r#""win in 0""#]),
    (
        REMARK,
        "pv",
        &[
            "4", "\"b2\"", "[-1]", "[4.0]", "[\"b2\"]", "[65536]", "[[4]]", "{}", LONG_LINE,
        ],
    ),
];

/// Optional fields, which may be missing or null.
const OPTIONAL_FIELDS: &[(&str, &str, &[&str])] = &[
    (HELLO, "client", &["7", "[]", LONG_CLIENT]),
    (SEEK, "clock", &["5", r#""""#, r#""5""#]),
    (
        SEEK,
        "seat",
        &["0", r#""x""#, r#""Z""#, r#""""#, r#"{"X":null}"#],
    ),
    (CREATE, "clock", &["{}", r#""5:3""#]),
    (CREATE, "seat", &["true", r#""o""#]),
    (CREATE, "public", &["0", "1", r#""yes""#, r#""true""#, "[]"]),
    (
        HELLO,
        "wants",
        &["0", r#""ping""#, "{}", "[1]", "[null]", LONG_WANTS],
    ),
    (LOBBY, "end", &["0", "1", r#""yes""#, "[]"]),
    (SUBSTITUTE, "end", &["0", r#""true""#]),
    (WATCH, "remarks", &["0", "1", r#""yes""#, "[]"]),
    (
        HELLO,
        "identity",
        &[
            "7",
            r#""""#,
            r#""2dpnwxmgr54gck3ecaadybb1f""#,
            r#""2dpnwxmgr54gck3ecaadybb1f22""#,
            r#""8dpnwxmgr54gck3ecaadybb1f2""#,
            r#""2dpnwxmgr54gck3ecaadybb1fu""#,
        ],
    ),
    (
        RESUME,
        "token",
        &["7", r#""""#, r#""2dpn""#, r#""80000000000000000000000000""#],
    ),
    (RESUME, "seq", &["-1", "7.0", r#""7""#, "9007199254740992"]),
    (
        GAMES,
        "of",
        &[
            "7",
            r#""""#,
            r#""5k7qf3""#,
            r#""8k7qf3mzxw2tq9v7c3hmr5eyb1""#,
        ],
    ),
    (
        GAMES,
        "with",
        &[
            "7",
            r#""""#,
            r#""5k7qf3""#,
            r#""8k7qf3mzxw2tq9v7c3hmr5eyb1""#,
        ],
    ),
    (GAMES, "rules", &["3", r#""chess""#]),
    (GAMES, "before", &["-1", "1.5", r#""7""#]),
    (GAMES, "limit", &["0", "51", "-1", r#""7""#]),
    (
        PROFILE,
        "of",
        &[
            "7",
            r#""""#,
            r#""5k7qf3""#,
            r#""8k7qf3mzxw2tq9v7c3hmr5eyb1""#,
        ],
    ),
];

const HELLO: &str = r#"{"type":"hello","id":7,"versions":[1,1],"name":"Ann","kind":"bot","client":"ann 1","identity":"2dpnwxmgr54gck3ecaadybb1f2","wants":["details","later"]}"#;
const SEEK: &str = r#"{"type":"seek","id":7,"rules":"3x3:3","clock":"5+3","seat":"X"}"#;
const CREATE: &str =
    r#"{"type":"create","id":7,"rules":"3x3:3","clock":"5+3","seat":"X","public":true}"#;
const JOIN: &str = r#"{"type":"join","id":7,"room":"k7qf3mzx"}"#;
const WATCH: &str = r#"{"type":"watch","id":7,"room":"k7qf3mzx","remarks":true}"#;
const RESUME: &str =
    r#"{"type":"resume","id":7,"room":"k7qf3mzx","token":"2dpnwxmgr54gck3ecaadybb1f2","seq":4}"#;
const SYNC: &str = r#"{"type":"sync","id":7,"seq":4}"#;
const MOVE: &str = r#"{"type":"move","id":7,"cell":4,"seq":4}"#;
const OFFER: &str = r#"{"type":"offer","id":7,"offer":"draw"}"#;
const ACCEPT: &str = r#"{"type":"accept","id":7,"offer":"draw"}"#;
const DECLINE: &str = r#"{"type":"decline","id":7,"offer":"draw"}"#;
const LOBBY: &str = r#"{"type":"lobby","id":7,"end":true}"#;
const ANSWER: &str = r#"{"type":"accept_seek","id":7,"seek":17}"#;
const SAY: &str = r#"{"type":"say","id":7,"phrase":"good_luck"}"#;
const SUBSTITUTE: &str = r#"{"type":"substitute","id":7,"end":true}"#;
const CLAIM: &str = r#"{"type":"claim","id":7,"result":"win"}"#;
const REMARK: &str = r#"{"type":"remark","id":7,"seq":4,"evaluation":"win in 3","pv":[4,0,8]}"#;
const GAMES: &str = r#"{"type":"games","id":7,"of":"5k7qf3mzxw2tq9v7c3hmr5eyb1","with":"3n8kxw2tq9v7c3hmr5eyb1dz6g","rules":"3x3:3","before":812,"limit":50}"#;
const GAME: &str = r#"{"type":"game","id":7,"game":811}"#;
const PROFILE: &str = r#"{"type":"profile","id":7,"of":"5k7qf3mzxw2tq9v7c3hmr5eyb1"}"#;
const REQUESTS: [&str; 20] = [
    HELLO, SEEK, CREATE, JOIN, WATCH, RESUME, SYNC, MOVE, OFFER, ACCEPT, DECLINE, CLAIM, REMARK,
    LOBBY, ANSWER, SAY, SUBSTITUTE, GAMES, GAME, PROFILE,
];
const LONG_LINE: &str = "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]";
const LONG_WANTS: &str = r#"["abcdefghijklmnopqrstuvwxyz0123456"]"#;
const LONG_NAME: &str = r#""abcdefghijklmnopqrstuvwxy""#;
const LONG_CLIENT: &str = r#""12345678901234567890123456789012345678901234567890123456789012345""#;

/// Sets or removes one field of a request.
fn with_field(request: &str, field: &str, value: Option<&str>) -> String {
    let parsed: serde_json::Map<String, serde_json::Value> = serde_json::from_str(request).unwrap();
    assert!(parsed.contains_key(field), "{field} in {request}");
    let fields: Vec<String> = parsed
        .iter()
        .filter_map(|(key, before)| match value {
            None if key == field => None,
            Some(value) if key == field => Some(format!("{key:?}:{value}")),
            _ => Some(format!("{key:?}:{before}")),
        })
        .collect();
    format!("{{{}}}", fields.join(","))
}

#[test]
fn invalid_fields_are_rejected_by_name() {
    for (request, field, invalid_values) in REQUIRED_FIELDS {
        assert!(Request::parse(request).is_ok(), "{request}");
        for value in invalid_values
            .iter()
            .map(|value| Some(*value))
            .chain([None, Some("null")])
        {
            let text = with_field(request, field, value);
            let rejected = expect_reject(&text, Some(7), RejectCode::BadField, Some(*field));
            assert!(rejected.reject.detail.is_some(), "{text}");
        }
    }
}

#[test]
fn optional_fields_may_be_null_or_absent() {
    for (request, field, invalid_values) in OPTIONAL_FIELDS {
        for value in *invalid_values {
            expect_reject(
                &with_field(request, field, Some(value)),
                Some(7),
                RejectCode::BadField,
                Some(*field),
            );
        }
        let absent = Request::parse(&with_field(request, field, None)).unwrap();
        let null = Request::parse(&with_field(request, field, Some("null"))).unwrap();
        assert_eq!(absent.to_json(), null.to_json());
        assert_ne!(absent.to_json(), Request::parse(request).unwrap().to_json());
    }
}

/// The tables contain every field.
#[test]
fn all_fields_are_covered() {
    for request in REQUESTS {
        let parsed: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(request).unwrap();
        for field in parsed
            .keys()
            .filter(|field| !["type", "id"].contains(&field.as_str()))
        {
            let mut tables = REQUIRED_FIELDS.iter().chain(OPTIONAL_FIELDS);
            assert!(
                tables.any(|(known_request, known, _)| *known_request == request && known == field),
                "{field} of {request}"
            );
        }
    }
}

#[test]
fn unknown_fields_are_ignored() {
    for request in REQUESTS {
        let unknown_fields = r#","later":{"cell":[1,{"id":2}]},"Cell":-1,"":"","x":1e300}"#;
        let text = format!("{}{unknown_fields}", request.strip_suffix('}').unwrap());
        expect_canonical(&text, &Request::parse(request).unwrap().to_json());
    }
}

#[test]
fn input_is_normalized() {
    let join = |room: &str| format!(r#"{{"type":"join","id":7,"room":"{room}"}}"#);
    let code = r#"{"id":7,"type":"join","room":"0a1b-2c3d-4e5f"}"#;
    for input in [
        "0a1b-2c3d-4e5f",
        "0A1B2C3D4E5F",
        "OaiB-2c3D-4E5f",
        "oalb2c3d4e5f",
        "0-a-1-b-2c3d4e5f",
        "-0a1b2c3d4e5f-",
    ] {
        expect_canonical(&join(input), code);
    }
    for input in ["k7qf3mzx", "K7QF3MZX", "k7qf-3mzx"] {
        expect_canonical(&join(input), r#"{"id":7,"type":"join","room":"k7qf3mzx"}"#);
    }
    let token = "2dpnwxmgr54gck3ecaadybb1f2";
    for input in [
        token.to_uppercase(),
        token.replace('1', "l"),
        format!("{}-{}", &token[..5], &token[5..]),
    ] {
        expect_canonical(
            &with_field(RESUME, "token", Some(&format!("{input:?}"))),
            &Request::parse(RESUME).unwrap().to_json(),
        );
    }
    let seek = |rules: &str| {
        Request::parse(&with_field(SEEK, "rules", Some(&format!("{rules:?}")))).unwrap()
    };
    for (input, text) in [
        ("tictactoe", "3x3:3"),
        ("Connect4", "7x6:4+gravity"),
        ("7X6:4+EXACT+gravity", "7x6:4+gravity+exact"),
        ("03x003:3", "3x3:3"),
    ] {
        assert!(
            seek(input)
                .to_json()
                .contains(&format!(r#""rules":"{text}""#)),
            "{input}"
        );
    }
    for (input, text) in [("60s+0", "1+0"), ("90s+0", "90s+0"), ("05+03", "5+3")] {
        let seek = Request::parse(&with_field(SEEK, "clock", Some(&format!("{input:?}")))).unwrap();
        assert!(
            seek.to_json().contains(&format!(r#""clock":"{text}""#)),
            "{input}"
        );
    }
    let hello = Request::parse(&with_field(HELLO, "name", Some(r#""  Ann   B. ""#))).unwrap();
    assert!(hello.to_json().contains(r#""name":"Ann B.""#));
}

/// The parser does not check whether a cell is on the board or a version is supported.
#[test]
fn server_side_checks_are_not_done_by_the_parser() {
    expect_canonical(
        &with_field(MOVE, "cell", Some("65535")),
        r#"{"id":7,"type":"move","cell":65535,"seq":4}"#,
    );
    for versions in ["[0,0]", "[1,9]", "[2,65535]"] {
        assert!(Request::parse(&with_field(HELLO, "versions", Some(versions))).is_ok());
    }
}
