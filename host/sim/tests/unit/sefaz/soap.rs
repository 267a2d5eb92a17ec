//! The document inside of an envelope.

use sim::sefaz::soap::{alone, edited};
use sim::xml::parse;

#[test]
fn spaces_between_tags_are_found() {
    assert!(!edited("<a><b>x y</b><c/><d> </d></a>"));
    assert!(edited("<a> <b/></a>"));
    assert!(edited("<a><b/>\n</a>"));
    assert!(edited("<a><b>x</b>\r\n<c/></a>"));
}

#[test]
fn an_inherited_namespace_is_written() {
    let text = "<x xmlns=\"u\"><NFe><a/></NFe></x>";
    let root = parse(text).expect("xml");
    let nfe = root.child("NFe").expect("child");
    assert_eq!(alone(nfe.source(text), nfe), "<NFe xmlns=\"u\"><a/></NFe>");
}
