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

/// The same bytes with one name written over another of the same length.
pub fn renamed(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    let mut found = 0;
    while at + old.len() <= bytes.len() {
        if bytes[at..].starts_with(old.as_bytes()) {
            bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
            found += 1;
        }
        at += 1;
    }
    assert!(found > 0, "{old} is in the bytes");
    bytes
}

/// A component that imports one empty instance of this name and exports
/// nothing, written by hand (component binary format: types, then imports).
pub fn importing(name: &str) -> Vec<u8> {
    let length = u8::try_from(name.len()).expect("a short name");
    let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
    // Section 7: one type, an instance type (0x42) with no declarations.
    bytes.extend_from_slice(&[7, 3, 1, 0x42, 0]);
    // Section 10: one import, an instance (0x05) of type 0.
    bytes.extend_from_slice(&[10, length + 5, 1, 0, length]);
    bytes.extend_from_slice(name.as_bytes());
    bytes.extend_from_slice(&[5, 0]);
    bytes
}

/// The component that misbehaves so, without a declaration of what it may do: as it
/// was built before there were declarations.
pub fn undeclared(mode: &str) -> Vec<u8> {
    let declared = component(mode);
    renamed(&declared, "fiscal:permissions/", "fiscal:permissionz/")
}
