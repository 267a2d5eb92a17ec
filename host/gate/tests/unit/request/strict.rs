use gate::request::strict::Strict;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Group {
    text: Option<String>,
    small: Option<u8>,
    group: Option<Box<Group>>,
    list: Vec<Group>,
    word: Option<Word>,
    free: Map<String, Value>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    One,
}

fn read(value: Value) -> Result<Group, String> {
    Group::deserialize(Strict(value)).map_err(|error| error.to_string())
}

#[test]
fn what_is_well_formed_is_read_as_the_json_library_does() {
    for value in [
        json!({}),
        json!({ "text": "x", "small": 255, "word": "one", "list": [{ "small": 0 }] }),
        json!({ "group": { "group": {} } }),
        json!({ "free": { "a": [1.50, true, { "b": "c" }], "n": 12_345_678_901_234_567_890_u64 } }),
    ] {
        let expected: Group = serde_json::from_value(value.clone()).expect("a group");
        assert_eq!(read(value.clone()).as_ref(), Ok(&expected), "{value}");
    }
    let exact: Value =
        serde_json::from_str("{\"free\":{\"v\":0.10000000000000000001}}").expect("JSON");
    let group = read(exact).expect("a group");
    assert_eq!(group.free["v"].to_string(), "0.10000000000000000001");
}

#[test]
fn a_list_is_no_object_at_any_depth() {
    for value in [
        json!([]),
        json!({ "group": [] }),
        json!({ "list": [["x"]] }),
        json!({ "list": [null] }),
        json!({ "list": {} }),
        json!({ "group": { "group": ["x", 1] } }),
        json!({ "word": { "one": null } }),
        json!({ "free": [] }),
        json!({ "text": ["x"] }),
        json!({ "text": 1 }),
        json!({ "small": "1" }),
        json!({ "small": 256 }),
    ] {
        assert!(read(value.clone()).is_err(), "{value}");
    }
}

#[test]
fn a_null_is_an_absent_member_if_the_member_is_known() {
    let nulls = json!({ "text": null, "list": null, "free": { "a": null, "b": { "c": null } } });
    let group = read(nulls).expect("a group");
    assert_eq!(group.list, []);
    assert_eq!(Value::Object(group.free), json!({ "b": {} }));
    let mut unknown = Vec::new();
    let value = Strict(json!({ "zz": null, "group": { "yy": null, "text": null } }));
    let read: Group =
        serde_ignored::deserialize(value, |path| unknown.push(path.to_string())).expect("a group");
    assert_eq!(read.text, None);
    unknown.sort();
    assert_eq!(unknown, ["group.?.yy", "zz"]);
}
