//! GET /api/v1/nfse

use crate::common::{BELO_HORIZONTE, assert_refusal, cnpj};
use tests::bodies::{nfse, with};
use tests::{TestApp, both};

async fn ids(app: &TestApp, query: &str) -> Vec<String> {
    let answer = app.get(&format!("/api/v1/nfse?{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let items = answer.body["itens"].as_array().expect("items");
    items
        .iter()
        .map(|item| item["nota_id"].as_str().expect("id").to_owned())
        .collect()
}

both! {
    async fn filters_and_pages_find_the_right_notes(app: TestApp) {
        let emitter = app.emitter(&cnpj("11444777"), BELO_HORIZONTE).await;
        let mut made = Vec::new();
        for n in 1..=3 {
            let body = with(nfse(), "/referencia", format!("fat-{n}"));
            let body = if n == 2 { with(body, "/tomador/cpf_cnpj", "52998224725") } else { body };
            let note = app.post("/api/v1/nfse", &body).await;
            assert_eq!(note.summary(), "201 autorizada", "{}", note.text);
            made.push((note.text_at("/nota_id").to_owned(), note.text_at("/chave").to_owned()));
        }
        let draft = app.post("/api/v1/nfse/criar", &nfse()).await;
        let (one, two, three) = (&made[0], &made[1], &made[2]);
        assert_eq!(ids(&app, "").await, [draft.text_at("/nota_id"), &three.0, &two.0, &one.0]);
        assert_eq!(ids(&app, "status=rascunho").await, [draft.text_at("/nota_id")]);
        assert_eq!(ids(&app, &format!("chave={}", two.1)).await, [two.0.as_str()]);
        assert_eq!(ids(&app, "numero=3&serie=1").await, [three.0.as_str()]);
        assert_eq!(ids(&app, "destinatario=529.982.247-25").await, [two.0.as_str()]);
        assert_eq!(ids(&app, &format!("emitente_id={emitter}&status=autorizada")).await.len(), 3);
        assert!(ids(&app, "emitente_id=emi_outro").await.is_empty());
        let today = base::when::today(app.app.now_ms(), "DF");
        let tomorrow = today.next_day().expect("a day");
        assert_eq!(ids(&app, &format!("de={today}&ate={today}")).await.len(), 4);
        assert!(ids(&app, &format!("de={tomorrow}")).await.is_empty());

        let first = app.get("/api/v1/nfse?limite=3").await;
        assert_eq!(first.body["tem_mais"], true);
        let cursor = first.text_at("/proximo_cursor");
        assert_eq!(ids(&app, &format!("limite=3&cursor={cursor}")).await, [one.0.as_str()]);
        let other_filters = app.get(&format!("/api/v1/nfse?status=rascunho&cursor={cursor}")).await;
        assert_refusal(&other_filters, "400 parametro_invalido");
    }
}

both! {
    async fn wrong_filters_are_named(app: TestApp) {
        for (query, summary) in [
            ("numero=um", "400 parametro_invalido"),
            ("numero=0", "400 parametro_invalido"),
            ("de=20-11-2026", "400 parametro_invalido"),
            ("ate=2026-02-30", "400 parametro_invalido"),
            ("limite=1000", "400 parametro_invalido"),
            ("cliente=1", "400 campo_desconhecido"),
        ] {
            assert_refusal(&app.get(&format!("/api/v1/nfse?{query}")).await, summary);
        }
    }
}
