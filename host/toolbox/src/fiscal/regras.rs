//! GET /api/v1/fiscal/regras: the rules that /fiscal/xml/validar judges documents
//! by, from the rows it uses. Free.

use super::catalogues::{Filter, State, Validity, docs, models};
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::when;
use fiscal::nfe::reading::{Rule, Subject, rules};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::Built;
use gate::request::list::{Listing, Query};
use schemars::JsonSchema;
use serde::Serialize;
use time::Date;

pub fn built() -> Built {
    Built {
        operation: "fiscal.regras",
        route: |method| on(method, regras),
        docs: docs("Lista as regras de negócio que POST /api/v1/fiscal/xml/validar aplica, com a vigência e a publicação de cada uma.")
            .success::<Listing<RuleOut>>(),
    }
}

/// Uma regra.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RegraOut")]
struct RuleOut {
    /// O que `codigo` diz em xml/validar: o cStat, o código do anexo I da NFS-e, ou
    /// uma palavra.
    codigo: &'static str,
    titulo: &'static str,
    /// A publicação de que ela é.
    documento: &'static str,
    vigencia: Validity,
    /// `55`, `65`, `57`, `58`; vazio para a NFS-e.
    modelos: Vec<String>,
    situacao: State,
    /// O número com que a autoridade recusa; `null` se nenhum se conhece.
    cstat: Option<u16>,
    /// O texto da autoridade (xMotivo), ou o título.
    mensagem: &'static str,
    correcao: &'static str,
    /// Os documentos que a regra julga.
    julga: Vec<SubjectOut>,
}

/// O documento que uma regra julga.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DocumentoDaRegra")]
enum SubjectOut {
    /// NF-e ou NFC-e.
    Nota,
    /// Evento de NF-e ou NFC-e.
    Evento,
    Inutilizacao,
    /// Documento da NFS-e nacional.
    Nfse,
    Cte,
    Mdfe,
    /// Evento de CT-e.
    EventoCte,
    /// Evento de MDF-e.
    EventoMdfe,
}

async fn regras(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<Listing<RuleOut>> {
    let filter = Filter::read(&query)?;
    let today = when::today(call.app.now_ms(), "DF");
    let passing = rules().filter(|rule| {
        let texts = [rule.codigo, rule.title(), rule.source, rule.correction()];
        filter.passes(rule.modelos, &texts)
    });
    call.ok(filter.listing(passing.map(|rule| shown(rule, today)))?)
}

fn shown(rule: Rule, today: Date) -> RuleOut {
    let since = rule.first_day();
    RuleOut {
        codigo: rule.codigo,
        titulo: rule.title(),
        documento: rule.source,
        vigencia: Validity::since(since),
        modelos: models(rule.modelos),
        situacao: State::of(since, today),
        cstat: rule.cstat(),
        mensagem: rule.title(),
        correcao: rule.correction(),
        julga: rule.subjects.iter().map(|one| subject(*one)).collect(),
    }
}

fn subject(subject: Subject) -> SubjectOut {
    match subject {
        Subject::Nota => SubjectOut::Nota,
        Subject::Evento => SubjectOut::Evento,
        Subject::Voiding => SubjectOut::Inutilizacao,
        Subject::Nfse => SubjectOut::Nfse,
        Subject::Cte => SubjectOut::Cte,
        Subject::CteEvent => SubjectOut::EventoCte,
        Subject::Mdfe => SubjectOut::Mdfe,
        Subject::MdfeEvent => SubjectOut::EventoMdfe,
    }
}
