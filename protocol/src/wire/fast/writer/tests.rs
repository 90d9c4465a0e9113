use std::collections::BTreeMap;

use serde::Serialize;

use super::*;

#[derive(Serialize)]
enum Shape {
    Unit,
    Newtype(i8),
    Tuple(u8, Option<u16>),
    Struct { a: i64, b: () },
}

#[derive(Serialize)]
struct Pair(u32, char);

#[derive(Serialize)]
struct Empty {}

fn check(value: &(impl Serialize + ?Sized)) {
    assert_eq!(to_json(value), serde_json::to_string(value).unwrap());
}

#[test]
fn every_shape_is_written_as_serde_json_writes_it() {
    check(&[Shape::Unit, Shape::Newtype(-128), Shape::Tuple(0, None), Shape::Tuple(9, Some(10))]);
    check(&Shape::Struct { a: i64::MIN, b: () });
    check(&(Pair(u32::MAX, '"'), Pair(0, 'é'), Empty {}, u64::MAX, i64::MAX, true, false));
    check(&BTreeMap::from([("one \\ key", vec![1, 2]), ("", vec![])]));
    check(&format_args!("text \"in\" {} parts\n", 3));
}

#[test]
fn every_character_is_written_as_serde_json_writes_it() {
    for text in (0..=0x2ff).filter_map(char::from_u32) {
        check(&format!("{text}"));
        check(&format!("a{text}b{text}{text}"));
    }
    check("🦀 \u{2028} \u{feff}");
}

#[test]
fn fractions_and_other_keys_are_rejected() {
    let mut text = Vec::new();
    let mut writer = JsonWriter(&mut text);
    assert!(0.5.serialize(&mut writer).is_err());
    assert!(BTreeMap::from([(1, 2)]).serialize(&mut writer).is_err());
}
