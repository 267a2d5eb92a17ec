//! Imported editions of official tables in the place of the embedded ones: a process
//! that follows them lets a newer edition answer everywhere at once, and the embedded
//! table again where there is none any more.
//!
//! What answers is made of the active editions and of the embedded table alone, so that
//! all processes of a database answer the same, whatever they served before.

use crate::formats::official::{self, UNITS, key_columns};
use data::versions::{self, Broken};
use std::collections::{BTreeMap, BTreeSet};
use store::tables::editions::{self, DatasetKind, EditionRow, EditionStatus};
use store::{Conn, Db, DbResult, stored};
use time::Date;

/// Rows of a page.
const PAGE: i64 = 5_000;
/// What stands behind a source that was not built in.
const IMPORTED: &str = "(importada)";

/// The columns of a row.
type Columns = Vec<String>;
/// Rows of an edition, by table.
type Rows = BTreeMap<String, Vec<Columns>>;

/// What a process serves of the editions of its database.
#[derive(Debug, Default)]
pub struct Follower {
    /// The editions each table was made of; also those that could not be used, so that
    /// they are looked at once.
    seen: BTreeMap<&'static str, Vec<Edition>>,
    /// Editions that answer.
    served: BTreeSet<i64>,
}

/// An edition, told from one of the same number in another database.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edition {
    id: i64,
    sha256: String,
    created_at_ms: i64,
}

/// A table that answers otherwise than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// An edition answers.
    Installed {
        table: &'static str,
        version: String,
    },
    /// The embedded table answers again.
    Withdrawn { table: &'static str },
    /// An edition cannot be used; the embedded table answers. Where the process may
    /// install no more, what answered goes on.
    Refused { table: &'static str, why: String },
}

impl Follower {
    /// Looks which editions are active, and lets those that are new answer. Where
    /// nothing changed, that is one statement.
    ///
    /// # Errors
    /// The database fails; the next call tries again.
    pub async fn refresh(&mut self, db: &Db) -> DbResult<Vec<Change>> {
        let mut conn = db.read().await?;
        let all = editions::all(&mut conn).await?;
        let active = all
            .into_iter()
            .filter(|edition| edition.status == EditionStatus::Active);
        let mut wanted: BTreeMap<&'static str, Vec<EditionRow>> = BTreeMap::new();
        for edition in active {
            for table in official::tables(edition.kind, &edition.scope) {
                let table = if *table == UNITS { "ncm" } else { *table };
                wanted.entry(table).or_default().push(edition.clone());
            }
        }
        let gone = self
            .seen
            .keys()
            .filter(|table| !wanted.contains_key(*table));
        let gone: Vec<&'static str> = gone.copied().collect();
        let mut changes = Vec::new();
        for table in gone {
            versions::withdraw(table);
            self.forget(table);
            changes.push(Change::Withdrawn { table });
        }
        // Situations before the classes that stand under them: between the two nobody
        // meets a class without its situation.
        for (table, active) in wanted.into_iter().rev() {
            let now: Vec<Edition> = active.iter().map(Edition::of).collect();
            if self.seen.get(table) != Some(&now) {
                changes.push(self.install(&mut conn, table, &active).await?);
                self.seen.insert(table, now);
            }
        }
        Ok(changes)
    }

    /// Does this edition answer?
    pub fn serves(&self, edition: i64) -> bool {
        self.served.contains(&edition)
    }

    fn forget(&mut self, table: &'static str) {
        let of_table = self.seen.remove(table).unwrap_or_default();
        for edition in of_table {
            self.served.remove(&edition.id);
        }
    }

    async fn install(
        &mut self,
        conn: &mut Conn,
        table: &'static str,
        active: &[EditionRow],
    ) -> DbResult<Change> {
        self.forget(table);
        let mut parts = Vec::new();
        let mut why = None;
        for edition in active {
            let floor = official::built_in(edition.kind, &edition.scope);
            if let Some((date, _)) = floor.filter(|(date, _)| *date > edition.version) {
                why = Some(format!(
                    "the edition of {} is older than what is built in, of {date}",
                    edition.version
                ));
                continue;
            }
            let rows = rows(conn, edition.id).await?;
            let count: usize = rows.values().map(Vec::len).sum();
            if i64::try_from(count) == Ok(edition.row_count) {
                parts.push((edition.clone(), rows));
            } else {
                why = Some(format!("{count} of {} rows are there", edition.row_count));
            }
        }
        let installed = match parts.is_empty() {
            true => Err(why.clone().unwrap_or_default()),
            false => match versions::install(table, &text(table, &parts)) {
                // What answered goes on: the edition is good, this process is full.
                Err(full @ Broken::Full) => {
                    let why = full.to_string();
                    return Ok(Change::Refused { table, why });
                }
                installed => installed.map_err(|broken| broken.to_string()),
            },
        };
        if let Err(why) = installed {
            versions::withdraw(table);
            return Ok(Change::Refused { table, why });
        }
        self.served
            .extend(parts.iter().map(|(edition, _)| edition.id));
        // Of several states one may be of no use.
        if let Some(why) = why {
            return Ok(Change::Refused { table, why });
        }
        let version = versions::get(table).map_or("", |version| version.date);
        Ok(Change::Installed {
            table,
            version: version.to_owned(),
        })
    }
}

impl Edition {
    fn of(row: &EditionRow) -> Edition {
        Edition {
            id: row.id,
            sha256: row.sha256.clone(),
            created_at_ms: row.created_at_ms,
        }
    }
}

async fn rows(conn: &mut Conn, edition: i64) -> DbResult<Rows> {
    let mut rows = Rows::new();
    let mut after = String::new();
    loop {
        let page = editions::page_of_rows(conn, edition, &after, PAGE).await?;
        let Some(last) = page.last() else {
            return Ok(rows);
        };
        after.clone_from(&last.code);
        for row in page {
            let table = row.code.split('/').next().unwrap_or_default();
            let columns: Columns = stored(&row.content, "row of an edition", &row.code)?;
            rows.entry(table.to_owned()).or_default().push(columns);
        }
    }
}

/// The text of a table made of editions.
fn text(table: &str, parts: &[(EditionRow, Rows)]) -> String {
    let mut head = Head::of(table);
    let mut lines = match table {
        "ncm" => nomenclature(parts, &mut head),
        "cbenef" => benefits(parts, &mut head),
        _ => {
            let mut lines = Vec::new();
            for (edition, rows) in parts {
                head.date.clone_from(&edition.version);
                head.source = source(edition.kind, &edition.scope);
                lines.extend(rows.get(table).into_iter().flatten().cloned());
            }
            lines
        }
    };
    let key = key_columns(table);
    lines.sort_by(|a, b| a.iter().take(key).cmp(b.iter().take(key)));
    let mut text = head.text();
    text.push_str(versions::columns(table));
    text.push('\n');
    for line in lines {
        text.push_str(&line.join("\t"));
        text.push('\n');
    }
    text
}

/// The first lines of a table.
struct Head {
    title: String,
    date: String,
    source: String,
    more: Vec<String>,
}

impl Head {
    fn of(table: &str) -> Head {
        let embedded = versions::embedded(table);
        let (title, date, source) = match embedded {
            Some(version) => (version.title, version.date, version.source),
            None => ("Tabela do IPI (TIPI)", "", ""),
        };
        Head {
            title: title.to_owned(),
            date: date.to_owned(),
            source: source.to_owned(),
            more: Vec::new(),
        }
    }

    fn text(&self) -> String {
        let (title, date, source) = (&self.title, &self.date, &self.source);
        let mut text = format!("# titulo: {title}\n# data: {date}\n# fonte: {source}\n");
        for line in &self.more {
            text.push_str(&format!("# {line}\n"));
        }
        text
    }
}

/// Who publishes an imported table, for customers.
fn source(kind: DatasetKind, scope: &str) -> String {
    let who = match (kind, scope) {
        (DatasetKind::Ncm, UNITS) => "Portal da NF-e, tabela NCM e uTrib",
        (DatasetKind::Ncm, _) => "Siscomex, nomenclatura em vigor",
        (DatasetKind::Tipi, _) => "Receita Federal, TIPI (Decreto 11.158/2022 e alterações)",
        (DatasetKind::Cest, _) => "Convênio ICMS 142/2018 e alterações",
        (DatasetKind::Anp, _) => "ANP, códigos do SIMP",
        (DatasetKind::Cbenef, uf) => return format!("SEFAZ-{uf} {IMPORTED}"),
        (DatasetKind::ClassTrib, _) => "Portal da NF-e, tabela de CST e cClassTrib",
        (DatasetKind::Banks, official::SPI) => "Banco Central, lista do SPI",
        _ => "Banco Central, lista do STR",
    };
    format!("{who} {IMPORTED}")
}

fn embedded(table: &str) -> impl Iterator<Item = Columns> {
    let lines = versions::embedded_rows(table);
    lines.map(|line| line.split('\t').map(str::to_owned).collect())
}

/// The nomenclature: the codes of its edition, else those that are built in, with the
/// units of theirs. Codes that are built in and not in the edition ended before its
/// day: notes of earlier days are judged by them.
fn nomenclature(parts: &[(EditionRow, Rows)], head: &mut Head) -> Vec<Columns> {
    let (mut lines, mut units) = (Vec::new(), BTreeMap::new());
    let mut sources = Vec::new();
    for (edition, rows) in parts {
        let own = source(edition.kind, &edition.scope);
        if edition.scope == UNITS {
            let pairs = rows.get(UNITS).into_iter().flatten();
            units.extend(
                pairs.filter_map(|pair| Some((pair.first()?.clone(), pair.get(1)?.clone()))),
            );
            sources.push(format!("{own}, {}", edition.version));
        } else {
            head.date.clone_from(&edition.version);
            head.source = own;
            lines = rows.get("ncm").cloned().unwrap_or_default();
            let known: BTreeSet<String> = lines
                .iter()
                .flat_map(|line| line.first())
                .cloned()
                .collect();
            let before = base::when::parse_date(&edition.version).and_then(Date::previous_day);
            let gone = embedded("ncm")
                .filter(|line| line.first().is_some_and(|code| !known.contains(code)));
            lines.extend(gone.map(|line| ended(line, before)));
        }
    }
    if lines.is_empty() {
        lines = embedded("ncm").collect();
    }
    for line in &mut lines {
        let unit = line.first().and_then(|code| units.get(code));
        if let (Some(unit), Some(place)) = (unit, line.get_mut(1)) {
            place.clone_from(unit);
        }
    }
    for own in sources {
        head.source.push_str("; ");
        head.source.push_str(&own);
    }
    lines
}

/// A code that ended on a day, if it had not before.
fn ended(mut line: Columns, day: Option<Date>) -> Columns {
    if let (Some(until), Some(day)) = (line.get_mut(3), day) {
        let day = day.to_string();
        if until.is_empty() || *until > day {
            *until = day;
        }
    }
    line
}

/// The benefits of all states: imported ones, and the built-in ones of the others.
fn benefits(parts: &[(EditionRow, Rows)], head: &mut Head) -> Vec<Columns> {
    let mut lines = Vec::new();
    let mut states: BTreeMap<String, (String, String)> = BTreeMap::new();
    for (edition, rows) in parts {
        let own = source(edition.kind, &edition.scope);
        states.insert(edition.scope.clone(), (edition.version.clone(), own));
        lines.extend(rows.get("cbenef").into_iter().flatten().cloned());
    }
    for line in embedded("cbenef") {
        let Some(uf) = line.first().filter(|uf| {
            let imported = parts.iter().any(|(edition, _)| edition.scope == **uf);
            !imported
        }) else {
            continue;
        };
        if !states.contains_key(uf) {
            states.insert(uf.clone(), (head.date.clone(), head.source.clone()));
        }
        lines.push(line);
    }
    let newest = states.values().map(|(date, _)| date).max();
    let sources: Vec<&str> = states.values().map(|(_, source)| source.as_str()).collect();
    let source = sources.join("; ");
    head.date = newest.cloned().unwrap_or_default();
    head.more = states
        .iter()
        .map(|(uf, (date, source))| format!("{uf}: {date}; {source}"))
        .collect();
    head.source = source;
    lines
}
