//! An emitter's fiscal profile: what is true of the company on every note.

use crate::model::Modelo;
use compose::emitter::Padroes;
use fiscal::nfse::Valor;
use fiscal::nfse::dps::{
    ApuracaoSimples, Conteudo, Endereco, ModoTributos, OpcaoSimples, Regime, RegimeEspecial,
    TributosAproximados,
};
use markup::field::Campos;
use markup::ids::IbgeMunicipio;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{DbResult, Readable as _};

/// Highest series of NF-e and NFC-e (MOC 7.0, B07).
const MAX_SERIE: u32 = 999;
/// Highest number of NF-e and NFC-e (MOC 7.0, B08).
const MAX_NUMERO: u64 = 999_999_999;

/// Perfil fiscal do emitente: o que vale para a empresa em todas as notas.
// Body of PUT /api/v1/emitters/{id}/fiscal-profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Perfil {
    pub razao_social: Option<String>,
    pub nome_fantasia: Option<String>,
    pub ie: Option<String>,
    pub ie_substituto: Vec<IeSubstituto>,
    pub im: Option<String>,
    pub cnae: Option<String>,
    pub email: Option<String>,
    pub telefone: Option<String>,
    pub regime: Option<RegimeTributario>,
    pub endereco: Option<Endereco>,
    /// Padrões das notas de produto.
    pub padroes: Option<Padroes>,
    pub simples: Option<Simples>,
    pub nfe: Option<Numeracao>,
    pub nfce: Option<NumeracaoNfce>,
    pub nfse: Option<PerfilNfse>,
    pub entrada: Option<PerfilEntrada>,
    pub logo_base64: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegimeTributario {
    SimplesNacional,
    /// Simples acima do sublimite estadual: ISS fora do Simples.
    SimplesExcesso,
    Normal,
    Mei,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IeSubstituto {
    pub uf: String,
    pub ie: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Simples {
    pub rbt12: Option<Valor>,
    pub anexo: Option<String>,
    pub aliquota_credito: Option<Valor>,
    /// Alíquota nominal mostrada como carga tributária aproximada nas notas de
    /// serviço, em percentual.
    pub aliquota_nominal: Option<Valor>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Numeracao {
    pub serie: Option<u32>,
    pub proximo_numero: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NumeracaoNfce {
    pub serie: Option<u32>,
    pub proximo_numero: Option<u64>,
    pub csc_id: Option<String>,
    /// Fica cifrado, à parte, e nunca é devolvido.
    pub csc: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PerfilNfse {
    pub serie_rps: Option<String>,
    pub proximo_numero: Option<u64>,
    pub via: Option<ViaPedida>,
    pub regime_especial: Option<RegimeEspecial>,
    pub item_lista_servico: Option<String>,
    /// Percentual.
    pub aliquota_iss: Option<Valor>,
    /// Ficam cifradas, à parte, e nunca são devolvidas.
    pub credenciais: Option<Credenciais>,
}

/// Notas emitidas contra a empresa.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PerfilEntrada {
    /// O hub consulta sozinho a distribuição nacional, cerca de uma vez por
    /// hora e sem cobrança. Só onde nenhum outro sistema consulta: a autoridade
    /// conta as consultas por CNPJ.
    pub automatica: bool,
}

/// Por qual caminho a nota deve sair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ViaPedida {
    #[default]
    Auto,
    Nacional,
    Gateway,
    Municipal,
}

/// Login no sistema da prefeitura.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Credenciais {
    pub usuario: Option<String>,
    pub senha: Option<String>,
    pub token: Option<String>,
}

impl std::fmt::Debug for Credenciais {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credenciais(…)")
    }
}

impl Credenciais {
    /// The ones that were given, by the name adapters use.
    pub fn given(&self) -> Vec<(&'static str, &str)> {
        [
            ("usuario", &self.usuario),
            ("senha", &self.senha),
            ("token", &self.token),
        ]
        .into_iter()
        .filter_map(|(name, value)| {
            value
                .as_deref()
                .filter(|value| !value.is_empty())
                .map(|value| (name, value))
        })
        .collect()
    }
}

impl Perfil {
    /// Takes the secrets out, so that the rest may be stored and shown.
    pub fn take_secrets(&mut self) -> Vec<(String, String)> {
        let mut secrets = Vec::new();
        if let Some(credenciais) = self.nfse.as_mut().and_then(|nfse| nfse.credenciais.take()) {
            secrets.extend(
                credenciais
                    .given()
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value.to_owned())),
            );
        }
        if let Some(csc) = self.nfce.as_mut().and_then(|nfce| nfce.csc.take()) {
            secrets.push(("csc".to_owned(), csc));
        }
        secrets
    }

    /// What is wrong with the profile itself.
    pub fn check(&self, campos: &mut Campos) {
        if let Some(codigo) = self
            .endereco
            .as_ref()
            .and_then(|endereco| endereco.codigo_ibge.as_deref())
            && IbgeMunicipio::parse(codigo).is_err()
        {
            campos.add_value(
                "endereco.codigo_ibge",
                "municipio_invalido",
                codigo,
                "Código IBGE de município inválido.",
                "Informe os 7 dígitos.",
            );
        }
        self.check_rps(campos);
        self.check_series(campos);
        if self
            .entrada
            .as_ref()
            .is_some_and(|entrada| entrada.automatica)
            && self.municipio().is_none()
        {
            campos.add(
                "entrada.automatica",
                "municipio_ausente",
                "A consulta automática precisa do município da empresa.",
                "Informe endereco.codigo_ibge, ou desligue entrada.automatica.",
            );
        }
        self.check_texts(campos);
    }

    /// Series and number of the service notes.
    fn check_rps(&self, campos: &mut Campos) {
        if let Some(nfse) = &self.nfse {
            if let Some(serie) = &nfse.serie_rps
                && !serie_valida(serie)
            {
                campos.add_value(
                    "nfse.serie_rps",
                    "serie_invalida",
                    serie,
                    "Série de RPS inválida.",
                    "Use um número de 1 a 49999 (padrão nacional) ou até 5 letras e dígitos.",
                );
            }
            if nfse.proximo_numero == Some(0)
                || nfse
                    .proximo_numero
                    .is_some_and(|numero| numero > 999_999_999_999_999)
            {
                campos.add(
                    "nfse.proximo_numero",
                    "numero_invalido",
                    "O próximo número vai de 1 a 999999999999999.",
                    "Corrija a numeração.",
                );
            }
        }
    }

    /// Series and numbers of the product notes.
    fn check_series(&self, campos: &mut Campos) {
        for (modelo, campo) in [(Modelo::Nfe, "nfe"), (Modelo::Nfce, "nfce")] {
            let numeracao = self.numeracao(modelo);
            if numeracao.serie.is_some_and(|serie| serie > MAX_SERIE) {
                campos.add(
                    format!("{campo}.serie"),
                    "serie_invalida",
                    "A série vai de 0 a 999.",
                    "Corrija a série.",
                );
            }
            if numeracao
                .proximo_numero
                .is_some_and(|numero| !(1..=MAX_NUMERO).contains(&numero))
            {
                campos.add(
                    format!("{campo}.proximo_numero"),
                    "numero_invalido",
                    "O próximo número vai de 1 a 999999999.",
                    "Corrija a numeração.",
                );
            }
        }
    }

    /// Lengths of the texts.
    fn check_texts(&self, campos: &mut Campos) {
        for (campo, texto, max) in [
            ("razao_social", &self.razao_social, 300),
            ("nome_fantasia", &self.nome_fantasia, 150),
            ("im", &self.im, 15),
            ("ie", &self.ie, 20),
            ("email", &self.email, 80),
            ("telefone", &self.telefone, 20),
            ("logo_base64", &self.logo_base64, 400_000),
        ] {
            if texto
                .as_deref()
                .is_some_and(|texto| texto.is_empty() || texto.chars().count() > max)
            {
                campos.add(
                    campo,
                    "tamanho_invalido",
                    format!("O texto deve ter de 1 a {max} caracteres."),
                    "Ajuste o texto.",
                );
            }
        }
    }

    /// IBGE code of the emitter's municipality.
    pub fn municipio(&self) -> Option<&str> {
        self.endereco.as_ref()?.codigo_ibge.as_deref()
    }

    /// Series and next number of a model, as the profile sets them.
    pub fn numeracao(&self, modelo: Modelo) -> Numeracao {
        match modelo {
            Modelo::Nfe => self.nfe.clone().unwrap_or_default(),
            Modelo::Nfce => self
                .nfce
                .as_ref()
                .map(|nfce| Numeracao {
                    serie: nfce.serie,
                    proximo_numero: nfce.proximo_numero,
                })
                .unwrap_or_default(),
            Modelo::Nfse => Numeracao {
                serie: None,
                proximo_numero: self.nfse.as_ref().and_then(|nfse| nfse.proximo_numero),
            },
        }
    }

    /// Where a series of a model begins that was not used yet. `id` is of the
    /// profile's company.
    ///
    /// # Errors
    /// The profile's next number is none.
    pub fn inicio(&self, modelo: Modelo, serie: &str, id: &str) -> DbResult<i64> {
        let own = self.serie(modelo) == serie;
        match self.numeracao(modelo).proximo_numero.filter(|_| own) {
            Some(numero) => i64::try_from(numero).readable("next number of a company", id),
            None => Ok(1),
        }
    }

    /// The profile's series of a model, in its one form; `1` by default.
    pub fn serie(&self, modelo: Modelo) -> String {
        match modelo {
            Modelo::Nfse => self.serie_nfse(None),
            _ => self.numeracao(modelo).serie.unwrap_or(1).to_string(),
        }
    }

    /// The series asked for, or the profile's own, or `1`; in its one form.
    pub fn serie_nfse(&self, pedida: Option<&str>) -> String {
        let own = self
            .nfse
            .as_ref()
            .and_then(|nfse| nfse.serie_rps.as_deref());
        serie_canonica(pedida.or(own).unwrap_or("1"))
    }

    /// The way asked for, or the profile's own.
    pub fn via(&self, pedida: ViaPedida) -> ViaPedida {
        match (pedida, &self.nfse) {
            (ViaPedida::Auto, Some(nfse)) => nfse.via.unwrap_or_default(),
            _ => pedida,
        }
    }

    /// The company's place in the Simples Nacional.
    pub fn opcao_simples(&self) -> OpcaoSimples {
        match self.regime {
            None | Some(RegimeTributario::Normal) => OpcaoSimples::NaoOptante,
            Some(RegimeTributario::Mei) => OpcaoSimples::Mei,
            Some(RegimeTributario::SimplesNacional | RegimeTributario::SimplesExcesso) => {
                OpcaoSimples::MeEpp
            }
        }
    }

    /// Fills what the customer left out of a note.
    pub fn complete(&self, conteudo: &mut Conteudo) {
        let default = PerfilNfse::default();
        let nfse = self.nfse.as_ref().unwrap_or(&default);
        if conteudo.regime.is_none() {
            let apuracao_simples = match self.regime {
                Some(RegimeTributario::SimplesNacional) => {
                    Some(ApuracaoSimples::FederaisEMunicipalPeloSn)
                }
                Some(RegimeTributario::SimplesExcesso) => {
                    Some(ApuracaoSimples::FederaisPeloSnMunicipalFora)
                }
                _ => None,
            };
            conteudo.regime = Some(Regime {
                opcao_simples: self.opcao_simples(),
                apuracao_simples,
                especial: nfse.regime_especial.unwrap_or_default(),
                incentivador_cultural: false,
            });
        }
        if conteudo.servico.item_lista_servico.is_none()
            && conteudo.servico.codigo_tributacao_nacional.is_none()
        {
            conteudo.servico.item_lista_servico = nfse.item_lista_servico.clone();
        }
        if conteudo.servico.cnae.is_none() {
            conteudo.servico.cnae = self.cnae.clone();
        }
        let me_epp = conteudo
            .regime
            .as_ref()
            .is_some_and(|regime| regime.opcao_simples == OpcaoSimples::MeEpp);
        if me_epp && conteudo.valores.tributos_aproximados.is_none() {
            // National rule E0712: Simples Nacional shows its nominal rate.
            conteudo.valores.tributos_aproximados = self
                .simples
                .as_ref()
                .and_then(|simples| simples.aliquota_nominal)
                .map(|percentual| TributosAproximados {
                    modo: ModoTributos::Simples,
                    percentual: Some(percentual),
                    ..TributosAproximados::default()
                });
        }
        let iss = conteudo.valores.iss.get_or_insert_default();
        if iss.aliquota.is_none() {
            iss.aliquota = nfse.aliquota_iss;
        }
    }
}

/// A series in the one form it has: `8`, `08` and `008` are the same series
/// for an authority, and so they are here.
pub fn serie_canonica(serie: &str) -> String {
    let numeric = !serie.is_empty() && serie.bytes().all(|b| b.is_ascii_digit());
    match serie.trim_start_matches('0') {
        "" if numeric => "0".to_owned(),
        digits if numeric => digits.to_owned(),
        _ => serie.to_owned(),
    }
}

/// National series are numbers from 1 to 49999 (rule E0010); cities also have
/// letters.
pub fn serie_valida(serie: &str) -> bool {
    (1..=5).contains(&serie.len()) && serie.bytes().all(|b| b.is_ascii_alphanumeric())
}
