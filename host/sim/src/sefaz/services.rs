//! The addresses of the authorizers: what a host and a path mean.
//!
//! Source of the table: the lists of services of the authorizers and of the
//! national environment, collected 2026-11.

use std::sync::LazyLock;

use super::family::{Family, Names};

pub use super::family::Op;

/// One address.
#[derive(Debug)]
pub struct Service {
    /// What it does.
    pub op: Op,
    /// `SP`, `SVRS`, `SVC-AN`, `AN`…: an address may serve a virtual
    /// authorizer and the contingency one.
    pub authorizers: Vec<&'static str>,
    /// Models 55 and 65, 57, or 58.
    pub models: Vec<&'static str>,
    /// The family of these models.
    pub family: &'static Family,
    /// What the service is called.
    pub names: &'static Names,
    /// `1` production, `2` homologation.
    pub environments: Vec<&'static str>,
    /// Name of the host.
    pub host: &'static str,
    /// Path at the host, as the lists write it.
    pub path: &'static str,
}

static SERVICES: LazyLock<Vec<Service>> = LazyLock::new(|| {
    include_str!("tabelas/servicos.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(read)
        .collect()
});

fn read(line: &'static str) -> Option<Service> {
    let mut words = line.split(' ');
    let op = match words.next()? {
        "autorizar" => Op::Authorize,
        "recibo" => Op::Receipt,
        "consultar" => Op::Query,
        "status" => Op::Status,
        "evento" => Op::Event,
        "inutilizar" => Op::Void,
        "cadastro" => Op::Register,
        "distribuir" => Op::Distribute,
        "nao_encerrados" => Op::Open,
        _ => return None,
    };
    let mut list = || Some(words.next()?.split('+').collect::<Vec<_>>());
    let (authorizers, models, environments) = (list()?, list()?, list()?);
    let family = Family::of(models.first()?)?;
    Some(Service {
        op,
        authorizers,
        models,
        family,
        names: family.names(op)?,
        environments,
        host: words.next()?,
        path: words.next()?,
    })
}

/// True when a host belongs to an authorizer.
pub fn knows(host: &str) -> bool {
    SERVICES.iter().any(|s| s.host == host)
}

/// The service at an address. IIS does not look at the case of a path, the
/// Java servers do.
pub fn find(host: &str, path: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|s| {
        s.host == host
            && (s.path == path || s.path.ends_with(".asmx") && s.path.eq_ignore_ascii_case(path))
    })
}

/// Address of an operation at a state's own authorizer.
pub(crate) fn of(op: Op, model: &str, uf: &str, ambiente: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|s| {
        s.op == op && s.environments.contains(&ambiente) && s.serves(model, uf) == Coverage::Normal
    })
}

/// All addresses.
pub fn all() -> &'static [Service] {
    &SERVICES
}

/// Authorizer of a state in normal times.
///
/// Source: list of authorizers by state, 2026-11.
fn normal(model: &str, uf: &str) -> &'static str {
    match (model, uf) {
        ("58", _) => "SVRS",
        ("57", "AP" | "PE" | "RR") => "SVSP",
        ("57", "AM" | "GO") => "SVRS",
        (_, "AM") => "AM",
        (_, "GO") => "GO",
        (_, "MG") => "MG",
        (_, "MS") => "MS",
        (_, "MT") => "MT",
        (_, "PR") => "PR",
        (_, "RS") => "RS",
        (_, "SP") => "SP",
        ("55", "BA") => "BA",
        ("55", "PE") => "PE",
        ("55", "MA") => "SVAN",
        _ => "SVRS",
    }
}

/// Contingency authorizer of a state; NFC-e and MDF-e have none.
pub(crate) fn contingency(model: &str, uf: &str) -> &'static str {
    match (model, uf) {
        ("57", "AP" | "MS" | "MT" | "PE" | "RR" | "SP") => "SVC-RS",
        ("57", _) => "SVC-SP",
        ("58", _) => "",
        (_, "AM" | "BA" | "GO" | "MA" | "MS" | "MT" | "PE" | "PR") => "SVC-RS",
        _ => "SVC-AN",
    }
}

/// How an address serves a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// It is the state's authorizer.
    Normal,
    /// It is the state's contingency authorizer.
    Contingency,
    /// Contingency of other states only.
    OtherContingency,
    /// Not its authorizer.
    Elsewhere,
}

impl Service {
    /// How it serves a state for a model (`55`, `65`).
    pub fn serves(&self, model: &str, uf: &str) -> Coverage {
        let has = |name: &str| self.authorizers.contains(&name);
        if has("AN") || self.models.contains(&model) && has(normal(model, uf)) {
            Coverage::Normal
        } else if has(contingency(model, uf)) {
            Coverage::Contingency
        } else if has("SVC-AN") || has("SVC-RS") || has("SVC-SP") {
            Coverage::OtherContingency
        } else {
            Coverage::Elsewhere
        }
    }

    /// `tpAmb` of the address; production when it serves both.
    pub fn ambiente(&self) -> &'static str {
        self.environments.first().copied().unwrap_or("2")
    }

    /// Whether it is an address of this authorizer.
    pub fn is(&self, authorizer: &str) -> bool {
        self.authorizers.contains(&authorizer)
    }

    /// Namespace of the service in the envelope.
    pub fn namespace(&self) -> String {
        format!("{}/wsdl/{}", self.family.ns, self.names.0)
    }

    /// Element of the request document.
    pub fn root(&self) -> &'static str {
        self.names.2
    }

    /// The document comes as gzip in base64 (MOC CT-e 4.00, 4.2; MOC MDF-e).
    pub(super) fn packed(&self) -> bool {
        self.op == Op::Authorize && !self.family.is_nfe()
    }

    /// `versao` the service understands.
    pub fn version(&self) -> &'static str {
        match self.op {
            _ if !self.family.is_nfe() => self.family.version,
            Op::Event => "1.00",
            Op::Register => "2.00",
            Op::Distribute => "1.01",
            _ => "4.00",
        }
    }
}
