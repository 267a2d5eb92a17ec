//! The options of an authorizer, read once per step.

use crate::description::QUERY_INTERVAL_MS;
use crate::family::Family;
use sdk::soap::Version;
use sdk::{Context, Failure};

/// Shortest and longest first interval between two queries.
const INTERVAL_MS: (u64, u64) = (1, 600_000);

/// All options of `describe`, typed.
#[derive(Clone, Debug)]
pub struct Options {
    pub soap: Version,
    pub header: bool,
    pub namespace_wsdl: String,
    pub event_service: String,
    pub return_method: String,
    pub registration_method: String,
    /// The method is an element around the data.
    pub wrapped_registration: bool,
    pub interval_ms: u64,
    /// The authority refuses a second copy of a document by itself.
    pub refuses_duplicates: bool,
}

impl Options {
    /// # Errors
    /// The registry gives a value that `describe` does not accept.
    pub fn read(ctx: &Context, family: &Family) -> Result<Self, Failure> {
        let choice = |name: &str, accepted: [&str; 2]| match ctx.option(name) {
            None => Ok(accepted[0].to_owned()),
            Some(value) if accepted.contains(&value) => Ok(value.to_owned()),
            Some(value) => Err(Failure::other(&format!("opção {name} com valor {value}"))),
        };
        let soap = choice("soap", ["1.2", "1.1"])?;
        let registration = choice("cadastro_envelope", ["dados", "metodo"])?;
        let namespace = ctx.option("namespace_wsdl").unwrap_or(family.wsdl);
        let interval = ctx.option_u64("intervalo_consulta_ms", QUERY_INTERVAL_MS);
        Ok(Options {
            soap: if soap == "1.1" {
                Version::V11
            } else {
                Version::V12
            },
            header: ctx.option_flag("cabecalho", family.header.is_some()),
            namespace_wsdl: namespace.to_owned(),
            event_service: choice(
                "servico_evento",
                ["NFeRecepcaoEvento4", "NFeRecepcaoEvento"],
            )?,
            return_method: choice(
                "metodo_retorno",
                ["nfeRetAutorizacaoLote", "nfeRetAutorizacao"],
            )?,
            registration_method: choice(
                "metodo_cadastro",
                ["consultaCadastro", "consultaCadastro4"],
            )?,
            wrapped_registration: registration == "metodo",
            interval_ms: interval.clamp(INTERVAL_MS.0, INTERVAL_MS.1),
            refuses_duplicates: ctx.option_flag("recusa_duplicata", false),
        })
    }
}
