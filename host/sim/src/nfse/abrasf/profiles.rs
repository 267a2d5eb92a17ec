//! The vendors: how each one wants its envelope, its signatures and its names.

use crate::nfse::layout::{
    ABRASF_1_00, ABRASF_2_03, ABRASF_2_04, FIORILLI_2_00, GISS_2_04, Layout, WEBISS_2_02,
};
use crate::request::SimRequest;

/// Namespace of ABRASF 2.x.
pub(super) const ABRASF: &str = "http://www.abrasf.org.br/nfse.xsd";
/// Namespaces seen in ABRASF 1.00; the first is the one answers use.
pub(super) const ABRASF_1: [&str; 3] = [
    "http://www.abrasf.org.br/ABRASF/arquivos/nfse.xsd",
    "http:/www.abrasf.org.br/nfse.xsd",
    "http://www.abrasf.org.br/nfse",
];
const GISS_TYPES: &str = "http://www.giss.com.br/tipos-v2_04.xsd";

/// How one vendor speaks.
pub struct Profile {
    /// Name in the state and the counters.
    pub id: &'static str,
    /// Version of the layout, as the attribute `versao` gives it.
    pub version: &'static str,
    layout: fn() -> &'static Layout,
    pub(crate) envelope: Envelope,
    pub(crate) spaces: Spaces,
    /// Parts that must be signed. What is signed without need is verified too.
    pub(crate) signed: &'static [Part],
    pub(crate) codes: Codes,
    /// Milliseconds an asynchronous batch waits.
    pub queue_ms: i64,
    /// Notes are numbered `AAAA` and eleven digits.
    pub yearly_numbers: bool,
    /// `InfNfse` carries `ChaveAcesso` (WebISS since the tax reform).
    pub access_key: bool,
}

/// How the message lies in the SOAP body.
pub(crate) enum Envelope {
    /// `<Op{suffix}><head/><data/></Op>`, both as text.
    Texts {
        /// Namespace of the operation element.
        service: &'static str,
        suffix: &'static str,
        head: &'static str,
        data: &'static str,
        /// What precedes the operation in `SOAPAction`; `None`: not looked at.
        action: Option<&'static str>,
        /// Element of the answer; empty: `{Op}Result`.
        output: &'static str,
    },
    /// `<op>{message}<username/><password/></op>`, as elements.
    Elements { service: &'static str },
    /// Any of these: for cities without a profile of their own.
    Any,
}

/// Namespaces of the messages.
pub(crate) enum Spaces {
    /// One for everything; the first is used in answers.
    One(&'static [&'static str]),
    /// One for each message and one for the types.
    PerMessage,
}

/// Parts that can be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Rps,
    Batch,
    Cancellation,
    Replacement,
    Query,
}

/// Codes that differ between vendors.
pub(crate) struct Codes {
    pub unsigned: &'static str,
    pub bad_signature: &'static str,
    pub rps_not_found: &'static str,
    /// Signature refusals come inside a `V999` with escaped XML (seen at Giss).
    pub inside_v999: bool,
}

/// Operations, with their four names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Generate,
    Batch,
    SynchronousBatch,
    QueryBatch,
    BatchStatus,
    ByRps,
    Range,
    Rendered,
    Notas,
    Cancel,
    Replace,
}

/// Operation, name in the service, message, operation for faults and counters.
const OPS: [(Op, &str, &str, &str); 11] = [
    (Op::Generate, "GerarNfse", "GerarNfse", "emitir"),
    (Op::Batch, "RecepcionarLoteRps", "EnviarLoteRps", "emitir"),
    (
        Op::SynchronousBatch,
        "RecepcionarLoteRpsSincrono",
        "EnviarLoteRpsSincrono",
        "emitir",
    ),
    (
        Op::QueryBatch,
        "ConsultarLoteRps",
        "ConsultarLoteRps",
        "consultar_lote",
    ),
    (
        Op::BatchStatus,
        "ConsultarSituacaoLoteRps",
        "ConsultarSituacaoLoteRps",
        "consultar_lote",
    ),
    (
        Op::ByRps,
        "ConsultarNfsePorRps",
        "ConsultarNfseRps",
        "consultar",
    ),
    (
        Op::Range,
        "ConsultarNfsePorFaixa",
        "ConsultarNfseFaixa",
        "consultar",
    ),
    (
        Op::Rendered,
        "ConsultarNfseServicoPrestado",
        "ConsultarNfseServicoPrestado",
        "consultar",
    ),
    (Op::Notas, "ConsultarNfse", "ConsultarNfse", "consultar"),
    (Op::Cancel, "CancelarNfse", "CancelarNfse", "cancelar"),
    (
        Op::Replace,
        "SubstituirNfse",
        "SubstituirNfse",
        "substituir",
    ),
];

impl Op {
    fn row(self) -> &'static (Op, &'static str, &'static str, &'static str) {
        // The table has every operation; the first line stands in for none.
        OPS.iter().find(|r| r.0 == self).unwrap_or(&OPS[0])
    }

    pub fn service_name(self) -> &'static str {
        self.row().1
    }

    pub fn request_root(self) -> String {
        format!("{}Envio", self.row().2)
    }

    pub fn answer_root(self) -> String {
        format!("{}Resposta", self.row().2)
    }

    pub fn operation(self) -> &'static str {
        self.row().3
    }

    /// By the name in the service, capitals of the first letter ignored.
    pub fn by_service(name: &str) -> Option<Op> {
        OPS.iter()
            .find(|r| r.1.eq_ignore_ascii_case(name))
            .map(|r| r.0)
    }

    /// By the message's root, which some systems name like the service or
    /// write with small letters.
    pub fn by_root(root: &str) -> Option<Op> {
        let (stem, end) = root.split_at_checked(root.len().checked_sub("Envio".len())?)?;
        let named = |name: &str| name.eq_ignore_ascii_case(stem);
        end.eq_ignore_ascii_case("Envio")
            .then(|| OPS.iter().find(|r| named(r.2) || named(r.1)))?
            .map(|r| r.0)
    }
}

impl Profile {
    /// Structure of its requests.
    pub fn layout(&self) -> &'static Layout {
        (self.layout)()
    }

    /// Whether it stands for any system without a profile of its own.
    pub fn any_system(&self) -> bool {
        matches!(self.envelope, Envelope::Any)
    }

    /// Whether it speaks ABRASF 1.00.
    pub fn first_generation(&self) -> bool {
        self.version == "1.00"
    }

    /// Addresses of a message's namespaces, by label, for the structure check.
    pub fn namespaces(&self, root: &str, found: &str) -> Vec<(&'static str, String)> {
        match &self.spaces {
            Spaces::One(all) => {
                let ns = all
                    .iter()
                    .find(|ns| **ns == found)
                    .or(all.first())
                    .copied()
                    .unwrap_or_default();
                vec![("", ns.to_owned())]
            }
            Spaces::PerMessage => vec![("", giss_space(root)), ("tipos", GISS_TYPES.to_owned())],
        }
    }

    /// Declarations and prefixes of an answer: (attributes, message, types).
    pub fn answer_style(&self, root: &str) -> (String, &'static str, &'static str) {
        match (&self.spaces, &self.envelope) {
            (Spaces::PerMessage, _) => (
                format!(
                    " xmlns:ns3=\"{}\" xmlns:ns2=\"{GISS_TYPES}\"",
                    giss_space(root)
                ),
                "ns3:",
                "ns2:",
            ),
            // JAX-WS servers write a prefix everywhere.
            (Spaces::One(all), Envelope::Elements { .. }) => (
                format!(
                    " xmlns:ns2=\"{}\"",
                    all.first().copied().unwrap_or_default()
                ),
                "ns2:",
                "ns2:",
            ),
            (Spaces::One(all), _) => (
                format!(" xmlns=\"{}\"", all.first().copied().unwrap_or_default()),
                "",
                "",
            ),
        }
    }
}

/// Namespace of a message of Giss, by its element: `EnviarLoteRpsEnvio` becomes
/// `http://www.giss.com.br/enviar-lote-rps-envio-v2_04.xsd`.
pub fn giss_space(root: &str) -> String {
    let mut words = String::new();
    for c in root.chars() {
        if c.is_ascii_uppercase() && !words.is_empty() {
            words.push('-');
        }
        words.push(c.to_ascii_lowercase());
    }
    format!("http://www.giss.com.br/{words}-v2_04.xsd")
}

const ALL_SIGNED: &[Part] = &[
    Part::Rps,
    Part::Batch,
    Part::Cancellation,
    Part::Replacement,
];
/// E174 is quoted for an unsigned RPS; E172 for a wrong signature is chosen.
const COMMON_CODES: Codes = Codes {
    unsigned: "E174",
    bad_signature: "E172",
    rps_not_found: "E4",
    inside_v999: false,
};

static WEBISS: Profile = Profile {
    id: "webiss-2.02",
    version: "2.02",
    layout: || &WEBISS_2_02,
    envelope: Envelope::Texts {
        service: "http://nfse.abrasf.org.br",
        suffix: "Request",
        head: "nfseCabecMsg",
        data: "nfseDadosMsg",
        action: Some("http://nfse.abrasf.org.br/"),
        output: "outputXML",
    },
    spaces: Spaces::One(&[ABRASF]),
    signed: ALL_SIGNED,
    codes: Codes {
        unsigned: "E324",
        bad_signature: "E324",
        rps_not_found: "E4",
        inside_v999: false,
    },
    queue_ms: 800,
    yearly_numbers: true,
    access_key: true,
};

static WEBISS_1: Profile = Profile {
    id: "webiss-1.00",
    version: "1.00",
    layout: || &ABRASF_1_00,
    envelope: Envelope::Texts {
        service: "http://tempuri.org/",
        suffix: "",
        head: "cabec",
        data: "msg",
        action: Some("http://tempuri.org/INfseServices/"),
        output: "",
    },
    spaces: Spaces::One(&ABRASF_1),
    signed: &[Part::Batch],
    codes: COMMON_CODES,
    queue_ms: 800,
    yearly_numbers: true,
    access_key: false,
};

static FIORILLI: Profile = Profile {
    id: "fiorilli-2.00",
    version: "2.00",
    layout: || &FIORILLI_2_00,
    envelope: Envelope::Elements {
        service: "http://ws.issweb.fiorilli.com.br/",
    },
    spaces: Spaces::One(&[ABRASF]),
    signed: ALL_SIGNED,
    codes: COMMON_CODES,
    queue_ms: 800,
    yearly_numbers: false,
    access_key: false,
};

static GISS: Profile = Profile {
    id: "giss-2.04",
    version: "2.04",
    layout: || &GISS_2_04,
    envelope: Envelope::Texts {
        service: "http://nfse.abrasf.org.br",
        suffix: "Request",
        head: "nfseCabecMsg",
        data: "nfseDadosMsg",
        action: None,
        output: "outputXML",
    },
    spaces: Spaces::PerMessage,
    signed: &[
        Part::Rps,
        Part::Batch,
        Part::Cancellation,
        Part::Replacement,
        Part::Query,
    ],
    codes: Codes {
        unsigned: "E174",
        bad_signature: "E172",
        rps_not_found: "E123",
        inside_v999: true,
    },
    queue_ms: 1_500,
    yearly_numbers: false,
    access_key: false,
};

const fn generic(
    id: &'static str,
    version: &'static str,
    layout: fn() -> &'static Layout,
    spaces: Spaces,
) -> Profile {
    Profile {
        id,
        version,
        layout,
        envelope: Envelope::Any,
        spaces,
        signed: &[],
        codes: COMMON_CODES,
        queue_ms: 800,
        yearly_numbers: false,
        access_key: false,
    }
}

/// One name in the state for all: a query need not say its version.
const GENERIC: &str = "abrasf";

static GENERIC_1: Profile = generic(GENERIC, "1.00", || &ABRASF_1_00, Spaces::One(&ABRASF_1));
static GENERIC_2_03: Profile = generic(GENERIC, "2.03", || &ABRASF_2_03, Spaces::One(&[ABRASF]));
static GENERIC_2_04: Profile = generic(GENERIC, "2.04", || &ABRASF_2_04, Spaces::One(&[ABRASF]));

/// The profile that answers for a host and a path. A city without a profile is
/// taken by the namespace and the version its message names.
pub fn profile(host: &str, req: &SimRequest) -> &'static Profile {
    let path = req.plain_path();
    let ends = |domain: &str| host == domain || host.ends_with(&format!(".{domain}"));
    if ends("webiss.com.br") {
        return if path.to_ascii_lowercase().contains("nfseservices.svc") {
            &WEBISS_1
        } else {
            &WEBISS
        };
    }
    if ends("giss.com.br") {
        return &GISS;
    }
    if path.contains("IssWeb-ejb/IssWebWS/") || path.ends_with("IssWeb-ejb/IssWebWS") {
        return &FIORILLI;
    }
    let body = String::from_utf8_lossy(
        req.body
            .get(..req.body.len().min(64 * 1024))
            .unwrap_or_default(),
    );
    // What only the first generation has, and what is no message at all.
    let only_first = [
        "InfRps",
        "ConsultarSituacaoLoteRpsEnvio",
        "ConsultarNfseEnvio",
    ];
    let first = !body.contains("Envio")
        || only_first.iter().any(|name| body.contains(name))
        || ABRASF_1.iter().any(|ns| body.contains(ns));
    if first && !body.contains(ABRASF) {
        &GENERIC_1
    } else if body.contains("2.04") {
        &GENERIC_2_04
    } else {
        &GENERIC_2_03
    }
}
