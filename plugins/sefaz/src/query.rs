//! Operation "consultar", and the question that settles doubts.

use crate::Call;
use crate::answer::cstat::State;
use crate::answer::event::{self, Evento};
use crate::answer::protocol::{self, Found};
use crate::answer::{Answer, text};
use crate::content::{self, Consultar};
use crate::family::Family;
use crate::ids;
use crate::request::{message, tp_amb};
use crate::service::Service;
use sdk::{Conteudo, Documento, Failure, Flow, Mensagem, Outcome, Situacao, Success};
use serde_json::{Value, json};

/// Schema of the answer.
const STATUS: &str = "sefaz.situacao/1";
/// Most events read from one answer: a note has at most 20 corrections and a
/// few dozen others.
const MAX_EVENTOS: usize = 200;
/// Most events given as documents; the host takes 64 documents, and one is
/// the protocol. The content lists all that are read.
const MAX_DOCUMENTOS: usize = 63;
/// Most earlier keys asked about when the authority names none.
const MAX_EARLIER: usize = 8;
/// Code by which adapters tell the hub that a number is not free.
const NUMBER_ALREADY_USED: &str = "numero_ja_usado";

/// A document the authority has.
pub struct Nota {
    family: &'static Family,
    status: Situacao,
    protocol: Option<Documento>,
    eventos: Vec<Evento>,
    notices: Vec<Mensagem>,
    content: Value,
}

/// What the authority says about a key.
pub enum Queried {
    Found(Box<Nota>),
    /// 217.
    Absent(Absent),
    /// The number belongs to a document with another key, which may be named.
    OtherChave(State),
    /// An explicit no to the question, or no answer at all.
    Unknown(Failure),
}

/// What the authority says of a key it does not have.
pub struct Absent {
    pub state: State,
    /// EPEC of CT-e may be there all the same (MOC CT-e 4.00, rule L04).
    pub eventos: Vec<Evento>,
}

/// "consultar": the state of a key, or of an earlier one of the same number.
pub async fn query(flow: &Flow, content: &Conteudo) -> Outcome {
    let request: Consultar = content::read(content, content::CONSULTAR)?;
    let call = Call::fresh(flow, request.family()?)?;
    match call.query(&request.chave).await {
        Queried::Found(nota) => Ok((*nota).success()),
        Queried::Absent(there) => Ok(absent(&request.chave, there)),
        Queried::OtherChave(state) => call
            .other_chave(&request.chave, &request.chaves_anteriores, &state)
            .await
            .map_err(left_open),
        Queried::Unknown(failure) => Err(failure),
    }
}

impl Call<'_> {
    /// consSitNFe, consSitCTe, consSitMDFe.
    pub async fn query(&self, chave: &str) -> Queried {
        let (family, ambiente) = (self.family, tp_amb(self.flow.ctx()));
        let request = message(family, family.query, family.version, |w| {
            w.leaf("tpAmb", ambiente);
            w.leaf("xServ", "CONSULTAR");
            w.leaf(family.chave, chave);
        });
        match self.ask(Service::Query, &request).await {
            Ok(answer) => read(&answer, chave, ambiente),
            Err(failure) => Queried::Unknown(failure),
        }
    }

    /// The number belongs to another key: adopted when it is one of ours,
    /// otherwise another system uses the series.
    ///
    /// # Errors
    /// Refused for that reason, or not known.
    pub async fn other_chave(&self, chave: &str, earlier: &[String], state: &State) -> Outcome {
        let cited = ids::cited_chave(self.family.chave, &state.reason);
        let ours: Vec<&String> = match &cited {
            Some(cited) => earlier.iter().filter(|own| *own == cited).collect(),
            None => earlier.iter().rev().take(MAX_EARLIER).collect(),
        };
        let mut right = cited.as_deref() != Some(chave);
        for own in ours {
            match self.query(own).await {
                Queried::Found(nota) => return Ok((*nota).success()),
                // Named, and not there: the authority contradicts itself.
                Queried::Absent(_) => right = right && cited.is_none(),
                Queried::OtherChave(_) => {}
                Queried::Unknown(_) => right = false,
            }
        }
        let refusal = number_used(
            state,
            "A SEFAZ já tem outro documento com esta série e este número: outro sistema usa a mesma série.",
        );
        Err(if right {
            refusal
        } else {
            refusal.maybe_exists()
        })
    }
}

/// The refusal of a number that is not free any more.
pub fn number_used(state: &State, text: &str) -> Failure {
    let messages = vec![state.message(), Mensagem::new(NUMBER_ALREADY_USED, text)];
    let mut failure = Failure::rejected(messages);
    failure.detail = text.to_owned();
    failure
}

/// Success `nao-encontrado`: only the authority's own 217 is one.
pub fn absent(chave: &str, there: Absent) -> Success {
    let mut success = Success::new(Situacao::NaoEncontrado);
    let content = status(&there.state, chave, None, &there.eventos);
    success.conteudo = Some(content_of(&content));
    let eventos = there.eventos.into_iter().take(MAX_DOCUMENTOS);
    eventos
        .map(|evento| evento.documento)
        .fold(success, Success::documento)
}

/// A refusal of the number is certain; a question that stays open says
/// nothing about the document.
fn left_open(failure: Failure) -> Failure {
    if failure.may_exist {
        return Failure::other("a SEFAZ aponta outra chave, que não se confirma");
    }
    failure
}

/// An answer to the question for a key.
fn read(answer: &Answer, chave: &str, ambiente: &str) -> Queried {
    let (root, family) = (answer.root(), answer.family);
    let codes = &family.codes;
    let doubt = |reason| Queried::Unknown(Failure::unexpected(reason, answer.text()));
    let Some(state) = State::of(root) else {
        return doubt("situacao sem cStat");
    };
    if root
        .text_at(family.chave)
        .is_some_and(|other| other != chave)
    {
        return doubt("situacao de outra chave");
    }
    let (foreseen, demands_protocol) = match state.cstat.as_str() {
        "100" | "150" => (Situacao::Autorizado, true),
        cstat if codes.closed == Some(cstat) => (Situacao::Autorizado, true),
        cstat if codes.cancelled.contains(&cstat) => (Situacao::Cancelado, false),
        "110" | "301" | "302" | "303" => (Situacao::Denegado, false),
        "217" => {
            let eventos = events(answer, chave);
            return Queried::Absent(Absent { state, eventos });
        }
        cstat if codes.other_chave.contains(&cstat) => return Queried::OtherChave(state),
        _ => return Queried::Unknown(state.failure(answer)),
    };
    let eventos = events(answer, chave);
    // Some authorizers answer 100 and show the cancellation as an event only.
    let cancelled = eventos
        .iter()
        .any(|read| family.cancels(&read.kind) && event::registered(family, &read.state));
    let final_status = if cancelled {
        Situacao::Cancelado
    } else {
        foreseen
    };
    let (protocol, notices) = match protocol::find(family, root, chave) {
        Found::Protocol(found) if !found.of_ambiente(ambiente) => {
            return doubt("protocolo de outro ambiente");
        }
        Found::Protocol(found) if found.status().is_some() => {
            if demands_protocol && found.number().is_none() {
                return doubt("autorizada sem protocolo");
            }
            let documento = found.documento(answer, chave, final_status);
            (Some(documento), found.notices())
        }
        _ if demands_protocol => return doubt("autorizada sem o protocolo"),
        _ => (None, Vec::new()),
    };
    let content = status(&state, chave, text(root, "dhRecbto"), &eventos);
    Queried::Found(Box::new(Nota {
        family,
        status: final_status,
        protocol,
        eventos,
        notices,
        content,
    }))
}

/// The events of a key among those of an answer.
fn events(answer: &Answer, chave: &str) -> Vec<Evento> {
    let joined = answer.root().children_named(answer.family.event_joined);
    joined
        .take(MAX_EVENTOS)
        .filter_map(|element| Evento::read(answer, element))
        .filter(|read| read.chave.as_deref() == Some(chave))
        .collect()
}

/// `sefaz.situacao/1`.
fn status(state: &State, chave: &str, received_at: Option<String>, eventos: &[Evento]) -> Value {
    json!({
        "cstat": state.cstat,
        "motivo": state.reason,
        "chave": chave,
        "recebido_em": received_at,
        "eventos": eventos.iter().map(Evento::summary).collect::<Vec<_>>(),
    })
}

fn content_of(status: &Value) -> Conteudo {
    Conteudo {
        schema: STATUS.into(),
        json: status.to_string(),
    }
}

impl Nota {
    pub fn success(self) -> Success {
        let content = content_of(&self.content);
        let protocol = self
            .protocol
            .as_ref()
            .and_then(|documento| documento.protocolo.clone());
        let mut success = Success::new(self.status)
            .protocol(protocol)
            .messages(self.notices);
        success.conteudo = Some(content);
        let (conclusive, others): (Vec<Evento>, Vec<Evento>) = self
            .eventos
            .into_iter()
            .partition(|read| self.family.cancels(&read.kind));
        let eventos = conclusive.into_iter().chain(others).take(MAX_DOCUMENTOS);
        let eventos = eventos.map(|evento| evento.documento);
        self.protocol
            .into_iter()
            .chain(eventos)
            .fold(success, Success::documento)
    }

    /// The registered event of this kind and number, if there is one.
    pub fn evento(self, chave: &str, kind: &str, sequence: u32) -> Option<Evento> {
        let family = self.family;
        self.eventos
            .into_iter()
            .find(|read| read.e(chave, kind, sequence) && event::registered(family, &read.state))
    }
}
