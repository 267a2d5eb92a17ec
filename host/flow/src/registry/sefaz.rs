//! By which way a product document leaves, and how to speak TLS with its host.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::address::host;
use super::model::{
    Autorizador, Endpoints, Evidencia, Modelo, Options, PerfilTls, Registry, Servicos, Uf,
};
use crate::contract::Ambiente;

/// The national environment's name in the file.
const AMBIENTE_NACIONAL: &str = "AN";
/// tpEmis of an ordinary document.
const NORMAL: u8 = 1;
/// Endpoint of the register of taxpayers.
const CADASTRO: &str = "cadastro";
/// Endpoints of the national environment a call for NFC-e may use: interest
/// and EPEC are matters of model 55.
const NACIONAIS_DA_NFCE: [&str; 1] = ["evento_an"];

/// An authorizer as one call needs it.
#[derive(Debug, Clone)]
pub struct RotaSefaz {
    /// Authorizer, by its name in the file.
    pub autorizador: String,
    /// Its name for people, pt-BR.
    pub nome: String,
    /// Adapter.
    pub adapter: String,
    /// The state it is for. None: the national environment alone.
    pub uf: Option<Arc<Uf>>,
    /// tpEmis of documents that leave this way: 1, or 6 and 7 in contingency.
    pub tp_emis: u8,
    /// cOrgao of events the authorizer registers in its own name.
    pub orgao: Option<u8>,
    /// Addresses by endpoint name, production; with those of the national
    /// environment (`distribuicao`, `evento_an`, `epec`).
    pub producao: Endpoints,
    /// The same in homologation.
    pub homologacao: Endpoints,
    /// Options for the adapter.
    pub options: Options,
    /// Host names of all addresses.
    pub hosts: BTreeSet<String>,
    /// Who says so.
    pub evidencia: Evidencia,
}

impl RotaSefaz {
    /// Addresses of an environment, by endpoint name.
    pub fn endpoints(&self, ambiente: Ambiente) -> &Endpoints {
        match ambiente {
            Ambiente::Producao => &self.producao,
            Ambiente::Homologacao => &self.homologacao,
        }
    }
}

impl Registry {
    /// The ordinary authorizer of a state for a model. None: no such state.
    pub fn autorizador(&self, uf: &str, modelo: Modelo) -> Option<RotaSefaz> {
        let uf = self.uf(uf)?;
        self.rota(uf.autorizador(modelo), modelo, Some(uf))
    }

    /// The authorizer of a state's NF-e while the ordinary one is down (SVC).
    /// None: no such state, or NFC-e, which is issued offline.
    pub fn contingencia(&self, uf: &str, modelo: Modelo) -> Option<RotaSefaz> {
        let uf = self.uf(uf)?;
        match modelo {
            Modelo::Nfe => self.rota(&uf.contingencia, modelo, Some(uf)),
            Modelo::Nfce => None,
        }
    }

    /// Who answers for the register of taxpayers of a state. None: no such
    /// state, or no source gives it an address.
    pub fn cadastro(&self, uf: &str) -> Option<RotaSefaz> {
        let uf = self.uf(uf)?;
        self.rota(uf.cadastro.as_ref()?, Modelo::Nfe, Some(uf))
    }

    /// Documents of interest and events of cOrgao 91. None: the file has no
    /// national environment.
    pub fn ambiente_nacional(&self) -> Option<RotaSefaz> {
        let nacional = self.sefaz.autorizadores.get(AMBIENTE_NACIONAL)?;
        self.rota(nacional, Modelo::Nfe, None)
    }

    /// A state by its sigla.
    pub fn uf(&self, sigla: &str) -> Option<&Arc<Uf>> {
        self.sefaz.ufs.get(sigla)
    }

    /// All states, by sigla.
    pub fn ufs(&self) -> impl Iterator<Item = &Arc<Uf>> {
        self.sefaz.ufs.values()
    }

    /// All authorizers, by name.
    pub fn autorizadores(&self) -> impl Iterator<Item = &Arc<Autorizador>> {
        self.sefaz.autorizadores.values()
    }

    /// Profile of a host. None: nothing is known, the usual client will do.
    pub fn tls(&self, host: &str) -> Option<PerfilTls> {
        self.sefaz.tls.get(&host.to_ascii_lowercase()).cloned()
    }

    /// All profiles, by host.
    pub fn perfis_tls(&self) -> impl Iterator<Item = &PerfilTls> {
        self.sefaz.tls.values()
    }

    fn rota(
        &self,
        autorizador: &Arc<Autorizador>,
        modelo: Modelo,
        uf: Option<&Arc<Uf>>,
    ) -> Option<RotaSefaz> {
        let mut servicos = autorizador.servicos(modelo)?.clone();
        // An authorizer of many states keeps the register of some of them.
        let registers = uf.is_none_or(|uf| {
            uf.cadastro
                .as_ref()
                .is_some_and(|cadastro| cadastro.id == autorizador.id)
        });
        if !registers {
            servicos.producao.remove(CADASTRO);
            servicos.homologacao.remove(CADASTRO);
        }
        self.com_nacional(&mut servicos, modelo);
        let hosts = servicos
            .producao
            .values()
            .chain(servicos.homologacao.values())
            .filter_map(|url| host(url))
            .map(str::to_ascii_lowercase)
            .collect();
        Some(RotaSefaz {
            autorizador: autorizador.id.clone(),
            nome: autorizador.nome.clone(),
            adapter: autorizador.adapter.clone(),
            uf: uf.cloned(),
            tp_emis: autorizador.tp_emis.unwrap_or(NORMAL),
            orgao: autorizador.orgao,
            producao: servicos.producao,
            homologacao: servicos.homologacao,
            options: servicos.options,
            hosts,
            evidencia: Evidencia::of(&autorizador.fonte, autorizador.verificado),
        })
    }

    /// Adds what the national environment has and the authorizer has not.
    fn com_nacional(&self, servicos: &mut Servicos, modelo: Modelo) {
        let nacional = self.sefaz.autorizadores.get(AMBIENTE_NACIONAL);
        let Some(nacional) = nacional.and_then(|nacional| nacional.nfe.as_ref()) else {
            return;
        };
        let ambientes = [
            (&mut servicos.producao, &nacional.producao),
            (&mut servicos.homologacao, &nacional.homologacao),
        ];
        for (endpoints, nacionais) in ambientes {
            for (name, url) in nacionais {
                let for_model = modelo == Modelo::Nfe || NACIONAIS_DA_NFCE.contains(&name.as_str());
                if for_model && !endpoints.contains_key(name) {
                    endpoints.insert(name.clone(), url.clone());
                }
            }
        }
    }
}
