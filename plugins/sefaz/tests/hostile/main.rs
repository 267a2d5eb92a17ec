//! Answers and contents that nobody should send.

mod freight;

use sdk::{
    Ambiente, Conteudo, Context, Effect, Emitente, Event, FailureReason, Named, Operacao, Outcome,
    Response, Situacao, Step,
};

const CHAVE: &str = "35261090011001000124550010000000571718293040";
const AUTHORIZE: &str = r#"{"modelo":"55","chave":"35261090011001000124550010000000571718293040",
  "versao":"4.00","id_lote":"1","chaves_anteriores":[]}"#;
const EVENTO: &str = r#"{"tipo_evento":"110111","chave":"35261090011001000124550010000000571718293040",
  "sequencia":1,"versao":"1.00","orgao":35,"id_lote":"1"}"#;
const INUTILIZAR: &str =
    r#"{"ano":26,"cnpj":"90011001000124","uf":35,"modelo":"55","serie":1,"inicio":58,"fim":60}"#;

const OPERATIONS: [(&str, &str); 12] = [
    ("autorizar", AUTHORIZE),
    (
        "consultar",
        r#"{"chave":"35261090011001000124550010000000571718293040"}"#,
    ),
    ("evento", EVENTO),
    ("inutilizar", INUTILIZAR),
    ("status", "{}"),
    ("cadastro", r#"{"uf":"SP","cnpj":"90011001000124"}"#),
    (
        "distribuicao",
        r#"{"documento":"90011001000124","ultimo_nsu":"0"}"#,
    ),
    ("autorizar", freight::CTE),
    ("evento", freight::CTE_EVENT),
    ("autorizar", freight::MDFE),
    ("evento", freight::MDFE_EVENT),
    ("nao_encerrados", freight::OPEN),
];

fn protocol(chave: &str, cstat: &str, nprot: &str) -> String {
    format!(
        "<protNFe versao=\"4.00\"><infProt><tpAmb>2</tpAmb><chNFe>{chave}</chNFe><dhRecbto>2026-10-05T10:15:03-03:00</dhRecbto>\
         {nprot}<cStat>{cstat}</cStat><xMotivo>x</xMotivo></infProt></protNFe>"
    )
}

fn envelope(inside: &str) -> String {
    format!(
        "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Body><nfeResultMsg>\
         <retEnviNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\">{inside}</retEnviNFe>\
         </nfeResultMsg></e:Body></e:Envelope>"
    )
}

fn authorized() -> String {
    let protocol = protocol(CHAVE, "100", "<nProt>135260000000101</nProt>");
    envelope(&format!(
        "<cStat>104</cStat><xMotivo>Lote processado</xMotivo>{protocol}"
    ))
}

fn context(options: &[(&str, &str)]) -> Context {
    Context {
        flow: "flw_1".into(),
        step: 0,
        now: "2026-10-05T10:15:00-03:00".into(),
        entropy: vec![0; 32],
        ambiente: Ambiente::Homologacao,
        municipio: None,
        uf: Some("SP".into()),
        emitente: Emitente {
            documento: "90011001000124".into(),
            inscricao_municipal: None,
            inscricao_estadual: None,
            razao_social: "EMPRESA DE TESTE LTDA".into(),
            extras: Vec::new(),
        },
        endpoints: (adapter_sefaz::adapter().describe)()
            .endpoints
            .into_iter()
            .map(|endpoint| endpoint.name)
            .collect(),
        options: options
            .iter()
            .map(|(name, value)| Named {
                name: (*name).into(),
                value: (*value).into(),
            })
            .collect(),
        secrets: secrets(),
    }
}

/// The signed document, as it is and compressed.
fn secrets() -> Vec<String> {
    vec!["documento".into(), "documento_gzip".into()]
}

fn host() {
    sdk::host::FakeHost {
        secrets: secrets(),
        documento: None,
        log: Vec::new(),
    }
    .install();
}

fn operation(name: &str, json: &str) -> Operacao {
    Operacao {
        nome: name.into(),
        conteudo: Conteudo {
            schema: format!("sefaz.{}/1", name.replace('_', "-")),
            json: json.into(),
        },
    }
}

fn answer(status: u16, body: &[u8]) -> Event {
    Event::Response(Response {
        status,
        headers: Vec::new(),
        body: body.to_vec(),
    })
}

fn begin(name: &str, json: &str, ctx: &Context) -> Step {
    host();
    (adapter_sefaz::adapter().start)(operation(name, json), ctx.clone())
}

/// The step after this answer to the first request.
fn after(name: &str, json: &str, event: Event) -> Step {
    let ctx = context(&[]);
    let Step::Send(sent) = begin(name, json, &ctx) else {
        panic!("nothing sent");
    };
    (adapter_sefaz::adapter().resume)(sent.state, event, ctx)
}

/// Answers everything alike until the flow ends; with what was sent once.
fn to_the_end(name: &str, json: &str, ctx: &Context, event: &Event) -> (Outcome, Vec<Vec<u8>>) {
    let mut step = begin(name, json, ctx);
    let mut once = Vec::new();
    for _ in 0..60 {
        step = match step {
            Step::Done(outcome) => return (outcome, once),
            Step::Wait(pause) => {
                (adapter_sefaz::adapter().resume)(pause.state, Event::Elapsed, ctx.clone())
            }
            Step::Send(sent) => {
                if sent.request.effect == Effect::Once {
                    once.push(sent.request.body);
                }
                (adapter_sefaz::adapter().resume)(sent.state, event.clone(), ctx.clone())
            }
        };
    }
    panic!("{name}: no end");
}

#[test]
fn a_cut_answer_is_neither_yes_nor_no() {
    let whole = authorized();
    match after("autorizar", AUTHORIZE, answer(200, whole.as_bytes())) {
        Step::Done(Ok(success)) => assert_eq!(success.situacao, Situacao::Autorizado),
        other => panic!("{other:?}"),
    }
    for end in 0..whole.len() {
        let step = after(
            "autorizar",
            AUTHORIZE,
            answer(200, &whole.as_bytes()[..end]),
        );
        assert!(matches!(step, Step::Wait(_)), "cut at {end}: {step:?}");
    }
}

#[test]
fn what_is_no_answer_leads_to_a_question() {
    let yes = "<nProt>135260000000101</nProt>";
    let lot = |inside: &str| envelope(&format!("<cStat>104</cStat><xMotivo>x</xMotivo>{inside}"));
    let other_key = CHAVE.replace("0571718293040", "0581718293040");
    let authorized = authorized();
    let bodies = [
        String::new(),
        "\u{feff}".into(),
        "null".into(),
        "<html></html>".into(),
        format!("<!DOCTYPE x [<!ENTITY a 'b'>]>{authorized}"),
        format!("{}{}", "<a>".repeat(5000), "</a>".repeat(5000)),
        envelope(""),
        envelope("<cStat></cStat>"),
        envelope("<cStat>abc</cStat><xMotivo>x</xMotivo>"),
        envelope("<cStat>99999</cStat><xMotivo>x</xMotivo>"),
        // A yes of the lot is not one of the note.
        envelope("<cStat>100</cStat><xMotivo>Autorizado o uso da NF-e</xMotivo>"),
        envelope("<cStat>104</cStat><xMotivo>Lote processado</xMotivo>"),
        envelope("<cStat>103</cStat><xMotivo>Lote recebido</xMotivo>"),
        envelope("<cStat>103</cStat><infRec><nRec>&lt;x/&gt;</nRec></infRec>"),
        envelope("<cStat>105</cStat><xMotivo>x</xMotivo>"),
        envelope("<cStat>999</cStat><xMotivo>x</xMotivo>"),
        envelope("<cStat>302</cStat><xMotivo>Uso Denegado</xMotivo>"),
        lot(&protocol(&other_key, "100", yes)),
        lot(&protocol("", "100", yes)),
        lot(&protocol(CHAVE, "100", "")),
        lot(&protocol(CHAVE, "100", "<nProt>&lt;b&gt;</nProt>")),
        lot(&protocol(CHAVE, "", yes)),
        lot(&protocol(CHAVE, "107", yes)),
        lot(&protocol(CHAVE, "100", yes).replace("<tpAmb>2", "<tpAmb>1")),
        lot("<protNFe/>"),
        authorized.replace("retEnviNFe", "retConsSitNFe"),
    ];
    for body in &bodies {
        let step = after("autorizar", AUTHORIZE, answer(200, body.as_bytes()));
        let start: String = body.chars().skip(150).take(200).collect();
        assert!(matches!(step, Step::Wait(_)), "{start}: {step:?}");
    }
    let refused = lot(&protocol(CHAVE, "225", ""));
    for status in [0, 204, 302, 400, 403, 404, 500, 503] {
        let body = if status == 204 { "" } else { refused.as_str() };
        let step = after("autorizar", AUTHORIZE, answer(status, body.as_bytes()));
        assert!(matches!(step, Step::Wait(_)), "{status}: {step:?}");
    }
    let step = after(
        "autorizar",
        AUTHORIZE,
        answer(200, &[0xff, 0xfe, 0x00, 0x3c]),
    );
    assert!(matches!(step, Step::Wait(_)), "{step:?}");
}

#[test]
fn a_registration_names_its_event_its_environment_and_a_protocol() {
    let event = |inf: &str| {
        format!(
            "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Body><nfeResultMsg>\
             <retEnvEvento xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.00\"><cStat>128</cStat><xMotivo>x</xMotivo>\
             <retEvento versao=\"1.00\"><infEvento>{inf}</infEvento></retEvento></retEnvEvento></nfeResultMsg></e:Body></e:Envelope>"
        )
    };
    let right = format!(
        "<tpAmb>2</tpAmb><cOrgao>35</cOrgao><cStat>135</cStat><xMotivo>x</xMotivo><chNFe>{CHAVE}</chNFe>\
         <tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento><nProt>135260000000202</nProt>"
    );
    let step = after("evento", EVENTO, answer(200, event(&right).as_bytes()));
    assert!(matches!(step, Step::Done(Ok(_))), "{step:?}");
    for (place, wrong) in [
        ("<tpAmb>2", "<tpAmb>1"),
        ("<nProt>135260000000202</nProt>", ""),
        ("<nProt>135260000000202", "<nProt>abc"),
        ("<nSeqEvento>1", "<nSeqEvento>2"),
        ("<tpEvento>110111", "<tpEvento>110110"),
    ] {
        let body = event(&right.replace(place, wrong));
        let step = after("evento", EVENTO, answer(200, body.as_bytes()));
        assert!(matches!(step, Step::Wait(_)), "{wrong}: {step:?}");
    }
}

#[test]
fn a_voided_range_and_a_distribution_are_of_this_environment() {
    let wrapped = |inside: &str| {
        format!(
            "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\"><e:Body><nfeResultMsg>{inside}</nfeResultMsg></e:Body></e:Envelope>"
        )
    };
    let void = |tp_amb: &str, prot: &str| {
        wrapped(&format!(
            "<retInutNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\"><infInut><tpAmb>{tp_amb}</tpAmb>\
             <cStat>102</cStat><xMotivo>x</xMotivo>{prot}</infInut></retInutNFe>"
        ))
    };
    let prot = "<nProt>135260000000202</nProt>";
    let said = |body: String| after("inutilizar", INUTILIZAR, answer(200, body.as_bytes()));
    assert!(matches!(said(void("2", prot)), Step::Done(Ok(_))));
    assert!(matches!(said(void("1", prot)), Step::Wait(_)));
    assert!(matches!(said(void("2", "")), Step::Wait(_)));
    let empty = |tp_amb: &str| {
        wrapped(&format!(
            "<retDistDFeInt xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.01\"><tpAmb>{tp_amb}</tpAmb><cStat>137</cStat>\
             <xMotivo>x</xMotivo><ultNSU>000000000000000</ultNSU><maxNSU>000000000000000</maxNSU></retDistDFeInt>"
        ))
    };
    let asked = r#"{"documento":"90011001000124","ultimo_nsu":"0"}"#;
    let said = |tp_amb: &str| after("distribuicao", asked, answer(200, empty(tp_amb).as_bytes()));
    assert!(matches!(said("2"), Step::Done(Ok(_))));
    assert!(matches!(said("1"), Step::Done(Err(_))));
}

/// The same yes in every dress.
#[test]
fn a_yes_is_read_however_it_is_wrapped() {
    let plain = authorized();
    let inner = &plain[plain.find("<retEnviNFe").expect("message")..];
    let inner = &inner[..inner.find("</nfeResultMsg>").expect("end")];
    let escaped = inner
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let latin: Vec<u8> = plain
        .replace("<xMotivo>x<", "<xMotivo>Autorização<")
        .chars()
        .map(|c| u8::try_from(u32::from(c)).expect("Latin-1"))
        .collect();
    for body in [
        inner.as_bytes().to_vec(),
        format!("\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n{plain}\r\n").into_bytes(),
        format!("<a><![CDATA[<?xml version=\"1.0\"?>{inner}]]></a>").into_bytes(),
        format!("<a>{escaped}</a>").into_bytes(),
        plain.replace("><", ">\n  <").into_bytes(),
        latin,
    ] {
        let step = after("autorizar", AUTHORIZE, answer(200, &body));
        let Step::Done(Ok(success)) = step else {
            panic!("{}: {step:?}", String::from_utf8_lossy(&body));
        };
        let documento = &success.documentos[0];
        let xml = String::from_utf8(documento.xml.clone().expect("xml")).expect("text");
        assert!(
            xml.starts_with(
                "<protNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\">"
            ),
            "{xml}"
        );
        assert!(xml.ends_with("</protNFe>"));
    }
}

/// An authority that never says anything: every flow ends by itself, what
/// changes something is sent once (a voiding thrice, with the same bytes),
/// and nobody claims to know.
#[test]
fn silence_ends_and_is_not_a_no() {
    let cut = Event::NoResponse(sdk::TransportFault {
        kind: sdk::TransportKind::Timeout,
        detail: "30 s".into(),
        maybe_arrived: true,
    });
    for event in [cut, answer(200, b"<html></html>"), answer(503, b"")] {
        for (name, json) in OPERATIONS {
            let (outcome, once) = to_the_end(name, json, &context(&[]), &event);
            let failure = outcome.expect_err(name);
            let changes = !once.is_empty();
            assert_eq!(failure.may_exist, changes, "{name}: {failure:?}");
            assert!(
                !matches!(failure.reason, FailureReason::Rejected(_)),
                "{name}"
            );
            let copies = if name == "inutilizar" {
                3
            } else {
                usize::from(changes)
            };
            assert_eq!(once.len(), copies, "{name}");
            assert!(once.windows(2).all(|two| two[0] == two[1]), "{name}");
        }
    }
}

/// An authority that answers every question with "not there" or "in the
/// queue" for ever.
#[test]
fn endless_queues_end() {
    let queued = "<x><retEnviNFe><cStat>103</cStat><infRec><nRec>351</nRec></infRec></retEnviNFe>\
                  <retConsReciNFe><cStat>105</cStat></retConsReciNFe>\
                  <retConsSitNFe><cStat>217</cStat></retConsSitNFe></x>";
    let (outcome, once) = to_the_end(
        "autorizar",
        AUTHORIZE,
        &context(&[]),
        &answer(200, queued.as_bytes()),
    );
    assert!(outcome.expect_err("unknown").may_exist);
    assert_eq!(once.len(), 1);
    let there = queued.replace("<cStat>103</cStat>", "<cStat>204</cStat>");
    let (outcome, once) = to_the_end(
        "autorizar",
        AUTHORIZE,
        &context(&[]),
        &answer(200, there.as_bytes()),
    );
    assert!(outcome.expect_err("unknown").may_exist);
    assert_eq!(once.len(), 1);
}

/// Whatever is wrong in the content, nothing is sent and nothing becomes
/// markup.
#[test]
fn contents_with_holes() {
    let junk = [
        serde_json::Value::Null,
        serde_json::json!({}),
        serde_json::json!("<x>&\u{0}ção"),
        serde_json::json!([]),
        serde_json::json!(-1),
        serde_json::json!(""),
        serde_json::json!("3526109001100100012455001000000057171829304é"),
    ];
    let mut refused = 0;
    for (name, json) in OPERATIONS {
        let whole: serde_json::Value = serde_json::from_str(json).expect("json");
        for key in whole.as_object().expect("object").keys() {
            for value in &junk {
                let mut content = whole.clone();
                content[key] = value.clone();
                match begin(name, &content.to_string(), &context(&[])) {
                    Step::Done(Err(failure)) => {
                        assert!(
                            matches!(failure.reason, FailureReason::InvalidInput(_)),
                            "{failure:?}"
                        );
                        assert!(!failure.may_exist);
                        refused += 1;
                    }
                    Step::Send(_) => assert!(
                        key == "chaves_anteriores" && *value == serde_json::json!([]),
                        "{name}: {key} = {value} was sent"
                    ),
                    Step::Done(Ok(success)) => panic!("{success:?}"),
                    Step::Wait(pause) => panic!("{pause:?}"),
                }
            }
        }
    }
    assert!(refused > 100);
}

/// A registry with a wrong value sends nothing.
#[test]
fn wrong_options_send_nothing() {
    for (name, value) in [
        ("soap", "2.0"),
        ("servico_evento", "x"),
        ("metodo_retorno", "x"),
        ("metodo_cadastro", "x"),
        ("cadastro_envelope", "x"),
    ] {
        let step = begin("status", "{}", &context(&[(name, value)]));
        let Step::Done(Err(failure)) = step else {
            panic!("{name}={value} was accepted");
        };
        assert!(failure.detail.contains(name), "{failure:?}");
        assert!(!failure.may_exist);
    }
}

/// A service the authorizer does not have, and a host without document.
#[test]
fn what_is_missing_sends_nothing() {
    let mut ctx = context(&[]);
    ctx.endpoints.retain(|name| name != "cadastro");
    let step = begin("cadastro", OPERATIONS[5].1, &ctx);
    let Step::Done(Err(failure)) = step else {
        panic!("{step:?}")
    };
    assert!(matches!(failure.reason, FailureReason::NotSupported(_)));
    sdk::host::FakeHost {
        secrets: Vec::new(),
        documento: None,
        log: Vec::new(),
    }
    .install();
    let step = (adapter_sefaz::adapter().start)(operation("autorizar", AUTHORIZE), context(&[]));
    let Step::Done(Err(failure)) = step else {
        panic!("{step:?}")
    };
    assert!(!failure.may_exist);
}

/// Documents beyond what an outcome may carry are asked for again.
#[test]
fn a_distribution_too_large_is_cut_at_a_document() {
    let large = sdk::gzip::encode(&vec![b'x'; 4 * 1024 * 1024]);
    let zips: String = (1..=3)
        .map(|nsu| format!("<docZip NSU=\"{nsu}\" schema=\"procNFe_v4.00.xsd\">{large}</docZip>"))
        .collect();
    let body = format!(
        "<retDistDFeInt><cStat>138</cStat><xMotivo>x</xMotivo><ultNSU>3</ultNSU><maxNSU>9</maxNSU>\
         <loteDistDFeInt>{zips}</loteDistDFeInt></retDistDFeInt>"
    );
    let step = after(
        "distribuicao",
        OPERATIONS[6].1,
        answer(200, body.as_bytes()),
    );
    let Step::Done(Ok(success)) = step else {
        panic!("{step:?}")
    };
    assert_eq!(success.documentos.len(), 1);
    let json: serde_json::Value =
        serde_json::from_str(&success.conteudo.expect("content").json).expect("json");
    assert_eq!(json["ultimo_nsu"], "000000000000001");
    assert_eq!(json["cortada"], true);
}

/// What the code reads as an option is what it declares.
#[test]
fn every_option_is_declared() {
    let declared = (adapter_sefaz::adapter().describe)().options;
    let source = include_str!("../../src/options.rs");
    for option in &declared {
        assert!(
            source.contains(&format!("\"{}\"", option.name)),
            "{} is never read",
            option.name
        );
        if let Some(default) = &option.default {
            assert!(option.choices.is_empty() || option.choices.contains(default));
        }
    }
    for call in ["escolha(\"", "option(\"", "option_flag(\"", "option_u64(\""] {
        for part in source.split(call).skip(1) {
            let name = part.split('"').next().unwrap_or_default();
            assert!(
                declared.iter().any(|option| option.name == name),
                "{name} is not declared"
            );
        }
    }
}
