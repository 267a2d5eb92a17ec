//! Municipalities by their IBGE code.

use crate::places::ufs::{self, Uf};
use crate::table::Tabela;

static TABELA: Tabela<Municipio> = Tabela::new(include_str!("../../tables/municipios.tsv"), |c| {
    Some(Municipio {
        codigo: c.numero()?,
        utc: c.numero()?,
        nome: c.texto()?,
    })
});

/// A municipality that exists.
#[derive(Debug, PartialEq, Eq)]
pub struct Municipio {
    /// Seven digits.
    pub codigo: u32,
    /// Hours from UTC: some differ from their capital (Fernando de Noronha,
    /// the west of Amazonas).
    pub utc: i8,
    pub nome: &'static str,
}

impl Municipio {
    pub fn uf(&self) -> Option<&'static Uf> {
        ufs::por_codigo(u8::try_from(self.codigo / 100_000).ok()?)
    }
}

/// The municipality of a code.
pub fn get(codigo: u32) -> Option<&'static Municipio> {
    TABELA.busca(|linha| linha.codigo.cmp(&codigo))
}

/// All municipalities, by code.
pub fn todos() -> &'static [Municipio] {
    TABELA.linhas()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::confere(&TABELA, |linha| linha.codigo), 5571);
        assert!(todos().iter().all(|linha| linha.uf().is_some()));
    }

    #[test]
    fn an_island_has_its_own_hour() {
        assert_eq!(get(2_605_459).map(|m| m.utc), Some(-2));
        assert_eq!(get(3_550_308).map(|m| m.utc), Some(-3));
        for uf in &ufs::UFS {
            let capital = |linha: &Municipio| linha.uf() == Some(uf) && linha.utc == uf.utc;
            assert!(todos().iter().any(capital), "{uf:?}");
        }
    }
}
