//! Protocols, events and summaries.

use serde_json::json;

use super::*;
use crate::nfe::event::tests::{chave, escreve};
use crate::nfe::event::{self, Evento, assemble, proc_evento};
use crate::nfe::reading::answers::*;

fn amostra(nome: &str) -> Option<String> {
    let pasta = judges::shared("samples/nfe")?;
    Some(std::fs::read_to_string(pasta.join(nome)).unwrap())
}

#[test]
fn answers_in_envelopes() {
    let Some(texto) = amostra("soap-retenvinfe-autorizada.xml") else {
        return;
    };
    let doc = Document::parse(&texto).unwrap();
    let lido = protocolo(&doc).unwrap();
    assert_eq!(
        (lido.status.as_str(), lido.ambiente.len(), lido.chave.len()),
        ("100", 1, 44)
    );
    assert!(lido.numero.is_some() && lido.digest.is_some());

    let texto = amostra("soap-retenvevento-573.xml").unwrap();
    let doc = Document::parse(&texto).unwrap();
    let lido = retorno_evento(&doc).unwrap();
    assert_eq!(lido.status, "573");

    let texto = amostra("soap-retenvevento-nfe_cancelamento.xml").unwrap();
    let doc = Document::parse(&texto).unwrap();
    let lido = retorno_evento(&doc).unwrap();
    assert_eq!(
        (lido.status.as_str(), lido.tipo.as_deref()),
        ("135", Some("110111"))
    );
}

#[test]
fn an_event_and_its_answer() {
    let pedido = Evento {
        tipo: event::busca("110750").unwrap(),
        chave: chave(55),
        sequencia: 2,
        autor: markup::ids::CpfCnpj::parse("11222333000181").unwrap(),
        papel: None,
        orgao: None,
        orgao_autor: None,
        producao: true,
        em: time::macros::datetime!(2026-11-20 10:15:00 -3),
        ver_aplic: "hub".to_owned(),
        dados: json!({ "pagamentos": [
            { "forma": "17", "valor": 1, "data": "2026-11-20" },
            { "forma": "01", "valor": 2, "data": "2026-11-20" }
        ] }),
    };
    let xml = escreve(&assemble(&pedido).unwrap());
    let resposta = "<retEvento versao=\"1.00\"><infEvento><tpAmb>1</tpAmb><verAplic>x</verAplic><cOrgao>92</cOrgao><cStat>135</cStat><xMotivo>ok</xMotivo><nSeqEvento>2</nSeqEvento><CNPJDest>1</CNPJDest><dhRegEvento>2026-11-20T10:15:01-03:00</dhRegEvento><nProt>135260000000009</nProt></infEvento></retEvento>";
    let junto = proc_evento(&xml, resposta).unwrap();
    let doc = Document::parse(&junto).unwrap();
    let lido = evento_processado(&doc).unwrap();
    assert_eq!(lido.evento.id, pedido.id());
    assert_eq!(
        (
            lido.evento.sequencia,
            lido.evento.orgao.as_str(),
            lido.evento.descricao.as_str()
        ),
        (2, "92", "ECONF")
    );
    let dados: Vec<(&str, &str)> = lido
        .evento
        .dados
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(
        dados,
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
    assert_eq!(lido.retorno.status, "135");
    assert_eq!(lido.retorno.protocolo.as_deref(), Some("135260000000009"));
}

#[test]
fn summaries() {
    let nota = "<resNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.01\"><chNFe>1</chNFe><CPF>2</CPF><xNome>N</xNome><IE>3</IE><dhEmi>d</dhEmi><tpNF>1</tpNF><vNF>9.90</vNF><dhRecbto>r</dhRecbto><nProt>4</nProt><cSitNFe>3</cSitNFe></resNFe>";
    let doc = Document::parse(nota).unwrap();
    let lido = resumo_nota(&doc).unwrap();
    assert_eq!(
        (
            lido.emitente.as_str(),
            lido.valor.as_str(),
            lido.situacao.as_str(),
            lido.digest
        ),
        ("2", "9.90", "3", None)
    );
    let evento = "<resEvento xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.01\"><cOrgao>91</cOrgao><CNPJ>2</CNPJ><chNFe>1</chNFe><dhEvento>d</dhEvento><tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento><xEvento>Cancelamento</xEvento><dhRecbto>r</dhRecbto><nProt>4</nProt></resEvento>";
    let doc = Document::parse(evento).unwrap();
    let lido = resumo_evento(&doc).unwrap();
    assert_eq!(
        (lido.tipo.as_str(), lido.sequencia, lido.autor.as_str()),
        ("110111", 1, "2")
    );
    assert!(matches!(
        resumo_nota(&doc),
        Err(LeituraError::Ausente("resNFe"))
    ));
}
