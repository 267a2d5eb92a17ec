//! The catalogue against the official list of events.

use dere::catalogue::{KINDS, Named, PREVIEWS, named};
use markup::layout::Layout;

#[test]
fn the_events_are_those_of_the_official_list() {
    let Some(list) = judges::shared("facts/dere_eventos.csv") else {
        return;
    };
    let text = std::fs::read_to_string(list).expect("the list");
    let (mut taken, mut previews) = (Vec::new(), Vec::new());
    for row in text.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        match cells[0] {
            code if code.starts_with("D-1") => taken.push((code, cells[1], cells[2])),
            "" if row.contains("transacional") => previews.push((cells[1], cells[2])),
            _ => {}
        }
    }
    let ours = KINDS.map(|kind| (kind.code, kind.element, kind.version));
    assert_eq!(taken, ours);
    assert_eq!(previews, PREVIEWS);
}

#[test]
fn every_event_has_its_table_in_its_namespace() {
    for kind in KINDS {
        let layout = Layout::get(kind.layout).expect(kind.layout);
        let line = layout.text().lines().find(|line| line.starts_with("L\t"));
        let namespace = format!(
            "http://www.dere.gov.br/schemas/{}/{}",
            kind.element, kind.version
        );
        assert!(line.expect("a namespace").ends_with(&namespace));
    }
    assert!(Layout::get(dere::batch::LAYOUT).is_some());
}

#[test]
fn an_event_is_named_by_code_or_schema() {
    for kind in &KINDS {
        assert_eq!(named(kind.code), Named::Known(kind));
        assert_eq!(named(kind.element), Named::Known(kind));
    }
    assert_eq!(named("evtOperFinanc"), Named::Preview("v0_0_1"));
    for text in ["D-1000", "d-1001", "1001", "evtRetornoTabela", ""] {
        assert_eq!(named(text), Named::Unknown, "{text}");
    }
}
