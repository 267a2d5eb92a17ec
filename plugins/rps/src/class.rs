//! What a system's messages mean for the note, by their words.

use sdk::soap::Fault;

/// What a list of messages says about the note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Received, no result yet.
    Pending,
    /// This RPS was informed before.
    Duplicate,
    /// The city does not know the RPS, the batch or the note.
    NotFound,
    /// It is cancelled already.
    AlreadyCancelled,
    /// Certificate, user or password.
    Credential,
    /// An explicit no.
    Refusal,
}

/// What a text says in itself; None: it is a refusal like any other, unless
/// the code of the message says more.
pub fn of_text(text: &str) -> Option<Class> {
    let text = simplify(text);
    if contains(
        &text,
        &[
            "ainda nao foi processad",
            "em processamento",
            "aguardando processamento",
            "sendo processad",
            "fila de processamento",
        ],
    ) {
        return Some(Class::Pending);
    }
    // About the note to be replaced, not about this one.
    if contains(&text, &["substituid"]) {
        return Some(Class::Refusal);
    }
    if not_found(&text) {
        return Some(Class::NotFound);
    }
    if duplicated(&text) {
        return Some(Class::Duplicate);
    }
    if contains(
        &text,
        &[
            "ja esta cancelad",
            "ja se encontra cancelad",
            "ja encontra-se cancelad",
            "ja cancelad",
            "ja foi cancelad",
        ],
    ) {
        return Some(Class::AlreadyCancelled);
    }
    is_credential(&text).then_some(Class::Credential)
}

fn contains(text: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| holds(text, part))
}

/// A text holds this part. Some services answer with the replacement character
/// in the place of each letter with an accent: it stands for any letter.
fn holds(text: &str, part: &str) -> bool {
    const LOST: char = char::REPLACEMENT_CHARACTER;
    if !text.contains(LOST) {
        return text.contains(part);
    }
    text.char_indices().any(|(at, _)| {
        let mut letters = text[at..].chars();
        part.chars()
            .all(|wanted| letters.next().is_some_and(|c| c == wanted || c == LOST))
    })
}

/// There is no such RPS, note, batch or protocol.
fn not_found(text: &str) -> bool {
    contains(text, &["rps"])
        && contains(
            text,
            &[
                "nao foi enviado",
                "inexistente",
                "nao encontrado",
                "nao existe",
                "nao localizado",
            ],
        )
        || contains(text, &["nfs-e", "nfse", "nota"])
            && contains(
                text,
                &[
                    "inexistente",
                    "nao encontrad",
                    "nao localizad",
                    "nao existe",
                ],
            )
        || contains(text, &["protocolo", "lote"])
            && contains(text, &["inexistente", "nao encontrado", "nao localizado"])
        || contains(
            text,
            &[
                "nenhuma nota",
                "nenhum registro",
                "nenhuma nfs",
                "nenhum rps",
            ],
        )
}

/// The RPS or the batch came before.
fn duplicated(text: &str) -> bool {
    contains(text, &["rps", "lote"])
        && contains(
            text,
            &[
                "ja informado",
                "ja foi informado",
                "ja existe",
                "ja enviado",
                "ja foi enviado",
                "ja convertido",
                "ja foi convertido",
                "ja utilizado",
                "ja foi utilizado",
                "ja emitid",
                "ja foi emitid",
                "ja processado",
                "ja cadastrado",
                "duplicad",
            ],
        )
}

/// The text is about a refused login or certificate.
fn is_credential(text: &str) -> bool {
    contains(
        text,
        &["senha", "usuario", "login", "certificado", "credencia"],
    ) && contains(
        text,
        &[
            "invalid",
            "incorret",
            "nao autorizad",
            "nao esta autorizad",
            "expirad",
            "vencid",
            "revogad",
            "negad",
            "nao confere",
            "bloquead",
            "nao informad",
        ],
    )
}

/// What a SOAP fault says: `Refusal` and `Credential` are certain, None is not
/// known.
pub fn of_fault(fault: &Fault) -> Option<Class> {
    let text = simplify(&format!("{} {}", fault.text, fault.detail));
    if is_credential(&text) {
        return Some(Class::Credential);
    }
    // SOAP 1.1 §4.4.1 and 1.2 §5.4.6: the sender's message is wrong, it was
    // not processed. Dotted codes refine the first part.
    let codigo = fault.code.rsplit(':').next().unwrap_or_default();
    let codigo = codigo.split('.').next().unwrap_or_default();
    let of_client = ["Client", "Sender", "VersionMismatch", "MustUnderstand"]
        .iter()
        .any(|name| codigo.eq_ignore_ascii_case(name));
    of_client.then_some(Class::Refusal)
}

/// Lower case, without accents, white space in one.
pub fn simplify(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        let c = match c {
            'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
            'é' | 'ê' | 'è' => 'e',
            'í' | 'ì' => 'i',
            'ó' | 'ô' | 'õ' | 'ò' | 'ö' => 'o',
            'ú' | 'ü' | 'ù' => 'u',
            'ç' => 'c',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if c != ' ' || !output.ends_with(' ') {
            output.push(c);
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_letters_stand_for_any() {
        let of = |text: &str| of_text(text);
        assert_eq!(of("RPS n\u{fffd}o encontrado"), Some(Class::NotFound));
        assert_eq!(
            of("As informa\u{fffd}\u{fffd}es das credenciais s\u{fffd}o inv\u{fffd}lidas"),
            Some(Class::Credential)
        );
        assert_eq!(of("Valor inv\u{fffd}lido"), None);
    }
}
