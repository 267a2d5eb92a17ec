//! What each system of the registry is sent: the recorded requests in
//! `sistemas/`, the messages against the system's XSD, and the order of their
//! elements against requests of other programs.

use sdk::cassette::{self, Mode};
use sdk::xml::{self, Document, Element};
use sdk::{Effect, Event, HttpRequest, Named, Step, host::FakeHost};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use toml::{Table, Value};

/// A system's XSD below `schemas/nfse-municipal`, by the root of the message.
const SCHEMAS: [(&str, &str, &str); 19] = [
    (
        "issdsf",
        "ReqEnvioLoteRPS",
        "issdsf/1.00/ReqEnvioLoteRPS.xsd",
    ),
    (
        "issdsf",
        "ReqConsultaLote",
        "issdsf/1.00/ReqConsultaLote.xsd",
    ),
    (
        "issdsf",
        "ReqConsultaNFSeRPS",
        "issdsf/1.00/ReqConsultaNFSeRPS.xsd",
    ),
    (
        "issdsf",
        "ReqCancelamentoNFSe",
        "issdsf/1.00/ReqCancelamentoNFSe.xsd",
    ),
    ("agili", "GerarNfseEnvio", "agili/1.00/nfse_v_1.00.xsd"),
    (
        "agili",
        "ConsultarNfseRpsEnvio",
        "agili/1.00/nfse_v_1.00.xsd",
    ),
    (
        "agili",
        "ConsultarNfseFaixaEnvio",
        "agili/1.00/nfse_v_1.00.xsd",
    ),
    ("agili", "CancelarNfseEnvio", "agili/1.00/nfse_v_1.00.xsd"),
    ("el", "LoteRps", "el/1.00/el-nfse.xsd"),
    (
        "equiplano",
        "enviarLoteRpsEnvio",
        "equiplano/1.00/esRecepcionarLoteRpsEnvio_v01.xsd",
    ),
    (
        "equiplano",
        "esConsultarNfsePorRpsEnvio",
        "equiplano/1.00/esConsultarNfsePorRpsEnvio_v01.xsd",
    ),
    (
        "equiplano",
        "esConsultarNfseEnvio",
        "equiplano/1.00/esConsultarNfseEnvio_v01.xsd",
    ),
    (
        "equiplano",
        "esConsultarLoteRpsEnvio",
        "equiplano/1.00/esConsultarLoteRpsEnvio_v01.xsd",
    ),
    (
        "equiplano",
        "esConsultarSituacaoLoteRpsEnvio",
        "equiplano/1.00/esConsultarSituacaoLoteRpsEnvio_v01.xsd",
    ),
    (
        "equiplano",
        "esCancelarNfseEnvio",
        "equiplano/1.00/esCancelarNfseEnvio_v01.xsd",
    ),
    (
        "nfsebrasil",
        "EnviarLoteRpsEnvio",
        "nfsebrasil/1.00/rps.xsd",
    ),
    (
        "saopaulo",
        "PedidoEnvioRPS",
        "isssaopaulo/2.00/PedidoEnvioRPS_v02.xsd",
    ),
    (
        "saopaulo",
        "PedidoConsultaNFe",
        "isssaopaulo/2.00/PedidoConsultaNFe_v02.xsd",
    ),
    (
        "saopaulo",
        "PedidoCancelamentoNFe",
        "isssaopaulo/2.00/PedidoCancelamentoNFe_v02.xsd",
    ),
];

/// Requests of other programs below `samples/nfse`, each with the system and
/// the operation it is one of.
const SAMPLES: [(&str, &str, &str); 10] = [
    (
        "conam-100",
        "emitir",
        "conam/4.00-enviarloterpsenvio-env-loterps.xml",
    ),
    (
        "conam-100",
        "cancelar",
        "conam/4.00-cancelarnfseenvio-ped-cannfse.xml",
    ),
    (
        "el-100",
        "emitir",
        "el/1.00-enviarloterpsenvio-env-loterps.xml",
    ),
    (
        "sigissweb-100",
        "emitir",
        "sigissweb/2.00-notafiscal-env-loterps.xml",
    ),
    ("ipm-100", "emitir", "ipm/1.00-gerar-req-multipart.txt"),
    ("ipm-100", "cancelar", "ipm/1.00-cancelar-req.txt"),
    (
        "ipm-100",
        "consultar-rps",
        "ipm/1.00-consultarporrps-req.txt",
    ),
    ("ipm-101", "emitir", "ipm/1.00-gerar-req-multipart.txt"),
    (
        "ipm-101",
        "cancelar",
        "ipm/1.2-cancelarnfse-ped-cannfse.xml",
    ),
    (
        "ipm-101",
        "consultar-nota",
        "ipm/1.2-consultarnfse-ped-sitnfse.xml",
    ),
];

/// The operations of a note's life, each with the case its content is of.
const LIFE: [(&str, &str); 4] = [
    ("emitir", "ipm101-emitida"),
    ("consultar-rps", "ipm100-consultar-rps"),
    ("consultar-nota", "ipm101-consulta-numero"),
    ("cancelar", "ipm101-cancelada"),
];

/// Layouts whose contents are those of a case of their own: what they have no
/// place for must be absent, or a login or a look comes first.
const OWN: [(&str, &str, &str); 22] = [
    ("giap", "emitir", "giap-emitida"),
    ("giap", "consultar-nota", "giap-consulta"),
    ("giap", "cancelar", "giap-cancelada"),
    ("aspec", "emitir", "aspec-emitida"),
    ("webfisco", "emitir", "webfisco-emitida"),
    ("issdsf", "emitir", "issdsf-emitida"),
    ("issdsf", "consultar-nota", "issdsf-consulta"),
    ("assessorpublico", "emitir", "assessorpublico-emitida"),
    (
        "assessorpublico",
        "consultar-nota",
        "assessorpublico-consulta",
    ),
    ("assessorpublico", "cancelar", "assessorpublico-cancelada"),
    ("egoverneiss", "emitir", "egoverneiss-emitida"),
    ("conam", "emitir", "conam-emitida"),
    ("conam", "consultar-rps", "conam-consultar-rps"),
    ("conam", "consultar-nota", "conam-consulta"),
    ("conam", "cancelar", "conam-cancelada"),
    ("el", "emitir", "el-emitida"),
    ("sigissweb", "emitir", "sigissweb-emitida"),
    ("sigissweb", "consultar-rps", "sigissweb-consultar-rps"),
    ("sigissweb", "cancelar", "sigissweb-cancelada"),
    ("bauhaus", "emitir", "bauhaus-emitida"),
    ("saopaulo", "emitir", "saopaulo-emitida"),
    ("sigiss", "emitir", "sigiss-emitida"),
];

/// A system of the registry with its options, as the host hands them over.
struct System {
    id: String,
    layout: String,
    options: BTreeMap<String, String>,
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every system that issues through this adapter, with the options of its
/// first city.
fn systems() -> Vec<System> {
    let path = folder().join("../../providers.toml");
    let text = std::fs::read_to_string(path).expect("providers.toml");
    let registry: Table = text.parse().expect("providers.toml");
    let all = registry["systems"].as_table().expect("systems");
    let cities = registry["municipios"].as_table().expect("municipios");
    let mut systems = Vec::new();
    for (id, system) in all {
        let mut chain = vec![system];
        while let Some(parent) = chain.last().and_then(|s| s.get("herda")) {
            chain.push(&all[parent.as_str().expect("herda")]);
        }
        let adapter = chain.iter().find_map(|s| s.get("adapter"));
        if adapter.and_then(Value::as_str) != Some("layouts") {
            continue;
        }
        let route = cities
            .values()
            .filter_map(|city| city.get("rota"))
            .find(|route| route.get("sistema").and_then(Value::as_str) == Some(id));
        let mut options = BTreeMap::new();
        for table in chain.iter().rev().copied().chain(route) {
            let table = table.get("options").and_then(Value::as_table);
            for (name, value) in table.into_iter().flatten() {
                options.insert(name.clone(), handed_over(value));
            }
        }
        systems.push(System {
            id: id.clone(),
            layout: options["leiaute"].clone(),
            options,
        });
    }
    assert!(!systems.is_empty());
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

/// What each operation sends first, after a login or a look; one the system
/// has not is left out.
fn requests(system: &System) -> Vec<(&'static str, HttpRequest)> {
    let mut found = Vec::new();
    let login = login(&system.layout);
    for (operation, usual) in LIFE {
        let own = OWN
            .iter()
            .find(|(layout, of, _)| *layout == system.layout && *of == operation);
        let case = folder().join("cases").join(own.map_or(usual, |own| own.2));
        let (op, mut ctx) = cassette::input(&case).expect("case");
        ctx.options = system
            .options
            .iter()
            .map(|(name, value)| Named {
                name: name.clone(),
                value: value.clone(),
            })
            .collect();
        ctx.secrets = ["chave_autorizacao", "senha", "token", "usuario"]
            .map(str::to_owned)
            .to_vec();
        FakeHost {
            secrets: ctx.secrets.clone(),
            ..FakeHost::current()
        }
        .install();
        let adapter = adapter_layouts::adapter();
        let mut step = (adapter.start)(op, ctx.clone());
        let changes = matches!(operation, "emitir" | "cancelar");
        for number in 1.. {
            let exchange = match step {
                Step::Send(exchange) => exchange,
                Step::Done(Err(failure)) => {
                    let missing = matches!(failure.reason, sdk::FailureReason::NotSupported(_));
                    assert!(missing, "{} {operation}: {failure:?}", system.id);
                    break;
                }
                other => panic!("{} {operation}: {other:?}", system.id),
            };
            let logs_in = login.as_deref() == Some(exchange.request.label.as_str());
            let reads = exchange.request.effect == Effect::ReadOnly;
            let before = logs_in || reads && changes && own.is_some();
            found.push((operation, exchange.request));
            step = match answer(&case, number).filter(|_| before) {
                Some(event) => (adapter.resume)(exchange.state, event, ctx.clone()),
                None => break,
            };
        }
    }
    assert!(found.iter().any(|(operation, _)| *operation == "emitir"));
    found
}

/// Label of the request by which a layout logs in.
fn login(layout: &str) -> Option<String> {
    let file = folder().join("leiautes").join(layout).join("leiaute.txt");
    let text = std::fs::read_to_string(file).expect("layout");
    let (_, section) = text.split_once("[entrar]")?;
    let (_, name) = section.split_once("operacao = ")?;
    name.lines().next().map(str::to_owned)
}

/// The recorded answer to a step of a case.
fn answer(case: &Path, number: usize) -> Option<Event> {
    let body = ["xml", "txt", "json"].iter().find_map(|extension| {
        std::fs::read(case.join(format!("{number:02}-response.{extension}"))).ok()
    })?;
    Some(Event::Response(sdk::Response {
        status: 200,
        headers: Vec::new(),
        body,
    }))
}

fn rendered(requests: &[(&'static str, HttpRequest)]) -> String {
    let mut out = String::new();
    for (operation, request) in requests {
        let certificate = if request.client_certificate {
            ", certificate"
        } else {
            ""
        };
        let path = match &request.target {
            sdk::Target::Endpoint(endpoint) => endpoint.path.as_str(),
            sdk::Target::Url(url) => url.as_str(),
        };
        let (method, label) = (&request.method, &request.label);
        writeln!(out, "=== {operation}: {method} {label} {path}{certificate}").expect("text");
        for header in &request.headers {
            writeln!(out, "{}: {}", header.name, header.value).expect("text");
        }
        writeln!(out, "\n{}\n", String::from_utf8_lossy(&request.body)).expect("text");
    }
    out
}

/// Each system is sent what its record says; `RECORD=1` writes it.
#[test]
fn each_system_is_sent_what_is_recorded() {
    let mut different = Vec::new();
    for system in systems() {
        let sent = rendered(&requests(&system));
        let path = folder().join("sistemas").join(format!("{}.txt", system.id));
        if Mode::from_env() == Mode::Record {
            std::fs::write(&path, &sent).expect("record");
            continue;
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if sent != expected {
            let lines = sent.lines().zip(expected.lines());
            let (line, (is, was)) = lines
                .enumerate()
                .find(|(_, (is, was))| is != was)
                .unwrap_or((0, ("another number of lines", "")));
            different.push(format!("{} line {}:\n- {was}\n+ {is}", system.id, line + 1));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// The XML inside a request: a file of a multipart body, a parameter of SOAP
/// as text, or the body itself.
fn message(body: &[u8]) -> Option<Document> {
    let text = String::from_utf8_lossy(body);
    let start = text.find("<?xml").or_else(|| text.find('<'))?;
    let end = text.rfind('>')?;
    let document = xml::parse(text.get(start..=end)?.as_bytes()).ok()?;
    let inner = inner_text(document.root()).and_then(|text| xml::parse(text.as_bytes()).ok());
    Some(inner.unwrap_or(document))
}

fn inner_text(element: &Element) -> Option<&str> {
    let own = Some(element.text()).filter(|text| text.starts_with('<'));
    own.or_else(|| element.children().iter().find_map(inner_text))
}

#[test]
fn messages_follow_the_schemas() {
    let Some(schemas) = judges::shared("schemas/nfse-municipal") else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let mut checked = 0;
    let mut errors = Vec::new();
    let mut check = |layout: &str, place: &str, body: &[u8]| {
        let Some(message) = message(body) else { return };
        let root = message.root().name();
        let known = SCHEMAS
            .iter()
            .find(|(of, name, _)| *of == layout && *name == root);
        let Some((.., file)) = known else { return };
        checked += 1;
        let text = with_valid_signature(message.text());
        // A key of the customer has 32 characters.
        let text = text.replace("{{secret:token:xml-text}}", &"0".repeat(32));
        // The service takes its message without the namespace of the schema.
        let bare = "<EnviarLoteRpsEnvio>";
        let own =
            "<EnviarLoteRpsEnvio xmlns=\"http://www.nfsebrasil.net.br/nfse/rps/xsd/rps.xsd\">";
        let text = text.replace(bare, own);
        if let Err(error) = validate(&schemas.join(file), &text) {
            errors.push(format!("{place} {root}:\n{error}"));
        }
    };
    for system in systems() {
        for (operation, request) in requests(&system) {
            let place = format!("{} {operation}", system.id);
            check(&system.layout, &place, &request.body);
        }
    }
    for case in cassette::cases(env!("CARGO_MANIFEST_DIR")).expect("cases") {
        let name = case
            .file_name()
            .and_then(|name| name.to_str())
            .expect("name");
        let layout = name.split('-').next().unwrap_or_default();
        for number in 1..=64 {
            for extension in ["xml", "txt"] {
                let file = case.join(format!("{number:02}-request.{extension}"));
                if let Ok(body) = std::fs::read(file) {
                    check(layout, name, &body);
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
    println!("{checked} messages follow their schemas");
}

/// The fake signature of the player is no XMLDSig; a dummy one that follows
/// the schema stands for it.
fn with_valid_signature(xml: &str) -> String {
    const OPEN: &str = "<Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\">";
    const CLOSE: &str = "</Signature>";
    let Some((before, rest)) = xml.split_once(OPEN) else {
        return xml.to_owned();
    };
    let (_, after) = rest.split_once(CLOSE).expect("signature ends");
    let algorithm = |name: &str, uri: &str| format!("<{name} Algorithm=\"{uri}\"/>");
    const C14N: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
    const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";
    let canonicalization = algorithm("CanonicalizationMethod", C14N);
    let method = algorithm("SignatureMethod", &format!("{DSIG}rsa-sha1"));
    let enveloped = algorithm("Transform", &format!("{DSIG}enveloped-signature"));
    let transform = algorithm("Transform", C14N);
    let digest = algorithm("DigestMethod", &format!("{DSIG}sha1"));
    format!(
        "{before}{OPEN}<SignedInfo>{canonicalization}{method}<Reference URI=\"\"><Transforms>{enveloped}{transform}</Transforms>\
         {digest}<DigestValue>AA==</DigestValue></Reference></SignedInfo><SignatureValue>AA==</SignatureValue>\
         <KeyInfo><X509Data><X509Certificate>AA==</X509Certificate></X509Data></KeyInfo>{CLOSE}{after}"
    )
}

fn validate(schema: &Path, xml: &str) -> Result<(), String> {
    let mut child = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .arg(schema)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    stdin
        .write_all(xml.as_bytes())
        .map_err(|error| error.to_string())?;
    drop(stdin);
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What both have stands in the same order.
fn compare(ours: &Element, theirs: &Element, path: &str, differences: &mut Vec<String>) {
    fn names<'e>(element: &'e Element, other: &Element) -> Vec<&'e str> {
        let mut names: Vec<&str> = element.children().iter().map(Element::name).collect();
        names.retain(|name| other.child(name).is_some());
        names.dedup();
        names
    }
    let (mine, other) = (names(ours, theirs), names(theirs, ours));
    if mine != other {
        differences.push(format!("{path}: {mine:?}, the sample has {other:?}"));
    }
    for child in ours.children() {
        if let Some(same) = theirs.child(child.name()) {
            compare(
                child,
                same,
                &format!("{path}/{}", child.name()),
                differences,
            );
        }
    }
}

/// The element of this name, which may stand in an envelope.
fn below<'e>(element: &'e Element, name: &str) -> Option<&'e Element> {
    if element.name() == name {
        return Some(element);
    }
    element
        .children()
        .iter()
        .find_map(|child| below(child, name))
}

#[test]
fn elements_stand_in_the_order_of_the_samples() {
    let Some(samples) = judges::shared("samples/nfse") else {
        return;
    };
    let mut differences = Vec::new();
    for system in systems() {
        let sent = requests(&system);
        for (_, operation, file) in SAMPLES.iter().filter(|(id, ..)| *id == system.id) {
            let path: PathBuf = samples.join(file);
            let theirs = message(&std::fs::read(&path).expect("sample")).expect("XML");
            let ours = sent.iter().rfind(|(name, _)| name == operation);
            let (_, ours) = ours.expect("the operation is sent");
            let ours = message(&ours.body).expect("XML");
            let path = format!("{} {file}", system.id);
            let ours = below(ours.root(), theirs.root().name()).expect("the sample's root");
            compare(ours, theirs.root(), &path, &mut differences);
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// A page of the registry for each system.
#[test]
fn each_system_has_a_page() {
    for system in systems() {
        let page = folder().join("sistemas").join(format!("{}.md", system.id));
        assert!(page.is_file(), "{} is missing", page.display());
    }
}
