//! What the adapter says about itself.

use crate::embedded::LAYOUTS;
use crate::layout::{SERVICES, all_variants, endpoint_of};
use crate::names::OPTIONS;
use sdk::{Description, OptionKind, OptionSpec, nfse};

/// Operations, options and endpoints.
pub fn describe() -> Description {
    let mut description = Description::new("layouts", env!("CARGO_PKG_VERSION"))
        .schema(nfse::SCHEMA_DPS)
        .schema(nfse::SCHEMA_RPS)
        .schema(nfse::SCHEMA_REF)
        .schema(nfse::SCHEMA_CANCELAMENTO)
        .operation("emitir", false, "At once or by a batch, as the layout says")
        .operation(
            "consultar-rps",
            true,
            "By protocol or by RPS, where the system has it",
        )
        .operation(
            "consultar-nota",
            true,
            "By RPS or by number, where the system has it",
        )
        .operation("cancelar", true, "Where the system has it")
        .operation("substituir", true, "Where the system has it")
        .endpoint("nfse", true, true, "Service of the city");
    for (service, kind) in SERVICES {
        let doc = format!("{service}, where it has an address of its own");
        description = description.endpoint(endpoint_of(kind), false, true, &doc);
    }
    for option in options() {
        description = description.option(option);
    }
    description
}

fn options() -> Vec<OptionSpec> {
    let layouts: Vec<&str> = LAYOUTS.iter().map(|(name, _)| *name).collect();
    let mut layout =
        OptionSpec::choice("leiaute", &layouts, "Folder of leiautes/ with the layout.").required();
    layout.default = None;
    let mut absent = OptionSpec::new(
        "servicos_ausentes",
        OptionKind::Text,
        "Services the city does not have, joined by commas.",
    );
    absent.choices = ["cancelar", "consultar-nota", "consultar-rps", "substituir"]
        .map(str::to_owned)
        .to_vec();
    let mut variants = OptionSpec::new(
        "variantes",
        OptionKind::Text,
        "Variants of the layout that the city has, joined by commas; its leiaute.txt explains them.",
    );
    variants.choices = all_variants();
    let mut options = vec![
        layout,
        absent,
        variants,
        OptionSpec::new(
            "certificado_tls",
            OptionKind::Flag,
            "Offer the customer's certificate in the TLS handshake.",
        )
        .default_value("false"),
        OptionSpec::new(
            "intervalo_consulta_ms",
            OptionKind::Integer,
            "First interval between two questions; it doubles up to half an hour.",
        )
        .default_value("5000"),
        OptionSpec::new(
            sdk::REFUSES_DUPLICATES,
            OptionKind::Flag,
            "The city refuses a second copy of a note by the mark of its message: where nobody can be asked by RPS, the hub sends the same bytes again.",
        )
        .default_value("false"),
    ];
    for (name, doc) in OPTIONS {
        options.push(OptionSpec::new(name, OptionKind::Text, doc));
    }
    options
}
