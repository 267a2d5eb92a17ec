//! The demonstration account of `hub up`.

pub use accounts::opening::NewAccount;
use accounts::opening::{self, Opening};
use accounts::users::{Role, registration, session};
use anyhow::Context as _;
use authority::customer::split_chain;
use base::config::AuthoritiesMode;
use base::files;
use base::when;
use compose::emitter::Defaults;
use fiscal::nfse::dps::Address;
use flow::registry::Registry;
use gate::Services;
use issuing::emitters::profile::{Perfil, PerfilNfse, RequestedVia, TaxRegime};
use issuing::emitters::{self, NewEmitter};
use issuing::model::{Ambiente, Model};
use issuing::route;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use store::ids::{AccountId, EmitterId};

/// Generated number of the company shown; nobody's.
const CNPJ: &str = "11222333000181";
/// Requests per minute of the demonstration account: it is also what load
/// tests use.
const REQUESTS_PER_MINUTE: i64 = 6_000;
/// User of the panel in the demonstration.
const PERSON: &str = "demo@exemplo.com.br";
/// Password of the company's certificate, which only the simulator accepts.
const PASSWORD: &str = "demonstracao";

/// What `demo.json` holds. Keys are shown once; this file is the one place
/// where they stay, readable by its owner only.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Demo {
    pub base_url: String,
    pub chave_teste: String,
    pub chave_producao: String,
    pub emitente_id: EmitterId,
    pub conta_id: AccountId,
    #[serde(default)]
    pub painel_url: String,
    #[serde(default)]
    pub painel_usuario: String,
    #[serde(default)]
    pub painel_senha: String,
}

/// Opens an account with the gift the settings say.
///
/// # Errors
/// The database failed.
pub async fn open_account(
    app: &Services,
    name: &str,
    requests_per_minute: i64,
) -> anyhow::Result<NewAccount> {
    let opening = Opening {
        name: name.to_owned(),
        requests_per_minute,
        gift_credits: app.config.accounts.gift_credits,
        now_ms: app.now_ms(),
    };
    opening::open(&app.db, &app.pepper, opening).await
}

/// The demonstration account, made on the first run and read from
/// `demo.json` afterwards.
///
/// # Errors
/// The database or the file failed, or an outside simulator gives the company
/// no certificate.
pub async fn ensure(app: &Services, base_url: &str) -> anyhow::Result<Demo> {
    let path = app.config.storage.data_dir.join("demo.json");
    if let Some(mut demo) = known(app, &path, base_url).await? {
        let conta = demo.conta_id.clone();
        certified(app, &demo).await?;
        person(app, &mut demo, &conta).await?;
        files::replace(&path, serde_json::to_string_pretty(&demo)?.as_bytes())?;
        return Ok(demo);
    }
    let pfx = pfx(app).await?;
    let per_minute = app.config.accounts.requests_per_minute;
    let per_minute = per_minute.max(REQUESTS_PER_MINUTE);
    let account = open_account(app, "Demonstração", per_minute).await?;
    let new = NewEmitter {
        cnpj: CNPJ.to_owned(),
        alias: Some("Demonstração".to_owned()),
        ambiente: Ambiente::Production,
        default: Some(true),
        certificado: Some((pfx, PASSWORD.to_owned())),
        perfil: Some(profile()),
    };
    let emitter = emitters::register(app, &account.id, new, false)
        .await
        .map_err(|failure| anyhow::anyhow!("demonstration emitter: {failure:?}"))?;
    let mut demo = Demo {
        base_url: base_url.to_owned(),
        chave_teste: account.test_key,
        chave_producao: account.live_key,
        emitente_id: emitter.row.id,
        conta_id: account.id.clone(),
        painel_url: String::new(),
        painel_usuario: String::new(),
        painel_senha: String::new(),
    };
    person(app, &mut demo, &account.id).await?;
    files::replace(&path, serde_json::to_string_pretty(&demo)?.as_bytes())?;
    Ok(demo)
}

async fn pfx(app: &Services) -> anyhow::Result<Vec<u8>> {
    let issued = app
        .simulator
        .issue(CNPJ, "EMPRESA DEMONSTRACAO LTDA", PASSWORD);
    issued.await.context("demonstration certificate")
}

/// Gives the company another certificate where the simulator of this start is
/// not the one whose authority issued the last.
async fn certified(app: &Services, demo: &Demo) -> anyhow::Result<()> {
    if app.config.authorities.mode != AuthoritiesMode::Simulator {
        return Ok(());
    }
    let (conta, emitter) = (&demo.conta_id, &demo.emitente_id);
    let mut conn = app.db.read().await?;
    let Some(row) = store::tables::emitters::get(&mut conn, conta, emitter).await? else {
        return Ok(());
    };
    let stored = match row.certificate_id.as_ref() {
        Some(id) => store::tables::certificates::get(&mut conn, conta, id).await?,
        None => None,
    };
    drop(conn);
    if stored.is_some_and(|stored| app.simulator.issued(&split_chain(&stored.chain_der))) {
        return Ok(());
    }
    let replaced = emitters::replace_certificate(app, row, pfx(app).await?, PASSWORD.to_owned());
    let replaced = replaced.await.map(|_| ());
    replaced.map_err(|failure| anyhow::anyhow!("demonstration certificate: {failure:?}"))
}

/// Makes the user of the panel, with a password of their own, once.
async fn person(app: &Services, demo: &mut Demo, account: &AccountId) -> anyhow::Result<()> {
    demo.painel_url = format!("{}/painel", demo.base_url);
    if !demo.painel_senha.is_empty() {
        return Ok(());
    }
    demo.painel_senha = session::secret()?.chars().take(20).collect();
    // Another demonstration of the same database, of another data folder or of a start
    // that ended early, may have the usual address.
    for address in [PERSON.to_owned(), address_of(account)] {
        if joined(app, account, &address, &demo.painel_senha).await? {
            demo.painel_usuario = address;
            return Ok(());
        }
    }
    anyhow::bail!("demonstration person: the addresses are taken")
}

/// An address that no other account's person has.
fn address_of(account: &AccountId) -> String {
    PERSON.replacen('@', &format!("+{account}@").to_ascii_lowercase(), 1)
}

/// Makes a person of the account; false: the address is somebody's already.
async fn joined(
    app: &Services,
    account: &AccountId,
    address: &str,
    password: &str,
) -> anyhow::Result<bool> {
    let password = zeroize::Zeroizing::new(password.to_owned());
    let made = registration::person(&app.people, "Pessoa Demonstração", address, password).await?;
    let user = made.map_err(|wrong| anyhow::anyhow!("demonstration person: {wrong:?}"))?;
    let input = (user, account.to_owned());
    let written = app.db.write(input, |(user, account), conn| {
        Box::pin(async move {
            let new = store::tables::users::insert(conn, user).await?;
            if new {
                let (role, now_ms) = (Role::Owner, user.created_at_ms);
                store::tables::users::join(conn, account, &user.id, role, now_ms).await?;
            }
            Ok::<_, store::TxError<std::convert::Infallible>>(new)
        })
    });
    Ok(written.await?)
}

/// What `demo.json` says, unless its account is in another database.
async fn known(app: &Services, path: &Path, base_url: &str) -> anyhow::Result<Option<Demo>> {
    let Ok(text) = std::fs::read_to_string(path) else {
        return Ok(None);
    };
    let demo = Demo {
        base_url: base_url.to_owned(),
        ..serde_json::from_str(&text)?
    };
    let mut conn = app.db.read().await?;
    let account = store::tables::accounts::get(&mut conn, &demo.conta_id).await?;
    Ok(account.map(|_| demo))
}

fn profile() -> Perfil {
    let mut perfil = company("Empresa Demonstração Ltda", "3106200");
    if let Some(address) = &mut perfil.endereco {
        address.uf = Some("MG".to_owned());
    }
    perfil
}

/// The profile of a made-up company in a city, given by its IBGE code.
pub fn company(name: &str, city: &str) -> Perfil {
    Perfil {
        razao_social: Some(name.to_owned()),
        // The example of the state's own manual: a valid number of nobody.
        ie: Some("0623079040081".to_owned()),
        im: Some("12345".to_owned()),
        regime: Some(TaxRegime::Normal),
        endereco: Some(Address {
            cep: Some("30130010".to_owned()),
            logradouro: Some("Avenida Afonso Pena".to_owned()),
            numero: Some("1212".to_owned()),
            bairro: Some("Centro".to_owned()),
            codigo_ibge: Some(city.to_owned()),
            ..Address::default()
        }),
        nfse: Some(PerfilNfse {
            serie_rps: Some("1".to_owned()),
            ..PerfilNfse::default()
        }),
        padroes: defaults(),
        ..Perfil::default()
    }
}

/// What the company's products have in common.
fn defaults() -> Option<Defaults> {
    serde_json::from_value(json!({
        "cfop_interno": "5102", "cfop_interestadual": "6102", "origem": "0", "unidade": "UN",
        "icms": { "cst": "00", "aliquota": 18 }, "pis": { "cst": "01", "aliquota": 1.65 },
        "cofins": { "cst": "01", "aliquota": 7.6 }, "ibs_cbs": { "cst": "000", "cclass_trib": "000001" },
    }))
    .ok()
}

/// Components the calls of `curl` need that are not there, by name.
pub fn missing(registry: &Registry, now_ms: i64, installed: impl Fn(&str) -> bool) -> Vec<String> {
    let perfil = profile();
    let municipality = perfil.municipality().unwrap_or_default();
    let uf = route::uf(registry, municipality);
    let regime = route::regime(perfil.simples_option());
    let via = perfil.via(RequestedVia::Auto).into();
    // Where a registry has no way at all, the call's own answer says so.
    let nfe = route::sefaz(registry, uf, Model::Nfe).ok();
    let nfse = route::route(registry, municipality, regime, when::today(now_ms, uf), via).ok();
    let adapters = [
        nfe.map(|sefaz| sefaz.adapter),
        nfse.and_then(|route| route.adapter),
    ];
    let mut missing: Vec<String> = adapters
        .iter()
        .flatten()
        .map(|name| route::component_of(registry, name).to_owned())
        .filter(|component| !installed(component))
        .collect();
    missing.sort();
    missing.dedup();
    missing
}

/// Calls that work as they are printed: an NF-e and an NFS-e.
pub fn curl(demo: &Demo) -> [String; 2] {
    let nfe = r#"{"destinatario":{"cpf_cnpj":"12345678000195","nome":"Cliente Exemplo Ltda","indicador_ie":"9","endereco":{"cep":"30140071","logradouro":"Rua da Bahia","numero":"1000","bairro":"Centro","codigo_ibge":"3106200","uf":"MG"}},"itens":[{"descricao":"Café torrado 1 kg","ncm":"09012100","quantidade":2,"valor_unitario":18.90}],"pagamentos":[{"forma":"pix","valor":37.80}]}"#;
    let nfse = r#"{"tomador":{"cpf_cnpj":"12345678000195","nome":"Cliente Exemplo Ltda","endereco":{"cep":"30140071","logradouro":"Rua da Bahia","numero":"1000","bairro":"Centro","codigo_ibge":"3106200"}},"servico":{"descricao":"Desenvolvimento de software","codigo_tributacao_nacional":"010101"},"valores":{"servico":1500.00}}"#;
    [("nfe", nfe), ("nfse", nfse)].map(|(path, body)| {
        format!(
            "curl -si {}/api/v1/{path} \\\n  -H 'Authorization: Bearer {}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{body}'",
            demo.base_url, demo.chave_producao
        )
    })
}
