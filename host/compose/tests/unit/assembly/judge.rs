//! The one walk that judges a note while it writes it, against the two that write it and
//! then judge its text: of right notes, and of notes with one thing changed.

use super::plain;
use compose::assembly::{Nota, validate};
use compose::emitter::{Emitter, Regime};
use compose::frame::{Ambiente, Data, Model, layout_of};
use fiscal::nfe::order::Pedido;
use markup::layout::{Layout, LayoutError, Written};
use markup::tree::{ElementContent, Node};
use serde_json::{Value, json};
use time::macros::datetime;

fn frame() -> Data {
    Data {
        modelo: Model::Nfe,
        ambiente: Ambiente::Producao,
        serie: 1,
        numero: 7,
        c_nf: 31_415_926,
        dh_emi: datetime!(2026-11-20 10:15:00 -3),
        tp_emis: 1,
        ver_proc: "hub".to_owned(),
    }
}

/// Of the usual regime, with all taxes from the profile.
fn normal() -> Emitter {
    let padroes = json!({
        "cfop_interno": "5102", "origem": "0", "unidade": "UN", "icms": { "cst": "00", "aliquota": 18 },
        "pis": { "cst": "01", "aliquota": 1.65 }, "cofins": { "cst": "01", "aliquota": 7.6 },
        "ibs_cbs": { "cst": "000", "cclass_trib": "000001" }
    });
    Emitter {
        regime: Regime::Normal,
        padroes: serde_json::from_value(padroes).expect("defaults"),
        ..plain::emitter()
    }
}

fn sale() -> Value {
    let item = json!({
        "codigo": "SKU1", "descricao": "Café & açúcar < 1 kg", "ncm": "09012100", "quantidade": 2, "valor_unitario": 18.90
    });
    json!({
        "destinatario": plain::order()["destinatario"],
        "itens": [item, item],
        "pagamentos": [{ "forma": "pix", "valor": "75.60" }]
    })
}

fn notes() -> Vec<Nota> {
    let note = |order: Value, emitter: &Emitter| {
        let mut order: Pedido = serde_json::from_value(order).expect("a request");
        let frame = frame();
        validate(&mut order, emitter, &frame, frame.dh_emi).expect("a note")
    };
    vec![
        note(plain::order(), &plain::emitter()),
        note(sale(), &normal()),
    ]
}

fn document(tree: &Node) -> Node {
    Node::group("NFe").child(tree.clone())
}

/// As notes were written and judged before there was one walk.
fn apart(
    layout: &Layout,
    document: &Node,
) -> Result<(Written, Vec<LayoutError>), Vec<LayoutError>> {
    let written = layout.write(document)?;
    let errors = layout.validate_without_signature(&written.xml);
    Ok((written, errors))
}

#[test]
fn a_right_note_is_written_and_judged_in_one_walk() {
    for mut note in notes() {
        let layout = layout_of(&frame());
        let document = document(&note.tree);
        let (written, errors) = apart(layout, &document).expect("a text");
        assert_eq!(errors, []);
        let at_once = layout.accepts_while_writing(&document);
        assert_eq!(at_once.as_ref(), Some(&written));
        // The text that was judged is the one that is issued.
        assert_eq!(note.take_document(&frame()).as_ref(), Ok(&written));
        assert_eq!(note.take_document(&frame()).as_ref(), Ok(&written));
        assert_eq!(note.write(&frame(), None), Ok(written));
    }
}

type Change = fn(&mut Node);

/// Mistakes, and things that only look like one.
const CHANGES: [Change; 28] = [
    |node| text(node, |_| String::new()),
    |node| text(node, |_| "x".to_owned()),
    |node| text(node, |old| format!(" {old}")),
    |node| text(node, |old| format!("{old}\n")),
    |node| text(node, |old| format!("{old}\r")),
    |node| text(node, |old| format!("{old}0")),
    |node| text(node, |old| format!("-{old}")),
    |node| text(node, |old| format!("{old}&<>\"")),
    |node| text(node, |old| format!("{old}\u{7}")),
    |node| text(node, |old| format!("{old}\u{fffe}")),
    |node| text(node, |old| format!("{old}\u{ff21}")),
    |node| text(node, |_| "1.00000".to_owned()),
    |node| text(node, |_| "99999999999999999999.99".to_owned()),
    |node| text(node, |_| "a".repeat(5001)),
    |node| list(node, |children| children.reverse()),
    |node| list(node, |children| children.rotate_left(1)),
    |node| list(node, |children| drop(children.pop())),
    |node| list(node, |children| drop(children.remove(0))),
    |node| list(node, |children| children.push(children[0].clone())),
    |node| list(node, |children| children.push(Node::field("xPto", "1"))),
    |node| list(node, |children| children.push(Node::field("vProd", "1"))),
    |node| list(node, |children| children.push(Node::group("Signature"))),
    |node| list(node, Vec::clear),
    |node| node.content = ElementContent::Text("1".to_owned()),
    |node| node.content = ElementContent::Children(vec![Node::field("CST", "1")]),
    |node| node.name = format!("{}x", node.name).into(),
    |node| node.attributes.clear(),
    |node| node.attributes.push(("Id".into(), "1".to_owned())),
];

fn text(node: &mut Node, change: impl Fn(&str) -> String) {
    match &mut node.content {
        ElementContent::Text(text) => *text = change(text),
        ElementContent::Children(_) => {
            for (_, value) in &mut node.attributes {
                *value = change(value);
            }
        }
    }
}

fn list(node: &mut Node, change: impl Fn(&mut Vec<Node>)) {
    if let ElementContent::Children(children) = &mut node.content
        && !children.is_empty()
    {
        change(children);
    }
}

/// Changes the element of that number, counted as they stand; false where there is none.
fn change_at(node: &mut Node, left: &mut usize, change: Change) -> bool {
    if *left == 0 {
        change(node);
        return true;
    }
    *left -= 1;
    match &mut node.content {
        ElementContent::Children(children) => children
            .iter_mut()
            .any(|child| change_at(child, left, change)),
        ElementContent::Text(_) => false,
    }
}

/// Items that are alike are arranged once: each of these stands in an order of its own, then in
/// that of the one before.
#[test]
fn items_out_of_order_are_put_right_each_by_itself() {
    const ITEMS: usize = 6;
    let layout = layout_of(&frame());
    for note in notes() {
        let mut document = document(&note.tree);
        let ElementContent::Children(root) = &mut document.content else {
            panic!("no children");
        };
        list(&mut root[0], |children| {
            let first = children.iter().position(|child| child.name == "det");
            let first = first.expect("an item");
            let item = children[first].clone();
            children.retain(|child| child.name != "det");
            for number in 0..ITEMS {
                let mut item = item.clone();
                item.attributes[0].1 = (number + 1).to_string();
                list(&mut item, |groups| {
                    // `prod`: its names say where they belong.
                    list(&mut groups[0], |children| children.rotate_left(number / 2));
                    groups.rotate_left(number % 2);
                });
                children.insert(first + number, item);
            }
        });
        let (written, errors) = apart(layout, &document).expect("a text");
        assert_eq!(errors, []);
        assert_eq!(layout.accepts_while_writing(&document), Some(written));
    }
}

/// Every element gets every fifth change, the next element the others.
#[test]
fn whatever_is_changed_one_walk_says_what_two_say() {
    const STEP: usize = 5;
    let layout = layout_of(&frame());
    let (mut refused, mut accepted) = (0, 0);
    for note in notes() {
        let right = document(&note.tree);
        let mut at = 0;
        'elements: loop {
            for change in CHANGES.iter().skip(at % STEP).step_by(STEP) {
                let mut changed = right.clone();
                if !change_at(&mut changed, &mut at.clone(), *change) {
                    break 'elements;
                }
                let expected = apart(layout, &changed);
                let right = expected.as_ref().is_ok_and(|(_, errors)| errors.is_empty());
                let at_once = layout.accepts_while_writing(&changed);
                assert!(right || at_once.is_none(), "{at}: {expected:?}");
                refused += usize::from(!right);
                accepted += usize::from(right && at_once.is_some());
                assert_eq!(layout.validate_and_write(&changed), expected, "{at}");
            }
            at += 1;
        }
    }
    // The order of children is put right, so not every change is a mistake.
    assert!(refused > 300 && accepted > 50, "{refused} {accepted}");
}
