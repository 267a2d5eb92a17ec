//! A product note at SEFAZ: each answer that leaves a doubt, by its code.

use super::{count, fault, half_a_day, later, order, refuse, sent};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sim::FaultKind;
use std::sync::atomic::Ordering;
use tests::bodies::{nfce, nfe, with};
use tests::{TestApp, both};

const CNPJ: &str = "11222333000181";
const BELO_HORIZONTE: &str = "3106200";
const NFE: &str = "/api/v1/nfe";
const NFCE: &str = "/api/v1/nfce";
const SENDING: &str = "nfeAutorizacaoLote";
const QUESTION: &str = "nfeConsultaNF";
/// Longer than an NFC-e may wait to be sent.
const TOO_FAR_MS: i64 = 6 * 60_000;
/// For ever.
const ALWAYS: u64 = 0;

/// Other software of the same company, by its key to the hub: same series,
/// same numbers.
async fn other_program(app: &TestApp) -> String {
    let other = hub::demo::open_account(&app.app, "Outro programa", 6_000).await;
    let other = other.expect("account");
    app.emitter_of(&other.id, CNPJ, BELO_HORIZONTE).await;
    other.live_key
}

/// Keys under which a note left before its last one.
async fn earlier_chaves(app: &TestApp, id: &str) -> Vec<String> {
    let mut conn = app.app.db.read().await.expect("connection");
    let nota = store::tables::notas::by_id(&mut conn, &id.into())
        .await
        .expect("notes");
    issuing::document::product::Details::of(&nota.expect("a note"))
        .expect("its details")
        .chaves_anteriores
}

/// The XML the customer downloads.
async fn xml(app: &TestApp, id: &str) -> String {
    let path = format!("/api/v1/documentos/{id}/xml?formato=binario");
    app.get(&path).await.text
}

both! {
    async fn row_4a_lost_answers_are_found_by_the_key(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let lost = [FaultKind::CortarDepois, FaultKind::XmlPelaMetade, FaultKind::JsonEstranho5xx, FaultKind::Lixo];
        for (n, failure) in lost.into_iter().enumerate() {
            fault(&app, "autorizar", failure, 1, 0);
            let answer = app.post(NFE, &nfe()).await;
            assert_eq!(answer.summary(), "201 autorizada", "{failure:?}: {}", answer.text);
            assert_eq!(sent(&app, answer.text_at("/nota_id"), SENDING).await.len(), 1, "{failure:?}: asked, not sent again");
            let notas = app.app.simulator.sim.notas();
            assert_eq!(notas.len(), n + 1, "{failure:?}");
            assert_eq!(notas.last().and_then(|nota| nota.chave.as_deref()), Some(answer.text_at("/chave")), "{failure:?}");
            let proc = xml(&app, answer.text_at("/nota_id")).await;
            assert!(proc.contains("<protNFe") && proc.contains("<Signature"), "{failure:?}: {proc}");
        }
        assert_eq!(app.balance().await, (200 - 4 * 4, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_4b_217_is_sent_again_byte_for_byte(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for failure in [FaultKind::CortarAntes, FaultKind::Erro500, FaultKind::Html] {
            fault(&app, "autorizar", failure, 1, 0);
            let answer = app.post(NFE, &nfe()).await;
            assert_eq!(answer.summary(), "201 autorizada", "{failure:?}: {}", answer.text);
            let id = answer.text_at("/nota_id");
            let (sendings, questions) = (sent(&app, id, SENDING).await, sent(&app, id, QUESTION).await);
            assert_eq!(sendings.len(), 2, "{failure:?}");
            assert_eq!(questions.len(), 1, "{failure:?}: one question between two sendings");
            assert_eq!(sendings[0].request_body, sendings[1].request_body, "{failure:?}: the same envelope");
            assert!(earlier_chaves(&app, id).await.is_empty(), "{failure:?}: around the same document");
        }
        assert_eq!(app.app.simulator.sim.notas().len(), 3);
        assert_eq!(app.balance().await, (200 - 4 * 3, 0));
        app.check_invariants().await;
    }
}

timeless! {
    async fn row_4b_where_copies_are_refused_nothing_waits(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        app.stop_clock();
        fault(&app, "autorizar", FaultKind::CortarAntes, 1, 0);
        let answer = app.post(NFE, &nfe()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        let id = answer.text_at("/nota_id");
        let (sendings, questions) = (sent(&app, id, SENDING).await, sent(&app, id, QUESTION).await);
        assert_eq!((sendings.len(), questions.len()), (2, 1));
        assert_eq!(sendings[0].request_body, sendings[1].request_body, "the same envelope");
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

timeless! {
    async fn row_4c_a_copy_that_is_refused_is_the_note_that_is_there(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        app.stop_clock();
        // Taken, its answer lost, and not to be seen by the one question: 204.
        fault(&app, "autorizar", FaultKind::CortarDepois, 1, 0);
        refuse(&app, "consultar", "217", None, 1);
        let answer = app.post(NFE, &nfe()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        assert_eq!(sent(&app, answer.text_at("/nota_id"), SENDING).await.len(), 2);
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

impatient! {
    async fn row_4b_an_authority_that_loses_every_copy_is_not_sent_one_after_the_other(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "autorizar", FaultKind::CortarAntes, ALWAYS, 0);
        app.stop_clock();
        let answer = app.post(NFE, &nfe()).await;
        assert_eq!(answer.summary(), "202 em_transmissao", "{}", answer.text);
        assert_eq!(count(&app.app.simulator.sim, "autorizar"), 2, "the third waits for its time");
        app.app.simulator.sim.clear_faults();
        later(&app, answer.text_at("/nota_id"), &["autorizada"]).await;
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

impatient! {
    async fn row_4h_a_front_end_that_refuses_says_why_and_what_to_do(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "autorizar", FaultKind::AcessoNegado, ALWAYS, 0);
        fault(&app, "consultar", FaultKind::AcessoNegado, ALWAYS, 0);
        let answer = app.post_as(&app.live_key, NFE, &nfe(), Some("recusada")).await;
        assert_eq!(answer.summary(), "202 em_transmissao", "{}", answer.text);
        let id = answer.text_at("/nota_id").to_owned();
        let shown = app.get(&format!("/api/v1/documentos/{id}")).await;
        for said in [&answer, &shown] {
            assert_eq!(said.text_at("/impedimento/codigo"), "credenciais_recusadas", "{}", said.text);
            assert!(said.text_at("/impedimento/mensagem").contains("HTTP 403"), "{}", said.text);
            for help in ["certificado A1", "endereço IP"] {
                assert!(said.text_at("/impedimento/dica").contains(help), "{help}: {}", said.text);
            }
        }
        assert_eq!(count(&app.app.simulator.sim, "autorizar"), 1, "in doubt, and not sent again");
        assert_eq!(app.balance().await, (196, 4), "the credit stays reserved");
        app.app.simulator.sim.clear_faults();
        let note = later(&app, &id, &["autorizada"]).await;
        assert_eq!(note["impedimento"], Value::Null, "{note}");
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

/// Secret of the technician's program.
const CSRT: &str = "SEGREDO";

/// Names a technician in the company's profile, whose secret each key is hashed with.
async fn technician(app: &TestApp, emitter: &str) {
    let at = format!("/api/v1/emitters/{emitter}");
    let mut profile = app.get(&at).await.body["perfil_fiscal"].clone();
    profile["padroes"]["responsavel_tecnico"] = json!({
        "cnpj": "11444777000161", "contato": "Fulano", "email": "f@example.com", "telefone": "1133334444",
        "id_csrt": "01", "csrt": CSRT,
    });
    let request = app
        .http()
        .put(format!("{}{at}/fiscal-profile", app.base_url));
    let kept = app
        .send(
            request
                .bearer_auth(&app.live_key)
                .header("content-type", "application/json")
                .body(profile.to_string()),
        )
        .await;
    assert_eq!(kept.status, 200, "{}", kept.text);
}

/// `hashCSRT` of a key (NT 2018.005, ZD09).
fn csrt_hash(chave: &str) -> String {
    STANDARD.encode(openssl::sha::sha1(format!("{CSRT}{chave}").as_bytes()))
}

/// A key up to the way of emission, without its year and month: a note that is dated anew may be
/// of the next month.
fn undated(chave: &str) -> (&str, &str) {
    (&chave[..2], &chave[6..35])
}

/// A consumer note whose first copy is in doubt for longer than it may wait.
async fn in_doubt(app: &TestApp, failure: FaultKind) -> (String, String) {
    let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
    technician(app, &emitter).await;
    fault(app, "autorizar", failure, 1, 0);
    fault(app, "consultar", FaultKind::Erro500, ALWAYS, 0);
    let answer = app
        .post_as(&app.live_key, NFCE, &nfce(), Some("duvida"))
        .await;
    assert_eq!(answer.summary(), "202 em_transmissao", "{}", answer.text);
    let id = answer.text_at("/nota_id").to_owned();
    let shown = app.get(&format!("/api/v1/documentos/{id}")).await;
    app.ahead_ms.fetch_add(TOO_FAR_MS, Ordering::Relaxed);
    app.app.simulator.sim.clear_faults();
    (id, shown.text_at("/chave").to_owned())
}

impatient! {
    async fn row_4b_a_consumer_note_never_seen_takes_a_new_key_and_the_same_number(app: TestApp) {
        let (id, first) = in_doubt(&app, FaultKind::CortarAntes).await;
        let note = later(&app, &id, &["autorizada"]).await;
        let chave = note["chave"].as_str().expect("a key");
        assert_ne!(chave, first, "dated anew");
        assert_eq!((note["numero"].as_u64(), undated(chave)), (Some(1), undated(&first)), "{note}");
        let proc = xml(&app, &id).await;
        assert!(proc.contains(&format!("Id=\"NFe{chave}\"")) && proc.contains(&format!("p={chave}")), "{proc}");
        assert!(proc.contains(&format!("<hashCSRT>{}<", csrt_hash(chave))), "{proc}");
        assert!(note["qr_code"].as_str().is_some_and(|qr| qr.contains(chave)), "{note}");
        assert_eq!(sent(&app, &id, SENDING).await.len(), 2);
        let notas = app.app.simulator.sim.notas();
        assert_eq!((notas.len(), notas[0].chave.as_deref()), (1, Some(chave)));
        assert_eq!(app.balance().await, (196, 0));
        let repeated = app.post_as(&app.live_key, NFCE, &nfce(), Some("duvida")).await;
        assert_eq!((repeated.status, repeated.text_at("/chave")), (201, chave), "{}", repeated.text);
        app.check_invariants().await;
    }
}

impatient! {
    async fn row_4d_539_with_a_key_of_ours_adopts_that_note(app: TestApp) {
        // It was taken, but cannot be seen for a while.
        let (id, first) = in_doubt(&app, FaultKind::CortarDepois).await;
        refuse(&app, "consultar", "217", None, 1);
        let note = later(&app, &id, &["autorizada"]).await;
        let sendings = sent(&app, &id, SENDING).await;
        assert_eq!(sendings.len(), 2, "sent under another key, and refused as the same number");
        assert_eq!(earlier_chaves(&app, &id).await, [first.as_str()]);
        assert_eq!((note["chave"].as_str(), note["numero"].as_u64()), (Some(first.as_str()), Some(1)), "{note}");
        let proc = xml(&app, &id).await;
        assert!(proc.contains(&format!("Id=\"NFe{first}\"")) && proc.contains("<protNFe"), "{proc}");
        assert!(proc.contains(&format!("<hashCSRT>{}<", csrt_hash(&first))), "{proc}");
        assert!(note["qr_code"].as_str().is_some_and(|qr| qr.contains(&first)), "{note}");
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_4c_204_after_a_second_copy_is_the_note(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // Taken and not to be seen: by the look after the first copy, and by four
        // after the second, which is refused.
        fault(&app, "autorizar", FaultKind::CortarDepois, 1, 0);
        refuse(&app, "consultar", "217", None, 5);
        let answer = app.post(NFE, &nfe()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        let sendings = sent(&app, answer.text_at("/nota_id"), SENDING).await;
        assert_eq!(sendings.len(), 2);
        assert_eq!(sendings[0].request_body, sendings[1].request_body);
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_4c_204_at_the_first_copy_is_the_note(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "autorizar", FaultKind::Duplicada, 1, 0);
        let answer = app.post(NFE, &nfe()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        assert_eq!(count(&app.app.simulator.sim, "autorizar"), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_4e_539_with_a_key_of_other_software_burns_the_number(app: TestApp) {
        let other = other_program(&app).await;
        let theirs = app.post_as(&other, NFE, &nfe(), None).await;
        assert_eq!(theirs.summary(), "201 autorizada", "{}", theirs.text);
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let answer = app.post(NFE, &nfe()).await;
        assert_eq!(answer.summary(), "422 rejeitada_pela_sefaz", "{}", answer.text);
        assert_eq!(answer.body["rejeicao"]["codigo"], "539", "{}", answer.text);
        assert_eq!(app.balance().await, (200, 0));
        let next = app.post(NFE, &nfe()).await;
        assert_eq!((next.status, &next.body["numero"]), (201, &json!(2)), "number 1 is burnt: {}", next.text);
        app.check_invariants().await;
    }
}

impatient! {
    async fn row_4e_the_number_went_to_other_software_while_ours_was_in_doubt(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "autorizar", FaultKind::CortarAntes, 1, 0);
        fault(&app, "consultar", FaultKind::Erro500, ALWAYS, 0);
        let ours = app.post_as(&app.live_key, NFE, &nfe(), Some("disputada")).await;
        assert_eq!(ours.summary(), "202 em_transmissao", "{}", ours.text);
        let other = other_program(&app).await;
        let theirs = app.post_as(&other, NFE, &nfe(), None).await;
        assert_eq!(theirs.summary(), "201 autorizada", "{}", theirs.text);
        app.app.simulator.sim.clear_faults();
        later(&app, ours.text_at("/nota_id"), &["rejeitada"]).await;
        assert_eq!(app.balance().await, (200, 0), "the hold is resolved");
        let next = app.post(NFE, &nfe()).await;
        assert_eq!((next.status, &next.body["numero"]), (201, &json!(2)), "{}", next.text);
        app.check_invariants().await;
    }
}

impatient! {
    async fn row_4e_561_562_613_say_that_the_number_is_another_s(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for (n, codigo) in ["561", "562", "613"].into_iter().enumerate() {
            fault(&app, "autorizar", FaultKind::CortarAntes, 1, 0);
            refuse(&app, "consultar", codigo, Some("Rejeição: [chNFe:31261111222333000181550010000000991123456783]"), ALWAYS);
            let answer = app.post_as(&app.live_key, NFE, &nfe(), Some(codigo)).await;
            later(&app, answer.text_at("/nota_id"), &["rejeitada"]).await;
            assert_eq!(count(&app.app.simulator.sim, "autorizar"), n as u64 + 1, "{codigo}: not sent again");
            app.app.simulator.sim.clear_faults();
            assert_eq!(app.balance().await, (200, 0), "{codigo}");
        }
        let next = app.post(NFE, &nfe()).await;
        assert_eq!((next.status, &next.body["numero"]), (201, &json!(4)), "three numbers are burnt: {}", next.text);
        app.check_invariants().await;
    }
}

both! {
    async fn row_4f_105_waits_for_the_receipt(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "autorizar", FaultKind::Fila, 1, 10);
        refuse(&app, "recibo", "105", None, 3);
        let answer = app.post(NFE, &nfe()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        assert_eq!(count(&app.app.simulator.sim, "autorizar"), 1);
        assert!(count(&app.app.simulator.sim, "recibo") > 3);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_4f_656_at_a_question_is_asked_later_and_nothing_is_sent(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "autorizar", FaultKind::CortarDepois, 1, 0);
        fault(&app, "consultar", FaultKind::ConsumoIndevido, 2, 0);
        fault(&app, "consultar", FaultKind::LimiteRequisicoes, 1, 0);
        let answer = app.post(NFE, &nfe()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        assert_eq!(count(&app.app.simulator.sim, "autorizar"), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_4f_656_at_a_sending_stops_that_company_only(app: TestApp) {
        let second = "11222333000262";
        let other = app.emitter(second, BELO_HORIZONTE).await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "autorizar", FaultKind::ConsumoIndevido, 1, 0);
        let answer = app.post(NFE, &nfe()).await;
        assert_eq!(answer.summary(), "423 consumo_indevido_bloqueado", "{}", answer.text);
        assert_eq!((&answer.body["consumiu_numero_fiscal"], &answer.body["consumiu_credito"]), (&json!(false), &json!(false)));
        let again = app.post(NFE, &nfe()).await;
        assert_eq!(again.summary(), "423 consumo_indevido_bloqueado", "{}", again.text);
        assert_eq!(count(&app.app.simulator.sim, "autorizar"), 1, "the company is not heard for an hour: not asked");
        let branch = app.post(NFE, &with(nfe(), "/emitente_id", other)).await;
        assert_eq!(branch.summary(), "201 autorizada", "{}", branch.text);
        app.ahead_ms.fetch_add(3_601_000, Ordering::Relaxed);
        let after = app.post(NFE, &nfe()).await;
        assert_eq!((after.status, &after.body["numero"]), (201, &json!(1)), "{}", after.text);
        app.check_invariants().await;
    }
}

both! {
    async fn row_3_108_and_109_spend_nothing(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for codigo in ["108", "109"] {
            let failure = sim::Fault { falha: FaultKind::Pausado, codigo: Some(codigo.to_owned()), ..Default::default() };
            order(&app, "autorizar", 1, failure);
            let answer = app.post(NFE, &nfe()).await;
            assert_eq!((answer.status, answer.header("x-error-code")), (503, "sefaz_indisponivel"), "{codigo}: {}", answer.text);
            assert_ne!(answer.header("retry-after"), "");
            assert_eq!(app.balance().await, (200, 0), "{codigo}");
            // The breaker's pause.
            app.ahead_ms.fetch_add(3_600_000, Ordering::Relaxed);
        }
        let after = app.post(NFE, &nfe()).await;
        assert_eq!((after.status, &after.body["numero"]), (201, &json!(1)), "the number was free again: {}", after.text);
        app.check_invariants().await;
    }
}

impatient! {
    async fn row_4g_where_no_question_is_answered_nothing_is_sent_again(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        fault(&app, "autorizar", FaultKind::CortarDepois, 1, 0);
        fault(&app, "consultar", FaultKind::Erro500, ALWAYS, 0);
        let answer = app.post_as(&app.live_key, NFE, &nfe(), Some("muda")).await;
        let id = answer.text_at("/nota_id").to_owned();
        let asked = count(&app.app.simulator.sim, "consultar");
        half_a_day(&app).await;
        assert!(count(&app.app.simulator.sim, "consultar") > asked, "it goes on asking");
        assert_eq!(count(&app.app.simulator.sim, "autorizar"), 1, "and never sends");
        assert_eq!(app.balance().await, (196, 4), "the credit stays reserved");
        app.check_invariants().await;
        app.app.simulator.sim.clear_faults();
        later(&app, &id, &["autorizada"]).await;
        assert_eq!(app.balance().await, (196, 0));
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        app.check_invariants().await;
    }
}

both! {
    async fn row_5_a_refusal_returns_credit_and_number(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        refuse(&app, "autorizar", "778", None, 1);
        let refused = app.post_as(&app.live_key, NFE, &nfe(), Some("recusada")).await;
        assert_eq!(refused.summary(), "422 rejeitada_pela_sefaz", "{}", refused.text);
        assert_eq!(app.balance().await, (200, 0));
        let replayed = app.post_as(&app.live_key, NFE, &nfe(), Some("recusada")).await;
        assert_eq!(replayed.text_at("/nota_id"), refused.text_at("/nota_id"), "the same body, the same answer");
        let corrected = with(nfe(), "/natureza_operacao", "Venda");
        let issued = app.post_as(&app.live_key, NFE, &corrected, Some("recusada")).await;
        assert_eq!((issued.status, &issued.body["numero"]), (201, &json!(1)), "{}", issued.text);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_6_a_denial_burns_the_number_and_returns_the_credit(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for (n, codigo) in ["301", "302", "303"].into_iter().enumerate() {
            refuse(&app, "autorizar", codigo, None, 1);
            let denied: Value = app.post(NFE, &nfe()).await.body;
            assert_eq!(denied["codigo"], "rejeitada_pela_sefaz", "{codigo}: {denied}");
            assert_eq!(denied["rejeicao"]["codigo"], codigo, "{denied}");
            assert_eq!(app.balance().await, (200 - 4 * n as i64, 0), "{codigo}");
            let next = app.post(NFE, &nfe()).await;
            assert_eq!((next.status, next.body["numero"].as_u64()), (201, Some(2 * n as u64 + 2)), "{codigo}: {}", next.text);
        }
        app.check_invariants().await;
    }
}
