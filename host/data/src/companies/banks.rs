//! Banks by their clearing code (COMPE) and ISPB (STR list of the Banco
//! Central), and who takes part in PIX (Resolução BCB 1/2020; SPI list).

use crate::table::Table;

pub(crate) static TABLE: Table<Bank> = Table::new(include_str!("../../tables/bancos.tsv"), |c| {
    Some(Bank {
        codigo: c.text()?,
        ispb: c.text()?,
        name: c.text()?,
    })
});

pub(crate) static PIX: Table<PixMember> =
    Table::new(include_str!("../../tables/pix_participantes.tsv"), |c| {
        Some(PixMember {
            ispb: c.text()?,
            direct: c.mark()?,
            name: c.text()?,
        })
    });

/// An institution with a clearing code.
#[derive(Debug, PartialEq, Eq)]
pub struct Bank {
    /// COMPE, three digits.
    pub codigo: &'static str,
    /// Eight characters: the base of its CNPJ.
    pub ispb: &'static str,
    pub name: &'static str,
}

impl Bank {
    /// Its part in PIX; none when it has none.
    pub fn pix(&self) -> Option<&'static PixMember> {
        pix(self.ispb)
    }
}

/// An institution that takes part in PIX.
#[derive(Debug, PartialEq, Eq)]
pub struct PixMember {
    pub ispb: &'static str,
    /// It settles in the SPI itself, not through another one.
    pub direct: bool,
    pub name: &'static str,
}

/// The institution of a clearing code of three digits.
pub fn get(codigo: &str) -> Option<&'static Bank> {
    TABLE.find(|line| line.codigo.cmp(codigo))
}

/// The institution of an ISPB.
pub fn by_ispb(ispb: &str) -> Option<&'static Bank> {
    all().iter().find(|bank| bank.ispb == ispb)
}

/// The PIX participant of an ISPB; most have no clearing code.
pub fn pix(ispb: &str) -> Option<&'static PixMember> {
    PIX.find(|line| line.ispb.cmp(ispb))
}

/// All institutions, by clearing code.
pub fn all() -> &'static [Bank] {
    TABLE.lines()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_whole() {
        assert_eq!(crate::table::check(&TABLE, |line| line.codigo), 511);
        assert_eq!(crate::table::check(&PIX, |line| line.ispb), 880);
        for bank in all() {
            assert!(bank.codigo.len() == 3 && bank.ispb.len() == 8, "{bank:?}");
        }
        assert_eq!(
            all().iter().filter(|bank| bank.pix().is_some()).count(),
            244
        );
    }

    #[test]
    fn a_bank_is_found_by_both_codes() {
        let bank = get("001").expect("001");
        assert_eq!(bank.name, "Banco do Brasil S.A.");
        assert!(bank.pix().is_some_and(|pix| pix.direct));
        assert_eq!(by_ispb("60701190").map(|bank| bank.codigo), Some("341"));
        assert!(pix("24313102").is_some_and(|pix| pix.name == "99PAY IP S.A."));
        assert_eq!(get("1"), None);
    }
}
