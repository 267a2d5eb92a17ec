//! Protocols, events and summaries.

use fiscal::nfe::event::{self, Evento, Family, assemble, proc_evento};
use fiscal::nfe::reading::ReadingError;
use fiscal::nfe::reading::answers::{
    event_answer, event_summary, nota_summary, processed_event, protocol,
};
use markup::xml::Document;
use serde_json::json;

use crate::nfe::event::{chave, write_out};

fn sample(name: &str) -> Option<String> {
    let folder = judges::shared("samples/nfe")?;
    Some(std::fs::read_to_string(folder.join(name)).unwrap())
}

#[test]
fn answers_in_envelopes() {
    let Some(text) = sample("soap-retenvinfe-autorizada.xml") else {
        return;
    };
    let doc = Document::parse(&text).unwrap();
    let read = protocol(&doc).unwrap();
    assert_eq!(
        (read.status.as_str(), read.ambiente.len(), read.chave.len()),
        ("100", 1, 44)
    );
    assert!(read.numero.is_some() && read.digest.is_some());

    let text = sample("soap-retenvevento-573.xml").unwrap();
    let doc = Document::parse(&text).unwrap();
    let read = event_answer(&doc).unwrap();
    assert_eq!(read.status, "573");

    let text = sample("soap-retenvevento-nfe_cancelamento.xml").unwrap();
    let doc = Document::parse(&text).unwrap();
    let read = event_answer(&doc).unwrap();
    assert_eq!(
        (read.status.as_str(), read.tipo.as_deref()),
        ("135", Some("110111"))
    );
}

#[test]
fn an_event_and_its_answer() {
    let request = Evento {
        kind: event::search("110750").unwrap(),
        chave: chave(55),
        sequence: 2,
        author: markup::ids::CpfCnpj::parse("11222333000181").unwrap(),
        role: None,
        agency: None,
        author_agency: None,
        production: true,
        at: time::macros::datetime!(2026-11-20 10:15:00 -3),
        ver_aplic: "hub".to_owned(),
        data: json!({ "pagamentos": [
            { "forma": "17", "valor": 1, "data": "2026-11-20" },
            { "forma": "01", "valor": 2, "data": "2026-11-20" }
        ] }),
    };
    let xml = write_out(&assemble(&request).unwrap());
    let response = "<retEvento versao=\"1.00\"><infEvento><tpAmb>1</tpAmb><verAplic>x</verAplic><cOrgao>92</cOrgao><cStat>135</cStat><xMotivo>ok</xMotivo><nSeqEvento>2</nSeqEvento><CNPJDest>1</CNPJDest><dhRegEvento>2026-11-20T10:15:01-03:00</dhRegEvento><nProt>135260000000009</nProt></infEvento></retEvento>";
    let joined = proc_evento(Family::Nfe, &xml, response).unwrap();
    let doc = Document::parse(&joined).unwrap();
    let read = processed_event(&doc).unwrap();
    assert_eq!(read.evento.id, request.id());
    assert_eq!(
        (
            read.evento.sequencia,
            read.evento.orgao.as_str(),
            read.evento.descricao.as_str()
        ),
        (2, "92", "ECONF")
    );
    let data: Vec<(&str, &str)> = read
        .evento
        .dados
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(
        data,
        [
            ("verAplic", "hub"),
            ("detPag[1]/tPag", "17"),
            ("detPag[1]/vPag", "1.00"),
            ("detPag[1]/dPag", "2026-11-20"),
            ("detPag[2]/tPag", "01"),
            ("detPag[2]/vPag", "2.00"),
            ("detPag[2]/dPag", "2026-11-20"),
        ]
    );
    assert_eq!(read.retorno.status, "135");
    assert_eq!(read.retorno.protocolo.as_deref(), Some("135260000000009"));
}

#[test]
fn summaries() {
    let nota = "<resNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.01\"><chNFe>1</chNFe><CPF>2</CPF><xNome>N</xNome><IE>3</IE><dhEmi>d</dhEmi><tpNF>1</tpNF><vNF>9.90</vNF><dhRecbto>r</dhRecbto><nProt>4</nProt><cSitNFe>3</cSitNFe></resNFe>";
    let doc = Document::parse(nota).unwrap();
    let read = nota_summary(&doc).unwrap();
    assert_eq!(
        (
            read.emitente.as_str(),
            read.valor.as_str(),
            read.situacao.as_str(),
            read.digest
        ),
        ("2", "9.90", "3", None)
    );
    let evento = "<resEvento xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.01\"><cOrgao>91</cOrgao><CNPJ>2</CNPJ><chNFe>1</chNFe><dhEvento>d</dhEvento><tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento><xEvento>Cancelamento</xEvento><dhRecbto>r</dhRecbto><nProt>4</nProt></resEvento>";
    let doc = Document::parse(evento).unwrap();
    let read = event_summary(&doc).unwrap();
    assert_eq!(
        (read.tipo.as_str(), read.sequencia, read.autor.as_str()),
        ("110111", 1, "2")
    );
    assert!(matches!(
        nota_summary(&doc),
        Err(ReadingError::Absent("resNFe"))
    ));
}
