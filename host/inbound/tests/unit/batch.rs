use flow::contract::{Documento, Situacao};
use inbound::batch::{ReadDocument, ler_documento, number};
use store::tables::recebidas::ReceivedNotaStatus;

const CHAVE: &str = "35261199888777000100550010000000011123456780";

fn documento(kind: &str, xml: &str) -> Documento {
    Documento {
        tipo: kind.to_owned(),
        situacao: Situacao::Consultado,
        xml: Some(xml.as_bytes().to_vec()),
        numero: Some("000000000000007".to_owned()),
        serie: None,
        chave: None,
        codigo_verificacao: None,
        protocolo: None,
        emitido_em: None,
        url_consulta: None,
        valores: Vec::new(),
    }
}

fn chave() -> String {
    let body = &CHAVE[..43];
    format!("{body}{}", markup::ids::chave::digit(body.as_bytes()))
}

fn summary_of(status: &str) -> String {
    format!(
        "<resNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.01\"><chNFe>{}</chNFe><CNPJ>99888777000100</CNPJ><xNome>A &amp; B</xNome>\
         <IE>1</IE><dhEmi>2026-11-20T10:00:00-03:00</dhEmi><tpNF>1</tpNF><vNF>1234.50</vNF><digVal>x</digVal>\
         <dhRecbto>2026-11-20T10:00:01-03:00</dhRecbto><nProt>135</nProt><cSitNFe>{status}</cSitNFe></resNFe>",
        chave()
    )
}

#[test]
fn a_summary_is_read() {
    for (code, word) in [
        ("1", ReceivedNotaStatus::Authorized),
        ("2", ReceivedNotaStatus::Denied),
        ("3", ReceivedNotaStatus::Cancelled),
    ] {
        let read = ler_documento(documento("resNFe", &summary_of(code))).expect("read");
        let ReadDocument::Nota(nota) = read.read else {
            panic!("a note");
        };
        assert_eq!((read.nsu, nota.status, nota.complete), (7, word, false));
        assert_eq!((nota.name.as_str(), nota.value_cents), ("A & B", 123_450));
    }
}

#[test]
fn what_is_not_understood_is_left_out() {
    let summary = summary_of("1");
    for (kind, xml) in [
        ("resCTe", summary.as_str()),
        ("resNFe", ""),
        ("resNFe", "<a"),
        ("resNFe", "<a/>"),
        ("procNFe", &summary),
        ("resEvento", &summary),
        ("procEventoNFe", &summary),
        ("resNFe", &summary.replace(&chave(), "123")),
    ] {
        assert!(ler_documento(documento(kind, xml)).is_err(), "{kind} {xml}");
    }
    assert_eq!(
        (number("15"), number("x"), number("1234567890123456")),
        (15, 0, 0)
    );
}
