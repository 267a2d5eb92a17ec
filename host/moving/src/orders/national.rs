//! What of an NFS-e of the national environment is not one member after the other.

use super::read::{Reading, abroad, at, set};
use super::values::{given, simple, text_at};
use crate::names::Form;
use serde_json::{Map, Value, json};

/// Members of the approximate taxes by level of government: federal, of the state, of
/// the city.
const LEVELS: [(&str, &str); 3] = [
    ("federais", "federal"),
    ("estaduais", "estadual"),
    ("municipais", "municipal"),
];

/// Completes a body that was read by its table.
pub(super) fn complete(body: &Map<String, Value>, reading: &mut Reading<'_>) {
    set(&mut reading.body, "via", "nacional".into());
    suspended(body, reading);
    approximate(body, reading);
    recipient(body, reading);
    for party in ["tomador", "intermediario", "ibs_cbs.destinatario"] {
        abroad(party, reading);
    }
}

fn suspended(body: &Map<String, Value>, reading: &mut Reading<'_>) {
    let word = match text_at(body, "tipo_exigibilidade_suspensao").as_deref() {
        None => return,
        Some("1") => "suspensa_judicial",
        Some("2") => "suspensa_administrativa",
        Some(_) => {
            reading.fault("tipo_exigibilidade_suspensao", "A suspensão é 1 ou 2.");
            return;
        }
    };
    set(&mut reading.body, "valores.iss.exigibilidade", word.into());
}

/// One of four ways to say what taxes come to.
fn approximate(body: &Map<String, Value>, reading: &mut Reading<'_>) {
    const SIMPLES: &str = "percentual_total_tributos_simples_nacional";
    let of = |kind: &str| {
        let mut found = Vec::new();
        for (theirs, ours) in LEVELS {
            let name = format!("{kind}_total_tributos_{theirs}");
            if let Some(value) = given(body, &name) {
                found.push((name, ours, value));
            }
        }
        found
    };
    let (amounts, rates) = (of("valor"), of("percentual"));
    let ways = [
        !amounts.is_empty(),
        !rates.is_empty(),
        given(body, SIMPLES).is_some(),
    ];
    if ways.into_iter().filter(|given| *given).count() > 1 {
        reading.fault(
            SIMPLES,
            "A carga tributária aproximada vai em valores, em percentuais ou pela alíquota do Simples: informe um só.",
        );
        return;
    }
    match text_at(body, "indicador_total_tributacao").as_deref() {
        None => {}
        Some("0") if ways == [false; 3] => {
            set(
                &mut reading.body,
                "valores.tributos_aproximados",
                json!({ "modo": "nao_informado" }),
            );
        }
        Some("0") => reading.fault(
            "indicador_total_tributacao",
            "Com valores ou percentuais, envie sem este campo.",
        ),
        Some(_) => reading.fault("indicador_total_tributacao", "Só 0 pode ser enviado."),
    }
    for (mode, found) in [("valores", amounts), ("percentuais", rates)] {
        if !found.is_empty() {
            set(
                &mut reading.body,
                "valores.tributos_aproximados.modo",
                mode.into(),
            );
        }
        for (name, ours, value) in found {
            number(&name, ours, value, reading);
        }
    }
    if let Some(value) = given(body, SIMPLES) {
        set(
            &mut reading.body,
            "valores.tributos_aproximados.modo",
            "simples".into(),
        );
        number(SIMPLES, "percentual", value, reading);
    }
}

fn number(name: &str, ours: &str, value: &Value, reading: &mut Reading<'_>) {
    match simple(Form::Number, value) {
        Ok(value) => set(
            &mut reading.body,
            &format!("valores.tributos_aproximados.{ours}"),
            value,
        ),
        Err(expected) => reading.fault(name, expected),
    }
}

/// Whether the service is for somebody else than who takes it follows from whether
/// that person is named.
fn recipient(body: &Map<String, Value>, reading: &mut Reading<'_>) {
    let there = at(&reading.body, "ibs_cbs.destinatario").is_some();
    match text_at(body, "indicador_destinatario").as_deref() {
        None => {}
        Some("0") if there => reading.fault(
            "indicador_destinatario",
            "Com destinatário informado, o indicador é 1.",
        ),
        Some("1") if !there => reading.fault(
            "indicador_destinatario",
            "Com indicador 1, informe o destinatário.",
        ),
        Some("0" | "1") => {}
        Some(_) => reading.fault("indicador_destinatario", "O indicador é 0 ou 1."),
    }
}
