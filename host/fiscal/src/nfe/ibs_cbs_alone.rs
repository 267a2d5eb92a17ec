//! Which taxes besides IBS and CBS a note may not carry, by what it is for:
//! rule B25-80 of NT 2025.002, rejection 1001. Exceptions as of v1.52 (read
//! second-hand).

/// Official names of the groups of an item that B25-80 forbids; the last four
/// may be on what is paid in advance. The rule would let IPI be there, too, but
/// no layout up to 010f has IPI without ICMS or ISSQN beside it.
const TODOS: [&str; 10] = [
    "ICMS",
    "ISSQN",
    "II",
    "ICMSUFDest",
    "impostoDevol",
    "IPI",
    "PIS",
    "PISST",
    "COFINS",
    "COFINSST",
];
/// `tpNFCredito` of goods that come back and of reductions of value.
const CREDITOS_LIVRES: [&str; 3] = ["03", "04", "06"];
/// `tpNFDebito` of stock that was lost.
const PERDA: &str = "07";
/// `tpNFDebito` of what is paid in advance.
const ANTECIPADO: &str = "06";
/// Last year of PIS and COFINS (LC 214/2025 art. 542).
const ULTIMO_ANO_PIS: i32 = 2026;

/// What a note is for, by official codes; empty where it does not say.
#[derive(Clone, Copy, Default)]
pub struct Operacao<'a> {
    /// `finNFe`.
    pub finalidade: &'a str,
    /// `tpNFDebito`.
    pub debito: &'a str,
    /// `tpNFCredito`.
    pub credito: &'a str,
    /// `tpOperGov`.
    pub governo: &'a str,
    /// Year of emission.
    pub ano: i32,
}

impl Operacao<'_> {
    /// Must the taxes of today be there? Notes of debit and credit, and the
    /// payment of a government purchase, do without (B25-90, Q01-20, S01-20).
    pub fn exige(&self) -> bool {
        !matches!(self.finalidade, "5" | "6") && self.governo != "2"
    }

    /// Names of the item's groups that the note may not have.
    pub fn vedados(&self) -> &'static [&'static str] {
        let livre = CREDITOS_LIVRES.contains(&self.credito) || self.debito == PERDA;
        if self.exige() || livre {
            return &[];
        }
        match self.debito {
            ANTECIPADO if self.ano <= ULTIMO_ANO_PIS => &TODOS[..6],
            _ => &TODOS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vedados(finalidade: &str, debito: &str, credito: &str, ano: i32) -> Vec<&'static str> {
        let operacao = Operacao {
            finalidade,
            debito,
            credito,
            governo: "",
            ano,
        };
        operacao.vedados().to_vec()
    }

    #[test]
    fn what_is_paid_in_advance_keeps_pis_and_cofins_until_2026() {
        let em_2026 = vedados("6", "06", "", 2026);
        let fica = ["PIS", "PISST", "COFINS", "COFINSST"];
        assert!(fica.iter().all(|nome| !em_2026.contains(nome)));
        assert_eq!(em_2026.len(), 6);
        assert_eq!(vedados("6", "06", "", 2027).len(), 10);
    }

    #[test]
    fn returns_reductions_and_losses_are_free() {
        for (finalidade, debito, credito, quantos) in [
            ("1", "", "", 0),
            ("4", "", "", 0),
            ("5", "", "01", 10),
            ("5", "", "03", 0),
            ("5", "", "04", 0),
            ("5", "", "06", 0),
            ("6", "04", "", 10),
            ("6", "07", "", 0),
        ] {
            assert_eq!(vedados(finalidade, debito, credito, 2026).len(), quantos);
        }
    }
}
