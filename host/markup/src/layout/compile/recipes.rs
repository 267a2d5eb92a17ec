//! Which files make which table.
//!
//! Folders are those of the collection of official packages the operator
//! compiles from; the status of each package is in its list of sources.

/// One table: where it comes from.
#[derive(Debug, Clone, Copy)]
pub struct Receita {
    /// Name of the table and of its layout.
    pub nome: &'static str,
    /// Target namespace.
    pub namespace: &'static str,
    /// Folder of the package.
    pub pasta: &'static str,
    /// Files whose global elements are the roots.
    pub arquivos: &'static [&'static str],
    /// Further roots: element and its global type.
    pub raizes: &'static [(&'static str, &'static str)],
    /// File with the concrete `detEvento`, where the envelope leaves it open
    /// or gives one for several events.
    pub det_evento: Option<&'static str>,
}

const NFE: &str = "http://www.portalfiscal.inf.br/nfe";
const NFSE: &str = "http://www.sped.fazenda.gov.br/nfse";
/// NT 2025.002 v1.50 and NT 2026.007: the newest of each file that is not an event.
const ATUAL: &str = "nfe/nfelib-3.2.0";
/// Events: alphanumeric CNPJ and access key.
const EVENTOS: &str = "nfe/eventos-sped-nfe-PL_010_V1.30";
const CORPO: &[&str] = &[
    "nfe_v4.00.xsd",
    "procNFe_v4.00.xsd",
    "enviNFe_v4.00.xsd",
    "retEnviNFe_v4.00.xsd",
];
const ENVELOPES: &[(&str, &str)] = &[
    ("evento", "TEvento"),
    ("envEvento", "TEnvEvento"),
    ("retEnvEvento", "TRetEnvEvento"),
    ("procEventoNFe", "TProcEvento"),
];

/// All tables of the product.
pub const RECEITAS: &[Receita] = &[
    arquivos("nfe-010b", "nfe/PL_010b_NT2025.002_v1.30", CORPO),
    arquivos("nfe-010d", "nfe/PL_010d_NT2026.004_v1.02", CORPO),
    arquivos("nfe-010e", "nfe/PL_010e_NT2025.002_v1.01", CORPO),
    arquivos("nfe-010f", ATUAL, CORPO),
    arquivos(
        "consReciNFe-4.00",
        ATUAL,
        &["consReciNFe_v4.00.xsd", "retConsReciNFe_v4.00.xsd"],
    ),
    arquivos(
        "consSitNFe-4.00",
        ATUAL,
        &["consSitNFe_v4.00.xsd", "retConsSitNFe_v4.00.xsd"],
    ),
    arquivos(
        "consStatServ-4.00",
        ATUAL,
        &["consStatServ_v4.00.xsd", "retConsStatServ_v4.00.xsd"],
    ),
    arquivos(
        "inutNFe-4.00",
        // Of the current body package the Id still wants digits only.
        EVENTOS,
        &[
            "inutNFe_v4.00.xsd",
            "retInutNFe_v4.00.xsd",
            "procInutNFe_v4.00.xsd",
        ],
    ),
    // Mato Grosso has an envelope of its own.
    arquivos("inutNFe-4.00-MT", EVENTOS, &["MT_inutNFe_v4.00.xsd"]),
    arquivos(
        "consCad-2.00",
        EVENTOS,
        &["consCad_v2.00.xsd", "retConsCad_v2.00.xsd"],
    ),
    arquivos(
        "distDFeInt-1.01",
        "nfe/nfelib-3.2.0-nfe_dist_dfe",
        &[
            "distDFeInt_v1.01.xsd",
            "retDistDFeInt_v1.01.xsd",
            "resNFe_v1.01.xsd",
            "resEvento_v1.01.xsd",
        ],
    ),
    arquivo_nfse("nfse-1.01"),
    evento("evento", &["leiauteEvento_v1.00.xsd"], None),
    evento("evento-110110", &["leiauteCCe_v1.00.xsd"], None),
    evento("evento-110111", &["leiauteEventoCancNFe_v1.00.xsd"], None),
    evento("evento-110112", &["leiauteEventoCancSubst_v1.00.xsd"], None),
    evento(
        "evento-110130",
        &["leiauteEventoEntregaNFe_v1.00.xsd"],
        None,
    ),
    evento(
        "evento-110131",
        &["leiauteEventoCancEntregaNFe_v1.00.xsd"],
        None,
    ),
    evento("evento-110140", &["leiauteEPEC_v1.00.xsd"], None),
    evento(
        "evento-110150",
        &["leiauteEventoAtorInteressado_v1.00.xsd"],
        None,
    ),
    evento(
        "evento-110192",
        &["leiauteEventoInsucessoNFe_v1.00.xsd"],
        None,
    ),
    evento(
        "evento-110193",
        &["leiauteEventoCancInsucessoNFe_v1.00.xsd"],
        None,
    ),
    evento("evento-110750", &["leiauteEventoEConf_v1.00.xsd"], None),
    evento("evento-110751", &["leiauteEventoCancEConf_v1.00.xsd"], None),
    evento("evento-210200", MANIFESTACAO, Some("e210200_v1.00.xsd")),
    evento("evento-210210", MANIFESTACAO, Some("e210210_v1.00.xsd")),
    evento("evento-210220", MANIFESTACAO, Some("e210220_v1.00.xsd")),
    evento("evento-210240", MANIFESTACAO, Some("e210240_v1.00.xsd")),
    evento("evento-110001", GENERICO, Some("e110001_v1.00.xsd")),
    evento("evento-111500", GENERICO, Some("e111500_v1.00.xsd")),
    evento("evento-111501", GENERICO, Some("e111501_v1.00.xsd")),
    evento("evento-111502", GENERICO, Some("e111502_v1.00.xsd")),
    evento("evento-111503", GENERICO, Some("e111503_v1.00.xsd")),
    evento("evento-112110", GENERICO, Some("e112110_v1.00.xsd")),
    // The name of this file has a space in the source.
    evento("evento-112120", GENERICO, Some("e112120_v1.00 .xsd")),
    evento("evento-112130", GENERICO, Some("e112130_v1.00.xsd")),
    evento("evento-112140", GENERICO, Some("e112140_v1.00.xsd")),
    evento("evento-112150", GENERICO, Some("e112150_v1.00.xsd")),
    evento("evento-211110", GENERICO, Some("e211110_v1.00.xsd")),
    evento("evento-211120", GENERICO, Some("e211120_v1.00.xsd")),
    evento("evento-211124", GENERICO, Some("e211124_v1.00.xsd")),
    evento("evento-211128", GENERICO, Some("e211128_v1.00.xsd")),
    evento("evento-211130", GENERICO, Some("e211130_v1.00.xsd")),
    evento("evento-211140", GENERICO, Some("e211140_v1.00.xsd")),
    evento("evento-211150", GENERICO, Some("e211150_v1.00.xsd")),
    evento("evento-212110", GENERICO, Some("e212110_v1.00.xsd")),
    evento("evento-212120", GENERICO, Some("e212120_v1.00.xsd")),
    evento("evento-411500", GENERICO, Some("e411500_v1.00.xsd")),
    evento("evento-411501", GENERICO, Some("e411501_v1.00.xsd")),
    evento("evento-411502", GENERICO, Some("e411502_v1.00.xsd")),
    evento("evento-411503", GENERICO, Some("e411503_v1.00.xsd")),
    evento("evento-412120", GENERICO, Some("e412120_v1.00.xsd")),
    evento("evento-412130", GENERICO, Some("e412130_v1.00.xsd")),
];

const GENERICO: &[&str] = &["leiauteEvento_v1.00.xsd"];
/// Its own `detEvento` serves the four manifestations; the file of each is stricter.
const MANIFESTACAO: &[&str] = &["leiauteConfRecebto_v1.00.xsd"];

const fn arquivos(
    nome: &'static str,
    pasta: &'static str,
    arquivos: &'static [&'static str],
) -> Receita {
    Receita {
        nome,
        namespace: NFE,
        pasta,
        arquivos,
        raizes: &[],
        det_evento: None,
    }
}

const fn arquivo_nfse(nome: &'static str) -> Receita {
    Receita {
        nome,
        namespace: NFSE,
        pasta: "nfse-nacional/v1.01-20260727",
        arquivos: &[
            "DPS_v1.01.xsd",
            "NFSe_v1.01.xsd",
            "pedRegEvento_v1.01.xsd",
            "evento_v1.01.xsd",
        ],
        raizes: &[],
        det_evento: None,
    }
}

const fn evento(
    nome: &'static str,
    arquivos: &'static [&'static str],
    det_evento: Option<&'static str>,
) -> Receita {
    Receita {
        nome,
        namespace: NFE,
        pasta: EVENTOS,
        arquivos,
        raizes: ENVELOPES,
        det_evento,
    }
}
