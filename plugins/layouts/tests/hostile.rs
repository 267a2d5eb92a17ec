//! Answers and contents that nobody should send.

use sdk::{Context, Event, FailureReason, Named, Operacao, Response, Situacao, Step, cassette};
use std::path::Path;

/// The operation and context of a case.
fn input(case: &str) -> (Operacao, Context) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("cases")
        .join(case);
    cassette::input(&folder).expect("case")
}

fn answer(status: u16, body: &[u8]) -> Event {
    Event::Response(Response {
        status,
        headers: Vec::new(),
        body: body.to_vec(),
    })
}

/// The step after this answer to the first request of a case.
fn after(case: &str, event: Event) -> Step {
    let (op, ctx) = input(case);
    let adapter = adapter_layouts::adapter();
    let Step::Send(sent) = (adapter.start)(op, ctx.clone()) else {
        panic!("{case}: nothing sent");
    };
    (adapter.resume)(sent.state, event, ctx)
}

const NOTA: &str = "<retorno><mensagem><codigo>00001 - Sucesso</codigo></mensagem><numero_nfse>2345</numero_nfse>\
    <serie_nfse>1</serie_nfse><cod_verificador_autenticidade>77</cod_verificador_autenticidade></retorno>";

#[test]
fn a_cut_answer_is_neither_yes_nor_no() {
    match after("ipm101-emitida", answer(200, NOTA.as_bytes())) {
        Step::Done(Ok(success)) => assert_eq!(success.situacao, Situacao::Autorizado),
        other => panic!("{other:?}"),
    }
    // An empty text is no message either.
    for end in 0..NOTA.len() {
        let step = after("ipm101-emitida", answer(200, &NOTA.as_bytes()[..end]));
        assert!(matches!(step, Step::Wait(_)), "cut at {end}: {step:?}");
    }
}

#[test]
fn what_is_no_answer_leads_to_a_question() {
    let deep = format!("{}{}", "<a>".repeat(5000), "</a>".repeat(5000));
    let deep_json = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let doctype = format!("<!DOCTYPE x [<!ENTITY a 'b'>]>{NOTA}");
    let without_yes = NOTA.replace("00001 - Sucesso", "");
    let without_number = NOTA.replace("2345", "");
    let strange_number = NOTA.replace("2345", "-1");
    let unknown_state = NOTA.replace(
        "<serie_nfse>",
        "<situacao_codigo_nfse>9</situacao_codigo_nfse><serie_nfse>",
    );
    for (status, body) in [
        (200, ""),
        (200, "\u{feff}"),
        (200, "null<"),
        (200, "{}"),
        (200, "[]"),
        (200, "<html></html>"),
        (200, deep.as_str()),
        (200, deep_json.as_str()),
        (200, doctype.as_str()),
        (200, without_yes.as_str()),
        (200, without_number.as_str()),
        (200, strange_number.as_str()),
        (200, unknown_state.as_str()),
        (302, ""),
        (
            500,
            "<retorno><mensagem><codigo>00128 - Erro</codigo></mensagem></retorno>",
        ),
        (200, "<retorno><mensagem></mensagem></retorno>"),
    ] {
        let step = after("ipm101-emitida", answer(status, body.as_bytes()));
        let start: String = body.chars().take(60).collect();
        assert!(matches!(step, Step::Wait(_)), "{status} {start}: {step:?}");
    }
}

/// Whatever is cut out of the content, the answer is a message or a list of
/// fields, never a panic.
#[test]
fn contents_with_holes() {
    let adapter = adapter_layouts::adapter();
    let mut refused = 0;
    for layout in ["ipm", "equiplano", "agili", "conam", "el", "sigissweb"] {
        let (op, mut ctx) = input("ipm101-emitida");
        for (name, value) in [("leiaute", layout), ("entidade", "57")] {
            ctx.options.retain(|option| option.name != name);
            ctx.options.push(Named {
                name: name.into(),
                value: value.into(),
            });
        }
        ctx.secrets.push("token".into());
        let whole: serde_json::Value = serde_json::from_str(&op.conteudo.json).expect("JSON");
        for key in whole.as_object().expect("object").keys() {
            for value in [
                serde_json::Value::Null,
                serde_json::json!({}),
                serde_json::json!("ção\u{0}]]>"),
                serde_json::json!([]),
            ] {
                let mut content = whole.clone();
                content[key] = value;
                let mut op = op.clone();
                op.conteudo.json = content.to_string();
                match (adapter.start)(op, ctx.clone()) {
                    Step::Done(Err(failure)) => {
                        assert!(!failure.may_exist);
                        refused +=
                            usize::from(matches!(failure.reason, FailureReason::InvalidInput(_)));
                    }
                    Step::Send(_) => {}
                    other => panic!("{other:?}"),
                }
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

/// A registry with a wrong value sends nothing.
#[test]
fn wrong_options_send_nothing() {
    for (name, value) in [
        ("leiaute", "outro"),
        ("leiaute", ""),
        ("variantes", "torta"),
    ] {
        let (op, mut ctx) = input("ipm101-emitida");
        ctx.options.retain(|option| option.name != name);
        ctx.options.push(Named {
            name: name.into(),
            value: value.into(),
        });
        let step = (adapter_layouts::adapter().start)(op, ctx);
        let Step::Done(Err(failure)) = step else {
            panic!("{name}={value} was accepted");
        };
        assert!(failure.detail.contains(name), "{failure:?}");
        assert!(!failure.may_exist);
    }
}
