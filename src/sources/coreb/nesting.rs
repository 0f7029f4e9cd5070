//! The two forms of a published record, and the bytes that its authors' tools write.
//!
//! Both ways are without loss: values keep their type and spelling (`1.0` stays a float, null stays
//! null), keys keep their order.

use serde_json::{Map, Value};

const PREFIX: &str = "meta_";
const META: &str = "meta";

/// The hub's form: `meta.x` becomes `meta_x`, in the place of `meta`.
#[must_use]
pub fn flatten(record: Value) -> Value {
    let Value::Object(fields) = record else { return record };
    let mut flat = Map::new();
    for (key, value) in fields {
        match value {
            Value::Object(meta) if key == META => {
                flat.extend(meta.into_iter().map(|(name, value)| (format!("{PREFIX}{name}"), value)));
            }
            value => {
                flat.insert(key, value);
            }
        }
    }
    Value::Object(flat)
}

/// The paper's form: all `meta_*` columns become one `meta` object, after the other fields. A record
/// without such a column is the same in both forms.
#[must_use]
pub fn unflatten(record: Value) -> Value {
    let Value::Object(fields) = record else { return record };
    let mut nested = Map::new();
    let mut meta = Map::new();
    for (key, value) in fields {
        match key.strip_prefix(PREFIX) {
            Some(name) => meta.insert(name.to_owned(), value),
            None => nested.insert(key, value),
        };
    }
    if !meta.is_empty() {
        nested.insert(META.to_owned(), Value::Object(meta));
    }
    Value::Object(nested)
}

/// One line as `json.dumps(record, ensure_ascii=False)` writes it.
///
/// # Panics
/// Never: a value can always be written to memory.
#[must_use]
pub fn line(record: &Value) -> String {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Spaced);
    serde::Serialize::serialize(record, &mut serializer).expect("a value can be written to memory");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// A space after each comma and colon.
struct Spaced;

impl serde_json::ser::Formatter for Spaced {
    fn begin_array_value<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + std::io::Write>(&mut self, writer: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + std::io::Write>(&mut self, writer: &mut W) -> std::io::Result<()> {
        writer.write_all(b": ")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FLAT: &str = r#"{"text_id": "t1", "text": "a\nb \"é\"", "length": 3, "meta_problem": "p", "meta_variation": 1.0, "meta_none": null, "meta_models": ["a", "b"], "meta_empty": []}"#;

    #[test]
    fn a_flat_record_becomes_nested_and_flat_again_byte_by_byte() {
        let flat: Value = serde_json::from_str(FLAT).unwrap();
        let nested = unflatten(flat.clone());
        assert_eq!(nested["meta"]["variation"].to_string(), "1.0");
        assert!(nested["meta"]["none"].is_null() && nested.get("meta_none").is_none());
        assert_eq!(line(&flatten(nested.clone())), FLAT);
        assert_eq!(unflatten(flatten(nested.clone())), nested);
    }

    fn leaf() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9_f64).prop_map(Value::from),
            ".*".prop_map(Value::from),
            prop::collection::vec(".*".prop_map(Value::from), 0..3).prop_map(Value::from),
        ]
    }

    proptest! {
        #[test]
        fn neither_way_loses_anything(
            fields in prop::collection::vec(("[a-z]{1,4}_x", leaf()), 0..6),
            meta in prop::collection::vec(("[a-z_]{1,6}", leaf()), 0..6),
        ) {
            let meta = meta.into_iter().map(|(key, value)| (format!("meta_{key}"), value));
            let fields = fields.into_iter().filter(|(key, _)| !key.starts_with("meta"));
            let flat = Value::Object(fields.chain(meta).collect());
            let nested = unflatten(flat.clone());
            prop_assert_eq!(line(&flatten(nested.clone())), line(&flat));
            prop_assert_eq!(line(&unflatten(flatten(nested.clone()))), line(&nested));
            let read: Value = serde_json::from_str(&line(&flat)).unwrap();
            prop_assert_eq!(line(&read), line(&flat));
        }
    }
}
