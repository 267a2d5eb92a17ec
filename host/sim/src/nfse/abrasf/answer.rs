//! Builds the answers in the profile's namespaces and prefixes.

use super::codes::RefusalMessage;
use super::profiles::{Op, Profile};
use crate::notes::{Nota, Status};
use crate::xml::{Element, Node, escape};

/// Names of one answer.
pub(super) struct Style {
    root: String,
    declarations: String,
    /// Prefix of what the message itself declares.
    pub m: &'static str,
    /// Prefix of the types.
    pub t: &'static str,
}

impl Style {
    pub fn of(profile: &Profile, op: Op) -> Self {
        let root = op.answer_root();
        let (declarations, m, t) = profile.answer_style(&root);
        Self {
            root,
            declarations,
            m,
            t,
        }
    }

    /// The whole answer around `inside`.
    pub fn document(&self, inside: &str) -> String {
        let Style {
            root,
            declarations,
            m,
            ..
        } = self;
        format!("<{m}{root}{declarations}>{inside}</{m}{root}>")
    }
}

/// `<prefix:name>inside</prefix:name>`; `inside` is XML.
pub(super) fn wrap(prefix: &str, name: &str, inside: &str) -> String {
    format!("<{prefix}{name}>{inside}</{prefix}{name}>")
}

/// `<prefix:name>text</prefix:name>`
pub(super) fn tag(prefix: &str, name: &str, text: &str) -> String {
    wrap(prefix, name, &escape(text))
}

/// Refusal: messages about single RPS of a batch go to their own list.
pub(super) fn refusal(profile: &Profile, op: Op, messages: &[RefusalMessage]) -> String {
    let style = Style::of(profile, op);
    style.document(&messages_xml(&style, op, messages))
}

pub(super) fn messages_xml(style: &Style, op: Op, messages: &[RefusalMessage]) -> String {
    let t = style.t;
    let in_batch = matches!(op, Op::SynchronousBatch | Op::QueryBatch)
        && !messages.is_empty()
        && messages.iter().all(|m| m.rps.is_some());
    let list: String = messages
        .iter()
        .map(|m| {
            let common = tag(t, "Codigo", &m.code) + &tag(t, "Mensagem", &m.text);
            let inside = match (m.rps.as_deref(), in_batch) {
                (Some((number, serie, kind)), true) => {
                    let id =
                        tag(t, "Numero", number) + &tag(t, "Serie", serie) + &tag(t, "Tipo", kind);
                    wrap(t, "IdentificacaoRps", &id) + &common
                }
                _ if m.correction.is_empty() => common,
                _ => common + &tag(t, "Correcao", &m.correction),
            };
            wrap(t, "MensagemRetorno", &inside)
        })
        .collect();
    wrap(
        t,
        if in_batch {
            "ListaMensagemRetornoLote"
        } else {
            "ListaMensagemRetorno"
        },
        &list,
    )
}

/// A note with what happened to it.
pub(super) fn comp_nfse(style: &Style, nota: &Nota) -> String {
    let t = style.t;
    let mut inside = nota.xml.clone();
    if nota.situacao == Status::Cancelada
        && let Some(cancelled) = nota.dados.get("cancelamento")
    {
        inside += cancelled;
    }
    if nota.situacao == Status::Substituida
        && let Some(replaced) = nota.dados.get("substituicao")
    {
        inside += replaced;
    }
    wrap(t, "CompNfse", &inside)
}

/// Writes an element again with one prefix for all its names; signatures are
/// left out, since they would not hold any more.
pub(super) fn rewrite(element: &Element, prefix: &str, out: &mut String) {
    if element.name == "Signature" {
        return;
    }
    out.push('<');
    out.push_str(prefix);
    out.push_str(&element.name);
    for attr in element.attrs.iter().filter(|a| a.prefix.is_empty()) {
        out.push_str(&format!(" {}=\"{}\"", attr.name, escape(&attr.value)));
    }
    out.push('>');
    for child in &element.children {
        match child {
            Node::Element(e) => rewrite(e, prefix, out),
            // White space between elements is formatting.
            Node::Text(t) if t.trim().is_empty() && element.elements().next().is_some() => {}
            Node::Text(t) => out.push_str(&escape(t)),
        }
    }
    out.push_str("</");
    out.push_str(prefix);
    out.push_str(&element.name);
    out.push('>');
}
