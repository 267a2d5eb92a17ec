//! POST /api/v1/nfe and /api/v1/nfce

use crate::common::{BELO_HORIZONTE, assert_refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use tests::app::Backend;
use tests::bodies::{nfce, nfe, nfse, with};
use tests::{TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";
const NFE: &str = "/api/v1/nfe";
const NFCE: &str = "/api/v1/nfce";

both! {
    async fn an_authorized_note_is_charged_once(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let answer = app.post(NFE, &nfe()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        assert_eq!(answer.body["simulada"], true);
        assert_eq!((&answer.body["serie"], &answer.body["numero"]), (&json!(1), &json!(1)));
        assert_eq!((answer.text_at("/chave").len(), answer.text_at("/status_sefaz")), (44, "100"));
        assert_eq!(answer.body["valor_total"].to_string(), "37.80");
        assert_eq!(answer.body["creditos"], json!({ "reservado": 0, "debitado": 4, "saldo": 196 }));
        assert_eq!((&answer.body["consumiu_numero_fiscal"], &answer.body["consumiu_credito"]), (&json!(true), &json!(true)));
        assert_eq!(app.balance().await, (196, 0));
        let again = app.get(&format!("/api/v1/documentos/{}", answer.text_at("/chave"))).await;
        assert_eq!(again.text_at("/nota_id"), answer.text_at("/nota_id"));
        let statement = app.get("/api/v1/creditos/extrato?limite=1").await;
        assert_eq!(statement.text_at("/itens/0/nota_id"), answer.text_at("/nota_id"), "{}", statement.text);
        let call = app.get(&format!("/api/v1/usage/chamadas/{}", answer.text_at("/request_id"))).await;
        assert_eq!(call.text_at("/nota_id"), answer.text_at("/nota_id"), "{}", call.text);
        let steps = call.body["linha_do_tempo"].as_array().expect("steps");
        assert!(steps.iter().any(|step| step["etapa"] == "numerado"), "{}", call.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_consumer_note_has_its_qr_code(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let answer = app.post(NFCE, &nfce()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        assert_eq!(answer.text_at("/modelo"), "65");
        assert!(answer.text_at("/qr_code").contains(answer.text_at("/chave")), "{}", answer.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_consumer_note_is_drawn_where_it_is_asked_for(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let file = |answer: &tests::Answer, name: &str| STANDARD.decode(answer.text_at(name)).expect("base64");
        let answer = app.post_as(&app.live_key, "/api/v1/nfce?qr_png=1&danfe=1", &nfce(), Some("cx1-1")).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        assert!(file(&answer, "/qr_code_png_base64").starts_with(b"\x89PNG\r\n\x1a\n"));
        assert!(file(&answer, "/danfe_nfce_base64").starts_with(b"%PDF"));
        assert_eq!(answer.body["creditos"]["debitado"], 4);
        // What is drawn is no part of the stored answer.
        let again = app.post_as(&app.live_key, "/api/v1/nfce?qr_png=1", &nfce(), Some("cx1-1")).await;
        assert_eq!((again.status, again.header("idempotent-replayed"), again.text_at("/nota_id")), (201, "true", answer.text_at("/nota_id")));
        assert_eq!(file(&again, "/qr_code_png_base64"), file(&answer, "/qr_code_png_base64"));
        assert_eq!(again.body.get("danfe_nfce_base64"), None);
        let draft = app.post("/api/v1/nfce/criar", &nfce()).await;
        let issued = app.post("/api/v1/nfce/emitir?danfe=1", &json!({ "nota_id": draft.text_at("/nota_id") })).await;
        assert_eq!((issued.status, issued.body.get("qr_code_png_base64")), (201, None), "{}", issued.text);
        assert!(file(&issued, "/danfe_nfce_base64").starts_with(b"%PDF"));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_parameter_nobody_knows_issues_nothing(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for path in ["/api/v1/nfe", "/api/v1/nfe/criar", "/api/v1/nfce/criar", "/api/v1/nfse", "/api/v1/nfse/substituir"] {
            let answer = app.post(&format!("{path}?qr_png=1"), &nfe()).await;
            assert_refusal(&answer, "400 campo_desconhecido");
            assert_eq!(answer.text_at("/campos/0/campo"), "qr_png");
        }
        for (query, summary) in [("qrpng=1", "400 campo_desconhecido"), ("qr_png=sim", "400 parametro_invalido")] {
            assert_refusal(&app.post(&format!("{NFCE}?{query}"), &nfce()).await, summary);
        }
        assert_eq!(app.post(&format!("{NFCE}?tolerante=1"), &nfce()).await.status, 201);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn everything_to_correct_is_told_at_once_and_spends_nothing(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let body = with(with(nfe(), "/itens/0/ncm", "12345678"), "/destinatario/cpf_cnpj", "11111111111111");
        let answer = app.post(NFE, &body).await;
        assert_refusal(&answer, "422 validacao_previa");
        let fields: Vec<&str> = answer.body["campos"].as_array().expect("fields").iter().filter_map(|field| field["campo"].as_str()).collect();
        assert!(fields.contains(&"itens[0].ncm") && fields.contains(&"destinatario.cpf_cnpj"), "{fields:?}");
        // Misspelt members, in a list and out of it, are named as the others are; of one
        // whose name cannot be in a place, the group is named, and the name beside it.
        let body = with(with(nfe(), "/itens/0/nmc", "09012100"), "/destinatario/?", 1);
        let answer = app.post(NFE, &body).await;
        assert_refusal(&answer, "400 campo_desconhecido");
        let mut fields: Vec<&str> = answer.body["campos"].as_array().expect("fields").iter().filter_map(|field| field["campo"].as_str()).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["destinatario", "itens[0].nmc"], "{}", answer.text);
        let own = answer.body["campos"].as_array().expect("fields").iter().find(|field| field["campo"] == "destinatario");
        assert_eq!(own.map(|field| &field["valor"]), Some(&json!("?")), "{}", answer.text);
        let next = app.post(NFE, &nfe()).await;
        assert_eq!(next.body["numero"], 1, "{}", next.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_rejected_note_returns_credit_and_number(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let reason = "Rejeição: motivo  com \"aspas\" & espaços";
        app.app.simulator.sim.add_fault(sim::Fault {
            falha: sim::FaultKind::Recusar,
            codigo: Some("778".to_owned()),
            mensagem: Some(reason.to_owned()),
            ..Default::default()
        });
        let answer = app.post(NFE, &nfe()).await;
        assert_refusal(&answer, "422 rejeitada_pela_sefaz");
        assert_eq!((answer.text_at("/rejeicao/codigo"), answer.text_at("/rejeicao/motivo")), ("778", reason));
        assert_eq!(answer.text_at("/rejeicao/origem"), "sefaz");
        assert!(!answer.text_at("/rejeicao/correcao").is_empty());
        assert_eq!(app.balance().await, (200, 0));
        app.app.simulator.sim.clear_faults();
        let next = app.post(NFE, &nfe()).await;
        assert_eq!((next.status, &next.body["numero"]), (201, &json!(1)), "{}", next.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn contingency_is_refused_with_its_code(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let answer = app.post(NFCE, &with(nfce(), "/forma_emissao", "contingencia")).await;
        assert_refusal(&answer, "422 contingencia_nao_oferecida");
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_draft_takes_no_number_until_it_is_issued(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let draft = app.post("/api/v1/nfe/criar", &nfe()).await;
        assert_eq!((draft.status, &draft.body["numero"]), (201, &json!(null)), "{}", draft.text);
        let body = json!({ "nota_id": draft.text_at("/nota_id") });
        let issued = app.post("/api/v1/nfe/emitir", &body).await;
        assert_eq!((issued.summary().as_str(), &issued.body["numero"]), ("201 autorizada", &json!(1)), "{}", issued.text);
        let again = app.post("/api/v1/nfe/emitir", &body).await;
        assert_eq!((again.status, again.text_at("/chave")), (200, issued.text_at("/chave")));
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_test_key_without_certificate_costs_nothing(app: TestApp) {
        app.emitter_without_certificate(CNPJ, BELO_HORIZONTE).await;
        let answer = app.post_as(&app.test_key, NFE, &nfe(), None).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        assert_eq!((&answer.body["simulada"], &answer.body["consumiu_credito"]), (&json!(true), &json!(false)));
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_test_key_s_authorities_are_of_its_account_alone(app: TestApp) {
        app.emitter_without_certificate(CNPJ, BELO_HORIZONTE).await;
        let first = app.post_as(&app.test_key, NFE, &nfe(), None).await;
        assert_eq!(first.summary(), "201 autorizada", "{}", first.text);
        // A stranger says to be the same company: nobody asked for a proof.
        let other = hub::demo::open_account(&app.app, "Estranho", 6_000).await.expect("account");
        let theirs = app.emitter_of(&other.id, CNPJ, BELO_HORIZONTE).await;
        let body = with(nfe(), "/emitente_id", theirs);
        let second = app.post_as(&other.test_key, NFE, &body, None).await;
        assert_eq!((second.status, &second.body["numero"]), (201, &json!(1)), "not refused as a duplicate: {}", second.text);
        let (ours, world) = (app.app.simulator.world(&app.account_id), app.app.simulator.world(&other.id));
        assert_eq!(ours.expect("a world").notas().len(), 1);
        assert!(world.expect("a world").notas().iter().all(|nota| nota.chave.as_deref() != Some(first.text_at("/chave"))));
        app.check_invariants().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_adapter_that_is_not_installed_is_no_fault_of_the_emitter() {
    let empty = tempfile::tempdir().expect("folder");
    let folder = empty.path().to_owned();
    let started =
        TestApp::start_with(Backend::Sqlite, |config| config.adapters.folder = folder).await;
    let app = started.expect("SQLite is always there");
    app.emitter(CNPJ, BELO_HORIZONTE).await;
    for (path, body) in [(NFE, nfe()), ("/api/v1/nfse", nfse())] {
        let answer = app.post(path, &body).await;
        assert_refusal(&answer, "503 manutencao");
        assert!(
            answer
                .text_at("/mensagem")
                .contains("não está instalado neste hub"),
            "{}",
            answer.text
        );
        assert!(
            answer.text_at("/dica").contains("quem opera o hub"),
            "{}",
            answer.text
        );
        assert_eq!(answer.header("retry-after"), "60");
    }
    assert_eq!(app.balance().await, (200, 0));
    app.check_invariants().await;
}

on_sqlite! {
    async fn a_sefaz_that_is_down_reserves_nothing(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        app.app.simulator.sim.add_fault(sim::Fault {
            falha: sim::FaultKind::Pausado,
            ..Default::default()
        });
        let first = app.post(NFE, &nfe()).await;
        assert_refusal(&first, "503 sefaz_indisponivel");
        assert_ne!(first.header("retry-after"), "");
        app.stop_clock();
        app.app.simulator.sim.clear_faults();
        let received = app.app.simulator.sim.received();
        let second = app.post(NFE, &nfe()).await;
        assert_refusal(&second, "503 sefaz_indisponivel");
        assert_eq!(app.app.simulator.sim.received(), received, "nobody was asked");
        assert_eq!(app.balance().await, (200, 0));
        let statement = app.get("/api/v1/creditos/extrato").await;
        let holds = statement.body["itens"].as_array().expect("items").iter().filter(|item| item["tipo"] == "reserva").count();
        assert_eq!(holds, 1, "the second call reserved nothing: {}", statement.text);
        let draft = app.post("/api/v1/nfe/criar", &nfe()).await;
        assert_eq!(draft.summary(), "201 rascunho", "a draft asks nobody: {}", draft.text);
        app.ahead_ms.fetch_add(31_000, std::sync::atomic::Ordering::Relaxed);
        let third = app.post(NFE, &nfe()).await;
        assert_eq!((third.summary().as_str(), &third.body["numero"]), ("201 autorizada", &json!(1)), "{}", third.text);
        app.check_invariants().await;
    }
}
