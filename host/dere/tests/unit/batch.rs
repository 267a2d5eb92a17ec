//! Events beside one another, and the document of a batch.

use super::sample::{BASE, all, drafted, id_of, kind, reopening, signed};
use dere::batch::{LAYOUT, MAX_EVENTS, Member, between, envelope};
use markup::layout::Layout;
use serde_json::{Value, json};

fn member(code: &str, data: &Value) -> Option<Member> {
    let xml = drafted(code, data).xml.expect("a document");
    Some(Member::of(kind(code), &xml).expect("an event"))
}

fn plain(code: &str) -> Option<Member> {
    let data = match code {
        "D-1198" => reopening(),
        _ => json!({}),
    };
    member(code, &data)
}

/// Places and rules of what is wrong.
fn faults(members: &[Option<Member>]) -> Vec<(String, String)> {
    let faults = between(members).into_iter().flatten();
    faults.map(|fault| (fault.campo, fault.codigo)).collect()
}

#[test]
fn the_usual_order_is_right() {
    let month = ["D-1001", "D-1011", "D-1101", "D-1106", "D-1121", "D-1199"];
    assert_eq!(faults(&month.map(plain)), []);
    let again = ["D-1199", "D-1198", "D-1121", "D-1198"];
    assert_eq!(faults(&again.map(plain)), []);
    assert_eq!(faults(&[None, plain("D-1101"), None]), []);
}

#[test]
fn tables_come_first_and_the_closing_last() {
    let out_of_order = |index: usize| (format!("eventos[{index}]"), "fora_de_ordem".to_owned());
    let table = ["D-1101", "D-1001"].map(plain);
    assert_eq!(faults(&table), [out_of_order(1)]);
    let closed = ["D-1199", "D-1101", "D-1121"].map(plain);
    assert_eq!(faults(&closed), [out_of_order(1), out_of_order(2)]);
}

#[test]
fn an_inclusion_is_the_only_one_of_its_period() {
    let twice = ["D-1101", "D-1106", "D-1101"].map(plain);
    assert_eq!(
        faults(&twice),
        [("eventos[2]".to_owned(), "repetido".to_owned())]
    );
    let receipt = "1101-202610-0000000000000000001";
    let change = json!({ "ideEvento": { "tpOper": "2", "nrRecibo": receipt } });
    let changed = [
        plain("D-1101"),
        member("D-1101", &change),
        member("D-1101", &change),
    ];
    assert_eq!(faults(&changed), []);
}

#[test]
fn the_document_of_a_batch_is_accepted_by_its_layout() {
    let layout = Layout::get(LAYOUT).expect("a layout");
    let events = all().map(|(code, data)| {
        let id = id_of(kind(code));
        let xml = drafted(code, &data).xml.expect("a document");
        (signed(&xml, &id), id)
    });
    let parts: Vec<(&str, &str)> = events.iter().map(|(xml, id)| (&**id, &**xml)).collect();
    let text = envelope(BASE, &parts);
    assert_eq!(layout.validate(&text), []);
    assert!(!layout.validate(&envelope("1122233", &parts)).is_empty());
    // The most that the layout takes is what a batch takes.
    let many = |count: usize| {
        let ids: Vec<String> = (0..count).map(|number| format!("e{number}")).collect();
        let parts: Vec<(&str, &str)> = ids.iter().map(|id| (&**id, "<a/>")).collect();
        layout.validate(&envelope(BASE, &parts)).len()
    };
    assert_eq!(many(MAX_EVENTS), 0);
    assert_ne!(many(MAX_EVENTS + 1), 0);
}
