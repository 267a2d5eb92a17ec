//! Journals of earlier versions, which kept everything in memory, become files.

use crate::common::national::*;
use crate::common::sefaz::*;
use crate::common::*;
use serde::Serialize;
use serde_json::{Value, json};

/// A line as those versions wrote it.
fn line(kind: &str, record: &impl Serialize) -> String {
    let mut line = serde_json::to_value(record).expect("record");
    line["t"] = Value::from(kind);
    line.to_string()
}

/// What an earlier version wrote: a national note that was cancelled, and an
/// NF-e; settings of the authorities, a message and a charge. The last line was
/// cut off.
async fn journal(nota: &Nota) -> (String, String) {
    let before = World::new();
    let chave = key(&post(&before, &dps(1), 1).await);
    before.authorized(nota).await;
    let mut lines = vec![
        json!({"t": "sefaz", "r": "csc", "ambiente": "homologacao", "cnpj": COMPANY, "id": "1", "csc": "SEGREDO"}).to_string(),
        json!({"t": "sefaz", "r": "nsu", "ambiente": "homologacao", "documento": OTHER, "proximo": 7}).to_string(),
    ];
    let notas = before.sim.notas();
    lines.extend(notas.iter().map(|nota| line("nota", nota)));
    assert_eq!(status(&cancel(&before, &chave).await), 201);
    lines.extend(
        before
            .sim
            .events()
            .iter()
            .map(|event| line("evento", event)),
    );
    let id = notas[0].id();
    lines.extend([
        json!({"t": "situacao", "id": id, "situacao": "cancelada", "dados": {"cancelada_em": "ontem"}}).to_string(),
        json!({"t": "chatapp", "id": "msg_1", "referencia": "r1", "para": "+5511999990001", "texto": "Oi"}).to_string(),
        json!({"t": "psp", "Cobranca": {
            "id": "cob_1", "referencia": "c1", "valor_centavos": 500, "meio": "cartao", "parcelas": 1, "situacao": "aguardando",
            "pago_centavos": 0, "pago_em": null, "expira_em": "2027-01-01T00:00:00Z", "pix": null, "boleto": null, "cartao": null,
            "reembolsos": [],
        }})
        .to_string(),
    ]);
    (lines.join("\n") + "\n{\"t\":\"nota\",\"sist", chave)
}

#[tokio::test]
async fn an_older_journal_is_taken_over_once() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("sim.sqlite");
    let (old, done) = (
        dir.path().join("sim.jsonl"),
        dir.path().join("sim.jsonl.old"),
    );
    let nota = Nota::nfe(1);
    let (content, chave) = journal(&nota).await;
    std::fs::write(&old, &content).expect("journal");

    let world = World::with(Some(file.clone()));
    assert!(!old.exists());
    assert_eq!(std::fs::read_to_string(&done).expect("journal"), content);
    assert_eq!(codes(&cancel(&world, &chave).await), ["E0840"]);
    assert_eq!(codes(&post(&world, &dps(1), 1).await), ["E0014"]);
    assert_eq!(cstat(&world.authorize(&nota).await, "infProt"), "204");
    let docs = documents(&world.distribute(&since(0)).await);
    assert_eq!(docs.len(), 1);
    assert_eq!(docs[0].0, "000000000000007");
    assert_eq!(world.sim.recados().len(), 1);
    assert_eq!(world.sim.charge("c1").expect("charge").valor_centavos, 500);
    let state = world.sim.overview();
    assert_eq!((state.notas.len(), state.eventos.len()), (2, 1));
    drop(world);

    // A process that was killed before it gave the journal its other name.
    std::fs::rename(&done, &old).expect("journal");
    let world = World::with(Some(file));
    assert!(!old.exists());
    assert_eq!(world.sim.overview().notas.len(), 2);
    assert_eq!(key(&post(&world, &dps(2), 2).await).len(), 50);
    assert_eq!(world.sim.notas()[2].numero, 2);
}

#[tokio::test]
async fn a_line_that_is_no_line_ends_it() {
    let dir = tempfile::tempdir().expect("folder");
    let message = |id: &str| {
        json!({"t": "chatapp", "id": id, "referencia": id, "para": "+5511999990001", "texto": "Oi"})
            .to_string()
    };
    let content = format!("{}\nlixo\n{}\n", message("a"), message("b"));
    std::fs::write(dir.path().join("sim.jsonl"), content).expect("journal");
    let world = World::with(Some(dir.path().join("sim.sqlite")));
    assert_eq!(world.sim.recados().len(), 1);
}
