//! Fuels: product codes of the ANP (`cProdANP`).

use crate::table::Tabela;

static TABELA: Tabela<Produto> = Tabela::new(include_str!("../../tables/anp.tsv"), |c| {
    Some(Produto {
        codigo: c.numero()?,
        descricao: c.texto()?,
    })
});

/// A product of the ANP. The table is a public subset of 2023: a code that is
/// not here may exist.
#[derive(Debug, PartialEq, Eq)]
pub struct Produto {
    /// Nine digits.
    pub codigo: u32,
    /// What `descANP` must repeat (rejection 347).
    pub descricao: &'static str,
}

/// The row of a code of nine digits.
pub fn get(codigo: &str) -> Option<&'static Produto> {
    let codigo: u32 = codigo.parse().ok()?;
    TABELA.busca(|linha| linha.codigo.cmp(&codigo))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::confere(&TABELA, |linha| linha.codigo), 114);
        assert_eq!(
            get("210101001").map(|row| row.descricao),
            Some("GAS COMBUSTIVEL")
        );
        assert_eq!(get("x"), None);
    }
}
