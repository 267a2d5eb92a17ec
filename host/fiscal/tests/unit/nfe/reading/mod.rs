//! Notes of others and notes made from the official schemas: nothing lost.

mod checking;
mod documents;
mod hostile;
mod loss;
mod request;
mod returns;
mod schema;
mod validity;

mod check {
    mod rules;
    mod validity;
}

use markup::xml::{Document, Element};
use markup::xmldsig::DSIG_NAMESPACE;
use serde_json::Value;
use std::path::Path;

/// The official packages whose elements are all tried.
const PACKAGES: [&str; 4] = [
    "PL_010b_NT2025.002_v1.30",
    "PL_010d_NT2026.004_v1.02",
    "PL_010e_NT2025.002_v1.01",
    "nfelib-3.2.0",
];

/// The files of a folder that are texts: name, text.
fn texts(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter_map(|path| {
            let text = std::fs::read_to_string(&path).ok()?;
            Some((path.file_name()?.to_string_lossy().into_owned(), text))
        })
        .collect()
}

/// Every value of the document but those of signatures: path, value.
fn leaves(doc: &Document<'_>) -> Vec<(String, String)> {
    fn visit(element: Element<'_>, caminho: &str, output: &mut Vec<(String, String)>) {
        if element.namespace() == DSIG_NAMESPACE {
            return;
        }
        let caminho = format!("{caminho}/{}", element.name());
        for (_, name, value) in element.attributes() {
            output.push((format!("{caminho}/@{name}"), value.to_owned()));
        }
        let mut empty = true;
        for child in element.children() {
            empty = false;
            visit(child, &caminho, output);
        }
        let text = element.text();
        if empty || !text.trim().is_empty() {
            output.push((caminho, text.into_owned()));
        }
    }
    let mut output = Vec::new();
    visit(doc.root(), "", &mut output);
    output
}

/// Every value of the JSON, as text.
fn values(json: &Value, output: &mut Vec<String>) {
    match json {
        Value::String(text) => output.push(text.clone()),
        Value::Number(number) => output.push(number.to_string()),
        Value::Bool(value) => output.push(value.to_string()),
        Value::Array(list) => list.iter().for_each(|value| values(value, output)),
        Value::Object(object) => object.values().for_each(|value| values(value, output)),
        Value::Null => output.push("null".to_owned()),
    }
}

/// What a value of the document is called in JSON, told here apart from the
/// tables under test.
fn translated(caminho: &str, value: &str) -> String {
    let tag = caminho.rsplit('/').next().unwrap_or("");
    let words: &[(&str, &str)] = match tag {
        "tpAmb" => &[("1", "producao"), ("2", "homologacao")],
        "tpNF" => &[("0", "entrada"), ("1", "saida")],
        "idDest" => &[("1", "interna"), ("2", "interestadual"), ("3", "exterior")],
        "finNFe" => &[
            ("1", "normal"),
            ("2", "complementar"),
            ("3", "ajuste"),
            ("4", "devolucao"),
            ("5", "nota_credito"),
            ("6", "nota_debito"),
        ],
        "indFinal" | "indTot" | "indSomaPISST" | "indSomaCOFINSST" | "indDeduzDeson"
        | "indImport" | "indDoacao" | "indBemMovelUsado" => &[("0", "false"), ("1", "true")],
        "tpIntegra" | "indIncentivo" => &[("1", "true"), ("2", "false")],
        "indEscala" => &[("S", "true"), ("N", "false")],
        "indPres" => &[
            ("0", "nao_se_aplica"),
            ("1", "presencial"),
            ("2", "internet"),
            ("3", "teleatendimento"),
            ("4", "entrega_domicilio"),
            ("5", "fora_estabelecimento"),
            ("9", "outros"),
        ],
        "indIEDest" => &[
            ("1", "contribuinte"),
            ("2", "isento"),
            ("9", "nao_contribuinte"),
        ],
        "modFrete" => &[
            ("0", "emitente"),
            ("1", "destinatario"),
            ("2", "terceiros"),
            ("3", "proprio_remetente"),
            ("4", "proprio_destinatario"),
            ("9", "sem_frete"),
        ],
        "modBC" => &[
            ("0", "mva"),
            ("1", "pauta"),
            ("2", "preco_tabelado"),
            ("3", "valor_operacao"),
        ],
        "modBCST" => &[
            ("0", "preco_tabelado"),
            ("1", "lista_negativa"),
            ("2", "lista_positiva"),
            ("3", "lista_neutra"),
            ("4", "mva"),
            ("5", "pauta"),
            ("6", "valor_operacao"),
        ],
        "indPag" => &[("0", "a_vista"), ("1", "a_prazo")],
        "tPag" => &[
            ("01", "dinheiro"),
            ("02", "cheque"),
            ("05", "cartao_loja"),
            ("10", "vale_alimentacao"),
            ("03", "cartao_credito"),
            ("04", "cartao_debito"),
            ("14", "duplicata"),
            ("15", "boleto"),
            ("16", "deposito"),
            ("17", "pix_dinamico"),
            ("90", "sem_pagamento"),
            ("99", "outros"),
        ],
        "tpViaTransp" => &[("1", "maritima"), ("4", "aerea"), ("7", "rodoviaria")],
        "tpIntermedio" => &[
            ("1", "conta_propria"),
            ("2", "conta_e_ordem"),
            ("3", "encomenda"),
        ],
        "indISS" => &[("1", "exigivel"), ("2", "nao_incidencia"), ("3", "isencao")],
        "indProc" => &[("0", "sefaz"), ("9", "outros")],
        "cUF" if caminho.contains("/NFref/") => &[("35", "SP"), ("42", "SC")],
        "cUFOrig" => &[("35", "SP"), ("42", "SC")],
        _ => &[],
    };
    let word = words.iter().find(|(codigo, _)| *codigo == value);
    word.map_or(value, |(_, word)| word).to_owned()
}

/// Values of the document that the JSON does not have (as often).
fn lost(doc: &Document<'_>, json: &Value) -> Vec<String> {
    let mut held = Vec::new();
    values(json, &mut held);
    let mut count = std::collections::HashMap::<&str, usize>::new();
    for value in &held {
        *count.entry(value).or_default() += 1;
    }
    let mut missing = Vec::new();
    for (caminho, value) in leaves(doc) {
        // The version of the outer element repeats the note's own.
        if caminho == "/nfeProc/@versao" {
            continue;
        }
        let expected = translated(&caminho, &value);
        match count.get_mut(expected.as_str()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => missing.push(format!("{caminho} = {value:?}")),
        }
    }
    missing
}
