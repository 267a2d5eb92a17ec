//! A request with a certificate: JSON, or a form with the file as it is.

use axum::body::Bytes;
use axum::extract::multipart::MultipartError;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, StatusCode};
use base::errors::place::Place;
use base::errors::{Code, Failure, Refusal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gate::Call;
use gate::request::body;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Parts of a form; three have a meaning.
const PARTS: usize = 8;

/// O arquivo A1 e a senha dele.
// No `Debug`: it holds both.
#[derive(Deserialize, JsonSchema)]
pub struct CertificadoIn {
    /// O arquivo .pfx ou .p12 em base64.
    pub pfx_base64: String,
    pub senha: String,
}

/// PFX bytes and password.
pub type Pfx = (Vec<u8>, String);

impl CertificadoIn {
    /// The file decoded; line breaks in the base64 are fine.
    ///
    /// # Errors
    /// 422 when it is not base64.
    pub fn decode(self) -> Result<Pfx, Failure> {
        let compact: Vec<u8> = self
            .pfx_base64
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect();
        let pfx = STANDARD.decode(compact).map_err(|_| {
            Refusal::field(
                Code::CertificadoInvalido,
                "certificado.pfx_base64",
                "O texto não é base64.",
                "Envie o arquivo .pfx ou .p12 inteiro em base64, ou como multipart/form-data.",
            )
            .message("O arquivo não está em base64.")
        })?;
        Ok((pfx, self.senha))
    }
}

/// A body read: the JSON part, and the certificate when it came as a file.
pub struct Sent {
    /// Members of the JSON; empty for a form without `dados`.
    pub data: Value,
    pub certificado: Option<Pfx>,
}

/// Reads either form of a request.
///
/// # Errors
/// 400, 413 or 415 with what is wrong.
pub async fn read(call: &Call, headers: &HeaderMap, request: Request) -> Result<Sent, Failure> {
    if body::essence(headers) == "multipart/form-data" {
        return form(call, request).await;
    }
    let bytes = bytes(request).await?;
    let data = body::parse(call, headers, &bytes)?;
    Ok(Sent {
        data,
        certificado: None,
    })
}

/// The whole body, within the limit of the router.
///
/// # Errors
/// 413 beyond the limit, 400 when it breaks off.
pub async fn bytes(request: Request) -> Result<Bytes, Failure> {
    Bytes::from_request(request, &())
        .await
        .map_err(|rejection| {
            let code = match rejection.status() {
                StatusCode::PAYLOAD_TOO_LARGE => Code::CorpoGrandeDemais,
                _ => Code::JsonInvalido,
            };
            Refusal::new(code).into()
        })
}

async fn form(call: &Call, request: Request) -> Result<Sent, Failure> {
    let mut multipart = Multipart::from_request(request, &())
        .await
        .map_err(|_| malformed())?;
    let (mut certificado, mut password, mut data) = (None, None, None);
    for _ in 0..PARTS {
        let Some(part) = multipart
            .next_field()
            .await
            .map_err(|error| broken(&error))?
        else {
            return assemble(call, certificado, password, data);
        };
        let name = part.name().unwrap_or_default().to_owned();
        let bytes = part.bytes().await.map_err(|error| broken(&error))?;
        let slot = match name.as_str() {
            "certificado" => &mut certificado,
            "senha" => &mut password,
            "dados" => &mut data,
            _ if call.tolerant => continue,
            _ => {
                let mut refusal = Place::default().member(&name).unknown();
                for field in &mut refusal.fields {
                    "Use certificado, senha e dados.".clone_into(&mut field.correcao);
                }
                return Err(refusal.into());
            }
        };
        if slot.replace(bytes).is_some() {
            return Err(Refusal::field(
                Code::ParametroInvalido,
                &name,
                "A parte veio mais de uma vez.",
                "Envie cada parte uma vez.",
            )
            .into());
        }
    }
    Err(malformed())
}

fn assemble(
    call: &Call,
    certificado: Option<Bytes>,
    password: Option<Bytes>,
    data: Option<Bytes>,
) -> Result<Sent, Failure> {
    let absent = |field: &str| {
        let message = "Falta uma parte do formulário.";
        Refusal::field(
            Code::ParametroAusente,
            field,
            message,
            "Envie certificado e senha juntos.",
        )
    };
    let certificado = match (certificado, password) {
        (None, None) => None,
        (Some(_), None) => return Err(absent("senha").into()),
        (None, Some(_)) => return Err(absent("certificado").into()),
        (Some(pfx), Some(password)) => {
            let password = String::from_utf8(password.to_vec()).map_err(|_| {
                Refusal::field(
                    Code::ParametroInvalido,
                    "senha",
                    "A senha não é texto UTF-8.",
                    "Envie a senha em UTF-8.",
                )
            })?;
            Some((pfx.to_vec(), password))
        }
    };
    let data = match data {
        None => Value::Object(Map::new()),
        Some(bytes) if bytes.len() > call.app.config.limits.json_bytes => {
            return Err(Refusal::new(Code::CorpoGrandeDemais).into());
        }
        Some(bytes) => body::parse_text(&bytes)?,
    };
    Ok(Sent { data, certificado })
}

fn broken(error: &MultipartError) -> Failure {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Refusal::new(Code::CorpoGrandeDemais).into(),
        _ => malformed(),
    }
}

fn malformed() -> Failure {
    Refusal::new(Code::ParametroInvalido)
        .message("O formulário multipart está malformado.")
        .hint("Envie as partes certificado (arquivo), senha e dados (JSON), com o boundary no Content-Type.")
        .into()
}
