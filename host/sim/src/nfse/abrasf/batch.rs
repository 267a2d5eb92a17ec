//! Emission: one RPS, a synchronous batch, an asynchronous batch.

use super::Work;
use super::answer::{Style, comp_nfse, messages_xml, tag, wrap};
use super::codes::RefusalMessage;
use super::message::document;
use super::note;
use super::rps::Rps;
use crate::clock;
use crate::engine::{Call, Outcome};
use crate::notes::{Batch, Record, note_id};
use crate::request::Answer;
use crate::xml::Element;

/// Most RPS in a batch (the layouts of the vendors say 50).
const MAX_RPS: usize = 50;

/// GerarNfse: issued or refused at once.
pub(super) fn single(call: &mut Call<'_>, work: &Work<'_>) -> Outcome {
    let list: Vec<&Element> = work.message.root.child("Rps").into_iter().collect();
    match issue_all(call, work, &list, call.available_ms()) {
        Err(Stop::Refused(messages)) => work.refuse(&messages).into(),
        Err(Stop::Broken(answer)) => answer.into(),
        Ok(ids) => Outcome {
            answer: notes(call, work, &ids, ""),
            if_duplicate: Some(work.refuse(&[duplicate(&list)])),
            tells_queue: false,
        },
    }
}

/// EnviarLoteRpsSincrono.
pub(super) fn synchronous(call: &mut Call<'_>, work: &Work<'_>) -> Outcome {
    let list = match rps_list(&work.message.root) {
        Ok(list) => list,
        Err(messages) => return work.refuse(&messages).into(),
    };
    let available_ms = call.available_ms();
    match issue_all(call, work, &list, available_ms) {
        Err(Stop::Refused(messages)) => work.refuse(&messages).into(),
        Err(Stop::Broken(answer)) => answer.into(),
        Ok(ids) => {
            let queued = call.queue_ms.is_some();
            let receipt = match receive(call, work, available_ms, ids.clone(), Vec::new()) {
                Ok(receipt) => receipt,
                Err(answer) => return answer.into(),
            };
            // While it waits only the receipt comes back.
            let answer = if queued {
                work.reply(&Style::of(work.profile, work.message.op).document(&receipt))
            } else {
                notes(call, work, &ids, &receipt)
            };
            Outcome {
                answer,
                if_duplicate: Some(work.refuse(&[duplicate(&list)])),
                tells_queue: queued,
            }
        }
    }
}

/// EnviarLoteRps: taken now, answered later.
pub(super) fn asynchronous(call: &mut Call<'_>, work: &Work<'_>) -> Outcome {
    let list = match rps_list(&work.message.root) {
        Ok(list) => list,
        Err(messages) => return work.refuse(&messages).into(),
    };
    let ready_ms = call.batch_ready_ms(work.profile.queue_ms);
    let (ids, messages) = match issue_all(call, work, &list, ready_ms) {
        Ok(ids) => (ids, Vec::new()),
        Err(Stop::Refused(messages)) => (Vec::new(), messages),
        Err(Stop::Broken(answer)) => return answer.into(),
    };
    let again = duplicate(&list);
    match receive(call, work, ready_ms, ids, messages) {
        Ok(receipt) => Outcome {
            answer: work.reply(&Style::of(work.profile, work.message.op).document(&receipt)),
            if_duplicate: Some(work.refuse(&[again])),
            tells_queue: true,
        },
        Err(answer) => answer.into(),
    }
}

enum Stop {
    Refused(Vec<RefusalMessage>),
    Broken(Answer),
}

/// The RPS of a batch, when its own fields agree with them.
fn rps_list(root: &Element) -> Result<Vec<&Element>, Vec<RefusalMessage>> {
    let refused = |code: &str| Err(vec![RefusalMessage::of(code)]);
    let Some(batch) = root.child("LoteRps") else {
        return refused("E160");
    };
    let list: Vec<&Element> = batch
        .child("ListaRps")
        .map(|l| l.elements().collect())
        .unwrap_or_default();
    let declared = batch
        .text_at("QuantidadeRps")
        .and_then(|t| t.trim().parse::<usize>().ok());
    if declared != Some(list.len()) || list.len() > MAX_RPS {
        return refused("E69");
    }
    let provider = document(batch);
    if list
        .iter()
        .filter_map(|r| Rps::of(r))
        .any(|r| Some(r.provider()) != provider)
    {
        return refused("E159");
    }
    Ok(list)
}

/// All or none.
fn issue_all(
    call: &mut Call<'_>,
    work: &Work<'_>,
    list: &[&Element],
    available_ms: i64,
) -> Result<Vec<String>, Stop> {
    let mut messages = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let all: Vec<Rps<'_>> = list.iter().filter_map(|e| Rps::of(e)).collect();
    for rps in &all {
        messages.extend(rps.check(call.now_ms));
        let Some(natural) = rps.natural() else {
            continue;
        };
        let about = |code: &str| RefusalMessage {
            rps: rps.identification().map(Box::new),
            ..RefusalMessage::of(code)
        };
        if seen.contains(&natural) {
            messages.push(about("E71"));
        }
        let id = note_id(work.profile.id, &work.local, &rps.provider(), &natural);
        call.notes.attempt(id.clone());
        if call.notes.note(&id).is_some() {
            messages.push(about("E10"));
        }
        seen.push(natural);
    }
    if !messages.is_empty() || all.is_empty() {
        return Err(Stop::Refused(messages));
    }
    all.iter()
        .map(|rps| note::issue(call, work, rps, available_ms, None).map_err(Stop::Broken))
        .collect()
}

/// Records the batch; answers number, time and protocol.
fn receive(
    call: &mut Call<'_>,
    work: &Work<'_>,
    ready_ms: i64,
    notas: Vec<String>,
    messages: Vec<RefusalMessage>,
) -> Result<String, Answer> {
    let number = work
        .message
        .root
        .text_at("LoteRps/NumeroLote")
        .unwrap_or_default();
    let what = format!("protocolo|{}|{}|{number}", work.local, call.notes.batches());
    let protocol = format!("{:020}", call.draw(&what, u64::MAX));
    let m = Style::of(work.profile, work.message.op).m;
    let receipt = tag(m, "NumeroLote", number.trim())
        + &tag(m, "DataRecebimento", &clock::plain_date_time(call.now_ms))
        + &tag(m, "Protocolo", &protocol);
    call.record(Record::Lote(Box::new(Batch {
        protocolo: protocol,
        sistema: work.profile.id.to_owned(),
        local: work.local.clone(),
        prestador: work.message.provider().unwrap_or_default(),
        numero: number,
        recebido_ms: call.now_ms,
        pronto_ms: ready_ms,
        notas,
        mensagens: messages
            .into_iter()
            .map(|m| (m.code, m.text, m.correction))
            .collect(),
    })))?;
    Ok(receipt)
}

fn notes(call: &Call<'_>, work: &Work<'_>, ids: &[String], receipt: &str) -> Answer {
    let style = Style::of(work.profile, work.message.op);
    let list: String = ids
        .iter()
        .filter_map(|id| call.notes.note(id))
        .map(|n| comp_nfse(&style, &n))
        .collect();
    work.reply(&style.document(&(receipt.to_owned() + &wrap(style.m, "ListaNfse", &list))))
}

fn duplicate(list: &[&Element]) -> RefusalMessage {
    let rps = list
        .first()
        .and_then(|e| Rps::of(e))
        .and_then(|r| r.identification())
        .map(Box::new);
    RefusalMessage {
        rps,
        ..RefusalMessage::of("E10")
    }
}

/// Messages of a refused batch, for its look-up.
pub(super) fn stored_messages(style: &Style, op: super::Op, batch: &Batch) -> String {
    let messages: Vec<RefusalMessage> = batch
        .mensagens
        .iter()
        .map(|(code, text, correction)| RefusalMessage {
            code: code.clone(),
            text: text.clone(),
            correction: correction.clone(),
            rps: None,
        })
        .collect();
    messages_xml(style, op, &messages)
}
