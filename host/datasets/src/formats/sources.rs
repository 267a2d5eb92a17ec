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
pub const ALL: [Source; 14] = [
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
    Source {
        kind: DatasetKind::Ncm,
        place: "Portal Único Siscomex, Classificação Fiscal: nomenclatura/download/json; units (uTrib): NF-e portal, Documentos, Diversos, \"NCM e uTrib\" (xlsx)",
        cadence: "several times a year (Gecex)",
    },
    Source {
        kind: DatasetKind::Tipi,
        place: "Receita Federal, TIPI: tipi.xlsx (--date: the day of its last change)",
        cadence: "as decrees change it",
    },
    Source {
        kind: DatasetKind::Cest,
        place: "CONFAZ, Convênio ICMS 142/2018, annexes II to XXVI, brought into one csv: cest, ncm, descricao, segmento",
        cadence: "as convênios change it",
    },
    Source {
        kind: DatasetKind::Anp,
        place: "ANP, SIMP: table of product codes (xlsx)",
        cadence: "monthly",
    },
    Source {
        kind: DatasetKind::Cbenef,
        place: "each state's SEFAZ, brought into one csv a state (cbenef_RJ.csv): codigo, descricao, cst, legislacao, observacao",
        cadence: "as states change it",
    },
    Source {
        kind: DatasetKind::ClassTrib,
        place: "NF-e portal, Documentos, Diversos: workbook of CST and cClassTrib (xlsx)",
        cadence: "about every two months",
    },
    Source {
        kind: DatasetKind::Banks,
        place: "Banco Central: ParticipantesSTR.csv, and lista-participantes-instituicoes-em-adesao-pix-AAAAMMDD.csv",
        cadence: "daily",
    },
    Source {
        kind: DatasetKind::Cnpj,
        place: "Receita Federal, dados abertos do CNPJ (arquivos.receitafederal.gov.br): a folder a month with the zips Empresas, Estabelecimentos, Socios, Simples, Cnaes, Motivos, Municipios, Naturezas, Paises, Qualificacoes",
        cadence: "monthly",
    },
    Source {
        kind: DatasetKind::Cnefe,
        place: "IBGE, Cadastro Nacional de Endereços para Fins Estatísticos: a zip of one csv for each state (ftp.ibge.gov.br)",
        cadence: "with each census",
    },
    Source {
        kind: DatasetKind::Edne,
        place: "Correios, e-DNE Básico (contract): the zip, or its folder Delimitado",
        cadence: "every two weeks",
    },
];
