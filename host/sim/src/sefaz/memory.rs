//! What the authorizers and the national environment remember besides notes
//! and events: voided numbers, receipts, security codes, and for each
//! interested party the queue of documents (NSU).

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::SYSTEM;
use crate::engine::{self, Memory, Witness};
use crate::notes::{self, Event, Nota, Notes};

/// Most entries kept for one interested party; the oldest cannot be asked for
/// after it (the real service keeps three months).
const MAX_NSU: usize = 100_000;
/// Most receipts kept; the oldest are forgotten, as the authorizers do after days.
const MAX_RECEIPTS: usize = 20_000;
/// Most security codes kept.
const MAX_CSC: usize = 10_000;
/// Most parties whose use of the distribution is watched.
const MAX_PARTIES: usize = 50_000;

/// A change that only NF-e and NFC-e have.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "r", rename_all = "snake_case")]
pub(crate) enum Record {
    /// Numbers were voided.
    Inutilizada(Voiding),
    /// A batch was received and waits for its result.
    Recibo(Receipt),
    /// A security code of a company's NFC-e became known.
    Csc {
        ambiente: String,
        cnpj: String,
        id: String,
        csc: String,
    },
    /// The next NSU of a party.
    Nsu {
        ambiente: String,
        documento: String,
        proximo: u64,
    },
}

/// Voided numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Voiding {
    /// `producao` or `homologacao`.
    pub local: String,
    /// Company.
    pub cnpj: String,
    /// Two digits.
    pub ano: String,
    /// `55` or `65`.
    pub modelo: String,
    /// Without leading zeros.
    pub serie: u16,
    /// First number.
    pub inicial: u64,
    /// Last number.
    pub final_: u64,
    /// Protocol.
    pub protocolo: String,
    /// When, epoch milliseconds.
    pub registrada_ms: i64,
    /// The request and its answer.
    pub xml: String,
}

/// A batch and its result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Receipt {
    pub numero: String,
    pub local: String,
    pub cnpj: String,
    pub pronto_ms: i64,
    /// The `protNFe` elements.
    pub protocolos: String,
}

/// What an NSU stands for; the document itself is made when it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Doc {
    NotaSummary(String),
    Nota(String),
    EventSummary(String, String, u32),
    Event(String, String, u32),
}

/// Queue of one party.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// NSU, moment from which it can be seen, document; in the order of NSU.
    pub docs: VecDeque<(u64, i64, Doc)>,
    last: u64,
}

impl Queue {
    pub fn max(&self, now_ms: i64) -> u64 {
        self.docs
            .iter()
            .rev()
            .find(|(_, from, _)| *from <= now_ms)
            .map_or(0, |(n, _, _)| *n)
    }
}

/// How a party used the distribution. Not in the journal: a restart forgives.
#[derive(Debug, Default, Clone)]
pub(super) struct Consumption {
    /// No answer but 656 before this moment.
    pub blocked_until_ms: i64,
    /// After "nothing found", `distNSU` waits for this moment.
    pub wait_until_ms: i64,
    /// Moments of `consNSU` and `consChNFe` within the last hour.
    pub single_ms: Vec<i64>,
}

/// One request being processed by this system.
pub(super) type Call<'a> = engine::Call<'a, NoteMemory>;

/// The memory of NF-e and NFC-e.
#[derive(Debug, Default)]
pub(crate) struct NoteMemory {
    voided: Vec<Voiding>,
    voided_of: HashMap<String, Vec<usize>>,
    receipts: HashMap<String, Receipt>,
    receipts_in_order: VecDeque<String>,
    receipts_given: u64,
    csc: HashMap<(String, String, String), String>,
    queues: BTreeMap<(String, String), Queue>,
    consumption: HashMap<(String, String), Consumption>,
    /// Protocols given so far.
    protocols: u64,
    pub notas: u64,
    pub events: u64,
    /// Documents handed out by the distribution.
    pub distributed: u64,
}

fn voided_key(local: &str, cnpj: &str, model: &str, serie: u16) -> String {
    format!("{local}|{cnpj}|{model}|{serie}")
}

/// In `Nota::dados` once the recipient opened the note by a manifestation.
pub(super) const MANIFESTED: &str = "manifestada";

/// The manifestations that give the recipient the whole note.
pub(super) const RELEASING: [&str; 3] = ["210200", "210210", "210240"];

impl Memory for NoteMemory {
    const SYSTEM: &'static str = SYSTEM;
    type Record = Record;

    fn apply(&mut self, record: Record) {
        match record {
            Record::Inutilizada(voided) => {
                self.protocols += 1;
                self.voided_of
                    .entry(voided_key(
                        &voided.local,
                        &voided.cnpj,
                        &voided.modelo,
                        voided.serie,
                    ))
                    .or_default()
                    .push(self.voided.len());
                self.voided.push(voided);
            }
            Record::Recibo(receipt) => {
                self.receipts_given += 1;
                self.receipts_in_order.push_back(receipt.numero.clone());
                self.receipts.insert(receipt.numero.clone(), receipt);
                if self.receipts.len() > MAX_RECEIPTS
                    && let Some(oldest) = self.receipts_in_order.pop_front()
                {
                    self.receipts.remove(&oldest);
                }
            }
            Record::Csc {
                ambiente,
                cnpj,
                id,
                csc,
            } => {
                if self.csc.len() < MAX_CSC {
                    self.csc.insert((ambiente, cnpj, id), csc);
                }
            }
            Record::Nsu {
                ambiente,
                documento: document,
                proximo: next,
            } => {
                let queue = self.queues.entry((ambiente, document)).or_default();
                queue.last = queue.last.max(next.saturating_sub(1));
            }
        }
    }
}

impl Witness for NoteMemory {
    fn see(&mut self, record: &notes::Record, notes: &Notes) {
        match record {
            notes::Record::Nota(nota) => self.note(nota),
            notes::Record::Evento(event) => {
                self.event(event, notes.note_by_key(&event.chave));
            }
            notes::Record::Situacao { .. } | notes::Record::Lote(_) => {}
        }
    }
}

impl NoteMemory {
    /// A note was recorded: its recipient gets the summary, the carrier and
    /// those it names (`autXML`) the note. Its issuer gets nothing.
    fn note(&mut self, nota: &Nota) {
        if nota.sistema != SYSTEM {
            return;
        }
        self.protocols += 1;
        self.notas += 1;
        let Some(chave) = nota.chave.clone() else {
            return;
        };
        // The distribution is the NF-e's: an NFC-e is not distributed.
        if nota.dados.get("modelo").map(String::as_str) != Some("55") {
            return;
        }
        let dest = nota.dados.get("dest").cloned().unwrap_or_default();
        if !dest.is_empty() && dest != nota.prestador {
            self.queue(
                &nota.local,
                &dest,
                nota.disponivel_ms,
                Doc::NotaSummary(chave.clone()),
            );
        }
        for party in nota
            .dados
            .get("interessados")
            .iter()
            .flat_map(|i| i.split(','))
        {
            if !party.is_empty() && party != nota.prestador && party != dest {
                self.queue(
                    &nota.local,
                    party,
                    nota.disponivel_ms,
                    Doc::Nota(chave.clone()),
                );
            }
        }
    }

    /// An event was recorded: the other side gets it, and a manifestation
    /// opens the note to the recipient.
    fn event(&mut self, event: &Event, nota: Option<&Nota>) {
        if event.sistema != SYSTEM {
            return;
        }
        self.protocols += 1;
        self.events += 1;
        let Some(nota) = nota else { return };
        if nota.dados.get("modelo").map(String::as_str) != Some("55") {
            return;
        }
        let (chave, kind, n) = (event.chave.clone(), event.tipo.clone(), event.sequencia);
        let whole = Doc::Event(chave.clone(), kind.clone(), n);
        let dest = nota.dados.get("dest").cloned().unwrap_or_default();
        let from = event.registrado_ms.max(nota.disponivel_ms);
        if kind.starts_with("21") {
            self.queue(&nota.local, &nota.prestador, from, whole);
            let already = nota.dados.contains_key(MANIFESTED);
            if RELEASING.contains(&kind.as_str()) && !already && !dest.is_empty() {
                self.queue(&nota.local, &dest, from, Doc::Nota(chave));
            }
            return;
        }
        let opened = nota.dados.contains_key(MANIFESTED);
        let cancels = matches!(kind.as_str(), "110111" | "110112");
        if !dest.is_empty() && dest != nota.prestador {
            let doc = if opened || cancels {
                whole.clone()
            } else {
                Doc::EventSummary(chave, kind, n)
            };
            self.queue(&nota.local, &dest, from, doc);
        }
        for party in nota
            .dados
            .get("interessados")
            .iter()
            .flat_map(|i| i.split(','))
        {
            if !party.is_empty() && party != nota.prestador && party != dest {
                self.queue(&nota.local, party, from, whole.clone());
            }
        }
    }

    fn queue(&mut self, local: &str, document: &str, from_ms: i64, doc: Doc) {
        let queue = self
            .queues
            .entry((local.to_owned(), document.to_owned()))
            .or_default();
        queue.last += 1;
        queue.docs.push_back((queue.last, from_ms, doc));
        if queue.docs.len() > MAX_NSU {
            queue.docs.pop_front();
        }
    }

    pub(super) fn queue_of(&self, local: &str, document: &str) -> Option<&Queue> {
        self.queues.get(&(local.to_owned(), document.to_owned()))
    }

    pub(super) fn consumption(&mut self, local: &str, document: &str) -> &mut Consumption {
        if self.consumption.len() >= MAX_PARTIES {
            self.consumption.clear();
        }
        self.consumption
            .entry((local.to_owned(), document.to_owned()))
            .or_default()
    }

    /// Forgets how a party used the distribution.
    pub fn forgive(&mut self, local: &str, document: &str) {
        self.consumption
            .remove(&(local.to_owned(), document.to_owned()));
    }

    pub(super) fn receipt(&self, number: &str) -> Option<&Receipt> {
        self.receipts.get(number)
    }

    pub fn receipts(&self) -> usize {
        self.receipts.len()
    }

    /// Security code under this id; `Err` when the company has none at all,
    /// `Ok(None)` when it has others.
    pub(super) fn csc(&self, local: &str, cnpj: &str, id: &str) -> Result<Option<&str>, ()> {
        let key = (local.to_owned(), cnpj.to_owned(), id.to_owned());
        match self.csc.get(&key) {
            Some(csc) => Ok(Some(csc)),
            None if self.csc.keys().any(|(l, c, _)| l == local && c == cnpj) => Ok(None),
            None => Err(()),
        }
    }

    /// Ranges voided in a series.
    pub(super) fn voided<'a>(
        &'a self,
        local: &str,
        cnpj: &str,
        model: &str,
        serie: u16,
    ) -> impl Iterator<Item = &'a Voiding> {
        self.voided_of
            .get(&voided_key(local, cnpj, model, serie))
            .into_iter()
            .flatten()
            .filter_map(|i| self.voided.get(*i))
    }

    pub fn voidings(&self) -> &[Voiding] {
        &self.voided
    }

    /// Protocols and receipts given so far.
    pub(super) fn given(&self) -> u64 {
        self.protocols + self.receipts_given
    }
}
