//! A CT-e is read to the names a request has.

use super::orders::{MODAIS, emitter, frame, order, order_by, read as request};
use crate::members::assert_inside;
use freight::cte::assembly::validate;
use freight::cte::reading::{ReadingError, read};
use markup::xml::Document;
use serde_json::{Value, json};

fn read_back(order: Value) -> Value {
    let cte = validate(&request(order), &emitter(), &frame()).unwrap_or_else(|e| panic!("{e:#?}"));
    let xml = cte.write(&frame()).expect("the layout takes it").xml;
    let doc = Document::parse(&xml).expect("XML");
    serde_json::to_value(read(&doc).expect("a CT-e")).expect("JSON")
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
        ("modelo", json!("57")),
        ("serie", json!(1)),
        ("numero", json!(7)),
        ("layout", json!("4.00")),
        ("uf_inicio", json!("MG")),
        ("cidade_fim", json!("São Paulo")),
        ("ambiente", json!("producao")),
    ] {
        assert_eq!(read[name], expected, "{name}");
    }
    assert_eq!(read["emitente"]["cpf_cnpj"], "11222333000181");
    assert_eq!(read["icms"]["grupo"], "icms00");
    assert_eq!(read["icms"]["valor"].to_string(), "180.00");
    assert_eq!(read["chave"].as_str().map(str::len), Some(44));
    let address = read["qr_code"].as_str().expect("an address");
    assert!(
        address.contains(read["chave"].as_str().expect("a key")),
        "{address}"
    );
}

const OTHERS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<c:cteProc xmlns:c="http://www.portalfiscal.inf.br/cte" versao="3.00">
 <c:CTe><c:infCte versao="3.00" Id="CTe31261111222333000181570010000000091271828180">
  <c:ide><c:cUF>31</c:cUF><c:CFOP>5353</c:CFOP><c:mod>57</c:mod><c:tpCTe>2</c:tpCTe><c:modal>01</c:modal>
   <c:toma03><c:toma>0</c:toma></c:toma03></c:ide>
  <c:emit><c:CNPJ>11222333000181</c:CNPJ><c:email>a@b.example</c:email></c:emit>
  <c:infCTeNorm><c:infModal versaoModal="3.00"><c:rodo><c:RNTRC>1</c:RNTRC><c:lota>0</c:lota></c:rodo></c:infModal></c:infCTeNorm>
 </c:infCte></c:CTe>
 <c:protCTe versao="3.00"><c:infProt><c:tpAmb>1</c:tpAmb><c:cStat>100</c:cStat><c:nProt>131260000000001</c:nProt></c:infProt></c:protCTe>
</c:cteProc>"#;

#[test]
fn of_an_older_layout_nothing_is_lost() {
    let doc = Document::parse(OTHERS).expect("XML");
    let read = serde_json::to_value(read(&doc).expect("a CT-e")).expect("JSON");
    assert_eq!(read["cfop"], "5353");
    // A code without a word stays as it is.
    assert_eq!(read["tipo"], "2");
    assert_eq!(read["protocolo"]["status"], "100");
    assert_eq!(read["protocolo"]["ambiente"], "producao");
    let others: Vec<&str> = read["outros"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|other| other["caminho"].as_str())
        .collect();
    for path in [
        "infCte/ide/toma03/toma",
        "infCte/emit/email",
        "infCte/infCTeNorm/infModal/rodo/lota",
    ] {
        assert!(others.contains(&path), "{path}: {others:?}");
    }
    assert_eq!(read["avisos"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_is_no_cte_is_told() {
    for (xml, expected) in [
        (
            "<a/>",
            "O documento não tem CTe no espaço de nomes do CT-e.",
        ),
        (
            "<CTeOS xmlns=\"http://www.portalfiscal.inf.br/cte\"/>",
            "O documento é do modelo CTeOS; lê-se aqui o CT-e, modelo 57.",
        ),
        (
            "<CTe xmlns=\"http://www.portalfiscal.inf.br/cte\"/>",
            "O documento não tem infCte no espaço de nomes do CT-e.",
        ),
    ] {
        let doc = Document::parse(xml).expect("XML");
        let error: ReadingError = read(&doc).expect_err("no CT-e");
        assert_eq!(error.to_string(), expected);
    }
}
