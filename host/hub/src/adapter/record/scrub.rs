//! Persons of a flow are replaced by generated ones, each always by the same, in every
//! form in which a message may have them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flow::contract::Context;
use markup::ids::CpfCnpj;
use serde_json::Value;

/// Shortest text that is replaced: shorter ones are in other words as well.
const LEAST: usize = 4;

/// Shortest base64 that is looked into.
const PACKED: usize = 16;
/// What stands in the place of a certificate.
const REMOVED: &str = "removed";

/// Members of the content that say who somebody is or where.
const PERSONAL: [(&str, Kind); 13] = [
    ("cpf_cnpj", Kind::Document),
    ("cnpj", Kind::Document),
    ("cpf", Kind::Document),
    ("nome", Kind::Name),
    ("razao_social", Kind::Name),
    ("nome_fantasia", Kind::Name),
    ("email", Kind::Email),
    ("telefone", Kind::Digits),
    ("logradouro", Kind::Text),
    ("complemento", Kind::Text),
    ("inscricao_municipal", Kind::Digits),
    ("inscricao_estadual", Kind::Digits),
    ("informacoes_complementares", Kind::Text),
];

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// CPF or CNPJ.
    Document,
    Name,
    Email,
    /// A telephone or a registration: replaced where no digit stands beside it.
    Digits,
    Text,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Document => "a CPF or CNPJ",
            Kind::Name => "a name",
            Kind::Email => "an e-mail address",
            Kind::Digits => "a telephone or registration",
            Kind::Text => "a text",
        }
    }
}

/// A form of a value, and what takes its place.
struct Pair {
    kind: Kind,
    from: String,
    to: String,
}

/// What is replaced in a flow, the longest first.
pub(super) struct Scrub(Vec<Pair>);

impl Scrub {
    /// Of the emitter and of everybody the content names. The flow's id goes, too: it
    /// says when and in which database.
    pub(super) fn of(context: &Context, content: &Value, flow: &str) -> Scrub {
        let emitter = &context.emitente;
        let mut found = vec![
            (Kind::Document, emitter.documento.clone()),
            (Kind::Name, emitter.razao_social.clone()),
        ];
        let registrations = [&emitter.inscricao_municipal, &emitter.inscricao_estadual];
        let registrations = registrations.into_iter().flatten();
        found.extend(registrations.map(|value| (Kind::Digits, value.clone())));
        for extra in &emitter.extras {
            let known = PERSONAL.iter().find(|(name, _)| *name == extra.name);
            found.extend(known.map(|(_, kind)| (*kind, extra.value.clone())));
        }
        walk(content, &mut found);
        found.retain(|(_, value)| value.chars().count() >= LEAST);
        let mut pairs = vec![Pair {
            kind: Kind::Text,
            from: flow.to_owned(),
            to: "flw_1".to_owned(),
        }];
        let mut seen: Vec<String> = Vec::new();
        for (kind, value) in found {
            if seen.contains(&value) {
                continue;
            }
            seen.push(value.clone());
            let to = instead(kind, &value, seen.len());
            for (from, to) in forms(kind, &value, &to) {
                if !pairs.iter().any(|pair| pair.from == from) {
                    pairs.push(Pair { kind, from, to });
                }
            }
        }
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.from.len()));
        Scrub(pairs)
    }

    /// A text with everybody replaced, also in what is packed in it: a certificate of a
    /// person is taken out whole.
    pub(super) fn text(&self, text: &str) -> String {
        let mut text = self.plain(text);
        let parts: Vec<String> = base64_parts(&text).map(str::to_owned).collect();
        for part in parts {
            let Ok(bytes) = STANDARD.decode(&part) else {
                continue;
            };
            let held = String::from_utf8_lossy(&bytes);
            if self.left(&held).is_none() {
                continue;
            }
            let instead = match std::str::from_utf8(&bytes) {
                Ok(held) => self.plain(held),
                Err(_) => REMOVED.to_owned(),
            };
            text = text.replace(&part, &STANDARD.encode(instead));
        }
        text
    }

    fn plain(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for pair in &self.0 {
            if let Some(replaced) = replaced(&text, pair) {
                text = replaced;
            }
        }
        text
    }

    /// The same of bytes; those that are no UTF-8 are taken as Latin-1.
    pub(super) fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return self.text(text).into_bytes();
        }
        let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        let text = self.text(&text);
        let latin1 = text.chars().map(|c| u8::try_from(c).unwrap_or(b'?'));
        latin1.collect()
    }

    /// What is still there, if anything: as text, or packed in base64.
    pub(super) fn left_in(&self, bytes: &[u8]) -> Option<&'static str> {
        let text = String::from_utf8_lossy(bytes);
        let packed = packed(&text);
        self.left(&text)
            .or_else(|| packed.iter().find_map(|part| self.left(part)))
    }

    fn left(&self, text: &str) -> Option<&'static str> {
        let left = self.0.iter().find(|pair| replaced(text, pair).is_some());
        left.map(|pair| pair.kind.word())
    }
}

/// Parts of a text that may be base64.
fn base64_parts(text: &str) -> impl Iterator<Item = &str> {
    let of_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let parts = text.split(move |c| !of_base64(c));
    parts.filter(|part| part.len() >= PACKED)
}

/// What the parts of a text hold that are base64, unpacked where they are compressed.
fn packed(text: &str) -> Vec<String> {
    let parts = base64_parts(text);
    let held =
        parts.filter_map(|part| cassette::unpack(part).or_else(|| STANDARD.decode(part).ok()));
    held.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect()
}

fn walk(content: &Value, found: &mut Vec<(Kind, String)>) {
    match content {
        Value::Object(members) => {
            for (name, value) in members {
                let known = PERSONAL.iter().find(|(known, _)| known == name);
                match (known, value) {
                    (Some((_, kind)), Value::String(text)) => found.push((*kind, text.clone())),
                    _ => walk(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| walk(value, found)),
        _ => {}
    }
}

/// A generated value of the same shape.
fn instead(kind: Kind, value: &str, number: usize) -> String {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    match kind {
        Kind::Document if value.len() == 11 => with_digits(&format!("{:09}", 900_000_000 + number)),
        Kind::Document => with_digits(&format!("{:08}0001", 90_000_000 + number)),
        Kind::Name => format!("PESSOA DE TESTE {number}"),
        Kind::Email => format!("pessoa{number}@example.com"),
        Kind::Digits if digits == value.len() => {
            let tail = number.to_string();
            format!("{}{tail}", "9".repeat(digits.saturating_sub(tail.len())))
        }
        Kind::Digits => value
            .chars()
            .map(|c| if c.is_ascii_digit() { '9' } else { c })
            .collect(),
        Kind::Text => format!("Texto de teste {number}"),
    }
}

/// CPF of nine digits, CNPJ of twelve, with the check digits that fit.
fn with_digits(payload: &str) -> String {
    let mut numbers = (0..100).map(|check| format!("{payload}{check:02}"));
    let found = numbers.find(|number| CpfCnpj::parse(number).is_ok());
    found.unwrap_or_else(|| payload.to_owned())
}

/// The forms in which messages have a value.
fn forms(kind: Kind, value: &str, to: &str) -> Vec<(String, String)> {
    let mut forms = vec![(value.to_owned(), to.to_owned())];
    match kind {
        Kind::Document => {
            forms.extend(punctuated(value).zip(punctuated(to)));
        }
        Kind::Digits => {}
        Kind::Name | Kind::Email | Kind::Text => {
            forms.push((value.to_uppercase(), to.to_uppercase()));
            let plain = flow::registry::fold(value);
            if !plain.eq_ignore_ascii_case(value) {
                forms.push((plain.to_uppercase(), to.to_uppercase()));
            }
            for (from, to) in forms.clone() {
                forms.push((escaped(&from), to.clone()));
                forms.push((escaped(&escaped(&from)), to));
            }
        }
    }
    forms
}

/// With the dots, the bar and the dash of forms for people.
fn punctuated(document: &str) -> Option<String> {
    let document = CpfCnpj::parse(document).ok()?;
    Some(document.masked())
}

/// As XML writes it.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// The text with a value replaced, if it has it.
fn replaced(text: &str, pair: &Pair) -> Option<String> {
    if pair.kind != Kind::Digits {
        return text
            .contains(&pair.from)
            .then(|| text.replace(&pair.from, &pair.to));
    }
    let (mut out, mut rest, mut any) = (String::new(), text, false);
    while let Some(at) = rest.find(&pair.from) {
        let (before, after) = (&rest[..at], &rest[at + pair.from.len()..]);
        let last = before
            .chars()
            .next_back()
            .or_else(|| out.chars().next_back());
        let digit_before = last.is_some_and(|c| c.is_ascii_digit());
        let beside = digit_before || after.starts_with(|c: char| c.is_ascii_digit());
        out.push_str(before);
        out.push_str(if beside { &pair.from } else { &pair.to });
        any |= !beside;
        rest = after;
    }
    out.push_str(rest);
    any.then_some(out)
}
