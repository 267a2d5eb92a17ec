//! Incentive areas: Zona Franca de Manaus and free trade areas, as NT 2025.002
//! v1.51 lists them (UB56-10, exception 3, and UB66a-20; second-hand).

/// An area and its municipalities (IBGE codes).
#[derive(Debug, PartialEq, Eq)]
pub struct Area {
    pub name: &'static str,
    pub municipalities: &'static [u32],
}

/// All areas.
pub static AREAS: [Area; 6] = [
    Area {
        name: "ZFM",
        municipalities: &[1_301_902, 1_302_603, 1_303_569],
    },
    Area {
        name: "ALC 1",
        municipalities: &[1_304_062],
    },
    Area {
        name: "ALC 2",
        municipalities: &[1_100_106],
    },
    Area {
        name: "ALC 3",
        municipalities: &[1_400_100, 1_400_159],
    },
    Area {
        name: "ALC 4",
        municipalities: &[1_600_303, 1_600_600],
    },
    Area {
        name: "ALC 5",
        municipalities: &[1_200_104, 1_200_203, 1_200_252],
    },
];

/// Goods whose CBS is never zero there: arms, tobacco, alcoholic drinks, cars,
/// perfumery.
const EXCLUDED: [&str; 10] = [
    "93", "24", "2203", "2204", "2205", "2206", "2207", "2208", "8703", "33",
];

/// Perfumery that is admitted all the same.
const ADMITTED: [&str; 5] = ["3303", "3304", "3305", "3306", "3307"];

/// The area a municipality is in.
pub fn area(municipality: u32) -> Option<&'static Area> {
    AREAS
        .iter()
        .find(|area| area.municipalities.contains(&municipality))
}

/// May the CBS of these goods be zero between these two municipalities? Both
/// have to be in the same area.
pub fn admits_zero_cbs(ncm: &str, emitter: u32, recipient: u32) -> bool {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| ncm.starts_with(prefix));
    let goods = !ncm.is_empty() && (begins(&ADMITTED) || !begins(&EXCLUDED));
    goods && area(emitter).is_some() && area(emitter) == area(recipient)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn municipalities_exist() {
        for municipality in AREAS.iter().flat_map(|area| area.municipalities) {
            assert!(
                crate::places::municipalities::get(*municipality).is_some(),
                "{municipality}"
            );
        }
    }

    #[test]
    fn goods_and_places_decide() {
        let manaus = 1_302_603;
        assert!(admits_zero_cbs("17019900", manaus, 1_303_569));
        assert!(admits_zero_cbs("33051000", manaus, manaus));
        assert!(!admits_zero_cbs("33011210", manaus, manaus));
        assert!(!admits_zero_cbs("22030000", manaus, manaus));
        assert!(!admits_zero_cbs("17019900", manaus, 1_304_062));
        assert!(!admits_zero_cbs("17019900", 3_550_308, 3_550_308));
        assert!(!admits_zero_cbs("", manaus, manaus));
    }
}
