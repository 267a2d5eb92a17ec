//! `hub adapter new`: what it makes compiles, and its cases pass at once.

use crate::cassettes::sandbox;
use base::config::Config;
use base::files;
use flow::Loaded;
use flow::registry::{self, Registry};
use hub::adapter::scaffold::{self, New};
use hub::adapter::source::Source;
use hub::adapter::{build, conformance, inspect, javascript, player};
use hub::releases::develop;
use sim::Cities;
use std::path::Path;
use std::sync::Arc;
use tests::adapters;

#[test]
fn a_new_adapter_works_as_it_is() {
    let workspace = workspace_of_plugins();
    let new = New::of(&["cidade-nova"]).expect("arguments");
    let folder = scaffold::create(Some(&workspace), &new)
        .expect("made")
        .folder;
    let again = scaffold::create(Some(&workspace), &new).expect_err("it exists");
    assert!(again.to_string().contains("exists"), "{again}");
    let source = Source::of(&workspace, "cidade-nova");
    let component = source.build(&workspace.join("target/components"));
    let component = component.expect("builds");
    let loaded = passes(&folder, &component, "cidade-nova");
    agrees(&folder, &loaded);
    over_others(&workspace);
    // The simulator of a local hub answers as their cases show it.
    let cities = Cities::with(&workspace.join("plugins"));
    assert_eq!(cities.problems(), Vec::<String>::new());
    for name in ["cidade-nova", "cidade-abrasf"] {
        assert!(cities.names().contains(&name.to_owned()), "{name}");
    }
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

/// One over another adapter passes the case of that one, with names of its own.
fn over_others(workspace: &Path) {
    let abrasf = [
        "cidade-abrasf",
        "--base",
        "abrasf",
        "--namespace",
        "http://cidade.example/nfse.xsd",
        "--operation",
        "{metodo}Pedido",
        "--soap-namespace",
        "http://cidade.example/servico",
    ];
    let dps = ["cidade-dps", "--base", "dps", "--path", "/dps/enviar"];
    for arguments in [&abrasf[..], &dps[..]] {
        let new = New::of(arguments).expect("arguments");
        let made = scaffold::create(Some(workspace), &new).expect("made");
        let request = made.folder.join("cases/issued/01-request.toml");
        let body = made.folder.join("cases/issued/01-request.xml");
        let sent = std::fs::read_to_string(request).expect("request")
            + &std::fs::read_to_string(body).unwrap_or_default();
        for name in arguments.iter().skip(4).step_by(2) {
            let name = name.replace("{metodo}", "GerarNfse");
            assert!(sent.contains(&name), "{name}: {sent}");
        }
    }
    // A change of the library changes the component.
    let parts = Source::of(workspace, "cidade-dps").parts();
    for name in ["cidade-dps", "dps", "sdk"] {
        assert!(parts.contains(&workspace.join("plugins").join(name)));
    }
    let out = workspace.join("target/components");
    for name in ["cidade-abrasf", "cidade-dps"] {
        let component = Source::of(workspace, name).build(&out).expect("builds");
        let folder = workspace.join("plugins").join(name);
        let loaded = passes(&folder, &component, name);
        let registry = agrees(&folder, &loaded);
        // Without --test-address there is no environment for tests.
        let system = registry.system(name).expect("the system");
        assert!(system.homologacao.is_empty() && !system.production.is_empty());
        // It is found by name and by folder.
        let by = |given: &str| inspect::component(&out, given).expect(given);
        assert_eq!(by(name), component);
        assert_eq!(by(folder.to_str().expect("a path")), component);
    }
}

/// What a new adapter would ignore is refused, before anything is written.
#[test]
fn options_of_another_base_are_refused() {
    let room = tempfile::tempdir().expect("folder");
    for (base, option, wanted) in [
        ("blank", "--namespace", "belong to --base"),
        ("abrasf", "--path", "belongs to --base dps"),
        ("dps", "--operation", "belong to --base abrasf"),
    ] {
        let arguments = ["cidade", "--base", base, option, "/x"];
        let new = New::of(&arguments).expect("arguments");
        let refused = scaffold::create(Some(room.path()), &new).expect_err(option);
        assert!(refused.to_string().ends_with(wanted), "{refused}");
        assert!(!room.path().join("plugins").exists());
    }
}

/// What is not there is said with the words of whoever typed it.
#[test]
fn what_is_not_there_is_named() {
    let unknown = Source::find("cidade-nenhuma").expect_err("no adapter");
    let said = unknown.to_string();
    assert!(
        said.starts_with("cidade-nenhuma: there is no such folder"),
        "{said}"
    );
    assert!(
        said.contains("abrasf, ") && said.contains("sefaz"),
        "{said}"
    );
    let room = tempfile::tempdir().expect("folder");
    let given = room.path().to_str().expect("a path");
    let missing = inspect::component(room.path(), given).expect_err("not built");
    let said = missing.to_string();
    assert!(
        said.ends_with(&format!("hub adapter build {given}")),
        "{said}"
    );
    assert!(!said.contains(&format!("{given}{given}")), "{said}");
}

/// `hub adapter dev` says when no hub is there to use what it made.
#[test]
fn dev_says_what_it_waits_for() {
    let room = tempfile::tempdir().expect("folder");
    let mut config = Config::load(None, |_| None, &[]).expect("defaults");
    config.storage.data_dir = room.path().to_owned();
    let said = develop::waits(&config).expect("a sentence");
    assert!(said.contains("no hub runs with the data folder"), "{said}");
    let held = files::lock(&room.path().join(files::HUB)).expect("held");
    assert_eq!(develop::waits(&config).expect("nothing"), "");
    drop(held);
    config.database.url = "postgres://hub@db/hub".to_owned();
    assert_eq!(develop::waits(&config).expect("nothing"), "");
}

/// The lines made for the registry are what the component says of itself.
fn agrees(folder: &Path, loaded: &Loaded) -> Registry {
    let lines = std::fs::read_to_string(folder.join("registro.toml")).expect("registro.toml");
    let whole = format!("{}\n{lines}", registry::BUILT_IN);
    let registry = Registry::parse(&whole).expect("a registry");
    let findings = inspect::findings(loaded, &registry);
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    registry
}

/// The component loads, plays the cases of its folder and bears what each must.
fn passes(folder: &Path, component: &Path, name: &str) -> Arc<Loaded> {
    let runtime = sandbox();
    let loaded = hub::adapter::load(&runtime, component).expect("loads");
    assert_eq!(loaded.description.name, name);
    let cases = player::cases(folder).expect("cases");
    for case in &cases {
        player::play(&runtime, &loaded, case)
            .unwrap_or_else(|error| panic!("{}: {error}", case.display()));
    }
    let findings = conformance::check(&runtime, &loaded, &cases);
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    loaded
}

/// In JavaScript, in a folder that is in no checkout.
#[test]
fn a_new_adapter_in_javascript_works_as_it_is() {
    let room = tempfile::tempdir().expect("folder");
    let folder = room.path().join("cidade-js");
    let mut new = New::of(&["cidade-js", "--language", "javascript"]).expect("arguments");
    let nowhere = scaffold::create(None, &new).expect_err("no folder");
    assert!(nowhere.to_string().contains("--folder"), "{nowhere}");
    new.folder = Some(folder.clone());
    let made = scaffold::create(None, &new).expect("made");
    assert!(made.next.starts_with("npm install"), "{}", made.next);
    if let Some(why) = javascript::missing(&folder) {
        judges::skipped(why);
        return;
    }
    let given = folder.to_str().expect("a path");
    let source = Source::find(given).expect("found");
    let component = source.build(&source.scratch()).expect("builds");
    let loaded = passes(&folder, &component, "cidade-js");
    agrees(&folder, &loaded);
    // The same sources are the same component, although the program differs each time.
    let before = std::fs::read(&component).expect("component");
    source.build(&source.scratch()).expect("builds");
    assert_eq!(before, std::fs::read(&component).expect("component"));
    let entry = folder.join(javascript::ENTRY);
    std::fs::write(&entry, "export const nfse = {").expect("written");
    let refused = source.build(&source.scratch()).expect_err("no JavaScript");
    let said = refused.to_string();
    assert!(said.starts_with("cidade-js is no component"), "{said}");
}

/// In a checkout it uses the library there, and cargo leaves its folder alone.
#[test]
fn a_checkout_takes_an_adapter_in_javascript() {
    let room = tempfile::tempdir().expect("folder");
    let manifest = room.path().join("Cargo.toml");
    let text = "[workspace]\nmembers = [\"plugins/*\"]\nexclude = [\"host/hub-data\"]\n";
    std::fs::write(&manifest, text).expect("written");
    let new = New::of(&["cidade-js", "--language", "javascript"]).expect("arguments");
    let made = scaffold::create(Some(room.path()), &new).expect("made");
    assert_eq!(made.folder, room.path().join("plugins/cidade-js"));
    assert!(!made.folder.join("sdk.js").exists());
    let entry = std::fs::read_to_string(made.folder.join(javascript::ENTRY)).expect("entry");
    assert!(entry.contains("\"../sdk/javascript/sdk.js\""), "{entry}");
    let manifest = std::fs::read_to_string(manifest).expect("manifest");
    assert!(manifest.contains("exclude = [\"plugins/cidade-js\", \"host/hub-data\"]"));
    // Everything that names the version of the program names the same.
    let checkout = adapters::workspace();
    let wanted = format!("\"componentize-qjs\": \"{}\"", javascript::VERSION);
    let mut files = vec![checkout.join("tests/browser/package.json")];
    for plugin in std::fs::read_dir(checkout.join("plugins")).expect("plugins") {
        files.push(plugin.expect("entry").path().join("package.json"));
    }
    files.retain(|file| file.is_file());
    assert!(files.len() > 1, "no adapter names the program");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("package.json");
        assert!(text.contains(&wanted), "{}: {wanted}", file.display());
    }
}

/// A checkout with nothing but contract, SDK and bases, under `target/`. It builds
/// where the adapters of this checkout are built: the libraries are the same.
fn workspace_of_plugins() -> std::path::PathBuf {
    let checkout = adapters::workspace();
    let workspace = checkout.join("target/new-adapter");
    for stale in ["plugins", "tests", "wit"] {
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
    let bases = [
        "plugins/abrasf",
        "plugins/dps",
        "plugins/rps",
        "tests/judges",
    ];
    for folder in bases.into_iter().chain(["plugins/sdk", "wit"]) {
        copy(&checkout.join(folder), &workspace.join(folder));
    }
    let manifest = std::fs::read_to_string(checkout.join("Cargo.toml")).expect("Cargo.toml");
    let plugins_only: String = manifest
        .lines()
        .filter(|line| !line.starts_with("default-members"))
        .map(|line| {
            if line.starts_with("members = ") {
                "members = [\"plugins/*\", \"plugins/*/component\"]\n".to_owned()
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
    std::fs::write(workspace.join("providers.toml"), registry::BUILT_IN).expect("providers.toml");
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
