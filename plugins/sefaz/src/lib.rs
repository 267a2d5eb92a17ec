//! Adapter of the state authorities for NF-e and NFC-e, services 4.00.
//!
//! One adapter for all authorizers: what differs between them is an option of
//! the registry. The signed document never comes here: the adapter writes the
//! envelope with a placeholder, the host fills it (docs/decisions/0005).
//!
//! A flow sends what changes something at most once (a voiding at most three
//! times, which is the same as once). After a lost answer it asks; what stays
//! unknown ends as may-exist, and the host asks again by `consultar`.

mod autorizacao;
mod cadastro;
mod consulta;
mod conteudo;
mod descricao;
mod distribuicao;
mod envio;
mod evento;
mod ids;
mod inutilizacao;
mod opcoes;
mod requisicao;
mod resposta;
mod servico;
mod status;

use opcoes::Opcoes;
use sdk::{Failure, Flow, Operacao, Outcome};

async fn run(flow: Flow, op: Operacao) -> Outcome {
    let conteudo = &op.conteudo;
    match op.nome.as_str() {
        "autorizar" => autorizacao::autorizar(&flow, conteudo).await,
        "consultar" => consulta::consultar(&flow, conteudo).await,
        "evento" => evento::registrar(&flow, conteudo).await,
        "inutilizar" => inutilizacao::inutilizar(&flow, conteudo).await,
        "status" => status::status(&flow, conteudo).await,
        "cadastro" => cadastro::consultar(&flow, conteudo).await,
        "distribuicao" => distribuicao::buscar(&flow, conteudo).await,
        outra => Err(Failure::not_supported(outra)),
    }
}

/// What every operation has at hand.
struct Chamada<'a> {
    flow: &'a Flow,
    opcoes: Opcoes,
}

impl<'a> Chamada<'a> {
    /// # Errors
    /// The registry gives a value the adapter does not know.
    fn nova(flow: &'a Flow) -> Result<Self, Failure> {
        let opcoes = Opcoes::ler(flow.ctx())?;
        Ok(Chamada { flow, opcoes })
    }
}

sdk::export_sefaz!(descricao::describe, run);
