//! An MDF-e is read to the names a request has.

use super::orders::{MODAIS, frame, order, order_by, read as request};
use crate::cte::orders::emitter;
use crate::members::assert_inside;
use freight::mdfe::assembly::validate;
use freight::mdfe::reading::{ReadingError, read};
use markup::xml::Document;
use serde_json::{Value, json};

fn read_back(order: Value) -> Value {
    let mdfe = validate(&request(order), &emitter(), &frame()).unwrap_or_else(|e| panic!("{e:#?}"));
    let xml = mdfe.write(&frame(), None).expect("the layout takes it").xml;
    let doc = Document::parse(&xml).expect("XML");
    serde_json::to_value(read(&doc).expect("an MDF-e")).expect("JSON")
}

#[test]
fn what_a_request_says_reads_back_from_the_document() {
    for modal in MODAIS {
        let order = order_by(modal);
        let read = read_back(order.clone());
        assert_inside(modal, &order, &read);
        assert_eq!(read["outros"], Value::Null, "{modal}");
        assert_eq!(read["avisos"], Value::Null, "{modal}");
    }
}

#[test]
fn what_was_read_is_a_request_again() {
    let first = read_back(order());
    let again = read_back(first.clone());
    assert_eq!(first, again);
}

#[test]
fn what_the_document_says_of_itself_is_there() {
    let read = read_back(order());
    for (name, expected) in [
        ("modelo", json!("58")),
        ("serie", json!(1)),
        ("numero", json!(7)),
        ("layout", json!("3.00")),
        ("tipo_emitente", json!("prestador")),
        ("modal", json!("rodoviario")),
        ("total_ctes", json!("2")),
        ("ambiente", json!("producao")),
    ] {
        assert_eq!(read[name], expected, "{name}");
    }
    assert_eq!(read["emitente"]["cpf_cnpj"], "11222333000181");
    assert_eq!(read["carregamento"][0]["cidade"], "Belo Horizonte");
    let address = read["qr_code"].as_str().expect("an address");
    assert!(
        address.contains(read["chave"].as_str().expect("a key")),
        "{address}"
    );
}

const OTHERS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<m:mdfeProc xmlns:m="http://www.portalfiscal.inf.br/mdfe" versao="1.00">
 <m:MDFe><m:infMDFe versao="1.00" Id="MDFe31261111222333000181580010000000091271828183">
  <m:ide><m:cUF>31</m:cUF><m:mod>58</m:mod><m:tpEmit>9</m:tpEmit><m:UFIni>MG</m:UFIni></m:ide>
  <m:infModal versaoModal="1.00"><m:rodo><m:RNTRC>1</m:RNTRC><m:veicTracao><m:placa>AAA0000</m:placa></m:veicTracao></m:rodo></m:infModal>
 </m:infMDFe></m:MDFe>
 <m:protMDFe versao="1.00"><m:infProt><m:tpAmb>1</m:tpAmb><m:cStat>100</m:cStat><m:nProt>931260000000001</m:nProt></m:infProt></m:protMDFe>
</m:mdfeProc>"#;

#[test]
fn of_an_older_layout_nothing_is_lost() {
    let doc = Document::parse(OTHERS).expect("XML");
    let read = serde_json::to_value(read(&doc).expect("an MDF-e")).expect("JSON");
    assert_eq!(read["veiculo"]["placa"], "AAA0000");
    // A code without a word stays as it is.
    assert_eq!(read["tipo_emitente"], "9");
    assert_eq!(read["protocolo"]["status"], "100");
    assert_eq!(read["outros"][0]["caminho"], "infMDFe/infModal/rodo/RNTRC");
    assert_eq!(read["avisos"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_is_no_mdfe_is_told() {
    for (xml, expected) in [
        (
            "<a/>",
            "O documento não tem MDFe no espaço de nomes do MDF-e.",
        ),
        (
            "<MDFe xmlns=\"http://www.portalfiscal.inf.br/mdfe\"/>",
            "O documento não tem infMDFe no espaço de nomes do MDF-e.",
        ),
        (
            "<MDFe xmlns=\"http://www.portalfiscal.inf.br/mdfe\"><infMDFe><ide><mod>57</mod></ide></infMDFe></MDFe>",
            "O documento é do modelo 57; lê-se aqui o MDF-e, modelo 58.",
        ),
    ] {
        let doc = Document::parse(xml).expect("XML");
        let error: ReadingError = read(&doc).expect_err("it is none");
        assert_eq!(error.to_string(), expected);
    }
}
