//! The messages of an answer, and what they mean in this layout.

use super::rules::{Meaning, Rules};
use rps::Class;
use rps::class::{self, simplify};
use rps::content::together;
use sdk::Mensagem;
use sdk::xml::Element;

/// Most messages kept of one answer.
const MAX_MESSAGES: usize = 100;

/// Messages by what they say of the whole answer.
#[derive(Debug, Default)]
pub struct Found {
    /// Explicit words of success.
    pub successes: Vec<Mensagem>,
    pub messages: Vec<Mensagem>,
    pub alertas: Vec<Mensagem>,
}

/// All messages of an answer.
pub fn collect(rules: &Rules, root: &Element) -> Found {
    let mut found = Found::default();
    let elements = rules.message.elements.iter().flat_map(|one| one.all(root));
    for element in elements.take(MAX_MESSAGES) {
        let Some(message) = read(rules, element) else {
            continue;
        };
        let list = match rules.meaning(&message) {
            Some(Meaning::Success) => &mut found.successes,
            Some(Meaning::Alert) => &mut found.alertas,
            _ => &mut found.messages,
        };
        list.push(message);
    }
    let alerts = rules.message.alerts.iter().flat_map(|one| one.all(root));
    let alerts = alerts
        .take(MAX_MESSAGES)
        .filter_map(|element| read(rules, element));
    found.alertas.extend(alerts);
    found
}

fn read(rules: &Rules, element: &Element) -> Option<Mensagem> {
    let text = |path: &Option<super::path::Path>| {
        let path = path.as_ref()?;
        path.text(element)
    };
    let mut code = text(&rules.message.code).unwrap_or_default();
    let mut words = text(&rules.message.text).unwrap_or_default();
    // Code and words in one text: "00128 - Erro na validação".
    if words.is_empty() && !rules.message.separator.is_empty() {
        words = match code.split_once(rules.message.separator.as_str()) {
            Some((before, after)) if !before.contains(' ') => {
                let (before, after) = (before.trim().to_owned(), after.trim().to_owned());
                code = before;
                after
            }
            _ => std::mem::take(&mut code),
        };
    }
    if code.is_empty() && words.is_empty() {
        return None;
    }
    Some(Mensagem {
        correcao: text(&rules.message.correction),
        ..Mensagem::new(&code, &words)
    })
}

impl Rules {
    /// What the layout says of a message; None: its words decide.
    pub fn meaning(&self, message: &Mensagem) -> Option<Meaning> {
        let text = simplify(&message.texto);
        let code = message.codigo.trim();
        let fits = self
            .meanings
            .iter()
            .find(|(_, test)| test.fits(code, &text));
        fits.map(|(meaning, _)| *meaning)
    }

    /// What messages say together.
    pub fn classify(&self, messages: &[Mensagem]) -> Class {
        together(messages, |message| match self.meaning(message) {
            Some(Meaning::Is(class)) => class,
            Some(Meaning::Success | Meaning::Alert) => Class::Refusal,
            None => class::of_text(&message.texto).unwrap_or(Class::Refusal),
        })
    }
}
