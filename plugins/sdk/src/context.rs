//! Readers over the context of a call.

use crate::bindings::control::{Ambiente, Context};

impl Context {
    /// Value of an option; None when the registry gives none or an empty one.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .find(|option| option.name == name)
            .map(|option| option.value.trim())
            .filter(|value| !value.is_empty())
    }

    /// Value of an integer option, or `default` when absent or not a number.
    pub fn option_u64(&self, name: &str, default: u64) -> u64 {
        self.option(name)
            .and_then(|value| value.parse().ok())
            .unwrap_or(default)
    }

    /// Value of a flag: "true", "1" and "sim" are true; absent is `default`.
    pub fn option_flag(&self, name: &str, default: bool) -> bool {
        self.option(name)
            .map_or(default, |value| matches!(value, "true" | "1" | "sim"))
    }

    /// The authority refuses a second copy of a document by itself.
    pub fn refuses_duplicates(&self) -> bool {
        self.option_flag(crate::REFUSES_DUPLICATES, false)
    }

    pub fn has_endpoint(&self, name: &str) -> bool {
        self.endpoints.iter().any(|endpoint| endpoint == name)
    }

    pub fn has_secret(&self, name: &str) -> bool {
        self.secrets.iter().any(|secret| secret == name)
    }

    /// A value of the emitter's profile beyond the typed ones ("telefone").
    pub fn extra(&self, name: &str) -> Option<&str> {
        self.emitente
            .extras
            .iter()
            .find(|extra| extra.name == name)
            .map(|extra| extra.value.trim())
            .filter(|value| !value.is_empty())
    }

    pub fn in_production(&self) -> bool {
        self.ambiente == Ambiente::Producao
    }
}
