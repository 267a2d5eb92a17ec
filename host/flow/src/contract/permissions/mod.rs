//! What an adapter declares that it may do with a customer's key, secrets and
//! certificate (`wit/permissions-0.1.0`). The host holds it to that.
//!
//! A component without a declaration, from before there was one, is held to the
//! [`floor`] alone.

mod check;
mod configured;
pub mod floor;
mod more;
mod words;

pub use check::check;
pub(crate) use check::is_shown;
pub use configured::{Given, ill_configured};
pub use generated::exports::fiscal::permissions::declaration::{
    Characters, Element, Namespace, Permissions, Secret, Text,
};
pub use more::more;
pub use words::lines;

mod generated {
    wasmtime::component::bindgen!({
        path: "../../wit/permissions-0.1.0",
        world: "declares",
        additional_derives: [Clone, PartialEq, serde::Serialize, serde::Deserialize],
    });
}

/// Package and version of the interface by which an adapter declares them.
pub const PACKAGE: &str = "fiscal:permissions";
pub const VERSION: &str = "0.1.0";

/// Stands among endpoints for an address found in an answer.
pub const URL: &str = "url";

impl Permissions {
    /// Whether an element of this local name and namespace may be signed; `""` is
    /// no namespace. `given` is what the registry says for the flow.
    #[must_use]
    pub fn element(&self, name: &str, namespace: &str, given: &Given) -> bool {
        let of_name = self.elements.iter().filter(|element| element.name == name);
        of_name
            .flat_map(|element| &element.namespaces)
            .any(|declared| match declared {
                Namespace::Absent => namespace.is_empty(),
                Namespace::Exact(exact) => exact == namespace,
                Namespace::Configured(option) => given.gives(option, namespace),
            })
    }

    /// Whether these bytes may be signed as a text.
    #[must_use]
    pub fn text(&self, data: &[u8]) -> bool {
        let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
        self.texts.iter().any(|text| {
            length <= text.length && data.iter().all(|byte| has(text.characters, *byte))
        })
    }

    /// Whether the adapter uses a secret of this name at all.
    #[must_use]
    pub fn secret(&self, name: &str) -> bool {
        self.secrets.iter().any(|secret| secret.name == name)
    }

    /// Whether a secret may be sent to an endpoint, or to [`URL`].
    #[must_use]
    pub fn secret_at(&self, name: &str, endpoint: &str) -> bool {
        let of_name = self.secrets.iter().filter(|secret| secret.name == name);
        of_name
            .flat_map(|secret| &secret.endpoints)
            .any(|declared| declared == endpoint)
    }

    /// Whether the customer's certificate is offered at an endpoint, or at [`URL`].
    #[must_use]
    pub fn certificate_at(&self, endpoint: &str) -> bool {
        let declared = self.certificate_endpoints.iter();
        declared.into_iter().any(|declared| declared == endpoint)
    }
}

fn has(characters: Characters, byte: u8) -> bool {
    match characters {
        Characters::Digits => byte.is_ascii_digit(),
        Characters::LettersDigitsSpaces => byte.is_ascii_alphanumeric() || byte == b' ',
        Characters::Printable => matches!(byte, b' '..=b'~'),
    }
}
