//! Emission: a note at once, or a batch that is answered later.

use std::collections::BTreeMap;

use cassette::Means;

use super::case::Op;
use super::facts::Fact;
use super::form::plain;
use super::search::{self, Kind};
use super::work::{LOGIN, Work, leaf_name};
use crate::engine::{Call, Outcome};
use crate::notes::{Batch, Nota, Record, Status, note_id};
use crate::request::Answer;

/// When an asynchronous batch is ready, milliseconds.
const QUEUE_MS: i64 = 800;
/// Most bytes of a request that a note keeps for later answers.
const MAX_KEPT: usize = 256 * 1024;
/// What a batch keeps of an RPS that was a note already.
pub(super) const DUPLICATE: &str = "duplicada";

pub(super) fn issue(call: &mut Call<'_>, work: &Work<'_>) -> Outcome {
    let natural = natural(call, work);
    let id = note_id(&work.city.name, &work.local, &work.provider, &natural);
    call.notes.attempt(id.clone());
    let op = work.sample.op;
    let direct = work.city.answers(op, Means::Issued);
    let queued = work.city.answers(op, Means::Queued) && (!direct || call.queue_ms.is_some());
    if let Some(known) = call.notes.note(&id) {
        let at_once = !queued || work.city.answers(op, Means::Duplicate);
        if at_once {
            return again(call, work, &known).into();
        }
        return batch(call, work, Vec::new());
    }
    let available_ms = if queued {
        call.batch_ready_ms(QUEUE_MS)
    } else {
        call.available_ms()
    };
    let nota = new(call, work, natural, available_ms);
    if let Err(answer) = call.record(Record::Nota(Box::new(nota.clone()))) {
        return answer.into();
    }
    search::of_note(&call.notes, &nota, call.notes.last());
    if op == Op::Replace
        && let Err(answer) = replace(call, work)
    {
        return answer.into();
    }
    if queued {
        return batch(call, work, vec![id]);
    }
    let facts = work.facts(call, Some(&nota));
    let answer = work.answer(&[Means::Issued], facts, Some(&nota));
    Outcome {
        answer: answer.unwrap_or_else(unrecorded),
        if_duplicate: Some(again(call, work, &nota)),
        tells_queue: false,
    }
}

/// An operation of which no case shows the answer.
pub(super) fn unrecorded() -> Answer {
    let text = "Nenhum caso gravado mostra a resposta desta operação.";
    Answer::new(501, "text/plain; charset=utf-8", text)
}

/// The RPS, by series and number; without one each request is a note.
fn natural(call: &Call<'_>, work: &Work<'_>) -> String {
    let said = |fact: Fact| work.sample.fact(fact, work.live);
    match said(Fact::Rps) {
        Some(number) => format!("{}/{number}/1", said(Fact::Series).unwrap_or_default()),
        None => {
            let next = call
                .notes
                .next_number(&work.city.name, &work.local, &work.provider);
            format!("nota/{next}")
        }
    }
}

fn new(call: &Call<'_>, work: &Work<'_>, natural: String, available_ms: i64) -> Nota {
    let number = call
        .notes
        .next_number(&work.city.name, &work.local, &work.provider);
    let what = format!(
        "{}|{}|{}|{natural}",
        work.city.name, work.local, work.provider
    );
    let said = |fact: Fact| work.sample.fact(fact, work.live).unwrap_or_default();
    let mut data = BTreeMap::from([
        ("serie".to_owned(), said(Fact::Series)),
        ("rps".to_owned(), said(Fact::Rps)),
        (LOGIN.to_owned(), work.login.clone()),
    ]);
    let mut kept = 0;
    for leaf in &work.live.leaves {
        kept += leaf.path.len() + leaf.value.len();
        if kept > MAX_KEPT {
            break;
        }
        data.insert(leaf_name(&leaf.path, leaf.nth), leaf.value.clone());
    }
    Nota {
        sistema: work.city.name.clone(),
        local: work.local.clone(),
        prestador: work.provider.clone(),
        numero: number,
        chave: work.look(call, Fact::Key, &what),
        codigo_verificacao: work.look(call, Fact::Code, &what),
        chave_natural: natural,
        situacao: Status::Normal,
        emitida_ms: call.now_ms,
        disponivel_ms: available_ms,
        partes: vec![work.provider.clone()],
        xml: String::new(),
        dados: data,
    }
}

/// The answer to an RPS that is a note already.
pub(super) fn again(call: &Call<'_>, work: &Work<'_>, known: &Nota) -> Answer {
    let facts = work.facts(call, Some(known));
    let answer = work.answer(&[Means::Duplicate], facts, Some(known));
    answer.unwrap_or_else(|| work.refuse(call, None, "RPS já informado."))
}

/// The note that the new one replaces, by its number.
fn replace(call: &mut Call<'_>, work: &Work<'_>) -> Result<(), Answer> {
    let old = work.sample.fact(Fact::Number, work.live);
    let found = old.and_then(|number| {
        let marked = search::marked(&call.notes, work, Kind::Number, &number);
        marked.into_iter().find(|nota| work.is_of_caller(nota))
    });
    let Some(id) = found.map(|nota| nota.id()) else {
        return Ok(());
    };
    call.record(Record::Situacao {
        id,
        situacao: Status::Substituida,
        dados: BTreeMap::new(),
    })
}

/// Takes a batch; its notes, none where the RPS was a note already.
fn batch(call: &mut Call<'_>, work: &Work<'_>, notas: Vec<String>) -> Outcome {
    let what = |turn: usize, call: &Call<'_>| {
        format!(
            "{}|{}|{}|{turn}",
            work.city.name,
            work.local,
            call.notes.batches()
        )
    };
    let drawn = (0..100).find_map(|turn| {
        let protocol = work.look(call, Fact::Protocol, &what(turn, call));
        let protocol = protocol
            .unwrap_or_else(|| format!("{:012}", call.draw(&what(turn, call), 1_000_000_000_000)));
        call.notes
            .batch(&plain(&protocol))
            .is_none()
            .then_some(protocol)
    });
    let Some(protocol) = drawn else {
        return Answer::new(500, "text/plain", "").into();
    };
    let duplicate = notas.is_empty();
    let marked = notas.first().map(|id| Record::Situacao {
        id: id.clone(),
        situacao: Status::Normal,
        dados: BTreeMap::from([("protocolo".to_owned(), protocol.clone())]),
    });
    if let Some(record) = marked
        && let Err(answer) = call.record(record)
    {
        return answer.into();
    }
    let nota = notas.first().and_then(|id| call.notes.note(id));
    let record = Record::Lote(Box::new(Batch {
        protocolo: plain(&protocol),
        sistema: work.city.name.clone(),
        local: work.local.clone(),
        prestador: work.provider.clone(),
        numero: String::new(),
        recebido_ms: call.now_ms,
        pronto_ms: call.batch_ready_ms(QUEUE_MS),
        notas,
        mensagens: if duplicate {
            vec![(DUPLICATE.to_owned(), String::new(), String::new())]
        } else {
            Vec::new()
        },
    }));
    if let Err(answer) = call.record(record) {
        return answer.into();
    }
    let mut facts = work.facts(call, None);
    facts.insert(Fact::Protocol, protocol);
    let answer = work.answer(&[Means::Queued], facts, None);
    Outcome {
        answer: answer.unwrap_or_else(unrecorded),
        if_duplicate: nota.map(|nota| again(call, work, &nota)),
        tells_queue: true,
    }
}
