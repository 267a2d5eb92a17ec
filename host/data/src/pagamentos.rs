//! Forms of payment (`tPag`).

use crate::tabela::Tabela;

static TABELA: Tabela<Forma> = Tabela::new(include_str!("../tables/pagamentos.tsv"), |c| {
    Some(Forma {
        codigo: c.texto()?,
        pede_cartao: c.marca()?,
        descricao: c.texto()?,
    })
});

/// A form of payment.
#[derive(Debug, PartialEq, Eq)]
pub struct Forma {
    /// Two digits.
    pub codigo: &'static str,
    /// The group `card` is expected (rejections 391, 392; second-hand).
    pub pede_cartao: bool,
    pub descricao: &'static str,
}

impl Forma {
    /// `90`: nothing is paid, the amount must be zero (rejection 904).
    pub fn is_sem_pagamento(&self) -> bool {
        self.codigo == "90"
    }

    /// `99`: needs a description of its own (rejection 441).
    pub fn pede_descricao(&self) -> bool {
        self.codigo == "99"
    }
}

/// The form of two digits.
pub fn get(codigo: &str) -> Option<&'static Forma> {
    TABELA.busca(|linha| linha.codigo.cmp(codigo))
}

/// All forms, by code.
pub fn todas() -> &'static [Forma] {
    TABELA.linhas()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::tabela::confere(&TABELA, |linha| linha.codigo), 23);
        assert!(get("03").is_some_and(|forma| forma.pede_cartao));
        assert!(get("90").is_some_and(Forma::is_sem_pagamento));
        assert_eq!(get("88"), None);
    }
}
