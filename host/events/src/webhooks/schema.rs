//! Events as JSON Schema, for the document. Tests hold examples and real
//! deliveries against it.

use super::catalogue::{Example, Kind, TIPOS};
use crate::attempt::envelope::Evento;
use crate::attempt::payload::{
    BalanceEvent, CertificadoEvento, CoberturaEvento, GapEvent, NotaEvento, RangeEvent,
    ReceivedNotaEvent,
};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

impl Kind {
    /// Name of the schema: kinds that tell the same members share one.
    pub fn schema_name(&self) -> &'static str {
        match self.example {
            Example::Nota { .. } => "Evento_nota",
            Example::Range => "Evento_faixa",
            Example::ReceivedNota => "Evento_recebida",
            Example::Certificado => "Evento_certificado",
            Example::Balance => "Evento_saldo",
            Example::Gap => "Evento_lacuna",
            Example::Cobertura => "Evento_cobertura",
        }
    }

    /// The whole event, frame included.
    pub fn schema(&self) -> Value {
        let name = self.schema_name();
        let alike = TIPOS.iter().filter(|kind| kind.schema_name() == name);
        let tipos: Vec<&str> = alike.map(|kind| kind.name).collect();
        let mut schema = match self.example {
            Example::Nota { .. } => whole::<NotaEvento>(),
            Example::Range => whole::<RangeEvent>(),
            Example::ReceivedNota => whole::<ReceivedNotaEvent>(),
            Example::Certificado => whole::<CertificadoEvento>(),
            Example::Balance => whole::<BalanceEvent>(),
            Example::Gap => whole::<GapEvent>(),
            Example::Cobertura => whole::<CoberturaEvento>(),
        };
        schema.remove("title");
        let mut schema = schema.to_value();
        schema["properties"]["tipo"]["enum"] = json!(tipos);
        schema
    }
}

/// An event about `D`, without references to other schemas.
fn whole<D: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings
        .into_generator()
        .into_root_schema_for::<Evento<D>>()
}
