//! Product codes of the ANP (SIMP), which a note of fuels names in `cProdANP`.

use super::fields::{Column, digits, required, told};
use super::item;
use super::named::Table;
use crate::formats::Item;

#[derive(Default)]
pub(super) struct Anp;

impl Table for Anp {
    const COLUMNS: &'static [Column] = &[
        required(&[
            "codigo",
            "codigodoproduto",
            "codigoproduto",
            "codproduto",
            "codigosimp",
            "codigodoprodutosimp",
            "codigoanp",
            "cprodanp",
        ]),
        required(&[
            "descricao",
            "descricaodoproduto",
            "descricaoproduto",
            "descprod",
            "descanp",
            "nomedoproduto",
            "produto",
        ]),
    ];

    fn row<'f>(&mut self, field: &dyn Fn(usize) -> &'f str) -> Result<Item, String> {
        let [code, text] = [0, 1].map(field);
        let code = digits("código", code, 9)?;
        item("anp", &[code, told("descrição", text)?])
    }
}
