//! The shipped file says what the facts say, row by row.

use std::collections::BTreeMap;
use std::path::Path;

use flow::registry::{Caminho, Leg};

use super::shipped;

pub(super) type Row = BTreeMap<String, String>;

pub(super) fn rows(folder: &Path, file: &str) -> Vec<Row> {
    let text = std::fs::read_to_string(folder.join("facts").join(file)).expect("a fact table");
    let mut lines = text.lines().map(fields);
    let header = lines.next().expect("a header");
    lines
        .map(|line| header.iter().cloned().zip(line).collect())
        .collect()
}

/// Fields of a CSV line; the tables have no line breaks inside quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields
}

/// Letters and digits, to compare vendor names with system names.
fn plain(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_lowercase()
}

fn address<'l>(leg: &'l Leg, endpoint: &str) -> Option<&'l str> {
    let found = leg
        .production
        .get(endpoint)
        .or_else(|| leg.system.production.get(endpoint));
    found.map(String::as_str)
}

/// Municipalities whose address is not that of the city table: Ferraz de
/// Vasconcelos without the query of its WSDL, São Paulo at the service of
/// layout 2, Guarani de Goiás and Mozarlândia at Centi's API, which took the
/// place of its SOAP service. Those of Paraíba, of PublicSoft, are at the API that the
/// table's source names beside the service of before. The others have no address there,
/// or that of another vendor, and follow the other cities of theirs.
const OTHER_ADDRESSES: [u32; 64] = [
    1_709_807, 1_717_008, 2_500_403, 2_501_005, 2_503_407, 2_505_238, 2_507_002, 2_507_101,
    2_508_901, 2_509_008, 2_509_701, 2_510_006, 2_510_402, 2_510_600, 2_511_301, 2_511_608,
    2_512_036, 2_512_747, 2_512_762, 2_513_307, 2_513_356, 2_513_505, 2_515_302, 2_515_807,
    2_516_755, 2_908_804, 3_162_708, 3_515_707, 3_550_308, 4_120_408, 4_303_558, 4_304_952,
    4_305_603, 4_309_258, 4_310_579, 4_311_643, 4_312_674, 4_312_757, 4_312_807, 4_315_172,
    4_318_440, 4_323_408, 5_200_159, 5_203_609, 5_204_003, 5_204_607, 5_205_000, 5_207_535,
    5_209_291, 5_209_408, 5_209_606, 5_209_903, 5_209_937, 5_211_008, 5_211_206, 5_211_701,
    5_212_709, 5_214_002, 5_214_051, 5_218_508, 5_219_258, 5_219_753, 5_221_577, 5_221_908,
];

#[test]
fn every_municipality_and_its_system() {
    let Some(folder) = judges::shared("") else {
        return;
    };
    let registry = shipped();
    let rows = rows(&folder, "nfse-municipios.csv");
    assert_eq!(rows.len(), 5571);
    assert_eq!(registry.municipalities().len(), 5571);
    let (mut nacional, mut blank, mut gateway, mut listed) = (0, 0, 0, 0);
    let mut differ = Vec::new();
    for row in &rows {
        let ibge: u32 = row["ibge"].parse().expect("a code");
        let m = registry
            .municipality(ibge)
            .unwrap_or_else(|| panic!("{ibge} is absent"));
        assert_eq!(m.uf, row["uf"]);
        let params = &row["params"];
        assert_eq!(
            m.national_issuer,
            params.contains("emissor_nacional=1"),
            "{ibge}"
        );
        listed += usize::from(m.national_issuer);
        let has = |id: &str| m.conflicts.iter().any(|c| c.id == id);
        assert_eq!(
            has("fora-da-lista"),
            params.contains("check=not-in-official"),
            "{ibge}"
        );
        assert_eq!(
            has("issnet-204"),
            params.contains("check=issnet-2.04"),
            "{ibge}"
        );
        assert_eq!(
            has("fonte-antiga"),
            params.contains("check=old-source"),
            "{ibge}"
        );
        let Some(first) = m.routes.first() else {
            assert_eq!(row["provider"], "", "{ibge}");
            blank += 1;
            continue;
        };
        assert!(m.cited.is_some(), "{ibge}");
        if row["provider"] == "PadraoNacional" {
            assert_eq!(first.system.via, Caminho::Nacional, "{ibge}");
            nacional += 1;
            continue;
        }
        assert!(
            first.system.id.starts_with(&plain(&row["provider"])),
            "{ibge}"
        );
        let own_dps = params.contains("layout=dps-own-api");
        // Presidente Castelo Branco (PR): the table says no version; all other cities of
        // Betha have the national layout.
        let by_rule = ibge == 4_120_408;
        assert_eq!(
            first.system.via == Caminho::Gateway,
            own_dps || by_rule,
            "{ibge}"
        );
        gateway += usize::from(own_dps);
        let url = &row["url_production"];
        let main = match first.system.adapter.as_deref() {
            Some("dps") => "sefin",
            _ => "nfse",
        };
        let own = address(first, main).unwrap_or_default();
        if own != url {
            differ.push(ibge);
        }
    }
    assert_eq!(differ, OTHER_ADDRESSES);
    assert_eq!((nacional, gateway, blank, listed), (2376, 558, 663, 2875));
}

#[test]
fn the_official_names() {
    let Some(folder) = judges::shared("") else {
        return;
    };
    for row in rows(&folder, "municipios.csv") {
        let ibge: u32 = row["ibge"].parse().expect("a code");
        let m = shipped()
            .municipality(ibge)
            .unwrap_or_else(|| panic!("{ibge} is absent"));
        assert_eq!((&m.name, &m.uf), (&row["nome"], &row["uf"]));
    }
}

#[test]
fn every_alternate_is_kept() {
    let Some(folder) = judges::shared("") else {
        return;
    };
    let registry = shipped();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows(&folder, "nfse-municipios-alternates.csv") {
        let ibge: u32 = row["ibge"].parse().expect("a code");
        let m = registry
            .municipality(ibge)
            .unwrap_or_else(|| panic!("{ibge} is absent"));
        match row["kind"].as_str() {
            "previous-provider" => {
                let [leg] = m.earlier.as_slice() else {
                    panic!("{ibge}: one previous route")
                };
                // One row of the table has a slip of the keyboard.
                let vendor = if row["provider"] == "Betja" {
                    "Betha"
                } else {
                    &row["provider"]
                };
                assert!(leg.system.id.starts_with(&plain(vendor)), "{ibge}");
                let source = leg.cited.as_ref().map(|cited| cited.id.as_str());
                assert_eq!(source, Some("acbr-2025"), "{ibge}");
                if row["url_production"].starts_with("http") {
                    assert_eq!(
                        address(leg, "nfse"),
                        Some(row["url_production"].as_str()),
                        "{ibge}"
                    );
                }
            }
            "official-emissor-nacional-2026-09-28" => {
                assert!(m.national_issuer, "{ibge}");
                assert!(
                    m.conflicts.iter().any(|c| c.id == "dois-caminhos"),
                    "{ibge}"
                );
            }
            "other-source" => {
                let said = m
                    .other_sources
                    .get("openac")
                    .unwrap_or_else(|| panic!("{ibge}"));
                assert!(
                    plain(said).starts_with(&plain(&row["provider"])),
                    "{ibge}: {said}"
                );
            }
            "other-source-2024" => {
                let said = m
                    .other_sources
                    .get("nfselib-2024")
                    .unwrap_or_else(|| panic!("{ibge}"));
                assert!(
                    plain(said).starts_with(&plain(&row["provider"])),
                    "{ibge}: {said}"
                );
            }
            other => panic!("unknown kind {other}"),
        }
        *kinds.entry(row["kind"].clone()).or_default() += 1;
    }
    let counts: Vec<usize> = kinds.into_values().collect();
    assert_eq!(counts, [719, 185, 289, 737]);
    let previous = registry
        .municipalities()
        .iter()
        .filter(|m| !m.earlier.is_empty())
        .count();
    assert_eq!(previous, 737);
}
