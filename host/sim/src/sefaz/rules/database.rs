//! The data base: a number is used once, a voided one never.

use super::Contexto;
use crate::notes::{Situacao, note_id};
use crate::sefaz::SISTEMA;
use crate::sefaz::chave::split;
use crate::sefaz::cstat::Recusa;
use crate::sefaz::memory::Call;
use crate::sefaz::query::natural;

pub(super) fn check(call: &Call<'_>, ctx: &Contexto<'_>) -> Result<(), Recusa> {
    let key = ctx.nfe.chave();
    let Some(parts) = split(&key) else {
        return Err("502".into());
    };
    let local = ctx.lugar.local();
    let id = note_id(SISTEMA, local, &ctx.nfe.emitente(), &natural(&parts));
    if let Some(there) = call.notes.note(&id) {
        let receipt = there.dados.get("nRec").map_or("", String::as_str);
        let other = there.chave.clone().unwrap_or_default();
        if there.disponivel_ms > call.now_ms {
            return Err("635".into());
        }
        if other != key {
            // Both spellings are seen.
            let space = if call.draw(&key, 2) == 0 { " " } else { "" };
            return Err(Recusa::com(
                "539",
                format!(" [chNFe:{space}{other}][nRec:{receipt}]"),
            ));
        }
        let code = if there.situacao == Situacao::Normal {
            "204"
        } else {
            "218"
        };
        return Err(Recusa::com(code, format!(" [nRec:{receipt}]")));
    }
    let serie = parts.serie.parse().unwrap_or(0);
    let number: u64 = parts.numero.parse().unwrap_or(0);
    let voided = call
        .memory
        .voided(local, &ctx.nfe.emitente(), parts.modelo, serie)
        .any(|v| v.ano == parts.ano && (v.inicial..=v.final_).contains(&number));
    if voided {
        return Err("206".into());
    }
    Ok(())
}
