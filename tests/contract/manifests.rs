//! The YAML files of packaging/, read as those who take them read them: what they name is
//! there, and they agree with each other and with the settings.

use crate::packaging::{number_after, packaged};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use tests::adapters::workspace;

/// Prints the documents of each file. A member that is there twice would replace the
/// first: here it is refused.
const READER: &str = r#"
import json, sys, yaml

class Strict(yaml.SafeLoader):
    pass

def mapping(loader, node):
    pairs = loader.construct_pairs(node, deep=True)
    made = dict(pairs)
    if len(made) != len(pairs):
        raise yaml.MarkedYAMLError(problem="a member is there twice", problem_mark=node.start_mark)
    return made

Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
read = {}
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        read[path] = list(yaml.load_all(file, Strict))
print(json.dumps(read, default=str))
"#;

/// Documents by the path of their file below packaging/.
type Read = BTreeMap<String, Vec<Value>>;

/// YAML files below a folder, but for those with somebody's own secrets.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|end| end == "yaml")
            && !path.ends_with("kubernetes/secret.yaml")
        {
            found.push(path);
        }
    }
}

/// None: no Python of this machine reads YAML.
fn read() -> Option<Read> {
    let python = tests::python::with("yaml")?;
    let folder = workspace().join("packaging");
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let below = paths
        .iter()
        .filter_map(|path| path.strip_prefix(&folder).ok());
    let mut reader = Command::new(python);
    reader.args(["-c", READER]).args(below).current_dir(&folder);
    let ran = reader.output().expect("python");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    Some(serde_json::from_slice(&ran.stdout).expect("JSON"))
}

/// The manifests: what `kubectl apply` makes.
fn manifests(read: &Read) -> Vec<&Value> {
    let own = |path: &str| {
        let name = path.strip_prefix("kubernetes/");
        name.is_some_and(|name| name != "kustomization.yaml")
    };
    let read = read.iter().filter(|(path, _)| own(path));
    read.flat_map(|(_, documents)| documents).collect()
}

fn of_kind<'d>(documents: &[&'d Value], kind: &str) -> &'d Value {
    let mut all = documents.iter().copied();
    let found = all.find(|one| one["kind"] == kind);
    found.unwrap_or_else(|| panic!("no {kind}"))
}

/// Everything that has this name, however deep it is.
fn named<'v>(value: &'v Value, name: &str, found: &mut Vec<&'v Value>) {
    match value {
        Value::Object(members) => {
            for (key, inner) in members {
                if key == name {
                    found.push(inner);
                }
                named(inner, name, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                named(item, name, found);
            }
        }
        _ => {}
    }
}

fn all_named<'v>(documents: &[&'v Value], name: &str) -> Vec<&'v Value> {
    let mut found = Vec::new();
    for one in documents {
        named(one, name, &mut found);
    }
    found
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// Names: the members of an object, or the texts of a list up to a colon.
fn names(value: &Value) -> BTreeSet<&str> {
    match value {
        Value::Object(members) => members.keys().map(String::as_str).collect(),
        Value::Array(items) => items
            .iter()
            .map(|item| text(item).split(':').next().unwrap_or_default())
            .collect(),
        _ => BTreeSet::new(),
    }
}

/// The `name` of each item of a list.
fn item_names(list: &Value) -> BTreeSet<&str> {
    let items = list.as_array().into_iter().flatten();
    items.map(|item| text(&item["name"])).collect()
}

/// The port an address ends with.
fn port_of(address: &Value) -> u64 {
    let port = text(address).rsplit(':').next().unwrap_or_default();
    port.parse()
        .unwrap_or_else(|_| panic!("{address}: no port"))
}

/// Where the hub of the image listens.
fn image_port() -> u64 {
    number_after(&packaged("Containerfile"), "HUB_SERVER_LISTEN=0.0.0.0:")
}

/// Names of variables that are settings of a hub, each of them one it knows.
fn are_settings(environment: &Value) {
    let names = names(environment);
    assert!(!names.is_empty(), "{environment}");
    for name in &names {
        assert!(name.starts_with("HUB_"), "{name}");
    }
    let unknown = base::config::unknown(names.into_iter().map(str::to_owned));
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn every_file_is_read_and_every_manifest_has_a_name() {
    let Some(read) = read() else { return };
    assert!(read.len() >= 13, "{:?}", read.keys());
    for (path, documents) in &read {
        assert!(!documents.is_empty(), "{path}");
        for one in documents {
            assert!(one.is_object(), "{path}: {one}");
        }
    }
    let mut seen = BTreeSet::new();
    for one in manifests(&read) {
        let parts = ["/apiVersion", "/kind", "/metadata/name"];
        let [_, kind, name] = parts.map(|at| match one.pointer(at).and_then(Value::as_str) {
            Some(part) if !part.is_empty() => part,
            _ => panic!("{at} is missing: {one}"),
        });
        assert!(seen.insert((kind, name)), "{kind} {name} is there twice");
    }
}

#[test]
fn what_the_manifests_name_is_defined() {
    let Some(read) = read() else { return };
    let documents = manifests(&read);
    let defined: BTreeSet<(&str, &str)> = documents
        .iter()
        .map(|one| (text(&one["kind"]), text(&one["metadata"]["name"])))
        .collect();
    let mut used = BTreeSet::new();
    for (member, kind) in [
        ("configMapRef", "ConfigMap"),
        ("configMapKeyRef", "ConfigMap"),
        ("secretRef", "Secret"),
        ("secretKeyRef", "Secret"),
        ("secretName", "Secret"),
        ("claimName", "PersistentVolumeClaim"),
        ("serviceName", "Service"),
    ] {
        for given in all_named(&documents, member) {
            let name = text(given.get("name").unwrap_or(given));
            assert!(defined.contains(&(kind, name)), "{member}: {name}");
            used.insert(member);
        }
    }
    let some = ["claimName", "configMapRef", "secretName", "serviceName"];
    assert_eq!(used, BTreeSet::from(some));

    let set = of_kind(&documents, "StatefulSet");
    let labels = &set["spec"]["template"]["metadata"]["labels"];
    let mut found = 0;
    for member in ["selector", "podSelector", "labelSelector"] {
        for given in all_named(&documents, member) {
            let wanted = given.get("matchLabels").unwrap_or(given);
            let wanted = wanted.as_object().expect("labels");
            assert!(!wanted.is_empty(), "{given}");
            for (label, value) in wanted {
                assert_eq!(&labels[label], value, "{label}");
            }
            found += 1;
        }
    }
    assert_eq!(found, 6);

    let all = &read["kubernetes/kustomization.yaml"][0];
    let listed: BTreeSet<&str> = names(&all["resources"]);
    let there = read
        .keys()
        .filter_map(|path| path.strip_prefix("kubernetes/"));
    let there = there.map(|name| match name {
        "secret.example.yaml" => "secret.yaml",
        other => other,
    });
    let there: BTreeSet<&str> = there.filter(|name| *name != "kustomization.yaml").collect();
    assert_eq!(listed, there);
    let space = of_kind(&documents, "Namespace");
    assert_eq!(all["namespace"], space["metadata"]["name"]);
    let inner = &set["spec"]["template"]["spec"];
    assert_eq!(all["images"][0]["name"], inner["containers"][0]["image"]);
}

#[test]
fn a_container_has_its_ports_its_settings_and_its_files() {
    let Some(read) = read() else { return };
    let documents = manifests(&read);
    let set = of_kind(&documents, "StatefulSet");
    let inner = &set["spec"]["template"]["spec"];
    let container = &inner["containers"][0];
    let settings = &of_kind(&documents, "ConfigMap")["data"];
    are_settings(settings);

    let ports = container["ports"].as_array().expect("ports").iter();
    let ports: BTreeMap<&str, u64> = ports
        .map(|port| {
            let number = port["containerPort"].as_u64().expect("a number");
            (text(&port["name"]), number)
        })
        .collect();
    assert_eq!(ports["http"], image_port());
    assert_eq!(ports["metrics"], port_of(&settings["HUB_METRICS_LISTEN"]));
    let mut asked = all_named(&documents, "targetPort");
    let probes = all_named(&documents, "httpGet");
    asked.extend(probes.iter().map(|probe| &probe["port"]));
    named(of_kind(&documents, "NetworkPolicy"), "port", &mut asked);
    assert_eq!(asked.len(), 7);
    for port in asked {
        assert!(ports.contains_key(text(port)), "{port}");
    }
    let services = documents.iter().filter(|one| one["kind"] == "Service");
    for port in services.flat_map(|one| one["spec"]["ports"].as_array().expect("ports")) {
        if port["name"] == "metrics" {
            assert_eq!(port["port"].as_u64(), Some(ports["metrics"]));
        }
    }

    let volumes = &container["volumeMounts"];
    assert_eq!(item_names(volumes), item_names(&inner["volumes"]));
    let volumes = volumes.as_array().expect("volumes");
    assert!(volumes.iter().any(|volume| volume["mountPath"] == "/data"));
    let secrets = volumes.iter().find(|volume| volume["name"] == "secrets");
    let secrets = text(&secrets.expect("secrets")["mountPath"]);
    let named_files: BTreeSet<&str> = settings
        .as_object()
        .expect("settings")
        .iter()
        .filter(|(name, _)| name.ends_with("_FILE"))
        .map(|(name, path)| {
            let file = text(path).strip_prefix(secrets);
            let file = file.and_then(|file| file.strip_prefix('/'));
            file.unwrap_or_else(|| panic!("{name} is not in {secrets}"))
        })
        .collect();
    let given = &of_kind(&documents, "Secret")["stringData"];
    assert_eq!(named_files, names(given));
}

#[test]
fn what_the_compose_file_names_is_defined() {
    let Some(read) = read() else { return };
    let whole = &read["compose.yaml"][0];
    let services = whole["services"].as_object().expect("services");
    for list in ["networks", "secrets", "volumes"] {
        let used: BTreeSet<&str> = services
            .values()
            .flat_map(|service| names(&service[list]))
            .collect();
        assert!(!used.is_empty(), "{list}");
        assert_eq!(used, names(&whole[list]), "{list}");
    }
    for (name, service) in services {
        let others = service["depends_on"].as_object().into_iter().flatten();
        for (other, how) in others {
            let other = services.get(other).unwrap_or_else(|| panic!("no {other}"));
            assert_eq!(how["condition"], "service_healthy", "{name}");
            let checked = other["healthcheck"]["test"].as_array();
            assert!(checked.is_some_and(|words| words.len() > 1), "{other}");
        }
        let environment = service["environment"].as_object().expect("variables");
        for (variable, value) in environment {
            let Some(secret) = text(value).strip_prefix("/run/secrets/") else {
                assert!(!variable.ends_with("_FILE"), "{variable}");
                continue;
            };
            assert!(names(&service["secrets"]).contains(secret), "{variable}");
        }
    }
    let hub = &services["hub"];
    let depends_on = names(&hub["depends_on"]);
    assert_eq!(depends_on, BTreeSet::from(["postgres", "s3"]));
    are_settings(&hub["environment"]);

    let build = workspace()
        .join("packaging")
        .join(text(&hub["build"]["context"]));
    let file = build.join(text(&hub["build"]["dockerfile"]));
    assert!(file.is_file(), "{}", file.display());
    let published = hub["ports"].as_array().expect("ports");
    for port in published {
        assert!(text(port).starts_with("127.0.0.1:"), "{port}");
        assert_eq!(port_of(port), image_port());
    }
    let objects = &hub["environment"]["HUB_STORAGE_S3_ENDPOINT"];
    let host = text(objects)
        .strip_prefix("http://")
        .and_then(|rest| rest.split(':').next());
    let server = &services[host.expect("a host")];
    assert_eq!(
        port_of(objects),
        port_of(&server["environment"]["VGW_PORT"])
    );
    let both = [&hub["networks"], &server["networks"]].map(names);
    assert!(!both[0].is_disjoint(&both[1]), "{both:?}");
}

#[test]
fn prometheus_asks_the_hub_of_the_compose_file() {
    let Some(read) = read() else { return };
    let own = &read["prometheus/prometheus.yaml"][0];
    for file in own["rule_files"].as_array().expect("files") {
        let path = format!("prometheus/{}", text(file));
        assert!(read.contains_key(&path), "{path}");
    }
    let target = &own["scrape_configs"][0]["static_configs"][0]["targets"][0];
    let services = &read["compose.yaml"][0]["services"];
    let host = text(target).split(':').next().unwrap_or_default();
    let listen = &services[host]["environment"]["HUB_METRICS_LISTEN"];
    assert_eq!(port_of(target), port_of(listen));
}

/// Where Docker with its plugin is on the machine: CI has none.
#[test]
fn compose_takes_its_file() {
    let asked = Command::new("docker").args(["compose", "version"]).output();
    if !asked.is_ok_and(|asked| asked.status.success()) {
        return;
    }
    let file = workspace().join("packaging/compose.yaml");
    let mut compose = Command::new("docker");
    compose
        .args(["compose", "-f"])
        .arg(file)
        .args(["config", "-q"]);
    let judged = compose.output().expect("docker");
    let said = String::from_utf8_lossy(&judged.stderr);
    assert!(judged.status.success(), "{said}");
}

/// Where kubectl is on the machine: CI has none.
#[test]
fn the_manifests_are_taken() {
    let folder = tempfile::tempdir().expect("folder");
    let manifests = workspace().join("packaging/kubernetes");
    for entry in std::fs::read_dir(manifests).expect("manifests").flatten() {
        let name = entry.file_name();
        let name = if name == "secret.example.yaml" {
            OsString::from("secret.yaml")
        } else {
            name
        };
        std::fs::copy(entry.path(), folder.path().join(name)).expect("a copy");
    }
    let mut program = Command::new("kubectl");
    let Ok(judged) = program.arg("kustomize").arg(folder.path()).output() else {
        return;
    };
    let said = String::from_utf8_lossy(&judged.stderr);
    assert!(judged.status.success(), "{said}");
}
