//! Questions to outside sources: what is answered, kept, charged and told when
//! no source answers.

use crate::common::{ask, assert_refusal};
use reqwest::Method;
use serde_json::{Value, json};
use sim::{Fault, FaultKind, When};
use std::sync::atomic::Ordering;
use tests::{TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";
const DAY_MS: i64 = 24 * 3_600_000;

/// The next question a source gets fails so.
fn fault(app: &TestApp, failure: FaultKind) {
    app.app.simulator.sim.add_fault(Fault {
        quando: When {
            host: Some("fontes".to_owned()),
            ..When::default()
        },
        falha: failure,
        ..Fault::default()
    });
}

/// How many questions the source got.
fn asked(app: &TestApp) -> u64 {
    let received = app.app.simulator.sim.overview().recebidas;
    received.get("fontes").map_or(0, |of| of.values().sum())
}

both! {
    async fn an_answer_is_kept_and_charged_each_time(app: TestApp) {
        let (before, _) = app.balance().await;
        let first = app.get("/api/v1/geo/cep/80010-000").await;
        assert_eq!(first.status, 200, "{}", first.text);
        assert_eq!(first.body["cep"], "80010-000");
        assert_eq!(first.body["localidade"], "Curitiba");
        assert_eq!(first.body["ibge"], "4106902");
        assert_eq!(first.body["estado"], "Paraná");
        assert_eq!(first.body["regiao"], "Sul");
        assert_eq!(first.body["ddd"], "41");
        assert_eq!(first.body["precisao"], "cep");
        assert_eq!(first.body["fonte"], "simulado");
        let second = app.get("/api/v1/geo/cep/80010000").await;
        assert_eq!(second.body["consultado_em"], first.body["consultado_em"]);
        assert_eq!(asked(&app), 1, "it was asked again");
        assert_eq!(app.balance().await.0, before - 8);
        // Later than an answer is used, it is asked for again; when nobody
        // answers then, the old one is better than none.
        app.ahead_ms.fetch_add(91 * DAY_MS, Ordering::Relaxed);
        fault(&app, FaultKind::Erro500);
        let old = app.get("/api/v1/geo/cep/80010000").await;
        assert_eq!(old.body["consultado_em"], first.body["consultado_em"], "{}", old.text);
        assert_eq!(asked(&app), 2);
    }
}

on_sqlite! {
    async fn what_does_not_exist_is_free_and_believed_for_a_while(app: TestApp) {
        let (before, _) = app.balance().await;
        for path in [
            "/api/v1/geo/cep/80010999",
            "/api/v1/veiculo/placa/ABC1D99",
            "/api/v1/veiculo/fipe/999001-1",
            "/api/v1/veiculo/fipe/001004-9?ano=1999",
            "/api/v1/veiculo/fipe/modelos?tipo=carros&marca=7",
        ] {
            for _ in 0..2 {
                let answer = app.get(path).await;
                assert_refusal(&answer, "404 sem_resultado");
            }
        }
        let cep = app.get("/api/v1/geo/cep/80010999").await;
        assert_eq!(cep.body["erro"], true);
        assert_eq!(cep.body["procurado_em"], json!([{ "fonte": "simulado", "resultado": "inexistente" }]));
        // The source was asked once for each; the price of a year that is not
        // there is one of a model that is.
        assert_eq!(asked(&app), 5);
        assert_eq!(app.balance().await.0, before);
        let none = app.get("/api/v1/geo/cep?uf=PR&cidade=Curitiba&logradouro=Rua%20999").await;
        assert_eq!(none.body["itens"], json!([]), "{}", none.text);
        assert_eq!(none.body["creditos"]["debitado"], 0);
    }
}

on_sqlite! {
    async fn without_a_source_the_tables_answer_and_say_how_far(app: TestApp) {
        fault(&app, FaultKind::Html);
        let (before, _) = app.balance().await;
        // One code for the whole town: our table is enough, and nobody is asked.
        let town = app.get("/api/v1/geo/cep/84350-000").await;
        assert_eq!(town.status, 200, "{}", town.text);
        assert_eq!(town.body["precisao"], "cep");
        assert_eq!(asked(&app), 0);
        assert_eq!(app.balance().await.0, before - 4);
        let street = app.get("/api/v1/geo/cep/80010000").await;
        assert_eq!(street.status, 200, "{}", street.text);
        assert_eq!(street.body["localidade"], "Curitiba");
        assert_eq!(street.body["logradouro"], "");
        assert_eq!(street.body["precisao"], "municipio");
        assert_eq!(street.body["creditos"]["debitado"], 0, "it is not known whether it exists");
        // A source that failed rests: it is not asked again at once.
        let again = app.get("/api/v1/geo/cep/80020000").await;
        assert_eq!(again.body["precisao"], "municipio");
        assert_eq!(asked(&app), 1);
        let place = app.get("/api/v1/geo/geocoding?endereco=Rua%20XV%20100&cidade=Curitiba&uf=PR").await;
        assert_eq!(place.body["precisao"], "cidade", "{}", place.text);
        let reverse = app.get("/api/v1/geo/geocoding/reverso?lat=-25.43&lon=-49.27").await;
        assert_eq!(reverse.body["endereco"]["cidade"], "Curitiba", "{}", reverse.text);
        let way = json!({ "origem": { "cep": "80010000" }, "destino": { "cep": "01001000" } });
        let way = app.post("/api/v1/geo/rota", &way).await;
        assert_eq!(way.body["estimado"], true, "{}", way.text);
        assert_eq!(way.body["procurado_em"], json!([{ "fonte": "simulado", "resultado": "em_pausa" }]));
        let (after, _) = app.balance().await;
        for (path, body) in [
            ("empresa/cnpj", Some(json!({ "cnpj": CNPJ }))),
            ("veiculo/placa/ABC1D23", None),
            ("veiculo/fipe/marcas?tipo=motos", None),
        ] {
            let method = if body.is_some() { Method::POST } else { Method::GET };
            let answer = ask(&app, method, &format!("/api/v1/{path}"), body.as_ref()).await;
            assert_refusal(&answer, "502 fonte_indisponivel");
            assert_eq!(answer.body["procurado_em"][0]["resultado"], "em_pausa");
            assert!(!answer.header("retry-after").is_empty());
        }
        assert_eq!(app.balance().await.0, after);
    }
}

on_sqlite! {
    async fn a_question_that_is_refused_closes_the_source_to_nobody(app: TestApp) {
        for (failure, plate) in [(FaultKind::Recusar, "ABC1D23"), (FaultKind::Lixo, "ABC1D24")] {
            // It meets one question.
            fault(&app, failure);
            let path = format!("/api/v1/veiculo/placa/{plate}");
            let refused = app.get(&path).await;
            assert_refusal(&refused, "502 fonte_indisponivel");
            assert_eq!(refused.body["procurado_em"], json!([{ "fonte": "simulado", "resultado": "falhou" }]));
            let after = app.get(&path).await;
            assert_eq!(after.status, 200, "{}", after.text);
        }
    }
}

on_sqlite! {
    async fn products_that_the_catalogue_does_not_have_are_asked(app: TestApp) {
        let (before, _) = app.balance().await;
        let path = "/api/v1/catalogo/gtin/7899900000011";
        for _ in 0..2 {
            let answer = app.get(path).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            let product = &answer.body["produto"];
            assert_eq!((&product["gtin"], &product["ncm"]["codigo"]), (&json!("7899900000011"), &json!("19053100")));
            assert_eq!((&product["fonte"]["tipo"], &product["fonte"]["nome"]), (&json!("externa"), &json!("simulado")));
            assert!(product["fonte"]["consultado_em"].is_string(), "{}", answer.text);
            assert_eq!(product["peso_estimado_kg"].to_string(), "0.250");
            let name = product["nome"].as_str().expect("a name");
            assert!(name.starts_with("Produto simulado "), "invisible characters are left out: {name:?}");
        }
        assert_eq!(asked(&app), 1, "it was asked again");
        assert_eq!(app.balance().await.0, before - 8);
        let (before, _) = app.balance().await;
        let nameless = app.get("/api/v1/catalogo/gtin/7899900000042").await;
        assert_refusal(&nameless, "404 sem_resultado");
        assert_eq!(app.balance().await.0, before);
        // Another form of the same number is the same question.
        let padded = app.get("/api/v1/catalogo/gtin/07899900000011").await;
        assert_eq!((padded.status, asked(&app)), (200, 2), "{}", padded.text);

        let none = app.get("/api/v1/catalogo/gtin/7891111119995").await;
        assert_refusal(&none, "404 sem_resultado");
        assert_eq!(none.body["procurado_em"], json!([{ "fonte": "simulado", "resultado": "inexistente" }]));
        // A number of the shop's own means nothing elsewhere.
        let own = app.get("/api/v1/catalogo/gtin/2000123456782").await;
        assert_refusal(&own, "404 sem_resultado");
        assert_eq!((&own.body["procurado_em"], asked(&app)), (&json!([]), 3));

        let (before, _) = app.balance().await;
        let codes = json!({ "gtins": ["7899900000011", "7899900000028", "7899900000028", "7891111119995", "2000123456782", "1"] });
        let batch = app.post("/api/v1/catalogo/gtin/batch", &codes).await;
        assert_eq!((batch.status, &batch.body["encontrados"]), (207, &json!(2)), "{}", batch.text);
        assert_eq!(app.balance().await.0, before - 8);
        let told: Vec<&Value> = batch.body["itens"].as_array().expect("items").iter().map(|item| &item["procurado_em"][0]["resultado"]).collect();
        assert_eq!(told, [&json!("achado"), &json!("achado"), &json!("achado"), &json!("inexistente"), &Value::Null, &Value::Null]);

        let (before, _) = app.balance().await;
        fault(&app, FaultKind::Erro500);
        let down = app.get("/api/v1/catalogo/gtin/7899900000035").await;
        assert_refusal(&down, "502 fonte_indisponivel");
        assert_eq!(down.body["procurado_em"], json!([{ "fonte": "simulado", "resultado": "falhou" }]));
        let down = app.post("/api/v1/catalogo/gtin/batch", &json!({ "gtins": ["7899900000035"] })).await;
        assert_eq!(down.body["itens"][0]["procurado_em"], json!([{ "fonte": "simulado", "resultado": "em_pausa" }]), "{}", down.text);
        assert_eq!(app.balance().await.0, before);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_batch_costs_each_that_exists_once(app: TestApp) {
        let (before, _) = app.balance().await;
        let body = json!({ "ceps": ["80010000", "80010-000", "80010999", "8001", "01001000", "84350000"] });
        let answer = app.post("/api/v1/geo/cep/batch", &body).await;
        assert_eq!(answer.status, 207, "{}", answer.text);
        let items = answer.body["itens"].as_array().expect("itens");
        let found: Vec<bool> = items.iter().map(|item| item["encontrado"] == true).collect();
        assert_eq!(found, [true, true, false, false, true, true]);
        assert_eq!(items[2]["codigo"], "sem_resultado");
        assert_eq!(items[3]["codigo"], "parametro_invalido");
        assert_eq!(answer.body["encontrados"], 4);
        assert_eq!(answer.body["cobrados"], 3);
        assert_eq!(app.balance().await.0, before - 12);
        assert_eq!(asked(&app), 3);
        // A balance that could not pay all of them is told before any is asked.
        let many: Vec<String> = (0..100).map(|n| format!("8001{n:04}")).collect();
        let body = json!({ "ceps": many });
        while app.balance().await.0 >= 400 {
            let paid = app.post("/api/v1/geo/cep/batch", &body).await;
            assert_eq!(paid.status, 207, "{}", paid.text);
        }
        let asked_before = asked(&app);
        assert_refusal(&app.post("/api/v1/geo/cep/batch", &body).await, "402 saldo_insuficiente");
        assert_eq!(asked(&app), asked_before);
    }
}

on_sqlite! {
    async fn sources_answer_with_their_name_and_date(app: TestApp) {
        let company = app.post("/api/v1/empresa/cnpj", &json!({ "cnpj": "11.222.333/0001-81" })).await;
        assert_eq!(company.status, 200, "{}", company.text);
        assert_eq!(company.body["cnpj"], CNPJ);
        assert_eq!(company.body["situacao"]["descricao"], "ATIVA");
        assert_eq!(company.body["cnae_principal"]["codigo"], "4711302");
        assert_eq!(company.body["socios"][0]["qualificacao"], "Sócio-Administrador");
        let vehicle = app.get("/api/v1/veiculo/placa/abc-1d23").await;
        assert_eq!(vehicle.body["placa"], "ABC1D23", "{}", vehicle.text);
        assert_eq!(vehicle.body["fipe"][0]["valor"].to_string(), "45000.50");
        let prices = app.get("/api/v1/veiculo/fipe/0010049").await;
        assert_eq!(prices.body["precos"].as_array().map(Vec::len), Some(3), "{}", prices.text);
        let one = app.get("/api/v1/veiculo/fipe/001004-9?ano=2020").await;
        assert_eq!(one.body["precos"][0]["valor"].to_string(), "45000.50", "{}", one.text);
        let place = app.get("/api/v1/geo/geocoding?endereco=Rua%20Simulada%2C%20100%2C%20Curitiba").await;
        assert_eq!(place.body["precisao"], "rooftop", "{}", place.text);
        assert_eq!(place.body["endereco"]["codigo_ibge"], "4106902");
        let by_cep = app.get("/api/v1/geo/geocoding?cep=80010000").await;
        assert_eq!(by_cep.body["precisao"], "cep", "{}", by_cep.text);
        let way = json!({ "origem": { "endereco": "Rua Simulada, 1, Curitiba" }, "destino": { "cep": "01001000" } });
        let way = app.post("/api/v1/geo/rota", &way).await;
        assert_eq!(way.body["estimado"], false, "{}", way.text);
        assert_eq!(way.body["precisao_origem"], "endereco");
        for answer in [&company, &vehicle, &prices, &one, &place, &by_cep, &way] {
            assert_eq!(answer.body["fonte"], "simulado", "{}", answer.text);
            assert_eq!(answer.body["creditos"]["debitado"], 4);
        }
    }
}

on_sqlite! {
    async fn bad_questions_are_told_before_anyone_is_asked(app: TestApp) {
        let (before, _) = app.balance().await;
        let get = |path: &'static str, member: &'static str| (Method::GET, path, None, member);
        let post = |path: &'static str, body: Value, member: &'static str| {
            (Method::POST, path, Some(body), member)
        };
        for (method, path, body, member) in [
            get("geo/cep/8001000", "cep"),
            get("geo/cep?uf=XX&cidade=Curitiba&logradouro=Rua", "uf"),
            get("geo/cep?uf=PR&cidade=Curitiba&logradouro=Ru", "logradouro"),
            get("geo/cep?uf=PR&logradouro=Rua", "cidade"),
            get("geo/geocoding", "endereco"),
            get("geo/geocoding?endereco=Rua&cep=80010000", "endereco"),
            get("geo/geocoding?endereco=Rua%201&cidade=Nenhuma&uf=PR", "cidade"),
            get("geo/geocoding?endereco=Rua%201&cidade=Curitiba", "cidade"),
            get("geo/geocoding/reverso?lat=91&lon=0", "lat"),
            get("geo/geocoding/reverso?lat=1", "lon"),
            get("veiculo/placa/AB12345", "placa"),
            get("veiculo/fipe/1234", "codigo"),
            get("veiculo/fipe/001004-9?ano=20", "ano"),
            get("veiculo/fipe/marcas?tipo=barcos", "tipo"),
            get("veiculo/fipe/marcas", "tipo"),
            get("veiculo/fipe/modelos?tipo=carros", "marca"),
            get("veiculo/fipe/anos?tipo=carros&marca=1&modelo=a%2F..", "modelo"),
            post("empresa/cnpj", json!({ "cnpj": "11222333000182" }), "cnpj"),
            post("geo/cep/batch", json!({ "ceps": [] }), "ceps"),
            post("geo/rota", json!({ "origem": { "endereco": "a" }, "destino": { "cep": "01001000" } }), "origem"),
            post("geo/rota", json!({ "origem": { "endereco": "Rua 1, Curitiba", "lat": 1 }, "destino": {} }), "origem"),
        ] {
            let answer = ask(&app, method, &format!("/api/v1/{path}"), body.as_ref()).await;
            assert_refusal(&answer, "400 parametro_invalido");
            assert_eq!(answer.body["campos"][0]["campo"], member, "{path}: {}", answer.text);
        }
        let many = json!({ "ceps": vec!["80010000"; 101] });
        assert_refusal(&app.post("/api/v1/geo/cep/batch", &many).await, "422 limite_do_lote");
        assert_eq!(asked(&app), 0);
        assert_eq!(app.balance().await.0, before);
    }
}

/// A hub of the operator: sources are named by settings, and are not asked here.
async fn official(change: impl FnOnce(&mut base::config::Lookups)) -> TestApp {
    let app = TestApp::start_with(tests::app::Backend::Sqlite, |config| {
        config.authorities.mode = base::config::AuthoritiesMode::Official;
        change(&mut config.lookups);
    });
    app.await.expect("a hub")
}

#[tokio::test]
async fn without_a_source_that_is_said() {
    let app = official(|_| {}).await;
    let (before, _) = app.balance().await;
    let company = app
        .post("/api/v1/empresa/cnpj", &json!({ "cnpj": CNPJ }))
        .await;
    assert_refusal(&company, "503 fonte_nao_configurada");
    assert_eq!(company.body["procurado_em"], json!([]));
    let hint = company.text_at("/dica");
    assert!(hint.contains("lookups.company"), "{hint}");
    let cep = app.get("/api/v1/geo/cep/80010000").await;
    assert_eq!(cep.body["precisao"], "municipio", "{}", cep.text);
    assert_eq!(app.balance().await.0, before);
}

on_sqlite! {
    async fn a_suggested_profile_is_taken_as_it_is(app: TestApp) {
        let answer = app.post("/api/v1/fiscal/perfil-sugerido", &json!({ "cnpj": "11.222.333/0001-81" })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let fields = answer.body["campos"].as_array().expect("campos");
        let known = |name: &str| fields.iter().any(|field| field["campo"] == name);
        assert!(known("razao_social") && known("endereco.codigo_ibge") && known("regime"));
        assert!(fields.iter().all(|field| !field["motivo"].as_str().unwrap_or_default().is_empty()));
        let emitter = app.emitter(CNPJ, "4106902").await;
        let path = format!("/api/v1/emitters/{emitter}/fiscal-profile");
        let set = ask(&app, Method::PUT, &path, Some(&answer.body["perfil"])).await;
        assert_eq!(set.status, 200, "{}", set.text);
        let none = app.post("/api/v1/fiscal/perfil-sugerido", &json!({ "cnpj": crate::common::cnpj("11222999") })).await;
        assert_ne!(none.status, 500, "{}", none.text);
    }
}

on_sqlite! {
    async fn the_register_of_a_state_is_asked_with_a_certificate(app: TestApp) {
        let body = json!({ "uf": "PR", "cnpj": CNPJ });
        let without = app.post("/api/v1/empresa/ie", &body).await;
        assert_refusal(&without, "400 parametro_ausente");
        app.emitter(CNPJ, "4106902").await;
        let (before, _) = app.balance().await;
        let found = app.post("/api/v1/empresa/ie", &body).await;
        assert_eq!(found.status, 200, "{}", found.text);
        assert!(found.body["itens"][0]["ie"].is_string(), "{}", found.text);
        assert_eq!(found.body["itens"][0]["situacao"], "habilitado");
        assert_eq!(app.balance().await.0, before - 4);
        for (body, field) in [
            (json!({ "uf": "XX", "cnpj": CNPJ }), "uf"),
            (json!({ "uf": "PR" }), "cnpj"),
            (json!({ "uf": "PR", "cnpj": "11222333000182" }), "cnpj"),
            (json!({ "uf": "PR", "cpf": CNPJ }), "cpf"),
            (json!({ "uf": "PR", "ie": "1" }), "ie"),
            (json!({ "uf": "PR", "ie": "1234567890", "cnpj": CNPJ }), "cnpj"),
        ] {
            let answer = app.post("/api/v1/empresa/ie", &body).await;
            assert_refusal(&answer, "400 parametro_invalido");
            assert_eq!(answer.body["campos"][0]["campo"], field, "{}", answer.text);
        }
        assert_eq!(app.balance().await.0, before - 4);
    }
}
