//! What the adapter says about itself.

use crate::service::ENDPOINTS;
use sdk::{Description, OptionKind, OptionSpec, nfse};

/// Operations, options and endpoints.
pub fn describe() -> Description {
    let mut description = Description::new("abrasf", env!("CARGO_PKG_VERSION"))
        .schema(nfse::SCHEMA_DPS)
        .schema(nfse::SCHEMA_RPS)
        .schema(nfse::SCHEMA_REF)
        .schema(nfse::SCHEMA_CANCELAMENTO)
        .operation(
            "emitir",
            false,
            "GerarNfse, RecepcionarLoteRpsSincrono or RecepcionarLoteRps, by `modo`",
        )
        .operation(
            "consultar-rps",
            true,
            "ConsultarNfsePorRps; with a protocol ConsultarLoteRps first",
        )
        .operation(
            "consultar-nota",
            true,
            "ConsultarNfseServicoPrestado (1.00: ConsultarNfse), or by RPS",
        )
        .operation("cancelar", true, "CancelarNfse")
        .operation("substituir", true, "SubstituirNfse, from 2.00 on")
        .endpoint("nfse", true, true, "SOAP service of the city");
    for (name, doc) in ENDPOINTS {
        description = description.endpoint(name, false, true, doc);
    }
    for option in options() {
        description = description.option(option);
    }
    description
}

fn text(name: &str, doc: &str) -> OptionSpec {
    OptionSpec::new(name, OptionKind::Text, doc)
}

fn flag(name: &str, default: bool, doc: &str) -> OptionSpec {
    let default = if default { "true" } else { "false" };
    OptionSpec::new(name, OptionKind::Flag, doc).default_value(default)
}

fn options() -> Vec<OptionSpec> {
    [model_options(), of_transport(), of_content()].concat()
}

/// Which messages there are, and their namespaces.
fn model_options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::choice(
            "versao",
            &["1.00", "2.00", "2.01", "2.02", "2.03", "2.04"],
            "Version of the ABRASF model.",
        )
        .required(),
        OptionSpec::choice(
            "modo",
            &["gerar", "lote_sincrono", "lote"],
            "How a note is issued; 1.00 has only lote. Each message carries one RPS.",
        )
        .default_value("lote"),
        text(
            "namespace",
            "Namespace of the messages; with namespace_mensagem, that of the types.",
        )
        .default_value("http://www.abrasf.org.br/nfse.xsd"),
        text(
            "namespace_mensagem",
            "One namespace per message: {mensagem} stands for its root with hyphens (enviar-lote-rps-envio), and for cabecalho.",
        ),
    ]
}

/// How a message travels.
fn of_transport() -> Vec<OptionSpec> {
    vec![
        OptionSpec::choice("envelope", &["esc", "cdata", "raw"], "How the message goes into its parameter.")
            .default_value("esc"),
        OptionSpec::choice(
            "cabecalho",
            &["none", "esc", "cdata", "raw"],
            "How the header goes into its parameter. With none and envelope raw the message is the operation's only child, without parameters.",
        )
        .default_value("esc"),
        text("versao_cabecalho", "versaoDados of the header and versao of the batch; absent: the version."),
        flag("versao_lote", true, "LoteRps has the attribute versao."),
        OptionSpec::choice("soap", &["1.1", "1.2"], "Version of SOAP.").default_value("1.1"),
        text("soap_namespace", "Namespace of the SOAP operations.").default_value("http://nfse.abrasf.org.br"),
        text("soap_action", "SOAPAction; {metodo} stands for the operation.")
            .default_value("http://nfse.abrasf.org.br/{metodo}"),
        OptionSpec::choice(
            "metodo_estilo",
            &["request", "metodo", "camel"],
            "Element of the operation: GerarNfseRequest, GerarNfse or gerarNfse (then {metodo} too).",
        )
        .default_value("request"),
        text("parametro_cabecalho", "Name of the header's parameter.").default_value("nfseCabecMsg"),
        text("parametro_dados", "Name of the message's parameter.").default_value("nfseDadosMsg"),
        flag("parametros_qualificados", false, "The parameters are in the SOAP namespace."),
    ]
}

/// What stands in a message, and how it is written.
fn of_content() -> Vec<OptionSpec> {
    let mut signs = text(
        "assina",
        "What is signed, a list with commas: rps (each declaration), lote (the batch and the substitution), cancelamento, consulta.",
    );
    signs.choices = ["cancelamento", "consulta", "lote", "rps"]
        .map(String::from)
        .to_vec();
    let mut formato_data = OptionSpec::choice(
        "formato_data",
        &["data", "data_hora"],
        "How DataEmissao and Competencia are written; absent: data_hora in 1.00, data later.",
    );
    formato_data.default = None;
    vec![
        signs,
        OptionSpec::choice("atributo_id", &["Id", "id"], "Name of the id attribute.").default_value("Id"),
        OptionSpec::choice(
            "credenciais",
            &["none", "usuario_senha_nos"],
            "User and password (secrets usuario and senha) as nodes username and password after the message.",
        )
        .default_value("none"),
        OptionSpec::choice("aliquota", &["fracao", "percentual"], "2.5 % is 0.0250 or 2.50.")
            .default_value("percentual"),
        OptionSpec::choice(
            "item_lista",
            &["com_zero", "sem_zero", "sem_ponto"],
            "ItemListaServico as 01.05, 1.05 or 0105.",
        )
        .default_value("com_zero"),
        formato_data,
        OptionSpec::choice(
            "ibs_cbs",
            &["nenhum", "declaracao", "valores"],
            "Where the group IBSCBS goes: at the end of the declaration (WebISS) or of Valores (Giss). declaracao also brings CodigoNbs and the intermediary's municipality to 2.02.",
        )
        .default_value("nenhum"),
        flag("certificado_tls", false, "Offer the customer's certificate in the TLS handshake."),
        OptionSpec::new(
            "intervalo_consulta_ms",
            OptionKind::Integer,
            "First interval between two queries, in milliseconds; it doubles up to half an hour.",
        )
        .default_value("5000"),
    ]
}
