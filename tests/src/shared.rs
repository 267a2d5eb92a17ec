//! Official material that lives outside of the project: schemas, samples.

use std::path::PathBuf;

/// A file or folder of the official material, named by `HUB_SHARED` or
/// beside the checkout. None, with a line saying so, where there is none.
pub fn path(relative: &str) -> Option<PathBuf> {
    let root = std::env::var_os("HUB_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let path = root.join(relative);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {relative} is not here (set HUB_SHARED)");
    None
}

/// Whether a program is installed; says so when not.
pub fn program(name: &str) -> bool {
    let found = std::process::Command::new(name)
        .arg("--version")
        .output()
        .is_ok();
    if !found {
        eprintln!("skipped: {name} is not installed");
    }
    found
}
