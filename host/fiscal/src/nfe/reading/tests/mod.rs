//! Notes of others and notes made from the official schemas: nothing lost.

mod checking;
mod documents;
mod hostile;
mod loss;
mod request;
mod returns;
mod schema;
mod speed;
mod validity;

use serde_json::Value;

use super::*;
use markup::xml::{Document, Element};
use markup::xmldsig::DSIG_NAMESPACE;

/// Every value of the document but those of signatures: path, value.
fn folhas(doc: &Document<'_>) -> Vec<(String, String)> {
    fn visita(elemento: Element<'_>, caminho: &str, saida: &mut Vec<(String, String)>) {
        if elemento.namespace() == DSIG_NAMESPACE {
            return;
        }
        let caminho = format!("{caminho}/{}", elemento.name());
        for (_, nome, valor) in elemento.attributes() {
            saida.push((format!("{caminho}/@{nome}"), valor.to_owned()));
        }
        let mut vazio = true;
        for filho in elemento.children() {
            vazio = false;
            visita(filho, &caminho, saida);
        }
        let texto = elemento.text();
        if vazio || !texto.trim().is_empty() {
            saida.push((caminho, texto.into_owned()));
        }
    }
    let mut saida = Vec::new();
    visita(doc.root(), "", &mut saida);
    saida
}

/// Every value of the JSON, as text.
fn valores(json: &Value, saida: &mut Vec<String>) {
    match json {
        Value::String(texto) => saida.push(texto.clone()),
        Value::Number(numero) => saida.push(numero.to_string()),
        Value::Bool(valor) => saida.push(valor.to_string()),
        Value::Array(lista) => lista.iter().for_each(|valor| valores(valor, saida)),
        Value::Object(objeto) => objeto.values().for_each(|valor| valores(valor, saida)),
        Value::Null => saida.push("null".to_owned()),
    }
}

/// What a value of the document is called in JSON, told here apart from the
/// tables under test.
fn traduzido(caminho: &str, valor: &str) -> String {
    let tag = caminho.rsplit('/').next().unwrap_or("");
    let palavras: &[(&str, &str)] = match tag {
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
    let palavra = palavras.iter().find(|(codigo, _)| *codigo == valor);
    palavra.map_or(valor, |(_, palavra)| palavra).to_owned()
}

/// Values of the document that the JSON does not have (as often).
fn perdidos(doc: &Document<'_>, json: &Value) -> Vec<String> {
    let mut tem = Vec::new();
    valores(json, &mut tem);
    let mut quantos = std::collections::HashMap::<&str, usize>::new();
    for valor in &tem {
        *quantos.entry(valor).or_default() += 1;
    }
    let mut falta = Vec::new();
    for (caminho, valor) in folhas(doc) {
        // The version of the outer element repeats the note's own.
        if caminho == "/nfeProc/@versao" {
            continue;
        }
        let esperado = traduzido(&caminho, &valor);
        match quantos.get_mut(esperado.as_str()) {
            Some(quantos) if *quantos > 0 => *quantos -= 1,
            _ => falta.push(format!("{caminho} = {valor:?}")),
        }
    }
    falta
}
