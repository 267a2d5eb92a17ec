//! From an adapter's folder to a component the hub can load.

use super::javascript;
use anyhow::{Context as _, bail};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

const TARGET: &str = "wasm32-unknown-unknown";

/// The checkout this command runs in: the nearest folder above that holds
/// `plugins/sdk` and `wit`.
pub fn workspace() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let from_cargo = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    [Some(here), from_cargo]
        .into_iter()
        .flatten()
        .find_map(|start| {
            start
                .ancestors()
                .find(|dir| dir.join("plugins/sdk").is_dir() && dir.join("wit").is_dir())
                .map(Path::to_owned)
        })
}

/// Adapters of a checkout: the folders of `plugins/` whose package makes a
/// component, and those in JavaScript. The others are libraries of adapters.
///
/// # Errors
/// The folder cannot be read.
pub fn adapters(workspace: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(workspace.join("plugins"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let folder = entry.path();
        if package(&folder, &name).is_some() || javascript::is_one(&folder) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The package that makes the component of a folder in Rust: its own or, where other
/// adapters use that as a library, one inside.
fn package(folder: &Path, name: &str) -> Option<String> {
    let inside = folder.join("component/Cargo.toml");
    if inside.is_file() {
        return Some(format!("component-{name}"));
    }
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).ok()?;
    let makes = manifest.contains("cdylib");
    makes.then(|| format!("adapter-{name}"))
}

/// Compiles an adapter in Rust and wraps it as a component in `out`; returns the file.
/// Does nothing when the result is the same as before.
///
/// # Errors
/// cargo failed, the target is missing and cannot be added, or the module is
/// not an adapter.
pub fn rust(workspace: &Path, folder: &Path, name: &str, out: &Path) -> anyhow::Result<PathBuf> {
    let package = package(folder, name).unwrap_or_else(|| format!("adapter-{name}"));
    let module = compile(workspace, &package)?;
    let component = flow::pack::componentize(&std::fs::read(&module)?)
        .map_err(|error| anyhow::anyhow!("{package}: {error}"))?;
    base::files::folder(out)?;
    let file = out.join(format!("{name}.wasm"));
    if std::fs::read(&file).ok().as_deref() != Some(&component) {
        let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
        std::fs::write(&temporary, &component)?;
        std::fs::rename(&temporary, &file)?;
    }
    Ok(file)
}

/// Core module of a package of the workspace.
///
/// # Errors
/// As [`rust`].
pub fn compile(workspace: &Path, package: &str) -> anyhow::Result<PathBuf> {
    ensure_target(workspace)?;
    // A folder of its own: building an adapter never waits for the hub's build.
    let target_dir = workspace.join("target/adapters");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build
        .current_dir(workspace)
        .args([
            "build",
            "--locked",
            "--profile",
            "adapter",
            "--target",
            TARGET,
            "-p",
            package,
            "--target-dir",
        ])
        .arg(&target_dir)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("CARGO_TERM_COLOR", "never");
    let (status, said) = run(build).context("cargo cannot be started")?;
    if !status.success() {
        bail!(why(package, &said));
    }
    Ok(target_dir
        .join(TARGET)
        .join("adapter")
        .join(format!("{}.wasm", package.replace('-', "_"))))
}

/// Runs cargo to its end and returns what it said. Its progress is left out, as
/// with `--quiet`, but not that it waits for another cargo, which may be minutes.
fn run(mut cargo: Command) -> std::io::Result<(ExitStatus, String)> {
    let mut child = cargo
        .stdin(Stdio::null())
        .stdout(Stdio::inherit())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut said = String::new();
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            match progress(&line) {
                Some(("Blocking", what)) => {
                    eprintln!("another cargo runs here: {what} (until it ends)");
                }
                Some(_) => {}
                None => eprintln!("{line}"),
            }
            said.push_str(&line);
            said.push('\n');
        }
    }
    Ok((child.wait()?, said))
}

/// A line of cargo's progress: a word that ends at the 12th column, and the rest.
pub fn progress(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.split_at_checked(12)?;
    let (word, rest) = (word.trim_start(), rest.strip_prefix(' ')?);
    let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    (is_word && line.starts_with(' ')).then_some((word, rest))
}

/// Why cargo did not build a package, by what it said.
pub fn why(package: &str, said: &str) -> String {
    // "cannot update the lock file …/Cargo.lock because --locked was passed to
    // prevent this", in cargo 1.95; before, "the lock file … needs to be
    // updated but --locked was passed to prevent this".
    if said.contains("lock file") && said.contains("--locked was passed") {
        return "Cargo.lock is out of date: run `cargo metadata` (or any cargo command) once and build again".to_owned();
    }
    format!("{package} does not compile for {TARGET}")
}

/// Adds the compiler's target when it is missing.
fn ensure_target(workspace: &Path) -> anyhow::Result<()> {
    let sysroot = Command::new("rustc")
        .current_dir(workspace)
        .args(["--print", "sysroot"])
        .output()
        .context("rustc cannot be started")?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim().to_owned());
    if sysroot.join("lib/rustlib").join(TARGET).is_dir() {
        return Ok(());
    }
    let added = Command::new("rustup")
        .current_dir(workspace)
        .args(["target", "add", TARGET])
        .status();
    if added.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    bail!("adapters need the compiler's target {TARGET}: run `rustup target add {TARGET}`")
}
