//! GET /api/v1/autorizadores: what the hub knows of the SEFAZ of all states,
//! without asking any of them.

use axum::extract::Query as UrlQuery;
use axum::routing::on;
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, only};
use issuing::actions::authorizer::{Known, known};
use issuing::model::{Ambiente, Model};
use issuing::parts::situations::AuthorizerStatus;
use schemars::JsonSchema;
use serde::Serialize;
use store::tables::documents::{self, LastRow};

/// How far back the account's own notes tell that an authorizer works.
const SINCE_MS: i64 = 24 * 3_600_000;

pub fn built() -> Built {
    Built {
        operation: "autorizadores.list",
        route: |method| on(method, list),
        docs: Docs::new(
            "Mostra o que se sabe dos autorizadores de NF-e e NFC-e das 27 UFs, sem consultar nenhum.",
        )
        .success::<AutorizadoresOut>(),
    }
}

/// O que se sabe dos autorizadores.
#[derive(Serialize, JsonSchema)]
struct AutorizadoresOut {
    /// Por UF e modelo; sem os modelos que a UF não tem.
    itens: Vec<KnownAuthorizer>,
}

/// O que se sabe do autorizador de uma UF.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AutorizadorConhecido")]
struct KnownAuthorizer {
    uf: &'static str,
    modelo: Model,
    /// A SEFAZ que autoriza as notas da UF.
    autorizador: String,
    situacao: KnownStatus,
    /// De quando é o que se sabe; `null` se nada se sabe.
    em: Option<String>,
    /// O que o autorizador disse de si, na última consulta.
    motivo: Option<String>,
    /// Até quando o hub não envia nada a ele, depois de uma falha.
    proxima_tentativa_em: Option<String>,
    /// A última nota da conta que ele autorizou, nas últimas 24 horas.
    ultima_autorizacao_em: Option<String>,
}

/// A situação de um autorizador, pelo que se sabe por último.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SituacaoConhecida")]
enum KnownStatus {
    /// Ele mesmo o disse, ou autorizou uma nota da conta.
    EmOperacao,
    ParalisadoTemporario,
    Paralisado,
    /// Não respondeu há menos de um minuto, ou disse que está parado.
    ForaDoAr,
    /// Ninguém o consultou, e a conta não emitiu por ele.
    SemNoticia,
}

impl From<AuthorizerStatus> for KnownStatus {
    fn from(status: AuthorizerStatus) -> KnownStatus {
        match status {
            AuthorizerStatus::EmOperacao => KnownStatus::EmOperacao,
            AuthorizerStatus::ParalisadoTemporario => KnownStatus::ParalisadoTemporario,
            AuthorizerStatus::Paralisado => KnownStatus::Paralisado,
        }
    }
}

async fn list(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<AutorizadoresOut> {
    only(&query, &[])?;
    let (account, unseen) = (&call.caller.account_id, call.caller.unseen());
    let now_ms = call.app.now_ms();
    let mut conn = call.app.db.walk(account).await?;
    let last = documents::last_authorized(&mut conn, account, unseen, now_ms - SINCE_MS).await?;
    drop(conn);
    let seen: &[Ambiente] = match call.caller.is_test() {
        true => &[Ambiente::Homologacao, Ambiente::Simulated],
        false => &[Ambiente::Production, Ambiente::Homologacao],
    };
    let all = known(&call.app, seen).into_iter();
    call.ok(AutorizadoresOut {
        itens: all.map(|one| told(one, &last, now_ms)).collect(),
    })
}

fn told(known: Known, last: &[LastRow], now_ms: i64) -> KnownAuthorizer {
    let own = last
        .iter()
        .find(|row| row.sistema == known.autorizador && row.modelo == known.model)
        .map(|row| row.at_ms);
    let said = known.said.as_ref();
    let (status, at_ms) = match (known.down_until_ms, said, own) {
        (Some(_), ..) => (KnownStatus::ForaDoAr, Some(now_ms)),
        (None, Some(said), own) if own.is_none_or(|own| own <= said.queried_ms) => {
            (said.status.into(), Some(said.queried_ms))
        }
        (None, _, Some(own)) => (KnownStatus::EmOperacao, Some(own)),
        (None, _, None) => (KnownStatus::SemNoticia, None),
    };
    KnownAuthorizer {
        uf: known.uf,
        modelo: known.model,
        situacao: status,
        em: at_ms.map(when::rfc3339),
        motivo: said.map(|said| said.reason.clone()),
        proxima_tentativa_em: known.down_until_ms.map(when::rfc3339),
        ultima_autorizacao_em: own.map(when::rfc3339),
        autorizador: known.autorizador,
    }
}
