//! The data base: a number is used once, a voided one never.

use super::Context;
use crate::notes::{Status, note_id};
use crate::sefaz::SYSTEM;
use crate::sefaz::chave::{natural, split};
use crate::sefaz::cstat::Refusal;
use crate::sefaz::memory::{Call, voided};

pub(super) fn check(call: &Call<'_>, ctx: &Context<'_>) -> Result<(), Refusal> {
    let key = ctx.nfe.chave();
    let Some(parts) = split(&key) else {
        return Err("502".into());
    };
    let local = ctx.place.local();
    let id = note_id(SYSTEM, local, &ctx.nfe.emitter(), &natural(&parts));
    if let Some(there) = call.notes.note(&id) {
        let receipt = there.dados.get("nRec").map_or("", String::as_str);
        let other = there.chave.clone().unwrap_or_default();
        if there.disponivel_ms > call.now_ms {
            return Err("635".into());
        }
        if other != key {
            // Both spellings are seen.
            let space = if call.draw(&key, 2) == 0 { " " } else { "" };
            return Err(Refusal::with(
                "539",
                format!(" [chNFe:{space}{other}][nRec:{receipt}]"),
            ));
        }
        let code = if there.situacao == Status::Normal {
            "204"
        } else {
            "218"
        };
        return Err(Refusal::with(code, format!(" [nRec:{receipt}]")));
    }
    let serie = parts.serie.parse().unwrap_or(0);
    let number: u64 = parts.number.parse().unwrap_or(0);
    let emitter = ctx.nfe.emitter();
    let series = (local, emitter.as_str(), parts.model, serie);
    if voided(call.store(), series, parts.year, number..=number).is_some() {
        return Err("206".into());
    }
    Ok(())
}
