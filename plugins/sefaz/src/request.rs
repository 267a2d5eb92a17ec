//! The HTTP request around a message.

use crate::Call;
use crate::family::Family;
use crate::service::Service;
use sdk::soap;
use sdk::xml::Writer;
use sdk::{Ambiente, Context, Encoding, Failure, Request, host};

/// Secret under which the host keeps the signed document.
pub const DOCUMENTO: &str = "documento";
/// The same compressed: gzip in base64.
pub const DOCUMENTO_GZIP: &str = "documento_gzip";
/// Header of the layouts of NF-e before 4.00.
const OLD_HEADER: &str = "nfeCabecMsg";

/// The SOAP request that carries a message.
///
/// # Errors
/// The family has no such service, or the registry none for this call.
pub fn build(call: &Call<'_>, service: Service, message: &str) -> Result<Request, Failure> {
    let (ctx, options, family) = (call.flow.ctx(), &call.options, call.family);
    let names = service.names(family)?;
    let endpoint = service.endpoint();
    if !ctx.has_endpoint(endpoint) {
        return Err(Failure::not_supported(&format!(
            "O autorizador não tem o serviço {endpoint}."
        )));
    }
    let name = service.name(names, family, options);
    let method = service.method(names, options);
    let namespace = format!("{}{name}", options.namespace_wsdl);
    let action = format!("{namespace}/{method}");
    let data = |w: &mut Writer, namespace: &[(&str, &str)]| {
        w.group(family.data, namespace, |w| {
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
    let header = options.header.then(|| header(call, &namespace));
    let envelope = soap::envelope(options.soap, &[], header.as_deref(), &w.finish());
    let mut request = Request::post(method, service.effect(), endpoint, "");
    if let Some(value) = options.soap.action_header(&action) {
        request = request.header("SOAPAction", &value);
    }
    Ok(request
        .body(&options.soap.content_type(&action), envelope)
        .client_certificate())
}

/// The SOAP header: of the MDF-e, and of the layouts of NF-e before 4.00.
fn header(call: &Call<'_>, namespace: &str) -> String {
    let mut w = Writer::new();
    let name = call.family.header.unwrap_or(OLD_HEADER);
    let own = call.flow.ctx().uf.as_deref().and_then(crate::ids::uf_code);
    w.group(name, &[("xmlns", namespace)], |w| {
        let uf = call.uf.or(own).map(|uf| uf.to_string());
        w.optional("cUF", uf.as_deref());
        w.leaf("versaoDados", call.family.version);
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

/// The same for the services that take the document compressed, as the whole
/// message (MOC CT-e 4.00, 4.2; MOC MDF-e 3.00): gzip in base64.
///
/// # Errors
/// The host has no document for this call.
pub fn packed_documento() -> Result<String, Failure> {
    host::secret(DOCUMENTO_GZIP, Encoding::Plain)
        .ok_or_else(|| Failure::other("o documento assinado não acompanha a chamada"))
}

/// tpAmb.
pub fn tp_amb(ctx: &Context) -> &'static str {
    match ctx.ambiente {
        Ambiente::Producao => "1",
        Ambiente::Homologacao => "2",
    }
}

/// A message with the namespace of its family and its version.
pub fn message(
    family: &Family,
    name: &str,
    version: &str,
    inside: impl FnOnce(&mut Writer),
) -> String {
    let mut w = Writer::new();
    let attributes = [("xmlns", family.namespace), ("versao", version)];
    w.group(name, &attributes, inside);
    w.finish()
}
