//! Events of product notes: cancellation, correction letter, payments linked
//! later, events of the tax reform. Each is a signed document of its own.

use super::query::{self, Action, Signable, act};
use crate::Issuing;
use crate::document::layout::{write, write_event};
use crate::document::product;
use crate::emitters::profile::Perfil;
use crate::issue::Answer;
use crate::model::{Ambiente, Model};
use crate::route::{self, Sefaz};
use accounts::caller::Caller;
use authority::way::Rumo;
use base::errors::{Code, Failure, Refusal};
use base::when;
use data::cancellation::{self, Late};
pub use fiscal::nfe::event::Receiver;
use fiscal::nfe::event::{
    Context, Evento, Kind, assemble, layout_name, place_in_request, pre_validar,
};
use markup::field::Field;
use markup::ids::CpfCnpj;
use markup::ids::chave::Chave;
use markup::tree::Node;
use serde_json::{Value, json};
use store::Present as _;
use store::tables::emitters::EmitterRow;
use store::tables::eventos::{self, EventKind};
use store::tables::flows::FlowOperation;
use store::tables::idempotency::Scope;
use store::tables::notas::{NotaRow, NotaStatus};
use time::{Duration, OffsetDateTime};

/// What the hub calls itself in `verAplic`.
pub const VER_APLIC: &str = concat!("hub ", env!("CARGO_PKG_VERSION"));

/// An event somebody wants registered.
pub struct Record {
    pub caller: Caller,
    pub nota: NotaRow,
    pub kind: &'static Kind,
    pub name: EventKind,
    /// Operation id, for the ledger.
    pub operation: String,
    pub data: Value,
    /// Absent: the next one.
    pub sequence: Option<u32>,
    /// How many registered events the note had when the caller decided
    /// ([`eventos::registered`]); None: they are counted here.
    pub seen: Option<i64>,
    /// What the customer gave, kept to be shown.
    pub details: Value,
    pub price: i64,
    pub idempotency: Option<(Scope, String)>,
}

/// Checks, signs, sends.
///
/// # Errors
/// The note's state does not allow it, everything to correct, or as [`act`].
pub async fn registrar(app: &Issuing, record: Record) -> Result<Answer, Failure> {
    if let Some(answer) = query::repeated(app, record.idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let Record { nota, kind, .. } = &record;
    let prepared = prepare(app, &record).await?;
    let xml = match record.name {
        // Only the events of the reform have their content in a member `dados`.
        EventKind::Reforma => write(&layout_name(kind), &prepared.tree, |official| {
            place_in_request(kind, official)
        })?,
        _ => write_event(kind, &prepared.tree)?,
    };
    let model = nota.modelo;
    let Prepared { emitter, uf, .. } = &prepared;
    let rumo = rumo(app, emitter, uf, model, kind.receptor, nota.ambiente).await?;
    let content = json!({
        "tipo_evento": kind.codigo, "chave": nota.chave, "sequencia": prepared.sequence, "versao": kind.versao,
        "orgao": prepared.agency.parse::<u8>().unwrap_or(0), "id_lote": product::id_lote(app.now_ms()),
    });
    let signable = Signable {
        xml,
        chave: nota.chave.clone(),
        codigo: kind.codigo.to_owned(),
        sequence: i64::from(prepared.sequence),
        details: record.details.to_string(),
        seen: prepared.seen,
    };
    let action = Action {
        caller: record.caller,
        kind: record.name,
        flow_operation: FlowOperation::Evento,
        operation: record.operation,
        content: content.to_string(),
        documento: Some(signable),
        rumo: Some(rumo),
        price: record.price,
        idempotency: record.idempotency,
        nota: record.nota,
    };
    act(app, action).await
}

/// What would refuse an event before it is sent; nothing is signed, sent or
/// stored, and no certificate is asked for.
///
/// # Errors
/// The database failed.
pub async fn pre_flight(app: &Issuing, record: &Record) -> Result<Verdict, Failure> {
    match prepare(app, record).await {
        Ok(prepared) => Ok(Verdict {
            sequence: Some(prepared.sequence),
            refusal: None,
        }),
        Err(Failure::Refused(refusal)) => Ok(Verdict {
            sequence: None,
            refusal: Some(refusal),
        }),
        Err(failure) => Err(failure),
    }
}

/// What is known of an event before it is sent.
pub struct Verdict {
    /// The one it would be sent with; none where it would be refused.
    pub sequence: Option<u32>,
    /// Why it would not be sent.
    pub refusal: Option<Box<Refusal>>,
}

/// An event that passed, ready to be written.
struct Prepared {
    emitter: EmitterRow,
    /// State of the note, two letters.
    uf: &'static str,
    sequence: u32,
    /// Registered events the note had.
    seen: i64,
    /// `cOrgao`.
    agency: String,
    tree: Node,
}

/// Judges an event by the note's state, the deadlines and its content, and
/// makes its document.
///
/// # Errors
/// The note's state does not allow it, or everything to correct.
async fn prepare(app: &Issuing, record: &Record) -> Result<Prepared, Failure> {
    let Record { nota, kind, .. } = record;
    permitted(record.name, nota, record.idempotency.is_some())?;
    not_closed(nota)?;
    let chave = Chave::parse(&nota.chave)
        .map_err(|error| anyhow::anyhow!("stored key of a note: {error}"))?;
    let mut conn = app.db.read().await?;
    let emitter = store::tables::emitters::get(&mut conn, &nota.account_id, &nota.emitter_id)
        .await?
        .present("emitter of a note", &nota.id)?;
    let seen = match record.seen {
        Some(seen) => seen,
        None => eventos::registered(&mut conn, &nota.id).await?,
    };
    let last = eventos::last_sequence(&mut conn, &nota.id, kind.codigo).await?;
    drop(conn);
    if record.name == EventKind::Closing && last > 0 {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message("O encerramento deste MDF-e já foi pedido.")
            .nota(&nota.id)
            .into());
    }
    let sequence = record
        .sequence
        .unwrap_or_else(|| u32::try_from(last + 1).unwrap_or(u32::MAX));

    let uf = chave.uf_abbreviation();
    let present = when::local(app.now_ms(), uf);
    let authorized_at = when::parse(&nota.autorizada_em);
    if record.name == EventKind::Cancelamento {
        in_time(nota.modelo, uf, authorized_at, present)?;
    }
    correct(record, &chave, sequence, authorized_at, present)?;
    let production = nota.ambiente == Ambiente::Production;
    let data = record.data.clone();
    // The authority's clock may be ahead of ours, and an event is not older
    // than its note (cStat 577, 578).
    let moment = authorized_at.map_or(present, |at| present.max(at.to_offset(present.offset())));
    let evento = new(&emitter, kind, chave, sequence, production, moment, data)?;
    let agency = evento.agency();
    let tree = assemble(&evento).map_err(Refusal::fields)?;
    Ok(Prepared {
        emitter,
        uf,
        sequence,
        seen,
        agency,
        tree,
    })
}

/// Refuses an event whose content has points to correct.
fn correct(
    record: &Record,
    chave: &Chave,
    sequence: u32,
    authorized_at: Option<OffsetDateTime>,
    present: OffsetDateTime,
) -> Result<(), Failure> {
    let context = Context {
        chave: Some(chave),
        sequence: Some(sequence),
        authorized_at: authorized_at.filter(|_| record.name != EventKind::Cancelamento),
        now: Some(present),
        ..Context::default()
    };
    let mut wrong = pre_validar(record.kind, &record.data, &context);
    if record.name != EventKind::Reforma {
        // Only the events of the reform have their content in a member `dados`.
        for field in &mut wrong {
            if let Some(own) = field.campo.strip_prefix("dados.") {
                field.campo = own.to_owned();
            }
        }
    }
    refuse_all(wrong)
}

/// An event the company registers.
///
/// # Errors
/// The stored CNPJ is none.
pub fn new(
    emitter: &EmitterRow,
    kind: &'static Kind,
    chave: Chave,
    sequence: u32,
    production: bool,
    at: OffsetDateTime,
    data: Value,
) -> anyhow::Result<Evento> {
    Ok(Evento {
        kind,
        chave,
        sequence: u8::try_from(sequence).unwrap_or(u8::MAX),
        author: CpfCnpj::parse(&emitter.cnpj)
            .map_err(|error| anyhow::anyhow!("stored CNPJ: {error}"))?,
        role: None,
        agency: None,
        author_agency: None,
        production,
        at,
        ver_aplic: VER_APLIC.to_owned(),
        data,
    })
}

/// Whether a note's state lets an event be.
///
/// # Errors
/// It does not.
pub fn permitted(name: EventKind, nota: &NotaRow, repeatable: bool) -> Result<(), Failure> {
    match nota.status {
        NotaStatus::Authorized => Ok(()),
        // With a key, the same call must get the same answer again.
        NotaStatus::Cancelled if name == EventKind::Cancelamento && repeatable => Ok(()),
        NotaStatus::Cancelled if name == EventKind::Cancelamento => {
            Err(Refusal::new(Code::JaCancelada).nota(&nota.id).into())
        }
        NotaStatus::InTransmission | NotaStatus::PendingCity => {
            Err(Refusal::new(Code::EmTransmissao).nota(&nota.id).into())
        }
        NotaStatus::Draft
        | NotaStatus::Validated
        | NotaStatus::Rejected
        | NotaStatus::Cancelled
        | NotaStatus::NotSent => Err(Refusal::new(Code::EstadoInvalido)
            .message(format!(
                "Uma nota {} não aceita este evento.",
                nota.status.in_words()
            ))
            .nota(&nota.id)
            .into()),
    }
}

/// A manifest whose transport is over takes no other event.
fn not_closed(nota: &NotaRow) -> Result<(), Failure> {
    let own = product::Details::of(nota)?.transporte.unwrap_or_default();
    if own.encerrado_em.is_empty() {
        return Ok(());
    }
    Err(Refusal::new(Code::EstadoInvalido)
        .message(format!(
            "O MDF-e foi encerrado em {}: não aceita outro evento.",
            own.encerrado_em
        ))
        .nota(&nota.id)
        .into())
}

/// Refuses a cancellation that comes too late for the state.
fn in_time(
    model: Model,
    uf: &str,
    authorized_at: Option<OffsetDateTime>,
    present: OffsetDateTime,
) -> Result<(), Failure> {
    let deadline = authorized_at.and_then(|at| Deadline::of(model, uf, at));
    match deadline {
        Some(Deadline {
            overdue: Some(ends),
            source,
            ..
        }) if ends < present => Err(Refusal::new(Code::ForaDaJanelaDeCancelamento)
            .message(format!(
                "O prazo de {uf} para cancelar terminou em {}.",
                when::format(ends)
            ))
            .with("fonte", source)
            .into()),
        _ => Ok(()),
    }
}

/// Until when a note can be cancelled.
pub struct Deadline {
    pub minutes: u32,
    pub expires_at: OffsetDateTime,
    /// Until when the state takes a late request: the same moment where it
    /// takes none, none where no source says until when.
    pub overdue: Option<OffsetDateTime>,
    pub source: &'static str,
}

impl Deadline {
    /// That of a note by its state and the moment of its authorization.
    pub fn of(model: Model, uf: &str, authorized_at: OffsetDateTime) -> Option<Deadline> {
        let codigo = if model == Model::Nfce { 65 } else { 55 };
        let janela = cancellation::get(uf, codigo, authorized_at.date())?;
        let after = |minutes: u32| authorized_at + Duration::minutes(i64::from(minutes));
        Some(Deadline {
            minutes: janela.minutes,
            expires_at: after(janela.minutes),
            overdue: match janela.late {
                Late::Nao => Some(after(janela.minutes)),
                Late::UpTo(limit_minutes) => Some(after(limit_minutes.max(janela.minutes))),
                Late::NoKnownLimit => None,
            },
            source: janela.source,
        })
    }
}

/// Where an event goes now: today's addresses and today's certificate, not
/// those of the day the note was issued.
///
/// # Errors
/// The registry knows no authorizer, the emitter has no valid certificate, or
/// the database failed.
pub async fn rumo(
    app: &Issuing,
    emitter: &EmitterRow,
    uf: &str,
    model: Model,
    receiver: Receiver,
    ambiente: Ambiente,
) -> Result<Rumo, Failure> {
    let registry = app.registry.load();
    let mut sefaz = route::sefaz(&registry, uf, model)?;
    if matches!(receiver, Receiver::Svrs)
        || matches!(receiver, Receiver::SvrsOuAutorizador) && model == Model::Nfe
    {
        sefaz = route::svrs(&registry, uf, model)?;
    }
    rumo_to(app, emitter, &sefaz, ambiente).await
}

/// As [`rumo`], to an authorizer that is known already.
///
/// # Errors
/// As [`rumo`].
pub async fn rumo_to(
    app: &Issuing,
    emitter: &EmitterRow,
    sefaz: &Sefaz,
    ambiente: Ambiente,
) -> Result<Rumo, Failure> {
    let registry = app.registry.load();
    let way = route::sefaz_way(app, sefaz, emitter, ambiente)?;
    let component = route::adapter(&registry, &app.catalog, &sefaz.adapter, &emitter.id)?;
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let mut conn = app.db.read().await?;
    crate::issue::certificate(&mut conn, emitter, &way, true, app.now_ms()).await?;
    let mut secrets =
        store::tables::secrets::names_of(&mut conn, &emitter.account_id, &emitter.id).await?;
    drop(conn);
    secrets.push(authority::customer::DOCUMENTO.to_owned());
    let mut context = route::sefaz_context(sefaz, &way, emitter, &perfil, secrets, ambiente);
    context.now = when::format(when::local(app.now_ms(), &sefaz.uf));
    context.entropy = base::random::entropy();
    Ok(Rumo {
        component: component.description.name.clone(),
        digest: component.digest.clone(),
        context: serde_json::to_string(&context)?,
        way: serde_json::to_string(&way)?,
    })
}

fn refuse_all(fields: Vec<Field>) -> Result<(), Failure> {
    if fields.is_empty() {
        return Ok(());
    }
    Err(Refusal::fields(fields)
        .message("O evento tem pontos a corrigir.")
        .into())
}
