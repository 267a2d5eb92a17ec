//! Buying: the three means, what is refused, and what a PSP that fails leaves.

use super::shared::*;
use crate::common::{ask_as, assert_refusal, cnpj, stranger};
use reqwest::Method;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use store::TxError;
use store::ids::{CompraId, RequestId};
use store::tables::compras::{self, PurchaseMeans, PurchaseRow, PurchaseStatus};
use tests::app::Backend;
use tests::{TestApp, both};

const MINUTE_MS: i64 = 60_000;

/// CRC-16/CCITT-FALSE, by the definition.
fn crc16(text: &str) -> u16 {
    text.bytes().fold(0xffff, |crc, byte| {
        (0..8).rev().fold(crc, |crc: u16, bit| {
            let carry = (crc >> 15) ^ (u16::from(byte) >> bit & 1) != 0;
            (crc << 1) ^ if carry { 0x1021 } else { 0 }
        })
    })
}

/// The fields of an EMV code: id and value.
fn fields(mut code: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    while code.len() > 4 {
        let length: usize = code[2..4].parse().expect("a length");
        found.push((&code[..2], &code[4..4 + length]));
        code = &code[4 + length..];
    }
    assert!(code.is_empty(), "{code}");
    found
}

fn of<'a>(fields: &[(&str, &'a str)], id: &str) -> &'a str {
    let found: Vec<&str> = fields
        .iter()
        .filter(|field| field.0 == id)
        .map(|field| field.1)
        .collect();
    assert_eq!(found.len(), 1, "{id}");
    found[0]
}

/// A part of a typable line with a right digit is a multiple of ten.
fn luhn(part: &str) -> bool {
    let weighted = part.bytes().rev().zip([1, 2].into_iter().cycle());
    let sum: u32 = weighted
        .map(|(byte, weight)| u32::from(byte - b'0') * weight)
        .map(|product| product / 10 + product % 10)
        .sum();
    sum.is_multiple_of(10)
}

both! {
    async fn a_pix_is_paid_and_credited(app: TestApp) {
        let answer = app.post(COMPRAS, &json!({ "valor": "300.05", "meio": "pix" })).await;
        assert_eq!(answer.summary(), "201 aguardando", "{}", answer.text);
        assert_eq!((&answer.body["creditos"], &answer.body["boleto"], &answer.body["cartao"]), (&json!(30_005), &Value::Null, &Value::Null));
        assert!(answer.text.contains("\"valor\":300.05"), "{}", answer.text);
        let code = answer.text_at("/pix/brcode");
        let fields_of = fields(code);
        assert_eq!(of(&fields_of, "00"), "01");
        assert_eq!((of(&fields_of, "53"), of(&fields_of, "54"), of(&fields_of, "58")), ("986", "300.05", "BR"));
        let account = fields(of(&fields_of, "26"));
        assert_eq!(of(&account, "00"), "br.gov.bcb.pix");
        assert!(of(&account, "25").starts_with("psp.simulado.test/qr/v2/"));
        let (covered, sum) = code.split_at(code.len() - 4);
        assert_eq!(format!("{:04X}", crc16(covered)), sum);
        assert_eq!(crc16("123456789"), 0x29b1, "the check value of the algorithm");

        let id = answer.text_at("/compra_id").to_owned();
        assert_eq!(app.balance().await, (200, 0), "nothing is credited before it is paid");
        assert_eq!(app.app.simulator.sim.pay(&id, None, true).await, Ok(Some(200)));
        let after = shown(&app, &id).await;
        assert_eq!(after.summary(), "200 paga", "{}", after.text);
        assert!(after.text.contains("\"valor_pago\":300.05"), "{}", after.text);
        assert_eq!(app.balance().await, (30_205, 0));
        let origin = app.get("/api/v1/creditos").await;
        assert_eq!((&origin.body["presente"], &origin.body["comprado"]), (&json!(200), &json!(30_005)), "{}", origin.text);
        let statement = app.get("/api/v1/creditos/extrato").await;
        assert_eq!(statement.text_at("/itens/0/tipo"), "compra", "{}", statement.text);
        assert_eq!(statement.text_at("/itens/0/compra_id"), id);
        assert_eq!((&statement.body["presente"], &statement.body["comprado"]), (&json!(200), &json!(30_005)));
        app.check_invariants().await;
    }
}

both! {
    async fn a_boleto_has_a_line_with_right_digits(app: TestApp) {
        let nobody = app.post(COMPRAS, &json!({ "valor": 120, "meio": "boleto" })).await;
        assert_refusal(&nobody, "400 parametro_invalido");
        assert_eq!(nobody.text_at("/campos/0/campo"), "pagador.cpf_cnpj");
        let body = json!({ "valor": 120, "meio": "boleto", "pagador": { "nome": "Cliente Exemplo", "cpf_cnpj": "12.345.678/0001-95", "email": "a@exemplo.com.br" } });
        let answer = app.post(COMPRAS, &body).await;
        assert_eq!(answer.summary(), "201 aguardando", "{}", answer.text);
        let (line, bars) = (answer.text_at("/boleto/linha_digitavel"), answer.text_at("/boleto/codigo_de_barras"));
        assert_eq!((line.len(), bars.len()), (47, 44), "{}", answer.text);
        for part in [&line[..10], &line[10..21], &line[21..32]] {
            assert!(luhn(part), "{part}");
        }
        // Weights 2 to 9 from the right, the digit itself left out.
        let digits: Vec<u32> = bars.bytes().map(|byte| u32::from(byte - b'0')).collect();
        let rest: Vec<u32> = digits.iter().enumerate().filter(|(at, _)| *at != 4).map(|(_, digit)| *digit).collect();
        let sum: u32 = rest.iter().rev().zip((2..=9).cycle()).map(|(digit, weight)| digit * weight).sum();
        let expected = match 11 - sum % 11 { 10 | 11 => 1, digit => digit };
        assert_eq!(digits[4], expected, "{bars}");
        assert_eq!(&bars[9..19], "0000012000");
        assert_eq!(format!("{}{}{}{}", &line[..4], &line[32..33], &line[33..], &line[4..9]), bars[..24], "{bars}");
        let due = base::when::today(app.app.now_ms(), "DF") + time::Duration::days(3);
        assert_eq!(answer.text_at("/boleto/vencimento"), due.to_string());
        let begin = time::macros::date!(2025 - 02 - 22);
        assert_eq!(bars[5..9].parse::<i64>().ok(), Some(1_000 + (due - begin).whole_days()), "the count that began again");
        let id = answer.text_at("/compra_id").to_owned();
        // Cleared two days after its due day: still seen, whether the job asked
        // just before or not.
        app.ahead_ms.fetch_add(5 * 24 * 60 * MINUTE_MS, Ordering::Relaxed);
        assert_eq!(app.app.simulator.sim.pay(&id, None, false).await, Ok(None));
        app.ahead_ms.fetch_add(31 * MINUTE_MS, Ordering::Relaxed);
        until(&app, &id, "paga").await;
        assert_eq!(app.balance().await, (12_200, 0));

        app.emitter(&cnpj("11444777"), "3106200").await;
        let answer = app.post(COMPRAS, &json!({ "valor": 120, "meio": "boleto" })).await;
        assert_eq!(answer.summary(), "201 aguardando", "the default emitter pays: {}", answer.text);
        app.check_invariants().await;
    }
}

both! {
    async fn a_card_is_paid_at_the_psp(app: TestApp) {
        let answer = app.post(COMPRAS, &json!({ "valor": 50_000, "meio": "cartao", "parcelas": 12 })).await;
        assert_eq!(answer.summary(), "201 aguardando", "{}", answer.text);
        assert!(answer.text_at("/cartao/url").starts_with("https://psp.simulado.test/checkout/"), "{}", answer.text);
        assert_eq!(answer.body["parcelas"], 12);
        let id = answer.text_at("/compra_id").to_owned();
        assert_eq!(app.app.simulator.sim.charge(&id).map(|charge| charge.parcelas), Some(12));
        assert_eq!(app.app.simulator.sim.pay(&id, None, true).await, Ok(Some(200)));
        assert_eq!(app.balance().await, (5_000_200, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn what_makes_no_sense_is_told_at_once(app: TestApp) {
        for (body, fields) in [
            (json!({ "valor": 119.99, "meio": "pix", "parcelas": 2 }), "valor parcelas"),
            (json!({ "valor": 50_000.01, "meio": "boleto", "pagador": { "nome": " ", "cpf_cnpj": "123", "email": "x" } }), "valor pagador.nome pagador.cpf_cnpj pagador.email"),
            (json!({ "valor": 120.001, "meio": "cartao", "parcelas": 13 }), "valor parcelas"),
            (json!({ "valor": -120, "meio": "cartao", "parcelas": 0 }), "valor parcelas"),
            (json!({ "valor": "120,00", "meio": "pix" }), "valor"),
            (json!({ "valor": 120, "meio": "dinheiro" }), "meio"),
        ] {
            let answer = app.post(COMPRAS, &body).await;
            assert_refusal(&answer, "400 parametro_invalido");
            let named: Vec<&str> = answer.body["campos"].as_array().expect("fields").iter().filter_map(|field| field["campo"].as_str()).collect();
            assert_eq!(named.join(" "), fields, "{}", answer.text);
        }
        assert_refusal(&app.post(COMPRAS, &json!({ "meio": "pix" })).await, "400 parametro_ausente");
        assert_refusal(&app.post_as(&app.test_key, COMPRAS, &pix(120.0), None).await, "403 chave_de_teste");
        assert_eq!(charges(&app), 0);
        let packages = app.get("/api/v1/creditos/pacotes").await;
        assert_eq!(packages.body["oferecida"], true, "{}", packages.text);
        let credits: Vec<i64> = packages.body["pacotes"].as_array().expect("packages").iter().filter_map(|one| one["creditos"].as_i64()).collect();
        assert_eq!(credits, [12_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_200_000]);
        assert!(packages.text.contains("\"minimo\":120.00,\"") || packages.text.contains("\"minimo\":120.00"), "{}", packages.text);
    }
}

both! {
    async fn a_key_stands_for_one_purchase(app: TestApp) {
        let first = app.post_as(&app.live_key, COMPRAS, &pix(120.0), Some("compra-1")).await;
        assert_eq!(first.summary(), "201 aguardando", "{}", first.text);
        let again = app.post_as(&app.live_key, COMPRAS, &pix(120.0), Some("compra-1")).await;
        assert_eq!((again.summary().as_str(), again.header("idempotent-replayed")), ("201 aguardando", "true"));
        assert_eq!((&again.body["compra_id"], &again.body["pix"]), (&first.body["compra_id"], &first.body["pix"]));
        let other = app.post_as(&app.live_key, COMPRAS, &pix(130.0), Some("compra-1")).await;
        assert_refusal(&other, "422 chave_idempotencia_reutilizada");
        assert_eq!(charges(&app), 1);
        bought(&app, &pix(120.0)).await;
        assert_eq!(charges(&app), 2, "without a key it is another purchase");
    }
}

both! {
    async fn a_psp_that_is_down_leaves_nothing_half_done(app: TestApp) {
        // A page instead of an answer, and the PSP says that there is no charge.
        fault(&app, "criar", "html", 1);
        let down = app.post_as(&app.live_key, COMPRAS, &pix(120.0), Some("compra-1")).await;
        assert_refusal(&down, "503 pagamento_indisponivel");
        assert!(!down.header("retry-after").is_empty());
        assert_eq!((&down.body["compra_id"], charges(&app)), (&Value::Null, 0), "{}", down.text);
        let again = app.post_as(&app.live_key, COMPRAS, &pix(120.0), Some("compra-1")).await;
        assert_eq!((again.summary().as_str(), again.header("idempotent-replayed")), ("201 aguardando", ""), "{}", again.text);
        assert_eq!(charges(&app), 1);

        // Nobody knows: the purchase stays, and the key leads to it.
        fault(&app, "criar", "cortar_depois", 1);
        fault(&app, "consultar", "cortar_antes", 1);
        let unknown = app.post_as(&app.live_key, COMPRAS, &pix(120.0), Some("compra-2")).await;
        assert_refusal(&unknown, "503 pagamento_indisponivel");
        let id = unknown.text_at("/compra_id").to_owned();
        assert_eq!((shown(&app, &id).await.summary().as_str(), charges(&app)), ("200 aguardando", 2));
        let again = app.post_as(&app.live_key, COMPRAS, &pix(120.0), Some("compra-2")).await;
        assert_eq!((again.summary().as_str(), again.text_at("/compra_id")), ("201 aguardando", id.as_str()), "{}", again.text);
        assert!(!again.text_at("/pix/brcode").is_empty(), "{}", again.text);
        assert_eq!(charges(&app), 2, "no second charge");

        // The answer is lost, and found by asking.
        fault(&app, "criar", "cortar_depois", 1);
        let found = app.post(COMPRAS, &pix(120.0)).await;
        assert_eq!((found.summary().as_str(), charges(&app)), ("201 aguardando", 3), "{}", found.text);

        fault(&app, "criar", "recusar", 1);
        let refused = app.post(COMPRAS, &pix(120.0)).await;
        assert_refusal(&refused, "422 pagamento_recusado");
        assert_eq!(refused.text_at("/recusa/codigo"), "recusada");
        assert_eq!(shown(&app, refused.text_at("/compra_id")).await.summary(), "200 cancelada");
        assert_eq!(app.balance().await, (200, 0));
        app.check_invariants().await;
    }
}

/// A purchase as a process leaves it that dies before it asks the PSP.
fn abandoned(app: &TestApp, means: PurchaseMeans) -> PurchaseRow {
    let now_ms = app.app.now_ms();
    PurchaseRow {
        id: CompraId::new(now_ms),
        account_id: app.account_id.clone(),
        meio: means,
        parcelas: 1,
        creditos: 12_000,
        pagador: json!({ "nome": "Cliente Exemplo" }).to_string(),
        request_id: RequestId::new(now_ms),
        expira_ms: now_ms + 60 * MINUTE_MS,
        next_check_ms: now_ms,
        created_at_ms: now_ms,
        ..PurchaseRow::default()
    }
}

async fn left_behind(app: &TestApp, means: PurchaseMeans) -> String {
    let row = abandoned(app, means);
    let written = app.app.db.write(row.clone(), |row, conn| {
        Box::pin(async move { Ok::<_, TxError<Infallible>>(compras::insert(conn, row).await?) })
    });
    written.await.expect("written");
    row.id.into()
}

both! {
    async fn a_callback_that_comes_while_the_provider_is_asked_keeps_the_purchase_open(app: TestApp) {
        let id = left_behind(&app, PurchaseMeans::Pix).await;
        let (account, now_ms) = (app.account_id.clone(), app.app.now_ms());
        let written = app.app.db.write((account, CompraId::from(id.as_str())), move |(account, id), conn| {
            Box::pin(async move {
                let (node, until_ms) = ("hub_um", now_ms + 60_000);
                let row = compras::claim(conn, (account, id), node, until_ms, now_ms).await?;
                let row = row.expect("nobody is at it");
                // "Expired" was on its way; then it was paid after all.
                compras::hint(conn, account, id, now_ms).await?;
                let closed = compras::closed(conn, &row, PurchaseStatus::Expired, "", now_ms).await?;
                let left = compras::get(conn, account, id).await?.expect("a purchase");
                let again = compras::claim_due(conn, node, until_ms, now_ms).await?;
                let ended = compras::closed(conn, &row, PurchaseStatus::Expired, "", now_ms).await?;
                Ok::<_, TxError<Infallible>>((closed, left.status, again.is_some(), ended))
            })
        });
        let (closed, status, again, ended) = written.await.expect("written");
        assert_eq!((closed, status, again, ended), (false, PurchaseStatus::Waiting, true, true));
    }
}

both! {
    async fn a_node_that_lost_a_purchase_to_another_neither_ends_it_nor_gives_it_back(app: TestApp) {
        let now_ms = app.app.now_ms();
        let written = app.app.db.write(abandoned(&app, PurchaseMeans::Pix), move |row, conn| {
            Box::pin(async move {
                // In one transaction, so that the job of this hub sees none of it.
                compras::insert(conn, row).await?;
                let key = (&row.account_id, &row.id);
                let until_ms = now_ms + 60_000;
                let row = compras::claim(conn, key, "hub_um", until_ms, now_ms).await?;
                let row = row.expect("nobody is at it");
                compras::release_of(conn, "hub_um").await?;
                let theirs = compras::claim_due(conn, "hub_dois", until_ms, now_ms).await?;
                let closed = compras::closed(conn, &row, PurchaseStatus::Cancelled, "", now_ms).await?;
                compras::later(conn, &row, now_ms).await?;
                let left = compras::get(conn, key.0, key.1).await?.expect("a purchase");
                Ok::<_, TxError<Infallible>>((theirs.is_some(), closed, left))
            })
        });
        let (theirs, closed, left) = written.await.expect("written");
        assert_eq!((theirs, closed), (true, false));
        assert_eq!((left.status, left.lease_owner.as_str()), (PurchaseStatus::Waiting, "hub_dois"));
        assert!(left.lease_until_ms > now_ms);
    }
}

both! {
    async fn a_purchase_whose_payer_cannot_be_read_is_not_charged_to_nobody(app: TestApp) {
        let row = PurchaseRow { pagador: "{\"nome\":".to_owned(), ..abandoned(&app, PurchaseMeans::Pix) };
        let written = app.app.db.write(row, |row, conn| {
            Box::pin(async move { Ok::<_, TxError<Infallible>>(compras::insert(conn, row).await?) })
        });
        written.await.expect("written");
        // Later than the damaged one: when it is charged, that one was looked at.
        let whole = left_behind(&app, PurchaseMeans::Pix).await;
        asked_until(&app, &whole, |answer| !answer.text_at("/pix/brcode").is_empty()).await;
        assert_eq!(charges(&app), 1);
    }
}

both! {
    async fn what_a_dead_process_began_the_job_goes_on_with(app: TestApp) {
        let id = left_behind(&app, PurchaseMeans::Pix).await;
        asked_until(&app, &id, |answer| !answer.text_at("/pix/brcode").is_empty()).await;
        assert_eq!(charges(&app), 1);
        assert_eq!(app.app.simulator.sim.pay(&id, None, true).await, Ok(Some(200)));
        assert_eq!(app.balance().await, (12_200, 0));

        // The PSP has it, the hub died before it knew.
        let id = left_behind(&app, PurchaseMeans::Pix).await;
        until_charged(&app, &id).await;
        app.check_invariants().await;
    }
}

async fn until_charged(app: &TestApp, id: &str) {
    let before = charges(app);
    fault(app, "criar", "cortar_depois", 1);
    asked_until(app, id, |answer| !answer.text_at("/pix/brcode").is_empty()).await;
    assert!(charges(app) <= before + 1);
}

both! {
    async fn a_lost_callback_is_made_up_for(app: TestApp) {
        app.stop_clock();
        let id = bought(&app, &pix(120.0)).await;
        assert_eq!(app.app.simulator.sim.pay(&id, None, false).await, Ok(None));
        assert_eq!(shown(&app, &id).await.summary(), "200 aguardando");
        app.ahead_ms.fetch_add(MINUTE_MS, Ordering::Relaxed);
        until(&app, &id, "paga").await;
        assert_eq!(app.balance().await, (12_200, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn what_nobody_pays_expires(app: TestApp) {
        let id = bought(&app, &pix(120.0)).await;
        app.ahead_ms.fetch_add(61 * MINUTE_MS, Ordering::Relaxed);
        payments::turn(&app.app).await.expect("the job");
        assert_eq!(shown(&app, &id).await.summary(), "200 aguardando", "a payment may be on its way");
        app.ahead_ms.fetch_add(60 * MINUTE_MS, Ordering::Relaxed);
        until(&app, &id, "expirada").await;
        assert_eq!(app.balance().await, (200, 0));
        // It was paid all the same: the money is there, so are the credits.
        assert_eq!(app.app.simulator.sim.pay(&id, None, true).await, Ok(Some(200)));
        assert_eq!(shown(&app, &id).await.summary(), "200 paga");
        assert_eq!(app.balance().await, (12_200, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn purchases_of_another_account_do_not_exist(app: TestApp) {
        let id = paid(&app, &pix(120.0)).await;
        let other = stranger(&app).await;
        for key in [&other.live_key, &other.test_key] {
            let path = format!("{COMPRAS}/{id}");
            assert_refusal(&ask_as(&app, key, Method::GET, &path, None).await, "404 nao_encontrado");
        }
        let path = format!("{COMPRAS}/{id}/reembolso");
        let body = json!({ "motivo": "Não é minha" });
        assert_refusal(&ask_as(&app, &other.live_key, Method::POST, &path, Some(&body)).await, "404 nao_encontrado");
        let seen = ask_as(&app, &app.test_key, Method::GET, &format!("{COMPRAS}/{id}"), None).await;
        assert_eq!(seen.summary(), "200 paga", "the balance is the account's, whatever the key");
        assert_eq!(app.balance().await, (12_200, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_no_psp_is_configured_nothing_is_sold() {
    let official = |config: &mut base::config::Config| {
        config.authorities.mode = base::config::AuthoritiesMode::Official;
    };
    let app = TestApp::start_with(Backend::Sqlite, official)
        .await
        .expect("SQLite is always there");
    assert_refusal(
        &app.post(COMPRAS, &pix(120.0)).await,
        "503 compra_nao_oferecida",
    );
    assert_refusal(&notice(&app, "{}", None).await, "503 compra_nao_oferecida");
    let packages = app.get("/api/v1/creditos/pacotes").await;
    assert_eq!(packages.body["oferecida"], false, "{}", packages.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_has_few_open_purchases() {
    let few = |config: &mut base::config::Config| config.payments.open_purchases = 2;
    let app = TestApp::start_with(Backend::Sqlite, few)
        .await
        .expect("SQLite is always there");
    let id = bought(&app, &pix(120.0)).await;
    bought(&app, &pix(120.0)).await;
    assert_refusal(&app.post(COMPRAS, &pix(120.0)).await, "409 estado_invalido");
    assert_eq!(
        app.app.simulator.sim.pay(&id, None, true).await,
        Ok(Some(200))
    );
    bought(&app, &pix(120.0)).await;
}
