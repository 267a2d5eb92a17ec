//! Operation "inutilizar": a range of numbers that will never be used.
//!
//! There is no query for it. The authority knows a request by its range: a
//! second copy is told that the same range is voided already (563), so after
//! a lost answer the same bytes are the question.

use crate::Call;
use crate::answer::cstat::{Class, State};
use crate::answer::{self, Answer, text};
use crate::content::{self, Inutilizar};
use crate::ids;
use crate::request::{documento, tp_amb};
use crate::sending::Sent;
use crate::service::Service;
use sdk::{Conteudo, Documento, Failure, Flow, Outcome, Situacao, Success};

/// Waits before the same request leaves again, in units of the first interval.
const WAITS: [u64; 2] = [1, 4];

enum Reading {
    End(Outcome),
    /// Not looked at: final for the first copy only.
    NotLookedAt(Failure),
    Doubt(Failure),
}

pub async fn inutilizar(flow: &Flow, content: &Conteudo) -> Outcome {
    let range: Inutilizar = content::read(content, content::INUTILIZAR)?;
    let call = Call::fresh(flow, range.family()?)?;
    // CT-e 4.00 and MDF-e have no voiding: refused before anything is signed.
    Service::Voiding.names(call.family)?;
    // The signed document is the whole message.
    let request = call.build(Service::Voiding, &documento()?)?;
    let mut last = None;
    for copy in 0..=WAITS.len() {
        let sent = match call.send(request.clone()).await {
            Ok(sent) => sent,
            Err(failure) => match last {
                None => return Err(failure),
                Some(_) => Sent::Lost(failure),
            },
        };
        let reading = match sent {
            Sent::Lost(failure) => Reading::Doubt(failure),
            Sent::Answer(received) => match call.open(&received, Service::Voiding) {
                Ok(answer) => read(&answer, &range, tp_amb(flow.ctx())),
                Err(failure) if answer::not_looked_at(&failure) => Reading::NotLookedAt(failure),
                Err(failure) => Reading::Doubt(failure),
            },
        };
        last = Some(match reading {
            Reading::End(end) => return end,
            Reading::NotLookedAt(failure) if last.is_none() => return Err(failure),
            Reading::NotLookedAt(failure) | Reading::Doubt(failure) => failure,
        });
        let Some(times) = WAITS.get(copy) else {
            break;
        };
        let reason = "resultado da inutilizacao desconhecido: enviar o mesmo pedido";
        if !call.wait(*times, reason).await {
            break;
        }
    }
    let failure = last.unwrap_or_else(|| Failure::other("resultado desconhecido"));
    Err(failure.maybe_exists())
}

/// retInutNFe.
fn read(answer: &Answer, range: &Inutilizar, ambiente: &str) -> Reading {
    let root = answer.root();
    let doubt = |reason| Reading::Doubt(Failure::unexpected(reason, answer.text()));
    // A refused message may come without infInut.
    let inf = root.child("infInut").unwrap_or(root);
    let Some(state) = State::of(inf) else {
        return doubt("retInutNFe sem cStat");
    };
    if !matches!(state.cstat.as_str(), "102" | "563") {
        return match state.class(answer.family) {
            Class::Uncertain => Reading::Doubt(state.failure(answer)),
            Class::Unavailable(_) | Class::Credential => {
                Reading::NotLookedAt(state.failure(answer))
            }
            Class::Refusal => Reading::End(Err(state.failure(answer))),
        };
    }
    let agrees = |field: &str, expected: u32| {
        inf.text_at(field)
            .is_none_or(|said| said.parse() == Ok(expected))
    };
    let same = agrees("nNFIni", range.inicio)
        && agrees("nNFFin", range.fim)
        && agrees("serie", range.serie)
        && agrees("ano", range.ano)
        && agrees("cUF", range.uf)
        && inf.text_at("mod").is_none_or(|said| said == range.modelo)
        && ["CNPJ", "CPF"]
            .iter()
            .all(|field| inf.text_at(field).is_none_or(|said| said == range.cnpj));
    if !same {
        return doubt("inutilizacao de outra faixa");
    }
    if inf.text_at("tpAmb").is_some_and(|said| said != ambiente) {
        return doubt("inutilizacao de outro ambiente");
    }
    let protocol = inf
        .text_at("nProt")
        .filter(|protocol| ids::protocol(protocol));
    if state.cstat == "102" && protocol.is_none() {
        return doubt("inutilizacao sem protocolo");
    }
    let mut documento = Documento::new("retInutNFe", Situacao::Inutilizado);
    documento.xml = Some(answer.xml(root));
    documento.serie = Some(range.serie.to_string());
    documento.numero = Some(range.inicio.to_string());
    documento.protocolo = protocol.map(str::to_owned);
    documento.emitido_em = text(inf, "dhRecbto");
    documento.value("cStat", Some(&state.cstat));
    documento.value("xMotivo", Some(&state.reason));
    let protocol = documento.protocolo.clone();
    Reading::End(Ok(Success::new(Situacao::Inutilizado)
        .documento(documento)
        .protocol(protocol)
        .messages(vec![state.message()])))
}
