//! The registry of persons: an account's customers and suppliers, one list for
//! each of its companies, one entry for each CPF or CNPJ.
//!
//! Test and live keys share it: a person is no part of the fiscal world.

pub mod card;

pub use card::{Address, Person, PhoneKind, Role, Telefone};

use base::errors::{Code, Failure, Refusal};
use card::{check, read};
use markup::field::Fields;
use store::ids::{AccountId, EmitterId, PessoaId};
use store::node::Node;
use store::tables::pessoas::{self, PersonRow};
use store::{Present as _, TxError};

/// Addresses a person has at most.
const ENDERECOS: usize = 20;
/// Telephones a person has at most.
const TELEFONES: usize = 20;

/// A person as somebody registers it.
#[derive(Clone, Debug, Default)]
pub struct NewPerson {
    pub cpf_cnpj: String,
    pub person: Person,
}

/// What becomes of a registered person; absent: it stays.
#[derive(Clone, Debug)]
pub enum Change {
    Data {
        name: Option<String>,
        /// Empty: none any more, as for the next two.
        email: Option<String>,
        ie: Option<String>,
        im: Option<String>,
        role: Option<Role>,
    },
    Address(Address),
    Telefone(Telefone),
}

/// Registers a person with a company; one that is there stays as it is.
/// True: it is new.
///
/// # Errors
/// 422 with everything to correct.
pub async fn register(
    app: &Node,
    account_id: &AccountId,
    emitter_id: &EmitterId,
    fresh: NewPerson,
) -> Result<(PersonRow, bool), Failure> {
    let mut fields = Fields::default();
    let documento = fiscal::person::documento(&mut fields, "cpf_cnpj", &fresh.cpf_cnpj);
    let mut person = fresh.person;
    check(&mut fields, &mut person);
    fields.into_result().map_err(refusal)?;
    let now_ms = app.now_ms();
    let row = PersonRow {
        id: PessoaId::new(now_ms),
        account_id: account_id.to_owned(),
        emitter_id: emitter_id.to_owned(),
        documento: documento.map(|one| one.to_string()).unwrap_or_default(),
        version: 1,
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..PersonRow::default()
    };
    let row = person.keep(row)?;
    let written = app.db.write(row, |row, conn| {
        Box::pin(async move {
            match pessoas::insert(conn, row).await {
                Ok(true) => return Ok((row.clone(), true)),
                Ok(false) => {}
                // The company was deleted since it was read.
                Err(error)
                    if error
                        .as_database_error()
                        .is_some_and(|error| error.is_foreign_key_violation()) =>
                {
                    return Err(TxError::Abort(
                        Refusal::new(Code::NaoEncontrado).message("Emitente não encontrado."),
                    ));
                }
                Err(error) => return Err(error.into()),
            }
            let (account, emitter) = (&row.account_id, &row.emitter_id);
            let there = pessoas::by_documento(conn, account, emitter, &row.documento).await?;
            Ok((there.present("person of a document", &row.id)?, false))
        })
    });
    Ok(written.await?)
}

/// Changes a person. `expected`: the version the customer read, where it said
/// so; its refusal otherwise.
///
/// # Errors
/// 404, 412, or 422 with everything to correct.
pub async fn alter(
    app: &Node,
    account_id: &AccountId,
    id: &PessoaId,
    expected: impl Fn(i64) -> Result<(), Box<Refusal>> + Send + Sync + 'static,
    change: Change,
) -> Result<PersonRow, Failure> {
    let input = (
        account_id.to_owned(),
        id.to_owned(),
        app.now_ms(),
        expected,
        change,
    );
    let written = app
        .db
        .write(input, |(account, id, now_ms, expected, change), conn| {
            Box::pin(async move {
                let row = pessoas::take(conn, account, id, *now_ms).await?;
                let row = row.ok_or_else(|| TxError::Abort(nonexistent()))?;
                expected(row.version - 1).map_err(|refusal| TxError::Abort(*refusal))?;
                let mut person =
                    read(&row).map_err(|error| TxError::Db(sqlx::Error::Decode(error.into())))?;
                let mut fields = Fields::default();
                apply(&mut fields, &mut person, change.clone());
                fields
                    .into_result()
                    .map_err(|fields| TxError::Abort(refusal(fields)))?;
                let row = person
                    .keep(row)
                    .map_err(|error| TxError::Db(sqlx::Error::Encode(error.into())))?;
                pessoas::update(conn, &row).await?;
                Ok(row)
            })
        });
    Ok(written.await?)
}

fn apply(fields: &mut Fields, person: &mut Person, change: Change) {
    match change {
        Change::Data {
            name: called,
            email,
            ie,
            im,
            role,
        } => {
            let filled = |text: String| Some(text).filter(|text| !text.trim().is_empty());
            if let Some(name) = called {
                person.name = name;
            }
            if let Some(email) = email {
                person.email = filled(email);
            }
            if let Some(ie) = ie {
                person.ie = filled(ie);
            }
            if let Some(im) = im {
                person.im = filled(im);
            }
            person.roles.extend(role);
            check(fields, person);
        }
        Change::Address(mut address) => {
            address.check(fields, "");
            if person.enderecos.len() >= ENDERECOS {
                card::too_many(fields, "enderecos", ENDERECOS);
            }
            person.append(address);
        }
        Change::Telefone(mut telefone) => {
            telefone.check(fields, "");
            if person.telefones.len() >= TELEFONES {
                card::too_many(fields, "telefones", TELEFONES);
            }
            person.telefones.push(telefone);
        }
    }
}

/// What a row holds.
///
/// # Errors
/// The row is damaged.
pub fn of(row: &PersonRow) -> Result<Person, Failure> {
    Ok(read(row)?)
}

/// 404 for a person that is not the account's.
pub fn nonexistent() -> Refusal {
    Refusal::new(Code::NaoEncontrado).message("Pessoa não encontrada.")
}

fn refusal(fields: Vec<markup::field::Field>) -> Refusal {
    let message = match fields.len() {
        1 => "O cadastro tem 1 ponto a corrigir.".to_owned(),
        n => format!("O cadastro tem {n} pontos a corrigir."),
    };
    Refusal::fields(fields)
        .message(message)
        .hint("Corrija os campos listados e envie de novo; nada foi guardado.")
}
