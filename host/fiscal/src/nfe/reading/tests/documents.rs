//! Events and voided ranges that fit, and one thing wrong at a time.

use time::macros::date;

use super::*;
use crate::nfe::reading::tests::checking::chave;

/// A cancellation and the authority's answer.
fn evento() -> String {
    let chave = chave(55, 1);
    let chave = chave.as_str();
    format!(
        "<procEventoNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.00\"><evento versao=\"1.00\"><infEvento Id=\"ID110111{chave}01\"><cOrgao>35</cOrgao><tpAmb>2</tpAmb><CNPJ>11222333000181</CNPJ><chNFe>{chave}</chNFe><dhEvento>2026-11-20T10:15:00-03:00</dhEvento><tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento><verEvento>1.00</verEvento><detEvento versao=\"1.00\"><descEvento>Cancelamento</descEvento><nProt>135260000000001</nProt><xJust>Pedido desfeito pelo cliente</xJust></detEvento></infEvento></evento><retEvento versao=\"1.00\"><infEvento><tpAmb>2</tpAmb><cStat>135</cStat><chNFe>{chave}</chNFe><tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento></infEvento></retEvento></procEventoNFe>"
    )
}

const FAIXA: &str = "<ProcInutNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\"><inutNFe versao=\"4.00\"><infInut Id=\"ID35261122233300018155001000000101000000110\"><tpAmb>2</tpAmb><xServ>INUTILIZAR</xServ><cUF>35</cUF><ano>26</ano><CNPJ>11222333000181</CNPJ><mod>55</mod><serie>1</serie><nNFIni>101</nNFIni><nNFFin>110</nNFFin><xJust>Falha pulou a numeracao</xJust></infInut></inutNFe><retInutNFe versao=\"4.00\"><infInut><tpAmb>2</tpAmb><cStat>102</cStat><mod>55</mod><serie>1</serie><nNFIni>101</nNFIni><nNFFin>110</nNFFin></infInut></retInutNFe></ProcInutNFe>";

fn codigos(xml: &str) -> Vec<String> {
    let doc = Document::parse(xml).unwrap();
    let hoje = date!(2026 - 11 - 20);
    let parecer = if xml.contains("<infInut") {
        conferir_inutilizacao(&doc, hoje, |_| true).unwrap()
    } else {
        conferir_evento(&doc, hoje, |_| true).unwrap()
    };
    assert_eq!(parecer.regras.nome(), "nfe-2026-01-01");
    let achados = parecer.achados.iter();
    achados
        .map(|achado| format!("{} {}", achado.codigo, achado.caminho))
        .collect()
}

fn errado(certo: &str, antes: &str, depois: &str) -> Vec<String> {
    let xml = certo.replacen(antes, depois, 1);
    assert_ne!(xml, certo, "{antes}");
    codigos(&xml)
}

#[test]
fn an_event_is_judged() {
    let certo = evento();
    assert_eq!(codigos(&certo), [""; 0]);
    for (antes, depois, achados) in [
        (
            "01\"><cOrgao>",
            "02\"><cOrgao>",
            ["572 infEvento/@Id"].as_slice(),
        ),
        (
            "<CNPJ>11222333000181",
            "<CNPJ>11222333000182",
            &["489 infEvento/CNPJ"],
        ),
        (
            "<CNPJ>11222333000181",
            "<CNPJ>11444777000161",
            &["574 infEvento/CNPJ"],
        ),
        (
            "<dhEvento>2026-11-20",
            "<dhEvento>2026-11-25",
            &["578 infEvento/dhEvento"],
        ),
        (
            "<cStat>135",
            "<cStat>573",
            &["nao_registrado retEvento/infEvento/cStat"],
        ),
        (
            "<nSeqEvento>1</nSeqEvento></infEvento></retEvento>",
            "<nSeqEvento>2</nSeqEvento></infEvento></retEvento>",
            &["retorno_de_outro_evento retEvento/infEvento/nSeqEvento"],
        ),
    ] {
        assert_eq!(errado(&certo, antes, depois), achados, "{depois}");
    }
    // Of which the catalogue knows nothing, and once more than it admits.
    let outro = certo.replace("110111", "110999");
    assert_eq!(codigos(&outro), ["491 infEvento/tpEvento"]);
    let segundo = certo
        .replace("01\"><cOrgao>", "02\"><cOrgao>")
        .replace("<nSeqEvento>1", "<nSeqEvento>2");
    assert_eq!(codigos(&segundo), ["594 infEvento/nSeqEvento"]);
    // A correction is for model 55, a manifestation goes to the national environment.
    let manifesta = certo.replace("110111", "210200");
    assert_eq!(codigos(&manifesta), ["250 infEvento/cOrgao"]);
    let chave = certo.split("<chNFe>").nth(1).unwrap()[..44].to_owned();
    let base = chave[..43].replacen("00018155", "00018165", 1);
    let nfce = format!("{base}{}", markup::ids::chave::digito(base.as_bytes()));
    let carta = certo.replace(&chave, &nfce).replace("110111", "110110");
    assert_eq!(codigos(&carta), ["784 infEvento/chNFe"]);
    let digito = if chave.ends_with('9') { '8' } else { '9' };
    let outra = certo.replace(&chave, &format!("{}{digito}", &chave[..43]));
    assert_eq!(codigos(&outra), ["236 infEvento/chNFe"]);
}

#[test]
fn an_answered_range_is_judged_by_the_rules_of_its_day() {
    let regras = |xml: &str| {
        let doc = Document::parse(xml).unwrap();
        let parecer = conferir_inutilizacao(&doc, date!(2026 - 11 - 20), |_| true);
        parecer.unwrap().regras.nome()
    };
    let answered = |at: &str| {
        let xml = FAIXA.replacen(
            "<cStat>102</cStat>",
            &format!("<cStat>102</cStat><dhRecbto>{at}</dhRecbto>"),
            1,
        );
        regras(&xml)
    };
    assert_eq!(answered("2018-05-02T10:00:00-03:00"), "nfe-2017-12-04");
    assert_eq!(answered("2021-09-02T10:00:00-03:00"), "nfe-2021-09-01");
    // Without an answer, or a day in it, there is only today.
    assert_eq!(regras(FAIXA), "nfe-2026-01-01");
    assert_eq!(answered("ontem"), "nfe-2026-01-01");
}

#[test]
fn a_voided_range_is_judged() {
    assert_eq!(codigos(FAIXA), [""; 0]);
    for (antes, depois, achados) in [
        ("Id=\"ID35", "Id=\"ID41", ["502 infInut/@Id"].as_slice()),
        (
            "<cStat>102",
            "<cStat>256",
            &["nao_homologada retInutNFe/infInut/cStat"],
        ),
    ] {
        assert_eq!(errado(FAIXA, antes, depois), achados, "{depois}");
    }
    for (antes, depois, achado) in [
        ("11222333000181", "11222333000182", "207 infInut/CNPJ"),
        ("000000110", "000000100", "224 infInut/nNFFin"),
        ("000000110", "000001101", "201 infInut/nNFFin"),
    ] {
        let numero = |digitos: &str| digitos.trim_start_matches('0').to_owned();
        let xml = FAIXA.replace(antes, depois).replace(
            &format!("<nNFFin>{}<", numero(antes)),
            &format!("<nNFFin>{}<", numero(depois)),
        );
        assert_eq!(codigos(&xml), [achado]);
    }
    for (ano, achado) in [("27", "453 infInut/ano"), ("05", "454 infInut/ano")] {
        let xml = FAIXA
            .replace("ID3526", &format!("ID35{ano}"))
            .replace("<ano>26", &format!("<ano>{ano}"));
        assert_eq!(codigos(&xml), [achado]);
    }
}
