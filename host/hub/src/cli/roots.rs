//! `hub roots`: whom the hub trusts, for what.

use super::record;
use base::config::Config;
use base::when;
use clap::Subcommand;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use store::Db;
use vault::roots::import::{self, Outcome};
use vault::roots::{Origin, Purpose, Roots};

#[derive(Subcommand)]
pub enum Command {
    /// Prints every trusted certificate: purpose, kind, end, SHA-256, holder, source.
    #[command(after_help = "Example: hub roots list --json")]
    List {
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Adds the certificates of a PEM file or folder; they count from the next start on.
    #[command(after_help = "Example: hub roots import root.pem --to server")]
    Import {
        /// PEM file, or folder of *.pem, *.crt and *.cer.
        path: PathBuf,
        /// What they are trusted for.
        #[arg(long)]
        to: Purpose,
    },
}

/// # Errors
/// A path cannot be read or written, or the database failed.
pub async fn run(command: &Command, config: &Config) -> anyhow::Result<ExitCode> {
    match command {
        Command::List { json } => {
            let roots = Roots::open(&config.storage.data_dir);
            super::listed(&if *json {
                super::as_json(&all(&roots))?
            } else {
                list(&all(&roots))
            })
        }
        Command::Import { path, to: target } => imported(path, *target, config).await,
    }
}

/// Imports certificates, and writes down which: whom a hub trusts is not changed while
/// that cannot be told.
async fn imported(path: &Path, target: Purpose, config: &Config) -> anyhow::Result<ExitCode> {
    let data_dir = &config.storage.data_dir;
    crate::boot::data_folder(config)?;
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let now_ms = base::when::system_clock()();
    let report = import::import(data_dir, path, target, now_ms)?;
    let (mut refused, mut new) = (0, Vec::new());
    for one in &report {
        let what = match &one.outcome {
            Outcome::Imported(_) => {
                new.push(one.fingerprint.as_str());
                "imported".to_owned()
            }
            Outcome::AlreadyThere => "already there".to_owned(),
            Outcome::Refused(reason) => {
                refused += 1;
                format!("refused ({reason})")
            }
        };
        if one.holder.is_empty() {
            say!("{}\t{what}", one.from.display());
        } else {
            say!(
                "{}\t{}\t{}\tends {}\t{what}",
                one.from.display(),
                one.holder,
                one.fingerprint,
                day(one.valid_until_ms)
            );
        }
    }
    if !new.is_empty() {
        let detail = format!("SHA-256 {}", new.join(", "));
        record::write(&db, "raizes.importadas", target.as_str(), &detail).await?;
    }
    say!(
        "{} for {}, {refused} refused; a running hub takes them at its next start",
        report.len() - refused,
        target.as_str()
    );
    Ok(if refused == 0 && !report.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// A certificate the hub trusts, or a file or folder of the system with many of them.
#[derive(Serialize)]
struct Listed {
    para: &'static str,
    tipo: &'static str,
    /// Day; empty: of the system's, nobody looks.
    valido_ate: String,
    sha256: String,
    titular: String,
    fonte: String,
}

fn all(roots: &Roots) -> Vec<Listed> {
    let known = roots.all().map(|known| Listed {
        para: known.purpose.as_str(),
        tipo: if known.root { "raiz" } else { "intermediaria" },
        valido_ate: day(known.facts.valid_until_ms),
        sha256: known.facts.fingerprint.clone(),
        titular: known.facts.holder.clone(),
        fonte: match &known.origin {
            Origin::Embedded {
                source: origin,
                read_on,
            } => format!("{origin} ({read_on})"),
            Origin::Imported { path } => path.display().to_string(),
        },
    });
    let mut found: Vec<Listed> = known.collect();
    let of_system = |holder: String, path: &Path| Listed {
        para: Purpose::Server.as_str(),
        tipo: "sistema",
        valido_ate: String::new(),
        sha256: String::new(),
        titular: holder,
        fonte: path.display().to_string(),
    };
    let system = roots.system();
    if let Some(file) = &system.file {
        let count = system.certificates().len();
        found.push(of_system(format!("{count} certificates"), file));
    }
    for folder in &system.folders {
        found.push(of_system("looked up by name".to_owned(), folder));
    }
    found
}

fn list(all: &[Listed]) -> String {
    let mut text = "para\ttipo\tvalido_ate\tsha256\ttitular\tfonte\n".to_owned();
    for one in all {
        text.push_str(&format!(
            "{}\t{}\t{}\t{}\t{}\t{}\n",
            one.para, one.tipo, one.valido_ate, one.sha256, one.titular, one.fonte
        ));
    }
    text
}

/// The day of a moment, in UTC.
fn day(ms: i64) -> String {
    when::rfc3339(ms).chars().take(10).collect()
}
