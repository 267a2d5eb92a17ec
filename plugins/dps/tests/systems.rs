//! What each city at its own address is sent: every system of the registry
//! that issues through this adapter, against its record in `sistemas/` and
//! against the official schema.

use sdk::cassette::{self, Mode};
use sdk::{Context, HttpRequest, Named, Step, Target, gzip};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml::{Table, Value};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");
/// Namespace of the official schema.
const NAMESPACE: &str = "http://www.sped.fazenda.gov.br/nfse";

/// Ids in the places of those that a city wants empty.
const NOTE_ID: &str = "NFS41069021251843027000187000000000004226100000000420";
const DPS_ID: &str = "DPS410690225184302700018700001000000000000042";
/// What a note without its signature lacks.
const UNSIGNED: &str =
    "Missing child element(s). Expected is ( {http://www.w3.org/2000/09/xmldsig#}Signature )";

/// A system of the registry with its options, as the host hands them over.
struct System {
    id: String,
    options: BTreeMap<String, String>,
    endpoints: BTreeSet<String>,
}

/// Every city's system that issues through this adapter.
fn systems() -> Vec<System> {
    let path = Path::new(CRATE).join("../../providers.toml");
    let text = std::fs::read_to_string(path).expect("providers.toml");
    let registry: Table = text.parse().expect("providers.toml");
    let all = registry["systems"].as_table().expect("systems");
    let mut systems = Vec::new();
    for (id, system) in all {
        let mut chain = vec![system];
        while let Some(parent) = chain.last().and_then(|s| s.get("herda")) {
            chain.push(&all[parent.as_str().expect("herda")]);
        }
        let of = |name: &str| chain.iter().find_map(|s| s.get(name)?.as_str());
        // No municipality points to the common ancestor.
        if of("adapter") != Some("dps") || of("via") != Some("gateway") || id == "dps" {
            continue;
        }
        let mut options = BTreeMap::new();
        let mut endpoints = BTreeSet::from(["sefin".to_owned()]);
        for system in chain.iter().rev() {
            for (name, value) in system
                .get("options")
                .and_then(Value::as_table)
                .into_iter()
                .flatten()
            {
                options.insert(name.clone(), handed_over(value));
            }
            let addresses = system.get("producao").and_then(Value::as_table);
            endpoints.extend(
                addresses
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| name.clone()),
            );
        }
        systems.push(System {
            id: id.clone(),
            options,
            endpoints,
        });
    }
    assert!(systems.len() > 4, "only {} systems", systems.len());
    systems
}

fn handed_over(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            texts.join(",")
        }
        other => other.to_string(),
    }
}

/// The operations of a note's life, each with the case its content is of.
const LIFE: [(&str, &str); 5] = [
    ("emitir", "issued"),
    ("consultar-rps", "query-dps-found"),
    ("consultar-nota", "query-note"),
    ("cancelar", "cancelled"),
    ("substituir", "substituted"),
];

/// The first request of each operation.
fn requests(system: &System) -> Vec<(&'static str, HttpRequest)> {
    let mut found = Vec::new();
    for (operation, case) in LIFE {
        let (op, mut ctx) =
            cassette::input(&Path::new(CRATE).join("cases").join(case)).expect("case");
        ctx.options = system
            .options
            .iter()
            .map(|(name, value)| Named {
                name: name.clone(),
                value: value.clone(),
            })
            .collect();
        ctx.endpoints = system.endpoints.iter().cloned().collect();
        with_secrets(&mut ctx);
        with_address(&mut ctx);
        match (adapter_dps::adapter().start)(op, ctx) {
            Step::Send(exchange) => found.push((operation, exchange.request)),
            other => panic!("{} {operation}: {other:?}", system.id),
        }
    }
    found
}

fn with_secrets(ctx: &mut Context) {
    ctx.secrets = ["senha", "token", "usuario"].map(str::to_owned).to_vec();
    let host = sdk::host::FakeHost {
        secrets: ctx.secrets.clone(),
        documento: Some(ctx.emitente.documento.clone()),
        ..sdk::host::FakeHost::current()
    };
    host.install();
}

/// Where the emitter is: some cities take a whole note.
fn with_address(ctx: &mut Context) {
    let members = [
        ("logradouro", "Rua B"),
        ("numero", "10"),
        ("bairro", "Centro"),
        ("cep", "80010000"),
    ];
    let members = members.map(|(name, value)| Named {
        name: name.to_owned(),
        value: value.to_owned(),
    });
    ctx.emitente.extras.extend(members);
}

/// The body with its documents unpacked, which compressors pack differently.
fn unpacked(body: &[u8]) -> String {
    let text = String::from_utf8(body.to_vec()).expect("text");
    let Ok(mut json) = serde_json::from_str::<serde_json::Value>(&text) else {
        return text;
    };
    for field in json.as_object_mut().expect("object").values_mut() {
        let value = match field {
            serde_json::Value::Array(list) => &mut list[0],
            other => other,
        };
        let document = gzip::decode(value.as_str().expect("text")).expect("gzip");
        *value = String::from_utf8(document).expect("text").into();
    }
    json.to_string()
}

fn rendered(requests: &[(&'static str, HttpRequest)]) -> String {
    let mut out = String::new();
    for (operation, request) in requests {
        let Target::Endpoint(target) = &request.target else {
            panic!("{operation}: an address of its own");
        };
        let certificate = if request.client_certificate {
            ", certificate"
        } else {
            ""
        };
        writeln!(
            out,
            "=== {operation}: {} {} {}{certificate}",
            request.method, target.endpoint, target.path
        )
        .expect("text");
        for header in &request.headers {
            writeln!(out, "{}: {}", header.name, header.value).expect("text");
        }
        writeln!(out, "\n{}\n", unpacked(&request.body)).expect("text");
    }
    out
}

/// Each system is sent what its record says; `RECORD=1` writes it.
#[test]
fn each_system_is_sent_what_is_recorded() {
    let record = Mode::from_env() == Mode::Record;
    let folder = Path::new(CRATE).join("sistemas");
    let mut different = Vec::new();
    for system in systems() {
        let sent = rendered(&requests(&system));
        let path = folder.join(format!("{}.txt", system.id));
        if record {
            std::fs::create_dir_all(&folder).expect("folder");
            std::fs::write(&path, &sent).expect("record");
            continue;
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        for (line, (is, was)) in sent.lines().zip(expected.lines()).enumerate() {
            if is != was {
                different.push(format!("{} line {}:\n- {was}\n+ {is}", system.id, line + 1));
            }
        }
        if sent.lines().count() != expected.lines().count() {
            different.push(format!("{}: another number of lines", system.id));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// A call that goes to the national environment has an address there.
#[test]
fn what_goes_to_the_national_environment_has_its_address() {
    for system in systems() {
        let national = system.options.get("nacional").map_or("", String::as_str);
        let has = system.endpoints.contains("nacional");
        assert!(national.is_empty() || has, "{}: {national}", system.id);
    }
}

/// The document of a request, without its (fake) signature and in the
/// national namespace, where it is one that the schema knows.
fn document(request: &HttpRequest, root: &str) -> Option<String> {
    let body = unpacked(&request.body);
    let text = match serde_json::from_str::<serde_json::Value>(&body) {
        Ok(json) => {
            let field = json.as_object()?.values().next()?.clone();
            let text = field.as_str().or_else(|| field[0].as_str());
            text.map(str::to_owned)?
        }
        Err(_) => body,
    };
    let from = text.find(&format!("<{root} "))?;
    let end = format!("</{root}>");
    let to = text.find(&end)? + end.len();
    let mut xml = text[from..to].to_owned();
    while let (Some(from), Some(to)) = (xml.find("<Signature "), xml.find("</Signature>")) {
        xml.replace_range(from..to + "</Signature>".len(), "");
    }
    let (before, after) = xml.split_once("xmlns=\"")?;
    let (_, after) = after.split_once('"')?;
    let xml = format!("{before}xmlns=\"{NAMESPACE}\"{after}");
    // The number of a request, which layout 1.01 has no more.
    Some(
        xml.replace(" id=\"", " Id=\"")
            .replace("versao=\"1.0\"", "versao=\"1.01\"")
            .replace("versao=\"1.00\"", "versao=\"1.01\"")
            // What the city fills in.
            .replace("<infNFSe Id=\"\"", &format!("<infNFSe Id=\"{NOTE_ID}\""))
            .replace("<infDPS Id=\"\"", &format!("<infDPS Id=\"{DPS_ID}\""))
            .replace("<nNFSe>0<", "<nNFSe>1<")
            .replace("<nPedRegEvento>001</nPedRegEvento>", "")
            .replace("101101001\"", "101101\""),
    )
}

fn validate(bundle: &Path, schema: &str, xml: &str) -> Result<(), String> {
    let file: PathBuf =
        std::env::temp_dir().join(format!("dps-systems-{}.xml", std::process::id()));
    std::fs::write(&file, xml).expect("temporary file");
    let output = Command::new("xmllint")
        .args(["--noout", "--schema"])
        .arg(bundle.join(schema))
        .arg(&file)
        .output()
        .expect("xmllint");
    std::fs::remove_file(&file).expect("temporary file");
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The DPS of each system, and the request for an event where it is sent in
/// the order of the layout, follow the official schema.
#[test]
fn documents_of_each_system_follow_the_official_schema() {
    let Some(bundle) = judges::shared("schemas/nfse-nacional/v1.01-20260727") else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let mut seen = 0;
    for system in systems() {
        for (operation, request) in requests(&system) {
            let (root, schema) = match operation {
                "emitir" | "substituir" => ("DPS", "DPS_v1.01.xsd"),
                "cancelar"
                    if !system.options.contains_key("ordem_evento")
                        && system.options.get("evento_forma").map(String::as_str)
                            != Some("mensagem") =>
                {
                    ("pedRegEvento", "pedRegEvento_v1.01.xsd")
                }
                _ => continue,
            };
            if root == "DPS" && system.options.contains_key("documento") {
                let xml = document(&request, "NFSe").expect("a note");
                let found = validate(&bundle, "NFSe_v1.01.xsd", &xml).expect_err("no signature");
                let only = found.lines().filter(|line| line.contains("error")).count() == 1;
                assert!(
                    only && found.contains(UNSIGNED),
                    "{} {operation}:\n{found}",
                    system.id
                );
            }
            let xml = document(&request, root)
                .unwrap_or_else(|| panic!("{} {operation}: no {root}", system.id));
            if let Err(error) = validate(&bundle, schema, &xml) {
                panic!("{} {operation}:\n{error}", system.id);
            }
            seen += 1;
        }
    }
    println!("{seen} documents follow the official schema");
}
