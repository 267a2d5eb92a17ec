//! Does the hub issue in this municipality, and with which caveats?

use time::Date;

use super::dates::spelled_out;
use super::model::{Caminho, Evidence, Leg, Municipality, Regime, Registry, System};
use super::route::{Via, evidence, place};

/// The four answers. They are measurements: `NaoMedido` never means `Nao`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// An adapter speaks to the system, and sources and operations agree.
    Sim,
    /// It issues, with the caveats listed.
    Partial,
    /// The system is known, no adapter speaks to it, and the municipality is
    /// not on the list of the national emitter.
    Nao,
    /// No source says how the municipality issues.
    NotMeasured,
}

impl Answer {
    /// Word of the API for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::Partial => "parcial",
            Self::Nao => "não",
            Self::NotMeasured => "não medido",
        }
    }

    /// Word of the API for programs.
    pub fn codigo(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::Partial => "parcial",
            Self::Nao => "nao",
            Self::NotMeasured => "nao_medido",
        }
    }
}

/// Coverage of one municipality on one day.
#[derive(Debug, Clone)]
pub struct Cobertura {
    /// The answer for emitters of the general regime; `regimes` has the rest.
    pub answer: Answer,
    /// Seven-digit IBGE code.
    pub ibge: u32,
    /// Name of the municipality.
    pub city: String,
    /// Sigla of the state.
    pub uf: String,
    /// How notes of the general regime leave. None: not measured.
    pub via: Option<Caminho>,
    /// System, by its name in the file.
    pub system: Option<String>,
    /// Name of the system for people.
    pub provedor: Option<String>,
    /// Layout of the system.
    pub standard: Option<String>,
    /// pt-BR sentence: the way and who says so.
    pub caminho: String,
    /// Caveats, pt-BR.
    pub caveats: Vec<String>,
    /// The answer for each regime: rules send some of them elsewhere.
    pub regimes: Vec<CoberturaRegime>,
    /// Who says so.
    pub evidence: Evidence,
}

/// Coverage for the emitters of one regime.
#[derive(Debug, Clone)]
pub struct CoberturaRegime {
    /// The regime.
    pub regime: Regime,
    /// The answer for it.
    pub answer: Answer,
    /// How its notes leave. None: not measured.
    pub via: Option<Caminho>,
    /// pt-BR sentence: why.
    pub reason: String,
}

impl Registry {
    /// [`Registry::cobertura`] for a hub that sends nothing to some addresses (`closed`): notes
    /// that would go to one of them are refused. The national environment, where the municipality is
    /// on its list, still takes them on request.
    pub fn cobertura_without(
        &self,
        ibge: u32,
        on: Date,
        closed: impl Fn(&str) -> bool,
    ) -> Option<Cobertura> {
        let mut found = self.cobertura(ibge, on)?;
        let m = self.municipality(ibge)?;
        // Most municipalities have no such address: this is quick, a route is not.
        let leads_there = |regime: &Regime| {
            let leg = self.leg(m, *regime, on);
            leg.is_some_and(|found| urls(found.leg).any(|url| closed(url)))
        };
        if !Regime::ALL.iter().any(leads_there) {
            return Some(found);
        }
        let closed = |regime| {
            let addresses = self.addresses_of(ibge, regime, on);
            addresses.iter().any(|url| closed(url))
        };
        for own in &mut found.regimes {
            if closed(own.regime) {
                own.answer = Answer::Nao;
                own.reason = format!("{} {CLOSED}", own.reason);
            }
        }
        if closed(Regime::Normal) {
            found.caveats.push(CLOSED.to_owned());
            found.answer = Answer::Nao;
            if m.national_issuer {
                found.caveats.push(BY_NATIONAL_ISSUER.to_owned());
                found.answer = Answer::Partial;
            }
        }
        Some(found)
    }

    /// Coverage of a municipality for notes of competence `em`. None: the
    /// code is no municipality.
    pub fn cobertura(&self, ibge: u32, on: Date) -> Option<Cobertura> {
        let m = self.municipality(ibge)?;
        let found = self.leg(m, Regime::Normal, on);
        let system = found.map(|found| found.leg.system.as_ref());
        let mut caveats = caveats(m);
        let answer = match system {
            None => Answer::NotMeasured,
            Some(system) if system.adapter.is_some() => agreed(m),
            Some(_) if m.national_issuer => Answer::Partial,
            Some(_) => Answer::Nao,
        };
        caveats.extend(system.into_iter().flat_map(|system| of_system(m, system)));
        let regimes: Vec<CoberturaRegime> = Regime::ALL
            .into_iter()
            .map(|regime| self.for_regime(m, regime, on))
            .collect();
        // A rule that leads elsewhere than the city's own way is worth a line.
        for regime in [Regime::Mei, Regime::SimplesMeEpp] {
            if let Some(rule) = self.rule(regime, on)
                && system.is_none_or(|system| system.id != rule.system.id)
                && !caveats.contains(&rule.reason)
            {
                caveats.push(rule.reason.clone());
            }
        }
        if found.is_some_and(|found| urls(found.leg).any(|url| url.starts_with("http://"))) {
            caveats.push("O endereço do município usa http, sem criptografia.".to_owned());
        }
        let evidence = match found {
            Some(found) => evidence(m, found.leg),
            None => Evidence::of(&self.national_issuer_source, self.verified),
        };
        let caminho = match self.route(ibge, Regime::Normal, on, Via::Auto) {
            Ok(route) => route.reason,
            Err(none) => none.message(),
        };
        Some(Cobertura {
            answer,
            ibge,
            city: m.name.clone(),
            uf: m.uf.clone(),
            via: system.map(|system| system.via),
            system: system.map(|system| system.id.clone()),
            provedor: system.map(|system| system.name.clone()),
            standard: system
                .map(|system| system.standard.clone())
                .filter(|text| !text.is_empty()),
            caminho,
            caveats,
            regimes,
            evidence,
        })
    }

    fn for_regime(&self, m: &Municipality, regime: Regime, on: Date) -> CoberturaRegime {
        match self.route(m.ibge, regime, on, Via::Auto) {
            Ok(route) => {
                let mut reason = route.reason;
                if route.adapter.is_none() {
                    reason.push(' ');
                    reason.push_str(&without_adapter(&route.name));
                }
                let listed = m.national_issuer;
                let by_rule = self.rule(regime, on).is_some();
                let answer = match route.adapter {
                    None => Answer::Nao,
                    // Known by rule only, not by anything about this city.
                    Some(_) if by_rule && !listed => Answer::Partial,
                    // Rule and list say the same: the city's own way is no
                    // contradiction for this regime.
                    Some(_) if by_rule && m.refusals.is_empty() => Answer::Sim,
                    Some(_) => agreed(m),
                };
                CoberturaRegime {
                    regime,
                    answer,
                    via: Some(route.via),
                    reason,
                }
            }
            Err(none) => CoberturaRegime {
                regime,
                answer: Answer::NotMeasured,
                via: None,
                reason: none.message(),
            },
        }
    }
}

const BY_NATIONAL_ISSUER: &str = "Emissão somente pelo emissor nacional: MEI e ME/EPP do Simples Nacional, ou a pedido \
     (via \"nacional\").";
/// Why a hub does not issue at an address it sends nothing to.
const CLOSED: &str =
    "A nota não sai: quem opera este hub não aceita um endereço sem TLS (acesso: sem_tls).";

/// The addresses in production of a way.
fn urls(leg: &Leg) -> impl Iterator<Item = &String> {
    let own = &leg.production;
    let urls = if own.is_empty() {
        &leg.system.production
    } else {
        own
    };
    urls.values()
}

/// "sim" only where sources agree and no operation is refused.
fn agreed(m: &Municipality) -> Answer {
    if m.conflicts.is_empty() && m.refusals.is_empty() {
        Answer::Sim
    } else {
        Answer::Partial
    }
}

/// Why the hub does not issue through a system that is known.
fn without_adapter(system: &str) -> String {
    format!("O sistema {system} é conhecido, mas ainda não há adaptador para ele.")
}

/// What is to be known of the municipality's system.
fn of_system(m: &Municipality, system: &System) -> Vec<String> {
    let name = &system.name;
    let mut caveats = Vec::new();
    if system.adapter.is_none() {
        caveats.push(without_adapter(name));
        if m.national_issuer {
            caveats.push(BY_NATIONAL_ISSUER.to_owned());
        }
    } else if !system.confirmed {
        caveats.push(format!(
            "Não confirmado: as mensagens do sistema {name} seguem fontes públicas; nenhuma \
             emissão real por este hub foi registrada nele."
        ));
    }
    caveats.extend(system.notices.iter().cloned());
    caveats
}

fn caveats(m: &Municipality) -> Vec<String> {
    let refused = m.refusals.iter().map(|(operation, refusal)| {
        let what = match operation.as_str() {
            "cancelar" => "Cancelamento não disponível",
            "substituir" => "Substituição não disponível",
            "emitir" => "Emissão não disponível",
            _ => "Consulta não disponível",
        };
        format!(
            "{what}: {} (fonte: {}, {})",
            refusal.reason,
            refusal.cited.name,
            spelled_out(refusal.cited.data)
        )
    });
    let measured = m.routes.is_empty().then(|| {
        format!(
            "{} não foi medido: nenhuma fonte consultada diz por qual sistema emite. Não \
             significa que não emita.",
            place(m)
        )
    });
    measured
        .into_iter()
        .chain(refused)
        .chain(m.conflicts.iter().map(|conflict| conflict.reason.clone()))
        .collect()
}
