//! CEST: goods that may be under tax substitution, by segment. The table is of
//! mid 2019: a code that is not here may exist, one that is here may be gone.

use crate::table::Tabela;

static TABELA: Tabela<Cest> = Tabela::new(include_str!("../../tables/cest.tsv"), |c| {
    Some(Cest {
        codigo: c.texto()?,
        ncm: c.palavras()?,
        descricao: c.texto()?,
    })
});

static SEGMENTOS: Tabela<(&str, &str)> =
    Tabela::new(include_str!("../../tables/cest_segmentos.tsv"), |c| {
        Some((c.texto()?, c.texto()?))
    });

/// An item of Convênio ICMS 142/2018.
#[derive(Debug, PartialEq, Eq)]
pub struct Cest {
    /// Seven digits.
    pub codigo: &'static str,
    /// Prefixes of NCM the item names; none when it names no code.
    pub ncm: Vec<&'static str>,
    pub descricao: &'static str,
}

impl Cest {
    /// Two digits: 01 autopeças, 03 bebidas…
    pub fn segmento(&self) -> &'static str {
        self.codigo.get(..2).unwrap_or_default()
    }

    pub fn nome_segmento(&self) -> &'static str {
        let segmento = self.segmento();
        SEGMENTOS
            .busca(|linha| linha.0.cmp(segmento))
            .map_or("", |linha| linha.1)
    }

    /// Does the item name this NCM (or a heading of it)?
    pub fn abrange(&self, ncm: &str) -> bool {
        self.ncm.iter().any(|prefixo| ncm.starts_with(prefixo))
    }
}

/// The row of seven digits.
pub fn get(codigo: &str) -> Option<&'static Cest> {
    TABELA.busca(|linha| linha.codigo.cmp(codigo))
}

/// Items that name an NCM: what a product may be, for a person to choose.
pub fn por_ncm(ncm: &str) -> Vec<&'static Cest> {
    todos().iter().filter(|cest| cest.abrange(ncm)).collect()
}

/// All rows, by code.
pub fn todos() -> &'static [Cest] {
    TABELA.linhas()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::confere(&TABELA, |linha| linha.codigo), 983);
        crate::table::confere(&SEGMENTOS, |linha| linha.0);
        for cest in todos() {
            assert!(
                cest.codigo.len() == 7 && !cest.nome_segmento().is_empty(),
                "{cest:?}"
            );
        }
    }

    #[test]
    fn an_ncm_leads_to_its_items() {
        assert!(
            por_ncm("38151210")
                .iter()
                .any(|cest| cest.codigo == "0100100")
        );
        assert_eq!(get("0100100").map(Cest::nome_segmento), Some("Autopeças"));
        assert_eq!(get("9999999"), None);
    }
}
