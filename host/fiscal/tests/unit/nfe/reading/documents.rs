//! Events and voided ranges that fit, and one thing wrong at a time.

use fiscal::nfe::reading::{check_event, check_void};
use markup::xml::Document;
use time::macros::date;

use super::checking::chave;

/// A cancellation and the authority's answer.
fn evento() -> String {
    let chave = chave(55, 1);
    let chave = chave.as_str();
    format!(
        "<procEventoNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.00\"><evento versao=\"1.00\"><infEvento Id=\"ID110111{chave}01\"><cOrgao>35</cOrgao><tpAmb>2</tpAmb><CNPJ>11222333000181</CNPJ><chNFe>{chave}</chNFe><dhEvento>2026-11-20T10:15:00-03:00</dhEvento><tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento><verEvento>1.00</verEvento><detEvento versao=\"1.00\"><descEvento>Cancelamento</descEvento><nProt>135260000000001</nProt><xJust>Pedido desfeito pelo cliente</xJust></detEvento></infEvento></evento><retEvento versao=\"1.00\"><infEvento><tpAmb>2</tpAmb><cStat>135</cStat><chNFe>{chave}</chNFe><tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento></infEvento></retEvento></procEventoNFe>"
    )
}

const RANGE: &str = "<ProcInutNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\"><inutNFe versao=\"4.00\"><infInut Id=\"ID35261122233300018155001000000101000000110\"><tpAmb>2</tpAmb><xServ>INUTILIZAR</xServ><cUF>35</cUF><ano>26</ano><CNPJ>11222333000181</CNPJ><mod>55</mod><serie>1</serie><nNFIni>101</nNFIni><nNFFin>110</nNFFin><xJust>Falha pulou a numeracao</xJust></infInut></inutNFe><retInutNFe versao=\"4.00\"><infInut><tpAmb>2</tpAmb><cStat>102</cStat><mod>55</mod><serie>1</serie><nNFIni>101</nNFIni><nNFFin>110</nNFFin></infInut></retInutNFe></ProcInutNFe>";

fn codes(xml: &str) -> Vec<String> {
    let doc = Document::parse(xml).unwrap();
    let today = date!(2026 - 11 - 20);
    let opinion = if xml.contains("<infInut") {
        check_void(&doc, today, |_| true).unwrap()
    } else {
        check_event(&doc, today, |_| true).unwrap()
    };
    assert_eq!(opinion.regras.name(), "nfe-2026-01-01");
    let findings = opinion.findings.iter();
    findings
        .map(|finding| format!("{} {}", finding.codigo, finding.caminho))
        .collect()
}

fn wrong(right: &str, before: &str, after: &str) -> Vec<String> {
    let xml = right.replacen(before, after, 1);
    assert_ne!(xml, right, "{before}");
    codes(&xml)
}

#[test]
fn an_event_is_judged() {
    let right = evento();
    assert_eq!(codes(&right), [""; 0]);
    for (before, after, findings) in [
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
        assert_eq!(wrong(&right, before, after), findings, "{after}");
    }
    // Of which the catalogue knows nothing, and once more than it admits.
    let other = right.replace("110111", "110999");
    assert_eq!(codes(&other), ["491 infEvento/tpEvento"]);
    let second = right
        .replace("01\"><cOrgao>", "02\"><cOrgao>")
        .replace("<nSeqEvento>1", "<nSeqEvento>2");
    assert_eq!(codes(&second), ["594 infEvento/nSeqEvento"]);
    // A correction is for model 55, a manifestation goes to the national environment.
    let manifested = right.replace("110111", "210200");
    assert_eq!(codes(&manifested), ["250 infEvento/cOrgao"]);
    let chave = right.split("<chNFe>").nth(1).unwrap()[..44].to_owned();
    let base = chave[..43].replacen("00018155", "00018165", 1);
    let nfce = format!("{base}{}", markup::ids::chave::digit(base.as_bytes()));
    let letter = right.replace(&chave, &nfce).replace("110111", "110110");
    assert_eq!(codes(&letter), ["784 infEvento/chNFe"]);
    let digit = if chave.ends_with('9') { '8' } else { '9' };
    let changed = right.replace(&chave, &format!("{}{digit}", &chave[..43]));
    assert_eq!(codes(&changed), ["236 infEvento/chNFe"]);
}

#[test]
fn an_answered_range_is_judged_by_the_rules_of_its_day() {
    let regras = |xml: &str| {
        let doc = Document::parse(xml).unwrap();
        let opinion = check_void(&doc, date!(2026 - 11 - 20), |_| true);
        opinion.unwrap().regras.name()
    };
    let answered = |at: &str| {
        let xml = RANGE.replacen(
            "<cStat>102</cStat>",
            &format!("<cStat>102</cStat><dhRecbto>{at}</dhRecbto>"),
            1,
        );
        regras(&xml)
    };
    assert_eq!(answered("2018-05-02T10:00:00-03:00"), "nfe-2017-12-04");
    assert_eq!(answered("2021-09-02T10:00:00-03:00"), "nfe-2021-09-01");
    // Without an answer, or a day in it, there is only today.
    assert_eq!(regras(RANGE), "nfe-2026-01-01");
    assert_eq!(answered("ontem"), "nfe-2026-01-01");
}

#[test]
fn a_voided_range_is_judged() {
    assert_eq!(codes(RANGE), [""; 0]);
    for (before, after, findings) in [
        ("Id=\"ID35", "Id=\"ID41", ["502 infInut/@Id"].as_slice()),
        (
            "<cStat>102",
            "<cStat>256",
            &["nao_homologada retInutNFe/infInut/cStat"],
        ),
    ] {
        assert_eq!(wrong(RANGE, before, after), findings, "{after}");
    }
    for (before, after, finding) in [
        ("11222333000181", "11222333000182", "207 infInut/CNPJ"),
        ("000000110", "000000100", "224 infInut/nNFFin"),
        ("000000110", "000001101", "201 infInut/nNFFin"),
    ] {
        let number = |digits: &str| digits.trim_start_matches('0').to_owned();
        let xml = RANGE.replace(before, after).replace(
            &format!("<nNFFin>{}<", number(before)),
            &format!("<nNFFin>{}<", number(after)),
        );
        assert_eq!(codes(&xml), [finding]);
    }
    for (year, finding) in [("27", "453 infInut/ano"), ("05", "454 infInut/ano")] {
        let xml = RANGE
            .replace("ID3526", &format!("ID35{year}"))
            .replace("<ano>26", &format!("<ano>{year}"));
        assert_eq!(codes(&xml), [finding]);
    }
}
