//! CT-e that other programs made, where there are some among the samples: read
//! without a loss.

use freight::cte::reading::read;
use markup::xml::Document;

#[test]
fn samples_are_read_without_a_loss() {
    let samples: Vec<_> = judges::samples()
        .into_iter()
        .filter(|(_, text)| text.contains("<infCte ") && text.contains("<mod>57</mod>"))
        .collect();
    if samples.is_empty() {
        return judges::skipped("no CT-e among the samples");
    }
    for (path, text) in samples {
        let name = path.display();
        let doc = Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let read = read(&doc).unwrap_or_else(|e| panic!("{name}: {e}"));
        let values = doc
            .elements()
            .filter(|element| element.children().next().is_none())
            .filter(|element| element.namespace() == freight::cte::NAMESPACE)
            .count();
        let json = serde_json::to_value(&read).expect("JSON");
        assert!(
            leaves(&json) + 12 >= values,
            "{name}: {} of {values}",
            leaves(&json)
        );
        // What the layout does not know either may have no name of ours.
        let layout = freight::cte::frame::layout().expect("a layout");
        if layout.validate_without_signature(&text).is_empty() {
            assert_eq!(json["outros"], serde_json::Value::Null, "{name}");
        }
        assert_eq!(read.chave.len(), 44, "{name}");
    }
}

/// Values of a document.
fn leaves(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Object(members) => members.values().map(leaves).sum(),
        serde_json::Value::Array(list) => list.iter().map(leaves).sum(),
        _ => 1,
    }
}
