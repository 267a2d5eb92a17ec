//! One Idempotency-Key, many requests at the same moment.

use futures::future::join_all;
use std::collections::BTreeSet;
use tests::bodies::nfse;
use tests::both;

const CNPJ: &str = "11222333000181";
const REQUESTS: usize = 200;

both! {
    async fn two_hundred_at_once_are_one_note(app: TestApp) {
        app.emitter(CNPJ, "3106200").await;
        let body = nfse();
        let answers = join_all((0..REQUESTS).map(|_| app.post_as(&app.live_key, "/api/v1/nfse", &body, Some("a-mesma")))).await;
        let mut ids = BTreeSet::new();
        let mut issued = BTreeSet::new();
        for answer in &answers {
            let summary = answer.summary();
            assert!(matches!(summary.as_str(), "201 autorizada" | "409 requisicao_em_andamento"), "{}", answer.text);
            ids.insert(answer.text_at("/nota_id").to_owned());
            if answer.status == 201 {
                issued.insert(answer.text.clone());
            } else {
                assert_ne!(answer.header("retry-after"), "");
            }
        }
        assert_eq!(ids.len(), 1, "all speak of one note");
        assert_eq!(issued.len(), 1, "and give the same bytes");
        let first: Vec<_> = answers.iter().filter(|answer| answer.status == 201 && answer.header("idempotent-replayed").is_empty()).collect();
        assert!(first.len() <= 1, "at most one is not a repetition");
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn a_key_for_another_body_is_refused(app: TestApp) {
        app.emitter(CNPJ, "3106200").await;
        let one = app.post_as(&app.live_key, "/api/v1/nfse", &nfse(), Some("chave")).await;
        assert_eq!(one.summary(), "201 autorizada", "{}", one.text);
        let other = tests::bodies::with(nfse(), "/valores/servico", 10);
        let answer = app.post_as(&app.live_key, "/api/v1/nfse", &other, Some("chave")).await;
        assert_eq!(answer.summary(), "422 chave_idempotencia_reutilizada", "{}", answer.text);
        assert_eq!(app.app.simulator.sim.notas().len(), 1);
        assert_eq!(app.balance().await, (196, 0));
        app.check_invariants().await;
    }
}
