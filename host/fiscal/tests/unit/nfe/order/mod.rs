//! The request's schema, and what is absent of it.

mod codes;

use fiscal::nfe::order::Pedido;

#[test]
fn the_schema_names_every_group_once() {
    let schema = schemars::schema_for!(Pedido).to_value();
    let names = schema["$defs"].as_object().map_or(0, serde_json::Map::len);
    assert!(names > 70, "{names}");
    assert!(schema["properties"]["itens"].is_object());
}

#[test]
fn what_is_absent_is_not_written() {
    let empty = serde_json::to_value(Pedido::default()).expect("json");
    assert_eq!(empty, serde_json::json!({}));
}
