//! Tests of the crate's parts, one module each as in src.

use flow::contract::{Ambiente, Context, Emitente, Named};

mod driver;
mod host;
mod json;
mod placeholder;
mod registry;

mod component {
    mod bounded;
    mod description;
}

mod contract {
    mod permissions;
}

mod sandbox {
    mod outcome;
    mod request;
}

/// A context with this environment and these options, and nothing else.
fn context(ambiente: Ambiente, options: &[(&str, &str)]) -> Context {
    let named = |(name, value): &(&str, &str)| Named {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
    };
    Context {
        flow: String::new(),
        step: 0,
        now: String::new(),
        entropy: Vec::new(),
        ambiente,
        municipio: None,
        uf: None,
        emitente: Emitente {
            documento: String::new(),
            inscricao_municipal: None,
            inscricao_estadual: None,
            razao_social: String::new(),
            extras: Vec::new(),
        },
        endpoints: Vec::new(),
        options: options.iter().map(named).collect(),
        secrets: Vec::new(),
    }
}
