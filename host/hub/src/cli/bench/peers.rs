//! The same work by programs of the Python and npm registries and by
//! `openssl speed`, in the same run: `HUB_BENCH_PYTHON` and `HUB_BENCH_NODE`
//! name interpreters that have the packages. What is not installed is told,
//! and is no failure.

use super::product::{self, Measured};
use anyhow::Context as _;
use openssl::pkey::{PKey, Private};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

/// Our measuring programs, and the setting that names who runs each.
const PROGRAMS: [(&str, &str, &str); 2] = [
    (
        "HUB_BENCH_PYTHON",
        "peers.py",
        include_str!("../../../benches/peers/peers.py"),
    ),
    (
        "HUB_BENCH_NODE",
        "peers.mjs",
        include_str!("../../../benches/peers/peers.mjs"),
    ),
];
/// Password of the PFX of one run.
const PASSWORD: &str = "bench";

/// A line a measuring program prints.
#[derive(Deserialize)]
struct Said {
    peer: String,
    what: String,
    per_second: Option<f64>,
    unit: Option<String>,
    skipped: Option<String>,
}

/// One line for each peer, ready to be printed.
pub fn lines(ours: &Measured, folder: &Path) -> Vec<String> {
    let mut lines = vec![match openssl_speed() {
        Ok(theirs) => format!(
            "NF-e of 10 items built, judged and signed / RSA-2048 signatures of `openssl speed`: {:.2}",
            ours.notes_per_s / theirs
        ),
        Err(error) => format!("openssl speed: not measured: {error:#}"),
    }];
    for (setting, name, program) in PROGRAMS {
        match run(ours, folder, setting, name, program) {
            Ok(said) => lines.extend(said.iter().map(|said| compared(ours, said))),
            Err(error) => lines.push(format!("{name}: not measured: {error:#}")),
        }
    }
    lines
}

fn compared(ours: &Measured, said: &Said) -> String {
    let Said { peer, what, .. } = said;
    let our_rate = match what.split(' ').next().unwrap_or_default() {
        "build" => ours.built_per_s,
        "sign" => ours.signed_per_s,
        "build+sign" => ours.notes_per_s,
        "validate" => ours.judged_per_s,
        "parse" => ours.parsed_mb_per_s,
        "danfe" => 1e3 / ours.danfe_ms_per_page,
        _ => return format!("{peer}, {what}: we do no such thing"),
    };
    match (said.per_second, &said.unit, &said.skipped) {
        (Some(theirs), Some(unit), _) if theirs > 0.0 => format!(
            "{peer}, {what}: ours / theirs {:.1} ({our_rate:.0} and {theirs:.1} {unit}/s)",
            our_rate / theirs
        ),
        (_, _, skipped) => format!(
            "{peer}, {what}: {}",
            skipped.as_deref().unwrap_or("no figure")
        ),
    }
}

fn run(
    ours: &Measured,
    folder: &Path,
    setting: &str,
    name: &str,
    program: &str,
) -> anyhow::Result<Vec<Said>> {
    let interpreter = std::env::var(setting)
        .map_err(|_| anyhow::anyhow!("set {setting} to an interpreter that has the packages"))?;
    let file = |name: &str, bytes: &[u8]| -> anyhow::Result<std::path::PathBuf> {
        let path = folder.join(name);
        std::fs::write(&path, bytes)?;
        Ok(path)
    };
    let mut command = Command::new(interpreter);
    command
        .arg(file(name, program.as_bytes())?)
        .arg("--note")
        .arg(file("note.xml", ours.xml.as_bytes())?)
        .arg("--key")
        .arg(file("key.pem", &ours.key.private_key_to_pem_pkcs8()?)?)
        .arg("--cert")
        .arg(file("cert.pem", &ours.certificate.to_pem()?)?)
        .arg("--pfx")
        .arg(file("a1.pfx", &pfx(ours)?)?)
        .args(["--password", PASSWORD]);
    if let Some(xsd) = std::env::var_os(product::XSD) {
        command.arg("--xsd").arg(product::schema(Some(xsd))?);
    }
    let done = command.output().context("interpreter")?;
    anyhow::ensure!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
            .lines()
            .last()
            .unwrap_or("failed")
    );
    let printed = String::from_utf8(done.stdout)?;
    let lines = printed.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| Ok(serde_json::from_str(line)?)).collect()
}

fn pfx(ours: &Measured) -> anyhow::Result<Vec<u8>> {
    let key: &PKey<Private> = &ours.key;
    let pfx = openssl::pkcs12::Pkcs12::builder()
        .name("bench")
        .pkey(key)
        .cert(&ours.certificate)
        .build2(PASSWORD)?;
    Ok(pfx.to_der()?)
}

/// RSA-2048 signatures per second of one core, as `openssl speed` counts them.
fn openssl_speed() -> anyhow::Result<f64> {
    let done = Command::new("openssl")
        .args(["speed", "-seconds", "1", "-mr", "rsa2048"])
        .output()
        .context("openssl")?;
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    // +F2:<index>:<bits>:<signatures per s>:<verifications per s>, and before
    // OpenSSL 3 the seconds of one instead.
    let line = printed
        .lines()
        .find_map(|line| line.strip_prefix("+F2:"))
        .context("openssl speed printed no result")?;
    let figure: f64 = line.split(':').nth(2).context("+F2")?.parse()?;
    anyhow::ensure!(figure > 0.0, "openssl speed measured nothing");
    Ok(if figure < 1.0 { 1.0 / figure } else { figure })
}
