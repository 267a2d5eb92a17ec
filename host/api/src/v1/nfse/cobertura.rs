//! GET /api/v1/nfse/cobertura: does the hub issue there, by which way, and
//! who says so. Needs no emitter.

use crate::v1::nfse::measurement::{self, AccessOut, AgreementOut, CoverageEvidence};
use crate::v1::nfse::municipality;
use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::when;
use flow::registry::{self, Answer, Caminho, CoberturaRegime};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::Built;
use gate::request::list::Query;
use measured::tier::SystemTier;
use schemars::JsonSchema;
use serde::Serialize;

pub fn built() -> Built {
    Built {
        operation: "nfse.cobertura",
        route: |method| on(method, cobertura),
        docs: municipality::docs(
            "Diz se a API emite NFS-e no município: sim, parcial, não ou não medido.",
        )
        .success::<CoberturaOut>(),
    }
}

/// Como o município emite NFS-e.
#[derive(Serialize, JsonSchema)]
struct CoberturaOut {
    /// A resposta para quem é do regime normal: sim, parcial, não ou não
    /// medido.
    resposta: &'static str,
    resposta_codigo: AnswerCode,
    codigo_ibge: String,
    cidade: String,
    uf: String,
    /// `null`: não medido.
    via: Option<ViaNfse>,
    /// O sistema da prefeitura.
    provedor: Option<String>,
    /// O leiaute do sistema.
    padrao: Option<String>,
    /// `null`: os casos gravados do sistema provam menos que o nível mais baixo, ou
    /// não há sistema.
    nivel: Option<SystemTier>,
    /// O caminho da nota e quem o diz, em uma frase.
    caminho: String,
    ressalvas: Vec<String>,
    /// A resposta para cada regime tributário.
    regimes: Vec<CoberturaDoRegime>,
    /// Se o sistema responde, para o regime normal.
    acesso: AccessOut,
    /// O convênio com o sistema nacional; `null`: não medido.
    convenio: Option<AgreementOut>,
    evidencia: CoverageEvidence,
}

/// A resposta para um regime tributário.
#[derive(Serialize, JsonSchema)]
struct CoberturaDoRegime {
    regime: RegimeNfse,
    resposta: &'static str,
    resposta_codigo: AnswerCode,
    /// `null`: não medido.
    via: Option<ViaNfse>,
    /// Por quê, em uma frase.
    motivo: String,
}

impl From<CoberturaRegime> for CoberturaDoRegime {
    fn from(found: CoberturaRegime) -> CoberturaDoRegime {
        CoberturaDoRegime {
            regime: found.regime.into(),
            resposta: found.answer.as_str(),
            resposta_codigo: found.answer.into(),
            via: found.via.map(ViaNfse::from),
            motivo: found.reason,
        }
    }
}

/// Uma resposta, em uma palavra para programas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RespostaCodigo")]
#[serde(rename_all = "snake_case")]
pub enum AnswerCode {
    Sim,
    Parcial,
    Nao,
    NaoMedido,
}

impl From<Answer> for AnswerCode {
    fn from(answer: Answer) -> AnswerCode {
        match answer {
            Answer::Sim => AnswerCode::Sim,
            Answer::Partial => AnswerCode::Parcial,
            Answer::Nao => AnswerCode::Nao,
            Answer::NotMeasured => AnswerCode::NaoMedido,
        }
    }
}

/// Por onde a NFS-e sai: o ambiente nacional, o leiaute nacional no endereço do
/// sistema da prefeitura, ou o leiaute dele.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ViaNfse {
    Nacional,
    Gateway,
    Municipal,
}

impl From<Caminho> for ViaNfse {
    fn from(caminho: Caminho) -> ViaNfse {
        match caminho {
            Caminho::Nacional => ViaNfse::Nacional,
            Caminho::Gateway => ViaNfse::Gateway,
            Caminho::Municipal => ViaNfse::Municipal,
        }
    }
}

/// Regime tributário, até onde o caminho da nota depende dele.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegimeNfse {
    Normal,
    SimplesMeEpp,
    Mei,
}

impl From<registry::Regime> for RegimeNfse {
    fn from(regime: registry::Regime) -> RegimeNfse {
        match regime {
            registry::Regime::Normal => RegimeNfse::Normal,
            registry::Regime::SimplesMeEpp => RegimeNfse::SimplesMeEpp,
            registry::Regime::Mei => RegimeNfse::Mei,
        }
    }
}

/// Quem o diz, e de quando.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Evidencia")]
pub struct Evidence {
    fonte: String,
    /// O dia de que a fonte fala, `AAAA-MM-DD`.
    medido_em: String,
}

impl From<registry::Evidence> for Evidence {
    fn from(evidence: registry::Evidence) -> Evidence {
        Evidence {
            fonte: evidence.cited,
            medido_em: evidence.verified.to_string(),
        }
    }
}

async fn cobertura(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<CoberturaOut> {
    let (registry, ibge) = municipality::asked(&call, &query)?;
    let today = when::utc(call.app.now_ms()).date();
    let authorities = &call.app.config.authorities;
    let found = registry
        .cobertura_without(ibge, today, |url| authorities.never_sends(url))
        .ok_or_else(municipality::unknown)?;
    let measured = measurement::of(&call, &registry, ibge, today).await?;
    let (access, usage, agreement) = measured;
    let mut caveats = found.caveats;
    if let (Some(Caminho::Nacional), Some(told)) = (found.via, &agreement)
        && told.ambiente_nacional == 0
    {
        caveats.push(
            "O sistema nacional não tem convênio com o município: a nota pode ser recusada (E0037)."
                .to_owned(),
        );
    }
    call.ok(CoberturaOut {
        resposta: found.answer.as_str(),
        resposta_codigo: found.answer.into(),
        codigo_ibge: municipality::code(found.ibge),
        cidade: found.city,
        uf: found.uf,
        via: found.via.map(ViaNfse::from),
        nivel: found.system.as_deref().and_then(SystemTier::of),
        provedor: found.provedor,
        padrao: found.standard,
        caminho: found.caminho,
        ressalvas: caveats,
        regimes: found.regimes.into_iter().map(Into::into).collect(),
        acesso: access.into(),
        convenio: agreement.map(Into::into),
        evidencia: CoverageEvidence::new(found.evidence, usage)?,
    })
}
