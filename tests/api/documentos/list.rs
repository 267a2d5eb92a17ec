//! One list of all kinds, its filters and orders, what a text finds, and sums.

use crate::common::{BELO_HORIZONTE, ask_as, assert_refusal, cnpj, stranger};
use reqwest::Method;
use serde_json::{Value, json};
use tests::bodies::{cte, mdfe, nfce, nfe, nfse, with};
use tests::{Answer, TestApp, both};

const CNPJ: &str = "11222333000181";
const PATH: &str = "/api/v1/documentos";

/// The ids of a list, in its order.
fn ids(answer: &Answer) -> Vec<&str> {
    let items = answer.body["itens"].as_array().expect("items");
    let ids = items.iter().map(|one| one["nota_id"].as_str());
    ids.map(|id| id.expect("an id")).collect()
}

/// A key in groups of four, as papers print it.
fn printed(key: &str) -> String {
    let digits = key.as_bytes().chunks(4);
    let groups = digits.map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join("%20")
}

async fn found(app: &TestApp, query: &str) -> Vec<String> {
    let answer = app.get(&format!("{PATH}?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text);
    ids(&answer).into_iter().map(str::to_owned).collect()
}

/// A product note of so many units of R$ 18,90 to somebody.
fn sale(quantity: i32, name: &str) -> Value {
    let cents = 1_890 * quantity;
    let total = format!("{}.{:02}", cents / 100, cents % 100);
    let total = json!([{ "forma": "pix", "valor": total }]);
    let note = with(nfe(), "/itens/0/quantidade", quantity);
    let note = with(note, "/destinatario/nome", name);
    with(note, "/pagamentos", total)
}

async fn issued(app: &TestApp, path: &str, body: &Value) -> Answer {
    let answer = app.post(path, body).await;
    assert!(
        (200..300).contains(&answer.status),
        "{path}: {}",
        answer.text
    );
    answer
}

both! {
    async fn all_kinds_are_one_list(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        app.release(&app.account_id).await;
        let small = issued(&app, "/api/v1/nfe", &sale(1, "Padaria São João")).await;
        let large = issued(&app, "/api/v1/nfe", &with(sale(30, "Café_100% Ltda"), "/referencia", "Pedido-77")).await;
        let coupon = issued(&app, "/api/v1/nfce", &nfce()).await;
        let service = issued(&app, "/api/v1/nfse", &with(nfse(), "/referencia", "4711")).await;
        let freight = issued(&app, "/api/v1/cte/criar", &cte()).await;
        let manifest = issued(&app, "/api/v1/mdfe/criar", &mdfe()).await;
        let id = |answer: &Answer| answer.text_at("/nota_id").to_owned();
        let made = [&small, &large, &coupon, &service, &freight, &manifest].map(id);
        let [small_id, large_id, coupon_id, service_id, freight_id, manifest_id] = &made;

        // The newest first, or as one wants them; pages join without a gap.
        let newest: Vec<String> = made.iter().rev().cloned().collect();
        assert_eq!(found(&app, "").await, newest);
        assert_eq!(found(&app, "ordem=criada_em").await, made);
        for order in ["-criada_em", "criada_em"] {
            let whole = found(&app, &format!("ordem={order}")).await;
            let (mut joined, mut cursor) = (Vec::new(), String::new());
            loop {
                let page = app.get(&format!("{PATH}?ordem={order}&limite=2{cursor}")).await;
                joined.extend(ids(&page).into_iter().map(str::to_owned));
                let Some(next) = page.body["proximo_cursor"].as_str() else { break };
                cursor = format!("&cursor={next}");
            }
            assert_eq!(joined, whole, "{order}");
            assert_eq!(whole.len(), 6, "{order}");
        }

        // Filters.
        let number = |answer: &Answer| answer.body["numero"].to_string();
        let day = base::when::today(app.app.now_ms(), "DF");
        for (query, expected) in [
            ("modelo=nfse".to_owned(), vec![service_id]),
            ("modelo=57,58".to_owned(), vec![manifest_id, freight_id]),
            ("status=rascunho".to_owned(), vec![manifest_id, freight_id]),
            ("status=autorizada,cancelada&modelo=55".to_owned(), vec![large_id, small_id]),
            ("valor_min=500&modelo=55".to_owned(), vec![large_id]),
            ("valor_max=18.90&modelo=55".to_owned(), vec![small_id]),
            ("nome=sao%20joao".to_owned(), vec![small_id]),
            ("nome=_100%25".to_owned(), vec![large_id]),
            ("nome=pedido".to_owned(), vec![]),
            (format!("chave={}", large.text_at("/chave")), vec![large_id]),
            // As papers print it, and as files name it.
            (format!("chave={}", printed(large.text_at("/chave"))), vec![large_id]),
            (format!("chave=NFe{}", large.text_at("/chave")), vec![large_id]),
            (format!("chave={}-procNFe.xml", large.text_at("/chave")), vec![large_id]),
            ("chave=---".to_owned(), vec![]),
            (format!("numero={}&modelo=55", number(&small)), vec![small_id]),
            (format!("numero={}&modelo=nfse", service.text_at("/numero_nfse")), vec![service_id]),
            ("destinatario=12.345.678/0001-95&modelo=55".to_owned(), vec![large_id, small_id]),
            ("destinatario=12345678000195&ordem=criada_em&modelo=55&limite=1".to_owned(), vec![small_id]),
            // Nobody has what is neither letter nor digit; without a value there is no filter.
            ("destinatario=../-".to_owned(), vec![]),
            ("destinatario=%20".to_owned(), vec![]),
            ("destinatario=%EF%BC%91%EF%BC%92".to_owned(), vec![]),
            ("destinatario=&modelo=65".to_owned(), vec![coupon_id]),
            (format!("de={day}&ate={day}&modelo=65"), vec![coupon_id]),
            ("ate=2020-01-01".to_owned(), vec![]),
            ("serie=9".to_owned(), vec![]),
            // What a text stands for.
            ("q=S%C3%83O%20JO%C3%83O".to_owned(), vec![small_id]),
            ("q=pedido-77".to_owned(), vec![large_id]),
            ("q=4711".to_owned(), vec![service_id]),
            ("q=567,00".to_owned(), vec![large_id]),
            ("q=R%24%20567,00&ordem=criada_em".to_owned(), vec![large_id]),
            (format!("q={}", small.text_at("/chave")), vec![small_id]),
            (format!("q=NFe{}", small.text_at("/chave")), vec![small_id]),
            (format!("q={}-nfe", small.text_at("/chave")), vec![small_id]),
            (format!("q={}-procNFe.xml", small.text_at("/chave")), vec![small_id]),
            (format!("q={}", printed(small.text_at("/chave"))), vec![small_id]),
            (format!("q={}&modelo=55", number(&large)), vec![large_id]),
            ("q=12345678000195&modelo=55".to_owned(), vec![large_id, small_id]),
            ("q=nada%20disso".to_owned(), vec![]),
            ("q=%25".to_owned(), vec![large_id]),
        ] {
            let expected: Vec<String> = expected.into_iter().cloned().collect();
            assert_eq!(found(&app, &query).await, expected, "{query}");
        }
        for query in ["modelo=99", "status=nada", "status=autorizada,", "ordem=valor_total", "numero=x", "valor_min=1,5", "valor_min=1.234", "valor_max=0", "de=ontem", "nada=1", "cursor=x", "status=autorizada&status=cancelada", "q=a&limite=1&q=a"] {
            assert_refusal(&app.get(&format!("{PATH}?{query}")).await, &format!("400 {}", if query == "nada=1" { "campo_desconhecido" } else { "parametro_invalido" }));
        }

        let twice = app.get("/api/v1/nfe?status=autorizada&status=cancelada").await;
        assert_refusal(&twice, "400 parametro_invalido");
        assert_eq!(twice.text_at("/campos/0/campo"), "status", "{}", twice.text);

        // The lists of each kind and the search read a key alike.
        for (path, note) in [("nfe", &large), ("nfse", &service)] {
            let path = format!("/api/v1/{path}?chave={}", printed(note.text_at("/chave")));
            assert_eq!(ids(&app.get(&path).await), [note.text_at("/nota_id")], "{path}");
        }
        for path in ["nfe", "nfse"] {
            let nobody = app.get(&format!("/api/v1/{path}?destinatario=../-")).await;
            assert!(nobody.status == 200 && ids(&nobody).is_empty(), "{path}: {}", nobody.text);
        }
        let key = printed(large.text_at("/chave")).replace("%20", " ");
        let searched = app.post("/api/v1/documentos/buscar", &json!({ "chave": key })).await;
        assert_eq!(ids(&searched), [large_id.as_str()], "{}", searched.text);
        for nobody in ["../-", " ", "１２"] {
            let searched = app.post("/api/v1/documentos/buscar", &json!({ "cnpj": nobody })).await;
            assert!(searched.status == 200 && ids(&searched).is_empty(), "{nobody}: {}", searched.text);
        }

        // Nothing of it is for others: another account, and a test key.
        let other = stranger(&app).await;
        for query in ["", "q=sao", "q=4711", "numero=1", "destinatario=12345678000195"] {
            let path = format!("{PATH}?{query}");
            assert_eq!(ids(&ask_as(&app, &other.live_key, Method::GET, &path, None).await), Vec::<&str>::new(), "{query}");
            // The CT-e is of homologação, where a test key looks, too.
            let path = format!("{path}&modelo=55,65,nfse");
            assert_eq!(ids(&ask_as(&app, &app.test_key, Method::GET, &path, None).await), Vec::<&str>::new(), "{query}");
        }

        // The same, counted.
        let sums = app.get("/api/v1/documentos/resumo").await;
        let of = |model: &str, status: &str| {
            let items = sums.body["itens"].as_array().expect("items");
            let sum = items.iter().find(|one| one["modelo"] == model && one["status"] == status);
            let sum = sum.unwrap_or_else(|| panic!("no sum of {model} {status}: {}", sums.text));
            (sum["grupo"].clone(), sum["documentos"].clone(), sum["valor_total"].to_string())
        };
        assert_eq!(of("55", "autorizada"), (json!(day.to_string()), json!(2), "585.90".to_owned()), "{}", sums.text);
        // The CT-e is of homologação: no money, and counted only where it is asked for.
        assert_eq!(sums.body["ambiente"], "producao", "{}", sums.text);
        let kinds = |answer: &Answer| -> Vec<String> {
            let items = answer.body["itens"].as_array().expect("items");
            items.iter().map(|one| one["modelo"].as_str().expect("a model").to_owned()).collect()
        };
        assert!(!kinds(&sums).iter().any(|model| model == "57"), "{}", sums.text);
        let freight = app.get("/api/v1/documentos/resumo?ambiente=homologacao").await;
        let counted = freight.body["itens"].as_array().expect("items");
        let counted: Vec<&Value> = counted.iter().filter(|one| one["modelo"] == "57").collect();
        assert_eq!(counted.len(), 1, "{}", freight.text);
        assert_eq!((&counted[0]["status"], &counted[0]["documentos"]), (&json!("rascunho"), &json!(1)), "{}", freight.text);
        let companies = app.get(&format!("/api/v1/documentos/resumo?agrupar=emitente&de={day}&ate={day}")).await;
        assert_eq!(companies.body["itens"][0]["grupo"], small.body["emitente_id"], "{}", companies.text);
        let none = app.get("/api/v1/documentos/resumo?de=2020-01-01&ate=2020-01-31").await;
        assert_eq!(none.body["itens"], json!([]));
        for query in ["agrupar=x", "de=2020-01-01", "de=2020-02-01&ate=2020-01-01", "ate=x"] {
            assert_refusal(&app.get(&format!("/api/v1/documentos/resumo?{query}")).await, "400 parametro_invalido");
        }
        app.check_invariants().await;
    }
}

both! {
    async fn what_is_of_homologation_is_no_money(app: TestApp) {
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        let real = issued(&app, "/api/v1/nfe", &sale(2, "Padaria São João")).await;
        let change = json!({ "ambiente": "homologacao" });
        let changed = ask_as(&app, &app.live_key, Method::PATCH, &format!("/api/v1/emitters/{emitter}"), Some(&change)).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let trial = issued(&app, "/api/v1/nfe", &sale(100, "Padaria São João")).await;
        assert_eq!(trial.text_at("/ambiente"), "homologacao", "{}", trial.text);
        // Without a certificate nothing can be sent: a test key's note is only simulated.
        let other = app.emitter_without_certificate(&cnpj("22444777"), BELO_HORIZONTE).await;
        let coupon = with(nfce(), "/emitente_id", other.as_str());
        let simulated = app.post_as(&app.test_key, "/api/v1/nfce", &coupon, None).await;
        assert_eq!(simulated.status, 201, "{}", simulated.text);
        let [real, trial, simulated] = [&real, &trial, &simulated].map(|answer| answer.text_at("/nota_id").to_owned());

        // A list has all that the key sees, or what is of one environment.
        let (live, test) = (app.live_key.as_str(), app.test_key.as_str());
        for (key, query, expected) in [
            (live, "", vec![&trial, &real]),
            (live, "?ambiente=producao", vec![&real]),
            (live, "?ambiente=homologacao", vec![&trial]),
            (test, "?ambiente=homologacao", vec![&trial]),
            (test, "?ambiente=simulado", vec![&simulated]),
            (test, "?ambiente=simulado&destinatario=12345678000195", vec![]),
            (test, "?ambiente=homologacao&destinatario=12345678000195", vec![&trial]),
        ] {
            let answer = ask_as(&app, key, Method::GET, &format!("{PATH}{query}"), None).await;
            assert_eq!(answer.status, 200, "{query}: {}", answer.text);
            assert_eq!(ids(&answer), expected, "{query}");
        }

        // Sums of a live key are of production, unless they are asked for otherwise.
        for group in ["dia", "emitente"] {
            for (key, query, ambiente, expected) in [
                (live, "", json!("producao"), vec!["37.80"]),
                (live, "&ambiente=producao", json!("producao"), vec!["37.80"]),
                (live, "&ambiente=homologacao", json!("homologacao"), vec!["1890.00"]),
                (test, "", Value::Null, vec!["1890.00", "18.90"]),
                (test, "&ambiente=homologacao", json!("homologacao"), vec!["1890.00"]),
                (test, "&ambiente=simulado", json!("simulado"), vec!["18.90"]),
            ] {
                let path = format!("{PATH}/resumo?agrupar={group}{query}");
                let answer = ask_as(&app, key, Method::GET, &path, None).await;
                assert_eq!((answer.status, &answer.body["ambiente"]), (200, &ambiente), "{path}: {}", answer.text);
                let items = answer.body["itens"].as_array().expect("items");
                let values: Vec<String> = items.iter().map(|one| one["valor_total"].to_string()).collect();
                assert_eq!(values, expected, "{path}: {}", answer.text);
            }
        }
        for (key, word) in [(live, "simulado"), (live, "teste"), (live, ""), (test, "producao"), (test, "producao,homologacao")] {
            for path in [PATH.to_owned(), format!("{PATH}/resumo")] {
                let refused = ask_as(&app, key, Method::GET, &format!("{path}?ambiente={word}"), None).await;
                assert_refusal(&refused, "400 parametro_invalido");
                assert_eq!(refused.text_at("/campos/0/campo"), "ambiente", "{}", refused.text);
            }
        }
        app.check_invariants().await;
    }
}

both! {
    async fn a_refused_note_is_found_beside_the_one_that_took_its_number(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let body = with(nfe(), "/referencia", "9988");
        let draft = issued(&app, "/api/v1/nfe/criar", &body).await;
        app.app.simulator.sim.add_fault(sim::Fault {
            falha: sim::FaultKind::Recusar,
            codigo: Some("778".to_owned()),
            ..Default::default()
        });
        let refused = app.post("/api/v1/nfe", &body).await;
        assert_refusal(&refused, "422 rejeitada_pela_sefaz");
        app.app.simulator.sim.clear_faults();
        let again = issued(&app, "/api/v1/nfe", &body).await;
        let number = again.body["numero"].to_string();
        let refused = found(&app, "status=rejeitada").await;
        assert_eq!(refused.len(), 1, "{refused:?}");
        let [again, draft] = [&again, &draft].map(|answer| answer.text_at("/nota_id").to_owned());
        let both = [again.clone(), refused[0].clone()];
        for query in [format!("numero={number}"), format!("q={number}"), "q=9988&status=autorizada,rejeitada".to_owned()] {
            assert_eq!(found(&app, &query).await, both, "{query}");
        }
        assert_eq!(found(&app, "q=9988").await, [again, refused[0].clone(), draft]);
        app.check_invariants().await;
    }
}

both! {
    async fn authorizers_are_known_without_asking(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let of = |answer: &Answer| {
            let items = answer.body["itens"].as_array().expect("items");
            let one = items.iter().find(|one| one["uf"] == "MG" && one["modelo"] == "55");
            one.expect("an authorizer of MG").clone()
        };
        let before = app.get("/api/v1/autorizadores").await;
        assert_eq!(before.body["itens"].as_array().map(Vec::len), Some(54), "27 states, two models: {}", before.text);
        assert_eq!(of(&before)["situacao"], "sem_noticia", "{}", before.text);
        issued(&app, "/api/v1/nfe", &nfe()).await;
        let after = of(&app.get("/api/v1/autorizadores").await);
        assert_eq!((&after["situacao"], &after["motivo"]), (&json!("em_operacao"), &Value::Null));
        assert!(after["ultima_autorizacao_em"].is_string(), "{after}");
        let said = app.get("/api/v1/nfe/autorizador/status?uf=MG").await;
        assert_eq!((said.status, &said.body["cache"]), (200, &json!(false)), "nobody was asked before: {}", said.text);
        let told = of(&app.get("/api/v1/autorizadores").await);
        assert_eq!((&told["situacao"], &told["motivo"]), (&json!("em_operacao"), &said.body["motivo"]));
        // A test key knows nothing of what a live one was told.
        let other = ask_as(&app, &app.test_key, Method::GET, "/api/v1/autorizadores", None).await;
        assert_eq!(of(&other)["situacao"], "sem_noticia", "{}", other.text);
    }
}

tests::on_sqlite! {
    async fn letters_of_a_cnpj_are_read_in_any_case(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let body = with(nfse(), "/tomador/cpf_cnpj", "12ABC34501DE35");
        let service = issued(&app, "/api/v1/nfse/criar", &body).await;
        let body = with(nfe(), "/destinatario/cpf_cnpj", "12ABC34501DE35");
        let sale = issued(&app, "/api/v1/nfe/criar", &body).await;
        let [service, sale] = [&service, &sale].map(|answer| answer.text_at("/nota_id"));
        for (path, note) in [("nfse", service), ("nfe", sale)] {
            let path = format!("/api/v1/{path}?destinatario=12.abc.345/01de-35");
            assert_eq!(ids(&app.get(&path).await), [note], "{path}");
        }
        let path = "/api/v1/documentos/buscar";
        let searched = app.post(path, &json!({ "cnpj": "12abc34501de35", "status": "rascunho" })).await;
        assert_eq!(ids(&searched), [sale, service], "{}", searched.text);

        // A state that no document has is refused as the lists refuse it, and costs nothing.
        let before = app.balance().await;
        let unknown = app.post(path, &json!({ "status": "autorizado" })).await;
        assert_refusal(&unknown, "400 parametro_invalido");
        assert!(unknown.text_at("/campos/0/campo") == "status" && unknown.text.contains("Você quis dizer autorizada?"), "{}", unknown.text);
        assert_eq!(app.balance().await, before);
        for status in ["", "denegada", "pendente_prefeitura"] {
            let known = app.post(path, &json!({ "status": status })).await;
            assert_eq!(known.status, 200, "{status}: {}", known.text);
        }
    }
}
