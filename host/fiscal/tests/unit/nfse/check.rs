//! Documents of the national NFS-e that fit, and one thing wrong at a time.

use fiscal::nfse::{NAMESPACE, check, root};
use markup::xml::Document;
use time::macros::date;

const DPS: &str = "<DPS xmlns=\"http://www.sped.fazenda.gov.br/nfse\"><infDPS Id=\"DPS310620021122233300018100001000000000000007\"><dhEmi>2026-11-20T10:15:00-03:00</dhEmi><serie>1</serie><nDPS>7</nDPS><dCompet>2026-11-20</dCompet><tpEmit>1</tpEmit><cLocEmi>3106200</cLocEmi><prest><CNPJ>11222333000181</CNPJ></prest><toma><CNPJ>11444777000161</CNPJ></toma><interm><CPF>52998224725</CPF></interm></infDPS></DPS>";
const CHAVE: &str = "31062002211222333000181000000000000126113476337090";

fn nota() -> String {
    format!(
        "<NFSe xmlns=\"{NAMESPACE}\"><infNFSe Id=\"NFS{CHAVE}\"><nNFSe>1</nNFSe><emit><CNPJ>11222333000181</CNPJ></emit>{DPS}</infNFSe></NFSe>"
    )
}

fn request() -> String {
    format!(
        "<pedRegEvento xmlns=\"{NAMESPACE}\"><infPedReg Id=\"PRE{CHAVE}101101\"><dhEvento>2026-11-20T10:15:00-03:00</dhEvento><CNPJAutor>11222333000181</CNPJAutor><chNFSe>{CHAVE}</chNFSe><e101101/></infPedReg></pedRegEvento>"
    )
}

fn event() -> String {
    format!(
        "<evento xmlns=\"{NAMESPACE}\"><infEvento Id=\"EVT{CHAVE}101101001\"><nDFe>1</nDFe>{}</infEvento></evento>",
        request()
    )
}

fn findings(xml: &str) -> Vec<String> {
    let doc = Document::parse(xml).unwrap();
    let findings = check(&doc, root(&doc).unwrap(), date!(2026 - 11 - 20), |_| true);
    let findings = findings.iter();
    findings
        .map(|finding| format!("{} {}", finding.codigo, finding.caminho))
        .collect()
}

#[test]
fn one_thing_wrong_at_a_time() {
    for right in [DPS.to_owned(), nota(), request(), event()] {
        assert_eq!(findings(&right), [""; 0]);
    }
    let (nota, request, event) = (nota(), request(), event());
    for (right, before, after, finding) in [
        (DPS, "<nDPS>7", "<nDPS>8", "E0004 infDPS/@Id"),
        (
            DPS,
            "<dhEmi>2026-11-20",
            "<dhEmi>2026-11-25",
            "E0008 infDPS/dhEmi",
        ),
        (
            DPS,
            "<dCompet>2026-11-20",
            "<dCompet>2026-11-21",
            "E0015 infDPS/dCompet",
        ),
        (
            DPS,
            "<CNPJ>11444777000161",
            "<CNPJ>11444777000162",
            "E0188 infDPS/toma/CNPJ",
        ),
        (
            DPS,
            "<CNPJ>11444777000161",
            "<CNPJ>11222333000181",
            "E0202 infDPS/toma/CNPJ",
        ),
        (
            DPS,
            "<CPF>52998224725",
            "<CPF>52998224726",
            "E0266 infDPS/interm/CPF",
        ),
        (&nota, "<nNFSe>1", "<nNFSe>2", "chave_diverge infNFSe/nNFSe"),
        (
            &nota,
            "<emit><CNPJ>11222333000181",
            "<emit><CNPJ>11444777000161",
            "chave_diverge infNFSe/emit",
        ),
        (&nota, "<nDPS>7", "<nDPS>8", "E0004 infDPS/@Id"),
        (&request, "<e101101/>", "<e105102/>", "E0004 infPedReg/@Id"),
        (
            &request,
            "<CNPJAutor>11222333000181",
            "<CNPJAutor>11222333000182",
            "autor_invalido infPedReg/CNPJAutor",
        ),
        (
            &request,
            "2026-11-20T",
            "2026-11-25T",
            "evento_no_futuro infPedReg/dhEvento",
        ),
        // The request inside of the registered event is judged, too.
        (&event, "<e101101/>", "<e105102/>", "E0004 infPedReg/@Id"),
    ] {
        let wrong = right.replacen(before, after, 1);
        assert_ne!(wrong, right, "{before}");
        assert_eq!(findings(&wrong), [finding], "{after}");
    }
}
