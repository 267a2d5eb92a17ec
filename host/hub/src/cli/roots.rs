//! `hub roots`: whom the hub trusts, for what.

use base::config::Config;
use base::when;
use clap::Subcommand;
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use vault::roots::import::{self, Outcome};
use vault::roots::{Origin, Purpose, Roots};

#[derive(Subcommand)]
pub enum Command {
    /// Prints every trusted certificate: purpose, kind, end, SHA-256, holder, source.
    List,
    /// Adds the certificates of a PEM file or folder; they count from the next start on.
    Import {
        /// PEM file, or folder of *.pem, *.crt and *.cer.
        path: PathBuf,
        /// What they are trusted for.
        #[arg(long)]
        to: Purpose,
    },
}

/// # Errors
/// A path cannot be read or written.
pub fn run(command: &Command, config: &Config) -> anyhow::Result<ExitCode> {
    let data_dir = &config.storage.data_dir;
    match command {
        Command::List => {
            let text = list(&Roots::open(data_dir));
            match std::io::stdout().write_all(text.as_bytes()) {
                // A reader who has seen enough (`| head`).
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
                written => written?,
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Import { path, to: target } => {
            let now_ms = base::when::system_clock()();
            let report = import::import(data_dir, path, *target, now_ms)?;
            let mut refused = 0;
            for one in &report {
                let what = match &one.outcome {
                    Outcome::Imported(_) => "imported".to_owned(),
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
    }
}

fn list(roots: &Roots) -> String {
    let mut lines = vec!["para\ttipo\tvalido_ate\tsha256\ttitular\tfonte".to_owned()];
    for known in roots.all() {
        let kind = if known.root { "raiz" } else { "intermediaria" };
        let source = match &known.origin {
            Origin::Embedded {
                source: origin,
                read_on,
            } => format!("{origin} ({read_on})"),
            Origin::Imported { path } => path.display().to_string(),
        };
        lines.push(format!(
            "{}\t{kind}\t{}\t{}\t{}\t{source}",
            known.purpose.as_str(),
            day(known.facts.valid_until_ms),
            known.facts.fingerprint,
            known.facts.holder
        ));
    }
    let system = roots.system();
    let of_system = |what: String, path: String| format!("servidor\tsistema\t\t\t{what}\t{path}");
    if let Some(file) = &system.file {
        let count = system.certificates().len();
        lines.push(of_system(
            format!("{count} certificates"),
            file.display().to_string(),
        ));
    }
    for folder in &system.folders {
        lines.push(of_system(
            "looked up by name".to_owned(),
            folder.display().to_string(),
        ));
    }
    lines.join("\n") + "\n"
}

/// The day of a moment, in UTC.
fn day(ms: i64) -> String {
    when::rfc3339(ms).chars().take(10).collect()
}
