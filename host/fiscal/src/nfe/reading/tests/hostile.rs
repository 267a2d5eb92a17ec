//! Whatever comes, no panic, and time in proportion.

use super::*;
use crate::nfe::event::tests::Dado;

const CABECA: &str =
    "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><infNFe Id=\"NFe1\" versao=\"4.00\">";
const PE: &str = "</infNFe></NFe>";

fn tudo(xml: &str) {
    if let Ok(doc) = Document::parse(xml)
        && let Ok(nota) = ler(&doc)
    {
        drop(serde_json::to_value(&nota).unwrap());
        drop(Assinatura::de(xml));
    }
}

#[test]
fn odd_documents() {
    let fundo = format!("{}{}", "<a>".repeat(60), "</a>".repeat(60));
    let textos = [
        String::new(),
        "<NFe/>".to_owned(),
        format!("{CABECA}{PE}"),
        format!("{CABECA}{}{PE}", "<det nItem=\"1\"/>".repeat(5000)),
        format!("{CABECA}{}{PE}", "<a b=\"1\">x</a>".repeat(50_000)),
        format!("{CABECA}{fundo}{PE}"),
        format!(
            "{CABECA}<ide><natOp>{}</natOp></ide>{PE}",
            "x".repeat(3_000_000)
        ),
        format!(
            "{CABECA}<ide><nNF>{}</nNF><serie>-0</serie><mod/></ide>{PE}",
            "9".repeat(100_000)
        ),
        format!(
            "{CABECA}<det nItem=\"{}\"><prod><y/></prod></det>{PE}",
            "é".repeat(1000)
        ),
        format!("<l>{CABECA}{PE}{CABECA}{PE}</l>"),
    ];
    for texto in &textos {
        tudo(texto);
    }
    let doc = Document::parse(&textos[4]).unwrap();
    let nota = ler(&doc).unwrap();
    assert_eq!(nota.outros.len(), 10_000);
    assert!(nota.avisos.iter().any(|aviso| aviso.contains("10000")));
}

/// A note with bytes changed at random: still no panic.
#[test]
fn mutated_notes() {
    let base = crate::nfe::reading::tests::loss::NOTA.as_bytes();
    let mut dado = Dado(7);
    for _ in 0..3000 {
        let mut bytes = base.to_vec();
        for _ in 0..=dado.ate(3) {
            let onde = usize::try_from(dado.ate(bytes.len() as u64)).unwrap();
            match dado.ate(3) {
                0 => bytes[onde] = b" <>/\"&;0aZ-."[usize::try_from(dado.ate(12)).unwrap()],
                1 => drop(bytes.remove(onde)),
                _ => {
                    let fim = (onde + usize::try_from(dado.ate(60)).unwrap()).min(bytes.len());
                    let copia = bytes[onde..fim].to_vec();
                    bytes.splice(onde..onde, copia);
                }
            }
        }
        if let Ok(texto) = String::from_utf8(bytes) {
            tudo(&texto);
        }
    }
}
