//! Does the hub issue in this municipality, and with which caveats?

use time::Date;

use super::dates::por_extenso;
use super::model::{Caminho, Evidencia, Municipio, Regime, Registry};
use super::route::{Via, evidence, place};

/// The four answers. They are measurements: `NaoMedido` never means `Nao`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resposta {
    /// An adapter speaks to the system, and sources and operations agree.
    Sim,
    /// It issues, with the caveats listed.
    Parcial,
    /// The system is known, no adapter speaks to it, and the municipality is
    /// not on the list of the national emitter.
    Nao,
    /// No source says how the municipality issues.
    NaoMedido,
}

impl Resposta {
    /// Word of the API for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::Parcial => "parcial",
            Self::Nao => "não",
            Self::NaoMedido => "não medido",
        }
    }

    /// Word of the API for programs.
    pub fn codigo(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::Parcial => "parcial",
            Self::Nao => "nao",
            Self::NaoMedido => "nao_medido",
        }
    }
}

/// Coverage of one municipality on one day.
#[derive(Debug, Clone)]
pub struct Cobertura {
    /// The answer for emitters of the general regime; `regimes` has the rest.
    pub resposta: Resposta,
    /// Seven-digit IBGE code.
    pub ibge: u32,
    /// Name of the municipality.
    pub cidade: String,
    /// Sigla of the state.
    pub uf: String,
    /// How notes of the general regime leave. None: not measured.
    pub via: Option<Caminho>,
    /// System, by its name in the file.
    pub sistema: Option<String>,
    /// Name of the system for people.
    pub provedor: Option<String>,
    /// Layout of the system.
    pub padrao: Option<String>,
    /// pt-BR sentence: the way and who says so.
    pub caminho: String,
    /// Caveats, pt-BR.
    pub ressalvas: Vec<String>,
    /// The answer for each regime: rules send some of them elsewhere.
    pub regimes: Vec<CoberturaRegime>,
    /// Who says so.
    pub evidencia: Evidencia,
}

/// Coverage for the emitters of one regime.
#[derive(Debug, Clone)]
pub struct CoberturaRegime {
    /// The regime.
    pub regime: Regime,
    /// The answer for it.
    pub resposta: Resposta,
    /// How its notes leave. None: not measured.
    pub via: Option<Caminho>,
    /// pt-BR sentence: why.
    pub motivo: String,
}

impl Registry {
    /// Coverage of a municipality for notes of competence `em`. None: the
    /// code is no municipality.
    pub fn cobertura(&self, ibge: u32, em: Date) -> Option<Cobertura> {
        let m = self.municipio(ibge)?;
        let found = self.leg(m, Regime::Normal, em);
        let system = found.map(|found| found.leg.system.as_ref());
        let mut ressalvas = caveats(m);
        let resposta = match system {
            None => Resposta::NaoMedido,
            Some(system) if system.adapter.is_some() => agreed(m),
            Some(_) if m.emissor_nacional => Resposta::Parcial,
            Some(_) => Resposta::Nao,
        };
        if let Some(system) = system {
            if system.adapter.is_none() {
                ressalvas.push(format!(
                    "O sistema {} é conhecido, mas ainda não há adaptador para ele.",
                    system.nome
                ));
            }
            if system.adapter.is_none() && m.emissor_nacional {
                ressalvas.push(
                    "Emissão somente pelo emissor nacional: MEI e ME/EPP do Simples Nacional, ou \
                     a pedido (via \"nacional\")."
                        .to_owned(),
                );
            }
            ressalvas.extend(system.avisos.iter().cloned());
        }
        let regimes: Vec<CoberturaRegime> = Regime::ALL
            .into_iter()
            .map(|regime| self.for_regime(m, regime, em))
            .collect();
        // A rule that leads elsewhere than the city's own way is worth a line.
        for regime in [Regime::Mei, Regime::SimplesMeEpp] {
            if let Some(regra) = self.regra(regime, em)
                && system.is_none_or(|system| system.id != regra.system.id)
                && !ressalvas.contains(&regra.motivo)
            {
                ressalvas.push(regra.motivo.clone());
            }
        }
        let plain_http = found.is_some_and(|found| {
            let own = &found.leg.producao;
            let urls = if own.is_empty() {
                &found.leg.system.producao
            } else {
                own
            };
            urls.values().any(|url| url.starts_with("http://"))
        });
        if plain_http {
            ressalvas.push("O endereço do município usa http, sem criptografia.".to_owned());
        }
        let evidencia = match found {
            Some(found) => evidence(m, found.leg),
            None => Evidencia::of(&self.emissor_nacional_fonte, self.verificado),
        };
        let caminho = match self.route(ibge, Regime::Normal, em, Via::Auto) {
            Ok(route) => route.motivo,
            Err(none) => none.mensagem(),
        };
        Some(Cobertura {
            resposta,
            ibge,
            cidade: m.nome.clone(),
            uf: m.uf.clone(),
            via: system.map(|system| system.via),
            sistema: system.map(|system| system.id.clone()),
            provedor: system.map(|system| system.nome.clone()),
            padrao: system
                .map(|system| system.padrao.clone())
                .filter(|text| !text.is_empty()),
            caminho,
            ressalvas,
            regimes,
            evidencia,
        })
    }

    fn for_regime(&self, m: &Municipio, regime: Regime, em: Date) -> CoberturaRegime {
        match self.route(m.ibge, regime, em, Via::Auto) {
            Ok(route) => {
                let listed = m.emissor_nacional;
                let by_rule = self.regra(regime, em).is_some();
                let resposta = match route.adapter {
                    None => Resposta::Nao,
                    // Known by rule only, not by anything about this city.
                    Some(_) if by_rule && !listed => Resposta::Parcial,
                    // Rule and list say the same: the city's own way is no
                    // contradiction for this regime.
                    Some(_) if by_rule && m.recusas.is_empty() => Resposta::Sim,
                    Some(_) => agreed(m),
                };
                CoberturaRegime {
                    regime,
                    resposta,
                    via: Some(route.via),
                    motivo: route.motivo,
                }
            }
            Err(none) => CoberturaRegime {
                regime,
                resposta: Resposta::NaoMedido,
                via: None,
                motivo: none.mensagem(),
            },
        }
    }
}

/// "sim" only where sources agree and no operation is refused.
fn agreed(m: &Municipio) -> Resposta {
    if m.conflitos.is_empty() && m.recusas.is_empty() {
        Resposta::Sim
    } else {
        Resposta::Parcial
    }
}

fn caveats(m: &Municipio) -> Vec<String> {
    let refused = m.recusas.iter().map(|(operation, recusa)| {
        let what = match operation.as_str() {
            "cancelar" => "Cancelamento não disponível",
            "substituir" => "Substituição não disponível",
            "emitir" => "Emissão não disponível",
            _ => "Consulta não disponível",
        };
        format!(
            "{what}: {} (fonte: {}, {})",
            recusa.motivo,
            recusa.fonte.nome,
            por_extenso(recusa.fonte.data)
        )
    });
    let measured = m.rotas.is_empty().then(|| {
        format!(
            "{} não foi medido: nenhuma fonte consultada diz por qual sistema emite. Não \
             significa que não emita.",
            place(m)
        )
    });
    measured
        .into_iter()
        .chain(refused)
        .chain(m.conflitos.iter().map(|conflito| conflito.motivo.clone()))
        .collect()
}
