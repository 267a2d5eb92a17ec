//! What a company says of a note issued against it: events 210200, 210210,
//! 210220 and 210240, registered by the national environment.

use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use base::when;
use fiscal::nfe::event::{Context, Evento, Manifestation, assemble, manifestation, pre_validar};
use issuing::Issuing;
use issuing::actions::event::{new, rumo};
use issuing::actions::query;
use issuing::actions::without_note::{self, Documento, WithoutNota};
use issuing::document::layout::write_event;
use issuing::document::product;
use issuing::emitters::profile::Perfil;
use issuing::issue::Answer;
use issuing::model::{Ambiente, Model};
use issuing::route;
use issuing::settle::manifestation::manifested;
use markup::field::Field;
use markup::ids::chave::Chave;
use serde_json::json;
use store::tables::emitters;
use store::tables::emitters::EmitterRow;
use store::tables::eventos::{self, EventKind, EventoRow, EventoStatus};
use store::tables::flows::FlowOperation;
use store::tables::idempotency::Scope;
use store::tables::recebidas::{ReceivedNotaRow, ReceivedNotaStatus};
use store::{Conn, DbResult, Present as _, TxError};

/// Conclusive manifestations the authority takes for one note: the first and
/// one change (Ajuste SINIEF 7/2005, clause 15-B; second-hand).
const MAX_CONCLUSIVE: usize = 2;

/// A manifestation somebody wants registered.
pub struct ManifestOrder {
    pub caller: Caller,
    pub received: ReceivedNotaRow,
    pub kind: Manifestation,
    pub justification: Option<String>,
    /// Operation id, for the ledger.
    pub operation: String,
    pub price: i64,
    pub idempotency: Option<(Scope, String)>,
}

/// What the first transaction looks at.
struct Target {
    received: ReceivedNotaRow,
    kind: Manifestation,
}

/// Checks, signs, sends; the bool says that an earlier answer was repeated.
///
/// # Errors
/// What the note's state does not allow, everything to correct, no credit,
/// or what the authority refuses.
pub async fn manifestar(app: &Issuing, request: ManifestOrder) -> Result<Answer, Failure> {
    if let Some(answer) = query::repeated(app, request.idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let received = request.received;
    let mut conn = app.db.read().await?;
    let emitter = emitters::get(&mut conn, &received.account_id, &received.emitter_id)
        .await?
        .present("company of a received note", &received.id)?;
    let said = of(&mut conn, &received).await?;
    drop(conn);
    let kind = request.kind;
    let codigo = kind.codigo();
    let of_kind = said.iter().filter(|evento| evento.codigo == codigo);
    let last = of_kind.map(|evento| evento.sequencia).max().unwrap_or(0);
    let details = json!({
        "manifestacao": manifested(codigo), "justificativa": request.justification,
    });
    let evento = evento(
        app,
        &emitter,
        &received,
        kind,
        request.justification,
        last + 1,
    )?;
    let ambiente = received.ambiente;
    let chave = evento.chave;
    let rumo = rumo(
        app,
        &emitter,
        chave.uf_abbreviation(),
        Model::Nfe,
        evento.kind.receptor,
        ambiente,
    )
    .await?;
    let tree = assemble(&evento).map_err(corrigir)?;
    let content = json!({
        "tipo_evento": codigo, "chave": received.chave, "sequencia": evento.sequence, "versao": evento.kind.versao,
        "orgao": evento.agency().parse::<u8>().unwrap_or(0), "id_lote": product::id_lote(app.now_ms()),
    });
    let request = WithoutNota {
        caller: request.caller,
        kind: EventKind::Manifestation,
        flow_operation: FlowOperation::Evento,
        content: content.to_string(),
        documento: Documento {
            xml: write_event(evento.kind, &tree)?,
            chave: received.chave.clone(),
            codigo: codigo.to_owned(),
            sequence: i64::from(evento.sequence),
            details: details.to_string(),
        },
        emitter_id: emitter.id,
        ambiente,
        rumo,
        operation: request.operation,
        price: request.price,
        idempotency: request.idempotency,
    };
    let target = Target { received, kind };
    without_note::registrar(app, request, target, |target, _, conn| {
        Box::pin(async move {
            let said = of(conn, &target.received).await?;
            permitted(&target.received, target.kind, &said)
                .map_err(|refusal| TxError::Abort(*refusal))
        })
    })
    .await
}

/// What was said of a note, or is being said.
async fn of(conn: &mut Conn, received: &ReceivedNotaRow) -> DbResult<Vec<EventoRow>> {
    eventos::of_chave(
        conn,
        &received.emitter_id,
        received.ambiente,
        &received.chave,
        EventKind::Manifestation,
    )
    .await
}

/// The event as it will be signed.
fn evento(
    app: &Issuing,
    emitter: &EmitterRow,
    received: &ReceivedNotaRow,
    kind: Manifestation,
    justification: Option<String>,
    sequence: i64,
) -> Result<Evento, Failure> {
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let registry = app.registry.load();
    let uf = route::uf(&registry, perfil.municipality().unwrap_or_default());
    let now = when::local(app.now_ms(), uf);
    let chave = Chave::parse(&received.chave)
        .map_err(|error| anyhow::anyhow!("stored key of a received note: {error}"))?;
    let (kind, data) = manifestation(kind, justification.as_deref())
        .ok_or_else(|| anyhow::anyhow!("event of a manifestation"))?;
    let sequence = u32::try_from(sequence).unwrap_or(u32::MAX);
    let context = Context {
        chave: Some(&chave),
        sequence: Some(sequence),
        // The moment of authorization is not in a summary's row; that of
        // emission is earlier by minutes.
        authorized_at: when::parse(&received.emitida_em),
        now: Some(now),
        ..Context::default()
    };
    let wrong = pre_validar(kind, &data, &context);
    if !wrong.is_empty() {
        return Err(corrigir(wrong).into());
    }
    let production = received.ambiente == Ambiente::Production;
    Ok(new(emitter, kind, chave, sequence, production, now, data)?)
}

/// Everything to correct, by the names of this request.
fn corrigir(fields: Vec<Field>) -> Refusal {
    let rename = |mut field: Field| {
        field.campo = match field.campo.as_str() {
            "ref" => "chave".to_owned(),
            "tipo_evento" => "tipo".to_owned(),
            other => other.strip_prefix("dados.").unwrap_or(other).to_owned(),
        };
        field
    };
    Refusal::fields(fields.into_iter().map(rename).collect())
        .message("A manifestação tem pontos a corrigir.")
}

/// Refuses what the authority would certainly refuse (rejections 594, 650, 651
/// and 655 of the MOC's annex); the rest is for it to decide. `said` are the
/// manifestations of the note, from the first to the last.
///
/// # Errors
/// The state of the note, or what was said of it before, does not allow this
/// manifestation.
pub fn permitted(
    received: &ReceivedNotaRow,
    kind: Manifestation,
    said: &[EventoRow],
) -> Result<(), Box<Refusal>> {
    let no = |text: &str| Err(Box::new(Refusal::new(Code::EstadoInvalido).message(text)));
    let last = said
        .iter()
        .rev()
        .find(|evento| is_conclusive(&evento.codigo));
    let conclusive = said
        .iter()
        .filter(|evento| is_conclusive(&evento.codigo))
        .count();
    let acknowledgement = kind == Manifestation::Acknowledgement;
    if said
        .iter()
        .any(|evento| evento.status == EventoStatus::InTransmission)
    {
        return no("Outra manifestação desta nota ainda não teve resultado.");
    }
    if received.situacao == ReceivedNotaStatus::Cancelled
        && (acknowledgement || kind == Manifestation::Unawareness)
    {
        return no("A nota está cancelada: não aceita ciência nem desconhecimento.");
    }
    if acknowledgement && conclusive > 0 {
        return no("A nota já tem manifestação conclusiva: a ciência não cabe mais.");
    }
    if acknowledgement && !said.is_empty() {
        return no("A ciência desta nota já está registrada.");
    }
    if last.is_some_and(|last| last.codigo == kind.codigo()) {
        return no("Esta manifestação já está registrada.");
    }
    if conclusive >= MAX_CONCLUSIVE {
        return no("A manifestação conclusiva só pode ser alterada uma vez, e já foi.");
    }
    Ok(())
}

fn is_conclusive(codigo: &str) -> bool {
    matches!(codigo, "210200" | "210220" | "210240")
}
