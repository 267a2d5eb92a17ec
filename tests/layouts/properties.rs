//! Properties that hold for every document of every layout: what is written is
//! canonical and valid again, JSON keeps everything, one mistake is one error.

use markup::layout::Layout;
use markup::tree::{ElementContent, Node};
use markup::xml::{C14n, Document, Element, canonicalize};

use super::generator::{Plan, generate};
use super::{model, mutants};

/// Generated documents of a layout: root, text.
fn documentos(name: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(super::tables::arquivo(name)).expect("a table");
    let table = model::le(&text);
    let mut output = Vec::new();
    for (root, kind) in &table.roots {
        if root.starts_with("ds:") {
            continue;
        }
        for plan in [
            Plan {
                full: false,
                branch: 0,
            },
            Plan {
                full: true,
                branch: 0,
            },
            Plan {
                full: true,
                branch: 3,
            },
        ] {
            output.push((root.clone(), generate(&table, root, kind, plan)));
        }
    }
    output
}

fn tree(element: Element<'_>) -> Node {
    let mut output = if element.children().next().is_some() {
        Node::group(element.name().to_owned()).children(element.children().map(tree))
    } else {
        Node::field(element.name().to_owned(), element.text())
    };
    for (_, name, value) in element.attributes() {
        output = output.attribute(name.to_owned(), value);
    }
    output
}

/// A wildcard's content is in a namespace of its own, which trees do not keep.
fn has_wildcard(text: &str) -> bool {
    text.contains("urn:a")
}

fn shuffle(element: &mut Node) {
    element.attributes.reverse();
    if let ElementContent::Children(children) = &mut element.content {
        // Items of one name keep their order among themselves, as in any list.
        children.sort_by(|a, b| b.name.cmp(&a.name));
        children.iter_mut().for_each(shuffle);
    }
}

#[test]
fn what_is_written_is_canonical_and_valid() {
    for name in Layout::names() {
        let layout = Layout::get(name).expect("a layout");
        for (root, text) in documentos(name) {
            if has_wildcard(&text) || !layout.validate(&text).is_empty() {
                continue;
            }
            let doc = Document::parse(&text).expect("XML");
            let mut tree = tree(doc.root());
            // Groups that repeat as a whole cannot be told apart once mixed.
            if !text.contains("<cMsg>") && !name.starts_with("nfse") {
                shuffle(&mut tree);
            }
            let written = layout
                .write(&tree)
                .unwrap_or_else(|erros| panic!("{name} {root}: {erros:?}"));
            let erros = layout.validate(&written.xml);
            assert!(erros.is_empty(), "{name} {root}: {:?}", erros.first());
            let canonical = canonicalize(&doc, doc.document(), C14n::Inclusive, None);
            assert_eq!(written.xml, canonical, "{name} {root}");
        }
    }
}

/// What is judged while it is written is judged as what is written and then read: generated
/// documents of every layout, in order and not, and mutants of some.
#[test]
fn judging_while_writing_is_judging_what_was_written() {
    const MUTATED: [&str; 5] = [
        "nfe-010f",
        "cte-4.00",
        "nfse-1.01",
        "evento-110110",
        "consSitNFe-4.00",
    ];
    const MUTANTS: usize = 12;
    let same = |layout: &Layout, root: &str, tree: &Node| {
        let apart = layout.write(tree).map(|written| {
            let errors = layout.validate_without_signature(&written.xml);
            (written, errors)
        });
        let name = layout.name();
        assert_eq!(layout.validate_and_write(tree), apart, "{name} {root}");
    };
    for name in Layout::names() {
        let layout = Layout::get(name).expect("a layout");
        for (root, text) in documentos(name) {
            let doc = Document::parse(&text).expect("XML");
            let mut right = tree(doc.root());
            same(layout, &root, &right);
            shuffle(&mut right);
            same(layout, &root, &right);
            if !MUTATED.contains(&name) {
                continue;
            }
            let step = mutants::how_many(&text) / MUTANTS + 1;
            for mutant in mutants::from(&text, step, 0) {
                if let Ok(doc) = Document::parse(&mutant) {
                    same(layout, &root, &tree(doc.root()));
                }
            }
        }
    }
}

#[test]
fn json_keeps_everything() {
    for name in Layout::names() {
        let layout = Layout::get(name).expect("a layout");
        for (root, text) in documentos(name) {
            if has_wildcard(&text) || !layout.validate(&text).is_empty() {
                continue;
            }
            let doc = Document::parse(&text).expect("XML");
            let json = layout.to_json(&doc);
            let back = layout
                .from_json(&root, &json)
                .unwrap_or_else(|erros| panic!("{name} {root}: {erros:?}"));
            let written = layout.write(&back).expect("a document");
            let canonical = canonicalize(&doc, doc.document(), C14n::Inclusive, None);
            assert_eq!(written.xml, canonical, "{name} {root}");
        }
    }
}

/// One element taken out of a valid note: one error, which names it or what
/// could stand in its place.
#[test]
fn one_mistake_is_one_error() {
    let layout = Layout::get("nfe-010f").expect("a layout");
    let (_, text) = documentos("nfe-010f")
        .into_iter()
        .find(|(root, text)| root == "NFe" && text.len() > 10_000)
        .expect("a large note");
    let doc = Document::parse(&text).expect("XML");
    let (mut faulty, mut several) = (0, Vec::new());
    for element in doc.elements().skip(1).step_by(3) {
        let span = element.span();
        let without = format!("{}{}", &text[..span.start], &text[span.end..]);
        let erros = layout.validate(&without);
        faulty += usize::from(!erros.is_empty());
        if erros.len() > 1 {
            several.push((element.name().to_owned(), erros));
        }
        let swapped = format!(
            "{}<nada>1</nada>{}",
            &text[..span.start],
            &text[span.start..]
        );
        let erros = layout.validate(&swapped);
        assert_eq!(erros.len(), 1, "{}: {erros:?}", element.name());
        assert_eq!(erros[0].regra, "desconhecido");
    }
    assert!(faulty > 50, "{faulty}");
    // Where a whole alternative hangs on the element, what it led in is left over.
    let part = several.len() * 100 / faulty;
    assert!(part <= 10, "{part} %: {:?}", several.first());
}

/// Errors are in words: no sentence of a value is the empty phrase, and nothing
/// personal is repeated.
#[test]
fn every_refused_value_gets_a_sentence() {
    let layout = Layout::get("nfe-010f").expect("a layout");
    let (mut all_said, mut silent) = (0, std::collections::BTreeSet::new());
    let notas = documentos("nfe-010f");
    for (_, text) in notas.iter().filter(|(root, _)| root == "NFe") {
        let doc = Document::parse(text).expect("XML");
        // Odd, so that the two items of a list are not always the one skipped.
        for element in doc.elements().step_by(3) {
            let Some(inside) = element
                .content_span()
                .filter(|inside| !inside.is_empty() && element.children().next().is_none())
            else {
                continue;
            };
            let bad = format!("{}~§{}", &text[..inside.start], &text[inside.end..]);
            for error in layout.validate(&bad) {
                all_said += 1;
                assert!(
                    error.mensagem.starts_with(element.name()),
                    "{}",
                    error.mensagem
                );
                assert!(error.mensagem.ends_with('.') && error.correcao.ends_with('.'));
                if error.mensagem.contains("formato que o layout define") {
                    silent.insert(element.name().to_owned());
                }
                if matches!(element.name(), "CPF" | "xNome" | "email" | "fone") {
                    assert_eq!(error.valor, None);
                }
            }
        }
    }
    assert!(all_said > 200, "{all_said}");
    assert!(silent.len() <= 12, "{silent:?}");
}
