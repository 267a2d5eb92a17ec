//! What is made of the OpenAPI document for programs of customers: typed
//! clients, and collections of requests. All of it is read from the document
//! alone, as somebody else's tool would.

pub mod bruno;
mod chain;
mod csharp;
mod declarations;
pub mod journey;
mod model;
pub mod packages;
mod php;
pub mod postman;
mod python;
mod requests;
mod typescript;

use serde_json::Value;

/// A language a client is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    Typescript,
    Javascript,
    Python,
    Php,
    Csharp,
}

/// The client of a document, as one file without dependencies.
pub fn client(document: &Value, language: Language) -> String {
    let model = model::Model::of(document);
    match language {
        Language::Typescript => typescript::client(&model, true),
        Language::Javascript => typescript::client(&model, false),
        Language::Python => python::client(&model),
        Language::Php => php::client(&model),
        Language::Csharp => csharp::client(&model),
    }
}
