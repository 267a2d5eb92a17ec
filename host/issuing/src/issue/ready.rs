//! What an emitter must have before a note of its can leave.

use accounts::caller::Caller;
use authority::way::{Mode, Way};
use base::errors::{Code, Failure, Refusal};
use base::when;
use flow::registry::Route;
use store::Conn;
use store::ids::EmitterId;
use store::tables::emitters::{self, EmitterRow};

/// The emitter named, or the account's default.
///
/// # Errors
/// 404 for an unknown one, 400 when there is no default.
pub async fn emitter(
    conn: &mut Conn,
    caller: &Caller,
    id: Option<&EmitterId>,
) -> Result<EmitterRow, Failure> {
    match id {
        Some(id) => Ok(emitters::get(conn, &caller.account_id, id)
            .await?
            .ok_or_else(|| {
                Refusal::field(
                    Code::NaoEncontrado,
                    "emitente_id",
                    "Emitente não encontrado.",
                    "Veja os seus em GET /api/v1/emitters.",
                )
            })?),
        None => Ok(emitters::default_of(conn, &caller.account_id)
            .await?
            .ok_or_else(|| {
                Refusal::field(
                    Code::ParametroAusente,
                    "emitente_id",
                    "A conta não tem emitente padrão.",
                    "Informe emitente_id ou marque um emitente como padrão.",
                )
            })?),
    }
}

/// Certificate and logins the route demands.
///
/// # Errors
/// 422 naming what is missing or has expired.
pub async fn ready(
    conn: &mut Conn,
    emitter: &EmitterRow,
    route: &Route,
    way: &Way,
    secrets: &[String],
    now_ms: i64,
) -> Result<(), Failure> {
    let missing: Vec<&String> = route
        .demanded_credentials
        .iter()
        .filter(|name| !secrets.contains(name))
        .collect();
    if !missing.is_empty() {
        let mut refusal = Refusal::new(Code::PerfilFiscalIncompleto).message(format!(
            "{} pede credenciais que o emitente não tem.",
            route.name
        ));
        for name in missing {
            let field = format!("nfse.credenciais.{name}");
            refusal.fields.extend(
                Refusal::field(
                    Code::PerfilFiscalIncompleto,
                    &field,
                    "Falta a credencial do portal do município.",
                    "Informe no perfil fiscal.",
                )
                .fields,
            );
        }
        return Err(refusal.into());
    }
    certificate(conn, emitter, way, route.certificate_demanded, now_ms).await
}

/// The certificate a way needs; the simulated authorities of a test key have
/// their own.
///
/// # Errors
/// 422: there is none, or it has expired.
pub async fn certificate(
    conn: &mut Conn,
    emitter: &EmitterRow,
    way: &Way,
    required: bool,
    now_ms: i64,
) -> Result<(), Failure> {
    let Some(id) = way.certificate_id.as_ref() else {
        return if required && way.mode != Mode::InProcess {
            Err(Refusal::new(Code::CertificadoAusente).into())
        } else {
            Ok(())
        };
    };
    let ends_ms = store::tables::certificates::ends_ms(conn, &emitter.account_id, id).await?;
    match ends_ms {
        Some(ends_ms) if ends_ms < now_ms => Err(Refusal::new(Code::CertificadoVencido)
            .message(format!(
                "O certificado de {} venceu em {}.",
                emitter.apelido,
                when::rfc3339(ends_ms)
            ))
            .into()),
        Some(_) => Ok(()),
        None => Err(Refusal::new(Code::CertificadoAusente).into()),
    }
}

/// A field the fiscal profile lacks.
pub fn incomplete(field: &str, message: &str) -> Refusal {
    Refusal::field(
        Code::PerfilFiscalIncompleto,
        field,
        message,
        "Complete em PUT /api/v1/emitters/{id}/fiscal-profile.",
    )
}
