//! What each system of the registry is sent: the recorded requests in
//! `sistemas/`, and the messages against the system's XSD.

use crate::xsd::{messages, validate, with_valid_signatures};
use sdk::cassette::{self, Mode};
use sdk::{Context, HttpRequest, Named, Operacao, Step};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// A system's XSD below `schemas/nfse-municipal`, and the messages that the
/// system takes in another form than its schema says.
const SCHEMAS: [(&str, &str, &[&str]); 57] = [
    ("ciga-100", "ciga/1.00/nfse.xsd", &[]),
    ("ginfes-100", "ginfes/1.00/servico_{mensagem}_v03.xsd", &[]),
    // The schema of the declaration has no roots, the cancellation is the
    // second version's.
    (
        "issfortaleza-100",
        "issfortaleza/1.00/servico_{mensagem}_v03.xsd",
        &["EnviarLoteRpsEnvio", "CancelarNfseEnvio"],
    ),
    ("fisslex-100", "fisslex/1.00/nfse.xsd", &[]),
    ("horus-100", "horus/1.00/nfse.xsd", &[]),
    // Its sending has elements that the model has not.
    ("isssalvador-100", "isssalvador/1.00/nfse.xsd", &[]),
    // The request stands in no namespace, as in the system's example.
    (
        "issnet-100",
        "issnet/1.00/servico_{mensagem}.xsd",
        &["CancelarNfseEnvio"],
    ),
    ("issintel-100", "issintel/1.00/nfse.xsd", &[]),
    // The key is not in the schema.
    (
        "kalana-100",
        "kalana/1.00/nfse.xsd",
        &["EnviarLoteRpsEnvio"],
    ),
    ("metropolisweb-100", "metropolisweb/1.00/nfse.xsd", &[]),
    // The number of a note has fifteen digits, that of the test has three.
    (
        "publica-100",
        "publica/1.00/nfse.xsd",
        &["CancelarNfseEnvio", "ConsultarNfseFaixaEnvio"],
    ),
    ("speedgov-100", "speedgov/1.00/{mensagem}_v1.xsd", &[]),
    ("webiss-100", "webiss/1.00/servico_{mensagem}.xsd", &[]),
    (
        "actcon-202",
        "actcon/2.02/3101508/Homologacao/nfse_v202.xsd",
        &[],
    ),
    ("centi-202", "centi/2.02/nfse.xsd", &[]),
    ("coplan-201", "coplan/2.01/nfse.xsd", &[]),
    ("datasmart-202", "datasmart/2.02/nfse.xsd", &[]),
    ("publicsoft-203", "publicsoft/2.03/nfse.xsd", &[]),
    ("desenvolve-203", "desenvolve/2.03/nfse.xsd", &[]),
    ("dsf-203", "dsf/2.03/nfse.xsd", &[]),
    ("el-204", "el/2.04/nfse.xsd", &[]),
    ("elmar-202", "elmar/2.02/nfse.xsd", &[]),
    ("elotech-203", "elotech/2.03/nfse_v2_03.xsd", &[]),
    ("ereceita-202", "ereceita/2.02/nfse.xsd", &[]),
    ("finteliss-200", "finteliss/2.00/3136702/nfseV202.xsd", &[]),
    ("finteliss-202", "finteliss/2.02/3303609/nfseV202.xsd", &[]),
    ("finteliss-204", "finteliss/2.04/nfseV204.xsd", &[]),
    ("fiorilli-200", "fiorilli/2.00/nfse.xsd", &[]),
    ("fisco-203", "fisco/2.03/nfse.xsd", &[]),
    ("futurize-202", "futurize/2.02/nfse.xsd", &[]),
    ("gestaoiss-202", "gestaoiss/2.02/nfse.xsd", &[]),
    ("govdigital-200", "govdigital/2.00/nfse.xsd", &[]),
    ("govdigital-201", "govdigital/2.01/nfse.xsd", &[]),
    ("ipm-204", "ipm/2.04/nfse_rt.xsd", &[]),
    ("isscamacari-201", "isscamacari/2.01/nfse.xsd", &[]),
    ("isscampinas-203", "isscampinas/2.03/nfse.xsd", &[]),
    (
        "issdsf-203",
        "issdsf/2.03/nfse.xsd",
        // The service wants its queries signed, the schema has no place for it.
        &["ConsultarNfseRpsEnvio", "ConsultarNfseServicoPrestadoEnvio"],
    ),
    ("issnet-204", "issnet/2.04/nfse.xsd", &[]),
    ("isslegal-203", "isslegal/2.03/nfse.xsd", &[]),
    ("megasoft-200", "megasoft/2.00/nfse_v01.xsd", &[]),
    ("neainformatica-200", "neainformatica/2.00/nfse.xsd", &[]),
    ("prodata-201", "prodata/2.01/nfse.xsd", &[]),
    ("saatri-203", "saatri/2.03/nfse.xsd", &[]),
    ("sh3-200", "sh3/2.00/nfse.xsd", &[]),
    ("sigcorp-204", "sigcorp/2.04/nfse.xsd", &[]),
    ("sigep-200", "sigep/2.00/nfse.xsd", &[]),
    ("sistemas4r-200", "sistemas4r/2.00/nfse.xsd", &[]),
    ("dbseller-204", "dbseller/2.04/nfse.xsd", &[]),
    ("simpliss-203", "simpliss/2.03/nfse.xsd", &[]),
    ("sintese-204", "sintese/2.04/nfse.xsd", &[]),
    ("sudoeste-202", "sudoeste/2.02/nfse.xsd", &[]),
    ("sysiss-202", "sysiss/2.02/nfse.xsd", &[]),
    ("tecnos-201", "tecnos/2.01/{raiz}.xsd", &[]),
    ("tributus-204", "tributus/2.04/nfse.xsd", &[]),
    (
        "versatecnologia-204",
        "versatecnologia/2.04/3118403/nfse_v204.xsd",
        &[],
    ),
    ("tinus-203", "tinus/2.03/nfse.xsd", &[]),
    ("tiplan-203", "tiplan/2.03/nfse.xsd", &[]),
];

/// A system of the registry with its options, as the host hands them over.
struct System {
    id: String,
    options: BTreeMap<String, String>,
    refuses: Vec<String>,
}

fn registry() -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../providers.toml");
    let text = std::fs::read_to_string(&path).expect("providers.toml");
    text.parse().expect("providers.toml")
}

/// Every system that issues through this adapter.
fn systems() -> Vec<System> {
    let registry = registry();
    let all = registry["systems"].as_table().expect("systems");
    let mut systems = Vec::new();
    for (id, system) in all {
        let mut chain = vec![system];
        while let Some(parent) = chain.last().and_then(|s| s.get("herda")) {
            chain.push(&all[parent.as_str().expect("herda")]);
        }
        let of = |name: &str| chain.iter().find_map(|s| s.get(name));
        let own = of("adapter").and_then(Value::as_str) == Some("abrasf");
        // The common ancestor has no version and no municipality.
        if !own || id == "abrasf" {
            continue;
        }
        let mut options = BTreeMap::new();
        for table in chain.iter().rev().filter_map(|s| s.get("options")) {
            for (name, value) in table.as_table().expect("options") {
                options.insert(name.clone(), handed_over(value));
            }
        }
        // Namespaces of some systems are those of the city.
        for (name, value) in of_a_city(&registry, id) {
            options.insert(name.clone(), handed_over(value));
        }
        let refuses = options
            .get("servicos_ausentes")
            .cloned()
            .unwrap_or_default();
        systems.push(System {
            id: id.clone(),
            options,
            refuses: refuses.split(',').map(str::to_owned).collect(),
        });
    }
    assert!(systems.len() > 20, "only {} systems", systems.len());
    systems
}

/// Options of the first municipality of a system, where it has any.
fn of_a_city<'r>(
    registry: &'r Table,
    system: &str,
) -> impl Iterator<Item = (&'r String, &'r Value)> {
    let cities = registry["municipios"].as_table().expect("municipios");
    let route = cities
        .values()
        .filter_map(|city| city.get("rota"))
        .find(|route| route.get("sistema").and_then(Value::as_str) == Some(system));
    let options = route.and_then(|route| route.get("options")?.as_table());
    options.into_iter().flatten()
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
    ("emitir", "webiss-emitida"),
    ("consultar-rps", "webiss-consultar-rps"),
    ("consultar-nota", "webiss-consultar-nota"),
    ("cancelar", "webiss-cancelada"),
    ("substituir", "webiss-substituida"),
];

/// The first request of each operation; an operation the system has not is
/// left out.
fn requests(system: &System) -> Vec<(&'static str, HttpRequest)> {
    let mut found = Vec::new();
    for (operation, case) in LIFE {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("cases")
            .join(case);
        let (op, mut ctx) = cassette::input(&folder).expect("case");
        let op = with_more(op, system);
        ctx.options = system
            .options
            .iter()
            .map(|(name, value)| Named {
                name: name.clone(),
                value: value.clone(),
            })
            .collect();
        with_secrets(&mut ctx);
        match (adapter_abrasf::adapter().start)(op, ctx) {
            Step::Send(exchange) => found.push((operation, exchange.request)),
            Step::Done(Err(failure)) => {
                let missing = matches!(failure.reason, sdk::FailureReason::NotSupported(_));
                assert!(missing, "{} {operation}: {failure:?}", system.id);
                let said = system.refuses.iter().any(|id| id == operation)
                    || operation == "consultar-nota"
                    || system.options["versao"] == "1.00";
                assert!(said, "{} {operation}: {failure:?}", system.id);
            }
            other => panic!("{} {operation}: {other:?}", system.id),
        }
    }
    assert!(found.iter().any(|(operation, _)| *operation == "emitir"));
    found
}

/// A key of a note, generated.
const KEY: &str = "31067052290011001000124000000000020126101234567890";

/// A cancellation and a replacement with everything a system may ask for.
fn with_more(mut op: Operacao, system: &System) -> Operacao {
    // Some systems demand a code that most contents do not have.
    let added = system.options.get("acrescenta");
    if added.is_some_and(|added| added.contains("{!servico.codigo_tributacao_municipio}"))
        && matches!(op.nome.as_str(), "emitir" | "substituir")
    {
        let mut content: serde_json::Value = serde_json::from_str(&op.conteudo.json).expect("JSON");
        content["servico"]["codigo_tributacao_municipio"] = "010101".into();
        op.conteudo.json = content.to_string();
    }
    if op.nome == "cancelar" {
        let mut content: serde_json::Value = serde_json::from_str(&op.conteudo.json).expect("JSON");
        content["justificativa"] = "Valor do serviço digitado errado".into();
        content["documento"]["codigo_verificacao"] = "A1B2C3D4".into();
        content["documento"]["chave"] = KEY.into();
        op.conteudo.json = content.to_string();
    }
    if op.nome == "substituir" {
        let mut content: serde_json::Value = serde_json::from_str(&op.conteudo.json).expect("JSON");
        content["substitui"]["chave"] = KEY.into();
        op.conteudo.json = content.to_string();
    }
    op
}

fn with_secrets(ctx: &mut Context) {
    let names = ["senha", "token", "usuario"];
    ctx.secrets = names.map(str::to_owned).to_vec();
    let host = sdk::host::FakeHost {
        secrets: ctx.secrets.clone(),
        ..sdk::host::FakeHost::current()
    };
    host.install();
}

fn rendered(requests: &[(&'static str, HttpRequest)]) -> String {
    let mut out = String::new();
    for (operation, request) in requests {
        let certificate = if request.client_certificate {
            ", certificate"
        } else {
            ""
        };
        writeln!(
            out,
            "=== {operation}: {} {}{certificate}",
            request.method, request.label
        )
        .expect("text");
        for header in &request.headers {
            writeln!(out, "{}: {}", header.name, header.value).expect("text");
        }
        writeln!(out, "\n{}\n", String::from_utf8_lossy(&request.body)).expect("text");
    }
    out
}

fn recorded(system: &System) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sistemas");
    folder.join(format!("{}.txt", system.id))
}

/// Each system is sent what its record says; `RECORD=1` writes it.
#[test]
fn each_system_is_sent_what_is_recorded() {
    let record = Mode::from_env() == Mode::Record;
    let mut different = Vec::new();
    for system in systems() {
        let sent = rendered(&requests(&system));
        let path = recorded(&system);
        if record {
            std::fs::create_dir_all(path.parent().expect("folder")).expect("folder");
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

/// The messages follow the schema of their system.
#[test]
fn messages_of_each_system_follow_its_schema() {
    let Some(schemas) = judges::shared("schemas/nfse-municipal") else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let mut errors = Vec::new();
    let mut checked = 0;
    for system in systems() {
        let known = SCHEMAS.iter().find(|(id, ..)| *id == system.id);
        let Some((_, file, apart)) = known else {
            continue;
        };
        for (operation, request) in requests(&system) {
            for (root, xml) in messages(&request.body) {
                if root == "cabecalho" || apart.contains(&root.as_str()) {
                    continue;
                }
                checked += 1;
                // Some systems have one schema for each message.
                let file = file.replace("{mensagem}", &underscored(&root));
                let schema = readable(schemas.join(file.replace("{raiz}", &root)));
                let xml = with_namespace(&with_valid_signatures(&xml), &root, &schema);
                if let Err(error) = validate(&schema, &xml) {
                    errors.push(format!("{} {operation} {root}:\n{error}", system.id));
                }
            }
        }
    }
    assert!(
        errors.is_empty(),
        "{} of {checked}\n{}",
        errors.len(),
        errors.join("\n")
    );
    println!("{checked} messages follow the schemas of their systems");
}

/// The schema of Salvador names two types with a blank at the end, which no
/// schema processor finds: a copy without them.
fn readable(schema: PathBuf) -> PathBuf {
    let text = std::fs::read(&schema).expect("schema");
    let text = String::from_utf8_lossy(&text);
    let blank = |name: &str| format!("name=\"{name} \"");
    let wrong = ["tscClassTrib", "tsINDOP"].map(|name| (blank(name), format!("name=\"{name}\"")));
    if !wrong.iter().any(|(is, _)| text.contains(is)) {
        return schema;
    }
    let text = wrong
        .iter()
        .fold(text.into_owned(), |text, (is, name)| text.replace(is, name));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("isssalvador-1.00");
    std::fs::create_dir_all(&folder).expect("folder");
    let dsig = "xmldsig-core-schema20020212.xsd";
    let original = std::fs::read(schema.with_file_name(dsig)).expect("dsig");
    std::fs::write(folder.join(dsig), original).expect("copy");
    let copy = folder.join("nfse.xsd");
    std::fs::write(&copy, text).expect("copy");
    copy
}

/// "EnviarLoteRpsEnvio" as "enviar_lote_rps_envio".
fn underscored(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Some services want the messages without the namespace their schema has, or
/// with one of the service on the root alone.
fn with_namespace(xml: &str, root: &str, schema: &Path) -> String {
    let text = std::fs::read(schema).expect("schema");
    let text = String::from_utf8_lossy(&text);
    let Some((_, after)) = text.split_once("targetNamespace=\"") else {
        return xml.to_owned();
    };
    let target = after.split('"').next().unwrap_or_default();
    let own = format!("<{root} xmlns=\"{target}\">");
    let bare = format!("<{root}>");
    if xml.starts_with(&bare) {
        return xml.replacen(&bare, &own, 1);
    }
    let alone = format!("<m:{root} xmlns:m=\"");
    match xml
        .strip_prefix(&alone)
        .and_then(|rest| rest.split_once("\">"))
    {
        // More than one declaration: the message has prefixes of its own.
        Some((namespace, rest)) if namespace != target && !namespace.contains('"') => {
            format!("{own}{rest}").replace(&format!("</m:{root}>"), &format!("</{root}>"))
        }
        _ => xml.to_owned(),
    }
}
