//! A product note that waits for its number.

use super::centavos;
use super::number::Molde;
use crate::document::product::Detalhes;
use rust_decimal::Decimal;
use store::tables::notas::{NotaRow, Via};
use store::{DbResult, contradiction};

/// What a product note has beside what every document has.
pub struct Produto {
    pub molde: Molde,
    pub detalhes: Detalhes,
    pub autorizador: String,
    pub municipio: String,
    pub valor: Decimal,
    pub competencia: String,
    pub destinatario: (String, String),
}

impl Produto {
    /// Fills the note's row but for its number.
    ///
    /// # Errors
    /// None in practice: it is plain JSON.
    pub fn describe(&self, row: &mut NotaRow) -> DbResult<()> {
        row.municipio.clone_from(&self.municipio);
        row.via = Via::Sefaz;
        row.sistema.clone_from(&self.autorizador);
        row.competencia.clone_from(&self.competencia);
        row.valor = format!("{:.2}", self.valor);
        row.valor_centavos = centavos(self.valor);
        (row.tomador_documento, row.tomador_nome) = self.destinatario.clone();
        row.detalhes = self.detalhes.to_json()?;
        Ok(())
    }

    /// Puts the number and the key into the row and the document.
    ///
    /// # Errors
    /// The number is none of a note: the sequence is at its end.
    pub fn numbered(&self, row: &mut NotaRow) -> DbResult<()> {
        let numbered = self
            .molde
            .numbered(row.numero)
            .ok_or_else(|| contradiction("number of a note", &row.id))?;
        row.chave = numbered.chave;
        row.conteudo = numbered.xml;
        if let Some(suplemento) = numbered.suplemento {
            let detalhes = Detalhes {
                qr_code: suplemento.qr_code,
                url_consulta: suplemento.url_chave,
                ..self.detalhes.clone()
            };
            row.detalhes = detalhes.to_json()?;
        }
        Ok(())
    }
}
