//! How a message travels in this system, read once per step.

use crate::options::{choice, wrong_option};
use crate::pattern::{self, Names};
use crate::service::Service;
use sdk::soap::{Version, Wrapper};
use sdk::{Context, Failure};

/// How the customer says who it is, besides the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Login {
    None,
    /// User and password as nodes after the message.
    Nodes,
    /// User and password in a `UsernameToken` of the SOAP header (WS-Security).
    Token,
    /// HTTP basic authentication.
    Basic,
    /// `Authorization: Bearer` with the secret `token`.
    Bearer,
    /// `Authorization` with the secret `token` alone.
    BareToken,
}

/// What a request's body is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Soap,
    /// An object: names of its fields, each with "mensagem" or "segredo.NAME".
    Json(Vec<(String, String)>),
    /// The message itself.
    Xml,
}

/// What a node after the message holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extra<'t> {
    Secret(&'t str),
    Text(String),
}

/// The options of transport, typed.
#[derive(Clone, Debug)]
pub struct Transport {
    pub body: Body,
    pub envelope: Wrapper,
    /// None: the message goes without header.
    pub header: Option<Wrapper>,
    pub soap: Version,
    pub login: Login,
    pub client_certificate: bool,
    /// Queries go as nodes, without their root.
    pub rootless_queries: bool,
    /// HTTP headers, each with "segredo.NAME" or "sessao" in braces, or a pattern.
    headers: Vec<(String, String)>,
    /// What follows the address of the request that opens a session; None: a
    /// request needs no session.
    pub session_path: Option<String>,
    /// What follows the address, with `{token}` for the secret.
    pub path: String,
    soap_namespace: String,
    parameter_namespace: Option<String>,
    soap_action: String,
    element: String,
    header_parameter: String,
    data_parameter: String,
    /// Elements of the operation that only refer to the one with the message.
    reference: Option<String>,
    /// Nodes after the message, each with "segredo.NAME" in braces or a pattern.
    extra: Vec<(String, String)>,
    /// Root of the answers where it is not the model's.
    answer: Option<String>,
    /// Services with another operation name than the model's.
    methods: Vec<(String, String)>,
    homologation: bool,
}

/// The token of the session, in a header.
const SESSION: &str = "{sessao}";

/// The word for "no element here".
const NOTHING: &str = "nenhum";

const LOGINS: [(&str, Login); 6] = [
    ("none", Login::None),
    ("usuario_senha_nos", Login::Nodes),
    ("usuario_senha_wsse", Login::Token),
    ("usuario_senha_http", Login::Basic),
    ("token_http", Login::Bearer),
    ("token_http_puro", Login::BareToken),
];

impl Transport {
    /// # Errors
    /// A value that `describe` does not list: the registry is wrong, nothing
    /// was sent.
    pub fn read(ctx: &Context) -> Result<Self, Failure> {
        let text = |name: &str, default: &str| ctx.option(name).unwrap_or(default).to_owned();
        let wrapper =
            |name: &str, value: &str| Wrapper::from_name(value).ok_or_else(|| wrong_option(name));
        let transport = Transport {
            body: match ctx.option("campos_json") {
                None if choice(ctx, "corpo", &[("soap", false), ("xml", true)])? => Body::Xml,
                None => Body::Soap,
                Some(fields) => {
                    Body::Json(json_fields(fields).ok_or_else(|| wrong_option("campos_json"))?)
                }
            },
            envelope: wrapper("envelope", ctx.option("envelope").unwrap_or("esc"))?,
            header: match ctx.option("cabecalho").unwrap_or("esc") {
                "none" => None,
                name => Some(wrapper("cabecalho", name)?),
            },
            soap: choice(ctx, "soap", &[("1.1", Version::V11), ("1.2", Version::V12)])?,
            login: choice(ctx, "credenciais", &LOGINS)?,
            client_certificate: ctx.option_flag("certificado_tls", false),
            rootless_queries: ctx.option_flag("consultas_sem_raiz", false),
            headers: extra(ctx.option("cabecalhos_http").unwrap_or_default())
                .ok_or_else(|| wrong_option("cabecalhos_http"))?,
            session_path: ctx.option("sessao_caminho").map(str::to_owned),
            path: text("caminho", ""),
            soap_namespace: text("soap_namespace", "http://nfse.abrasf.org.br"),
            parameter_namespace: ctx.option("parametros_namespace").map(str::to_owned),
            soap_action: text("soap_action", "http://nfse.abrasf.org.br/{metodo}"),
            element: text("elemento", "nfse:{metodo}Request"),
            header_parameter: text("parametro_cabecalho", "nfseCabecMsg"),
            data_parameter: text("parametro_dados", "nfseDadosMsg"),
            reference: ctx.option("referencia").map(str::to_owned),
            extra: extra(ctx.option("parametros").unwrap_or_default())
                .ok_or_else(|| wrong_option("parametros"))?,
            answer: ctx.option("resposta").map(str::to_owned),
            methods: methods(ctx.option("metodos").unwrap_or_default())
                .ok_or_else(|| wrong_option("metodos"))?,
            homologation: !ctx.in_production(),
        };
        transport.check()?;
        Ok(transport)
    }

    /// Every pattern can be filled.
    fn check(&self) -> Result<(), Failure> {
        let patterns = [
            ("soap_namespace", &self.soap_namespace),
            ("soap_action", &self.soap_action),
            ("elemento", &self.element),
            ("parametro_cabecalho", &self.header_parameter),
            ("parametro_dados", &self.data_parameter),
        ];
        let namespace = self.parameter_namespace.iter();
        let namespace = namespace.map(|pattern| ("parametros_namespace", pattern));
        let answer = self.answer.iter().map(|pattern| ("resposta", pattern));
        let reference = self.reference.iter().map(|pattern| ("referencia", pattern));
        let extra = self.extra.iter().map(|(_, value)| ("parametros", value));
        let extra = extra.filter(|(_, value)| secret_name(value).is_none());
        let headers = self
            .headers
            .iter()
            .map(|(_, value)| ("cabecalhos_http", value));
        let headers =
            headers.filter(|(_, value)| secret_name(value).is_none() && *value != SESSION);
        let optional = namespace
            .chain(answer)
            .chain(reference)
            .chain(extra)
            .chain(headers);
        for (name, pattern) in patterns.into_iter().chain(optional) {
            if self.filled(pattern, Service::Generate).is_none() {
                return Err(wrong_option(name));
            }
        }
        Ok(())
    }

    /// Name of the SOAP operation.
    fn method(&self, service: Service) -> &str {
        let own = self.methods.iter().find(|(id, _)| id == service.id());
        own.map_or(service.method(), |(_, method)| method)
    }

    fn filled(&self, pattern: &str, service: Service) -> Option<String> {
        let (sending, answer) = (service.sending(), service.response());
        let names = Names {
            method: self.method(service),
            sending: &sending,
            answer: &answer,
            service: service.id(),
            homologation: self.homologation,
        };
        pattern::fill(pattern, &names)
    }

    /// A name the system makes of the operation's; [`Self::check`] has seen
    /// that each pattern can be filled.
    fn name(&self, pattern: &str, service: Service) -> String {
        self.filled(pattern, service).unwrap_or_default()
    }

    /// The SOAP action of a service.
    pub fn action(&self, service: Service) -> String {
        match self.soap_action.as_str() {
            NOTHING => String::new(),
            pattern => self.name(pattern, service),
        }
    }

    /// Prefixes of the envelope: `nfse` for the operations, `par` for the
    /// parameters where they have a namespace of their own.
    pub fn namespaces(&self, service: Service) -> Vec<(&'static str, String)> {
        let mut namespaces = vec![("nfse", self.name(&self.soap_namespace, service))];
        if let Some(pattern) = &self.parameter_namespace {
            namespaces.push(("par", self.name(pattern, service)));
        }
        namespaces
    }

    /// The elements around the parameters, outermost first.
    pub fn elements(&self, service: Service) -> Vec<String> {
        match self.element.as_str() {
            NOTHING => Vec::new(),
            pattern => {
                let path = self.name(pattern, service);
                path.split('/').map(str::to_owned).collect()
            }
        }
    }

    /// The elements of the operation, outermost first, where the message is an
    /// element of its own that they refer to.
    pub fn reference(&self, service: Service) -> Vec<String> {
        let path = self.reference.as_deref();
        let path = path.map(|pattern| self.name(pattern, service));
        path.iter()
            .flat_map(|path| path.split('/'))
            .map(str::to_owned)
            .collect()
    }

    /// Nodes after the message: names, and a secret's name or a text.
    pub fn extra(&self, service: Service) -> Vec<(&str, Extra<'_>)> {
        let nodes = self.extra.iter();
        nodes
            .map(|(name, value)| match secret_name(value) {
                Some(secret) => (name.as_str(), Extra::Secret(secret)),
                None => (name.as_str(), Extra::Text(self.name(value, service))),
            })
            .collect()
    }

    /// HTTP headers of a service. The token of a session is the secret `token`
    /// where there is no session yet.
    pub fn headers<'t>(
        &'t self,
        service: Service,
        session: Option<&str>,
    ) -> Vec<(&'t str, Extra<'t>)> {
        let headers = self.headers.iter();
        headers
            .map(|(name, value)| {
                let value = match (secret_name(value), session) {
                    (Some(secret), _) => Extra::Secret(secret),
                    (None, Some(token)) if value == SESSION => Extra::Text(token.to_owned()),
                    (None, None) if value == SESSION => Extra::Secret("token"),
                    (None, _) => Extra::Text(self.name(value, service)),
                };
                (name.as_str(), value)
            })
            .collect()
    }

    /// Root of the answer where it is not the model's.
    pub fn answer(&self, service: Service) -> Option<String> {
        let pattern = self.answer.as_deref()?;
        Some(self.name(pattern, service))
    }

    /// The parameter of the header.
    pub fn header_parameter(&self, service: Service) -> String {
        self.name(&self.header_parameter, service)
    }

    /// The parameter of the message; None: the message stands without one.
    pub fn data_parameter(&self, service: Service) -> Option<String> {
        let pattern = self.data_parameter.as_str();
        (pattern != NOTHING).then(|| self.name(pattern, service))
    }
}

/// "xml={mensagem}, usuario={segredo.usuario}".
fn json_fields(text: &str) -> Option<Vec<(String, String)>> {
    let entries = text.split(',').map(str::trim);
    entries
        .map(|entry| {
            let (name, value) = entry.split_once('=')?;
            let value = value.trim().strip_prefix('{')?.strip_suffix('}')?;
            let known = value == "mensagem" || value.starts_with("segredo.");
            (known && !name.is_empty()).then(|| (name.trim().to_owned(), value.to_owned()))
        })
        .collect()
}

/// "{segredo.senha}" as the name of the secret.
fn secret_name(value: &str) -> Option<&str> {
    value.strip_prefix("{segredo.")?.strip_suffix('}')
}

/// "Username={segredo.usuario}, Prefeitura=CIDADE".
fn extra(text: &str) -> Option<Vec<(String, String)>> {
    let entries = text.split(',').map(str::trim).filter(|e| !e.is_empty());
    entries
        .map(|entry| {
            let (name, value) = entry.split_once('=')?;
            let (name, value) = (name.trim(), value.trim());
            (!name.is_empty()).then(|| (name.to_owned(), value.to_owned()))
        })
        .collect()
}

/// "consultar_rps=ConsultaNfseRps, cancelar=CancelaNfse".
fn methods(text: &str) -> Option<Vec<(String, String)>> {
    let entries = text
        .split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty());
    entries
        .map(|entry| {
            let (id, method) = entry.split_once('=')?;
            let (id, method) = (id.trim(), method.trim());
            let known = Service::ALL.iter().any(|service| service.id() == id);
            (known && !method.is_empty()).then(|| (id.to_owned(), method.to_owned()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{extra, json_fields, methods, secret_name};

    #[test]
    fn nodes_after_the_message_hold_a_secret_or_a_text() {
        let nodes = extra("User={segredo.usuario}, City={producao:A}").expect("nodes");
        assert_eq!(secret_name(&nodes[0].1), Some("usuario"));
        assert_eq!(nodes[1], ("City".to_owned(), "{producao:A}".to_owned()));
        assert_eq!(extra(""), Some(Vec::new()));
        assert_eq!(extra("User"), None);
    }

    #[test]
    fn fields_of_an_object_hold_the_message_or_a_secret() {
        let fields = json_fields("xml={mensagem}, senha={segredo.senha}").expect("fields");
        assert_eq!(fields[1], ("senha".to_owned(), "segredo.senha".to_owned()));
        assert_eq!(json_fields("xml=mensagem"), None);
        assert_eq!(json_fields("xml={outro}"), None);
        assert_eq!(json_fields("{mensagem}"), None);
    }

    #[test]
    fn services_have_names_of_their_own() {
        let own = methods("consultar_rps=ConsultaNfseRps, cancelar = CancelaNfse").expect("list");
        assert_eq!(own[1], ("cancelar".to_owned(), "CancelaNfse".to_owned()));
        assert_eq!(methods(""), Some(Vec::new()));
        assert_eq!(methods("outro=X"), None);
        assert_eq!(methods("cancelar"), None);
    }
}
