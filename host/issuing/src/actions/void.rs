//! Voiding numbers that no note has: a signed request, and numbers that are
//! never given out again.

use super::query;
use crate::Issuing;
use crate::actions::event::{self, Receiver};
use crate::actions::without_note::{self, Documento, WithoutNota};
use crate::answer::RequestedRange;
use crate::document::layout::write;
use crate::emitters::profile::Perfil;
use crate::issue::{self, Answer};
use crate::model::{Ambiente, Model};
use crate::route;
use accounts::caller::Caller;
use base::errors::{Code, Failure, Refusal};
use base::when;
use fiscal::nfe::event::{Voiding, place_of_void};
use markup::ids::Cnpj;
use serde_json::json;
use store::ids::{EmitterId, EventoId};
use store::tables::emitters::EmitterRow;
use store::tables::eventos::EventKind;
use store::tables::flows::FlowOperation;
use store::tables::idempotency::Scope;
use store::tables::notas;
use store::tables::numbers::{self, Series};
use store::{Conn, TxError};
use time::Date;

/// Layout of the request (MOC 7.0, annex of layouts).
const LAYOUT: &str = "inutNFe-4.00";

/// A range somebody wants voided.
pub struct NumberRange {
    pub caller: Caller,
    pub model: Model,
    pub emitter_id: Option<EmitterId>,
    /// Two digits; absent: this year.
    pub year: Option<u8>,
    pub serie: u16,
    pub first_number: u32,
    pub last_number: u32,
    pub justification: String,
    pub operation: String,
    pub price: i64,
    pub idempotency: Option<(Scope, String)>,
}

/// The numbers that are taken out of use.
struct Numbers {
    series: Series,
    first: i64,
    last: i64,
    /// Where a series begins that was not used yet.
    next: i64,
}

/// Voids a range.
///
/// # Errors
/// Everything to correct; 409 when a number is in use or void already; no
/// credit.
pub async fn inutilizar(app: &Issuing, range: NumberRange) -> Result<Answer, Failure> {
    if let Some(answer) = query::repeated(app, range.idempotency.as_ref()).await? {
        return Ok(answer);
    }
    let (request, numbers) = prepare(app, range).await?;
    without_note::registrar(app, request, numbers, |numbers, id, conn| {
        Box::pin(take(conn, numbers, id))
    })
    .await
}

async fn prepare(app: &Issuing, range: NumberRange) -> Result<(WithoutNota, Numbers), Failure> {
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    let emitter = issue::emitter(&mut conn, &range.caller, range.emitter_id.as_ref()).await?;
    drop(conn);
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let registry = app.registry.load();
    let uf = route::uf(&registry, perfil.municipality().unwrap_or_default()).to_owned();
    let Some(known) = data::ufs::by_uf(&uf) else {
        return Err(
            issue::incomplete("endereco.codigo_ibge", "Falta o município do emitente.").into(),
        );
    };
    let ambiente = issue::product::ambiente(&range.caller, &emitter);
    let today = when::local(now_ms, &uf).date();
    let request = voiding(&range, &emitter, ambiente, known.codigo, today)?;
    let tree = request.build().map_err(Refusal::fields)?;
    let xml = write(LAYOUT, &tree, place_of_void)?;
    let rumo = event::rumo(
        app,
        &emitter,
        &uf,
        range.model,
        Receiver::Autorizador,
        ambiente,
    )
    .await?;
    let shown = RequestedRange {
        modelo: range.model,
        ano: request.year,
        serie: range.serie,
        numero_inicial: range.first_number,
        numero_final: range.last_number,
        justificativa: range.justification,
    };
    let content = json!({
        "ano": request.year, "cnpj": emitter.cnpj, "uf": known.codigo, "modelo": range.model.as_str(),
        "serie": range.serie, "inicio": range.first_number, "fim": range.last_number,
    });
    let numbers = Numbers {
        series: Series::new(&emitter.id, ambiente, range.model, &range.serie.to_string()),
        first: i64::from(range.first_number),
        last: i64::from(range.last_number),
        next: perfil.start(range.model, &range.serie.to_string(), &emitter.id)?,
    };
    let request = WithoutNota {
        caller: range.caller,
        kind: EventKind::Voiding,
        flow_operation: FlowOperation::Inutilizar,
        content: content.to_string(),
        documento: Documento {
            xml,
            details: serde_json::to_string(&shown)?,
            ..Documento::default()
        },
        emitter_id: emitter.id,
        ambiente,
        rumo,
        operation: range.operation,
        price: range.price,
        idempotency: range.idempotency,
    };
    Ok((request, numbers))
}

/// The request for a range, or all that is wrong with it.
fn voiding(
    range: &NumberRange,
    emitter: &EmitterRow,
    ambiente: Ambiente,
    cuf: u8,
    today: Date,
) -> Result<Voiding, Failure> {
    let request = Voiding {
        production: ambiente == Ambiente::Production,
        cuf,
        year: range
            .year
            .unwrap_or_else(|| u8::try_from(today.year().rem_euclid(100)).unwrap_or(0)),
        cnpj: Cnpj::parse(&emitter.cnpj)
            .map_err(|error| anyhow::anyhow!("stored CNPJ: {error}"))?,
        model: if range.model == Model::Nfce { 65 } else { 55 },
        serie: range.serie,
        first_number: range.first_number,
        last_number: range.last_number,
        justification: range.justification.clone(),
    };
    let wrong = request.pre_validar(Some(today));
    if !wrong.is_empty() {
        return Err(Refusal::fields(wrong)
            .message("A inutilização tem pontos a corrigir.")
            .into());
    }
    Ok(request)
}

/// Takes the numbers out of use, or none of them.
async fn take(conn: &mut Conn, numbers: &Numbers, id: &EventoId) -> Result<(), TxError<Refusal>> {
    let (series, first, last) = (&numbers.series, numbers.first, numbers.last);
    let next = numbers::lock(conn, series, numbers.next).await?;
    if first > next {
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message(format!(
                    "A faixa começa depois do próximo número da série ({next}): os números entre eles ficariam sem dono."
                ))
                .hint("Confira a faixa; o próximo número da série padrão está em PUT /api/v1/emitters/{id}/fiscal-profile.")
                .with("proximo_numero", next),
        ));
    }
    numbers::advance(conn, series, last + 1).await?;
    for number in first..=last {
        if !numbers::void(conn, series, number, number >= next, id).await? {
            return Err(TxError::Abort(
                Refusal::new(Code::FaixaJaInutilizada).with("numero", number),
            ));
        }
    }
    // Last: whoever took one of these numbers has committed by now.
    let holding = notas::holding(conn, series, (first, last), 1).await?;
    if let Some(nota) = holding.into_iter().next() {
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message(format!(
                    "O número {} da série {} é de uma nota {}.",
                    nota.numero,
                    series.serie,
                    nota.status.in_words()
                ))
                .nota(nota.id),
        ));
    }
    Ok(())
}
