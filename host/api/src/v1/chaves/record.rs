//! A key as the API shows it: never more of it than its last characters.

use accounts::api_keys::CreatedKey;
use accounts::ledger;
use accounts::scopes::{Scope, Scopes};
use base::when;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::KeyId;
use store::tables::api_keys::{ApiKey, Listed};
use store::tables::budgets::Spent;
use vault::apikey::{self, KeyKind};

/// O que uma chave alcança: só simulações, ou as autoridades.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "TipoDeChave")]
#[serde(rename_all = "snake_case")]
pub enum ApiKeyKind {
    Teste,
    Producao,
}

impl ApiKeyKind {
    /// The customer's word for a kind of key (`test`, `live`).
    pub fn of(kind: KeyKind) -> ApiKeyKind {
        match kind {
            KeyKind::Test => ApiKeyKind::Teste,
            KeyKind::Live => ApiKeyKind::Producao,
        }
    }
}

/// Se uma chave ainda vale.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "StatusDaChave")]
#[serde(rename_all = "snake_case")]
enum ChaveStatus {
    Ativa,
    Expirada,
    Revogada,
}

/// Uma chave de API, sem o que só foi mostrado ao criá-la.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Chave {
    id: KeyId,
    nome: String,
    tipo: ApiKeyKind,
    /// Como a chave começa.
    prefixo: &'static str,
    /// Os últimos caracteres da chave.
    #[serde(rename = "final")]
    hint: String,
    status: ChaveStatus,
    escopos: Vec<Scope>,
    /// Faixas de endereços de onde pode ser usada; vazio: qualquer um.
    ips: Vec<String>,
    /// Créditos por dia de Brasília; `null`: sem limite.
    limite_diario: Option<i64>,
    /// Créditos por mês de Brasília; `null`: sem limite.
    limite_mensal: Option<i64>,
    /// Créditos gastos hoje; `null` se a chave não tem limites.
    gasto_no_dia: Option<i64>,
    /// Créditos gastos neste mês; `null` se a chave não tem limites.
    gasto_no_mes: Option<i64>,
    criada_em: String,
    /// `null`: não expira.
    expira_em: Option<String>,
    ultimo_uso_em: Option<String>,
    revogada_em: Option<String>,
    /// A chave que tomou o lugar desta por rotação.
    substituida_por: Option<KeyId>,
}

/// Uma chave recém-criada, com o que só aparece nesta resposta.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ChaveNova")]
pub struct NewChave {
    #[serde(flatten)]
    registro: Chave,
    /// A chave inteira.
    chave: String,
    /// O segredo que pode acompanhar a chave.
    segredo: String,
}

impl Chave {
    /// A key of a listing.
    pub fn of(row: Listed, now_ms: i64) -> Chave {
        let spent = Spent {
            dia_ms: row.dia_ms,
            gasto_dia: row.gasto_dia,
            mes_ms: row.mes_ms,
            gasto_mes: row.gasto_mes,
        };
        let (day, month) = ledger::spent_at(&spent, now_ms);
        let limited = row.limite_diario.is_some() || row.limite_mensal.is_some();
        let status = if row.revoked_at_ms > 0 {
            ChaveStatus::Revogada
        } else if row.expires_at_ms > 0 && row.expires_at_ms <= now_ms {
            ChaveStatus::Expirada
        } else {
            ChaveStatus::Ativa
        };
        let ips = row.ips.split(' ').filter(|net| !net.is_empty());
        let moment = |ms: i64| (ms > 0).then(|| when::rfc3339(ms));
        Chave {
            tipo: ApiKeyKind::of(row.kind),
            prefixo: apikey::prefix(row.kind),
            hint: row.hint,
            status,
            escopos: Scopes::read(&row.escopos).list(),
            ips: ips.map(str::to_owned).collect(),
            limite_diario: row.limite_diario,
            limite_mensal: row.limite_mensal,
            gasto_no_dia: limited.then_some(day),
            gasto_no_mes: limited.then_some(month),
            criada_em: when::rfc3339(row.created_at_ms),
            expira_em: moment(row.expires_at_ms),
            ultimo_uso_em: moment(row.last_used_ms),
            revogada_em: moment(row.revoked_at_ms),
            substituida_por: row.substituida_por.0,
            id: row.id,
            nome: row.nome,
        }
    }
}

impl NewChave {
    /// A key just made, with the two texts that are shown this once. `spent`: of
    /// the allowance it shares with others.
    pub fn of(fresh: &CreatedKey, spent: Spent, now_ms: i64) -> NewChave {
        NewChave {
            registro: Chave::of(unused(&fresh.row, spent), now_ms),
            chave: fresh.chave.expose().to_owned(),
            segredo: fresh.segredo.expose().to_owned(),
        }
    }
}

fn unused(row: &ApiKey, spent: Spent) -> Listed {
    let row = row.clone();
    Listed {
        id: row.id,
        kind: row.kind,
        nome: row.nome,
        hint: row.hint,
        escopos: row.escopos,
        ips: row.ips,
        limite_diario: row.limite_diario,
        limite_mensal: row.limite_mensal,
        substituida_por: row.substituida_por,
        created_at_ms: row.created_at_ms,
        revoked_at_ms: row.revoked_at_ms,
        expires_at_ms: row.expires_at_ms,
        last_used_ms: 0,
        dia_ms: spent.dia_ms,
        gasto_dia: spent.gasto_dia,
        mes_ms: spent.mes_ms,
        gasto_mes: spent.gasto_mes,
    }
}
