//! `hub data`: reference data that is built in and that was imported.

use super::record::{self, by_command};
use ::accounts::operator::{self, Done};
use base::config::Config;
use base::when;
use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use datasets::formats::{Options, official, sources};
use datasets::import::{self, Edition, Ended, Order, Outcome};
use datasets::progress::Progress;
use datasets::rates::tables::{Change, Follower};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::convert::Infallible;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use store::tables::editions::{self, DatasetKind, EditionRow, EditionStatus};
use store::{Db, TxError};

#[derive(Subcommand)]
pub enum Command {
    /// Prints every table: kind, state, version, rows, status, last day in force, source.
    #[command(after_help = "Example: hub data list --json")]
    List {
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Imports official files, or the operator's own. Hubs may run meanwhile:
    /// they answer from the edition of before until the new one is whole.
    #[command(after_help = "Example: hub data import ibpt TabelaIBPTax.zip --dry-run")]
    Import {
        /// `ibpt` (zip or csv), `mva` (csv), `produtos` (csv), `off` (jsonl.gz), `ncm`
        /// (json; xlsx of units), `tipi` (xlsx), `cest` (csv), `anp` (xlsx), `cbenef`
        /// (csv of a state), `cclasstrib` (xlsx), `bancos` (csv of STR or PIX), `cnpj`,
        /// `cnefe`, `edne` (zips, or a folder with them).
        #[arg(value_parser = kinds(), hide_possible_values = true)]
        kind: DatasetKind,
        /// The files; a zip or gz is read as it is.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Reads everything and says what would change; writes nothing.
        #[arg(long)]
        dry_run: bool,
        /// State of a file whose name does not say it; of `cnpj`, the states that are
        /// kept: `SP,RJ`.
        #[arg(long)]
        uf: Option<String>,
        /// Of `cnpj`, keeps active establishments alone.
        #[arg(long)]
        only_active: bool,
        /// Day that an official table shows, AAAA-MM-DD, where the file does not say
        /// it. Without it: today.
        #[arg(long)]
        date: Option<String>,
        /// Takes an edition with less than half of the rows of the active one; of an
        /// official table, with less than nine tenths.
        #[arg(long)]
        fewer: bool,
        /// Takes an official table that is older than the active edition.
        #[arg(long)]
        older: bool,
    },
    /// Gives the active edition of a kind up: the one before answers again, or the
    /// built-in table. The next import, of any kind, deletes the rows of the edition
    /// that was given up.
    #[command(after_help = "Example: hub data undo cbenef --state RJ")]
    Undo {
        #[arg(value_parser = kinds())]
        kind: DatasetKind,
        /// State of a table of one state, or list of its kind (`str`, `spi`, `utrib`).
        #[arg(long, default_value = "")]
        state: String,
    },
    /// Says how old each imported kind is and where its official source is;
    /// downloads nothing.
    #[command(after_help = "Example: hub data update --json")]
    Update {
        /// For programs.
        #[arg(long)]
        json: bool,
    },
}

/// The words of the kinds: a wrong one is refused with the list.
fn kinds() -> impl TypedValueParser<Value = DatasetKind> {
    let words = DatasetKind::ALL.iter().map(|kind| kind.as_str());
    PossibleValuesParser::new(words).try_map(|word| word.parse::<DatasetKind>())
}

/// # Errors
/// The database cannot be opened, or a file is refused.
pub async fn run(command: Command, config: &Config) -> anyhow::Result<ExitCode> {
    crate::boot::data_folder(config)?;
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let clock = when::system_clock();
    let today = when::today(clock(), "DF").to_string();
    match command {
        Command::List { json } => {
            let imported = imported(&db).await?;
            let mut follower = Follower::default();
            let changes = follower.refresh(&db).await?;
            let tables = tables(&imported, &follower, &today);
            let unserved = unserved(&changes);
            super::listed(&if json {
                let report = Report { tables, unserved };
                super::as_json(&report)?
            } else {
                list(&tables, &unserved)
            })
        }
        Command::Update { json } => {
            let ages = ages(&imported(&db).await?, clock(), &today);
            super::listed(&if json {
                super::as_json(&ages)?
            } else {
                update(&ages)
            })
        }
        Command::Undo { kind, state } => super::listed(&undo(&db, kind, &state, clock()).await?),
        Command::Import {
            kind,
            files,
            dry_run,
            uf,
            date,
            only_active,
            fewer,
            older,
        } => {
            let order = Order {
                kind,
                paths: files,
                options: Options {
                    uf,
                    today,
                    date,
                    fewer,
                    only_active,
                    older,
                },
                dry_run,
            };
            let progress = Arc::new(Progress::default());
            let shown = show(progress.clone());
            let outcome = import::run(&db, &clock, &order, &progress).await;
            shown.abort();
            let outcome = outcome?;
            note(&db, kind, &outcome).await?;
            eprint!("{}", problems(&outcome));
            super::listed(&told(kind, &outcome))?;
            Ok(match outcome.ended {
                Ended::Refused => ExitCode::FAILURE,
                Ended::Imported | Ended::DryRun | Ended::Unchanged => ExitCode::SUCCESS,
            })
        }
    }
}

/// Writes down which editions were imported.
async fn note(db: &Db, kind: DatasetKind, outcome: &Outcome) -> anyhow::Result<()> {
    if outcome.ended != Ended::Imported {
        return Ok(());
    }
    let named = |one: &Edition| format!("{} {}", one.label.scope, one.label.version);
    let editions = outcome.editions.iter().map(named);
    let editions: Vec<String> = editions.map(|name| name.trim().to_owned()).collect();
    let detail = editions.join(", ");
    record::write(db, "dados.importados", kind.as_str(), &detail).await
}

/// Gives an edition up; what answers then.
async fn undo(db: &Db, kind: DatasetKind, state: &str, now_ms: i64) -> anyhow::Result<String> {
    let input = (kind, state.to_owned(), now_ms, by_command());
    let undone = db.write(input, |(kind, state, now_ms, operator), conn| {
        Box::pin(async move {
            let undone = editions::undo(conn, *kind, state, *now_ms).await?;
            if undone {
                let done = Done {
                    account: None,
                    action: "dados.desfeitos",
                    target: kind.as_str(),
                    detail: state,
                };
                operator::record(conn, &done, operator).await?;
            }
            Ok::<_, TxError<Infallible>>(undone)
        })
    });
    let undone = undone.await?;
    let mut conn = db.read().await?;
    if !undone {
        let all = editions::all(&mut conn).await?;
        anyhow::bail!("{}", nothing_to_undo(&all, kind, state));
    }
    let active = editions::active(&mut conn, kind, state).await?;
    Ok(match active {
        Some(edition) => format!("active again: {kind} {}\n", edition.version),
        None => format!("no edition is active now{}\n", answers_then(kind, state)),
    })
}

/// Why nothing was given up, and what to do.
fn nothing_to_undo(all: &[EditionRow], kind: DatasetKind, state: &str) -> String {
    let active = all
        .iter()
        .filter(|edition| edition.kind == kind && edition.status == EditionStatus::Active);
    let scopes: Vec<&str> = active
        .map(|edition| edition.scope.as_str())
        .filter(|scope| !scope.is_empty())
        .collect();
    if state.is_empty() && !scopes.is_empty() {
        return format!(
            "name the edition of {kind} with --state; active: {}",
            scopes.join(", ")
        );
    }
    let of_state = match state {
        "" => String::new(),
        state => format!(" of {state}"),
    };
    let then = answers_then(kind, state);
    format!("no edition of {kind}{of_state} is active{then}")
}

/// What answers without an edition, as the end of a sentence.
fn answers_then(kind: DatasetKind, state: &str) -> &'static str {
    match official::built_in(kind, state) {
        Some(_) => ": the built-in table answers",
        None => "",
    }
}

async fn imported(db: &Db) -> anyhow::Result<Vec<EditionRow>> {
    let mut conn = db.read().await?;
    Ok(editions::all(&mut conn).await?)
}

/// Shows on a terminal how far it has come, until it is told to stop.
pub(super) fn show(progress: Arc<Progress>) -> tokio::task::AbortHandle {
    // Hidden where standard error is no terminal.
    let bar = ProgressBar::new(0);
    let style = "{msg:10} {bar:40} {percent:>3}% {elapsed}";
    bar.set_style(
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    let showing = tokio::spawn(async move {
        let clear = Clear(bar);
        loop {
            let (stage, done, total) = progress.now();
            clear.0.set_message(stage.name());
            clear.0.set_length(total);
            clear.0.set_position(done.min(total));
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    showing.abort_handle()
}

/// Takes the bar away when the task that shows it ends.
struct Clear(ProgressBar);

impl Drop for Clear {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// The lines that were left out, and those that may have been cut.
fn problems(outcome: &Outcome) -> String {
    let report = &outcome.report;
    let mut text = String::new();
    for problem in report.shown.iter().chain(&report.unended) {
        text.push_str(&format!(
            "{}:{}: {}\n",
            problem.file, problem.line, problem.reason
        ));
    }
    let more = usize::try_from(report.wrong).unwrap_or(usize::MAX) - report.shown.len();
    if more > 0 {
        text.push_str(&format!("and {more} more\n"));
    }
    text
}

/// What came of it.
fn told(kind: DatasetKind, outcome: &Outcome) -> String {
    let mut text = String::new();
    for edition in &outcome.editions {
        text.push_str(&format!("{}\n", changed(kind, edition)));
        for one in &edition.changes.shown {
            let what = if one.gone { "gone" } else { "changed" };
            text.push_str(&format!("  {what}: {}\n", one.key));
        }
    }
    let report = &outcome.report;
    let lines = format!(
        "{}, {} left out on purpose, {} wrong",
        counted(report.lines, "line"),
        report.skipped,
        report.wrong
    );
    let ended = match outcome.ended {
        Ended::Imported => "imported and active",
        Ended::DryRun => "nothing was written (--dry-run)",
        Ended::Unchanged => "these files are active already; nothing was written",
        Ended::Refused => "refused: more than 1% of the lines are wrong; nothing was written",
    };
    text.push_str(&format!("{lines}: {ended}\n"));
    text
}

fn changed(kind: DatasetKind, edition: &Edition) -> String {
    let label = &edition.label;
    let changes = &edition.changes;
    let before = match (&changes.active, &changes.built_in) {
        (Some(active), _) => format!("before: {}", active.version),
        (None, Some(date)) => format!("before: {date}, built in"),
        (None, None) => "none before".to_owned(),
    };
    let rows = counted(edition.rows, "row");
    if !changes.compared {
        return format!(
            "{kind}\t{}\t{}\t{rows} ({before})",
            label.scope, label.version
        );
    }
    format!(
        "{kind}\t{}\t{}\t{rows}: {} new, {} changed, {} gone ({before})",
        label.scope, label.version, changes.new, changes.changed, changes.gone
    )
}

/// `1 row`, `2 rows`.
fn counted<N: PartialEq + From<u8> + std::fmt::Display>(count: N, what: &str) -> String {
    let end = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{end}")
}

/// A table, as `hub data list` tells it.
#[derive(Serialize)]
struct Listed<'a> {
    table: &'a str,
    /// Of a table of one state, or list of its kind; empty: of all.
    state: &'a str,
    version: &'a str,
    rows: i64,
    status: &'static str,
    /// Last day in force; empty: nobody says.
    until: &'a str,
    expired: bool,
    source: &'a str,
}

/// What `hub data list --json` prints.
#[derive(Serialize)]
struct Report<'a> {
    tables: Vec<Listed<'a>>,
    /// Active editions that do not answer, each with the reason.
    unserved: Vec<String>,
}

fn tables<'a>(imported: &'a [EditionRow], follower: &Follower, today: &str) -> Vec<Listed<'a>> {
    let mut found = Vec::new();
    for now in data::versions::all() {
        let Some(table) = data::versions::embedded(now.name) else {
            continue;
        };
        // Another text than the built-in one answers.
        let status = if now == table {
            "built in"
        } else {
            "built in, replaced"
        };
        found.push(Listed {
            table: table.name,
            state: "",
            version: table.date,
            rows: i64::try_from(table.rows).unwrap_or(i64::MAX),
            status,
            until: "",
            expired: false,
            source: table.source,
        });
    }
    for edition in imported {
        let until = edition.valid_until.as_str();
        let status = match edition.status {
            EditionStatus::Loading => "loading",
            EditionStatus::Active if follower.serves(edition.id) => "active, answers",
            EditionStatus::Active => "active",
            EditionStatus::Previous => "previous",
            EditionStatus::Retired => "being deleted",
        };
        found.push(Listed {
            table: edition.kind.as_str(),
            state: &edition.scope,
            version: &edition.version,
            rows: edition.row_count,
            status,
            until,
            expired: !until.is_empty() && until < today,
            source: &edition.source,
        });
    }
    found
}

/// Active editions that do not answer.
fn unserved(changes: &[Change]) -> Vec<String> {
    let refused = changes.iter().filter_map(|change| match change {
        Change::Refused { table, why } => {
            Some(format!("{table}: an active edition does not answer: {why}"))
        }
        _ => None,
    });
    refused.collect()
}

fn list(tables: &[Listed<'_>], unserved: &[String]) -> String {
    let mut text = "table\tstate\tversion\trows\tstatus\tuntil\tsource\n".to_owned();
    for table in tables {
        let expired = if table.expired { " EXPIRED" } else { "" };
        text.push_str(&format!(
            "{}\t{}\t{}\t{}\t{}\t{}{expired}\t{}\n",
            table.table,
            table.state,
            table.version,
            table.rows,
            table.status,
            table.until,
            table.source
        ));
    }
    for line in unserved {
        text.push_str(&format!("{line}\n"));
    }
    text
}

/// How old a kind is, and where its file is published.
#[derive(Serialize)]
struct Age {
    kind: DatasetKind,
    /// Days since the oldest active edition; null: it was never imported.
    days: Option<i64>,
    /// Active editions that are not in force any more.
    expired: usize,
    cadence: &'static str,
    place: &'static str,
}

fn ages(imported: &[EditionRow], now_ms: i64, today: &str) -> Vec<Age> {
    let of_source = |source: &sources::Source| {
        let active: Vec<&EditionRow> = imported
            .iter()
            .filter(|edition| edition.kind == source.kind)
            .filter(|edition| edition.status == EditionStatus::Active)
            .collect();
        let oldest = active.iter().map(|edition| edition.created_at_ms).min();
        let ended = active.iter().filter(|edition| {
            !edition.valid_until.is_empty() && edition.valid_until.as_str() < today
        });
        Age {
            kind: source.kind,
            days: oldest.map(|ms| (now_ms - ms) / 86_400_000),
            expired: ended.count(),
            cadence: source.cadence,
            place: source.place,
        }
    };
    sources::ALL.iter().map(of_source).collect()
}

fn update(ages: &[Age]) -> String {
    let mut text = String::new();
    for age in ages {
        let since = match age.days {
            None => "not imported".to_owned(),
            Some(days) => format!("imported {days} days ago"),
        };
        let expired = if age.expired > 0 {
            format!(", {} expired", age.expired)
        } else {
            String::new()
        };
        text.push_str(&format!(
            "{}\t{since}{expired}\t{}\t{}\thub data import {} FILE\n",
            age.kind, age.cadence, age.place, age.kind
        ));
    }
    text
}
