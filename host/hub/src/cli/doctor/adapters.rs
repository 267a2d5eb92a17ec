//! Adapters: each component that new notes would use is loaded as a hub loads it.

use super::finding::Finding;
use crate::boot;
use crate::releases::short;
use base::config::{AuthoritiesMode, Config};
use flow::registry::{Registry, tier};
use flow::{Loaded, Runtime};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use store::Db;
use store::tables::releases::{self, ReleaseStatus};

const CHECK: &str = "adapters";

/// A component, where it comes from, and its bytes.
struct Component {
    place: String,
    bytes: Result<Vec<u8>, String>,
    /// Of a file of the folder: the name that it must have.
    stem: Option<String>,
}

pub async fn check(config: &Config, db: Option<&Db>) -> Vec<Finding> {
    let registry = match boot::load_registry(config) {
        Ok(registry) => registry,
        Err(error) => {
            let seen = format!("the registry cannot be used: {error:#}");
            return vec![Finding::error(
                CHECK,
                seen,
                "hub registry check FILE names every mistake; without registry.file the built-in one is used",
            )];
        }
    };
    let mut components = match of_folder(config) {
        Ok(components) => components,
        Err(finding) => return vec![finding],
    };
    if let Some(db) = db {
        match of_database(db).await {
            Ok(releases) => components.extend(releases),
            Err(error) => return vec![unasked(&error)],
        }
    }
    let settings = config.clone();
    let loading = tokio::task::spawn_blocking(move || loaded(&settings, &registry, components));
    loading.await.unwrap_or_else(|error| {
        vec![Finding::error(
            CHECK,
            format!("loading them broke off: {error}"),
            "report it with the components of the folder",
        )]
    })
}

fn unasked(error: &store::DbError) -> Finding {
    Finding::warning(
        CHECK,
        format!("the database does not tell the releases: {error}"),
        "look at the database's own log",
    )
}

/// The files of the adapters folder.
fn of_folder(config: &Config) -> Result<Vec<Component>, Finding> {
    let folder = config.adapters_folder();
    let limit = u64::try_from(config.flow.component_bytes).unwrap_or(u64::MAX);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let seen = format!("{}: {error}", folder.display());
            let advice = "check adapters.folder, and who owns it";
            return Err(Finding::error(CHECK, seen, advice));
        }
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|kind| kind == "wasm"));
    files.sort();
    let component = |file: PathBuf| Component {
        place: file.display().to_string(),
        bytes: flow::component::bounded::read(&file, limit).map_err(|error| error.to_string()),
        stem: stem(&file),
    };
    Ok(files.into_iter().map(component).collect())
}

fn stem(file: &Path) -> Option<String> {
    Some(file.file_stem()?.to_string_lossy().into_owned())
}

/// The releases that are in use, or that a part of the emitters uses.
async fn of_database(db: &Db) -> store::DbResult<Vec<Component>> {
    let mut conn = db.read().await?;
    let mut found = Vec::new();
    for release in releases::listed(&mut conn, 0).await? {
        if !matches!(
            release.status,
            ReleaseStatus::Active | ReleaseStatus::Canary
        ) {
            continue;
        }
        let bytes = releases::component(&mut conn, &release.digest).await?;
        let (status, digest) = (release.status.as_str(), short(&release.digest));
        found.push(Component {
            place: format!("release {} {digest} ({status})", release.name),
            bytes: bytes.ok_or_else(|| "the database does not have it".to_owned()),
            stem: None,
        });
    }
    Ok(found)
}

fn loaded(config: &Config, registry: &Registry, components: Vec<Component>) -> Vec<Finding> {
    let runtime = match Runtime::new(config.flow.limits()) {
        Ok(runtime) => runtime,
        Err(error) => {
            let seen = format!("the sandbox does not start: {error:#}");
            return vec![Finding::error(CHECK, seen, "check the limits of [flow]")];
        }
    };
    let cache = config.storage.data_dir.join("cache");
    let mut found = Vec::new();
    let mut names = BTreeSet::new();
    for component in components {
        let Component { place, bytes, stem } = component;
        let used = bytes.and_then(|bytes| usable(&runtime, &bytes, &cache, stem.as_deref()));
        found.push(match used {
            Ok(loaded) => {
                let name = &loaded.description.name;
                let version = &loaded.description.version;
                let systems = of_systems(registry, name);
                let speaks = loaded.world.interface();
                names.insert(name.clone());
                Finding::ok(CHECK, format!("{place}: {name} {version}, {speaks}{systems}"))
            }
            Err(error) => Finding::error(
                CHECK,
                format!("{place}: {error}"),
                "hubs leave it out; build it anew (hub adapter build) or install a release (hub adapter install)",
            ),
        });
    }
    found.extend(missing(config, registry, &names));
    found
}

/// A component as a hub loads it, from its cache where it was compiled before.
fn usable(
    runtime: &Runtime,
    bytes: &[u8],
    cache: &Path,
    stem: Option<&str>,
) -> Result<Loaded, String> {
    let loaded = runtime.load(bytes, Some(cache));
    let loaded = loaded.map_err(|error| error.to_string())?;
    loaded.declared().map_err(|error| error.to_string())?;
    let name = &loaded.description.name;
    match stem {
        Some(stem) if stem != name => Err(format!(
            "says that it is {name}, so its file must be {name}.wasm"
        )),
        _ => Ok(loaded),
    }
}

/// How many systems of the registry an adapter speaks to, by the tier that its recorded
/// cases prove.
fn of_systems(registry: &Registry, name: &str) -> String {
    let own = registry
        .systems()
        .filter(|system| system.adapter.as_deref() == Some(name));
    let mut tiers: BTreeMap<&str, usize> = BTreeMap::new();
    for system in own {
        let word = tier(&system.id).map_or("no tier", |tier| tier.as_str());
        *tiers.entry(word).or_default() += 1;
    }
    let counted = tiers.iter().map(|(word, count)| format!("{count} {word}"));
    match counted.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        counted => format!(", systems: {counted}"),
    }
}

/// What the registry or the settings name, and nobody installed.
fn missing(config: &Config, registry: &Registry, names: &BTreeSet<String>) -> Vec<Finding> {
    let mut found = Vec::new();
    let wanted: BTreeSet<&str> = registry
        .adapters()
        .map(|adapter| adapter.component.as_str())
        .collect();
    let absent: Vec<&str> = wanted
        .into_iter()
        .filter(|name| !names.contains(*name))
        .collect();
    if names.is_empty() {
        let folder = config.adapters_folder();
        let seen = format!(
            "no adapter is in {}: nothing can be issued",
            folder.display()
        );
        found.push(Finding::warning(
            CHECK,
            seen,
            "hub adapter build in a checkout, or hub adapter install FILE",
        ));
    } else if !absent.is_empty() {
        let seen = format!(
            "the registry names adapters that are not installed: {}",
            absent.join(", ")
        );
        found.push(Finding::warning(
            CHECK,
            seen,
            "notes for their systems are refused; hub adapter build or hub adapter install",
        ));
    }
    let simulated = config.authorities.mode == AuthoritiesMode::Simulator;
    let lookups = &config.lookups;
    let asks = [
        &lookups.cep,
        &lookups.company,
        &lookups.vehicle,
        &lookups.fipe,
        &lookups.coordinates,
        &lookups.route,
        &lookups.product,
    ];
    let asks = !simulated && asks.iter().any(|sources| !sources.is_empty());
    let of_settings = [
        ("payments.adapter", &config.payments.adapter, !simulated),
        ("messaging.adapter", &config.messaging.adapter, true),
        ("lookups.adapter", &lookups.adapter, asks),
    ];
    for (setting, name, used) in of_settings {
        if used && !name.is_empty() && !names.contains(name) {
            let seen = format!("{setting} names {name}, which is not installed");
            found.push(Finding::error(
                CHECK,
                seen,
                "install it (hub adapter install FILE), or empty the setting",
            ));
        }
    }
    found
}
