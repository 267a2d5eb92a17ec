//! Whatever comes, no panic, and time in proportion.

use fiscal::nfe::reading::{Signature, read};
use markup::xml::Document;

use super::loss::NOTA;
use crate::nfe::event::Die;

const HEAD: &str =
    "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><infNFe Id=\"NFe1\" versao=\"4.00\">";
const PE: &str = "</infNFe></NFe>";

fn everything(xml: &str) {
    if let Ok(doc) = Document::parse(xml)
        && let Ok(nota) = read(&doc)
    {
        drop(serde_json::to_value(&nota).unwrap());
        drop(Signature::of(xml));
    }
}

#[test]
fn odd_documents() {
    let deep = format!("{}{}", "<a>".repeat(60), "</a>".repeat(60));
    let texts = [
        String::new(),
        "<NFe/>".to_owned(),
        format!("{HEAD}{PE}"),
        format!("{HEAD}{}{PE}", "<det nItem=\"1\"/>".repeat(5000)),
        format!("{HEAD}{}{PE}", "<a b=\"1\">x</a>".repeat(50_000)),
        format!("{HEAD}{deep}{PE}"),
        format!(
            "{HEAD}<ide><natOp>{}</natOp></ide>{PE}",
            "x".repeat(3_000_000)
        ),
        format!(
            "{HEAD}<ide><nNF>{}</nNF><serie>-0</serie><mod/></ide>{PE}",
            "9".repeat(100_000)
        ),
        format!(
            "{HEAD}<det nItem=\"{}\"><prod><y/></prod></det>{PE}",
            "é".repeat(1000)
        ),
        format!("<l>{HEAD}{PE}{HEAD}{PE}</l>"),
    ];
    for text in &texts {
        everything(text);
    }
    let doc = Document::parse(&texts[4]).unwrap();
    let nota = read(&doc).unwrap();
    assert_eq!(nota.outros.len(), 10_000);
    assert!(nota.avisos.iter().any(|aviso| aviso.contains("10000")));
}

/// A note with bytes changed at random: still no panic.
#[test]
fn mutated_notes() {
    let base = NOTA.as_bytes();
    let mut die = Die(7);
    for _ in 0..3000 {
        let mut bytes = base.to_vec();
        for _ in 0..=die.below(3) {
            let place = usize::try_from(die.below(bytes.len() as u64)).unwrap();
            match die.below(3) {
                0 => bytes[place] = b" <>/\"&;0aZ-."[usize::try_from(die.below(12)).unwrap()],
                1 => drop(bytes.remove(place)),
                _ => {
                    let end = (place + usize::try_from(die.below(60)).unwrap()).min(bytes.len());
                    let copy = bytes[place..end].to_vec();
                    bytes.splice(place..place, copy);
                }
            }
        }
        if let Ok(text) = String::from_utf8(bytes) {
            everything(&text);
        }
    }
}
