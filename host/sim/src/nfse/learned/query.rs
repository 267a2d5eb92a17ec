//! Questions about a batch or a note, and cancelling.

use std::collections::BTreeMap;

use cassette::Means;

use super::facts::{Fact, Facts};
use super::form::plain;
use super::issue::unrecorded;
use super::search::{self, Kind};
use super::work::Work;
use crate::clock::{self, DAY_MS};
use crate::engine::{Call, Outcome};
use crate::notes::{Nota, Record, Status};
use crate::request::Answer;

/// When the city decides about a requested cancellation, milliseconds; until then
/// its note looks valid.
const DECIDED_MS: &str = "cancelamento_decidido_ms";

/// What became of a batch.
pub(super) fn batch(call: &Call<'_>, work: &Work<'_>) -> Answer {
    let protocol = work.sample.fact(Fact::Protocol, work.live);
    let batch = protocol.and_then(|protocol| call.notes.batch(&protocol));
    let batch = batch.filter(|batch| {
        batch.sistema == work.city.name
            && batch.local == work.local
            && batch.prestador == work.provider
    });
    let Some(batch) = batch else {
        let facts = work.facts(call, None);
        return work.answer_or_refuse(call, &[Means::NotFound], facts, "Lote não encontrado.");
    };
    if batch.pronto_ms > call.now_ms {
        let facts = work.facts(call, None);
        let means = [Means::Waiting, Means::NotFound];
        return work.answer_or_refuse(call, &means, facts, "Lote em processamento.");
    }
    let nota = batch.notas.first().and_then(|id| call.notes.note(id));
    let (op, live) = (work.sample.op, work.live);
    if work.city.service_answers(op, Means::Ready, live) {
        let answer = work.answer(
            &[Means::Ready],
            work.facts(call, nota.as_ref()),
            nota.as_ref(),
        );
        return answer.unwrap_or_else(unrecorded);
    }
    match nota {
        Some(nota) => {
            let facts = work.facts(call, Some(&nota));
            let answer = work.answer(&[Means::Issued, Means::Found], facts, Some(&nota));
            answer.unwrap_or_else(unrecorded)
        }
        None => {
            let facts = work.facts(call, None);
            work.answer_or_refuse(call, &[Means::Duplicate], facts, "RPS já informado.")
        }
    }
}

/// The note that a request names: by its RPS, its number, its code or its key.
fn named(call: &Call<'_>, work: &Work<'_>) -> Option<Nota> {
    let said = |fact: Fact| work.sample.fact(fact, work.live);
    let own = |nota: &Nota| work.is_of_caller(nota);
    let marked = |kind: Kind, value: &str| search::marked(&call.notes, work, kind, value);
    let number = said(Fact::Number);
    let (code, key) = (said(Fact::Code), said(Fact::Key));
    if let Some(rps) = said(Fact::Rps) {
        let series = said(Fact::Series).unwrap_or_default();
        let same_rps = |nota: &Nota| {
            let data = |name: &str| nota.dados.get(name).map_or("", String::as_str);
            // Either request may leave the series out.
            let same = data("serie") == series || data("serie").is_empty() || series.is_empty();
            data("rps") == rps && same
        };
        let by_rps = marked(Kind::Rps, &rps)
            .into_iter()
            .find(|nota| own(nota) && same_rps(nota));
        if by_rps.is_some() || number.is_none() {
            return by_rps;
        }
    }
    // What fewest notes have first.
    let found = match (&key, &code, &number) {
        (Some(key), ..) => marked(Kind::Key, key),
        (None, Some(code), _) => marked(Kind::Code, code),
        (None, None, Some(number)) => marked(Kind::Number, number),
        (None, None, None) => return None,
    };
    let same = |wanted: &Option<String>, value: Option<&String>| {
        wanted
            .as_ref()
            .is_none_or(|wanted| value.map(|value| plain(value)).as_ref() == Some(wanted))
    };
    found.into_iter().find(|nota| {
        own(nota)
            && same(&number, Some(&nota.numero.to_string()))
            && same(&code, nota.codigo_verificacao.as_ref())
            && same(&key, nota.chave.as_ref())
    })
}

/// A question about a note.
pub(super) fn note(call: &Call<'_>, work: &Work<'_>) -> Answer {
    let nota = named(call, work).filter(|nota| nota.disponivel_ms <= call.now_ms);
    let Some(nota) = nota else {
        let facts = work.facts(call, None);
        return work.answer_or_refuse(call, &[Means::NotFound], facts, "Nota não encontrada.");
    };
    let decided_ms = nota.dados.get(DECIDED_MS).and_then(|ms| ms.parse().ok());
    let waits = decided_ms.is_some_and(|decided_ms: i64| decided_ms > call.now_ms);
    let means: &[Means] = if nota.situacao == Status::Normal || waits {
        &[Means::Found]
    } else {
        &[Means::FoundCancelled, Means::Found]
    };
    let answer = work.answer(means, work.facts(call, Some(&nota)), Some(&nota));
    answer.unwrap_or_else(unrecorded)
}

/// Cancels a note; with a queue the city decides about it later.
pub(super) fn cancel(call: &mut Call<'_>, work: &Work<'_>) -> Outcome {
    let nota = named(call, work).filter(|nota| nota.disponivel_ms <= call.now_ms);
    let Some(nota) = nota else {
        let facts = work.facts(call, None);
        let text = "Nota não encontrada.";
        return work
            .answer_or_refuse(call, &[Means::NotFound], facts, text)
            .into();
    };
    call.notes.attempt(format!("{}|cancelar", nota.id()));
    if nota.situacao != Status::Normal {
        return again(call, work, &nota).into();
    }
    let age_ms = call.now_ms.saturating_sub(nota.emitida_ms);
    if age_ms > call.cancel_days.saturating_mul(DAY_MS) {
        let text = "Prazo de cancelamento encerrado.";
        return work.refuse(call, None, text).into();
    }
    let moment = clock::date_time(call.now_ms);
    let mut data = BTreeMap::from([("cancelada_em".to_owned(), moment.clone())]);
    if let Some(queue_ms) = call.queue_ms {
        let decided_ms = call.now_ms.saturating_add(queue_ms);
        data.insert(DECIDED_MS.to_owned(), decided_ms.to_string());
    }
    let changed = call.record(Record::Situacao {
        id: nota.id(),
        situacao: Status::Cancelada,
        dados: data,
    });
    if let Err(answer) = changed {
        return answer.into();
    }
    let mut facts: Facts = work.facts(call, Some(&nota));
    facts.insert(Fact::Cancelled, moment);
    let answer = work.answer(&[Means::Cancelled], facts, Some(&nota));
    Outcome {
        answer: answer.unwrap_or_else(unrecorded),
        if_duplicate: Some(again(call, work, &nota)),
        tells_queue: call.queue_ms.is_some(),
    }
}

/// The answer to a cancellation of a note that is not valid any more.
fn again(call: &Call<'_>, work: &Work<'_>, nota: &Nota) -> Answer {
    let facts = work.facts(call, Some(nota));
    let answer = work.answer(&[Means::AlreadyCancelled], facts, Some(nota));
    answer.unwrap_or_else(|| work.refuse(call, None, "Nota já cancelada."))
}
