//! By which way a product document leaves, and how to speak TLS with its host.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::address::host;
use super::model::{
    Autorizador, Endpoints, Evidence, Model, Options, Registry, Services, TlsProfile, Uf,
};
use crate::contract::Ambiente;

/// The national environment's name in the file.
const AMBIENTE_NACIONAL: &str = "AN";
/// tpEmis of an ordinary document.
const NORMAL: u8 = 1;
/// Endpoint of the register of taxpayers.
const REGISTRATION: &str = "cadastro";
/// Endpoints of the national environment a call for NFC-e may use: interest
/// and EPEC are matters of model 55. CT-e and MDF-e use none of them.
const NFCE_NATIONAL: [&str; 1] = ["evento_an"];

/// An authorizer as one call needs it.
#[derive(Debug, Clone)]
pub struct RotaSefaz {
    /// Authorizer, by its name in the file.
    pub autorizador: String,
    /// Its name for people, pt-BR.
    pub name: String,
    /// Adapter.
    pub adapter: String,
    /// The state it is for. None: the national environment alone.
    pub uf: Option<Arc<Uf>>,
    /// tpEmis of documents that leave this way: 1, or 6, 7 and 8 in contingency.
    pub tp_emis: u8,
    /// cOrgao of events the authorizer registers in its own name.
    pub agency: Option<u8>,
    /// Addresses by endpoint name, production; with those of the national
    /// environment (`distribuicao`, `evento_an`, `epec`).
    pub production: Endpoints,
    /// The same in homologation.
    pub homologacao: Endpoints,
    /// Options for the adapter.
    pub options: Options,
    /// Host names of all addresses.
    pub hosts: BTreeSet<String>,
    /// Who says so.
    pub evidence: Evidence,
}

impl RotaSefaz {
    /// Addresses of an environment, by endpoint name.
    pub fn endpoints(&self, ambiente: Ambiente) -> &Endpoints {
        match ambiente {
            Ambiente::Producao => &self.production,
            Ambiente::Homologacao => &self.homologacao,
        }
    }
}

impl Registry {
    /// The ordinary authorizer of a state for a model. None: no such state.
    pub fn autorizador(&self, uf: &str, model: Model) -> Option<RotaSefaz> {
        let uf = self.uf(uf)?;
        self.rota(uf.autorizador(model), model, Some(uf))
    }

    /// The authorizer of a state's NF-e or CT-e while the ordinary one is down
    /// (SVC). None: no such state, or NFC-e and MDF-e, which are issued offline.
    pub fn contingency(&self, uf: &str, model: Model) -> Option<RotaSefaz> {
        let uf = self.uf(uf)?;
        match model {
            Model::Nfe => self.rota(&uf.contingency, model, Some(uf)),
            Model::Cte => self.rota(&uf.contingency_cte, model, Some(uf)),
            Model::Nfce | Model::Mdfe => None,
        }
    }

    /// Who answers for the register of taxpayers of a state. None: no such
    /// state, or no source gives it an address.
    pub fn registration(&self, uf: &str) -> Option<RotaSefaz> {
        let uf = self.uf(uf)?;
        self.rota(uf.registration.as_ref()?, Model::Nfe, Some(uf))
    }

    /// Documents of interest and events of cOrgao 91. None: the file has no
    /// national environment.
    pub fn ambiente_nacional(&self) -> Option<RotaSefaz> {
        let nacional = self.sefaz.authorizers.get(AMBIENTE_NACIONAL)?;
        self.rota(nacional, Model::Nfe, None)
    }

    /// A state by its sigla.
    pub fn uf(&self, abbreviation: &str) -> Option<&Arc<Uf>> {
        self.sefaz.ufs.get(abbreviation)
    }

    /// All states, by sigla.
    pub fn ufs(&self) -> impl Iterator<Item = &Arc<Uf>> {
        self.sefaz.ufs.values()
    }

    /// All authorizers, by name.
    pub fn authorizers(&self) -> impl Iterator<Item = &Arc<Autorizador>> {
        self.sefaz.authorizers.values()
    }

    /// Profile of a host. None: nothing is known, the usual client will do.
    pub fn tls(&self, host: &str) -> Option<TlsProfile> {
        self.sefaz.tls.get(&host.to_ascii_lowercase()).cloned()
    }

    /// All profiles, by host.
    pub fn tls_profiles(&self) -> impl Iterator<Item = &TlsProfile> {
        self.sefaz.tls.values()
    }

    fn rota(
        &self,
        autorizador: &Arc<Autorizador>,
        model: Model,
        uf: Option<&Arc<Uf>>,
    ) -> Option<RotaSefaz> {
        let mut services = autorizador.services(model)?.clone();
        // An authorizer of many states keeps the register of some of them.
        let registers = uf.is_none_or(|uf| {
            uf.registration
                .as_ref()
                .is_some_and(|registration| registration.id == autorizador.id)
        });
        if !registers {
            services.production.remove(REGISTRATION);
            services.homologacao.remove(REGISTRATION);
        }
        self.with_national(&mut services, model);
        let hosts = services
            .production
            .values()
            .chain(services.homologacao.values())
            .filter_map(|url| host(url))
            .map(str::to_ascii_lowercase)
            .collect();
        Some(RotaSefaz {
            autorizador: autorizador.id.clone(),
            name: autorizador.name.clone(),
            adapter: autorizador.adapter.clone(),
            uf: uf.cloned(),
            tp_emis: autorizador.tp_emis.unwrap_or(NORMAL),
            // Events of CT-e and MDF-e bear the code of the key's state.
            agency: autorizador
                .agency
                .filter(|_| matches!(model, Model::Nfe | Model::Nfce)),
            production: services.production,
            homologacao: services.homologacao,
            options: services.options,
            hosts,
            evidence: Evidence::of(&autorizador.cited, autorizador.verified),
        })
    }

    /// Adds what the national environment has and the authorizer has not.
    fn with_national(&self, services: &mut Services, model: Model) {
        let nacional = self.sefaz.authorizers.get(AMBIENTE_NACIONAL);
        let of_nfe = nacional.and_then(|nacional| nacional.services(Model::Nfe));
        let (Some(nacional), Model::Nfe | Model::Nfce) = (of_nfe, model) else {
            return;
        };
        let by_ambiente = [
            (&mut services.production, &nacional.production),
            (&mut services.homologacao, &nacional.homologacao),
        ];
        for (endpoints, national) in by_ambiente {
            for (name, url) in national {
                let for_model = model == Model::Nfe || NFCE_NATIONAL.contains(&name.as_str());
                if for_model && !endpoints.contains_key(name) {
                    endpoints.insert(name.clone(), url.clone());
                }
            }
        }
    }
}
