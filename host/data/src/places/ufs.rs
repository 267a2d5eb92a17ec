//! The 27 states.

/// A state or the Federal District.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uf {
    /// IBGE code: 11 to 53.
    pub codigo: u8,
    pub abbreviation: &'static str,
    pub name: &'static str,
    /// Hours from UTC of the capital (no summer time since Decreto 9.772/2019).
    pub utc: i8,
    /// tz database name of the capital's zone.
    pub zone: &'static str,
}

impl Uf {
    /// One of the five regions of the IBGE: the first digit of the code.
    pub fn region(&self) -> &'static str {
        match self.codigo / 10 {
            1 => "Norte",
            2 => "Nordeste",
            3 => "Sudeste",
            4 => "Sul",
            _ => "Centro-Oeste",
        }
    }
}

/// The state of an IBGE code.
pub fn by_code(codigo: u8) -> Option<&'static Uf> {
    UFS.iter().find(|uf| uf.codigo == codigo)
}

/// The state of a sigla in capitals.
pub fn by_uf(abbreviation: &str) -> Option<&'static Uf> {
    // Two letters are compared as one number; texts would be by a call for each state.
    let letters: [u8; 2] = abbreviation.as_bytes().try_into().ok()?;
    let mut ufs = UFS.iter();
    ufs.find(|uf| uf.abbreviation.as_bytes() == letters)
}

/// All states by IBGE code (IBGE; zones: tz database, July 2026).
pub static UFS: [Uf; 27] = [
    uf(11, "RO", "Rondônia", -4, "America/Porto_Velho"),
    uf(12, "AC", "Acre", -5, "America/Rio_Branco"),
    uf(13, "AM", "Amazonas", -4, "America/Manaus"),
    uf(14, "RR", "Roraima", -4, "America/Boa_Vista"),
    uf(15, "PA", "Pará", -3, "America/Belem"),
    uf(16, "AP", "Amapá", -3, "America/Belem"),
    uf(17, "TO", "Tocantins", -3, "America/Araguaina"),
    uf(21, "MA", "Maranhão", -3, "America/Fortaleza"),
    uf(22, "PI", "Piauí", -3, "America/Fortaleza"),
    uf(23, "CE", "Ceará", -3, "America/Fortaleza"),
    uf(24, "RN", "Rio Grande do Norte", -3, "America/Fortaleza"),
    uf(25, "PB", "Paraíba", -3, "America/Fortaleza"),
    uf(26, "PE", "Pernambuco", -3, "America/Recife"),
    uf(27, "AL", "Alagoas", -3, "America/Maceio"),
    uf(28, "SE", "Sergipe", -3, "America/Maceio"),
    uf(29, "BA", "Bahia", -3, "America/Bahia"),
    uf(31, "MG", "Minas Gerais", -3, "America/Sao_Paulo"),
    uf(32, "ES", "Espírito Santo", -3, "America/Sao_Paulo"),
    uf(33, "RJ", "Rio de Janeiro", -3, "America/Sao_Paulo"),
    uf(35, "SP", "São Paulo", -3, "America/Sao_Paulo"),
    uf(41, "PR", "Paraná", -3, "America/Sao_Paulo"),
    uf(42, "SC", "Santa Catarina", -3, "America/Sao_Paulo"),
    uf(43, "RS", "Rio Grande do Sul", -3, "America/Sao_Paulo"),
    uf(50, "MS", "Mato Grosso do Sul", -4, "America/Campo_Grande"),
    uf(51, "MT", "Mato Grosso", -4, "America/Cuiaba"),
    uf(52, "GO", "Goiás", -3, "America/Sao_Paulo"),
    uf(53, "DF", "Distrito Federal", -3, "America/Sao_Paulo"),
];

const fn uf(
    codigo: u8,
    abbreviation: &'static str,
    name: &'static str,
    utc: i8,
    zone: &'static str,
) -> Uf {
    Uf {
        codigo,
        abbreviation,
        name,
        utc,
        zone,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_is_found_by_its_letters_alone() {
        for uf in &UFS {
            assert_eq!(by_uf(uf.abbreviation), Some(uf));
            assert_eq!(by_uf(&uf.abbreviation.to_lowercase()), None);
            assert_eq!(by_uf(&format!("{} ", uf.abbreviation)), None);
        }
        assert_eq!(
            [by_uf(""), by_uf("S"), by_uf("EX"), by_uf("\u{e9}")],
            [None; 4]
        );
    }
}
