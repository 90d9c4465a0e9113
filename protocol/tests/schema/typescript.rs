//! Types for TypeScript, from the part of JSON Schema that `schemas.json` uses.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

/// Returns one declaration for each definition of the schemas, in alphabetical order.
///
/// # Panics
/// If a schema has a keyword that this function does not handle.
pub(super) fn declarations(schemas: &Value) -> String {
    let mut text = format!(
        "// {}. Written by a test from schemas.json: see README.md beside this folder.\n",
        schemas["title"].as_str().expect("a title")
    );
    for (name, schema) in sorted(&schemas["$defs"]) {
        let description = schema["description"]
            .as_str()
            .unwrap_or_else(|| panic!("{name} has no description"));
        write!(text, "\n/** {description} */\n").expect("a string takes all text");
        if schema["type"] == "object" {
            writeln!(text, "export interface {name} {}", object_type(schema))
                .expect("a string takes all text");
        } else {
            writeln!(text, "export type {name} = {};", type_of(schema))
                .expect("a string takes all text");
        }
    }
    text
}

fn sorted(object: &Value) -> BTreeMap<&String, &Value> {
    object.as_object().into_iter().flatten().collect()
}

fn object_type(schema: &Value) -> String {
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let mut text = "{\n".to_owned();
    for (field, schema) in sorted(&schema["properties"]) {
        let optional = if required.iter().any(|name| name == field) {
            ""
        } else {
            "?"
        };
        writeln!(text, "  {field}{optional}: {};", type_of(schema))
            .expect("a string takes all text");
    }
    text + "}"
}

fn type_of(schema: &Value) -> String {
    if let Some(target) = schema["$ref"].as_str() {
        return target.rsplit('/').next().expect("a name").to_owned();
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    let union = |parts: Vec<String>| parts.join(" | ");
    if let Some(values) = schema["enum"].as_array() {
        return union(values.iter().map(Value::to_string).collect());
    }
    if let Some(schemas) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        return union(schemas.iter().map(type_of).collect());
    }
    match schema["type"].as_str() {
        Some("string") => "string".to_owned(),
        Some("integer") => "number".to_owned(),
        Some("boolean") => "boolean".to_owned(),
        Some("null") => "null".to_owned(),
        Some("array") => match schema["prefixItems"].as_array() {
            Some(items) => format!(
                "[{}]",
                items.iter().map(type_of).collect::<Vec<_>>().join(", ")
            ),
            None => format!("Array<{}>", type_of(&schema["items"])),
        },
        other => panic!("no rule for {other:?} in {schema}"),
    }
}
