//! The product catalogue: by code, by name, without a key.

use crate::common::{ask, ask_as, assert_refusal, stranger};
use datasets::catalog::own;
use datasets::catalog::product::Product;
use datasets::import::Ended;
use reqwest::Method;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use store::TxError;
use store::ids::AccountId;
use store::tables::catalog_own;
use store::tables::editions::DatasetKind;
use tests::imports::{ean, gzipped, ibpt, import, products};
use tests::{TestApp, both, on_sqlite};

const PUBLIC: &str = "/api/catalogo/public/buscar";

async fn loaded(app: &TestApp) {
    let rows = [
        (ean(1), "Açúcar Refinado União 1 kg", "União", "17019900"),
        (ean(2), "Açúcar Mascavo Orgânico 500g", "Native", "17011400"),
        (
            ean(3),
            "Cerveja Pilsen Lata 350ml",
            "Antarctica",
            "22030000",
        ),
        (ean(4), "Leite Integral UHT 1L", "Italac", "04012010"),
        (ean(5), "Leite em Pó Integral 400g", "Ninho", "04022110"),
        (ean(6), "Chocolate ao Leite 90g", "Lacta", "18063210"),
        ("96385074".to_owned(), "Goma de mascar", "", ""),
        ("036000291452".to_owned(), "Lenço de papel", "Kleenex", ""),
        ("10614141000415".to_owned(), "Caixa com 12 latas", "", ""),
        ("9788535902778".to_owned(), "Livro de contos", "", ""),
    ];
    let outcome = import(app, DatasetKind::Products, "lista.csv", &products(&rows))
        .await
        .expect("imported");
    assert_eq!(
        (
            outcome.ended,
            outcome.report.wrong,
            outcome.editions[0].rows
        ),
        (Ended::Imported, 0, 10)
    );
}

async fn product(app: &TestApp, code: &str) -> Value {
    let answer = app.get(&format!("/api/v1/catalogo/gtin/{code}")).await;
    assert_eq!(answer.status, 200, "{code}: {}", answer.text);
    answer.body
}

/// An account knows a product from a document.
async fn knows(app: &TestApp, account: &AccountId, gtin: &str, name: &str, ncm: &str) {
    let known = Product {
        gtin: gtin.to_owned(),
        name: name.to_owned(),
        ncm: ncm.to_owned(),
        ..Product::default()
    };
    let input = (account.clone(), known, app.app.now_ms());
    let learnt = app.app.db.write(input, |(account, known, now_ms), conn| {
        Box::pin(async move {
            Ok::<_, TxError<Infallible>>(own::learn(conn, account, known, *now_ms).await?)
        })
    });
    assert!(learnt.await.expect("learnt"));
}

both! {
    async fn products_by_code(app: TestApp) {
        assert_refusal(&app.get(&format!("/api/v1/catalogo/gtin/{}", ean(1))).await, "404 sem_resultado");
        assert_eq!(app.balance().await, (200, 0), "no result is free");
        loaded(&app).await;
        let sugar = product(&app, &ean(1)).await;
        assert_eq!((&sugar["tipo_codigo"], &sugar["creditos"]["debitado"]), (&json!("EAN-13"), &json!(4)));
        let of = &sugar["produto"];
        assert_eq!((&of["gtin"], &of["nome"], &of["marca"]), (&json!(ean(1)), &json!("Açúcar Refinado União 1 kg"), &json!("União")));
        assert_eq!((&of["ncm"]["codigo_formatado"], &of["monofasico"], &of["fonte"]["tipo"]), (&json!("1701.99.00"), &json!(false), &json!("catalogo")));
        let beer = product(&app, &ean(3)).await;
        assert_eq!(beer["produto"]["monofasico"], true, "{beer}");
        for (code, kind) in [("96385074", "EAN-8"), ("036000291452", "UPC-A"), ("0036000291452", "EAN-13"), ("10614141000415", "GTIN-14"), ("85-359-0277-5", "ISBN-10"), ("9788535902778", "ISBN-13")] {
            assert_eq!(product(&app, code).await["tipo_codigo"], kind, "{code}");
        }
        for code in ["7891000000000", "123", "abc"] {
            assert_refusal(&app.get(&format!("/api/v1/catalogo/gtin/{code}")).await, "400 parametro_invalido");
        }
        let rates = ibpt("24.2.A", "31/12/2099", &[("17019900", "", "0", ["4.20", "6.50", "7.00", "0.00"])]);
        import(&app, DatasetKind::Ibpt, "TabelaIBPTaxSP24.2.A.csv", &rates).await.expect("imported");
        let taxed = app.get(&format!("/api/v1/catalogo/gtin/{}?uf=SP", ean(1))).await;
        assert_eq!(taxed.body["produto"]["carga_tributaria"]["federal"].to_string(), "4.20", "{}", taxed.text);
        app.check_invariants().await;
    }
}

both! {
    async fn a_batch_charges_each_code_that_was_found(app: TestApp) {
        loaded(&app).await;
        let (before, _) = app.balance().await;
        let zeros = format!("0{}", ean(1));
        let codes = [ean(1), ean(1), zeros, ean(2), ean(999), "x".to_owned()];
        let answer = app.post("/api/v1/catalogo/gtin/batch", &json!({ "gtins": codes })).await;
        assert_eq!(answer.status, 207, "{}", answer.text);
        assert_eq!((&answer.body["encontrados"], &answer.body["cobrados"]), (&json!(3), &json!(3)), "the same once, another form again");
        let found: Vec<bool> = answer.body["itens"].as_array().expect("items").iter().map(|item| item["encontrado"] == true).collect();
        assert_eq!(found, [true, true, true, true, false, false]);
        assert!(answer.body["itens"][5]["erro"].is_string());
        assert_eq!(answer.body["creditos"]["debitado"], 12);
        assert_eq!(app.balance().await.0, before - 12);
        let nothing = app.post("/api/v1/catalogo/gtin/batch", &json!({ "gtins": [ean(999)] })).await;
        assert_eq!((nothing.status, &nothing.body["creditos"]["debitado"]), (207, &json!(0)));
        let many: Vec<String> = (0..101).map(ean).collect();
        assert_refusal(&app.post("/api/v1/catalogo/gtin/batch", &json!({ "gtins": many })).await, "422 limite_do_lote");
        assert_refusal(&app.post("/api/v1/catalogo/gtin/batch", &json!({ "gtins": [] })).await, "400 parametro_invalido");
        app.check_invariants().await;
    }
}

async fn names(app: &TestApp, query: &str) -> Vec<String> {
    let answer = app.get(&format!("/api/v1/catalogo/buscar?q={query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text);
    let items = answer.body["itens"].as_array().expect("items").iter();
    items
        .map(|item| item["nome"].as_str().expect("a name").to_owned())
        .collect()
}

both! {
    async fn products_by_name(app: TestApp) {
        loaded(&app).await;
        assert_eq!(names(&app, "ACUCAR").await.len(), 2, "without accents, in any case");
        assert_eq!(names(&app, "acucar%20uniao").await[0], "Açúcar Refinado União 1 kg");
        assert_eq!(names(&app, "integral%20leite%20po").await[0], "Leite em Pó Integral 400g", "in any order");
        // Misspelled, begun, and with the unit apart.
        assert_eq!(names(&app, "chocolatte").await, ["Chocolate ao Leite 90g"]);
        assert_eq!(names(&app, "mascav").await[0], "Açúcar Mascavo Orgânico 500g");
        assert_eq!(names(&app, "acucar%20500%20g").await[0], "Açúcar Mascavo Orgânico 500g");
        assert_eq!(names(&app, &ean(4)).await, ["Leite Integral UHT 1L"], "by its code");
        let free = app.get("/api/v1/catalogo/buscar?q=zzzzqqq").await;
        assert_eq!((free.status, &free.body["creditos"]["debitado"]), (200, &json!(0)), "{}", free.text);
        // Pages do not overlap.
        let first = app.get("/api/v1/catalogo/buscar?q=leite&limite=2").await;
        assert_eq!(first.body["tem_mais"], true, "{}", first.text);
        let cursor = first.text_at("/proximo_cursor");
        let second = app.get(&format!("/api/v1/catalogo/buscar?q=leite&limite=2&cursor={cursor}")).await;
        assert_eq!(second.body["itens"].as_array().expect("items").len(), 1, "{}", second.text);
        assert_eq!(second.body["tem_mais"], false);
        assert_refusal(&app.get("/api/v1/catalogo/buscar").await, "400 parametro_ausente");
    }
}

both! {
    async fn what_an_account_knows_is_its_own(app: TestApp) {
        loaded(&app).await;
        let other = stranger(&app).await;
        let gtin = ean(77);
        knows(&app, &app.account_id, &gtin, "Parafuso sextavado M8", "73181500").await;
        // What the catalogue does not know of its own product is filled.
        knows(&app, &app.account_id, "96385074", "GOMA HORTELA", "17041000").await;
        assert_eq!(product(&app, &gtin).await["produto"]["fonte"]["tipo"], "conta");
        let gum = product(&app, "96385074").await;
        assert_eq!((&gum["produto"]["nome"], &gum["produto"]["ncm"]["codigo"]), (&json!("Goma de mascar"), &json!("17041000")));
        assert_eq!(names(&app, "parafuso").await, ["Parafuso sextavado M8"]);
        let path = format!("/api/v1/catalogo/gtin/{gtin}");
        assert_refusal(&ask_as(&app, &other.live_key, Method::GET, &path, None).await, "404 sem_resultado");
        let searched = ask_as(&app, &other.live_key, Method::GET, "/api/v1/catalogo/buscar?q=parafuso", None).await;
        assert_eq!(searched.body["itens"], json!([]), "{}", searched.text);
        let theirs = ask_as(&app, &other.live_key, Method::GET, "/api/v1/catalogo/gtin/96385074", None).await;
        assert_eq!(theirs.body["produto"]["ncm"], Value::Null);
        let public = app.send(app.http().get(format!("{}{PUBLIC}?q={gtin}", app.base_url))).await;
        assert_refusal(&public, "404 sem_resultado");

        // A report is kept for whoever wrote it, and costs nothing.
        let before = app.balance().await;
        let report = json!({ "motivo": "É outro produto", "nome_correto": "Goma de hortelã" });
        let kept = ask(&app, Method::POST, "/api/v1/catalogo/gtin/96385074/reportar", Some(&report)).await;
        assert_eq!(kept.status, 202, "{}", kept.text);
        assert_eq!(app.balance().await, before);
        let mut conn = app.app.db.read().await.expect("connection");
        let reports = catalog_own::reports(&mut conn, &app.account_id, 96_385_074).await.expect("reports");
        assert_eq!((reports.len(), reports[0].id.as_str()), (1, kept.text_at("/protocolo")));
        assert!(catalog_own::reports(&mut conn, &other.id, 96_385_074).await.expect("reports").is_empty());
        for (code, body, refusal) in [("96385074", json!({ "motivo": " " }), "400 parametro_ausente"), ("1", report, "400 parametro_invalido")] {
            let path = format!("/api/v1/catalogo/gtin/{code}/reportar");
            assert_refusal(&ask(&app, Method::POST, &path, Some(&body)).await, refusal);
        }
    }
}

both! {
    async fn the_public_search_is_counted_by_the_day(app: TestApp) {
        loaded(&app).await;
        app.stop_clock();
        let asked = |query: String| app.send(app.http().get(format!("{}{PUBLIC}?q={query}", app.base_url)));
        let first = asked(ean(1)).await;
        assert_eq!(first.status, 200, "{}", first.text);
        assert_eq!((&first.body["tipo_codigo"], &first.body["consultas_restantes"]), (&json!("EAN-13"), &json!(24)));
        assert_eq!(first.body["produto"]["ncm"], json!({ "codigo_formatado": "1701.99.00" }));
        let by_name = asked("cerveja".to_owned()).await;
        assert_eq!(by_name.text_at("/produto/nome"), "Cerveja Pilsen Lata 350ml", "{}", by_name.text);
        let nothing = asked("zzzzqqq".to_owned()).await;
        assert_refusal(&nothing, "404 sem_resultado");
        assert_eq!(nothing.body["consultas_restantes"], 22);
        assert_refusal(&app.send(app.http().get(format!("{}{PUBLIC}", app.base_url))).await, "400 parametro_ausente");
        for _ in 0..22 {
            assert_eq!(asked(ean(2)).await.status, 200);
        }
        let over = asked(ean(1)).await;
        assert_refusal(&over, "429 limite_diario_demo");
        assert!(over.text_at("/reinicia_em").ends_with("T00:00:00-03:00"), "{}", over.text);
        let wait: i64 = over.header("retry-after").parse().expect("seconds");
        assert!((1..=86_401).contains(&wait), "{wait}");
        app.ahead_ms.store(wait * 1_000, Ordering::Relaxed);
        assert_eq!(asked(ean(1)).await.body["consultas_restantes"], 24, "another day");
    }
}

on_sqlite! {
    async fn open_food_facts_is_named_and_believed_last(app: TestApp) {
        let line = |code: &str, name: &str, country: &str| {
            json!({ "code": code, "product_name": name, "brands": "Marca, Outra", "quantity": "1 kg", "countries_tags": [country], "nutriments": { "x": 1 } }).to_string()
        };
        let dump = [
            line(&ean(1), "Açúcar cristal", "en:brazil"),
            line("96385074", "Chiclete", "en:brazil"),
            line("96385074", "Chewing gum", "en:brazil"),
            line("036000291452", "Tissue", "en:united-states"),
            line("7891000000001", "Sem dígito", "en:brazil"),
            line(&ean(8), "", "en:brazil"),
        ];
        let bytes = gzipped(format!("{}\n", dump.join("\n")).as_bytes());
        let outcome = import(&app, DatasetKind::OpenFoodFacts, "off.jsonl.gz", &bytes).await.expect("imported");
        let report = &outcome.report;
        assert_eq!((outcome.ended, report.lines, report.skipped, report.wrong, outcome.editions[0].rows), (Ended::Imported, 6, 3, 1, 2));
        let sugar = product(&app, &ean(1)).await;
        assert_eq!((&sugar["produto"]["nome"], &sugar["produto"]["marca"]), (&json!("Açúcar cristal 1 kg"), &json!("Marca")));
        assert_eq!(sugar["produto"]["fonte"]["nome"], "Open Food Facts (Open Database License)");
        loaded(&app).await;
        assert_eq!(product(&app, &ean(1)).await["produto"]["fonte"]["tipo"], "catalogo");
        // Cut short, and something else.
        let cut = &bytes[..bytes.len() - 12];
        let error = import(&app, DatasetKind::OpenFoodFacts, "off.jsonl.gz", cut).await.expect_err("cut");
        assert!(error.to_string().contains("ends"), "{error}");
        let other = "a,b\n".repeat(200);
        let error = import(&app, DatasetKind::OpenFoodFacts, "off.jsonl", other.as_bytes()).await.expect_err("no JSON");
        assert!(error.to_string().contains("no lines of JSON"), "{error}");
        assert_eq!(product(&app, "96385074").await["produto"]["nome"], "Goma de mascar");
    }
}
