//! What cannot be printed is refused; what is only incomplete is printed.

use crate::danfe::tests::generator::{Gerador, cupons};
use crate::danfe::{DanfeError, Opcoes, danfe, nfce};
use markup::xml::Document;

#[test]
fn what_cannot_be_printed_is_refused() {
    let padrao = Opcoes::default();
    let nota = Gerador::default().xml();
    assert!(matches!(danfe("<a", &padrao), Err(DanfeError::Xml(_))));
    assert_eq!(danfe("<a/>", &padrao), Err(DanfeError::SemNota));
    assert_eq!(
        nfce(&nota, &padrao),
        Err(DanfeError::Modelo("55".to_owned()))
    );
    let (_, cupom, _) = cupons().swap_remove(0);
    assert_eq!(
        danfe(&cupom.xml(), &padrao),
        Err(DanfeError::Modelo("65".to_owned()))
    );
    let sem_declaracao = nota.split_once("?>").map_or("", |(_, corpo)| corpo);
    let duas = format!("<l>{sem_declaracao}{sem_declaracao}</l>");
    assert_eq!(danfe(&duas, &padrao), Err(DanfeError::VariasNotas(2)));
    let demais = Gerador {
        inf_cpl: "x".repeat(30_000),
        ..Gerador::default()
    };
    assert_eq!(danfe(&demais.xml(), &padrao), Err(DanfeError::Extensa));
    // Many small things: observations, instalments, payments, items.
    for (antes, peca, vezes) in [
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
        let cheia = nota.replacen(antes, &format!("{}{antes}", peca.repeat(vezes)), 1);
        let esperado = vezes == 1;
        assert_eq!(danfe(&cheia, &padrao).is_ok(), esperado, "{peca}");
    }
    let logo = Opcoes {
        logo: Some(b"GIF89a"),
        ..Opcoes::default()
    };
    assert_eq!(danfe(&nota, &logo), Err(DanfeError::Logo));
}

/// Notes that are not complete: every element in turn is taken away.
#[test]
fn notes_with_holes_are_printed_all_the_same() {
    let xml = Gerador {
        reforma: true,
        duplicatas: 2,
        ..Gerador::default()
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
        let mut furada = xml.clone();
        furada.replace_range(span.clone(), "");
        let feita = danfe(&furada, &Opcoes::default());
        assert!(feita.is_ok(), "{}", &xml[span]);
    }
}
