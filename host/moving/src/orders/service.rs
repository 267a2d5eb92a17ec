//! What of an NFS-e of a city is not one member after the other.

use super::issuer::Issuer;
use super::read::{Reading, abroad, at, set};
use super::values::{decimal_at, flag_of, given, is_given, text_at, text_of};
use issuing::emitters::profile::TaxRegime;
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::{Map, Value, json};

/// Completes a body that was read by its table.
pub(super) fn complete(
    given_body: &Map<String, Value>,
    issuer: &Issuer,
    reading: &mut Reading<'_>,
) {
    let empty = Map::new();
    let work = given_body.get("servico").and_then(Value::as_object);
    let work = work.unwrap_or(&empty);
    nature(given_body, work, issuer, reading);
    regime(given_body, issuer, reading);
    withheld(work, reading);
    item(work, reading);
    amounts(work, reading);
    abroad("tomador", reading);
    abroad("intermediario", reading);
    // Their note has one date; the month of the tax is that of the emission.
    let day = at(&reading.body, "data_emissao").and_then(Value::as_str);
    if let Some(day) = day.and_then(|moment| moment.get(..10)).map(str::to_owned) {
        set(&mut reading.body, "data_competencia", day.into());
    }
}

/// `natureza_operacao` of the first ABRASF layout.
fn nature(
    body: &Map<String, Value>,
    work: &Map<String, Value>,
    issuer: &Issuer,
    reading: &mut Reading<'_>,
) {
    let Some(nature) = text_at(body, "natureza_operacao") else {
        return;
    };
    let (taxation, exigibility) = match nature.as_str() {
        "1" => (None, None),
        "2" => {
            outside(work, issuer, reading);
            (None, None)
        }
        "3" => (None, Some("isencao")),
        "4" => (Some("imunidade"), Some("imunidade")),
        "5" => (None, Some("suspensa_judicial")),
        "6" => (None, Some("suspensa_administrativa")),
        _ => {
            reading.fault("natureza_operacao", "A natureza da operação vai de 1 a 6.");
            return;
        }
    };
    if let Some(taxation) = taxation {
        set(&mut reading.body, "valores.iss.tributacao", taxation.into());
    }
    if let Some(exigibility) = exigibility {
        set(
            &mut reading.body,
            "valores.iss.exigibilidade",
            exigibility.into(),
        );
    }
}

/// The tax is due to the city where the service was rendered.
fn outside(work: &Map<String, Value>, issuer: &Issuer, reading: &mut Reading<'_>) {
    let place = text_at(work, "codigo_municipio");
    match place {
        Some(place) if issuer.agrees("municipio", &place) != Some(true) => {
            set(&mut reading.body, "servico.codigo_municipio_incidencia", place.into());
        }
        _ => reading.fault(
            "natureza_operacao",
            "Com tributação fora do município (2), informe em servico.codigo_municipio o outro município.",
        ),
    }
}

/// The place of the company in the Simples, and its special regime.
fn regime(body: &Map<String, Value>, issuer: &Issuer, reading: &mut Reading<'_>) {
    let special = text_at(body, "regime_especial_tributacao");
    let simples = flag(body, "optante_simples_nacional", reading);
    let incentive = flag(body, "incentivador_cultural", reading);
    if special.is_none() && simples.is_none() && incentive.is_none() {
        return;
    }
    let own = issuer.perfil.regime;
    let by_special = match special.as_deref() {
        Some("5") => Some("mei"),
        Some("6") => Some("me_epp"),
        _ => None,
    };
    let option = match (simples, by_special) {
        (Some(false), Some(_)) => {
            reading.fault(
                "optante_simples_nacional",
                "O regime especial informado é do Simples Nacional.",
            );
            return;
        }
        (Some(false), None) => "nao_optante",
        (_, Some(option)) => option,
        (Some(true), None) if own == Some(TaxRegime::Mei) => "mei",
        (Some(true), None) => "me_epp",
        (None, None) => match own {
            Some(TaxRegime::Mei) => "mei",
            Some(TaxRegime::SimplesNacional | TaxRegime::SimplesExcesso) => "me_epp",
            Some(TaxRegime::Normal) | None => "nao_optante",
        },
    };
    let special = match special.as_deref() {
        None => default_special(issuer),
        Some("1") => json!("microempresa_municipal"),
        Some("2") => json!("estimativa"),
        Some("3") => json!("sociedade_de_profissionais"),
        Some("4") => json!("ato_cooperado"),
        Some("5" | "6") => json!("nenhum"),
        Some(_) => {
            reading.fault(
                "regime_especial_tributacao",
                "O regime especial vai de 1 a 6.",
            );
            return;
        }
    };
    let assessment = match (option, own) {
        ("me_epp", Some(TaxRegime::SimplesExcesso)) => json!("federais_pelo_sn_municipal_fora"),
        ("me_epp", _) => json!("federais_e_municipal_pelo_sn"),
        _ => Value::Null,
    };
    let regime = json!({
        "opcao_simples": option, "apuracao_simples": assessment, "especial": special,
        "incentivador_cultural": incentive.unwrap_or(false),
    });
    set(&mut reading.body, "regime", regime);
}

/// That of the fiscal profile.
fn default_special(issuer: &Issuer) -> Value {
    let nfse = issuer.perfil.nfse.as_ref();
    let own = nfse
        .and_then(|nfse| nfse.regime_especial)
        .unwrap_or_default();
    serde_json::to_value(own).unwrap_or_else(|_| json!("nenhum"))
}

/// A yes or no.
fn flag(body: &Map<String, Value>, name: &str, reading: &mut Reading<'_>) -> Option<bool> {
    let value = given(body, name)?;
    let flag = flag_of(value, ("1", "0"));
    if flag.is_none() {
        reading.fault(name, "Informe true ou false.");
    }
    flag
}

fn withheld(work: &Map<String, Value>, reading: &mut Reading<'_>) {
    let Some(value) = given(work, "iss_retido") else {
        return;
    };
    match flag_of(value, ("1", "2")) {
        Some(true) => set(&mut reading.body, "valores.iss.retencao", "tomador".into()),
        Some(false) => set(
            &mut reading.body,
            "valores.iss.retencao",
            "nao_retido".into(),
        ),
        None => reading.fault("servico.iss_retido", "Informe true ou false."),
    }
}

/// The item of the list of services: `0107`, `1.07`, or the six digits of the national
/// list.
fn item(work: &Map<String, Value>, reading: &mut Reading<'_>) {
    let Some(value) = given(work, "item_lista_servico") else {
        return;
    };
    let Some(text) = text_of(value) else {
        reading.fault(
            "servico.item_lista_servico",
            "Informe um texto ou um número.",
        );
        return;
    };
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let (path, code) = match (digits, text.len()) {
        (true, 6) => ("servico.codigo_tributacao_nacional", text),
        (true, 3 | 4) => {
            let (chapter, item) = text.split_at(text.len() - 2);
            let chapter = chapter.trim_start_matches('0');
            ("servico.item_lista_servico", format!("{chapter}.{item}"))
        }
        _ => {
            let trimmed = text.trim_start_matches('0');
            ("servico.item_lista_servico", trimmed.to_owned())
        }
    };
    set(&mut reading.body, path, code.into());
}

/// Amounts that the city or the hub works out: they must be what comes of the others.
fn amounts(work: &Map<String, Value>, reading: &mut Reading<'_>) {
    let amount = |name: &str| decimal_at(work, name).unwrap_or_default();
    for name in ["base_calculo", "valor_iss", "valor_iss_retido"] {
        if work.get(name).is_some_and(is_given) && decimal_at(work, name).is_none() {
            reading.fault(
                format!("servico.{name}"),
                "Informe um número, com ponto nas casas decimais.",
            );
            return;
        }
    }
    let price = amount("valor_servicos");
    let base = price
        .checked_sub(amount("valor_deducoes"))
        .and_then(|rest| rest.checked_sub(amount("desconto_incondicionado")));
    let base = base.unwrap_or_default();
    if let Some(stated) = decimal_at(work, "base_calculo")
        && stated != base
        && stated != price
    {
        reading.fault(
            "servico.base_calculo",
            format!("A base do ISS é o valor dos serviços menos deduções e desconto incondicionado ({base})."),
        );
    }
    let stated = decimal_at(work, "valor_iss").unwrap_or_default();
    let rate = decimal_at(work, "aliquota");
    if !stated.is_zero() && !comes_of(stated, base, rate) {
        reading.fault(
            "servico.valor_iss",
            "O hub não leva um ISS que não resulte de base e alíquota: confira, ou envie sem este campo.",
        );
    }
    let kept = decimal_at(work, "valor_iss_retido").unwrap_or_default();
    let is_kept = given(work, "iss_retido").and_then(|value| flag_of(value, ("1", "2")));
    let fits = is_kept == Some(true) && comes_of(kept, base, rate);
    if !kept.is_zero() && !fits {
        reading.fault(
            "servico.valor_iss_retido",
            "O ISS retido resulta de base e alíquota, com iss_retido true.",
        );
    }
}

/// Whether a tax is the rate of its base, but for the rounding of a cent.
fn comes_of(tax: Decimal, base: Decimal, rate: Option<Decimal>) -> bool {
    let Some(own) = rate
        .and_then(|rate| base.checked_mul(rate))
        .and_then(|product| product.checked_div(Decimal::ONE_HUNDRED))
    else {
        return false;
    };
    let own = own.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    (own - tax).abs() <= Decimal::new(1, 2)
}
