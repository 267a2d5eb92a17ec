//! The options of a system, read once per step.

use crate::dialect::{Dialect, Texts};
use crate::ids::Forms;
use crate::message::nature::Natures;
use crate::pattern;
use crate::service::Service;
use crate::transport::Transport;
use crate::version::LayoutVersion;
use sdk::nfse::table::edition;
use sdk::{Context, Failure};

/// How a note is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Generate,
    SynchronousBatch,
    Batch,
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
    /// "105".
    Bare,
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

/// How a note is asked for by its number, from 2.00 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberQuery {
    /// `ConsultarNfseServicoPrestado`.
    Rendered,
    /// `ConsultarNfseFaixa`.
    Range,
    /// The system has no query by number.
    None,
}

/// What carries a signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    pub rps: bool,
    /// `Rps` inside the declaration, with the signature after the declaration.
    pub inner_rps: bool,
    pub batch: bool,
    pub cancelamento: bool,
    /// The whole message of a cancellation.
    pub cancelling: bool,
    pub query: bool,
}

/// What stands in no namespace below its root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unqualified {
    pub header: bool,
    pub message: bool,
}

/// All options of `describe`, typed.
#[derive(Clone, Debug)]
pub struct Options {
    pub version: LayoutVersion,
    pub mode: Mode,
    /// Empty: the messages are in no namespace.
    pub namespace: String,
    /// With `{mensagem}`: one namespace per message, `namespace` has the types.
    pub message_namespace: Option<String>,
    /// Roots with a namespace of their own.
    pub root_namespaces: Vec<(String, String)>,
    /// Services whose operation has no header, by [`Service::id`].
    ///
    /// [`Service::id`]: crate::service::Service::id
    pub headerless: Vec<String>,
    /// Only the roots have a namespace.
    pub unqualified: Unqualified,
    /// Namespace of `cabecalho` where it is not that of the message.
    pub header_namespace: Option<String>,
    /// `versaoDados` of the header.
    pub header_version: String,
    /// Attribute `versao` of the header and of the batch.
    pub attribute_version: String,
    pub batch_version: bool,
    pub transport: Transport,
    pub dialect: Dialect,
    pub signs: Signs,
    /// Exclusive canonicalization instead of C14N 1.0.
    pub exclusive: bool,
    /// The signature's reference is empty instead of an id.
    pub empty_uri: bool,
    /// An element without id is signed with the element around it alone, not
    /// with the whole message.
    pub signs_alone: bool,
    /// None: the elements have no id, and nothing is signed.
    pub id_attribute: Option<String>,
    /// `Rps` inside the declaration has an id, too.
    pub rps_id: bool,
    /// Forms of ids that are not the hub's own.
    pub ids: Forms,
    /// Services the system does not have, by [`Service::id`].
    ///
    /// [`Service::id`]: crate::service::Service::id
    pub absent: Vec<String>,
    pub number_query: NumberQuery,
    /// Amounts that are written also when they are zero.
    pub zeros: Vec<String>,
    /// Largest code of `RegimeEspecialTributacao` the layout has; a larger one
    /// is left out.
    pub max_regime: u64,
    /// Codes of `NaturezaOperacao` that are not the model's.
    pub natures: Natures,
    pub rate_as_fraction: bool,
    pub item: Item,
    /// `DataEmissao` has a time.
    pub issue_time: bool,
    /// `Competencia` has a time.
    pub period_time: bool,
    pub ibs_cbs: IbsCbsPlace,
    pub interval_ms: u64,
}

/// Namespace of the model.
pub const NAMESPACE: &str = "http://www.abrasf.org.br/nfse.xsd";

/// Shortest and longest first interval between two queries.
const INTERVAL_MS: (u64, u64, u64) = (1_000, 5_000, 600_000);

/// 6, small companies of Simples Nacional, is the model's last code.
const MAX_REGIME: u64 = 6;

const ITEMS: [(&str, Item); 4] = [
    ("com_zero", Item::WithZero),
    ("sem_zero", Item::WithoutZero),
    ("sem_ponto", Item::WithoutPoint),
    ("sem_ponto_sem_zero", Item::Bare),
];
const IDS: [(&str, Option<&str>); 3] = [("Id", Some("Id")), ("id", Some("id")), ("nenhum", None)];
const NUMBER_QUERIES: [(&str, NumberQuery); 3] = [
    ("prestado", NumberQuery::Rendered),
    ("faixa", NumberQuery::Range),
    ("nenhuma", NumberQuery::None),
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

/// The registry gives an option a value that `describe` does not list.
pub fn wrong_option(name: &str) -> Failure {
    Failure::other(&format!("opcao {name} invalida no cadastro"))
}

/// What the option stands for; the first one where it is not set.
///
/// # Errors
/// None of the values.
pub fn choice<T: Copy>(ctx: &Context, name: &str, values: &[(&str, T)]) -> Result<T, Failure> {
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
        let item = choice(ctx, "item_lista", &ITEMS)?;
        let ibs_cbs = choice(ctx, "ibs_cbs", &PLACES)?;
        let (issue_time, period_time) = match ctx.option("formato_data") {
            None => (version.first(), version.first()),
            Some("data") => (false, false),
            Some("data_hora") => (true, true),
            Some("emissao_com_hora") => (true, false),
            Some(_) => return Err(wrong_option("formato_data")),
        };
        let rate_as_fraction = choice(ctx, "aliquota", &[("percentual", false), ("fracao", true)])?;
        let (min, default, max) = INTERVAL_MS;
        Ok(Options {
            version,
            mode,
            namespace: match ctx.option("namespace") {
                None => NAMESPACE.to_owned(),
                Some("nenhum") => String::new(),
                Some(namespace) => pattern::of_environment(namespace, !ctx.in_production())
                    .ok_or_else(|| wrong_option("namespace"))?,
            },
            message_namespace: ctx.option("namespace_mensagem").map(str::to_owned),
            root_namespaces: pairs(ctx.option("namespaces").unwrap_or_default())
                .ok_or_else(|| wrong_option("namespaces"))?,
            headerless: list(ctx.option("sem_cabecalho")),
            unqualified: unqualified(ctx.option("filhos_sem_namespace").unwrap_or_default())
                .ok_or_else(|| wrong_option("filhos_sem_namespace"))?,
            header_namespace: ctx.option("namespace_cabecalho").map(str::to_owned),
            attribute_version: ctx
                .option("versao_atributo")
                .map_or_else(|| text("versao_cabecalho", version.name()), str::to_owned),
            header_version: text("versao_cabecalho", version.name()),
            batch_version: ctx.option_flag("versao_lote", true),
            transport: Transport::read(ctx)?,
            dialect: dialect(ctx)?,
            signs: signs(ctx.option("assina").unwrap_or_default())
                .ok_or_else(|| wrong_option("assina"))?,
            id_attribute: choice(ctx, "atributo_id", &IDS)?.map(str::to_owned),
            rps_id: ctx.option_flag("id_rps", false),
            ids: Forms::read(ctx.option("ids").unwrap_or_default())
                .ok_or_else(|| wrong_option("ids"))?,
            exclusive: ctx.option_flag("canonicalizacao_exclusiva", false),
            signs_alone: ctx.option_flag("assina_avulso", false),
            empty_uri: ctx.option_flag("uri_vazia", false),
            absent: list(ctx.option("servicos_ausentes")),
            number_query: choice(ctx, "consulta_numero", &NUMBER_QUERIES)?,
            zeros: list(ctx.option("zeros")),
            max_regime: ctx.option_u64("regime_especial_maximo", MAX_REGIME),
            natures: pairs(ctx.option("natureza_operacao").unwrap_or_default())
                .and_then(Natures::new)
                .ok_or_else(|| wrong_option("natureza_operacao"))?,
            rate_as_fraction,
            item,
            issue_time,
            period_time,
            ibs_cbs,
            interval_ms: ctx
                .option_u64("intervalo_consulta_ms", default)
                .clamp(min, max),
        })
    }

    /// The attribute of an element with an id, if it has one here.
    pub fn id<'a>(&'a self, id: &'a str) -> Vec<(&'a str, &'a str)> {
        let name = self.id_attribute.as_deref();
        name.filter(|_| !id.is_empty())
            .map(|name| (name, id))
            .into_iter()
            .collect()
    }

    /// An amount of this name is written also when it is zero.
    pub fn writes_zero(&self, name: &str) -> bool {
        self.zeros.iter().any(|zero| zero == name)
    }

    /// The system has this service.
    pub fn has(&self, service: Service) -> bool {
        !self.absent.iter().any(|id| id == service.id())
    }

    /// Namespace of a message with this root; of the header for "cabecalho".
    pub fn namespace_of(&self, root: &str) -> String {
        let named = |(known, _): &&(String, String)| known == root;
        if let Some((_, namespace)) = self.root_namespaces.iter().find(named) {
            return namespace.clone();
        }
        let header = self.header_namespace.as_ref();
        match (
            header.filter(|_| root == "cabecalho"),
            &self.message_namespace,
        ) {
            (Some(own), _) => own.clone(),
            (None, Some(model)) => model
                .replace("{mensagem}", &hyphenated(root))
                .replace("{mensagem:sublinhado}", &hyphenated(root).replace('-', "_")),
            (None, None) => self.namespace.clone(),
        }
    }
}

/// A list as the host hands it over: "a,b".
fn list(text: Option<&str>) -> Vec<String> {
    let entries = text.unwrap_or_default().split(',').map(str::trim);
    entries
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect()
}

fn dialect(ctx: &Context) -> Result<Dialect, Failure> {
    let text = |name: &str| ctx.option(name).unwrap_or_default();
    let texts = Texts {
        omitted: text("omite"),
        refused: text("recusa"),
        renamed: text("renomeia"),
        ordered: text("ordem"),
        added: text("acrescenta"),
        wrapped: text("envolve"),
    };
    Dialect::read(texts).ok_or_else(|| {
        Failure::other(
            "opcao omite, recusa, renomeia, ordem, acrescenta ou envolve invalida no cadastro",
        )
    })
}

/// "CancelarNfseEnvio=http://…, …".
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let entries = text.split(',').map(str::trim).filter(|e| !e.is_empty());
    entries
        .map(|entry| {
            let (name, value) = entry.split_once('=')?;
            Some((name.trim().to_owned(), value.trim().to_owned()))
        })
        .collect()
}

/// "cabecalho,mensagem".
fn unqualified(text: &str) -> Option<Unqualified> {
    let mut found = Unqualified::default();
    for part in list(Some(text)) {
        match part.as_str() {
            "cabecalho" => found.header = true,
            "mensagem" => found.message = true,
            _ => return None,
        }
    }
    Some(found)
}

/// "cancelamento,lote,rps": how the host hands over a list.
fn signs(list: &str) -> Option<Signs> {
    let mut signs = Signs::default();
    for part in list.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        match part {
            "rps" => signs.rps = true,
            "rps_interno" => signs.inner_rps = true,
            "lote" => signs.batch = true,
            "cancelamento" => signs.cancelamento = true,
            "mensagem_cancelamento" => signs.cancelling = true,
            "consulta" => signs.query = true,
            _ => return None,
        }
    }
    Some(signs)
}

/// "EnviarLoteRpsEnvio" as "enviar-lote-rps-envio".
pub fn hyphenated(name: &str) -> String {
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
