//! What each copy declares that it may do: most little, some too much.

use crate::mode::mode;
use crate::requests::{ENDPOINT, OTHER};
use sdk::{Characters, Namespace, Permissions};

/// The element and the namespace that this adapter signs by its declaration.
pub const ELEMENT: &str = "b";
pub const NAMESPACE: &str = "http://www.abrasf.org.br/nfse.xsd";

pub fn permissions() -> Permissions {
    let honest = Permissions::none()
        .element(ELEMENT, &[Namespace::exact(NAMESPACE)], "Declarations")
        .text(100, Characters::LettersDigitsSpaces, "Lines")
        .secret("usuario", &[ENDPOINT], "Login")
        .secret("senha", &[ENDPOINT], "Login");
    match mode() {
        "wide-nfe" => with(honest, "c", "http://www.portalfiscal.inf.br/nfe"),
        "wide-esocial" => with(honest, "c", "http://www.esocial.gov.br/schema/evt/v1"),
        "wide-saml" => with(honest, "c", "urn:oasis:names:tc:SAML:2.0:assertion"),
        "wide-star" => with(honest, "c", "http://*"),
        "wide-empty" => with(honest, "c", ""),
        "wide-procuracao" => honest.element(
            "termoDeAutorizacao",
            &[Namespace::Absent],
            "Powers of attorney",
        ),
        "wide-option" => honest.element("c", &[Namespace::configured("nenhuma")], ""),
        "wide-name" => honest.element("*", &[Namespace::Absent], ""),
        "wide-text" => honest.text(4_096, Characters::Printable, ""),
        "wide-place" => honest.secret("token", &["vizinho"], ""),
        "wide-tls" => honest.certificate(&[ENDPOINT]),
        "wide-many" => (0..10_000).fold(honest, |permissions, n| {
            permissions.secret(&format!("s{n}"), &[ENDPOINT], "")
        }),
        "declare-loop" => crate::misbehave::spin(),
        "grown" => honest
            .element("Outro", &[Namespace::exact(NAMESPACE)], "Something new")
            .secret("token", &[ENDPOINT, OTHER], "Something new"),
        _ => honest,
    }
}

fn with(permissions: Permissions, name: &str, namespace: &str) -> Permissions {
    permissions.element(name, &[Namespace::exact(namespace)], "")
}
