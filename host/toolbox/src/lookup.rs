//! What operations that ask outside sources have in common.

use base::errors::{Code, Failure, Refusal};
use base::when;
use gate::Call;
use lookups::{Asked, Found, Kind, Looked, LookedResult, Question};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use store::tables::editions::{DatasetKind, EditionRow};

/// Seconds after which a source may be asked again.
const AGAIN_S: u64 = 30;

/// De onde vem a resposta.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Origin {
    /// Nome da fonte; `simulado` onde as autoridades são simuladas; `base local` e a
    /// edição dela, se veio de uma base que o operador importou.
    pub fonte: String,
    /// Quando a fonte respondeu, ou a base foi importada; respostas são guardadas por
    /// algum tempo.
    pub consultado_em: String,
}

impl Origin {
    pub(super) fn of<T>(found: &Found<T>) -> Origin {
        Origin {
            fonte: found.source.clone(),
            consultado_em: when::rfc3339(found.fetched_ms),
        }
    }

    /// Of an imported base.
    pub(super) fn of_base(edition: &EditionRow) -> Origin {
        Origin {
            fonte: base_name(edition),
            consultado_em: when::rfc3339(edition.created_at_ms),
        }
    }
}

/// What an imported base is called in answers.
pub(super) fn base_name(edition: &EditionRow) -> String {
    format!("base local ({})", base_part(edition))
}

/// Whose base it is, and which edition.
pub(super) fn base_part(edition: &EditionRow) -> String {
    let whose = match edition.kind {
        DatasetKind::Cnpj => "Receita Federal, dados abertos do CNPJ",
        DatasetKind::Cnefe => "IBGE, CNEFE",
        DatasetKind::Edne => "Correios, e-DNE",
        _ => "tabela do operador",
    };
    format!("{whose}, {}", edition.version)
}

/// Says of a question that bases were asked before the sources, without success.
/// Where nobody else is asked, they are all there is: nothing was found.
pub(super) fn after_bases<T>(asked: &mut Asked<T>, bases: &[EditionRow]) {
    if bases.is_empty() {
        return;
    }
    asked.missing |= asked.looked.is_empty();
    let missing = bases.iter().map(|edition| Looked {
        source: base_name(edition),
        result: LookedResult::Missing,
    });
    asked.looked.splice(0..0, missing);
}

/// Asks, and answers with what was found.
///
/// # Errors
/// Nothing was found: 404 when a source says that there is none, 502, 503 or 504
/// when none answered.
pub(super) async fn found<T: DeserializeOwned>(
    call: &Call,
    question: &Question,
) -> Result<Found<T>, Failure> {
    let mut asked = ask(call, question).await?;
    match asked.found.take() {
        Some(found) => Ok(found),
        None => Err(nothing(&asked).into()),
    }
}

/// Asks.
///
/// # Errors
/// The database failed.
pub(super) async fn ask<T: DeserializeOwned>(
    call: &Call,
    question: &Question,
) -> Result<Asked<T>, Failure> {
    let account = &call.caller.account_id;
    Ok(lookups::ask(&call.app.lookups, account, question).await?)
}

/// The refusal of a question nobody answered.
pub(super) fn nothing<T>(asked: &Asked<T>) -> Refusal {
    let timed_out = |looked: &lookups::Looked| looked.result == LookedResult::TimedOut;
    let failed = |looked: &&lookups::Looked| looked.result != LookedResult::Missing;
    let refusal = if asked.missing {
        Refusal::new(Code::SemResultado)
    } else if asked.looked.is_empty() {
        not_configured(asked.kind)
    } else if asked.looked.iter().filter(failed).all(timed_out) {
        Refusal::new(Code::FonteTempoEsgotado).retry_after(AGAIN_S)
    } else {
        Refusal::new(Code::FonteIndisponivel).retry_after(AGAIN_S)
    };
    refusal.with("procurado_em", json!(looked(asked)))
}

/// Nobody is asked such questions here.
fn not_configured(kind: Option<Kind>) -> Refusal {
    let refusal = Refusal::new(Code::FonteNaoConfigurada);
    match kind {
        Some(kind) => refusal.hint(format!(
            "Peça a quem opera o hub que configure uma fonte em lookups.{}.",
            kind.list()
        )),
        None => refusal,
    }
}

/// Uma fonte que foi consultada.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FonteConsultada")]
pub(super) struct LookedOut {
    /// Nome da fonte, ou da base e a edição dela.
    pub fonte: String,
    /// O que ela disse: `achado`, `inexistente`, `em_pausa` (falhou há pouco e não foi
    /// consultada), `falhou` ou `sem_resposta`.
    pub resultado: &'static str,
}

/// What is said of a place that had the answer.
pub(super) const FOUND: &str = "achado";

/// Where it was looked, for customers.
pub(super) fn looked<T>(asked: &Asked<T>) -> Vec<LookedOut> {
    let all = asked.looked.iter().map(|looked| LookedOut {
        fonte: looked.source.clone(),
        resultado: match looked.result {
            LookedResult::Found => FOUND,
            LookedResult::Missing => "inexistente",
            LookedResult::Resting => "em_pausa",
            LookedResult::Failed => "falhou",
            LookedResult::TimedOut => "sem_resposta",
        },
    });
    all.collect()
}
