//! By which way a note leaves.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use time::Date;

use super::address::host;
use super::dates::spelled_out;
use super::model::{
    Caminho, Certificado, Endpoints, Evidence, Leg, Municipality, Options, Refusal, Regime,
    Registry, Rule, System,
};

/// What the customer asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// The registry decides.
    Auto,
    /// The national environment, or nothing.
    Nacional,
    /// The city's own system, or nothing.
    Municipal,
}

/// The way of a note, with all an adapter needs.
#[derive(Debug, Clone)]
pub struct Route {
    /// Seven-digit IBGE code of the municipality.
    pub ibge: u32,
    /// Name of the municipality.
    pub municipality: String,
    /// Sigla of its state.
    pub uf: String,
    /// System, by its name in the file.
    pub system: String,
    /// Name of the system for people.
    pub name: String,
    /// Layout; empty when no source says.
    pub standard: String,
    /// Adapter. None: the system is known, the hub does not issue there yet.
    pub adapter: Option<String>,
    /// nacional, gateway or municipal.
    pub via: Caminho,
    /// Addresses by endpoint name, production.
    pub production: Endpoints,
    /// Addresses by endpoint name, homologation; often empty.
    pub homologacao: Endpoints,
    /// Options for the adapter, of system and municipality together.
    pub options: Options,
    /// Host names an absolute URL of an answer may point to.
    pub hosts: BTreeSet<String>,
    /// Secrets the customer must have given, by name.
    pub demanded_credentials: Vec<String>,
    /// The emitter needs an A1 certificate.
    pub certificate_demanded: bool,
    /// The certificate also identifies in the TLS handshake.
    pub certificado_tls: bool,
    /// The system knows an RPS by its number alone: there is one series.
    pub without_series: bool,
    /// Template of the address where the public sees the note.
    pub query: Option<String>,
    /// A system of before: only notes of its time use it.
    pub previous: bool,
    /// pt-BR sentence: why this way.
    pub reason: String,
    /// Who says so.
    pub evidence: Evidence,
    /// Operations the municipality refuses.
    pub refusals: BTreeMap<String, Refusal>,
}

/// Why there is no way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRoute {
    /// The code is no municipality.
    UnknownMunicipality {
        /// The code asked for.
        ibge: u32,
    },
    /// No source says how the municipality issues. Not the same as "não".
    NotMeasured {
        /// Name and state.
        municipality: String,
    },
    /// Routes are known, none for this competence and regime.
    OutOfForce {
        /// Name and state.
        municipality: String,
        /// Competence asked for.
        period: Date,
    },
    /// The national way was asked for and no source says it is open.
    NoNationalRoute {
        /// Name and state.
        municipality: String,
        /// Day of the list that was read.
        list: Date,
    },
    /// The city's way was asked for and the city uses the national one.
    NoMunicipalRoute {
        /// Name and state.
        municipality: String,
    },
    /// The city's way was asked for where a rule demands the national one.
    NationalMandatory {
        /// pt-BR, with the legal source.
        reason: String,
    },
}

impl NoRoute {
    /// The refusal for the customer, pt-BR.
    pub fn message(&self) -> String {
        match self {
            Self::UnknownMunicipality { ibge } => {
                format!("O código IBGE {ibge:07} não é de um município brasileiro.")
            }
            Self::NotMeasured { municipality } => format!(
                "Nenhuma fonte consultada diz por qual sistema {municipality} emite NFS-e. Isso não \
                 significa que não emita."
            ),
            Self::OutOfForce {
                municipality,
                period,
            } => format!(
                "Não há rota conhecida de {municipality} para a competência {}.",
                spelled_out(*period)
            ),
            Self::NoNationalRoute { municipality, list } => format!(
                "{municipality} não está na lista do emissor nacional da Receita Federal de {}.",
                spelled_out(*list)
            ),
            Self::NoMunicipalRoute { municipality } => format!(
                "{municipality} emite pelo padrão nacional; não há sistema municipal para esta nota."
            ),
            Self::NationalMandatory { reason } => reason.clone(),
        }
    }
}

impl fmt::Display for NoRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl std::error::Error for NoRoute {}

/// The stretch of time a competence falls into.
#[derive(Clone, Copy)]
pub(super) struct Found<'r> {
    pub(super) leg: &'r Leg,
    pub(super) previous: bool,
    /// The end of a previous route is presumed, not known.
    presumed: bool,
}

impl Registry {
    /// The way of a note of this municipality, regime and competence. Previous
    /// systems answer for the competences of their time, so that old notes
    /// keep their way.
    ///
    /// # Errors
    /// [`NoRoute`] says why there is none. A system without adapter is no
    /// error here: the route comes with `adapter: None`.
    pub fn route(
        &self,
        ibge: u32,
        regime: Regime,
        period: Date,
        via: Via,
    ) -> Result<Route, NoRoute> {
        let m = self
            .municipality(ibge)
            .ok_or(NoRoute::UnknownMunicipality { ibge })?;
        let rule = self.rule(regime, period);
        let own = self.leg(m, regime, period);
        match via {
            Via::Auto => match (rule, own) {
                (Some(rule), _) => Ok(self.by_rule(m, rule)),
                (None, Some(found)) => Ok(self.by_leg(m, found)),
                (None, None) => Err(nothing(m, period)),
            },
            Via::Nacional => match (own, rule) {
                (Some(found), _) if found.leg.system.via == Caminho::Nacional => {
                    Ok(self.by_leg(m, found))
                }
                (_, Some(rule)) if rule.system.via == Caminho::Nacional => {
                    Ok(self.by_rule(m, rule))
                }
                _ => self.by_list(m),
            },
            Via::Municipal => match (rule, own) {
                (Some(rule), _) if !rule.admits_municipal => Err(NoRoute::NationalMandatory {
                    reason: rule.reason.clone(),
                }),
                (_, Some(found)) if found.leg.system.via == Caminho::Nacional => {
                    Err(NoRoute::NoMunicipalRoute {
                        municipality: place(m),
                    })
                }
                (_, Some(found)) => Ok(self.by_leg(m, found)),
                (_, None) => Err(nothing(m, period)),
            },
        }
    }

    /// The newest rule in force for a regime.
    pub(super) fn rule(&self, regime: Regime, period: Date) -> Option<&Rule> {
        self.regras.iter().find(|rule| rule.applies(regime, period))
    }

    /// The municipality's own route, rules aside.
    pub(super) fn leg<'r>(
        &self,
        m: &'r Municipality,
        regime: Regime,
        period: Date,
    ) -> Option<Found<'r>> {
        let previous = m.earlier.iter().find_map(|leg| {
            let end = leg
                .until
                .or_else(|| self.presumed_change.on.previous_day())?;
            let started = leg.from.is_none_or(|from| from <= period);
            (started && period <= end && serves(leg, regime)).then_some(Found {
                leg,
                previous: true,
                presumed: leg.until.is_none(),
            })
        });
        let current = || {
            let in_force = |leg: &&Leg| leg.applies(period) && serves(leg, regime);
            // A route for this regime stands over the one for all.
            let special = m
                .routes
                .iter()
                .filter(in_force)
                .find(|leg| !leg.regimes.is_empty());
            let leg = special.or_else(|| m.routes.iter().find(in_force))?;
            let is_previous = leg.until.is_some_and(|until| until < self.verified);
            Some(Found {
                leg,
                previous: is_previous,
                presumed: false,
            })
        };
        previous.or_else(current)
    }

    fn by_rule(&self, m: &Municipality, rule: &Rule) -> Route {
        let mut reason = rule.reason.clone();
        if !m.national_issuer && rule.system.via == Caminho::Nacional {
            reason.push_str(&format!(
                " {} não aparece na lista do emissor nacional da Receita Federal de {}: a Sefin \
                 Nacional pode recusar a nota (E0037).",
                place(m),
                spelled_out(self.national_issuer_source.data)
            ));
        }
        let evidence = Evidence::of(&rule.cited, rule.cited.data);
        build(m, &rule.system, None, false, reason, evidence)
    }

    fn by_leg(&self, m: &Municipality, found: Found<'_>) -> Route {
        let Found {
            leg,
            previous,
            presumed,
        } = found;
        let evidence = evidence(m, leg);
        let layout = match leg.system.standard.as_str() {
            "" => String::new(),
            standard => format!(" ({standard})"),
        };
        let reason = if presumed {
            format!(
                "{} usava o sistema {}{layout} em {}. O dia da troca não é conhecido; adota-se {} \
                 ({}).",
                place(m),
                leg.system.name,
                spelled_out(evidence.verified),
                spelled_out(self.presumed_change.on),
                self.presumed_change.cited.name,
            )
        } else {
            let period = match (leg.from, leg.until) {
                (Some(from), Some(until)) => {
                    format!(" de {} a {}", spelled_out(from), spelled_out(until))
                }
                (Some(from), None) => format!(" desde {}", spelled_out(from)),
                (None, Some(until)) => format!(" até {}", spelled_out(until)),
                (None, None) => String::new(),
            };
            let verb = if previous { "emitia" } else { "emite" };
            let by = match leg.system.via {
                Caminho::Nacional => format!("pelo padrão nacional{layout}"),
                Caminho::Gateway => format!(
                    "pelo endereço próprio do sistema {}, no leiaute nacional{layout}",
                    leg.system.name
                ),
                Caminho::Municipal => format!("pelo sistema {}{layout}", leg.system.name),
            };
            format!(
                "{} {verb} {by}{period} (fonte: {}, {}).",
                place(m),
                evidence.cited,
                spelled_out(evidence.verified)
            )
        };
        build(m, &leg.system, Some(leg), previous, reason, evidence)
    }

    /// The national way on request, where the official list opens it.
    fn by_list(&self, m: &Municipality) -> Result<Route, NoRoute> {
        let list = &self.national_issuer_source;
        let Some(system) = self.nacional.as_ref().filter(|_| m.national_issuer) else {
            return Err(NoRoute::NoNationalRoute {
                municipality: place(m),
                list: list.data,
            });
        };
        let reason = format!(
            "Via nacional pedida: {} está na lista do emissor nacional da Receita Federal de {}.",
            place(m),
            spelled_out(list.data)
        );
        Ok(build(
            m,
            system,
            None,
            false,
            reason,
            Evidence::of(list, list.data),
        ))
    }
}

fn serves(leg: &Leg, regime: Regime) -> bool {
    leg.regimes.is_empty() || leg.regimes.contains(&regime)
}

fn nothing(m: &Municipality, period: Date) -> NoRoute {
    if m.routes.is_empty() && m.earlier.is_empty() {
        NoRoute::NotMeasured {
            municipality: place(m),
        }
    } else {
        NoRoute::OutOfForce {
            municipality: place(m),
            period,
        }
    }
}

/// "São Paulo/SP".
pub(super) fn place(m: &Municipality) -> String {
    format!("{}/{}", m.name, m.uf)
}

/// Who says that the municipality uses this route.
pub(super) fn evidence(m: &Municipality, leg: &Leg) -> Evidence {
    let cited = leg
        .cited
        .as_ref()
        .or(m.cited.as_ref())
        .unwrap_or(&leg.system.cited);
    let of_city = if leg.cited.is_none() {
        m.verified
    } else {
        None
    };
    let day = leg.verified.or(of_city).unwrap_or(cited.data);
    Evidence::of(cited, day)
}

fn build(
    m: &Municipality,
    system: &Arc<System>,
    leg: Option<&Leg>,
    previous: bool,
    reason: String,
    evidence: Evidence,
) -> Route {
    let mut production = system.production.clone();
    let mut homologacao = system.homologacao.clone();
    let mut options = system.options.clone();
    let mut query = system.query.clone();
    if let Some(leg) = leg {
        production.extend(leg.production.clone());
        homologacao.extend(leg.homologacao.clone());
        options.extend(leg.options.clone());
        if leg.query.is_some() {
            query.clone_from(&leg.query);
        }
    }
    let query = query
        .filter(|text| !text.is_empty())
        .and_then(|text| anchored(&text, &production));
    let hosts = production
        .values()
        .chain(homologacao.values())
        .chain(query.iter())
        .filter_map(|url| host(url))
        .map(str::to_ascii_lowercase)
        .collect();
    Route {
        ibge: m.ibge,
        municipality: m.name.clone(),
        uf: m.uf.clone(),
        system: system.id.clone(),
        name: system.name.clone(),
        standard: system.standard.clone(),
        adapter: system.adapter.clone(),
        via: system.via,
        production,
        homologacao,
        options,
        hosts,
        demanded_credentials: system.credentials.clone(),
        certificate_demanded: system.certificado != Certificado::Unused,
        certificado_tls: system.certificado == Certificado::Tls,
        without_series: system.without_series,
        query,
        previous,
        reason,
        evidence,
        refusals: m.refusals.clone(),
    }
}

/// Replaces `{origem}` by scheme and authority of the service. None: the
/// template needs an address the route does not have.
fn anchored(template: &str, production: &Endpoints) -> Option<String> {
    let Some(path) = template.strip_prefix("{origem}") else {
        return Some(template.to_owned());
    };
    let service = production
        .get("nfse")
        .or_else(|| production.values().next())?;
    let (scheme, rest) = service.split_once("://")?;
    let authority = rest.split('/').next()?;
    Some(format!("{scheme}://{authority}{path}"))
}
