//! Content `nfse.dps/1`: one service note in the hub's neutral form.
//!
//! The groups are those of the public API (POST /api/v1/nfse), so that API,
//! storage and adapters share one vocabulary. Adapters map it to the national
//! DPS or to ABRASF. Field comments name the DPS 1.01 element.

use crate::nfse::value::FieldValue;
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
    pub identificacao: Identification,
    /// Moment of emission, RFC 3339 with offset (dhEmi).
    pub data_emissao: String,
    /// Day the service was rendered, `AAAA-MM-DD` (dCompet).
    pub data_competencia: String,
    /// IBGE code of the emitter's municipality (cLocEmi).
    pub codigo_municipio_emissor: String,
    #[serde(flatten)]
    pub conteudo: Content,
}

/// A [`Dps`] under a number, without a copy of it.
#[derive(Serialize)]
struct Numbered<'a> {
    identificacao: Identification,
    data_emissao: &'a str,
    data_competencia: &'a str,
    codigo_municipio_emissor: &'a str,
    #[serde(flatten)]
    conteudo: &'a Content,
}

impl Dps {
    /// Its JSON with this number in the place of its own.
    ///
    /// # Errors
    /// None in practice: it is plain JSON.
    pub fn numbered(&self, numero: u64) -> serde_json::Result<String> {
        serde_json::to_string(&Numbered {
            identificacao: Identification {
                serie: self.identificacao.serie.clone(),
                numero,
            },
            data_emissao: &self.data_emissao,
            data_competencia: &self.data_competencia,
            codigo_municipio_emissor: &self.codigo_municipio_emissor,
            conteudo: &self.conteudo,
        })
    }
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

/// Série e número da declaração, dados pelo hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Identificacao")]
pub struct Identification {
    pub serie: String,
    pub numero: u64,
}

/// What the customer says about the service: the body of the API without
/// its control fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Conteudo")]
pub struct Content {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tomador: Option<Person>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intermediario: Option<Person>,
    pub servico: Service,
    pub valores: Values,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ibs_cbs: Option<IbsCbs>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regime: Option<Regime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obra: Option<Construction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evento: Option<Evento>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exportacao: Option<Export>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub substitui: Option<Replacement>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub informacoes_complementares: Option<String>,
    /// Nomes oficiais dos elementos de `infDPS`, mesclados por cima do que o
    /// hub monta: para campos que esta API não nomeia.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inf_dps: Option<Map<String, Value>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TipoPessoa")]
#[serde(rename_all = "snake_case")]
pub enum PersonKind {
    #[default]
    Identificado,
    NaoIdentificado,
    Exterior,
}

/// Tomador ou intermediário do serviço (toma, interm).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Pessoa")]
pub struct Person {
    #[serde(default)]
    pub tipo: PersonKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpf_cnpj: Option<String>,
    /// Número de identificação fiscal no exterior (NIF).
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
    pub endereco: Option<Address>,
}

/// Endereço no Brasil (`codigo_ibge`, `cep`) ou no exterior (`codigo_pais`,
/// `cidade`, `estado`, `codigo_postal`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Endereco")]
pub struct Address {
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
    /// ISO 3166-1 alpha-2 no exterior ("US"); ausente, "BR" ou o código BACEN
    /// 1058 significam Brasil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_pais: Option<String>,
    /// Estado, província ou região no exterior.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estado: Option<String>,
    /// Código postal no exterior.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_postal: Option<String>,
}

/// O serviço (serv).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Servico")]
pub struct Service {
    /// Até 2.000 caracteres (xDescServ).
    pub descricao: String,
    /// Seis dígitos (cTribNac).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_tributacao_nacional: Option<String>,
    /// Item da lista da LC 116/2003, "1.01".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_lista_servico: Option<String>,
    /// Complemento do município (cTribMun, três dígitos) ou o código próprio da
    /// prefeitura (CodigoTributacaoMunicipio).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_tributacao_municipio: Option<String>,
    /// Nove dígitos (cNBS).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_nbs: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cnae: Option<String>,
    /// Código IBGE de onde o serviço foi prestado (cLocPrestacao). Ausente: o
    /// município do emitente.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_municipio_prestacao: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_municipio_incidencia: Option<String>,
    /// ISO 3166-1 alpha-2 de onde o serviço foi prestado, se no exterior.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_pais_prestacao: Option<String>,
    /// Código interno do contribuinte (cIntContrib).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_interno: Option<String>,
}

/// Valores em R$ (valores).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Valores")]
pub struct Values {
    /// Preço do serviço (vServ).
    pub servico: FieldValue,
    /// Valor recebido pelo intermediário (vReceb).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recebido: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desconto_incondicionado: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desconto_condicionado: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deducoes: Option<Deductions>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iss: Option<Iss>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retencoes: Option<Withholdings>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tributos_aproximados: Option<ApproximateTaxes>,
}

/// Dedução ou redução da base do ISS: um entre valor, percentual e documentos
/// (vDedRed).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Deducoes")]
pub struct Deductions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valor: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentual: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documentos: Vec<DeductionDocument>,
}

/// Documento que comprova uma dedução (docDedRed).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DocumentoDeducao")]
pub struct DeductionDocument {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chave_nfse: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chave_nfe: Option<String>,
    /// Número de qualquer outro documento (nDoc).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numero: Option<String>,
    /// Código oficial, 1 a 9 ou 99 (tpDedRed).
    pub tipo: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descricao: Option<String>,
    pub data_emissao: String,
    pub valor_dedutivel: FieldValue,
    pub valor_deducao: FieldValue,
}

/// ISSQN (tribMun).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Iss {
    #[serde(default)]
    pub tributacao: Taxation,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exigibilidade: Option<Exigibility>,
    /// Percentual, 2.5 = 2,5 % (pAliq).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliquota: Option<FieldValue>,
    #[serde(default)]
    pub retencao: Withholding,
    /// Número do processo, judicial ou administrativo, do tributo suspenso
    /// (nProcesso).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numero_processo: Option<String>,
    /// Tipo de imunidade, dígito oficial de 0 a 5 (tpImunidade).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imunidade: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beneficio_municipal: Option<MunicipalBenefit>,
}

/// tribISSQN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Tributacao")]
#[serde(rename_all = "snake_case")]
pub enum Taxation {
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

/// ExigibilidadeISS da ABRASF 2; exigSusp da DPS nas suspensas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Exigibilidade")]
#[serde(rename_all = "snake_case")]
pub enum Exigibility {
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
#[schemars(rename = "Retencao")]
#[serde(rename_all = "snake_case")]
pub enum Withholding {
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
#[schemars(rename = "BeneficioMunicipal")]
pub struct MunicipalBenefit {
    /// Catorze dígitos (nBM).
    pub numero: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valor_reducao: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentual_reducao: Option<FieldValue>,
}

/// Tributos federais e retenções em R$ (tribFed).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Retencoes")]
pub struct Withholdings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pis: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cofins: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inss: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ir: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csll: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outras: Option<FieldValue>,
    /// Dois dígitos (CST de piscofins).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cst_pis_cofins: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_pis_cofins: Option<FieldValue>,
    /// Percentuais.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliquota_pis: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliquota_cofins: Option<FieldValue>,
    /// Dígito oficial de 0 a 9 (tpRetPisCofins).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tipo_retencao_pis_cofins: Option<String>,
}

/// Carga tributária aproximada mostrada ao consumidor, Lei 12.741/2012
/// (totTrib: exatamente uma forma).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TributosAproximados")]
pub struct ApproximateTaxes {
    pub modo: TaxesMode,
    /// Com `simples`: alíquota nominal do Simples Nacional, em percentual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentual: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub federal: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estadual: Option<FieldValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub municipal: Option<FieldValue>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ModoTributos")]
#[serde(rename_all = "snake_case")]
pub enum TaxesMode {
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

/// Grupo IBSCBS da reforma tributária (LC 214/2025).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IbsCbs {
    /// Três dígitos.
    pub cst: String,
    /// Seis dígitos (cClassTrib).
    pub cclass_trib: String,
    /// Seis dígitos (cIndOp).
    pub codigo_indicador_operacao: String,
    /// indFinal.
    #[serde(default)]
    pub consumo_pessoal: bool,
    /// Dígito oficial de 1 a 5 (tpOper).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tipo_operacao: Option<String>,
    /// Dígito oficial de 1 a 4 (tpEnteGov).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ente_governamental: Option<String>,
    /// Quem recebe o serviço, quando não é o tomador (dest).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destinatario: Option<Person>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notas_referenciadas: Vec<String>,
    /// Dois dígitos (cCredPres).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credito_presumido: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tributacao_regular: Option<RegularTaxation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diferimento: Option<Deferral>,
}

/// gTribRegular.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TributacaoRegular")]
pub struct RegularTaxation {
    pub cst: String,
    pub cclass_trib: String,
}

/// gDif: percentuais de diferimento.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Diferimento")]
pub struct Deferral {
    pub uf: FieldValue,
    pub municipio: FieldValue,
    pub cbs: FieldValue,
}

/// Regime tributário do prestador nesta nota. Ausente: o do perfil fiscal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Regime {
    #[serde(default)]
    pub opcao_simples: SimplesOption,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apuracao_simples: Option<SimplesAssessment>,
    #[serde(default)]
    pub especial: SpecialRegime,
    #[serde(default)]
    pub incentivador_cultural: bool,
}

/// opSimpNac.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OpcaoSimples")]
#[serde(rename_all = "snake_case")]
pub enum SimplesOption {
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
#[schemars(rename = "ApuracaoSimples")]
#[serde(rename_all = "snake_case")]
pub enum SimplesAssessment {
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
#[schemars(rename = "RegimeEspecial")]
#[serde(rename_all = "snake_case")]
pub enum SpecialRegime {
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

/// Obra (obra): exatamente um entre código, CIB e endereço.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Obra")]
pub struct Construction {
    /// CNO ou CEI (cObra).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cib: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub art: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inscricao_imobiliaria: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endereco: Option<Address>,
}

/// Evento a que o serviço se refere (atvEvento): identificação ou endereço.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evento {
    pub nome: String,
    pub inicio: String,
    pub fim: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identificacao: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endereco: Option<Address>,
}

/// Comércio exterior (comExt); os códigos oficiais, como texto.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Exportacao")]
pub struct Export {
    /// mdPrestacao, 0 a 4.
    pub modo_prestacao: String,
    /// vincPrest, 0 a 6 ou 9.
    pub vinculo: String,
    /// Três dígitos da tabela do BACEN (tpMoeda).
    pub moeda: String,
    pub valor_moeda: FieldValue,
    /// mecAFComexP, 00 a 08.
    pub mecanismo_prestador: String,
    /// mecAFComexT, 00 a 26.
    pub mecanismo_tomador: String,
    /// movTempBens, 0 a 3.
    pub movimentacao_temporaria: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub di: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<String>,
    /// Compartilhar com o MDIC.
    #[serde(default)]
    pub mdic: bool,
}

/// A nota que esta substitui (subst, RpsSubstituido). Quem emite a indica; o
/// hub completa número e RPS com o próprio registro.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Substitui")]
pub struct Replacement {
    /// nota_id ou chave da nota a substituir.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chave: Option<String>,
    /// Código oficial, 01 a 05 ou 99 (cMotivo).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motivo: Option<String>,
    /// 15 a 255 caracteres (xMotivo).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub justificativa: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numero_nfse: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codigo_verificacao: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rps: Option<Identification>,
}
