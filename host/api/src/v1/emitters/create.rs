//! POST /api/v1/emitters: registers a company with its certificate.

use super::form::{self, CertificadoIn, Pfx};
use super::record::{self, Ambiente, IssuerData};
use axum::extract::{Query as UrlQuery, Request};
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::answer::{Answer, ApiAnswer};
use gate::docs::{Built, Docs};
use gate::request::body;
use gate::request::list::{Query, flag, only};
use issuing::emitters::profile::Perfil;
use issuing::emitters::{self, NewEmitter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::ids::EmitterId;

/// Longest name a company is shown by.
const ALIAS_CHARS: usize = 80;

pub fn built() -> Built {
    let switch = json!({ "type": "string", "enum": ["0", "1"] });
    let form = json!({
        "type": "object",
        "required": ["dados"],
        "properties": {
            "certificado": { "type": "string", "format": "binary" },
            "senha": { "type": "string" },
            "dados": { "type": "string", "description": "O corpo JSON, sem certificado." },
        },
    });
    Built {
        operation: "emitters.create",
        route: |method| on(method, create),
        docs: Docs::new("Cadastra uma empresa emitente, com ou sem o certificado A1.")
            .explained("Use uma vez por CNPJ que emite. Depois complete o cadastro com PUT em /fiscal-profile e /certificado: pendencias_detalhes diz o que falta para cada tipo de nota. Recusa o CNPJ errado e o certificado de outra empresa; com simular=1 só confere.")
            .body::<EmitterIn>()
            .form(form)
            .query("simular", "1 só valida, sem guardar.", switch)
            .answers(&[
                (200, "Cadastro válido; nada foi guardado (simular=1)."),
                (201, "Emitente cadastrado."),
            ])
            .sends("ETag", &[201])
            .success::<Registered<String>>()
            .success_at::<Registered<()>>(200),
    }
}

/// Dados do emitente a cadastrar.
#[derive(Deserialize, JsonSchema)]
pub struct EmitterIn {
    /// CNPJ, numérico ou alfanumérico; aceita máscara.
    cnpj: String,
    /// Nome para reconhecê-lo; ausente: o nome da empresa.
    #[schemars(length(min = 1, max = 80))]
    apelido: Option<String>,
    #[serde(default)]
    ambiente: Ambiente,
    /// Ausente: o primeiro emitente da conta se torna o padrão dela.
    padrao: Option<bool>,
    certificado: Option<CertificadoIn>,
    perfil_fiscal: Option<Perfil>,
}

/// O emitente cadastrado, ou como ele seria.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Cadastrado")]
struct Registered<Id> {
    /// Na simulação não há: nada foi guardado.
    id: Id,
    #[serde(flatten)]
    dados: IssuerData,
    /// Nada foi guardado (simular=1).
    simulado: bool,
}

async fn create(
    call: Call,
    UrlQuery(query): UrlQuery<Query>,
    headers: HeaderMap,
    request: Request,
) -> ApiAnswer<Registered<EmitterId>> {
    only(&query, &["simular"])?;
    let simulate = flag(&query, "simular")?;
    let sent = form::read(&call, &headers, request).await?;
    let new = read(sent.data, sent.certificado, call.tolerant)?;
    let account_id = &call.caller.account_id;
    let emitter = emitters::register(&call.app, account_id, new, simulate).await?;
    let mut conn = call.app.db.read().await?;
    let data = record::data(&call.app, &mut conn, &emitter).await?;
    drop(conn);
    if simulate {
        return Ok(Answer::other(call.ok(Registered {
            id: (),
            dados: data,
            simulado: true,
        })?));
    }
    call.about(&emitter.row.id);
    let body = Registered {
        id: emitter.row.id,
        dados: data,
        simulado: false,
    };
    Ok(call.created(body)?.version(emitter.row.version))
}

/// Reads a company from JSON and, where it came apart, its certificate.
///
/// # Errors
/// 400 with unknown or wrong fields, 422 for a certificate that is not base64.
pub fn read(data: Value, file: Option<Pfx>, tolerant: bool) -> Result<NewEmitter, Failure> {
    let body: EmitterIn = body::read(data, tolerant)?;
    let certificado = match (body.certificado, file) {
        (Some(_), Some(_)) => {
            return Err(Refusal::field(
                Code::ParametroInvalido,
                "certificado",
                "O certificado veio duas vezes.",
                "Envie-o como arquivo ou dentro de dados, não nos dois.",
            )
            .into());
        }
        (Some(inside), None) => Some(inside.decode()?),
        (None, file) => file,
    };
    Ok(NewEmitter {
        cnpj: body.cnpj,
        alias: body.apelido.map(alias).transpose()?,
        ambiente: body.ambiente.stored(),
        default: body.padrao,
        certificado,
        perfil: body.perfil_fiscal,
    })
}

/// A name within its limits.
///
/// # Errors
/// 400 naming the field.
pub fn alias(text: String) -> Result<String, Failure> {
    let trimmed = text.trim();
    if trimmed.is_empty()
        || trimmed.chars().count() > ALIAS_CHARS
        || trimmed.chars().any(char::is_control)
    {
        let message = "O apelido tem de 1 a 80 caracteres.";
        return Err(Refusal::field(
            Code::ParametroInvalido,
            "apelido",
            message,
            "Ajuste o apelido.",
        )
        .into());
    }
    Ok(trimmed.to_owned())
}
