//! CFOP.

use super::CodeTable;
use data::cfop::{self, Reach};
use data::search::Found;
use schemars::JsonSchema;
use serde::Serialize;
use time::Date;

pub(super) struct Cfop;

/// Um CFOP.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodigoCfop")]
pub(super) struct CfopOut {
    /// Quatro dígitos.
    codigo: String,
    /// Com ponto, como 5.102.
    codigo_formatado: String,
    descricao: &'static str,
    sentido: Direction,
    alcance: Extent,
    /// Devolução: a nota tem finalidade 4.
    devolucao: bool,
    /// Combustíveis e lubrificantes: o item leva o grupo de combustível.
    combustivel: bool,
    /// Transporte, comunicação ou serviço.
    servico: bool,
}

/// Para onde vai a mercadoria.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SentidoDoCfop")]
#[serde(rename_all = "snake_case")]
enum Direction {
    Entrada,
    Saida,
}

/// Onde está a outra parte.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AlcanceDoCfop")]
#[serde(rename_all = "snake_case")]
enum Extent {
    Interna,
    Interestadual,
    Exterior,
}

impl CodeTable for Cfop {
    type Row = cfop::Cfop;
    type Out = CfopOut;
    const TABLE: &'static str = "cfop";
    const GET: &'static str = "Mostra um CFOP; grátis se não existe.";
    const LIST: &'static str =
        "Busca CFOP, pelo texto ou pelo começo do código; grátis sem resultado.";

    fn get(code: &str) -> Option<&'static cfop::Cfop> {
        cfop::by_text(code)
    }

    fn search(words: &str, limit: usize) -> Found<'static, cfop::Cfop> {
        cfop::search(words, limit)
    }

    fn shown(row: &'static cfop::Cfop, _: Date) -> CfopOut {
        CfopOut {
            codigo: row.codigo.to_string(),
            codigo_formatado: format!("{}.{:03}", row.codigo / 1000, row.codigo % 1000),
            descricao: row.title,
            sentido: if row.is_entrada() {
                Direction::Entrada
            } else {
                Direction::Saida
            },
            alcance: match row.reach() {
                Reach::Internal => Extent::Interna,
                Reach::Interstate => Extent::Interestadual,
                Reach::Exterior => Extent::Exterior,
            },
            devolucao: row.is_return(),
            combustivel: row.is_fuel(),
            servico: row.is_service(),
        }
    }
}
