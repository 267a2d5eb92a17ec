//! serde's sentences in the customer's language.

/// Longest sentence: the forms of payment take most of it.
const CHARS: usize = 800;
/// Characters shown of what was given.
const GIVEN_CHARS: usize = 100;

/// What is wrong with a member, in pt-BR. A sentence that is already ours
/// stays as it is.
pub fn pt_br(reason: &str) -> String {
    sentence(reason).chars().take(CHARS).collect()
}

fn sentence(reason: &str) -> String {
    if let Some(rest) = reason.strip_prefix("invalid type: ") {
        return mismatch("Tipo inválido", rest);
    }
    if let Some(rest) = reason.strip_prefix("invalid value: ") {
        return mismatch("Valor inválido", rest);
    }
    if let Some(rest) = reason.strip_prefix("unknown variant ") {
        // What was given may have any text in it; what is expected has not.
        let (given, known) = rest.rsplit_once(", expected ").unwrap_or((rest, ""));
        let given = shortened(given);
        let known = known
            .trim_start_matches("one of ")
            .replace("` or `", "`, `");
        return format!("Valor desconhecido: {given}, aceitos: {known}");
    }
    if reason.starts_with("invalid length ") {
        return "Quantidade de itens inválida.".to_owned();
    }
    if reason.starts_with("invalid number") || reason.starts_with("number out of range") {
        return "Número que não cabe no campo: confira sinal, casas decimais e tamanho.".to_owned();
    }
    reason.to_owned()
}

fn shortened(given: &str) -> String {
    given.chars().take(GIVEN_CHARS).collect()
}

fn mismatch(title: &str, rest: &str) -> String {
    let Some((given, known)) = rest.rsplit_once(", expected ") else {
        return format!("{title}: {}", found(rest));
    };
    let expected = expected(known);
    // A text in the place of a group may be a password: it is not said back.
    let found = match found(given) {
        text if text.starts_with("texto ") && ["objeto", "lista"].contains(&expected) => {
            "texto".to_owned()
        }
        found => found,
    };
    format!("{title}: {found}, esperado {expected}")
}

/// What came.
fn found(given: &str) -> String {
    for (theirs, ours) in [
        ("string ", "texto "),
        ("integer ", "número "),
        ("floating point ", "número "),
        ("boolean ", "lógico "),
        ("character ", "texto "),
    ] {
        if let Some(value) = given.strip_prefix(theirs) {
            return format!("{ours}{}", shortened(value));
        }
    }
    match given {
        "null" | "unit value" => "nulo",
        "map" => "objeto",
        "sequence" => "lista",
        "number" => "número",
        _ => "outro tipo",
    }
    .to_owned()
}

/// What would have been right.
fn expected(known: &str) -> &'static str {
    match known {
        "a string" | "a character" => "texto",
        "a boolean" => "true ou false",
        "a sequence" => "lista",
        "a map" => "objeto",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => {
            "número inteiro sem sinal, que caiba no campo"
        }
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "número inteiro que caiba no campo",
        "f32" | "f64" => "número",
        _ if known.starts_with("struct ") => "objeto",
        _ if known.starts_with("an array") || known.starts_with("a tuple") => "lista",
        _ => "o tipo da documentação",
    }
}
