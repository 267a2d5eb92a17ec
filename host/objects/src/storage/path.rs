//! What a customer may call an object.

use base::errors::{Code, Refusal};

/// Longest path, in bytes of UTF-8.
pub const MAX: usize = 512;

/// A path within an account: segments between slashes, none of them empty or
/// a dot or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caminho(String);

impl Caminho {
    /// Reads a path whose percent signs were decoded once.
    ///
    /// # Errors
    /// 400 that says what is wrong.
    pub fn parse(text: String) -> Result<Caminho, Box<Refusal>> {
        let wrong = if text.is_empty() || text.len() > MAX {
            "O caminho tem de 1 a 512 bytes."
        } else if text.chars().any(unseen) || text.contains('\\') {
            "O caminho não tem caracteres de controle nem barras invertidas."
        } else if text.split('/').any(|part| matches!(part, "" | "." | "..")) {
            "O caminho não começa nem termina com barra e não tem partes vazias, . ou .."
        } else {
            return Ok(Caminho(text));
        };
        Err(Box::new(Refusal::field(
            Code::ParametroInvalido,
            "caminho",
            wrong,
            "Use nomes separados por barras, como notas/2026/pedido-1.pdf.",
        )))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Control characters, and those that turn the direction of what is shown:
/// they make one name look like another.
fn unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
