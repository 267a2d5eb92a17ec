//! Documents that we did not write, and libxml2 with the official schemas.

use super::sample::{all, drafted, id_of, kind, signed};
use dere::event::judge;
use markup::layout::Layout;
use markup::xml::Document;
use std::path::Path;
use std::process::Command;

/// Package of the schemas in a collection.
const PACKAGE: &str = "dere/v1_2_0";

#[test]
fn the_official_samples_are_accepted_but_for_their_signature() {
    let Some(folder) = judges::shared("facts/dere") else {
        return;
    };
    for (file, code) in [("d1001.xml", "D-1001"), ("d1101.xml", "D-1101")] {
        let text = std::fs::read_to_string(folder.join(file)).expect(file);
        let kind = kind(code);
        let layout = Layout::get(kind.layout).expect("a layout");
        assert_eq!(judge(kind, &text, false), [], "{file}");
        let missing = layout.validate(&text);
        assert_eq!(missing.len(), 1, "{file}: {missing:?}");
        assert_eq!(missing[0].caminho, "Signature");
        for (from, to) in [("<tpAmb>2", "<tpAmb>3"), ("<tpOper>1", "<tpOper>9")] {
            let wrong = text.replacen(from, to, 1);
            assert_ne!(wrong, text);
            assert_eq!(judge(kind, &wrong, false).len(), 1, "{file} {to}");
        }
    }
    let batch = std::fs::read_to_string(folder.join("lote.xml")).expect("a batch");
    let layout = Layout::get(dere::batch::LAYOUT).expect("a layout");
    // What stands for the event in the sample is a comment.
    let filled = batch.replace("<!--", "<DeRE/><!--");
    assert_eq!(layout.validate(&filled), []);
    assert!(!layout.validate(&batch).is_empty());
}

/// What libxml2 says of a document: nothing, if the schema accepts it.
fn libxml2(schema: &Path, text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("event.xml");
    std::fs::write(&file, text).expect("a file");
    let output = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .args([schema, &file])
        .output()
        .expect("xmllint runs");
    if output.status.success() {
        return String::new();
    }
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn libxml2_says_the_same_of_what_is_written() {
    let Some(schemas) = judges::collection(PACKAGE) else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let (mut changed, mut both_refused) = (0, 0);
    for (code, data) in all() {
        let kind = kind(code);
        let schema = schemas
            .join(PACKAGE)
            .join(format!("{}-{}.xsd", kind.element, kind.version));
        let xml = drafted(code, &data).xml.expect("a document");
        let text = signed(&xml, &id_of(kind));
        assert_eq!(libxml2(&schema, &text), "", "{code}");
        let layout = Layout::get(kind.layout).expect("a layout");
        let doc = Document::parse(&text).expect("XML");
        for element in doc
            .elements()
            .skip(1)
            .filter(|element| element.namespace() == doc.root().namespace())
        {
            let span = element.span();
            let mut mutants = vec![format!("{}{}", &text[..span.start], &text[span.end..])];
            if let Some(inside) = element.content_span()
                && element.children().next().is_none()
            {
                mutants.push(format!("{}~{}", &text[..inside.start], &text[inside.end..]));
            }
            for mutant in mutants {
                let (ours, theirs) = (layout.validate(&mutant), libxml2(&schema, &mutant));
                assert_eq!(
                    ours.is_empty(),
                    theirs.is_empty(),
                    "{code} {}: {ours:?} {theirs}",
                    element.name()
                );
                changed += 1;
                if let Some(first) = ours.first() {
                    both_refused += 1;
                    same_place(first, &theirs);
                }
            }
        }
    }
    assert!(
        changed > 300 && both_refused > 150,
        "{changed} changed, {both_refused} refused"
    );
}

/// libxml2 names the element that is wrong, or the one around, or the next
/// after what is missing, with what it expected.
fn same_place(ours: &markup::layout::LayoutError, theirs: &str) {
    let name = ours.caminho.rsplit('/').next().unwrap_or_default();
    let name = name.split('[').next().unwrap_or_default();
    assert!(theirs.contains(name), "{ours:?}\n{theirs}");
}
