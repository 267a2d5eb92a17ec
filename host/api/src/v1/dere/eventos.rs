//! POST /api/v1/dere/eventos: an event of the DeRE, written and judged by its
//! layout. Free.

use super::{BETA, NOT_SENT, Sending, beta};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::answer::refusal::RefusedField;
use gate::docs::{Built, Docs};
use gate::request::{body, idempotency};
use issuing::actions::dere::{EventOrder, create, subject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::ids::{DereEventId, EmitterId};
use store::stored;
use store::tables::dere::DereEventStatus;

pub fn built() -> Built {
    Built {
        operation: "dere.eventos",
        route: |method| on(method, post),
        docs: Docs::new("Beta, grátis: guarda um evento da DeRE (leiaute 1.2.0) e diz se o leiaute o aceita, com cada erro pelo campo. dados tem os nomes dos elementos do leiaute. Um evento com erros também é guardado, com status invalido. Nada é transmitido.")
            .body::<EventIn>()
            .idempotent()
            .answers(&[(201, "O evento foi guardado; status diz se o leiaute o aceita.")])
            .sends(BETA, &[201])
            .success_at::<EventOut>(201),
    }
}

/// Um evento da DeRE.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "EventoDereIn")]
struct EventIn {
    /// Ausente: o emitente padrão da conta.
    emitente_id: Option<EmitterId>,
    /// A versão do leiaute: 1.2.0.
    leiaute: String,
    /// D-1001, D-1011, D-1101, D-1106, D-1121, D-1198 ou D-1199.
    tipo: String,
    /// O período de apuração, `AAAA-MM`; nas tabelas (D-1001 e D-1011), o mês
    /// em que a validade começa.
    periodo: String,
    /// O conteúdo do evento, com os nomes dos elementos do leiaute:
    /// `{"infoContrib": {"regTribPrinc": "1", …}}`. O que pode repetir é uma
    /// lista; valores são textos ou números. Em `ideEvento` vão tpOper (1 se
    /// ausente), motExcl, nrProc e nrRecibo; tpAmb, aplicEmi, verAplic, nrInsc,
    /// perApur e o id são preenchidos aqui, e iniValid, se ausente, é o primeiro
    /// dia do período.
    dados: Map<String, Value>,
}

/// O evento guardado e o que o leiaute diz dele.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventoDereOut")]
struct EventOut {
    /// O id do evento.
    id: DereEventId,
    /// O mesmo que `id`.
    evento_id: DereEventId,
    status: DereEventStatus,
    leiaute: String,
    tipo: String,
    /// O nome do evento no leiaute.
    nome: &'static str,
    /// O esquema que o conferiu, com a versão: `evtInfoContrib v1_0_1`.
    esquema: String,
    periodo: String,
    /// O id do evento no documento, com 42 caracteres.
    identificador: String,
    /// O que corrigir, até 100; `campo` é o caminho no pedido, como
    /// `dados.infoContrib.regTribPrinc`.
    erros: Vec<RefusedField>,
    transmissao: Sending,
    /// O que não é feito nesta versão.
    aviso: &'static str,
}

async fn post(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<EventOut> {
    let mut value = body::parse(&call, &headers, &bytes)?;
    let key = idempotency::key(&call, &headers, &mut value)?;
    let body: EventIn = body::read(value, call.tolerant)?;
    let (kind, period) = subject(&body.leiaute, &body.tipo, &body.periodo)?;
    let order = EventOrder {
        caller: call.caller.clone(),
        emitter_id: body.emitente_id,
        kind,
        period,
        data: body.dados,
        idempotency: key,
    };
    let made = create(&call.app, order).await?;
    let row = made.row;
    call.about(&row.id);
    let answer = EventOut {
        status: row.status,
        leiaute: row.leiaute,
        tipo: row.tipo,
        nome: kind.title,
        esquema: format!("{} {}", kind.element, kind.version),
        periodo: row.periodo,
        identificador: row.chave,
        erros: stored(&row.erros, "errors of an event", &row.id)?,
        transmissao: Sending::NaoDisponivel,
        aviso: NOT_SENT,
        id: row.id.clone(),
        evento_id: row.id,
    };
    Ok(beta(call.created(answer)?.replayed(made.replayed)))
}
