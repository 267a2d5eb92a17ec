//! Incentive areas: Zona Franca de Manaus and free trade areas, as NT 2025.002
//! v1.51 lists them (UB56-10, exception 3, and UB66a-20; second-hand).

/// An area and its municipalities (IBGE codes).
#[derive(Debug, PartialEq, Eq)]
pub struct Area {
    pub nome: &'static str,
    pub municipios: &'static [u32],
}

/// All areas.
pub static AREAS: [Area; 6] = [
    Area {
        nome: "ZFM",
        municipios: &[1_301_902, 1_302_603, 1_303_569],
    },
    Area {
        nome: "ALC 1",
        municipios: &[1_304_062],
    },
    Area {
        nome: "ALC 2",
        municipios: &[1_100_106],
    },
    Area {
        nome: "ALC 3",
        municipios: &[1_400_100, 1_400_159],
    },
    Area {
        nome: "ALC 4",
        municipios: &[1_600_303, 1_600_600],
    },
    Area {
        nome: "ALC 5",
        municipios: &[1_200_104, 1_200_203, 1_200_252],
    },
];

/// Goods whose CBS is never zero there: arms, tobacco, alcoholic drinks, cars,
/// perfumery.
const EXCLUIDOS: [&str; 10] = [
    "93", "24", "2203", "2204", "2205", "2206", "2207", "2208", "8703", "33",
];

/// Perfumery that is admitted all the same.
const ADMITIDOS: [&str; 5] = ["3303", "3304", "3305", "3306", "3307"];

/// The area a municipality is in.
pub fn area(municipio: u32) -> Option<&'static Area> {
    AREAS
        .iter()
        .find(|area| area.municipios.contains(&municipio))
}

/// May the CBS of these goods be zero between these two municipalities? Both
/// have to be in the same area.
pub fn admite_cbs_zero(ncm: &str, emitente: u32, destinatario: u32) -> bool {
    let comeca = |prefixos: &[&str]| prefixos.iter().any(|prefixo| ncm.starts_with(prefixo));
    let bens = !ncm.is_empty() && (comeca(&ADMITIDOS) || !comeca(&EXCLUIDOS));
    bens && area(emitente).is_some() && area(emitente) == area(destinatario)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn municipalities_exist() {
        for municipio in AREAS.iter().flat_map(|area| area.municipios) {
            assert!(
                crate::places::municipalities::get(*municipio).is_some(),
                "{municipio}"
            );
        }
    }

    #[test]
    fn goods_and_places_decide() {
        let manaus = 1_302_603;
        assert!(admite_cbs_zero("17019900", manaus, 1_303_569));
        assert!(admite_cbs_zero("33051000", manaus, manaus));
        assert!(!admite_cbs_zero("33011210", manaus, manaus));
        assert!(!admite_cbs_zero("22030000", manaus, manaus));
        assert!(!admite_cbs_zero("17019900", manaus, 1_304_062));
        assert!(!admite_cbs_zero("17019900", 3_550_308, 3_550_308));
        assert!(!admite_cbs_zero("", manaus, manaus));
    }
}
