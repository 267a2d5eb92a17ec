//! What the authorizers and the national environment remember besides notes
//! and events: voided numbers, receipts, security codes, and for each
//! interested party the queue of documents (NSU).

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::SISTEMA;
use crate::engine::{self, Memory, Witness};
use crate::notes::{self, Evento, Nota, Notes};

/// Most entries kept for one interested party; the oldest cannot be asked for
/// after it (the real service keeps three months).
const MAX_NSU: usize = 100_000;
/// Most receipts kept; the oldest are forgotten, as the authorizers do after days.
const MAX_RECIBOS: usize = 20_000;
/// Most security codes kept.
const MAX_CSC: usize = 10_000;
/// Most parties whose use of the distribution is watched.
const MAX_PARTIES: usize = 50_000;

/// A change that only NF-e and NFC-e have.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "r", rename_all = "snake_case")]
pub(crate) enum Registro {
    /// Numbers were voided.
    Inutilizada(Inutilizacao),
    /// A batch was received and waits for its result.
    Recibo(Recibo),
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
pub struct Inutilizacao {
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
pub(crate) struct Recibo {
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
    ResumoNota(String),
    Nota(String),
    ResumoEvento(String, String, u32),
    Evento(String, String, u32),
}

/// Queue of one party.
#[derive(Debug, Default)]
pub(super) struct Fila {
    /// NSU, moment from which it can be seen, document; in the order of NSU.
    pub docs: VecDeque<(u64, i64, Doc)>,
    last: u64,
}

impl Fila {
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
pub(super) struct Consumo {
    /// No answer but 656 before this moment.
    pub bloqueado_ate_ms: i64,
    /// After "nothing found", `distNSU` waits for this moment.
    pub espera_ate_ms: i64,
    /// Moments of `consNSU` and `consChNFe` within the last hour.
    pub pontuais_ms: Vec<i64>,
}

/// One request being processed by this system.
pub(super) type Call<'a> = engine::Call<'a, Memoria>;

/// The memory of NF-e and NFC-e.
#[derive(Debug, Default)]
pub(crate) struct Memoria {
    inutilizadas: Vec<Inutilizacao>,
    voided_of: HashMap<String, Vec<usize>>,
    recibos: HashMap<String, Recibo>,
    receipts_in_order: VecDeque<String>,
    receipts_given: u64,
    csc: HashMap<(String, String, String), String>,
    filas: BTreeMap<(String, String), Fila>,
    consumo: HashMap<(String, String), Consumo>,
    /// Protocols given so far.
    protocolos: u64,
    pub notas: u64,
    pub eventos: u64,
    /// Documents handed out by the distribution.
    pub distribuidos: u64,
}

fn voided_key(local: &str, cnpj: &str, modelo: &str, serie: u16) -> String {
    format!("{local}|{cnpj}|{modelo}|{serie}")
}

/// In `Nota::dados` once the recipient opened the note by a manifestation.
pub(super) const MANIFESTADA: &str = "manifestada";

/// The manifestations that give the recipient the whole note.
pub(super) const LIBERAM: [&str; 3] = ["210200", "210210", "210240"];

impl Memory for Memoria {
    const SISTEMA: &'static str = SISTEMA;
    type Registro = Registro;

    fn apply(&mut self, registro: Registro) {
        match registro {
            Registro::Inutilizada(voided) => {
                self.protocolos += 1;
                self.voided_of
                    .entry(voided_key(
                        &voided.local,
                        &voided.cnpj,
                        &voided.modelo,
                        voided.serie,
                    ))
                    .or_default()
                    .push(self.inutilizadas.len());
                self.inutilizadas.push(voided);
            }
            Registro::Recibo(recibo) => {
                self.receipts_given += 1;
                self.receipts_in_order.push_back(recibo.numero.clone());
                self.recibos.insert(recibo.numero.clone(), recibo);
                if self.recibos.len() > MAX_RECIBOS
                    && let Some(oldest) = self.receipts_in_order.pop_front()
                {
                    self.recibos.remove(&oldest);
                }
            }
            Registro::Csc {
                ambiente,
                cnpj,
                id,
                csc,
            } => {
                if self.csc.len() < MAX_CSC {
                    self.csc.insert((ambiente, cnpj, id), csc);
                }
            }
            Registro::Nsu {
                ambiente,
                documento,
                proximo,
            } => {
                let fila = self.filas.entry((ambiente, documento)).or_default();
                fila.last = fila.last.max(proximo.saturating_sub(1));
            }
        }
    }
}

impl Witness for Memoria {
    fn see(&mut self, registro: &notes::Registro, notes: &Notes) {
        match registro {
            notes::Registro::Nota(nota) => self.note(nota),
            notes::Registro::Evento(evento) => {
                self.event(evento, notes.note_by_key(&evento.chave));
            }
            notes::Registro::Situacao { .. } | notes::Registro::Lote(_) => {}
        }
    }
}

impl Memoria {
    /// A note was recorded: its recipient gets the summary, the carrier and
    /// those it names (`autXML`) the note. Its issuer gets nothing.
    fn note(&mut self, nota: &Nota) {
        if nota.sistema != SISTEMA {
            return;
        }
        self.protocolos += 1;
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
                Doc::ResumoNota(chave.clone()),
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
    fn event(&mut self, evento: &Evento, nota: Option<&Nota>) {
        if evento.sistema != SISTEMA {
            return;
        }
        self.protocolos += 1;
        self.eventos += 1;
        let Some(nota) = nota else { return };
        if nota.dados.get("modelo").map(String::as_str) != Some("55") {
            return;
        }
        let (chave, tipo, n) = (evento.chave.clone(), evento.tipo.clone(), evento.sequencia);
        let whole = Doc::Evento(chave.clone(), tipo.clone(), n);
        let dest = nota.dados.get("dest").cloned().unwrap_or_default();
        let from = evento.registrado_ms.max(nota.disponivel_ms);
        if tipo.starts_with("21") {
            self.queue(&nota.local, &nota.prestador, from, whole);
            let already = nota.dados.contains_key(MANIFESTADA);
            if LIBERAM.contains(&tipo.as_str()) && !already && !dest.is_empty() {
                self.queue(&nota.local, &dest, from, Doc::Nota(chave));
            }
            return;
        }
        let opened = nota.dados.contains_key(MANIFESTADA);
        let cancels = matches!(tipo.as_str(), "110111" | "110112");
        if !dest.is_empty() && dest != nota.prestador {
            let doc = if opened || cancels {
                whole.clone()
            } else {
                Doc::ResumoEvento(chave, tipo, n)
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

    fn queue(&mut self, local: &str, documento: &str, from_ms: i64, doc: Doc) {
        let fila = self
            .filas
            .entry((local.to_owned(), documento.to_owned()))
            .or_default();
        fila.last += 1;
        fila.docs.push_back((fila.last, from_ms, doc));
        if fila.docs.len() > MAX_NSU {
            fila.docs.pop_front();
        }
    }

    pub(super) fn fila(&self, local: &str, documento: &str) -> Option<&Fila> {
        self.filas.get(&(local.to_owned(), documento.to_owned()))
    }

    pub(super) fn consumo(&mut self, local: &str, documento: &str) -> &mut Consumo {
        if self.consumo.len() >= MAX_PARTIES {
            self.consumo.clear();
        }
        self.consumo
            .entry((local.to_owned(), documento.to_owned()))
            .or_default()
    }

    /// Forgets how a party used the distribution.
    pub fn forgive(&mut self, local: &str, documento: &str) {
        self.consumo
            .remove(&(local.to_owned(), documento.to_owned()));
    }

    pub(super) fn recibo(&self, numero: &str) -> Option<&Recibo> {
        self.recibos.get(numero)
    }

    pub fn recibos(&self) -> usize {
        self.recibos.len()
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
        modelo: &str,
        serie: u16,
    ) -> impl Iterator<Item = &'a Inutilizacao> {
        self.voided_of
            .get(&voided_key(local, cnpj, modelo, serie))
            .into_iter()
            .flatten()
            .filter_map(|i| self.inutilizadas.get(*i))
    }

    pub fn inutilizacoes(&self) -> &[Inutilizacao] {
        &self.inutilizadas
    }

    /// Protocols and receipts given so far.
    pub(super) fn given(&self) -> u64 {
        self.protocolos + self.receipts_given
    }
}
