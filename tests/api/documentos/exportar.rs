//! Exports of the vault: what is in the ZIP, who may fetch it, who makes it.

use crate::common::{BELO_HORIZONTE, DAY_MS, ask_as, assert_refusal, stranger};
use flate2::read::DeflateDecoder;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Read as _;
use std::sync::atomic::Ordering;
use store::ids::ExportacaoId;
use store::tables::artifacts;
use store::tables::exportacoes::{self, ExportRow};
use store::words::Maybe;
use store::{Period, TxError};
use tests::bodies::{nfce, nfe, nfse};
use tests::{Answer, TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";
const REASON: &str = "Mercadoria não saiu do estoque";
const EXPORTAR: &str = "/api/v1/documentos/exportar";

/// The files of a ZIP, read by its directory; sizes and checksums are
/// compared on the way.
fn unzip(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let u16_at = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let u32_at =
        |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    let end = bytes.len() - 22;
    assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
    let (count, mut at) = (u16_at(end + 10), u32_at(end + 16));
    assert_eq!(at + u32_at(end + 12), end);
    let mut files = BTreeMap::new();
    for _ in 0..count {
        assert_eq!(&bytes[at..at + 4], b"PK\x01\x02");
        let (crc, packed, size) = (u32_at(at + 16), u32_at(at + 20), u32_at(at + 24));
        let (name_len, offset) = (u16_at(at + 28), u32_at(at + 42));
        let name = String::from_utf8(bytes[at + 46..at + 46 + name_len].to_vec()).expect("name");
        assert_eq!(&bytes[offset..offset + 4], b"PK\x03\x04");
        assert_eq!(bytes[offset + 6..offset + 30], bytes[at + 8..at + 32]);
        let data = offset + 30 + u16_at(offset + 26);
        let mut file = Vec::new();
        DeflateDecoder::new(&bytes[data..data + packed])
            .read_to_end(&mut file)
            .expect("deflated");
        let mut sum = flate2::Crc::new();
        sum.update(&file);
        assert_eq!((file.len(), sum.sum() as usize), (size, crc), "{name}");
        assert!(files.insert(name, file).is_none(), "a name twice");
        at += 46 + name_len;
    }
    assert_eq!(at, end);
    files
}

/// Lines of the manifest: key, file, SHA-256, state.
fn manifest(files: &BTreeMap<String, Vec<u8>>) -> Vec<[String; 4]> {
    let text = std::str::from_utf8(&files["manifesto.csv"]).expect("text");
    let text = text
        .strip_prefix('\u{feff}')
        .expect("what spreadsheets write first");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("chave;arquivo;sha256;situacao"));
    // A key is text there: a spreadsheet would round the number.
    let bare = |cell: &str| match cell.strip_prefix("\"=\"\"") {
        Some(key) => key.trim_end_matches('"').to_owned(),
        None => cell.to_owned(),
    };
    let split = |line: &str| -> [String; 4] {
        let cells: Vec<String> = line.split(';').map(bare).collect();
        cells.try_into().expect("four cells")
    };
    lines.map(split).collect()
}

fn today(app: &TestApp) -> String {
    base::when::today(app.app.now_ms(), "DF").to_string()
}

fn of_today(app: &TestApp, content: &[&str]) -> Value {
    json!({ "de": today(app), "ate": today(app), "conteudo": content })
}

async fn until(app: &TestApp, id: &str, status: &str) -> Answer {
    let path = format!("/api/v1/documentos/exportacoes/{id}");
    app.until(&path, |answer| answer.text_at("/status") == status)
        .await
}

async fn exported(app: &TestApp, body: &Value) -> Answer {
    let asked = app.post(EXPORTAR, body).await;
    assert_eq!(asked.summary(), "202 processando", "{}", asked.text);
    let id = asked.text_at("/exportacao_id");
    assert_eq!(
        asked.header("location"),
        format!("/api/v1/documentos/exportacoes/{id}")
    );
    until(app, id, "pronta").await
}

/// The file behind a link, without a key.
async fn fetch(app: &TestApp, path: &str) -> Vec<u8> {
    let request = app.http().get(format!("{}{path}", app.base_url));
    let response = request.send().await.expect("an answer");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/zip");
    response.bytes().await.expect("a file").to_vec()
}

async fn without_key(app: &TestApp, path: &str) -> Answer {
    app.send(app.http().get(format!("{}{path}", app.base_url)))
        .await
}

both! {
    async fn an_export_has_every_document_of_the_period(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let (service, product) = (app.post("/api/v1/nfse", &nfse()).await, app.post("/api/v1/nfe", &nfe()).await);
        let (consumer, gone) = (app.post("/api/v1/nfce", &nfce()).await, app.post("/api/v1/nfe", &nfe()).await);
        for note in [&service, &product, &consumer, &gone] {
            assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
        }
        let body = json!({ "ref": product.text_at("/nota_id"), "correcao": "Onde se lê volume 1, leia-se volume 2" });
        assert_eq!(app.post("/api/v1/nfe/cce", &body).await.status, 200);
        let body = json!({ "ref": gone.text_at("/nota_id"), "justificativa": REASON });
        assert_eq!(app.post("/api/v1/nfe/cancelar", &body).await.status, 200);
        let body = json!({ "serie": 1, "numero_inicial": 3, "numero_final": 5, "justificativa": REASON });
        assert_eq!(app.post("/api/v1/nfe/inutilizar", &body).await.status, 200);
        let order = json!({ "cnpj": CNPJ, "ambiente": "producao", "uf": "MG", "quantidade": 1, "valor_centavos": 12_345 });
        let order: sim::DepositOrder = serde_json::from_value(order).expect("order");
        let received = app.app.simulator.sim.deposit(&order).expect("deposit");
        assert_eq!(app.post("/api/v1/nfe-entrada/consultar", &json!({})).await.status, 200);
        let before = app.balance().await;

        let done = exported(&app, &of_today(&app, &["xml", "pdf"])).await;
        assert_eq!((&done.body["documentos"], &done.body["ausentes"]), (&json!(6), &json!([])), "{}", done.text);
        assert_eq!(done.body["progresso"], json!({ "feitos": 6, "total": 6 }));
        let zip = fetch(&app, done.text_at("/url")).await;
        assert_eq!(done.body["bytes"], zip.len());
        assert_eq!(done.text_at("/sha256"), sha256(&zip));
        let files = unzip(&zip);
        let lines = manifest(&files);
        assert_eq!(files.len(), lines.len() + 1, "{lines:?}");
        let written = String::from_utf8_lossy(&files["manifesto.csv"]);
        assert!(written.contains(&format!("\r\n\"=\"\"{}\"\"\";nfe/", product.text_at("/chave"))), "{written}");
        for [_, name, hash, _] in &lines {
            assert_eq!(&sha256(&files[name]), hash, "{name}");
        }
        let folder = |note: &Answer, kind: &str| {
            let chave = note.text_at("/chave").to_owned();
            (format!("{kind}/20{}-{}/{chave}", &chave[2..4], &chave[4..6]), chave)
        };
        let state = |name: &str| lines.iter().find(|line| line[1] == name).map(|line| line[3].as_str());
        for (note, kind, status) in [(&product, "nfe", "autorizada"), (&gone, "nfe", "cancelada"), (&consumer, "nfce", "autorizada")] {
            let (path, chave) = folder(note, kind);
            let xml = format!("{path}-procNFe.xml");
            assert_eq!(state(&xml), Some(status), "{xml}: {lines:?}");
            assert!(String::from_utf8_lossy(&files[&xml]).contains(&chave));
            assert!(files[&format!("{path}-danfe.pdf")].starts_with(b"%PDF"));
        }
        assert_eq!(state(&format!("{}-110110-01-procEventoNFe.xml", folder(&product, "nfe").0)), Some("registrado"), "{lines:?}");
        let letter = format!("{}-cce-01.pdf", folder(&product, "nfe").0);
        assert_eq!(state(&letter), Some("registrado"), "{lines:?}");
        assert!(files[&letter].starts_with(b"%PDF"));
        assert_eq!(state(&format!("{}-110111-01-procEventoNFe.xml", folder(&gone, "nfe").0)), Some("registrado"), "{lines:?}");
        let month = &today(&app)[..7];
        assert_eq!(state(&format!("inutilizacoes/{month}/55-1-3-5-procInutNFe.xml")), Some("inutilizada"), "{lines:?}");
        let service = format!("nfse/{month}/{}", service.text_at("/chave"));
        assert_eq!(state(&format!("{service}-nfse.xml")), Some("autorizada"), "{lines:?}");
        assert!(files[&format!("{service}-danfse.pdf")].starts_with(b"%PDF"));
        assert!(lines.iter().any(|line| line[1].starts_with("recebidas/") && line[0] == received[0]), "{lines:?}");
        assert_eq!(app.balance().await, before, "an export is free");

        let only = json!({ "de": today(&app), "ate": today(&app), "modelos": ["65"] });
        let done = exported(&app, &only).await;
        let files = unzip(&fetch(&app, done.text_at("/url")).await);
        assert_eq!(files.len(), 2, "{:?}", files.keys());
        app.check_invariants().await;
    }
}

fn sha256(bytes: &[u8]) -> String {
    let digest = openssl::sha::sha256(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

both! {
    async fn what_is_not_there_any_more_is_named(app: TestApp) {
        let done = exported(&app, &of_today(&app, &["xml"])).await;
        let files = unzip(&fetch(&app, done.text_at("/url")).await);
        assert_eq!((files.len(), manifest(&files).len(), &done.body["documentos"]), (1, 0, &json!(0)));

        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = app.post("/api/v1/nfse", &nfse()).await;
        let id = note.text_at("/nota_id").to_owned();
        let mut conn = app.app.db.read().await.expect("connection");
        let kept = artifacts::get(&mut conn, &app.account_id, &id, "nfse").await.expect("database");
        drop(conn);
        assert!(kept.is_some());
        // A note as a restored backup may leave it: the row without its XML.
        let copy = app.app.db.write(id.clone(), |id, conn| {
            Box::pin(async move {
                let nota = store::tables::notas::by_id(conn, &id.as_str().into()).await?.expect("the note");
                let copy = store::tables::notas::NotaRow {
                    id: format!("{id}X").into(), number_active: 0, hold_id: Maybe(None), preco: 0,
                    chave: "1".repeat(50), status: store::tables::notas::NotaStatus::Cancelled, ..nota
                };
                Ok::<_, TxError<Infallible>>(store::tables::notas::insert(conn, &copy).await?)
            })
        });
        assert!(copy.await.expect("written"));
        let done = exported(&app, &of_today(&app, &["xml"])).await;
        assert_eq!(done.body["documentos"], 1, "{}", done.text);
        assert_eq!(done.body["ausentes"], json!([{ "chave": "1".repeat(50), "id": format!("{id}X"), "motivo": "sem_xml" }]));
    }
}

on_sqlite! {
    async fn a_validated_service_note_is_in_the_file(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let note = ask_as(&app, &app.test_key, Method::POST, "/api/v1/nfse", Some(&nfse())).await;
        assert_eq!(note.summary(), "200 validada", "{}", note.text);
        let asked = ask_as(&app, &app.test_key, Method::POST, EXPORTAR, Some(&of_today(&app, &["xml", "pdf"]))).await;
        assert_eq!(asked.summary(), "202 processando", "{}", asked.text);
        let path = format!("/api/v1/documentos/exportacoes/{}", asked.text_at("/exportacao_id"));
        let done = tests::until(async || {
            let answer = ask_as(&app, &app.test_key, Method::GET, &path, None).await;
            if answer.text_at("/status") == "pronta" { Ok(answer) } else { Err(answer.text) }
        })
        .await;
        assert_eq!(done.body["progresso"], json!({ "feitos": 1, "total": 1 }), "{}", done.text);
        assert_eq!((&done.body["documentos"], &done.body["ausentes"]), (&json!(1), &json!([])), "{}", done.text);
        let files = unzip(&fetch(&app, done.text_at("/url")).await);
        let lines = manifest(&files);
        assert_eq!(lines.len(), 2, "{lines:?}");
        for ending in ["-nfse.xml", "-danfse.pdf"] {
            let line = lines.iter().find(|line| line[1].starts_with("nfse/") && line[1].ends_with(ending));
            assert_eq!(line.map(|line| line[3].as_str()), Some("validada"), "{ending}: {lines:?}");
        }
    }
}

on_sqlite! {
    async fn a_request_that_makes_no_sense_is_refused(app: TestApp) {
        let day = today(&app);
        for (body, summary) in [
            (json!({ "de": day }), "400 parametro_ausente"),
            (json!({ "de": day, "ate": "2026-13-01" }), "400 parametro_invalido"),
            (json!({ "de": day, "ate": "2020-01-01" }), "400 parametro_invalido"),
            (json!({ "de": day, "ate": day, "conteudo": [] }), "400 parametro_invalido"),
            (json!({ "de": day, "ate": day, "modelos": ["57"] }), "400 parametro_invalido"),
            (json!({ "de": day, "ate": day, "emitente_id": "emi_nada" }), "404 nao_encontrado"),
        ] {
            assert_refusal(&app.post(EXPORTAR, &body).await, summary);
        }
    }
}

both! {
    async fn an_export_is_of_production_unless_it_is_asked_for_otherwise(app: TestApp) {
        let emitter = app.emitter(CNPJ, BELO_HORIZONTE).await;
        let real = app.post("/api/v1/nfe", &nfe()).await;
        let change = json!({ "ambiente": "homologacao" });
        let changed = ask_as(&app, &app.live_key, Method::PATCH, &format!("/api/v1/emitters/{emitter}"), Some(&change)).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let trial = app.post("/api/v1/nfe", &nfe()).await;
        assert_eq!(trial.text_at("/ambiente"), "homologacao", "{}", trial.text);
        let [real, trial] = [&real, &trial].map(|answer| answer.text_at("/chave").to_owned());
        for (ambiente, expected) in [(None, &real), (Some("producao"), &real), (Some("homologacao"), &trial)] {
            let mut order = of_today(&app, &["xml"]);
            if let Some(ambiente) = ambiente {
                order["ambiente"] = ambiente.into();
            }
            let done = exported(&app, &order).await;
            let lines = manifest(&unzip(&fetch(&app, done.text_at("/url")).await));
            let keys: Vec<&str> = lines.iter().map(|line| line[0].as_str()).collect();
            assert_eq!(keys, [expected.as_str()], "{ambiente:?}");
        }
        for (key, word) in [(&app.live_key, "simulado"), (&app.live_key, "teste"), (&app.test_key, "producao")] {
            let mut order = of_today(&app, &["xml"]);
            order["ambiente"] = word.into();
            assert_refusal(&ask_as(&app, key, Method::POST, EXPORTAR, Some(&order)).await, "400 parametro_invalido");
        }
        // One that was asked for before there was a choice has what it had then.
        let now_ms = app.app.now_ms();
        let request = objects::exports::ExportOrder {
            periodo: Period { from_ms: now_ms - DAY_MS, to_ms: now_ms + DAY_MS, ..Period::default() }, xml: true, modelos: [true; 3], ..objects::exports::ExportOrder::default()
        };
        let row = ExportRow {
            id: ExportacaoId::new(now_ms),
            account_id: app.account_id.clone(),
            pedido: serde_json::to_string(&request).expect("JSON"),
            total: 2,
            created_at_ms: now_ms,
            ..ExportRow::default()
        };
        let asked = app.app.db.write(row.clone(), |row, conn| {
            Box::pin(async move { Ok::<_, TxError<Infallible>>(exportacoes::insert(conn, row).await?) })
        });
        assert!(asked.await.expect("written"));
        let done = until(&app, &row.id, "pronta").await;
        let lines = manifest(&unzip(&fetch(&app, done.text_at("/url")).await));
        let keys: Vec<&str> = lines.iter().map(|line| line[0].as_str()).collect();
        assert!(keys.len() == 2 && keys.contains(&real.as_str()) && keys.contains(&trial.as_str()), "{keys:?}");
    }
}

both! {
    async fn a_link_is_good_for_one_export_until_its_moment(app: TestApp) {
        let done = exported(&app, &of_today(&app, &["xml"])).await;
        let url = done.text_at("/url").to_owned();
        fetch(&app, &url).await;
        let id = done.text_at("/exportacao_id").to_owned();
        let path = format!("/api/v1/documentos/exportacoes/{id}");
        let other = stranger(&app).await;
        for key in [&other.live_key, &other.test_key, &app.test_key] {
            assert_refusal(&ask_as(&app, key, Method::GET, &path, None).await, "404 nao_encontrado");
        }
        let (rest, signature) = url.split_once("assinatura=").expect("a signature");
        let expires: i64 = rest.split_once("expira=").and_then(|(_, text)| text.trim_end_matches('&').parse().ok()).expect("a moment");
        for forged in [
            url.replace(&format!("expira={expires}"), &format!("expira={}", expires + 1)),
            url.replace(&id, "exp_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
            format!("{rest}assinatura={}", "0".repeat(64)),
            format!("{rest}assinatura={}", &signature[..63]),
            format!("{path}/arquivo?expira={expires}"),
            format!("{path}/arquivo"),
        ] {
            assert_refusal(&without_key(&app, &forged).await, "404 nao_encontrado");
        }
        app.ahead_ms.fetch_add(DAY_MS + 1_000, Ordering::Relaxed);
        assert_refusal(&without_key(&app, &url).await, "410 link_expirado");
        let after = until(&app, &id, "expirada").await;
        assert_eq!(after.body["url"], Value::Null, "{}", after.text);
        let folder = app.app.config.storage.data_dir.join("exportacoes");
        tests::until(async || match std::fs::read_dir(&folder).expect("folder").next() {
            Some(file) => Err(file),
            None => Ok(()),
        })
        .await;
    }
}

both! {
    async fn what_a_dead_node_began_another_one_makes(app: TestApp) {
        app.stop_clock();
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        assert_eq!(app.post("/api/v1/nfe", &nfe()).await.status, 201);
        let now_ms = app.app.now_ms();
        let request = objects::exports::ExportOrder {
            periodo: Period { from_ms: now_ms - DAY_MS, to_ms: now_ms + DAY_MS, ..Period::default() }, xml: true, modelos: [true; 3], ..objects::exports::ExportOrder::default()
        };
        let row = ExportRow {
            id: "exp_01ARZ3NDEKTSV4RRFFQ69G5FAV".into(),
            account_id: app.account_id.clone(),
            pedido: serde_json::to_string(&request).expect("JSON"),
            total: 1,
            created_at_ms: now_ms,
            ..ExportRow::default()
        };
        // In one transaction: written down, and taken by a node that dies.
        let begun = app.app.db.write((row.clone(), now_ms), |(row, now_ms), conn| {
            Box::pin(async move {
                assert!(exportacoes::insert(conn, row).await?);
                let row = exportacoes::claim(conn, "node_dead", now_ms + 2_000, *now_ms).await?;
                Ok::<_, TxError<Infallible>>(row.expect("claimed"))
            })
        });
        let begun = begun.await.expect("written");
        assert_eq!((begun.fence, begun.attempts), (1, 1));
        let again = app.post(EXPORTAR, &of_today(&app, &["xml"])).await;
        assert_refusal(&again, "409 exportacao_em_andamento");
        assert_eq!(again.text_at("/exportacao_id"), row.id);

        app.ahead_ms.fetch_add(3_000, Ordering::Relaxed);
        let done = until(&app, &row.id, "pronta").await;
        assert_eq!(done.body["documentos"], 1, "{}", done.text);
        let files = unzip(&fetch(&app, done.text_at("/url")).await);
        assert_eq!(files.len(), 2, "{:?}", files.keys());
        // The dead one comes back: it says nothing any more.
        let late = app.app.db.write(begun, |begun, conn| {
            Box::pin(async move {
                let progress = exportacoes::progress(conn, begun, i64::MAX, 0).await?;
                Ok::<_, TxError<Infallible>>((progress, exportacoes::ready(conn, begun, 0).await?))
            })
        });
        assert_eq!(late.await.expect("written"), (false, false));
    }
}

on_sqlite! {
    async fn an_event_has_its_own_xml(app: TestApp) {
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let (note, other) = (app.post("/api/v1/nfe", &nfe()).await, app.post("/api/v1/nfe", &nfe()).await);
        let (id, other) = (note.text_at("/nota_id"), other.text_at("/nota_id"));
        let body = json!({ "ref": id, "correcao": "Onde se lê volume 1, leia-se volume 2" });
        assert_eq!(app.post("/api/v1/nfe/cce", &body).await.status, 200);
        let answer = app.get(&format!("/api/v1/documentos/{id}/historico")).await;
        let items = answer.body["itens"].as_array().expect("items");
        let line = |kind: &str, status: &Value| items.iter().find(|item| item["tipo"] == kind && &item["status"] == status).expect("a line");
        assert_eq!(line("cce", &json!("pedido"))["xml_link"], Value::Null);
        assert_eq!(line("nfe.autorizada", &Value::Null)["xml_link"], format!("/api/v1/documentos/{id}/xml"));
        let letter = line("cce", &json!("registrado"));
        let link = letter["xml_link"].as_str().expect("a link");
        let file = app.get(&format!("{link}&formato=binario")).await;
        assert_eq!(file.status, 200, "{}", file.text);
        assert!(file.text.contains("<procEventoNFe") && file.text.contains("leia-se volume 2"), "{}", file.text);
        let evento = letter["evento_id"].as_str().expect("an id");
        for (reference, evento) in [(other, evento), (id, id), (id, "evt_nada")] {
            let answer = app.get(&format!("/api/v1/documentos/{reference}/xml?evento={evento}")).await;
            assert_refusal(&answer, "404 nao_encontrado");
        }
        let stranger = stranger(&app).await;
        assert_refusal(&ask_as(&app, &stranger.live_key, Method::GET, link, None).await, "404 nao_encontrado");
    }
}
