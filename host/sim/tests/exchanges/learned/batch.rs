//! SOAP with the message in CDATA, answered by a protocol.

use super::*;

const HOST: &str = "lotes.cidade.example";

fn envelope(service: &str, message: &str) -> String {
    format!(
        "<soapenv:Envelope xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\" xmlns:w=\"urn:lote\"><soapenv:Body>\
         <w:{service}><entrada><![CDATA[{message}]]></entrada></w:{service}></soapenv:Body></soapenv:Envelope>"
    )
}

fn answer(service: &str, message: &str) -> String {
    format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body><{service}Response xmlns=\"urn:lote\">\
         <return>{}</return></{service}Response></s:Body></s:Envelope>",
        abrasf::xml_escape(message)
    )
}

fn batch(number: u32, provider: &str) -> String {
    format!(
        "<lote><cpfCnpj>{provider}</cpfCnpj><nota><numeroRps>{number}</numeroRps><serieRps>A7</serieRps><valorServico>1234.56</valorServico></nota></lote>"
    )
}

fn protocol(number: &str, provider: &str) -> String {
    format!("<pedido><cpfCnpj>{provider}</cpfCnpj><protocolo>{number}</protocolo></pedido>")
}

fn step(
    service: &str,
    message: &str,
    action: &'static str,
    means: &'static str,
    said: &str,
) -> Step {
    Step {
        method: "POST",
        path: "",
        effect: if service == "enviar" {
            "once"
        } else {
            "read-only"
        },
        headers: vec![
            ("SOAPAction", action),
            ("Content-Type", "text/xml; charset=utf-8"),
        ],
        body: envelope(service, message),
        means,
        kind: "text/xml; charset=utf-8",
        answer: answer(service, said).into_bytes(),
    }
}

pub fn cases() -> Cases {
    let cases = Cases::new();
    let send = |means: &'static str, said: &str| {
        step("enviar", &batch(57, RECORDED), "urn:enviar", means, said)
    };
    let ask = |means: &'static str, said: &str| {
        step(
            "consultarLote",
            &protocol("7788990011", RECORDED),
            "urn:consultar",
            means,
            said,
        )
    };
    let taken = "<recibo><protocolo>7788990011</protocolo><recebido>2026-10-05T10:15:00</recebido></recibo>";
    let waiting = "<situacao>Em processamento</situacao>";
    let issued = "<nfse><numero>201</numero><codigoVerificacao>AB12-CD34</codigoVerificacao><rps>57</rps><valor>1.234,56</valor></nfse>";
    cases.case(
        "soap",
        "issued",
        &issuing(),
        &[
            send("queued", taken),
            ask("waiting", waiting),
            ask("issued", issued),
        ],
        &note(),
    );
    let text = "Valor inválido";
    let refusal =
        format!("<erros><erro><codigo>E66</codigo><mensagem>{text}</mensagem></erro></erros>");
    cases.case(
        "soap",
        "refused",
        &issuing(),
        &[send("queued", taken), ask("refused", &refusal)],
        &rejected("E66", text),
    );
    cases
}

async fn call(world: &World, service: &str, message: &str, action: &str) -> String {
    let headers = vec![
        ("SOAPAction".to_owned(), format!("\"{action}\"")),
        (
            "Content-Type".to_owned(),
            "text/xml; charset=utf-8".to_owned(),
        ),
    ];
    let body = envelope(service, message).into_bytes();
    let answer = world
        .request(HOST, "POST", "/ws/lotes", headers, body, None)
        .await;
    abrasf::unescape(&text(&answer))
}

#[tokio::test]
async fn a_batch_is_taken_waits_and_is_a_note() {
    let world = cases().world(None);
    let taken = call(&world, "enviar", &batch(8, COMPANY), "urn:enviar").await;
    let number = element(&taken, "protocolo").to_owned();
    assert_eq!(number.len(), 10, "{taken}");
    assert_ne!(number, "7788990011");
    assert_eq!(element(&taken, "recebido"), "2026-11-20T12:00:00");
    let waiting = call(
        &world,
        "consultarLote",
        &protocol(&number, COMPANY),
        "urn:consultar",
    )
    .await;
    assert_eq!(element(&waiting, "situacao"), "Em processamento");
    world.advance(1_000);
    let issued = call(
        &world,
        "consultarLote",
        &protocol(&number, COMPANY),
        "urn:consultar",
    )
    .await;
    assert_eq!(element(&issued, "numero"), "1");
    assert_eq!(element(&issued, "rps"), "8");
    assert_eq!(element(&issued, "valor"), "1.234,56");
    let other = call(
        &world,
        "consultarLote",
        &protocol(&number, OTHER),
        "urn:consultar",
    )
    .await;
    assert_eq!(element(&other, "mensagem"), "Lote não encontrado.");
}

#[tokio::test]
async fn a_situation_is_asked_for_before_the_batch() {
    let cases = cases();
    let situation = |means: &'static str, word: &str| {
        let said = format!("<andamento>{word}</andamento>");
        let asked = protocol("7788990011", RECORDED);
        step("consultarSituacao", &asked, "urn:situacao", means, &said)
    };
    let taken = "<recibo><protocolo>7788990011</protocolo></recibo>";
    let steps = [
        step(
            "enviar",
            &batch(57, RECORDED),
            "urn:enviar",
            "queued",
            taken,
        ),
        situation("waiting", "Na fila"),
        situation("ready", "Pronto"),
    ];
    cases.case("soap", "situation", &issuing(), &steps, &nothing());
    let world = cases.world(None);
    let taken = call(&world, "enviar", &batch(8, COMPANY), "urn:enviar").await;
    let asked = protocol(element(&taken, "protocolo"), COMPANY);
    let state = call(&world, "consultarSituacao", &asked, "urn:situacao").await;
    assert_eq!(element(&state, "andamento"), "Na fila");
    world.advance(1_000);
    let state = call(&world, "consultarSituacao", &asked, "urn:situacao").await;
    assert_eq!(element(&state, "andamento"), "Pronto");
    let issued = call(&world, "consultarLote", &asked, "urn:consultar").await;
    assert_eq!(element(&issued, "numero"), "1");
}

#[tokio::test]
async fn a_batch_with_a_known_rps_is_refused_when_it_is_asked_about() {
    let world = cases().world(None);
    call(&world, "enviar", &batch(8, COMPANY), "urn:enviar").await;
    let again = call(&world, "enviar", &batch(8, COMPANY), "urn:enviar").await;
    world.advance(1_000);
    let number = element(&again, "protocolo").to_owned();
    let refused = call(
        &world,
        "consultarLote",
        &protocol(&number, COMPANY),
        "urn:consultar",
    )
    .await;
    assert_eq!(element(&refused, "mensagem"), "RPS já informado.");
    assert_eq!(world.sim.notas().len(), 1);
}

#[tokio::test]
async fn another_action_is_another_service() {
    let world = cases().world(None);
    let text = call(&world, "enviar", &batch(8, COMPANY), "urn:outra").await;
    assert!(text.contains("Fault"), "{text}");
}

/// A login answers what later requests carry; it is about no note of theirs.
#[tokio::test]
async fn a_login_gives_the_recorded_session() {
    let cases = cases();
    let login = |provider: &str| {
        format!("<login><cpfCnpj>{provider}</cpfCnpj><senha>certa</senha></login>")
    };
    let sent = batch(57, RECORDED).replace("<nota>", "<sessao>a1b2c3d4e5</sessao><nota>");
    let taken = "<recibo><protocolo>7788990011</protocolo></recibo>";
    let steps = [
        step(
            "entrar",
            &login(RECORDED),
            "urn:entrar",
            "session",
            "<chave>a1b2c3d4e5</chave>",
        ),
        step("enviar", &sent, "urn:enviar", "queued", taken),
    ];
    cases.case("soap", "session", &issuing(), &steps, &nothing());
    let world = cases.world(None);
    let session = call(&world, "entrar", &login(COMPANY), "urn:entrar").await;
    assert_eq!(element(&session, "chave"), "a1b2c3d4e5");
}

fn by_rps(number: u32, provider: &str) -> String {
    format!("<pedido><cpfCnpj>{provider}</cpfCnpj><numeroRps>{number}</numeroRps></pedido>")
}

/// The answer to a batch is a word, and the note is asked for by its RPS. The
/// services of another city stand in another folder.
#[tokio::test]
async fn a_batch_without_protocol_is_asked_about_by_its_rps() {
    let cases = Cases::new();
    let send = |means: &'static str, said: &str| {
        let action = "https://a.example/ws/envia.php/enviar";
        step("enviar", &batch(57, RECORDED), action, means, said)
    };
    let ask = |means: &'static str, said: &str| {
        let action = "https://a.example/ws/consulta.php/consultar";
        step("consultar", &by_rps(57, RECORDED), action, means, said)
    };
    let issued = "<nfse><numero>201</numero><rps>57</rps></nfse>";
    let steps = [
        send("queued", "<ok>OK</ok>"),
        ask("waiting", "<ok>Controle inexistente</ok>"),
        ask("issued", issued),
    ];
    let mut outcome = note();
    outcome["success"]["protocolo"] = json!("OK");
    cases.case("word", "issued", &issuing(), &steps, &outcome);
    let refused = [send("refused", "<erro>Valor inválido</erro>")];
    let text = rejected("", "Valor inválido");
    cases.case("word", "refused", &issuing(), &refused, &text);
    let unknown = [ask("not-found", "<ok>Nada encontrado</ok>")];
    cases.case("word", "unknown", &asking(), &unknown, &nothing());

    let world = cases.world(None);
    let action = "https://b.example/outra/envia.php/enviar";
    let taken = call(&world, "enviar", &batch(8, COMPANY), action).await;
    assert_eq!(element(&taken, "ok"), "OK");
    let action = "https://b.example/outra/consulta.php/consultar";
    let early = call(&world, "consultar", &by_rps(8, COMPANY), action).await;
    assert_eq!(element(&early, "ok"), "Nada encontrado");
    world.advance(1_000);
    let found = call(&world, "consultar", &by_rps(8, COMPANY), action).await;
    assert_eq!(element(&found, "numero"), "1");
    assert_eq!(element(&found, "rps"), "8");
    let other = call(&world, "consultar", &by_rps(9, COMPANY), action).await;
    assert_eq!(element(&other, "ok"), "Nada encontrado");
}
