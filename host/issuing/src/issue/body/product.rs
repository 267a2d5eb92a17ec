//! A product note that waits for its number.

use super::cents;
use super::number::Template;
use crate::document::product::Details;
use rust_decimal::Decimal;
use store::tables::notas::{NotaRow, Via};
use store::{DbResult, contradiction};

/// What a product note has beside what every document has.
pub struct Product {
    pub template: Template,
    pub details: Details,
    pub autorizador: String,
    pub municipality: String,
    pub value: Decimal,
    pub period: String,
    pub recipient: (String, String),
}

impl Product {
    /// Fills the note's row but for its number.
    ///
    /// # Errors
    /// None in practice: it is plain JSON.
    pub fn describe(&self, row: &mut NotaRow) -> DbResult<()> {
        row.municipio.clone_from(&self.municipality);
        row.via = Via::Sefaz;
        row.sistema.clone_from(&self.autorizador);
        row.competencia.clone_from(&self.period);
        row.valor = format!("{:.2}", self.value);
        row.valor_centavos = cents(self.value);
        (row.tomador_documento, row.tomador_nome) = self.recipient.clone();
        row.detalhes = self.details.to_json()?;
        Ok(())
    }

    /// Puts the number and the key into the row and the document.
    ///
    /// # Errors
    /// The number is none of a note: the sequence is at its end.
    pub fn numbered(&self, row: &mut NotaRow) -> DbResult<()> {
        let numbered = self
            .template
            .numbered(row.numero)
            .ok_or_else(|| contradiction("number of a note", &row.id))?;
        row.chave = numbered.chave;
        row.conteudo = numbered.xml;
        if let Some(supplement) = numbered.supplement {
            let details = Details {
                qr_code: supplement.qr_code,
                url_consulta: supplement.url_chave,
                ..self.details.clone()
            };
            row.detalhes = details.to_json()?;
        }
        Ok(())
    }
}
