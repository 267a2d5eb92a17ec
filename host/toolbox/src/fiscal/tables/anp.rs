//! Product codes of fuels.

use super::CodeTable;
use data::anp::{self, Product};
use data::search::Found;
use schemars::JsonSchema;
use serde::Serialize;
use time::Date;

pub(super) struct Anp;

/// Um código de produto da ANP (`cProdANP`).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodigoAnp")]
pub(super) struct AnpOut {
    /// Nove dígitos.
    codigo: String,
    /// O texto que `descANP` repete na nota.
    descricao: &'static str,
}

impl CodeTable for Anp {
    type Row = Product;
    type Out = AnpOut;
    const TABLE: &'static str = "anp";
    const GET: &'static str = "Mostra um código de produto da ANP; grátis se não está na tabela; a embutida é uma parte da oficial.";
    const LIST: &'static str = "Busca códigos de produto da ANP, pelo texto ou pelo começo do código; grátis sem resultado.";

    fn get(code: &str) -> Option<&'static Product> {
        anp::get(code).filter(|_| code.len() == 9)
    }

    fn search(words: &str, limit: usize) -> Found<'static, Product> {
        anp::search(words, limit)
    }

    fn shown(row: &'static Product, _: Date) -> AnpOut {
        AnpOut {
            codigo: format!("{:09}", row.codigo),
            descricao: row.description,
        }
    }
}
