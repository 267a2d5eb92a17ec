//! The HTTP request around a message.

use crate::options::{Options, hyphenated};
use crate::service::Service;
use crate::transport::{Body, Extra, Login, Transport};
use sdk::soap;
use sdk::xml::{Writer, escape_text};
use sdk::{Context, Effect, Encoding, Failure, Mensagem, Request, host};
use serde_json::Value;

/// Namespace of WS-Security's tokens (OASIS WSS 1.0, SOAP Message Security).
const SECURITY: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
/// How a `UsernameToken` names a password in clear (UsernameToken Profile 1.0).
const PASSWORD_TEXT: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText";

const XML: &str = "application/xml; charset=utf-8";
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

/// The request that carries a message.
///
/// # Errors
/// The city wants credentials and the customer has none.
pub fn build(
    ctx: &Context,
    options: &Options,
    service: Service,
    message: &str,
    session: Option<&str>,
) -> Result<Request, Failure> {
    let transport = &options.transport;
    let endpoint = if ctx.has_endpoint(service.endpoint()) {
        service.endpoint()
    } else {
        "nfse"
    };
    let carried = match &transport.body {
        Body::Soap => soap_body(options, service, message)?,
        Body::Json(fields) => Carried {
            action: None,
            content_type: "application/json; charset=utf-8".to_owned(),
            body: json_object(fields, message)?,
        },
        Body::Xml => Carried {
            action: None,
            content_type: XML.to_owned(),
            body: format!("{DECLARATION}{message}"),
        },
    };
    let path = path(transport, service)?;
    let mut request = Request::post(service.method(), service.effect(), endpoint, &path);
    if let Some(value) = &carried.action {
        request = request.header("SOAPAction", value);
    }
    if let Some(value) = authorization(transport)? {
        request = request.header("Authorization", &value);
    }
    request = headed(request, transport, service, session)?;
    request = request.body(&carried.content_type, carried.body);
    if transport.client_certificate {
        request = request.client_certificate();
    }
    Ok(request)
}

/// The request that opens a session, where the system has some.
pub fn opening(options: &Options, service: Service) -> Option<Result<Request, Failure>> {
    let transport = &options.transport;
    let path = transport.session_path.as_deref()?;
    // It changes nothing of a note, and a query has one, too.
    let request = Request::post("AbrirSessao", Effect::ReadOnly, "nfse", path);
    let request = headed(request, transport, service, None).map(|request| {
        let request = request.body(XML, String::new());
        if transport.client_certificate {
            return request.client_certificate();
        }
        request
    });
    Some(request)
}

/// The request with the headers of the system.
fn headed(
    mut request: Request,
    transport: &Transport,
    service: Service,
    session: Option<&str>,
) -> Result<Request, Failure> {
    for (name, value) in transport.headers(service, session) {
        let value = match value {
            Extra::Secret(of) => secret(of, Encoding::Plain)?,
            Extra::Text(text) => text,
        };
        if !value.is_empty() {
            request = request.header(name, &value);
        }
    }
    Ok(request)
}

/// A body, and the headers that say what it is.
struct Carried {
    /// Value of `SOAPAction`.
    action: Option<String>,
    content_type: String,
    body: String,
}

/// The message in a SOAP envelope.
fn soap_body(options: &Options, service: Service, message: &str) -> Result<Carried, Failure> {
    let transport = &options.transport;
    let body = body(options, service, message)?;
    let namespaces = transport.namespaces(service);
    let namespaces: Vec<(&str, &str)> = namespaces
        .iter()
        .map(|(prefix, uri)| (*prefix, uri.as_str()))
        .collect();
    let header = match transport.login {
        Login::Token => Some(username_token()?),
        _ => None,
    };
    let envelope = soap::envelope(transport.soap, &namespaces, header.as_deref(), &body);
    let action = transport.action(service);
    Ok(Carried {
        action: transport.soap.action_header(&action),
        content_type: transport.soap.content_type(&action),
        body: envelope,
    })
}

/// An object with the message and the secrets in its fields.
fn json_object(fields: &[(String, String)], message: &str) -> Result<String, Failure> {
    let mut members = Vec::with_capacity(fields.len());
    for (name, value) in fields {
        let text = match value.strip_prefix("segredo.") {
            // A placeholder: the host writes the value while it sends.
            Some(of) => format!("\"{}\"", secret(of, Encoding::JsonText)?),
            None => Value::from(message).to_string(),
        };
        members.push(format!("{}:{text}", Value::from(name.as_str())));
    }
    Ok(format!("{{{}}}", members.join(",")))
}

fn body(options: &Options, service: Service, message: &str) -> Result<String, Failure> {
    let transport = &options.transport;
    let elements = transport.elements(service);
    let mut w = Writer::new();
    let reference = transport.reference(service);
    if let Some((last, around)) = reference.split_last() {
        for element in around {
            w.open(element, &[]);
        }
        w.open(last, &[("href", "#1")]);
        for _ in &reference {
            w.close();
        }
    }
    for (depth, element) in elements.iter().enumerate() {
        // What the operation refers to.
        let referred = depth == 0 && !reference.is_empty();
        w.open(element, if referred { &[("id", "1")] } else { &[] });
    }
    let headed = !options.headerless.iter().any(|id| id == service.id());
    if let Some(form) = transport.header.filter(|_| headed) {
        let content = form.wrap(&header_text(options));
        parameter(&mut w, &transport.header_parameter(service), &content);
    }
    let rootless = transport.rootless_queries && service.effect() == Effect::ReadOnly;
    let content = if rootless {
        without_root(message).to_owned()
    } else {
        transport.envelope.wrap(message)
    };
    match transport.data_parameter(service) {
        Some(name) => parameter(&mut w, &name, &content),
        None => {
            w.raw(&content);
        }
    }
    if transport.login == Login::Nodes {
        // Placeholders: the host writes the values while it sends.
        parameter(&mut w, "username", &secret("usuario", Encoding::XmlText)?);
        parameter(&mut w, "password", &secret("senha", Encoding::XmlText)?);
    }
    for (name, value) in transport.extra(service) {
        let content = match value {
            Extra::Secret(of) => secret(of, Encoding::XmlText)?,
            Extra::Text(text) => escape_text(&text),
        };
        parameter(&mut w, name, &content);
    }
    Ok(w.finish())
}

/// What stands between the tags of the root.
fn without_root(message: &str) -> &str {
    let start = message.find('>').map_or(0, |at| at + 1);
    let end = message.rfind("</").unwrap_or(message.len());
    message.get(start..end).unwrap_or_default()
}

fn parameter(w: &mut Writer, name: &str, content: &str) {
    w.group(name, &[], |w| {
        w.raw(content);
    });
}

/// `cabecalho` with the version of the data.
fn header_text(options: &Options) -> String {
    let mut w = Writer::new();
    let namespace = options.namespace_of("cabecalho");
    let (name, declaration) = if options.unqualified.header {
        ("m:cabecalho", "xmlns:m")
    } else {
        ("cabecalho", "xmlns")
    };
    let attributes = [
        (declaration, namespace.as_str()),
        ("versao", options.attribute_version.as_str()),
    ];
    w.group(name, &attributes, |w| {
        w.leaf("versaoDados", &options.header_version);
    });
    w.finish()
}

/// The SOAP header with user and password.
fn username_token() -> Result<String, Failure> {
    let user = secret("usuario", Encoding::XmlText)?;
    let password = secret("senha", Encoding::XmlText)?;
    let mut w = Writer::new();
    let security = [("soap:mustUnderstand", "1"), ("xmlns:wsse", SECURITY)];
    w.group("wsse:Security", &security, |w| {
        w.group("wsse:UsernameToken", &[], |w| {
            parameter(w, "wsse:Username", &user);
            w.group("wsse:Password", &[("Type", PASSWORD_TEXT)], |w| {
                w.raw(&password);
            });
        });
    });
    Ok(w.finish())
}

/// What follows the address; `{token}` is the secret of that name.
fn path(transport: &Transport, service: Service) -> Result<String, Failure> {
    let path = transport
        .path
        .replace("{envio:hifens}", &hyphenated(&service.sending()));
    if !path.contains("{token}") {
        return Ok(path);
    }
    Ok(path.replace("{token}", &secret("token", Encoding::Url)?))
}

/// Value of the header `Authorization`.
fn authorization(transport: &Transport) -> Result<Option<String>, Failure> {
    Ok(match transport.login {
        Login::Basic => {
            Some(host::basic_auth("usuario", "senha").ok_or_else(|| missing("usuário e senha"))?)
        }
        Login::Bearer => Some(format!("Bearer {}", secret("token", Encoding::Plain)?)),
        Login::BareToken => Some(secret("token", Encoding::Plain)?),
        Login::None | Login::Nodes | Login::Token => None,
    })
}

/// The placeholder of a secret.
///
/// # Errors
/// The customer has none of this name.
fn secret(name: &str, encoding: Encoding) -> Result<String, Failure> {
    let what = if name == "token" {
        "token"
    } else {
        "usuário e senha"
    };
    host::secret(name, encoding).ok_or_else(|| missing(what))
}

fn missing(what: &str) -> Failure {
    Failure::credentials(vec![Mensagem::new(
        "",
        &format!("A prefeitura exige {what} do webservice."),
    )])
}
