//! The contract's enumerations in their WIT spelling.

use flow::contract::{Effect, Situacao, TransportKind};

const TRANSPORT_KINDS: [(TransportKind, &str); 9] = [
    (TransportKind::Dns, "dns"),
    (TransportKind::Connect, "connect"),
    (TransportKind::Tls, "tls"),
    (
        TransportKind::ClientCertificateRefused,
        "client-certificate-refused",
    ),
    (TransportKind::Timeout, "timeout"),
    (TransportKind::Reset, "reset"),
    (TransportKind::TooLarge, "too-large"),
    (TransportKind::Blocked, "blocked"),
    (TransportKind::Other, "other"),
];

pub fn transport_kind(kind: TransportKind) -> &'static str {
    TRANSPORT_KINDS
        .iter()
        .find(|(known, _)| *known == kind)
        .map_or("other", |(_, word)| word)
}

/// The kind a case writes so.
pub fn kind(word: &str) -> Option<TransportKind> {
    let mut kinds = TRANSPORT_KINDS.iter();
    kinds
        .find(|(_, known)| *known == word)
        .map(|(kind, _)| *kind)
}

pub fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::ReadOnly => "read-only",
        Effect::Idempotent => "idempotent",
        Effect::Once => "once",
    }
}

pub fn status(status: Situacao) -> &'static str {
    match status {
        Situacao::Autorizado => "autorizado",
        Situacao::EmProcessamento => "em-processamento",
        Situacao::Cancelado => "cancelado",
        Situacao::Substituido => "substituido",
        Situacao::Denegado => "denegado",
        Situacao::Inutilizado => "inutilizado",
        Situacao::NaoEncontrado => "nao-encontrado",
        Situacao::EmOperacao => "em-operacao",
        Situacao::Consultado => "consultado",
    }
}
