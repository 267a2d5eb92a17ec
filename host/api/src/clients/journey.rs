//! The ways through an API that a collection begins with: from an account without
//! companies to a note that is issued, read and cancelled; and then a customer, a webhook,
//! a service note and an export. Each request keeps the ids that the next one needs, and
//! checks its answer.

use super::chain;
use super::model::{Model, Op};
use serde_json::{Value, json};

/// Names of the folders, for people.
pub const FOLDERS: [&str; 2] = [
    "Do cadastro à nota cancelada",
    "Cliente, webhook, NFS-e e exportação",
];

/// A folder of requests that run in their order.
pub struct Way<'m> {
    /// For people.
    pub name: &'static str,
    /// Of its files.
    pub folder: &'static str,
    /// What it needs, for people.
    pub about: &'static str,
    pub steps: Vec<Step<'m>>,
}

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

/// The folders in their order; one has no requests where the document lacks one of its
/// operations.
pub fn ways(model: &Model) -> [Way<'_>; 2] {
    [
        Way {
            name: FOLDERS[0],
            folder: "comece-aqui",
            about: "Em ordem, com uma chave de teste de uma conta sem empresas: cada requisição guarda os ids que a próxima usa.",
            steps: goods(model).unwrap_or_default(),
        },
        Way {
            name: FOLDERS[1],
            folder: "continue-aqui",
            about: "Em ordem, depois da primeira pasta, com a mesma chave de teste: usa a empresa que ela cadastrou.",
            steps: services(model).unwrap_or_default(),
        },
    ]
}

/// From the company to a cancelled note of goods.
fn goods(model: &Model) -> Option<Vec<Step<'_>>> {
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
    all.into_iter().collect()
}

/// What a company has besides notes of goods.
fn services(model: &Model) -> Option<Vec<Step<'_>>> {
    let all = [
        chosen(model),
        customer(model),
        same(model, "pessoas.get", "Confere o cliente", "pessoa_id"),
        webhook(model),
        service(model),
        service_file(model),
        service_listed(model),
        service_cancelled(model),
        export(model),
        same(
            model,
            "documentos.exportacoes.get",
            "Acompanha a exportação",
            "exportacao_id",
        ),
        step(model, "webhooks.delete", "Apaga o webhook"),
    ];
    all.into_iter().collect()
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

fn chosen(model: &Model) -> Option<Step<'_>> {
    Some(Step {
        query: vec![("limite", "1")],
        keeps: vec![("emitente_id", "itens[0].id")],
        ..step(model, "emitters.list", "Escolhe a empresa")?
    })
}

fn customer(model: &Model) -> Option<Step<'_>> {
    Some(Step {
        keeps: vec![("pessoa_id", "id")],
        checks: vec![Check::Is("nome", json!("Cliente Exemplo Ltda"))],
        ..step(model, "pessoas.create", "Cadastra um cliente")?
    })
}

/// What is read has the id that was kept.
fn same<'m>(
    model: &'m Model,
    id: &str,
    title: &'static str,
    variable: &'static str,
) -> Option<Step<'m>> {
    let checks = vec![Check::IsVariable("id", variable)];
    Some(Step {
        checks,
        ..step(model, id, title)?
    })
}

fn webhook(model: &Model) -> Option<Step<'_>> {
    Some(Step {
        keeps: vec![("webhook_id", "id")],
        checks: vec![Check::Is("ativo", json!(true))],
        ..step(model, "webhooks.create", "Cadastra um webhook")?
    })
}

/// Without a reference: the folder may run again, and a reference is of one note.
fn service(model: &Model) -> Option<Step<'_>> {
    let mut issue = step(model, "nfse.create", "Emite uma NFS-e, simulada")?;
    if let Some(Value::Object(members)) = &mut issue.body {
        members.retain(|name, _| name != "referencia");
        members.insert("emitente_id".to_owned(), json!("{{emitente_id}}"));
    }
    issue.keeps = vec![("nfse_id", "id")];
    issue.checks = vec![
        Check::Is("status", json!("validada")),
        Check::Is("simulada", json!(true)),
    ];
    Some(issue)
}

fn service_file(model: &Model) -> Option<Step<'_>> {
    Some(Step {
        query: vec![("formato", "xml"), ("binario", "1")],
        checks: vec![Check::Media("xml")],
        ..step(model, "nfse.documento", "Baixa o XML da NFS-e")?
    })
}

fn service_listed(model: &Model) -> Option<Step<'_>> {
    Some(Step {
        query: vec![("limite", "10")],
        checks: vec![Check::FirstIs("nfse_id")],
        ..step(model, "nfse.list", "Lista as NFS-e")?
    })
}

fn service_cancelled(model: &Model) -> Option<Step<'_>> {
    let checks = vec![
        Check::Is("status", json!("cancelada")),
        Check::IsVariable("id", "nfse_id"),
    ];
    Some(Step {
        checks,
        ..step(model, "nfse.cancelar", "Cancela a NFS-e")?
    })
}

fn export(model: &Model) -> Option<Step<'_>> {
    Some(Step {
        keeps: vec![("exportacao_id", "id")],
        checks: vec![Check::Is("status", json!("processando"))],
        ..step(
            model,
            "documentos.exportar",
            "Pede a exportação de um período",
        )?
    })
}
