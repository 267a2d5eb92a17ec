//! The misbehaviours, by name.

use crate::declaration::{ELEMENT, NAMESPACE};
use crate::mode::mode;
use crate::requests::{ask, emit, strange};
use sdk::bindings::signer::{Algorithm, Canonicalization, Options, Placement};
use sdk::{
    Context, Documento, Encoding, Event, Exchange, Failure, HttpRequest, Level, Mensagem, Operacao,
    Outcome, Pause, SignError, Situacao, Step, Success,
};
use std::hint::black_box;

/// Log lines and signatures of the greedy ones.
const GREEDY: usize = 10_000;

pub fn start(op: Operacao, ctx: Context) -> Step {
    if let Some(request) = strange(mode()) {
        return send(request);
    }
    match mode() {
        // Several, because each component has places of its own.
        "loop" | "loop-1" | "loop-2" | "loop-3" => spin(),
        "memory" => swallow(),
        "stack" => panic!("{}", dig(1)),
        "panic" => panic!("quebrei de proposito"),
        "state" => Step::Send(Exchange {
            request: ask(),
            state: vec![7; 1 << 20],
        }),
        "state-flood" => Step::Send(Exchange {
            request: ask(),
            state: vec![7; 20 << 20],
        }),
        "wait" => wait(1),
        "pause" => wait(u64::MAX),
        "unable" => Step::Done(Err(Failure::not_supported("nada disso"))),
        // Names that are not declared are not even shown.
        "secrets-hidden" => Step::Done(Err(Failure::other(&format!(
            "{} {}",
            ctx.secrets.join(","),
            sdk::host::secret("token", Encoding::Plain).is_none()
        )))),
        "placeholder-stray" => send(emit("@@hub:0000000000000000:plain:senha@@")),
        "placeholder-other" => send(emit(&borrowed("senha_do_vizinho"))),
        "placeholder-cut" => send(emit(borrowed("senha").trim_end_matches('@'))),
        "secrets" => Step::Done(Err(Failure::other(&format!(
            "{} segredos alheios",
            foreign_secrets(&ctx)
        )))),
        "yes-unasked" => Step::Done(Ok(issued("1"))),
        "yes-waited" => wait(1),
        "logs" => {
            let line = "linha\r\n\u{1b}[2J".repeat(1_000);
            (0..GREEDY).for_each(|_| sdk::host::log(Level::Info, &line));
            Step::Done(Err(Failure::other("escrevi demais")))
        }
        "signs" => {
            let text = |n: &usize| n.to_string().into_bytes();
            let signed = (0..GREEDY)
                .filter(|n| sdk::host::sign_bytes(&text(n), Algorithm::RsaSha256).is_ok())
                .count();
            Step::Done(Err(Failure::other(&format!("{signed} assinaturas"))))
        }
        "forges" => {
            assert!(forged_signatures_are_refused(), "uma assinatura alheia");
            Step::Done(Err(Failure::not_supported("nada disso")))
        }
        // Asked about the note, it would issue it again.
        "resend" => send(emit(&op.conteudo.json)),
        "good" | "trap-once" | "loop-once" | "no-once" if op.nome == "emitir" => {
            send(emit(&op.conteudo.json))
        }
        _ => send(ask()),
    }
}

pub fn resume(_: Vec<u8>, event: Event, _: Context) -> Step {
    match mode() {
        "good" => Step::Done(finished(event)),
        // Shows what it was shown.
        "echo" => {
            let shown = match event {
                Event::Response(response) => String::from_utf8_lossy(&response.body).into_owned(),
                _ => String::new(),
            };
            Step::Done(Err(Failure::other(&shown).maybe_exists()))
        }
        "trap-once" | "resend" => panic!("quebrei depois de enviar"),
        "loop-once" => spin(),
        "no-once" => Step::Done(Err(Failure::rejected(vec![Mensagem::new(
            "E0",
            "Recusada, palavra de honra.",
        )]))),
        "wait" | "pause" => wait(1),
        "send" => send(ask()),
        "yes-waited" => Step::Done(Ok(issued("1"))),
        "yes-empty" => Step::Done(Ok(Success::new(Situacao::Autorizado))),
        "yes-blank" => Step::Done(Ok(issued(" "))),
        "yes-flood" => {
            let messages = (0..24)
                .map(|_| Mensagem::new("A1", &"x".repeat(1 << 20)))
                .collect();
            Step::Done(Ok(issued("1").messages(messages)))
        }
        "yes-large" => {
            let documento = Documento {
                xml: Some(vec![b'<'; 9 << 20]),
                ..note("1")
            };
            Step::Done(Ok(Success::new(Situacao::Autorizado).documento(documento)))
        }
        // What a blocked or oversized exchange becomes.
        _ => Step::Done(finished(event)),
    }
}

/// The honest end: issued when the authority answered.
fn finished(event: Event) -> Outcome {
    match event {
        Event::Response(response) if response.is_success() => Ok(issued("1")),
        Event::Response(response) => {
            Err(Failure::unexpected("resposta que nao entendo", &response.body).maybe_exists())
        }
        Event::NoResponse(fault) => Err(sdk::Fault::NoResponse(fault).into()),
        Event::Elapsed | Event::Cancelled => Err(Failure::other("fora de hora")),
    }
}

fn issued(number: &str) -> Success {
    Success::new(Situacao::Autorizado).documento(note(number))
}

fn note(number: &str) -> Documento {
    Documento {
        tipo: "nfse".into(),
        situacao: Situacao::Autorizado,
        xml: None,
        numero: Some(number.into()),
        serie: None,
        chave: None,
        codigo_verificacao: None,
        protocolo: None,
        emitido_em: None,
        url_consulta: None,
        valores: Vec::new(),
    }
}

fn send(request: HttpRequest) -> Step {
    Step::Send(Exchange {
        request,
        state: Vec::new(),
    })
}

fn wait(duration_ms: u64) -> Step {
    Step::Wait(Pause {
        duration_ms,
        reason: "sem motivo\u{1b}[2J".into(),
        state: Vec::new(),
    })
}

/// Never comes back.
pub fn spin() -> ! {
    let mut n = 0_u64;
    loop {
        n = black_box(n.wrapping_add(1));
    }
}

/// Takes memory until there is none.
fn swallow() -> Step {
    let mut kept = Vec::new();
    loop {
        kept.push(black_box(vec![1_u8; 1 << 20]));
    }
}

/// Recursion without an end in sight.
fn dig(depth: u64) -> u64 {
    let below = if black_box(depth) == 0 {
        0
    } else {
        dig(depth.wrapping_add(1))
    };
    black_box(below).wrapping_add(depth)
}

/// A placeholder with this flow's own tag and a name nobody gave.
fn borrowed(name: &str) -> String {
    let own = sdk::host::secret("senha", Encoding::Plain).unwrap_or_default();
    own.replace("senha@@", &format!("{name}@@"))
}

/// What the adapter declares is signed. Nothing else is: no other element of the
/// city, nothing of other authorities, nor what could become the signature of that.
fn forged_signatures_are_refused() -> bool {
    let options = || Options {
        algorithm: Algorithm::RsaSha1,
        canonicalization: Canonicalization::C14n,
        placement: Placement::AfterReference,
        id_attribute: "Id".to_owned(),
        include_chain: false,
        empty_uri: false,
    };
    let element = |name: &str, namespace: &str| {
        let xml = format!(r#"<a xmlns="{namespace}"><{name} Id="n1"/></a>"#);
        sdk::host::sign_xml(&xml, "n1", options())
    };
    let text = |text: &[u8]| sdk::host::sign_bytes(text, Algorithm::RsaSha1);
    let own = [
        element(ELEMENT, NAMESPACE).is_ok(),
        text(b"0003999900000000000120261127T").is_ok(),
    ];
    let refused = |error: Option<SignError>| matches!(error, Some(SignError::Unsupported(_)));
    let foreign = [
        element("c", NAMESPACE).err(),
        element(ELEMENT, "").err(),
        element("infNFe", "http://www.portalfiscal.inf.br/nfe").err(),
        element(ELEMENT, "http://www.portalfiscal.inf.br/nfe").err(),
        element(
            "evtAdmissao",
            "http://www.esocial.gov.br/schema/evt/evtAdmissao/v_S_01_03_00",
        )
        .err(),
        element("Assertion", "urn:oasis:names:tc:SAML:2.0:assertion").err(),
        element("termoDeAutorizacao", "").err(),
        text(br#"<SignedInfo xmlns="http://www.w3.org/2000/09/xmldsig#">"#).err(),
        text(&[0x30, 0x31, 0x00]).err(),
        text(&[b'a'; 101]).err(),
        text(&[b'a'; 2_000]).err(),
    ];
    own.into_iter().all(|made| made) && foreign.into_iter().all(refused)
}

/// How many secrets the host names that are not this customer's.
fn foreign_secrets(ctx: &Context) -> usize {
    let wanted = [
        "senha_do_vizinho",
        "",
        "../senha",
        "senha:plain:senha",
        "vault.keys",
        "certificado",
    ];
    let named = wanted
        .iter()
        .filter(|name| sdk::host::secret(name, Encoding::Plain).is_some())
        .count();
    let pairs = wanted
        .iter()
        .filter(|name| sdk::host::basic_auth("usuario", name).is_some())
        .count();
    named
        + pairs
        + ctx
            .secrets
            .iter()
            .filter(|name| wanted.contains(&name.as_str()))
            .count()
}
