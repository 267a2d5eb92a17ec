//! Which tables there are, and which one is in force when.

use std::sync::{LazyLock, OnceLock};

use time::{Date, macros::date};

use super::Layout;

macro_rules! tables {
    ($($name:literal),* $(,)?) => {
        LazyLock::new(|| vec![$(Layout {
            name: $name,
            text: include_str!(concat!("../../layouts/", $name, ".txt")),
            table: OnceLock::new(),
        }),*])
    };
}

/// All tables, sorted by name.
static TABLES: LazyLock<Vec<Layout>> = tables![
    "consCad-2.00",
    "consMDFeNaoEnc-3.00",
    "consReciNFe-4.00",
    "consSitCTe-4.00",
    "consSitMDFe-3.00",
    "consSitNFe-4.00",
    "consStatServ-4.00",
    "consStatServCTe-4.00",
    "consStatServMDFe-3.00",
    "cte-4.00",
    "distDFeInt-1.01",
    "envioLoteDere-1.0.1",
    "evento",
    "evento-110001",
    "evento-110110",
    "evento-110111",
    "evento-110112",
    "evento-110130",
    "evento-110131",
    "evento-110140",
    "evento-110150",
    "evento-110192",
    "evento-110193",
    "evento-110750",
    "evento-110751",
    "evento-111500",
    "evento-111501",
    "evento-111502",
    "evento-111503",
    "evento-112110",
    "evento-112120",
    "evento-112130",
    "evento-112140",
    "evento-112150",
    "evento-210200",
    "evento-210210",
    "evento-210220",
    "evento-210240",
    "evento-211110",
    "evento-211120",
    "evento-211124",
    "evento-211128",
    "evento-211130",
    "evento-211140",
    "evento-211150",
    "evento-212110",
    "evento-212120",
    "evento-411500",
    "evento-411501",
    "evento-411502",
    "evento-411503",
    "evento-412120",
    "evento-412130",
    "eventoCTe",
    "eventoCTe-110110",
    "eventoCTe-110111",
    "eventoCTe-110113",
    "eventoMDFe",
    "eventoMDFe-110111",
    "eventoMDFe-110112",
    "eventoMDFe-110114",
    "eventoMDFe-110115",
    "evtAplicResTec-1.0.0",
    "evtBalancete-1.0.1",
    "evtFechMensal-0.0.2",
    "evtInfoContrib-1.0.1",
    "evtPGCC-1.0.3",
    "evtReabertMensal-0.0.1",
    "evtRelDeducoes-0.0.1",
    "inutNFe-4.00",
    "inutNFe-4.00-MT",
    "mdfe-3.00",
    "nfe-010b",
    "nfe-010d",
    "nfe-010e",
    "nfe-010f",
    "nfse-1.01",
];

/// A package of the NF-e body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edition {
    /// Its layout, as in [`Layout::names`].
    pub name: &'static str,
    /// First day in production.
    pub production: Date,
    /// First day in homologation.
    pub homologacao: Date,
    /// The technical notes it brought, as `2025.002`.
    pub notes: &'static [&'static str],
}

/// All packages, by their days. The first one serves all older dates.
pub const NFE: [Edition; 4] = [
    // v1.30.
    Edition {
        name: "nfe-010b",
        production: date!(2025 - 11 - 10),
        homologacao: date!(2025 - 11 - 10),
        notes: &["2025.002"],
    },
    // Alphanumeric CNPJ.
    Edition {
        name: "nfe-010d",
        production: date!(2026 - 07 - 01),
        homologacao: date!(2026 - 06 - 15),
        notes: &["2026.004"],
    },
    // v1.40.
    Edition {
        name: "nfe-010e",
        production: date!(2026 - 08 - 03),
        homologacao: date!(2026 - 07 - 01),
        notes: &["2025.002"],
    },
    // v1.50 of the first.
    Edition {
        name: "nfe-010f",
        production: date!(2026 - 11 - 03),
        homologacao: date!(2026 - 09 - 01),
        notes: &["2025.002", "2026.007"],
    },
];

pub fn nfe(data: Date) -> &'static Layout {
    choose(|edition| edition.production <= data)
}

pub fn nfe_homologacao(data: Date) -> &'static Layout {
    choose(|edition| edition.homologacao <= data)
}

/// The tables of the packages: each item of a note asks for its own.
static NFE_TABLES: LazyLock<[&Layout; NFE.len()]> = LazyLock::new(|| {
    // A test keeps the names of this calendar among the tables.
    NFE.map(|edition| get(edition.name).unwrap_or(&TABLES[0]))
});

fn choose(holds: impl Fn(&Edition) -> bool) -> &'static Layout {
    let tables = &*NFE_TABLES;
    let mut packages = NFE.iter().zip(tables).rev();
    let found = packages.find(|(edition, _)| holds(edition));
    found.map_or(tables[0], |(_, table)| table)
}

pub fn get(name: &str) -> Option<&'static Layout> {
    let place = TABLES.binary_search_by(|layout| layout.name.cmp(name));
    place.ok().and_then(|place| TABLES.get(place))
}

pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|layout| layout.name)
}
