//! GET /pronto: this node can take calls.

use axum::routing::on;
use base::errors::{Code, Refusal};
use gate::Call;
use gate::Services;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use schemars::JsonSchema;
use serde::Serialize;
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::node::room::Left;
use store::{TxError, checks};

/// A database slower than this is not ready.
const DATABASE: Duration = Duration::from_secs(3);
/// How long an answer holds: each probe is a write, and anybody may ask.
const PROBE_MS: i64 = 1_000;

pub fn built() -> Built {
    Built {
        operation: "pronto",
        route: |method| on(method, pronto),
        docs: Docs::new("Diz se este nó pode atender: banco de dados, espaço em disco, adaptadores e encerramento.")
            .success::<ProntoOut>(),
    }
}

#[derive(Serialize, JsonSchema)]
struct ProntoOut {
    /// Sempre `true`: um nó que não está pronto responde 503.
    pronto: bool,
    verificacoes: Checks,
}

/// O que foi verificado.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Verificacoes")]
struct Checks {
    /// O nó está saindo.
    encerrando: bool,
    /// O banco de dados lê e escreve.
    banco_de_dados: bool,
    /// Quanto espaço resta nos discos que este nó usa.
    espaco_em_disco: Room,
    /// `false`: o disco está cheio e nada é emitido (`espaco_esgotado`). As consultas e as notas
    /// já enviadas seguem normalmente; por isso o nó continua pronto.
    emite: bool,
    adaptadores: Adapters,
}

/// Quanto espaço resta. Com `baixo` (menos que `storage.free_space_warning`), quem opera o hub
/// deve liberar espaço; com `esgotado` (menos que `storage.free_space_floor`), nada é emitido.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "EspacoEmDisco")]
enum Room {
    #[serde(rename = "suficiente")]
    Enough,
    #[serde(rename = "baixo")]
    Low,
    #[serde(rename = "esgotado")]
    Spent,
}

impl From<Left> for Room {
    fn from(left: Left) -> Room {
        match left {
            Left::Enough => Room::Enough,
            Left::Low => Room::Low,
            Left::Spent => Room::Spent,
        }
    }
}

/// Quantos adaptadores há.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Adaptadores")]
struct Adapters {
    /// Os que as rotas usam.
    no_registro: usize,
    instalados: usize,
}

async fn pronto(call: Call) -> ApiAnswer<ProntoOut> {
    let app = &call.app;
    let leaving = app.leaving.load(Ordering::Relaxed) || app.draining.load(Ordering::Relaxed);
    // Who leaves says so at once, and does not wait for the database.
    let database = leaving || probed(app).await;
    let needed = app.registry.load().adapters().count();
    let installed = app.catalog.all().len();
    let left = app.room.left();
    let checks = Checks {
        encerrando: leaving,
        banco_de_dados: database,
        espaco_em_disco: left.into(),
        emite: left != Left::Spent,
        adaptadores: Adapters {
            no_registro: needed,
            instalados: installed,
        },
    };
    if leaving || !database || (needed > 0 && installed == 0) {
        return Err(Refusal::new(Code::Manutencao)
            .message("Este nó não está pronto para atender.")
            .retry_after(5)
            .with("pronto", false)
            .with("verificacoes", serde_json::to_value(checks)?)
            .into());
    }
    call.ok(ProntoOut {
        pronto: true,
        verificacoes: checks,
    })
}

/// What the last probe said, or a new one's answer.
async fn probed(app: &Services) -> bool {
    let mut last = app.probe.lock().await;
    let now_ms = app.now_ms();
    if let Some((at_ms, works)) = *last
        && (0..PROBE_MS).contains(&(now_ms - at_ms))
    {
        return works;
    }
    let works = tokio::time::timeout(DATABASE, database(app)).await;
    let works = works.unwrap_or(false);
    *last = Some((now_ms, works));
    works
}

/// Whether it can be read and written.
async fn database(app: &Services) -> bool {
    let read = async {
        let mut conn = app.db.read().await?;
        checks::readable(&mut conn).await
    };
    if let Err(error) = read.await {
        tracing::warn!(%error, "the database cannot be read");
        return false;
    }
    let written = app.db.write(app.now_ms(), |now_ms, conn| {
        Box::pin(
            async move { Ok::<_, TxError<Infallible>>(checks::writable(conn, *now_ms).await?) },
        )
    });
    match written.await {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, "the database cannot be written");
            false
        }
    }
}
