//! The options of a system, read once per step.

use crate::version::LayoutVersion;
use sdk::nfse::table::edition;
use sdk::soap::{Version, Wrapper};
use sdk::{Context, Failure};

/// How a note is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Generate,
    SynchronousBatch,
    Batch,
}

/// How the SOAP operation is written as an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `GerarNfseRequest`.
    Request,
    /// `GerarNfse`.
    Method,
    /// `gerarNfse`.
    Camel,
}

/// How `ItemListaServico` is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// "01.05", the enumeration of 2.03.
    WithZero,
    /// "1.05".
    WithoutZero,
    /// "0105".
    WithoutPoint,
}

/// Where the group IBSCBS of LC 214/2025 goes, if the city has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IbsCbsPlace {
    Nowhere,
    /// At the end of `InfDeclaracaoPrestacaoServico` (WebISS).
    Declaration,
    /// At the end of `Valores` (Giss).
    Values,
}

/// What carries a signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    pub rps: bool,
    pub batch: bool,
    pub cancelamento: bool,
    pub query: bool,
}

/// All options of `describe`, typed.
#[derive(Clone, Debug)]
pub struct Options {
    pub version: LayoutVersion,
    pub mode: Mode,
    pub namespace: String,
    /// With `{mensagem}`: one namespace per message, `namespace` has the types.
    pub message_namespace: Option<String>,
    pub envelope: Wrapper,
    /// None: the message goes without header.
    pub header: Option<Wrapper>,
    pub header_version: String,
    pub batch_version: bool,
    pub soap: Version,
    pub soap_namespace: String,
    pub soap_action: String,
    pub style: Style,
    pub header_parameter: String,
    pub data_parameter: String,
    pub qualified_parameters: bool,
    pub signs: Signs,
    pub id_attribute: String,
    pub credentials: bool,
    pub rate_as_fraction: bool,
    pub item: Item,
    pub date_time: bool,
    pub ibs_cbs: IbsCbsPlace,
    pub certificado_tls: bool,
    pub interval_ms: u64,
}

/// Shortest and longest first interval between two queries.
const INTERVAL_MS: (u64, u64, u64) = (1_000, 5_000, 600_000);

const STYLES: [(&str, Style); 3] = [
    ("request", Style::Request),
    ("metodo", Style::Method),
    ("camel", Style::Camel),
];
const ITEMS: [(&str, Item); 3] = [
    ("com_zero", Item::WithZero),
    ("sem_zero", Item::WithoutZero),
    ("sem_ponto", Item::WithoutPoint),
];
const PLACES: [(&str, IbsCbsPlace); 3] = [
    ("nenhum", IbsCbsPlace::Nowhere),
    ("declaracao", IbsCbsPlace::Declaration),
    ("valores", IbsCbsPlace::Values),
];
const MODES: [(&str, Mode); 3] = [
    ("lote", Mode::Batch),
    ("gerar", Mode::Generate),
    ("lote_sincrono", Mode::SynchronousBatch),
];

fn wrong_option(name: &str) -> Failure {
    Failure::other(&format!("opcao {name} invalida no cadastro"))
}

/// What the option stands for; the first one where it is not set.
fn choice<T: Copy>(ctx: &Context, name: &str, values: &[(&str, T)]) -> Result<T, Failure> {
    let given = ctx.option(name);
    let found = match given {
        None => values.first(),
        Some(given) => values.iter().find(|(value, _)| *value == given),
    };
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| wrong_option(name))
}

impl Options {
    /// What the city's layout is in the contract's table: its version, and the
    /// system whose extension for IBS and CBS it has.
    pub fn edition(&self) -> u16 {
        let extension = match self.ibs_cbs {
            IbsCbsPlace::Nowhere => 0,
            IbsCbsPlace::Declaration => edition::WEBISS,
            IbsCbsPlace::Values => edition::GISS,
        };
        self.version.edition() | extension
    }

    /// # Errors
    /// A value that `describe` does not list: the registry is wrong, nothing
    /// was sent.
    pub fn read(ctx: &Context) -> Result<Self, Failure> {
        let text = |name: &str, default: &str| ctx.option(name).unwrap_or(default).to_owned();
        let version = ctx
            .option("versao")
            .and_then(LayoutVersion::parse)
            .ok_or_else(|| wrong_option("versao"))?;
        let mode = choice(ctx, "modo", &MODES)?;
        if version.first() && mode != Mode::Batch {
            return Err(wrong_option("modo"));
        }
        let envelope = Wrapper::from_name(ctx.option("envelope").unwrap_or("esc"))
            .ok_or_else(|| wrong_option("envelope"))?;
        let header = match ctx.option("cabecalho").unwrap_or("esc") {
            "none" => None,
            name => Some(Wrapper::from_name(name).ok_or_else(|| wrong_option("cabecalho"))?),
        };
        let soap = choice(ctx, "soap", &[("1.1", Version::V11), ("1.2", Version::V12)])?;
        let style = choice(ctx, "metodo_estilo", &STYLES)?;
        let item = choice(ctx, "item_lista", &ITEMS)?;
        let ibs_cbs = choice(ctx, "ibs_cbs", &PLACES)?;
        let date_time = match ctx.option("formato_data") {
            None => version.first(),
            Some("data") => false,
            Some("data_hora") => true,
            Some(_) => return Err(wrong_option("formato_data")),
        };
        let rate_as_fraction = choice(ctx, "aliquota", &[("percentual", false), ("fracao", true)])?;
        let credentials = choice(
            ctx,
            "credenciais",
            &[("none", false), ("usuario_senha_nos", true)],
        )?;
        let (min, default, max) = INTERVAL_MS;
        Ok(Options {
            version,
            mode,
            namespace: text("namespace", "http://www.abrasf.org.br/nfse.xsd"),
            message_namespace: ctx.option("namespace_mensagem").map(str::to_owned),
            envelope,
            header,
            header_version: text("versao_cabecalho", version.name()),
            batch_version: ctx.option_flag("versao_lote", true),
            soap,
            soap_namespace: text("soap_namespace", "http://nfse.abrasf.org.br"),
            soap_action: text("soap_action", "http://nfse.abrasf.org.br/{metodo}"),
            style,
            header_parameter: text("parametro_cabecalho", "nfseCabecMsg"),
            data_parameter: text("parametro_dados", "nfseDadosMsg"),
            qualified_parameters: ctx.option_flag("parametros_qualificados", false),
            signs: signs(ctx.option("assina").unwrap_or_default())
                .ok_or_else(|| wrong_option("assina"))?,
            id_attribute: match ctx.option("atributo_id").unwrap_or("Id") {
                name @ ("Id" | "id") => name.to_owned(),
                _ => return Err(wrong_option("atributo_id")),
            },
            credentials,
            rate_as_fraction,
            item,
            date_time,
            ibs_cbs,
            certificado_tls: ctx.option_flag("certificado_tls", false),
            interval_ms: ctx
                .option_u64("intervalo_consulta_ms", default)
                .clamp(min, max),
        })
    }

    /// Namespace of a message with this root; of the header for "cabecalho".
    pub fn namespace_of(&self, root: &str) -> String {
        match &self.message_namespace {
            Some(model) => model.replace("{mensagem}", &hyphenated(root)),
            None => self.namespace.clone(),
        }
    }
}

/// "cancelamento,lote,rps": how the host hands over a list.
fn signs(list: &str) -> Option<Signs> {
    let mut signs = Signs::default();
    for part in list.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        match part {
            "rps" => signs.rps = true,
            "lote" => signs.batch = true,
            "cancelamento" => signs.cancelamento = true,
            "consulta" => signs.query = true,
            _ => return None,
        }
    }
    Some(signs)
}

/// "EnviarLoteRpsEnvio" as "enviar-lote-rps-envio".
fn hyphenated(name: &str) -> String {
    let mut output = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        if c.is_ascii_uppercase() && !output.is_empty() {
            output.push('-');
        }
        output.push(c.to_ascii_lowercase());
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_hyphens() {
        assert_eq!(hyphenated("EnviarLoteRpsEnvio"), "enviar-lote-rps-envio");
        assert_eq!(hyphenated("cabecalho"), "cabecalho");
    }

    #[test]
    fn lists_of_signatures() {
        let signs_rps = Signs {
            rps: true,
            cancelamento: true,
            ..Signs::default()
        };
        assert_eq!(signs("cancelamento, rps"), Some(signs_rps));
        assert_eq!(signs(""), Some(Signs::default()));
        assert_eq!(signs("tudo"), None);
    }
}
