//! Cancelling and replacing a note.

use super::Work;
use super::answer::{Style, comp_nfse, rewrite, tag, wrap};
use super::codes::RefusalMessage;
use super::note;
use super::rps::Rps;
use crate::clock::{self, DAY_MS};
use crate::engine::{Call, Outcome};
use crate::notes::{Nota, Record, Status, note_id};
use crate::request::Answer;
use crate::xml::Element;
use crate::xml::signature;

/// CancelarNfse
pub(super) fn cancel(call: &mut Call<'_>, work: &Work<'_>) -> Outcome {
    let root = &work.message.root;
    let alone = Some(root).filter(|root| root.child("NumeroNfse").is_some());
    let Some(request) = root.child("Pedido").or(alone) else {
        return work.refuse(&[RefusalMessage::of("E160")]).into();
    };
    let nota = match changeable(call, work, request) {
        Ok(nota) => nota,
        Err(message) => return work.refuse(&[message]).into(),
    };
    let Some(confirmed) = confirmation(call, work, request) else {
        return Answer::new(500, "text/plain", "").into();
    };
    let changed = call.record(Record::Situacao {
        id: nota.id(),
        situacao: Status::Cancelada,
        dados: [("cancelamento".to_owned(), confirmed.clone())].into(),
    });
    if let Err(answer) = changed {
        return answer.into();
    }
    let style = Style::of(work.profile, work.message.op);
    // RetCancelamento belongs to the message, what is in it to the types.
    let answer = work.reply(&style.document(&wrap(style.m, "RetCancelamento", &confirmed)));
    Outcome {
        answer,
        if_duplicate: Some(work.refuse(&[RefusalMessage::of("E79")])),
        tells_queue: false,
    }
}

/// SubstituirNfse: cancels one note and issues another in one step.
pub(super) fn replace(call: &mut Call<'_>, work: &Work<'_>) -> Outcome {
    let inside = work.message.root.child("SubstituicaoNfse");
    let parts = inside
        .and_then(|i| i.child("Pedido"))
        .zip(inside.and_then(|i| i.child("Rps")).and_then(Rps::of));
    let Some((request, rps)) = parts else {
        return work.refuse(&[RefusalMessage::of("E160")]).into();
    };
    let old = match changeable(call, work, request) {
        Ok(nota) => nota,
        Err(message) => return work.refuse(&[message]).into(),
    };
    let mut messages = rps.check(call.now_ms);
    if rps.provider() != old.prestador {
        messages.push(RefusalMessage::of("E159"));
    }
    if let Some(natural) = rps.natural() {
        let id = note_id(work.profile.id, &work.local, &rps.provider(), &natural);
        call.notes.attempt(id.clone());
        if call.notes.note(&id).is_some() {
            messages.push(RefusalMessage {
                rps: rps.identification().map(Box::new),
                ..RefusalMessage::of("E10")
            });
        }
    }
    if !messages.is_empty() {
        return work.refuse(&messages).into();
    }
    match replaced(call, work, &old, &rps) {
        Ok(answer) => Outcome {
            answer,
            if_duplicate: Some(work.refuse(&[RefusalMessage::of("E7")])),
            tells_queue: false,
        },
        Err(answer) => answer.into(),
    }
}

fn replaced(
    call: &mut Call<'_>,
    work: &Work<'_>,
    old: &Nota,
    rps: &Rps<'_>,
) -> Result<Answer, Answer> {
    let available_ms = call.available_ms();
    let new = note::issue(call, work, rps, available_ms, Some(old.numero))?;
    let style = Style::of(work.profile, work.message.op);
    let (m, t) = (style.m, style.t);
    let number = call.notes.note(&new).map(|n| n.numero).unwrap_or_default();
    let inside = wrap(
        t,
        "SubstituicaoNfse",
        &tag(t, "NfseSubstituidora", &number.to_string()),
    );
    let link = format!(
        "<{t}NfseSubstituicao versao=\"{}\">{inside}</{t}NfseSubstituicao>",
        work.profile.version
    );
    call.record(Record::Situacao {
        id: old.id(),
        situacao: Status::Substituida,
        dados: [("substituicao".to_owned(), link)].into(),
    })?;
    let shown = |id: &str| {
        call.notes
            .note(id)
            .map(|n| comp_nfse(&style, &n))
            .unwrap_or_default()
    };
    let both =
        wrap(m, "NfseSubstituida", &shown(&old.id())) + &wrap(m, "NfseSubstituidora", &shown(&new));
    Ok(work.reply(&style.document(&wrap(m, "RetSubstituicao", &both))))
}

/// The note that a request names, if it can still be changed.
fn changeable(
    call: &mut Call<'_>,
    work: &Work<'_>,
    request: &Element,
) -> Result<Nota, RefusalMessage> {
    let number = request
        .text_at("InfPedidoCancelamento/IdentificacaoNfse/Numero")
        .or_else(|| request.text_at("NumeroNfse"))
        .and_then(|t| t.trim().parse::<u64>().ok());
    let provider = work.message.provider();
    let nota = provider
        .zip(number)
        .and_then(|(provider, number)| {
            let issuer = (work.profile.id, work.local.as_str(), provider.as_str());
            call.notes.note_by_number(issuer, number, call.now_ms)
        })
        .ok_or_else(|| RefusalMessage::of("E78"))?;
    call.notes
        .attempt(format!("{}|{}", nota.id(), work.message.op.operation()));
    match nota.situacao {
        Status::Cancelada => Err(RefusalMessage::of("E79")),
        Status::Substituida => Err(RefusalMessage::of("E7")),
        Status::Normal
            if call.now_ms.saturating_sub(nota.emitida_ms)
                > call.cancel_days.saturating_mul(DAY_MS) =>
        {
            Err(RefusalMessage::of("E6"))
        }
        Status::Normal => Ok(nota),
    }
}

/// `NfseCancelamento` with the request and the time.
fn confirmation(call: &Call<'_>, work: &Work<'_>, request: &Element) -> Option<String> {
    let style = Style::of(work.profile, work.message.op);
    let t = style.t;
    let mut incoming = String::new();
    rewrite(request, t, &mut incoming);
    // At Giss the request belongs to the message, in the answer to the types.
    let when = clock::plain_date_time(call.now_ms);
    if work.profile.first_generation() {
        let (declarations, _, _) = work.profile.answer_style("NfseCancelamento");
        let unsigned = format!(
            "<NfseCancelamento{declarations} versao=\"1.00\"><Confirmacao Id=\"canc{}\">{incoming}{}</Confirmacao></NfseCancelamento>",
            call.now_ms,
            tag("", "DataHoraCancelamento", &when)
        );
        return signature::sign(&unsigned, "Confirmacao", call.pki.authority());
    }
    let confirmed = wrap(t, "Confirmacao", &(incoming + &tag(t, "DataHora", &when)));
    Some(format!(
        "<{t}NfseCancelamento versao=\"{}\">{confirmed}</{t}NfseCancelamento>",
        work.profile.version
    ))
}
