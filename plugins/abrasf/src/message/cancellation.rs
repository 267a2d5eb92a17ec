//! `CancelarNfseEnvio` and the request inside it.

use super::tags::Tags;
use crate::ids::Kind;
use crate::message::provider;
use crate::message::signature;
use crate::options::Options;
use crate::service::Service;
use rps::Fields;
use sdk::nfse::{Cancelamento, MotivoCancelamento, NotaRef};
use sdk::{Context, Failure};

/// Id of the signed request.
const ID: &str = "cancelamento";

/// The message, signed.
///
/// # Errors
/// The note's number is missing, the reason has no code, or nothing can be
/// signed.
pub fn build(options: &Options, ctx: &Context, request: &Cancelamento) -> Result<String, Failure> {
    let mut fields = Fields::default();
    let codigo = reason_code(request.codigo_motivo, &mut fields);
    let number = request.documento.numero.as_deref().unwrap_or_default();
    let own = options.ids.id(Kind::Cancelamento, ctx, number.trim());
    let id = own.as_deref().unwrap_or(ID);
    let mut t = Tags::root(options, &Service::Cancelar.sending());
    t.message_group("Pedido", &[], |t| {
        self::request(t, options, ctx, &request.documento, codigo, id, &mut fields);
    });
    let xml = options.dialect.apply(fields.result(t.end())?)?;
    if options.signs.cancelamento {
        return signature::element(options, &xml, id, "InfPedidoCancelamento");
    }
    if options.signs.cancelling {
        return signature::message(options, &xml);
    }
    Ok(xml)
}

/// Codes of `CodigoCancelamento`; 3 (signature) and 5 (processing) are the
/// city's own.
fn reason_code(reason: MotivoCancelamento, fields: &mut Fields) -> &'static str {
    match reason {
        MotivoCancelamento::ErroEmissao => "1",
        MotivoCancelamento::ServicoNaoPrestado => "2",
        MotivoCancelamento::Duplicidade => "4",
        MotivoCancelamento::Outros => {
            fields.error(
                "codigo_motivo",
                "sem_equivalente",
                "A prefeitura aceita erro_emissao, servico_nao_prestado ou duplicidade.",
            );
            ""
        }
    }
}

/// `InfPedidoCancelamento`.
pub fn request(
    t: &mut Tags,
    options: &Options,
    ctx: &Context,
    nota: &NotaRef,
    codigo: &str,
    id: &str,
    fields: &mut Fields,
) {
    let number = number(nota.numero.as_deref(), fields);
    let municipality = match &ctx.municipio {
        Some(municipality) => format!("{:07}", municipality.codigo),
        None => {
            fields.error("municipio", "obrigatorio", "Falta o município do emitente.");
            String::new()
        }
    };
    t.group("InfPedidoCancelamento", &options.id(id), |t| {
        t.group("IdentificacaoNfse", &[], |t| {
            t.leaf("Numero", &number);
            provider::identification(t, options.version, &ctx.emitente, fields);
            t.leaf("CodigoMunicipio", &municipality);
        });
        t.leaf("CodigoCancelamento", codigo);
    });
}

/// Number of a note, up to fifteen digits.
pub fn number(number: Option<&str>, fields: &mut Fields) -> String {
    let number = fields.text("documento.numero", number, 15);
    if !number.bytes().all(|b| b.is_ascii_digit()) {
        fields.error(
            "documento.numero",
            "formato",
            "O número da NFS-e tem só dígitos.",
        );
    }
    number
}
