//! The HTTP request around a message.

use crate::options::Opcoes;
use crate::service::Servico;
use sdk::soap;
use sdk::xml::Writer;
use sdk::{Ambiente, Context, Encoding, Failure, Request, host};

/// Namespace of the messages of NF-e and NFC-e.
pub const NAMESPACE: &str = "http://www.portalfiscal.inf.br/nfe";
/// Secret under which the host keeps the signed document.
const DOCUMENTO: &str = "documento";
/// versaoDados of nfeCabecMsg, where an authorizer still reads it.
const VERSAO_CABECALHO: &str = "4.00";

/// The SOAP request that carries a message.
///
/// # Errors
/// The registry has no such service for this call.
pub fn montar(
    ctx: &Context,
    opcoes: &Opcoes,
    servico: Servico,
    mensagem: &str,
) -> Result<Request, Failure> {
    let endpoint = servico.endpoint();
    if !ctx.has_endpoint(endpoint) {
        return Err(Failure::not_supported(&format!(
            "O autorizador não tem o serviço {endpoint}."
        )));
    }
    let namespace = format!("{}{}", opcoes.namespace_wsdl, servico.nome(opcoes));
    let acao = format!("{namespace}/{}", servico.metodo(opcoes));
    let dados = |w: &mut Writer, namespace: &[(&str, &str)]| {
        w.group("nfeDadosMsg", namespace, |w| {
            w.raw(mensagem);
        });
    };
    let mut w = Writer::new();
    match servico.envoltorio(opcoes) {
        Some(nome) => {
            w.group(nome, &[("xmlns", &namespace)], |w| dados(w, &[]));
        }
        None => dados(&mut w, &[("xmlns", &namespace)]),
    }
    let cabecalho = opcoes.cabecalho.then(|| cabecalho(ctx, &namespace));
    let envelope = soap::envelope(opcoes.soap, &[], cabecalho.as_deref(), &w.finish());
    let mut request = Request::post(servico.metodo(opcoes), servico.efeito(), endpoint, "");
    if let Some(valor) = opcoes.soap.action_header(&acao) {
        request = request.header("SOAPAction", &valor);
    }
    Ok(request
        .body(&opcoes.soap.content_type(&acao), envelope)
        .client_certificate())
}

/// nfeCabecMsg of the layouts before 4.00.
fn cabecalho(ctx: &Context, namespace: &str) -> String {
    let mut w = Writer::new();
    w.group("nfeCabecMsg", &[("xmlns", namespace)], |w| {
        let uf = ctx.uf.as_deref().and_then(crate::ids::codigo_da_sigla);
        w.optional("cUF", uf.map(|uf| uf.to_string()).as_deref());
        w.leaf("versaoDados", VERSAO_CABECALHO);
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
pub fn mensagem(nome: &str, versao: &str, dentro: impl FnOnce(&mut Writer)) -> String {
    let mut w = Writer::new();
    w.group(nome, &[("xmlns", NAMESPACE), ("versao", versao)], dentro);
    w.finish()
}
