//! Notes issued by a hub in a process of its own, against a simulator in
//! another: the hub's processor time and memory are its own.

use super::process::{self, Hub};
use super::turns::{self, Rounds};
use crate::adapter::{build, source};
use crate::app::App;
use crate::{boot, demo};
use anyhow::Context as _;
use base::config::Config;
use issuing::emitters::{self, NewEmitter};
use issuing::model::Ambiente;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::sign::Signer;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use sim::pki::{A1Request, PfxFormat};
use std::path::{Path, PathBuf};
use std::time::Instant;
use store::ids::EmitterId;

/// Notes before the measurement, so that each client has its connections and
/// the process its memory; notes of a round, and rounds; clients that ask at once.
const WARM_UP: u32 = 192;
const NOTES: u32 = 192;
const ROUNDS: u32 = 10;
const CLIENTS: u32 = 64;
/// Signatures before, between and after the rounds: a third of a second of processor time.
const SIGNATURES: u32 = 300;
/// Generated number of the company; nobody's.
const CNPJ: &str = "11222333000181";
const BELO_HORIZONTE: &str = "3106200";
const DAY_MS: i64 = 24 * 3_600_000;

pub struct Measured {
    /// Processor time of one note, in RSA-2048 signatures.
    pub cpu_in_signatures: Rounds,
    pub start_up_s: f64,
    pub peak_mb: f64,
}

/// # Errors
/// A process does not start, or a note is not authorized.
pub async fn measure(config: &Config, scratch: &Path) -> anyhow::Result<Measured> {
    let data_dir = scratch.join("hub");
    std::fs::create_dir_all(&data_dir)?;
    let mut simulator = Hub::start(&data_dir, &["sim"], &[])?;
    let address = simulator
        .said("simulator: https://")
        .await
        .context("simulator")?;
    let port = address.rsplit_once(':').map_or("", |(_, port)| port);
    let adapters = adapters(config)?;
    let settings = [
        ("HUB_AUTHORITIES_MODE", "simulator".to_owned()),
        ("HUB_AUTHORITIES_SIMULATOR", format!("localhost:{port}")),
        (
            "HUB_AUTHORITIES_SIMULATOR_CA",
            simulator.said("certificate authority: ").await?,
        ),
        ("HUB_ADAPTERS_FOLDER", adapters.display().to_string()),
    ];
    let key = prepare(&data_dir, &settings)
        .await
        .context("account and emitter")?;
    let begun = Instant::now();
    let mut hub = Hub::start(&data_dir, &["serve"], &settings)?;
    let base_url = hub.said("hub is running on ").await.context("hub")?;
    let start_up_s = begun.elapsed().as_secs_f64();
    let pid = hub.id().context("the hub ended")?;
    issue(&base_url, &key, WARM_UP).await?;
    let signer = PKey::from_rsa(Rsa::generate(2048)?)?;
    let (mut per_note, mut per_signature) = (Vec::new(), vec![signature_s(&signer)?]);
    for _ in 0..ROUNDS {
        let before = process::cpu_s(pid)?;
        issue(&base_url, &key, NOTES).await?;
        per_note.push((process::cpu_s(pid)? - before) / f64::from(NOTES));
        per_signature.push(signature_s(&signer)?);
    }
    Ok(Measured {
        cpu_in_signatures: turns::between(&per_note, &per_signature)?,
        start_up_s,
        peak_mb: process::peak_mb(pid)?,
    })
}

/// Every adapter there is: those of the checkout, or the installed ones.
fn adapters(config: &Config) -> anyhow::Result<PathBuf> {
    let Some(workspace) = build::workspace() else {
        return Ok(config.adapters_folder());
    };
    let out = workspace.join("target/adapters/components");
    source::all(&workspace, &out, |_| {})?;
    Ok(out)
}

/// Opens an account with an emitter, and fills the cache of compiled
/// adapters; returns the account's key.
async fn prepare(data_dir: &Path, settings: &[(&str, String)]) -> anyhow::Result<String> {
    let app = opened(data_dir, settings).await?;
    let account = demo::open_account(&app, "bench", 1_000_000).await?;
    let new = emitter(&app, CNPJ)?;
    emitters::register(&app, &account.id, new, false)
        .await
        .map_err(|failure| anyhow::anyhow!("emitter: {failure:?}"))?;
    Ok(account.live_key)
}

/// A hub in this process that serves nobody, to prepare the data of those that are
/// measured.
pub(super) async fn opened(data_dir: &Path, settings: &[(&str, String)]) -> anyhow::Result<App> {
    let overrides = [
        ("storage.data_dir", data_dir.display().to_string()),
        ("accounts.gift_credits", "100000".to_owned()),
    ];
    let given = |name: &str| {
        settings
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.clone())
    };
    let config = Config::load(None, given, &overrides)?;
    let (app, refused) = boot::open(config, base::when::system_clock()).await?;
    anyhow::ensure!(refused.is_empty(), "adapters refused: {refused:?}");
    Ok(app)
}

/// A company of Belo Horizonte with a certificate of the simulator.
pub(super) fn emitter(app: &App, cnpj: &str) -> anyhow::Result<NewEmitter> {
    let now_ms = app.now_ms();
    let a1 = app.simulator.pki.issue_a1(A1Request {
        document: cnpj.to_owned(),
        name: "EMPRESA DE TESTE LTDA".to_owned(),
        valid_from_ms: now_ms - DAY_MS,
        valid_until_ms: now_ms + DAY_MS,
    })?;
    let password = "bench".to_owned();
    Ok(NewEmitter {
        cnpj: cnpj.to_owned(),
        alias: None,
        ambiente: Ambiente::Production,
        default: Some(true),
        certificado: Some((a1.pfx(&password, PfxFormat::Modern)?, password)),
        perfil: Some(demo::company("Empresa de Teste Ltda", BELO_HORIZONTE)),
    })
}

async fn issue(base_url: &str, key: &str, notes: u32) -> anyhow::Result<()> {
    let client = Client::builder().no_proxy().build()?;
    let clients = (0..CLIENTS).map(|n| {
        let (client, url, key) = (
            client.clone(),
            format!("{base_url}/api/v1/nfse"),
            key.to_owned(),
        );
        let share = notes / CLIENTS + u32::from(n < notes % CLIENTS);
        tokio::spawn(async move {
            for _ in 0..share {
                let request = posted(&client, &url, &key, &note(None));
                let answer = request.send().await?;
                let status = answer.status().as_u16();
                anyhow::ensure!(
                    status == 201,
                    "a note was answered {status}: {}",
                    answer.text().await?
                );
            }
            Ok(())
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await??;
    }
    Ok(())
}

/// A request with a JSON body.
pub(super) fn posted(client: &Client, url: &str, token: &str, body: &Value) -> RequestBuilder {
    let request = client.post(url).bearer_auth(token);
    let request = request.header("content-type", "application/json");
    request.body(body.to_string())
}

/// A note of the emitter with this id, or of the account's default one.
pub(super) fn note(emitter: Option<&EmitterId>) -> Value {
    json!({
        "emitente_id": emitter.map(EmitterId::as_str),
        "tomador": {
            "cpf_cnpj": "12345678000195", "nome": "Cliente Exemplo Ltda",
            "endereco": { "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro", "codigo_ibge": BELO_HORIZONTE }
        },
        "servico": { "descricao": "Desenvolvimento de software", "codigo_tributacao_nacional": "010101" },
        "valores": { "servico": "1500.00" }
    })
}

/// Processor time of one RSA-2048 signature in this process, in seconds.
fn signature_s(key: &PKey<Private>) -> anyhow::Result<f64> {
    let pid = std::process::id();
    let before = process::cpu_s(pid)?;
    for _ in 0..SIGNATURES {
        let mut signer = Signer::new(MessageDigest::sha256(), key)?;
        signer.update(b"infDPS")?;
        std::hint::black_box(signer.sign_to_vec()?);
    }
    Ok((process::cpu_s(pid)? - before) / f64::from(SIGNATURES))
}
