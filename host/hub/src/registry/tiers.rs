//! Which tier the recorded cases of a checkout prove for each system.

use anyhow::Context as _;
use cassette::{Answer, Case};
use flow::registry::{Registry, System, Tier};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use store::tables::flows::FlowOperation;

/// Origins that begin with this word are of real exchanges.
const REAL: &str = "real";
/// The option that names the services a system does not have.
const ABSENT: &str = "servicos_ausentes";
/// Options that change nothing of what an adapter of service notes sends or reads.
const SILENT: [&str; 2] = [ABSENT, "recusa_duplicata"];
/// Most steps of a case.
const STEPS: u32 = 64;

/// What one case shows.
struct Shown {
    operation: String,
    options: BTreeMap<String, String>,
    outcome: Ending,
    /// An answer was cut on its way, or could not be understood.
    cut: bool,
    unusable: bool,
    real: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The note is authorized, cancelled or found.
    Done,
    Refused,
    Other,
}

/// The list of tiers as `plugins/tiers.csv` has it.
///
/// # Errors
/// A case cannot be read.
pub fn list(registry: &Registry, plugins: &Path) -> anyhow::Result<String> {
    let mut cases: BTreeMap<String, Vec<Shown>> = BTreeMap::new();
    let mut tiers = BTreeMap::new();
    let municipal = municipal(registry);
    let nothing = BTreeSet::new();
    for system in registry.systems() {
        let Some(adapter) = &system.adapter else {
            continue;
        };
        if !cases.contains_key(adapter) {
            let read = shown(&plugins.join(adapter).join("cases"))?;
            cases.insert(adapter.clone(), read);
        }
        let given = municipal.get(system.id.as_str()).unwrap_or(&nothing);
        let of_system: Vec<&Shown> = cases[adapter]
            .iter()
            .filter(|case| speaks_of(case, system, given))
            .collect();
        if let Some(tier) = proven(&of_system, &Services::of(system)) {
            tiers.insert(system.id.as_str(), tier);
        }
    }
    let mut text = String::new();
    for (system, tier) in tiers {
        writeln!(text, "{system},{}", tier.as_str())?;
    }
    Ok(text)
}

/// Options that municipalities give to a system, by name.
fn municipal(registry: &Registry) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for municipality in registry.municipalities() {
        for leg in municipality.routes.iter().chain(&municipality.earlier) {
            let options = leg.options.keys().map(String::as_str);
            let of_system = found.entry(leg.system.id.as_str()).or_default();
            of_system.extend(options);
        }
    }
    found
}

/// Whether a case is of a system: it has the system's options, and no others but
/// those that a municipality of the system gives.
fn speaks_of(case: &Shown, system: &System, municipal: &BTreeSet<&str>) -> bool {
    let of_system = system.options.iter();
    let same = |(name, value): (&String, &flow::registry::OptionValue)| {
        SILENT.contains(&name.as_str()) || case.options.get(name) == Some(&value.to_wire())
    };
    let known = |name: &String| {
        SILENT.contains(&name.as_str())
            || system.options.contains_key(name)
            || municipal.contains(name.as_str())
    };
    of_system.into_iter().all(same) && case.options.keys().all(known)
}

/// What a system offers to programs.
struct Services {
    cancels: bool,
    /// It shows a note to a question.
    shows: bool,
}

impl Services {
    fn of(system: &System) -> Services {
        let absent = system.options.get(ABSENT).map(|value| value.to_wire());
        let absent = absent.unwrap_or_default();
        let lacks = |service: &str| absent.split(',').any(|one| one == service);
        let asks = [FlowOperation::ConsultarNota, FlowOperation::ConsultarRps];
        Services {
            cancels: system.cancelamento.is_some() && !lacks(FlowOperation::Cancelar.as_str()),
            shows: !asks.iter().all(|operation| lacks(operation.as_str())),
        }
    }
}

fn proven(cases: &[&Shown], services: &Services) -> Option<Tier> {
    let any = |shows: &dyn Fn(&Shown) -> bool| cases.iter().any(|case| shows(case));
    let ends = |operation: &'static str, ending| {
        any(&|case: &Shown| {
            case.operation.starts_with(operation) && case.outcome == ending && !case.cut
        })
    };
    let cancelled = !services.cancels || ends(FlowOperation::Cancelar.as_str(), Ending::Done);
    if !(ends(FlowOperation::Emitir.as_str(), Ending::Done)
        && ends(FlowOperation::Emitir.as_str(), Ending::Refused)
        && cancelled)
    {
        return None;
    }
    let cut = any(&|case: &Shown| case.operation == FlowOperation::Emitir.as_str() && case.cut);
    let unusable = any(&|case: &Shown| case.unusable && case.outcome == Ending::Other);
    let shown = !services.shows || ends(FlowOperation::Consultar.as_str(), Ending::Done);
    if !(shown && cut && unusable) {
        return Some(Tier::Bronze);
    }
    let real = any(&|case: &Shown| case.real);
    Some(if real { Tier::Gold } else { Tier::Silver })
}

/// The cases of a folder.
fn shown(folder: &Path) -> anyhow::Result<Vec<Shown>> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(found);
    };
    for entry in entries {
        let path = entry?.path();
        if path.join("case.toml").is_file() {
            let read = one(&path).map_err(anyhow::Error::msg);
            found.push(read.with_context(|| path.display().to_string())?);
        }
    }
    Ok(found)
}

fn one(folder: &Path) -> Result<Shown, String> {
    let case = Case::open(folder)?;
    let input = case.input()?;
    let (mut cut, mut unusable) = (false, false);
    for step in (1..=STEPS).take_while(|step| case.has_step(*step)) {
        match case.answer(step) {
            Ok(Answer::NoResponse(silence)) => cut |= silence.maybe_arrived,
            Ok(Answer::Response(answer)) => unusable |= answer.status >= 500,
            // A pause, or the end.
            _ => {}
        }
    }
    let outcome = case.outcome()?;
    unusable |= outcome
        .pointer("/failure/reason/unexpected-response")
        .is_some();
    Ok(Shown {
        operation: input.operation.nome,
        options: input.context.options.into_iter().collect(),
        outcome: ending(&outcome),
        cut,
        unusable,
        real: case.origin()?.starts_with(REAL),
    })
}

fn ending(outcome: &Value) -> Ending {
    let done = ["autorizado", "cancelado", "substituido", "consultado"];
    let situation = outcome.pointer("/success/situacao").and_then(Value::as_str);
    if situation.is_some_and(|word| done.contains(&word)) {
        return Ending::Done;
    }
    match outcome.pointer("/failure/reason/rejected") {
        Some(_) => Ending::Refused,
        None => Ending::Other,
    }
}
