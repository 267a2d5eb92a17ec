//! Answers of calls that register an event of a note, and of calls that ask the
//! authority about a note.

use super::found::{Found, FoundAtSefaz, SefazEvent};
use super::outcome::EventResult;
use super::product::{Nfce, Nfe};
use super::record::{Record, Registered, filled, read, registered};
use super::service::Nfse;
use super::success::{Cost, Success};
use super::transport::{Cte, Mdfe};
use super::{Told, told};
use crate::model::Model;
use schemars::JsonSchema;
use serde::Serialize;
use store::DbResult;
use store::ids::EventoId;
use store::tables::eventos::{EventKind, EventoRow, EventoStatus};
use store::tables::notas::NotaRow;

// A note of ours, and what was done to it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NotaComEvento")]
pub struct NotaWithEvent<N, E> {
    #[serde(flatten)]
    nota: N,
    evento: E,
    evento_id: EventoId,
    #[serde(flatten)]
    custo: Cost,
}

/// The same, of a note of one model in whatever state.
pub type WithEvent<D, E> = NotaWithEvent<Registered<D>, E>;
/// The answer of a question about a service note.
pub type SeenNfse = NotaWithEvent<Seen<Registered<Nfse>, Found>, NfseQuery>;
/// The answer of a question about a product note.
pub type SeenProduct<D> = NotaWithEvent<Seen<Registered<D>, SeenBySefaz>, SefazQuery>;

// A note, and what the authority says of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Vista")]
pub struct Seen<N, A> {
    #[serde(flatten)]
    nota: N,
    #[serde(flatten)]
    achado: A,
}

// What a SEFAZ says of a note, beside the members that the note has itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Visto")]
pub struct SeenBySefaz {
    #[serde(flatten)]
    achado: Found,
    /// Os eventos da nota que a SEFAZ mostra.
    #[serde(skip_serializing_if = "Option::is_none")]
    eventos: Option<Vec<SefazEvent>>,
}

/// Um evento ou uma consulta de uma nota.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EventoPedido")]
pub struct RequestedEvent {
    tipo: EventKind,
    status: EventoStatus,
    protocolo: Option<String>,
}

impl From<&EventoRow> for RequestedEvent {
    fn from(evento: &EventoRow) -> RequestedEvent {
        RequestedEvent {
            tipo: evento.tipo,
            status: evento.status,
            protocolo: filled(&evento.protocolo),
        }
    }
}

/// O cancelamento de uma NFS-e.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CancelamentoDeNfse")]
pub struct NfseCancellation {
    #[serde(flatten)]
    evento: RequestedEvent,
    /// Quando a autoridade o registrou, se ela o informou.
    registrado_em: Option<String>,
}

/// A consulta de uma NFS-e.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConsultaDeNfse")]
pub struct NfseQuery {
    #[serde(flatten)]
    evento: RequestedEvent,
    #[serde(flatten)]
    achado: Found,
}

/// A consulta de um documento na SEFAZ.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConsultaNaSefaz")]
pub struct SefazQuery {
    #[serde(flatten)]
    evento: RequestedEvent,
    #[serde(flatten)]
    achado: FoundAtSefaz,
}

/// Um evento enviado à SEFAZ, ainda sem resultado.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EventoTransmitido")]
pub struct TransmittedEvent {
    #[serde(flatten)]
    evento: RequestedEvent,
    /// Código do tipo (tpEvento).
    codigo: String,
    sequencia: i64,
}

impl From<&EventoRow> for TransmittedEvent {
    fn from(evento: &EventoRow) -> TransmittedEvent {
        TransmittedEvent {
            evento: evento.into(),
            codigo: evento.codigo.clone(),
            sequencia: evento.sequencia,
        }
    }
}

/// Um evento registrado pela SEFAZ.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EventoRegistrado")]
pub struct RegisteredEvent {
    #[serde(flatten)]
    evento: TransmittedEvent,
    #[serde(flatten)]
    registro: SefazRecord,
    links: LinksDoEvento,
}

// What a SEFAZ says of what it registered.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RegistroNaSefaz")]
pub(super) struct SefazRecord {
    registrado_em: Option<String>,
    /// Código (cStat) da resposta.
    status_sefaz: Option<String>,
    /// Texto (xMotivo) da resposta.
    mensagem_sefaz: Option<String>,
}

impl SefazRecord {
    pub(super) fn of(evento: &EventoRow) -> DbResult<SefazRecord> {
        let said = EventResult::of(evento)?;
        Ok(SefazRecord {
            registrado_em: said.registrado_em,
            status_sefaz: said.status_sefaz,
            mensagem_sefaz: said.mensagem_sefaz,
        })
    }
}

/// Onde se baixa o evento.
#[derive(Debug, Serialize, JsonSchema)]
struct LinksDoEvento {
    xml: String,
    /// A carta de correção, impressa.
    #[serde(skip_serializing_if = "Option::is_none")]
    danfe: Option<String>,
}

impl LinksDoEvento {
    fn of(evento: &EventoRow) -> LinksDoEvento {
        let link = |what: &str| {
            let (nota, id) = (evento.nota_id.as_str(), &evento.id);
            format!("/api/v1/documentos/{nota}/{what}?formato=binario&evento={id}")
        };
        LinksDoEvento {
            xml: link("xml"),
            danfe: (evento.tipo == EventKind::Cce && is_of_product(evento)).then(|| link("danfe")),
        }
    }
}

/// Whether an event is of an NF-e, whose letters are printed.
fn is_of_product(evento: &EventoRow) -> bool {
    evento.chave.get(20..22) == Some("55")
}

/// The answer of an event or question about a note.
///
/// # Errors
/// What is stored cannot be read.
pub fn event(nota: &NotaRow, evento: &EventoRow, balance: i64) -> DbResult<Told> {
    match nota.modelo {
        Model::Nfse => of_service(nota, evento, balance),
        Model::Nfe => of_product::<Nfe>(nota, evento, balance),
        Model::Nfce => of_product::<Nfce>(nota, evento, balance),
        Model::Cte => of_product::<Cte>(nota, evento, balance),
        Model::Mdfe => of_product::<Mdfe>(nota, evento, balance),
    }
}

/// Whether the event is still in transmission: its outcome is not known yet.
pub(super) fn open(evento: &EventoRow) -> bool {
    evento.status == EventoStatus::InTransmission
}

fn of_service(nota: &NotaRow, evento: &EventoRow, balance: i64) -> DbResult<Told> {
    let record = registered::<Nfse>(nota)?;
    if open(evento) {
        return finished(record, RequestedEvent::from(evento), evento, balance);
    }
    if evento.tipo == EventKind::Query {
        let found: Found = read(&evento.resultado)?;
        let shown = NfseQuery {
            evento: evento.into(),
            achado: found.clone(),
        };
        let nota = Seen {
            nota: record,
            achado: found,
        };
        return finished(nota, shown, evento, balance);
    }
    let shown = NfseCancellation {
        evento: evento.into(),
        registrado_em: EventResult::of(evento)?.registrado_em,
    };
    finished(record, shown, evento, balance)
}

fn of_product<D: Product>(nota: &NotaRow, evento: &EventoRow, balance: i64) -> DbResult<Told> {
    let mut record = registered::<D>(nota)?;
    if evento.tipo == EventKind::Query {
        if open(evento) {
            return finished(record, RequestedEvent::from(evento), evento, balance);
        }
        let found: FoundAtSefaz = read(&evento.resultado)?;
        // The answer's words stand above those of the last one before.
        record.dados.says(&found);
        let nota = Seen {
            nota: record,
            achado: SeenBySefaz {
                achado: found.achado.clone(),
                eventos: found.eventos.clone(),
            },
        };
        let shown = SefazQuery {
            evento: evento.into(),
            achado: found,
        };
        return finished(nota, shown, evento, balance);
    }
    if open(evento) {
        return finished(record, TransmittedEvent::from(evento), evento, balance);
    }
    let shown = RegisteredEvent {
        evento: evento.into(),
        registro: SefazRecord::of(evento)?,
        links: LinksDoEvento::of(evento),
    };
    finished(record, shown, evento, balance)
}

/// The record of a SEFAZ's document, as an answer corrects it.
trait Product: Record {
    /// Code and text of the last answer about the document.
    fn last(&mut self) -> [&mut Option<String>; 2];

    fn says(&mut self, found: &FoundAtSefaz) {
        let [status, message] = self.last();
        if found.status_sefaz.is_some() {
            status.clone_from(&found.status_sefaz);
            message.clone_from(&found.mensagem_sefaz);
        }
    }
}

impl Product for Nfe {
    fn last(&mut self) -> [&mut Option<String>; 2] {
        [&mut self.status_sefaz, &mut self.mensagem_sefaz]
    }
}

impl Product for Nfce {
    fn last(&mut self) -> [&mut Option<String>; 2] {
        self.nota.last()
    }
}

impl Product for Cte {
    fn last(&mut self) -> [&mut Option<String>; 2] {
        [&mut self.status_sefaz, &mut self.mensagem_sefaz]
    }
}

impl Product for Mdfe {
    fn last(&mut self) -> [&mut Option<String>; 2] {
        [&mut self.status_sefaz, &mut self.mensagem_sefaz]
    }
}

fn finished<N: Serialize, E: Serialize>(
    nota: N,
    shown: E,
    evento: &EventoRow,
    balance: i64,
) -> DbResult<Told> {
    let body = NotaWithEvent {
        nota,
        evento: shown,
        evento_id: evento.id.clone(),
        custo: cost(evento, balance),
    };
    told(status(evento), Success::new(body, &evento.request_id))
}

pub(super) fn status(evento: &EventoRow) -> u16 {
    if open(evento) { 202 } else { 200 }
}

pub(super) fn cost(evento: &EventoRow, balance: i64) -> Cost {
    let reserved = if open(evento) { evento.preco } else { 0 };
    let registered = evento.status == EventoStatus::Registered;
    let charged = if registered { evento.preco } else { 0 };
    // Only an announcement comes with a document of its own.
    let numbered = evento.tipo == EventKind::Epec && (registered || open(evento));
    Cost::new(numbered, reserved, charged, balance)
}
