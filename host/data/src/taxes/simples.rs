//! Simples Nacional: brackets and rates of the annexes I to V of LC 123/2006,
//! as LC 155/2016 wrote them (in force since January 2018).

use rust_decimal::Decimal;

use crate::table::Table;

pub(crate) static TABLE: Table<Bracket> =
    Table::new(include_str!("../../tables/simples.tsv"), |c| {
        Some(Bracket {
            annex: Annex::of(c.text()?)?,
            number: c.number()?,
            until: c.decimal()?,
            aliquota: c.decimal()?,
            deduction: c.decimal()?,
            shares: [
                c.decimal()?,
                c.decimal()?,
                c.decimal()?,
                c.decimal()?,
                c.decimal()?,
                c.decimal()?,
                c.decimal()?,
                c.decimal()?,
            ],
        })
    });

/// An annex of LC 123/2006: I commerce, II industry, III and V services (the
/// factor R decides between them for some), IV services whose CPP is apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Annex {
    I,
    Ii,
    Iii,
    Iv,
    V,
}

/// A tax of the single payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tax {
    Irpj,
    Csll,
    Cofins,
    Pis,
    Cpp,
    Ipi,
    Icms,
    Iss,
}

/// A bracket of an annex.
#[derive(Debug, PartialEq, Eq)]
pub struct Bracket {
    pub annex: Annex,
    /// 1 to 6.
    pub number: u8,
    /// Gross income of twelve months (RBT12) up to which it goes, inclusive.
    pub until: Decimal,
    /// Nominal rate, percent.
    pub aliquota: Decimal,
    /// "Parcela a deduzir", in reais.
    pub deduction: Decimal,
    shares: [Decimal; 8],
}

impl Annex {
    pub const ALL: [Annex; 5] = [Annex::I, Annex::Ii, Annex::Iii, Annex::Iv, Annex::V];

    /// The annex of a Roman number in capitals.
    pub fn of(number: &str) -> Option<Annex> {
        Annex::ALL.into_iter().find(|annex| annex.name() == number)
    }

    /// The Roman number.
    pub fn name(self) -> &'static str {
        match self {
            Annex::I => "I",
            Annex::Ii => "II",
            Annex::Iii => "III",
            Annex::Iv => "IV",
            Annex::V => "V",
        }
    }
}

impl Tax {
    pub const ALL: [Tax; 8] = [
        Tax::Irpj,
        Tax::Csll,
        Tax::Cofins,
        Tax::Pis,
        Tax::Cpp,
        Tax::Ipi,
        Tax::Icms,
        Tax::Iss,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Tax::Irpj => "irpj",
            Tax::Csll => "csll",
            Tax::Cofins => "cofins",
            Tax::Pis => "pis",
            Tax::Cpp => "cpp",
            Tax::Ipi => "ipi",
            Tax::Icms => "icms",
            Tax::Iss => "iss",
        }
    }
}

impl Bracket {
    /// What part of the effective rate is this tax, in percent. The sixth
    /// bracket has no ICMS and no ISS: they are due apart (LC 123/2006, art.
    /// 13-A).
    pub fn share(&self, tax: Tax) -> Decimal {
        let [irpj, csll, cofins, pis, cpp, ipi, icms, iss] = self.shares;
        match tax {
            Tax::Irpj => irpj,
            Tax::Csll => csll,
            Tax::Cofins => cofins,
            Tax::Pis => pis,
            Tax::Cpp => cpp,
            Tax::Ipi => ipi,
            Tax::Icms => icms,
            Tax::Iss => iss,
        }
    }
}

/// The bracket of a gross income of twelve months (RBT12). None below zero or
/// above the limit of the Simples (4.8 million).
pub fn bracket(annex: Annex, rbt12: Decimal) -> Option<&'static Bracket> {
    if rbt12 < Decimal::ZERO {
        return None;
    }
    brackets(annex)
        .iter()
        .find(|bracket| rbt12 <= bracket.until)
}

/// The six brackets of an annex, the lowest first.
pub fn brackets(annex: Annex) -> &'static [Bracket] {
    TABLE.range(|line| line.annex.cmp(&annex))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(text: &str) -> Decimal {
        text.parse().expect(text)
    }

    #[test]
    fn the_table_is_whole() {
        let key = |line: &Bracket| (line.annex, line.number);
        assert_eq!(crate::table::check(&TABLE, key), 30);
        for annex in Annex::ALL {
            let brackets = brackets(annex);
            assert_eq!(brackets.len(), 6, "{annex:?}");
            assert!(brackets.is_sorted_by(|a, b| a.until < b.until && a.aliquota < b.aliquota));
            for bracket in brackets {
                let total: Decimal = Tax::ALL.iter().map(|tax| bracket.share(*tax)).sum();
                assert_eq!(total, dec("100"), "{bracket:?}");
            }
        }
    }

    #[test]
    fn the_upper_bound_belongs_to_the_bracket() {
        let number = |rbt12| bracket(Annex::Iii, rbt12).map(|bracket| bracket.number);
        assert_eq!(number(dec("0")), Some(1));
        assert_eq!(number(dec("180000.00")), Some(1));
        assert_eq!(number(dec("180000.01")), Some(2));
        assert_eq!(number(dec("4800000")), Some(6));
        assert_eq!(number(dec("4800000.01")), None);
        assert_eq!(number(dec("-1")), None);
    }

    #[test]
    fn rates_are_those_of_the_law() {
        let row = bracket(Annex::V, dec("2000000")).expect("fifth");
        assert_eq!((row.aliquota, row.deduction), (dec("23"), dec("62100")));
        let row = bracket(Annex::V, dec("1000000")).expect("fourth");
        assert_eq!(row.share(Tax::Cofins), dec("15.74"));
        let last = bracket(Annex::I, dec("4000000")).expect("sixth");
        assert_eq!(last.share(Tax::Icms), Decimal::ZERO);
        assert_eq!(
            bracket(Annex::Iv, dec("1")).map(|b| b.share(Tax::Cpp)),
            Some(dec("0"))
        );
        assert_eq!(Annex::of("IV"), Some(Annex::Iv));
        assert_eq!(Annex::of("VI"), None);
    }
}
