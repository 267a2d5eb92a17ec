//! A batch of events of one company: what it may hold, in which order, and the
//! document it is sent as.
//!
//! Source: schema `envioLoteDere` v1_0_1 (1 to 50 events), and the words of the
//! event schemas on periods, reopening and closing.

use crate::catalogue::{Kind, Role};
use crate::group::Group;
use markup::field::{Field, Fields};
use markup::xml::Document;

/// Most events of a batch.
pub const MAX_EVENTS: usize = 50;
/// Name of the batch's table in `markup::layout`.
pub const LAYOUT: &str = "envioLoteDere-1.0.1";

const NAMESPACE: &str = "http://www.dere.gov.br/schemas/envioLoteDere/v1_0_1";

/// An event as its batch sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub kind: &'static Kind,
    /// `tpOper`.
    operation: String,
    /// `perApur`, or the day from which a table is valid.
    period: String,
}

impl Member {
    /// Reads an event; None where it is none.
    pub fn of(kind: &'static Kind, xml: &str) -> Option<Member> {
        let doc = Document::parse(xml).ok()?;
        let event = Group::event(&doc)?;
        let period = event.child("idePeriodo")?;
        Some(Member {
            kind,
            operation: event.child("ideEvento")?.value("tpOper"),
            period: period
                .text("perApur")
                .unwrap_or_else(|| period.value("iniValid")),
        })
    }
}

/// What is wrong between the events of a batch: the faults of each. Events that
/// cannot be read (None) are left out.
pub fn between(members: &[Option<Member>]) -> Vec<Vec<Field>> {
    let mut all = Vec::with_capacity(members.len());
    for (index, member) in members.iter().enumerate() {
        let before: Vec<&Member> = members.iter().take(index).flatten().collect();
        let mut faults = Fields::default();
        if let Some(member) = member {
            let place = format!("eventos[{index}]");
            twice(member, &before, &place, &mut faults);
            order(member, &before, &place, &mut faults);
        }
        all.push(faults.0);
    }
    all
}

/// An inclusion is the only one of its period.
fn twice(member: &Member, before: &[&Member], place: &str, faults: &mut Fields) {
    let inclusion = member.operation == "1";
    // A reopening may follow a closing, and another one it.
    let several = member.kind.role == Role::Reopening;
    if inclusion && !several && before.contains(&member) {
        faults.add(
            place,
            "repetido",
            format!(
                "O lote já tem a inclusão do {} de {}.",
                member.kind.code, member.period
            ),
            "Deixe uma inclusão por período; para corrigir, use tpOper 2.",
        );
    }
}

/// Tables come before what refers to them, and nothing of a month after its
/// closing.
fn order(member: &Member, before: &[&Member], place: &str, faults: &mut Fields) {
    let role = member.kind.role;
    if role == Role::Table {
        if let Some(other) = before.iter().find(|other| other.kind.role != Role::Table) {
            faults.add(
                place,
                "fora_de_ordem",
                format!(
                    "O {} é uma tabela e vem depois do {}, que é mensal.",
                    member.kind.code, other.kind.code
                ),
                "Ponha as tabelas (D-1001, D-1011) no começo do lote.",
            );
        }
        return;
    }
    let last = before.iter().rfind(|other| {
        other.period == member.period && matches!(other.kind.role, Role::Closing | Role::Reopening)
    });
    let closed = last.is_some_and(|last| last.kind.role == Role::Closing);
    if closed && role == Role::Monthly {
        faults.add(
            place,
            "fora_de_ordem",
            format!(
                "O {} de {} vem depois do fechamento do mês (D-1199).",
                member.kind.code, member.period
            ),
            "Ponha o fechamento depois dos demais eventos do mês.",
        );
    }
}

/// The document of a batch: `events` are ids and documents, in their order.
/// `base` is the root of the company's CNPJ.
pub fn envelope(base: &str, events: &[(&str, &str)]) -> String {
    let bytes: usize = events
        .iter()
        .map(|(id, xml)| id.len() + xml.len() + 40)
        .sum();
    let mut text = String::with_capacity(bytes + 256);
    text.push_str(&format!(
        "<DeRE xmlns=\"{NAMESPACE}\"><loteEventos><ideContrib><nrInsc>{base}</nrInsc></ideContrib><eventos>"
    ));
    for (id, xml) in events {
        text.push_str(&format!("<evento id=\"{id}\">"));
        text.push_str(xml);
        text.push_str("</evento>");
    }
    text.push_str("</eventos></loteEventos></DeRE>");
    text
}
