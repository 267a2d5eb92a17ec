//! What a customer says about a webhook: address, kinds, companies, headers.

use super::catalogue;
use super::fresh;
use crate::attempt::guard::Guard;
use crate::attempt::sealed::{Sealed, open, seal};
use crate::attempt::signature;
use crate::parts::Events;
use base::config::Webhooks;
use base::errors::{Code, Failure, Refusal};
use base::random::OsRandom;
use std::collections::{BTreeMap, HashSet};
use store::TxError;
use store::ids::{AccountId, EmitterId, WebhookId};
use store::tables::webhooks as table;
use store::tables::webhooks::WebhookRow;
use store::tables::{deliveries, emitters, outbox};
use store::words::KeyKind;

/// Kinds of events of one webhook, or patterns of them.
const EVENTS: usize = 50;
/// Headers a webhook may add, and the length of each.
const HEADERS: usize = 20;
const HEADER_CHARS: usize = 1_024;
const EMITTERS: usize = 100;
const DESCRIPTION_CHARS: usize = 200;
const URL_CHARS: usize = 2_048;
/// How long the secret before a rotation goes on signing.
const OVERLAP_MS: i64 = 24 * 3_600_000;
/// Why a webhook the customer turned off is not active.
const TURNED_OFF: &str = "desativado pelo cliente";

/// What an answer says instead of the value of a header; given back, it means
/// the value that is kept.
pub const MASK: &str = "***";

/// What a call says; what is absent stays, or has its default.
#[derive(Default)]
pub struct Wish {
    pub url: Option<String>,
    pub eventos: Option<Vec<String>>,
    pub emitter_ids: Option<Vec<EmitterId>>,
    pub description: Option<String>,
    pub headers: Option<BTreeMap<String, String>>,
    pub active: Option<bool>,
}

/// Registers a webhook; the answer has its secret, shown this once, and what
/// the customer should know.
///
/// # Errors
/// Everything that is wrong with it at once; or the account has its fill.
pub async fn create(
    app: &Events,
    account: &AccountId,
    kind: KeyKind,
    wish: Wish,
) -> Result<(WebhookRow, Sealed, Vec<String>), Failure> {
    let now_ms = app.now_ms();
    if wish.url.is_none() {
        return Err(Refusal::field(
            Code::ParametroAusente,
            "url",
            "Campo obrigatório ausente.",
            "Informe o endereço https que recebe os eventos.",
        )
        .into());
    }
    let mut row = WebhookRow {
        id: WebhookId::new(now_ms),
        account_id: account.to_owned(),
        kind,
        eventos: "[]".to_owned(),
        emitente_ids: "[]".to_owned(),
        ativo: 1,
        version: 1,
        next_ms: table::NOTHING_MS,
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..WebhookRow::default()
    };
    let mut sealed = Sealed {
        segredo: signature::new_secret(&OsRandom)
            .map_err(anyhow::Error::from)?
            .to_string(),
        anterior: None,
        cabecalhos: BTreeMap::new(),
    };
    let notices = apply(app, &mut row, &mut sealed, wish).await?;
    row.sealed = seal(&app.keyring, &row, &sealed).map_err(anyhow::Error::from)?;
    let most = app.config.webhooks.per_account;
    let written = app.db.write((row.clone(), most), |(row, most), conn| {
        Box::pin(async move {
            // It is told of what happens from now on. Who gives places holds the order first, too.
            let made_upto = outbox::held(conn, &row.account_id).await?;
            store::tables::accounts::lock(conn, &row.account_id).await?;
            if table::count(conn, &row.account_id).await? >= *most {
                let refusal = Refusal::new(Code::EstadoInvalido)
                    .message(format!("A conta já tem {most} webhooks."))
                    .hint("Remova os que não usa mais, ou mude um deles.");
                return Err(TxError::Abort(refusal));
            }
            let row = WebhookRow {
                made_upto,
                ..row.clone()
            };
            Ok(table::insert(conn, &row).await?)
        })
    });
    written.await?;
    Ok((row, sealed, notices))
}

/// Changes a webhook. One that is turned off gives up what waits for it.
///
/// # Errors
/// As `create`; 412 when it changed meanwhile.
pub async fn update(
    app: &Events,
    mut row: WebhookRow,
    wish: Wish,
) -> Result<(WebhookRow, Sealed, Vec<String>), Failure> {
    let mut sealed = open(&app.keyring, &row)?;
    let was = row.ativo;
    let moved = wish.url.is_some();
    let notices = apply(app, &mut row, &mut sealed, wish).await?;
    if moved || (was == 0 && row.ativo == 1) {
        // A new address, or a second chance, begins without a past.
        row.failures = 0;
        row.cool_until_ms = 0;
    }
    row.sealed = seal(&app.keyring, &row, &sealed).map_err(anyhow::Error::from)?;
    let row = save(app, row).await?;
    Ok((row, sealed, notices))
}

/// Makes a new secret; the one before goes on signing for a day. At most two
/// secrets sign: the third value is a notice for the customer if an older one
/// stopped signing by this.
///
/// # Errors
/// 412 when the webhook changed meanwhile.
pub async fn rotate(
    app: &Events,
    mut row: WebhookRow,
) -> Result<(WebhookRow, Sealed, Option<&'static str>), Failure> {
    let mut sealed = open(&app.keyring, &row)?;
    let third = sealed.anterior.is_some() && row.anterior_ate_ms > app.now_ms();
    let notice = third.then_some(
        "Só dois segredos assinam: o que valia antes do anterior deixou de assinar agora.",
    );
    let fresh = signature::new_secret(&OsRandom).map_err(anyhow::Error::from)?;
    sealed.anterior = Some(std::mem::replace(&mut sealed.segredo, fresh.to_string()));
    row.anterior_ate_ms = app.now_ms() + OVERLAP_MS;
    row.sealed = seal(&app.keyring, &row, &sealed).map_err(anyhow::Error::from)?;
    let row = save(app, row).await?;
    Ok((row, sealed, notice))
}

async fn save(app: &Events, mut row: WebhookRow) -> Result<WebhookRow, Failure> {
    row.updated_at_ms = app.now_ms();
    let written = app.db.write(row.clone(), |row, conn| {
        Box::pin(async move {
            let upto = outbox::held(conn, &row.account_id).await?;
            if let Some(old) = table::by_id(conn, &row.id).await? {
                fresh::make_before_change(conn, &old, upto, row.updated_at_ms).await?;
            }
            // What happened while it was off is not for it.
            let row = &WebhookRow {
                made_upto: upto,
                ..row.clone()
            };
            if !table::save(conn, row).await? {
                return Err(TxError::Abort(Refusal::new(Code::VersaoDesatualizada)));
            }
            if row.ativo == 0 {
                deliveries::give_up_all(conn, &row.id, &row.motivo, row.updated_at_ms).await?;
            }
            Ok(())
        })
    });
    written.await?;
    app.webhooks.changed();
    row.version += 1;
    Ok(row)
}

/// Removes a webhook; what waits for it goes to the failure queue, where it
/// can be read.
///
/// # Errors
/// The account has no such webhook.
pub async fn delete(
    app: &Events,
    account: &AccountId,
    kind: KeyKind,
    id: &WebhookId,
) -> Result<(), Failure> {
    let written = app.db.write(
        (account.to_owned(), id.to_owned(), app.now_ms()),
        move |(account, id, now_ms), conn| {
            Box::pin(async move {
                let upto = outbox::held(conn, account).await?;
                if let Some(old) = table::get(conn, account, kind, id).await? {
                    fresh::make_before_change(conn, &old, upto, *now_ms).await?;
                }
                if !table::delete(conn, account, kind, id).await? {
                    return Err(TxError::Abort(unknown()));
                }
                Ok(deliveries::give_up_all(conn, id, "webhook removido", *now_ms).await?)
            })
        },
    );
    written.await?;
    app.webhooks.changed();
    Ok(())
}

/// The refusal of an id that is no webhook of the account.
pub fn unknown() -> Refusal {
    Refusal::new(Code::NaoEncontrado).message("Webhook não encontrado.")
}

/// Collects what is wrong with a wish.
struct Wrong(Refusal);

impl Wrong {
    fn add(&mut self, field: &str, message: &str, correction: &str) {
        let one = Refusal::field(Code::ParametroInvalido, field, message, correction);
        self.0.fields.extend(one.fields);
    }
}

async fn apply(
    app: &Events,
    row: &mut WebhookRow,
    sealed: &mut Sealed,
    wish: Wish,
) -> Result<Vec<String>, Failure> {
    let mut wrong = Wrong(Refusal::new(Code::ParametroInvalido));
    let mut notices = Vec::new();
    // What one server was trusted with is not sent to another.
    let mut elsewhere = false;
    if let Some(url) = wish.url {
        match address(&app.config.webhooks, &url).await {
            Ok((url, notice)) => {
                elsewhere = !row.url.is_empty() && origin(&row.url) != origin(&url);
                row.url = url;
                notices.extend(notice);
            }
            Err(sentence) => wrong.add(
                "url",
                sentence,
                "Use um endereço https público, sem usuário nem senha.",
            ),
        }
    }
    if let Some(patterns) = wish.eventos {
        let patterns = kinds(patterns, &mut wrong);
        row.eventos = serde_json::to_string(&patterns).unwrap_or_default();
    }
    if let Some(emitters) = wish.emitter_ids {
        known_emitters(app, &row.account_id, &emitters, &mut wrong).await?;
        row.emitente_ids = serde_json::to_string(&emitters).unwrap_or_default();
    }
    if let Some(text) = wish.description {
        if text.chars().count() > DESCRIPTION_CHARS {
            wrong.add(
                "descricao",
                "A descrição é longa demais.",
                "Use até 200 caracteres.",
            );
        }
        row.descricao = text;
    }
    if let Some(given) = wish.headers {
        sealed.cabecalhos = headers(given, &sealed.cabecalhos, elsewhere, &mut wrong);
    } else if elsewhere && !sealed.cabecalhos.is_empty() {
        wrong.add(
            "cabecalhos",
            "O webhook muda de servidor, e os valores guardados não vão com ele.",
            "Envie cabecalhos com os valores, ou {} para nenhum.",
        );
    }
    if let Some(active) = wish.active {
        row.ativo = i64::from(active);
        row.motivo = if active { "" } else { TURNED_OFF }.to_owned();
    }
    if wrong.0.fields.is_empty() {
        Ok(notices)
    } else {
        Err(wrong.0.into())
    }
}

/// Kinds of events and patterns of them, each once.
fn kinds(mut patterns: Vec<String>, wrong: &mut Wrong) -> Vec<String> {
    if patterns.len() > EVENTS {
        wrong.add(
            "eventos",
            "São eventos demais.",
            "Informe até 50; familia.* e * dizem muitos de uma vez.",
        );
        patterns.clear();
    }
    for (index, pattern) in patterns.iter().enumerate() {
        if !catalogue::exists(pattern) {
            wrong.add(
                &format!("eventos[{index}]"),
                "Este tipo de evento não existe.",
                "Use os de GET /api/v1/webhooks/tipos-evento, familia.* ou *.",
            );
        }
    }
    let mut seen = HashSet::new();
    patterns.retain(|pattern| seen.insert(pattern.clone()));
    patterns
}

/// Whether the companies are the account's.
async fn known_emitters(
    app: &Events,
    account: &AccountId,
    ids: &[EmitterId],
    wrong: &mut Wrong,
) -> Result<(), Failure> {
    if ids.len() > EMITTERS {
        wrong.add(
            "emitente_ids",
            "São emitentes demais.",
            "Informe até 100, ou nenhum para todos.",
        );
        return Ok(());
    }
    let mut conn = app.db.read().await?;
    for (index, id) in ids.iter().enumerate() {
        if emitters::get(&mut conn, account, id).await?.is_none() {
            wrong.add(
                &format!("emitente_ids[{index}]"),
                "Emitente não encontrado.",
                "Use os ids de GET /api/v1/emitters.",
            );
        }
    }
    Ok(())
}

/// The headers to keep: the mask stands for the value `old` has, unless the
/// webhook goes `elsewhere`.
fn headers(
    given: BTreeMap<String, String>,
    old: &BTreeMap<String, String>,
    elsewhere: bool,
    wrong: &mut Wrong,
) -> BTreeMap<String, String> {
    if given.len() > HEADERS {
        wrong.add("cabecalhos", "São cabeçalhos demais.", "Informe até 20.");
    }
    let mut kept: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in given {
        let alike = |(one, _): &(&String, &String)| one.eq_ignore_ascii_case(&name);
        let value = match old.iter().find(alike) {
            Some((_, old)) if value == MASK && !elsewhere => old.clone(),
            _ => value,
        };
        let sentence = match kept.iter().find(alike) {
            Some(_) => Err("Este cabeçalho está repetido."),
            None => header(&name, &value),
        };
        if let Err(sentence) = sentence {
            let name: String = name.chars().take(60).collect();
            wrong.add(
                &format!("cabecalhos.{name}"),
                sentence,
                "Corrija ou retire o cabeçalho.",
            );
        } else {
            kept.insert(name, value);
        }
    }
    kept
}

/// The address as it is kept, and a notice if its name is not known yet.
async fn address(config: &Webhooks, text: &str) -> Result<(String, Option<String>), &'static str> {
    if text.len() > URL_CHARS {
        return Err("O endereço é longo demais.");
    }
    let guard = Guard::new(config);
    let url = guard.read(text).map_err(|why| why.sentence())?;
    let known = guard.resolve(&url).await.map_err(|why| why.sentence())?;
    let notice = (!known).then(|| {
        let host = url.host_str().unwrap_or_default();
        format!(
            "O nome {host} não foi encontrado agora no DNS; as entregas falharão até que exista."
        )
    });
    Ok((url.into(), notice))
}

/// Scheme, host and port.
fn origin(url: &str) -> Option<String> {
    let url: reqwest::Url = url.parse().ok()?;
    Some(url.origin().ascii_serialization())
}

/// A header a customer may add: not one of ours, nor of the connection.
fn header(name: &str, value: &str) -> Result<(), &'static str> {
    let lower = name.to_ascii_lowercase();
    let token = !name.is_empty()
        && name.len() <= 100
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
    if !token {
        return Err("O nome do cabeçalho não é válido.");
    }
    let ours = ["x-webhook-", "webhook-", "content-", "proxy-"]
        .iter()
        .any(|prefix| lower.starts_with(prefix));
    let connection = matches!(
        lower.as_str(),
        "host"
            | "connection"
            | "keep-alive"
            | "transfer-encoding"
            | "te"
            | "trailer"
            | "upgrade"
            | "expect"
            | "user-agent"
            | "accept-encoding"
    );
    if ours || connection {
        return Err("Este cabeçalho é da própria entrega.");
    }
    if value == MASK {
        return Err("Não há valor guardado deste cabeçalho para este servidor.");
    }
    let visible = value.chars().all(|c| matches!(c, ' '..='~' | '\t'));
    if !visible || value.len() > HEADER_CHARS {
        return Err("O valor deve ter até 1.024 caracteres ASCII visíveis.");
    }
    Ok(())
}
