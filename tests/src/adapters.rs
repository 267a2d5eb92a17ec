//! The adapters as components, built once per test run.

use hub::adapter::build;
use hub::adapter::source::Source;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Folder with every adapter of the checkout as a component. One in JavaScript is not
/// there where Node.js or the program that makes components is missing.
///
/// # Panics
/// They do not build: no test can say anything then.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let workspace = workspace();
        let folder = workspace.join("target/test-adapters");
        for name in build::adapters(&workspace).expect("plugins folder") {
            let source = Source::of(&workspace, &name);
            if let Some(why) = source.missing() {
                // An older one would answer for what nobody can build.
                let _may_not_be_there = std::fs::remove_file(folder.join(format!("{name}.wasm")));
                judges::skipped(why);
                continue;
            }
            source
                .build(&folder)
                .unwrap_or_else(|error| panic!("adapter {name}: {error:#}"));
        }
        folder
    })
}

/// Compiled code of components, shared by all tests of a machine.
pub fn cache() -> PathBuf {
    workspace().join("target/test-adapters/cache")
}

/// Root of the checkout.
pub fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .expect("workspace")
}
