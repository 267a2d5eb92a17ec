//! `hub adapter new`: what it makes compiles, and its case passes at once.

use crate::cassettes::sandbox;
use hub::adapter::scaffold::{self, World};
use hub::adapter::{build, conformance, player};
use std::path::Path;
use tests::adapters;

#[test]
fn a_new_adapter_works_as_it_is() {
    let workspace = workspace_of_plugins();
    let folder = scaffold::create(&workspace, "cidade-nova", World::Nfse).expect("made");
    let again = scaffold::create(&workspace, "cidade-nova", World::Nfse).expect_err("it exists");
    assert!(again.to_string().contains("exists"), "{again}");
    let component = build::build(
        &workspace,
        "cidade-nova",
        &workspace.join("target/components"),
    )
    .expect("builds");
    let runtime = sandbox();
    let loaded = hub::adapter::load(&runtime, &component).expect("loads");
    assert_eq!(loaded.description.name, "cidade-nova");
    let cases = player::cases(&folder).expect("cases");
    for case in &cases {
        player::play(&runtime, &loaded, case)
            .unwrap_or_else(|error| panic!("{}: {error}", case.display()));
    }
    let findings = conformance::check(&runtime, &loaded, &cases);
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    // A version of its own: the lock file knows another.
    let manifest = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("manifest");
    let changed = text.replace("\nversion.workspace = true", "\nversion = \"0.2.0\"");
    assert_ne!(text, changed);
    std::fs::write(&manifest, changed).expect("manifest");
    let refused = build::compile(&workspace, "adapter-cidade-nova").expect_err("it is locked");
    let said = refused.to_string();
    assert!(said.starts_with("Cargo.lock is out of date"), "{said}");
}

/// A checkout with nothing but contract and SDK, under `target/`. It builds
/// where the adapters of this checkout are built: the libraries are the same.
fn workspace_of_plugins() -> std::path::PathBuf {
    let checkout = adapters::workspace();
    let workspace = checkout.join("target/new-adapter");
    for stale in ["plugins", "wit"] {
        if workspace.join(stale).exists() {
            std::fs::remove_dir_all(workspace.join(stale)).expect("stale files");
        }
    }
    let built = workspace.join("target");
    std::fs::create_dir_all(&built).expect("target");
    if !built.join("adapters").is_symlink() {
        std::fs::create_dir_all(checkout.join("target/adapters")).expect("target/adapters");
        std::os::unix::fs::symlink("../../adapters", built.join("adapters")).expect("link");
    }
    for folder in ["plugins/sdk", "wit"] {
        copy(&checkout.join(folder), &workspace.join(folder));
    }
    let manifest = std::fs::read_to_string(checkout.join("Cargo.toml")).expect("Cargo.toml");
    let plugins_only: String = manifest
        .lines()
        .filter(|line| !line.starts_with("default-members"))
        .map(|line| {
            if line.starts_with("members = ") {
                "members = [\"plugins/*\"]\n".to_owned()
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    std::fs::write(workspace.join("Cargo.toml"), plugins_only).expect("Cargo.toml");
    std::fs::copy(checkout.join("Cargo.lock"), workspace.join("Cargo.lock")).expect("Cargo.lock");
    std::fs::copy(
        checkout.join("rust-toolchain.toml"),
        workspace.join("rust-toolchain.toml"),
    )
    .expect("rust-toolchain.toml");
    workspace
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("folder");
    for entry in std::fs::read_dir(from).expect("folder") {
        let entry = entry.expect("entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copy");
        }
    }
}
