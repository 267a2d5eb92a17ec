//! An event as a receiver sees it: the body of a delivery, an item of the feed.

use super::payload::{Data, NotaLinks};
use base::when;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use store::ids::{AccountId, EmitterId, OutboxId};
use store::tables::outbox::OutboxRow;
use store::words::Ambiente;
use store::{DbResult, stored};

/// Um evento, como é entregue.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Evento")]
pub struct Evento<D = KeptData> {
    /// O mesmo de X-Webhook-Id, em toda tentativa: despreze um repetido.
    id: OutboxId,
    tipo: String,
    #[schemars(extend("const" = "1"))]
    versao: &'static str,
    /// Quando aconteceu.
    #[schemars(extend("format" = "date-time"))]
    criado_em: String,
    /// Ambiente a que se refere; null se a nenhum.
    ambiente: Option<Ambiente>,
    /// true: um exemplo, pedido por POST /api/v1/webhooks/{id}/testar.
    teste: bool,
    /// A conta.
    conta_id: AccountId,
    /// O emitente; null se o evento é da conta toda, e em um teste.
    emitente_id: Option<EmitterId>,
    /// Lugar na ordem da conta: as entregas podem chegar fora dela. null em um
    /// teste.
    sequencia: Option<i64>,
    dados: D,
}

/// O que aconteceu; a forma segue o tipo do evento.
// Shown as it was written when it happened, also by an older version.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DadosGuardados")]
#[serde(transparent)]
pub struct KeptData(#[schemars(with = "Data")] Value);

/// Members of the stored data that name what an event is about.
const OWN_IDS: [&str; 3] = ["nota_id", "recebida_id", "evento_id"];

impl Evento {
    /// The event with its frame. The same row gives the same bytes each time.
    ///
    /// # Errors
    /// What happened cannot be read.
    pub fn of(row: &OutboxRow, base_url: &str) -> DbResult<Evento> {
        let payload = stored(&row.payload, "content of an event", &row.id)?;
        let data = KeptData::of(payload, base_url);
        Ok(Evento::framed(row, data))
    }

    /// What happened, in the frame of its row.
    pub fn framed(row: &OutboxRow, data: KeptData) -> Evento {
        Evento {
            id: row.id.clone(),
            tipo: row.tipo.clone(),
            versao: "1",
            criado_em: when::rfc3339(row.created_at_ms),
            ambiente: row.ambiente.0,
            teste: row.teste == 1,
            conta_id: row.account_id.clone(),
            emitente_id: row.emitter_id.0.clone(),
            sequencia: (row.sequencia > 0).then_some(row.sequencia),
            dados: data,
        }
    }
}

impl KeptData {
    /// The data of an event as a receiver gets it: with the `id` of what it is about,
    /// and for a note with links to it at this hub. Examples are made here too, so that they look like real
    /// events.
    pub fn of(mut payload: Value, base_url: &str) -> KeptData {
        let Some(members) = payload.as_object_mut() else {
            return KeptData(payload);
        };
        let own = OWN_IDS.into_iter().find_map(|name| members.get(name));
        if let Some(own) = own.cloned() {
            members.insert("id".to_owned(), own);
        }
        if let Some(nota) = members.get("nota_id").and_then(Value::as_str) {
            // A word that an older version wrote, and nobody knows, names no files.
            let status = members.get("status").and_then(Value::as_str);
            let status = status.and_then(|word| word.parse().ok());
            let links = json!(NotaLinks::of(&nota.into(), status, base_url));
            members.insert("links".to_owned(), links);
        }
        KeptData(payload)
    }
}
