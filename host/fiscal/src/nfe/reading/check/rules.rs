//! The rules as rows: which code, over which documents and models, since when,
//! from which publication. Findings are made by these rows ([`super::Findings`]):
//! a rule that was not in force on the document's day, or is not of its model,
//! finds nothing. `GET /api/v1/fiscal/regras` is this list.

use super::validity::{CALENDAR, Regras};
use data::cstat;
use time::Date;

/// What a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// An NF-e or NFC-e.
    Nota,
    /// An event of one.
    Evento,
    /// A voided range of numbers.
    Voiding,
    /// A document of the national NFS-e.
    Nfse,
}

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// `cStat`, the code of annex I of the NFS-e, or a word of ours.
    pub codigo: &'static str,
    pub subjects: &'static [Subject],
    /// `55`, `65`; none for the NFS-e.
    pub modelos: &'static [u8],
    /// The set of rules it came with; none: documents of every day are judged by
    /// it.
    pub since: Option<Regras>,
    /// The publication it is from.
    pub source: &'static str,
}

/// Rules of one publication.
struct Group {
    subjects: &'static [Subject],
    modelos: &'static [u8],
    since: Option<Regras>,
    source: &'static str,
    codes: &'static [&'static str],
}

const BOTH: &[u8] = &[55, 65];
const NFE: &[u8] = &[55];
const NFCE: &[u8] = &[65];

const MOC: &str = "MOC 7.0, anexo I";
const DANFE_NFCE: &str = "Manual do DANFE NFC-e 5.0";
const REFORM: &str = "NT 2025.002";
const NFSE_RULES: &str = "NFS-e nacional, anexo I, leiaute 1.01";

const GROUPS: &[Group] = &[
    Group {
        subjects: &[Subject::Nota],
        modelos: BOTH,
        since: None,
        source: MOC,
        codes: &[
            "208",
            "209",
            "210",
            "211",
            "227",
            "237",
            "253",
            "254",
            "270",
            "271",
            "272",
            "273",
            "274",
            "275",
            "276",
            "277",
            "278",
            "279",
            "321",
            "323",
            "325",
            "437",
            "440",
            "504",
            "506",
            "512",
            "514",
            "518",
            "519",
            "528",
            "531",
            "532",
            "533",
            "534",
            "535",
            "536",
            "537",
            "538",
            "540",
            "541",
            "542",
            "543",
            "544",
            "547",
            "548",
            "549",
            "550",
            "552",
            "564",
            "590",
            "591",
            "601",
            "602",
            "603",
            "604",
            "605",
            "606",
            "607",
            "608",
            "609",
            "610",
            "611",
            "612",
            "629",
            "630",
            "685",
            "703",
            "731",
            "732",
            "733",
            "744",
            "795",
            "798",
            "799",
            "800",
            "851",
            "859",
            "861",
            "862",
            "863",
            "865",
            "866",
            "869",
            "870",
            "900",
            "902",
            "967",
            "968",
            "969",
            "973",
            "cfop_inexistente",
            "cnpj_invalido",
            "cpf_invalido",
            "cst_inexistente",
            "total_difere",
        ],
    },
    Group {
        subjects: &[Subject::Nota, Subject::Evento],
        modelos: BOTH,
        since: None,
        source: MOC,
        codes: &["236"],
    },
    Group {
        subjects: &[Subject::Nota, Subject::Voiding],
        modelos: BOTH,
        since: None,
        source: MOC,
        codes: &["207", "502"],
    },
    Group {
        subjects: &[Subject::Nota, Subject::Evento, Subject::Voiding],
        modelos: BOTH,
        since: None,
        source: MOC,
        codes: &["297", "298"],
    },
    Group {
        subjects: &[Subject::Nota],
        modelos: NFE,
        since: None,
        source: MOC,
        codes: &["232", "696", "710"],
    },
    Group {
        subjects: &[Subject::Nota],
        modelos: NFCE,
        since: None,
        source: MOC,
        codes: &["705", "709", "717", "753", "899"],
    },
    Group {
        subjects: &[Subject::Nota],
        modelos: NFCE,
        since: None,
        source: DANFE_NFCE,
        codes: &[
            "394",
            "903",
            "qrcode_ambiente",
            "qrcode_chave",
            "qrcode_forma",
        ],
    },
    Group {
        subjects: &[Subject::Nota],
        modelos: NFCE,
        since: Some(Regras::Reforma),
        source: DANFE_NFCE,
        codes: &["395", "878"],
    },
    Group {
        subjects: &[Subject::Nota],
        modelos: BOTH,
        since: Some(Regras::Invoice),
        source: "NT 2016.002",
        codes: &["905"],
    },
    Group {
        subjects: &[Subject::Nota],
        modelos: BOTH,
        since: Some(Regras::Invoice),
        source: "Convênio ICMS 142/2018",
        codes: &["cest_inexistente", "cest_ncm"],
    },
    Group {
        subjects: &[Subject::Nota],
        modelos: BOTH,
        since: Some(Regras::NumericCode),
        source: "NT 2019.001",
        codes: &["897", "927"],
    },
    Group {
        subjects: &[Subject::Nota],
        modelos: BOTH,
        since: Some(Regras::Payment),
        source: "NT 2020.006",
        codes: &["441"],
    },
    Group {
        subjects: &[Subject::Nota],
        modelos: BOTH,
        since: Some(Regras::Ncm),
        source: MOC,
        codes: &["778"],
    },
    // Over every document that carries the groups of IBS and CBS.
    Group {
        subjects: &[Subject::Nota],
        modelos: BOTH,
        since: None,
        source: REFORM,
        codes: &[
            "1001", "1020", "1023", "1024", "1041", "1052", "1069", "1076", "1077", "1078", "1080",
            "1081", "1082", "1084", "1085", "1086", "1087", "1088", "1089", "1091", "1092", "1093",
            "1094", "1118", "1119",
        ],
    },
    Group {
        subjects: &[Subject::Nota],
        modelos: BOTH,
        since: None,
        source: "MOC 7.0, protNFe",
        codes: &[
            "ambiente_diferente",
            "digest_diferente",
            "nao_autorizada",
            "protocolo_ausente",
            "protocolo_de_outra_nota",
        ],
    },
    Group {
        subjects: &[Subject::Evento],
        modelos: BOTH,
        since: None,
        source: "MOC 7.0, tabelas 5-35 a 5-42",
        codes: &[
            "250",
            "450",
            "489",
            "490",
            "491",
            "572",
            "574",
            "578",
            "594",
            "784",
            "chave_invalida",
            "nao_registrado",
            "retorno_de_outro_evento",
        ],
    },
    Group {
        subjects: &[Subject::Voiding],
        modelos: BOTH,
        since: None,
        source: "MOC 7.0, NFeInutilizacao",
        codes: &[
            "201",
            "224",
            "453",
            "454",
            "nao_homologada",
            "retorno_de_outra_faixa",
        ],
    },
    Group {
        subjects: &[Subject::Nfse],
        modelos: &[],
        since: None,
        source: NFSE_RULES,
        codes: &[
            "E0004",
            "E0008",
            "E0015",
            "E0080",
            "E0096",
            "E0188",
            "E0202",
            "E0206",
            "E0248",
            "E0262",
            "E0266",
            "E0714",
            "autor_invalido",
            "chave_diverge",
            "evento_no_futuro",
        ],
    },
];

/// What a rule without a text of the authority says, and how to mend what it
/// finds; sorted by code.
const OWN_WORDS: &[(&str, &str, &str)] = &[
    (
        "E0004",
        "O Id não é feito dos campos do documento",
        "Monte o Id com os campos do documento e assine outra vez.",
    ),
    (
        "E0008",
        "A DPS foi emitida no futuro",
        "Acerte o relógio e a data de emissão.",
    ),
    (
        "E0015",
        "A competência é posterior à emissão da DPS",
        "Informe o dia em que o serviço foi prestado.",
    ),
    (
        "E0080",
        "CNPJ do prestador inválido",
        "Confira o documento do prestador.",
    ),
    (
        "E0096",
        "CPF do prestador inválido",
        "Confira o documento do prestador.",
    ),
    (
        "E0188",
        "CNPJ do tomador inválido",
        "Confira o documento do tomador.",
    ),
    (
        "E0202",
        "Prestador e tomador são o mesmo",
        "Confira o documento do tomador.",
    ),
    (
        "E0206",
        "CPF do tomador inválido",
        "Confira o documento do tomador.",
    ),
    (
        "E0248",
        "CNPJ do intermediário inválido",
        "Confira o documento do intermediário.",
    ),
    (
        "E0262",
        "Prestador e intermediário são o mesmo",
        "Confira o documento do intermediário.",
    ),
    (
        "E0266",
        "CPF do intermediário inválido",
        "Confira o documento do intermediário.",
    ),
    (
        "E0714",
        "A assinatura não é do conteúdo do documento",
        "Envie o XML como foi assinado, ou assine outra vez.",
    ),
    (
        "ambiente_diferente",
        "Nota e protocolo são de ambientes diferentes",
        "Junte o protocolo do mesmo ambiente.",
    ),
    (
        "autor_invalido",
        "O documento do autor do evento é inválido",
        "Confira o documento do autor.",
    ),
    (
        "cest_inexistente",
        "O CEST não está na tabela",
        "Confira o CEST do produto.",
    ),
    (
        "cest_ncm",
        "O CEST não é do NCM do item",
        "Confira o CEST e o NCM do produto.",
    ),
    (
        "cfop_inexistente",
        "O CFOP não está na tabela",
        "Procure o CFOP da operação na tabela.",
    ),
    (
        "chave_diverge",
        "A nota não é a da sua chave",
        "Obtenha o XML autorizado; este foi alterado.",
    ),
    (
        "chave_invalida",
        "A chave da nota tem UF, mês, modelo ou emitente que não existem",
        "Copie a chave da nota autorizada.",
    ),
    (
        "cnpj_invalido",
        "CNPJ de um participante inválido",
        "Confira o CNPJ no cadastro.",
    ),
    (
        "cpf_invalido",
        "CPF de um participante inválido",
        "Confira o CPF no cadastro.",
    ),
    (
        "cst_inexistente",
        "O código não está na tabela do imposto",
        "Consulte a tabela de CST ou CSOSN.",
    ),
    (
        "digest_diferente",
        "O conteúdo autorizado não é o deste arquivo",
        "Obtenha o XML autorizado; este foi alterado ou é de outra tentativa.",
    ),
    (
        "evento_no_futuro",
        "O evento é do futuro",
        "Acerte o relógio e a data do evento.",
    ),
    (
        "nao_autorizada",
        "O protocolo não é de autorização",
        "Veja o motivo em xMotivo.",
    ),
    (
        "nao_homologada",
        "O retorno não é de homologação da faixa",
        "Veja o motivo em xMotivo.",
    ),
    (
        "nao_registrado",
        "O retorno não é de registro do evento",
        "Veja o motivo em xMotivo.",
    ),
    (
        "protocolo_ausente",
        "O arquivo não tem o protocolo de autorização",
        "Consulte a nota pela chave para obter o protocolo.",
    ),
    (
        "protocolo_de_outra_nota",
        "O protocolo é de outra nota",
        "Junte o protocolo da chave desta nota.",
    ),
    (
        "qrcode_ambiente",
        "O ambiente do QR code não é o da nota",
        "Gere o QR code com o tpAmb da nota.",
    ),
    (
        "qrcode_chave",
        "A chave do QR code não é a da nota",
        "Gere o QR code com a chave da nota.",
    ),
    (
        "qrcode_forma",
        "O QR code não tem os campos da sua versão",
        "Gere o QR code outra vez.",
    ),
    (
        "retorno_de_outra_faixa",
        "O retorno é de outra faixa",
        "Junte o retorno deste pedido.",
    ),
    (
        "retorno_de_outro_evento",
        "O retorno é de outro evento",
        "Junte o retorno deste evento.",
    ),
    (
        "total_difere",
        "Um total de quantidade difere da soma dos itens",
        "Some as quantidades dos itens.",
    ),
];

/// Every rule, in the order of the publications.
pub fn rules() -> impl Iterator<Item = Rule> {
    GROUPS.iter().flat_map(|group| {
        group.codes.iter().map(|codigo| Rule {
            codigo,
            subjects: group.subjects,
            modelos: group.modelos,
            since: group.since,
            source: group.source,
        })
    })
}

/// The rule of a code.
pub(super) fn rule(codigo: &str) -> Option<Rule> {
    rules().find(|rule| rule.codigo == codigo)
}

impl Rule {
    /// Does it judge a document of this model (0: without one) by these rules?
    pub(super) fn judges(&self, model: u8, rules: Regras) -> bool {
        let of_model = model == 0 || self.modelos.is_empty() || self.modelos.contains(&model);
        of_model && self.since.is_none_or(|since| since <= rules)
    }

    /// The number the authority refuses with.
    pub fn cstat(&self) -> Option<u16> {
        self.codigo.parse().ok()
    }

    /// First day in production; none: documents of every day.
    pub fn first_day(&self) -> Option<Date> {
        let since = self.since?;
        let start = CALENDAR.iter().find(|start| start.0 == since);
        start.map(|start| start.2)
    }

    /// What it says, in pt-BR: the authority's own text, where there is one.
    pub fn title(&self) -> &'static str {
        match self.answer() {
            Some(answer) => answer.text,
            None => self.own().map_or("", |own| own.1),
        }
    }

    /// How to mend what it finds, in pt-BR.
    pub fn correction(&self) -> &'static str {
        match self.answer() {
            Some(answer) => answer.hint(),
            None => self.own().map_or("", |own| own.2),
        }
    }

    fn answer(&self) -> Option<&'static cstat::Answer> {
        let first = self.modelos.first().copied().unwrap_or_default();
        cstat::get(first, self.cstat()?)
    }

    fn own(&self) -> Option<&'static (&'static str, &'static str, &'static str)> {
        let place = OWN_WORDS.binary_search_by(|own| own.0.cmp(self.codigo));
        OWN_WORDS.get(place.ok()?)
    }
}
