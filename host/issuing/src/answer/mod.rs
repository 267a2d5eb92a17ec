//! A document as the API shows it.

mod product;
mod received;

use crate::model::Modelo;
use base::errors::{Refusal, Rejeicao};
pub use received::{EventoRecebido, Recebida, SituacaoRecebida, evento_recebido, recebida};
use serde_json::{Map, Value, json};
use store::tables::eventos::EventoRow;
use store::tables::notas::NotaRow;

/// A decimal text as a JSON number with the same digits.
pub fn number(text: &str) -> Value {
    text.parse::<serde_json::Number>()
        .map_or(Value::Null, Value::Number)
}

/// The text, if there is any.
pub fn filled(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

/// Text, or null when there is none.
fn text(value: &str) -> Value {
    if value.is_empty() {
        Value::Null
    } else {
        Value::String(value.to_owned())
    }
}

fn json_or_null(value: &str) -> Value {
    serde_json::from_str(value).unwrap_or(Value::Null)
}

/// The record of a note, as its model has it.
pub fn nota(nota: &NotaRow) -> Map<String, Value> {
    if Modelo::of(nota).is_produto() {
        product::nota(nota)
    } else {
        servico(nota)
    }
}

/// An environment as the API calls it: to a customer what is simulated is
/// homologation.
pub fn ambiente(word: &str) -> &str {
    if word == "simulado" {
        "homologacao"
    } else {
        word
    }
}

/// What every record begins with.
fn head(nota: &NotaRow) -> Map<String, Value> {
    let members = [
        ("nota_id", json!(nota.id)),
        ("referencia", text(&nota.referencia)),
        ("modelo", json!(nota.modelo)),
        ("status", json!(nota.status)),
        ("ambiente", json!(ambiente(&nota.ambiente))),
        ("simulada", json!(nota.simulada == 1)),
        ("emitente_id", json!(nota.emitter_id)),
    ];
    members
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

/// Links every record has.
fn links(id: &str) -> Map<String, Value> {
    let mut links = Map::new();
    links.insert(
        "documento".to_owned(),
        json!(format!("/api/v1/documentos/{id}")),
    );
    links.insert(
        "historico".to_owned(),
        json!(format!("/api/v1/documentos/{id}/historico")),
    );
    links
}

/// The other party of an issued note.
fn outra_parte(nota: &NotaRow) -> Value {
    json!({ "cpf_cnpj": text(&nota.tomador_documento), "nome": text(&nota.tomador_nome) })
}

fn dated(record: &mut Map<String, Value>, nota: &NotaRow) {
    record.insert(
        "criada_em".to_owned(),
        json!(base::when::rfc3339(nota.created_at_ms)),
    );
}

/// The record of a service note.
fn servico(nota: &NotaRow) -> Map<String, Value> {
    let id = &nota.id;
    let issued = matches!(
        nota.status.as_str(),
        "autorizada" | "validada" | "cancelada"
    );
    let mut record = head(nota);
    let mut set = |key: &str, value: Value| {
        record.insert(key.to_owned(), value);
    };
    set(
        "rps",
        if nota.numero > 0 {
            json!({ "serie": nota.serie, "numero": nota.numero })
        } else {
            Value::Null
        },
    );
    set("data_competencia", text(&nota.competencia));
    set("tomador", outra_parte(nota));
    set("valor_total", number(&nota.valor));
    set("codigo_municipio", text(&nota.municipio));
    set("via_utilizada", text(&nota.via));
    set("provedor", text(&nota.sistema));
    set("numero_nfse", text(&nota.numero_nfse));
    set("codigo_verificacao", text(&nota.codigo_verificacao));
    set("chave", text(&nota.chave));
    set("protocolo", text(&nota.protocolo));
    set("url_consulta", text(&nota.url_consulta));
    set("autorizada_em", text(&nota.autorizada_em));
    set("totais", json_or_null(&nota.valores));
    if nota.status == "rejeitada" && !nota.rejeicao.is_empty() {
        set("rejeicao", json_or_null(&nota.rejeicao));
    }
    if !nota.substitui_id.is_empty() {
        set("substitui", json!(nota.substitui_id));
    }
    if !nota.substituida_por.is_empty() {
        set("substituida_por", json!(nota.substituida_por));
    }
    if nota.status == "pendente_prefeitura" && nota.next_check_ms > 0 {
        set(
            "proxima_consulta_em",
            json!(base::when::rfc3339(nota.next_check_ms)),
        );
    }
    let mut links = links(id);
    if issued {
        links.insert(
            "xml".to_owned(),
            json!(format!("/api/v1/nfse/{id}/documento?formato=xml")),
        );
        links.insert(
            "pdf".to_owned(),
            json!(format!("/api/v1/nfse/{id}/documento?formato=pdf")),
        );
    }
    set("links", Value::Object(links));
    dated(&mut record, nota);
    record
}

/// The answer of an issuing call: record, flags, credits.
pub fn issued(nota_row: &NotaRow, saldo: i64) -> (u16, Value) {
    let status = match nota_row.status.as_str() {
        "autorizada" => 201,
        "validada" => 200,
        "cancelada" => 200,
        _ => 202,
    };
    let charged = if status == 201 { nota_row.preco } else { 0 };
    let reserved = if status == 202 { nota_row.preco } else { 0 };
    let mut body = nota(nota_row);
    body.insert("sucesso".to_owned(), json!(true));
    // A number of the simulated authorities is not a fiscal one.
    let fiscal = status == 201 && nota_row.ambiente != "simulado";
    body.insert("consumiu_numero_fiscal".to_owned(), json!(fiscal));
    body.insert("consumiu_credito".to_owned(), json!(charged > 0));
    body.insert(
        "creditos".to_owned(),
        json!({ "reservado": reserved, "debitado": charged, "saldo": saldo }),
    );
    body.insert("request_id".to_owned(), json!(nota_row.request_id));
    (status, Value::Object(body))
}

/// The refusal of a note the authority rejected.
pub fn rejected(nota: &NotaRow, reasons: Vec<Rejeicao>) -> Refusal {
    refused(Modelo::of(nota), reasons).nota(&nota.id)
}

/// The refusal of anything an authority rejected.
pub fn refused(modelo: Modelo, reasons: Vec<Rejeicao>) -> Refusal {
    let mut refusal = Refusal::new(modelo.rejeitada());
    if let Some(first) = reasons.first() {
        refusal = refusal.message(format!("{} ({})", first.motivo, first.codigo));
        if !first.correcao.is_empty() {
            refusal = refusal.hint(first.correcao.clone());
        }
    }
    refusal.rejeicao = reasons;
    refusal
}

/// The answer of an event or question about a note.
pub fn event(nota_row: &NotaRow, evento: &EventoRow, saldo: i64) -> (u16, Value) {
    let mut body = nota(nota_row);
    let mut details = details(evento);
    if !evento.codigo.is_empty() && evento.status == "registrado" {
        details["links"] = event_links(nota_row, evento);
    }
    if evento.tipo == "consulta"
        && let Some(members) = details.as_object()
    {
        for key in [
            "situacao",
            "divergencia",
            "mensagens",
            "status_sefaz",
            "mensagem_sefaz",
            "eventos",
        ] {
            if let Some(value) = members.get(key) {
                body.insert(key.to_owned(), value.clone());
            }
        }
    }
    body.insert("evento".to_owned(), details);
    finished(body, evento, saldo)
}

/// Where the event's own document is, and its printout if it has one.
fn event_links(nota: &NotaRow, evento: &EventoRow) -> Value {
    let link = |what: &str| {
        format!(
            "/api/v1/documentos/{}/{what}?formato=binario&evento={}",
            nota.id, evento.id
        )
    };
    let mut links = json!({ "xml": link("xml") });
    if evento.tipo == "cce" {
        links["danfe"] = json!(link("danfe"));
    }
    links
}

/// The answer of a voided range or of an event on a note that is not ours.
pub fn event_alone(evento: &EventoRow, saldo: i64) -> (u16, Value) {
    let mut body = Map::new();
    if evento.tipo == "inutilizacao" {
        let mut faixa = json_or_null(&evento.detalhes);
        if let (Some(faixa), Some(details)) = (faixa.as_object_mut(), details(evento).as_object()) {
            faixa.extend(details.clone());
            let done = evento.status == "registrado";
            let status = if done {
                "inutilizada"
            } else {
                "em_transmissao"
            };
            faixa.insert("status".to_owned(), json!(status));
        }
        body.insert("faixa".to_owned(), faixa);
    } else {
        let mut details = details(evento);
        if let (Some(details), Value::Object(given)) =
            (details.as_object_mut(), json_or_null(&evento.detalhes))
        {
            details.extend(given);
        }
        body.insert("chave".to_owned(), text(&evento.chave));
        body.insert("evento".to_owned(), details);
    }
    finished(body, evento, saldo)
}

fn details(evento: &EventoRow) -> Value {
    let mut details = match json_or_null(&evento.resultado) {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    details.insert("tipo".to_owned(), json!(evento.tipo));
    details.insert("status".to_owned(), json!(evento.status));
    details.insert("protocolo".to_owned(), text(&evento.protocolo));
    if !evento.codigo.is_empty() {
        details.insert("codigo".to_owned(), json!(evento.codigo));
        details.insert("sequencia".to_owned(), json!(evento.sequencia));
    }
    Value::Object(details)
}

/// What every answer of an event ends with.
fn finished(mut body: Map<String, Value>, evento: &EventoRow, saldo: i64) -> (u16, Value) {
    let open = evento.status == "em_transmissao";
    let charged = if evento.status == "registrado" {
        evento.preco
    } else {
        0
    };
    let reserved = if open { evento.preco } else { 0 };
    body.insert("sucesso".to_owned(), json!(true));
    body.insert("evento_id".to_owned(), json!(evento.id));
    body.insert("consumiu_numero_fiscal".to_owned(), json!(false));
    body.insert("consumiu_credito".to_owned(), json!(charged > 0));
    body.insert(
        "creditos".to_owned(),
        json!({ "reservado": reserved, "debitado": charged, "saldo": saldo }),
    );
    body.insert("request_id".to_owned(), json!(evento.request_id));
    (if open { 202 } else { 200 }, Value::Object(body))
}
