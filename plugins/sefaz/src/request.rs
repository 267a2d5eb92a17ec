//! The HTTP request around a message.

use crate::options::Options;
use crate::service::Service;
use sdk::soap;
use sdk::xml::Writer;
use sdk::{Ambiente, Context, Encoding, Failure, Request, host};

/// Namespace of the messages of NF-e and NFC-e.
pub const NAMESPACE: &str = "http://www.portalfiscal.inf.br/nfe";
/// Secret under which the host keeps the signed document.
const DOCUMENTO: &str = "documento";
/// versaoDados of nfeCabecMsg, where an authorizer still reads it.
const HEADER_VERSION: &str = "4.00";

/// The SOAP request that carries a message.
///
/// # Errors
/// The registry has no such service for this call.
pub fn build(
    ctx: &Context,
    options: &Options,
    service: Service,
    message: &str,
) -> Result<Request, Failure> {
    let endpoint = service.endpoint();
    if !ctx.has_endpoint(endpoint) {
        return Err(Failure::not_supported(&format!(
            "O autorizador não tem o serviço {endpoint}."
        )));
    }
    let namespace = format!("{}{}", options.namespace_wsdl, service.name(options));
    let action = format!("{namespace}/{}", service.method(options));
    let data = |w: &mut Writer, namespace: &[(&str, &str)]| {
        w.group("nfeDadosMsg", namespace, |w| {
            w.raw(message);
        });
    };
    let mut w = Writer::new();
    match service.wrapper(options) {
        Some(name) => {
            w.group(name, &[("xmlns", &namespace)], |w| data(w, &[]));
        }
        None => data(&mut w, &[("xmlns", &namespace)]),
    }
    let header = options.header.then(|| header(ctx, &namespace));
    let envelope = soap::envelope(options.soap, &[], header.as_deref(), &w.finish());
    let mut request = Request::post(service.method(options), service.effect(), endpoint, "");
    if let Some(value) = options.soap.action_header(&action) {
        request = request.header("SOAPAction", &value);
    }
    Ok(request
        .body(&options.soap.content_type(&action), envelope)
        .client_certificate())
}

/// nfeCabecMsg of the layouts before 4.00.
fn header(ctx: &Context, namespace: &str) -> String {
    let mut w = Writer::new();
    w.group("nfeCabecMsg", &[("xmlns", namespace)], |w| {
        let uf = ctx.uf.as_deref().and_then(crate::ids::uf_code);
        w.optional("cUF", uf.map(|uf| uf.to_string()).as_deref());
        w.leaf("versaoDados", HEADER_VERSION);
    });
    w.finish()
}

/// Where the signed document goes: the host writes it there while it sends
/// (docs/decisions/0005).
///
/// # Errors
/// The host has no document for this call.
pub fn documento() -> Result<String, Failure> {
    host::secret(DOCUMENTO, Encoding::Plain)
        .ok_or_else(|| Failure::other("o documento assinado não acompanha a chamada"))
}

/// tpAmb.
pub fn tp_amb(ctx: &Context) -> &'static str {
    match ctx.ambiente {
        Ambiente::Producao => "1",
        Ambiente::Homologacao => "2",
    }
}

/// A message with the namespace of the layout and its version.
pub fn message(name: &str, version: &str, inside: impl FnOnce(&mut Writer)) -> String {
    let mut w = Writer::new();
    w.group(name, &[("xmlns", NAMESPACE), ("versao", version)], inside);
    w.finish()
}
