//! GET /api/v1/conta: the account of the key, its limits and environments.

use crate::v1::chaves::record::ApiKeyKind;
use ::accounts::ledger;
use ::accounts::scopes::Scope;
use axum::routing::on;
use base::config::AuthoritiesMode;
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use schemars::JsonSchema;
use serde::Serialize;
use store::Present as _;
use store::ids::AccountId;
use store::tables::accounts;

pub fn built() -> Built {
    Built {
        operation: "conta",
        route: |method| on(method, conta),
        docs: Docs::new("Mostra a conta da chave, os seus limites e os ambientes que ela alcança.")
            .success::<ContaOut>(),
    }
}

/// A conta da chave.
#[derive(Serialize, JsonSchema)]
struct ContaOut {
    id: AccountId,
    nome: String,
    criada_em: String,
    /// O que a chave desta chamada pode.
    chave_escopos: Option<Vec<Scope>>,
    chave_tipo: ApiKeyKind,
    ambientes: Vec<ChaveAmbiente>,
    /// As autoridades desta instalação são simuladas.
    autoridades_simuladas: bool,
    limites: Limits,
    /// O que pode ser gasto agora, em créditos.
    saldo: i64,
    /// O que chamadas em andamento reservaram, em créditos.
    reservado: i64,
}

/// Um ambiente que uma chave alcança.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AmbienteDaChave")]
#[serde(rename_all = "snake_case")]
enum ChaveAmbiente {
    Simulado,
    Homologacao,
    Producao,
}

/// Os limites da conta.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Limites")]
struct Limits {
    requisicoes_por_minuto: i64,
    /// Tamanho de um corpo JSON.
    json_bytes: usize,
    /// Tamanho de um envio de certificados.
    certificados_bytes: usize,
    /// Tamanho de um arquivo enviado.
    arquivos_bytes: usize,
    /// Tamanho de um objeto guardado.
    objetos_bytes: u64,
    /// Objetos recebidos ao mesmo tempo.
    objetos_simultaneos: usize,
    /// Espaço para objetos.
    armazenamento_bytes: i64,
    /// Quanto uma emissão espera pela autoridade antes de responder 202.
    espera_ms: u64,
    /// Por quanto tempo uma Idempotency-Key vale.
    idempotencia_horas: u32,
}

async fn conta(call: Call) -> ApiAnswer<ContaOut> {
    let config = &call.app.config;
    let mut conn = call.app.db.read().await?;
    let account = accounts::get(&mut conn, &call.caller.account_id)
        .await?
        .present("account", &call.caller.account_id)?;
    let balances = ledger::balances(&mut conn, &account.id).await?;
    drop(conn);
    let key_kind = ApiKeyKind::of(call.caller.kind);
    let limits = &config.limits;
    call.ok(ContaOut {
        id: account.id,
        nome: account.nome,
        criada_em: when::rfc3339(account.created_at_ms),
        chave_escopos: call.key.as_ref().map(|known| known.scopes.list()),
        chave_tipo: key_kind,
        ambientes: match key_kind {
            ApiKeyKind::Teste => vec![ChaveAmbiente::Simulado],
            ApiKeyKind::Producao => {
                vec![ChaveAmbiente::Homologacao, ChaveAmbiente::Producao]
            }
        },
        autoridades_simuladas: config.authorities.mode == AuthoritiesMode::Simulator,
        limites: Limits {
            requisicoes_por_minuto: account.requests_per_minute,
            json_bytes: limits.json_bytes,
            certificados_bytes: limits.certificate_bytes,
            arquivos_bytes: limits.file_bytes,
            objetos_bytes: limits.object_bytes,
            objetos_simultaneos: limits.objects_at_once,
            armazenamento_bytes: config.storage.account_bytes,
            espera_ms: config.issuing.wait_ms,
            idempotencia_horas: config.issuing.idempotency_hours,
        },
        saldo: balances.available,
        reservado: balances.held,
    })
}
