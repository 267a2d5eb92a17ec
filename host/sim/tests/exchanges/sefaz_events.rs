//! Events and the distribution of documents.

use crate::common::sefaz::*;
use crate::common::*;
use serde_json::json;

const HOUR: i64 = 3_600_000;

fn cce(chave: &str, sequence: u32, ms: i64) -> Event<'_> {
    Event {
        organ: "35",
        tp_amb: "2",
        author: COMPANY,
        chave,
        ms,
        kind: "110110",
        sequence,
        detail: "<descEvento>Carta de Correcao</descEvento><xCorrecao>O endereco do destinatario fica no numero 20</xCorrecao>\
                  <xCondUso>A Carta de Correcao e disciplinada pelo paragrafo 1o-A do art. 7o do Convenio S/N, de 15 de dezembro de 1970 e pode \
                  ser utilizada para regularizacao de erro ocorrido na emissao de documento fiscal, desde que o erro nao esteja relacionado com: \
                  I - as variaveis que determinam o valor do imposto tais como: base de calculo, aliquota, diferenca de preco, quantidade, valor \
                  da operacao ou da prestacao; II - a correcao de dados cadastrais que implique mudanca do remetente ou do destinatario; III - a \
                  data de emissao ou de saida.</xCondUso>"
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    }
}

#[tokio::test]
async fn cancelling_depends_on_the_clock_and_the_state() {
    let world = World::new();
    let (early, late, gone) = (Nota::nfe(1), Nota::nfe(2), Nota::nfe(3));
    let (a, b, c) = (
        world.authorized(&early).await,
        world.authorized(&late).await,
        world.authorized(&gone).await,
    );
    world.advance(23 * HOUR);
    let at = NOW + 23 * HOUR;
    let wrong = cancellation(&early.chave(), "135260000000000", at).signed(&COMPANY_A1);
    let answer = world.sefaz("NFeRecepcaoEvento4", &sending(&[wrong])).await;
    assert_eq!(cstat(&answer, "retEvento"), "222");
    assert_eq!(
        world.event(&cancellation(&early.chave(), &a, at)).await,
        "135"
    );
    assert_eq!(world.event(&cce(&early.chave(), 1, at)).await, "580");
    world.advance(2 * HOUR);
    let at = at + 2 * HOUR;
    assert_eq!(
        world.event(&cancellation(&late.chave(), &b, at)).await,
        "155"
    );
    let answer = world
        .sefaz("NFeConsultaProtocolo4", &query(&late.chave()))
        .await;
    assert_eq!(cstat(&answer, ""), "151");
    world.advance(30 * DAY);
    let at = at + 30 * DAY;
    assert_eq!(
        world.event(&cancellation(&gone.chave(), &c, at)).await,
        "501"
    );
    let order = json!({"prazo_cancelamento_horas": 2_000});
    assert_eq!(
        status(&world.control("PUT", "parametros", order).await),
        200
    );
    assert_eq!(
        world.event(&cancellation(&gone.chave(), &c, at)).await,
        "135"
    );
}

#[tokio::test]
async fn rules_of_an_event() {
    let world = World::new();
    let nota = Nota::nfe(1);
    let key = nota.chave();
    let protocol = world.authorized(&nota).await;
    let unknown = Nota::nfe(2).chave();
    let good = || cancellation(&key, &protocol, NOW);
    let changed = |f: fn(&mut Event<'_>)| {
        let mut event = good();
        f(&mut event);
        event
    };
    for (event, code) in [
        (changed(|e| e.organ = "31"), "250"),
        (changed(|e| e.tp_amb = "1"), "252"),
        (changed(|e| e.sequence = 2), "594"),
        (changed(|e| e.ms = NOW + 10 * 60_000), "578"),
        (changed(|e| e.ms = NOW - 10 * 60_000), "577"),
        (changed(|e| e.kind = "119999"), "491"),
        (cancellation(&unknown, &protocol, NOW), "494"),
    ] {
        assert_eq!(world.event(&event).await, code);
    }
    let other = Event {
        author: OTHER,
        ..good()
    };
    let document = sending(&[other.signed(&OTHER_A1)]);
    let answer = world
        .at(
            SP,
            &sp("NFeRecepcaoEvento4"),
            "NFeRecepcaoEvento4",
            &document,
            &OTHER_A1,
        )
        .await;
    assert_eq!(cstat(&answer, "retEvento"), "574");
    let signed = good().signed(&COMPANY_A1);
    for (document, code) in [
        (signed.replace("Erro na", "Falha na"), "297"),
        (signed.replace("Id=\"ID110111", "Id=\"ID110112"), "298"),
    ] {
        let answer = world
            .sefaz("NFeRecepcaoEvento4", &sending(&[document]))
            .await;
        assert_eq!(cstat(&answer, "retEvento"), code);
    }
    let many = vec![signed; 21];
    let answer = world.sefaz("NFeRecepcaoEvento4", &sending(&many)).await;
    assert!(matches!(cstat(&answer, "").as_str(), "215" | "225"));
}

#[tokio::test]
async fn letters_follow_each_other() {
    let world = World::new();
    let nota = Nota::nfe(1);
    let key = nota.chave();
    world.authorized(&nota).await;
    assert_eq!(world.event(&cce(&key, 1, NOW)).await, "135");
    assert_eq!(world.event(&cce(&key, 1, NOW)).await, "573");
    assert_eq!(world.event(&cce(&key, 5, NOW)).await, "135");
    assert_eq!(world.event(&cce(&key, 4, NOW)).await, "573");
    // The schema of the letter ends at 20.
    assert_eq!(world.event(&cce(&key, 21, NOW)).await, "493");
    assert_eq!(world.event(&cce(&key, 20, NOW)).await, "135");
    let answer = world.sefaz("NFeConsultaProtocolo4", &query(&key)).await;
    assert_eq!(answer.matches("<procEventoNFe").count(), 3);
    world.advance(31 * DAY);
    assert_eq!(world.event(&cce(&key, 6, NOW + 31 * DAY)).await, "596");
    let consumer = Nota::nfce(1);
    let world = World::new();
    world.authorized(&consumer).await;
    let document = sending(&[cce(&consumer.chave(), 1, NOW).signed(&COMPANY_A1)]);
    let answer = world
        .at(
            SP_NFCE,
            "/ws/NFeRecepcaoEvento4.asmx",
            "NFeRecepcaoEvento4",
            &document,
            &COMPANY_A1,
        )
        .await;
    assert_eq!(cstat(&answer, "retEvento"), "784");
}

#[tokio::test]
async fn consumer_notes_are_cancelled_within_half_an_hour_or_replaced() {
    let world = World::new();
    let send = async |event: &Event<'_>| {
        let document = sending(&[event.signed(&COMPANY_A1)]);
        let answer = world
            .at(
                SP_NFCE,
                "/ws/NFeRecepcaoEvento4.asmx",
                "NFeRecepcaoEvento4",
                &document,
                &COMPANY_A1,
            )
            .await;
        cstat(&answer, "retEvento")
    };
    let (old, new) = (
        Nota::nfce(1),
        Nota {
            tp_emis: "9",
            ..Nota::nfce(2)
        },
    );
    let parameters = format!(
        "{}|3|2|{}|125.50||",
        new.chave(),
        &date(new.issued_ms)[8..10]
    );
    let key = openssl::pkey::PKey::private_key_from_pkcs8(&COMPANY_A1.key_pkcs8_der).expect("key");
    let mut signer =
        openssl::sign::Signer::new(openssl::hash::MessageDigest::sha1(), &key).expect("signer");
    let value = signer
        .sign_oneshot_to_vec(parameters.as_bytes())
        .expect("signature");
    use base64::Engine;
    let value = base64::engine::general_purpose::STANDARD.encode(value);
    let new = Nota {
        qr: Some(format!("{QR}?p={parameters}|{value}")),
        ..new
    };
    let protocol = world.authorized(&old).await;
    world.advance(HOUR);
    let at = NOW + HOUR;
    let (old_key, new_key) = (old.chave(), new.chave());
    assert_eq!(send(&cancellation(&old_key, &protocol, at)).await, "501");
    let replace = |of: &str| Event {
        kind: "110112",
        detail: format!(
            "<descEvento>Cancelamento por substituicao</descEvento><cOrgaoAutor>35</cOrgaoAutor><tpAutor>1</tpAutor><verAplic>teste</verAplic>\
             <nProt>{protocol}</nProt><xJust>Emissao em duplicidade</xJust><chNFeRef>{of}</chNFeRef>"
        ),
        ..cancellation(&old_key, &protocol, at)
    };
    assert_eq!(send(&replace(&new_key)).await, "912");
    assert_eq!(send(&replace(&old_key)).await, "911");
    assert_eq!(cstat(&world.authorize(&new).await, "infProt"), "100");
    assert_eq!(send(&replace(&new_key)).await, "135");
    let again = cancellation(&old_key, &protocol, at);
    assert_eq!(send(&again).await, "420");
}

#[tokio::test]
async fn reconciliation_and_reform_events() {
    let world = World::new();
    let nota = Nota::nfe(1);
    let key = nota.chave();
    world.authorized(&nota).await;
    let econf = Event {
        kind: "110750",
        detail: "<descEvento>ECONF</descEvento><verAplic>teste</verAplic><detPag><tPag>01</tPag><vPag>125.50</vPag><dPag>2026-11-20</dPag></detPag>".to_owned(),
        ..cancellation(&key, "", NOW)
    };
    let document = sending(&[econf.signed(&COMPANY_A1)]);
    let answer = world.sefaz("NFeRecepcaoEvento4", &document).await;
    assert_eq!(cstat(&answer, "retEvento"), "135", "{answer}");
    let number = tag(&answer, "nProt");
    let undo = |number: &str| Event {
        kind: "110751",
        detail: format!(
            "<descEvento>Cancelamento Conciliação Financeira</descEvento><verAplic>teste</verAplic><nProtEvento>{number}</nProtEvento>"
        ),
        ..cancellation(&key, "", NOW)
    };
    assert_eq!(world.event(&undo("135260000000009")).await, "222");
    assert_eq!(world.event(&undo(&number)).await, "135");
    let delivery = Event {
        kind: "112150",
        detail: "<descEvento>Atualização da Data de Previsão de Entrega</descEvento><cOrgaoAutor>35</cOrgaoAutor><tpAutor>1</tpAutor>\
                  <verAplic>teste</verAplic><dPrevEntrega>2026-12-01</dPrevEntrega>"
            .to_owned(),
        ..cancellation(&key, "", NOW)
    };
    assert_eq!(world.event(&delivery).await, "135");
    let office = Event {
        kind: "412120",
        ..delivery
    };
    assert_ne!(world.event(&office).await, "135");
}

#[tokio::test]
async fn manifestation_belongs_to_the_recipient() {
    let world = World::new();
    let nota = Nota::nfe(1);
    let key = nota.chave();
    let protocol = world.authorized(&nota).await;
    assert_eq!(
        world.manifest(&manifestation(&key, "210210", 1, NOW)).await,
        "135"
    );
    assert_eq!(
        world.manifest(&manifestation(&key, "210210", 1, NOW)).await,
        "573"
    );
    assert_eq!(
        world.manifest(&manifestation(&key, "210200", 1, NOW)).await,
        "135"
    );
    assert_eq!(
        world.manifest(&manifestation(&key, "210210", 2, NOW)).await,
        "655"
    );
    assert_eq!(
        world.event(&cancellation(&key, &protocol, NOW)).await,
        "221"
    );
    assert_eq!(
        world.manifest(&manifestation(&key, "210240", 1, NOW)).await,
        "135"
    );
    assert_eq!(
        world.manifest(&manifestation(&key, "210220", 1, NOW)).await,
        "594"
    );
    assert_eq!(
        world.event(&cancellation(&key, &protocol, NOW)).await,
        "135"
    );
    // Somebody else; the state's own address.
    let foreign = Event {
        author: COMPANY,
        ..manifestation(&key, "210200", 2, NOW)
    };
    let (host, path) = AN_EVENT;
    let document = sending(&[foreign.signed(&COMPANY_A1)]);
    let answer = world
        .at(host, path, "NFeRecepcaoEvento4", &document, &COMPANY_A1)
        .await;
    assert_eq!(cstat(&answer, "retEvento"), "575");
    assert_eq!(
        world
            .event(&Event {
                author: COMPANY,
                ..manifestation(&key, "210200", 2, NOW)
            })
            .await,
        "250"
    );
    let cancelled = Nota::nfe(2);
    let key = cancelled.chave();
    let protocol = world.authorized(&cancelled).await;
    assert_eq!(
        world.event(&cancellation(&key, &protocol, NOW)).await,
        "135"
    );
    assert_eq!(
        world.manifest(&manifestation(&key, "210210", 1, NOW)).await,
        "650"
    );
    assert_eq!(
        world.manifest(&manifestation(&key, "210220", 1, NOW)).await,
        "651"
    );
    let old = Nota::nfe(3);
    world.authorized(&old).await;
    world.advance(11 * DAY);
    let at = NOW + 11 * DAY;
    assert_eq!(
        world
            .manifest(&manifestation(&old.chave(), "210210", 1, at))
            .await,
        "596"
    );
    assert_eq!(
        world
            .manifest(&manifestation(&old.chave(), "210200", 1, at))
            .await,
        "135"
    );
}

#[tokio::test]
async fn documents_are_distributed_by_nsu() {
    let world = World::new();
    // Nothing yet: 137, and an hour of patience.
    let nothing = world.distribute(&since(0)).await;
    assert_eq!(cstat(&nothing, ""), "137");
    let misuse = world.distribute(&since(0)).await;
    assert_eq!(cstat(&misuse, ""), "656");
    world.advance(HOUR + 1_000);
    let now = NOW + HOUR + 1_000;

    let nota = Nota {
        issued_ms: now,
        ..Nota::nfe(1)
    };
    let key = nota.chave();
    let protocol = world.authorized(&nota).await;
    let answer = world.distribute(&since(0)).await;
    assert_eq!(cstat(&answer, ""), "138", "{answer}");
    let docs = documents(&answer);
    assert_eq!(docs.len(), 1);
    assert_eq!(docs[0].1, "resNFe_v1.01.xsd");
    assert!(docs[0].2.contains(&key));
    assert_eq!(tag(&answer, "ultNSU"), "000000000000001");
    assert_eq!(tag(&answer, "maxNSU"), "000000000000001");

    assert_eq!(
        world.manifest(&manifestation(&key, "210210", 1, now)).await,
        "135"
    );
    let docs = documents(&world.distribute(&since(1)).await);
    assert_eq!(docs.len(), 1);
    assert_eq!(docs[0].1, "procNFe_v4.00.xsd");
    assert_eq!(world.event(&cce(&key, 1, now)).await, "135");
    assert_eq!(
        world.event(&cancellation(&key, &protocol, now)).await,
        "135"
    );
    let docs = documents(&world.distribute(&since(2)).await);
    let kinds: Vec<&str> = docs.iter().map(|d| d.1.as_str()).collect();
    assert_eq!(
        kinds,
        ["procEventoNFe_v1.00.xsd", "procEventoNFe_v1.00.xsd"]
    );
    // The issuer gets the manifestation, not its own note.
    let (host, path) = AN_DISTRIBUTION;
    let answer = world
        .at(
            host,
            path,
            "NFeDistribuicaoDFe",
            &distribution(COMPANY, &since(0)),
            &COMPANY_A1,
        )
        .await;
    let docs = documents(&answer);
    assert_eq!(docs.len(), 1);
    assert!(docs[0].2.contains("<tpEvento>210210</tpEvento>"));
    // Each NSU by itself, and one too far.
    let one = world
        .distribute("<consNSU><NSU>000000000000002</NSU></consNSU>")
        .await;
    assert_eq!(documents(&one).len(), 1);
    assert_eq!(cstat(&world.distribute(&since(99)).await, ""), "589");
    // Of another company.
    let answer = world
        .at(
            host,
            path,
            "NFeDistribuicaoDFe",
            &distribution(COMPANY, &since(0)),
            &OTHER_A1,
        )
        .await;
    assert_eq!(cstat(&answer, ""), "593");
    // Three months later they are gone.
    world.advance(91 * DAY);
    assert_eq!(cstat(&world.distribute(&since(0)).await, ""), "137");
}

#[tokio::test]
async fn single_questions_are_counted() {
    let world = World::new();
    let nota = Nota::nfe(1);
    world.authorized(&nota).await;
    let question = format!("<consChNFe><chNFe>{}</chNFe></consChNFe>", nota.chave());
    for _ in 0..20 {
        assert_eq!(cstat(&world.distribute(&question).await, ""), "138");
    }
    let answer = world.distribute(&question).await;
    assert_eq!(cstat(&answer, ""), "656");
    assert_eq!(tag(&answer, "maxNSU"), "000000000000001");
    // The block holds everything of this company for an hour, and every try renews it.
    assert_eq!(cstat(&world.distribute(&since(0)).await, ""), "656");
    world.advance(59 * 60_000);
    assert_eq!(cstat(&world.distribute(&since(0)).await, ""), "656");
    world.advance(HOUR + 1);
    assert_eq!(cstat(&world.distribute(&since(0)).await, ""), "138");
    // A test may forgive it.
    let (host, path) = AN_DISTRIBUTION;
    let issuer = world
        .at(
            host,
            path,
            "NFeDistribuicaoDFe",
            &distribution(COMPANY, &question),
            &COMPANY_A1,
        )
        .await;
    assert_eq!(cstat(&issuer, ""), "641");
    let unknown = format!(
        "<consChNFe><chNFe>{}</chNFe></consChNFe>",
        Nota::nfe(9).chave()
    );
    assert_eq!(cstat(&world.distribute(&unknown).await, ""), "217");
}

#[tokio::test]
async fn suppliers_issue_on_order() {
    let world = World::new();
    let order = json!({"cnpj": OTHER, "quantidade": 60, "valor_centavos": 12_345});
    let answer = world.control("POST", "sefaz/depositos", order).await;
    assert_eq!(status(&answer), 201, "{}", text(&answer));
    let keys: Vec<String> =
        serde_json::from_value(json_of(&answer)["chaves"].clone()).expect("keys");
    assert_eq!(keys.len(), 60);
    let first = world.distribute(&since(0)).await;
    assert_eq!(documents(&first).len(), 50);
    assert_eq!(tag(&first, "ultNSU"), "000000000000050");
    let rest = world.distribute(&since(50)).await;
    assert_eq!(rest.matches("<docZip").count(), 10);
    assert_eq!(
        world
            .manifest(&manifestation(&keys[0], "210210", 1, NOW))
            .await,
        "135"
    );
    let docs = documents(&world.distribute(&since(60)).await);
    assert_eq!(docs[0].1, "procNFe_v4.00.xsd");
    let answer = world
        .control("POST", "sefaz/depositos", json!({"cancelar": keys[0]}))
        .await;
    assert_eq!(status(&answer), 201, "{}", text(&answer));
    let docs = documents(&world.distribute(&since(61)).await);
    assert!(docs[0].2.contains("<tpEvento>110111</tpEvento>"));
    let note = world
        .control("GET", &format!("sefaz/notas/{}", keys[1]), json!({}))
        .await;
    xmllint("schemas/nfe/nfelib-3.2.0/procNFe_v4.00.xsd", &text(&note));
    for (order, part) in [
        (json!({"cnpj": "11222333000182"}), "cnpj"),
        (json!({"cnpj": OTHER, "quantidade": 0}), "quantidade"),
        (json!({"cnpj": OTHER, "uf": "XX"}), "uf"),
        (json!({"cnpj": OTHER, "outro": 1}), "outro"),
    ] {
        let answer = world.control("POST", "sefaz/depositos", order).await;
        assert_eq!(status(&answer), 400);
        assert!(text(&answer).contains(part), "{}", text(&answer));
    }
    let order = json!({"documento": OTHER, "proximo_nsu": 1_000});
    assert_eq!(
        status(&world.control("PUT", "sefaz/contadores", order).await),
        200
    );
    world
        .control(
            "POST",
            "sefaz/depositos",
            json!({"cnpj": OTHER, "uf": "MG"}),
        )
        .await;
    let answer = world.distribute(&since(62)).await;
    assert_eq!(tag(&answer, "maxNSU"), "000000000001000");
}
