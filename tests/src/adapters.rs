//! The adapters as components, built once per test run.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Folder with every adapter of the checkout as a component.
///
/// # Panics
/// They do not build: no test can say anything then.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let workspace = workspace();
        let folder = workspace.join("target/test-adapters");
        for name in hub::adapter::build::adapters(&workspace).expect("plugins folder") {
            hub::adapter::build::build(&workspace, &name, &folder)
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
