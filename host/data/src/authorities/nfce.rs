//! Addresses of the NFC-e: in the QR code and for consultation by key.

use crate::table::Table;

pub(crate) static TABLE: Table<Enderecos> =
    Table::new(include_str!("../../tables/nfce_urls.tsv"), |c| {
        let (uf, tp_amb) = (c.text()?, c.number()?);
        let (qrcode, query) = (c.text()?, c.text()?);
        let (other_qrcodes, other_queries) = (c.words()?, c.words()?);
        Some(Enderecos {
            uf,
            tp_amb,
            diverge_qrcode: !other_qrcodes.is_empty(),
            query_differs: !other_queries.is_empty(),
            qrcode,
            query,
            other_qrcodes,
            other_queries,
        })
    });

/// What a state wants printed, in one environment. Second-hand: see the marks.
#[derive(Debug, PartialEq, Eq)]
pub struct Enderecos {
    pub uf: &'static str,
    /// 1 produção, 2 homologação.
    pub tp_amb: u8,
    /// The sources name different places: rejection 395 is possible, and a note
    /// that carries one of the others may be right.
    pub diverge_qrcode: bool,
    /// The sources name different places: rejection 878 is possible.
    pub query_differs: bool,
    /// Up to the `?` of the QR code.
    pub qrcode: &'static str,
    /// `urlChave`; many states print it without `http`.
    pub query: &'static str,
    /// What another source says; none where the sources agree.
    pub other_qrcodes: Vec<&'static str>,
    pub other_queries: Vec<&'static str>,
}

/// Addresses of a state (sigla) in an environment (1 produção, 2 homologação).
pub fn get(uf: &str, tp_amb: u8) -> Option<&'static Enderecos> {
    TABLE.find(|line| (line.uf, line.tp_amb).cmp(&(uf, tp_amb)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_with_a_date_goes_before_older_lists() {
        let rn = get("RN", 1).expect("RN");
        assert_eq!(rn.qrcode, "https://nfce.sefaz.rn.gov.br/consultarNFCe.aspx");
        assert!(rn.diverge_qrcode);
        let rs = get("RS", 1).expect("RS");
        assert!(!rs.diverge_qrcode);
    }

    #[test]
    fn every_state_has_both_environments() {
        let lines = crate::table::check(&TABLE, |line| (line.uf, line.tp_amb));
        assert_eq!(lines, 54);
        for uf in &crate::places::ufs::UFS {
            for tp_amb in [1, 2] {
                let line = get(uf.abbreviation, tp_amb).expect(uf.abbreviation);
                assert!(line.qrcode.starts_with("http") && !line.query.is_empty());
            }
        }
    }
}
