//! An emitter's fiscal profile: what is true of the company on every note.

use crate::model::Model;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use compose::context::{HIGHEST_IPI, HIGHEST_RATE};
use compose::emitter::{self, Defaults};
use fiscal::nfe::order::Number;
use fiscal::nfse::FieldValue;
use fiscal::nfse::dps::{
    Address, ApproximateTaxes, Content, Regime, SimplesAssessment, SimplesOption, SpecialRegime,
    TaxesMode,
};
use fiscal::person;
use markup::field::Fields;
use markup::ids::IbgeMunicipality;
use prints::pdf::image;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{DbResult, Readable as _};
use tools::brcode::PixKey;

/// Highest series of the documents of a SEFAZ (MOC 7.0, B07).
const MAX_SERIE: u32 = 999;
/// Highest number of the documents of a SEFAZ (MOC 7.0, B08).
const MAX_NUMBER: u64 = 999_999_999;
/// Place of the one rate that may be above 100%.
const OF_IPI: &str = "padroes.ipi.aliquota";
/// Longest logo, in Base64.
pub const MAX_LOGO_CHARS: usize = 400_000;
/// Longest e-mail (`email` of the DPS).
const MAX_EMAIL_CHARS: usize = 80;
/// Longest login of a city: passwords, keys and phrases have some tens of characters.
const MAX_LOGIN_CHARS: usize = 200;
/// Longest token of a city, which may be a signed document (JWT): as adapters take those of
/// sessions.
const MAX_TOKEN_CHARS: usize = 2_000;

/// Perfil fiscal do emitente: o que vale para a empresa em todas as notas.
// Body of PUT /api/v1/emitters/{id}/fiscal-profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Perfil {
    pub razao_social: Option<String>,
    pub nome_fantasia: Option<String>,
    pub ie: Option<String>,
    pub ie_substituto: Vec<SubstituteIe>,
    pub im: Option<String>,
    pub cnae: Option<String>,
    pub email: Option<String>,
    pub telefone: Option<String>,
    pub regime: Option<TaxRegime>,
    pub endereco: Option<Address>,
    /// Padrões das notas de produto.
    pub padroes: Option<Defaults>,
    pub simples: Option<Simples>,
    pub nfe: Option<Numbering>,
    pub nfce: Option<NfceNumbering>,
    pub nfse: Option<PerfilNfse>,
    pub cte: Option<Numbering>,
    pub mdfe: Option<Numbering>,
    pub entrada: Option<PerfilEntrada>,
    /// Recebimento por PIX.
    pub pix: Option<PerfilPix>,
    pub logo_base64: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RegimeTributario")]
#[serde(rename_all = "snake_case")]
pub enum TaxRegime {
    SimplesNacional,
    /// Simples acima do sublimite estadual: ISS fora do Simples.
    SimplesExcesso,
    Normal,
    Mei,
}

impl TaxRegime {
    /// The same as product notes say it, with its official digit (`CRT`).
    pub const fn regime(self) -> emitter::Regime {
        match self {
            TaxRegime::SimplesNacional => emitter::Regime::SimplesNacional,
            TaxRegime::SimplesExcesso => emitter::Regime::SimplesExcesso,
            TaxRegime::Normal => emitter::Regime::Normal,
            TaxRegime::Mei => emitter::Regime::Mei,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "IeSubstituto")]
#[serde(default)]
pub struct SubstituteIe {
    pub uf: String,
    pub ie: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Simples {
    pub rbt12: Option<FieldValue>,
    pub anexo: Option<String>,
    pub aliquota_credito: Option<FieldValue>,
    /// Alíquota nominal mostrada como carga tributária aproximada nas notas de
    /// serviço, em percentual.
    pub aliquota_nominal: Option<FieldValue>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Numeracao")]
#[serde(default)]
pub struct Numbering {
    pub serie: Option<u32>,
    pub proximo_numero: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NumeracaoNfce")]
#[serde(default)]
pub struct NfceNumbering {
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
    pub via: Option<RequestedVia>,
    pub regime_especial: Option<SpecialRegime>,
    pub item_lista_servico: Option<String>,
    /// Percentual.
    pub aliquota_iss: Option<FieldValue>,
    /// Ficam cifradas, à parte, e nunca são devolvidas.
    pub credenciais: Option<Credentials>,
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

/// Recebimento por PIX.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PerfilPix {
    /// A chave que recebe: CPF, CNPJ, e-mail, telefone com +55 ou chave
    /// aleatória.
    pub chave: Option<String>,
}

/// Por qual caminho a nota deve sair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ViaPedida")]
#[serde(rename_all = "snake_case")]
pub enum RequestedVia {
    #[default]
    Auto,
    Nacional,
    Gateway,
    Municipal,
}

/// Login no sistema da prefeitura.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Credenciais")]
#[serde(default)]
pub struct Credentials {
    #[schemars(length(max = 200))]
    pub usuario: Option<String>,
    #[schemars(length(max = 200))]
    pub senha: Option<String>,
    #[schemars(length(max = 2000))]
    pub token: Option<String>,
    /// Chave que a prefeitura dá ao emitente para o webservice.
    #[schemars(length(max = 200))]
    pub chave_autorizacao: Option<String>,
    /// Frase que a prefeitura dá ao emitente junto com o login.
    #[schemars(length(max = 200))]
    pub frase_secreta: Option<String>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credenciais(…)")
    }
}

impl Credentials {
    /// The ones that were given, by the name adapters use.
    pub fn given(&self) -> Vec<(&'static str, &str)> {
        [
            ("usuario", &self.usuario),
            ("senha", &self.senha),
            ("token", &self.token),
            ("chave_autorizacao", &self.chave_autorizacao),
            ("frase_secreta", &self.frase_secreta),
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
        if let Some(credentials) = self.nfse.as_mut().and_then(|nfse| nfse.credenciais.take()) {
            secrets.extend(
                credentials
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
    pub fn check(&self, fields: &mut Fields) {
        if let Some(codigo) = self
            .endereco
            .as_ref()
            .and_then(|address| address.codigo_ibge.as_deref())
            && IbgeMunicipality::parse(codigo).is_err()
        {
            fields.add_value(
                "endereco.codigo_ibge",
                "municipio_invalido",
                codigo,
                "Código IBGE de município inválido.",
                "Informe os 7 dígitos.",
            );
        }
        self.check_credentials(fields);
        self.check_rates(fields);
        self.check_rps(fields);
        self.check_series(fields);
        if self
            .entrada
            .as_ref()
            .is_some_and(|entrada| entrada.automatica)
            && self.municipality().is_none()
        {
            fields.add(
                "entrada.automatica",
                "municipio_ausente",
                "A consulta automática precisa do município da empresa.",
                "Informe endereco.codigo_ibge, ou desligue entrada.automatica.",
            );
        }
        let pix = self.pix.as_ref().and_then(|pix| pix.chave.as_deref());
        if pix.is_some_and(|chave| PixKey::parse(chave).is_err()) {
            fields.add(
                "pix.chave",
                "chave_pix_invalida",
                "Não é uma chave PIX.",
                "Informe CPF, CNPJ, e-mail, telefone com +55 ou chave aleatória.",
            );
        }
        self.check_texts(fields);
    }

    /// E-mail and CEP come in one form, as those of customers: the e-mail without spaces
    /// around it, the CEP as eight digits. What `before`, the profile that is stored, has
    /// already may have another form.
    pub fn normalize(&mut self, before: &Perfil, fields: &mut Fields) {
        if let Some(email) = &mut self.email
            && Some(email.as_str()) != before.email.as_deref()
            // Another length is told already.
            && (1..=MAX_EMAIL_CHARS).contains(&email.chars().count())
        {
            *email = person::email(fields, "email", email);
        }
        let address = before.endereco.as_ref();
        let stored = address.and_then(|address| address.cep.as_deref());
        let address = self.endereco.as_mut();
        if let Some(cep) = address.and_then(|address| address.cep.as_mut())
            && Some(cep.as_str()) != stored
            && !cep.is_empty()
        {
            *cep = person::cep(fields, "endereco.cep", cep);
        }
    }

    /// No message of a city can carry a control character.
    fn check_credentials(&self, fields: &mut Fields) {
        let nfse = self.nfse.as_ref();
        let Some(credentials) = nfse.and_then(|nfse| nfse.credenciais.as_ref()) else {
            return;
        };
        for (name, value) in credentials.given() {
            let max = match name {
                "token" => MAX_TOKEN_CHARS,
                _ => MAX_LOGIN_CHARS,
            };
            if value.chars().count() > max {
                fields.add(
                    format!("nfse.credenciais.{name}"),
                    "tamanho_invalido",
                    format!("O valor tem até {max} caracteres."),
                    "Confira o valor que a prefeitura deu.",
                );
            } else if value.chars().any(char::is_control) {
                fields.add(
                    format!("nfse.credenciais.{name}"),
                    "formato_invalido",
                    "O valor tem caracteres de controle, como quebra de linha ou tabulação.",
                    "Envie o valor como a prefeitura o deu, sem espaços ou quebras em volta.",
                );
            }
        }
    }

    /// Rates are percentages: 165 is 1,65 without its comma.
    fn check_rates(&self, fields: &mut Fields) {
        let defaults = self.padroes.as_ref();
        let icms = defaults.and_then(|all| all.icms.as_ref());
        let fcp = icms.and_then(|icms| icms.fcp.as_ref());
        let st = icms.and_then(|icms| icms.st.as_ref());
        let ipi = defaults.and_then(|all| all.ipi.as_ref());
        let pis = defaults.and_then(|all| all.pis.as_ref());
        let cofins = defaults.and_then(|all| all.cofins.as_ref());
        let of_goods: [(&str, Option<Number>); 6] = [
            ("padroes.icms.aliquota", icms.and_then(|tax| tax.aliquota)),
            (
                "padroes.icms.fcp.aliquota",
                fcp.and_then(|tax| tax.aliquota),
            ),
            ("padroes.icms.st.aliquota", st.and_then(|tax| tax.aliquota)),
            (OF_IPI, ipi.and_then(|tax| tax.aliquota)),
            ("padroes.pis.aliquota", pis.and_then(|tax| tax.aliquota)),
            (
                "padroes.cofins.aliquota",
                cofins.and_then(|tax| tax.aliquota),
            ),
        ];
        let simples = self.simples.as_ref();
        let credit = simples.and_then(|simples| simples.aliquota_credito);
        let iss = self.nfse.as_ref().and_then(|nfse| nfse.aliquota_iss);
        let of_others: [(&str, Option<FieldValue>); 3] = [
            ("simples.aliquota_credito", credit),
            ("simples.aliquota_nominal", self.nominal_rate()),
            ("nfse.aliquota_iss", iss),
        ];
        let of_goods = of_goods.map(|(place, rate)| (place, rate.map(|rate| *rate)));
        let of_others = of_others.map(|(place, rate)| (place, rate.map(|rate| *rate)));
        for (place, rate) in of_goods.into_iter().chain(of_others) {
            let highest = if place == OF_IPI {
                HIGHEST_IPI
            } else {
                HIGHEST_RATE
            };
            let bounds = Decimal::ZERO..=Decimal::from(highest);
            if let Some(rate) = rate.filter(|rate| !bounds.contains(rate)) {
                fields.add_value(
                    place,
                    "percentual_invalido",
                    &rate.to_string(),
                    format!("A alíquota vai de 0 a {highest}%."),
                    "Informe em percentual: 2.5 é 2,5 %.",
                );
            }
        }
    }

    /// Series and number of the service notes.
    fn check_rps(&self, fields: &mut Fields) {
        if let Some(nfse) = &self.nfse {
            if let Some(serie) = &nfse.serie_rps
                && !is_valid_serie(serie)
            {
                fields.add_value(
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
                    .is_some_and(|number| number > 999_999_999_999_999)
            {
                fields.add(
                    "nfse.proximo_numero",
                    "numero_invalido",
                    "O próximo número vai de 1 a 999999999999999.",
                    "Corrija a numeração.",
                );
            }
        }
    }

    /// Series and numbers of the documents of a SEFAZ.
    fn check_series(&self, fields: &mut Fields) {
        for model in Model::ALL
            .iter()
            .copied()
            .filter(|model| model.goes_to_sefaz())
        {
            let field = model.name();
            let numbering = self.numbering(model);
            if numbering.serie.is_some_and(|serie| serie > MAX_SERIE) {
                fields.add(
                    format!("{field}.serie"),
                    "serie_invalida",
                    "A série vai de 0 a 999.",
                    "Corrija a série.",
                );
            }
            if numbering
                .proximo_numero
                .is_some_and(|number| !(1..=MAX_NUMBER).contains(&number))
            {
                fields.add(
                    format!("{field}.proximo_numero"),
                    "numero_invalido",
                    "O próximo número vai de 1 a 999999999.",
                    "Corrija a numeração.",
                );
            }
        }
    }

    /// Lengths of the texts.
    fn check_texts(&self, fields: &mut Fields) {
        for (field, text, max) in [
            ("razao_social", &self.razao_social, 300),
            ("nome_fantasia", &self.nome_fantasia, 150),
            ("im", &self.im, 15),
            ("ie", &self.ie, 20),
            ("email", &self.email, MAX_EMAIL_CHARS),
            ("telefone", &self.telefone, 20),
            ("logo_base64", &self.logo_base64, MAX_LOGO_CHARS),
        ] {
            if text
                .as_deref()
                .is_some_and(|text| text.is_empty() || text.chars().count() > max)
            {
                fields.add(
                    field,
                    "tamanho_invalido",
                    format!("O texto deve ter de 1 a {max} caracteres."),
                    "Ajuste o texto.",
                );
            }
        }
        let logo = self.logo_base64.as_deref().unwrap_or_default();
        if (1..=MAX_LOGO_CHARS).contains(&logo.len()) && !is_picture(logo) {
            fields.add(
                "logo_base64",
                "logotipo_invalido",
                "O logotipo não é uma imagem PNG ou JPEG em Base64.",
                "Envie um PNG simples (não entrelaçado) de até 1 milhão de pontos, ou um JPEG de até 4 milhões, em Base64 e sem o prefixo data:.",
            );
        }
    }

    /// The size of a logo that is new: one that is stored already may be larger.
    pub fn check_new_logo(&self, fields: &mut Fields) {
        let logo = self.logo_base64.as_deref().unwrap_or_default();
        if logo.len() <= MAX_LOGO_CHARS
            && STANDARD
                .decode(logo)
                .is_ok_and(|file| image::is_large_png(&file))
        {
            fields.add(
                "logo_base64",
                "logotipo_invalido",
                "O logotipo é um PNG de mais de 1 milhão de pontos (largura vezes altura).",
                "Reduza a imagem: 600 por 400 pontos já bastam para a impressão.",
            );
        }
    }

    /// IBGE code of the emitter's municipality.
    pub fn municipality(&self) -> Option<&str> {
        self.endereco.as_ref()?.codigo_ibge.as_deref()
    }

    /// Series and next number of a model, as the profile sets them.
    pub fn numbering(&self, model: Model) -> Numbering {
        match model {
            Model::Nfe => self.nfe.clone().unwrap_or_default(),
            Model::Cte => self.cte.clone().unwrap_or_default(),
            Model::Mdfe => self.mdfe.clone().unwrap_or_default(),
            Model::Nfce => self
                .nfce
                .as_ref()
                .map(|nfce| Numbering {
                    serie: nfce.serie,
                    proximo_numero: nfce.proximo_numero,
                })
                .unwrap_or_default(),
            Model::Nfse => Numbering {
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
    pub fn start(&self, model: Model, serie: &str, id: &str) -> DbResult<i64> {
        let own = self.serie(model) == serie;
        match self.numbering(model).proximo_numero.filter(|_| own) {
            Some(number) => i64::try_from(number).readable("next number of a company", id),
            None => Ok(1),
        }
    }

    /// The profile's series of a model, in its one form; `1` by default.
    pub fn serie(&self, model: Model) -> String {
        match model {
            Model::Nfse => self.serie_nfse(None),
            _ => self.numbering(model).serie.unwrap_or(1).to_string(),
        }
    }

    /// The series asked for, or the profile's own, or `1`; in its one form.
    pub fn serie_nfse(&self, requested: Option<&str>) -> String {
        let own = self
            .nfse
            .as_ref()
            .and_then(|nfse| nfse.serie_rps.as_deref());
        canonical_serie(requested.or(own).unwrap_or("1"))
    }

    /// The way asked for, or the profile's own.
    pub fn via(&self, requested: RequestedVia) -> RequestedVia {
        match (requested, &self.nfse) {
            (RequestedVia::Auto, Some(nfse)) => nfse.via.unwrap_or_default(),
            _ => requested,
        }
    }

    /// The company's place in the Simples Nacional.
    pub fn simples_option(&self) -> SimplesOption {
        match self.regime {
            None | Some(TaxRegime::Normal) => SimplesOption::NaoOptante,
            Some(TaxRegime::Mei) => SimplesOption::Mei,
            Some(TaxRegime::SimplesNacional | TaxRegime::SimplesExcesso) => SimplesOption::MeEpp,
        }
    }

    /// The rate of the Simples Nacional that service notes show, in percent.
    pub fn nominal_rate(&self) -> Option<FieldValue> {
        self.simples.as_ref()?.aliquota_nominal
    }

    /// Fills what the customer left out of a note.
    pub fn complete(&self, content: &mut Content) {
        let default = PerfilNfse::default();
        let nfse = self.nfse.as_ref().unwrap_or(&default);
        if content.regime.is_none() {
            let simples_assessment = match self.regime {
                Some(TaxRegime::SimplesNacional) => {
                    Some(SimplesAssessment::FederaisEMunicipalPeloSn)
                }
                Some(TaxRegime::SimplesExcesso) => {
                    Some(SimplesAssessment::FederaisPeloSnMunicipalFora)
                }
                _ => None,
            };
            content.regime = Some(Regime {
                opcao_simples: self.simples_option(),
                apuracao_simples: simples_assessment,
                especial: nfse.regime_especial.unwrap_or_default(),
                incentivador_cultural: false,
            });
        }
        if content.servico.item_lista_servico.is_none()
            && content.servico.codigo_tributacao_nacional.is_none()
        {
            content.servico.item_lista_servico = nfse.item_lista_servico.clone();
        }
        if content.servico.cnae.is_none() {
            content.servico.cnae = self.cnae.clone();
        }
        let me_epp = content
            .regime
            .as_ref()
            .is_some_and(|regime| regime.opcao_simples == SimplesOption::MeEpp);
        if me_epp && content.valores.tributos_aproximados.is_none() {
            // National rule E0712: Simples Nacional shows its nominal rate.
            content.valores.tributos_aproximados =
                self.nominal_rate().map(|percent| ApproximateTaxes {
                    modo: TaxesMode::Simples,
                    percentual: Some(percent),
                    ..ApproximateTaxes::default()
                });
        }
        let iss = content.valores.iss.get_or_insert_default();
        if iss.aliquota.is_none() {
            iss.aliquota = nfse.aliquota_iss;
        }
    }
}

/// Whether a Base64 text begins as a PNG or a JPEG does. What cannot be unpacked behind
/// that is left out where documents are printed: to unpack it here would keep other calls
/// waiting.
fn is_picture(text: &str) -> bool {
    let file = STANDARD.decode(text);
    file.is_ok_and(|file| {
        file.starts_with(b"\x89PNG\r\n\x1a\n") || file.starts_with(&[0xFF, 0xD8, 0xFF])
    })
}

/// A series in the one form it has: `8`, `08` and `008` are the same series
/// for an authority, and so they are here.
pub fn canonical_serie(serie: &str) -> String {
    let numeric = !serie.is_empty() && serie.bytes().all(|b| b.is_ascii_digit());
    match serie.trim_start_matches('0') {
        "" if numeric => "0".to_owned(),
        digits if numeric => digits.to_owned(),
        _ => serie.to_owned(),
    }
}

/// National series are numbers from 1 to 49999 (rule E0010); cities also have
/// letters.
pub fn is_valid_serie(serie: &str) -> bool {
    (1..=5).contains(&serie.len()) && serie.bytes().all(|b| b.is_ascii_alphanumeric())
}
