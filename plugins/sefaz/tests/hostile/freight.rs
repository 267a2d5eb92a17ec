//! The same for CT-e and MDF-e, whose documents travel compressed and alone.

use super::{CHAVE, answer, begin, context, operation, to_the_end};
use sdk::{Event, FailureReason, Situacao, Step};

const KEY_57: &str = "35261090011001000124570010000000571718293049";
const KEY_58: &str = "35261090011001000124580010000000571718293043";
pub const CTE: &str = r#"{"modelo":"57","chave":"35261090011001000124570010000000571718293049",
  "versao":"4.00","id_lote":"1","chaves_anteriores":[]}"#;
pub const CTE_EVENT: &str = r#"{"tipo_evento":"110111","chave":"35261090011001000124570010000000571718293049",
  "sequencia":1,"versao":"4.00","orgao":35,"id_lote":"1"}"#;
pub const MDFE: &str = r#"{"modelo":"58","chave":"35261090011001000124580010000000571718293043",
  "versao":"3.00","id_lote":"1","chaves_anteriores":[]}"#;
pub const MDFE_EVENT: &str = r#"{"tipo_evento":"110112","chave":"35261090011001000124580010000000571718293043",
  "sequencia":1,"versao":"3.00","orgao":35,"id_lote":"1"}"#;
pub const OPEN: &str = r#"{"uf":35,"cnpj":"90011001000124"}"#;

/// What a family calls the pieces of an answer.
struct Words {
    content: &'static str,
    event: &'static str,
    key: &'static str,
    kind: &'static str,
    /// "CTe", "MDFe".
    name: &'static str,
}

const WORDS: [Words; 2] = [
    Words {
        content: CTE,
        event: CTE_EVENT,
        key: KEY_57,
        kind: "110111",
        name: "CTe",
    },
    Words {
        content: MDFE,
        event: MDFE_EVENT,
        key: KEY_58,
        kind: "110112",
        name: "MDFe",
    },
];

impl Words {
    fn authorized(&self) -> String {
        let Words { key, name, .. } = self;
        format!(
            "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Body><r><ret{name} versao=\"4.00\"><tpAmb>2</tpAmb>\
             <cStat>100</cStat><xMotivo>x</xMotivo><prot{name} versao=\"4.00\"><infProt><tpAmb>2</tpAmb><ch{name}>{key}</ch{name}>\
             <dhRecbto>2026-10-05T10:15:03-03:00</dhRecbto><nProt>135260000000101</nProt><cStat>100</cStat><xMotivo>x</xMotivo>\
             </infProt></prot{name}></ret{name}></r></e:Body></e:Envelope>"
        )
    }

    fn registered(&self) -> String {
        let Words {
            key, name, kind, ..
        } = self;
        format!(
            "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Body><r><retEvento{name} versao=\"4.00\"><infEvento>\
             <tpAmb>2</tpAmb><cOrgao>35</cOrgao><cStat>135</cStat><xMotivo>x</xMotivo><ch{name}>{key}</ch{name}><tpEvento>{kind}</tpEvento>\
             <nSeqEvento>1</nSeqEvento><nProt>135260000000202</nProt></infEvento></retEvento{name}></r></e:Body></e:Envelope>"
        )
    }
}

fn after(name: &str, json: &str, event: Event) -> Step {
    let ctx = context(&[]);
    let Step::Send(sent) = begin(name, json, &ctx) else {
        panic!("nothing sent");
    };
    (adapter_sefaz::adapter().resume)(sent.state, event, ctx)
}

#[test]
fn a_cut_yes_is_neither_yes_nor_no() {
    for words in WORDS {
        for (operation, content, whole) in [
            ("autorizar", words.content, words.authorized()),
            ("evento", words.event, words.registered()),
        ] {
            match after(operation, content, answer(200, whole.as_bytes())) {
                Step::Done(Ok(success)) => {
                    let expected = if words.kind == "110111" && operation == "evento" {
                        Situacao::Cancelado
                    } else {
                        Situacao::Autorizado
                    };
                    assert_eq!(success.situacao, expected);
                }
                other => panic!("{other:?}"),
            }
            for end in 0..whole.len() {
                let step = after(operation, content, answer(200, &whole.as_bytes()[..end]));
                assert!(matches!(step, Step::Wait(_)), "cut at {end}: {step:?}");
            }
        }
    }
}

#[test]
fn a_yes_names_its_document_its_environment_and_a_protocol() {
    for words in WORDS {
        let (authorized, registered) = (words.authorized(), words.registered());
        for (place, wrong) in [
            (words.key, CHAVE),
            ("<tpAmb>2</tpAmb><ch", "<tpAmb>1</tpAmb><ch"),
            ("<nProt>135260000000101</nProt>", ""),
            ("<nProt>135260000000101", "<nProt>abc"),
            ("<infProt>", "<infOutro>"),
        ] {
            let body = authorized.replace(place, wrong).replace(
                "</infProt>",
                if wrong == "<infOutro>" {
                    "</infOutro>"
                } else {
                    "</infProt>"
                },
            );
            assert_ne!(body, authorized, "{place}");
            let step = after("autorizar", words.content, answer(200, body.as_bytes()));
            assert!(matches!(step, Step::Wait(_)), "{wrong}: {step:?}");
        }
        for (place, wrong) in [
            (words.key, CHAVE),
            ("<tpAmb>2", "<tpAmb>1"),
            ("<nProt>135260000000202</nProt>", ""),
            ("<nSeqEvento>1", "<nSeqEvento>2"),
            (words.kind, "110110"),
        ] {
            let body = registered.replace(place, wrong);
            assert_ne!(body, registered, "{place}");
            let step = after("evento", words.event, answer(200, body.as_bytes()));
            assert!(matches!(step, Step::Wait(_)), "{wrong}: {step:?}");
        }
    }
}

/// The answer of another family says nothing.
#[test]
fn answers_of_another_family_are_none() {
    let [cte, mdfe] = WORDS;
    for (words, other) in [(&cte, &mdfe), (&mdfe, &cte)] {
        let body = other.authorized().replace(other.key, words.key);
        let step = after("autorizar", words.content, answer(200, body.as_bytes()));
        assert!(matches!(step, Step::Wait(_)), "{step:?}");
    }
}

/// Codes that mean another thing in NF-e: a number of another key there, a
/// rule of the document here; and lots, which do not exist.
#[test]
fn codes_are_read_by_the_family() {
    let refused = |code: &str| {
        format!("<x><retCTe><tpAmb>2</tpAmb><cStat>{code}</cStat><xMotivo>x</xMotivo></retCTe></x>")
    };
    for code in ["561", "562", "613", "656", "573"] {
        let step = after("autorizar", CTE, answer(200, refused(code).as_bytes()));
        let Step::Done(Err(failure)) = step else {
            panic!("{code}: {step:?}");
        };
        assert!(
            matches!(failure.reason, FailureReason::Rejected(_)),
            "{code}: {failure:?}"
        );
        assert!(!failure.may_exist);
    }
    for code in ["103", "104", "105", "106"] {
        let step = after("autorizar", CTE, answer(200, refused(code).as_bytes()));
        assert!(matches!(step, Step::Wait(_)), "{code}: {step:?}");
    }
}

#[test]
fn what_these_layouts_lack_is_not_supported() {
    for model in ["57", "58"] {
        let content = format!(
            r#"{{"ano":26,"cnpj":"90011001000124","uf":35,"modelo":"{model}","serie":1,"inicio":58,"fim":60}}"#
        );
        let step = begin("inutilizar", &content, &context(&[]));
        let Step::Done(Err(failure)) = step else {
            panic!("{step:?}");
        };
        assert!(matches!(failure.reason, FailureReason::NotSupported(_)));
        assert!(!failure.may_exist);
    }
    // A host without the compressed document, a registry without the service.
    let mut ctx = context(&[]);
    ctx.endpoints.retain(|name| name != "nao_encerrados");
    assert!(matches!(
        begin("nao_encerrados", OPEN, &ctx),
        Step::Done(Err(_))
    ));
    sdk::host::FakeHost {
        secrets: vec!["documento".into()],
        documento: None,
        log: Vec::new(),
    }
    .install();
    let step = (adapter_sefaz::adapter().start)(operation("autorizar", CTE), context(&[]));
    let Step::Done(Err(failure)) = step else {
        panic!("{step:?}");
    };
    assert!(!failure.may_exist);
}

#[test]
fn a_model_and_its_key_belong_together() {
    for (name, content) in [
        ("autorizar", CTE.replace("\"57\"", "\"58\"")),
        ("autorizar", CTE.replace("\"57\"", "\"67\"")),
        (
            "consultar",
            format!(r#"{{"chave":"{}"}}"#, KEY_57.replace("12457", "12467")),
        ),
        ("evento", CTE_EVENT.replace("12457", "12459")),
        ("status", r#"{"modelo":"67"}"#.to_owned()),
        ("nao_encerrados", r#"{"uf":35}"#.to_owned()),
        (
            "nao_encerrados",
            r#"{"uf":35,"cnpj":"90011001000124","cpf":"00000000191"}"#.to_owned(),
        ),
    ] {
        let step = begin(name, &content, &context(&[]));
        let Step::Done(Err(failure)) = step else {
            panic!("{content}: {step:?}");
        };
        assert!(
            matches!(failure.reason, FailureReason::InvalidInput(_)),
            "{failure:?}"
        );
    }
}

/// A manifest that says nothing usable is no list of manifests.
#[test]
fn open_manifests_are_those_of_this_environment() {
    let list = |amb: &str, inside: &str| {
        format!(
            "<x><retConsMDFeNaoEnc><tpAmb>{amb}</tpAmb><cStat>111</cStat><xMotivo>x</xMotivo>{inside}</retConsMDFeNaoEnc></x>"
        )
    };
    let one = format!("<infMDFe><chMDFe>{KEY_58}</chMDFe><nProt>abc</nProt></infMDFe>");
    let said = |body: String| after("nao_encerrados", OPEN, answer(200, body.as_bytes()));
    let Step::Done(Ok(success)) = said(list("2", &one)) else {
        panic!("no list");
    };
    let json = success.conteudo.expect("content").json;
    assert!(json.contains(KEY_58) && json.contains("null"), "{json}");
    assert!(matches!(said(list("1", &one)), Step::Done(Err(_))));
    assert!(matches!(said(list("2", "")), Step::Done(Err(_))));
    let broken = "<infMDFe><chMDFe>123</chMDFe></infMDFe>";
    assert!(matches!(said(list("2", broken)), Step::Done(Err(_))));
}

/// However often the authority says that a key is there in some state, a
/// document is sent once.
#[test]
fn a_document_that_is_said_to_be_there_is_not_sent_again() {
    for words in WORDS {
        let name = words.name;
        let body = format!(
            "<x><ret{name}><cStat>204</cStat><xMotivo>x</xMotivo></ret{name}><retConsSit{name}><cStat>217</cStat></retConsSit{name}></x>"
        );
        let event = answer(200, body.as_bytes());
        let (outcome, once) = to_the_end("autorizar", words.content, &context(&[]), &event);
        assert!(outcome.expect_err("unknown").may_exist);
        assert_eq!(once.len(), 1);
    }
}
