//! The HTTP request around a message.

use crate::options::{Estilo, Opcoes};
use crate::service::Servico;
use sdk::soap::{self, Wrapper};
use sdk::xml::Writer;
use sdk::{Context, Encoding, Failure, Mensagem, Request, host};

/// Prefix of the SOAP operation.
const PREFIXO: &str = "nfse";

/// The SOAP request that carries a message.
///
/// # Errors
/// The city wants user and password and the customer has none.
pub fn montar(
    ctx: &Context,
    opcoes: &Opcoes,
    servico: Servico,
    mensagem: &str,
) -> Result<Request, Failure> {
    let corpo = corpo(opcoes, servico, mensagem)?;
    let namespaces = [(PREFIXO, opcoes.soap_namespace.as_str())];
    let envelope = soap::envelope(opcoes.soap, &namespaces, None, &corpo);
    let acao = opcoes
        .soap_action
        .replace("{metodo}", &metodo(opcoes, servico));
    let endpoint = if ctx.has_endpoint(servico.endpoint()) {
        servico.endpoint()
    } else {
        "nfse"
    };
    let mut request = Request::post(servico.metodo(), servico.efeito(), endpoint, "");
    if let Some(valor) = opcoes.soap.action_header(&acao) {
        request = request.header("SOAPAction", &valor);
    }
    request = request.body(&opcoes.soap.content_type(&acao), envelope);
    if opcoes.certificado_tls {
        request = request.client_certificate();
    }
    Ok(request)
}

/// The operation as `{metodo}` and, without its suffix, as an element.
fn metodo(opcoes: &Opcoes, servico: Servico) -> String {
    let nome = servico.metodo();
    match (opcoes.estilo, nome.split_at_checked(1)) {
        (Estilo::Camel, Some((primeira, resto))) => {
            format!("{}{resto}", primeira.to_ascii_lowercase())
        }
        _ => nome.to_owned(),
    }
}

fn corpo(opcoes: &Opcoes, servico: Servico, mensagem: &str) -> Result<String, Failure> {
    let sufixo = if opcoes.estilo == Estilo::Request {
        "Request"
    } else {
        ""
    };
    let operacao = format!("{PREFIXO}:{}{sufixo}", metodo(opcoes, servico));
    let credenciais = if opcoes.credenciais {
        Some(credenciais()?)
    } else {
        None
    };
    let mut w = Writer::new();
    w.open(&operacao, &[]);
    match opcoes.cabecalho {
        // The message is the operation's own content.
        None if opcoes.envelope == Wrapper::Raw => {
            w.raw(&opcoes.envelope.wrap(mensagem));
        }
        cabecalho => {
            if let Some(forma) = cabecalho {
                let conteudo = forma.wrap(&texto_cabecalho(opcoes));
                parametro(&mut w, opcoes, &opcoes.parametro_cabecalho, &conteudo);
            }
            let conteudo = opcoes.envelope.wrap(mensagem);
            parametro(&mut w, opcoes, &opcoes.parametro_dados, &conteudo);
        }
    }
    if let Some((usuario, senha)) = credenciais {
        // Placeholders: the host writes the values while it sends.
        w.group("username", &[], |w| {
            w.raw(&usuario);
        });
        w.group("password", &[], |w| {
            w.raw(&senha);
        });
    }
    Ok(w.finish())
}

fn parametro(w: &mut Writer, opcoes: &Opcoes, nome: &str, conteudo: &str) {
    let nome = if opcoes.parametros_qualificados {
        format!("{PREFIXO}:{nome}")
    } else {
        nome.to_owned()
    };
    w.group(&nome, &[], |w| {
        w.raw(conteudo);
    });
}

/// `cabecalho` with the version of the data.
fn texto_cabecalho(opcoes: &Opcoes) -> String {
    let mut w = Writer::new();
    let versao = opcoes.versao_cabecalho.as_str();
    let namespace = opcoes.namespace_de("cabecalho");
    w.group(
        "cabecalho",
        &[("xmlns", &namespace), ("versao", versao)],
        |w| {
            w.leaf("versaoDados", versao);
        },
    );
    w.finish()
}

/// # Errors
/// One of the two secrets does not exist.
fn credenciais() -> Result<(String, String), Failure> {
    let segredo = |nome| host::secret(nome, Encoding::XmlText);
    match (segredo("usuario"), segredo("senha")) {
        (Some(usuario), Some(senha)) => Ok((usuario, senha)),
        _ => Err(Failure::credentials(vec![Mensagem::new(
            "",
            "A prefeitura exige usuário e senha do webservice.",
        )])),
    }
}
