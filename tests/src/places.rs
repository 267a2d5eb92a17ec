//! The form of the places that errors name: members joined by dots, items of a list
//! counted from 0 in brackets, as `itens[0].impostos.icms.cst`.

use serde_json::Value;

/// What the tests ask of every refusal of the API: each place has that form, also of a
/// member that the caller made up. Headers are named as a webhook has them.
///
/// # Panics
/// A place has another form.
pub fn assert_one_form(body: &Value) {
    let mut wrong = Vec::new();
    collect(body, &mut wrong);
    assert!(
        wrong.is_empty(),
        "places of another form: {wrong:?}\n{body}"
    );
}

fn collect(value: &Value, wrong: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if name == "campos" {
                    wrong.extend(member.as_array().into_iter().flatten().filter_map(odd));
                }
                collect(member, wrong);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, wrong)),
        _ => {}
    }
}

/// The place of a field to correct, where it has another form.
fn odd(field: &Value) -> Option<String> {
    let place = field["campo"].as_str()?;
    // Names of headers that a webhook sends are the caller's, whatever they hold.
    let invented = place.starts_with("cabecalhos.");
    (!invented && field["correcao"].is_string() && !place.split('.').all(is_step))
        .then(|| place.to_owned())
}

/// A name, with the positions of lists behind it.
fn is_step(step: &str) -> bool {
    let (name, mut positions) = match step.find('[') {
        Some(at) => step.split_at(at),
        None => (step, ""),
    };
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '@');
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '@'));
    while let Some((_, rest)) = positions
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .filter(|(position, _)| position.parse::<usize>().is_ok())
    {
        positions = rest;
    }
    begins && name.chars().all(letters) && positions.is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_step;

    #[test]
    fn a_step_is_a_name_and_positions() {
        for step in ["itens[0]", "ncm", "a[0][12]", "Idempotency-Key", "@Id"] {
            assert!(is_step(step), "{step}");
        }
        for step in ["", "0", "det/prod", "itens[x]", "itens[0", "[0]", "?"] {
            assert!(!is_step(step), "{step}");
        }
    }
}
