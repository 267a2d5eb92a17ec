//! CT-e, MDF-e and events that other people's programs made, where
//! HUB_TEST_FOREIGN_FREIGHT names a folder of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use freight::document::kind::{Kind, kind};
use markup::xml::{Document, Element};
use serde_json::json;
use std::collections::BTreeSet;
use tests::{Answer, TestApp, on_sqlite};

/// Names of files (of BrazilFiscalReport, nfelib, sped-cte, sped-da, sped-mdfe) and
/// what rules find in them. Each was looked at: the file is wrong there. Most are
/// invented for printing, with numbers that were made unknowable; the others were
/// indented after they were signed.
const MISTAKES: &[(&str, &[&str])] = &[
    (
        "24210131626841000132580010000004881636061008-mdfe.xml",
        &["297"],
    ),
    (
        "24210240783110000191580010000004681217759322.xml",
        &["297", "nao_autorizada"],
    ),
    (
        "24210240783110000191580010000004701038943887.xml",
        &["297", "nao_autorizada"],
    ),
    (
        "26999999999999999999999999999999999999999991-mdfe.xml",
        &["207", "227", "236", "480", "604", "645", "cpf_invalido"],
    ),
    (
        "41200879549135000160580260000004061987672979-mdfe.xml",
        &["297", "ambiente_diferente", "qrcode_ambiente"],
    ),
    (
        "41200879549135000160580260000004071215501196-mdfe.xml",
        &["297"],
    ),
    (
        "41211022545265000108580260000004081908511405.xml",
        &["577", "601", "612", "639", "667", "668", "669"],
    ),
    (
        "43240186933033000100580010000045181240181540-rep.xml",
        &["297", "667", "668"],
    ),
    (
        "50170876063965000276580010000011311421039568-mdfe.xml",
        &["207", "209", "227", "406", "408", "604", "645", "669"],
    ),
    (
        "ComPagtoPIX_41210780568835000181580010402005751006005791-procMDFe.xml",
        &[
            "207", "209", "227", "236", "405", "408", "480", "601", "645",
        ],
    ),
    (
        "PagamentoOperacaoMDFe_1101164120039999999999999958001000000999999999999901-ped-eve.xml",
        &["236", "627"],
    ),
    (
        "cancelameto1101103511031029073900013955001000000001105112804101-ped-eve.xml",
        &["236", "628"],
    ),
    ("dacte_aereo_test.xml", &["227", "519", "850"]),
    ("dacte_aquaviario_test.xml", &["227", "519", "850"]),
    (
        "dacte_cnpj_alfanumerico.xml",
        &[
            "209",
            "210",
            "227",
            "236",
            "253",
            "419",
            "646",
            "649",
            "843",
            "852",
            "ambiente_diferente",
            "protocolo_de_outra_nota",
            "qrcode_ambiente",
        ],
    ),
    ("dacte_dutoviario_test.xml", &["227", "519", "850"]),
    ("dacte_ferroviario_test.xml", &["227", "519", "582", "850"]),
    (
        "dacte_icms_st.xml",
        &[
            "207",
            "208",
            "209",
            "210",
            "227",
            "236",
            "253",
            "415",
            "419",
            "646",
            "649",
            "675",
            "843",
            "852",
            "ambiente_diferente",
            "protocolo_de_outra_nota",
            "qrcode_ambiente",
        ],
    ),
    (
        "dacte_multimodal_test.xml",
        &["227", "519", "850", "cnpj_invalido"],
    ),
    (
        "dacte_reforma_tributaria.xml",
        &[
            "207",
            "208",
            "209",
            "210",
            "227",
            "236",
            "253",
            "415",
            "419",
            "646",
            "649",
            "843",
            "852",
            "ambiente_diferente",
            "protocolo_de_outra_nota",
            "qrcode_ambiente",
        ],
    ),
    (
        "dacte_test_1.xml",
        &[
            "207",
            "208",
            "209",
            "210",
            "227",
            "236",
            "253",
            "415",
            "419",
            "646",
            "649",
            "843",
            "852",
            "ambiente_diferente",
            "protocolo_de_outra_nota",
            "qrcode_ambiente",
        ],
    ),
    (
        "dacte_test_homolog.xml",
        &[
            "207",
            "208",
            "209",
            "210",
            "227",
            "236",
            "253",
            "415",
            "419",
            "646",
            "649",
            "843",
            "852",
            "protocolo_de_outra_nota",
        ],
    ),
    (
        "dacte_test_multi_pages.xml",
        &[
            "207",
            "208",
            "209",
            "210",
            "227",
            "236",
            "253",
            "415",
            "419",
            "527",
            "646",
            "649",
            "843",
            "852",
            "ambiente_diferente",
            "protocolo_de_outra_nota",
            "qrcode_ambiente",
        ],
    ),
    (
        "dacte_test_overload.xml",
        &[
            "207",
            "208",
            "209",
            "210",
            "227",
            "236",
            "253",
            "415",
            "419",
            "428",
            "432",
            "519",
            "527",
            "843",
            "852",
            "ambiente_diferente",
            "protocolo_de_outra_nota",
            "qrcode_ambiente",
        ],
    ),
    (
        "dacte_test_without_compl.xml",
        &[
            "207",
            "208",
            "209",
            "210",
            "227",
            "236",
            "253",
            "415",
            "419",
            "646",
            "649",
            "843",
            "852",
            "ambiente_diferente",
            "protocolo_de_outra_nota",
            "qrcode_ambiente",
        ],
    ),
    (
        "dacte_tomador_outros.xml",
        &[
            "207",
            "208",
            "209",
            "210",
            "227",
            "236",
            "253",
            "415",
            "419",
            "444",
            "481",
            "646",
            "649",
            "843",
            "852",
            "ambiente_diferente",
            "protocolo_de_outra_nota",
            "qrcode_ambiente",
        ],
    ),
    (
        "encerramento1101123511031029073900013955001000000001105112804101-ped-eve.xml",
        &["236", "614"],
    ),
    (
        "mdf-e_cnpj_alfanumerico.xml",
        &[
            "209",
            "227",
            "236",
            "253",
            "405",
            "406",
            "408",
            "481",
            "577",
            "604",
            "645",
            "667",
            "669",
            "ambiente_diferente",
            "protocolo_de_outra_nota",
            "qrcode_ambiente",
        ],
    ),
    (
        "mdf-e_test_1.xml",
        &[
            "207",
            "209",
            "227",
            "236",
            "253",
            "405",
            "406",
            "408",
            "481",
            "577",
            "604",
            "645",
            "660",
            "667",
            "669",
            "ambiente_diferente",
            "cnpj_invalido",
            "protocolo_de_outra_nota",
            "qrcode_ambiente",
        ],
    ),
    ("mdf-e_test_2.xml", &["227", "247", "cnpj_invalido"]),
    (
        "mdf-e_test_3_cte.xml",
        &["227", "247", "601", "668", "cnpj_invalido"],
    ),
    ("mdf-e_test_aereo.xml", &["227", "480"]),
    ("mdf-e_test_aereo_contingencia.xml", &["227", "480"]),
    ("mdf-e_test_aquaviario.xml", &["227", "480"]),
    ("mdf-e_test_ferroviario.xml", &["227", "480"]),
    (
        "mdf-e_test_multi_municipio.xml",
        &["227", "247", "601", "667", "668"],
    ),
    (
        "mdfe.xml",
        &["207", "209", "236", "480", "604", "638", "645"],
    ),
    (
        "mdfe.xml",
        &[
            "209",
            "227",
            "297",
            "481",
            "604",
            "645",
            "667",
            "669",
            "protocolo_de_outra_nota",
        ],
    ),
    ("mdfe1.xml", &["297"]),
    (
        "mdfe_contingencia.xml",
        &[
            "209",
            "227",
            "297",
            "481",
            "482",
            "604",
            "645",
            "667",
            "669",
            "protocolo_de_outra_nota",
        ],
    ),
    (
        "mdfe_modelo_nao_valido.xml",
        &["207", "209", "227", "236", "604", "protocolo_de_outra_nota"],
    ),
    (
        "pagamentoOperacao1101103511031029073900013955001000000001105112804101-ped-eve.xml",
        &["236", "628"],
    ),
];

/// Beginnings of fields without a name, as files have them that are not of the layout: twice in a
/// group that has them once, in a group of an older layout, answers beside.
const UNNAMED: &[&str] = &[
    "infCte/compl/xObs",
    "infCte/imp/ICMS/",
    "infCte/infCTeNorm/infModal/ferrov/ferroEnv/",
    "infCte/infCTeNorm/infModal/seg/",
    "infMDFe/infDoc/infMunDescarga/",
    "mdfeProc/procCancMDFe/",
    "mdfeProc/procEncMDFe/",
];

/// Files that are not read, and why: two say model 90, the others were made of a
/// schema, without its namespace.
const UNREAD: &[(&str, &str)] = &[
    ("cte_v4.00.xml", "não tem espaço de nomes"),
    ("cte_v4.00_RTC.xml", "não tem espaço de nomes"),
    ("enviMDFe_v3.00.xsd.xml", "não tem espaço de nomes"),
    ("mdf-e_cnpj_alfanumerico.xml", "é do modelo 90"),
    ("mdf-e_test_1.xml", "é do modelo 90"),
    ("mdfe_v3.00.xsd.xml", "não tem espaço de nomes"),
    ("procMDFe_v3.00.xsd.xml", "não tem espaço de nomes"),
];

/// Is it this file, perhaps with the name of its program before its own?
fn is(name: &str, own: &str) -> bool {
    let program = name.strip_suffix(own);
    program.is_some_and(|program| program.is_empty() || program.ends_with('_'))
}

/// By a test key, which is never charged.
async fn ask(app: &TestApp, path: &str, xml: &str) -> Answer {
    let body = json!({ "xml_base64": STANDARD.encode(xml) });
    app.post_as(&app.test_key, path, &body, None).await
}

/// Codes of what rules find: errors and remarks.
fn found(answer: &Answer) -> BTreeSet<String> {
    let lists = ["erros", "avisos"].map(|list| answer.body[list].as_array());
    let all = lists.into_iter().flatten().flatten();
    let rules = all.filter(|one| one["tipo"] == "regra");
    let mut codes = BTreeSet::new();
    for one in rules {
        eprintln!("  {} {} {}", one["codigo"], one["caminho"], one["mensagem"]);
        codes.extend(one["codigo"].as_str().map(str::to_owned));
    }
    codes
}

/// Version of the layout that a document says.
fn version<'d>(kind: Kind, element: Element<'d>) -> &'d str {
    let versioned = match kind {
        Kind::Cte => element.child("infCte"),
        Kind::Mdfe => element.child("infMDFe"),
        Kind::CteEvent | Kind::MdfeEvent => Some(element),
    };
    let version = versioned.and_then(|element| element.attribute("versao"));
    version.unwrap_or_default()
}

/// What is not as it should be of one file.
async fn problems(app: &TestApp, name: &str, xml: &str) -> Vec<String> {
    let doc = Document::parse(xml).expect("XML");
    let Some((kind, element)) = kind(&doc) else {
        return Vec::new();
    };
    let version = version(kind, element);
    let current = match kind {
        Kind::Cte | Kind::CteEvent => "4.00",
        Kind::Mdfe | Kind::MdfeEvent => "3.00",
    };
    eprintln!("{name}: {kind:?} {version}");
    let mut problems = Vec::new();
    let judged = ask(app, "/api/v1/fiscal/xml/validar", xml).await;
    let expected = if version == current { 200 } else { 422 };
    if judged.status != expected {
        problems.push(format!("{name}: judged {}", judged.text));
    }
    let found = found(&judged);
    let known = MISTAKES.iter().filter(|(own, _)| is(name, own));
    let mut known: Vec<BTreeSet<String>> = known
        .map(|(_, codes)| codes.iter().map(|code| (*code).to_owned()).collect())
        .collect();
    // Files of two programs may have one name.
    known.push(BTreeSet::new());
    if !known.contains(&found) {
        problems.push(format!("{name}: {found:?}, not {known:?}"));
    }
    if matches!(kind, Kind::Cte | Kind::Mdfe) {
        problems.extend(read_and_printed(app, name, xml, version == current).await);
    }
    problems
}

/// The same of reading and printing it.
async fn read_and_printed(app: &TestApp, name: &str, xml: &str, current: bool) -> Vec<String> {
    let mut problems = Vec::new();
    let read = ask(app, "/api/v1/nfe/parse", xml).await;
    let printed = ask(app, "/api/v1/nfe/danfe-xml", xml).await;
    if let Some((_, why)) = UNREAD.iter().find(|(own, _)| is(name, own)) {
        for answer in [read, printed] {
            if answer.status != 422 || !answer.text_at("/mensagem").contains(why) {
                problems.push(format!("{name}: {}", answer.text));
            }
        }
        return problems;
    }
    let others = read.body["outros"].as_array().cloned().unwrap_or_default();
    let mut others = others.iter().filter_map(|one| one["caminho"].as_str());
    let named = |path: &&str| UNNAMED.iter().any(|begin| path.starts_with(begin));
    let unnamed = others.find(|path| !named(path));
    if read.status != 200 || current && unnamed.is_some() {
        let why = read.text_at("/mensagem");
        problems.push(format!("{name}: read {why} {unnamed:?}"));
    }
    if printed.status != 200 || !printed.text_at("/pdf_base64").starts_with("JVBERi") {
        problems.push(format!("{name}: printed {}", printed.text));
    }
    problems
}

on_sqlite! {
    async fn documents_of_others_are_read_printed_and_judged(app: TestApp) {
        let Some(files) = judges::foreign("HUB_TEST_FOREIGN_FREIGHT") else { return };
        let mut wrong = Vec::new();
        let mut count = 0;
        for (path, xml) in files {
            if Document::parse(&xml).is_err() {
                continue;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            count += 1;
            wrong.extend(problems(&app, &name, &xml).await);
        }
        assert!(count > 0, "no XML");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert_eq!(app.balance().await, (200, 0));
    }
}
