//! Content `nfse.dps/1`: one declaration of a service.

use crate::Decimal;
use serde::Deserialize;
use serde_json::{Map, Value};

/// One declaration (DPS or RPS). Field comments name the DPS 1.01 element.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Dps {
    pub identificacao: Identificacao,
    /// Moment of emission, RFC 3339 with offset (dhEmi).
    pub data_emissao: String,
    /// Day the service was rendered, `AAAA-MM-DD` (dCompet).
    pub data_competencia: String,
    /// IBGE code of the emitter's municipality (cLocEmi).
    pub codigo_municipio_emissor: String,
    pub tomador: Option<Pessoa>,
    pub intermediario: Option<Pessoa>,
    pub servico: Servico,
    pub valores: Valores,
    pub ibs_cbs: Option<IbsCbs>,
    pub regime: Option<Regime>,
    pub obra: Option<Obra>,
    pub evento: Option<Evento>,
    pub exportacao: Option<Exportacao>,
    pub substitui: Option<Substitui>,
    pub informacoes_complementares: Option<String>,
    /// Official element names of `infDPS`, merged over what is built.
    pub inf_dps: Option<Map<String, Value>>,
}

/// Series and number of the declaration, given by the hub.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Identificacao {
    pub serie: String,
    pub numero: u64,
}

/// Whether and how a person is identified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TipoPessoa {
    #[default]
    Identificado,
    NaoIdentificado,
    Exterior,
}

/// Service taker, intermediary or recipient.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Pessoa {
    pub tipo: TipoPessoa,
    pub cpf_cnpj: Option<String>,
    /// Tax id abroad.
    pub nif: Option<String>,
    pub nome: Option<String>,
    /// Inscrição municipal.
    pub im: Option<String>,
    pub email: Option<String>,
    pub telefone: Option<String>,
    pub endereco: Option<Endereco>,
}

/// Address in Brazil or abroad.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Endereco {
    pub cep: Option<String>,
    pub logradouro: Option<String>,
    pub numero: Option<String>,
    pub complemento: Option<String>,
    pub bairro: Option<String>,
    pub cidade: Option<String>,
    pub codigo_ibge: Option<String>,
    pub uf: Option<String>,
    /// ISO 3166-1 alpha-2 abroad; absent, "BR" or "1058" mean Brazil.
    pub codigo_pais: Option<String>,
    /// State, province or region abroad.
    pub estado: Option<String>,
    /// Postal code abroad.
    pub codigo_postal: Option<String>,
}

impl Endereco {
    /// Outside Brazil.
    pub fn exterior(&self) -> bool {
        self.codigo_pais
            .as_deref()
            .is_some_and(|pais| !matches!(pais, "" | "BR" | "1058"))
    }
}

/// The service.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Servico {
    /// xDescServ.
    pub descricao: String,
    /// Six digits (cTribNac).
    pub codigo_tributacao_nacional: Option<String>,
    /// Item of the list of LC 116/2003, "1.01".
    pub item_lista_servico: Option<String>,
    /// Complement or own code of the municipality (cTribMun).
    pub codigo_tributacao_municipio: Option<String>,
    /// Nine digits (cNBS).
    pub codigo_nbs: Option<String>,
    pub cnae: Option<String>,
    /// IBGE code; absent = the emitter's municipality (cLocPrestacao).
    pub codigo_municipio_prestacao: Option<String>,
    pub codigo_municipio_incidencia: Option<String>,
    /// ISO 3166-1 alpha-2, service rendered abroad (cPaisPrestacao).
    pub codigo_pais_prestacao: Option<String>,
    /// The customer's own code (cIntContrib).
    pub codigo_interno: Option<String>,
}

/// Amounts in R$.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Valores {
    /// vServ.
    pub servico: Decimal,
    /// vReceb.
    pub recebido: Option<Decimal>,
    pub desconto_incondicionado: Option<Decimal>,
    pub desconto_condicionado: Option<Decimal>,
    pub deducoes: Option<Deducoes>,
    pub iss: Option<Iss>,
    pub retencoes: Option<Retencoes>,
    pub tributos_aproximados: Option<TributosAproximados>,
}

/// Deduction of the ISS base: value, percentage or documents (vDedRed).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Deducoes {
    pub valor: Option<Decimal>,
    pub percentual: Option<Decimal>,
    pub documentos: Vec<DocumentoDeducao>,
}

/// A document that supports a deduction (docDedRed).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct DocumentoDeducao {
    pub chave_nfse: Option<String>,
    pub chave_nfe: Option<String>,
    /// Number of any other document (nDoc).
    pub numero: Option<String>,
    /// Official code 1 to 9 or 99 (tpDedRed).
    pub tipo: String,
    pub descricao: Option<String>,
    pub data_emissao: String,
    pub valor_dedutivel: Decimal,
    pub valor_deducao: Decimal,
}

/// ISSQN (tribMun).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Iss {
    pub tributacao: Tributacao,
    pub exigibilidade: Option<Exigibilidade>,
    /// Percentage: 2.5 is 2.5 % (pAliq).
    pub aliquota: Option<Decimal>,
    pub retencao: Retencao,
    /// nProcesso of a suspended tax.
    pub numero_processo: Option<String>,
    /// Official digit 0 to 5 (tpImunidade).
    pub imunidade: Option<String>,
    pub beneficio_municipal: Option<BeneficioMunicipal>,
}

/// tribISSQN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
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

/// ExigibilidadeISS of ABRASF 2; the suspended ones are exigSusp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
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
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BeneficioMunicipal {
    /// Fourteen digits (nBM).
    pub numero: String,
    pub valor_reducao: Option<Decimal>,
    pub percentual_reducao: Option<Decimal>,
}

/// Federal taxes and withholdings in R$ (tribFed).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Retencoes {
    pub pis: Option<Decimal>,
    pub cofins: Option<Decimal>,
    pub inss: Option<Decimal>,
    pub ir: Option<Decimal>,
    pub csll: Option<Decimal>,
    pub outras: Option<Decimal>,
    /// Two digits (CST).
    pub cst_pis_cofins: Option<String>,
    pub base_pis_cofins: Option<Decimal>,
    /// Percentages.
    pub aliquota_pis: Option<Decimal>,
    pub aliquota_cofins: Option<Decimal>,
    /// Official digit 0 to 9 (tpRetPisCofins).
    pub tipo_retencao_pis_cofins: Option<String>,
}

/// Approximate burden, Lei 12.741/2012 (totTrib: exactly one form).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TributosAproximados {
    pub modo: ModoTributos,
    /// With `simples`: nominal rate of Simples Nacional, in percent.
    pub percentual: Option<Decimal>,
    pub federal: Option<Decimal>,
    pub estadual: Option<Decimal>,
    pub municipal: Option<Decimal>,
}

/// Form of [`TributosAproximados`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
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

/// Group IBSCBS (LC 214/2025).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct IbsCbs {
    /// Three digits.
    pub cst: String,
    /// Six digits (cClassTrib).
    pub cclass_trib: String,
    /// Six digits (cIndOp).
    pub codigo_indicador_operacao: String,
    /// indFinal.
    pub consumo_pessoal: bool,
    /// Official digit 1 to 5 (tpOper).
    pub tipo_operacao: Option<String>,
    /// Official digit 1 to 4 (tpEnteGov).
    pub ente_governamental: Option<String>,
    /// Who receives the service, when not the taker (dest).
    pub destinatario: Option<Pessoa>,
    pub notas_referenciadas: Vec<String>,
    /// Two digits (cCredPres).
    pub credito_presumido: Option<String>,
    pub tributacao_regular: Option<TributacaoRegular>,
    pub diferimento: Option<Diferimento>,
}

/// gTribRegular.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TributacaoRegular {
    pub cst: String,
    pub cclass_trib: String,
}

/// gDif: percentages of deferral.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Diferimento {
    pub uf: Decimal,
    pub municipio: Decimal,
    pub cbs: Decimal,
}

/// The provider's tax regime on this note.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Regime {
    pub opcao_simples: OpcaoSimples,
    pub apuracao_simples: Option<ApuracaoSimples>,
    pub especial: RegimeEspecial,
    pub incentivador_cultural: bool,
}

/// opSimpNac.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
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

/// Construction site: one of code, CIB or address.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Obra {
    /// CNO or CEI (cObra).
    pub codigo: Option<String>,
    pub cib: Option<String>,
    pub art: Option<String>,
    pub inscricao_imobiliaria: Option<String>,
    pub endereco: Option<Endereco>,
}

/// Event the service is about (atvEvento): identification or address.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Evento {
    pub nome: String,
    pub inicio: String,
    pub fim: String,
    pub identificacao: Option<String>,
    pub endereco: Option<Endereco>,
}

/// Foreign trade (comExt); the official codes as text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Exportacao {
    /// mdPrestacao, 0 to 4.
    pub modo_prestacao: String,
    /// vincPrest, 0 to 6 or 9.
    pub vinculo: String,
    /// Three digits of the BACEN table (tpMoeda).
    pub moeda: String,
    pub valor_moeda: Decimal,
    /// mecAFComexP, 00 to 08.
    pub mecanismo_prestador: String,
    /// mecAFComexT, 00 to 26.
    pub mecanismo_tomador: String,
    /// movTempBens, 0 to 3.
    pub movimentacao_temporaria: String,
    pub di: Option<String>,
    pub re: Option<String>,
    /// Share with MDIC.
    pub mdic: bool,
}

/// The note this one replaces (subst, RpsSubstituido).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Substitui {
    /// chave of the note to replace.
    pub chave: Option<String>,
    /// Official code 01 to 05 or 99 (cMotivo).
    pub motivo: Option<String>,
    /// 15 to 255 characters (xMotivo).
    pub justificativa: Option<String>,
    pub numero_nfse: Option<String>,
    pub codigo_verificacao: Option<String>,
    pub rps: Option<Identificacao>,
}
