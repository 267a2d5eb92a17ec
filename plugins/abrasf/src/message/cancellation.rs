//! `CancelarNfseEnvio` and the request inside it.

use super::tags::Tags;
use crate::message::fields::Campos;
use crate::message::provider;
use crate::message::signature;
use crate::options::Opcoes;
use crate::service::Servico;
use sdk::nfse::{Cancelamento, MotivoCancelamento, NotaRef};
use sdk::{Context, Failure};

/// Id of the signed request.
const ID: &str = "cancelamento";

/// The message, signed.
///
/// # Errors
/// The note's number is missing, the reason has no code, or nothing can be
/// signed.
pub fn montar(opcoes: &Opcoes, ctx: &Context, pedido: &Cancelamento) -> Result<String, Failure> {
    let mut campos = Campos::default();
    let codigo = codigo_motivo(pedido.codigo_motivo, &mut campos);
    let mut t = Tags::raiz(opcoes, &Servico::Cancelar.envio());
    t.grupo_mensagem("Pedido", &[], |t| {
        self::pedido(t, opcoes, ctx, &pedido.documento, codigo, ID, &mut campos);
    });
    let xml = campos.resultado(t.fim())?;
    if opcoes.assina.cancelamento {
        return signature::elemento(opcoes, &xml, ID);
    }
    Ok(xml)
}

/// Codes of `CodigoCancelamento`; 3 (signature) and 5 (processing) are the
/// city's own.
fn codigo_motivo(motivo: MotivoCancelamento, campos: &mut Campos) -> &'static str {
    match motivo {
        MotivoCancelamento::ErroEmissao => "1",
        MotivoCancelamento::ServicoNaoPrestado => "2",
        MotivoCancelamento::Duplicidade => "4",
        MotivoCancelamento::Outros => {
            campos.erro(
                "codigo_motivo",
                "sem_equivalente",
                "A prefeitura aceita erro_emissao, servico_nao_prestado ou duplicidade.",
            );
            ""
        }
    }
}

/// `InfPedidoCancelamento`.
pub fn pedido(
    t: &mut Tags,
    opcoes: &Opcoes,
    ctx: &Context,
    nota: &NotaRef,
    codigo: &str,
    id: &str,
    campos: &mut Campos,
) {
    let numero = numero(nota.numero.as_deref(), campos);
    let municipio = match &ctx.municipio {
        Some(municipio) => format!("{:07}", municipio.codigo),
        None => {
            campos.erro("municipio", "obrigatorio", "Falta o município do emitente.");
            String::new()
        }
    };
    t.grupo("InfPedidoCancelamento", &[(&opcoes.atributo_id, id)], |t| {
        t.grupo("IdentificacaoNfse", &[], |t| {
            t.folha("Numero", &numero);
            provider::identificacao(t, opcoes.versao, &ctx.emitente, campos);
            t.folha("CodigoMunicipio", &municipio);
        });
        t.folha("CodigoCancelamento", codigo);
    });
}

/// Number of a note, up to fifteen digits.
pub fn numero(numero: Option<&str>, campos: &mut Campos) -> String {
    let numero = campos.texto("documento.numero", numero, 15);
    if !numero.bytes().all(|b| b.is_ascii_digit()) {
        campos.erro(
            "documento.numero",
            "formato",
            "O número da NFS-e tem só dígitos.",
        );
    }
    numero
}
