//! Emitters: a company, its certificate, its profile.

pub mod inbound_schedule;
pub mod party;
pub mod profile;

use crate::Issuing;
use crate::emitters::inbound_schedule::schedule;
use crate::emitters::profile::Perfil;
use crate::model::{Ambiente, Model, in_test};
use authority::customer::{self, certificate_aad, join_chain, secret_aad};
use base::config::AuthoritiesMode;
use base::errors::{Code, Failure, Refusal};
use base::when;
use markup::field::Fields;
use markup::ids::{Cnpj, CpfCnpj, Takes};
use std::time::Duration;
use store::ids::{AccountId, CertificateId, EmitterId};
use store::tables::certificates::CertificateRow;
use store::tables::emitters::EmitterRow;
use store::tables::numbers::{self, Series};
use store::tables::secrets::SecretRow;
use store::words::Maybe;
use store::{Conn, Readable as _, TxError};
use tokio::sync::Semaphore;
use vault::a1::{self, A1, A1Error};
use vault::roots::Chain;

/// Key derivation is slow on purpose: few at a time.
static IMPORTING: Semaphore = Semaphore::const_new(2);
/// An import takes less than a second (`vault::pfx_cost`): after this time
/// there are too many of them.
pub const IMPORT_WAIT: Duration = Duration::from_secs(10);
/// What `Retry-After` says then.
const IMPORT_RETRY_S: u64 = 10;

/// A company to register.
pub struct NewEmitter {
    pub cnpj: String,
    pub alias: Option<String>,
    /// `homologacao` or `producao`.
    pub ambiente: Ambiente,
    /// None: the account's first emitter becomes its default.
    pub default: Option<bool>,
    /// PFX bytes and password.
    pub certificado: Option<(Vec<u8>, String)>,
    pub perfil: Option<Perfil>,
}

/// An emitter with the certificate it uses.
pub struct Emitter {
    pub row: EmitterRow,
    pub certificate: Option<CertificateRow>,
}

/// Registers a company; `simulate` only says whether it would work.
///
/// # Errors
/// Everything wrong with CNPJ, certificate or profile; nothing is stored then.
pub async fn register(
    app: &Issuing,
    account_id: &AccountId,
    new: NewEmitter,
    simulate: bool,
) -> Result<Emitter, Failure> {
    let now_ms = app.now_ms();
    let cnpj = Cnpj::parse(&new.cnpj).map_err(|_| {
        let mistake = Takes::Cnpj.mistake(&new.cnpj);
        Refusal::field(
            Code::ParametroInvalido,
            "cnpj",
            &mistake.message,
            mistake.hint,
        )
    })?;
    let mut perfil = new.perfil.unwrap_or_default();
    check(&mut perfil, &Perfil::default())?;
    let secrets = perfil.take_secrets();
    let id = EmitterId::new(now_ms);
    let certificate = match new.certificado {
        Some((pfx, password)) => {
            Some(certificate(app, account_id, &id, &cnpj, pfx, password).await?)
        }
        None => None,
    };
    let legal_name = perfil
        .razao_social
        .clone()
        .or_else(|| {
            certificate
                .as_ref()
                .map(|certificate| company_name(&certificate.titular))
        })
        .unwrap_or_else(|| cnpj.to_string());
    let row = EmitterRow {
        account_id: account_id.to_owned(),
        cnpj: cnpj.to_string(),
        apelido: new.alias.unwrap_or_else(|| legal_name.clone()),
        razao_social: legal_name,
        ambiente: new.ambiente,
        padrao: i64::from(new.default == Some(true)),
        perfil: serde_json::to_string(&perfil)?,
        certificate_id: Maybe(
            certificate
                .as_ref()
                .map(|certificate| certificate.id.clone()),
        ),
        version: 1,
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        id,
    };
    let sealed = seal(app, &row, secrets, now_ms)?;
    if simulate {
        let mut conn = app.db.read().await?;
        return match store::tables::emitters::by_cnpj(&mut conn, account_id, &row.cnpj).await? {
            Some(other) => Err(taken(&other.id).into()),
            None => Ok(Emitter { row, certificate }),
        };
    }
    let first_is_default = new.default.is_none();
    let stored = app.db.write(
        (row, certificate, sealed, first_is_default),
        |(row, certificate, sealed, first_is_default), conn| {
            Box::pin(insert(
                conn,
                row.clone(),
                certificate.as_ref(),
                sealed,
                *first_is_default,
            ))
        },
    );
    Ok(stored.await?)
}

/// Writes a company with its certificate, secrets, numbers and schedule, or
/// nothing.
async fn insert(
    conn: &mut Conn,
    mut row: EmitterRow,
    certificate: Option<&CertificateRow>,
    sealed: &[SecretRow],
    first_is_default: bool,
) -> Result<Emitter, TxError<Refusal>> {
    // One default per account: decided one registration at a time.
    store::tables::accounts::lock(conn, &row.account_id).await?;
    if first_is_default
        && store::tables::emitters::default_of(conn, &row.account_id)
            .await?
            .is_none()
    {
        row.padrao = 1;
    }
    if row.padrao == 1 {
        store::tables::emitters::clear_default(conn, &row.account_id, &row.id).await?;
    }
    if !store::tables::emitters::insert(conn, &row).await? {
        let other = store::tables::emitters::by_cnpj(conn, &row.account_id, &row.cnpj).await?;
        return Err(TxError::Abort(taken(
            &other.map(|other| other.id).unwrap_or_default(),
        )));
    }
    if let Some(certificate) = certificate {
        store::tables::certificates::insert(conn, certificate).await?;
    }
    for secret in sealed {
        store::tables::secrets::upsert(conn, secret).await?;
    }
    number(conn, &row).await?;
    schedule(conn, &row, row.created_at_ms).await?;
    Ok(Emitter {
        row,
        certificate: certificate.cloned(),
    })
}

fn taken(id: &EmitterId) -> Refusal {
    Refusal::new(Code::EmitenteJaExiste).with("emitente_id", id.as_str())
}

/// Brings a profile into the form that is stored. `before`: the profile that is stored.
///
/// # Errors
/// Everything wrong with it.
fn check(perfil: &mut Perfil, before: &Perfil) -> Result<(), Failure> {
    let mut fields = Fields::default();
    perfil.check(&mut fields);
    perfil.normalize(before, &mut fields);
    if perfil.logo_base64 != before.logo_base64 {
        perfil.check_new_logo(&mut fields);
    }
    fields.into_result().map_err(|fields| {
        Refusal::fields(fields)
            .message("O perfil fiscal tem pontos a corrigir.")
            .into()
    })
}

/// Replaces the profile and raises the numbering.
///
/// # Errors
/// 409 when a number would go back, 412 when somebody else changed the row.
pub async fn set_profile(
    app: &Issuing,
    mut row: EmitterRow,
    mut perfil: Perfil,
) -> Result<EmitterRow, Failure> {
    check(&mut perfil, &serde_json::from_str(&row.perfil)?)?;
    let now_ms = app.now_ms();
    let secrets = perfil.take_secrets();
    if let Some(legal_name) = &perfil.razao_social {
        row.razao_social.clone_from(legal_name);
    }
    row.perfil = serde_json::to_string(&perfil)?;
    let sealed = seal(app, &row, secrets, now_ms)?;
    let stored = app
        .db
        .write((row, sealed, now_ms), |(row, sealed, now_ms), conn| {
            Box::pin(async move {
                if !store::tables::emitters::update(conn, row, *now_ms).await? {
                    return Err(TxError::Abort(Refusal::new(Code::VersaoDesatualizada)));
                }
                for secret in sealed {
                    store::tables::secrets::upsert(conn, secret).await?;
                }
                number(conn, row).await?;
                schedule(conn, row, *now_ms).await?;
                Ok(EmitterRow {
                    version: row.version + 1,
                    updated_at_ms: *now_ms,
                    ..row.clone()
                })
            })
        });
    Ok(stored.await?)
}

/// What PATCH may change.
#[derive(Clone, Debug, Default)]
pub struct Change {
    pub ambiente: Option<Ambiente>,
    pub alias: Option<String>,
    pub default: Option<bool>,
}

/// Changes environment, name or default of an emitter.
///
/// # Errors
/// 412 when somebody else changed the row.
pub async fn update(
    app: &Issuing,
    mut row: EmitterRow,
    change: Change,
) -> Result<EmitterRow, Failure> {
    if let Some(ambiente) = change.ambiente {
        row.ambiente = ambiente;
    }
    if let Some(alias) = change.alias {
        row.apelido = alias;
    }
    if let Some(default) = change.default {
        row.padrao = i64::from(default);
    }
    let stored = app.db.write((row, app.now_ms()), |(row, now_ms), conn| {
        Box::pin(async move {
            store::tables::accounts::lock(conn, &row.account_id).await?;
            if row.padrao == 1 {
                store::tables::emitters::clear_default(conn, &row.account_id, &row.id).await?;
            }
            if !store::tables::emitters::update(conn, row, *now_ms).await? {
                return Err(TxError::Abort(Refusal::new(Code::VersaoDesatualizada)));
            }
            schedule(conn, row, *now_ms).await?;
            Ok(EmitterRow {
                version: row.version + 1,
                updated_at_ms: *now_ms,
                ..row.clone()
            })
        })
    });
    Ok(stored.await?)
}

/// Removes an emitter that never had a document, with its certificates,
/// logins, numbering and persons.
///
/// # Errors
/// 409 when it has documents; nothing is removed then.
pub async fn delete(app: &Issuing, row: EmitterRow) -> Result<(), Failure> {
    let account_id = row.account_id.clone();
    let removed = app.db.write(row, |row, conn| {
        Box::pin(async move {
            let (account_id, id) = (&row.account_id, &row.id);
            store::tables::secrets::delete_of(conn, account_id, id).await?;
            let certificates = store::tables::certificates::delete_of(conn, account_id, id).await?;
            numbers::delete_of(conn, &row.id).await?;
            store::tables::emitter_coverage::delete_of(conn, &row.id).await?;
            store::tables::distribuicao::delete_of(conn, &row.id).await?;
            store::tables::pessoas::delete_of(conn, &row.account_id, &row.id).await?;
            match store::tables::emitters::delete(conn, &row.account_id, &row.id).await {
                Ok(true) => Ok(certificates),
                Ok(false) => Err(TxError::Abort(has_documents())),
                // A note was written since the check.
                Err(error)
                    if error
                        .as_database_error()
                        .is_some_and(|error| error.is_foreign_key_violation()) =>
                {
                    Err(TxError::Abort(has_documents()))
                }
                Err(error) => Err(TxError::Db(error)),
            }
        })
    });
    customer::forget(app, &account_id, &removed.await?);
    Ok(())
}

fn has_documents() -> Refusal {
    Refusal::new(Code::EstadoInvalido)
        .message("O emitente tem documentos, numeração inutilizada ou eventos e não pode ser excluído.")
        .hint("Os documentos fiscais ficam guardados pelo prazo legal; retire o emitente do uso mudando o padrão.")
}

/// Sets the next number of the profile's series, in the environment where the
/// emitter's documents go; never downwards.
async fn number(conn: &mut Conn, row: &EmitterRow) -> Result<(), TxError<Refusal>> {
    let perfil: Perfil = serde_json::from_str(&row.perfil)
        .map_err(|error| TxError::Db(sqlx::Error::Decode(Box::new(error))))?;
    for model in Model::ALL.iter().copied() {
        let next = perfil.numbering(model).proximo_numero;
        if let Some(next) = next {
            let next = i64::try_from(next).readable("next number of a company", &row.id);
            let next = next.map_err(TxError::Db)?;
            raise(conn, row, &perfil.serie(model), model, next).await?;
        }
    }
    Ok(())
}

async fn raise(
    conn: &mut Conn,
    row: &EmitterRow,
    serie: &str,
    model: Model,
    next: i64,
) -> Result<(), TxError<Refusal>> {
    let ambiente = in_test(model, row.ambiente);
    let series = Series::new(&row.id, ambiente, model, serie);
    if numbers::raise(conn, &series, next).await? {
        return Ok(());
    }
    let current = numbers::next(conn, &series).await?.unwrap_or(1);
    Err(TxError::Abort(
        Refusal::new(Code::EstadoInvalido)
            .message(format!(
                "A série {} de {} já está no número {current}: o próximo número só pode crescer.",
                series.serie,
                model.title()
            ))
            .with("proximo_numero", current),
    ))
}

/// Puts a new certificate in use; the old one stays for flows in progress.
///
/// # Errors
/// As the import, or 412 when somebody else changed the emitter.
pub async fn replace_certificate(
    app: &Issuing,
    row: EmitterRow,
    pfx: Vec<u8>,
    password: String,
) -> Result<Emitter, Failure> {
    let cnpj = Cnpj::parse(&row.cnpj).map_err(|error| anyhow::anyhow!("stored CNPJ: {error}"))?;
    let certificate = certificate(app, &row.account_id, &row.id, &cnpj, pfx, password).await?;
    let row = EmitterRow {
        certificate_id: certificate.id.clone().into(),
        ..row
    };
    let stored = app.db.write(
        (row, certificate, app.now_ms()),
        |(row, certificate, now_ms), conn| {
            Box::pin(async move {
                store::tables::certificates::insert(conn, certificate).await?;
                if !store::tables::emitters::update(conn, row, *now_ms).await? {
                    return Err(TxError::Abort(Refusal::new(Code::VersaoDesatualizada)));
                }
                let row = EmitterRow {
                    version: row.version + 1,
                    updated_at_ms: *now_ms,
                    ..row.clone()
                };
                Ok(Emitter {
                    row,
                    certificate: Some(certificate.clone()),
                })
            })
        },
    );
    Ok(stored.await?)
}

/// Takes the certificate of an emitter out of use and erases its key, with
/// those of the certificates before it: nothing of them is left. A flow in
/// progress goes on when the emitter has another one.
///
/// # Errors
/// 412 when somebody else changed the emitter; nothing is erased then.
pub async fn remove_certificate(app: &Issuing, row: EmitterRow) -> Result<EmitterRow, Failure> {
    let row = EmitterRow {
        certificate_id: Maybe(None),
        ..row
    };
    let written = app.db.write((row, app.now_ms()), |(row, now_ms), conn| {
        Box::pin(async move {
            if !store::tables::emitters::update(conn, row, *now_ms).await? {
                return Err(TxError::Abort(Refusal::new(Code::VersaoDesatualizada)));
            }
            let removed =
                store::tables::certificates::delete_of(conn, &row.account_id, &row.id).await?;
            let row = EmitterRow {
                version: row.version + 1,
                updated_at_ms: *now_ms,
                ..row.clone()
            };
            Ok((row, removed))
        })
    });
    let (row, removed) = written.await?;
    customer::forget(app, &row.account_id, &removed);
    Ok(row)
}

/// Whose a certificate is and whose it should be: names of companies of one family are alike.
fn of_another(a1: &A1, cnpj: &Cnpj) -> String {
    let theirs = match &a1.documento {
        Some(CpfCnpj::Cnpj(theirs)) => format!(" (CNPJ {})", theirs.masked()),
        Some(CpfCnpj::Cpf(theirs)) => format!(" (CPF {})", theirs.masked()),
        None => String::new(),
    };
    let (holder, own) = (&a1.holder, cnpj.masked());
    format!("O certificado é de {holder}{theirs} e a empresa é {own}.")
}

async fn certificate(
    app: &Issuing,
    account_id: &AccountId,
    emitter_id: &EmitterId,
    cnpj: &Cnpj,
    pfx: Vec<u8>,
    password: String,
) -> Result<CertificateRow, Failure> {
    let now_ms = app.now_ms();
    let a1 = import(pfx, password, now_ms).await?;
    if !a1.belongs_to(cnpj) {
        return Err(Refusal::new(Code::CertificadoDeOutraEmpresa)
            .message(of_another(&a1, cnpj))
            .into());
    }
    let unknown = || app.roots.chain(&a1.fingerprint, &a1.chain_der) == Chain::Unknown;
    if app.config.vault.require_icp_brasil
        && app.config.authorities.mode == AuthoritiesMode::Official
        && unknown()
    {
        return Err(Refusal::new(Code::CertificadoInvalido)
            .message(format!(
                "O certificado, emitido por {}, não leva a uma raiz conhecida da ICP-Brasil.",
                a1.issuer
            ))
            .hint("Use um e-CNPJ A1 emitido na ICP-Brasil.")
            .into());
    }
    let id = CertificateId::new(now_ms);
    let key_blob = app
        .keyring
        .seal(&a1.key_pkcs8, &certificate_aad(account_id, &id))
        .map_err(anyhow::Error::from)?;
    Ok(CertificateRow {
        account_id: account_id.to_owned(),
        emitter_id: emitter_id.to_owned(),
        titular: a1.holder.clone(),
        documento: a1
            .documento
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        emissor: a1.issuer.clone(),
        valido_de_ms: a1.valid_from_ms,
        valido_ate_ms: a1.valid_until_ms,
        impressao_digital: a1.fingerprint.clone(),
        key_blob,
        chain_der: join_chain(&a1.chain_der),
        created_at_ms: now_ms,
        id,
    })
}

/// Opens a PFX on a thread where it may take its time.
///
/// # Errors
/// Each way a certificate is not usable has its own code; 503 when too many
/// imports wait.
pub async fn import(pfx: Vec<u8>, password: String, now_ms: i64) -> Result<A1, Failure> {
    let work = move || a1::import(&pfx, &password, now_ms);
    let imported = one_of_few(&IMPORTING, IMPORT_WAIT, work).await?;
    imported.map_err(|error| {
        let message = error.to_string();
        match error {
            A1Error::WrongPassword => Refusal::new(Code::CertificadoSenhaIncorreta),
            A1Error::Expired { at_ms } => Refusal::new(Code::CertificadoVencido)
                .message(format!("O certificado venceu em {}.", when::rfc3339(at_ms))),
            A1Error::NotYetValid { from_ms } => {
                Refusal::new(Code::CertificadoVencido).message(format!(
                    "O certificado só vale a partir de {}.",
                    when::rfc3339(from_ms)
                ))
            }
            A1Error::NotA1(_) => Refusal::new(Code::CertificadoNaoEA1).message(message),
            A1Error::KeyMismatch | A1Error::Invalid(_) => {
                Refusal::new(Code::CertificadoInvalido).message(message)
            }
        }
        .into()
    })
}

/// Runs `work` on a blocking thread once there is a place, which it keeps
/// until it ends: a client that hangs up ends this future, not the thread.
///
/// # Errors
/// 503 when no place became free within `wait`; `work` panicked.
pub async fn one_of_few<T: Send + 'static>(
    places: &'static Semaphore,
    wait: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let place = tokio::time::timeout(wait, places.acquire())
        .await
        .map_err(|_| {
            Refusal::new(Code::Manutencao)
                .message("Há importações de certificado demais neste momento.")
                .retry_after(IMPORT_RETRY_S)
        })?
        .map_err(anyhow::Error::from)?;
    let task = move || {
        let answer = work();
        drop(place);
        answer
    };
    Ok(tokio::task::spawn_blocking(task)
        .await
        .map_err(anyhow::Error::from)?)
}

fn seal(
    app: &Issuing,
    row: &EmitterRow,
    secrets: Vec<(String, String)>,
    now_ms: i64,
) -> Result<Vec<SecretRow>, Failure> {
    secrets
        .into_iter()
        .map(|(name, value)| {
            let blob = app
                .keyring
                .seal(value.as_bytes(), &secret_aad(&row.account_id, &row.id))
                .map_err(anyhow::Error::from)?;
            Ok(SecretRow {
                emitter_id: row.id.clone(),
                nome: name,
                account_id: row.account_id.clone(),
                blob,
                updated_at_ms: now_ms,
            })
        })
        .collect()
}

/// `EMPRESA LTDA:12345678000195` without the number.
fn company_name(holder: &str) -> String {
    holder.split(':').next().unwrap_or(holder).trim().to_owned()
}
