//! What the adapter may do with keys, secrets and the certificate.

use crate::assembly::NAMESPACE;
use crate::transport::{NATIONAL, endpoints};
use sdk::{Namespace, Permissions};

/// What is signed: the DPS, the note around it where the city has it filled in, the
/// order for an event and the whole event, and the request for a cancellation of
/// cities that want one of their own.
const SIGNED: [(&str, &str); 5] = [
    ("infDPS", "Declarations"),
    ("infNFSe", "Notes that the city has filled in"),
    ("infPedReg", "Orders for events, as cancellations"),
    ("infEvento", "Whole events"),
    (
        "InfPedidoCancelamento",
        "Cancellations in the city's own form",
    ),
];

/// Documents are signed in the national namespace or one that the registry gives.
/// Logins are for cities: the national environment knows the customer by the
/// certificate.
pub fn permissions() -> Permissions {
    let namespaces = [
        Namespace::exact(NAMESPACE),
        Namespace::configured("namespace"),
        Namespace::configured("namespace_inf"),
        Namespace::configured("namespace_evento"),
    ];
    let all = endpoints();
    let own: Vec<&str> = all
        .iter()
        .copied()
        .filter(|name| *name != NATIONAL)
        .collect();
    let signs = SIGNED.iter();
    signs
        .fold(Permissions::none(), |permissions, (name, purpose)| {
            permissions.element(name, &namespaces, purpose)
        })
        .secret("usuario", &own, "Login of the city")
        .secret("senha", &own, "Login of the city")
        .secret("token", &own, "Login of the city")
        .certificate(&all)
}
