//! Every city that is built in answers the requests of its own cases: the note
//! of the cases is issued, known, found and cancelled.

use super::*;
use cassette::{Answer, Case, Means};
use sim::{Cities, SimRequest, Status};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

const HOST: &str = "gravado.example";

/// A recorded request and what its answer means.
struct Recorded {
    case: String,
    means: Means,
    request: SimRequest,
    answer: String,
    /// Number and code of the note in the case.
    number: Option<String>,
    code: Option<String>,
}

fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Requests by city, in the order of their cases.
fn recorded() -> BTreeMap<String, Vec<Recorded>> {
    let mut found: BTreeMap<String, Vec<Recorded>> = BTreeMap::new();
    let mut hosts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let folders = |path: PathBuf| {
        let entries = std::fs::read_dir(path).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        paths.sort();
        paths
    };
    for adapter in folders(workspace().join("plugins")) {
        for folder in folders(adapter.join("cases")) {
            let case = Case::open(&folder).expect("case");
            let Some(city) = case.city().expect("case.toml") else {
                continue;
            };
            let name = folder.file_name().expect("name").to_string_lossy();
            hosts
                .entry(city.clone())
                .or_default()
                .extend(case.hosts().expect("case.toml"));
            for step in 1..=64 {
                if let Some(one) = request(&case, &name, step) {
                    found.entry(city.clone()).or_default().push(one);
                }
            }
        }
    }
    for (city, all) in &mut found {
        let own = hosts.get(city).and_then(|hosts| hosts.first());
        if let Some(own) = own {
            all.iter_mut()
                .for_each(|one| one.request.host.clone_from(own));
        }
    }
    found
}

fn request(case: &Case, name: &str, step: u32) -> Option<Recorded> {
    let (request, body) = case.recorded(step).expect("request")?;
    let Answer::Response(response) = case.answer(step).expect("answer") else {
        return None;
    };
    let input = case.input().expect("input").operation.conteudo;
    let outcome = case.outcome().expect("outcome");
    let said = |name: &str| {
        let places = [
            outcome.pointer(&format!("/success/documentos/0/{name}")),
            input.pointer(&format!("/documento/{name}")),
            input.get(name),
        ];
        let mut texts = places.into_iter().flatten().filter_map(Value::as_str);
        texts.next().map(str::to_owned)
    };
    Some(Recorded {
        case: name.to_owned(),
        means: response.means?,
        request: SimRequest {
            host: HOST.to_owned(),
            method: request.method,
            path: format!("/base{}", request.path.unwrap_or_default()),
            headers: request.headers,
            body,
            client_cert_der: request.client_certificate.then(certificate),
        },
        answer: String::from_utf8_lossy(&response.body).into_owned(),
        number: said("numero"),
        code: said("codigo_verificacao"),
    })
}

/// The provider's own.
fn certificate() -> Vec<u8> {
    static OWN: LazyLock<Vec<u8>> =
        LazyLock::new(|| a1(&PKI, RECORDED, NOW - DAY, NOW + 365 * DAY).cert_der);
    OWN.clone()
}

impl Recorded {
    /// The request about another note.
    async fn send(&self, world: &World, number: &str, code: &str) -> String {
        let mut body = String::from_utf8_lossy(&self.request.body).into_owned();
        let mut path = self.request.path.clone();
        for (old, new) in [(&self.number, number), (&self.code, code)] {
            if let Some(old) = old.as_deref().filter(|_| self.means != Means::Issued) {
                body = body.replace(old, new);
                path = path.replace(old, new);
            }
        }
        let request = SimRequest {
            path,
            body: body.into_bytes(),
            ..self.request.clone()
        };
        text(&world.sim.handle(request).await)
    }
}

/// Issues the notes of a city, asks about them and cancels one; what is wrong.
async fn life(city: &str, all: &[Recorded]) -> Result<(), String> {
    let of = |means: Means| all.iter().filter(move |one| one.means == means);
    let world = World::of(None, Cities::default());
    let Some(issued) = of(Means::Issued).next() else {
        return Err("no case means issued".to_owned());
    };
    let answer = issued.send(&world, "", "").await;
    let notas = world.sim.notas();
    let [nota] = notas.as_slice() else {
        return Err(format!("{}: {answer}", issued.case));
    };
    if nota.sistema != city {
        return Err(format!("{} is taken for {}", issued.case, nota.sistema));
    }
    let (number, code) = (
        nota.numero.to_string(),
        nota.codigo_verificacao.clone().unwrap_or_default(),
    );
    issued.send(&world, "", "").await;
    if world.sim.notas().len() != 1 {
        return Err(format!(
            "{}: the same request is a second note",
            issued.case
        ));
    }
    let mut asked = Vec::new();
    for found in of(Means::Found) {
        let answer = found.send(&world, &number, &code).await;
        let shown = |recorded: &Option<String>, live: &str| {
            let recorded = recorded
                .as_deref()
                .filter(|text| found.answer.contains(*text));
            recorded.is_none() || answer.contains(live)
        };
        if shown(&found.number, &number) && shown(&found.code, &code) {
            asked.push(&found.case);
        } else {
            println!("{city}: {} does not find the note: {answer}", found.case);
        }
    }
    if asked.is_empty() && of(Means::Found).next().is_some() {
        return Err("no recorded question finds the note".to_owned());
    }
    for cancelled in of(Means::Cancelled) {
        let answer = cancelled.send(&world, &number, &code).await;
        if world.sim.notas()[0].situacao == Status::Cancelada {
            println!("{city}: issued, asked {} times, cancelled", asked.len());
            return Ok(());
        }
        println!("{city}: {} does not cancel: {answer}", cancelled.case);
    }
    match of(Means::Cancelled).next() {
        Some(_) => Err("no recorded request cancels the note".to_owned()),
        None => Ok(()),
    }
}

#[tokio::test]
async fn every_city_answers_its_own_cases() {
    let mut wrong = Vec::new();
    for (city, mut all) in recorded() {
        let batches = all.iter().any(|one| one.means == Means::Queued);
        // The signatures of cases are none: tests/cities plays such requests.
        let issues = all.iter().any(|one| one.means == Means::Issued);
        all.retain(|one| !String::from_utf8_lossy(&one.request.body).contains("Fake URI="));
        let signed = issues && !all.iter().any(|one| one.means == Means::Issued);
        if signed || batches {
            println!("{city}: signed or in batches, not played here");
            continue;
        }
        if let Err(problem) = life(&city, &all).await {
            wrong.push(format!("{city}: {problem}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
