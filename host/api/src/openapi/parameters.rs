//! Parameters of path, query and header.

use super::examples::Example;
use crate::CAMINHO;
use base::operations::Operation;
use gate::docs::{Docs, forms};
use serde_json::{Value, json};

/// All parameters of an operation.
pub(super) fn parameters(row: &Operation, docs: &Docs, example: Option<&Example>) -> Vec<Value> {
    let mut all = Vec::new();
    for part in super::template(row).split('/') {
        let Some(name) = part
            .strip_prefix('{')
            .and_then(|part| part.strip_suffix('}'))
        else {
            continue;
        };
        let mut one = json!({ "name": name, "in": "path", "required": true, "description": meaning(&row.operation, name), "schema": path_schema(name) });
        give(
            &mut one,
            example.and_then(|example| example.caminho.get(name)),
        );
        all.push(one);
    }
    let query = docs.query.iter().map(|(name, meaning, schema)| {
        let mut one =
            json!({ "name": name, "in": "query", "description": meaning, "schema": schema });
        if docs.asked.contains(name) {
            one["required"] = json!(true);
        }
        give(
            &mut one,
            example.and_then(|example| example.consulta.get(*name)),
        );
        one
    });
    all.extend(query);
    if docs.has_body() {
        all.push(json!({
            "name": "tolerante", "in": "query", "schema": { "type": "string", "enum": ["0", "1"] },
            "description": "1: campos que a operação não conhece são ignorados, em vez de recusados.",
        }));
    }
    for (name, meaning, schema) in &docs.headers {
        all.push(json!({ "name": name, "in": "header", "description": meaning, "schema": schema }));
    }
    if docs.idempotent {
        all.push(json!({
            "name": "Idempotency-Key", "in": "header",
            "description": "Repetir com a mesma chave devolve o mesmo documento, por 24 h.",
            "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" },
        }));
    }
    let transport =
        matches!(row.family.as_str(), "cte" | "mdfe") && row.operation.ends_with("emitir");
    if (row.family == "issuance" || transport) && row.charged_when == "authorized" {
        all.push(json!({
            "name": "Prefer", "in": "header", "schema": { "type": "string" },
            "description": "respond-async: responde 202 logo, sem esperar o resultado.",
        }));
    }
    for one in &mut all {
        one["schema"] = forms::readable(one["schema"].take());
    }
    all
}

fn give(parameter: &mut Value, example: Option<&Value>) {
    let example = example.map(|example| typed(&parameter["schema"], example));
    if let (Some(members), Some(example)) = (parameter.as_object_mut(), example) {
        members.insert("example".to_owned(), example);
    }
}

/// The text of an example as what the schema says that it is.
fn typed(schema: &Value, example: &Value) -> Value {
    let kinds = ["integer", "number", "boolean"];
    let other = kinds.iter().any(|kind| schema["type"] == *kind);
    let read = example.as_str().filter(|_| other);
    let read = read.and_then(|text| text.parse().ok());
    read.unwrap_or_else(|| example.clone())
}

/// What a parameter of a path is, for customers.
fn meaning(operation: &str, name: &str) -> &'static str {
    match name {
        "cclasstrib" => {
            "Código de classificação tributária do IBS e da CBS (cClassTrib), 6 dígitos."
        }
        "cep" => "CEP, 8 dígitos, com ou sem hífen.",
        "codigo" => of_code(operation),
        "codigo_ibge" => CITY,
        "ean" => "Código de barras do produto (GTIN, DUN ou ISBN).",
        "ncm" => "Código da NCM (8 dígitos), da NBS (9) ou do item da LC 116 (4).",
        "placa" => "Placa do veículo, como ABC1234 ou ABC1D23.",
        "uf" => "Sigla da UF, como SP.",
        "ref" => "Id (nota_id) ou chave de acesso do documento.",
        "chave" => "Chave de acesso, 44 dígitos.",
        "request_id" => "O request_id de uma resposta.",
        CAMINHO => "Partes separadas por barras, nenhuma vazia, . ou ..; até 512 bytes em UTF-8.",
        _ => "Identificador.",
    }
}

const CITY: &str = "Código IBGE do município, 7 dígitos.";

/// What the code of a table is.
fn of_code(operation: &str) -> &'static str {
    match operation {
        "fiscal.ncm.get" => "Código da NCM, 8 dígitos; com 2 a 7, um título acima.",
        "fiscal.cest.get" => "Código CEST, 7 dígitos.",
        "fiscal.cfop.get" => "CFOP, 4 dígitos.",
        "fiscal.anp.get" => "Código de produto da ANP, 9 dígitos.",
        "fiscal.cnae.get" => "Código CNAE, 7 dígitos.",
        "fiscal.cbenef.get" => "Código de benefício fiscal da UF (cBenef).",
        "geo.ibge.get" => CITY,
        "veiculo.fipe.get" => "Código do modelo na tabela FIPE, como 001004-9.",
        _ => "Código.",
    }
}

/// What a parameter of a path may be.
fn path_schema(name: &str) -> Value {
    if name == CAMINHO {
        return json!({ "type": "string", "minLength": 1, "maxLength": 512 });
    }
    json!({ "type": "string", "minLength": 1, "maxLength": 80, "pattern": "^[A-Za-z0-9_-]+$" })
}
