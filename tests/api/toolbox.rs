//! Tools, tables and validation: what they refuse, what they charge.

use crate::common::{ask, assert_refusal};
use reqwest::Method;
use serde_json::{Value, json};
use tests::on_sqlite;

const CNPJ: &str = "11222333000181";

/// A body that is refused: operation, body, how, the member that is wrong.
fn refused() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    let stop = |id: &str| json!({ "id": id, "lat": -25.4, "lon": -49.2 });
    let here = json!({ "lat": -25.4, "lon": -49.2 });
    let many: Vec<Value> = (0..101).map(|n| stop(&n.to_string())).collect();
    vec![
        (
            "fiscal/simples/aliquota",
            json!({ "anexo": "VI", "rbt12": 1 }),
            "400 parametro_invalido",
            "anexo",
        ),
        (
            "fiscal/simples/aliquota",
            json!({ "anexo": "I" }),
            "400 parametro_ausente",
            "rbt12",
        ),
        (
            "fiscal/simples/aliquota",
            json!({ "anexo": "I", "rbt12": -1 }),
            "400 parametro_invalido",
            "rbt12",
        ),
        (
            "fiscal/simples/aliquota",
            json!({ "anexo": "I", "rbt12": "4800000.01" }),
            "422 receita_acima_do_simples",
            "rbt12",
        ),
        (
            "fiscal/simples/aliquota",
            json!({ "anexo": "I", "rbt12": 1, "receitas_mensais": [] }),
            "400 parametro_invalido",
            "receitas_mensais",
        ),
        (
            "fiscal/simples/aliquota",
            json!({ "anexo": "I", "receitas_mensais": [] }),
            "400 parametro_ausente",
            "receita_mes",
        ),
        (
            "fiscal/simples/aliquota",
            json!({ "anexo": "I", "receitas_mensais": vec![1; 13] }),
            "400 parametro_invalido",
            "receitas_mensais",
        ),
        (
            "fiscal/simples/fator-r",
            json!({ "folha12": -1, "rbt12": 1 }),
            "400 parametro_invalido",
            "folha12",
        ),
        (
            "fiscal/simples/fator-r",
            json!({ "folha12": 1, "rbt12": 4_800_001 }),
            "422 receita_acima_do_simples",
            "rbt12",
        ),
        (
            "fiscal/fci/validar",
            json!({ "itens": [] }),
            "400 parametro_invalido",
            "itens",
        ),
        (
            "fiscal/calcular-impostos",
            json!({ "itens": [{ "ncm": "17019900", "valor": 1 }] }),
            "400 parametro_invalido",
            "uf_origem",
        ),
        (
            "fiscal/calcular-impostos",
            json!({ "itens": [] }),
            "400 parametro_invalido",
            "itens",
        ),
        (
            "fiscal/calcular-impostos",
            json!({ "uf_origem": "SP", "uf_destino": "SP", "regime": "simples_nacional", "contribuinte": true, "itens": [{ "ncm": "17019900", "valor": 1, "valor_pis": 1 }] }),
            "400 parametro_invalido",
            "itens[0].valor_pis",
        ),
        (
            "fiscal/calcular-impostos",
            json!({ "uf_origem": "SP", "uf_destino": "SP", "regime": "mei", "contribuinte": true, "itens": [{ "ncm": "17019900", "valor": 1, "sem_icms": true }] }),
            "400 parametro_invalido",
            "itens[0].sem_icms",
        ),
        (
            "validate/email",
            json!({}),
            "400 parametro_ausente",
            "email",
        ),
        (
            "validate/telefone",
            json!({}),
            "400 parametro_ausente",
            "telefone",
        ),
        (
            "veiculo/placa/corrigir",
            json!({ "placa": "AB1" }),
            "400 parametro_invalido",
            "placa",
        ),
        (
            "catalogo/ean/pesavel",
            json!({ "ean": "2000123015751" }),
            "400 parametro_invalido",
            "ean",
        ),
        (
            "catalogo/ean/pesavel",
            json!({ "ean": "7891000100103" }),
            "400 parametro_invalido",
            "ean",
        ),
        (
            "catalogo/ean/pesavel",
            json!({ "ean": "2000123015750", "digitos_codigo": 7 }),
            "400 parametro_invalido",
            "digitos_codigo",
        ),
        (
            "geo/distancia",
            json!({ "origem": here, "destino": { "lat": 91, "lon": 0 } }),
            "400 parametro_invalido",
            "destino.lat",
        ),
        (
            "geo/distancia",
            json!({ "origem": here, "destino": { "codigo_ibge": "9999999" } }),
            "400 parametro_invalido",
            "destino.codigo_ibge",
        ),
        (
            "geo/distancia",
            json!({ "origem": here, "destino": { "lat": 1, "lon": 1, "cep": "80045165" } }),
            "400 parametro_invalido",
            "destino",
        ),
        (
            "geo/rota/otimizar",
            json!({ "origem": here, "paradas": many }),
            "422 limite_do_lote",
            "paradas",
        ),
        (
            "geo/rota/otimizar",
            json!({ "origem": here, "paradas": [stop("a"), stop("a")] }),
            "400 parametro_invalido",
            "paradas[1].id",
        ),
        (
            "geo/rota/otimizar",
            json!({ "origem": here, "retornar": true, "destino": here, "paradas": [stop("a")] }),
            "400 parametro_invalido",
            "destino",
        ),
        (
            "pix/brcode",
            json!({ "valor": 0, "chave": "+5511987654321", "nome": "X", "cidade": "Y" }),
            "400 parametro_invalido",
            "valor",
        ),
        (
            "pix/brcode",
            json!({ "valor": 1, "chave": "nada", "nome": "X", "cidade": "Y" }),
            "400 parametro_invalido",
            "chave",
        ),
        (
            "pix/brcode",
            json!({ "valor": 1, "txid": "a-b", "chave": "+5511987654321", "nome": "X", "cidade": "Y" }),
            "400 parametro_invalido",
            "txid",
        ),
    ]
}

on_sqlite! {
    async fn bad_input_is_told_and_costs_nothing(app: TestApp) {
        for (operation, body, summary, member) in refused() {
            let answer = app.post(&format!("/api/v1/{operation}"), &body).await;
            assert_refusal(&answer, summary);
            let named = answer.body["campos"].as_array().expect("a list").iter().any(|field| field["campo"] == member);
            assert!(named, "{operation} {member}: {}", answer.text);
        }
        for path in ["fiscal/ncm?q=", "fiscal/ncm?cursor=x", "fiscal/cbenef/XX/SP010010", "geo/cidades", "geo/cidades/XX", "geo/ibge/41", "veiculo/placa/nada/formato"] {
            let answer = app.get(&format!("/api/v1/{path}")).await;
            assert_eq!(answer.status, 400, "{path}: {}", answer.text);
        }
        assert_eq!(app.balance().await, (200, 0));
    }
}

on_sqlite! {
    async fn a_code_costs_when_it_is_found(app: TestApp) {
        for path in ["fiscal/ncm/99999999", "fiscal/cfop/9999", "fiscal/cest/0000000", "fiscal/anp/000000000", "fiscal/cnae/0000000", "fiscal/ibs-cbs/999999", "fiscal/cbenef/RJ/RJ800001", "geo/ibge/9999999", "geo/extras/9999999"] {
            assert_refusal(&app.get(&format!("/api/v1/{path}")).await, "404 sem_resultado");
        }
        let nothing = app.get("/api/v1/fiscal/ncm?q=xyzzy").await;
        assert_eq!((nothing.status, &nothing.body["total"]), (200, &json!(0)), "{}", nothing.text);
        let nowhere = app.get("/api/v1/geo/cidades?q=xyzzy").await;
        assert_eq!((nowhere.status, &nowhere.body["itens"]), (200, &json!([])), "{}", nowhere.text);
        assert_eq!(app.balance().await, (200, 0));
        let found = app.get("/api/v1/fiscal/ncm/1701.99.00").await;
        assert_eq!((found.status, &found.body["codigo_formatado"]), (200, &json!("1701.99.00")), "{}", found.text);
        assert!(found.body["versao"].as_str().is_some_and(|version| version.starts_with("2026")), "{}", found.text);
        assert_eq!(app.balance().await, (196, 0));
        // Two pages of a listing have different rows, and each costs its price.
        let first = app.get("/api/v1/fiscal/cfop?q=devolucao&limite=3").await;
        let cursor = first.body["proximo_cursor"].as_str().expect("a cursor").to_owned();
        let second = app.get(&format!("/api/v1/fiscal/cfop?q=devolucao&limite=3&cursor={cursor}")).await;
        assert_ne!(first.body["itens"], second.body["itens"]);
        assert_eq!(second.body["total"], first.body["total"]);
        assert_eq!(app.balance().await, (188, 0));
        // The same words in any case and without accents.
        let plain = app.get("/api/v1/fiscal/cfop?q=DEVOLUÇÃO&limite=3").await;
        assert_eq!(plain.body["itens"], first.body["itens"]);
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn more_than_25_stops_have_the_second_price(app: TestApp) {
        let body = |stops: usize| {
            let stops: Vec<Value> = (0..stops)
                .map(|n| json!({ "id": n.to_string(), "lat": -25.0 - (n % 7) as f64 / 10.0, "lon": -49.0 - (n % 5) as f64 / 10.0 }))
                .collect();
            json!({ "origem": { "codigo_ibge": "4106902" }, "paradas": stops })
        };
        let few = app.post("/api/v1/geo/rota/otimizar", &body(25)).await;
        assert_eq!((few.status, &few.body["creditos"]["debitado"]), (200, &json!(8)), "{}", few.text);
        let many = app.post("/api/v1/geo/rota/otimizar", &body(26)).await;
        assert_eq!((many.status, &many.body["creditos"]["debitado"]), (200, &json!(20)), "{}", many.text);
        assert_eq!(many.body["ordem"].as_array().map(Vec::len), Some(26));
        assert_eq!(app.balance().await, (172, 0));
    }
}

on_sqlite! {
    async fn the_pix_key_of_the_profile_receives(app: TestApp) {
        let without = app.post("/api/v1/pix/brcode", &json!({ "valor": 10 })).await;
        assert_refusal(&without, "400 parametro_ausente");
        let emitter = app.emitter_without_certificate(CNPJ, "4106902").await;
        let path = format!("/api/v1/emitters/{emitter}/fiscal-profile");
        let profile = |chave: &str| {
            json!({ "razao_social": "Padaria Açaí Ltda", "endereco": { "codigo_ibge": "4106902" }, "pix": { "chave": chave } })
        };
        let wrong = ask(&app, Method::PUT, &path, Some(&profile("nada"))).await;
        assert_eq!(wrong.body["campos"][0]["campo"], "pix.chave", "{}", wrong.text);
        let kept = ask(&app, Method::PUT, &path, Some(&profile("+5511987654321"))).await;
        assert_eq!(kept.status, 200, "{}", kept.text);
        let code = app.post("/api/v1/pix/brcode", &json!({ "valor": "10.50", "emitente_id": emitter, "png": true })).await;
        assert_eq!(code.status, 200, "{}", code.text);
        let text = code.text_at("/brcode");
        assert!(text.contains("0114+5511987654321") && text.contains("540510.50") && text.contains("5917Padaria Acai Ltda6008Curitiba"), "{text}");
        assert!(code.text_at("/png_base64").starts_with("iVBOR"), "a PNG");
        let read = app.post("/api/v1/pix/brcode/ler", &json!({ "brcode": text })).await;
        assert_eq!((&read.body["valido"], &read.body["tipo_chave"]), (&json!(true), &json!("telefone")), "{}", read.text);
        assert_eq!(app.balance().await, (192, 0));
    }
}

on_sqlite! {
    async fn the_content_of_importation_decides_between_three_origins(app: TestApp) {
        let judged = |item: Value| {
            let app = &app;
            async move {
                let answer = app.post("/api/v1/fiscal/fci/validar", &json!({ "itens": [item] })).await;
                assert_eq!(answer.status, 200, "{}", answer.text);
                answer.body["itens"][0].clone()
            }
        };
        for (origin, percent, fits) in [("3", "60", true), ("5", "60", false), ("4", "60", true), ("0", "0", true), ("0", "1", false), ("9", "60", false)] {
            let item = judged(json!({ "origem": origin, "conteudo_importacao": percent })).await;
            assert_eq!(item["valido"], fits, "{origin} {percent}: {item}");
        }
        // Declared alone it is not contradicted, however it is rounded.
        assert_eq!(judged(json!({ "origem": "3", "conteudo_importacao": "40.125" })).await["valido"], true);
        let differs = judged(json!({ "conteudo_importacao": 50, "valor_importado": 30, "valor_saida": 100 })).await;
        assert_eq!(differs["erros"][0]["codigo"], "fci_conteudo", "{differs}");
        let negative = judged(json!({ "conteudo_importacao": -1 })).await;
        assert_eq!(negative["erros"][0]["campo"], "itens[0].conteudo_importacao", "{negative}");
    }
}

on_sqlite! {
    async fn no_loose_code_of_pix_has_an_amount_that_cannot_be_paid(app: TestApp) {
        for amount in ["-5", "0", "10.999"] {
            let body = json!({ "valor": amount, "estrito": false, "chave": "+5511987654321", "nome": "X", "cidade": "Y" });
            assert_refusal(&app.post("/api/v1/pix/brcode", &body).await, "400 parametro_invalido");
        }
        assert_eq!(app.balance().await, (200, 0));
    }
}

on_sqlite! {
    async fn above_the_sublimit_the_amount_is_not_told(app: TestApp) {
        let body = json!({ "anexo": "I", "rbt12": 3_700_000, "receita_mes": 300_000 });
        let answer = app.post("/api/v1/fiscal/simples/aliquota", &body).await;
        assert_eq!((&answer.body["acima_do_sublimite"], &answer.body["valor_devido"]), (&json!(true), &Value::Null), "{}", answer.text);
    }
}
