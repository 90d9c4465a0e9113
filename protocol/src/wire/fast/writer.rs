//! A serde `Serializer` that writes the same JSON as `serde_json` for every type of this crate.
//!
//! The names of fields and variants make up most of a message. They contain nothing to escape, so the writer copies
//! them unchecked.

#[cfg(test)]
mod tests;

use std::fmt::{self, Write};

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::Error;

/// Initial capacity in bytes: most messages fit.
const TYPICAL_LEN: usize = 256;

/// The JSON text of a message, or of a value to store.
///
/// # Panics
/// When the value has a map key that is not a string, or a fraction. No type of this crate has either.
pub fn to_json(value: &(impl Serialize + ?Sized)) -> String {
    let mut text = Vec::with_capacity(TYPICAL_LEN);
    write_json(value, &mut text);
    String::from_utf8(text).expect("the writer copies only strings")
}

/// Appends the JSON text of a value.
///
/// # Panics
/// As [`to_json`].
pub fn write_json(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    value.serialize(&mut JsonWriter(out)).expect("messages have only string keys and integers");
}

struct JsonWriter<'o>(&'o mut Vec<u8>);

impl<'o> JsonWriter<'o> {
    fn push_literal(&mut self, word: &str) {
        self.0.extend_from_slice(word.as_bytes());
    }

    fn push_u64(&mut self, number: u64) {
        let mut digits = [b'0'; 20];
        let (mut rest, mut index) = (number, digits.len());
        // Two digits per division, the slowest step.
        while rest >= 10 {
            index -= 2;
            let two = (rest % 100) as u8;
            digits[index..index + 2].copy_from_slice(&[b'0' + two / 10, b'0' + two % 10]);
            rest /= 100;
        }
        if rest > 0 || index == digits.len() {
            index -= 1;
            digits[index] += rest as u8;
        }
        self.0.extend_from_slice(&digits[index..]);
    }

    /// Appends the contents of a string, escaped where necessary.
    fn push_escaped(&mut self, text: &str) {
        // Nearly every string is plain. This loop has no branch, so the compiler vectorizes it.
        let special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
        if !text.bytes().fold(false, |any, byte| any | special(byte)) {
            return self.push_literal(text);
        }
        let mut done = 0;
        for (at, byte) in text.bytes().enumerate() {
            let short = match byte {
                b'"' => "\\\"",
                b'\\' => "\\\\",
                b'\n' => "\\n",
                b'\r' => "\\r",
                b'\t' => "\\t",
                0x08 => "\\b",
                0x0c => "\\f",
                0..0x20 => "",
                _ => continue,
            };
            self.push_literal(&text[done..at]);
            self.push_literal(short);
            if short.is_empty() {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                self.push_literal("\\u00");
                self.0.extend([HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
            done = at + 1;
        }
        self.push_literal(&text[done..]);
    }

    /// Begins an array or an object.
    fn begin_compound(&mut self, begin: &str, end: &'static str) -> Compound<'_, 'o> {
        self.push_literal(begin);
        Compound { writer: self, first: true, end }
    }

    /// Begins the object of one key that represents an enum variant with contents.
    fn begin_variant(&mut self, name: &'static str) {
        self.push_literal("{\"");
        self.push_literal(name);
        self.push_literal("\":");
    }
}

/// Escapes the output of a `Display` implementation.
struct EscapingWriter<'a, 'o>(&'a mut JsonWriter<'o>);

impl Write for EscapingWriter<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push_escaped(text);
        Ok(())
    }
}

/// An array or an object in progress.
struct Compound<'a, 'o> {
    writer: &'a mut JsonWriter<'o>,
    first: bool,
    end: &'static str,
}

impl Compound<'_, '_> {
    fn separator(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.writer.push_literal(",");
        }
    }

    fn element(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.separator();
        value.serialize(&mut *self.writer)
    }

    fn field(&mut self, name: &'static str, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        self.separator();
        self.writer.push_literal("\"");
        self.writer.push_literal(name);
        self.writer.push_literal("\":");
        value.serialize(&mut *self.writer)
    }

    fn close(self) {
        self.writer.push_literal(self.end);
    }
}

impl<'a, 'o> Serializer for &'a mut JsonWriter<'o> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a, 'o>;
    type SerializeTuple = Compound<'a, 'o>;
    type SerializeTupleStruct = Compound<'a, 'o>;
    type SerializeTupleVariant = Compound<'a, 'o>;
    type SerializeMap = Compound<'a, 'o>;
    type SerializeStruct = Compound<'a, 'o>;
    type SerializeStructVariant = Compound<'a, 'o>;

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.push_literal(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        if value < 0 {
            self.push_literal("-");
        }
        self.push_u64(value.unsigned_abs());
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        self.push_u64(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, _: f64) -> Result<(), Error> {
        Err(Error::custom("messages have no fractions"))
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.push_literal("\"");
        self.push_escaped(value);
        self.push_literal("\"");
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.push_literal("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.push_literal("\"");
        self.push_literal(variant);
        self.push_literal("\"");
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.begin_variant(variant);
        value.serialize(&mut *self)?;
        self.push_literal("}");
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a, 'o>, Error> {
        Ok(self.begin_compound("[", "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a, 'o>, Error> {
        Ok(self.begin_compound("[", "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a, 'o>, Error> {
        Ok(self.begin_compound("[", "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a, 'o>, Error> {
        self.begin_variant(variant);
        Ok(self.begin_compound("[", "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a, 'o>, Error> {
        Ok(self.begin_compound("{", "}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'a, 'o>, Error> {
        Ok(self.begin_compound("{", "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a, 'o>, Error> {
        self.begin_variant(variant);
        Ok(self.begin_compound("{", "}}"))
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.push_literal("\"");
        write!(EscapingWriter(self), "{value}").map_err(Error::custom)?;
        self.push_literal("\"");
        Ok(())
    }
}

/// Implements the serde traits for arrays (sequence, tuple, ...), which differ in the name of one method.
macro_rules! impl_array_serializers {
    ($($of:ident :: $each:ident,)+) => {$(
        impl $of for Compound<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $each<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.element(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        }
    )+};
}

impl_array_serializers! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

/// Implements the serde traits for objects with known fields (struct, struct variant), which are identical.
macro_rules! impl_object_serializers {
    ($($of:ident,)+) => {$(
        impl $of for Compound<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), Error> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        }
    )+};
}

impl_object_serializers! { SerializeStruct, SerializeStructVariant, }

impl SerializeMap for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.separator();
        let begin = self.writer.0.len();
        key.serialize(&mut *self.writer)?;
        if self.writer.0.get(begin) != Some(&b'"') {
            return Err(Error::custom("map keys must be strings"));
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.writer.push_literal(":");
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}
