//! POST /api/v1/nfe-entrada/consultar: asks the national distribution.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use inbound::{Documento, Item, Mode, Query};
use issuing::answer::{ReceivedEvent, ReceivedNota};
use issuing::issue::{self, product};
use markup::ids::chave::Chave;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::EmitterId;

/// NSU have 15 digits (MOC 7.0 §5.7).
const MAX_NSU: u64 = 999_999_999_999_999;

pub fn built() -> Built {
    Built {
        operation: "nfe-entrada.consultar",
        route: |method| on(method, ask),
        docs: Docs::new("Busca na distribuição nacional as NF-e emitidas contra o CNPJ. Depois que nada mais há, a SEFAZ pede uma hora de pausa: dentro dela a resposta é 423, sem custo.")
            .body::<ConsultarIn>()
            .success::<Charged<ConsultarOut>>(),
    }
}

#[derive(Deserialize, JsonSchema)]
struct ConsultarIn {
    /// Ausente: o emitente padrão da conta.
    #[serde(default)]
    emitente_id: Option<EmitterId>,
    #[serde(default)]
    modo: ModeIn,
    /// Só com `modo` nsu.
    #[serde(default)]
    #[schemars(range(min = 1, max = 999_999_999_999_999_u64))]
    nsu: Option<u64>,
    /// Só com `modo` chave: chave de acesso de uma NF-e (modelo 55).
    #[serde(default)]
    chave: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "ModoIn")]
#[serde(rename_all = "snake_case")]
enum ModeIn {
    /// O que chegou desde a última vez.
    #[default]
    Novas,
    /// O documento de um NSU; no máximo 20 em uma hora, contados os por chave
    /// de acesso.
    Nsu,
    /// A nota de uma chave de acesso.
    Chave,
}

/// O que a distribuição trouxe.
#[derive(Serialize, JsonSchema)]
struct ConsultarOut {
    emitente_id: EmitterId,
    modo: ModeIn,
    /// O último NSU guardado.
    ultimo_nsu: i64,
    /// O último NSU que a autoridade tem.
    max_nsu: i64,
    /// Quantos documentos eram desconhecidos.
    novas: usize,
    itens: Vec<Distributed>,
    avisos: Vec<String>,
    /// Quando se pode perguntar por documentos novos.
    proxima_consulta_em: String,
}

/// Um documento distribuído: uma nota ou um evento.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Distribuido")]
#[serde(untagged)]
enum Distributed {
    Nota(Box<DistributedNota>),
    Evento(DistributedEvent),
}

/// Uma nota, ou o resumo dela, com o NSU do documento.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NotaDistribuida")]
struct DistributedNota {
    tipo: NotaKind,
    #[serde(flatten)]
    nota: ReceivedNota,
}

/// A nota completa ou o resumo dela.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TipoDeNotaDistribuida")]
enum NotaKind {
    Completa,
    Resumo,
}

/// Um evento de uma nota.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventoDistribuido")]
struct DistributedEvent {
    tipo: EventKind,
    #[serde(flatten)]
    evento: ReceivedEvent,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TipoDeEventoDistribuido")]
enum EventKind {
    Evento,
}

impl From<Item> for Distributed {
    fn from(item: Item) -> Distributed {
        let nota = |kind, nota: Box<ReceivedNota>| {
            Distributed::Nota(Box::new(DistributedNota {
                tipo: kind,
                nota: *nota,
            }))
        };
        match item.documento {
            Documento::Complete(record) => nota(NotaKind::Completa, record),
            Documento::Summary(record) => nota(NotaKind::Resumo, record),
            Documento::Evento(evento) => Distributed::Evento(DistributedEvent {
                tipo: EventKind::Evento,
                evento,
            }),
        }
    }
}

async fn ask(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<ConsultarOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: ConsultarIn = body::read(value, call.tolerant)?;
    let mode = mode(&body)?;
    charge::affordable(&call).await?;
    let mut conn = call.app.db.read().await?;
    let emitter = issue::emitter(&mut conn, &call.caller, body.emitente_id.as_ref()).await?;
    drop(conn);
    let ambiente = product::ambiente(&call.caller, &emitter);
    let emitter_id = emitter.id.clone();
    let query = Query {
        emitter,
        ambiente,
        mode,
    };
    let result = inbound::consult(&call.app, query).await?;
    let next_ms = result.next_ms.max(call.app.now_ms()) + 999;
    let told = ConsultarOut {
        emitente_id: emitter_id,
        modo: body.modo,
        ultimo_nsu: result.last_nsu,
        max_nsu: result.max_nsu,
        novas: result.items.iter().filter(|item| item.fresh).count(),
        itens: result.items.into_iter().map(Into::into).collect(),
        avisos: result.notices,
        proxima_consulta_em: when::rfc3339(next_ms),
    };
    charge::paid(&call, told).await
}

/// What to ask, once everything it needs is there.
fn mode(body: &ConsultarIn) -> Result<Mode, Failure> {
    let wrong = |code, field, message, correction| -> Failure {
        Refusal::field(code, field, message, correction).into()
    };
    match (body.modo, body.nsu, body.chave.as_deref()) {
        (ModeIn::Novas, None, None) => Ok(Mode::New),
        (ModeIn::Nsu, Some(nsu), None) => i64::try_from(nsu)
            .ok()
            .filter(|_| (1..=MAX_NSU).contains(&nsu))
            .map(Mode::Nsu)
            .ok_or_else(|| {
                wrong(
                    Code::ParametroInvalido,
                    "nsu",
                    "O NSU vai de 1 a 999999999999999.",
                    "Informe o NSU de um documento.",
                )
            }),
        (ModeIn::Chave, None, Some(chave)) => Chave::parse(chave)
            .ok()
            .filter(|chave| chave.model() == 55)
            .map(Mode::Chave)
            .ok_or_else(|| {
                wrong(
                    Code::ParametroInvalido,
                    "chave",
                    "A chave não é a de uma NF-e (modelo 55).",
                    "Confira as 44 posições e o dígito verificador.",
                )
            }),
        (ModeIn::Nsu, None, _) => Err(wrong(
            Code::ParametroAusente,
            "nsu",
            "Falta o NSU.",
            "Informe nsu, ou use outro modo.",
        )),
        (ModeIn::Chave, _, None) => Err(wrong(
            Code::ParametroAusente,
            "chave",
            "Falta a chave.",
            "Informe chave, ou use outro modo.",
        )),
        (_, nsu, _) => Err(wrong(
            Code::ParametroInvalido,
            if nsu.is_some() && body.modo != ModeIn::Nsu {
                "nsu"
            } else {
                "chave"
            },
            "O campo não cabe neste modo.",
            "Retire o campo, ou escolha o modo dele.",
        )),
    }
}
