//! What is measured of a municipality, as answers show it.

use base::errors::Failure;
use base::when;
use flow::registry::{Evidence as Cited, Regime, Registry};
use gate::Call;
use measured::access::{Access, State};
use measured::usage::{self, Amount, Share, Usage};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use store::tables::agreements::{self, AgreementRow};
use store::words::Ambiente;
use time::Date;

/// Se o endereço de produção do sistema responde.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EstadoDoAcesso")]
#[serde(rename_all = "snake_case")]
pub enum AccessState {
    /// Respondeu à última sondagem.
    Responde,
    /// Falhou, poucas vezes ainda, ou responde com erro.
    Instavel,
    /// Falhou várias vezes seguidas.
    Fora,
    /// O endereço é http, e o operador deste hub não aceita enviar sem TLS.
    SemTls,
    /// Ninguém sondou; não significa que não responda.
    NaoMedido,
}

impl From<State> for AccessState {
    fn from(state: State) -> AccessState {
        match state {
            State::Answers => AccessState::Responde,
            State::Unsteady => AccessState::Instavel,
            State::Down => AccessState::Fora,
            State::PlainHttp => AccessState::SemTls,
            State::NotMeasured => AccessState::NaoMedido,
        }
    }
}

/// O que as sondagens dizem do caminho até o sistema.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Acesso")]
pub struct AccessOut {
    pub estado: AccessState,
    /// Quando o endereço foi sondado; `null`: não foi.
    #[schemars(extend("format" = "date-time"))]
    pub medido_em: Option<String>,
    /// O que a sondagem mostrou, em uma palavra.
    pub resultado: Option<String>,
    /// Quanto a sondagem levou, em milissegundos.
    pub latencia_ms: Option<i64>,
    /// Quando alguém respondeu pela última vez.
    pub respondeu_em: Option<String>,
    /// Desde quando ninguém responde.
    pub falha_desde: Option<String>,
}

impl From<Access> for AccessOut {
    fn from(access: Access) -> AccessOut {
        let row = access.shown.as_ref();
        let moment = |ms: i64| (ms > 0).then(|| when::rfc3339(ms));
        AccessOut {
            estado: access.state.into(),
            medido_em: row.and_then(|row| moment(row.at_ms)),
            resultado: row.map(|row| row.result.to_string()),
            latencia_ms: row.map(|row| row.latency_ms),
            respondeu_em: row.and_then(|row| moment(row.answered_ms)),
            falha_desde: row.and_then(|row| moment(row.failing_since_ms)),
        }
    }
}

/// O que o sistema nacional disse do convênio com o município.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConvenioNacional")]
pub struct AgreementOut {
    /// As notas do município vão ao ambiente nacional.
    pub ambiente_nacional: bool,
    /// As empresas do município podem usar o emissor nacional.
    pub emissor_nacional: bool,
    #[schemars(extend("format" = "date-time"))]
    pub medido_em: String,
}

impl From<AgreementRow> for AgreementOut {
    fn from(row: AgreementRow) -> AgreementOut {
        AgreementOut {
            ambiente_nacional: row.ambiente_nacional == 1,
            emissor_nacional: row.emissor_nacional == 1,
            medido_em: when::rfc3339(row.at_ms),
        }
    }
}

/// Quantas notas, por alto.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ClasseDaAmostra")]
pub enum AmountClass {
    #[serde(rename = "menos_de_10")]
    Few,
    #[serde(rename = "10_a_99")]
    Some,
    #[serde(rename = "100_ou_mais")]
    Many,
}

/// Que parte delas foi emitida, por alto: menos da metade, metade ou mais, nove em
/// dez ou mais.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ClasseDaTaxa")]
#[serde(rename_all = "snake_case")]
pub enum ShareClass {
    Baixa,
    Media,
    Alta,
}

/// Um motivo de notas que não saíram.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MotivoMedido")]
pub struct Reason {
    /// O código da autoridade, ou o erro da API.
    pub codigo: String,
    pub notas: i64,
}

/// Quem diz como o município emite, e o que as notas reais mostram. Números exatos só
/// saem quando são de cinco contas ou mais; antes, só o dia e classes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EvidenciaDaCobertura")]
pub struct CoverageEvidence {
    fonte: String,
    /// O dia de que a fonte fala, `AAAA-MM-DD`.
    medido_em: String,
    /// O dia da última nota real emitida em produção por esta instalação,
    /// `AAAA-MM-DD`; `null`: nenhuma.
    #[schemars(extend("format" = "date"))]
    ultima_emissao_em: Option<String>,
    /// Dias contados até hoje.
    janela_dias: i64,
    /// Notas reais desses dias; `null`: nenhuma, ou de poucas contas.
    amostra: Option<i64>,
    /// `null`: nenhuma nota.
    amostra_classe: Option<AmountClass>,
    /// Parte das notas que foi emitida, de 0 a 1; `null` como em `amostra`.
    taxa_sucesso: Option<Number>,
    /// `null`: menos de dez notas.
    taxa_sucesso_classe: Option<ShareClass>,
    /// Notas que a autoridade recusou; `null` como em `amostra`.
    recusadas: Option<i64>,
    /// Notas que não chegaram à autoridade; `null` como em `amostra`.
    falhas: Option<i64>,
    /// Os motivos mais comuns, os que houve em cinco contas ou mais.
    motivos: Vec<Reason>,
}

impl CoverageEvidence {
    /// # Errors
    /// None in practice: a share is a number.
    pub fn new(cited: Cited, usage: Usage) -> Result<CoverageEvidence, Failure> {
        let counted = usage.counted.as_ref();
        let share = counted.map(|counted| {
            let percent = counted.percent();
            format!("{}.{:02}", percent / 100, percent % 100).parse()
        });
        Ok(CoverageEvidence {
            fonte: cited.cited,
            medido_em: cited.verified.to_string(),
            ultima_emissao_em: usage.last_day.map(date),
            janela_dias: usage::WINDOW_DAYS,
            amostra: counted.map(usage::Counted::all),
            amostra_classe: usage.amount.map(|amount| match amount {
                Amount::Few => AmountClass::Few,
                Amount::Some => AmountClass::Some,
                Amount::Many => AmountClass::Many,
            }),
            taxa_sucesso: share.transpose()?,
            taxa_sucesso_classe: usage.share.map(|share| match share {
                Share::Low => ShareClass::Baixa,
                Share::Medium => ShareClass::Media,
                Share::High => ShareClass::Alta,
            }),
            recusadas: counted.map(|counted| counted.refused),
            falhas: counted.map(|counted| counted.failed),
            motivos: counted
                .into_iter()
                .flat_map(|counted| counted.reasons.iter())
                .map(|(codigo, notas)| Reason {
                    codigo: codigo.clone(),
                    notas: *notas,
                })
                .collect(),
        })
    }
}

fn date(day: i64) -> String {
    when::utc(day * 86_400_000).date().to_string()
}

/// What was measured of a municipality: its addresses for the general regime, the real
/// notes in production, and what the national system told of its agreement.
///
/// # Errors
/// The database failed.
pub async fn of(
    call: &Call,
    registry: &Registry,
    ibge: u32,
    today: Date,
) -> Result<(Access, Usage, Option<AgreementRow>), Failure> {
    let app = &call.app;
    let urls = registry.addresses_of(ibge, Regime::Normal, today);
    let mut conn = app.db.read().await?;
    let access = measured::access::of(&mut conn, &urls, &app.config).await?;
    let code = super::municipality::code(ibge);
    let usage = usage::of(&mut conn, &code, Ambiente::Production, app.now_ms()).await?;
    let agreement = agreements::get(&mut conn, &code).await?;
    Ok((access, usage, agreement))
}
