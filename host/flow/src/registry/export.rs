//! The registry as data: one record for each municipality, and what differs
//! between the records of two registries.

use super::model::{Endpoints, Leg, Municipality, Options, Registry};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use time::Date;

/// One field of a record that differs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// Place in the record (`rotas/0/sistema`); empty: the record as a whole.
    pub field: String,
    /// Value of before, as JSON. None: there was none.
    pub before: Option<String>,
    /// Value of now, as JSON. None: there is none any more.
    pub after: Option<String>,
}

/// The same differences in all these municipalities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What differs, by place.
    pub changes: Vec<Change>,
    /// Where: IBGE code, name, state; by code.
    pub municipalities: Vec<(u32, String, String)>,
}

impl Municipality {
    /// All that routes and answers about it come from, with what a route
    /// inherits from its system filled in. Dates are ISO 8601.
    pub fn record(&self) -> Value {
        let refusals: BTreeMap<&str, &str> = self
            .refusals
            .iter()
            .map(|(operation, refusal)| (operation.as_str(), refusal.reason.as_str()))
            .collect();
        let conflicts: Vec<&str> = self.conflicts.iter().map(|c| c.id.as_str()).collect();
        json!({
            "codigo_ibge": self.ibge.to_string(),
            "cidade": self.name,
            "uf": self.uf,
            "rotas": self.routes.iter().map(route).collect::<Vec<_>>(),
            "rotas_anteriores": self.earlier.iter().map(route).collect::<Vec<_>>(),
            "emissor_nacional": self.national_issuer,
            "recusas": refusals,
            "conflitos": conflicts,
            "fonte": self.cited.as_ref().map(|source| &source.id),
            "verificado_em": self.verified.map(iso),
        })
    }
}

impl Registry {
    /// Where `after` differs from this registry: municipalities with the same
    /// differences together, the largest group first.
    pub fn differences(&self, after: &Registry) -> Vec<Difference> {
        let mut both: BTreeMap<u32, [Option<&Municipality>; 2]> = BTreeMap::new();
        for (place, registry) in [self, after].into_iter().enumerate() {
            for municipality in registry.municipalities() {
                both.entry(municipality.ibge).or_default()[place] = Some(municipality);
            }
        }
        let mut groups: BTreeMap<Vec<Change>, Vec<(u32, String, String)>> = BTreeMap::new();
        for (ibge, [old, new]) in both {
            let changes = changes(
                &flat(old.map(Municipality::record)),
                &flat(new.map(Municipality::record)),
            );
            let Some(named) = new.or(old).filter(|_| !changes.is_empty()) else {
                continue;
            };
            let place = (ibge, named.name.clone(), named.uf.clone());
            groups.entry(changes).or_default().push(place);
        }
        let mut found: Vec<Difference> = groups
            .into_iter()
            .map(|(changes, municipalities)| Difference {
                changes,
                municipalities,
            })
            .collect();
        found.sort_by_key(|difference| std::cmp::Reverse(difference.municipalities.len()));
        found
    }
}

fn iso(date: Date) -> String {
    let (year, month, day) = date.to_calendar_date();
    format!("{year:04}-{:02}-{day:02}", u8::from(month))
}

fn route(leg: &Leg) -> Value {
    let system = &leg.system;
    let regimes: Vec<&str> = leg.regimes.iter().map(|regime| regime.as_str()).collect();
    json!({
        "desde": leg.from.map(iso),
        "ate": leg.until.map(iso),
        "regimes": regimes,
        "sistema": system.id,
        "nome": system.name,
        "padrao": system.standard,
        "via": system.via.as_str(),
        "adaptador": system.adapter,
        "confirmado": system.confirmed,
        "sem_serie": system.without_series,
        "credenciais": system.credentials,
        "producao": endpoints(&system.production, &leg.production),
        "homologacao": endpoints(&system.homologacao, &leg.homologacao),
        "consulta": leg.query.as_ref().or(system.query.as_ref()),
        "opcoes": options(&system.options, &leg.options),
        "fonte": leg.cited.as_ref().unwrap_or(&system.cited).id,
        "visto_em": leg.verified.map(iso),
    })
}

/// The addresses in force: the route's over the system's.
fn endpoints(shared: &Endpoints, own: &Endpoints) -> Map<String, Value> {
    let all = shared.iter().chain(own);
    all.map(|(name, url)| (name.clone(), json!(url))).collect()
}

/// The options in force, as an adapter receives them.
fn options(shared: &Options, own: &Options) -> Map<String, Value> {
    let all = shared.iter().chain(own);
    all.map(|(name, value)| (name.clone(), json!(value.to_wire())))
        .collect()
}

/// A record as place and value, the values as JSON.
fn flat(record: Option<Value>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if let Some(record) = record {
        gather(String::new(), &record, &mut found);
    }
    found
}

fn gather(place: String, value: &Value, found: &mut BTreeMap<String, String>) {
    let below = |name: &str| {
        if place.is_empty() {
            name.to_owned()
        } else {
            format!("{place}/{name}")
        }
    };
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                gather(below(name), member, found);
            }
        }
        Value::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                gather(below(&position.to_string()), item, found);
            }
        }
        Value::Null => {}
        scalar => {
            found.insert(place, scalar.to_string());
        }
    }
}

fn changes(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<Change> {
    let mut places: Vec<&String> = before.keys().chain(after.keys()).collect();
    places.sort();
    places.dedup();
    places
        .into_iter()
        .map(|place| Change {
            field: place.clone(),
            before: before.get(place).cloned(),
            after: after.get(place).cloned(),
        })
        .filter(|change| change.before != change.after)
        .collect()
}
