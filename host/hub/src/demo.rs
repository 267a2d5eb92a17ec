//! The demonstration account of `hub up`.

use crate::app::App;
use crate::db::accounts::Account;
use crate::db::api_keys::ApiKey;
use crate::db::{self, TxError};
use crate::issuing::emitters::{self, NovoEmitente};
use crate::issuing::perfil::{Perfil, PerfilNfse, RegimeTributario};
use crate::ledger::{self, Movement};
use crate::vault::apikey::{self, KeyKind};
use crate::vault::random::OsRandom;
use crate::{files, ids};
use fiscal::nfse::dps::Endereco;
use serde::{Deserialize, Serialize};
use sim::pki::{A1Request, PfxFormat};
use std::convert::Infallible;

/// Generated number of the company shown; nobody's.
const CNPJ: &str = "11222333000181";
/// Requests per minute of the demonstration account: it is also what load
/// tests use.
const REQUESTS_PER_MINUTE: i64 = 6_000;
const YEAR_MS: i64 = 365 * 24 * 3_600_000;

/// What `demo.json` holds. Keys are shown once; this file is the one place
/// where they stay, readable by its owner only.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Demo {
    pub base_url: String,
    pub chave_teste: String,
    pub chave_producao: String,
    pub emitente_id: String,
    pub conta_id: String,
}

/// An account's two fresh keys.
pub struct NewAccount {
    pub id: String,
    pub test_key: String,
    pub live_key: String,
}

/// Opens an account with its gift of credits and two keys.
///
/// # Errors
/// The database failed.
pub async fn open_account(
    app: &App,
    nome: &str,
    requests_per_minute: i64,
) -> anyhow::Result<NewAccount> {
    let now_ms = app.now_ms();
    let id = ids::new("con", now_ms);
    let mut keys = Vec::new();
    let mut rows = Vec::new();
    for (kind, word) in [(KeyKind::Test, "test"), (KeyKind::Live, "live")] {
        let key = apikey::generate(kind, &OsRandom)?;
        let secret = apikey::generate_secret(&OsRandom)?;
        rows.push(ApiKey {
            id: ids::new("key", now_ms),
            account_id: id.clone(),
            kind: word.to_owned(),
            nome: nome.to_owned(),
            digest: flow::hex(&key.digest(&app.pepper)),
            secret_digest: flow::hex(&secret.digest(&app.pepper)),
            hint: key.hint().to_owned(),
            created_at_ms: now_ms,
            revoked_at_ms: 0,
            expires_at_ms: 0,
        });
        keys.push(key.expose().to_owned());
    }
    let account = Account {
        id: id.clone(),
        nome: nome.to_owned(),
        requests_per_minute,
        created_at_ms: now_ms,
    };
    let gift = app.config.accounts.gift_credits;
    app.db
        .write((account, rows, gift), |(account, rows, gift), conn| {
            Box::pin(async move {
                db::accounts::insert(conn, account).await?;
                ledger::open(conn, &account.id).await?;
                if *gift > 0 {
                    let movement = Movement {
                        account_id: &account.id,
                        subject_id: "",
                        operation: "conta",
                        request_id: "",
                        now_ms: account.created_at_ms,
                    };
                    ledger::gift(conn, &movement, *gift, "abertura").await?;
                }
                for row in rows {
                    db::api_keys::insert(conn, row).await?;
                }
                Ok::<_, TxError<Infallible>>(())
            })
        })
        .await?;
    let live_key = keys.pop().unwrap_or_default();
    let test_key = keys.pop().unwrap_or_default();
    Ok(NewAccount {
        id,
        test_key,
        live_key,
    })
}

/// The demonstration account, made on the first run and read from
/// `demo.json` afterwards.
///
/// # Errors
/// The database or the file failed.
pub async fn ensure(app: &App, base_url: &str) -> anyhow::Result<Demo> {
    let path = app.config.storage.data_dir.join("demo.json");
    if let Ok(text) = std::fs::read_to_string(&path) {
        let demo = Demo {
            base_url: base_url.to_owned(),
            ..serde_json::from_str(&text)?
        };
        files::replace(&path, serde_json::to_string_pretty(&demo)?.as_bytes())?;
        return Ok(demo);
    }
    let account = open_account(app, "Demonstração", REQUESTS_PER_MINUTE).await?;
    let now_ms = app.now_ms();
    let a1 = app.simulator.pki.issue_a1(A1Request {
        documento: CNPJ.to_owned(),
        nome: "EMPRESA DEMONSTRACAO LTDA".to_owned(),
        valido_de_ms: now_ms - 24 * 3_600_000,
        valido_ate_ms: now_ms + YEAR_MS,
    })?;
    let senha = "demonstracao".to_owned();
    let novo = NovoEmitente {
        cnpj: CNPJ.to_owned(),
        apelido: Some("Demonstração".to_owned()),
        ambiente: "producao".to_owned(),
        padrao: Some(true),
        certificado: Some((a1.pfx(&senha, PfxFormat::Modern)?, senha)),
        perfil: Some(profile()),
    };
    let emitter = emitters::register(app, &account.id, novo, false)
        .await
        .map_err(|failure| anyhow::anyhow!("demonstration emitter: {failure:?}"))?;
    let demo = Demo {
        base_url: base_url.to_owned(),
        chave_teste: account.test_key,
        chave_producao: account.live_key,
        emitente_id: emitter.row.id,
        conta_id: account.id,
    };
    files::replace(&path, serde_json::to_string_pretty(&demo)?.as_bytes())?;
    Ok(demo)
}

fn profile() -> Perfil {
    Perfil {
        razao_social: Some("Empresa Demonstração Ltda".to_owned()),
        im: Some("12345".to_owned()),
        regime: Some(RegimeTributario::Normal),
        endereco: Some(Endereco {
            cep: Some("30130010".to_owned()),
            logradouro: Some("Avenida Afonso Pena".to_owned()),
            numero: Some("1212".to_owned()),
            bairro: Some("Centro".to_owned()),
            codigo_ibge: Some("3106200".to_owned()),
            uf: Some("MG".to_owned()),
            ..Endereco::default()
        }),
        nfse: Some(PerfilNfse {
            serie_rps: Some("1".to_owned()),
            ..PerfilNfse::default()
        }),
        ..Perfil::default()
    }
}

/// A call that works as it is printed.
pub fn curl(demo: &Demo) -> String {
    let body = r#"{"tomador":{"cpf_cnpj":"12345678000195","nome":"Cliente Exemplo Ltda","endereco":{"cep":"30140071","logradouro":"Rua da Bahia","numero":"1000","bairro":"Centro","codigo_ibge":"3106200"}},"servico":{"descricao":"Desenvolvimento de software","codigo_tributacao_nacional":"010101"},"valores":{"servico":1500.00}}"#;
    format!(
        "curl -s {}/api/v1/nfse \\\n  -H 'Authorization: Bearer {}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{body}'",
        demo.base_url, demo.chave_producao
    )
}
