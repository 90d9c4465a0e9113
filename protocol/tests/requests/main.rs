//! What is a request, what is not, and what is then said: tables of texts and refusals.

mod any;
mod fields;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{BadRequest, MAX_REQUEST_BYTES, RejectCode, Request};

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
