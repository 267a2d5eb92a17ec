//! CT-e and MDF-e at their authorities: each answer that leaves a doubt, by its
//! code. Each row is played for both.

use super::{count, fault, half_a_day, later, order, refuse, sent};
use serde_json::{Value, json};
use sim::FaultKind;
use std::sync::atomic::Ordering;
use tests::bodies::{cte, mdfe, plate, with};
use tests::{Answer, TestApp, both, on_sqlite};

const CNPJ: &str = "11222333000181";
const BELO_HORIZONTE: &str = "3106200";
/// For ever.
const ALWAYS: u64 = 0;
/// Each is done, and each answer says nothing.
const LOST: [FaultKind; 4] = [
    FaultKind::CortarDepois,
    FaultKind::XmlPelaMetade,
    FaultKind::JsonEstranho5xx,
    FaultKind::Lixo,
];

/// A document of transport and what its services are called.
struct Kind {
    name: &'static str,
    body: Value,
    sending: &'static str,
    question: &'static str,
    protocol: &'static str,
}

fn kinds() -> [Kind; 2] {
    [
        Kind {
            name: "cte",
            body: cte(),
            sending: "cteRecepcao",
            question: "cteConsultaCT",
            protocol: "<protCTe",
        },
        Kind {
            name: "mdfe",
            body: mdfe(),
            sending: "mdfeRecepcao",
            question: "mdfeConsultaMDF",
            protocol: "<protMDFe",
        },
    ]
}

impl Kind {
    async fn issue(&self, app: &TestApp, key: Option<&str>) -> Answer {
        let path = format!("/api/v1/{}/criar-e-emitir", self.name);
        // Under a key the same body comes again.
        let body = match (self.name, key) {
            ("mdfe", None) => with(self.body.clone(), "/veiculo/placa", plate()),
            _ => self.body.clone(),
        };
        app.post_as(&app.live_key, &path, &body, key).await
    }

    /// An event of a document of this kind that is cancelled by it.
    async fn cancel(&self, app: &TestApp, id: &str) -> Answer {
        let body = json!({ "ref": id, "justificativa": "Serviço não foi prestado" });
        app.post(&format!("/api/v1/{}/cancelar", self.name), &body)
            .await
    }
}

/// A company whose account may have both documents.
async fn ready(app: &TestApp) {
    app.release(&app.account_id).await;
    app.emitter(CNPJ, BELO_HORIZONTE).await;
}

/// The documents the authorities have of one kind.
fn taken(app: &TestApp, kind: &Kind) -> usize {
    let model = if kind.name == "cte" { "57" } else { "58" };
    let notas = app.app.simulator.sim.notas();
    let of = |nota: &&sim::Nota| {
        nota.chave
            .as_deref()
            .is_some_and(|chave| &chave[20..22] == model)
    };
    notas.iter().filter(of).count()
}

both! {
    async fn row_4a_a_lost_answer_is_found_by_the_key(app: TestApp) {
        ready(&app).await;
        for kind in kinds() {
            for (n, failure) in LOST.into_iter().enumerate() {
                fault(&app, "autorizar", failure, 1, 0);
                let answer = kind.issue(&app, None).await;
                assert_eq!(answer.summary(), "201 autorizada", "{} {failure:?}: {}", kind.name, answer.text);
                let id = answer.text_at("/nota_id");
                assert_eq!(sent(&app, id, kind.sending).await.len(), 1, "{} {failure:?}", kind.name);
                assert_eq!(taken(&app, &kind), n + 1, "{} {failure:?}", kind.name);
                let xml = app.get(&format!("/api/v1/documentos/{id}/xml?formato=binario")).await.text;
                assert!(xml.contains(kind.protocol) && xml.contains("<Signature"), "{xml}");
            }
        }
        assert_eq!(app.balance().await, (200 - 8 * 4, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn row_4b_217_is_sent_again_byte_for_byte(app: TestApp) {
        ready(&app).await;
        for kind in kinds() {
            for failure in [FaultKind::CortarAntes, FaultKind::Erro500, FaultKind::Html] {
                fault(&app, "autorizar", failure, 1, 0);
                let answer = kind.issue(&app, None).await;
                assert_eq!(answer.summary(), "201 autorizada", "{} {failure:?}: {}", kind.name, answer.text);
                let id = answer.text_at("/nota_id");
                let (sendings, questions) = (sent(&app, id, kind.sending).await, sent(&app, id, kind.question).await);
                assert_eq!((sendings.len(), questions.len()), (2, 1), "{} {failure:?}", kind.name);
                assert_eq!(sendings[0].request_body, sendings[1].request_body, "{} {failure:?}", kind.name);
            }
            assert_eq!(taken(&app, &kind), 3);
        }
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn row_4c_a_copy_that_is_refused_is_the_document_that_is_there(app: TestApp) {
        ready(&app).await;
        for kind in kinds() {
            fault(&app, "autorizar", FaultKind::CortarDepois, 1, 0);
            refuse(&app, "consultar", "217", None, 5);
            let answer = kind.issue(&app, None).await;
            assert_eq!(answer.summary(), "201 autorizada", "{}: {}", kind.name, answer.text);
            assert_eq!(sent(&app, answer.text_at("/nota_id"), kind.sending).await.len(), 2, "{}", kind.name);
            assert_eq!(taken(&app, &kind), 1, "{}", kind.name);
            app.app.simulator.sim.clear_faults();
        }
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

both! {
    async fn row_4e_539_of_other_software_burns_the_number(app: TestApp) {
        let other = hub::demo::open_account(&app.app, "Outro programa", 6_000).await.expect("account");
        app.emitter_of(&other.id, CNPJ, BELO_HORIZONTE).await;
        app.release(&other.id).await;
        ready(&app).await;
        for kind in kinds() {
            let path = format!("/api/v1/{}/criar-e-emitir", kind.name);
            let theirs = app.post_as(&other.live_key, &path, &kind.body, None).await;
            assert_eq!(theirs.summary(), "201 autorizada", "{}", theirs.text);
            let ours = kind.issue(&app, None).await;
            assert_eq!(ours.summary(), "422 rejeitada_pela_sefaz", "{}: {}", kind.name, ours.text);
            let next = kind.issue(&app, None).await;
            assert_eq!((next.status, &next.body["numero"]), (201, &json!(2)), "{}: {}", kind.name, next.text);
        }
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn row_3_108_and_109_spend_nothing(app: TestApp) {
        ready(&app).await;
        for kind in kinds() {
            for codigo in ["108", "109"] {
                let failure = sim::Fault { falha: FaultKind::Pausado, codigo: Some(codigo.to_owned()), ..Default::default() };
                order(&app, "autorizar", 1, failure);
                let answer = kind.issue(&app, None).await;
                assert_eq!((answer.status, answer.header("x-error-code")), (503, "sefaz_indisponivel"), "{} {codigo}: {}", kind.name, answer.text);
                // The breaker's pause.
                app.ahead_ms.fetch_add(3_600_000, Ordering::Relaxed);
            }
            let after = kind.issue(&app, None).await;
            assert_eq!((after.status, &after.body["numero"]), (201, &json!(1)), "{}: {}", kind.name, after.text);
        }
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn row_5_a_refusal_returns_credit_and_number(app: TestApp) {
        ready(&app).await;
        for mut kind in kinds() {
            refuse(&app, "autorizar", "778", None, 1);
            let refused = kind.issue(&app, Some(kind.name)).await;
            assert_eq!(refused.summary(), "422 rejeitada_pela_sefaz", "{}: {}", kind.name, refused.text);
            let replayed = kind.issue(&app, Some(kind.name)).await;
            assert_eq!(replayed.text_at("/nota_id"), refused.text_at("/nota_id"), "the same body, the same answer");
            kind.body = with(kind.body, "/referencia", "corrigida");
            let issued = kind.issue(&app, Some(kind.name)).await;
            assert_eq!((issued.status, &issued.body["numero"]), (201, &json!(1)), "{}: {}", kind.name, issued.text);
        }
        let told = app.until_told("/api/v1/eventos?cursor=0", 4).await;
        let kinds: Vec<&str> = told.iter().filter_map(|event| event["tipo"].as_str()).collect();
        assert_eq!(kinds, ["cte.rejeitado", "cte.autorizado", "mdfe.rejeitado", "mdfe.autorizado"]);
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

impatient! {
    async fn row_4g_where_no_question_is_answered_nothing_is_sent_again(app: TestApp) {
        ready(&app).await;
        for kind in kinds() {
            let sendings = count(&app.app.simulator.sim, "autorizar");
            fault(&app, "autorizar", FaultKind::CortarDepois, 1, 0);
            fault(&app, "consultar", FaultKind::Erro500, ALWAYS, 0);
            let answer = kind.issue(&app, Some(kind.name)).await;
            assert_eq!(answer.summary(), "202 em_transmissao", "{}: {}", kind.name, answer.text);
            half_a_day(&app).await;
            assert_eq!(count(&app.app.simulator.sim, "autorizar"), sendings + 1, "{}", kind.name);
            app.app.simulator.sim.clear_faults();
            later(&app, answer.text_at("/nota_id"), &["autorizada"]).await;
            assert_eq!(taken(&app, &kind), 1, "{}", kind.name);
        }
        assert_eq!(app.balance().await, (192, 0));
        app.check_invariants().await;
    }
}

on_sqlite! {
    async fn a_lost_answer_to_a_cancellation_is_found(app: TestApp) {
        ready(&app).await;
        for kind in kinds() {
            for failure in LOST {
                let issued = kind.issue(&app, None).await;
                fault(&app, "cancelar", failure, 1, 0);
                let answer = kind.cancel(&app, issued.text_at("/nota_id")).await;
                assert_eq!(answer.summary(), "200 cancelada", "{} {failure:?}: {}", kind.name, answer.text);
                assert_ne!(answer.text_at("/evento/protocolo"), "", "{} {failure:?}: {}", kind.name, answer.text);
            }
        }
        assert_eq!(app.balance().await, (200 - 16 * 4, 0));
        app.check_invariants().await;
    }
}
