//! Where the official file of each kind is published.

use store::tables::editions::DatasetKind;

/// The source of a kind of import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    pub kind: DatasetKind,
    /// Who publishes it, and where.
    pub place: &'static str,
    /// How often.
    pub cadence: &'static str,
}

/// One of each kind.
pub const ALL: [Source; 4] = [
    Source {
        kind: DatasetKind::Ibpt,
        place: "IBPT, De Olho no Imposto (free registration): zip of 27 csv, one for each state",
        cadence: "twice a year, with revisions",
    },
    Source {
        kind: DatasetKind::Mva,
        place: "each state's RICMS and the Portal Nacional da ST (CONFAZ), brought into one csv: uf_destino, uf_origem or *, cest, ncm_prefixo, acordo, mva_original, mva_4, mva_7, mva_12, pauta, reducao_bc, fcp_st, inicio, fim, fonte",
        cadence: "as states change their rules",
    },
    Source {
        kind: DatasetKind::Products,
        place: "the operator's own list: csv with the columns gtin, nome, marca, ncm, cest, unidade, imagem_url, peso_kg, altura_cm, largura_cm, profundidade_cm",
        cadence: "as the operator changes it",
    },
    Source {
        kind: DatasetKind::OpenFoodFacts,
        place: "Open Food Facts (ODbL): openfoodfacts-products.jsonl.gz of world.openfoodfacts.org/data",
        cadence: "daily",
    },
];
