//! What the adapter may do with keys, secrets and the certificate.

use crate::options::NAMESPACE;
use crate::service::{ENDPOINTS, Service};
use sdk::{Namespace, Permissions};

/// Endpoint of all services without an address of their own.
const GENERAL: &str = "nfse";

/// Elements of the model that carry a signature.
const SIGNED: [(&str, &str); 7] = [
    ("InfDeclaracaoPrestacaoServico", "Declarations"),
    ("InfRps", "Declarations of version 1.00"),
    ("Rps", "RPS"),
    ("LoteRps", "Batches of RPS"),
    ("Pedido", "Cancellations"),
    ("InfPedidoCancelamento", "Cancellations"),
    ("SubstituicaoNfse", "Replacements"),
];

/// Documents are signed in the model's namespace, in none, or in one that the
/// registry gives; a message that is signed whole by its root.
pub fn permissions() -> Permissions {
    let namespaces = [
        Namespace::Absent,
        Namespace::exact(NAMESPACE),
        Namespace::configured("namespace"),
        Namespace::configured("namespace_mensagem"),
        Namespace::configured("namespaces"),
    ];
    let own = ENDPOINTS.iter().map(|(name, _)| *name);
    let all: Vec<&str> = [GENERAL].into_iter().chain(own).collect();
    let mut permissions = Permissions::none();
    for (name, purpose) in SIGNED {
        permissions = permissions.element(name, &namespaces, purpose);
    }
    for service in Service::ALL {
        permissions = permissions.element(&service.sending(), &namespaces, "Whole messages");
    }
    for name in ["usuario", "senha", "token"] {
        permissions = permissions.secret(name, &all, "Login of the city");
    }
    permissions.certificate(&all)
}
