//! A CT-e in contingency takes its number and is announced (EPEC, event 110113) at the
//! contingency authority; later the same document is issued at the ordinary one
//! ([`crate::issue::contingency`]).
//!
//! Source: MOC CT-e 4.00, 6.1 and annex I, G184 to G192.

use super::{event, query};
use crate::Issuing;
use crate::document::layout::write_event;
use crate::document::product::id_lote;
use crate::issue::transport::{self, TransportOrder};
use crate::issue::{Answer, Order, Prepared, begin, credit};
use crate::model::Ambiente;
use crate::new_flow;
use crate::route;
use crate::run::work::{Begun, Started};
use accounts::ledger::{self, Movement};
use anyhow::Context as _;
use authority::way::Rumo;
use base::errors::{Code, Failure, Refusal};
use base::{faultpoint, when};
use fiscal::nfe::event::assemble;
use freight::cte::order::Pedido;
use freight::event::Described;
use markup::ids::chave::Chave;
use serde_json::{Value, json};
use store::ids::{EventoId, NotaId};
use store::tables::eventos::{self, EventKind, EventoRow, EventoStatus};
use store::tables::flows::FlowOperation;
use store::tables::idempotency::{self, Taken};
use store::tables::notas::{self, NotaRow, NotaStatus};
use store::tables::numbers::{self, Series};
use store::{Conn, DbResult, Present as _, TxError, contradiction};
use time::OffsetDateTime;

/// Sequence of an announcement: a key has one.
const SEQUENCE: u32 = 1;

/// Everything the first transaction needs.
struct Announcement {
    prepared: Prepared,
    /// Where the event goes.
    rumo: Rumo,
    event: Described,
    at: OffsetDateTime,
}

/// Takes a number and announces the document.
///
/// # Errors
/// Everything to correct, no credit, or the key stands for another request.
pub async fn announce(
    app: &Issuing,
    order: Order,
    request: TransportOrder<Pedido>,
) -> Result<Answer, Failure> {
    if let Some(answer) = query::repeated(app, order.idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let (prepared, event) = transport::announced(app, order, request).await?;
    let event = event.context("announcement of a document in contingency")?;
    let registry = app.registry.load();
    let uf = route::uf(&registry, prepared.municipality()).to_owned();
    let sefaz = route::contingency(&registry, &uf, prepared.model)?;
    let rumo = event::rumo_to(app, &prepared.emitter, &sefaz, prepared.ambiente).await?;
    app.breaker.check(
        &serde_json::from_str(&rumo.way)?,
        &prepared.emitter.cnpj,
        app.now_ms(),
    )?;
    let announcement = Announcement {
        at: when::local(app.now_ms(), &uf),
        prepared,
        rumo,
        event,
    };
    // What the event's layout refuses is told before a number is taken.
    announcement.judge()?;
    faultpoint::hit("reserve");
    let started = base::traces::spawn(start(app.clone(), announcement))
        .await
        .map_err(anyhow::Error::from)??;
    let answer = query::settled(app, &started.id, started.existing).await;
    faultpoint::hit("answer");
    answer
}

async fn start(app: Issuing, announcement: Announcement) -> Result<Started<EventoId>, Failure> {
    let begun = app.db.write(announcement, |announcement, conn| {
        Box::pin(written(conn, announcement))
    });
    Ok(begun.await?.run(&app))
}

impl Announcement {
    /// Judges the event under a number that is not taken.
    fn judge(&self) -> Result<(), Failure> {
        let p = &self.prepared;
        let mut draft = p.row(&NotaId::new(p.model, p.now_ms), NotaStatus::Draft)?;
        p.number(&mut draft, p.next_number)?;
        self.xml(&draft.chave).map(|_| ())
    }

    /// The event for a key, without signature.
    fn xml(&self, chave: &str) -> Result<String, Failure> {
        let chave =
            Chave::parse(chave).map_err(|error| anyhow::anyhow!("key of a CT-e: {error}"))?;
        let (kind, data) = &self.event;
        let p = &self.prepared;
        let production = p.ambiente == Ambiente::Production;
        let (at, data) = (self.at, data.clone());
        let evento = event::new(&p.emitter, kind, chave, SEQUENCE, production, at, data)?;
        let tree = assemble(&evento).map_err(Refusal::fields)?;
        write_event(kind, &tree)
    }

    /// What the adapter is given.
    fn content(&self, nota: &NotaRow) -> Value {
        let (kind, _) = &self.event;
        let agency = nota.chave.get(..2).and_then(|uf| uf.parse::<u8>().ok());
        json!({
            "tipo_evento": kind.codigo, "chave": nota.chave, "sequencia": SEQUENCE, "versao": kind.versao,
            "orgao": agency.unwrap_or(0), "id_lote": id_lote(self.prepared.now_ms),
        })
    }

    fn row(&self, id: &EventoId, nota: &NotaRow, xml: String) -> EventoRow {
        let p = &self.prepared;
        EventoRow {
            id: id.clone(),
            account_id: p.caller.account_id.clone(),
            nota_id: nota.id.clone().into(),
            tipo: EventKind::Epec,
            status: EventoStatus::InTransmission,
            conteudo: xml,
            context: self.rumo.context.clone(),
            preco: p.price,
            request_id: p.caller.request_id.clone(),
            created_at_ms: p.now_ms,
            updated_at_ms: p.now_ms,
            emitter_id: nota.emitter_id.clone(),
            ambiente: nota.ambiente.into(),
            chave: nota.chave.clone(),
            codigo: self.event.0.codigo.to_owned(),
            sequencia: i64::from(SEQUENCE),
            detalhes: json!({ "justificativa": self.event.1["justificativa"] }).to_string(),
            ..EventoRow::default()
        }
    }
}

/// Key, hold, number, document, event and flow, or none of them.
async fn written(
    conn: &mut Conn,
    announcement: &Announcement,
) -> Result<Begun<EventoId>, TxError<Refusal>> {
    let p = &announcement.prepared;
    let id = EventoId::new(p.now_ms);
    if let Some((scope, fingerprint)) = &p.idempotency {
        let taken = idempotency::take(conn, scope, fingerprint, &id, p.now_ms, p.window_ms).await?;
        if let Taken::Theirs(row) = taken {
            if row.fingerprint == *fingerprint {
                return Ok(Begun::Existing(row.subject_id.into()));
            }
            return Err(TxError::Abort(Refusal::new(
                Code::ChaveIdempotenciaReutilizada,
            )));
        }
    }
    if !p.reference.is_empty()
        && let Some(other) =
            notas::by_reference(conn, &p.emitter.id, p.ambiente, &p.reference).await?
    {
        return Err(TxError::Abort(
            Refusal::new(Code::JaAutorizada).nota(other.id),
        ));
    }
    begin::free_reference(conn, p).await?;
    // The number before the balance, as everybody takes them in this order.
    let nota = match numbered(conn, p).await? {
        Some(nota) => nota,
        None => return Err(lost(conn, p).await?),
    };
    let movement = Movement {
        account_id: &p.caller.account_id,
        subject_id: &id,
        operation: &p.operation,
        request_id: &p.caller.request_id,
        payer: &p.caller.payer,
        now_ms: p.now_ms,
    };
    let reserve = ledger::reserve(conn, &movement, p.price).await?;
    let hold_id = credit::held(reserve, p.price).map_err(|refusal| TxError::Abort(*refusal))?;
    let xml = announcement.xml(&nota.chave).map_err(refused)?;
    let evento = EventoRow {
        hold_id,
        ..announcement.row(&id, &nota, xml)
    };
    if !eventos::insert(conn, &evento).await? {
        return Err(contradiction("event of a new note", &nota.id).into());
    }
    let content = announcement.content(&nota).to_string();
    let base = announcement.rumo.flow(&nota.account_id, &id, &content);
    let flow =
        new_flow::insert_owned_flow(conn, base, FlowOperation::Evento, &p.lease, p.now_ms).await?;
    let flow = flow.present("first flow of an event", &id)?;
    faultpoint::hit("reserve, before commit");
    Ok(Begun::New(Box::new(flow)))
}

/// Another call was faster with the same reference.
async fn lost(conn: &mut Conn, p: &Prepared) -> DbResult<TxError<Refusal>> {
    let other = notas::announced(conn, &p.emitter.id, p.ambiente, &p.reference).await?;
    Ok(match other {
        Some(other) => begin::announced_already(&other.id),
        None => TxError::Db(contradiction("number of a new note", &p.serie)),
    })
}

/// The document under its number, kept; None where another one has its reference.
async fn numbered(conn: &mut Conn, p: &Prepared) -> DbResult<Option<NotaRow>> {
    let series = Series::new(&p.emitter.id, p.ambiente, p.model, &p.serie);
    let number = numbers::take(conn, &series, p.next_number).await?;
    let mut nota = p.row(&NotaId::new(p.model, p.now_ms), NotaStatus::Draft)?;
    // The announcement is paid by its event, the document when it is issued.
    nota.preco = 0;
    p.number(&mut nota, number)?;
    let inserted = notas::insert(conn, &nota).await?;
    Ok(inserted.then_some(nota))
}

/// What stops the first transaction; the event was judged before.
fn refused(failure: Failure) -> TxError<Refusal> {
    match failure {
        Failure::Refused(refusal) => TxError::Abort(*refusal),
        Failure::Internal(error) => TxError::Db(sqlx::Error::Encode(error.into())),
    }
}
