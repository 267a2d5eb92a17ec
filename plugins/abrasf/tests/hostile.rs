//! Answers and contents that nobody should send.

use sdk::{
    Ambiente, Conteudo, Context, Emitente, Event, FailureReason, Municipio, Named, Operacao,
    Response, Situacao, Step,
};

const REQUEST: &str = r#"{"identificacao":{"serie":"1","numero":57},"data_emissao":"2026-10-05T10:15:00-03:00",
  "data_competencia":"2026-10-01","codigo_municipio_emissor":"3106705",
  "servico":{"descricao":"Consultoria","item_lista_servico":"17.01"},
  "valores":{"servico":"100.00","iss":{"aliquota":"2.00"}}}"#;

const NOTA: &str = "<GerarNfseResposta xmlns=\"http://www.abrasf.org.br/nfse.xsd\"><ListaNfse><CompNfse><Nfse versao=\"2.02\">\
  <InfNfse Id=\"n1\"><Numero>201</Numero><CodigoVerificacao>A1</CodigoVerificacao><DataEmissao>2026-10-05T10:16:02</DataEmissao>\
  <DeclaracaoPrestacaoServico><InfDeclaracaoPrestacaoServico><Rps><IdentificacaoRps><Numero>57</Numero><Serie>1</Serie>\
  </IdentificacaoRps></Rps></InfDeclaracaoPrestacaoServico></DeclaracaoPrestacaoServico></InfNfse></Nfse></CompNfse></ListaNfse>\
  </GerarNfseResposta>";

fn context(options: &[(&str, &str)]) -> Context {
    Context {
        flow: "flw_1".into(),
        step: 0,
        now: "2026-10-05T10:15:00-03:00".into(),
        entropy: vec![0; 32],
        ambiente: Ambiente::Homologacao,
        municipio: Some(Municipio {
            codigo: 3_106_705,
            nome: "Betim".into(),
            uf: "MG".into(),
            codigo_tom: None,
        }),
        uf: Some("MG".into()),
        emitente: Emitente {
            documento: "90011001000124".into(),
            inscricao_municipal: Some("123456".into()),
            inscricao_estadual: None,
            razao_social: "EMPRESA DE TESTE LTDA".into(),
            extras: Vec::new(),
        },
        endpoints: vec!["nfse".into()],
        options: options
            .iter()
            .map(|(name, value)| Named {
                name: (*name).into(),
                value: (*value).into(),
            })
            .collect(),
        secrets: Vec::new(),
    }
}

fn operation(json: &str) -> Operacao {
    Operacao {
        nome: "emitir".into(),
        conteudo: Conteudo {
            schema: "nfse.dps/1".into(),
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

/// The step after this answer to the emission.
fn after(ctx: &Context, event: Event) -> Step {
    let adapter = adapter_abrasf::adapter();
    let Step::Send(sent) = (adapter.start)(operation(REQUEST), ctx.clone()) else {
        panic!("nothing sent");
    };
    (adapter.resume)(sent.state, event, ctx.clone())
}

#[test]
fn a_cut_answer_is_neither_yes_nor_no() {
    let ctx = context(&[("versao", "2.02"), ("modo", "gerar")]);
    match after(&ctx, answer(200, NOTA.as_bytes())) {
        Step::Done(Ok(success)) => assert_eq!(success.situacao, Situacao::Autorizado),
        other => panic!("{other:?}"),
    }
    for end in 0..NOTA.len() {
        let step = after(&ctx, answer(200, &NOTA.as_bytes()[..end]));
        assert!(matches!(step, Step::Wait(_)), "cut at {end}: {step:?}");
    }
}

#[test]
fn what_is_no_answer_leads_to_a_question() {
    let ctx = context(&[("versao", "2.02"), ("modo", "gerar")]);
    let refused = "<GerarNfseResposta><ListaMensagemRetorno><MensagemRetorno><Codigo>E1</Codigo></MensagemRetorno>\
                   </ListaMensagemRetorno></GerarNfseResposta>";
    let no_number = NOTA.replace("<Numero>201</Numero>", "<Numero></Numero>");
    let strange_number = NOTA.replace("<Numero>201</Numero>", "<Numero>-1</Numero>");
    let other_series = NOTA.replace("<Serie>1</Serie>", "<Serie>2</Serie>");
    let doctype = format!("<!DOCTYPE x [<!ENTITY a 'b'>]>{NOTA}");
    let deep = format!("{}{}", "<a>".repeat(5000), "</a>".repeat(5000));
    for (status, body) in [
        (200, ""),
        (200, "\u{feff}"),
        (200, "null"),
        (200, "<html></html>"),
        (204, ""),
        (302, ""),
        (500, refused),
        (503, refused),
        (200, no_number.as_str()),
        (200, strange_number.as_str()),
        (200, other_series.as_str()),
        (200, doctype.as_str()),
        (200, deep.as_str()),
        (200, "<GerarNfseResposta/>"),
        (
            200,
            "<GerarNfseResposta><ListaMensagemRetorno/></GerarNfseResposta>",
        ),
    ] {
        let step = after(&ctx, answer(status, body.as_bytes()));
        let start: String = body.chars().take(60).collect();
        assert!(matches!(step, Step::Wait(_)), "{status} {start}: {step:?}");
    }
    let step = after(&ctx, answer(200, &[0xff, 0xfe, 0x00, 0x3c]));
    assert!(matches!(step, Step::Wait(_)), "{step:?}");
}

/// A city that never decides: the flow ends by itself, in time, not knowing.
#[test]
fn endless_queues_end() {
    for version in ["1.00", "2.02"] {
        let ctx = context(&[("versao", version), ("modo", "lote")]);
        let adapter = adapter_abrasf::adapter();
        let mut step = (adapter.start)(operation(REQUEST), ctx.clone());
        let mut steps = 0;
        let failure = loop {
            steps += 1;
            assert!(steps < 60, "{version}: too many steps");
            let (state, event) = match step {
                Step::Done(outcome) => break outcome.expect_err("no note was issued"),
                Step::Wait(pause) => {
                    assert!(pause.reason.starts_with("pendente"), "{}", pause.reason);
                    (pause.state, Event::Elapsed)
                }
                Step::Send(sent) => {
                    let body = match sent.request.label.as_str() {
                        "RecepcionarLoteRps" => {
                            "<EnviarLoteRpsResposta><Protocolo>9</Protocolo></EnviarLoteRpsResposta>"
                        }
                        "ConsultarSituacaoLoteRps" => {
                            "<ConsultarSituacaoLoteRpsResposta><Situacao>2</Situacao></ConsultarSituacaoLoteRpsResposta>"
                        }
                        _ => {
                            "<ConsultarLoteRpsResposta><Situacao>1</Situacao></ConsultarLoteRpsResposta>"
                        }
                    };
                    (sent.state, answer(200, body.as_bytes()))
                }
            };
            step = (adapter.resume)(state, event, ctx.clone());
        };
        assert!(failure.may_exist);
        assert!(steps > 40, "{version}: gave up after {steps} steps");
    }
}

/// Whatever is cut out of the content, the answer is a message or a list of
/// fields, never a panic.
#[test]
fn contents_with_holes() {
    let whole: serde_json::Value = serde_json::from_str(REQUEST).expect("json");
    let ctx = context(&[
        ("versao", "2.04"),
        ("modo", "gerar"),
        ("ibs_cbs", "valores"),
    ]);
    let adapter = adapter_abrasf::adapter();
    let mut refused = 0;
    for key in whole.as_object().expect("object").keys() {
        for value in [
            serde_json::Value::Null,
            serde_json::json!({}),
            serde_json::json!("ção\u{0}]]>"),
            serde_json::json!([]),
        ] {
            let mut content = whole.clone();
            content[key] = value;
            match (adapter.start)(operation(&content.to_string()), ctx.clone()) {
                Step::Done(Err(failure)) => {
                    assert!(
                        matches!(failure.reason, FailureReason::InvalidInput(_)),
                        "{failure:?}"
                    );
                    assert!(!failure.may_exist);
                    refused += 1;
                }
                Step::Send(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(refused > 0);
}

/// A registry with a wrong value sends nothing.
#[test]
fn wrong_options_send_nothing() {
    for (name, value) in [
        ("versao", "3.00"),
        ("modo", "fax"),
        ("envelope", "zip"),
        ("cabecalho", "zip"),
        ("soap", "2.0"),
        ("elemento", "{x}"),
        ("metodos", "x"),
        ("omite", "A//B"),
        ("consulta_numero", "x"),
        ("assina", "tudo"),
        ("atributo_id", "ID"),
        ("credenciais", "x"),
        ("aliquota", "x"),
        ("item_lista", "x"),
        ("formato_data", "x"),
        ("ibs_cbs", "x"),
        ("filhos_sem_namespace", "nota"),
        ("ids", "rps={x}"),
        ("campos_json", "xml={x}"),
        ("resposta", "{x}"),
        ("namespaces", "x"),
    ] {
        let mut options = vec![("versao", "2.02")];
        options.retain(|(other, _)| *other != name);
        options.push((name, value));
        let step = (adapter_abrasf::adapter().start)(operation(REQUEST), context(&options));
        let Step::Done(Err(failure)) = step else {
            panic!("{name}={value} was accepted");
        };
        assert!(failure.detail.contains(name), "{failure:?}");
        assert!(!failure.may_exist);
    }
}

/// What the code reads as an option is what it declares.
#[test]
fn every_option_is_declared() {
    let declared = (adapter_abrasf::adapter().describe)().options;
    let source = concat!(
        include_str!("../src/answer/nota.rs"),
        include_str!("../src/options.rs"),
        include_str!("../src/transport.rs")
    );
    for option in &declared {
        assert!(
            source.contains(&format!("\"{}\"", option.name)),
            "{} is never read",
            option.name
        );
        assert!(!option.doc.is_empty());
        if let Some(default) = &option.default {
            assert!(
                option.choices.is_empty() || option.choices.contains(default),
                "{}",
                option.name
            );
        }
    }
    for part in source.split("option(\"").skip(1) {
        let name = part.split('"').next().unwrap_or_default();
        assert!(
            declared.iter().any(|option| option.name == name),
            "{name} is not declared"
        );
    }
}
