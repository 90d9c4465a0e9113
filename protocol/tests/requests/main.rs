//! Valid and invalid requests: tables of texts and rejects.

mod fields;
mod proptests;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{BadRequest, MAX_REQUEST_BYTES, RejectCode, Request};

/// Checks the reject of a text: request id, code and field.
fn expect_reject(text: &str, re: Option<u64>, code: RejectCode, field: Option<&str>) -> BadRequest {
    let excerpt = text.chars().take(80).collect::<String>();
    let rejected = Request::parse(text)
        .map(|request| request.to_json())
        .expect_err(&excerpt);
    assert_eq!(rejected.re.map(RequestId::get), re, "id of {excerpt}");
    assert_eq!(
        (rejected.reject.code, rejected.reject.field.as_deref()),
        (code, field),
        "{excerpt}"
    );
    assert_eq!(
        (
            rejected.reject.wait_ms,
            rejected.reject.seq,
            rejected.reject.versions
        ),
        (None, None, None),
        "{excerpt}"
    );
    rejected
}

/// Checks that a text is parsed as the request with this canonical JSON.
fn expect_canonical(text: &str, json: &str) {
    let request = Request::parse(text).unwrap_or_else(|rejected| panic!("{text}: {rejected:?}"));
    assert_eq!(request.to_json(), json, "{text}");
}

#[test]
fn non_objects_are_bad_messages() {
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
        let rejected = expect_reject(text, None, RejectCode::BadMessage, None);
        assert!(
            rejected.reject.detail.is_some(),
            "the message for client authors contains details"
        );
    }
}

#[test]
fn duplicate_keys_are_rejected() {
    for text in [
        r#"{"type":"list","id":1,"id":1}"#,
        r#"{"type":"list","id":1,"type":"list"}"#,
        r#"{"type":"list","id":1,"\u0069d":1}"#,
        r#"{"type":"list","id":1,"more":1,"more":2}"#,
        r#"{"type":"list","id":1,"more":null,"more":null}"#,
        r#"{"id":null,"type":"list","id":1}"#,
    ] {
        let rejected = expect_reject(text, None, RejectCode::BadMessage, None);
        assert!(rejected.reject.detail.unwrap().contains("twice"), "{text}");
    }
    // Duplicate keys are rejected in the message itself only.
    expect_canonical(
        r#"{"type":"list","id":1,"more":{"a":1,"a":2}}"#,
        r#"{"id":1,"type":"list"}"#,
    );
}

#[test]
fn field_count_and_size_are_limited() {
    let with_fields = |count: usize| {
        let more: String = (2..count)
            .map(|field| format!(r#","f{field}":null"#))
            .collect();
        format!(r#"{{"type":"list","id":1{more}}}"#)
    };
    expect_canonical(&with_fields(32), r#"{"id":1,"type":"list"}"#);
    expect_reject(&with_fields(33), None, RejectCode::BadMessage, None);

    let with_bytes = |bytes: usize| {
        let bare = r#"{"type":"list","id":1,"more":""}"#.len();
        format!(
            r#"{{"type":"list","id":1,"more":"{}"}}"#,
            "x".repeat(bytes - bare)
        )
    };
    assert_eq!(with_bytes(MAX_REQUEST_BYTES).len(), MAX_REQUEST_BYTES);
    expect_canonical(&with_bytes(MAX_REQUEST_BYTES), r#"{"id":1,"type":"list"}"#);
    expect_reject(
        &with_bytes(MAX_REQUEST_BYTES + 1),
        None,
        RejectCode::BadMessage,
        None,
    );
    // The limit is in bytes, not characters. Longer text is not parsed at all.
    expect_reject(
        &with_bytes(MAX_REQUEST_BYTES).replacen('x', "é", 1),
        None,
        RejectCode::BadMessage,
        None,
    );
    expect_reject(&"[".repeat(10_000), None, RejectCode::BadMessage, None);
    expect_reject(
        &format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)),
        None,
        RejectCode::BadMessage,
        None,
    );
    expect_reject(&" ".repeat(1_000_000), None, RejectCode::BadMessage, None);
}

/// Without a valid id the reject has none.
#[test]
fn ids_are_integers_below_2_to_the_53() {
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
        expect_reject(
            &format!(r#"{{"type":"list","id":{id}}}"#),
            None,
            RejectCode::BadField,
            Some("id"),
        );
    }
    expect_reject(r#"{"type":"list"}"#, None, RejectCode::BadField, Some("id"));
    expect_reject("{}", None, RejectCode::BadField, Some("id"));
    expect_reject(
        r#"{"type":"nothing we know","ID":1}"#,
        None,
        RejectCode::BadField,
        Some("id"),
    );
    for id in [0, 1, RequestId::MAX] {
        expect_canonical(
            &format!(r#"{{"type":"list","id":{id}}}"#),
            &format!(r#"{{"id":{id},"type":"list"}}"#),
        );
    }
}

#[test]
fn unknown_types_are_rejected() {
    for kind in [
        "",
        "List",
        "list ",
        "LIST",
        "lists",
        "welcome",
        "done",
        "moved",
        "__proto__",
        "\\u0000",
    ] {
        let text = format!(r#"{{"type":"{kind}","id":7}}"#);
        expect_reject(&text, Some(7), RejectCode::UnknownType, Some("type"));
    }
    for kind in ["null", "1", "true", "[\"list\"]", "{}"] {
        let text = format!(r#"{{"type":{kind},"id":7}}"#);
        expect_reject(&text, Some(7), RejectCode::BadField, Some("type"));
    }
    expect_reject(r#"{"id":7}"#, Some(7), RejectCode::BadField, Some("type"));
    expect_reject(
        r#"{"Type":"list","id":7}"#,
        Some(7),
        RejectCode::BadField,
        Some("type"),
    );
}
/// Order of fields, whitespace and escapes are free.
#[test]
fn json_formatting_does_not_matter() {
    for text in [
        r#"{"id":7,"seq":4,"cell":4,"type":"move"}"#,
        " \t\r\n{ \"type\" : \"move\" , \"id\" : 7 , \"cell\" : 4 , \"seq\" : 4 }\n",
        r#"{"\u0074ype":"m\u006fve","id":7,"cell":4,"seq":4}"#,
    ] {
        expect_canonical(text, r#"{"id":7,"type":"move","cell":4,"seq":4}"#);
    }
}
