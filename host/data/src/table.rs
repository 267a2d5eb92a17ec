//! How the embedded tables are kept: lines of tab-separated columns, sorted by
//! key, behind comment lines (`#`) with source and date and one line of names.
//!
//! Nothing is read before somebody asks; then a table is split once and its
//! rows borrow from the program's own text.

use std::cmp::Ordering;
use std::sync::OnceLock;

use rust_decimal::Decimal;
use time::{Date, Month};

/// A table and how one of its lines becomes a row.
pub(crate) struct Tabela<T: 'static> {
    texto: &'static str,
    le: fn(&mut Colunas) -> Option<T>,
    linhas: OnceLock<Vec<T>>,
}

impl<T> Tabela<T> {
    pub(crate) const fn new(texto: &'static str, le: fn(&mut Colunas) -> Option<T>) -> Tabela<T> {
        Tabela {
            texto,
            le,
            linhas: OnceLock::new(),
        }
    }

    /// All rows, in the order of the file.
    pub(crate) fn linhas(&self) -> &[T] {
        self.linhas.get_or_init(|| {
            dados(self.texto)
                .filter_map(|linha| (self.le)(&mut Colunas(linha.split('\t'))))
                .collect()
        })
    }

    /// The row whose key compares equal; the file is sorted by it.
    pub(crate) fn busca(&self, chave: impl Fn(&T) -> Ordering) -> Option<&T> {
        let linhas = self.linhas();
        let lugar = linhas.binary_search_by(chave).ok()?;
        linhas.get(lugar)
    }

    /// The run of rows whose key compares equal.
    pub(crate) fn faixa(&self, chave: impl Fn(&T) -> Ordering) -> &[T] {
        let linhas = self.linhas();
        let de = linhas.partition_point(|linha| chave(linha) == Ordering::Less);
        let ate = linhas.partition_point(|linha| chave(linha) != Ordering::Greater);
        linhas.get(de..ate).unwrap_or_default()
    }
}

/// Lines with data: no comments, no names of columns.
fn dados(texto: &'static str) -> impl Iterator<Item = &'static str> {
    texto
        .lines()
        .filter(|linha| !linha.starts_with('#'))
        .skip(1)
}

/// The columns of a line, taken from left to right. A column that cannot be
/// read makes the row go away; a test counts the rows of every table.
pub(crate) struct Colunas(std::str::Split<'static, char>);

impl Colunas {
    pub(crate) fn texto(&mut self) -> Option<&'static str> {
        self.0.next()
    }

    /// An empty column is none.
    pub(crate) fn opcional(&mut self) -> Option<Option<&'static str>> {
        Some(self.texto()?).map(|texto| (!texto.is_empty()).then_some(texto))
    }

    pub(crate) fn numero<N: std::str::FromStr>(&mut self) -> Option<N> {
        self.texto()?.parse().ok()
    }

    /// `1` or `0`.
    pub(crate) fn marca(&mut self) -> Option<bool> {
        match self.texto()? {
            "1" => Some(true),
            "0" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn decimal(&mut self) -> Option<Decimal> {
        self.numero()
    }

    pub(crate) fn decimal_opcional(&mut self) -> Option<Option<Decimal>> {
        match self.opcional()? {
            None => Some(None),
            Some(texto) => Some(Some(texto.parse().ok()?)),
        }
    }

    /// Two columns: first and last day in force, either may be open.
    pub(crate) fn vigencia(&mut self) -> Option<Vigencia> {
        Some(Vigencia {
            inicio: self.data()?,
            fim: self.data()?,
        })
    }

    /// Words of a column, separated by blanks.
    pub(crate) fn palavras(&mut self) -> Option<Vec<&'static str>> {
        Some(self.texto()?.split(' ').filter(|p| !p.is_empty()).collect())
    }

    /// `AAAA-MM-DD` or nothing.
    pub(crate) fn data(&mut self) -> Option<Option<Date>> {
        let Some(texto) = self.opcional()? else {
            return Some(None);
        };
        let ano = texto.get(..4)?.parse().ok()?;
        let mes: u8 = texto.get(5..7)?.parse().ok()?;
        let dia = texto.get(8..10)?.parse().ok()?;
        Date::from_calendar_date(ano, Month::try_from(mes).ok()?, dia)
            .ok()
            .map(Some)
    }
}

/// Days in force, both ends included; an open end has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vigencia {
    pub inicio: Option<Date>,
    pub fim: Option<Date>,
}

impl Vigencia {
    pub fn contem(&self, data: Date) -> bool {
        self.inicio.is_none_or(|inicio| inicio <= data) && self.fim.is_none_or(|fim| data <= fim)
    }
}

/// For the tests of each table: every line became a row, sorted, no key twice.
#[cfg(test)]
pub(crate) fn confere<T, K: Ord + std::fmt::Debug>(
    tabela: &Tabela<T>,
    chave: impl Fn(&T) -> K,
) -> usize {
    let linhas = tabela.linhas();
    assert!(tabela.texto.starts_with("# "), "source and date come first");
    assert_eq!(
        linhas.len(),
        dados(tabela.texto).count(),
        "a line was not read"
    );
    for par in linhas.windows(2) {
        if let [antes, depois] = par {
            assert!(
                chave(antes) < chave(depois),
                "{:?} {:?}",
                chave(antes),
                chave(depois)
            );
        }
    }
    linhas.len()
}
