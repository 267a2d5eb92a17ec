//! What cannot be printed is refused; what is only incomplete is printed.

use super::generator::{Generator, receipts};
use markup::xml::Document;
use prints::danfe::{DanfeError, PrintOptions, danfe, nfce};

#[test]
fn what_cannot_be_printed_is_refused() {
    let standard = PrintOptions::default();
    let nota = Generator::default().xml();
    assert!(matches!(danfe("<a", &standard), Err(DanfeError::Xml(_))));
    assert_eq!(danfe("<a/>", &standard), Err(DanfeError::NoNota));
    assert_eq!(
        nfce(&nota, &standard),
        Err(DanfeError::Model("55".to_owned()))
    );
    let (_, receipt, _) = receipts().swap_remove(0);
    assert_eq!(
        danfe(&receipt.xml(), &standard),
        Err(DanfeError::Model("65".to_owned()))
    );
    let without_declaration = nota.split_once("?>").map_or("", |(_, body)| body);
    let two = format!("<l>{without_declaration}{without_declaration}</l>");
    assert_eq!(danfe(&two, &standard), Err(DanfeError::SeveralNotas(2)));
    let rest = Generator {
        inf_cpl: "x".repeat(30_000),
        ..Generator::default()
    };
    assert_eq!(danfe(&rest.xml(), &standard), Err(DanfeError::Long));
    // Many small things: observations, instalments, payments, items.
    for (before, piece, times) in [
        (
            "<obsCont",
            r#"<obsCont xCampo="a"><xTexto>b</xTexto></obsCont>"#,
            100_000,
        ),
        ("<infAdic>", "<cobr></cobr>", 1),
        (
            "<vTroco",
            "<detPag><tPag>01</tPag><vPag>1.00</vPag></detPag>",
            2_000,
        ),
        ("<det ", r#"<det nItem="1"><prod/></det>"#, 2_500),
    ] {
        let full = nota.replacen(before, &format!("{}{before}", piece.repeat(times)), 1);
        let expected = times == 1;
        assert_eq!(danfe(&full, &standard).is_ok(), expected, "{piece}");
    }
    let logo = PrintOptions {
        logo: Some(b"GIF89a"),
        ..PrintOptions::default()
    };
    assert_eq!(danfe(&nota, &logo), Err(DanfeError::Logo));
}

/// Notes that are not complete: every element in turn is taken away.
#[test]
fn notes_with_holes_are_printed_all_the_same() {
    let xml = Generator {
        reforma: true,
        duplicates: 2,
        ..Generator::default()
    }
    .xml();
    let doc = Document::parse(&xml).expect("a note");
    let spans: Vec<_> = doc
        .root()
        .descendants_or_self()
        .filter(|element| !matches!(element.name(), "nfeProc" | "NFe" | "infNFe" | "ide" | "mod"))
        .map(|element| element.span())
        .collect();
    assert!(spans.len() > 150);
    for span in spans {
        let mut broken = xml.clone();
        broken.replace_range(span.clone(), "");
        let made = danfe(&broken, &PrintOptions::default());
        assert!(made.is_ok(), "{}", &xml[span]);
    }
}
