//! A form filled with what another document says: to issue it again, to
//! correct what was refused, to go on with a draft.

use super::body::path;
use super::customers;
use super::cut_searches;
use super::inputs::form;
use super::leftovers::left_out;
use super::lookups::address;
use super::past;
use super::rows::named;
use super::wrong::{Refused, Said};
use crate::form::Fields;
use crate::form::amount::{written, written_money};
use crate::pages::listing::{items, title};
use crate::parts::{cpf_cnpj, encoded};
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use axum::http::Method;
use issuing::model::Model;
use rust_decimal::Decimal;
use serde_json::Value;
use store::tables::notas::{NotaRow, NotaStatus};

/// What the layout puts in place of names outside of production.
const NO_VALUE: &str = "HOMOLOGACAO - SEM VALOR FISCAL";

/// What is said above a draft that can be issued as it is.
const OPENED: &str = "Rascunho aberto: confira e emita.";

/// A filled form.
pub struct Prior {
    pub fields: Fields,
    /// What is said above it.
    pub note: String,
    /// Why the document was refused.
    pub refused: Option<Refused>,
}

/// The form that a document fills. `again`: it is a new note; else the draft
/// itself goes on.
///
/// # Errors
/// There is no such document here, it is of another kind, or a draft of the other world.
pub async fn prior(visitor: &Visitor, id: &str, again: bool) -> Result<Prior, Problem> {
    let document = visitor
        .subject(&format!("/api/v1/documentos/{}", encoded(id)))
        .await?;
    let row = past::row(visitor, text(&document, "nota_id")).await?;
    if !again && let Some(elsewhere) = past::elsewhere(visitor, row.as_ref())? {
        return Err(elsewhere.problem());
    }
    if let Some(row) = &row
        && let Some(texts) = past::texts(row)?
    {
        let complete = past::form(row)?.is_none();
        return Ok(as_left(row, texts, complete, again));
    }
    let request = match &row {
        Some(row) => past::request(visitor, row).await?,
        None => None,
    };
    let (Some(row), Some(request)) = (row, request) else {
        let sentence = "O conteúdo deste documento não cabe no formulário de emissão.";
        let back = format!("/painel/documentos/{}", encoded(id));
        return Err(Problem::new(404, "Não é possível emitir por aqui", sentence).back(&back));
    };
    let mut fields = filled(visitor, &row, &request).await?;
    let draft = row.status == NotaStatus::Draft;
    if draft && !again {
        fields.set("rascunho", row.id.as_str());
    }
    let refused = matches!(row.status, NotaStatus::Rejected | NotaStatus::NotSent)
        .then(|| Refused::of_body(&refusal(&document), &fields))
        .map(in_words);
    if draft && !again || refused.is_some() {
        // The same service once more, and not another one of today.
        fields.set("competencia", text(&request, "data_competencia"));
    }
    let called = title(&document);
    let mut note = match (draft, refused.is_some()) {
        (true, _) => OPENED.to_owned(),
        (_, true) => {
            format!("Os dados vieram da {called}, que foi recusada. Corrija e envie de novo.")
        }
        _ => format!("Os dados vieram da {called}. Confira antes de emitir: é outra nota."),
    };
    if !draft && row.modelo != Model::Nfse {
        note.push_str(" Os impostos são calculados de novo.");
    }
    if is_of_several(&request) {
        note.push_str(" O frete dos itens foi somado, e será dividido entre eles.");
    }
    let left = left_out(&request, draft);
    if !left.is_empty() {
        note.push_str(&format!(
            " Não foi copiado, porque o formulário não tem: {left}."
        ));
    }
    Ok(Prior {
        fields,
        note,
        refused,
    })
}

/// A form that was kept, as it was written. `complete`: a note can be made of it.
fn as_left(row: &NotaRow, texts: Vec<(String, String)>, complete: bool, again: bool) -> Prior {
    let mut fields: Fields = texts.into_iter().collect();
    fields.set("emitente", row.emitter_id.as_str());
    cut_searches(&mut fields);
    if again {
        // Another service is of another day.
        fields.take("competencia");
    } else {
        fields.set("rascunho", row.id.as_str());
    }
    let note = if complete {
        OPENED
    } else {
        "Rascunho aberto, como foi guardado: complete o que falta e emita."
    };
    Prior {
        fields,
        note: note.to_owned(),
        refused: None,
    }
}

/// What a document was refused for: the answer of then, and what the authority said.
fn refusal(document: &Value) -> Value {
    let mut refusal = document["recusa"].clone();
    if document["rejeicao"].is_object() || document["rejeicao"].is_array() {
        refusal["rejeicao"] = document["rejeicao"].clone();
    }
    refusal
}

/// A refusal of before, which refused nothing now.
fn in_words(mut refused: Refused) -> Refused {
    refused.status = 200;
    if refused.said.is_empty() && refused.wrong.is_empty() {
        refused.said.push(Said::new("A nota foi recusada."));
    }
    refused
}

async fn filled(visitor: &Visitor, row: &NotaRow, request: &Value) -> Result<Fields, Problem> {
    let mut fields = Fields::default();
    fields.set("tipo", path(row.modelo));
    fields.set("emitente", row.emitter_id.as_str());
    let parties = ["destinatario", "consumidor", "tomador"];
    let ids = parties.map(|name| text(&request["pessoas"], name));
    let id = ids.into_iter().find(|id| !id.is_empty());
    let party = parties
        .iter()
        .map(|name| &request[name])
        .find(|one| one.is_object());
    match (id, party) {
        (Some(id), party) => {
            customers::registered(visitor, id, &mut fields).await?;
            over(party.unwrap_or(&Value::Null), &mut fields);
        }
        (None, Some(party)) => person(visitor, party, &mut fields).await?,
        (None, None) => {}
    }
    let items = request["itens"].as_array();
    for (item, at) in items.into_iter().flatten().zip(1..) {
        goods(visitor, item, at, &mut fields);
    }
    let payments = request["pagamentos"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    for (payment, at) in payments.iter().zip(1..) {
        fields.set(&named("forma", at), form(text(payment, "forma")));
        let several = payments.len() > 1;
        let amount = member(payment, "valor");
        // One payment of the whole total follows it, whatever that becomes.
        let whole = amount.parse::<Decimal>().ok() == row.valor.parse::<Decimal>().ok();
        let amount = if whole && !several {
            String::new()
        } else {
            written_money(&amount)
        };
        fields.set(&named("pago", at), amount);
    }
    if request["servico"].is_object() {
        service(request, &mut fields);
    }
    for (name, at) in [
        ("natureza", "natureza_operacao"),
        ("presenca", "presenca"),
        ("informacoes", "informacoes_complementares"),
    ] {
        fields.set(name, text(request, at));
    }
    fields.set("frete", written_money(&freight(request)));
    let change = Some(written_money(&member(request, "troco")));
    let change = change.filter(|change| change != "0,00");
    fields.set("troco", change.unwrap_or_default());
    Ok(fields)
}

/// The freight of the note, which is divided between the items: of a note that was issued, the
/// sum of theirs.
fn freight(request: &Value) -> String {
    let whole = member(request, "frete");
    if !whole.is_empty() {
        return whole;
    }
    let sum: Decimal = freight_of_items(request).sum();
    if sum.is_zero() {
        String::new()
    } else {
        sum.to_string()
    }
}

/// The freight of each item that has some.
fn freight_of_items(request: &Value) -> impl Iterator<Item = Decimal> {
    let items = request["itens"].as_array().into_iter().flatten();
    items
        .filter_map(|item| member(item, "frete").parse::<Decimal>().ok())
        .filter(|freight| !freight.is_zero())
}

fn is_of_several(request: &Value) -> bool {
    member(request, "frete").is_empty() && freight_of_items(request).count() > 1
}

/// What a draft says of a registered person itself.
fn over(party: &Value, fields: &mut Fields) {
    for name in ["nome", "email", "ie"] {
        if !text(party, name).is_empty() {
            fields.set(name, text(party, name));
        }
    }
    if party["endereco"].is_object() {
        address(&party["endereco"], fields);
    }
}

/// Who receives the note. Outside of production its name is not in the XML.
async fn person(visitor: &Visitor, party: &Value, fields: &mut Fields) -> Result<(), Problem> {
    fields.set("documento", cpf_cnpj(text(party, "cpf_cnpj")));
    for name in ["nome", "email", "ie"] {
        fields.set(name, text(party, name));
    }
    address(&party["endereco"], fields);
    if text(party, "nome").ends_with(NO_VALUE) {
        let path = format!(
            "/api/v1/pessoas?limite=1&cpf_cnpj={}",
            encoded(text(party, "cpf_cnpj"))
        );
        let known = visitor.ask(Method::GET, &path, None).await?.json();
        let known = items(&known)
            .first()
            .map(|one| text(one, "nome").to_owned());
        let otherwise = if visitor.live() {
            ""
        } else {
            text(party, "nome")
        };
        fields.set("nome", known.unwrap_or_else(|| otherwise.to_owned()));
    }
    Ok(())
}

fn goods(visitor: &Visitor, item: &Value, row: usize, fields: &mut Fields) {
    for name in [
        "descricao",
        "codigo",
        "ncm",
        "cfop",
        "unidade",
        "cest",
        "gtin",
    ] {
        let value = text(item, name);
        let made = value == "SEM GTIN" || name == "codigo" && value.starts_with("CFOP");
        let lost = name == "descricao" && value.ends_with(NO_VALUE) && visitor.live();
        fields.set(&named(name, row), if made || lost { "" } else { value });
    }
    fields.set(
        &named("quantidade", row),
        written(&member(item, "quantidade")),
    );
    fields.set(
        &named("valor", row),
        written_money(&member(item, "valor_unitario")),
    );
    fields.set(
        &named("desconto", row),
        written_money(&member(item, "desconto")),
    );
}

fn service(request: &Value, fields: &mut Fields) {
    let (service, values) = (&request["servico"], &request["valores"]);
    fields.set("descricao", text(service, "descricao"));
    fields.set("servico", text(service, "codigo_tributacao_nacional"));
    fields.set("quantidade", "1");
    fields.set("valor", written_money(&member(values, "servico")));
    fields.set(
        "desconto",
        written_money(&member(values, "desconto_incondicionado")),
    );
    fields.set("aliquota", written(&member(&values["iss"], "aliquota")));
    let withheld = text(&values["iss"], "retencao");
    fields.set("retido", if withheld == "tomador" { withheld } else { "" });
}

/// A member as text: of a number its digits.
fn member(value: &Value, name: &str) -> String {
    match &value[name] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
