//! The answer to the request that opens a session: the token.

use super::classify;
use rps::{Class, Login};
use sdk::xml;
use sdk::{Mensagem, Response};

/// Longest token that goes into a header.
const MAX_TOKEN: usize = 2_000;

/// The token alone, or in the element `Mensagem`. A text with blanks is a
/// message of the city.
pub fn read(response: &Response) -> Login {
    let Ok(body) = std::str::from_utf8(&response.body) else {
        return Login::Unclear("a resposta da sessao nao e texto");
    };
    let inside = xml::parse(&response.body).ok().and_then(|document| {
        let message = document.root().descendant("Mensagem")?;
        Some(message.text().to_owned())
    });
    let text = inside.as_deref().unwrap_or(body).trim();
    let messages = vec![Mensagem::new("", text)];
    if matches!(response.status, 401 | 403) || classify(&messages) == Class::Credential {
        return Login::Refused(messages);
    }
    if response.is_success() && is_token(text) {
        return Login::Open(text.to_owned());
    }
    Login::Unclear("a prefeitura nao abriu a sessao")
}

fn is_token(text: &str) -> bool {
    let sound = |byte: u8| byte.is_ascii_graphic() && !b"<>{}\"".contains(&byte);
    let failed = text.to_ascii_lowercase().starts_with("erro");
    (1..=MAX_TOKEN).contains(&text.len()) && text.bytes().all(sound) && !failed
}

#[cfg(test)]
mod tests {
    use super::is_token;

    #[test]
    fn a_message_is_no_token() {
        assert!(is_token("eyJhbGciOi.J9.abc-_="));
        for text in [
            "",
            "Erro",
            "Token invalido",
            "<html/>",
            "{\"erro\":1}",
            "\u{e9}",
        ] {
            assert!(!is_token(text), "{text}");
        }
    }
}
