//! Imported reference data, asked over HTTP: rates of the IBPT.

use crate::common::assert_refusal;
use datasets::ImportError;
use datasets::formats::Options;
use datasets::import::Ended;
use datasets::sweep::{SILENT_MS, sweep};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use store::tables::editions::{self, DatasetKind, EditionStatus};
use tests::imports::{IBPT_HEADER, ibpt, import, import_with, zipped};
use tests::{TestApp, both};

const SP: &str = "TabelaIBPTaxSP24.2.A.csv";
const SUGAR: (&str, &str, &str, [&str; 4]) =
    ("17019900", "", "0", ["4.20", "6.50", "7.00", "0.00"]);
const OTHERS: (&str, &str, &str, [&str; 4]) =
    ("00000000", "", "0", ["13.45", "15.45", "18.00", "0.00"]);
const SERVICE: (&str, &str, &str, [&str; 4]) =
    ("0101", "", "2", ["13.45", "15.45", "0.00", "3.90"]);

async fn statuses(app: &TestApp) -> Vec<(String, EditionStatus)> {
    let mut conn = app.app.db.read().await.expect("connection");
    let all = editions::all(&mut conn).await.expect("editions");
    all.into_iter()
        .map(|row| (row.version, row.status))
        .collect()
}

async fn version(app: &TestApp) -> String {
    let answer = app.get("/api/v1/fiscal/ibpt/17019900?uf=SP").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.text_at("/versao").to_owned()
}

/// Numbers of an answer with the digits they have.
fn digits(value: &Value, members: &[&str]) -> Vec<String> {
    let members = members.iter().map(|member| value[*member].to_string());
    members.collect()
}

fn refused(error: ImportError, why: &str) {
    let told = error.to_string();
    assert!(told.contains(why), "{told}");
}

both! {
    async fn rates_of_the_ibpt(app: TestApp) {
        let before = app.balance().await;
        let missing = app.get("/api/v1/fiscal/ibpt/17019900?uf=sp").await;
        assert_refusal(&missing, "404 sem_resultado");
        assert!(missing.text_at("/dica").contains("hub data import ibpt"), "{}", missing.text);
        let sale = json!({ "uf": "SP", "itens": [{ "ncm": "1701.99.00", "valor": 100 }, { "ncm": "17019900", "origem": "1", "valor": "50.00" }] });
        assert_refusal(&app.post("/api/v1/fiscal/carga-tributaria", &sale).await, "404 sem_resultado");
        assert_eq!(app.balance().await, before, "nothing is charged without a table");

        let exception = ("17019900", "01", "0", ["1.00", "2.00", "3.00", "0.00"]);
        let table = ibpt("24.2.A", "31/12/2099", &[SUGAR, exception, OTHERS, SERVICE]);
        let rio = ibpt("24.2.A", "31/01/2026", &[SUGAR, OTHERS]);
        let zip = zipped(&[(SP, table), ("pasta/TabelaIBPTaxRJ24.2.A.csv", rio), ("leia-me.pdf", vec![1])]);
        let outcome = import(&app, DatasetKind::Ibpt, "ibpt.zip", &zip).await.expect("imported");
        assert_eq!((outcome.ended, outcome.report.wrong), (Ended::Imported, 0));
        assert_eq!(outcome.editions.iter().map(|one| (one.label.scope.as_str(), one.rows, one.changes.new)).collect::<Vec<_>>(), [("SP", 4, 4), ("RJ", 2, 2)]);

        let found = app.get("/api/v1/fiscal/ibpt/1701.99.00?uf=SP").await;
        assert_eq!(found.status, 200, "{}", found.text);
        assert_eq!(found.text_at("/descricao"), "Descrição de 17019900");
        assert_eq!((found.text_at("/fonte"), found.text_at("/versao"), found.text_at("/citacao")), ("IBPT", "24.2.A", "Fonte: IBPT A1B2C3"));
        assert_eq!(digits(&found.body["aliquotas"], &["federal_nacional", "federal_importado", "estadual", "municipal"]), ["4.20", "6.50", "7.00", "0.00"]);
        assert_eq!((&found.body["vencida"], &found.body["nao_listado"]), (&json!(false), &json!(false)));
        assert_eq!(found.body["creditos"]["debitado"], 4);
        let exception = app.get("/api/v1/fiscal/ibpt/17019900?uf=SP&ex=1").await;
        assert_eq!(digits(&exception.body["aliquotas"], &["estadual"]), ["3.00"], "{}", exception.text);
        let unlisted = app.get("/api/v1/fiscal/ibpt/09012100?uf=RJ").await;
        assert_eq!((&unlisted.body["nao_listado"], &unlisted.body["vencida"]), (&json!(true), &json!(true)), "{}", unlisted.text);
        let service = app.get("/api/v1/fiscal/ibpt/0101?uf=SP").await;
        assert_eq!((service.text_at("/tipo"), digits(&service.body["aliquotas"], &["municipal"])), ("lc116", vec!["3.90".to_owned()]));
        for path in ["fiscal/ibpt/0102?uf=SP", "fiscal/ibpt/99999999?uf=SP", "fiscal/ibpt/17019900?uf=MG", "fiscal/ibpt/x?uf=SP"] {
            assert_refusal(&app.get(&format!("/api/v1/{path}")).await, "404 sem_resultado");
        }
        for (path, refusal) in [("17019900", "400 parametro_ausente"), ("17019900?uf=XX", "400 parametro_invalido"), ("17019900?uf=SP&ex=a", "400 parametro_invalido")] {
            assert_refusal(&app.get(&format!("/api/v1/fiscal/ibpt/{path}")).await, refusal);
        }

        let burden = app.post("/api/v1/fiscal/carga-tributaria", &sale).await;
        assert_eq!(burden.status, 200, "{}", burden.text);
        // 4.20 % of 100 and 6.50 % of 50; 7 % of 150.
        assert_eq!(digits(&burden.body, &["federal", "estadual", "total", "percentual"]), ["7.45", "10.50", "17.95", "11.97"]);
        assert_eq!(burden.text_at("/texto"), "Valor aproximado dos tributos: R$ 7,45 federais, R$ 10,50 estaduais, R$ 0,00 municipais. Fonte: IBPT A1B2C3");
        for (item, field) in [(json!({ "ncm": "17019900", "valor": -1 }), "itens[0].valor"), (json!({ "ncm": "17019900", "valor": 1, "origem": "9" }), "itens[0].origem")] {
            let answer = app.post("/api/v1/fiscal/carga-tributaria", &json!({ "uf": "SP", "itens": [item] })).await;
            assert_refusal(&answer, "400 parametro_invalido");
            assert_eq!(answer.text_at("/campos/0/campo"), field);
        }
        app.check_invariants().await;
    }
}

both! {
    async fn one_edition_is_served_and_one_kept(app: TestApp) {
        let table = |version: &str, rate: &str| ibpt(version, "31/12/2099", &[("17019900", "", "0", [rate, "1.00", "1.00", "1.00"]), OTHERS]);
        for (number, rate) in [("24.1.A", "1.00"), ("24.1.B", "1.00"), ("24.2.A", "2.00")] {
            let outcome = import(&app, DatasetKind::Ibpt, SP, &table(number, rate)).await.expect("imported");
            assert_eq!(outcome.ended, Ended::Imported);
            assert_eq!(version(&app).await, number);
        }
        let kept = [("24.1.B".to_owned(), EditionStatus::Previous), ("24.2.A".to_owned(), EditionStatus::Active)];
        assert_eq!(statuses(&app).await, kept, "the first is deleted");
        // The same files again; and what another would change, without a word written.
        let again = import(&app, DatasetKind::Ibpt, SP, &table("24.2.A", "2.00")).await.expect("read");
        assert_eq!(again.ended, Ended::Unchanged);
        let new = ibpt("25.1.A", "31/12/2099", &[SUGAR, SERVICE]);
        let looked = import_with(&app, DatasetKind::Ibpt, SP, &new, Options::default(), true).await.expect("read");
        let changes = &looked.editions[0].changes;
        assert_eq!((looked.ended, changes.new, changes.changed, changes.gone), (Ended::DryRun, 1, 1, 1));
        assert_eq!(statuses(&app).await, kept, "nothing was written");
    }
}

both! {
    async fn a_bad_file_leaves_the_edition_that_is_served(app: TestApp) {
        let good = ibpt("24.2.A", "31/12/2099", &[SUGAR, OTHERS, SERVICE]);
        import(&app, DatasetKind::Ibpt, SP, &good).await.expect("imported");
        let whole = ibpt("25.1.A", "31/12/2099", &[SUGAR, OTHERS, SERVICE]);
        let text = String::from_utf8_lossy(&whole).into_owned();
        let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let zip = zipped(&[(SP, whole.clone())]);
        let twice = zipped(&[(SP, whole.clone()), ("b/TabelaIBPTaxSP25.1.A.csv", whole.clone())]);
        let mut header = text.clone().into_bytes();
        header[0] = b'x';
        for (name, bytes, why) in [
            (SP, whole[..whole.len() - 60].to_vec(), "ends in the middle of line 4"),
            ("ibpt.zip", zip[..zip.len() - 30].to_vec(), "not a whole ZIP"),
            ("ibpt.zip", twice, "a second file of SP"),
            (SP, header, "header is not that of the IBPT"),
            (SP, utf16, "UTF-16"),
            (SP, Vec::new(), "is empty"),
            (SP, format!("{IBPT_HEADER}\n").into_bytes(), "no rows"),
            ("tabela.csv", whole.clone(), "add --uf"),
            (SP, ibpt("25.1.A", "31/12/2099", &[SUGAR]), "has 3: is the file whole?"),
        ] {
            refused(import(&app, DatasetKind::Ibpt, name, &bytes).await.expect_err(why), why);
            assert_eq!(version(&app).await, "24.2.A", "{why}");
        }
        // Lines that are wrong, each with its number and reason.
        let wrong = format!(
            "{IBPT_HEADER}\n17019900;;0;a;1.00;x;1.00;1.00;01/01/2026;31/12/2099;K;25;I\n17019900;;7;a;1;1;1;1;01/01/2026;31/12/2099;K;25;I\n\
             0101;;2;AÃ§Ãºcar;1;1;1;1;01/01/2026;31/12/2099;K;25;I\n0102;;2;a;1;1;1;1;31/02/2026;31/12/2099;K;25;I\n0103;;2;a;1\n0104;;2;a;1;1;1;1;01/01/2026;31/12/2099;K;25;I\n0104;;2;a;1;1;1;1;01/01/2026;31/12/2099;K;25;I\n"
        );
        let outcome = import(&app, DatasetKind::Ibpt, SP, wrong.as_bytes()).await.expect("read");
        assert_eq!((outcome.ended, outcome.report.lines, outcome.report.wrong), (Ended::Refused, 7, 6));
        let told: Vec<(u64, &str)> = outcome.report.shown.iter().map(|one| (one.line, one.reason.as_str())).collect();
        assert_eq!(told, [
            (2, "importadosfederal is no rate"),
            (3, "tipo is none of 0, 1, 2"),
            (4, "UTF-8 that was encoded twice"),
            (5, "vigenciainicio is no day DD/MM/AAAA"),
            (6, "5 columns, not 13"),
            (8, "lc116/0104/ is there already; the first one counts"),
        ]);
        assert_eq!(version(&app).await, "24.2.A");
        // One wrong line is borne and told; UTF-8 is read as well as Latin-1.
        let mut one = ibpt("25.1.A", "31/12/2099", &[SUGAR, OTHERS, SERVICE]);
        one.extend_from_slice("0102;;2;Descrição;x;1;1;1;01/01/2026;31/12/2099;K;25;I\n".as_bytes());
        let outcome = import(&app, DatasetKind::Ibpt, SP, &one).await.expect("read");
        assert_eq!((outcome.ended, outcome.report.wrong), (Ended::Imported, 1));
        assert_eq!(version(&app).await, "25.1.A");
    }
}

both! {
    async fn an_import_that_died_is_cleared(app: TestApp) {
        let good = ibpt("24.2.A", "31/12/2099", &[SUGAR, OTHERS]);
        import(&app, DatasetKind::Ibpt, SP, &good).await.expect("imported");
        // What a killed process leaves: an edition that loads, with rows.
        let row = editions::EditionRow {
            id: 0,
            kind: DatasetKind::Ibpt,
            scope: "SP".to_owned(),
            status: EditionStatus::Loading,
            version: "25.1.A".to_owned(),
            source: SP.to_owned(),
            sha256: String::new(),
            row_count: 2,
            valid_until: String::new(),
            created_at_ms: app.app.now_ms(),
            updated_at_ms: app.app.now_ms(),
        };
        let written = app.app.db.write(row, |row, conn| {
            Box::pin(async move {
                let id = editions::begin(conn, row).await?;
                let rows = [editions::CodeRow { code: "ncm/1/".to_owned(), content: "{}".to_owned() }];
                Ok::<_, store::TxError<std::convert::Infallible>>(editions::insert_rows(conn, id, &rows).await?)
            })
        });
        written.await.expect("written");
        assert_eq!(sweep(&app.app.db, app.app.now_ms()).await.expect("swept"), 0, "it may be alive");
        assert_eq!(version(&app).await, "24.2.A");
        app.ahead_ms.store(SILENT_MS + 1_000, Ordering::Relaxed);
        assert_eq!(sweep(&app.app.db, app.app.now_ms()).await.expect("swept"), 1);
        assert_eq!(statuses(&app).await, [("24.2.A".to_owned(), EditionStatus::Active)]);
        assert_eq!(version(&app).await, "24.2.A");
    }
}

const MVA_HEADER: &str = "uf_destino;uf_origem;cest;ncm_prefixo;acordo;mva_original;mva_4;mva_7;mva_12;pauta;reducao_bc;fcp_st;inicio;fim;fonte";

both! {
    async fn the_rule_of_substitution_is_the_imported_one(app: TestApp) {
        let item = json!({ "ncm": "17019900", "cest": "17.100.00", "valor": 100 });
        let sale = json!({ "uf_origem": "SP", "uf_destino": "SP", "regime": "normal", "contribuinte": true, "data": "2026-10-05", "itens": [item] });
        let st = async || {
            let answer = app.post("/api/v1/fiscal/calcular-impostos", &sale).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            answer.body["itens"][0]["icms_st"].clone()
        };
        let before = st().await;
        assert!(before.to_string().contains("Nenhuma regra de substituição"), "{before}");
        // The longest beginning of the NCM, in force; a rule without an end.
        let rows = "SP;*;1710000;17;Lei;10;;;;;;;2020-01-01;;RICMS\nSP;*;1710000;1701;Protocolo;40;;;;;;;2026-01-01;;RICMS\n\
            SP;*;1710000;170199;Antigo;90;;;;;;;2020-01-01;2025-12-31;RICMS\nRJ;*;1710000;1701;Outro;80;;;;;;;2020-01-01;;RICMS\n";
        let table = format!("{MVA_HEADER}\n{rows}");
        let outcome = import(&app, DatasetKind::Mva, "mva.csv", table.as_bytes()).await.expect("imported");
        assert_eq!((outcome.ended, outcome.report.lines, outcome.report.wrong, outcome.editions[0].rows), (Ended::Imported, 4, 0, 4));
        let after = st().await;
        assert!(after.to_string().contains("Protocolo"), "{after}");
        assert!(!after.to_string().contains("Antigo"), "{after}");
        // A rule without a CEST stands behind those of the CEST; among themselves the
        // longest beginning counts, too.
        let bare = json!({ "ncm": "22030000", "valor": 100 });
        let without = "SP;*;;22;Capítulo;10;;;;;;;2020-01-01;;RICMS\nSP;*;;22030000;Cerveja;70;;;;;;;2020-01-01;;RICMS\nSP;*;;17019900;Por NCM;99;;;;;;;2020-01-01;;RICMS\n";
        import(&app, DatasetKind::Mva, "mva.csv", format!("{table}{without}").as_bytes()).await.expect("imported");
        assert!(st().await.to_string().contains("Protocolo"));
        let sale = json!({ "uf_origem": "SP", "uf_destino": "SP", "regime": "normal", "contribuinte": true, "data": "2026-10-05", "itens": [bare] });
        let beer = app.post("/api/v1/fiscal/calcular-impostos", &sale).await;
        assert!(beer.text.contains("Cerveja") && !beer.text.contains("Capítulo"), "{}", beer.text);
        for (row, why) in [
            ("SP;*;1710000;1701;L;;;;;;;;2026-01-01;;R", "no margin and no pauta"),
            ("XX;*;1710000;1701;L;1;;;;;;;2026-01-01;;R", "uf_destino is no state"),
            ("SP;*;17;1701;L;1;;;;;;;2026-01-01;;R", "cest has not so many digits"),
            ("SP;*;;;L;1;;;;;;;2026-01-01;;R", "neither cest nor ncm_prefixo"),
            ("SP;*;1710000;1701;L;1;;;;;;;2026-13-01;;R", "inicio is no day"),
        ] {
            let looked = import_with(&app, DatasetKind::Mva, "mva.csv", format!("{table}{row}\n").as_bytes(), Options::default(), true).await.expect("read");
            assert!(looked.report.shown[0].reason.starts_with(why), "{:?}", looked.report.shown);
        }
    }
}
