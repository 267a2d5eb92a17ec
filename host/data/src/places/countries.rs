//! Countries by the code of the Banco Central (`cPais`).

use crate::table::Tabela;

static TABELA: Tabela<Pais> = Tabela::new(include_str!("../../tables/paises.tsv"), |c| {
    Some(Pais {
        codigo: c.numero()?,
        iso: c.opcional()?,
        nome: c.texto()?,
    })
});

/// Brazil's code.
pub const BRASIL: u16 = 1058;

/// A country of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Pais {
    /// Up to four digits.
    pub codigo: u16,
    /// ISO 3166 alpha-2, where known.
    pub iso: Option<&'static str>,
    pub nome: &'static str,
}

/// The row of a code.
pub fn get(codigo: u16) -> Option<&'static Pais> {
    TABELA.busca(|linha| linha.codigo.cmp(&codigo))
}

/// The first row of an ISO code.
pub fn por_iso(iso: &str) -> Option<&'static Pais> {
    todos().iter().find(|pais| pais.iso == Some(iso))
}

/// All rows, by code.
pub fn todos() -> &'static [Pais] {
    TABELA.linhas()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert!(crate::table::confere(&TABELA, |linha| linha.codigo) > 240);
        assert_eq!(get(BRASIL).and_then(|pais| pais.iso), Some("BR"));
        assert_eq!(por_iso("BR").map(|pais| pais.codigo), Some(BRASIL));
        assert_eq!(get(0), None);
    }
}
