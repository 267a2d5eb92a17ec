//! Content `nfse.dps/1`: one service note in the hub's neutral form.
//!
//! The groups are those of the public API (POST /api/v1/nfse), so that API,
//! storage and adapters share one vocabulary. Adapters map it to the national
//! DPS or to ABRASF. Field comments name the DPS 1.01 element.

use super::valor::Valor;
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, Error},
};
use serde_json::{Map, Value};

/// Name of this content's schema.
pub const SCHEMA: &str = "nfse.dps/1";

/// One declaration of a service (DPS or RPS), ready for an adapter.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Dps {
    pub identificacao: Identificacao,
    /// Moment of emission, RFC 3339 with offset (dhEmi).
    pub data_emissao: String,
    /// Day the service was rendered, `AAAA-MM-DD` (dCompet).
    pub data_competencia: String,
    /// IBGE code of the emitter's municipality (cLocEmi).
    pub codigo_municipio_emissor: String,
    #[serde(flatten)]
    pub conteudo: Conteudo,
}

impl<'de> Deserialize<'de> for Dps {
    // By hand: serde's `flatten` buffers numbers in a form that exact
    // decimals do not survive.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut map = Map::deserialize(deserializer)?;
        Ok(Dps {
            identificacao: take(&mut map, "identificacao")?,
            data_emissao: take(&mut map, "data_emissao")?,
            data_competencia: take(&mut map, "data_competencia")?,
            codigo_municipio_emissor: take(&mut map, "codigo_municipio_emissor")?,
            conteudo: serde_json::from_value(Value::Object(map)).map_err(D::Error::custom)?,
        })
    }
}

fn take<T: DeserializeOwned, E: Error>(map: &mut Map<String, Value>, key: &str) -> Result<T, E> {
    let value = map.remove(key).unwrap_or(Value::Null);
    serde_json::from_value(value).map_err(|error| E::custom(format!("{key}: {error}")))
}

/// Series and number of the declaration, given by the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Identificacao {
    pub serie: String,
    pub numero: u64,
}

/// What the customer says about the service: the body of the API without
/// its control fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conteudo {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tomador: Option<Pessoa>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intermediario: Option<Pessoa>,
    pub servico: Servico,
    pub valores: Valores,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ibs_cbs: Option<IbsCbs>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regime: Option<Regime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obra: Option<Obra>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evento: Option<Evento>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exportacao: Option<Exportacao>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub substitui: Option<Substitui>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub informacoes_complementares: Option<String>,
    /// Official element names of `infDPS`, merged over what the hub builds:
    /// for fields this API does not name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inf_dps: Option<Map<String, Value>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TipoPessoa {
    #[default]
    Identificado,
    NaoIdentificado,
    Exterior,
}

/// Service taker or intermediary (toma, interm).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pessoa {
    #[serde(default)]
    pub tipo: TipoPessoa,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpf_cnpj: Option<String>,
    /// Tax id abroad (NIF).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nif: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nome: Option<String>,
    /// Inscrição municipal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub im: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telefone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endereco: Option<Endereco>,
}

/// Address in Brazil (`codigo_ibge`, `cep`) or abroad (`codigo_pais`,
/// `cidade`, `estado`, `codigo_postal`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Endereco {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cep: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logradouro: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numero: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complemento: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bairro: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cidade: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_ibge: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uf: Option<String>,
    /// ISO 3166-1 alpha-2 abroad ("US"); absent, "BR" or the BACEN code 1058
    /// mean Brazil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_pais: Option<String>,
    /// State, province or region abroad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estado: Option<String>,
    /// Postal code abroad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_postal: Option<String>,
}

/// The service (serv).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Servico {
    /// Up to 2,000 characters (xDescServ).
    pub descricao: String,
    /// Six digits (cTribNac).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_tributacao_nacional: Option<String>,
    /// Item of the list of LC 116/2003, "1.01".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_lista_servico: Option<String>,
    /// Complement of the municipality (cTribMun, three digits) or the city's
    /// own code (CodigoTributacaoMunicipio).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_tributacao_municipio: Option<String>,
    /// Nine digits (cNBS).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_nbs: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cnae: Option<String>,
    /// IBGE code of where the service was rendered; absent = the emitter's
    /// municipality (cLocPrestacao).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_municipio_prestacao: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_municipio_incidencia: Option<String>,
    /// ISO 3166-1 alpha-2 where the service was rendered abroad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_pais_prestacao: Option<String>,
    /// The customer's own code (cIntContrib).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_interno: Option<String>,
}

/// Amounts in R$ (valores).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Valores {
    /// Price of the service (vServ).
    pub servico: Valor,
    /// Amount received by the intermediary (vReceb).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recebido: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desconto_incondicionado: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desconto_condicionado: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deducoes: Option<Deducoes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iss: Option<Iss>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retencoes: Option<Retencoes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tributos_aproximados: Option<TributosAproximados>,
}

/// Deduction or reduction of the ISS base: one of value, percentage or
/// documents (vDedRed).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deducoes {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valor: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentual: Option<Valor>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documentos: Vec<DocumentoDeducao>,
}

/// A document that supports a deduction (docDedRed).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentoDeducao {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chave_nfse: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chave_nfe: Option<String>,
    /// Number of any other document (nDoc).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numero: Option<String>,
    /// Official code 1 to 9 or 99 (tpDedRed).
    pub tipo: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descricao: Option<String>,
    pub data_emissao: String,
    pub valor_dedutivel: Valor,
    pub valor_deducao: Valor,
}

/// ISSQN (tribMun).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Iss {
    #[serde(default)]
    pub tributacao: Tributacao,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exigibilidade: Option<Exigibilidade>,
    /// Percentage, 2.5 = 2.5 % (pAliq).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliquota: Option<Valor>,
    #[serde(default)]
    pub retencao: Retencao,
    /// Number of the suit or procedure of a suspended tax (nProcesso).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numero_processo: Option<String>,
    /// Kind of immunity, official digit 0 to 5 (tpImunidade).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imunidade: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beneficio_municipal: Option<BeneficioMunicipal>,
}

/// tribISSQN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tributacao {
    #[default]
    #[serde(alias = "1")]
    Tributavel,
    #[serde(alias = "2")]
    Imunidade,
    #[serde(alias = "3")]
    Exportacao,
    #[serde(alias = "4")]
    NaoIncidencia,
}

/// ExigibilidadeISS of ABRASF 2; exigSusp of the DPS for the suspended ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exigibilidade {
    #[default]
    #[serde(alias = "1")]
    Exigivel,
    #[serde(alias = "2")]
    NaoIncidencia,
    #[serde(alias = "3")]
    Isencao,
    #[serde(alias = "4")]
    Exportacao,
    #[serde(alias = "5")]
    Imunidade,
    #[serde(alias = "6")]
    SuspensaJudicial,
    #[serde(alias = "7")]
    SuspensaAdministrativa,
}

/// tpRetISSQN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Retencao {
    #[default]
    #[serde(alias = "1")]
    NaoRetido,
    #[serde(alias = "2")]
    Tomador,
    #[serde(alias = "3")]
    Intermediario,
}

/// BM.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BeneficioMunicipal {
    /// Fourteen digits (nBM).
    pub numero: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valor_reducao: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentual_reducao: Option<Valor>,
}

/// Federal taxes and withholdings in R$ (tribFed).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Retencoes {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pis: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cofins: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inss: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ir: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csll: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outras: Option<Valor>,
    /// Two digits (CST of piscofins).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cst_pis_cofins: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_pis_cofins: Option<Valor>,
    /// Percentages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliquota_pis: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliquota_cofins: Option<Valor>,
    /// Official digit 0 to 9 (tpRetPisCofins).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tipo_retencao_pis_cofins: Option<String>,
}

/// Approximate burden shown to the customer, Lei 12.741/2012 (totTrib:
/// exactly one form).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TributosAproximados {
    pub modo: ModoTributos,
    /// With `simples`: nominal rate of Simples Nacional, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentual: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub federal: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estadual: Option<Valor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub municipal: Option<Valor>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModoTributos {
    /// indTotTrib.
    #[default]
    NaoInformado,
    /// pTotTribSN.
    Simples,
    /// pTotTrib.
    Percentuais,
    /// vTotTrib.
    Valores,
}

/// Group IBSCBS of the tax reform (LC 214/2025).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IbsCbs {
    /// Three digits.
    pub cst: String,
    /// Six digits (cClassTrib).
    pub cclass_trib: String,
    /// Six digits (cIndOp).
    pub codigo_indicador_operacao: String,
    /// indFinal.
    #[serde(default)]
    pub consumo_pessoal: bool,
    /// Official digit 1 to 5 (tpOper).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tipo_operacao: Option<String>,
    /// Official digit 1 to 4 (tpEnteGov).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ente_governamental: Option<String>,
    /// Who receives the service, when not the taker (dest).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destinatario: Option<Pessoa>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notas_referenciadas: Vec<String>,
    /// Two digits (cCredPres).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credito_presumido: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tributacao_regular: Option<TributacaoRegular>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diferimento: Option<Diferimento>,
}

/// gTribRegular.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TributacaoRegular {
    pub cst: String,
    pub cclass_trib: String,
}

/// gDif: percentages of deferral.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diferimento {
    pub uf: Valor,
    pub municipio: Valor,
    pub cbs: Valor,
}

/// The provider's tax regime on this note; absent = the fiscal profile's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Regime {
    #[serde(default)]
    pub opcao_simples: OpcaoSimples,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apuracao_simples: Option<ApuracaoSimples>,
    #[serde(default)]
    pub especial: RegimeEspecial,
    #[serde(default)]
    pub incentivador_cultural: bool,
}

/// opSimpNac.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpcaoSimples {
    #[default]
    #[serde(alias = "1")]
    NaoOptante,
    #[serde(alias = "2")]
    Mei,
    #[serde(alias = "3")]
    MeEpp,
}

/// regApTribSN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApuracaoSimples {
    #[default]
    #[serde(alias = "1")]
    FederaisEMunicipalPeloSn,
    #[serde(alias = "2")]
    FederaisPeloSnMunicipalFora,
    #[serde(alias = "3")]
    FederaisEMunicipalFora,
}

/// regEspTrib.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegimeEspecial {
    #[default]
    #[serde(alias = "0")]
    Nenhum,
    #[serde(alias = "1")]
    AtoCooperado,
    #[serde(alias = "2")]
    Estimativa,
    #[serde(alias = "3")]
    MicroempresaMunicipal,
    #[serde(alias = "4")]
    NotarioOuRegistrador,
    #[serde(alias = "5")]
    ProfissionalAutonomo,
    #[serde(alias = "6")]
    SociedadeDeProfissionais,
    #[serde(alias = "9")]
    Outros,
}

/// Construction site (obra): exactly one of code, CIB or address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Obra {
    /// CNO or CEI (cObra).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cib: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub art: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inscricao_imobiliaria: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endereco: Option<Endereco>,
}

/// Event the service is about (atvEvento): identification or address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evento {
    pub nome: String,
    pub inicio: String,
    pub fim: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identificacao: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endereco: Option<Endereco>,
}

/// Foreign trade (comExt); the official codes as text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Exportacao {
    /// mdPrestacao, 0 to 4.
    pub modo_prestacao: String,
    /// vincPrest, 0 to 6 or 9.
    pub vinculo: String,
    /// Three digits of the BACEN table (tpMoeda).
    pub moeda: String,
    pub valor_moeda: Valor,
    /// mecAFComexP, 00 to 08.
    pub mecanismo_prestador: String,
    /// mecAFComexT, 00 to 26.
    pub mecanismo_tomador: String,
    /// movTempBens, 0 to 3.
    pub movimentacao_temporaria: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub di: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<String>,
    /// Share with MDIC.
    #[serde(default)]
    pub mdic: bool,
}

/// The note this one replaces (subst, RpsSubstituido). The customer names
/// it; the hub completes number and RPS from its own record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Substitui {
    /// nota_id or chave of the note to replace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chave: Option<String>,
    /// Official code 01 to 05 or 99 (cMotivo).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motivo: Option<String>,
    /// 15 to 255 characters (xMotivo).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub justificativa: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numero_nfse: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_verificacao: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rps: Option<Identificacao>,
}
