//! Which files make which table.
//!
//! Folders are those of the collection of official packages the operator
//! compiles from; the status of each package is in its list of sources.

/// One table: where it comes from.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    /// Name of the table and of its layout.
    pub name: &'static str,
    /// Target namespace.
    pub namespace: &'static str,
    /// Folder of the package.
    pub folder: &'static str,
    /// Files whose global elements are the roots.
    pub arquivos: &'static [&'static str],
    /// Further roots: element and its global type.
    pub roots: &'static [(&'static str, &'static str)],
    /// File with the concrete `detEvento`, where the envelope leaves it open
    /// or gives one for several events.
    pub det_evento: Option<&'static str>,
    /// What stands where an element takes anything.
    pub filled: Option<Filled>,
}

/// An element that the package leaves open, and what one of it must hold.
#[derive(Debug, Clone, Copy)]
pub struct Filled {
    /// Element whose content is a wildcard: `infModal`.
    pub element: &'static str,
    /// Files and the global element of each that may stand there.
    pub with: &'static [(&'static str, &'static str)],
}

const NFE: &str = "http://www.portalfiscal.inf.br/nfe";
const CTE: &str = "http://www.portalfiscal.inf.br/cte";
const MDFE: &str = "http://www.portalfiscal.inf.br/mdfe";
const NFSE: &str = "http://www.sped.fazenda.gov.br/nfse";
/// DeRE 1.2.0 (beta), as of September 2026: `evtInfoContrib` and its like.
const DERE: &str = "dere/v1_2_0";
/// NT 2025.002 v1.50 and NT 2026.007: the newest of each file that is not an event.
const CURRENT: &str = "nfe/nfelib-3.2.0";
/// Events: alphanumeric CNPJ and access key.
const EVENTS: &str = "nfe/eventos-sped-nfe-PL_010_V1.30";
/// CT-e 4.00 with the reform's groups (October 2026).
const FREIGHT: &str = "cte/nfelib-3.2.0";
/// MDF-e 3.00b (October 2026).
const MANIFEST: &str = "mdfe/nfelib-3.2.0";
const BODY: &[&str] = &[
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
pub const RECIPES: &[Recipe] = &[
    files("nfe-010b", "nfe/PL_010b_NT2025.002_v1.30", BODY),
    files("nfe-010d", "nfe/PL_010d_NT2026.004_v1.02", BODY),
    files("nfe-010e", "nfe/PL_010e_NT2025.002_v1.01", BODY),
    files("nfe-010f", CURRENT, BODY),
    files(
        "consReciNFe-4.00",
        CURRENT,
        &["consReciNFe_v4.00.xsd", "retConsReciNFe_v4.00.xsd"],
    ),
    files(
        "consSitNFe-4.00",
        CURRENT,
        &["consSitNFe_v4.00.xsd", "retConsSitNFe_v4.00.xsd"],
    ),
    files(
        "consStatServ-4.00",
        CURRENT,
        &["consStatServ_v4.00.xsd", "retConsStatServ_v4.00.xsd"],
    ),
    files(
        "inutNFe-4.00",
        // Of the current body package the Id still wants digits only.
        EVENTS,
        &[
            "inutNFe_v4.00.xsd",
            "retInutNFe_v4.00.xsd",
            "procInutNFe_v4.00.xsd",
        ],
    ),
    // Mato Grosso has an envelope of its own.
    files("inutNFe-4.00-MT", EVENTS, &["MT_inutNFe_v4.00.xsd"]),
    files(
        "consCad-2.00",
        EVENTS,
        &["consCad_v2.00.xsd", "retConsCad_v2.00.xsd"],
    ),
    files(
        "distDFeInt-1.01",
        "nfe/nfelib-3.2.0-nfe_dist_dfe",
        &[
            "distDFeInt_v1.01.xsd",
            "retDistDFeInt_v1.01.xsd",
            "resNFe_v1.01.xsd",
            "resEvento_v1.01.xsd",
        ],
    ),
    nfse_file("nfse-1.01"),
    Recipe {
        filled: Some(Filled {
            element: "infModal",
            with: MODAIS,
        }),
        ..freight(
            "cte-4.00",
            &["cte_v4.00.xsd", "procCTe_v4.00.xsd", "retCTe_v4.00.xsd"],
        )
    },
    // The answer's schema leaves the protocol and the events open.
    freight("consSitCTe-4.00", &["consSitCTe_v4.00.xsd"]),
    freight(
        "consStatServCTe-4.00",
        &["consStatServCTe_v4.00.xsd", "retConsStatServCTe_v4.00.xsd"],
    ),
    Recipe {
        roots: FREIGHT_ENVELOPES,
        ..freight("eventoCTe", FREIGHT_EVENT)
    },
    freight_event("eventoCTe-110110", &[("evCCeCTe_v4.00.xsd", "evCCeCTe")]),
    freight_event("eventoCTe-110111", &[("evCancCTe_v4.00.xsd", "evCancCTe")]),
    freight_event("eventoCTe-110113", &[("evEPECCTe_v4.00.xsd", "evEPECCTe")]),
    Recipe {
        filled: Some(Filled {
            element: "infModal",
            with: MANIFEST_MODAIS,
        }),
        // Of the answer (`retMDFe`) an element has no type in the package.
        ..manifest("mdfe-3.00", &["mdfe_v3.00.xsd", "procMDFe_v3.00.xsd"])
    },
    // As of the CT-e, the answer's schema leaves protocol and events open.
    manifest("consSitMDFe-3.00", &["consSitMDFe_v3.00.xsd"]),
    manifest(
        "consStatServMDFe-3.00",
        &[
            "consStatServMDFe_v3.00.xsd",
            "retConsStatServMDFe_v3.00.xsd",
        ],
    ),
    manifest(
        "consMDFeNaoEnc-3.00",
        &["consMDFeNaoEnc_v3.00.xsd", "retConsMDFeNaoEnc_v3.00.xsd"],
    ),
    manifest("eventoMDFe", MANIFEST_EVENT),
    manifest_event(
        "eventoMDFe-110111",
        &[("evCancMDFe_v3.00.xsd", "evCancMDFe")],
    ),
    manifest_event("eventoMDFe-110112", &[("evEncMDFe_v3.00.xsd", "evEncMDFe")]),
    manifest_event(
        "eventoMDFe-110114",
        &[("evIncCondutorMDFe_v3.00.xsd", "evIncCondutorMDFe")],
    ),
    manifest_event(
        "eventoMDFe-110115",
        &[("evInclusaoDFeMDFe_v3.00.xsd", "evIncDFeMDFe")],
    ),
    dere(
        "envioLoteDere-1.0.1",
        "http://www.dere.gov.br/schemas/envioLoteDere/v1_0_1",
        &["envioLoteDere-v1_0_1.xsd"],
    ),
    dere(
        "evtInfoContrib-1.0.1",
        "http://www.dere.gov.br/schemas/evtInfoContrib/v1_0_1",
        &["evtInfoContrib-v1_0_1.xsd"],
    ),
    dere(
        "evtPGCC-1.0.3",
        "http://www.dere.gov.br/schemas/evtPGCC/v1_0_3",
        &["evtPGCC-v1_0_3.xsd"],
    ),
    dere(
        "evtBalancete-1.0.1",
        "http://www.dere.gov.br/schemas/evtBalancete/v1_0_1",
        &["evtBalancete-v1_0_1.xsd"],
    ),
    dere(
        "evtAplicResTec-1.0.0",
        "http://www.dere.gov.br/schemas/evtAplicResTec/v1_0_0",
        &["evtAplicResTec-v1_0_0.xsd"],
    ),
    dere(
        "evtRelDeducoes-0.0.1",
        "http://www.dere.gov.br/schemas/evtRelDeducoes/v0_0_1",
        &["evtRelDeducoes-v0_0_1.xsd"],
    ),
    dere(
        "evtReabertMensal-0.0.1",
        "http://www.dere.gov.br/schemas/evtReabertMensal/v0_0_1",
        &["evtReabertMensal-v0_0_1.xsd"],
    ),
    dere(
        "evtFechMensal-0.0.2",
        "http://www.dere.gov.br/schemas/evtFechMensal/v0_0_2",
        &["evtFechMensal-v0_0_2.xsd"],
    ),
    event("evento", &["leiauteEvento_v1.00.xsd"], None),
    event("evento-110110", &["leiauteCCe_v1.00.xsd"], None),
    event("evento-110111", &["leiauteEventoCancNFe_v1.00.xsd"], None),
    event("evento-110112", &["leiauteEventoCancSubst_v1.00.xsd"], None),
    event(
        "evento-110130",
        &["leiauteEventoEntregaNFe_v1.00.xsd"],
        None,
    ),
    event(
        "evento-110131",
        &["leiauteEventoCancEntregaNFe_v1.00.xsd"],
        None,
    ),
    event("evento-110140", &["leiauteEPEC_v1.00.xsd"], None),
    event(
        "evento-110150",
        &["leiauteEventoAtorInteressado_v1.00.xsd"],
        None,
    ),
    event(
        "evento-110192",
        &["leiauteEventoInsucessoNFe_v1.00.xsd"],
        None,
    ),
    event(
        "evento-110193",
        &["leiauteEventoCancInsucessoNFe_v1.00.xsd"],
        None,
    ),
    event("evento-110750", &["leiauteEventoEConf_v1.00.xsd"], None),
    event("evento-110751", &["leiauteEventoCancEConf_v1.00.xsd"], None),
    event("evento-210200", MANIFESTATION, Some("e210200_v1.00.xsd")),
    event("evento-210210", MANIFESTATION, Some("e210210_v1.00.xsd")),
    event("evento-210220", MANIFESTATION, Some("e210220_v1.00.xsd")),
    event("evento-210240", MANIFESTATION, Some("e210240_v1.00.xsd")),
    event("evento-110001", GENERIC, Some("e110001_v1.00.xsd")),
    event("evento-111500", GENERIC, Some("e111500_v1.00.xsd")),
    event("evento-111501", GENERIC, Some("e111501_v1.00.xsd")),
    event("evento-111502", GENERIC, Some("e111502_v1.00.xsd")),
    event("evento-111503", GENERIC, Some("e111503_v1.00.xsd")),
    event("evento-112110", GENERIC, Some("e112110_v1.00.xsd")),
    // The name of this file has a space in the source.
    event("evento-112120", GENERIC, Some("e112120_v1.00 .xsd")),
    event("evento-112130", GENERIC, Some("e112130_v1.00.xsd")),
    event("evento-112140", GENERIC, Some("e112140_v1.00.xsd")),
    event("evento-112150", GENERIC, Some("e112150_v1.00.xsd")),
    event("evento-211110", GENERIC, Some("e211110_v1.00.xsd")),
    event("evento-211120", GENERIC, Some("e211120_v1.00.xsd")),
    event("evento-211124", GENERIC, Some("e211124_v1.00.xsd")),
    event("evento-211128", GENERIC, Some("e211128_v1.00.xsd")),
    event("evento-211130", GENERIC, Some("e211130_v1.00.xsd")),
    event("evento-211140", GENERIC, Some("e211140_v1.00.xsd")),
    event("evento-211150", GENERIC, Some("e211150_v1.00.xsd")),
    event("evento-212110", GENERIC, Some("e212110_v1.00.xsd")),
    event("evento-212120", GENERIC, Some("e212120_v1.00.xsd")),
    event("evento-411500", GENERIC, Some("e411500_v1.00.xsd")),
    event("evento-411501", GENERIC, Some("e411501_v1.00.xsd")),
    event("evento-411502", GENERIC, Some("e411502_v1.00.xsd")),
    event("evento-411503", GENERIC, Some("e411503_v1.00.xsd")),
    event("evento-412120", GENERIC, Some("e412120_v1.00.xsd")),
    event("evento-412130", GENERIC, Some("e412130_v1.00.xsd")),
];

/// The groups of the modals: SEFAZ judges what `infModal` holds by them.
const MODAIS: &[(&str, &str)] = &[
    ("cteModalRodoviario_v4.00.xsd", "rodo"),
    ("cteModalAereo_v4.00.xsd", "aereo"),
    ("cteModalAquaviario_v4.00.xsd", "aquav"),
    ("cteModalFerroviario_v4.00.xsd", "ferrov"),
    ("cteModalDutoviario_v4.00.xsd", "duto"),
    ("cteMultiModal_v4.00.xsd", "multimodal"),
];
const FREIGHT_EVENT: &[&str] = &["eventoCTe_v4.00.xsd", "retEventoCTe_v4.00.xsd"];
/// Its file extends the type by nothing.
const FREIGHT_ENVELOPES: &[(&str, &str)] = &[("procEventoCTe", "TProcEvento")];
const MANIFEST_MODAIS: &[(&str, &str)] = &[
    ("mdfeModalRodoviario_v3.00.xsd", "rodo"),
    ("mdfeModalAereo_v3.00.xsd", "aereo"),
    ("mdfeModalAquaviario_v3.00.xsd", "aquav"),
    ("mdfeModalFerroviario_v3.00.xsd", "ferrov"),
];
const MANIFEST_EVENT: &[&str] = &[
    "eventoMDFe_v3.00.xsd",
    "retEventoMDFe_v3.00.xsd",
    "procEventoMDFe_v3.00.xsd",
];
const GENERIC: &[&str] = &["leiauteEvento_v1.00.xsd"];
/// Its own `detEvento` serves the four manifestations; the file of each is stricter.
const MANIFESTATION: &[&str] = &["leiauteConfRecebto_v1.00.xsd"];

const fn files(name: &'static str, folder: &'static str, files: &'static [&'static str]) -> Recipe {
    Recipe {
        name,
        namespace: NFE,
        folder,
        arquivos: files,
        roots: &[],
        det_evento: None,
        filled: None,
    }
}

const fn nfse_file(name: &'static str) -> Recipe {
    Recipe {
        name,
        namespace: NFSE,
        folder: "nfse-nacional/v1.01-20260727",
        arquivos: &[
            "DPS_v1.01.xsd",
            "NFSe_v1.01.xsd",
            "pedRegEvento_v1.01.xsd",
            "evento_v1.01.xsd",
        ],
        roots: &[],
        det_evento: None,
        filled: None,
    }
}

const fn event(
    name: &'static str,
    files: &'static [&'static str],
    det_event: Option<&'static str>,
) -> Recipe {
    Recipe {
        name,
        namespace: NFE,
        folder: EVENTS,
        arquivos: files,
        roots: ENVELOPES,
        det_evento: det_event,
        filled: None,
    }
}

const fn freight(name: &'static str, files: &'static [&'static str]) -> Recipe {
    Recipe {
        namespace: CTE,
        ..self::files(name, FREIGHT, files)
    }
}

const fn dere(
    name: &'static str,
    namespace: &'static str,
    files: &'static [&'static str],
) -> Recipe {
    Recipe {
        namespace,
        ..self::files(name, DERE, files)
    }
}

const fn freight_event(
    name: &'static str,
    with: &'static [(&'static str, &'static str)],
) -> Recipe {
    Recipe {
        filled: Some(Filled {
            element: "detEvento",
            with,
        }),
        roots: FREIGHT_ENVELOPES,
        ..freight(name, FREIGHT_EVENT)
    }
}

const fn manifest(name: &'static str, files: &'static [&'static str]) -> Recipe {
    Recipe {
        namespace: MDFE,
        ..self::files(name, MANIFEST, files)
    }
}

const fn manifest_event(
    name: &'static str,
    with: &'static [(&'static str, &'static str)],
) -> Recipe {
    Recipe {
        filled: Some(Filled {
            element: "detEvento",
            with,
        }),
        ..manifest(name, MANIFEST_EVENT)
    }
}
