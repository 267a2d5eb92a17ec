//! Short code tables of the NF-e layout: tax situations, origin of goods, IPI
//! classification, reasons of exemption.

use crate::table::Tabela;

static TABELA: Tabela<Linha> = Tabela::new(include_str!("../../tables/situacoes.tsv"), |c| {
    Some(Linha {
        tabela: c.texto()?,
        situacao: Situacao {
            codigo: c.texto()?,
            sentido: match c.texto()? {
                "e" => Some(Sentido::Entrada),
                "s" => Some(Sentido::Saida),
                "" => None,
                _ => return None,
            },
            descricao: c.texto()?,
        },
    })
});

/// Which code table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codigos {
    /// CST of ICMS, two digits (without the origin).
    Icms,
    /// CSOSN of the Simples Nacional, three digits.
    Csosn,
    Ipi,
    /// CST of PIS and COFINS.
    PisCofins,
    /// Origin of goods, one digit.
    Origem,
    /// `motDesICMS`, two digits (`09`; the layout writes `9`).
    Desoneracao,
    /// `cEnq`, three digits. Codes 163 to 165 exist and are not in the table: one
    /// that is missing here may be right.
    IpiEnquadramento,
}

/// Which way goods go, where a code is for one way only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sentido {
    Entrada,
    Saida,
}

/// A code and its official name.
#[derive(Debug, PartialEq, Eq)]
pub struct Situacao {
    pub codigo: &'static str,
    /// None: both ways.
    pub sentido: Option<Sentido>,
    pub descricao: &'static str,
}

#[derive(Debug)]
struct Linha {
    tabela: &'static str,
    situacao: Situacao,
}

impl Codigos {
    fn nome(self) -> &'static str {
        match self {
            Codigos::Icms => "icms",
            Codigos::Csosn => "csosn",
            Codigos::Ipi => "ipi",
            Codigos::PisCofins => "pis_cofins",
            Codigos::Origem => "origem",
            Codigos::Desoneracao => "desoneracao",
            Codigos::IpiEnquadramento => "ipi_enquadramento",
        }
    }

    /// The row of a code of this table.
    pub fn get(self, codigo: &str) -> Option<&'static Situacao> {
        TABELA
            .busca(|linha| (linha.tabela, linha.situacao.codigo).cmp(&(self.nome(), codigo)))
            .map(|linha| &linha.situacao)
    }

    /// All rows of this table, by code.
    pub fn todos(self) -> impl Iterator<Item = &'static Situacao> {
        TABELA
            .faixa(|linha| linha.tabela.cmp(self.nome()))
            .iter()
            .map(|linha| &linha.situacao)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole() {
        crate::table::confere(&TABELA, |linha| (linha.tabela, linha.situacao.codigo));
        let count = |codigos: Codigos| codigos.todos().count();
        assert_eq!(count(Codigos::Icms), 15);
        assert_eq!(count(Codigos::Csosn), 10);
        assert_eq!(count(Codigos::Ipi), 14);
        assert_eq!(count(Codigos::PisCofins), 33);
        assert_eq!(count(Codigos::Origem), 9);
        assert_eq!(count(Codigos::Desoneracao), 14);
        assert_eq!(count(Codigos::IpiEnquadramento), 129);
    }

    #[test]
    fn a_code_is_found_in_its_own_table_only() {
        assert!(Codigos::Icms.get("00").is_some());
        assert!(Codigos::Csosn.get("00").is_none());
        assert_eq!(
            Codigos::Ipi.get("50").and_then(|row| row.sentido),
            Some(Sentido::Saida)
        );
        assert!(Codigos::IpiEnquadramento.get("999").is_some());
    }
}
