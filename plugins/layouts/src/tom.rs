//! Codes of municipalities as the Receita Federal and the Tesouro number them
//! (TOM, also called SIAFI), by IBGE code.

/// A line each, sorted: seven digits, a space, four digits.
const TABLE: &str = include_str!("tom.txt");

/// Length of a line with its end.
const LINE: usize = 13;

/// The TOM code of a municipality.
pub fn code(ibge: &str) -> Option<&'static str> {
    if ibge.len() != 7 {
        return None;
    }
    let line = |at: usize| TABLE.get(at * LINE..(at + 1) * LINE);
    let (mut low, mut high) = (0, TABLE.len() / LINE);
    while low < high {
        let middle = low.midpoint(high);
        let text = line(middle)?;
        match text.get(..7)?.cmp(ibge) {
            std::cmp::Ordering::Equal => return text.get(8..12),
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_found() {
        let lines: Vec<&str> = TABLE.lines().collect();
        assert!(lines.len() > 5_500, "{}", lines.len());
        assert!(lines.is_sorted());
        assert!(lines.iter().all(|line| line.len() == LINE - 1));
        assert_eq!(code("4106902"), Some("7535"));
        assert_eq!(code("1100015"), Some("0033"));
        assert_eq!(code("9999999"), None);
        assert_eq!(code("411580"), None);
        assert_eq!(code(""), None);
        for line in lines {
            let (ibge, tom) = line.split_once(' ').expect("two columns");
            assert_eq!(code(ibge), Some(tom));
        }
    }
}
