//! By which way a note leaves.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use time::Date;

use super::address::host;
use super::dates::por_extenso;
use super::model::{
    Caminho, Certificado, Endpoints, Evidencia, Leg, Municipio, Options, Recusa, Regime, Registry,
    Regra, System,
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
    pub municipio: String,
    /// Sigla of its state.
    pub uf: String,
    /// System, by its name in the file.
    pub sistema: String,
    /// Name of the system for people.
    pub nome: String,
    /// Layout; empty when no source says.
    pub padrao: String,
    /// Adapter. None: the system is known, the hub does not issue there yet.
    pub adapter: Option<String>,
    /// nacional, gateway or municipal.
    pub via: Caminho,
    /// Addresses by endpoint name, production.
    pub producao: Endpoints,
    /// Addresses by endpoint name, homologation; often empty.
    pub homologacao: Endpoints,
    /// Options for the adapter, of system and municipality together.
    pub options: Options,
    /// Host names an absolute URL of an answer may point to.
    pub hosts: BTreeSet<String>,
    /// Secrets the customer must have given, by name.
    pub credenciais_exigidas: Vec<String>,
    /// The emitter needs an A1 certificate.
    pub certificado_exigido: bool,
    /// The certificate also identifies in the TLS handshake.
    pub certificado_tls: bool,
    /// Template of the address where the public sees the note.
    pub consulta: Option<String>,
    /// A system of before: only notes of its time use it.
    pub anterior: bool,
    /// pt-BR sentence: why this way.
    pub motivo: String,
    /// Who says so.
    pub evidencia: Evidencia,
    /// Operations the municipality refuses.
    pub recusas: BTreeMap<String, Recusa>,
}

/// Why there is no way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRoute {
    /// The code is no municipality.
    MunicipioDesconhecido {
        /// The code asked for.
        ibge: u32,
    },
    /// No source says how the municipality issues. Not the same as "não".
    NaoMedido {
        /// Name and state.
        municipio: String,
    },
    /// Routes are known, none for this competence and regime.
    ForaDeVigencia {
        /// Name and state.
        municipio: String,
        /// Competence asked for.
        competencia: Date,
    },
    /// The national way was asked for and no source says it is open.
    SemViaNacional {
        /// Name and state.
        municipio: String,
        /// Day of the list that was read.
        lista: Date,
    },
    /// The city's way was asked for and the city uses the national one.
    SemViaMunicipal {
        /// Name and state.
        municipio: String,
    },
    /// The city's way was asked for where a rule demands the national one.
    ObrigatorioNacional {
        /// pt-BR, with the legal source.
        motivo: String,
    },
}

impl NoRoute {
    /// The refusal for the customer, pt-BR.
    pub fn mensagem(&self) -> String {
        match self {
            Self::MunicipioDesconhecido { ibge } => {
                format!("O código IBGE {ibge:07} não é de um município brasileiro.")
            }
            Self::NaoMedido { municipio } => format!(
                "Nenhuma fonte consultada diz por qual sistema {municipio} emite NFS-e. Isso não \
                 significa que não emita."
            ),
            Self::ForaDeVigencia {
                municipio,
                competencia,
            } => format!(
                "Não há rota conhecida de {municipio} para a competência {}.",
                por_extenso(*competencia)
            ),
            Self::SemViaNacional { municipio, lista } => format!(
                "{municipio} não está na lista do emissor nacional da Receita Federal de {}.",
                por_extenso(*lista)
            ),
            Self::SemViaMunicipal { municipio } => format!(
                "{municipio} emite pelo padrão nacional; não há sistema municipal para esta nota."
            ),
            Self::ObrigatorioNacional { motivo } => motivo.clone(),
        }
    }
}

impl fmt::Display for NoRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mensagem())
    }
}

impl std::error::Error for NoRoute {}

/// The stretch of time a competence falls into.
#[derive(Clone, Copy)]
pub(super) struct Found<'r> {
    pub(super) leg: &'r Leg,
    pub(super) anterior: bool,
    /// The end of a previous route is presumed, not known.
    presumida: bool,
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
        competencia: Date,
        via: Via,
    ) -> Result<Route, NoRoute> {
        let m = self
            .municipio(ibge)
            .ok_or(NoRoute::MunicipioDesconhecido { ibge })?;
        let regra = self.regra(regime, competencia);
        let own = self.leg(m, regime, competencia);
        match via {
            Via::Auto => match (regra, own) {
                (Some(regra), _) => Ok(self.by_rule(m, regra)),
                (None, Some(found)) => Ok(self.by_leg(m, found)),
                (None, None) => Err(nothing(m, competencia)),
            },
            Via::Nacional => match (own, regra) {
                (Some(found), _) if found.leg.system.via == Caminho::Nacional => {
                    Ok(self.by_leg(m, found))
                }
                (_, Some(regra)) if regra.system.via == Caminho::Nacional => {
                    Ok(self.by_rule(m, regra))
                }
                _ => self.by_list(m),
            },
            Via::Municipal => match (regra, own) {
                (Some(regra), _) if !regra.admite_municipal => Err(NoRoute::ObrigatorioNacional {
                    motivo: regra.motivo.clone(),
                }),
                (_, Some(found)) if found.leg.system.via == Caminho::Nacional => {
                    Err(NoRoute::SemViaMunicipal {
                        municipio: place(m),
                    })
                }
                (_, Some(found)) => Ok(self.by_leg(m, found)),
                (_, None) => Err(nothing(m, competencia)),
            },
        }
    }

    /// The newest rule in force for a regime.
    pub(super) fn regra(&self, regime: Regime, competencia: Date) -> Option<&Regra> {
        self.regras
            .iter()
            .find(|regra| regra.vale(regime, competencia))
    }

    /// The municipality's own route, rules aside.
    pub(super) fn leg<'r>(
        &self,
        m: &'r Municipio,
        regime: Regime,
        competencia: Date,
    ) -> Option<Found<'r>> {
        let previous = m.anteriores.iter().find_map(|leg| {
            let end = leg
                .ate
                .or_else(|| self.mudanca_presumida.em.previous_day())?;
            let started = leg.de.is_none_or(|de| de <= competencia);
            (started && competencia <= end && serves(leg, regime)).then_some(Found {
                leg,
                anterior: true,
                presumida: leg.ate.is_none(),
            })
        });
        let current = || {
            let in_force = |leg: &&Leg| leg.vale(competencia) && serves(leg, regime);
            // A route for this regime stands over the one for all.
            let special = m
                .rotas
                .iter()
                .filter(in_force)
                .find(|leg| !leg.regimes.is_empty());
            let leg = special.or_else(|| m.rotas.iter().find(in_force))?;
            let anterior = leg.ate.is_some_and(|ate| ate < self.verificado);
            Some(Found {
                leg,
                anterior,
                presumida: false,
            })
        };
        previous.or_else(current)
    }

    fn by_rule(&self, m: &Municipio, regra: &Regra) -> Route {
        let mut motivo = regra.motivo.clone();
        if !m.emissor_nacional && regra.system.via == Caminho::Nacional {
            motivo.push_str(&format!(
                " {} não aparece na lista do emissor nacional da Receita Federal de {}: a Sefin \
                 Nacional pode recusar a nota (E0037).",
                place(m),
                por_extenso(self.emissor_nacional_fonte.data)
            ));
        }
        let evidencia = Evidencia::of(&regra.fonte, regra.fonte.data);
        build(m, &regra.system, None, false, motivo, evidencia)
    }

    fn by_leg(&self, m: &Municipio, found: Found<'_>) -> Route {
        let Found {
            leg,
            anterior,
            presumida,
        } = found;
        let evidencia = evidence(m, leg);
        let layout = match leg.system.padrao.as_str() {
            "" => String::new(),
            padrao => format!(" ({padrao})"),
        };
        let motivo = if presumida {
            format!(
                "{} usava o sistema {}{layout} em {}. O dia da troca não é conhecido; adota-se {} \
                 ({}).",
                place(m),
                leg.system.nome,
                por_extenso(evidencia.verificado),
                por_extenso(self.mudanca_presumida.em),
                self.mudanca_presumida.fonte.nome,
            )
        } else {
            let period = match (leg.de, leg.ate) {
                (Some(de), Some(ate)) => {
                    format!(" de {} a {}", por_extenso(de), por_extenso(ate))
                }
                (Some(de), None) => format!(" desde {}", por_extenso(de)),
                (None, Some(ate)) => format!(" até {}", por_extenso(ate)),
                (None, None) => String::new(),
            };
            let verb = if anterior { "emitia" } else { "emite" };
            let by = match leg.system.via {
                Caminho::Nacional => format!("pelo padrão nacional{layout}"),
                Caminho::Gateway => format!(
                    "pelo endereço próprio do sistema {}, no leiaute nacional{layout}",
                    leg.system.nome
                ),
                Caminho::Municipal => format!("pelo sistema {}{layout}", leg.system.nome),
            };
            format!(
                "{} {verb} {by}{period}, segundo {} de {}.",
                place(m),
                evidencia.fonte,
                por_extenso(evidencia.verificado)
            )
        };
        build(m, &leg.system, Some(leg), anterior, motivo, evidencia)
    }

    /// The national way on request, where the official list opens it.
    fn by_list(&self, m: &Municipio) -> Result<Route, NoRoute> {
        let lista = &self.emissor_nacional_fonte;
        let Some(system) = self.nacional.as_ref().filter(|_| m.emissor_nacional) else {
            return Err(NoRoute::SemViaNacional {
                municipio: place(m),
                lista: lista.data,
            });
        };
        let motivo = format!(
            "Via nacional pedida: {} está na lista do emissor nacional da Receita Federal de {}.",
            place(m),
            por_extenso(lista.data)
        );
        Ok(build(
            m,
            system,
            None,
            false,
            motivo,
            Evidencia::of(lista, lista.data),
        ))
    }
}

fn serves(leg: &Leg, regime: Regime) -> bool {
    leg.regimes.is_empty() || leg.regimes.contains(&regime)
}

fn nothing(m: &Municipio, competencia: Date) -> NoRoute {
    if m.rotas.is_empty() && m.anteriores.is_empty() {
        NoRoute::NaoMedido {
            municipio: place(m),
        }
    } else {
        NoRoute::ForaDeVigencia {
            municipio: place(m),
            competencia,
        }
    }
}

/// "São Paulo/SP".
pub(super) fn place(m: &Municipio) -> String {
    format!("{}/{}", m.nome, m.uf)
}

/// Who says that the municipality uses this route.
pub(super) fn evidence(m: &Municipio, leg: &Leg) -> Evidencia {
    let fonte = leg
        .fonte
        .as_ref()
        .or(m.fonte.as_ref())
        .unwrap_or(&leg.system.fonte);
    let of_city = if leg.fonte.is_none() {
        m.verificado
    } else {
        None
    };
    let day = leg.verificado.or(of_city).unwrap_or(fonte.data);
    Evidencia::of(fonte, day)
}

fn build(
    m: &Municipio,
    system: &Arc<System>,
    leg: Option<&Leg>,
    anterior: bool,
    motivo: String,
    evidencia: Evidencia,
) -> Route {
    let mut producao = system.producao.clone();
    let mut homologacao = system.homologacao.clone();
    let mut options = system.options.clone();
    let mut consulta = system.consulta.clone();
    if let Some(leg) = leg {
        producao.extend(leg.producao.clone());
        homologacao.extend(leg.homologacao.clone());
        options.extend(leg.options.clone());
        if leg.consulta.is_some() {
            consulta.clone_from(&leg.consulta);
        }
    }
    let consulta = consulta
        .filter(|text| !text.is_empty())
        .and_then(|text| anchored(&text, &producao));
    let hosts = producao
        .values()
        .chain(homologacao.values())
        .chain(consulta.iter())
        .filter_map(|url| host(url))
        .map(str::to_ascii_lowercase)
        .collect();
    Route {
        ibge: m.ibge,
        municipio: m.nome.clone(),
        uf: m.uf.clone(),
        sistema: system.id.clone(),
        nome: system.nome.clone(),
        padrao: system.padrao.clone(),
        adapter: system.adapter.clone(),
        via: system.via,
        producao,
        homologacao,
        options,
        hosts,
        credenciais_exigidas: system.credenciais.clone(),
        certificado_exigido: system.certificado != Certificado::Nenhum,
        certificado_tls: system.certificado == Certificado::Tls,
        consulta,
        anterior,
        motivo,
        evidencia,
        recusas: m.recusas.clone(),
    }
}

/// Replaces `{origem}` by scheme and authority of the service. None: the
/// template needs an address the route does not have.
fn anchored(template: &str, producao: &Endpoints) -> Option<String> {
    let Some(path) = template.strip_prefix("{origem}") else {
        return Some(template.to_owned());
    };
    let service = producao.get("nfse").or_else(|| producao.values().next())?;
    let (scheme, rest) = service.split_once("://")?;
    let authority = rest.split('/').next()?;
    Some(format!("{scheme}://{authority}{path}"))
}
