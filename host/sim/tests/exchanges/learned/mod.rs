//! Cities that are learned from recorded exchanges: small systems whose cases
//! these tests write, each with another way of carrying its messages.

mod batch;
mod faults;
mod form;
mod hostile;
mod json;
mod recorded;
mod rest;

use crate::common::*;
use serde_json::{Value, json};
use sim::Cities;
use std::path::Path;
use tempfile::TempDir;

/// Provider of the cases, and the customer.
pub const RECORDED: &str = "90011001000124";
pub const CUSTOMER: &str = "90022002000174";

/// A folder of cases.
pub struct Cases(TempDir);

/// A request with its answer.
pub struct Step {
    pub method: &'static str,
    pub path: &'static str,
    pub effect: &'static str,
    pub headers: Vec<(&'static str, &'static str)>,
    pub body: String,
    pub means: &'static str,
    pub kind: &'static str,
    pub answer: Vec<u8>,
}

impl Cases {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn case(&self, city: &str, name: &str, input: &Value, steps: &[Step], outcome: &Value) {
        let folder = self.0.path().join(format!("{city}-{name}"));
        std::fs::create_dir(&folder).expect("folder of the case");
        let write = |name: &str, content: &[u8]| {
            std::fs::write(folder.join(name), content).expect("file of the case");
        };
        let about = format!("title = \"{name}\"\norigin = \"synthetic\"\ncity = \"{city}\"\n");
        write("case.toml", about.as_bytes());
        write("input.json", input.to_string().as_bytes());
        write("outcome.json", outcome.to_string().as_bytes());
        for (at, step) in steps.iter().enumerate() {
            let number = at + 1;
            let headers: Vec<Value> = step.headers.iter().map(|(n, v)| json!([n, v])).collect();
            let headers = Value::from(headers);
            let request = format!(
                "label = \"{name}\"\nmethod = \"{}\"\nendpoint = \"nfse\"\npath = \"{}\"\neffect = \"{}\"\nheaders = {headers}\n",
                step.method, step.path, step.effect
            );
            write(&format!("{number:02}-request.toml"), request.as_bytes());
            if !step.body.is_empty() {
                write(&format!("{number:02}-request.xml"), step.body.as_bytes());
            }
            let answer = format!(
                "status = 200\nheaders = [[\"Content-Type\", \"{}\"]]\nmeans = \"{}\"\n",
                step.kind, step.means
            );
            write(&format!("{number:02}-response.toml"), answer.as_bytes());
            write(&format!("{number:02}-response.xml"), &step.answer);
        }
    }

    pub fn world(&self, file: Option<std::path::PathBuf>) -> World {
        let cities = Cities::with(self.path());
        let known = Cities::default().problems();
        let own: Vec<String> = cities.problems();
        let own: Vec<String> = own.into_iter().filter(|one| !known.contains(one)).collect();
        assert_eq!(own, Vec::<String>::new());
        World::of(file, cities)
    }
}

fn input(operation: &str, content: Value) -> Value {
    json!({
        "operation": { "nome": operation, "schema": "nfse.dps/1", "conteudo": content },
        "context": {
            "flow": "flw_1", "now": "2026-10-05T10:15:00-03:00", "ambiente": "homologacao",
            "emitente": { "documento": RECORDED, "inscricao_municipal": "445566", "razao_social": "EMPRESA DE TESTE" },
        },
    })
}

/// What the hub asks in the cases: number 57 of the series A7, 1234.56.
pub fn issuing() -> Value {
    input(
        "emitir",
        json!({
            "identificacao": { "serie": "A7", "numero": 57 },
            "data_emissao": "2026-10-04T09:11:00-03:00",
            "tomador": { "cpf_cnpj": CUSTOMER, "nome": "Tomador Exemplo & Cia" },
            "valores": { "servico": "1234.56" },
        }),
    )
}

pub fn asking() -> Value {
    input("consultar-rps", json!({ "serie": "A7", "numero": 57 }))
}

pub fn cancelling() -> Value {
    let content = json!({ "documento": { "numero": "201", "rps": { "serie": "A7", "numero": 57 } },
        "codigo_motivo": "erro_emissao", "justificativa": "Valor digitado errado." });
    input("cancelar", content)
}

/// Note 201 with the code AB12-CD34.
pub fn note() -> Value {
    json!({ "success": { "situacao": "autorizado", "documentos": [{
        "tipo": "nfse", "situacao": "autorizado", "numero": "201", "codigo_verificacao": "AB12-CD34",
        "emitido_em": "2026-10-05T10:16:02-03:00" }] } })
}

pub fn cancelled() -> Value {
    json!({ "success": { "situacao": "cancelado", "documentos": [{
        "tipo": "evento", "situacao": "cancelado", "numero": "201", "emitido_em": "2026-10-06T11:22:33-03:00" }] } })
}

pub fn rejected(code: &str, text: &str) -> Value {
    json!({ "failure": { "reason": { "rejected": [{ "codigo": code, "texto": text }] } } })
}

pub fn nothing() -> Value {
    json!({ "failure": { "reason": { "other": "not found" } } })
}

/// The number in the only element of this name.
pub fn element<'t>(text: &'t str, name: &str) -> &'t str {
    abrasf::between(text, &format!("<{name}>"), &format!("</{name}>"))
}
