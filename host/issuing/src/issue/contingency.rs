//! A CT-e that was announced in contingency (EPEC) and is issued now, under the number
//! and with the text it was announced with.
//!
//! Until then its row is a draft that has a number, an access key and the finished
//! text. Source: MOC CT-e 4.00, 6.1.

use super::Order;
use super::body::Body;
use super::prepared::Prepared;
use super::sefaz::{Issuer, Judged};
use crate::Issuing;
use crate::document::product::Details;
use crate::document::signed;
use crate::route;
use anyhow::Context as _;
use authority::customer::IssuingCustomer;
use base::errors::{Code, Failure, Refusal};
use store::tables::emitters;
use store::tables::notas::{NotaRow, NotaStatus};
use store::{Present as _, stored};

/// Whether a row is a CT-e that took its number to be announced and is not issued
/// yet.
pub fn is_announced(nota: &NotaRow) -> bool {
    nota.status == NotaStatus::Draft && !nota.chave.is_empty()
}

/// Everything the transaction needs that issues an announced document: its number
/// and its text stand.
///
/// # Errors
/// Its announcement is not registered, the emitter has no certificate, or the
/// adapter is not installed.
pub async fn prepare(app: &Issuing, order: Order, nota: NotaRow) -> Result<Prepared, Failure> {
    if Details::of(&nota)?.announcement().is_none() {
        return Err(Refusal::new(Code::EmTransmissao)
            .message("A emissão prévia (EPEC) deste CT-e ainda não tem resultado.")
            .nota(&nota.id)
            .into());
    }
    let mut conn = app.db.read().await?;
    let (model, ambiente) = (nota.modelo, nota.ambiente);
    let id = Some(&nota.emitter_id);
    let issuer = Issuer::of(app, &mut conn, &order.caller, id, model, |_, _| ambiente).await?;
    let judged = Judged {
        serie: serie(&nota)?,
        issued_at: issuer.now(),
        reference: nota.referencia.clone(),
        body: Body::Announced(Box::new(nota)),
    };
    issuer.prepared(app, &mut conn, order, true, judged).await
}

fn serie(nota: &NotaRow) -> anyhow::Result<u16> {
    nota.serie.parse().context("series of a CT-e")
}

/// The document as it would be sent now: signed with the certificate that the emitter
/// has. The same certificate gives the same bytes.
///
/// # Errors
/// The announcement is not registered, or the certificate cannot be used.
pub async fn document(app: &Issuing, nota: &NotaRow) -> Result<String, Failure> {
    if Details::of(nota)?.announcement().is_none() {
        return Err(Refusal::new(Code::EstadoInvalido)
            .message("O documento ainda não tem XML.")
            .hint("O XML existe depois do registro da emissão prévia (EPEC).")
            .nota(&nota.id)
            .into());
    }
    let mut conn = app.db.read().await?;
    let emitter = emitters::get(&mut conn, &nota.account_id, &nota.emitter_id).await?;
    let emitter = emitter.present("emitter of a note", &nota.id)?;
    drop(conn);
    let context: flow::contract::Context = stored(&nota.context, "context of a note", &nota.id)?;
    let registry = app.registry.load();
    let uf = context.uf.unwrap_or_default();
    let sefaz = route::sefaz(&registry, &uf, nota.modelo)?;
    let way = route::sefaz_way(app, &sefaz, &emitter, nota.ambiente)?;
    let customer = IssuingCustomer::open(app, &nota.account_id, &emitter.cnpj, &way).await?;
    let signed = signed::sign(&customer, &nota.chave, &nota.conteudo);
    signed.map_err(|error| {
        tracing::warn!(nota.id = %nota.id, ?error, "an announced document cannot be signed");
        Refusal::new(Code::EstadoInvalido)
            .message("O certificado do emitente não pode assinar o documento.")
            .hint("Confira o certificado do emitente e a validade dele.")
            .nota(&nota.id)
            .into()
    })
}
