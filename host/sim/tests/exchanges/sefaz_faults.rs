//! Faults of D10 at the services of NF-e, the file and the counters.

use crate::common::sefaz::*;
use crate::common::*;
use serde_json::json;
use sim::SimAnswer;

async fn send(world: &World, nota: &Nota) -> SimAnswer {
    let document = batch(true, &[nota.signed(&COMPANY_A1)]);
    world
        .soap(
            SP,
            &sp("NFeAutorizacao4"),
            "NFeAutorizacao4",
            &document,
            Some(&COMPANY_A1),
        )
        .await
}

fn count(world: &World) -> u64 {
    world.sim.overview().sefaz.notas
}

#[tokio::test]
async fn each_fault_processes_or_not() {
    let world = World::new();
    for (n, (kind, processed, answer_status)) in (1u32..).zip([
        ("cortar_antes", false, 0),
        ("cortar_depois", true, 0),
        ("erro_500", false, 500),
        ("html", false, 503),
        ("xml_pela_metade", true, 200),
        ("json_estranho_5xx", true, 502),
        ("lixo", true, 200),
        ("duplicada", true, 200),
        ("pausado", false, 200),
        ("consumo_indevido", false, 200),
        ("limite_requisicoes", false, 429),
        ("certificado_vencido", false, 200),
        ("recusar", false, 200),
    ]) {
        let before = count(&world);
        world.fault(fault_on("autorizar", kind)).await;
        let nota = Nota::nfe(n);
        let answer = send(&world, &nota).await;
        assert_eq!(status(&answer), answer_status, "{kind}");
        assert_eq!(count(&world) - before, u64::from(processed), "{kind}");
        let after = world
            .sefaz("NFeConsultaProtocolo4", &query(&nota.chave()))
            .await;
        assert_eq!(
            cstat(&after, ""),
            if processed { "100" } else { "217" },
            "{kind}"
        );
        match kind {
            "duplicada" => assert_eq!(cstat(&returned(&answer), "infProt"), "204"),
            "pausado" => assert_eq!(cstat(&returned(&answer), ""), "108"),
            "consumo_indevido" => assert_eq!(cstat(&returned(&answer), ""), "656"),
            "certificado_vencido" => assert_eq!(cstat(&returned(&answer), ""), "281"),
            "recusar" => assert_eq!(cstat(&returned(&answer), "infProt"), "999"),
            "cortar_antes" => assert_eq!(answer, SimAnswer::CutBefore),
            "cortar_depois" => assert_eq!(answer, SimAnswer::CutAfter),
            "xml_pela_metade" => assert!(!text(&answer).contains("</soap:Envelope>")),
            _ => {}
        }
    }
    assert!(world.sim.faults().iter().all(|f| f.aplicadas == 1));
}

#[tokio::test]
async fn a_queue_tells_a_receipt() {
    let world = World::new();
    world
        .fault(json!({"quando": {"operacao": "autorizar"}, "falha": "fila", "ms": 5_000}))
        .await;
    let nota = Nota::nfe(1);
    let answer = returned(&send(&world, &nota).await);
    assert_eq!(cstat(&answer, ""), "103");
    let number = tag(&answer, "nRec");
    let ask = async || world.sefaz("NFeRetAutorizacao4", &receipt(&number)).await;
    assert_eq!(cstat(&ask().await, ""), "105");
    world.advance(4_000);
    assert_eq!(cstat(&ask().await, ""), "105");
    world.advance(1_001);
    assert_eq!(cstat(&ask().await, "infProt"), "100");
}

#[tokio::test]
async fn faults_are_ordered_by_operation_and_event() {
    let world = World::new();
    let nota = Nota::nfe(1);
    let key = nota.chave();
    let protocol = world.authorized(&nota).await;
    let refuse = |operation: &str, code: &str| json!({"quando": {"operacao": operation}, "falha": "recusar", "codigo": code});
    for (operation, code) in [
        ("cancelar", "240"),
        ("evento", "241"),
        ("evento:110111", "580"),
    ] {
        world.fault(refuse(operation, code)).await;
        assert_eq!(
            world.event(&cancellation(&key, &protocol, NOW)).await,
            code,
            "{operation}"
        );
    }
    world.fault(refuse("cce", "999")).await;
    assert_eq!(
        world.event(&cancellation(&key, &protocol, NOW)).await,
        "135"
    );
    world
        .fault(json!({"quando": {"operacao": "manifestar"}, "falha": "duplicada"}))
        .await;
    assert_eq!(
        world.manifest(&manifestation(&key, "210200", 1, NOW)).await,
        "573"
    );
    for (operation, service, document) in [
        ("status", "NFeStatusServico4", service_status("35")),
        ("consultar", "NFeConsultaProtocolo4", query(&key)),
        ("inutilizar", "NFeInutilizacao4", voiding("55", 1, 7, 8)),
    ] {
        world
            .fault(json!({"quando": {"operacao": operation}, "falha": "pausado", "codigo": "109"}))
            .await;
        assert_eq!(
            cstat(&world.sefaz(service, &document).await, ""),
            "109",
            "{operation}"
        );
    }
    world
        .fault(json!({"quando": {"operacao": "inutilizar"}, "falha": "duplicada"}))
        .await;
    let answer = world
        .sefaz("NFeInutilizacao4", &voiding("55", 1, 7, 8))
        .await;
    assert_eq!(cstat(&answer, ""), "563");
    world
        .fault(json!({"quando": {"operacao": "distribuir"}, "falha": "consumo_indevido"}))
        .await;
    assert_eq!(cstat(&world.distribute(&since(0)).await, ""), "656");
    world
        .fault(json!({"quando": {"operacao": "cadastro", "documento": COMPANY}, "falha": "recusar", "codigo": "259", "mensagem": "Rejeição: texto próprio"}))
        .await;
    let document = format!(
        "<ConsCad xmlns=\"{NFE}\" versao=\"2.00\"><infCons><xServ>CONS-CAD</xServ><UF>SP</UF><CNPJ>{COMPANY}</CNPJ></infCons></ConsCad>"
    );
    let answer = world.sefaz("CadConsultaCadastro4", &document).await;
    assert_eq!(
        (cstat(&answer, ""), tag(&answer, "xMotivo")),
        ("259".to_owned(), "Rejeição: texto próprio".to_owned())
    );
    let received = world.sim.overview().recebidas["sefaz"].clone();
    assert_eq!(received["cancelar"], 4);
    assert_eq!(received["manifestar"], 1);
}

#[tokio::test]
async fn a_slow_service_answers_after_all() {
    let world = World::new();
    world
        .fault(json!({"quando": {"operacao": "status"}, "falha": "lento", "ms": 30}))
        .await;
    let begun = std::time::Instant::now();
    let answer = world
        .sefaz("NFeStatusServico4", &service_status("35"))
        .await;
    assert_eq!(cstat(&answer, ""), "107");
    assert!(begun.elapsed().as_millis() >= 30);
}

#[tokio::test]
async fn the_file_brings_everything_back() {
    let dir = tempfile::tempdir().expect("folder");
    let file = dir.path().join("sim.sqlite");
    let nota = Nota::nfe(1);
    let (key, before, protocol) = {
        let world = World::with(Some(file.clone()));
        let protocol = world.authorized(&nota).await;
        world.authorized(&Nota::nfe(2)).await;
        world
            .sefaz("NFeInutilizacao4", &voiding("55", 1, 7, 8))
            .await;
        assert_eq!(
            world
                .manifest(&manifestation(&nota.chave(), "210210", 1, NOW))
                .await,
            "135"
        );
        assert_eq!(
            world
                .event(&cancellation(&nota.chave(), &protocol, NOW))
                .await,
            "135"
        );
        world
            .control(
                "PUT",
                "sefaz/csc",
                json!({"cnpj": COMPANY, "id": "1", "csc": "X"}),
            )
            .await;
        let key = nota.chave();
        (
            key.clone(),
            world.sefaz("NFeConsultaProtocolo4", &query(&key)).await,
            protocol,
        )
    };
    let world = World::with(Some(file));
    let after = world.sefaz("NFeConsultaProtocolo4", &query(&key)).await;
    assert_eq!(before, after);
    assert_eq!(
        cstat(&world.authorize(&Nota::nfe(2)).await, "infProt"),
        "204"
    );
    assert_eq!(
        cstat(&world.authorize(&Nota::nfe(7)).await, "infProt"),
        "206"
    );
    let docs = documents(&world.distribute(&since(0)).await);
    // Two summaries, the note after the manifestation, the cancelling.
    assert_eq!(docs.len(), 4);
    assert_eq!(
        world.event(&cancellation(&key, &protocol, NOW)).await,
        "573"
    );
    let state = world.sim.overview();
    assert_eq!(
        (
            state.sefaz.notas,
            state.sefaz.eventos,
            state.sefaz.inutilizacoes
        ),
        (2, 2, 1)
    );
    assert!(state.processadas.values().all(|n| *n == 1));
    // New protocols go on where the old ones ended.
    let third = world.authorized(&Nota::nfe(3)).await;
    assert!(!before.contains(&third));
}

#[tokio::test]
async fn the_same_seed_gives_the_same_answers() {
    let (one, two) = (World::new(), World::new());
    for nota in [Nota::nfe(1), Nota::nfe(2), Nota::nfe(1)] {
        assert_eq!(one.authorize(&nota).await, two.authorize(&nota).await);
    }
}
