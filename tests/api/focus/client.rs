//! A public client of Focus NFe's API against the door: `focusnfe` of PyPI, in the Python
//! of `HUB_TEST_PYTHON`.

use super::bodies::{nfe, nfse};
use super::opened;
use crate::clients::generators::run;
use crate::common::BELO_HORIZONTE;
use serde_json::{Value, json};
use std::path::Path;
use tests::bodies::with;
use tokio::process::Command;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_public_client_issues_asks_and_cancels() {
    let Some(python) = tests::python::with("focusnfe") else {
        return;
    };
    let app = opened().await;
    // Its type of a request has no note without the place of the service.
    let service = with(nfse(&app), "/servico/codigo_municipio", BELO_HORIZONTE);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("api/focus/client.py");
    let mut command = Command::new(python);
    command
        .arg(script)
        .args([&app.base_url, &app.live_key])
        .args([nfe(&app).to_string(), service.to_string()]);
    let said = run(&mut command).await;
    let saw: Value = serde_json::from_str(said.trim()).expect("JSON");
    let life = json!({
        "taken": "processando_autorizacao", "then": "autorizado", "complete": true,
        "again": [422, "nfe_autorizada"], "cancelled": "cancelado", "after": "cancelado"
    });
    assert_eq!(
        saw,
        json!({
            "nfe": life, "nfse": life, "unknown": [404, "nao_encontrado"],
            "wrong": [400, "requisicao_invalida"], "stranger": [401, "chave_invalida"]
        })
    );
    assert_eq!(app.balance().await.1, 0);
    app.check_invariants().await;
}
