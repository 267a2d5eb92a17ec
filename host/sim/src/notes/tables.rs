//! Notes, events and batches in the world's file, and how each is found.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql, named_params, params};

use super::store::{Json, Store, column};
use super::{Attempts, Batch, Event, Nota, Record, Status};

/// Rows of notes, events and batches are never deleted, so that the last number is their count.
///
/// `dps` is the end of a DPS' id (document, series, number): some cities ask by it, without the
/// municipality. `competence` is there for lists of a period.
pub(crate) const TABLES: &str = "
CREATE TABLE notes (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL, system TEXT NOT NULL, place TEXT NOT NULL, provider TEXT NOT NULL,
    natural_key TEXT NOT NULL, number INTEGER NOT NULL, key TEXT, code TEXT, status TEXT NOT NULL,
    issued_ms INTEGER NOT NULL, visible_ms INTEGER NOT NULL, competence TEXT NOT NULL, dps TEXT,
    parties TEXT NOT NULL, data TEXT NOT NULL, xml TEXT NOT NULL
);
CREATE INDEX notes_by_id ON notes (id);
CREATE INDEX notes_by_key ON notes (key) WHERE key IS NOT NULL;
CREATE INDEX notes_by_number ON notes (system, provider, place, number);
CREATE INDEX notes_by_dps ON notes (dps) WHERE dps IS NOT NULL;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, key TEXT NOT NULL, kind TEXT NOT NULL, sequence INTEGER NOT NULL, system TEXT NOT NULL,
    registered_ms INTEGER NOT NULL, data TEXT NOT NULL, xml TEXT NOT NULL
);
CREATE INDEX events_by_key ON events (key);
CREATE TABLE batches (seq INTEGER PRIMARY KEY, protocol TEXT NOT NULL UNIQUE, content TEXT NOT NULL);
CREATE TABLE terms (term TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (term, seq)) WITHOUT ROWID;
";

/// A DPS' id begins so, and has this length; its end begins here.
const DPS: (&str, usize, usize) = ("DPS", 45, 11);

macro_rules! notes {
    ($condition:literal) => {
        concat!(
            "SELECT system, place, provider, natural_key, number, key, code, status, issued_ms, visible_ms, \
             parties, data, xml FROM notes ",
            $condition
        )
    };
}

macro_rules! events {
    ($condition:literal) => {
        concat!(
            "SELECT key, kind, sequence, registered_ms, xml, system, data FROM events ",
            $condition
        )
    };
}

/// What is kept, as one request sees it.
pub(crate) struct Notes<'a> {
    pub store: &'a Store,
    attempts: &'a mut Attempts,
}

/// What a list looks at before it reads a note.
#[derive(Debug)]
pub(crate) struct Heading {
    pub seq: i64,
    /// `Nota::chave_natural`.
    pub natural: String,
    pub chave: Option<String>,
    pub issued_ms: i64,
    /// `competencia` of the data, empty without one.
    pub competence: String,
}

impl<'a> Notes<'a> {
    pub fn new(store: &'a Store, attempts: &'a mut Attempts) -> Self {
        Self { store, attempts }
    }

    /// Keeps a change; the number of the note, event or batch that it is about.
    pub fn apply(&self, record: &Record) -> i64 {
        match record {
            Record::Nota(nota) => self.add(nota),
            Record::Situacao {
                id,
                situacao,
                dados,
            } => self.change(id, *situacao, dados),
            Record::Evento(event) => self.store.add(
                "INSERT INTO events (key, kind, sequence, registered_ms, xml, system, data)
                 VALUES (?, ?, ?, ?, ?, ?, ?)",
                params![
                    event.chave,
                    event.tipo,
                    event.sequencia,
                    event.registrado_ms,
                    event.xml,
                    event.sistema,
                    self.store.json(&event.dados),
                ],
            ),
            Record::Lote(batch) => self.store.add(
                "INSERT INTO batches (protocol, content) VALUES (?, ?)
                 ON CONFLICT (protocol) DO UPDATE SET content = excluded.content",
                params![batch.protocolo, self.store.json(batch)],
            ),
        }
    }

    fn add(&self, nota: &Nota) -> i64 {
        let natural = nota.chave_natural.as_str();
        let (prefix, length, end) = DPS;
        let is_dps = natural.starts_with(prefix) && natural.len() == length;
        self.store.add(
            "INSERT INTO notes (id, system, place, provider, natural_key, number, key, code, status, issued_ms,
                 visible_ms, competence, dps, parties, data, xml)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            params![
                nota.id(),
                nota.sistema,
                nota.local,
                nota.prestador,
                natural,
                column(nota.numero),
                nota.chave,
                nota.codigo_verificacao,
                nota.situacao,
                nota.emitida_ms,
                nota.disponivel_ms,
                nota.dados.get("competencia").map_or("", String::as_str),
                natural.get(end..).filter(|_| is_dps),
                self.store.json(&nota.partes),
                self.store.json(&nota.dados),
                nota.xml,
            ],
        )
    }

    fn change(&self, id: &str, status: Status, added: &BTreeMap<String, String>) -> i64 {
        let sql = "SELECT seq, data FROM notes WHERE id = ? ORDER BY seq DESC LIMIT 1";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found: Option<(i64, Json<BTreeMap<String, String>>)> = self.store.one(sql, [id], read);
        let Some((seq, Json(mut data))) = found else {
            return 0;
        };
        data.extend(added.clone());
        self.store.run(
            "UPDATE notes SET status = ?, data = ? WHERE seq = ?",
            params![status, self.store.json(&data), seq],
        );
        seq
    }

    /// The note with an id ([`Nota::id`]).
    pub fn note(&self, id: &str) -> Option<Nota> {
        let sql = notes!("WHERE id = ? ORDER BY seq DESC LIMIT 1");
        self.store.one(sql, [id], nota)
    }

    pub fn note_by_key(&self, chave: &str) -> Option<Nota> {
        let sql = notes!("WHERE key = ? ORDER BY seq DESC LIMIT 1");
        self.store.one(sql, [chave], nota)
    }

    /// The place of the newest note in the order of issue.
    pub fn last(&self) -> i64 {
        column(self.store.number("SELECT max(seq) FROM notes", []))
    }

    /// The note at a place in the order of issue.
    pub fn note_at(&self, seq: i64) -> Option<Nota> {
        self.store.one(notes!("WHERE seq = ?"), [seq], nota)
    }

    /// Notes whose DPS' id ends so, oldest first. The end has the provider's document (14 positions), the series
    /// and the number, at least; what stands before it in `id` has to be the same.
    pub fn notes_of_dps(&self, id: &str) -> Vec<Nota> {
        let length = DPS.1 - DPS.2;
        let Some(end) = id.len().checked_sub(length).and_then(|at| id.get(at..)) else {
            return Vec::new();
        };
        let mut found = self
            .store
            .all(notes!("WHERE dps = ? ORDER BY seq"), [end], nota);
        found.retain(|nota| nota.chave_natural.ends_with(id));
        found
    }

    /// The first note of a provider with a number that can be seen.
    pub fn note_by_number(
        &self,
        (system, place, provider): (&str, &str, &str),
        number: u64,
        now_ms: i64,
    ) -> Option<Nota> {
        let sql = notes!(
            "WHERE system = :system AND provider = :provider AND place = :place AND number = :number
             AND visible_ms <= :now ORDER BY seq LIMIT 1"
        );
        let binds = named_params! {
            ":system": system, ":provider": provider, ":place": place, ":number": column(number), ":now": now_ms,
        };
        self.store.one(sql, binds, nota)
    }

    /// The last note of a provider with a number, and its place in the order of issue.
    pub fn last_by_number(
        &self,
        (system, place, provider): (&str, &str, &str),
        number: u64,
    ) -> Option<(i64, Nota)> {
        let sql =
            "SELECT seq FROM notes WHERE system = ? AND provider = ? AND place = ? AND number = ?
             ORDER BY seq DESC LIMIT 1";
        let binds = params![system, provider, place, column(number)];
        let seq = self.store.one(sql, binds, |row| row.get(0))?;
        self.note_at(seq).map(|nota| (seq, nota))
    }

    /// Goes through the notes of a provider with numbers in a range that can be seen, in the order of
    /// their numbers, until `see` has enough.
    pub fn numbered(
        &self,
        (system, place, provider): (&str, &str, &str),
        numbers: std::ops::RangeInclusive<u64>,
        now_ms: i64,
        mut see: impl FnMut(Heading) -> ControlFlow<()>,
    ) {
        let sql = "SELECT seq, natural_key, key, issued_ms, competence FROM notes
             WHERE system = ? AND provider = ? AND place = ? AND number BETWEEN ? AND ? AND visible_ms <= ?
             ORDER BY number, seq";
        let (first, last) = (column(*numbers.start()), column(*numbers.end()));
        let binds = params![system, provider, place, first, last, now_ms];
        self.store.each(sql, binds, |row| {
            Ok(see(Heading {
                seq: row.get(0)?,
                natural: row.get(1)?,
                chave: row.get(2)?,
                issued_ms: row.get(3)?,
                competence: row.get(4)?,
            }))
        });
    }

    /// Next number of a provider at a system.
    pub fn next_number(&self, system: &str, local: &str, prestador: &str) -> u64 {
        let sql = "SELECT max(number) FROM notes WHERE system = ? AND provider = ? AND place = ?";
        self.store.number(sql, [system, prestador, local]) + 1
    }

    /// Events of a note, in the order of their registration.
    pub fn events_of(&self, chave: &str) -> Vec<Event> {
        let sql = events!("WHERE key = ? ORDER BY seq");
        self.store.all(sql, [chave], event)
    }

    /// The event at a place in the order of registration.
    pub fn event_at(&self, seq: i64) -> Option<Event> {
        self.store.one(events!("WHERE seq = ?"), [seq], event)
    }

    pub fn batch(&self, protocol: &str) -> Option<Batch> {
        let sql = "SELECT content FROM batches WHERE protocol = ?";
        let read = |row: &Row<'_>| row.get::<_, Json<Batch>>(0);
        self.store.one(sql, [protocol], read).map(|Json(one)| one)
    }

    pub fn batches(&self) -> u64 {
        self.store.number("SELECT max(seq) FROM batches", [])
    }

    /// Notes and events so far.
    pub fn documents(&self) -> u64 {
        let notes = self.store.number("SELECT max(seq) FROM notes", []);
        notes + self.store.number("SELECT max(seq) FROM events", [])
    }

    /// Lets a note or an event be found by a term of the system that it is of.
    pub fn mark(&self, term: &str, seq: i64) {
        let sql = "INSERT INTO terms (term, seq) VALUES (?, ?) ON CONFLICT DO NOTHING";
        self.store.run(sql, params![term, seq]);
    }

    pub fn remove_mark(&self, term: &str, seq: i64) {
        let sql = "DELETE FROM terms WHERE term = ? AND seq = ?";
        self.store.run(sql, params![term, seq]);
    }

    /// What was marked with a term, oldest first.
    pub fn marked(&self, term: &str) -> Vec<i64> {
        let sql = "SELECT seq FROM terms WHERE term = ? ORDER BY seq";
        self.store.all(sql, [term], |row| row.get(0))
    }

    /// Counts that the processing of a natural key began, accepted or not.
    pub fn attempt(&mut self, id: String) {
        self.attempts.count(id);
    }

    pub fn attempts(&self) -> BTreeMap<String, u64> {
        self.attempts.all()
    }

    /// The newest notes without their documents and data, at most so many, in the order of issue.
    pub fn newest_heads(&self, limit: i64) -> Vec<Nota> {
        let sql = "SELECT system, place, provider, natural_key, number, key, code, status, issued_ms, visible_ms,
             parties, '{}', '' FROM notes ORDER BY seq DESC LIMIT ?";
        let mut found = self.store.all(sql, [limit], nota);
        found.reverse();
        found
    }

    /// The newest notes, at most so many, in the order of issue.
    pub fn newest(&self, limit: i64) -> Vec<Nota> {
        let sql = notes!("ORDER BY seq DESC LIMIT ?");
        let mut found = self.store.all(sql, [limit], nota);
        found.reverse();
        found
    }

    /// The newest events, at most so many, in the order of registration.
    pub fn newest_events(&self, limit: i64) -> Vec<Event> {
        let sql = events!("ORDER BY seq DESC LIMIT ?");
        let mut found = self.store.all(sql, [limit], event);
        found.reverse();
        found
    }
}

fn nota(row: &Row<'_>) -> rusqlite::Result<Nota> {
    let Json(partes) = row.get(10)?;
    let Json(dados) = row.get(11)?;
    Ok(Nota {
        sistema: row.get(0)?,
        local: row.get(1)?,
        prestador: row.get(2)?,
        chave_natural: row.get(3)?,
        numero: unsigned(row, 4)?,
        chave: row.get(5)?,
        codigo_verificacao: row.get(6)?,
        situacao: row.get(7)?,
        emitida_ms: row.get(8)?,
        disponivel_ms: row.get(9)?,
        partes,
        xml: row.get(12)?,
        dados,
    })
}

fn event(row: &Row<'_>) -> rusqlite::Result<Event> {
    let Json(dados) = row.get(6)?;
    Ok(Event {
        chave: row.get(0)?,
        tipo: row.get(1)?,
        sequencia: row.get(2)?,
        registrado_ms: row.get(3)?,
        xml: row.get(4)?,
        sistema: row.get(5)?,
        dados,
    })
}

fn unsigned(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(at)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, number))
}

impl Status {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Normal, "normal"),
        (Self::Cancelada, "cancelada"),
        (Self::Substituida, "substituida"),
    ];
}

impl ToSql for Status {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let found = Self::ALL.iter().find(|(status, _)| status == self);
        Ok(found.map_or("", |(_, name)| name).into())
    }
}

impl FromSql for Status {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let name = value.as_str()?;
        let found = Self::ALL.iter().find(|(_, known)| *known == name);
        let status = found.map(|(status, _)| *status);
        status.ok_or_else(|| FromSqlError::Other(format!("no status: {name}").into()))
    }
}
