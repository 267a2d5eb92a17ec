//! Which edition answers, and from when on.

use crate::{active, import, refresh, turn, undo};
use datasets::rates::tables::{Change, Follower};
use serde_json::json;
use store::tables::editions::{CodeRow, DatasetKind};
use tests::bodies::nfe;
use tests::imports::ncm;
use tests::{Answer, both};

const CNPJ: &str = "11222333000181";
const BELO_HORIZONTE: &str = "3106200";
/// A code that only imported editions have.
const NEW: &str = "99990001";
/// A code that is built in and that the imported editions lack.
const GONE: &str = "01012100";

fn version(answer: &Answer) -> (&str, &str) {
    (answer.text_at("/versao"), answer.text_at("/fonte"))
}

both! {
    async fn a_newer_nomenclature_answers_everywhere(app: TestApp) {
        let _turn = turn().await;
        app.emitter(CNPJ, BELO_HORIZONTE).await;
        let mut note = nfe();
        note["itens"][0]["ncm"] = json!(NEW);
        let one = format!("/api/v1/fiscal/ncm/{NEW}");
        let refused = app.post("/api/v1/nfe", &note).await;
        assert_eq!(refused.summary(), "422 validacao_previa", "{}", refused.text);
        assert_eq!(refused.text_at("/campos/0/codigo"), "ncm_inexistente");
        assert_eq!(app.get(&one).await.status, 404);
        let before = app.get("/api/v1/fiscal/ncm/17019900").await;
        assert_eq!(version(&before).0, "2026-08-13");

        let file = ncm("20/11/2026", GONE, &[("9999", "Título"), ("9999.00.01", "- <i>Exemplum</i> novo.")]);
        let outcome = import(&app, DatasetKind::Ncm, "ncm.json", &file).await;
        let changes = &outcome.editions[0].changes;
        assert_eq!((changes.new, changes.changed, changes.gone), (2, 0, 1));
        let installed = Change::Installed { table: "ncm", version: "2026-11-20".to_owned() };
        assert_eq!(refresh(&app).await, [installed]);

        let found = app.get(&one).await;
        assert_eq!(found.status, 200, "{}", found.text);
        assert_eq!(found.text_at("/descricao_completa"), "Título - Exemplum novo");
        assert_eq!(version(&found), ("2026-11-20", "Siscomex, nomenclatura em vigor (importada)"));
        let searched = app.get("/api/v1/fiscal/ncm?q=exemplum").await;
        assert_eq!((searched.text_at("/itens/0/codigo"), version(&searched).0), (NEW, "2026-11-20"), "{}", searched.text);
        let issued = app.post("/api/v1/nfe", &note).await;
        // The hub's rule lets it pass; the simulated authority has a list of its own.
        assert_eq!(issued.summary(), "422 rejeitada_pela_sefaz", "{}", issued.text);
        assert_eq!(issued.text_at("/rejeicao/codigo"), "778");
        let sugar = app.get("/api/v1/fiscal/ncm/17019900").await;
        assert_eq!(sugar.text_at("/unidade_tributavel"), before.text_at("/unidade_tributavel"), "units stay");
        // What the edition lacks ended before its day; notes of earlier days have it.
        let ended = app.get(&format!("/api/v1/fiscal/ncm/{GONE}")).await;
        assert_eq!(ended.text_at("/vigencia/ate"), "2026-11-19", "{}", ended.text);
        note["itens"][0]["ncm"] = json!(GONE);
        assert_eq!(app.post("/api/v1/nfe", &note).await.text_at("/campos/0/codigo"), "ncm_inexistente");
        app.check_invariants().await;
    }
}

both! {
    async fn what_cannot_be_used_leaves_the_embedded_table(app: TestApp) {
        let _turn = turn().await;
        let day = async || {
            let answer = app.get("/api/v1/fiscal/ncm/17019900").await;
            version(&answer).0.to_owned()
        };
        let row = |code: &str, content: &str| CodeRow { code: format!("ncm/{code}"), content: content.to_owned() };
        let good = row("17019900", r#"["17019900","KG","","","Açúcar"]"#);
        for (number, rows, count, why) in [
            ("2026-11-21", vec![row("17019900", r#"["17019900"]"#)], 1, "cannot be read"),
            ("2026-11-22", vec![good.clone()], 2, "1 of 2 rows are there"),
            ("2026-11-23", vec![good.clone(), row("x", r#"["17019900","KG","","","Açúcar"]"#)], 2, "is there twice"),
            ("2026-08-12", vec![good.clone()], 1, "older than what is built in"),
        ] {
            active(&app, number, rows, count).await;
            let changes = refresh(&app).await;
            let [Change::Refused { table: "ncm", why: told }] = changes.as_slice() else {
                panic!("{number}: {changes:?}");
            };
            assert!(told.contains(why), "{number}: {told}");
            assert_eq!(day().await, "2026-08-13", "{number}");
        }
        active(&app, "2026-11-24", vec![good.clone()], 1).await;
        refresh(&app).await;
        assert_eq!(day().await, "2026-11-24");
        active(&app, "2026-11-25", vec![good], 1).await;
        refresh(&app).await;
        assert_eq!(day().await, "2026-11-25");
        // The one before, then the embedded table.
        undo(&app).await;
        refresh(&app).await;
        assert_eq!(day().await, "2026-11-24");
        undo(&app).await;
        refresh(&app).await;
        assert_eq!(day().await, "2026-08-13");
    }
}

both! {
    async fn every_process_of_a_database_serves_the_same(app: TestApp) {
        let _turn = turn().await;
        let file = ncm("20/11/2026", GONE, &[("9999", "Título"), ("9999.00.01", "Novo")]);
        import(&app, DatasetKind::Ncm, "ncm.json", &file).await;
        // A process that starts now, one that ran before, and what they are told.
        let mut other = Follower::default();
        let change = Change::Installed { table: "ncm", version: "2026-11-20".to_owned() };
        assert_eq!(other.refresh(&app.app.db).await.expect("refreshed"), [change]);
        assert_eq!(other.refresh(&app.app.db).await.expect("refreshed"), [], "it is looked at once");
        let there = app.get(&format!("/api/v1/fiscal/ncm/{NEW}")).await;
        assert_eq!(there.status, 200, "{}", there.text);
        let rows = data::ncm::all();
        refresh(&app).await;
        assert!(std::ptr::eq(rows, data::ncm::all()), "the same edition is kept once");
        undo(&app).await;
        let change = Change::Withdrawn { table: "ncm" };
        assert_eq!(other.refresh(&app.app.db).await.expect("refreshed"), [change]);
    }
}
