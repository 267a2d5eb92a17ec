//! How a city that takes the DPS at its own address wants to be spoken to,
//! read from the options once per question.

mod pattern;
mod request;

pub use pattern::{Names, number_of_chave, protocol};

use crate::assembly::{NAMESPACE, VERSION};
use sdk::soap::{Version, Wrapper};
use sdk::{Context, Failure};

/// Endpoint of the city, or of the Sefin Nacional where the city has none.
pub const OWN: &str = "sefin";
/// Endpoint of the national environment, for the calls a city leaves to it.
pub const NATIONAL: &str = "nacional";

/// A question or an order of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The DPS.
    Issue,
    /// An event of a note.
    Register,
    /// The key of a DPS.
    Dps,
    /// A note by its key.
    Note,
    /// The events of a note.
    Events,
    /// What became of what was received under a protocol.
    Protocol,
}

/// Call, its name in `nacional` and among the endpoints, its option and the
/// path of the national API.
const CALLS: [(Call, &str, &str, &str); 6] = [
    (Call::Issue, "dps", "caminho_dps", "/nfse"),
    (
        Call::Register,
        "evento",
        "caminho_evento",
        "/nfse/{chave}/eventos",
    ),
    (
        Call::Dps,
        "consulta_dps",
        "caminho_consulta_dps",
        "/dps/{id}",
    ),
    (
        Call::Note,
        "consulta_nota",
        "caminho_consulta_nota",
        "/nfse/{chave}",
    ),
    (
        Call::Events,
        "consulta_eventos",
        "caminho_consulta_eventos",
        "/nfse/{chave}/eventos",
    ),
    (
        Call::Protocol,
        "consulta_protocolo",
        "caminho_consulta_protocolo",
        "",
    ),
];

/// Names of all endpoints.
pub fn endpoints() -> Vec<&'static str> {
    let own = CALLS.iter().filter(|(call, ..)| *call != Call::Issue);
    let own = own.map(|(_, name, ..)| *name);
    [OWN, NATIONAL].into_iter().chain(own).collect()
}

/// The word for nothing: no element here, no SOAP action, and of a path the
/// bare address.
const NOTHING: &str = "nenhum";

/// The layout's order (TCInfPedReg).
pub const EVENT_ORDER: [&str; 5] = ["tpAmb", "verAplic", "dhEvento", "autor", "chNFSe"];

/// How a document is put into a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// A field of a JSON object: gzip in base64.
    Json,
    /// The only item of a list in a JSON object: gzip in base64.
    JsonList,
    /// The XML itself.
    Xml,
    /// The XML in a SOAP operation.
    Soap,
}

/// How the customer says who it is, besides the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    None,
    /// HTTP basic authentication.
    Basic,
    /// `Authorization: Bearer` with the secret `token`.
    Bearer,
}

/// What an event is sent as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventForm {
    /// `pedRegEvento`, as the Sefin Nacional takes it.
    Request,
    /// `evento` around it, which otherwise the authority makes.
    Whole,
    /// A message of the city's own: `mensagem_evento` itself.
    Message,
}

/// Around a message in SOAP.
#[derive(Clone, Debug)]
struct Soap {
    version: Version,
    namespace: String,
    /// Namespace of the prefix `par`, where parameters have one of their own.
    parameters: Option<String>,
    wrapper: Wrapper,
    element: String,
    parameter: String,
    /// Parameter before the message, and what stands in it.
    header: Option<(String, String)>,
}

/// The options of transport, typed.
#[derive(Clone, Debug)]
pub struct Transport {
    pub body: Body,
    pub event_form: EventForm,
    login: Login,
    client_certificate: bool,
    national: Vec<String>,
    fields: [String; 2],
    soap: Soap,
}

impl Transport {
    /// # Errors
    /// A value that `describe` does not list: the registry is wrong, nothing
    /// was sent.
    pub fn read(ctx: &Context) -> Result<Self, Failure> {
        let text = |name: &str, default: &str| ctx.option(name).unwrap_or(default).to_owned();
        let transport = Transport {
            body: choice(
                ctx,
                "corpo",
                &[
                    ("json", Body::Json),
                    ("json_lista", Body::JsonList),
                    ("xml", Body::Xml),
                    ("soap", Body::Soap),
                ],
            )?,
            event_form: choice(
                ctx,
                "evento_forma",
                &[
                    ("pedido", EventForm::Request),
                    ("evento", EventForm::Whole),
                    ("mensagem", EventForm::Message),
                ],
            )?,
            login: choice(
                ctx,
                "credenciais",
                &[
                    ("none", Login::None),
                    ("usuario_senha_http", Login::Basic),
                    ("token_http", Login::Bearer),
                ],
            )?,
            client_certificate: ctx.option_flag("certificado_tls", true),
            national: ctx
                .option("nacional")
                .unwrap_or_default()
                .split(',')
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect(),
            fields: [
                text("campo_dps", "dpsXmlGZipB64"),
                text("campo_evento", "pedidoRegistroEventoXmlGZipB64"),
            ],
            soap: Soap {
                version: choice(ctx, "soap", &[("1.1", Version::V11), ("1.2", Version::V12)])?,
                namespace: filled(ctx, "soap_namespace")?.unwrap_or_else(|| NAMESPACE.to_owned()),
                parameters: filled(ctx, "parametros_namespace")?,
                wrapper: Wrapper::from_name(ctx.option("envelope").unwrap_or("cdata"))
                    .ok_or_else(|| wrong_option("envelope"))?,
                element: text("elemento", "nfse:{metodo}"),
                parameter: text("parametro", "xml"),
                header: ctx
                    .option("cabecalho")
                    .map(|header| (text("parametro_cabecalho", "cabecalho"), header.to_owned())),
            },
        };
        transport.check(ctx)?;
        Ok(transport)
    }

    /// Every pattern can be filled, every name is one.
    fn check(&self, ctx: &Context) -> Result<(), Failure> {
        for (_, id, option, default) in CALLS {
            if !pattern::is_valid(ctx.option(option).unwrap_or(default), ctx) {
                return Err(wrong_option(option));
            }
            let message = format!("mensagem_{id}");
            if !ctx
                .option(&message)
                .is_none_or(|message| pattern::is_valid(message, ctx))
            {
                return Err(wrong_option(&message));
            }
        }
        if self.event_form == EventForm::Message && ctx.option("mensagem_evento").is_none() {
            return Err(wrong_option("mensagem_evento"));
        }
        let mut order = event_order(ctx);
        order.sort_unstable();
        let mut whole = EVENT_ORDER;
        whole.sort_unstable();
        if order != whole {
            return Err(wrong_option("ordem_evento"));
        }
        let known = |name: &String| CALLS.iter().any(|(_, id, ..)| id == name);
        if self.national.iter().all(known) {
            Ok(())
        } else {
            Err(wrong_option("nacional"))
        }
    }

    /// Whether a call goes to the national environment instead of the city.
    pub fn is_national(&self, call: Call) -> bool {
        let (_, id, ..) = row(call);
        self.national.iter().any(|name| name == id)
    }

    /// A city that leaves this question to the national environment, where
    /// what it is about arrives later: the city itself takes the DPS, or the
    /// event where the question is for events.
    pub fn is_afar(&self, question: Call) -> bool {
        let order = match question {
            Call::Events => Call::Register,
            _ => Call::Issue,
        };
        self.is_national(question) && !self.is_national(order)
    }

    /// A city that may say no with a status of success, as those do that are
    /// not the national API at another address.
    pub fn refuses_with_success(&self) -> bool {
        self.body != Body::Json || !self.national.is_empty()
    }

    /// Whether there is a question for what was received under a protocol.
    pub fn has_protocol(&self, ctx: &Context) -> bool {
        self.message(Call::Protocol, ctx).is_some()
            || ctx.option("caminho_consulta_protocolo").is_some()
    }

    /// Whether this is the national form of the question for a DPS, which
    /// may come without a body (HEAD).
    pub fn has_head(&self, ctx: &Context) -> bool {
        let (_, _, option, default) = row(Call::Dps);
        self.is_national(Call::Dps)
            || self.message(Call::Dps, ctx).is_none()
                && ctx.option(option).is_none_or(|path| path == default)
    }

    /// The message of a call in SOAP, where the city wants one. None in the
    /// national environment.
    fn message<'a>(&self, call: Call, ctx: &'a Context) -> Option<&'a str> {
        let (_, id, ..) = row(call);
        ctx.option(&format!("mensagem_{id}"))
            .filter(|_| !self.is_national(call))
    }

    /// The message of a cancellation in the city's own form.
    pub fn own_event(&self, names: &Names, ctx: &Context) -> Option<String> {
        pattern::fill(self.message(Call::Register, ctx)?, names, ctx)
    }

    /// Endpoint of a call: its own where the city has one for it.
    fn endpoint(&self, call: Call, ctx: &Context) -> &'static str {
        let (_, id, ..) = row(call);
        if self.is_national(call) {
            NATIONAL
        } else if call != Call::Issue && ctx.has_endpoint(id) {
            id
        } else {
            OWN
        }
    }

    fn path(&self, call: Call, names: &Names, ctx: &Context) -> String {
        let (_, _, option, default) = row(call);
        let own = ctx.option(option).filter(|_| !self.is_national(call));
        match own.unwrap_or(default) {
            NOTHING => String::new(),
            // `check` has seen that each pattern can be filled.
            path => pattern::fill(path, names, ctx).unwrap_or_default(),
        }
    }
}

fn row(call: Call) -> (Call, &'static str, &'static str, &'static str) {
    // Every call has its row; the first is as good as any other.
    let [first, ..] = CALLS;
    CALLS
        .into_iter()
        .find(|(other, ..)| *other == call)
        .unwrap_or(first)
}

/// An option that is a pattern, filled.
fn filled(ctx: &Context, name: &str) -> Result<Option<String>, Failure> {
    let Some(given) = ctx.option(name) else {
        return Ok(None);
    };
    let text = pattern::fill(given, &Names::default(), ctx);
    text.map(Some).ok_or_else(|| wrong_option(name))
}

/// Version of the layout as the attribute of the root says it.
pub fn version(ctx: &Context) -> &str {
    ctx.option("versao").unwrap_or(VERSION)
}

/// Namespace of the documents sent.
pub fn namespace(ctx: &Context) -> &str {
    ctx.option("namespace").unwrap_or(NAMESPACE)
}

/// Namespace of events.
pub fn event_namespace(ctx: &Context) -> &str {
    ctx.option("namespace_evento")
        .unwrap_or_else(|| namespace(ctx))
}

/// Namespace that `infDPS` and `infPedReg` declare themselves.
pub fn inner_namespace(ctx: &Context) -> Option<&str> {
    ctx.option("namespace_inf")
}

/// Attribute that signatures refer to.
pub fn id_attribute(ctx: &Context) -> &str {
    ctx.option("atributo_id").unwrap_or("Id")
}

/// Version of the layout of events.
pub fn event_version(ctx: &Context) -> &str {
    ctx.option("versao_evento").unwrap_or(VERSION)
}

/// Elements of a request for an event before what it is about, in their order;
/// `autor` is CNPJAutor or CPFAutor.
pub fn event_order(ctx: &Context) -> Vec<&str> {
    match ctx.option("ordem_evento") {
        Some(order) => order.split(',').map(str::trim).collect(),
        None => EVENT_ORDER.to_vec(),
    }
}

/// Element that numbers an event among the documents of a city.
pub fn event_number(ctx: &Context) -> &str {
    ctx.option("numero_evento").unwrap_or("nDFSe")
}

/// A choice by its word; the first is the default.
fn choice<T: Copy>(ctx: &Context, name: &str, words: &[(&str, T)]) -> Result<T, Failure> {
    let word = ctx.option(name);
    let found = match word {
        None => words.first(),
        Some(word) => words.iter().find(|(known, _)| *known == word),
    };
    found
        .map(|(_, value)| *value)
        .ok_or_else(|| wrong_option(name))
}

fn wrong_option(name: &str) -> Failure {
    Failure::other(&format!("opcao {name} invalida no cadastro"))
}
