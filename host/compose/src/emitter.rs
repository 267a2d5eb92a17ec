//! Who issues, as the fiscal profile tells it. Plain data: the hub maps its
//! profile to this and freezes it with the request, so that the document can
//! be built again, byte for byte, after a crash.

use fiscal::nfe::order::{
    Contribuicao, Endereco, IbsCbs, Icms, ModalidadeFrete, Number, ResponsavelTecnico,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Regime tributário (`CRT`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "NfeRegime")]
pub enum Regime {
    /// CRT 1.
    SimplesNacional,
    /// CRT 2: Simples acima do sublimite do estado.
    SimplesExcesso,
    /// CRT 3.
    #[default]
    Normal,
    /// CRT 4 (NT 2024.001).
    Mei,
}

impl Regime {
    /// Official digit.
    pub fn crt(self) -> &'static str {
        match self {
            Regime::SimplesNacional => "1",
            Regime::SimplesExcesso => "2",
            Regime::Normal => "3",
            Regime::Mei => "4",
        }
    }

    /// Does ICMS go by CSOSN? CRT 2 collects ICMS outside of the Simples.
    pub fn uses_csosn(self) -> bool {
        matches!(self, Regime::SimplesNacional | Regime::Mei)
    }
}

/// The emitter (`emit`) with what its profile fills in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Emitter {
    /// CNPJ, or CPF of a rural producer.
    pub cpf_cnpj: String,
    pub razao_social: String,
    pub nome_fantasia: Option<String>,
    pub ie: Option<String>,
    /// `IEST` by state.
    pub ie_substituto: Vec<SubstituteIe>,
    pub im: Option<String>,
    pub cnae: Option<String>,
    pub regime: Regime,
    pub endereco: Endereco,
    pub telefone: Option<String>,
    /// `ISUFEmit`.
    pub suframa: Option<String>,
    pub padroes: Defaults,
    /// Rate of the ICMS credit a Simples emitter passes on, percent (LC
    /// 123/2006 art. 23).
    pub aliquota_credito_sn: Option<Number>,
}

/// Registration as substitute in another state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SubstituteIe {
    pub uf: String,
    pub ie: String,
}

/// `padroes` do perfil fiscal: o que os itens não dizem.
// The shape: api-shapes §8.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "NfePadroes")]
pub struct Defaults {
    pub natureza_operacao: Option<String>,
    pub cfop_interno: Option<String>,
    pub cfop_interestadual: Option<String>,
    pub cfop_exportacao: Option<String>,
    pub unidade: Option<String>,
    pub origem: Option<String>,
    pub icms: Option<Icms>,
    pub ipi: Option<fiscal::nfe::order::Ipi>,
    pub pis: Option<Contribuicao>,
    pub cofins: Option<Contribuicao>,
    pub ibs_cbs: Option<IbsCbs>,
    pub modalidade_frete: Option<ModalidadeFrete>,
    pub informacoes_complementares: Option<String>,
    pub responsavel_tecnico: Option<ResponsavelTecnico>,
}
