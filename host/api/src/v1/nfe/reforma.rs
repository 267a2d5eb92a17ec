//! /api/v1/nfe/eventos-reforma: events of IBS, CBS and IS (NT 2025.002), and
//! what the form of payment retained of them.

use crate::Built;
use crate::answer::ApiAnswer;
use crate::gate::Call;
use crate::openapi::Docs;
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
use fiscal::nfe::event::{Tipo, busca};
use issuing::answer::{ComEvento, EventoRegistrado, EventoTransmitido, Nfe, Rejeicao, Resultado};
use issuing::model::Modelo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json as value};
use store::ids::{EventoId, NotaId};
use store::tables::eventos::{self, EventoRow, EventoStatus, EventoTipo};

/// Event that cancels another event (NT 2025.002).
const CANCELA_EVENTO: &str = "110001";
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
            .body(schemars::schema_for!(EventoIn).to_value())
            .idempotent()
            .success::<ComEvento<Nfe, EventoRegistrado>>()
            .success_at::<ComEvento<Nfe, EventoTransmitido>>(202)
            .answers(&answers)
            .sends("Location", &[202]),
        },
        Built {
            operation: "nfe.eventos-reforma.cancelar",
            route: |method| on(method, cancelar),
            docs: Docs::new("Cancela um evento da reforma registrado antes (evento 110001).")
                .body(schemars::schema_for!(CancelarIn).to_value())
                .idempotent()
                .success::<ComEvento<Nfe, EventoRegistrado>>()
                .success_at::<ComEvento<Nfe, EventoTransmitido>>(202)
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

#[derive(Deserialize, JsonSchema)]
struct EventoIn {
    /// nota_id ou chave da nota.
    r#ref: String,
    /// Seis dígitos do catálogo.
    tipo_evento: String,
    /// Campos do evento.
    #[serde(default)]
    dados: Map<String, Value>,
    /// Ausente: a próxima.
    #[serde(default)]
    sequencia: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
struct CancelarIn {
    /// nota_id ou chave da nota.
    r#ref: String,
    /// Protocolo do evento a cancelar.
    protocolo: String,
}

/// The answer of an event that is sent.
type Sent = StoredAnswer<ComEvento<Nfe, EventoRegistrado>, ComEvento<Nfe, EventoTransmitido>>;

/// Os eventos da reforma de uma nota.
#[derive(Serialize, JsonSchema)]
struct EventosOut {
    nota_id: NotaId,
    itens: Vec<EventoDaReforma>,
}

/// Um evento da reforma.
#[derive(Serialize, JsonSchema)]
struct EventoDaReforma {
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
    rejeicao: Option<Rejeicao>,
    pedido_em: String,
    /// Os campos do evento, como foram enviados; quais são está no catálogo.
    dados: Option<Map<String, Value>>,
}

/// What the column `detalhes` keeps of an event of the reform.
#[derive(Deserialize)]
struct Detalhes {
    dados: Option<Map<String, Value>>,
}

/// IBS e CBS que o meio de pagamento reteve.
#[derive(Serialize, JsonSchema)]
struct SplitPaymentOut {
    nota_id: NotaId,
    /// Em R$; `null` se há um evento, cujo leiaute ainda não se conhece.
    ibs_retido: Option<i64>,
    /// Como `ibs_retido`.
    cbs_retido: Option<i64>,
    por_forma: Vec<EventoDaReforma>,
    observacao: &'static str,
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> Sent {
    let (body, key): (EventoIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Modelo::Nfe).await?;
    let tipo = known(&body.tipo_evento)?;
    let dados = Value::Object(body.dados);
    let asked = Asked {
        nota,
        tipo,
        nome: EventoTipo::Reforma,
        detalhes: value!({ "dados": dados }),
        dados,
        sequencia: body.sequencia,
        vistos: None,
        key,
    };
    send(call, asked).await
}

async fn cancelar(call: Call, headers: HeaderMap, bytes: Bytes) -> Sent {
    let (body, key): (CancelarIn, _) = read(&call, &headers, &bytes)?;
    let nota = product::nota(&call, &body.r#ref, Modelo::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let vistos = eventos::registered(&mut conn, &nota.id).await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    let cancelled = events
        .iter()
        .find(|evento| {
            evento.tipo == EventoTipo::Reforma
                && evento.codigo != CANCELA_EVENTO
                && evento.status == EventoStatus::Registrado
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
    let tipo = busca(CANCELA_EVENTO).context("event 110001")?;
    let dados = value!({ "tpEventoAut": cancelled.codigo, "nProtEvento": cancelled.protocolo });
    let asked = Asked {
        nota,
        tipo,
        nome: EventoTipo::Reforma,
        detalhes: value!({ "dados": dados }),
        dados,
        sequencia: None,
        vistos: Some(vistos),
        key,
    };
    send(call, asked).await
}

async fn list(call: Call, Path(reference): Path<String>) -> ApiAnswer<EventosOut> {
    let nota = product::nota(&call, &reference, Modelo::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let events = eventos::of_nota(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    let events = events
        .iter()
        .filter(|evento| evento.tipo == EventoTipo::Reforma);
    let itens: Result<Vec<_>, Failure> = events.map(item).collect();
    call.ok(EventosOut {
        nota_id: nota.id,
        itens: itens?,
    })
}

fn item(evento: &EventoRow) -> Result<EventoDaReforma, Failure> {
    let detalhes = match evento.detalhes.as_str() {
        "" => Detalhes { dados: None },
        detalhes => serde_json::from_str(detalhes)?,
    };
    let resultado = Resultado::of(evento)?;
    Ok(EventoDaReforma {
        evento_id: evento.id.clone(),
        tipo_evento: evento.codigo.clone(),
        nome: busca(&evento.codigo).map(|tipo| tipo.nome.to_owned()),
        sequencia: evento.sequencia,
        status: evento.status,
        protocolo: evento.protocolo.clone(),
        registrado_em: resultado.registrado_em,
        status_sefaz: resultado.status_sefaz,
        mensagem_sefaz: resultado.mensagem_sefaz,
        rejeicao: resultado.rejeicao.map(Rejeicao::from),
        pedido_em: when::rfc3339(evento.created_at_ms),
        dados: detalhes.dados,
    })
}

/// Every event the hub has of the note that tells of a retention.
async fn split_payment(call: Call, Path(reference): Path<String>) -> ApiAnswer<SplitPaymentOut> {
    let nota = product::nota(&call, &reference, Modelo::Nfe).await?;
    let mut conn = call.app.db.read().await?;
    let events = eventos::standing(&mut conn, &nota.account_id, &nota.id).await?;
    drop(conn);
    let told = events
        .iter()
        .filter(|evento| {
            evento.codigo == SPLIT_PAYMENT && evento.status == EventoStatus::Registrado
        })
        .map(item);
    let told = told.collect::<Result<Vec<_>, Failure>>()?;
    // Without an event nothing was retained; what one says has no layout yet.
    let amount = told.is_empty().then_some(0);
    call.ok(SplitPaymentOut {
        nota_id: nota.id,
        ibs_retido: amount,
        cbs_retido: amount,
        por_forma: told,
        observacao: "O evento de split payment (110300, NT 2026.006) ainda não tem leiaute publicado; sem evento registrado, nada foi retido.",
    })
}

/// An event of the reform that the hub sends.
fn known(codigo: &str) -> Result<&'static Tipo, Failure> {
    busca(codigo)
        .filter(|tipo| tipo.reforma && tipo.envia && tipo.codigo != CANCELA_EVENTO)
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
