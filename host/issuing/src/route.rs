//! What an adapter is given for one call: route, context, and the frozen way
//! its requests take.

use crate::emitters::profile::{Perfil, RequestedVia};
use crate::model::{Ambiente, Model};
use authority::catalog::Catalog;
use authority::way::{Mode, Way};
use base::errors::{Code, Refusal};
use fiscal::nfse::dps::SimplesOption;
use flow::contract::{self, Context, Emitente, Municipio, Named};
use flow::registry::{Regime, Registry, RotaSefaz, Route, Via};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::ids::EmitterId;
use store::node::Node;
use store::tables::emitters::EmitterRow;
use store::words::Maybe;
use time::Date;

impl From<RequestedVia> for Via {
    fn from(via: RequestedVia) -> Via {
        match via {
            RequestedVia::Auto => Via::Auto,
            RequestedVia::Nacional => Via::Nacional,
            RequestedVia::Gateway | RequestedVia::Municipal => Via::Municipal,
        }
    }
}

/// The regime that routes distinguish.
pub fn regime(option: SimplesOption) -> Regime {
    match option {
        SimplesOption::NaoOptante => Regime::Normal,
        SimplesOption::Mei => Regime::Mei,
        SimplesOption::MeEpp => Regime::SimplesMeEpp,
    }
}

/// The state of a municipality, by its IBGE code; empty for an unknown one.
pub fn uf<'a>(registry: &'a Registry, municipality: &str) -> &'a str {
    let ibge = municipality.parse().ok();
    ibge.and_then(|ibge| registry.municipality(ibge))
        .map_or("", |municipality| &municipality.uf)
}

/// Finds the route of a note and refuses what the hub cannot carry.
///
/// # Errors
/// 422 with the registry's own sentence and source.
pub fn route(
    registry: &Registry,
    municipality: &str,
    regime: Regime,
    period: Date,
    via: Via,
) -> Result<Route, Box<Refusal>> {
    let ibge = municipality.parse().unwrap_or(0);
    registry
        .route(ibge, regime, period, via)
        .map_err(|no_route| {
            Box::new(Refusal::new(Code::MunicipioNaoAtendido).message(no_route.message()))
        })
}

/// When to ask again for an adapter that is not installed: somebody has to
/// install it and start the hub anew.
const INSTALL_RETRY_S: u64 = 60;

/// Name of the SEFAZ Virtual do Rio Grande do Sul in the registry.
const SVRS: &str = "SVRS";

/// How a product note reaches its SEFAZ.
#[derive(Clone, Debug)]
pub struct Sefaz {
    pub uf: String,
    pub autorizador: String,
    pub adapter: String,
    pub production: BTreeMap<String, String>,
    pub homologacao: BTreeMap<String, String>,
    pub options: flow::registry::Options,
}

impl Sefaz {
    /// Its addresses by service, in an environment.
    pub fn endpoints(&self, ambiente: Ambiente) -> &BTreeMap<String, String> {
        match ambiente {
            Ambiente::Production => &self.production,
            Ambiente::Homologacao | Ambiente::Simulated => &self.homologacao,
        }
    }
}

impl From<RotaSefaz> for Sefaz {
    fn from(rota: RotaSefaz) -> Sefaz {
        Sefaz {
            uf: rota
                .uf
                .map(|uf| uf.abbreviation.clone())
                .unwrap_or_default(),
            autorizador: rota.autorizador,
            adapter: rota.adapter,
            production: rota.production,
            homologacao: rota.homologacao,
            options: rota.options,
        }
    }
}

/// The authorizer of a state for a model.
///
/// # Errors
/// 422: the registry knows none.
pub fn sefaz(registry: &Registry, uf: &str, model: Model) -> Result<Sefaz, Box<Refusal>> {
    registry
        .autorizador(uf, of_registry(model))
        .map(Sefaz::from)
        .ok_or_else(|| {
            Box::new(Refusal::new(Code::UfNaoAtendida).message(format!(
                "O registro não tem autorizador de {} para {uf}.",
                model.title()
            )))
        })
}

/// The authority that takes a state's CT-e announced in contingency.
///
/// # Errors
/// 422: the registry knows none.
pub fn contingency(registry: &Registry, uf: &str, model: Model) -> Result<Sefaz, Box<Refusal>> {
    registry
        .contingency(uf, of_registry(model))
        .map(Sefaz::from)
        .ok_or_else(|| {
            Box::new(Refusal::new(Code::UfNaoAtendida).message(format!(
                "O registro não tem quem receba a contingência de {} de {uf}.",
                model.title()
            )))
        })
}

/// SVRS, whichever state the note is of: some events go to it for all.
///
/// # Errors
/// 422: the registry does not know it.
pub fn svrs(registry: &Registry, uf: &str, model: Model) -> Result<Sefaz, Box<Refusal>> {
    let known = registry
        .authorizers()
        .find(|autorizador| autorizador.id == SVRS);
    let services = known.and_then(|known| known.services(of_registry(model)));
    let (Some(known), Some(services)) = (known, services) else {
        return Err(Box::new(
            Refusal::new(Code::UfNaoAtendida)
                .message("O registro não tem a SVRS, que recebe este evento."),
        ));
    };
    Ok(Sefaz {
        uf: uf.to_owned(),
        autorizador: known.id.clone(),
        adapter: known.adapter.clone(),
        production: services.production.clone(),
        homologacao: services.homologacao.clone(),
        options: services.options.clone(),
    })
}

fn of_registry(model: Model) -> flow::registry::Model {
    match model {
        Model::Nfce => flow::registry::Model::Nfce,
        Model::Cte => flow::registry::Model::Cte,
        Model::Mdfe => flow::registry::Model::Mdfe,
        Model::Nfe | Model::Nfse => flow::registry::Model::Nfe,
    }
}

/// The way of a flow to a SEFAZ.
///
/// # Errors
/// 422 when the authorizer has no address in this environment.
pub fn sefaz_way(
    hub: &Node,
    sefaz: &Sefaz,
    emitter: &EmitterRow,
    ambiente: Ambiente,
) -> Result<Way, Box<Refusal>> {
    let endpoints = sefaz.endpoints(ambiente);
    if endpoints.is_empty() {
        let sentence = format!(
            "{} não tem endereço conhecido neste ambiente.",
            sefaz.autorizador
        );
        return Err(Box::new(
            Refusal::new(Code::UfNaoAtendida).message(sentence),
        ));
    }
    Ok(way_to(
        hub,
        endpoints.clone(),
        BTreeSet::new(),
        emitter,
        ambiente,
    ))
}

/// The component of a route, for an emitter.
///
/// # Errors
/// 422: the system is known, but no adapter speaks to it yet; 503: one does,
/// and is not installed.
pub fn component(
    registry: &Registry,
    catalog: &Catalog,
    route: &Route,
    emitter: &EmitterId,
) -> Result<Arc<flow::Loaded>, Box<Refusal>> {
    let name = route.adapter.as_ref().ok_or_else(|| {
        let sentence = format!(
            "{} ({}) usa o sistema {}, para o qual o hub ainda não tem adaptador.",
            route.municipality, route.uf, route.name
        );
        Box::new(Refusal::new(Code::MunicipioNaoAtendido).message(sentence))
    })?;
    adapter(registry, catalog, name, emitter)
}

/// The component an adapter of the registry runs, for an emitter.
///
/// # Errors
/// 503, which is logged: it is not installed, and only who runs the hub can
/// mend that.
pub fn adapter(
    registry: &Registry,
    catalog: &Catalog,
    name: &str,
    emitter: &EmitterId,
) -> Result<Arc<flow::Loaded>, Box<Refusal>> {
    catalog
        .chosen(component_of(registry, name), emitter)
        .ok_or_else(|| {
            tracing::error!(adapter = %name, "the registry names an adapter that is not installed");
            Box::new(
                Refusal::new(Code::Manutencao)
                    .message("O adaptador que fala com esta autoridade não está instalado neste hub; nada foi cobrado.")
                    .hint("Repita depois do tempo indicado em Retry-After; se continuar, fale com quem opera o hub.")
                    .retry_after(INSTALL_RETRY_S),
            )
        })
}

/// Name of the component an adapter of the registry runs.
pub fn component_of<'r>(registry: &'r Registry, name: &'r str) -> &'r str {
    let known = registry.adapters().find(|adapter| adapter.name == name);
    known.map_or(name, |adapter| adapter.component.as_str())
}

/// The way of a flow.
///
/// # Errors
/// 422 when the system has no address in this environment, or one of http that
/// this hub sends nothing to.
pub fn way(
    hub: &Node,
    registry: &Registry,
    route: &Route,
    emitter: &EmitterRow,
    ambiente: Ambiente,
) -> Result<Way, Box<Refusal>> {
    let endpoints = match ambiente {
        Ambiente::Production => &route.production,
        // The in-process city answers at the addresses of homologation; where
        // a system has none, at those of production.
        Ambiente::Simulated if route.homologacao.is_empty() => &route.production,
        _ => &route.homologacao,
    };
    if endpoints.is_empty() {
        let (which, hint) = if ambiente == Ambiente::Production {
            ("produção", "Use uma chave de teste para simular.")
        } else {
            (
                "homologação",
                "Use uma chave de teste para simular, ou o emitente em produção.",
            )
        };
        let sentence = format!(
            "{} não tem ambiente de {which} conhecido em {}.",
            route.name, route.municipality
        );
        let refusal = Refusal::new(Code::MunicipioNaoAtendido).message(sentence);
        return Err(Box::new(refusal.hint(hint)));
    }
    let way = way_to(
        hub,
        endpoints.clone(),
        route.hosts.clone(),
        emitter,
        ambiente,
    );
    if way.mode == Mode::Official {
        by_tls(hub, registry, route, endpoints)?;
    }
    Ok(way)
}

/// Refuses a route whose adapter needs an address of http that the operator does not
/// accept: nothing would ever leave, so to try again later would not help.
///
/// # Errors
/// 422 that names the host and the setting.
pub fn by_tls(
    hub: &Node,
    registry: &Registry,
    route: &Route,
    endpoints: &BTreeMap<String, String>,
) -> Result<(), Box<Refusal>> {
    let mut adapters = registry.adapters();
    let adapter = adapters.find(|adapter| route.adapter.as_ref() == Some(&adapter.name));
    let needed = adapter.into_iter().flat_map(|adapter| &adapter.endpoints);
    let mut refused = needed
        .filter_map(|name| endpoints.get(name))
        .filter(|url| hub.config.authorities.never_sends(url))
        .filter_map(|url| hub.config.authorities.refused_host(url));
    let Some(host) = refused.next() else {
        return Ok(());
    };
    let sentence = format!(
        "O endereço conhecido do sistema {} de {} ({}) é http, sem TLS, e este hub não envia notas assim; nada foi cobrado.",
        route.name, route.municipality, route.uf
    );
    let listed = registry
        .municipality(route.ibge)
        .is_some_and(|city| city.national_issuer);
    let national = if listed {
        " O município também está no emissor nacional (via \"nacional\")."
    } else {
        ""
    };
    let hint = format!(
        "Peça a quem opera o hub: só a configuração authorities.plain_http com o host {host} permite o envio sem TLS. Repetir não adianta.{national}"
    );
    let refusal = Refusal::new(Code::MunicipioNaoAtendido).message(sentence);
    Err(Box::new(refusal.hint(hint)))
}

/// By whom the addresses of an environment are answered.
pub fn mode(hub: &Node, ambiente: Ambiente) -> Mode {
    let simulated = hub.config.authorities.mode == base::config::AuthoritiesMode::Simulator;
    match ambiente {
        Ambiente::Simulated => Mode::InProcess,
        _ if simulated => Mode::Simulator,
        _ => Mode::Official,
    }
}

/// A way to some addresses with the emitter's certificate.
fn way_to(
    hub: &Node,
    endpoints: BTreeMap<String, String>,
    hosts: BTreeSet<String>,
    emitter: &EmitterRow,
    ambiente: Ambiente,
) -> Way {
    let mode = mode(hub, ambiente);
    Way {
        mode,
        endpoints,
        hosts,
        emitter_id: emitter.id.clone(),
        // The simulated authorities of a test key know only their own
        // certificates; a real one is not shown to them.
        certificate_id: if mode == Mode::InProcess {
            Maybe(None)
        } else {
            emitter.certificate_id.clone()
        },
    }
}

/// The adapter's context. `flow`, `now` and `entropy` are set per flow.
pub fn context(
    route: &Route,
    way: &Way,
    emitter: &EmitterRow,
    perfil: &Perfil,
    secrets: Vec<String>,
    ambiente: Ambiente,
) -> Context {
    let municipality = Municipio {
        codigo: route.ibge,
        nome: route.municipality.clone(),
        uf: route.uf.clone(),
        codigo_tom: None,
    };
    Context {
        municipio: Some(municipality),
        uf: Some(route.uf.clone()),
        options: wire(&route.options),
        ..common(way, emitter, perfil, secrets, ambiente)
    }
}

/// The context of a SEFAZ adapter.
pub fn sefaz_context(
    sefaz: &Sefaz,
    way: &Way,
    emitter: &EmitterRow,
    perfil: &Perfil,
    secrets: Vec<String>,
    ambiente: Ambiente,
) -> Context {
    Context {
        uf: Some(sefaz.uf.clone()),
        options: wire(&sefaz.options),
        ..common(way, emitter, perfil, secrets, ambiente)
    }
}

/// Options as adapters read them.
fn wire(options: &flow::registry::Options) -> Vec<Named> {
    let named = |(name, value): (&String, &flow::registry::OptionValue)| Named {
        name: name.clone(),
        value: value.to_wire(),
    };
    options.iter().map(named).collect()
}

fn common(
    way: &Way,
    emitter: &EmitterRow,
    perfil: &Perfil,
    secrets: Vec<String>,
    ambiente: Ambiente,
) -> Context {
    let extra = |name: &str, value: &Option<String>| {
        value.as_ref().map(|value| Named {
            name: name.to_owned(),
            value: value.clone(),
        })
    };
    let address = perfil.endereco.clone().unwrap_or_default();
    Context {
        flow: String::new(),
        step: 0,
        now: String::new(),
        entropy: Vec::new(),
        // The simulated environment speaks with the homologation's words.
        ambiente: if ambiente == Ambiente::Production {
            contract::Ambiente::Producao
        } else {
            contract::Ambiente::Homologacao
        },
        municipio: None,
        uf: None,
        emitente: Emitente {
            documento: emitter.cnpj.clone(),
            inscricao_municipal: perfil.im.clone(),
            inscricao_estadual: perfil.ie.clone(),
            razao_social: emitter.razao_social.clone(),
            extras: [
                extra("nome_fantasia", &perfil.nome_fantasia),
                extra("telefone", &perfil.telefone),
                extra("email", &perfil.email),
                extra("cnae", &perfil.cnae),
                extra("logradouro", &address.logradouro),
                extra("numero", &address.numero),
                extra("complemento", &address.complemento),
                extra("bairro", &address.bairro),
                extra("cep", &address.cep),
            ]
            .into_iter()
            .flatten()
            .collect(),
        },
        endpoints: way.endpoints.keys().cloned().collect(),
        options: Vec::new(),
        secrets,
    }
}
