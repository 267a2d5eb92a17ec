//! /api/v1/nfe/eventos-reforma: events of IBS, CBS and IS (NT 2025.002), and
//! what the form of payment retained of them.

use crate::v1::event::{Asked, read, send};
use crate::v1::product;
use crate::v1::stored::StoredAnswer;
use anyhow::Context as _;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use base::when;
use fiscal::nfe::event::{Kind, search};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use issuing::answer::{EventResult, Nfe, RegisteredEvent, Rejection, TransmittedEvent, WithEvent};
use issuing::model::Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::ids::{EventoId, NotaId};
use store::tables::eventos::{self, EventKind, EventoRow, EventoStatus};

/// Event that cancels another event (NT 2025.002).
const CANCEL_EVENT: &str = "110001";
/// Event that tells what a payment retained (NT 2026.006; its schema was not
/// published by 2026-10-06).
const SPLIT_PAYMENT: &str = "110300";

pub fn built() -> Vec<Built> {
    let answers = [(200, "Evento registrado."), (202, "Ainda sem resultado.")];
    vec![
        Built {
            operation: "nfe.eventos-reforma.post",
            route: |method| on(method, create),
            docs: Docs::new(
                "Transmite um evento da reforma; os campos estão no catálogo de eventos.",
            )
            .body::<EventoIn>()
            .idempotent()
            .success::<WithEvent<Nfe, RegisteredEvent>>()
            .success_at::<WithEvent<Nfe, TransmittedEvent>>(202)
            .answers(&answers)
            .sends("Location", &[202]),
        },
        Built {
            operation: "nfe.eventos-reforma.cancelar",
            route: |method| on(method, cancelar),
            docs: Docs::new("Cancela um evento da reforma registrado antes (evento 110001).")
                .body::<CancelarIn>()
                .idempotent()
                .success::<WithEvent<Nfe, RegisteredEvent>>()
                .success_at::<WithEvent<Nfe, TransmittedEvent>>(202)
                .answers(&answers)
                .sends("Location", &[202]),
        },
        Built {
            operation: "nfe.eventos-reforma",
            route: |method| on(method, list),
            docs: Docs::new("Lista os eventos da reforma já transmitidos para a nota.")
                .success::<EventosOut>(),
        },
        Built {
            operation: "nfe.split-payment",
            route: |method| on(method, split_payment),
            docs: Docs::new("Mostra o IBS e a CBS retidos pelo meio de pagamento.")
                .success::<SplitPaymentOut>(),
        },
    ]
}

/// Um evento da reforma.
#[derive(Deserialize, JsonSchema)]
pub struct EventoIn {
    /// nota_id ou chave da nota.
    pub r#ref: String,
    /// Seis dígitos do catálogo.
    pub tipo_evento: String,
    /// Campos do evento.
    #[serde(default)]
    pub dados: Map<String, Value>,
    /// Ausente: a próxima.
    #[serde(default)]
    pub sequencia: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
struct CancelarIn {
    /// nota_id ou chave da nota.
    r#ref: String,
    /// Protocolo do evento a cancelar.
    protocolo: String,
}

/// The answer of an event that is sent.
type Sent = StoredAnswer<WithEvent<Nfe, RegisteredEvent>, WithEvent<Nfe, TransmittedEvent>>;

/// Os eventos da reforma de uma nota.
#[derive(Serialize, JsonSchema)]
struct EventosOut {
    /// O id da nota.
    id: NotaId,
    /// O mesmo que `id`.
    nota_id: NotaId,
    itens: Vec<ReformEvent>,
}

/// Um evento da reforma.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventoDaReforma")]
struct ReformEvent {
    /// O id do evento.
    id: EventoId,
    /// O mesmo que `id`.
    evento_id: EventoId,
    /// Seis dígitos do catálogo.
    tipo_evento: String,
    nome: Option<String>,
    sequencia: i64,
    status: EventoStatus,
    /// Vazio sem registro.
    protocolo: String,
    registrado_em: Option<String>,
    /// Código (cStat) da resposta.
    status_sefaz: Option<String>,
    /// Texto (xMotivo) da resposta.
    mensagem_sefaz: Option<String>,
    /// Por que foi rejeitado.
    rejeicao: Option<Rejection>,
    pedido_em: String,
    /// Os campos do evento, como foram enviados; quais são está no catálogo.
    dados: Option<Map<String, Value>>,
}

/// What the column `detalhes` keeps of an event of the reform.
#[derive(Deserialize)]
struct Details {
    dados: Option<Map<String, Value>>,
}

/// IBS e CBS que o meio de pagamento reteve.
#[derive(Serialize, JsonSchema)]
struct SplitPaymentOut {
    /// O id da nota.
    id: NotaId,
    /// O mesmo que `id`.
    nota_id: NotaId,
    /// Em R$; `null` se há um evento, cujo leiaute ainda não se conhece.
    ibs_retido: Option<i64>,
    /// Como `ibs_retido`.
    cbs_retido: Option<i64>,
    por_forma: Vec<ReformEvent>,
    observacao: &'static str,
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> Sent {
    let (body, key): (EventoIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Model::Nfe).await?;
    let kind = known(&body.tipo_evento)?;
    let data = Value::Object(body.dados);
    let asked = Asked {
        nota,
        kind,
        name: EventKind::Reforma,
        details: json!({ "dados": data }),
        data,
        sequence: body.sequencia,
        seen: None,
        key,
    };
    send(call, asked).await
}

async fn cancelar(call: Call, headers: HeaderMap, bytes: Bytes) -> Sent {
    let (body, key): (CancelarIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Model::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let seen = eventos::registered(&mut conn, &nota.id).await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    let cancelled = events
        .iter()
        .find(|evento| {
            evento.tipo == EventKind::Reforma
                && evento.codigo != CANCEL_EVENT
                && evento.status == EventoStatus::Registered
                && evento.protocolo == body.protocolo
        })
        .ok_or_else(|| {
            Refusal::field(
                Code::NaoEncontrado,
                "protocolo",
                "A nota não tem evento da reforma registrado com este protocolo.",
                "Veja os protocolos em GET /api/v1/nfe/{ref}/eventos-reforma.",
            )
        })?;
    let kind = search(CANCEL_EVENT).context("event 110001")?;
    let data = json!({ "tpEventoAut": cancelled.codigo, "nProtEvento": cancelled.protocolo });
    let asked = Asked {
        nota,
        kind,
        name: EventKind::Reforma,
        details: json!({ "dados": data }),
        data,
        sequence: None,
        seen: Some(seen),
        key,
    };
    send(call, asked).await
}

async fn list(call: Call, Path(reference): Path<String>) -> ApiAnswer<EventosOut> {
    let nota = product::nota(&call, &reference, Model::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let events = eventos::of_nota(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    let events = events
        .iter()
        .filter(|evento| evento.tipo == EventKind::Reforma);
    let items: Result<Vec<_>, Failure> = events.map(item).collect();
    call.ok(EventosOut {
        id: nota.id.clone(),
        nota_id: nota.id,
        itens: items?,
    })
}

fn item(evento: &EventoRow) -> Result<ReformEvent, Failure> {
    let details = match evento.detalhes.as_str() {
        "" => Details { dados: None },
        details => serde_json::from_str(details)?,
    };
    let result = EventResult::of(evento)?;
    Ok(ReformEvent {
        id: evento.id.clone(),
        evento_id: evento.id.clone(),
        tipo_evento: evento.codigo.clone(),
        nome: search(&evento.codigo).map(|kind| kind.nome.to_owned()),
        sequencia: evento.sequencia,
        status: evento.status,
        protocolo: evento.protocolo.clone(),
        registrado_em: result.registrado_em,
        status_sefaz: result.status_sefaz,
        mensagem_sefaz: result.mensagem_sefaz,
        rejeicao: result.rejeicao.map(Rejection::from),
        pedido_em: when::rfc3339(evento.created_at_ms),
        dados: details.dados,
    })
}

/// Every event the hub has of the note that tells of a retention.
async fn split_payment(call: Call, Path(reference): Path<String>) -> ApiAnswer<SplitPaymentOut> {
    let nota = product::nota(&call, &reference, Model::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    let told = events
        .iter()
        .filter(|evento| {
            evento.codigo == SPLIT_PAYMENT && evento.status == EventoStatus::Registered
        })
        .map(item);
    let told = told.collect::<Result<Vec<_>, Failure>>()?;
    // Without an event nothing was retained; what one says has no layout yet.
    let amount = told.is_empty().then_some(0);
    call.ok(SplitPaymentOut {
        id: nota.id.clone(),
        nota_id: nota.id,
        ibs_retido: amount,
        cbs_retido: amount,
        por_forma: told,
        observacao: "O evento de split payment (110300, NT 2026.006) ainda não tem leiaute publicado; sem evento registrado, nada foi retido.",
    })
}

/// An event of the reform that the hub sends.
///
/// # Errors
/// 400 for any other.
pub fn known(codigo: &str) -> Result<&'static Kind, Failure> {
    search(codigo)
        .filter(|kind| kind.reforma && kind.envia && kind.codigo != CANCEL_EVENT)
        .ok_or_else(|| {
            Refusal::field(
                Code::ParametroInvalido,
                "tipo_evento",
                "Tipo de evento desconhecido ou que não é enviado pelo contribuinte.",
                "Veja os tipos em GET /api/v1/reforma/eventos/catalogo.",
            )
            .into()
        })
}
