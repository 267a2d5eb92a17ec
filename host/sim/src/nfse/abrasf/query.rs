//! Look-ups: batch, situation of a batch, by RPS, lists.

use std::ops::ControlFlow;

use super::Work;
use super::answer::{Style, comp_nfse, messages_xml, tag, wrap};
use super::batch::stored_messages;
use super::codes::RefusalMessage;
use super::rps::natural_key;
use crate::clock;
use crate::engine::Call;
use crate::notes::{Batch, Heading, Nota, note_id};
use crate::request::Answer;

/// Notes in one page of a list.
const PAGE: usize = 50;
/// Situation of a batch: not processed yet, processed with errors, processed.
const WAITING: &str = "2";
const FAILED: &str = "3";
const DONE: &str = "4";

fn found(call: &Call<'_>, work: &Work<'_>) -> Option<Batch> {
    let protocol = work.message.root.text_at("Protocolo")?;
    call.notes.batch(protocol.trim()).filter(|l| {
        l.sistema == work.profile.id
            && l.local == work.local
            && Some(&l.prestador) == work.message.provider().as_ref()
    })
}

/// ConsultarLoteRps
pub(super) fn batch(call: &Call<'_>, work: &Work<'_>) -> Answer {
    let style = Style::of(work.profile, work.message.op);
    let first = work.profile.first_generation();
    let situation = |code: &str| {
        if first {
            String::new()
        } else {
            tag(style.m, "Situacao", code)
        }
    };
    let Some(batch) = found(call, work) else {
        // The second generation cannot leave the situation out: 1 is "not received".
        let inside =
            situation("1") + &messages_xml(&style, work.message.op, &[RefusalMessage::of("E86")]);
        return work.reply(&style.document(&inside));
    };
    let inside = if batch.pronto_ms > call.now_ms {
        // Only 2.04 allows the situation alone.
        let waiting = if work.profile.version == "2.04" {
            String::new()
        } else {
            messages_xml(&style, work.message.op, &[RefusalMessage::of("E92")])
        };
        situation(WAITING) + &waiting
    } else if batch.notas.is_empty() {
        situation(FAILED) + &stored_messages(&style, work.message.op, &batch)
    } else {
        let list: String = batch
            .notas
            .iter()
            .filter_map(|id| call.notes.note(id))
            .map(|n| comp_nfse(&style, &n))
            .collect();
        situation(DONE) + &wrap(style.m, "ListaNfse", &list)
    };
    work.reply(&style.document(&inside))
}

/// ConsultarSituacaoLoteRps (1.00)
pub(super) fn situation(call: &Call<'_>, work: &Work<'_>) -> Answer {
    let Some(batch) = found(call, work) else {
        return work.refuse(&[RefusalMessage::of("E86")]);
    };
    let style = Style::of(work.profile, work.message.op);
    let code = if batch.pronto_ms > call.now_ms {
        WAITING
    } else if batch.notas.is_empty() {
        FAILED
    } else {
        DONE
    };
    let inside = tag(style.m, "NumeroLote", batch.numero.trim()) + &tag(style.m, "Situacao", code);
    work.reply(&style.document(&inside))
}

/// ConsultarNfsePorRps
pub(super) fn by_rps(call: &Call<'_>, work: &Work<'_>) -> Answer {
    let root = &work.message.root;
    let part = |name: &str| {
        root.text_at(&format!("IdentificacaoRps/{name}"))
            .unwrap_or_default()
    };
    let natural = natural_key(&part("Numero"), &part("Serie"), &part("Tipo"));
    let id = note_id(
        work.profile.id,
        &work.local,
        &work.message.provider().unwrap_or_default(),
        &natural,
    );
    match call.notes.note(&id) {
        None => work.refuse(&[RefusalMessage::of(work.profile.codes.rps_not_found)]),
        Some(nota) if nota.disponivel_ms > call.now_ms => work.refuse(&[RefusalMessage::of("E92")]),
        Some(nota) => {
            let style = Style::of(work.profile, work.message.op);
            work.reply(&style.document(&comp_nfse(&style, &nota)))
        }
    }
}

/// ConsultarNfsePorFaixa, ConsultarNfseServicoPrestado, ConsultarNfse.
pub(super) fn list(call: &Call<'_>, work: &Work<'_>) -> Answer {
    let root = &work.message.root;
    let number = |path: &str| {
        root.text_at(path)
            .and_then(|t| t.trim().parse::<u64>().ok())
    };
    let provider = work.message.provider().unwrap_or_default();
    let day = |path: &str| {
        root.text_at(path)
            .map(|t| t.get(..10).unwrap_or_default().to_owned())
    };
    let low = number("Faixa/NumeroNfseInicial").or_else(|| number("NumeroNfse"));
    let high = number("Faixa/NumeroNfseFinal").or_else(|| number("NumeroNfse"));
    let (issued_from, issued_to) = (
        day("PeriodoEmissao/DataInicial"),
        day("PeriodoEmissao/DataFinal"),
    );
    let (competence_from, competence_to) = (
        day("PeriodoCompetencia/DataInicial"),
        day("PeriodoCompetencia/DataFinal"),
    );
    let within = |one: &Heading| {
        let issued = clock::date(one.issued_ms);
        let competence = &one.competence;
        issued_from.as_ref().is_none_or(|d| issued >= *d)
            && issued_to.as_ref().is_none_or(|d| issued <= *d)
            && competence_from.as_ref().is_none_or(|d| competence >= d)
            && competence_to.as_ref().is_none_or(|d| competence <= d)
    };
    let page = usize::try_from(number("Pagina").unwrap_or(1).max(1)).unwrap_or(1);
    let mut before = (page - 1).saturating_mul(PAGE);
    let mut matching = Vec::new();
    let issuer = (work.profile.id, work.local.as_str(), provider.as_str());
    let numbers = low.unwrap_or(0)..=high.unwrap_or(u64::MAX);
    call.notes.numbered(issuer, numbers, call.now_ms, |one| {
        match within(&one) {
            true if before > 0 => before -= 1,
            true => matching.push(one.seq),
            false => {}
        }
        // One more than the page shows: whether there is a next one.
        if matching.len() > PAGE {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let more = matching.len() > PAGE;
    matching.truncate(PAGE);
    let shown: Vec<Nota> = matching
        .into_iter()
        .filter_map(|seq| call.notes.note_at(seq))
        .collect();
    if shown.is_empty() {
        return work.refuse(&[RefusalMessage::of("E78")]);
    }
    let style = Style::of(work.profile, work.message.op);
    let mut inside: String = shown.iter().map(|n| comp_nfse(&style, n)).collect();
    if work.profile.id == "giss-2.04" {
        inside += &tag(style.m, "Pagina", &page.to_string());
    } else if !work.profile.first_generation() && more {
        inside += &tag(style.m, "ProximaPagina", &(page + 1).to_string());
    }
    work.reply(&style.document(&wrap(style.m, "ListaNfse", &inside)))
}
