use std::collections::HashMap;
use store::ids::{EmitterId, NotaId, RequestId};
use store::words::{Maybe, Model};

const NOW_MS: i64 = 1_790_000_000_000;

#[test]
fn a_new_id_has_the_prefix_of_its_table() {
    let id = EmitterId::new(NOW_MS);
    assert!(id.starts_with("emi_"), "{id}");
    assert_eq!(id.moment(), Some(NOW_MS));
    assert!(EmitterId::floor(NOW_MS) <= id);
    assert_eq!(EmitterId::from("crt_1").moment(), None);
    assert!(EmitterId::is(&id) && !RequestId::is(&id) && !EmitterId::is("emission"));
    let several = RequestId::several(NOW_MS, 3);
    assert!(several.len() == 3 && several.is_sorted());
    for model in Model::ALL {
        let id = NotaId::new(*model, NOW_MS);
        assert!(Model::is_nota(&id), "{id}");
    }
}

#[test]
fn an_id_is_its_text_everywhere() {
    let id = EmitterId::from("emi_1");
    assert_eq!(id, "emi_1");
    assert_eq!(format!("{id} {id:?} {id:>6}"), "emi_1 \"emi_1\"  emi_1");
    let json = serde_json::json!(id);
    assert_eq!(json, "emi_1");
    assert_eq!(serde_json::from_value::<EmitterId>(json).expect("text"), id);
    let map = HashMap::from([(id, 1)]);
    assert_eq!(map.get("emi_1"), Some(&1));
    let schema = |schema: schemars::Schema| serde_json::json!(schema);
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Typed {
        id: EmitterId,
        maybe: Option<EmitterId>,
    }
    #[derive(schemars::JsonSchema)]
    #[schemars(rename = "Typed")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Text {
        id: String,
        maybe: Option<String>,
    }
    assert_eq!(
        schema(schemars::schema_for!(Typed)),
        schema(schemars::schema_for!(Text))
    );
}

#[test]
fn the_empty_text_is_no_id_where_a_column_may_be_empty() {
    let none = Maybe::<EmitterId>::default();
    assert_eq!((none.as_str(), none.as_ref()), ("", None));
    assert_eq!(serde_json::json!(none), "");
    for text in ["", "emi_1"] {
        let json = serde_json::json!(text);
        let read = serde_json::from_value::<Maybe<EmitterId>>(json).expect("text");
        assert_eq!(read.as_str(), text);
        assert_eq!(read.is_some(), !text.is_empty());
    }
}
