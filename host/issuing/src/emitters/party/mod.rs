//! The registry of persons: an account's customers and suppliers, one list for
//! each of its companies, one entry for each CPF or CNPJ.
//!
//! Test and live keys share it: a person is no part of the fiscal world.

mod card;

pub use card::{Endereco, Papel, Pessoa, Telefone, TipoTelefone};

use base::errors::{Code, Failure, Refusal};
use card::{conferir, ler};
use markup::field::Campos;
use store::ids::{AccountId, EmitterId, PessoaId};
use store::node::Node;
use store::tables::pessoas::{self, PessoaRow};
use store::{Present as _, TxError};

/// Addresses a person has at most.
const ENDERECOS: usize = 20;
/// Telephones a person has at most.
const TELEFONES: usize = 20;

/// A person as somebody registers it.
#[derive(Clone, Debug, Default)]
pub struct Nova {
    pub cpf_cnpj: String,
    pub pessoa: Pessoa,
}

/// What becomes of a registered person; absent: it stays.
#[derive(Clone, Debug)]
pub enum Mudanca {
    Dados {
        nome: Option<String>,
        /// Empty: none any more, as for the next two.
        email: Option<String>,
        ie: Option<String>,
        im: Option<String>,
        papel: Option<Papel>,
    },
    Endereco(Endereco),
    Telefone(Telefone),
}

/// Registers a person with a company; one that is there stays as it is.
/// True: it is new.
///
/// # Errors
/// 422 with everything to correct.
pub async fn cadastrar(
    app: &Node,
    account_id: &AccountId,
    emitter_id: &EmitterId,
    nova: Nova,
) -> Result<(PessoaRow, bool), Failure> {
    let mut campos = Campos::default();
    let documento = fiscal::person::documento(&mut campos, "cpf_cnpj", &nova.cpf_cnpj);
    let mut pessoa = nova.pessoa;
    conferir(&mut campos, &mut pessoa);
    campos.into_result().map_err(recusa)?;
    let now_ms = app.now_ms();
    let row = PessoaRow {
        id: PessoaId::new(now_ms),
        account_id: account_id.to_owned(),
        emitter_id: emitter_id.to_owned(),
        documento: documento.map(|one| one.to_string()).unwrap_or_default(),
        version: 1,
        created_at_ms: now_ms,
        updated_at_ms: now_ms,
        ..PessoaRow::default()
    };
    let row = pessoa.guardar(row)?;
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
pub async fn mudar(
    app: &Node,
    account_id: &AccountId,
    id: &PessoaId,
    expected: impl Fn(i64) -> Result<(), Box<Refusal>> + Send + Sync + 'static,
    mudanca: Mudanca,
) -> Result<PessoaRow, Failure> {
    let input = (
        account_id.to_owned(),
        id.to_owned(),
        app.now_ms(),
        expected,
        mudanca,
    );
    let written = app
        .db
        .write(input, |(account, id, now_ms, expected, mudanca), conn| {
            Box::pin(async move {
                let row = pessoas::take(conn, account, id, *now_ms).await?;
                let row = row.ok_or_else(|| TxError::Abort(inexistente()))?;
                expected(row.version - 1).map_err(|refusal| TxError::Abort(*refusal))?;
                let mut pessoa =
                    ler(&row).map_err(|error| TxError::Db(sqlx::Error::Decode(error.into())))?;
                let mut campos = Campos::default();
                aplicar(&mut campos, &mut pessoa, mudanca.clone());
                campos
                    .into_result()
                    .map_err(|campos| TxError::Abort(recusa(campos)))?;
                let row = pessoa
                    .guardar(row)
                    .map_err(|error| TxError::Db(sqlx::Error::Encode(error.into())))?;
                pessoas::update(conn, &row).await?;
                Ok(row)
            })
        });
    Ok(written.await?)
}

fn aplicar(campos: &mut Campos, pessoa: &mut Pessoa, mudanca: Mudanca) {
    match mudanca {
        Mudanca::Dados {
            nome,
            email,
            ie,
            im,
            papel,
        } => {
            let filled = |texto: String| Some(texto).filter(|texto| !texto.trim().is_empty());
            if let Some(nome) = nome {
                pessoa.nome = nome;
            }
            if let Some(email) = email {
                pessoa.email = filled(email);
            }
            if let Some(ie) = ie {
                pessoa.ie = filled(ie);
            }
            if let Some(im) = im {
                pessoa.im = filled(im);
            }
            pessoa.papeis.extend(papel);
            conferir(campos, pessoa);
        }
        Mudanca::Endereco(mut endereco) => {
            endereco.conferir(campos, "");
            if pessoa.enderecos.len() >= ENDERECOS {
                card::cheio(campos, "enderecos", ENDERECOS);
            }
            pessoa.acrescentar(endereco);
        }
        Mudanca::Telefone(mut telefone) => {
            telefone.conferir(campos, "");
            if pessoa.telefones.len() >= TELEFONES {
                card::cheio(campos, "telefones", TELEFONES);
            }
            pessoa.telefones.push(telefone);
        }
    }
}

/// What a row holds.
///
/// # Errors
/// The row is damaged.
pub fn de(row: &PessoaRow) -> Result<Pessoa, Failure> {
    Ok(ler(row)?)
}

/// 404 for a person that is not the account's.
pub fn inexistente() -> Refusal {
    Refusal::new(Code::NaoEncontrado).message("Pessoa não encontrada.")
}

fn recusa(campos: Vec<markup::field::Campo>) -> Refusal {
    let mensagem = match campos.len() {
        1 => "O cadastro tem 1 ponto a corrigir.".to_owned(),
        n => format!("O cadastro tem {n} pontos a corrigir."),
    };
    Refusal::fields(campos)
        .message(mensagem)
        .hint("Corrija os campos listados e envie de novo; nada foi guardado.")
}
