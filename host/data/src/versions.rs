//! Which edition of each table is embedded: what its own first lines say.

use std::sync::OnceLock;

use crate::authorities::{cancellation, cstat, event_kinds, gnre, nfce};
use crate::companies::{banks, cnae};
use crate::goods::{anp, cest, ncm};
use crate::places::{area_codes, cities, countries, municipalities, plates, postal};
use crate::services;
use crate::table;
use crate::taxes::{cbenef, cfop, class_trib, ibs_cbs, icms, monophasic};
use crate::taxes::{rates, simples, situations};

type Text = fn() -> &'static str;

/// Every table by the name of its file, without the ending.
static TABLES: [(&str, Text); 41] = [
    ("anp", || anp::TABLE.text()),
    ("bancos", || banks::TABLE.text()),
    ("cancelamento", || cancellation::TABLE.text()),
    ("cbenef", || cbenef::SP.text()),
    ("cep", || postal::CITIES.text()),
    ("cep_ufs", || postal::STATES.text()),
    ("cest", || cest::TABLE.text()),
    ("cest_segmentos", || cest::SEGMENTS.text()),
    ("cfop", || cfop::TABLE.text()),
    ("cidades", || cities::TABLE.text()),
    ("class_trib", || class_trib::CLASSES.text()),
    ("cnae", || cnae::TABLE.text()),
    ("cnae_anexos", || cnae::ANNEXES.text()),
    ("cnae_lc116", || cnae::ITEMS.text()),
    ("cnae_niveis", || cnae::LEVELS.text()),
    ("cred_pres", || class_trib::CREDITOS.text()),
    ("cst_ibs_cbs", || class_trib::CST.text()),
    ("cstat", || cstat::TABLE.text()),
    ("cstat_categorias", || cstat::CATEGORIES.text()),
    ("ddd", || area_codes::TABLE.text()),
    ("difal_base", || icms::DIFAL.text()),
    ("eventos", || event_kinds::TABLE.text()),
    ("fcp", || icms::FCP.text()),
    ("gnre_receitas", || gnre::REVENUES.text()),
    ("gnre_ufs", || gnre::STATES.text()),
    ("ibs_cbs_aliquotas", || rates::TABLE.text()),
    ("icms_interna", || icms::INTERNAL_RATES.text()),
    ("lc214_anexos", || ibs_cbs::ANNEXES.text()),
    ("lc214_itens", || ibs_cbs::ITEMS.text()),
    ("lc214_ncm", || ibs_cbs::PREFIXES.text()),
    ("monofasicos", || monophasic::REGIMES.text()),
    ("monofasicos_ncm", || monophasic::PREFIXES.text()),
    ("municipios", || municipalities::TABLE.text()),
    ("ncm", || ncm::TABLE.text()),
    ("nfce_urls", || nfce::TABLE.text()),
    ("paises", || countries::TABLE.text()),
    ("pix_participantes", || banks::PIX.text()),
    ("placas", || plates::TABLE.text()),
    ("servicos_nacionais", || services::TABLE),
    ("simples", || simples::TABLE.text()),
    ("situacoes", || situations::TABLE.text()),
];

/// An embedded table.
#[derive(Debug, PartialEq, Eq)]
pub struct Version {
    /// Of its file, without the ending.
    pub name: &'static str,
    /// For customers, in Portuguese.
    pub title: &'static str,
    /// The state it shows: `AAAA-MM-DD`, `AAAA-MM` or `AAAA`, as exactly as is
    /// known.
    pub date: &'static str,
    /// Who published it, in Portuguese; "segunda mão" where the publication
    /// itself was not read.
    pub source: &'static str,
    pub rows: usize,
}

/// All tables, by name.
pub fn all() -> &'static [Version] {
    static VERSIONS: OnceLock<Vec<Version>> = OnceLock::new();
    VERSIONS.get_or_init(|| {
        let versions = TABLES.iter().map(|(name, text)| {
            let text = text();
            let comment = |name| table::comment(text, name).unwrap_or_default();
            Version {
                name,
                title: comment("titulo"),
                date: comment("data"),
                source: comment("fonte"),
                rows: table::data(text).count(),
            }
        });
        versions.collect()
    })
}

/// The table of a name.
pub fn get(name: &str) -> Option<&'static Version> {
    let versions = all();
    let place = versions
        .binary_search_by(|version| version.name.cmp(name))
        .ok()?;
    versions.get(place)
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
        let listed: Vec<&str> = all().iter().map(|version| version.name).collect();
        assert_eq!(listed, files);
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
    }
}
