//! A note that was issued, compiled into something that gives copies.

use super::moments::{self, Written};
use super::noise::{self, Kind};
use super::sheet::{Placed, Sheet, integer, text, ulid};
use super::slots::{Copied, Slot, end};
use super::text::{Alone, Text, Token, layers};
use crate::people::folded;
use anyhow::Context as _;
use base::when;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use store::copy::bulk::{Row, Table, Value};

/// Moments of columns, epoch milliseconds: 2001 to 2286.
const MOMENTS: std::ops::Range<i64> = 1_000_000_000_000..10_000_000_000_000;

/// What the account of the models has, as texts name it.
pub struct Shared {
    /// ULIDs and what takes their place.
    pub ids: Vec<(String, Slot)>,
    /// Id, CNPJ and certificate of each company, in their order.
    pub companies: Vec<(String, String)>,
}

/// A column of a row.
enum Cell {
    Same(Value),
    Text(Text),
    Blob(Text),
    /// After the note's arrival.
    Moment(i64),
    Number,
    Cents,
    /// A place in the order of the account's events.
    Place,
    /// What the row does to the balance, which is told after it.
    Balance(i64),
    /// SHA-256 of another column.
    DigestOf(usize),
}

/// A note that can be copied.
pub struct Model {
    /// What ids of such a note begin with.
    pub prefix: String,
    /// Place of its id among the slots.
    pub id_slot: usize,
    /// Place of its company.
    pub company: usize,
    pub ambiente: String,
    pub model: String,
    pub serie: String,
    /// What its sender called it.
    pub reference: String,
    /// Whether the note keeps its number.
    pub keeps: bool,
    pub at_ms: i64,
    /// Items of a product note; 0 for a service note.
    items: usize,
    slots: Vec<Slot>,
    rows: Vec<(usize, Vec<Cell>)>,
}

/// Running figures of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Running {
    pub available: i64,
    pub place: i64,
}

/// Everything a model's texts say, for what is looked for in them.
struct Said {
    texts: Vec<Vec<u8>>,
}

impl Said {
    fn of(group: &[Placed]) -> Said {
        let mut texts = Vec::new();
        for value in group.iter().flat_map(|(_, row)| row) {
            match value {
                Value::Text(text) => texts.extend(layers(text.as_bytes())),
                Value::Blob(bytes) => texts.extend(layers(bytes)),
                Value::Null | Value::Integer(_) => {}
            }
        }
        Said { texts }
    }

    fn contents(&self, name: &str) -> BTreeSet<String> {
        let texts = self.texts.iter().map(|text| String::from_utf8_lossy(text));
        texts
            .flat_map(|text| noise::contents(&text, name))
            .collect()
    }

    /// Items of the longest product note among the texts.
    fn items(&self) -> usize {
        const ITEM: &[u8] = b"<det nItem=";
        let texts = self.texts.iter();
        let items = texts.map(|text| text.windows(ITEM.len()).filter(|one| *one == ITEM).count());
        items.max().unwrap_or_default()
    }

    fn moments(&self, at_ms: i64) -> Vec<Written> {
        let near = when::local(at_ms, "SP").date();
        let mut all: Vec<Written> = Vec::new();
        for written in self
            .texts
            .iter()
            .flat_map(|text| moments::found(text, near))
        {
            if !all.contains(&written) {
                all.push(written);
            }
        }
        all
    }
}

/// Slots and the texts they take the place of.
#[derive(Default)]
struct Slots {
    slots: Vec<Slot>,
    tokens: Vec<Token>,
}

impl Slots {
    fn add(&mut self, old: &str, slot: Slot, alone: Alone) -> usize {
        let place = match self.slots.iter().position(|known| *known == slot) {
            Some(place) => place,
            None => {
                self.slots.push(slot);
                self.slots.len() - 1
            }
        };
        if !old.is_empty() && self.tokens.iter().all(|token| token.old != old) {
            let old = old.to_owned();
            self.tokens.push(Token {
                old,
                slot: place,
                alone,
            });
        }
        place
    }

    /// Ids of the note's own rows, in the order they were made; that of the note is here already.
    fn own_ids(&mut self, sheet: &Sheet, group: &[Placed], shared: &Shared, at_ms: i64) {
        let mut own = BTreeSet::new();
        for (place, row) in group {
            for key in &sheet.tables[*place].key {
                if let Some(Value::Text(text)) = row.get(*key)
                    && let Some(id) = ulid(text)
                    && shared.ids.iter().all(|(known, _)| known != id)
                {
                    own.insert(id.to_owned());
                }
            }
        }
        for (rank, id) in (0_u16..).zip(own) {
            let made_ms = base::ids::moment("x", &format!("x_{id}")).unwrap_or(at_ms);
            let after_ms = made_ms - at_ms;
            self.add(&id, Slot::Id { after_ms, rank }, Alone::Anywhere);
        }
    }

    /// What the row of the note says.
    fn of_note(&mut self, table: &Table, note: &Row) {
        let said = |column: &str| text(table, note, column).unwrap_or_default();
        if let Some(number) = integer(table, note, "numero").filter(|number| *number > 0) {
            self.add(&number.to_string(), Slot::Number, Alone::Anywhere);
        }
        let key = said("chave");
        self.add(key, Slot::AccessKey(key.to_owned()), Alone::Anywhere);
        if let Some(code) = key.get(35..43).filter(|_| key.len() == 44) {
            self.add(code, Slot::KeyCode, Alone::Whole);
        }
        let city = said("numero_nfse");
        let alone = if city.len() < 8 {
            Alone::Named
        } else {
            Alone::Anywhere
        };
        self.add(city, Slot::CityNumber(city.to_owned()), alone);
        self.add(said("referencia"), Slot::Reference, Alone::Anywhere);
        self.add(said("tomador_documento"), Slot::Documento, Alone::Anywhere);
        let name = said("tomador_nome");
        self.add(name, Slot::Name, Alone::Anywhere);
        self.add(&folded(name), Slot::Folded, Alone::Anywhere);
        self.add(said("valor"), Slot::Value, Alone::Whole);
        for column in ["codigo_verificacao", "protocolo"] {
            let model = said(column);
            if model.len() >= 6 {
                self.add(
                    model,
                    Slot::Noise(model.to_owned(), Kind::Alike),
                    Alone::Anywhere,
                );
            }
        }
    }

    /// What has no pattern.
    fn noise(&mut self, sheet: &Sheet, group: &[Placed], said: &Said) {
        for name in ["SignatureValue", "DigestValue"] {
            for model in said.contents(name) {
                self.add(
                    &model.clone(),
                    Slot::Noise(model, Kind::Base64),
                    Alone::Anywhere,
                );
            }
        }
        for model in said.contents("X509Certificate") {
            self.add(&model.clone(), Slot::CompanyNoise(model), Alone::Anywhere);
        }
        for (place, row) in group {
            let table = &sheet.tables[*place];
            for column in ["fingerprint", "sha256"] {
                if let Some(model) = text(table, row, column).filter(|model| model.len() >= 32) {
                    self.add(
                        model,
                        Slot::Noise(model.to_owned(), Kind::Hex),
                        Alone::Anywhere,
                    );
                }
            }
            if let Some(model) =
                text(table, row, "idempotency_key").filter(|model| model.len() >= 8)
            {
                self.add(
                    model,
                    Slot::Noise(model.to_owned(), Kind::Alike),
                    Alone::Anywhere,
                );
            }
        }
    }
}

fn cell(table: &Table, place: usize, row: &Row, at_ms: i64, tokens: &[Token]) -> Cell {
    let (column, value) = (&table.columns[place].name, &row[place]);
    let named = |name: &str| table.columns.iter().position(|column| column.name == name);
    match (value, table.name.as_str(), column.as_str()) {
        (Value::Integer(number), "notas", "numero") if *number > 0 => Cell::Number,
        (Value::Integer(_), "notas", "valor_centavos") => Cell::Cents,
        (Value::Integer(number), "outbox", "sequencia") if *number > 0 => Cell::Place,
        (Value::Integer(_), "transfers", "balance_after") => Cell::Balance(effect(table, row)),
        (Value::Integer(ms), _, _) if column.ends_with("_ms") && MOMENTS.contains(ms) => {
            Cell::Moment(ms - at_ms)
        }
        (Value::Text(_), "artifacts", "sha256") => {
            named("bytes").map_or(Cell::Same(value.clone()), Cell::DigestOf)
        }
        (Value::Text(text), _, _) => match Text::compiled(text.as_bytes(), tokens) {
            text if text.is_fixed() => Cell::Same(value.clone()),
            text => Cell::Text(text),
        },
        (Value::Blob(bytes), _, _) => match Text::compiled(bytes, tokens) {
            text if text.is_fixed() => Cell::Same(value.clone()),
            text => Cell::Blob(text),
        },
        (Value::Null | Value::Integer(_), _, _) => Cell::Same(value.clone()),
    }
}

/// What a transfer does to what can be spent.
fn effect(table: &Table, row: &Row) -> i64 {
    let amount = integer(table, row, "amount").unwrap_or_default();
    let is = |column: &str| text(table, row, column) == Some("available");
    match (is("debit"), is("credit")) {
        (true, false) => -amount,
        (false, true) => amount,
        _ => 0,
    }
}

impl Model {
    /// # Errors
    /// The rows are not those of a note of one of the companies.
    pub fn compiled(sheet: &Sheet, group: Vec<Placed>, shared: &Shared) -> anyhow::Result<Model> {
        let is_note = |placed: &&Placed| sheet.tables[placed.0].name == "notas";
        let (place, note) = group.iter().find(is_note).context("no note")?;
        let table = &sheet.tables[*place];
        let said = |column: &str| text(table, note, column).unwrap_or_default().to_owned();
        let at_ms = integer(table, note, "created_at_ms").context("created_at_ms")?;
        let emitter = said("emitter_id");
        let company = shared.companies.iter().position(|(id, _)| *id == emitter);
        let company = company.context("the note is of another company")?;
        let (id, keeps) = (said("id"), integer(table, note, "number_active") == Some(1));
        let mut slots = Slots::default();
        for (id, slot) in &shared.ids {
            slots.add(id, slot.clone(), Alone::Anywhere);
            if *slot == Slot::Webhook {
                slots.add(end(id), Slot::WebhookEnd, Alone::Anywhere);
            }
        }
        slots.add(&shared.companies[company].1, Slot::Cnpj, Alone::Anywhere);
        let own = ulid(&id).context("an id")?;
        let id_slot = slots.add(own, Slot::Note, Alone::Anywhere);
        slots.own_ids(sheet, &group, shared, at_ms);
        slots.of_note(table, note);
        let texts = Said::of(&group);
        slots.noise(sheet, &group, &texts);
        for written in texts.moments(at_ms) {
            slots.add(
                &written.text.clone(),
                Slot::Moment(written),
                Alone::Anywhere,
            );
        }
        let Slots { slots, mut tokens } = slots;
        tokens.sort_by_key(|token| std::cmp::Reverse(token.old.len()));
        let (ambiente, model, serie) = (said("ambiente"), said("modelo"), said("serie"));
        let items = texts.items();
        // In the order of their ids: balances are told along it.
        let rows = group.iter().map(|(place, row)| {
            let table = &sheet.tables[*place];
            let cells = (0..row.len()).map(|column| cell(table, column, row, at_ms, &tokens));
            (*place, cells.collect())
        });
        let rows = rows.collect();
        Ok(Model {
            prefix: id.split('_').next().unwrap_or_default().to_owned(),
            id_slot,
            company,
            ambiente,
            model,
            serie,
            reference: said("referencia"),
            keeps,
            at_ms,
            items,
            slots,
            rows,
        })
    }

    /// What it is called where notes are counted: `nfse`, `nfe, 10 items`.
    pub fn kind(&self) -> String {
        match self.items {
            0 => self.model.clone(),
            items => format!("{}, {items} items", self.model),
        }
    }

    /// The id of the copy that begins with these values.
    pub fn id(&self, values: &[String]) -> String {
        format!("{}_{}", self.prefix, values[self.id_slot])
    }

    /// The values of a copy.
    pub fn values(&self, copied: &mut Copied<'_>) -> Vec<String> {
        copied.values(&self.slots)
    }

    /// What a copy adds to the figures of its account.
    pub fn adds(&self) -> Running {
        let mut adds = Running::default();
        for cell in self.rows.iter().flat_map(|(_, cells)| cells) {
            match cell {
                Cell::Place => adds.place += 1,
                Cell::Balance(effect) => adds.available += effect,
                _ => {}
            }
        }
        adds
    }

    /// The rows of a copy, with the places of their tables.
    ///
    /// # Errors
    /// A text of the model is none.
    pub fn rows(
        &self,
        copied: &Copied<'_>,
        values: &[String],
        mut running: Running,
    ) -> anyhow::Result<Vec<Placed>> {
        let mut rows = Vec::with_capacity(self.rows.len());
        for (place, cells) in &self.rows {
            let mut row = Vec::with_capacity(cells.len());
            for cell in cells {
                row.push(match cell {
                    Cell::Same(value) => value.clone(),
                    Cell::Text(text) => Value::Text(String::from_utf8(text.filled(values))?),
                    Cell::Blob(text) => Value::Blob(text.filled(values)),
                    Cell::Moment(after_ms) => Value::Integer(copied.at_ms + after_ms),
                    Cell::Number => Value::Integer(copied.number),
                    Cell::Cents => Value::Integer(i64::try_from(copied.cents)?),
                    Cell::Place => {
                        running.place += 1;
                        Value::Integer(running.place)
                    }
                    Cell::Balance(effect) => {
                        running.available += effect;
                        Value::Integer(running.available)
                    }
                    Cell::DigestOf(_) => Value::Null,
                });
            }
            for (column, cell) in cells.iter().enumerate() {
                if let Cell::DigestOf(other) = cell {
                    row[column] = Value::Text(sha256(&row[*other]));
                }
            }
            rows.push((*place, row));
        }
        Ok(rows)
    }
}

fn sha256(value: &Value) -> String {
    let bytes = match value {
        Value::Blob(bytes) => bytes.as_slice(),
        Value::Text(text) => text.as_bytes(),
        Value::Null | Value::Integer(_) => &[],
    };
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
