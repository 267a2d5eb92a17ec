//! Adapters in JavaScript: from a folder with `adapter.js` to a component.
//!
//! `componentize-qjs` puts the sources and the engine QuickJS into one component. Its
//! output differs in a few bytes from run to run, so a component is made anew only when
//! something that it is made of changed.

use anyhow::{Context as _, bail};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Entry of an adapter; a folder that has it is one in JavaScript.
pub const ENTRY: &str = "adapter.js";
/// Version of the package that makes components: each adapter's `package.json` names it.
pub const VERSION: &str = "0.4.5";
/// Environment variable with the path of the program. Where it is set, no `node_modules`
/// is looked at.
pub const PROGRAM: &str = "COMPONENTIZE_QJS";
/// The library, for adapters outside of a checkout.
pub const LIBRARY: &str = include_str!("../../../../plugins/sdk/javascript/sdk.js");

const COMPONENTIZE: &str = "componentize-qjs";
/// Folders whose files are no part of a component.
const NO_SOURCES: [&str; 3] = ["node_modules", "cases", "build"];
/// The contract, as the program reads it: a file of each package.
const CONTRACT: [(&str, &str); 3] = [
    ("adapter.wit", WORLD),
    (
        "deps/provider/provider.wit",
        include_str!("../../../../wit/0.1.0/provider.wit"),
    ),
    (
        "deps/permissions/permissions.wit",
        include_str!("../../../../wit/permissions-0.1.0/permissions.wit"),
    ),
];
/// What an adapter exports and imports, in one world.
const WORLD: &str = "package hub:javascript;
world adapter {
  include fiscal:provider/nfse-adapter@0.1.0;
  include fiscal:permissions/declares@0.1.0;
}
";

/// Whether an adapter is written in JavaScript.
pub fn is_one(folder: &Path) -> bool {
    folder.join(ENTRY).is_file()
}

/// Why no component can be made of this folder here, and what to type; None: it can.
pub fn missing(folder: &Path) -> Option<String> {
    program(folder).err()
}

/// The program, or a sentence that says what is missing and what to type.
fn program(folder: &Path) -> Result<PathBuf, String> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let node = Command::new("node")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !node.is_ok_and(|status| status.success()) {
        return Err(format!(
            "{name} is written in JavaScript and needs Node.js 18 or newer (package nodejs of Debian); then: npm install --prefix {}",
            folder.display()
        ));
    }
    if let Some(named) = std::env::var_os(PROGRAM) {
        let file = Some(PathBuf::from(named)).filter(|file| file.is_file());
        return file.ok_or_else(|| format!("{PROGRAM} names no file"));
    }
    let of = |above: &Path| above.join("node_modules/.bin").join(COMPONENTIZE);
    let nearest = folder.ancestors().map(of).find(|file| file.is_file());
    nearest.ok_or_else(|| {
        format!(
            "{name} is written in JavaScript and needs {COMPONENTIZE}: npm install --prefix {}",
            folder.display()
        )
    })
}

/// Makes the component `out/NAME.wasm` of the adapter in `folder`, unless it is there
/// and made of the same files; returns the file. Several processes may want it at once:
/// one makes it, the others wait.
///
/// # Errors
/// Node.js or the program is missing ([`missing`]), the program refuses the sources, or
/// a file cannot be read or written.
pub fn build(folder: &Path, name: &str, out: &Path) -> anyhow::Result<PathBuf> {
    base::files::folder(out)?;
    let held = File::create(out.join(format!("{name}.lock")))?;
    held.lock()?;
    let component = out.join(format!("{name}.wasm"));
    let made_of = out.join(format!("{name}.sources"));
    let digest = digest(folder)?;
    let known = std::fs::read_to_string(&made_of).unwrap_or_default();
    if component.is_file() && known == digest {
        return Ok(component);
    }
    let program = program(folder).map_err(anyhow::Error::msg)?;
    let contract = out.join(format!("{name}.wit"));
    for (file, text) in CONTRACT {
        let file = contract.join(file);
        std::fs::create_dir_all(file.parent().unwrap_or(&contract))?;
        std::fs::write(file, text)?;
    }
    let temporary = out.join(format!("{name}.wasm.tmp"));
    let done = Command::new(program)
        .arg("--wit")
        .arg(&contract)
        .arg("--js")
        .arg(folder.join(ENTRY))
        .arg("--module-root")
        .arg(root(folder))
        .args(["--world", "adapter", "--stub-wasi", "--sync", "--opt-size"])
        .arg("--output")
        .arg(&temporary)
        .stdin(Stdio::null())
        .output()
        .context("componentize-qjs cannot be started")?;
    std::fs::remove_dir_all(&contract)?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        bail!("{name} is no component: {}", said.trim());
    }
    std::fs::rename(&temporary, &component)?;
    std::fs::write(&made_of, digest)?;
    Ok(component)
}

/// What the modules of an adapter are looked for in: its folder or, where it uses the
/// library of the checkout, the folder of all adapters.
fn root(folder: &Path) -> &Path {
    match folder.parent() {
        Some(plugins) if plugins.join("sdk/javascript").is_dir() => plugins,
        _ => folder,
    }
}

/// The library of the checkout that an adapter is in.
pub fn library(folder: &Path) -> Option<PathBuf> {
    let library = root(folder).join("sdk/javascript");
    library.is_dir().then_some(library)
}

/// Digest over all that a component is made of, in hex.
fn digest(folder: &Path) -> anyhow::Result<String> {
    let mut files = Vec::new();
    visit(folder, &mut files)?;
    if let Some(library) = library(folder) {
        visit(&library, &mut files)?;
    }
    files.sort();
    let mut digest = Sha256::new();
    digest.update(VERSION);
    for file in files {
        let text = std::fs::read(&file).with_context(|| file.display().to_string())?;
        digest.update(Sha256::digest(file.to_string_lossy().as_bytes()));
        digest.update(Sha256::digest(text));
    }
    for (_, text) in CONTRACT {
        digest.update(text);
    }
    Ok(flow::hex(&digest.finalize()))
}

/// Sources below a folder.
fn visit(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !NO_SOURCES.contains(&&*name) {
            visit(&path, found)?;
        } else if path.extension().is_some_and(|kind| kind == "js") || name == "package.json" {
            found.push(path);
        }
    }
    Ok(())
}
