//! The options of an authorizer, read once per step.

use crate::description::{INTERVALO_CONSULTA_MS, NAMESPACE_WSDL};
use sdk::soap::Version;
use sdk::{Context, Failure};

/// Shortest and longest first interval between two queries.
const INTERVALO_MS: (u64, u64) = (1, 600_000);

/// All options of `describe`, typed.
#[derive(Clone, Debug)]
pub struct Opcoes {
    pub soap: Version,
    pub cabecalho: bool,
    pub namespace_wsdl: String,
    pub servico_evento: String,
    pub metodo_retorno: String,
    pub metodo_cadastro: String,
    /// The method is an element around nfeDadosMsg.
    pub cadastro_envolto: bool,
    pub intervalo_ms: u64,
    /// The authority refuses a second copy of a document by itself.
    pub recusa_duplicata: bool,
}

impl Opcoes {
    /// # Errors
    /// The registry gives a value that `describe` does not accept.
    pub fn ler(ctx: &Context) -> Result<Self, Failure> {
        let escolha = |nome: &str, aceitos: [&str; 2]| match ctx.option(nome) {
            None => Ok(aceitos[0].to_owned()),
            Some(valor) if aceitos.contains(&valor) => Ok(valor.to_owned()),
            Some(valor) => Err(Failure::other(&format!("opção {nome} com valor {valor}"))),
        };
        let soap = escolha("soap", ["1.2", "1.1"])?;
        let cadastro = escolha("cadastro_envelope", ["dados", "metodo"])?;
        let namespace = ctx.option("namespace_wsdl").unwrap_or(NAMESPACE_WSDL);
        let intervalo = ctx.option_u64("intervalo_consulta_ms", INTERVALO_CONSULTA_MS);
        Ok(Opcoes {
            soap: if soap == "1.1" {
                Version::V11
            } else {
                Version::V12
            },
            cabecalho: ctx.option_flag("cabecalho", false),
            namespace_wsdl: namespace.to_owned(),
            servico_evento: escolha(
                "servico_evento",
                ["NFeRecepcaoEvento4", "NFeRecepcaoEvento"],
            )?,
            metodo_retorno: escolha(
                "metodo_retorno",
                ["nfeRetAutorizacaoLote", "nfeRetAutorizacao"],
            )?,
            metodo_cadastro: escolha("metodo_cadastro", ["consultaCadastro", "consultaCadastro4"])?,
            cadastro_envolto: cadastro == "metodo",
            intervalo_ms: intervalo.clamp(INTERVALO_MS.0, INTERVALO_MS.1),
            recusa_duplicata: ctx.option_flag("recusa_duplicata", false),
        })
    }
}
