//! A consumer note that waited too long takes another moment and another key.
//!
//! SEFAZ refuses an NFC-e whose `dhEmi` is more than five minutes old
//! (rejection 704; MOC, B09). One that was reserved and not sent, or that the
//! authority has never seen, is therefore dated anew before it leaves: same
//! series, same number, another `cNF`. Series and number make the authority
//! refuse the second of two copies (539), and the key it names then is one of
//! those kept here: that copy is the note.

use crate::Issuing;
use crate::document::product::{self, Details};
use crate::document::qr::Qr;
use crate::document::signed;
use crate::document::text::{Stretch, csrt_hash, hash_of, splice, with_csrt_hash, with_supplement};
use crate::emitters::profile::Perfil;
use crate::model::{Model, tp_amb};
use anyhow::Context as _;
use base::faultpoint;
use base::when;
use markup::ids::chave::{Chave, Parts, c_nf};
use std::convert::Infallible;
use store::tables::emitters::EmitterRow;
use store::tables::flows::{self, FlowRow};
use store::tables::notas::{self, NotaRow};
use store::tables::{artifacts, emitters};
use store::{Conn, DbResult, Present as _, TxError};
use time::OffsetDateTime;

/// Age of `dhEmi` at which a note is dated anew: the five minutes of
/// rejection 704 less what a slow connection may need.
const AGE_MS: i64 = 4 * 60_000;
/// Keys one note may have had (wit/schemas/sefaz.autorizar.json); after the
/// last the note leaves as it is, and the authority decides.
const MAX_CHAVES: usize = 100;

/// Dates a note anew if it is too old to be sent. The flow must be this
/// node's, and must not have sent anything yet.
///
/// # Errors
/// The note cannot be read or written; nothing was changed.
pub async fn if_late(app: &Issuing, flow: FlowRow) -> anyhow::Result<FlowRow> {
    let content: serde_json::Value = serde_json::from_str(&flow.conteudo)?;
    if content["modelo"] != Model::Nfce.as_str() {
        return Ok(flow);
    }
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    let Some(nota) = notas::by_id(&mut conn, &flow.subject_id.as_str().into()).await? else {
        return Ok(flow);
    };
    if !is_late(&nota, now_ms)? {
        return Ok(flow);
    }
    let emitter = emitters::get(&mut conn, &nota.account_id, &nota.emitter_id)
        .await?
        .present("emitter of a note", &nota.id)?;
    let renewed = renewed(app, &mut conn, &nota, &emitter, now_ms).await?;
    drop(conn);
    let Some(renewed) = renewed else {
        return Ok(flow);
    };
    let content = product::authorization_content(&renewed)?.to_string();
    let input = (flow, nota.chave, renewed, content, now_ms);
    let written = app
        .db
        .write(input, |(flow, old, renewed, content, now_ms), conn| {
            Box::pin(async move {
                // The note or the flow was changed meanwhile: that change
                // stays.
                let now = notas::lock(conn, &renewed.id).await?;
                let ours = now.is_some_and(|now| now.is_open() && now.chave == *old)
                    && flows::reword(conn, &flow.id, flow.fence, content, *now_ms).await?;
                if ours {
                    notas::save(conn, renewed).await?;
                }
                Ok::<_, TxError<Infallible>>(FlowRow {
                    conteudo: if ours { content } else { &flow.conteudo }.clone(),
                    ..flow.clone()
                })
            })
        });
    let flow = written.await?;
    faultpoint::hit("dated anew");
    Ok(flow)
}

fn is_late(nota: &NotaRow, now_ms: i64) -> DbResult<bool> {
    let details = Details::of(nota)?;
    Ok(nota.is_open()
        && details.chaves_anteriores.len() < MAX_CHAVES
        && when::parse(&details.data_emissao)
            .is_some_and(|emitted| now_ms - when::ms(emitted) > AGE_MS))
}

/// The note under a new key, dated now; None where it must keep its key.
async fn renewed(
    app: &Issuing,
    conn: &mut Conn,
    nota: &NotaRow,
    emitter: &EmitterRow,
    now_ms: i64,
) -> anyhow::Result<Option<NotaRow>> {
    let mut details = Details::of(nota)?;
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let technician = perfil.padroes.as_ref();
    let technician = technician.and_then(|own| own.responsavel_tecnico.as_ref());
    let csrt = technician.and_then(|technician| technician.csrt.as_deref());
    let ambiente = tp_amb(nota.ambiente);
    let qr = Qr::of(app, conn, emitter, &perfil, &details.uf, ambiente).await?;
    let now = when::local(now_ms, &details.uf);
    let (chave, xml) = redate(&nota.conteudo, &nota.chave, now, base::random::random())
        .context("text of a note that waits to be sent")?;
    let Some(xml) = with_hash(xml, &nota.chave, csrt.unwrap_or_default(), &chave) else {
        tracing::warn!(nota.id = %nota.id, "a late note keeps its moment: the secret of its hashCSRT was not kept");
        return Ok(None);
    };
    let supplement = qr
        .supplement(&chave)
        .map_err(|field| anyhow::anyhow!("QR code: {}", field.mensagem))?;
    let content = with_supplement(&xml, &supplement).context("end of a note")?;
    // A key that never left cannot come back from the authority.
    let sent = signed::kind(&nota.chave);
    if artifacts::get(conn, &nota.account_id, &nota.id, &sent)
        .await?
        .is_some()
    {
        details.chaves_anteriores.push(nota.chave.clone());
    }
    details.data_emissao = when::format(now);
    details.qr_code = supplement.qr_code;
    details.url_consulta = supplement.url_chave;
    Ok(Some(NotaRow {
        chave: chave.as_str().to_owned(),
        conteudo: content,
        competencia: now.date().to_string(),
        detalhes: details.to_json()?,
        updated_at_ms: now_ms,
        ..nota.clone()
    }))
}

/// The text with the hash of the technician's secret for a new key; None where the
/// hash is not of this secret: one that only the request had was not kept.
fn with_hash(xml: String, old: &str, csrt: &str, chave: &Chave) -> Option<String> {
    let Some(hash) = csrt_hash(&xml) else {
        return Some(xml);
    };
    let csrt = csrt.trim();
    if hash != hash_of(csrt, old) {
        return None;
    }
    with_csrt_hash(&xml, csrt, chave.as_str())
}

/// Key and text of a note under a new moment and `cNF`, which is made of
/// `entropy`; None for a text that is not one of ours.
pub fn redate(
    xml: &str,
    chave: &str,
    now: OffsetDateTime,
    entropy: [u8; 8],
) -> Option<(Chave, String)> {
    let old = Chave::parse(chave).ok()?.parts()?;
    let parts = Parts {
        year: u16::try_from(now.year()).ok()?,
        month: now.month().into(),
        c_nf: c_nf(entropy, old.number),
        ..old
    };
    let chave = parts.chave().ok()?;
    let stretch = |open, close, value| Stretch { open, close, value };
    let xml = splice(
        xml,
        &[
            stretch(" Id=\"", "\"", &chave.id()),
            stretch("<cNF>", "<", &format!("{:08}", parts.c_nf)),
            stretch("<dhEmi>", "<", &when::format(now)),
            stretch("<cDV>", "<", &chave.dv().to_string()),
        ],
    )?;
    Some((chave, xml))
}
