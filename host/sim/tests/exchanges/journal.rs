//! The journal of the systems that remember more than notes: its lines keep
//! their form, and an earlier file is read.

use crate::common::*;
use serde_json::{Value, json};
use sim::{chatapp, psp};
use std::os::unix::fs::PermissionsExt as _;

async fn post(world: &World, host: &str, path: &str, reference: &str, body: &Value) {
    let headers = vec![
        ("Authorization".to_owned(), "Bearer token".to_owned()),
        ("Idempotency-Key".to_owned(), reference.to_owned()),
    ];
    let body = body.to_string().into_bytes();
    let answer = world.request(host, "POST", path, headers, body, None).await;
    assert_eq!(status(&answer), 201, "{}", text(&answer));
}

#[tokio::test]
async fn each_system_has_its_lines() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("sim.jsonl");
    let world = World::with(Some(file.clone()));
    world
        .sim
        .set_csc("homologacao", COMPANY, "000001", "SEGREDO")
        .expect("journal");
    world
        .sim
        .set_nsu("homologacao", OTHER, Some(7))
        .expect("journal");
    let message = json!({"referencia": "r1", "para": "+5511999990001", "texto": "Oi"});
    post(&world, chatapp::HOST, "/v1/mensagens", "r1", &message).await;
    let charge = json!({"referencia": "c1", "valor_centavos": 500, "meio": "cartao", "parcelas": 1,
        "expira_em": "2027-01-01T00:00:00Z", "pagador": {"nome": "FULANO"}});
    post(&world, psp::HOST, "/v1/cobrancas", "c1", &charge).await;
    drop(world);

    // Requests of some systems hold a login.
    let mode = std::fs::metadata(&file).expect("journal").permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
    let content = std::fs::read_to_string(&file).expect("journal");
    let lines: Vec<&str> = content.lines().collect();
    assert_eq!(lines.len(), 4, "{content}");
    let csc = format!(
        r#"{{"t":"sefaz","r":"csc","ambiente":"homologacao","cnpj":"{COMPANY}","id":"1","csc":"SEGREDO"}}"#
    );
    let nsu = format!(
        r#"{{"t":"sefaz","r":"nsu","ambiente":"homologacao","documento":"{OTHER}","proximo":7}}"#
    );
    assert_eq!(lines[..2], [csc, nsu]);
    assert!(
        lines[2].starts_with(r#"{"t":"chatapp","id":"msg_"#),
        "{content}"
    );
    assert!(
        lines[2].ends_with(r#""referencia":"r1","para":"+5511999990001","texto":"Oi"}"#),
        "{content}"
    );
    assert!(
        lines[3].starts_with(r#"{"t":"psp","Cobranca":{"id":"cob_"#),
        "{content}"
    );

    let world = World::with(Some(file));
    assert_eq!(world.sim.recados().len(), 1);
    let charge = world.sim.charge("c1").expect("charge");
    assert_eq!(charge.valor_centavos, 500);
}
