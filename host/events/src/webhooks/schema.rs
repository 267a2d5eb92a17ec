//! Events as JSON Schema, for the document. Tests hold examples and real
//! deliveries against it.

use super::catalogue::{Exemplo, TIPOS, Tipo};
use crate::attempt::envelope::Evento;
use crate::attempt::payload::{
    CertificadoEvento, CoberturaEvento, FaixaEvento, LacunaEvento, NotaEvento, RecebidaEvento,
    SaldoEvento,
};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

impl Tipo {
    /// Name of the schema: kinds that tell the same members share one.
    pub fn schema_name(&self) -> &'static str {
        match self.exemplo {
            Exemplo::Nota { .. } => "Evento_nota",
            Exemplo::Faixa => "Evento_faixa",
            Exemplo::Recebida => "Evento_recebida",
            Exemplo::Certificado => "Evento_certificado",
            Exemplo::Saldo => "Evento_saldo",
            Exemplo::Lacuna => "Evento_lacuna",
            Exemplo::Cobertura => "Evento_cobertura",
        }
    }

    /// The whole event, frame included.
    pub fn schema(&self) -> Value {
        let name = self.schema_name();
        let alike = TIPOS.iter().filter(|tipo| tipo.schema_name() == name);
        let tipos: Vec<&str> = alike.map(|tipo| tipo.nome).collect();
        let mut schema = match self.exemplo {
            Exemplo::Nota { .. } => whole::<NotaEvento>(),
            Exemplo::Faixa => whole::<FaixaEvento>(),
            Exemplo::Recebida => whole::<RecebidaEvento>(),
            Exemplo::Certificado => whole::<CertificadoEvento>(),
            Exemplo::Saldo => whole::<SaldoEvento>(),
            Exemplo::Lacuna => whole::<LacunaEvento>(),
            Exemplo::Cobertura => whole::<CoberturaEvento>(),
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
