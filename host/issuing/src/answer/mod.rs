//! A document as the API shows it, and the answers that are stored of what is
//! done to one: their types, which the API's document takes its schemas from.

mod alone;
mod event;
mod found;
mod issued;
mod money;
mod outcome;
mod product;
mod received;
mod record;
mod service;
mod success;

use crate::model::{Issued as _, Modelo};
use base::errors::{self, Refusal};
use serde::Serialize;
use serde_json::Value;
use store::DbResult;

pub use alone::{
    FaixaInutilizada, FaixaPedida, FaixaTransmitida, Inutilizacao, Manifestacao,
    ManifestacaoPedida, ManifestacaoRegistrada, ManifestacaoTransmitida, event_alone,
};
pub use event::{
    CancelamentoDeNfse, ComEvento, EventoPedido, EventoRegistrado, EventoTransmitido, NfseVista,
    ProdutoVisto, event,
};
pub use found::{
    Achado, AchadoNaSefaz, Divergencia, EventoNaSefaz, MensagemDaAutoridade, SituacaoVista,
};
pub use issued::{EmTransmissao, Emitida, issued};
pub use money::Reais;
pub use outcome::Resultado;
pub use product::{Nfce, Nfe, NotaDeProduto, PorModelo, nota_de_produto};
pub use received::{EventoRecebido, Recebida, evento_recebido, recebida};
pub use record::{
    AmbienteDaNota, Registrada, Registro, Rejeicao, amount, filled, read, registrada, written,
};
pub use service::Nfse;
pub use success::{CreditosDaChamada, Custo, Success};

/// An answer as it is stored: status and body.
pub type Told = (u16, String);

fn told<B: Serialize>(status: u16, body: Success<B>) -> DbResult<Told> {
    Ok((status, written(&body)?))
}

/// A decimal text as a JSON number with the same digits.
pub fn number(text: &str) -> Value {
    text.parse::<serde_json::Number>()
        .map_or(Value::Null, Value::Number)
}

/// The refusal of a note the authority rejected.
pub fn rejected(nota: &store::tables::notas::NotaRow, reasons: Vec<errors::Rejeicao>) -> Refusal {
    refused(nota.modelo, reasons).nota(&nota.id)
}

/// The refusal of anything an authority rejected.
pub fn refused(modelo: Modelo, reasons: Vec<errors::Rejeicao>) -> Refusal {
    let mut refusal = Refusal::new(modelo.rejeitada());
    if let Some(first) = reasons.first() {
        refusal = refusal.message(format!("{} ({})", first.motivo, first.codigo));
        if !first.correcao.is_empty() {
            refusal = refusal.hint(first.correcao.clone());
        }
    }
    refusal.rejeicao = reasons;
    refusal
}
