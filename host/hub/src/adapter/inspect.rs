//! What a component says about itself, and whether the registry agrees.

use super::contradictions::contradictions;
use anyhow::Context as _;
use flow::Loaded;
use flow::contract::permissions;
use flow::contract::{OptionKind as Described, OptionSpec, World};
use flow::registry::{Adapter, OptionKind as Registered, Registry};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The file that somebody means: a component, or by its name or folder an adapter of
/// which one was made in `made`.
///
/// # Errors
/// There is no such component.
pub fn component(made: &Path, given: &str) -> anyhow::Result<PathBuf> {
    let path = Path::new(given);
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let folder = path.is_dir().then(|| path.canonicalize()).transpose()?;
    let name = match &folder {
        Some(folder) => folder.file_name().context("a folder with a name")?,
        None => path.as_os_str(),
    };
    let file = made.join(format!("{}.wasm", name.to_string_lossy()));
    anyhow::ensure!(
        file.is_file(),
        "{}: there is no such component; make it first: hub adapter build {given}",
        file.display()
    );
    Ok(file)
}

/// A page for people. `size` is the component's, in bytes.
pub fn describe(loaded: &Loaded, size: usize) -> String {
    let description = &loaded.description;
    let mut page = String::new();
    let mut line = |text: String| {
        // What an adapter says of itself never begins a line. Writing to memory cannot fail.
        let _infallible = writeln!(page, "{}", text.replace('\n', " "));
    };
    line(format!("{} {}", description.name, description.version));
    line(format!("  digest      {}", loaded.digest));
    line(format!("  size        {size} bytes"));
    line(format!("  world       {}", loaded.world.interface()));
    line(format!("  schemas     {}", description.schemas.join(", ")));
    line(format!(
        "  state       version {}, continues {:?}",
        description.state_version, description.resumes
    ));
    line(format!(
        "  maintainers {}",
        description.maintainers.join(", ")
    ));
    line("imports".to_owned());
    for import in &loaded.imports {
        line(format!("  {import}"));
    }
    line("operations".to_owned());
    for operation in &description.operations {
        let kind = if operation.synchronous {
            "synchronous"
        } else {
            "asynchronous"
        };
        line(format!(
            "  {} ({kind}): {}",
            operation.name, operation.notes
        ));
    }
    line("endpoints".to_owned());
    for endpoint in &description.endpoints {
        let need = if endpoint.required {
            "required"
        } else {
            "optional"
        };
        let tls = if endpoint.client_certificate {
            ", client certificate"
        } else {
            ""
        };
        line(format!(
            "  {} ({need}{tls}): {}",
            endpoint.name, endpoint.doc
        ));
    }
    line("permissions".to_owned());
    match &loaded.permissions {
        Some(permissions) => {
            for may in permissions::lines(permissions) {
                line(format!("  {may}"));
            }
        }
        None => line("  none declared: new notes do not use it".to_owned()),
    }
    line("options".to_owned());
    for option in &description.options {
        line(format!(
            "  {} ({}): {}",
            option.name,
            constraints(option),
            option.doc
        ));
    }
    page
}

fn constraints(option: &OptionSpec) -> String {
    let kind = match option.kind {
        Described::Text => "text",
        Described::Integer => "integer",
        Described::Decimal => "decimal",
        Described::Flag => "flag",
        Described::Choice => "choice",
    };
    let mut words = vec![kind.to_owned()];
    if !option.choices.is_empty() {
        words.push(option.choices.join(" | "));
    }
    if option.required {
        words.push("required".to_owned());
    }
    if let Some(default) = &option.default {
        words.push(format!("default {default}"));
    }
    words.join(", ")
}

/// Where the registry disagrees, one sentence each: with what the component understands
/// ([`disagreements`]), and with what it may do ([`contradictions`]).
pub fn findings(loaded: &Loaded, registry: &Registry) -> Vec<String> {
    let mut findings = disagreements(loaded, registry);
    findings.extend(contradictions(loaded, registry));
    findings
}

/// Where the registry's `[adapters.<name>]` and the component disagree, one
/// sentence each. Empty: every value the registry can give is one the
/// component understands, and nothing it needs is missing.
///
/// A look-up is named by the hub's settings: the registry does not know it.
pub fn disagreements(loaded: &Loaded, registry: &Registry) -> Vec<String> {
    if loaded.world == World::Lookup {
        return Vec::new();
    }
    let description = &loaded.description;
    let Some(adapter) = registry
        .adapters()
        .find(|adapter| adapter.component == description.name)
    else {
        return vec![format!(
            "the registry has no adapter with componente = \"{}\"",
            description.name
        )];
    };
    let mut findings = Vec::new();
    endpoints(adapter, loaded, &mut findings);
    for (name, registered) in &adapter.options {
        match description
            .options
            .iter()
            .find(|option| option.name == *name)
        {
            None => findings.push(format!(
                "option {name} is in the registry and unknown to the component"
            )),
            Some(described) => {
                if !same_kind(registered.kind, described) {
                    findings.push(format!(
                        "option {name} is {:?} in the registry and {:?} in the component",
                        registered.kind, described.kind
                    ));
                }
                let ours: BTreeSet<&String> = registered.values.iter().collect();
                let theirs: BTreeSet<&String> = described.choices.iter().collect();
                if ours != theirs {
                    findings.push(format!("option {name} accepts {ours:?} in the registry and {theirs:?} in the component"));
                }
            }
        }
    }
    for option in &description.options {
        if !adapter.options.contains_key(&option.name) {
            findings.push(format!(
                "option {} of the component is missing in the registry",
                option.name
            ));
        }
    }
    findings
}

fn endpoints(adapter: &Adapter, loaded: &Loaded, findings: &mut Vec<String>) {
    let described = &loaded.description.endpoints;
    for name in &adapter.endpoints {
        if !described.iter().any(|endpoint| endpoint.name == *name) {
            findings.push(format!(
                "endpoint {name} is in the registry and unknown to the component"
            ));
        }
    }
    for endpoint in described.iter().filter(|endpoint| endpoint.required) {
        if !adapter.endpoints.contains(&endpoint.name) {
            findings.push(format!(
                "endpoint {} is required by the component and not by the registry",
                endpoint.name
            ));
        }
    }
}

/// The contract has no lists: one travels as text with commas, whose items
/// are the option's choices.
fn same_kind(registered: Registered, described: &OptionSpec) -> bool {
    match registered {
        Registered::Text => described.kind == Described::Text && described.choices.is_empty(),
        Registered::List => described.kind == Described::Text && !described.choices.is_empty(),
        Registered::Integer => described.kind == Described::Integer,
        Registered::Decimal => described.kind == Described::Decimal,
        Registered::Flag => described.kind == Described::Flag,
        Registered::Choice => described.kind == Described::Choice,
    }
}
