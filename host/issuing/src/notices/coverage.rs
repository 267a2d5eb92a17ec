//! `cobertura.mudou`: the municipality of a company issues service notes in
//! another way than when it was last looked at, for the company's own regime; or the
//! address they go to is out of service, or answers again.

use super::PAGE;
use crate::Issuing;
use crate::emitters::profile::Perfil;
use crate::route;
use base::config::Authorities;
use base::when;
use flow::registry::Registry;
use measured::access;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::convert::Infallible;
use store::ids::OutboxId;
use store::tables::emitter_coverage::{self, SeenRow};
use store::tables::outbox::{self, OutboxRow};
use store::{Conn, DbResult, Readable as _, TxError, stored};

/// The member that a coverage has while an address is out of service. It is absent
/// otherwise, so that a coverage seen before addresses were asked is no change.
const DOWN_SINCE: &str = "fora_do_ar_desde";

/// Addresses out of service, each with the moment it failed first. None: this hub asks
/// none, and what was seen of them stays.
type Down = Option<HashMap<String, i64>>;

/// Looks at every company. The first look at one tells nothing, nor does a
/// company that moved to another municipality.
///
/// # Errors
/// The database failed.
pub async fn look(app: &Issuing) -> anyhow::Result<()> {
    let now_ms = app.now_ms();
    let registry = app.registry.load();
    let mut down: Down = None;
    if measured::on(app) {
        let mut conn = app.db.read().await?;
        down = Some(access::down(&mut conn, app.config.probes.down_after).await?);
    }
    let mut after = String::new();
    loop {
        let mut conn = app.db.read().await?;
        let page = emitter_coverage::page(&mut conn, &after, PAGE).await?;
        drop(conn);
        let Some(last) = page.last() else {
            return Ok(());
        };
        after = last.emitter_id.to_string();
        for row in page {
            let now = match changed(&app.config.authorities, &registry, &down, &row, now_ms) {
                Ok(Some(now)) => now,
                Ok(None) => continue,
                // One that cannot be read does not hold up the others.
                Err(error) => {
                    tracing::error!(emitter.id = %row.emitter_id, %error, "the coverage of a company is not looked at");
                    continue;
                }
            };
            let told = app
                .db
                .write((row, now, now_ms), |(row, now, now_ms), conn| {
                    Box::pin(async move {
                        Ok::<_, TxError<Infallible>>(tell(conn, row, now, *now_ms).await?)
                    })
                });
            told.await?;
        }
    }
}

/// What holds for a company now, if that differs from what the company was told last.
fn changed(
    authorities: &Authorities,
    registry: &Registry,
    down: &Down,
    row: &SeenRow,
    now_ms: i64,
) -> DbResult<Option<Value>> {
    let perfil: Perfil = stored(&row.perfil, "profile of a company", &row.emitter_id)?;
    let Some(mut now) = answer(authorities, registry, down, &perfil, row, now_ms)? else {
        return Ok(None);
    };
    if row.seen.is_empty() {
        return Ok(Some(now));
    }
    let seen = seen(row)?;
    if down.is_none() && seen["codigo_ibge"] == now["codigo_ibge"] {
        keep_down(&mut now, &seen);
    }
    Ok(Some(now).filter(|now| *now != seen))
}

/// Copies what was seen of the address.
fn keep_down(now: &mut Value, seen: &Value) {
    if let (Some(members), Some(since)) = (now.as_object_mut(), seen.get(DOWN_SINCE)) {
        members.insert(DOWN_SINCE.to_owned(), since.clone());
    }
}

/// What the company was told last.
fn seen(row: &SeenRow) -> DbResult<Value> {
    stored(&row.seen, "coverage of a company", &row.emitter_id)
}

/// What registry and addresses say for a company; None without a municipality.
fn answer(
    authorities: &Authorities,
    registry: &Registry,
    down: &Down,
    perfil: &Perfil,
    row: &SeenRow,
    now_ms: i64,
) -> DbResult<Option<Value>> {
    let Some(municipality) = perfil.municipality() else {
        return Ok(None);
    };
    let ibge = municipality.parse();
    let ibge = ibge.readable("municipality of a company", &row.emitter_id)?;
    let today = when::today(now_ms, route::uf(registry, municipality));
    let regime = route::regime(perfil.simples_option());
    let found = registry.cobertura_without(ibge, today, |url| authorities.never_sends(url));
    Ok(found.and_then(|found| {
        let own = found.regimes.iter().find(|own| own.regime == regime)?;
        let mut now = json!({
        "codigo_ibge": municipality, "cidade": found.city, "uf": found.uf, "regime": regime.as_str(),
        "resposta": own.answer.as_str(), "resposta_codigo": own.answer.codigo(), "via": own.via.map(|via| via.as_str()),
        "provedor": found.provedor,
        });
        let addresses = registry.addresses_of(ibge, regime, today);
        let down = down.iter().flatten().filter(|(url, _)| addresses.contains(*url));
        if let Some(since_ms) = down.map(|(_, since_ms)| *since_ms).min() {
            now[DOWN_SINCE] = json!(when::rfc3339(since_ms));
        }
        Some(now)
    }))
}

async fn tell(conn: &mut Conn, row: &SeenRow, now: &Value, now_ms: i64) -> DbResult<()> {
    if row.seen.is_empty() {
        return emitter_coverage::first(conn, &row.emitter_id, &now.to_string(), now_ms).await;
    }
    let text = now.to_string();
    if !emitter_coverage::change(conn, &row.emitter_id, &row.seen, &text, now_ms).await? {
        return Ok(());
    }
    let before = seen(row)?;
    if before["codigo_ibge"] != now["codigo_ibge"] || before["regime"] != now["regime"] {
        return Ok(());
    }
    let event = OutboxRow {
        id: OutboxId::new(now_ms),
        account_id: row.account_id.clone(),
        tipo: "cobertura.mudou".to_owned(),
        subject_id: row.emitter_id.to_string(),
        payload: json!({ "emitente_id": row.emitter_id, "antes": before, "agora": now })
            .to_string(),
        created_at_ms: now_ms,
        emitter_id: row.emitter_id.clone().into(),
        ..OutboxRow::default()
    };
    outbox::insert(conn, &event).await
}
