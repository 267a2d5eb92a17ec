//! The addresses of the authorizers: what a host and a path mean.
//!
//! Source of the table: the lists of services of the authorizers and of the
//! national environment, collected 2026-11.

use std::sync::LazyLock;

/// What a service does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Autorizar,
    Recibo,
    Consultar,
    Status,
    Evento,
    Inutilizar,
    Cadastro,
    Distribuir,
}

/// One address.
#[derive(Debug)]
pub(crate) struct Servico {
    pub op: Op,
    /// `SP`, `SVRS`, `SVC-AN`, `AN`…: an address may serve a virtual
    /// authorizer and the contingency one.
    pub autorizadores: Vec<&'static str>,
    /// Models 55 and 65.
    pub modelos: Vec<&'static str>,
    /// `1` production, `2` homologation.
    pub ambientes: Vec<&'static str>,
    pub host: &'static str,
    pub path: &'static str,
}

static SERVICOS: LazyLock<Vec<Servico>> = LazyLock::new(|| {
    include_str!("tabelas/servicos.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(read)
        .collect()
});

fn read(line: &'static str) -> Option<Servico> {
    let mut words = line.split(' ');
    let op = match words.next()? {
        "autorizar" => Op::Autorizar,
        "recibo" => Op::Recibo,
        "consultar" => Op::Consultar,
        "status" => Op::Status,
        "evento" => Op::Evento,
        "inutilizar" => Op::Inutilizar,
        "cadastro" => Op::Cadastro,
        "distribuir" => Op::Distribuir,
        _ => return None,
    };
    let mut list = || Some(words.next()?.split('+').collect::<Vec<_>>());
    let (autorizadores, modelos, ambientes) = (list()?, list()?, list()?);
    Some(Servico {
        op,
        autorizadores,
        modelos,
        ambientes,
        host: words.next()?,
        path: words.next()?,
    })
}

/// True when a host belongs to an authorizer of NF-e or NFC-e.
pub(crate) fn knows(host: &str) -> bool {
    SERVICOS.iter().any(|s| s.host == host)
}

/// The service at an address. IIS does not look at the case of a path, the
/// Java servers do.
pub(crate) fn find(host: &str, path: &str) -> Option<&'static Servico> {
    SERVICOS.iter().find(|s| {
        s.host == host
            && (s.path == path || s.path.ends_with(".asmx") && s.path.eq_ignore_ascii_case(path))
    })
}

/// Address of an operation at a state's own authorizer.
pub(crate) fn of(op: Op, modelo: &str, uf: &str, ambiente: &str) -> Option<&'static Servico> {
    SERVICOS.iter().find(|s| {
        s.op == op && s.ambientes.contains(&ambiente) && s.atende(modelo, uf) == Atendimento::Normal
    })
}

/// All addresses, for the tests.
#[cfg(test)]
pub(crate) fn all() -> &'static [Servico] {
    &SERVICOS
}

/// Authorizer of a state in normal times.
///
/// Source: list of authorizers by state, 2026-11.
fn normal(modelo: &str, uf: &str) -> &'static str {
    match (modelo, uf) {
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

/// Contingency authorizer of a state.
pub(crate) fn contingencia(uf: &str) -> &'static str {
    match uf {
        "AM" | "BA" | "GO" | "MA" | "MS" | "MT" | "PE" | "PR" => "SVC-RS",
        _ => "SVC-AN",
    }
}

/// How an address serves a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Atendimento {
    /// It is the state's authorizer.
    Normal,
    /// It is the state's contingency authorizer.
    Contingencia,
    /// Contingency of other states only.
    OutraContingencia,
    /// Not its authorizer.
    Nenhum,
}

impl Servico {
    pub fn atende(&self, modelo: &str, uf: &str) -> Atendimento {
        let has = |name: &str| self.autorizadores.contains(&name);
        if has("AN") || self.modelos.contains(&modelo) && has(normal(modelo, uf)) {
            Atendimento::Normal
        } else if has(contingencia(uf)) {
            Atendimento::Contingencia
        } else if has("SVC-AN") || has("SVC-RS") {
            Atendimento::OutraContingencia
        } else {
            Atendimento::Nenhum
        }
    }

    /// `tpAmb` of the address; production when it serves both.
    pub fn ambiente(&self) -> &'static str {
        self.ambientes.first().copied().unwrap_or("2")
    }

    pub fn is(&self, autorizador: &str) -> bool {
        self.autorizadores.contains(&autorizador)
    }

    /// Namespace of the service in the envelope.
    pub fn namespace(&self) -> String {
        let name = match self.op {
            Op::Autorizar => "NFeAutorizacao4",
            Op::Recibo => "NFeRetAutorizacao4",
            Op::Consultar => "NFeConsultaProtocolo4",
            Op::Status => "NFeStatusServico4",
            Op::Evento => "NFeRecepcaoEvento4",
            Op::Inutilizar => "NFeInutilizacao4",
            Op::Cadastro => "CadConsultaCadastro4",
            Op::Distribuir => "NFeDistribuicaoDFe",
        };
        format!("http://www.portalfiscal.inf.br/nfe/wsdl/{name}")
    }

    /// Element of the request document.
    pub fn raiz(&self) -> &'static str {
        match self.op {
            Op::Autorizar => "enviNFe",
            Op::Recibo => "consReciNFe",
            Op::Consultar => "consSitNFe",
            Op::Status => "consStatServ",
            Op::Evento => "envEvento",
            Op::Inutilizar => "inutNFe",
            Op::Cadastro => "ConsCad",
            Op::Distribuir => "distDFeInt",
        }
    }

    /// `versao` the service understands.
    pub fn versao(&self) -> &'static str {
        match self.op {
            Op::Evento => "1.00",
            Op::Cadastro => "2.00",
            Op::Distribuir => "1.01",
            _ => "4.00",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_is_found() {
        assert!(all().len() > 250, "{}", all().len());
        for s in all() {
            let found = find(s.host, s.path).expect("found");
            assert_eq!((found.op, found.path), (s.op, s.path));
            assert!(knows(s.host));
        }
        assert!(find("nfe.fazenda.sp.gov.br", "/ws/NFeAutorizacao4.ASMX").is_some());
        assert!(find("nfe.sefaz.mt.gov.br", "/nfews/v2/services/nfeautorizacao4").is_none());
    }

    #[test]
    fn every_state_has_its_authorizer_and_its_contingency() {
        for s in all().iter().filter(|s| s.op == Op::Autorizar) {
            let served = crate::documents::UFS
                .iter()
                .filter(|(_, uf)| s.atende(s.modelos[0], uf) == Atendimento::Normal)
                .count();
            assert!(served > 0, "{s:?}");
        }
        let svc = find(
            "www.sefazvirtual.fazenda.gov.br",
            "/NFeAutorizacao4/NFeAutorizacao4.asmx",
        )
        .expect("svc");
        assert_eq!(svc.atende("55", "MA"), Atendimento::Normal);
        assert_eq!(svc.atende("55", "SP"), Atendimento::Contingencia);
        assert_eq!(svc.atende("55", "BA"), Atendimento::OutraContingencia);
    }
}
