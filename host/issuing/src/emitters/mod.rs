//! Emitters: a company, its certificate, its profile.

pub mod inbound_schedule;
pub mod party;
pub mod profile;

use crate::Issuing;
use crate::emitters::inbound_schedule::agendar;
use crate::emitters::profile::Perfil;
use crate::model::{Ambiente, Modelo};
use authority::customer::{certificate_aad, join_chain, secret_aad};
use base::config::AuthoritiesMode;
use base::errors::{Code, Failure, Refusal};
use base::when;
use markup::field::Campos;
use markup::ids::Cnpj;
use std::time::Duration;
use store;
use store::ids::{AccountId, CertificateId, EmitterId};
use store::tables::certificates::CertificateRow;
use store::tables::emitters::EmitterRow;
use store::tables::numbers::{self, Series};
use store::tables::secrets::SecretRow;
use store::words::Maybe;
use store::{Conn, Readable as _, TxError};
use tokio::sync::Semaphore;
use vault::a1::{self, A1, A1Error};
use vault::roots::Cadeia;

/// Key derivation is slow on purpose: few at a time.
static IMPORTING: Semaphore = Semaphore::const_new(2);
/// An import takes less than a second (`vault::pfx_cost`): after this time
/// there are too many of them.
const IMPORT_WAIT: Duration = Duration::from_secs(10);
/// What `Retry-After` says then.
const IMPORT_RETRY_S: u64 = 10;

/// A company to register.
pub struct NovoEmitente {
    pub cnpj: String,
    pub apelido: Option<String>,
    /// `homologacao` or `producao`.
    pub ambiente: Ambiente,
    /// None: the account's first emitter becomes its default.
    pub padrao: Option<bool>,
    /// PFX bytes and password.
    pub certificado: Option<(Vec<u8>, String)>,
    pub perfil: Option<Perfil>,
}

/// An emitter with the certificate it uses.
pub struct Emitente {
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
    novo: NovoEmitente,
    simulate: bool,
) -> Result<Emitente, Failure> {
    let now_ms = app.now_ms();
    let cnpj = Cnpj::parse(&novo.cnpj).map_err(|_| {
        Refusal::field(
            Code::ParametroInvalido,
            "cnpj",
            "CNPJ inválido: o dígito verificador não confere.",
            "Confira as 14 posições; letras são aceitas nas 12 primeiras.",
        )
    })?;
    let mut perfil = novo.perfil.unwrap_or_default();
    check(&perfil)?;
    let secrets = perfil.take_secrets();
    let id = EmitterId::new(now_ms);
    let certificate = match novo.certificado {
        Some((pfx, senha)) => Some(certificate(app, account_id, &id, &cnpj, pfx, senha).await?),
        None => None,
    };
    let razao_social = perfil
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
        apelido: novo.apelido.unwrap_or_else(|| razao_social.clone()),
        razao_social,
        ambiente: novo.ambiente,
        padrao: i64::from(novo.padrao == Some(true)),
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
            None => Ok(Emitente { row, certificate }),
        };
    }
    let first_is_default = novo.padrao.is_none();
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
) -> Result<Emitente, TxError<Refusal>> {
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
    agendar(conn, &row, row.created_at_ms).await?;
    Ok(Emitente {
        row,
        certificate: certificate.cloned(),
    })
}

fn taken(id: &EmitterId) -> Refusal {
    Refusal::new(Code::EmitenteJaExiste).with("emitente_id", id.as_str())
}

fn check(perfil: &Perfil) -> Result<(), Failure> {
    let mut campos = Campos::default();
    perfil.check(&mut campos);
    campos.into_result().map_err(|campos| {
        Refusal::fields(campos)
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
    check(&perfil)?;
    let now_ms = app.now_ms();
    let secrets = perfil.take_secrets();
    if let Some(razao_social) = &perfil.razao_social {
        row.razao_social.clone_from(razao_social);
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
                agendar(conn, row, *now_ms).await?;
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
    pub apelido: Option<String>,
    pub padrao: Option<bool>,
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
    if let Some(apelido) = change.apelido {
        row.apelido = apelido;
    }
    if let Some(padrao) = change.padrao {
        row.padrao = i64::from(padrao);
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
            agendar(conn, row, *now_ms).await?;
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
    let removed = app.db.write(row, |row, conn| {
        Box::pin(async move {
            store::tables::secrets::delete_of(conn, &row.account_id, &row.id).await?;
            store::tables::certificates::delete_of(conn, &row.account_id, &row.id).await?;
            numbers::delete_of(conn, &row.id).await?;
            store::tables::emitter_coverage::delete_of(conn, &row.id).await?;
            store::tables::distribuicao::delete_of(conn, &row.id).await?;
            store::tables::pessoas::delete_of(conn, &row.account_id, &row.id).await?;
            match store::tables::emitters::delete(conn, &row.account_id, &row.id).await {
                Ok(true) => Ok(()),
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
    Ok(removed.await?)
}

fn has_documents() -> Refusal {
    Refusal::new(Code::EstadoInvalido)
        .message("O emitente tem documentos, numeração inutilizada ou eventos e não pode ser excluído.")
        .hint("Os documentos fiscais ficam guardados pelo prazo legal; retire o emitente do uso mudando o padrão.")
}

/// Sets the next number of the profile's series, in the emitter's
/// environment; never downwards.
async fn number(conn: &mut Conn, row: &EmitterRow) -> Result<(), TxError<Refusal>> {
    let perfil: Perfil = serde_json::from_str(&row.perfil)
        .map_err(|error| TxError::Db(sqlx::Error::Decode(Box::new(error))))?;
    for modelo in [Modelo::Nfse, Modelo::Nfe, Modelo::Nfce] {
        let next = perfil.numeracao(modelo).proximo_numero;
        if let Some(next) = next {
            let next = i64::try_from(next).readable("next number of a company", &row.id);
            let next = next.map_err(TxError::Db)?;
            raise(conn, row, &perfil.serie(modelo), modelo, next).await?;
        }
    }
    Ok(())
}

async fn raise(
    conn: &mut Conn,
    row: &EmitterRow,
    serie: &str,
    modelo: Modelo,
    next: i64,
) -> Result<(), TxError<Refusal>> {
    let series = Series::new(&row.id, row.ambiente, modelo, serie);
    if numbers::raise(conn, &series, next).await? {
        return Ok(());
    }
    let current = numbers::next(conn, &series).await?.unwrap_or(1);
    Err(TxError::Abort(
        Refusal::new(Code::EstadoInvalido)
            .message(format!(
                "A série {} de {} já está no número {current}: o próximo número só pode crescer.",
                series.serie,
                modelo.titulo()
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
    senha: String,
) -> Result<Emitente, Failure> {
    let cnpj = Cnpj::parse(&row.cnpj).map_err(|error| anyhow::anyhow!("stored CNPJ: {error}"))?;
    let certificate = certificate(app, &row.account_id, &row.id, &cnpj, pfx, senha).await?;
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
                Ok(Emitente {
                    row,
                    certificate: Some(certificate.clone()),
                })
            })
        },
    );
    Ok(stored.await?)
}

async fn certificate(
    app: &Issuing,
    account_id: &AccountId,
    emitter_id: &EmitterId,
    cnpj: &Cnpj,
    pfx: Vec<u8>,
    senha: String,
) -> Result<CertificateRow, Failure> {
    let now_ms = app.now_ms();
    let a1 = import(pfx, senha, now_ms).await?;
    if !a1.pertence_a(cnpj) {
        return Err(Refusal::new(Code::CertificadoDeOutraEmpresa)
            .message(format!(
                "O certificado é de {} e o emitente é {cnpj}.",
                a1.titular
            ))
            .into());
    }
    let unknown = || app.roots.cadeia(&a1.impressao_digital, &a1.chain_der) == Cadeia::Desconhecida;
    if app.config.vault.require_icp_brasil
        && app.config.authorities.mode == AuthoritiesMode::Official
        && unknown()
    {
        return Err(Refusal::new(Code::CertificadoInvalido)
            .message(format!(
                "O certificado, emitido por {}, não leva a uma raiz conhecida da ICP-Brasil.",
                a1.emissor
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
        titular: a1.titular.clone(),
        documento: a1
            .documento
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default(),
        emissor: a1.emissor.clone(),
        valido_de_ms: a1.valido_de_ms,
        valido_ate_ms: a1.valido_ate_ms,
        impressao_digital: a1.impressao_digital.clone(),
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
pub async fn import(pfx: Vec<u8>, senha: String, now_ms: i64) -> Result<A1, Failure> {
    let work = move || a1::import(&pfx, &senha, now_ms);
    let imported = one_of_few(&IMPORTING, IMPORT_WAIT, work).await?;
    imported.map_err(|error| {
        let message = error.to_string();
        match error {
            A1Error::SenhaIncorreta => Refusal::new(Code::CertificadoSenhaIncorreta),
            A1Error::Vencido { em_ms } => Refusal::new(Code::CertificadoVencido)
                .message(format!("O certificado venceu em {}.", when::rfc3339(em_ms))),
            A1Error::AindaNaoValido { a_partir_de_ms } => Refusal::new(Code::CertificadoVencido)
                .message(format!(
                    "O certificado só vale a partir de {}.",
                    when::rfc3339(a_partir_de_ms)
                )),
            A1Error::NaoEA1(_) => Refusal::new(Code::CertificadoNaoEA1).message(message),
            A1Error::ChaveNaoConfere | A1Error::Invalido(_) => {
                Refusal::new(Code::CertificadoInvalido).message(message)
            }
        }
        .into()
    })
}

/// Runs `work` on a blocking thread once there is a place, which it keeps
/// until it ends: a client that hangs up ends this future, not the thread.
async fn one_of_few<T: Send + 'static>(
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
        .map(|(nome, value)| {
            let blob = app
                .keyring
                .seal(value.as_bytes(), &secret_aad(&row.account_id, &row.id))
                .map_err(anyhow::Error::from)?;
            Ok(SecretRow {
                emitter_id: row.id.clone(),
                nome,
                account_id: row.account_id.clone(),
                blob,
                updated_at_ms: now_ms,
            })
        })
        .collect()
}

/// `EMPRESA LTDA:12345678000195` without the number.
fn company_name(titular: &str) -> String {
    titular
        .split(':')
        .next()
        .unwrap_or(titular)
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn summary<T>(answer: Result<T, Failure>) -> String {
        match answer {
            Ok(_) => "done".to_owned(),
            Err(Failure::Refused(refusal)) => format!(
                "{} {} {:?}",
                refusal.code.status(),
                refusal.code.as_str(),
                refusal.retry_after_s
            ),
            Err(Failure::Internal(error)) => error.to_string(),
        }
    }

    #[tokio::test]
    async fn a_place_is_taken_until_the_work_ends_even_when_nobody_waits() {
        static PLACES: Semaphore = Semaphore::const_new(1);
        let (started, has_started) = tokio::sync::oneshot::channel();
        let (finish, may_finish) = mpsc::channel::<()>();
        let client = tokio::spawn(one_of_few(&PLACES, IMPORT_WAIT, move || {
            started.send(()).expect("the test waits");
            may_finish.recv().expect("the test answers");
        }));
        has_started.await.expect("the work begins");
        client.abort();
        assert!(client.await.expect_err("hung up").is_cancelled());

        let refused = one_of_few(&PLACES, Duration::ZERO, || ()).await;
        assert_eq!(summary(refused), "503 manutencao Some(10)");
        finish.send(()).expect("the work goes on");
        let next = one_of_few(&PLACES, IMPORT_WAIT, || ()).await;
        assert_eq!(summary(next), "done");
    }

    #[tokio::test]
    async fn work_that_panics_gives_its_place_back() {
        static PLACES: Semaphore = Semaphore::const_new(1);
        let failed = one_of_few(&PLACES, IMPORT_WAIT, || panic!("on purpose")).await;
        assert!(matches!(failed, Err::<(), _>(Failure::Internal(_))));
        assert_eq!(
            summary(one_of_few(&PLACES, IMPORT_WAIT, || ()).await),
            "done"
        );
    }
}
