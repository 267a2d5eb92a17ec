//! Events of fiscal documents: what they are called and who makes them.

use crate::table::Tabela;

static TABELA: Tabela<Evento> = Tabela::new(include_str!("../../tables/eventos.tsv"), |c| {
    Some(Evento {
        modelo: c.numero()?,
        tipo: c.numero()?,
        autor: c.texto()?,
        descricao: c.texto()?,
        regra: c.texto()?,
    })
});

/// A type of event of a model.
#[derive(Debug, PartialEq, Eq)]
pub struct Evento {
    /// 55, 65, 57, 58.
    pub modelo: u8,
    /// `tpEvento`, six digits.
    pub tipo: u32,
    /// Who signs it, in words.
    pub autor: &'static str,
    /// `descEvento` as the schema fixes it; CT-e and MDF-e and a few of NF-e
    /// carry no accents.
    pub descricao: &'static str,
    /// Limits and oddities, in words; may be empty.
    pub regra: &'static str,
}

/// The event of a type for a model.
pub fn get(modelo: u8, tipo: u32) -> Option<&'static Evento> {
    TABELA.busca(|linha| (linha.modelo, linha.tipo).cmp(&(modelo, tipo)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        crate::table::confere(&TABELA, |linha| (linha.modelo, linha.tipo));
        assert_eq!(
            get(55, 110_111).map(|row| row.descricao),
            Some("Cancelamento")
        );
        assert!(get(65, 110_110).is_none(), "an NFC-e has no CC-e");
        let da_nfe = TABELA.linhas().iter().filter(|linha| linha.modelo == 55);
        assert!(da_nfe.count() > 40);
    }
}
