//! Builders for what an adapter declares that it may do.

pub use crate::bindings::permissions::exports::fiscal::permissions::declaration::{
    Characters, Element, Namespace, Permissions, Secret, Text,
};

impl Permissions {
    /// Nothing: an adapter that signs nothing and knows no secrets.
    pub fn none() -> Self {
        Permissions {
            elements: Vec::new(),
            texts: Vec::new(),
            secrets: Vec::new(),
            certificate_endpoints: Vec::new(),
        }
    }

    /// An element of this local name, in one of these namespaces, is signed; of a
    /// document that is signed whole, its root. Said again of a name, the namespaces
    /// are added.
    #[must_use]
    pub fn element(mut self, name: &str, namespaces: &[Namespace], purpose: &str) -> Self {
        let known = self.elements.iter().position(|it| it.name == name);
        let at = known.unwrap_or_else(|| {
            self.elements.push(Element {
                name: name.into(),
                namespaces: Vec::new(),
                purpose: purpose.into(),
            });
            self.elements.len() - 1
        });
        if let Some(element) = self.elements.get_mut(at) {
            for namespace in namespaces {
                if !element.namespaces.contains(namespace) {
                    element.namespaces.push(namespace.clone());
                }
            }
        }
        self
    }

    /// Every element that is declared may be in this namespace, too.
    #[must_use]
    pub fn also_in(mut self, namespace: &Namespace) -> Self {
        for element in &mut self.elements {
            if !element.namespaces.contains(namespace) {
                element.namespaces.push(namespace.clone());
            }
        }
        self
    }

    /// Texts of up to `length` bytes of these characters are signed.
    #[must_use]
    pub fn text(mut self, length: u32, characters: Characters, purpose: &str) -> Self {
        self.texts.push(Text {
            length,
            characters,
            purpose: purpose.into(),
        });
        self
    }

    /// This secret is sent to these endpoints; [`URL`] is an address found in an
    /// answer.
    #[must_use]
    pub fn secret(mut self, name: &str, endpoints: &[&str], purpose: &str) -> Self {
        self.secrets.push(Secret {
            name: name.into(),
            endpoints: endpoints.iter().map(|&endpoint| endpoint.into()).collect(),
            purpose: purpose.into(),
        });
        self
    }

    /// The customer's certificate is offered at these endpoints.
    #[must_use]
    pub fn certificate(mut self, endpoints: &[&str]) -> Self {
        let endpoints = endpoints.iter().map(|&endpoint| endpoint.into());
        self.certificate_endpoints.extend(endpoints);
        self
    }
}

/// Stands among the endpoints of a declaration for an address found in an answer.
pub const URL: &str = "url";

impl Namespace {
    /// This namespace.
    pub fn exact(uri: &str) -> Self {
        Namespace::Exact(uri.into())
    }

    /// One that the registry gives in this option.
    pub fn configured(option: &str) -> Self {
        Namespace::Configured(option.into())
    }
}
