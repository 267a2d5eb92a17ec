//! Terms by which documents are found that a rule asks for by something else
//! than key and number: EPECs, open manifests, documents that name a CT-e.

use std::collections::{BTreeMap, BTreeSet};

use super::SYSTEM;
use super::chave::{Chave, natural, split};
use crate::notes::{Event, Nota, Notes, Status};

/// `tpEvento` of EPEC, and of the closing of a manifest.
const EPEC: &str = "110113";
const CLOSED: &str = "110112";
/// Elements in which CT-e and MDF-e name a CT-e.
const NAMING: [&str; 2] = ["<chCte>", "<chCTe>"];
/// Length of a key.
const KEY: usize = 44;

/// An EPEC by the number that it announces.
pub(super) fn announced(local: &str, parts: &Chave<'_>) -> String {
    let (document, cuf) = (parts.document(), parts.cuf);
    format!("epec|{local}|{document}|{cuf}|{}", natural(parts))
}

/// EPECs by their author.
pub(super) fn announced_by(local: &str, author: &str) -> String {
    format!("epec|{local}|{author}")
}

/// Open manifests by who issued them: the same company, or the same person.
pub(super) fn open_of(local: &str, emitter: &str) -> String {
    let company = match emitter.len() {
        14 => emitter.get(..8),
        _ => None,
    };
    format!("aberto|{local}|{}", company.unwrap_or(emitter))
}

/// Documents of a model that name a CT-e.
pub(super) fn naming(local: &str, model: &str, key: &str) -> String {
    format!("cita|{local}|{model}|{key}")
}

/// Marks a note.
pub(super) fn of_note(notes: &Notes<'_>, nota: &Nota, seq: i64) {
    let model = nota.dados.get("modelo").map_or("", String::as_str);
    if !matches!(model, "57" | "58") {
        return;
    }
    let keys: BTreeSet<&str> = NAMING
        .iter()
        .flat_map(|tag| nota.xml.split(tag).skip(1))
        .filter_map(|rest| rest.get(..KEY))
        .collect();
    for key in keys {
        notes.mark(&naming(&nota.local, model, key), seq);
    }
    if model == "58" && nota.situacao == Status::Normal && !nota.dados.contains_key(CLOSED) {
        notes.mark(&open_of(&nota.local, &nota.prestador), seq);
    }
}

/// Marks an event.
pub(super) fn of_event(notes: &Notes<'_>, event: &Event, seq: i64) {
    let data = |name: &str| event.dados.get(name).map_or("", String::as_str);
    if event.tipo != EPEC {
        return;
    }
    let local = data("local");
    if let Some(parts) = split(&event.chave) {
        notes.mark(&announced(local, &parts), seq);
    }
    notes.mark(&announced_by(local, data("autor")), seq);
}

/// A manifest that was cancelled or closed is not open any more.
pub(super) fn close(
    notes: &Notes<'_>,
    id: &str,
    seq: i64,
    status: Status,
    added: &BTreeMap<String, String>,
) {
    if status == Status::Normal && !added.contains_key(CLOSED) {
        return;
    }
    // `Nota::id`: system, place, issuer, model and number.
    if let [system, local, emitter, natural] = id.split('|').collect::<Vec<_>>().as_slice()
        && *system == SYSTEM
        && natural.starts_with("58/")
    {
        notes.remove_mark(&open_of(local, emitter), seq);
    }
}
