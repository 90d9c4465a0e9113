//! What is a request, what is not, and what is then said: tables of texts and refusals.

use noughts_protocol::wire::{
    BadRequest, Body, Claim, Command, Hello, Lobby, MAX_REQUEST_BYTES, RejectCode, Remark, Request, Score,
};
use noughts_protocol::{
    Cell, Code, Kind, Name, Offer, Party, RequestId, ResumeToken, RoomId, RoomRef, Rules, Seat, Seq,
    TimeControl,
};
use proptest::prelude::*;

/// Holds what a text is refused for: the id that was read, the code, and the field to blame.
fn refused(text: &str, re: Option<u64>, code: RejectCode, field: Option<&str>) -> BadRequest {
    let shown = text.chars().take(80).collect::<String>();
    let bad = Request::parse(text).map(|request| request.to_json()).expect_err(&shown);
    assert_eq!(bad.re.map(RequestId::get), re, "id of {shown}");
    assert_eq!((bad.reject.code, bad.reject.field.as_deref()), (code, field), "{shown}");
    assert_eq!((bad.reject.wait_ms, bad.reject.seq, bad.reject.versions), (None, None, None), "{shown}");
    bad
}

/// Holds a text that may be written in several ways to what it is read as.
fn read_as(text: &str, json: &str) {
    let request = Request::parse(text).unwrap_or_else(|bad| panic!("{text}: {bad:?}"));
    assert_eq!(request.to_json(), json, "{text}");
}

#[test]
fn what_is_no_object_is_no_message() {
    let deep = format!("{}1{}", "[".repeat(2000), "]".repeat(2000));
    let deep_inside = format!(r#"{{"type":"list","id":1,"more":{deep}}}"#);
    for text in [
        "",
        " ",
        "x",
        "{",
        "}",
        "{}{}",
        "null",
        "true",
        "7",
        "\"list\"",
        "[]",
        r#"[{"type":"list","id":1}]"#,
        "{'type':'list','id':1}",
        "{type:\"list\",id:1}",
        r#"{"type":"list","id":1"#,
        r#"{"type":"list","id":1,}"#,
        r#"{"type":"list","id":1}x"#,
        r#"{"type":"list","id":1}{"type":"list","id":2}"#,
        r#"{"type":"list","id":1} // no comments"#,
        "{\"type\":\"list\",\"id\":1}\0",
        "\u{feff}{\"type\":\"list\",\"id\":1}",
        "{\"type\":\"li\nst\",\"id\":1}",
        r#"{"type":"\ud800","id":1}"#,
        r#"{"type":"\x41","id":1}"#,
        r#"{"type":"list","id":01}"#,
        r#"{"type":"list","id":+1}"#,
        r#"{"type":"list","id":NaN}"#,
        r#"{"type":"list","id":Infinity}"#,
        r#"{"type":"list","id":0x10}"#,
        r#"{"type":"list","id":1e400}"#,
        r#"{"type":"list","id":1,"more":1e400}"#,
        r#"{"type":"list","id":1,"more":-1e999999999}"#,
        &deep,
        &deep_inside,
    ] {
        let bad = refused(text, None, RejectCode::BadMessage, None);
        assert!(bad.reject.detail.is_some(), "whoever writes a client is told more");
    }
}

#[test]
fn a_key_is_given_once() {
    for text in [
        r#"{"type":"list","id":1,"id":1}"#,
        r#"{"type":"list","id":1,"type":"list"}"#,
        r#"{"type":"list","id":1,"\u0069d":1}"#,
        r#"{"type":"list","id":1,"more":1,"more":2}"#,
        r#"{"type":"list","id":1,"more":null,"more":null}"#,
        r#"{"id":null,"type":"list","id":1}"#,
    ] {
        let bad = refused(text, None, RejectCode::BadMessage, None);
        assert!(bad.reject.detail.unwrap().contains("twice"), "{text}");
    }
    // Only the fields of the message itself are ours to judge.
    read_as(r#"{"type":"list","id":1,"more":{"a":1,"a":2}}"#, r#"{"id":1,"type":"list"}"#);
}

#[test]
fn a_message_has_a_limit_of_fields_and_of_bytes() {
    let with_fields = |count: usize| {
        let more: String = (2..count).map(|field| format!(r#","f{field}":null"#)).collect();
        format!(r#"{{"type":"list","id":1{more}}}"#)
    };
    read_as(&with_fields(32), r#"{"id":1,"type":"list"}"#);
    refused(&with_fields(33), None, RejectCode::BadMessage, None);

    let with_bytes = |bytes: usize| {
        let bare = r#"{"type":"list","id":1,"more":""}"#.len();
        format!(r#"{{"type":"list","id":1,"more":"{}"}}"#, "x".repeat(bytes - bare))
    };
    assert_eq!(with_bytes(MAX_REQUEST_BYTES).len(), MAX_REQUEST_BYTES);
    read_as(&with_bytes(MAX_REQUEST_BYTES), r#"{"id":1,"type":"list"}"#);
    refused(&with_bytes(MAX_REQUEST_BYTES + 1), None, RejectCode::BadMessage, None);
    // Bytes count, not characters; and what is too long is not read, however deep or broken it is.
    refused(&with_bytes(MAX_REQUEST_BYTES).replacen('x', "é", 1), None, RejectCode::BadMessage, None);
    refused(&"[".repeat(10_000), None, RejectCode::BadMessage, None);
    refused(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)), None, RejectCode::BadMessage, None);
    refused(&" ".repeat(1_000_000), None, RejectCode::BadMessage, None);
}

/// Without a good id there is nobody to answer by name.
#[test]
fn an_id_is_a_whole_number_below_2_to_the_53() {
    for id in [
        "null",
        "-1",
        "-0",
        "1.0",
        "1.5",
        "1e3",
        "1e300",
        "9007199254740992",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999999999",
        "\"1\"",
        "true",
        "[1]",
        "{}",
    ] {
        refused(&format!(r#"{{"type":"list","id":{id}}}"#), None, RejectCode::BadField, Some("id"));
    }
    refused(r#"{"type":"list"}"#, None, RejectCode::BadField, Some("id"));
    refused("{}", None, RejectCode::BadField, Some("id"));
    refused(r#"{"type":"nothing we know","ID":1}"#, None, RejectCode::BadField, Some("id"));
    for id in [0, 1, RequestId::MAX] {
        read_as(&format!(r#"{{"type":"list","id":{id}}}"#), &format!(r#"{{"id":{id},"type":"list"}}"#));
    }
}

#[test]
fn a_type_is_one_that_we_know() {
    for kind in ["", "List", "list ", "LIST", "lists", "welcome", "done", "moved", "__proto__", "\\u0000"] {
        let text = format!(r#"{{"type":"{kind}","id":7}}"#);
        refused(&text, Some(7), RejectCode::UnknownType, Some("type"));
    }
    for kind in ["null", "1", "true", "[\"list\"]", "{}"] {
        let text = format!(r#"{{"type":{kind},"id":7}}"#);
        refused(&text, Some(7), RejectCode::BadField, Some("type"));
    }
    refused(r#"{"id":7}"#, Some(7), RejectCode::BadField, Some("type"));
    refused(r#"{"Type":"list","id":7}"#, Some(7), RejectCode::BadField, Some("type"));
}

/// A good request of each type with fields, and for each of its fields what that may not be.
const FIELDS: &[(&str, &str, &[&str])] = &[
    (
        HELLO,
        "versions",
        &["1", "[1]", "[1,1,1]", "[-1,1]", "[1.0,1]", "[1,65536]", "\"1-1\"", "{}", "[\"1\",1]"],
    ),
    (
        HELLO,
        "name",
        &["7", "[]", r#""""#, r#""  ""#, r#""\u001b[2J""#, r#""a\u202eb""#, r#""a\nb""#, LONG_NAME],
    ),
    (HELLO, "kind", &["0", "\"Bot\"", "\"robot\"", "\"\"", "[\"bot\"]", r#"{"bot":null}"#]),
    (
        SEEK,
        "rules",
        &["3", "[3,3,3]", r#""""#, r#""chess""#, r#""3x3""#, r#""3x3:4""#, r#""33x33:5""#, r#"" 3x3:3""#],
    ),
    (CREATE, "rules", &["3", r#""3x3:3+torus""#, r#""9:3+gravity""#]),
    (
        JOIN,
        "room",
        &["7", r#""""#, r#""k7qf3mz""#, r#""k7qf3mzx0""#, r#""k7qf3mz*""#, r#""../../..""#, r#""%00""#],
    ),
    (WATCH, "room", &["7", r#""k7qf-3mzx-000""#, r#""uuuuuuuu""#, r#""k7qf3mzé""#]),
    (RESUME, "room", &["7", r#""pet1-t97t-9axa""#, r#""""#]),
    (RESUME, "token", &["7", r#""""#, r#""2dpn""#, r#""80000000000000000000000000""#]),
    (SYNC, "seq", &["-1", "1.0", "\"7\"", "9007199254740992", "18446744073709551616", "[]"]),
    (
        MOVE,
        "cell",
        &["-1", "4.0", "4.5", "1e2", "\"4\"", "\"b2\"", "65536", "18446744073709551616", "true", "[4]"],
    ),
    (MOVE, "seq", &["-1", "4.0", "\"4\"", "9007199254740992"]),
    (OFFER, "offer", &["0", r#""Draw""#, r#""money""#, r#""""#, r#"{"draw":null}"#, r#"{"draw":1}"#]),
    (ACCEPT, "offer", &["0", r#""loss""#, "[\"draw\"]"]),
    (DECLINE, "offer", &["0", r#""take_back""#]),
    (CLAIM, "result", &["1", r#""loss""#, r#""Win""#, r#"{"win":null}"#]),
    (REMARK, "seq", &["-1", "4.0", "\"4\"", "9007199254740992"]),
    (REMARK, "score", &["5", r#""5""#, r#""win""#, r#""win in 0""#, r#""loss in 1025""#, r#""+1000001""#]),
    (REMARK, "line", &["4", "\"b2\"", "[-1]", "[4.0]", "[\"b2\"]", "[65536]", "[[4]]", "{}", LONG_LINE]),
];

/// The same for fields that may be left out, or be null.
const OPTIONAL: &[(&str, &str, &[&str])] = &[
    (HELLO, "client", &["7", "[]", LONG_CLIENT]),
    (
        SEEK,
        "clock",
        &["5", r#""""#, r#""5""#, r#""5+3s""#, r#""0+1""#, r#""181+0""#, r#""1+181""#, r#""-1+0""#],
    ),
    (SEEK, "seat", &["0", r#""x""#, r#""Z""#, r#""""#, r#"{"X":null}"#]),
    (CREATE, "clock", &["{}", r#""5:3""#]),
    (CREATE, "seat", &["true", r#""o""#]),
    (CREATE, "public", &["0", "1", r#""yes""#, r#""true""#, "[]"]),
    (WATCH, "remarks", &["0", "1", r#""yes""#, "[]"]),
    (RESUME, "seq", &["-1", "7.0", r#""7""#, "9007199254740992"]),
];

const HELLO: &str = r#"{"type":"hello","id":7,"versions":[1,1],"name":"Ann","kind":"bot","client":"ann 1"}"#;
const SEEK: &str = r#"{"type":"seek","id":7,"rules":"3x3:3","clock":"5+3","seat":"X"}"#;
const CREATE: &str = r#"{"type":"create","id":7,"rules":"3x3:3","clock":"5+3","seat":"X","public":true}"#;
const JOIN: &str = r#"{"type":"join","id":7,"room":"k7qf3mzx"}"#;
const WATCH: &str = r#"{"type":"watch","id":7,"room":"k7qf3mzx","remarks":true}"#;
const RESUME: &str =
    r#"{"type":"resume","id":7,"room":"k7qf3mzx","token":"2dpnwxmgr54gck3ecaadybb1f2","seq":4}"#;
const SYNC: &str = r#"{"type":"sync","id":7,"seq":4}"#;
const MOVE: &str = r#"{"type":"move","id":7,"cell":4,"seq":4}"#;
const OFFER: &str = r#"{"type":"offer","id":7,"offer":"draw"}"#;
const ACCEPT: &str = r#"{"type":"accept","id":7,"offer":"draw"}"#;
const DECLINE: &str = r#"{"type":"decline","id":7,"offer":"draw"}"#;
const CLAIM: &str = r#"{"type":"claim","id":7,"result":"win"}"#;
const REMARK: &str = r#"{"type":"remark","id":7,"seq":4,"score":"win in 3","line":[4,0,8]}"#;
const LONG_LINE: &str = "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]";
const LONG_NAME: &str = r#""abcdefghijklmnopqrstuvwxy""#;
const LONG_CLIENT: &str = r#""12345678901234567890123456789012345678901234567890123456789012345""#;

/// A request with one field set to other JSON, or without it.
fn with(request: &str, field: &str, value: Option<&str>) -> String {
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
fn each_field_is_judged_by_its_name() {
    for (request, field, wrong) in FIELDS {
        assert!(Request::parse(request).is_ok(), "{request}");
        for value in wrong.iter().map(|value| Some(*value)).chain([None, Some("null")]) {
            let text = with(request, field, value);
            let bad = refused(&text, Some(7), RejectCode::BadField, Some(*field));
            assert!(bad.reject.detail.is_some(), "{text}");
        }
    }
}

#[test]
fn what_is_optional_may_be_null_or_absent_but_not_wrong() {
    for (request, field, wrong) in OPTIONAL {
        for value in *wrong {
            refused(&with(request, field, Some(value)), Some(7), RejectCode::BadField, Some(*field));
        }
        let absent = Request::parse(&with(request, field, None)).unwrap();
        let null = Request::parse(&with(request, field, Some("null"))).unwrap();
        assert_eq!(absent.to_json(), null.to_json());
        assert_ne!(absent.to_json(), Request::parse(request).unwrap().to_json());
    }
}

/// The tables above hold every field that there is.
#[test]
fn no_field_goes_without_a_table() {
    for request in
        [HELLO, SEEK, CREATE, JOIN, WATCH, RESUME, SYNC, MOVE, OFFER, ACCEPT, DECLINE, CLAIM, REMARK]
    {
        let parsed: serde_json::Map<String, serde_json::Value> = serde_json::from_str(request).unwrap();
        for field in parsed.keys().filter(|field| !["type", "id"].contains(&field.as_str())) {
            let mut tables = FIELDS.iter().chain(OPTIONAL);
            assert!(tables.any(|(of, known, _)| *of == request && known == field), "{field} of {request}");
        }
    }
}

#[test]
fn unknown_fields_are_passed_over() {
    for request in
        [HELLO, SEEK, CREATE, JOIN, WATCH, RESUME, SYNC, MOVE, OFFER, ACCEPT, DECLINE, CLAIM, REMARK]
    {
        let more = r#","later":{"cell":[1,{"id":2}]},"Cell":-1,"":"","x":1e300}"#;
        let text = format!("{}{more}", request.strip_suffix('}').unwrap());
        read_as(&text, &Request::parse(request).unwrap().to_json());
    }
}

#[test]
fn what_people_type_is_read_as_they_meant_it() {
    let join = |room: &str| format!(r#"{{"type":"join","id":7,"room":"{room}"}}"#);
    let code = r#"{"id":7,"type":"join","room":"0a1b-2c3d-4e5f"}"#;
    for typed in [
        "0a1b-2c3d-4e5f",
        "0A1B2C3D4E5F",
        "OaiB-2c3D-4E5f",
        "oalb2c3d4e5f",
        "0-a-1-b-2c3d4e5f",
        "-0a1b2c3d4e5f-",
    ] {
        read_as(&join(typed), code);
    }
    for typed in ["k7qf3mzx", "K7QF3MZX", "k7qf-3mzx"] {
        read_as(&join(typed), r#"{"id":7,"type":"join","room":"k7qf3mzx"}"#);
    }
    let token = "2dpnwxmgr54gck3ecaadybb1f2";
    for typed in [token.to_uppercase(), token.replace('1', "l"), format!("{}-{}", &token[..5], &token[5..])] {
        read_as(
            &with(RESUME, "token", Some(&format!("{typed:?}"))),
            &Request::parse(RESUME).unwrap().to_json(),
        );
    }
    let seek = |rules: &str| Request::parse(&with(SEEK, "rules", Some(&format!("{rules:?}")))).unwrap();
    for (typed, text) in [
        ("tictactoe", "3x3:3"),
        ("Connect4", "7x6:4+gravity"),
        ("7X6:4+EXACT+gravity", "7x6:4+gravity+exact"),
        ("03x003:3", "3x3:3"),
    ] {
        assert!(seek(typed).to_json().contains(&format!(r#""rules":"{text}""#)), "{typed}");
    }
    for (typed, text) in [("60s+0", "1+0"), ("90s+0", "90s+0"), ("05+03", "5+3")] {
        let seek = Request::parse(&with(SEEK, "clock", Some(&format!("{typed:?}")))).unwrap();
        assert!(seek.to_json().contains(&format!(r#""clock":"{text}""#)), "{typed}");
    }
    let hello = Request::parse(&with(HELLO, "name", Some(r#""  Ann   B. ""#))).unwrap();
    assert!(hello.to_json().contains(r#""name":"Ann B.""#));
}

/// The order of fields, blanks and escapes are JSON's affair.
#[test]
fn json_may_be_written_in_any_way() {
    for text in [
        r#"{"id":7,"seq":4,"cell":4,"type":"move"}"#,
        " \t\r\n{ \"type\" : \"move\" , \"id\" : 7 , \"cell\" : 4 , \"seq\" : 4 }\n",
        r#"{"\u0074ype":"m\u006fve","id":7,"cell":4,"seq":4}"#,
    ] {
        read_as(text, r#"{"id":7,"type":"move","cell":4,"seq":4}"#);
    }
}

/// Whether a cell is on the board and a version known is not for the parser to say.
#[test]
fn what_only_the_server_can_judge_is_let_through() {
    read_as(&with(MOVE, "cell", Some("65535")), r#"{"id":7,"type":"move","cell":65535,"seq":4}"#);
    for versions in ["[0,0]", "[9,1]", "[2,65535]"] {
        assert!(Request::parse(&with(HELLO, "versions", Some(versions))).is_ok());
    }
}

fn rules() -> impl Strategy<Value = Rules> {
    let named = Rules::NAMED.iter().map(|(_, text)| text.parse().unwrap()).collect::<Vec<Rules>>();
    let sizes = (proptest::collection::vec(1..=5_u8, 1..=4), 1..=5_u8, any::<[bool; 3]>());
    let any = sizes.prop_filter_map("a line that fits", |(sides, line, [gravity, misere, exact])| {
        let mut rules = Rules::new(&sides, line).ok()?;
        if gravity && sides.len() > 1 {
            rules = rules.with_gravity().ok()?;
        }
        if misere {
            rules = rules.with_misere();
        }
        Some(if exact { rules.with_exact() } else { rules })
    });
    prop_oneof![proptest::sample::select(named), any]
}

fn clock() -> impl Strategy<Value = Option<TimeControl>> {
    let control = (1..=TimeControl::MAX_BASE_S, 0..=TimeControl::MAX_INCREMENT_S);
    proptest::option::of(control.prop_map(|(base, increment)| TimeControl::new(base, increment).unwrap()))
}

fn hello() -> impl Strategy<Value = Hello> {
    let name = "[a-z]([a-zа-яぁ-ん\"\\\\'é] ?){0,10}";
    let name = name.prop_filter_map("a name", |name| name.parse::<Name>().ok());
    let kind = proptest::sample::select(vec![Kind::Human, Kind::Bot]);
    let party = proptest::option::of(any::<u128>().prop_map(Party::from_bits));
    (any::<[u16; 2]>(), name, kind, proptest::option::of(".{0,64}"), party)
        .prop_map(|(versions, name, kind, client, party)| Hello { versions, name, kind, client, party })
}

fn body() -> impl Strategy<Value = Body> {
    let seq = || (0..=RequestId::MAX).prop_map(Seq::new);
    let seat = || proptest::option::of(proptest::sample::select(Seat::ALL.to_vec()));
    let offer = || proptest::sample::select(Offer::ALL.to_vec());
    let id = || any::<u64>().prop_map(RoomId::from_bits);
    let room = || {
        let code = any::<u64>().prop_map(|bits| RoomRef::Code(Code::from_bits(bits)));
        prop_oneof![id().prop_map(RoomRef::Id), code]
    };
    let token = any::<u128>().prop_map(ResumeToken::from_bits);
    let lobby =
        prop_oneof![
            (rules(), clock(), seat()).prop_map(|(rules, clock, seat)| Lobby::Seek { rules, clock, seat }),
            Just(Lobby::Cancel),
            (rules(), clock(), seat(), any::<bool>())
                .prop_map(|(rules, clock, seat, public)| Lobby::Create { rules, clock, seat, public }),
            room().prop_map(|room| Lobby::Join { room }),
            (room(), any::<bool>()).prop_map(|(room, remarks)| Lobby::Watch { room, remarks }),
            (id(), token, proptest::option::of(seq())).prop_map(|(room, token, seq)| Lobby::Resume {
                room,
                token,
                seq
            }),
            seq().prop_map(|seq| Lobby::Sync { seq }),
            Just(Lobby::Leave),
            Just(Lobby::List),
        ];
    let command = prop_oneof![
        (any::<u16>(), seq()).prop_map(|(cell, seq)| Command::Move { cell: Cell::new(cell), seq }),
        Just(Command::Resign),
        offer().prop_map(|offer| Command::Offer { offer }),
        offer().prop_map(|offer| Command::Accept { offer }),
        offer().prop_map(|offer| Command::Decline { offer }),
        Just(Command::Claim { result: Claim::Win }),
        Just(Command::Claim { result: Claim::Draw }),
        Just(Command::Flag),
    ];
    prop_oneof![
        1 => hello().prop_map(Body::Hello),
        4 => lobby.prop_map(Body::Lobby),
        4 => command.prop_map(Body::Command),
        1 => remark().prop_map(Body::Remark),
    ]
}

fn remark() -> impl Strategy<Value = Remark> {
    let plies = || 1..=Score::MAX_PLIES;
    let score = prop_oneof![
        plies().prop_map(Score::Win),
        plies().prop_map(Score::Loss),
        Just(Score::Draw),
        (-Score::MAX_ESTIMATE..=Score::MAX_ESTIMATE).prop_map(Score::Estimate),
    ];
    let line = proptest::collection::vec(any::<u16>().prop_map(Cell::new), 0..=Remark::MAX_LINE);
    ((0..=RequestId::MAX).prop_map(Seq::new), score, line).prop_map(|(seq, score, line)| Remark {
        seq,
        score,
        line,
    })
}

fn request() -> impl Strategy<Value = Request> {
    (0..=RequestId::MAX, body()).prop_map(|(id, body)| Request { id: RequestId::new(id).unwrap(), body })
}

/// JSON of any shape under the keys that requests have.
fn odd_object() -> impl Strategy<Value = String> {
    let keys = [
        "type", "id", "versions", "name", "kind", "client", "rules", "clock", "seat", "public", "room",
        "token", "seq", "cell", "offer", "result", "remarks", "score", "line",
    ];
    let words =
        ["hello", "seek", "create", "join", "resume", "move", "offer", "claim", "list", "flag", "remark"];
    let value = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|flag| flag.to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| number.to_string()),
        any::<String>().prop_map(|text| serde_json::Value::from(text).to_string()),
        proptest::collection::vec(any::<u16>(), 0..4).prop_map(|numbers| format!("{numbers:?}")),
        proptest::sample::select(words.to_vec()).prop_map(|word| format!("{word:?}")),
    ];
    proptest::collection::vec((proptest::sample::select(keys.to_vec()), value), 0..8).prop_map(|fields| {
        let fields: Vec<String> = fields.into_iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
        format!("{{{}}}", fields.join(","))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_request_round_trips(request in request()) {
        let text = request.to_json();
        let again = Request::parse(&text).unwrap();
        prop_assert_eq!(again.id, request.id);
        prop_assert_eq!(again.to_json(), text);
    }

    #[test]
    fn no_text_is_too_odd(text in any::<String>()) {
        prop_assert!(Request::parse(&text).is_err());
    }

    #[test]
    fn no_object_is_too_odd(text in odd_object()) {
        match Request::parse(&text) {
            Ok(request) => prop_assert!(Request::parse(&request.to_json()).is_ok()),
            Err(bad) => prop_assert!(bad.reject.field.is_some() || bad.reject.code == RejectCode::BadMessage),
        }
    }

    /// A request cut short is none; with a character exchanged it is another one or none.
    #[test]
    fn no_damage_is_too_odd(request in request(), at in any::<prop::sample::Index>(), with in any::<char>()) {
        let text = request.to_json();
        let letters: Vec<char> = text.chars().collect();
        let at = at.index(letters.len());
        let cut: String = letters[..at].iter().collect();
        prop_assert!(Request::parse(&cut).is_err());
        let mut exchanged = letters;
        exchanged[at] = with;
        if let Ok(other) = Request::parse(&exchanged.into_iter().collect::<String>()) {
            prop_assert!(Request::parse(&other.to_json()).is_ok());
        }
    }
}
