//! POST /api/v1/nfse

use crate::common::{BELO_HORIZONTE, DAY_MS, ask_as, assert_refusal, cnpj, profile};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use tests::bodies::{nfse, with};
use tests::{Answer, both, on_sqlite};

const CNPJ: &str = "11222333000181";
const PATH: &str = "/api/v1/nfse";
/// Tartarugalzinho, a city of MegaSoft.
const WITHOUT_SERIES: &str = "1600709";

both! {
    async fn an_authorized_note_is_charged_once(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let answer = app.post(PATH, &nfse()).await;
        assert_eq!(answer.summary(), "201 autorizada", "{}", answer.text);
        assert_eq!(answer.body["simulada"], true);
        assert_eq!(answer.body["creditos"], json!({ "reservado": 0, "debitado": 4, "saldo": 196 }));
        assert_eq!((answer.header("x-credits-charged"), answer.header("x-credits-balance")), ("4", "196"));
        assert_eq!(answer.body["consumiu_numero_fiscal"], true);
        assert_eq!(answer.text_at("/chave").len(), 50);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_refused_note_returns_credit_and_number(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        // The national rule E0713: this burden is only for Simples Nacional.
        let body = with(nfse(), "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }));
        let answer = app.post(PATH, &body).await;
        assert_refusal(&answer, "422 rejeitada_pela_prefeitura");
        assert_eq!(answer.text_at("/rejeicao/codigo"), "E0713");
        assert_eq!(answer.text_at("/rejeicao/origem"), "nacional");
        assert!(!answer.text_at("/rejeicao/motivo").is_empty());
        assert!(!answer.text_at("/rejeicao/correcao").is_empty());
        assert!(answer.text_at("/nota_id").starts_with("nfse_"));
        assert_eq!(app.balance().await, (200, 0));
        let next = app.post(PATH, &nfse()).await;
        assert_eq!(next.body["rps"]["numero"], 1, "the refused number is used again: {}", next.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn what_the_authority_says_goes_through_as_it_came(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let reason = "Motivo  com \"aspas\", acentuação & espaços";
        app.app.simulator.sim.add_fault(sim::Fault {
            falha: sim::FaultKind::Recusar,
            codigo: Some("E9876".to_owned()),
            mensagem: Some(reason.to_owned()),
            ..Default::default()
        });
        let answer = app.post(PATH, &nfse()).await;
        assert_refusal(&answer, "422 rejeitada_pela_prefeitura");
        assert_eq!((answer.text_at("/rejeicao/codigo"), answer.text_at("/rejeicao/motivo")), ("E9876", reason));
        let document = app.get(&format!("/api/v1/documentos/{}", answer.text_at("/nota_id"))).await;
        assert_eq!(document.summary(), "200 rejeitada", "{}", document.text);
        assert_eq!(document.body["rejeicao"], answer.body["rejeicao"]);
    }
}

on_sqlite! {
    async fn a_test_key_validates_and_costs_nothing(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let answer = app.post_as(&app.test_key, PATH, &nfse(), None).await;
        assert_eq!(answer.summary(), "200 validada", "{}", answer.text);
        assert_eq!(answer.body["simulada"], true);
        assert_eq!(answer.body["creditos"], json!({ "reservado": 0, "debitado": 0, "saldo": 200 }));
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_test_key_needs_no_certificate(app: TestApp) {
        let body = json!({ "cnpj": cnpj("11444777"), "perfil_fiscal": profile(BELO_HORIZONTE) });
        let emitter = app.post("/api/v1/emitters", &body).await;
        assert_eq!(emitter.status, 201, "{}", emitter.text);
        let answer = app.post_as(&app.test_key, PATH, &nfse(), None).await;
        assert_eq!(answer.summary(), "200 validada", "{}", answer.text);
        assert_refusal(&app.post(PATH, &nfse()).await, "422 certificado_ausente");
    }
}

on_sqlite! {
    async fn without_credit_nothing_is_sent(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        for n in 0..50 {
            let answer = app.post("/api/v1/fiscal/nfse/provedor", &json!({ "codigo_ibge": BELO_HORIZONTE })).await;
            assert_eq!(answer.status, 200, "{n}: {}", answer.text);
        }
        assert_eq!(app.balance().await, (0, 0));
        let received = app.app.simulator.sim.received();
        let answer = app.post(PATH, &nfse()).await;
        assert_refusal(&answer, "402 saldo_insuficiente");
        assert_eq!((&answer.body["preco"], &answer.body["saldo"], &answer.body["faltam"]), (&json!(4), &json!(0), &json!(4)));
        assert_eq!(app.app.simulator.sim.received(), received);
        let list = app.get(PATH).await;
        assert_eq!(list.body["itens"], json!([]), "nothing was recorded");
        let free = app.post_as(&app.test_key, PATH, &nfse(), None).await;
        assert_eq!(free.summary(), "200 validada", "a test key needs no credit: {}", free.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn bad_notes_are_refused_before_anything(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let cases: Vec<(Value, &str, &str)> = vec![
            (with(nfse(), "/surpresa", 1), "400 campo_desconhecido", "surpresa"),
            (with(nfse(), "/tomador/nomes", "x"), "400 campo_desconhecido", "tomador.nomes"),
            (with(nfse(), "/valores/servico", "mil"), "400 parametro_invalido", "valores.servico"),
            (with(nfse(), "/valores/servico", json!([1])), "400 parametro_invalido", "valores.servico"),
            (with(nfse(), "/servico", Value::Null), "400 parametro_ausente", "servico"),
            (with(nfse(), "/via", "correio"), "400 parametro_invalido", "via"),
            (with(nfse(), "/emitente_id", 1), "400 parametro_invalido", "emitente_id"),
            (with(nfse(), "/tomador/cpf_cnpj", "11222333000100"), "422 validacao_previa", "tomador.cpf_cnpj"),
            (with(nfse(), "/tomador/cpf_cnpj", "12ABC34501DE99"), "422 validacao_previa", "tomador.cpf_cnpj"),
            (with(nfse(), "/valores/servico", 0), "422 validacao_previa", "valores.servico"),
            (with(nfse(), "/valores/servico", -10), "422 validacao_previa", "valores.servico"),
            (with(nfse(), "/data_competencia", "20/11/2026"), "422 validacao_previa", "data_competencia"),
            (with(nfse(), "/data_emissao", "2099-01-01T00:00:00Z"), "422 validacao_previa", "data_emissao"),
            (with(nfse(), "/serie_rps", "série!"), "422 validacao_previa", "serie_rps"),
            (with(nfse(), "/servico/codigo_tributacao_nacional", "999999"), "422 validacao_previa", "servico.codigo_tributacao_nacional"),
            (with(nfse(), "/referencia", "x".repeat(121)), "422 validacao_previa", "referencia"),
            (with(nfse(), "/emitente_id", "emi_01ARZ3NDEKTSV4RRFFQ69G5FAV"), "404 nao_encontrado", "emitente_id"),
        ];
        for (body, summary, field) in cases {
            let answer = app.post(PATH, &body).await;
            assert_refusal(&answer, summary);
            let named = answer.body["campos"].as_array().expect("fields").iter().any(|one| one["campo"] == field);
            assert!(named, "{field}: {}", answer.text);
        }
        let several = with(with(nfse(), "/tomador/cpf_cnpj", "1"), "/valores/servico", 0);
        let answer = app.post(PATH, &several).await;
        assert!(answer.body["campos"].as_array().is_some_and(|fields| fields.len() >= 2), "all at once: {}", answer.text);
        let tolerant = app.post(&format!("{PATH}?tolerante=1"), &with(nfse(), "/surpresa", 1)).await;
        assert_eq!(tolerant.summary(), "201 autorizada", "{}", tolerant.text);
        assert_eq!(app.balance().await, (196, 0));
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        app.check_invariants().await;
    }
}

on_sqlite! {
    /// MegaSoft's RPS has a number alone: 1 of a second series would be taken for
    /// 1 of the first.
    async fn a_city_without_series_has_one_numbering(app: TestApp) {
        app.emitter(CNPJ, WITHOUT_SERIES).await;
        let second = app.post(PATH, &with(nfse(), "/serie_rps", "2")).await;
        assert_refusal(&second, "422 validacao_previa");
        assert_eq!(second.text_at("/campos/0/campo"), "serie_rps");
        assert_eq!(second.text_at("/campos/0/codigo"), "serie_unica", "{}", second.text);
        let first = app.post(PATH, &with(nfse(), "/serie_rps", "1")).await;
        assert_eq!(first.summary(), "201 autorizada", "{}", first.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn an_emitter_that_is_not_ready_says_what_is_missing(app: TestApp) {
        assert_refusal(&app.post(PATH, &nfse()).await, "400 parametro_ausente");
        let bare = app.post("/api/v1/emitters", &json!({ "cnpj": cnpj("11444777") })).await;
        let id = bare.text_at("/id");
        let answer = app.post(PATH, &nfse()).await;
        assert_refusal(&answer, "422 perfil_fiscal_incompleto");
        assert_eq!(answer.text_at("/campos/0/campo"), "endereco.codigo_ibge");
        // The system of Águas de Santa Bárbara has no adapter; Caucaia was never measured.
        for ibge in ["3500550", "2303709"] {
            let path = format!("/api/v1/emitters/{id}/fiscal-profile");
            let put = ask_as(&app, &app.live_key, Method::PUT, &path, Some(&profile(ibge))).await;
            assert_eq!(put.status, 200, "{}", put.text);
            assert!(put.body["pendencias"].as_array().is_some_and(|all| all.contains(&json!("municipio_nao_atendido"))), "{}", put.text);
            assert_refusal(&app.post(PATH, &nfse()).await, "422 municipio_nao_atendido");
        }
        assert_eq!(app.balance().await, (200, 0));
    }
}

on_sqlite! {
    async fn a_company_of_the_simples_shows_its_nominal_rate(app: TestApp) {
        let id = app.emitter(CNPJ, BELO_HORIZONTE).await;
        let path = format!("/api/v1/emitters/{id}/fiscal-profile");
        let simples = with(profile(BELO_HORIZONTE), "/regime", "simples_nacional");
        let lacks = |answer: &Answer| {
            let pending = answer.body["pendencias_detalhes"].as_array().expect("what is missing");
            pending.iter().any(|one| one["campo"] == "simples.aliquota_nominal" && one["codigo"] == "perfil_fiscal_incompleto")
        };
        let put = ask_as(&app, &app.live_key, Method::PUT, &path, Some(&simples)).await;
        assert!(put.status == 200 && lacks(&put), "{}", put.text);
        let answer = app.post(PATH, &nfse()).await;
        assert_refusal(&answer, "422 validacao_previa");
        assert_eq!(answer.body["campos"].as_array().map(Vec::len), Some(1), "{}", answer.text);
        assert_eq!(answer.text_at("/campos/0/campo"), "perfil_fiscal.simples.aliquota_nominal");
        assert_eq!(answer.text_at("/campos/0/codigo"), "perfil_fiscal_incompleto");
        let unsaid = with(nfse(), "/valores/tributos_aproximados", json!({ "modo": "nao_informado" }));
        let answer = app.post(PATH, &unsaid).await;
        assert_refusal(&answer, "422 validacao_previa");
        assert_eq!(answer.text_at("/campos/0/campo"), "valores.tributos_aproximados", "{}", answer.text);
        assert_eq!(app.balance().await, (200, 0));

        // The note says it, or the profile does.
        let said = with(nfse(), "/valores/tributos_aproximados", json!({ "modo": "simples", "percentual": 6 }));
        let note = app.post(PATH, &said).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        let complete = with(simples, "/simples", json!({ "aliquota_nominal": 6 }));
        let put = ask_as(&app, &app.live_key, Method::PUT, &path, Some(&complete)).await;
        assert!(put.status == 200 && !lacks(&put), "{}", put.text);
        let note = app.post(PATH, &nfse()).await;
        assert_eq!(note.summary(), "201 autorizada", "{}", note.text);

        // A MEI shows none.
        let mei = with(profile(BELO_HORIZONTE), "/regime", "mei");
        let put = ask_as(&app, &app.live_key, Method::PUT, &path, Some(&mei)).await;
        assert!(put.status == 200 && !lacks(&put), "{}", put.text);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn an_expired_certificate_is_found_before_sending(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        app.ahead_ms.store(366 * DAY_MS, Ordering::Relaxed);
        let received = app.app.simulator.sim.received();
        assert_refusal(&app.post(PATH, &nfse()).await, "422 certificado_vencido");
        assert_eq!(app.app.simulator.sim.received(), received);
        assert_eq!(app.balance().await, (200, 0));
    }
}

both! {
    async fn a_reference_stands_for_one_note(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let body = with(nfse(), "/referencia", "pedido-1");
        let first = app.post(PATH, &body).await;
        assert_eq!(first.summary(), "201 autorizada", "{}", first.text);
        let second = app.post(PATH, &body).await;
        assert_refusal(&second, "409 ja_autorizada");
        assert_eq!(second.text_at("/nota_id"), first.text_at("/nota_id"));
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn an_answer_may_be_left_for_later(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let request = app.http().post(format!("{}{PATH}", app.base_url)).bearer_auth(&app.live_key);
        let request = request.header("content-type", "application/json").header("prefer", "respond-async");
        let answer = app.send(request.body(nfse().to_string())).await;
        assert_eq!(answer.summary(), "202 em_transmissao", "{}", answer.text);
        let id = answer.text_at("/nota_id");
        assert_eq!(answer.header("location"), format!("/api/v1/documentos/{id}"));
        assert_eq!(answer.body["creditos"], json!({ "reservado": 4, "debitado": 0, "saldo": 196 }));
        assert_eq!(answer.body["consumiu_credito"], false);
        let done = app.until_note(id, "autorizada").await;
        assert_eq!(done.body["consumiu_credito"], true, "{}", done.text);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn nobody_renders_a_service_to_itself(app: TestApp) {
        let batches = app.emitter(&cnpj("11444777"), "3301009").await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let itself = |documento: &str| json!({ "cpf_cnpj": documento, "nome": "Empresa de Teste Ltda" });
        // E0202 and E0262 of the national layout, E52 of ABRASF.
        let abrasf = with(with(nfse(), "/emitente_id", &*batches), "/tomador/cpf_cnpj", cnpj("11444777"));
        for (body, field) in [
            (with(nfse(), "/tomador/cpf_cnpj", "11.222.333/0001-81"), "tomador.cpf_cnpj"),
            (with(nfse(), "/intermediario", itself(CNPJ)), "intermediario.cpf_cnpj"),
            (abrasf, "tomador.cpf_cnpj"),
        ] {
            let answer = app.post(PATH, &body).await;
            assert_refusal(&answer, "422 validacao_previa");
            assert_eq!(answer.body["campos"].as_array().map(Vec::len), Some(1), "{}", answer.text);
            let found = (answer.text_at("/campos/0/campo"), answer.text_at("/campos/0/codigo"));
            assert_eq!(found, (field, "igual_ao_prestador"));
        }
        assert!(app.app.simulator.sim.notas().is_empty());
        let elsewhere = app.post(PATH, &with(nfse(), "/tomador/cpf_cnpj", "11222333000262")).await;
        assert_eq!(elsewhere.summary(), "201 autorizada", "another establishment: {}", elsewhere.text);
    }
}
