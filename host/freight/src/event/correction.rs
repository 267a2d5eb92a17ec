//! Correction letter of a CT-e: which fields it may name.

use super::kinds::search;
use super::{Described, described};
use crate::cte::fields::INF_CTE;
use fiscal::fields::{Field as Line, Kind as LineKind};
use fiscal::nfe::event::Family;
use markup::field::{Field, Fields};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Um campo corrigido.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "CteCorrecao")]
pub struct Correction {
    /// Elemento do leiaute em que o campo está (`grupoAlterado`): `infCarga`.
    pub grupo: Option<String>,
    /// Elemento do leiaute (`campoAlterado`): `proPred`.
    pub campo: Option<String>,
    /// O que deve ser lido (`valorAlterado`), até 500 caracteres.
    pub valor: Option<String>,
    /// Posição na lista, de 1 a 99, quando o campo se repete (`nroItemAlterado`).
    pub item: Option<u32>,
}

/// Most corrections that are looked at.
const MAX_LOOKED_AT: usize = super::kinds::MAX_CORRECTIONS as usize;

/// Kind and fields of a correction letter (110110).
///
/// # Errors
/// Everything to correct: fields that a letter may not change, fields that the
/// layout does not have, texts of another length.
pub fn correction_letter(corrections: &[Correction]) -> Result<Described, Vec<Field>> {
    let mut wrong = Fields::default();
    let kind = search(Family::Cte, "110110").ok_or_else(Vec::new)?;
    for (position, correction) in corrections.iter().take(MAX_LOOKED_AT).enumerate() {
        let place = format!("correcoes[{position}]");
        let group = correction.grupo.as_deref().unwrap_or_default().trim();
        let field = correction.campo.as_deref().unwrap_or_default().trim();
        if !group.is_empty() && !field.is_empty() {
            judge(&mut wrong, &place, group, field);
        }
        if correction
            .item
            .is_some_and(|item| !(1..=99).contains(&item))
        {
            wrong.add(
                format!("{place}.item"),
                "valor_invalido",
                "O item vai de 1 a 99.",
                "Informe a posição na lista, a partir de 1, ou omita o campo.",
            );
        }
    }
    let list: Vec<_> = corrections
        .iter()
        .map(|correction| {
            let item = correction.item.map(|item| item.to_string());
            json!({
                "grupo": correction.grupo, "campo": correction.campo,
                "valor": correction.valor, "item": item,
            })
        })
        .collect();
    described(kind, json!({ "correcoes": list }), wrong, str::to_owned)
}

/// What keeps a field from being corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bar {
    /// I - what determines the tax.
    Value,
    /// II - who takes part.
    Party,
    /// III - the date of emission, and what the key is made of.
    Identity,
}

/// Groups whose `CNPJ`, `CPF` and `IE` are those of a party that may not
/// become another (Convênio SINIEF 6/1989, art. 58-B, II).
const PARTIES: &[&str] = &["dest", "emit", "rem", "toma3", "toma4"];
/// Elements of `ide` that the key is made of or that make it another document.
const IDENTITY: &[&str] = &[
    "cCT", "cDV", "cUF", "dhEmi", "mod", "modal", "nCT", "serie", "tpAmb", "tpCTe", "tpEmis",
];

/// Art. 58-B of the Convênio SINIEF 6/1989. Whether a quantity of the cargo
/// determines the tax is left to the authority.
fn judge(wrong: &mut Fields, place: &str, group: &str, field: &str) {
    let Some(amount) = inside_amounts(INF_CTE, "infCte", false, group, field) else {
        wrong.add(
            format!("{place}.campo"),
            "campo_desconhecido",
            format!("O leiaute do CT-e não tem {field} em {group}."),
            "Informe os nomes dos elementos do XML do CT-e, como grupo infCarga e campo proPred.",
        );
        return;
    };
    let party =
        PARTIES.contains(&group) && matches!(field, "CNPJ" | "CPF" | "IE" | "IEST" | "toma");
    let bar = if amount {
        Bar::Value
    } else if party {
        Bar::Party
    } else if group == "ide" && IDENTITY.contains(&field) {
        Bar::Identity
    } else {
        return;
    };
    let message = match bar {
        Bar::Value => "A carta de correção não altera valores nem o que determina o imposto.",
        Bar::Party => "A carta de correção não troca emitente, tomador, remetente ou destinatário.",
        Bar::Identity => {
            "A carta de correção não altera a data de emissão nem a identificação do CT-e."
        }
    };
    wrong.add(
        format!("{place}.campo"),
        "correcao_proibida",
        message,
        "Cancele o CT-e, ou emita um complementar ou de substituição (Convênio SINIEF 6/1989, art. 58-B).",
    );
}

/// Whether the element stands among amounts and taxes; None when the layout has
/// no such element in such a group.
fn inside_amounts(
    lines: &'static [Line],
    around: &str,
    amounts: bool,
    group: &str,
    field: &str,
) -> Option<bool> {
    // Told in words alone; decides no amount.
    let words = matches!(field, "infAdFisco");
    for line in lines {
        let tag = line.tag.trim_start_matches('@');
        let is_group = !matches!(
            line.kind,
            LineKind::Text | LineKind::Number | LineKind::Flag(..) | LineKind::Word(_)
        );
        if around == group && tag == field {
            return Some((amounts || is_amounts(tag)) && !words);
        }
        // Elements that are a list of texts have children the table does not name.
        if tag == group && matches!(line.kind, LineKind::TextsOf) {
            return Some(amounts);
        }
        if is_group {
            let inside = amounts || is_amounts(tag);
            let found = inside_amounts(line.kind.children(), tag, inside, group, field);
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// Groups of amounts and taxes as a whole.
fn is_amounts(tag: &str) -> bool {
    matches!(tag, "vPrest" | "imp")
}
