//! The way through an API that a collection begins with: from an account without
//! companies to a note that is issued, read and cancelled. Each request keeps the ids
//! that the next one needs, and checks its answer.

use super::chain;
use super::model::{Model, Op};
use serde_json::{Value, json};

/// Name of the folder, for people.
pub const FOLDER: &str = "Do cadastro à nota cancelada";

/// What is checked of an answer.
pub enum Check {
    /// A member has this value.
    Is(&'static str, Value),
    /// A member has the value of a variable.
    IsVariable(&'static str, &'static str),
    /// The first item of the list is that of a variable.
    FirstIs(&'static str),
    /// The media type contains this.
    Media(&'static str),
    /// The body, which is text, contains this.
    Contains(&'static str),
}

/// One request of the way.
pub struct Step<'m> {
    pub op: &'m Op,
    /// What it does, for people.
    pub title: &'static str,
    /// Absent: none.
    pub body: Option<Value>,
    pub query: Vec<(&'static str, &'static str)>,
    /// Variables, and the member of the answer that each is set from.
    pub keeps: Vec<(&'static str, &'static str)>,
    pub checks: Vec<Check>,
}

/// The requests in their order; none of a document that lacks one of the operations.
pub fn steps(model: &Model) -> Vec<Step<'_>> {
    let all = [
        account(model),
        company(model),
        profile(model),
        issue(model),
        listed(model),
        file(model, "documentos.xml", "Baixa o XML"),
        file(model, "documentos.danfe", "Baixa o DANFE"),
        cancel(model),
        cancelled(model),
    ];
    all.into_iter()
        .collect::<Option<Vec<_>>>()
        .unwrap_or_default()
}

fn step<'m>(model: &'m Model, id: &str, title: &'static str) -> Option<Step<'m>> {
    let op = model.ops.iter().find(|op| op.id == id)?;
    Some(Step {
        op,
        title,
        body: op.body.as_ref().map(|(_, shown)| chain::linked_body(shown)),
        query: Vec::new(),
        keeps: Vec::new(),
        checks: Vec::new(),
    })
}

fn account(model: &Model) -> Option<Step<'_>> {
    let checks = vec![Check::Is("chave_tipo", json!("teste"))];
    Some(Step {
        checks,
        ..step(model, "conta", "Confere a chave, que deve ser de teste")?
    })
}

/// Without a certificate: a test key then simulates.
fn company(model: &Model) -> Option<Step<'_>> {
    let mut company = step(model, "emitters.create", "Cadastra a empresa")?;
    if let Some(Value::Object(members)) = &mut company.body {
        members.retain(|name, _| matches!(name.as_str(), "cnpj" | "apelido"));
    }
    company.keeps = vec![("emitente_id", "id")];
    Some(company)
}

fn profile(model: &Model) -> Option<Step<'_>> {
    let checks = vec![Check::IsVariable("id", "emitente_id")];
    Some(Step {
        checks,
        ..step(model, "emitters.fiscal-profile", "Informa o perfil fiscal")?
    })
}

fn issue(model: &Model) -> Option<Step<'_>> {
    let mut issue = step(model, "nfe.create", "Emite uma NF-e, simulada")?;
    if let Some(Value::Object(members)) = &mut issue.body {
        members.insert("emitente_id".to_owned(), json!("{{emitente_id}}"));
    }
    issue.keeps = vec![("nfe_id", "id"), ("nfe_chave", "chave")];
    issue.checks = vec![
        Check::Is("status", json!("autorizada")),
        Check::Is("simulada", json!(true)),
        Check::IsVariable("nota_id", "nfe_id"),
    ];
    Some(issue)
}

fn listed(model: &Model) -> Option<Step<'_>> {
    Some(Step {
        query: vec![("limite", "10")],
        checks: vec![Check::FirstIs("nfe_id")],
        ..step(model, "nfe.list", "Lista as notas")?
    })
}

fn file<'m>(model: &'m Model, id: &str, title: &'static str) -> Option<Step<'m>> {
    let checks = match id {
        "documentos.xml" => vec![Check::Media("xml"), Check::Contains("<nfeProc")],
        _ => vec![Check::Media("pdf")],
    };
    Some(Step {
        query: vec![("formato", "binario")],
        checks,
        ..step(model, id, title)?
    })
}

fn cancel(model: &Model) -> Option<Step<'_>> {
    let checks = vec![
        Check::Is("status", json!("cancelada")),
        Check::IsVariable("id", "nfe_id"),
    ];
    Some(Step {
        checks,
        ..step(model, "nfe.cancelar", "Cancela a nota")?
    })
}

fn cancelled(model: &Model) -> Option<Step<'_>> {
    let checks = vec![
        Check::Is("status", json!("cancelada")),
        Check::IsVariable("chave", "nfe_chave"),
    ];
    Some(Step {
        checks,
        ..step(model, "documentos.get", "Confere que a nota está cancelada")?
    })
}
