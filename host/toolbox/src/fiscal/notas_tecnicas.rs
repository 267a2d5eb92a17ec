//! GET /api/v1/fiscal/notas-tecnicas: the technical notes that the layouts, rules
//! and events in use come from. Free.

use super::catalogues::{Filter, State, Validity, docs, models};
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::when;
use fiscal::nfe::technical_notes::{NOTES, TechnicalNote};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::Built;
use gate::request::list::{Listing, Query};
use schemars::JsonSchema;
use serde::Serialize;
use time::Date;

pub fn built() -> Built {
    Built {
        operation: "fiscal.notas-tecnicas",
        route: |method| on(method, notas_tecnicas),
        docs: docs("Lista as notas técnicas de onde vêm os leiautes, as regras e os eventos em uso, com o que cada uma trouxe e desde quando.")
            .success::<Listing<TechnicalNoteOut>>(),
    }
}

/// Uma nota técnica.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NotaTecnicaOut")]
struct TechnicalNoteOut {
    /// Ano e número, como `2025.002`.
    codigo: &'static str,
    titulo: &'static str,
    /// A publicação, como as regras a citam.
    documento: String,
    vigencia: Validity,
    /// `55`, `65`; vazio para a NFS-e.
    modelos: Vec<String>,
    situacao: State,
    /// Os leiautes que ela mudou.
    leiautes: Vec<LayoutOut>,
    /// Os códigos das regras que ela trouxe; veja GET /api/v1/fiscal/regras.
    regras: Vec<&'static str>,
    /// Os tipos de evento que ela criou; veja GET /api/v1/reforma/eventos/catalogo?todos=1.
    eventos: Vec<&'static str>,
}

/// Uma edição do leiaute da NF-e e da NFC-e.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LeiauteDaNota")]
struct LayoutOut {
    /// O `layout` de xml/validar.
    nome: &'static str,
    /// Primeiro dia em produção.
    producao: String,
    /// Primeiro dia em homologação.
    homologacao: String,
}

async fn notas_tecnicas(
    call: Call,
    UrlQuery(query): UrlQuery<Query>,
) -> ApiAnswer<Listing<TechnicalNoteOut>> {
    let filter = Filter::read(&query)?;
    let today = when::today(call.app.now_ms(), "DF");
    let passing = NOTES
        .iter()
        .rev()
        .filter(|note| filter.passes(note.modelos, &[note.codigo, note.title, &note.document()]));
    call.ok(filter.listing(passing.map(|note| shown(note, today)))?)
}

fn shown(note: &'static TechnicalNote, today: Date) -> TechnicalNoteOut {
    let since = note.first_day();
    let layouts = note.editions().into_iter().map(|edition| LayoutOut {
        nome: edition.name,
        producao: edition.production.to_string(),
        homologacao: edition.homologacao.to_string(),
    });
    TechnicalNoteOut {
        codigo: note.codigo,
        titulo: note.title,
        documento: note.document(),
        vigencia: Validity::since(since),
        modelos: models(note.modelos),
        situacao: State::of(since, today),
        leiautes: layouts.collect(),
        regras: note.rules().iter().map(|rule| rule.codigo).collect(),
        eventos: note.events(),
    }
}
