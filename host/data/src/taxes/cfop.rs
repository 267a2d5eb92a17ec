//! CFOP: what kind of operation an item is.

use crate::table::Tabela;

static TABELA: Tabela<Cfop> = Tabela::new(include_str!("../../tables/cfop.tsv"), |c| {
    Some(Cfop {
        codigo: c.numero()?,
        marcas: c.texto()?,
        titulo: c.texto()?,
    })
});

/// A code of four digits: the first says direction and scope.
#[derive(Debug, PartialEq, Eq)]
pub struct Cfop {
    pub codigo: u16,
    pub titulo: &'static str,
    marcas: &'static str,
}

/// Where the other party is (first digit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ambito {
    /// 1 and 5: `idDest` 1.
    Interna,
    /// 2 and 6: `idDest` 2.
    Interestadual,
    /// 3 and 7: `idDest` 3.
    Exterior,
}

impl Cfop {
    /// Goods come in (1, 2, 3): `tpNF` 0.
    pub fn is_entrada(&self) -> bool {
        self.codigo < 4000
    }

    pub fn ambito(&self) -> Ambito {
        match self.codigo / 1000 {
            1 | 5 => Ambito::Interna,
            2 | 6 => Ambito::Interestadual,
            _ => Ambito::Exterior,
        }
    }

    /// Goods given back ("Devolução de …"): `finNFe` 4.
    pub fn is_devolucao(&self) -> bool {
        self.tem('D')
    }

    /// Undoes a service charged ("Anulação de valor …").
    pub fn is_anulacao(&self) -> bool {
        self.tem('A')
    }

    /// Goods that come back as they went ("Retorno …").
    pub fn is_retorno(&self) -> bool {
        self.tem('R')
    }

    /// Fuels and lubricants: the item needs the group `comb` (rejection 660).
    pub fn is_combustivel(&self) -> bool {
        self.tem('C')
    }

    /// Services: transport, communication, ISSQN.
    pub fn is_servico(&self) -> bool {
        self.tem('V')
    }

    /// The marks were read from the official titles, not from a table of the
    /// authorities.
    fn tem(&self, marca: char) -> bool {
        self.marcas.contains(marca)
    }
}

/// The row of a code.
pub fn get(codigo: u16) -> Option<&'static Cfop> {
    TABELA.busca(|linha| linha.codigo.cmp(&codigo))
}

/// The row of a code written as four digits.
pub fn por_texto(codigo: &str) -> Option<&'static Cfop> {
    let digitos = codigo.len() == 4 && codigo.bytes().all(|b| b.is_ascii_digit());
    digitos.then(|| get(codigo.parse().ok()?)).flatten()
}

/// All rows, by code.
pub fn todos() -> &'static [Cfop] {
    TABELA.linhas()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(crate::table::confere(&TABELA, |linha| linha.codigo), 619);
        for cfop in todos() {
            assert!(matches!(cfop.codigo / 1000, 1..=3 | 5..=7), "{cfop:?}");
        }
    }

    #[test]
    fn a_code_tells_what_it_is() {
        let venda = get(5102).expect("5102");
        assert!(!venda.is_entrada() && venda.ambito() == Ambito::Interna);
        assert!(!venda.is_devolucao() && !venda.is_servico());
        assert!(por_texto("5202").is_some_and(Cfop::is_devolucao));
        assert!(por_texto("1202").is_some_and(|cfop| cfop.is_entrada() && cfop.is_devolucao()));
        assert!(por_texto("5656").is_some_and(Cfop::is_combustivel));
        assert!(por_texto("5933").is_some_and(Cfop::is_servico));
        assert_eq!(por_texto("+102"), None);
        assert_eq!(get(9999), None);
    }
}
