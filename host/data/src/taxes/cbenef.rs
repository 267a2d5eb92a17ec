//! Codes of tax benefit (cBenef). Only São Paulo publishes its table in a form
//! that is kept here; others are taken as they come.

use crate::table::Tabela;

static SP: Tabela<Beneficio> = Tabela::new(include_str!("../../tables/cbenef.tsv"), |c| {
    Some(Beneficio {
        codigo: c.texto()?,
        cst: c.palavras()?,
        descricao: c.texto()?,
        legislacao: c.texto()?,
        observacao: c.texto()?,
    })
});

/// A benefit and the CST of ICMS it goes with.
#[derive(Debug, PartialEq, Eq)]
pub struct Beneficio {
    /// Eight characters, or `SEM CBENEF`.
    pub codigo: &'static str,
    pub cst: Vec<&'static str>,
    pub descricao: &'static str,
    pub legislacao: &'static str,
    pub observacao: &'static str,
}

/// Is the state's table here? Without one nothing can be said about a code.
pub fn tem_tabela(uf: &str) -> bool {
    uf == "SP"
}

/// The row of a code in the table of a state.
pub fn get(uf: &str, codigo: &str) -> Option<&'static Beneficio> {
    if !tem_tabela(uf) {
        return None;
    }
    SP.busca(|linha| linha.codigo.cmp(codigo))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::confere(&SP, |linha| linha.codigo), 310);
        let sem = get("SP", "SEM CBENEF").expect("SEM CBENEF");
        assert!(sem.cst.contains(&"40") && !sem.cst.contains(&"00"));
        assert_eq!(get("RJ", "SEM CBENEF"), None);
    }
}
