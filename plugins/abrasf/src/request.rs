//! The HTTP request around a message.

use crate::options::{Options, Style};
use crate::service::Service;
use sdk::soap::{self, Wrapper};
use sdk::xml::Writer;
use sdk::{Context, Encoding, Failure, Mensagem, Request, host};

/// Prefix of the SOAP operation.
const PREFIX: &str = "nfse";

/// The SOAP request that carries a message.
///
/// # Errors
/// The city wants user and password and the customer has none.
pub fn build(
    ctx: &Context,
    options: &Options,
    service: Service,
    message: &str,
) -> Result<Request, Failure> {
    let body = body(options, service, message)?;
    let namespaces = [(PREFIX, options.soap_namespace.as_str())];
    let envelope = soap::envelope(options.soap, &namespaces, None, &body);
    let action = options
        .soap_action
        .replace("{metodo}", &method(options, service));
    let endpoint = if ctx.has_endpoint(service.endpoint()) {
        service.endpoint()
    } else {
        "nfse"
    };
    let mut request = Request::post(service.method(), service.effect(), endpoint, "");
    if let Some(value) = options.soap.action_header(&action) {
        request = request.header("SOAPAction", &value);
    }
    request = request.body(&options.soap.content_type(&action), envelope);
    if options.certificado_tls {
        request = request.client_certificate();
    }
    Ok(request)
}

/// The operation as `{metodo}` and, without its suffix, as an element.
fn method(options: &Options, service: Service) -> String {
    let name = service.method();
    match (options.style, name.split_at_checked(1)) {
        (Style::Camel, Some((first, rest))) => {
            format!("{}{rest}", first.to_ascii_lowercase())
        }
        _ => name.to_owned(),
    }
}

fn body(options: &Options, service: Service, message: &str) -> Result<String, Failure> {
    let suffix = if options.style == Style::Request {
        "Request"
    } else {
        ""
    };
    let operation = format!("{PREFIX}:{}{suffix}", method(options, service));
    let credentials = if options.credentials {
        Some(credentials()?)
    } else {
        None
    };
    let mut w = Writer::new();
    w.open(&operation, &[]);
    match options.header {
        // The message is the operation's own content.
        None if options.envelope == Wrapper::Raw => {
            w.raw(&options.envelope.wrap(message));
        }
        header => {
            if let Some(form) = header {
                let content = form.wrap(&header_text(options));
                parameter(&mut w, options, &options.header_parameter, &content);
            }
            let content = options.envelope.wrap(message);
            parameter(&mut w, options, &options.data_parameter, &content);
        }
    }
    if let Some((user, password)) = credentials {
        // Placeholders: the host writes the values while it sends.
        w.group("username", &[], |w| {
            w.raw(&user);
        });
        w.group("password", &[], |w| {
            w.raw(&password);
        });
    }
    Ok(w.finish())
}

fn parameter(w: &mut Writer, options: &Options, name: &str, content: &str) {
    let name = if options.qualified_parameters {
        format!("{PREFIX}:{name}")
    } else {
        name.to_owned()
    };
    w.group(&name, &[], |w| {
        w.raw(content);
    });
}

/// `cabecalho` with the version of the data.
fn header_text(options: &Options) -> String {
    let mut w = Writer::new();
    let version = options.header_version.as_str();
    let namespace = options.namespace_of("cabecalho");
    w.group(
        "cabecalho",
        &[("xmlns", &namespace), ("versao", version)],
        |w| {
            w.leaf("versaoDados", version);
        },
    );
    w.finish()
}

/// # Errors
/// One of the two secrets does not exist.
fn credentials() -> Result<(String, String), Failure> {
    let segredo = |name| host::secret(name, Encoding::XmlText);
    match (segredo("usuario"), segredo("senha")) {
        (Some(user), Some(password)) => Ok((user, password)),
        _ => Err(Failure::credentials(vec![Mensagem::new(
            "",
            "A prefeitura exige usuário e senha do webservice.",
        )])),
    }
}
