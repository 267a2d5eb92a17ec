//! What the adapter says about itself.

use crate::content;
use crate::request::{DOCUMENTO, DOCUMENTO_GZIP};
use sdk::{Description, OptionKind, OptionSpec, Permissions};

/// First interval before asking about a doubtful answer, in milliseconds: an
/// authority needs up to 15 s until a consultation sees what it received
/// (notices 006/2009 and 003/2011 of SEFA/PR, second-hand).
pub const QUERY_INTERVAL_MS: u64 = 15_000;

pub fn describe() -> Description {
    let description = Description::new("sefaz", env!("CARGO_PKG_VERSION"))
        .schema(content::AUTHORIZE)
        .schema(content::CONSULTAR)
        .schema(content::EVENTO)
        .schema(content::INUTILIZAR)
        .schema(content::STATUS)
        .schema(content::OPEN)
        .schema(content::REGISTRATION)
        .schema(content::DISTRIBUICAO)
        .operation("autorizar", true, "NFeAutorizacao4 with one signed NFe (secret `documento`), indSinc=1; then NFeRetAutorizacao4 where the authority queues. CTeRecepcaoSincV4 and MDFeRecepcaoSinc with the document compressed (secret `documento_gzip`).")
        .operation("consultar", true, "NFeConsultaProtocolo4, CTeConsultaV4, MDFeConsulta, by the model in the key: its protocol and events.")
        .operation("evento", true, "NFeRecepcaoEvento4, CTeRecepcaoEventoV4, MDFeRecepcaoEvento, by the model in the key, with one signed event (secret `documento`).")
        .operation("inutilizar", true, "NFeInutilizacao4 with a signed inutNFe (secret `documento`); CT-e and MDF-e have none.")
        .operation("status", true, "NFeStatusServico4, CTeStatusServicoV4, MDFeStatusServico.")
        .operation("nao_encerrados", true, "MDFeConsNaoEnc: manifests nobody closed.")
        .operation("cadastro", true, "CadConsultaCadastro4.")
        .operation("distribuicao", true, "NFeDistribuicaoDFe: documents of interest, decoded.")
        .maintainer("hub");
    options(endpoints(description))
}

/// The hub signs the documents itself. The certificate is wanted everywhere.
pub fn permissions() -> Permissions {
    let all = ENDPOINTS.map(|(name, ..)| name);
    let documents = ["autorizacao", "evento", "evento_an", "epec", "inutilizacao"];
    Permissions::none()
        .secret(DOCUMENTO, &documents, "The signed document")
        .secret(
            DOCUMENTO_GZIP,
            &["autorizacao"],
            "The signed document, compressed",
        )
        .certificate(&all)
}

/// Name, whether it is required, and its services.
const ENDPOINTS: [(&str, bool, &str); 11] = [
    (
        "autorizacao",
        true,
        "NFeAutorizacao4, CTeRecepcaoSincV4, MDFeRecepcaoSinc.",
    ),
    (
        "retorno",
        false,
        "NFeRetAutorizacao4; without it a receipt is settled by asking for the key.",
    ),
    (
        "consulta",
        true,
        "NFeConsultaProtocolo4, CTeConsultaV4, MDFeConsulta.",
    ),
    (
        "status",
        true,
        "NFeStatusServico4, CTeStatusServicoV4, MDFeStatusServico.",
    ),
    (
        "evento",
        true,
        "NFeRecepcaoEvento4 of the authorizer, CTeRecepcaoEventoV4, MDFeRecepcaoEvento.",
    ),
    ("inutilizacao", false, "NFeInutilizacao4."),
    ("nao_encerrados", false, "MDFeConsNaoEnc."),
    ("cadastro", false, "CadConsultaCadastro4."),
    (
        "distribuicao",
        false,
        "NFeDistribuicaoDFe of the national environment.",
    ),
    (
        "evento_an",
        false,
        "NFeRecepcaoEvento4 of the national environment, for events of cOrgao 91.",
    ),
    (
        "epec",
        false,
        "RecepcaoEvento for tpEvento 110140; without it the event goes to `evento_an`.",
    ),
];

fn endpoints(description: Description) -> Description {
    let endpoints = ENDPOINTS.into_iter();
    endpoints.fold(description, |description, (name, required, doc)| {
        description.endpoint(name, required, true, doc)
    })
}

fn options(description: Description) -> Description {
    [
        OptionSpec::choice("soap", &["1.2", "1.1"], "Version of the envelope; MOC 4.00 fixes 1.2."),
        OptionSpec::new("cabecalho", OptionKind::Flag, "Write the SOAP header, which the layouts 4.00 of NF-e and CT-e took away; without this option as the model's layout wants it."),
        OptionSpec::new("namespace_wsdl", OptionKind::Text, "What the names of the services follow to make their namespaces; without this option those of the model."),
        OptionSpec::choice(
            "servico_evento",
            &["NFeRecepcaoEvento4", "NFeRecepcaoEvento"],
            "Name of the service that registers events.",
        ),
        OptionSpec::choice(
            "metodo_retorno",
            &["nfeRetAutorizacaoLote", "nfeRetAutorizacao"],
            "Method of NFeRetAutorizacao4 in the SOAP action.",
        ),
        OptionSpec::choice(
            "metodo_cadastro",
            &["consultaCadastro", "consultaCadastro4"],
            "Method of CadConsultaCadastro4 in the SOAP action.",
        ),
        OptionSpec::choice(
            "cadastro_envelope",
            &["dados", "metodo"],
            "What the body of CadConsultaCadastro4 has at its root: nfeDadosMsg, or the method around it (MT).",
        ),
        OptionSpec::new(
            "intervalo_consulta_ms",
            OptionKind::Integer,
            "First interval before asking about a doubtful answer; the next ones grow from it.",
        )
        .default_value(&QUERY_INTERVAL_MS.to_string()),
        OptionSpec::refuses_duplicates("204 and 539: key, and series with number"),
    ]
    .into_iter()
    .fold(description, Description::option)
}
