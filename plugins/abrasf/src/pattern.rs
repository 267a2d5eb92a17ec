//! Names a system makes of the model's: `{metodo}Request`, `ws.{metodo:maiusculas}`.

use crate::service::Service;
use std::fmt::Write as _;

/// What a pattern may name.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// SOAP operation: `GerarNfse`.
    pub method: &'a str,
    /// Root of the request: `GerarNfseEnvio`.
    pub sending: &'a str,
    /// Root of the answer: `GerarNfseResposta`.
    pub answer: &'a str,
    /// The service's name in the options.
    pub service: &'a str,
    /// The call is not in production.
    pub homologation: bool,
}

/// Fills a pattern: `{metodo}` is the operation, `{envio}` the root of the
/// request and `{resposta}` that of the answer, all also as `:camel` (first letter small), `:capital` (only the
/// first letter large) and `:maiusculas`; `{producao:TEXT}` and
/// `{homologacao:TEXT}` stand for their text in that environment and for
/// nothing in the other, as `{consultar_rps:TEXT}` does in that service. None:
/// the pattern names something else.
pub fn fill(pattern: &str, names: &Names<'_>) -> Option<String> {
    let mut filled = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (inside, tail) = after.split_once('}')?;
        filled.push_str(before);
        write_value(&mut filled, inside, names)?;
        rest = tail;
    }
    filled.push_str(rest);
    Some(filled)
}

/// Fills a pattern that has nothing to do with an operation.
pub fn of_environment(pattern: &str, homologation: bool) -> Option<String> {
    let names = Names {
        method: "",
        sending: "",
        answer: "",
        service: "",
        homologation,
    };
    fill(pattern, &names)
}

fn write_value(filled: &mut String, inside: &str, names: &Names<'_>) -> Option<()> {
    let (name, form) = inside.split_once(':').unwrap_or((inside, ""));
    let value = match name {
        "metodo" => names.method,
        "envio" => names.sending,
        "resposta" => names.answer,
        "producao" | "homologacao" => {
            if (name == "homologacao") == names.homologation {
                filled.push_str(form);
            }
            return Some(());
        }
        of_service if Service::ALL.iter().any(|known| known.id() == of_service) => {
            if of_service == names.service {
                filled.push_str(form);
            }
            return Some(());
        }
        _ => return None,
    };
    let (first, others) = value.split_at_checked(1).unwrap_or_default();
    match form {
        "" => filled.push_str(value),
        "camel" => write!(filled, "{}{others}", first.to_ascii_lowercase()).ok()?,
        "capital" => write!(filled, "{first}{}", others.to_ascii_lowercase()).ok()?,
        "maiusculas" => filled.push_str(&value.to_ascii_uppercase()),
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Names<'_> = Names {
        method: "GerarNfse",
        sending: "GerarNfseEnvio",
        answer: "GerarNfseResposta",
        service: "gerar",
        homologation: true,
    };

    #[test]
    fn placeholders_stand_for_names_in_their_forms() {
        for (pattern, expected) in [
            ("{metodo}Request", Some("GerarNfseRequest")),
            ("{envio:camel}", Some("gerarNfseEnvio")),
            ("{resposta:capital}", Some("Gerarnfseresposta")),
            ("ws.{metodo:maiusculas}", Some("ws.GERARNFSE")),
            ("{metodo:capital}in", Some("Gerarnfsein")),
            ("x{homologacao:Teste}{producao:Real}", Some("xTeste")),
            ("a{gerar:B}{consultar_rps:C}", Some("aB")),
            ("Arg", Some("Arg")),
            ("{outro}", None),
            ("{metodo:torto}", None),
            ("{metodo", None),
        ] {
            assert_eq!(fill(pattern, &NAMES).as_deref(), expected, "{pattern}");
        }
    }

    #[test]
    fn each_environment_has_its_own_text() {
        let production = Names {
            homologation: false,
            ..NAMES
        };
        let pattern = "x{homologacao:Teste}{producao:Real}";
        assert_eq!(fill(pattern, &production).as_deref(), Some("xReal"));
    }
}
