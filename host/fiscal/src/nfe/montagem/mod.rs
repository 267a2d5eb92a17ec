//! From the request to the tree of `infNFe`.
//!
//! [`validar`] runs before a number is taken and lists everything to correct;
//! what passes it, [`montar`] builds. Both are pure: number, `cNF` and time
//! are given.

mod dados;
mod emitente;

pub use dados::{Ambiente, Contingencia, Dados, Modelo};
pub use emitente::{Emitente, IeSubstituto, Padroes, Regime};

use crate::arvore::Elemento;
use crate::campo::Campo;
use crate::nfe::pedido::Pedido;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// A note that is ready to be written and signed.
#[derive(Clone, Debug, PartialEq)]
pub struct Nota {
    /// `infNFe`, with `versao` and `Id`.
    pub arvore: Elemento,
    /// Access key, 44 positions.
    pub chave: String,
    /// `vNF`, reais.
    pub valor_total: Decimal,
    pub totais: Totais,
    pub avisos: Vec<Aviso>,
}

/// Totals for the answer, reais; the complete ones are in the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totais {
    pub produtos: Decimal,
    pub servicos: Decimal,
    pub desconto: Decimal,
    pub frete: Decimal,
    pub seguro: Decimal,
    pub outras_despesas: Decimal,
    pub icms: Decimal,
    pub icms_st: Decimal,
    pub fcp: Decimal,
    pub difal: Decimal,
    pub ipi: Decimal,
    pub ii: Decimal,
    pub pis: Decimal,
    pub cofins: Decimal,
    pub iss: Decimal,
    pub ibs: Decimal,
    pub cbs: Decimal,
    pub tributos_aproximados: Decimal,
    pub troco: Decimal,
}

/// Something the customer should know, that does not stop the note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aviso {
    /// Path in the request.
    pub campo: String,
    pub mensagem: String,
}

/// Everything that can be known to be wrong before a number is spent.
///
/// Takes masks off the request's identifiers in place, then builds the note
/// with `dados`, whose number, `cNF` and time may be provisional: what passes
/// here cannot fail in [`montar`] for another number.
///
/// # Errors
/// All problems, the most useful first, with paths in the request.
pub fn validar(
    pedido: &mut Pedido,
    emitente: &Emitente,
    dados: &Dados,
    agora: OffsetDateTime,
) -> Result<Nota, Vec<Campo>> {
    let _ = agora;
    montar(pedido, emitente, dados)
}

/// Builds the tree of `infNFe` and its totals.
///
/// # Errors
/// What keeps the tree from being built; nothing for a request that
/// [`validar`] has passed.
pub fn montar(pedido: &Pedido, emitente: &Emitente, dados: &Dados) -> Result<Nota, Vec<Campo>> {
    let _ = (emitente, dados);
    Err(vec![Campo {
        campo: pedido.recebedor().0.to_owned(),
        codigo: "em_construcao".to_owned(),
        mensagem: "A montagem ainda não está pronta.".to_owned(),
        correcao: String::new(),
        valor: None,
    }])
}
