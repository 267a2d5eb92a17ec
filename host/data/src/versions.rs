//! Which edition of each table answers: what its own first lines say. Another one
//! than the embedded may be installed while the program runs.

use crate::authorities::{cancellation, cstat, event_kinds, gnre, nfce};
use crate::companies::{banks, cnae};
use crate::goods::{anp, cest, ncm, tipi};
use crate::places::{area_codes, cities, countries, municipalities, plates, population, postal};
use crate::services;
use crate::table::{self, AnyTable};
use crate::taxes::{cbenef, cfop, class_trib, ibs_cbs, icms, monophasic};
use crate::taxes::{rates, simples, situations};

pub use crate::table::{Broken, Version};

/// Every table by the name of its file, without the ending. The TIPI is not built
/// in: it has rows once one was installed.
static TABLES: [(&str, &dyn AnyTable); 43] = [
    ("anp", &anp::TABLE),
    ("bancos", &banks::TABLE),
    ("cancelamento", &cancellation::TABLE),
    ("cbenef", &cbenef::TABLE),
    ("cep", &postal::CITIES),
    ("cep_ufs", &postal::STATES),
    ("cest", &cest::TABLE),
    ("cest_segmentos", &cest::SEGMENTS),
    ("cfop", &cfop::TABLE),
    ("cidades", &cities::TABLE),
    ("class_trib", &class_trib::CLASSES),
    ("cnae", &cnae::TABLE),
    ("cnae_anexos", &cnae::ANNEXES),
    ("cnae_lc116", &cnae::ITEMS),
    ("cnae_niveis", &cnae::LEVELS),
    ("cred_pres", &class_trib::CREDITOS),
    ("cst_ibs_cbs", &class_trib::CST),
    ("cstat", &cstat::TABLE),
    ("cstat_categorias", &cstat::CATEGORIES),
    ("ddd", &area_codes::TABLE),
    ("difal_base", &icms::DIFAL),
    ("eventos", &event_kinds::TABLE),
    ("fcp", &icms::FCP),
    ("gnre_receitas", &gnre::REVENUES),
    ("gnre_ufs", &gnre::STATES),
    ("ibs_cbs_aliquotas", &rates::TABLE),
    ("icms_interna", &icms::INTERNAL_RATES),
    ("lc214_anexos", &ibs_cbs::ANNEXES),
    ("lc214_itens", &ibs_cbs::ITEMS),
    ("lc214_ncm", &ibs_cbs::PREFIXES),
    ("monofasicos", &monophasic::REGIMES),
    ("monofasicos_ncm", &monophasic::PREFIXES),
    ("municipios", &municipalities::TABLE),
    ("ncm", &ncm::TABLE),
    ("nfce_urls", &nfce::TABLE),
    ("paises", &countries::TABLE),
    ("pix_participantes", &banks::PIX),
    ("placas", &plates::TABLE),
    ("populacao", &population::TABLE),
    ("servicos_nacionais", &services::TABLE),
    ("simples", &simples::TABLE),
    ("situacoes", &situations::TABLE),
    ("tipi", &tipi::TABLE),
];

/// Those that another edition may be installed for: their rows are unique and sorted
/// by their first columns. Only the words by which a class of IBS and CBS is found are
/// made of two tables, at the first search after the classes changed.
const REPLACEABLE: [&str; 9] = [
    "anp",
    "bancos",
    "cbenef",
    "cest",
    "class_trib",
    "cst_ibs_cbs",
    "ncm",
    "pix_participantes",
    "tipi",
];

/// All tables that have rows, by name, as they answer now.
pub fn all() -> Vec<Version> {
    let tables = TABLES.iter().filter(|(_, table)| !table.text().is_empty());
    tables
        .map(|(name, table)| Version::of(name, table.text(), table.rows()))
        .collect()
}

/// The table of a name, as it answers now; none where it has no rows.
pub fn get(name: &str) -> Option<Version> {
    let (name, table) = by_name(name)?;
    let text = table.text();
    (!text.is_empty()).then(|| Version::of(name, text, table.rows()))
}

/// The table of a name as it is built in; none where it is not.
pub fn embedded(name: &str) -> Option<Version> {
    let (name, table) = by_name(name)?;
    let text = table.embedded();
    (!text.is_empty()).then(|| Version::of(name, text, table::data(text).count()))
}

/// Rows of the table that is built in, as lines of tab-separated columns.
pub fn embedded_rows(name: &str) -> impl Iterator<Item = &'static str> {
    table::data(by_name(name).map_or("", |(_, table)| table.embedded()))
}

/// The line with the names of a table's columns, tab-separated, as they are built
/// in or as the TIPI has them.
pub fn columns(name: &str) -> &'static str {
    let embedded = by_name(name).map_or("", |(_, table)| table.embedded());
    let mut lines = embedded.lines().filter(|line| !line.starts_with('#'));
    lines.next().unwrap_or(tipi::COLUMNS)
}

/// Lets a text of tab-separated columns answer in the place of a table's embedded
/// one, at once for all who look something up. Three comment lines at its head say
/// what it is (`# titulo: …`, `# data: …`, `# fonte: …`); then names of columns, and
/// rows in the order of their keys, as in `tables/`.
///
/// # Errors
/// The text is no whole table; what answered before goes on.
pub fn install(name: &str, text: &str) -> Result<(), Broken> {
    let replaceable = REPLACEABLE.contains(&name);
    let table = by_name(name).filter(|_| replaceable);
    let (_, table) = table.ok_or(Broken::Unknown)?;
    table.install(text)
}

/// Lets the embedded table answer again.
pub fn withdraw(name: &str) {
    if let Some((_, table)) = by_name(name) {
        table.withdraw();
    }
}

fn by_name(name: &str) -> Option<(&'static str, &'static dyn AnyTable)> {
    let place = TABLES
        .binary_search_by(|(known, _)| known.cmp(&name))
        .ok()?;
    TABLES.get(place).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tables");
        let files = std::fs::read_dir(folder).expect("tables");
        let mut files: Vec<String> = files
            .map(|file| file.expect("file").file_name().into_string().expect("name"))
            .filter_map(|name| {
                Some(
                    name.rsplit_once(".tsv")
                        .or(name.rsplit_once(".csv"))?
                        .0
                        .into(),
                )
            })
            .collect();
        files.sort();
        files.push("tipi".to_owned());
        let listed: Vec<&str> = TABLES.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, files);
        assert!(listed.is_sorted());
    }

    #[test]
    fn every_table_says_what_it_is() {
        for version in all() {
            assert!(!version.title.is_empty(), "{version:?}");
            assert!(!version.source.is_empty(), "{version:?}");
            assert!(version.rows > 0, "{version:?}");
            let form: String = version
                .date
                .chars()
                .map(|c| if c.is_ascii_digit() { '9' } else { c })
                .collect();
            let forms = ["9999", "9999-99", "9999-99-99"];
            assert!(forms.contains(&form.as_str()), "{version:?}");
            println!("{version:?}");
        }
    }

    #[test]
    fn a_table_has_its_edition() {
        let ncm = get("ncm").expect("ncm");
        assert_eq!((ncm.date, ncm.rows), ("2026-08-13", 15156));
        assert_eq!(ncm.title, "Nomenclatura Comum do Mercosul (NCM)");
        assert_eq!(get("municipios").map(|version| version.rows), Some(5571));
        assert_eq!(get("servicos_nacionais").map(|v| v.rows), Some(337));
        assert_eq!(get("x"), None);
        assert_eq!(get("tipi"), None, "none is built in");
        assert_eq!(embedded("ncm"), Some(ncm));
        assert_eq!(columns("anp"), "codigo\tdescricao");
        assert_eq!(
            embedded_rows("anp").next(),
            Some("210101001\tGAS COMBUSTIVEL")
        );
        assert_eq!(install("municipios", ""), Err(Broken::Unknown));
        assert_eq!(install("x", ""), Err(Broken::Unknown));
    }
}
