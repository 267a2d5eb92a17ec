//! Hostile components: compiled once, then told how to misbehave.

use std::path::Path;
use std::sync::OnceLock;
use tests::adapters::workspace;

const MARK: &[u8] = b"HOSTILE-MODE:";
/// Bytes of the name after the mark.
const NAME: usize = 27;

/// The core module as the compiler made it.
pub fn module() -> &'static [u8] {
    static MODULE: OnceLock<Vec<u8>> = OnceLock::new();
    MODULE.get_or_init(|| {
        let file = hub::adapter::build::compile(&workspace(), "hostile")
            .unwrap_or_else(|error| panic!("{error:#}"));
        std::fs::read(file).expect("module")
    })
}

/// The component that misbehaves so.
pub fn component(mode: &str) -> Vec<u8> {
    let mut module = module().to_vec();
    let found: Vec<usize> = (0..module.len())
        .filter(|&at| module[at..].starts_with(MARK))
        .collect();
    assert_eq!(found.len(), 1, "the mark is in the module once");
    assert!(mode.len() <= NAME, "{mode} is too long");
    let name = &mut module[found[0] + MARK.len()..][..NAME];
    name.fill(b' ');
    name[..mode.len()].copy_from_slice(mode.as_bytes());
    flow::pack::componentize(&module).unwrap_or_else(|error| panic!("{mode}: {error}"))
}

/// Writes components as an operator would install them.
pub fn install(folder: &Path, modes: &[&str]) {
    for mode in modes {
        std::fs::write(folder.join(format!("hostil-{mode}.wasm")), component(mode))
            .expect("component file");
    }
}
