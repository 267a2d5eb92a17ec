mod ids;

use store::words::{Model, UnknownWord};

#[test]
fn a_word_is_the_same_everywhere() {
    for model in Model::ALL {
        let word = model.as_str();
        assert_eq!(word.parse(), Ok(*model));
        assert_eq!(model.to_string(), word);
        let json = serde_json::json!(model);
        assert_eq!(json, word);
        assert_eq!(
            serde_json::from_value::<Model>(json).expect("a word"),
            *model
        );
        assert_eq!(
            serde_json::from_str::<Model>(&format!("{word:?}")).expect("a word"),
            *model
        );
    }
}

#[test]
fn another_text_is_an_error() {
    let unknown = UnknownWord {
        of: "Model",
        word: "59".to_owned(),
    };
    assert_eq!("59".parse::<Model>(), Err(unknown));
    for word in ["", " 55", "NFSE", "nfe"] {
        assert!(word.parse::<Model>().is_err(), "{word:?}");
    }
    let error = serde_json::from_str::<Model>("\"59\"").expect_err("no model of ours");
    assert!(
        error.to_string().contains("`nfse`, `55`, `65`, `57`, `58`"),
        "{error}"
    );
}

#[test]
fn a_schema_lists_the_words() {
    let schema = schemars::schema_for!(Model);
    assert_eq!(
        schema.get("enum"),
        Some(&serde_json::json!(["nfse", "55", "65", "57", "58"]))
    );
    assert_eq!(schema.get("type"), Some(&serde_json::json!("string")));
}
