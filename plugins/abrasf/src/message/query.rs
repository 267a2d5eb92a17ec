//! The queries: by RPS, by protocol and by number.

use super::tags::Tags;
use crate::message::{provider, signature};
use crate::options::{NumberQuery, Options};
use crate::service::Service;
use rps::{Fields, Rps};
use sdk::{Context, Failure};

/// `ConsultarNfseRpsEnvio`.
///
/// # Errors
/// The query cannot be signed, or the emitter does not fit the layout.
pub fn by_rps(options: &Options, ctx: &Context, rps: &Rps) -> Result<String, Failure> {
    let mut fields = Fields::default();
    let serie = fields.text("identificacao.serie", Some(&rps.serie), 5);
    let mut t = Tags::root(options, &Service::ConsultarRps.sending());
    t.message_group("IdentificacaoRps", &[], |t| {
        t.leaf("Numero", &rps.number.to_string());
        t.leaf("Serie", &serie);
        // 1: an RPS, the only kind the hub declares.
        t.leaf("Tipo", "1");
    });
    inquirer(&mut t, options, ctx, &mut fields);
    close(options, t, fields)
}

/// `ConsultarLoteRpsEnvio` or `ConsultarSituacaoLoteRpsEnvio`.
///
/// # Errors
/// As [`by_rps`].
pub fn by_protocol(
    options: &Options,
    ctx: &Context,
    service: Service,
    protocol: &str,
) -> Result<String, Failure> {
    let mut fields = Fields::default();
    let protocol = fields.text("protocolo", Some(protocol), 50);
    let mut t = Tags::root(options, &service.sending());
    inquirer(&mut t, options, ctx, &mut fields);
    t.message_leaf("Protocolo", &protocol);
    close(options, t, fields)
}

/// The query by number, of the service that [`service_by_number`] names.
///
/// # Errors
/// As [`by_rps`].
pub fn by_number(
    options: &Options,
    ctx: &Context,
    service: Service,
    number: &str,
) -> Result<String, Failure> {
    let mut fields = Fields::default();
    let number = crate::message::cancellation::number(Some(number), &mut fields);
    let mut t = Tags::root(options, &service.sending());
    inquirer(&mut t, options, ctx, &mut fields);
    if service == Service::QueryRange {
        t.message_group("Faixa", &[], |t| {
            t.leaf("NumeroNfseInicial", &number);
            t.leaf("NumeroNfseFinal", &number);
        });
    } else {
        t.message_leaf("NumeroNfse", &number);
    }
    // 1.00 has no pages.
    if !options.version.first() {
        t.message_leaf("Pagina", "1");
    }
    close(options, t, fields)
}

/// The service that answers by number here; None: the system has none.
pub fn service_by_number(options: &Options) -> Option<Service> {
    match options.number_query {
        NumberQuery::Rendered if options.version.first() => Some(Service::ConsultarNfse),
        NumberQuery::Rendered => Some(Service::QueryRendered),
        NumberQuery::Range => Some(Service::QueryRange),
        NumberQuery::None => None,
    }
}

fn inquirer(t: &mut Tags, options: &Options, ctx: &Context, fields: &mut Fields) {
    t.message_group("Prestador", &[], |t| {
        provider::identification(t, options.version, &ctx.emitente, fields);
    });
}

fn close(options: &Options, t: Tags, fields: Fields) -> Result<String, Failure> {
    let xml = options.dialect.apply(fields.result(t.end())?)?;
    if options.signs.query {
        return signature::message(options, &xml);
    }
    Ok(xml)
}
