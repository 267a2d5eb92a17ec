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

/// A list of these values, joined by commas.
fn choices(name: &str, doc: &str, values: &[&str]) -> OptionSpec {
    let mut spec = text(name, doc);
    spec.choices = values.iter().map(|value| (*value).to_owned()).collect();
    spec
}

/// Elements of `Valores` that may be written as zero.
const ZEROS: [&str; 11] = [
    "Aliquota",
    "DescontoCondicionado",
    "DescontoIncondicionado",
    "OutrasRetencoes",
    "ValorCofins",
    "ValorCsll",
    "ValorDeducoes",
    "ValorInss",
    "ValorIr",
    "ValorIss",
    "ValorPis",
];

fn options() -> Vec<OptionSpec> {
    [
        model_options(),
        of_transport(),
        of_services(),
        of_signatures(),
        of_content(),
    ]
    .concat()
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
            "Namespace of the messages; with namespace_mensagem, that of the types; nenhum: none.",
        )
        .default_value("http://www.abrasf.org.br/nfse.xsd"),
        text(
            "namespace_mensagem",
            "One namespace per message: {mensagem} stands for its root with hyphens (enviar-lote-rps-envio), {mensagem:sublinhado} with underscores, and both for cabecalho.",
        ),
        text(
            "namespace_cabecalho",
            "Namespace of the header where it is not that of the messages.",
        ),
        text(
            "namespaces",
            "Messages with a namespace of their own, by root: CancelarNfseEnvio=http://....",
        ),
        choices(
            "filhos_sem_namespace",
            "What stands in no namespace below its root, a list with commas.",
            &["cabecalho", "mensagem"],
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
            "How the header goes into its parameter.",
        )
        .default_value("esc"),
        choices(
            "sem_cabecalho",
            "Services whose operation has no header where the others have one.",
            &["cancelar"],
        ),
        text("versao_cabecalho", "versaoDados of the header; absent: the version."),
        text("versao_atributo", "Attribute versao of the header and the batch; absent: versao_cabecalho."),
        flag("versao_lote", true, "LoteRps has the attribute versao."),
        OptionSpec::choice("corpo", &["soap", "xml"], "The body: an envelope, or the message itself.")
            .default_value("soap"),
        text(
            "cabecalhos_http",
            "HTTP headers: codigo={segredo.senha}, token={sessao}, producao={producao:true}; an empty one is left out. {sessao} is the token of the session, and in the request that opens one the secret token.",
        ),
        text(
            "sessao_caminho",
            "What follows the address of the request that opens a session; its answer is the token, alone or in Mensagem. Absent: there are no sessions.",
        ),
        OptionSpec::choice("soap", &["1.1", "1.2"], "Version of SOAP.").default_value("1.1"),
        text("soap_namespace", "Namespace of the SOAP operations, a pattern.").default_value("http://nfse.abrasf.org.br"),
        text("soap_action", "SOAPAction, a pattern; nenhum: empty.")
            .default_value("http://nfse.abrasf.org.br/{metodo}"),
        text(
            "elemento",
            "Elements around the parameters, outermost first, separated by /; nenhum: the message is the body itself. The prefix nfse is that of soap_namespace, par that of parametros_namespace. In this and the other patterns {metodo} is the operation (GerarNfse) and {envio} the root of the message, also as {metodo:camel}, {metodo:capital}, {metodo:maiusculas}; {producao:TEXT} and {homologacao:TEXT} stand for TEXT in that environment, {consultar_rps:TEXT} in that service.",
        )
        .default_value("nfse:{metodo}Request"),
        text("parametro_cabecalho", "Name of the header's parameter, a pattern.").default_value("nfseCabecMsg"),
        text(
            "parametro_dados",
            "Name of the message's parameter, a pattern; nenhum: the message stands without one.",
        )
        .default_value("nfseDadosMsg"),
    ]
}

/// What the services of a system have of their own.
fn of_services() -> Vec<OptionSpec> {
    vec![
        text(
            "campos_json",
            "The body is a JSON object with these fields instead of SOAP: xml={mensagem}, usuario={segredo.usuario}.",
        ),
        text(
            "resposta",
            "Name of the answer's element where it is not the model's (GerarNfseResposta), a pattern: {metodo}Result; {resposta} is the model's.",
        ),
        flag("consultas_sem_raiz", false, "Queries go as nodes, without their root."),
        text(
            "parametros",
            "Nodes after the message: Username={segredo.usuario}, Prefeitura=CIDADE; each holds a secret or a pattern.",
        ),
        text(
            "referencia",
            "Elements of the operation, a pattern (par:{metodo}/parameters): the last one refers by href=\"#1\" to the element of the message, which follows with id=\"1\" (SOAP 1.1, multi-reference).",
        ),
        text("caminho", "What follows the address: /?tokenAuth={token} with the secret token."),
        text("parametros_namespace", "Namespace of the prefix par, a pattern."),
        text(
            "metodos",
            "Operations with another name than the model's: consultar_rps=ConsultaNfseRps, cancelar=CancelaNfse.",
        ),
        choices(
            "servicos_ausentes",
            "Services the system does not have.",
            &["cancelar", "substituir"],
        ),
        OptionSpec::choice(
            "consulta_numero",
            &["prestado", "faixa", "nenhuma"],
            "Service that is asked for a note by its number, from 2.00 on.",
        )
        .default_value("prestado"),
        OptionSpec::choice(
            "credenciais",
            &[
                "none",
                "usuario_senha_nos",
                "usuario_senha_wsse",
                "usuario_senha_http",
                "token_http",
                "token_http_puro",
            ],
            "Secrets usuario and senha as nodes username and password after the message, as a WS-Security token or as HTTP basic authentication; secret token in Authorization, after Bearer or alone.",
        )
        .default_value("none"),
        flag("certificado_tls", false, "Offer the customer's certificate in the TLS handshake."),
    ]
}

/// What is signed, and how.
fn of_signatures() -> Vec<OptionSpec> {
    vec![
        choices(
            "assina",
            "What is signed, a list with commas: rps (each declaration), rps_interno (Rps inside it, with the signature after the declaration), lote (the batch and the substitution), cancelamento (its request), mensagem_cancelamento (the whole message), consulta.",
            &[
                "cancelamento",
                "consulta",
                "lote",
                "mensagem_cancelamento",
                "rps",
                "rps_interno",
            ],
        ),
        flag(
            "canonicalizacao_exclusiva",
            false,
            "Sign over exclusive canonicalization instead of C14N 1.0.",
        ),
        flag(
            "assina_avulso",
            false,
            "An element without id is signed as a document of its own with the element around it (Rps, Pedido), not with the whole message.",
        ),
        flag(
            "uri_vazia",
            false,
            "The signature's reference is empty instead of an id.",
        ),
    ]
}

/// What stands in a message, and how it is written.
fn of_content() -> Vec<OptionSpec> {
    let mut formato_data = OptionSpec::choice(
        "formato_data",
        &["data", "data_hora", "emissao_com_hora"],
        "How DataEmissao and Competencia are written, emissao_com_hora: a time in DataEmissao only; absent: data_hora in 1.00, data later.",
    );
    formato_data.default = None;
    vec![
        choices(
            "zeros",
            "Amounts that are written also when they are zero.",
            &ZEROS,
        ),
        OptionSpec::new(
            "regime_especial_maximo",
            OptionKind::Integer,
            "Largest code of RegimeEspecialTributacao the layout has; a larger one is left out.",
        )
        .default_value("6"),
        text(
            "natureza_operacao",
            "Codes of NaturezaOperacao in 1.00 where they are not the model's, by situation: 1=101, retido=201, profissionais=121, simples.1=501, mei=541.",
        ),
        text("omite", "Elements the system does not have, by the end of their path: Servico/CodigoPais, Status."),
        text(
            "recusa",
            "Elements whose content the system cannot take, by the end of their path: a message that has one is refused with its field, unless it is empty, zero or the given text: Servico/ExigibilidadeISS=1, Valores/DescontoCondicionado.",
        ),
        text(
            "renomeia",
            "Elements with a name of the system's own: Servico/ExigibilidadeISS=Exigibilidade; a name after a colon has no prefix.",
        ),
        text(
            "ordem",
            "Groups with an order of the system's own: Servico=Valores IssRetido; Valores=ValorServicos. What is not named follows.",
        ),
        text(
            "acrescenta",
            "Elements the model does not have, with fields of the content or {=Element} of the message, or {@InfNfse/Id}, an attribute of the note a cancellation is about, which is looked up first: Servico/cNBS={servico.codigo_nbs}; InfPedidoCancelamento/MotivoCancelamento={motivo}. They stand in the place of the element of their name that is left out, at the end of their group, or where ordem says; of several with one name the first with all its fields is taken. {!field} and {!=Element} must be there, else the message is refused with the name of the field.",
        ),
        text("envolve", "Elements whose content stands in one more element: ConsultarNfseRpsEnvio=Pedido."),
        OptionSpec::choice(
            "atributo_id",
            &["Id", "id", "nenhum"],
            "Name of the id attribute; nenhum: elements have no id, and nothing is signed.",
        )
        .default_value("Id"),
        flag("id_rps", false, "Rps inside the declaration has an id, too."),
        text(
            "ids",
            "Forms of ids: rps=ID1{documento}{numero:16}, lote=..., cancelamento=..., rps_interno=..., substituicao=...; {ano} is the year; nenhum: that element has no id, and what is signed is the whole message, with the signature behind the element.",
        ),
        text("status_cancelado", "Text of InfNfse/Status or StatusNfse that says that a note is cancelled."),
        OptionSpec::choice("aliquota", &["fracao", "percentual"], "2.5 % is 0.0250 or 2.50.")
            .default_value("percentual"),
        OptionSpec::choice(
            "item_lista",
            &["com_zero", "sem_zero", "sem_ponto", "sem_ponto_sem_zero"],
            "ItemListaServico as 01.05, 1.05, 0105 or 105.",
        )
        .default_value("com_zero"),
        formato_data,
        OptionSpec::choice(
            "ibs_cbs",
            &["nenhum", "declaracao", "valores"],
            "Where the group IBSCBS goes: at the end of the declaration (WebISS) or of Valores (Giss). declaracao also brings CodigoNbs and the intermediary's municipality to 2.02.",
        )
        .default_value("nenhum"),
        OptionSpec::new(
            "intervalo_consulta_ms",
            OptionKind::Integer,
            "First interval between two queries, in milliseconds; it doubles up to half an hour.",
        )
        .default_value("5000"),
    ]
}
