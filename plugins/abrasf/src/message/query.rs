//! The queries: by RPS, by protocol and by number.

use super::tags::Tags;
use crate::message::fields::Campos;
use crate::message::{provider, signature};
use crate::options::Opcoes;
use crate::service::Servico;
use sdk::{Context, Failure};

/// A declaration to look for.
#[derive(Clone, Debug, PartialEq)]
pub struct Rps {
    pub serie: String,
    pub numero: u64,
}

/// `ConsultarNfseRpsEnvio`.
///
/// # Errors
/// The query cannot be signed, or the emitter does not fit the layout.
pub fn por_rps(opcoes: &Opcoes, ctx: &Context, rps: &Rps) -> Result<String, Failure> {
    let mut campos = Campos::default();
    let serie = campos.texto("identificacao.serie", Some(&rps.serie), 5);
    let mut t = Tags::raiz(opcoes, &Servico::ConsultarRps.envio());
    t.grupo_mensagem("IdentificacaoRps", &[], |t| {
        t.folha("Numero", &rps.numero.to_string());
        t.folha("Serie", &serie);
        // 1: an RPS, the only kind the hub declares.
        t.folha("Tipo", "1");
    });
    consulente(&mut t, opcoes, ctx, &mut campos);
    fechar(opcoes, t, campos)
}

/// `ConsultarLoteRpsEnvio` or `ConsultarSituacaoLoteRpsEnvio`.
///
/// # Errors
/// As [`por_rps`].
pub fn por_protocolo(
    opcoes: &Opcoes,
    ctx: &Context,
    servico: Servico,
    protocolo: &str,
) -> Result<String, Failure> {
    let mut campos = Campos::default();
    let protocolo = campos.texto("protocolo", Some(protocolo), 50);
    let mut t = Tags::raiz(opcoes, &servico.envio());
    consulente(&mut t, opcoes, ctx, &mut campos);
    t.folha_mensagem("Protocolo", &protocolo);
    fechar(opcoes, t, campos)
}

/// The query by number; [`servico_por_numero`] takes it.
///
/// # Errors
/// As [`por_rps`].
pub fn por_numero(opcoes: &Opcoes, ctx: &Context, numero: &str) -> Result<String, Failure> {
    let mut campos = Campos::default();
    let numero = crate::message::cancellation::numero(Some(numero), &mut campos);
    let mut t = Tags::raiz(opcoes, &servico_por_numero(opcoes).envio());
    consulente(&mut t, opcoes, ctx, &mut campos);
    t.folha_mensagem("NumeroNfse", &numero);
    if !opcoes.versao.primeira() {
        t.folha_mensagem("Pagina", "1");
    }
    fechar(opcoes, t, campos)
}

/// The service that answers by number in this version.
pub fn servico_por_numero(opcoes: &Opcoes) -> Servico {
    if opcoes.versao.primeira() {
        Servico::ConsultarNfse
    } else {
        Servico::ConsultarPrestado
    }
}

fn consulente(t: &mut Tags, opcoes: &Opcoes, ctx: &Context, campos: &mut Campos) {
    t.grupo_mensagem("Prestador", &[], |t| {
        provider::identificacao(t, opcoes.versao, &ctx.emitente, campos);
    });
}

fn fechar(opcoes: &Opcoes, t: Tags, campos: Campos) -> Result<String, Failure> {
    let xml = campos.resultado(t.fim())?;
    if opcoes.assina.consulta {
        return signature::mensagem(opcoes, &xml);
    }
    Ok(xml)
}
