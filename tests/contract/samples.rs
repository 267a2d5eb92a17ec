//! What each municipal system is sent, against requests that other programs send it:
//! the order of elements, their namespaces and their attributes. `samples.csv` lists
//! every difference with its reason, and every message that is not sent.
//!
//! The recorded requests are those of `plugins/*/sistemas/*.txt`; the samples stand in
//! `samples/nfse` of the shared folder, by system and version. `RECORD=1` writes the
//! list anew and keeps the reasons that still have a difference.

use markup::xml::{Document, Element};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use tests::adapters::workspace;

/// Samples of a form of a system that has another name in the registry.
const OTHER_NAMES: [(&str, &str); 22] = [
    ("centi-200", "centi-202"),
    ("conam-200", "conam-100"),
    ("conam-400", "conam-100"),
    ("coplan-202", "coplan-201"),
    ("coplan-203", "coplan-201"),
    ("el-101", "el-100"),
    ("fiorilli-201", "fiorilli-200"),
    ("ginfes-200", "ginfes-100"),
    ("ginfes-300", "ginfes-100"),
    ("ginfes-301", "ginfes-100"),
    ("ginfes-400", "ginfes-100"),
    ("ipm-120", "ipm-101"),
    ("issdsf-300", "issfortaleza-100"),
    ("issfortaleza-400", "issfortaleza-100"),
    ("isssaopaulo-200", "isssaopaulo-100"),
    ("padraonacional-101", "issdigital-dps"),
    ("primax-101", "primax-100"),
    ("publica-300", "publica-100"),
    ("sigiss-103", "sigiss-101"),
    ("sigiss-300", "sigiss-100"),
    ("sigissweb-200", "sigissweb-100"),
    ("tecnos-100", "tecnos-201"),
];
/// Elements that are compared where the message around them is another one.
const PARTS: [&str; 3] = ["LoteRps", "Rps", "RPS"];
/// What the list says of a message that no recorded request has.
const NOT_SENT: &str = "not sent";

/// The documents of each system's recorded requests, the innermost last.
fn recorded() -> BTreeMap<String, Vec<String>> {
    let mut systems = BTreeMap::new();
    for adapter in ["abrasf", "dps", "layouts"] {
        let folder = workspace().join("plugins").join(adapter).join("sistemas");
        for entry in std::fs::read_dir(folder).expect("systems") {
            let path = entry.expect("entry").path();
            if path.extension().is_none_or(|ending| ending != "txt") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("record");
            let requests = text
                .split("\n=== ")
                .filter_map(|one| one.split_once("\n\n"));
            let documents = requests.flat_map(|(_, body)| documents(&without_secrets(body)));
            let name = path.file_stem().expect("name").to_string_lossy();
            systems.insert(name.into_owned(), documents.collect());
        }
    }
    systems
}

/// Placeholders as text that may stand anywhere.
fn without_secrets(text: &str) -> String {
    let mut parts = text.split("{{");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut out, part| {
        out.push('0');
        out.push_str(part.split_once("}}").map_or(part, |(_, rest)| rest));
        out
    })
}

/// The document in a text, and those that stand in its elements as text.
fn documents(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(text) {
        let texts = fields.values().filter_map(serde_json::Value::as_str);
        return texts.flat_map(documents).collect();
    }
    let (Some(start), Some(end)) = (text.find('<'), text.rfind('>')) else {
        return Vec::new();
    };
    let own = text.get(start..=end).unwrap_or_default().to_owned();
    let Ok(document) = Document::parse(&own) else {
        return Vec::new();
    };
    let inner = document
        .elements()
        .map(|element| element.text().trim().to_owned());
    let inner: Vec<String> = inner.filter(|text| text.starts_with('<')).collect();
    let inner: Vec<String> = inner.iter().flat_map(|text| documents(text)).collect();
    std::iter::once(own.clone()).chain(inner).collect()
}

/// A request of another program: its file below the folder, and the system that is sent it.
struct Sample {
    file: String,
    system: String,
    documents: Vec<String>,
}

fn samples(folder: &Path) -> Vec<Sample> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("samples") {
        let folder = entry.expect("entry").path();
        if !folder.is_dir() {
            continue;
        }
        let vendor = folder
            .file_name()
            .expect("name")
            .to_string_lossy()
            .into_owned();
        for entry in std::fs::read_dir(&folder).expect("samples") {
            let path = entry.expect("entry").path();
            let name = path
                .file_name()
                .expect("name")
                .to_string_lossy()
                .into_owned();
            let Some(version) = version(&name) else {
                continue;
            };
            let id = format!("{vendor}-{version}");
            let known = OTHER_NAMES.iter().find(|(of, _)| *of == id);
            let bytes = std::fs::read(&path).expect("sample");
            let text = String::from_utf8(bytes.clone())
                .unwrap_or_else(|_| bytes.iter().copied().map(char::from).collect());
            found.push(Sample {
                file: format!("{vendor}/{name}"),
                system: known.map_or(id, |(_, system)| (*system).to_owned()),
                documents: documents(&text),
            });
        }
    }
    found
}

/// "2.02-cancelar.xml" as "202".
fn version(name: &str) -> Option<String> {
    let (number, _) = name.split_once('-')?;
    let (whole, part) = number.split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    (digits(whole) && digits(part)).then(|| format!("{whole}{part:0<2}"))
}

/// The differences of a sample and the system's own requests; `None`: it is no request,
/// or the system is sent no such message.
fn judged(ours: &[String], sample: &Sample) -> Option<Vec<String>> {
    let ours: Vec<Document<'_>> = ours
        .iter()
        .filter_map(|text| Document::parse(text).ok())
        .collect();
    let theirs: Vec<Document<'_>> = sample
        .documents
        .iter()
        .filter_map(|text| Document::parse(text).ok())
        .collect();
    let same = |name: &str| {
        let mut elements = ours.iter().rev().flat_map(Document::elements);
        elements.find(|element| element.name() == name)
    };
    let whole = theirs.iter().rev().find_map(|document| {
        let mut roots = messages(document.root()).into_iter();
        roots.find_map(|element| Some((same(element.name())?, element)))
    });
    let (ours, theirs) = whole.or_else(|| {
        let of = theirs.last()?.root();
        if !request(of.name()) {
            return None;
        }
        PARTS.iter().find_map(|part| {
            let theirs = of
                .descendants_or_self()
                .find(|element| element.name() == *part)?;
            Some((same(part)?, theirs))
        })
    })?;
    let mut seen = Seen::default();
    seen.compare(ours, theirs, ours.name());
    Some(seen.differences.into_iter().collect())
}

/// The root, or what an envelope carries: the elements of its body and theirs.
fn messages(root: Element<'_>) -> Vec<Element<'_>> {
    let found = match root.child("Body") {
        Some(body) if root.name() == "Envelope" => {
            let outer: Vec<_> = body.children().collect();
            let inner = outer.iter().flat_map(|element| element.children());
            outer.iter().copied().chain(inner).collect()
        }
        _ => vec![root],
    };
    found
        .into_iter()
        .filter(|element| request(element.name()))
        .collect()
}

/// A root of a request by its name.
fn request(name: &str) -> bool {
    let answer = [
        "Resposta", "Response", "Result", "Retorno", "retorno", "Fault", "Body", "Header",
    ];
    !answer.iter().any(|word| name.contains(word)) && !name.eq_ignore_ascii_case("cabecalho")
}

/// What a comparison found.
#[derive(Default)]
struct Seen {
    differences: BTreeSet<String>,
    /// Pairs of namespaces: each is told once.
    namespaces: BTreeSet<(String, String)>,
}

impl Seen {
    /// Namespaces, attributes and the order of what both have.
    fn compare(&mut self, ours: Element<'_>, theirs: Element<'_>, path: &str) {
        let (mine, other) = (ours.namespace(), theirs.namespace());
        if mine != other && self.namespaces.insert((mine.to_owned(), other.to_owned())) {
            self.tell(path, "namespace", mine, other);
        }
        let (mine, other) = (attributes(ours), attributes(theirs));
        if mine != other {
            self.tell(path, "attributes", &mine.join(" "), &other.join(" "));
        }
        let (mine, other) = (names(ours, theirs), names(theirs, ours));
        if mine != other {
            let pairs = mine.iter().zip(&other);
            let from = pairs.take_while(|(one, other)| one == other).count();
            let part = |names: &[&str]| {
                names
                    .iter()
                    .skip(from)
                    .take(3)
                    .copied()
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            self.tell(path, "order", &part(&mine), &part(&other));
        }
        let mut seen = BTreeSet::new();
        for child in ours.children().filter(|child| child.name() != "Signature") {
            if let Some(same) = theirs
                .child(child.name())
                .filter(|_| seen.insert(child.name()))
            {
                self.compare(child, same, &format!("{path}/{}", child.name()));
            }
        }
    }

    fn tell(&mut self, path: &str, what: &str, ours: &str, theirs: &str) {
        self.differences.insert(format!(
            "{path}: {what} [{ours}], the sample has [{theirs}]"
        ));
    }
}

/// Names of attributes, without those of another namespace, which say how the text is to
/// be read (`xsi:type`).
fn attributes(element: Element<'_>) -> Vec<&str> {
    let mut names: Vec<&str> = element
        .attributes()
        .filter(|(namespace, ..)| namespace.is_empty())
        .map(|(_, name, _)| name)
        .collect();
    names.sort_unstable();
    names
}

/// The children that the other element has too, each once.
fn names<'d>(element: Element<'d>, other: Element<'_>) -> Vec<&'d str> {
    let mut seen = BTreeSet::new();
    let children = element.children().map(Element::name);
    children
        .filter(|name| other.child(name).is_some() && seen.insert(*name))
        .collect()
}

#[test]
fn requests_have_the_structure_of_other_programs_requests() {
    let Some(folder) = judges::shared("samples/nfse") else {
        return;
    };
    let recorded = recorded();
    let (mut compared, mut same) = (0, 0);
    // Each difference with the first sample that has it.
    let mut found: BTreeMap<(String, String), String> = BTreeMap::new();
    for sample in samples(&folder) {
        let Some(ours) = recorded.get(&sample.system) else {
            continue;
        };
        let parsed = sample.documents.iter().rev();
        let mut parsed = parsed.filter_map(|text| Document::parse(text).ok());
        let Some(root) = parsed.next().map(|inner| inner.root().name().to_owned()) else {
            continue;
        };
        let differences = match judged(ours, &sample) {
            Some(differences) => {
                compared += 1;
                same += usize::from(differences.is_empty());
                differences
            }
            None if request(&root) && root != "Envelope" => vec![format!("{root}: {NOT_SENT}")],
            None => Vec::new(),
        };
        for difference in differences {
            let key = (sample.system.clone(), difference);
            found.entry(key).or_insert_with(|| sample.file.clone());
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("contract/samples.csv");
    let listed = listed(&path);
    if std::env::var_os("RECORD").is_some() {
        return record(&path, &found, &listed);
    }
    let new: Vec<_> = found
        .iter()
        .filter(|(key, _)| !listed.contains_key(*key))
        .collect();
    let gone: Vec<_> = listed
        .keys()
        .filter(|key| !found.contains_key(*key))
        .collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "new: {new:#?}\ngone: {gone:#?}"
    );
    let bare: Vec<_> = listed
        .iter()
        .filter(|(_, reason)| reason.is_empty())
        .collect();
    assert!(bare.is_empty(), "without a reason: {bare:#?}");
    assert!(compared > 150, "only {compared} samples were compared");
    println!(
        "{compared} samples compared, {same} without a difference, {} listed",
        listed.len()
    );
}

type Listed = BTreeMap<(String, String), String>;

/// System, difference, and the reason.
fn listed(path: &Path) -> Listed {
    let Ok(mut reader) = csv::Reader::from_path(path) else {
        return Listed::new();
    };
    let rows = reader.deserialize().map(|row| row.expect("row"));
    rows.map(|(system, difference, reason): (String, String, String)| {
        ((system, difference), reason)
    })
    .collect()
}

fn record(path: &Path, found: &BTreeMap<(String, String), String>, listed: &Listed) {
    let mut writer = csv::Writer::from_path(path).expect("list");
    writer
        .write_record(["system", "difference", "reason"])
        .expect("header");
    for key in found.keys() {
        let reason = listed.get(key).map_or("", String::as_str);
        writer.serialize((&key.0, &key.1, reason)).expect("row");
    }
    writer.flush().expect("written");
}
