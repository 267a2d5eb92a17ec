//! One municipality of each system that a municipal adapter speaks to, from the
//! API to its simulated city and back: a note issued, found again and
//! cancelled, a note refused, and a note whose answer was lost.

use crate::left_for_later;
use crate::official::{sent, signed_alone, validate, verify_signatures};
use flow::registry::{Caminho, OptionValue, Registry};
use serde_json::{Value, json};
use sim::{Fault, FaultKind, When};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use store::tables::flows::{self, FlowOperation};
use tests::TestApp;
use tests::adapters::{folder, workspace};
use tests::app::{Backend, profile};
use tests::bases::branch;
use tests::bodies::{nfse, with};

/// What the API answers to an operation that the city's web service lacks.
const UNSUPPORTED: &str = "422 operacao_nao_suportada_pelo_municipio";

/// When a batch is ready that a city answers later: not yet at the first question,
/// unless the machine is slow.
const BATCH_MS: i64 = 20;

/// Questions about a note that nothing finds: one more than the answers after which
/// one that is not there is sent again.
const QUESTIONS: i64 = 4;

/// Names the systems to play, with commas between; all are without it.
const ONLY: &str = "HUB_TEST_SYSTEM";

fn played(system: &str) -> bool {
    match std::env::var(ONLY) {
        Ok(only) => only.split(',').any(|name| name == system),
        Err(_) => true,
    }
}

/// Systems that demand the municipality's own code of the service, with one.
const WITH_OWN_CODES: [(&str, &str); 3] = [
    ("bauhaus-100", "10585"),
    ("centi-202", "010101"),
    ("isssaopaulo-100", "2658"),
];

/// Systems that demand the fields of IBS and CBS.
const WITH_IBS_CBS: [&str; 2] = ["egoverneiss-100", "isssaopaulo-100"];

/// Systems that demand the e-mail of both sides.
const WITH_EMAIL: [&str; 1] = ["el-100"];

/// Systems that answer in JSON: the hub has no XML of their notes.
const WITHOUT_XML: [&str; 2] = ["aspec-100", "bauhaus-100"];

/// Schemas of the systems whose adapter has no tests of its own that ask libxml2.
const SCHEMAS: [(&str, &str); 1] = [(
    "safeweb-200",
    "schemas/nfse-municipal/safeweb/2.00/nfse.xsd",
)];

/// Whether the component of a system's adapter could be built here.
fn is_built(registry: &Registry, system: &str) -> bool {
    let name = registry
        .system(system)
        .and_then(|system| system.adapter.as_deref());
    let mut adapters = registry
        .adapters()
        .filter(|adapter| Some(adapter.name.as_str()) == name);
    adapters.all(|adapter| {
        folder()
            .join(format!("{}.wasm", adapter.component))
            .is_file()
    })
}

/// Whether the registry says that the web service of a system lacks a service.
fn lacks(registry: &Registry, system: &str, service: &str) -> bool {
    let options = registry.system(system).map(|system| &system.options);
    let absent = options.and_then(|options| options.get("servicos_ausentes"));
    let absent = absent.map(OptionValue::to_wire).unwrap_or_default();
    absent.split(',').any(|name| name == service)
}

/// Each system with its first municipality.
fn systems(registry: &Registry) -> BTreeMap<String, u32> {
    let today = base::when::parse_date("2026-11-26").expect("a date");
    let mut found = BTreeMap::new();
    for municipality in registry.municipalities() {
        let provedor = registry.provedor(municipality.ibge, today);
        let issues = provedor.filter(|p| p.issue_by_api && p.via != Caminho::Nacional);
        let issues = issues.filter(|p| played(&p.system) && is_built(registry, &p.system));
        if let Some(provedor) = issues {
            found.entry(provedor.system).or_insert(municipality.ibge);
        }
    }
    found
}

/// Whether what issues a note is signed, as the registry says; None where an
/// adapter knows by itself.
fn is_signed(registry: &Registry, system: &str) -> Option<bool> {
    let system = registry.system(system)?;
    let signs = system.options.get("assina").map(OptionValue::to_wire);
    let mut signs = signs.as_deref().unwrap_or_default().split(',');
    match system.adapter.as_deref()? {
        "dps" => Some(!signs.any(|part| part == "nenhum")),
        "abrasf" => Some(signs.any(|part| matches!(part, "lote" | "rps" | "rps_interno"))),
        _ => None,
    }
}

/// Whether its parts without id are signed as documents of their own.
fn signs_alone(registry: &Registry, system: &str) -> bool {
    let system = registry.system(system);
    system.is_some_and(|system| system.options.contains_key("assina_avulso"))
}

/// Orders the city to fail at the next issue.
fn at_the_next_issue(app: &TestApp, kind: FaultKind) {
    app.app.simulator.sim.add_fault(Fault {
        quando: When {
            operacao: Some("emitir".to_owned()),
            vezes: Some(1),
            ..When::default()
        },
        falha: kind,
        codigo: (kind == FaultKind::Recusar).then(|| "E999".to_owned()),
        mensagem: (kind == FaultKind::Recusar).then(|| "Serviço não permitido".to_owned()),
        ..Fault::default()
    });
}

fn body(system: &str, ibge: u32) -> Value {
    let body = with(nfse(), "/tomador/endereco/codigo_ibge", ibge.to_string());
    let body = with(body, "/servico/cnae", "6201501");
    let mut body = with(body, "/servico/codigo_nbs", "115022000");
    if let Some((_, code)) = WITH_OWN_CODES.iter().find(|(name, _)| *name == system) {
        body = with(body, "/servico/codigo_tributacao_municipio", *code);
    }
    if WITH_IBS_CBS.contains(&system) {
        let ibs_cbs =
            json!({ "cst": "000", "cclass_trib": "000001", "codigo_indicador_operacao": "100301" });
        body = with(body, "/ibs_cbs", ibs_cbs);
    }
    if WITH_EMAIL.contains(&system) {
        body = with(body, "/tomador/email", "fiscal@example.com");
    }
    body
}

/// A note whose answer was lost and which nothing finds: it is neither settled
/// nor sent again, however often the hub asks about it.
async fn stays_in_doubt(app: &TestApp, id: &str) -> Result<(), String> {
    tests::until(async || {
        let mut conn = app.app.db.read().await.expect("connection");
        let begun = flows::count_of(&mut conn, id, FlowOperation::ConsultarRps).await;
        let begun = begun.expect("a count");
        // The last one may be on its way.
        if begun > QUESTIONS {
            Ok(())
        } else {
            Err(format!("asked {begun} times"))
        }
    })
    .await;
    // This would send it again, or end it, if anything could.
    let asked = app.post("/api/v1/nfse/status", &json!({ "ref": id })).await;
    if asked.summary() != UNSUPPORTED && asked.text_at("/situacao") != "em_transmissao" {
        return Err(asked.text);
    }
    let note = app.get(&format!("/api/v1/documentos/{id}")).await;
    let mut conn = app.app.db.read().await.expect("connection");
    let sent = flows::count_of(&mut conn, id, FlowOperation::Emitir).await;
    let sent = sent.expect("a count");
    if note.text_at("/status") == "em_transmissao" && sent == 1 {
        return Ok(());
    }
    Err(format!("sent {sent} times, {}", note.text))
}

/// Fetches an issued note, asks about it and cancels it, where the city can.
async fn asked_and_cancelled(
    app: &TestApp,
    registry: &Registry,
    system: &str,
    id: &str,
) -> Result<String, String> {
    let mut line = String::new();
    let path = format!("/api/v1/nfse/{id}/documento?formato=xml");
    let document = app.get(&path).await;
    let wanted = if WITHOUT_XML.contains(&system) {
        "409 estado_invalido"
    } else {
        "200 "
    };
    if document.summary() != wanted {
        return Err(document.text);
    }
    let status = app.post("/api/v1/nfse/status", &json!({ "ref": id })).await;
    if lacks(registry, system, "consultar-nota") {
        if status.summary() != UNSUPPORTED {
            return Err(status.text);
        }
        line.push_str("  no query");
    } else if status.text_at("/situacao") != "autorizada" {
        return Err(status.text);
    }
    let cancel = json!({ "ref": id, "codigo_motivo": "erro_emissao", "justificativa": "Valor do serviço digitado errado" });
    let cancelled = app.post("/api/v1/nfse/cancelar", &cancel).await;
    let (wanted, told) = if lacks(registry, system, "cancelar") {
        (UNSUPPORTED, "  no cancellation")
    } else {
        ("200 cancelada", "  cancelled")
    };
    if cancelled.summary() != wanted {
        return Err(cancelled.text);
    }
    Ok(line + told)
}

/// Issues a note whose answer gets lost; what became of it.
async fn cut(
    app: &TestApp,
    registry: &Registry,
    system: &str,
    body: &Value,
) -> Result<&'static str, String> {
    at_the_next_issue(app, FaultKind::CortarDepois);
    let nothing_finds_it = lacks(registry, system, "consultar-rps");
    let cut = if nothing_finds_it {
        left_for_later(app, body).await
    } else {
        app.post("/api/v1/nfse", body).await
    };
    if !cut.is_open() && cut.status != 201 {
        return Err(cut.text);
    }
    let id = cut.text_at("/nota_id");
    if nothing_finds_it {
        stays_in_doubt(app, id).await?;
        Ok("  in doubt after a cut")
    } else {
        app.until_note(id, "autorizada").await;
        Ok("  found after a cut")
    }
}

/// What happened in one city, in a line.
async fn life(app: &TestApp, system: &str, ibge: u32, number: usize) -> Result<String, String> {
    let base = format!("{:08}", 33_000_000 + number);
    let cnpj = format!("{base}{}", branch(&base, "0001"));
    let mut perfil = profile(&ibge.to_string());
    if WITH_EMAIL.contains(&system) {
        perfil.email = Some("emissor@example.com".to_owned());
    }
    if let Some(login) = perfil.nfse.as_mut().and_then(|n| n.credenciais.as_mut()) {
        login.token = Some("token".to_owned());
        login.chave_autorizacao = Some("chave".to_owned());
    }
    app.emitter_with(&app.account_id, &cnpj, perfil).await;
    let mut line = format!("{system:22} {ibge}");
    let body = body(system, ibge);

    let issued = app.post("/api/v1/nfse", &body).await;
    if !matches!(issued.status, 201 | 202) {
        return Err(format!("{line}: {}", issued.text));
    }
    let id = issued.text_at("/nota_id").to_owned();
    let issued = app.until_note(&id, "autorizada").await;
    let messages = sent(app, &id).await;
    for (_, schema) in SCHEMAS.iter().filter(|(name, _)| *name == system) {
        messages
            .iter()
            .for_each(|message| validate(message, schema));
    }
    let registry = app.app.registry.load();
    let signed = messages.first().map_or(0, |message| {
        if signs_alone(&registry, system) {
            verify_signatures(&signed_alone(message))
        } else {
            verify_signatures(message)
        }
    });
    let expected = is_signed(&registry, system);
    if expected.is_some_and(|expected| expected != (signed > 0)) {
        return Err(format!("{line}: {signed} signatures"));
    }
    write!(
        line,
        "  issued as {} ({signed} signed)",
        issued.text_at("/numero_nfse")
    )
    .expect("text");

    let ended = asked_and_cancelled(app, &registry, system, &id).await;
    line.push_str(&ended.map_err(|error| format!("{line}: {error}"))?);

    at_the_next_issue(app, FaultKind::Recusar);
    let refused = app.post("/api/v1/nfse", &body).await;
    if refused.summary() != "422 rejeitada_pela_prefeitura" {
        return Err(format!("{line}: {}", refused.text));
    }
    line.push_str("  refused");

    let cut = cut(app, &registry, system, &body).await;
    line.push_str(cut.map_err(|error| format!("{line}: {error}"))?);
    app.app.simulator.sim.clear_faults();
    Ok(line)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_system_issues_finds_cancels_and_refuses() {
    let app = TestApp::start_with(Backend::Sqlite, |config| {
        config.accounts.gift_credits = 10_000;
        // As the files are now, not as the program was built with them.
        config.registry.file = workspace().join("providers.toml");
        config.authorities.simulator_cases = workspace().join("plugins");
        // A note that is not found at once is looked for in growing pauses.
        config.flow.wait_divisor = 100_000;
    })
    .await;
    let app = app.expect("SQLite is always there");
    app.app.simulator.sim.set_batch_ms(Some(BATCH_MS));
    let systems = systems(&app.app.registry.load());
    let mut wrong = Vec::new();
    for (number, (system, ibge)) in systems.iter().enumerate() {
        match life(&app, system, *ibge, number).await {
            Ok(line) => println!("{line}"),
            Err(line) => wrong.push(line),
        }
        app.app.simulator.sim.clear_faults();
    }
    let all = systems.len();
    assert!(
        wrong.is_empty(),
        "{} of {all}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let alone = std::env::var_os(ONLY).is_some();
    assert!(alone || all >= 97, "only {all} systems");
    app.check_invariants().await;
}
