//! Texts without pattern that look like those they take the place of: signatures,
//! digests, codes, protocols. A copy of the model's would compress as no real store does.

use crate::seeded::Seeded;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What letters a text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Base64,
    /// Hexadecimal, lower case.
    Hex,
    /// Each letter by one of its kind: a digit by a digit, a capital by a capital.
    Alike,
}

/// A text of the same length and form. Signs, ends of lines and paddings stay.
pub fn like(model: &str, kind: Kind, seeded: &mut Seeded) -> String {
    let mut text = String::with_capacity(model.len());
    let mut escaped = false;
    for letter in model.chars() {
        if escaped
            || !(letter.is_ascii_alphanumeric()
                || kind == Kind::Base64 && matches!(letter, '+' | '/'))
        {
            // `\n` of a JSON text is one sign.
            escaped = !escaped && letter == '\\';
            text.push(letter);
            continue;
        }
        let (first, among) = match (kind, letter) {
            (Kind::Base64, _) => {
                let place = usize::try_from(seeded.below(64)).unwrap_or_default();
                text.push(char::from(LETTERS[place]));
                continue;
            }
            (Kind::Hex, _) => {
                let digit = u32::try_from(seeded.below(16)).unwrap_or_default();
                text.push(char::from_digit(digit, 16).unwrap_or('0'));
                continue;
            }
            (Kind::Alike, '0'..='9') => (b'0', 10),
            (Kind::Alike, 'A'..='Z') => (b'A', 26),
            (Kind::Alike, _) => (b'a', 26),
        };
        let place = u8::try_from(seeded.below(among)).unwrap_or_default();
        text.push(char::from(first + place));
    }
    text
}

/// Whether base64 may have it, with ends of lines as texts or JSON write them.
fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\n' | b'\r' | b'\\')
}

/// Contents of the elements of this name, plain or escaped, that are base64.
pub fn contents(text: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (open, close) in [(format!("{name}>"), '<'), (format!("{name}&gt;"), '&')] {
        for (at, _) in text.match_indices(&open) {
            let rest = &text[at + open.len()..];
            let content = rest.split(close).next().unwrap_or_default();
            // What follows a closing tag is none.
            let is_content = content.len() >= 20 && content.bytes().all(is_base64);
            if is_content && !found.iter().any(|known| known == content) {
                found.push(content.to_owned());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_form_of_its_model() {
        let mut seeded = Seeded::new(1);
        let base64 = like("AbC+/9\\nXyZ==", Kind::Base64, &mut seeded);
        assert_eq!(base64.len(), 13);
        assert!(base64.ends_with("==") && &base64[6..8] == "\\n", "{base64}");
        let hex = like(&"0".repeat(64), Kind::Hex, &mut seeded);
        assert!(
            hex.bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
        );
        let alike = like("AB-12-cd", Kind::Alike, &mut seeded);
        let form: Vec<bool> = alike
            .chars()
            .map(|letter| letter.is_ascii_digit())
            .collect();
        assert_eq!(
            form,
            [false, false, false, true, true, false, false, false],
            "{alike}"
        );
        assert_ne!(
            like("123456789012", Kind::Alike, &mut seeded),
            like("123456789012", Kind::Alike, &mut seeded)
        );
    }

    #[test]
    fn contents_of_elements_are_found_once() {
        let value = "q".repeat(40);
        let text = format!(
            "<ds:SignatureValue>{value}</ds:SignatureValue>&lt;SignatureValue&gt;{value}&lt;/SignatureValue&gt;<DigestValue>x</DigestValue>"
        );
        assert_eq!(contents(&text, "SignatureValue"), [value]);
        assert!(contents(&text, "DigestValue").is_empty());
    }
}
