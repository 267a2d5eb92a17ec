//! What the authorizers and the national environment remember besides notes
//! and events: voided numbers, receipts, security codes, terms by which notes
//! and events are found, and the queues of the distribution (`queue`).

use std::collections::HashMap;

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use super::queues::{self, Doc};
use super::{SYSTEM, search};
use crate::engine::{self, Memory, Witness};
use crate::notes::store::{Json, Store, column};
use crate::notes::{self, Event, Nota, Notes};

/// Most receipts kept; the oldest are forgotten, as the authorizers do after days.
const MAX_RECEIPTS: i64 = 20_000;
/// Most security codes kept.
const MAX_CSC: u64 = 10_000;
/// Most parties whose use of the distribution is watched.
const MAX_PARTIES: usize = 50_000;

/// Rows of `voided` are never deleted; their ranges do not overlap. `taxpayers`
/// has the last note of each issuer. `counted` counts notes and events.
pub(crate) const TABLES: &str = "
CREATE TABLE voided (
    seq INTEGER PRIMARY KEY, place TEXT NOT NULL, cnpj TEXT NOT NULL, model TEXT NOT NULL, serie INTEGER NOT NULL,
    year TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, content TEXT NOT NULL
);
CREATE INDEX voided_by_number ON voided (place, cnpj, model, serie, year, first);
CREATE TABLE receipts (seq INTEGER PRIMARY KEY, number TEXT NOT NULL UNIQUE, content TEXT NOT NULL);
CREATE TABLE security_codes (
    seq INTEGER PRIMARY KEY, place TEXT NOT NULL, cnpj TEXT NOT NULL, id TEXT NOT NULL, csc TEXT NOT NULL,
    UNIQUE (place, cnpj, id)
);
CREATE TABLE taxpayers (provider TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE counted (what TEXT PRIMARY KEY, times INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE parties (place TEXT NOT NULL, document TEXT NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (place, document)) WITHOUT ROWID;
CREATE TABLE queued (
    place TEXT NOT NULL, document TEXT NOT NULL, nsu INTEGER NOT NULL, from_ms INTEGER NOT NULL, doc TEXT NOT NULL,
    PRIMARY KEY (place, document, nsu)
) WITHOUT ROWID;
CREATE INDEX queued_by_doc ON queued (doc);
";

/// What `counted` counts.
const NOTES: &str = "notas";
const EVENTS: &str = "eventos";

/// A change that only NF-e and NFC-e have.
#[derive(Debug, Clone, Deserialize)]
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

/// How a party used the distribution. Not kept: a restart forgives.
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

/// What of NF-e and NFC-e is remembered until a restart.
#[derive(Debug, Default)]
pub(crate) struct NoteMemory {
    consumption: HashMap<(String, String), Consumption>,
    /// Documents handed out by the distribution.
    pub distributed: u64,
}

/// In `Nota::dados` once the recipient opened the note by a manifestation.
pub(super) const MANIFESTED: &str = "manifestada";

/// The manifestations that give the recipient the whole note.
pub(super) const RELEASING: [&str; 3] = ["210200", "210210", "210240"];

impl Memory for NoteMemory {
    type Record = Record;

    fn apply(store: &Store, record: Record) {
        match record {
            Record::Inutilizada(voided) => store.run(
                "INSERT INTO voided (place, cnpj, model, serie, year, first, last, content)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                params![
                    voided.local,
                    voided.cnpj,
                    voided.modelo,
                    voided.serie,
                    voided.ano,
                    column(voided.inicial),
                    column(voided.final_),
                    store.json(&voided),
                ],
            ),
            Record::Recibo(receipt) => {
                store.run(
                    "INSERT INTO receipts (number, content) VALUES (?, ?)
                     ON CONFLICT (number) DO UPDATE SET content = excluded.content",
                    params![receipt.numero, store.json(&receipt)],
                );
                let forgotten =
                    "DELETE FROM receipts WHERE seq <= (SELECT max(seq) FROM receipts) - ?";
                store.run(forgotten, [MAX_RECEIPTS]);
            }
            Record::Csc {
                ambiente,
                cnpj,
                id,
                csc,
            } => {
                if store.number("SELECT max(seq) FROM security_codes", []) < MAX_CSC {
                    store.run(
                        "INSERT INTO security_codes (place, cnpj, id, csc) VALUES (?, ?, ?, ?)
                         ON CONFLICT (place, cnpj, id) DO UPDATE SET csc = excluded.csc",
                        [ambiente, cnpj, id, csc],
                    );
                }
            }
            Record::Nsu {
                ambiente,
                documento: document,
                proximo: next,
            } => queues::jump(store, &ambiente, &document, next),
        }
    }
}

impl Witness for NoteMemory {
    fn see(record: &notes::Record, seq: i64, notes: &Notes<'_>) {
        match record {
            notes::Record::Nota(nota) if nota.sistema == SYSTEM => note(notes, nota, seq),
            notes::Record::Evento(event) if event.sistema == SYSTEM => {
                count(notes.store, EVENTS);
                search::of_event(notes, event, seq);
                if let Some(nota) = notes.note_by_key(&event.chave) {
                    distribute_event(notes.store, event, &nota);
                }
            }
            notes::Record::Situacao {
                id,
                situacao,
                dados,
            } => search::close(notes, id, seq, *situacao, dados),
            _ => {}
        }
    }
}

/// A note was recorded: its recipient gets the summary, the carrier and
/// those it names (`autXML`) the note. Its issuer gets nothing.
fn note(notes: &Notes<'_>, nota: &Nota, seq: i64) {
    let store = notes.store;
    count(store, NOTES);
    search::of_note(notes, nota, seq);
    let model = nota.dados.get("modelo").map(String::as_str);
    if matches!(model, Some("55" | "65")) {
        let sql = "INSERT INTO taxpayers (provider, seq) VALUES (?, ?)
             ON CONFLICT (provider) DO UPDATE SET seq = excluded.seq";
        store.run(sql, params![nota.prestador, seq]);
    }
    // The distribution is the NF-e's: an NFC-e is not distributed.
    let Some(chave) = nota.chave.clone().filter(|_| model == Some("55")) else {
        return;
    };
    let from = nota.disponivel_ms;
    if let Some(dest) = recipient(nota) {
        let summary = Doc::NotaSummary(chave.clone());
        queues::add(store, &nota.local, dest, from, &summary);
    }
    for party in interested(nota) {
        queues::add(store, &nota.local, party, from, &Doc::Nota(chave.clone()));
    }
}

/// An event was recorded: the other side gets it, and a manifestation
/// opens the note to the recipient.
fn distribute_event(store: &Store, event: &Event, nota: &Nota) {
    if nota.dados.get("modelo").map(String::as_str) != Some("55") {
        return;
    }
    let (chave, kind, n) = (event.chave.clone(), event.tipo.clone(), event.sequencia);
    let whole = Doc::Event(chave.clone(), kind.clone(), n);
    let from = event.registrado_ms.max(nota.disponivel_ms);
    let opened = nota.dados.contains_key(MANIFESTED);
    if kind.starts_with("21") {
        queues::add(store, &nota.local, &nota.prestador, from, &whole);
        let dest = nota.dados.get("dest").filter(|dest| !dest.is_empty());
        if let Some(dest) = dest
            && RELEASING.contains(&kind.as_str())
            && !opened
        {
            queues::add(store, &nota.local, dest, from, &Doc::Nota(chave));
        }
        return;
    }
    let cancels = matches!(kind.as_str(), "110111" | "110112");
    if let Some(dest) = recipient(nota) {
        let summary = Doc::EventSummary(chave, kind, n);
        let doc = if opened || cancels { &whole } else { &summary };
        queues::add(store, &nota.local, dest, from, doc);
    }
    for party in interested(nota) {
        queues::add(store, &nota.local, party, from, &whole);
    }
}

/// The recipient, where it is not the issuer.
fn recipient(nota: &Nota) -> Option<&str> {
    let dest = nota.dados.get("dest").map_or("", String::as_str);
    Some(dest).filter(|dest| !dest.is_empty() && *dest != nota.prestador)
}

/// Carrier and those named, without issuer and recipient.
fn interested(nota: &Nota) -> impl Iterator<Item = &str> {
    let dest = nota.dados.get("dest").map_or("", String::as_str);
    let all = nota.dados.get("interessados").map_or("", String::as_str);
    all.split(',')
        .filter(move |one| !one.is_empty() && *one != nota.prestador && *one != dest)
}

fn count(store: &Store, what: &str) {
    let sql = "INSERT INTO counted (what, times) VALUES (?, 1) ON CONFLICT (what) DO UPDATE SET times = times + 1";
    store.run(sql, [what]);
}

fn counted(store: &Store, what: &str) -> u64 {
    store.number("SELECT times FROM counted WHERE what = ?", [what])
}

/// Authorized notes, those of simulated suppliers too.
pub(crate) fn notes(store: &Store) -> u64 {
    counted(store, NOTES)
}

/// Registered events.
pub(crate) fn events(store: &Store) -> u64 {
    counted(store, EVENTS)
}

/// Protocols and receipts given so far.
pub(super) fn given(store: &Store) -> u64 {
    notes(store)
        + events(store)
        + voidings(store)
        + store.number("SELECT max(seq) FROM receipts", [])
}

/// Receipts that are kept.
pub(crate) fn receipts(store: &Store) -> u64 {
    store.number("SELECT count(*) FROM receipts", [])
}

pub(super) fn receipt(store: &Store, number: &str) -> Option<Receipt> {
    let read = |row: &Row<'_>| row.get::<_, Json<Receipt>>(0);
    let sql = "SELECT content FROM receipts WHERE number = ?";
    store.one(sql, [number], read).map(|Json(one)| one)
}

/// Security code under this id; `Err` when the company has none at all,
/// `Ok(None)` when it has others.
pub(super) fn csc(store: &Store, local: &str, cnpj: &str, id: &str) -> Result<Option<String>, ()> {
    let sql = "SELECT csc FROM security_codes WHERE place = ? AND cnpj = ? AND id = ?";
    let found = store.one(sql, [local, cnpj, id], |row| row.get(0));
    let any = "SELECT 1 FROM security_codes WHERE place = ? AND cnpj = ? LIMIT 1";
    match found {
        Some(csc) => Ok(Some(csc)),
        None if store.number(any, [local, cnpj]) == 1 => Ok(None),
        None => Err(()),
    }
}

/// The range voided in a series and year that has a number of another range. Where there are
/// several it is the last.
pub(super) fn voided(
    store: &Store,
    (local, cnpj, model, serie): (&str, &str, &str, u16),
    year: &str,
    numbers: std::ops::RangeInclusive<u64>,
) -> Option<Voiding> {
    // Ranges do not overlap: of those that begin before the end, the last one reaches furthest.
    let sql = "SELECT content FROM voided
         WHERE place = ? AND cnpj = ? AND model = ? AND serie = ? AND year = ? AND first <= ?
         ORDER BY first DESC LIMIT 1";
    let last = column(*numbers.end());
    let binds = params![local, cnpj, model, serie, year, last];
    let found = store.one(sql, binds, |row| row.get::<_, Json<Voiding>>(0));
    found
        .map(|Json(one)| one)
        .filter(|one| one.final_ >= *numbers.start())
}

/// Voided ranges.
pub(crate) fn voidings(store: &Store) -> u64 {
    store.number("SELECT max(seq) FROM voided", [])
}

/// The newest voided ranges, at most so many, in the order of their registration.
pub(crate) fn newest_voidings(store: &Store, limit: i64) -> Vec<Voiding> {
    let sql = "SELECT content FROM voided ORDER BY seq DESC LIMIT ?";
    let read = |row: &Row<'_>| row.get::<_, Json<Voiding>>(0);
    let mut found: Vec<Voiding> = store
        .all(sql, [limit], read)
        .into_iter()
        .map(|Json(one)| one)
        .collect();
    found.reverse();
    found
}

/// The last note (NF-e or NFC-e) of an issuer.
pub(super) fn last_note(notes: &Notes<'_>, provider: &str) -> Option<Nota> {
    let sql = "SELECT seq FROM taxpayers WHERE provider = ?";
    let seq = notes.store.one(sql, [provider], |row| row.get(0))?;
    notes.note_at(seq)
}

impl NoteMemory {
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
}
