//! Product codes of the ANP (SIMP), which a note of fuels names in `cProdANP`.

use super::fields::{Column, Places, digits, required, told};
use super::item;
use crate::ImportError;
use crate::formats::{Columns, Item, Label, Options};

const COLUMNS: [Column; 2] = [
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

#[derive(Default)]
pub(super) struct Format {
    places: Places,
    day: String,
}

impl Format {
    pub(super) fn new(day: &str) -> Format {
        Format {
            day: day.to_owned(),
            ..Format::default()
        }
    }
}

impl Columns for Format {
    fn is_header(&self, names: &[String]) -> bool {
        Places::fit(names, &COLUMNS)
    }

    fn header(
        &mut self,
        file: &str,
        header: &[String],
        _: &Options,
    ) -> Result<String, ImportError> {
        self.places = Places::of(file, header, &COLUMNS)?;
        Ok(String::new())
    }

    fn row(&mut self, fields: &[&str]) -> Result<Item, String> {
        let [code, text] = [0, 1].map(|column| self.places.field(fields, column));
        let code = digits("código", code, 9)?;
        item("anp", &[code, told("descrição", text)?])
    }

    fn label(&mut self) -> Label {
        Label {
            version: self.day.clone(),
            ..Label::default()
        }
    }
}
