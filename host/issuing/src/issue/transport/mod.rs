//! A transport document before anything is written: the request becomes the
//! document that will be signed, all but its number, or a list of everything
//! to correct.

mod cte;
mod mdfe;

use super::body::{Body, Product, Provisional, Template};
use super::prepared::Prepared;
use super::product::{self, VER_PROC};
use super::sefaz::{Issuer, Judged};
use super::{Order, reference};
use crate::Issuing;
use crate::document::moment;
use crate::document::product::Details;
use crate::document::qr::Qr;
use crate::model::{Ambiente, Model, in_test, tp_amb};
use accounts::caller::Caller;
use base::errors::{Failure, Refusal};
use base::when;
use compose::emitter::Emitter;
use compose::frame;
use freight::cte::frame as cte_frame;
use freight::event::Described;
use markup::field::{Field, Fields};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use store::ids::EmitterId;
use store::tables::emitters::EmitterRow;
use time::OffsetDateTime;

/// Normal emission, and emission that is announced first.
const NORMAL: u8 = 1;
const EPEC: u8 = 4;
/// Characters of the reason of a contingency: what the event takes (`xJust` of the
/// CT-e itself takes one more).
const REASON: std::ops::RangeInclusive<usize> = 15..=255;
/// Number a document is judged under before it has one.
const PROVISIONAL: u32 = 1;

/// A transport document as the customer asked for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TransportOrder<P> {
    pub referencia: Option<String>,
    pub emitente_id: Option<EmitterId>,
    pub serie: Option<u16>,
    pub data_emissao: Option<String>,
    /// It is announced in contingency and issued later; None: it is issued at once.
    #[serde(default)]
    pub contingency: Option<Contingency>,
    pub conteudo: P,
}

/// Contingency as the customer declares it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contingency {
    /// RFC 3339; None: the moment of the emission.
    pub since: Option<String>,
    pub reason: String,
}

/// What the hub decides of a document, under a provisional number: the first
/// transaction puts the real one in.
pub struct Frame {
    ambiente: frame::Ambiente,
    serie: u16,
    issued_at: OffsetDateTime,
    entropy: [u8; 8],
    contingency: Option<cte_frame::Contingency>,
}

impl Frame {
    /// `tpEmis`.
    fn tp_emis(&self) -> u8 {
        if self.contingency.is_some() {
            EPEC
        } else {
            NORMAL
        }
    }
}

/// A document that was assembled and judged.
pub struct Built {
    /// Canonical, without signature, under the number 1.
    xml: String,
    /// Reais.
    value: Decimal,
    /// Document and name of who pays.
    payer: (String, String),
    details: Details,
    qr: Qr,
    /// Secret of the program's technician.
    csrt: Option<String>,
    /// The event that announces it, in contingency.
    announcement: Option<Described>,
}

/// What differs between the transport documents.
pub trait Transported {
    const MODEL: Model;

    /// Assembles and judges the document.
    ///
    /// # Errors
    /// Everything to correct, with places in the request.
    fn built(&self, emitter: &Emitter, frame: &Frame) -> Result<Built, Vec<Field>>;
}

/// Checks and completes an order; writes nothing.
///
/// # Errors
/// Everything to correct, in one refusal where it can be.
pub async fn prepare<P: Transported>(
    app: &Issuing,
    order: Order,
    request: TransportOrder<P>,
) -> Result<Prepared, Failure> {
    Ok(announced(app, order, request).await?.0)
}

/// As [`prepare`], with the event that announces the document where it is issued in
/// contingency.
///
/// # Errors
/// As [`prepare`].
pub async fn announced<P: Transported>(
    app: &Issuing,
    order: Order,
    request: TransportOrder<P>,
) -> Result<(Prepared, Option<Described>), Failure> {
    let mut conn = app.db.read().await?;
    let id = request.emitente_id.as_ref();
    let model = P::MODEL;
    let goes = |caller: &Caller, emitter: &EmitterRow| ambiente(model, caller, emitter);
    let issuer = Issuer::of(app, &mut conn, &order.caller, id, model, goes).await?;
    let mut fields = Fields::default();
    let given = request.data_emissao.as_deref();
    let issued_at = moment::emission(&mut fields, given, issuer.now());
    let client_key = request.referencia.clone().unwrap_or_default();
    reference(&mut fields, &client_key);
    let declared = request.contingency.as_ref();
    let contingency = declared.map(|declared| contingency(&mut fields, declared, issued_at));
    let frame = Frame {
        contingency,
        ambiente: tp_amb(issuer.ambiente),
        serie: product::serie(&issuer.perfil, request.serie, model),
        issued_at,
        entropy: base::random::random(),
    };
    let mut company = product::emitter::of(&issuer.emitter, &issuer.perfil);
    // The profile may name the municipality alone.
    let own = &mut company.endereco.uf;
    own.get_or_insert_with(|| issuer.uf.clone());
    let built = judged(&request.conteudo, &company, &frame, fields)?;
    let provisional = Provisional {
        uf: &issuer.uf,
        issued_at,
        model: codigo(model),
        serie: frame.serie,
        tp_emis: frame.tp_emis(),
        entropy: frame.entropy,
        qr: Some(built.qr),
        csrt: built.csrt.as_deref(),
    };
    let product = Product {
        template: Template::new(&issuer.emitter, built.xml, provisional)?,
        details: Details {
            data_emissao: when::format(issued_at),
            uf: issuer.uf.clone(),
            ..built.details
        },
        autorizador: issuer.autorizador().to_owned(),
        municipality: issuer.municipality.clone(),
        value: built.value,
        period: issued_at.date().to_string(),
        recipient: built.payer,
    };
    let judged = Judged {
        body: Body::Product(Box::new(product)),
        serie: frame.serie,
        issued_at,
        reference: client_key,
    };
    // A draft leaves nothing: it needs no certificate.
    let needs_certificate = !order.keep;
    let prepared = issuer
        .prepared(app, &mut conn, order, needs_certificate, judged)
        .await?;
    Ok((prepared, built.announcement))
}

/// Contingency as the document has it. It begins before the document is issued
/// (MOC CT-e 4.00, annex I, 588).
fn contingency(
    fields: &mut Fields,
    declared: &Contingency,
    issued_at: OffsetDateTime,
) -> cte_frame::Contingency {
    let given = declared.since.as_deref();
    let since = given.map_or(Some(issued_at), when::parse);
    let since = since.and_then(|since| since.replace_nanosecond(0).ok());
    let right = since.filter(|since| *since <= issued_at);
    if right.is_none() {
        fields.add_value(
            "iniciada_em",
            "data_invalida",
            given.unwrap_or_default(),
            "O início da contingência deve ser um momento até a emissão.",
            "Use RFC 3339 com fuso: 2026-10-05T10:15:00-03:00.",
        );
    }
    let reason = declared.reason.trim();
    let told = REASON.contains(&reason.chars().count());
    if !told {
        fields.add(
            "justificativa",
            "tamanho_invalido",
            "A justificativa deve ter de 15 a 255 caracteres.",
            "Diga por que a SEFAZ de origem não pode autorizar.",
        );
    }
    cte_frame::Contingency {
        // What is refused here is not refused by the layout again.
        reason: if told {
            reason.to_owned()
        } else {
            "-".repeat(15)
        },
        since: right.unwrap_or(issued_at).to_offset(issued_at.offset()),
    }
}

/// The document, or everything that is wrong with the request and its control
/// fields.
fn judged<P: Transported>(
    content: &P,
    issuer: &Emitter,
    frame: &Frame,
    mut fields: Fields,
) -> Result<Built, Failure> {
    let built = match content.built(issuer, frame) {
        Ok(built) => Some(built),
        Err(found) => {
            fields.0.extend(found);
            None
        }
    };
    fields.into_result().map_err(Refusal::fields)?;
    Ok(built.ok_or_else(|| anyhow::anyhow!("a document without problems was not built"))?)
}

/// Two digits of a transport document's model.
fn codigo(model: Model) -> u8 {
    if model == Model::Mdfe { 58 } else { 57 }
}

/// Where a transport document goes.
pub fn ambiente(model: Model, caller: &Caller, emitter: &EmitterRow) -> Ambiente {
    in_test(model, product::ambiente(caller, emitter))
}
