//! Operation "consultar", and the question that settles doubts.

use crate::Call;
use crate::answer::cstat::State;
use crate::answer::event::{self, Evento};
use crate::answer::protocol::{self, Found};
use crate::answer::{Answer, text};
use crate::content::{self, Consultar};
use crate::ids;
use crate::request::{message, tp_amb};
use crate::service::Service;
use sdk::{Conteudo, Documento, Failure, Flow, Mensagem, Outcome, Situacao, Success};
use serde_json::{Value, json};

/// Schema of the answer.
const STATUS: &str = "sefaz.situacao/1";
/// Version of consSitNFe.
const VERSION: &str = "4.00";
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
    Absent(State),
    /// The number belongs to a document with another key, which may be named.
    OtherChave(State),
    /// An explicit no to the question, or no answer at all.
    Unknown(Failure),
}

/// "consultar": the state of a key, or of an earlier one of the same number.
pub async fn query(flow: &Flow, content: &Conteudo) -> Outcome {
    let request: Consultar = content::read(content, content::CONSULTAR)?;
    let call = Call::fresh(flow)?;
    match call.query(&request.chave).await {
        Queried::Found(nota) => Ok((*nota).success()),
        Queried::Absent(state) => Ok(absent(&request.chave, &state)),
        Queried::OtherChave(state) => call
            .other_chave(&request.chave, &request.chaves_anteriores, &state)
            .await
            .map_err(left_open),
        Queried::Unknown(failure) => Err(failure),
    }
}

impl Call<'_> {
    /// consSitNFe.
    pub async fn query(&self, chave: &str) -> Queried {
        let ambiente = tp_amb(self.flow.ctx());
        let request = message("consSitNFe", VERSION, |w| {
            w.leaf("tpAmb", ambiente);
            w.leaf("xServ", "CONSULTAR");
            w.leaf("chNFe", chave);
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
        let cited = ids::cited_chave(&state.reason);
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
pub fn absent(chave: &str, state: &State) -> Success {
    let mut success = Success::new(Situacao::NaoEncontrado);
    success.conteudo = Some(content_of(&status(state, chave, None, &[])));
    success
}

/// A refusal of the number is certain; a question that stays open says
/// nothing about the document.
fn left_open(failure: Failure) -> Failure {
    if failure.may_exist {
        return Failure::other("a SEFAZ aponta outra chave, que não se confirma");
    }
    failure
}

/// An answer to consSitNFe.
fn read(answer: &Answer, chave: &str, ambiente: &str) -> Queried {
    let root = answer.root();
    let doubt = |reason| Queried::Unknown(Failure::unexpected(reason, answer.text()));
    let Some(state) = State::of(root) else {
        return doubt("retConsSitNFe sem cStat");
    };
    if root.text_at("chNFe").is_some_and(|other| other != chave) {
        return doubt("situacao de outra chave");
    }
    let (foreseen, demands_protocol) = match state.cstat.as_str() {
        "100" | "150" => (Situacao::Autorizado, true),
        "101" | "151" | "155" => (Situacao::Cancelado, false),
        "110" | "301" | "302" | "303" => (Situacao::Denegado, false),
        "217" => return Queried::Absent(state),
        "539" | "561" | "562" | "613" => return Queried::OtherChave(state),
        _ => return Queried::Unknown(state.failure(answer)),
    };
    let eventos: Vec<Evento> = root
        .children_named("procEventoNFe")
        .take(MAX_EVENTOS)
        .filter_map(|element| Evento::read(answer, element))
        .filter(|read| read.chave.as_deref() == Some(chave))
        .collect();
    // Some authorizers answer 100 and show the cancellation as an event only.
    let cancelled = eventos
        .iter()
        .any(|read| event::cancels(&read.kind) && event::registered(&read.state));
    let final_status = if cancelled {
        Situacao::Cancelado
    } else {
        foreseen
    };
    let (protocol, notices) = match protocol::find(root, chave) {
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
        _ if demands_protocol => return doubt("autorizada sem protNFe"),
        _ => (None, Vec::new()),
    };
    let content = status(&state, chave, text(root, "dhRecbto"), &eventos);
    Queried::Found(Box::new(Nota {
        status: final_status,
        protocol,
        eventos,
        notices,
        content,
    }))
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
            .partition(|read| event::cancels(&read.kind));
        let eventos = conclusive.into_iter().chain(others).take(MAX_DOCUMENTOS);
        let eventos = eventos.map(|evento| evento.documento);
        self.protocol
            .into_iter()
            .chain(eventos)
            .fold(success, Success::documento)
    }

    /// The registered event of this kind and number, if there is one.
    pub fn evento(self, chave: &str, kind: &str, sequence: u32) -> Option<Evento> {
        self.eventos
            .into_iter()
            .find(|read| read.e(chave, kind, sequence) && event::registered(&read.state))
    }
}
