//! Accounts as operators see them: in `/admin/v1/accounts`, on the pages, and with
//! `hub accounts --json`. Nothing of a document is in it.

use crate::admin::listing::{READ, cut};
use base::when;
use data::search::fold;
use serde::Serialize;
use store::ids::{AccountId, EmitterId, KeyId};
use store::tables::accounts::{self, Account, Released, Sought};
use store::tables::audit::{self, AuditRow};
use store::tables::emitters::{self, EmitterRow};
use store::tables::users::{self, MemberRow};
use store::tables::{api_keys, ledger};
use store::words::{Ambiente, KeyKind, Maybe};
use store::{Conn, DbResult};

/// Keys, companies and lines of the audit that an account is shown with.
const PARTS: i64 = 100;

/// Accounts, the newest first.
#[derive(Serialize)]
pub struct Accounts {
    pub contas: Vec<Line>,
    /// The `antes` of the page that follows; null: it is the last one.
    pub proxima: Option<AccountId>,
}

/// An account in a list.
#[derive(Serialize)]
pub struct Line {
    pub id: AccountId,
    pub nome: String,
    pub criada_em: String,
    /// Credits it can spend.
    pub saldo: i64,
    /// Credits put aside for open documents.
    pub reservado: i64,
    pub requisicoes_por_minuto: i64,
    /// Documents that an operator released for it.
    pub liberacoes: Vec<&'static str>,
    /// Null: it is not blocked.
    pub bloqueio: Option<Block>,
    pub empresas: i64,
    pub pessoas: i64,
}

/// Since when and why an account is blocked.
#[derive(Serialize)]
pub struct Block {
    pub desde: String,
    pub motivo: String,
}

/// An account with what belongs to it.
#[derive(Serialize)]
pub struct Whole {
    #[serde(flatten)]
    pub line: Line,
    pub equipe: Vec<Person>,
    pub emitentes: Vec<Company>,
    pub chaves: Vec<Key>,
    /// The newest lines of its audit.
    pub auditoria: Vec<Done>,
}

/// An account after a change.
#[derive(Serialize)]
pub struct Changed {
    /// False: it was so already.
    pub mudou: bool,
    #[serde(flatten)]
    pub conta: Whole,
}

/// A person of an account.
#[derive(Serialize)]
pub struct Person {
    pub email: String,
    pub nome: String,
    pub papel: &'static str,
}

/// A company of an account.
#[derive(Serialize)]
pub struct Company {
    pub id: EmitterId,
    pub cnpj: String,
    pub razao_social: String,
    pub ambiente: Ambiente,
    pub tem_certificado: bool,
}

/// A key of an account, by its end.
#[derive(Serialize)]
pub struct Key {
    pub id: KeyId,
    pub tipo: KeyKind,
    pub nome: String,
    pub termina_em: String,
    pub criada_em: String,
    /// Null: it was not revoked.
    pub revogada_em: Option<String>,
    /// Null: it does not expire.
    pub expira_em: Option<String>,
}

/// A line of an account's audit.
#[derive(Serialize)]
pub struct Done {
    pub em: String,
    pub acao: String,
    pub alvo: String,
    pub quem: String,
    pub detalhe: String,
}

impl From<AuditRow> for Done {
    fn from(row: AuditRow) -> Done {
        Done {
            em: when::rfc3339(row.at_ms),
            acao: row.action,
            alvo: row.target,
            quem: row.actor,
            detalhe: row.detail,
        }
    }
}

/// What a list and a single account have in common.
struct Figures {
    available: i64,
    held: i64,
    companies: i64,
    people: i64,
}

fn line(account: Account, figures: &Figures) -> Line {
    let documents = [Released::Cte, Released::Mdfe];
    let released = documents.into_iter().filter(|it| account.has(*it));
    Line {
        liberacoes: released.map(Released::title).collect(),
        bloqueio: account.is_blocked().then(|| Block {
            desde: when::rfc3339(account.blocked_at_ms),
            motivo: account.blocked_reason.clone(),
        }),
        id: account.id,
        nome: account.nome,
        criada_em: when::rfc3339(account.created_at_ms),
        saldo: figures.available,
        reservado: figures.held,
        requisicoes_por_minuto: account.requests_per_minute,
        empresas: figures.companies,
        pessoas: figures.people,
    }
}

fn listed(row: accounts::Listed) -> Line {
    let figures = Figures {
        available: row.available,
        held: row.held,
        companies: row.companies,
        people: row.people,
    };
    let account = Account {
        id: row.id,
        nome: row.nome,
        requests_per_minute: row.requests_per_minute,
        created_at_ms: row.created_at_ms,
        cte_released: row.cte_released,
        mdfe_released: row.mdfe_released,
        blocked_at_ms: row.blocked_at_ms,
        blocked_reason: row.blocked_reason,
    };
    line(account, &figures)
}

fn person(row: MemberRow) -> Person {
    Person {
        email: row.email,
        nome: row.nome,
        papel: row.papel.as_str(),
    }
}

fn company(row: EmitterRow) -> Company {
    Company {
        id: row.id,
        cnpj: row.cnpj,
        razao_social: row.razao_social,
        ambiente: row.ambiente,
        tem_certificado: row.certificate_id.is_some(),
    }
}

fn key(row: api_keys::Listed) -> Key {
    let moment = |ms: i64| (ms > 0).then(|| when::rfc3339(ms));
    Key {
        id: row.id,
        tipo: row.kind,
        nome: row.nome,
        termina_em: row.hint,
        criada_em: when::rfc3339(row.created_at_ms),
        revogada_em: moment(row.revoked_at_ms),
        expira_em: moment(row.expires_at_ms),
    }
}

/// What an operator looks for: part of a name, or an id, the CNPJ of a company or the
/// e-mail of a person as a whole. An empty text is in every name.
pub fn sought(text: String, blocked_only: bool, before: String) -> Sought {
    Sought {
        name: fold(text.trim()),
        text,
        blocked_only,
        before,
    }
}

/// A page of the accounts that are sought.
///
/// # Errors
/// The database failed.
pub async fn list(conn: &mut Conn, sought: &Sought) -> DbResult<Accounts> {
    let mut rows = accounts::listed(conn, sought, READ).await?;
    let more = cut(&mut rows);
    Ok(Accounts {
        proxima: rows.last().filter(|_| more).map(|row| row.id.clone()),
        contas: rows.into_iter().map(listed).collect(),
    })
}

/// One account; None: there is none with this id.
///
/// # Errors
/// The database failed.
pub async fn one(conn: &mut Conn, id: &AccountId) -> DbResult<Option<Whole>> {
    let Some(account) = accounts::get(conn, id).await? else {
        return Ok(None);
    };
    let balances = ledger::balances(conn, id).await?;
    let team = users::team(conn, id).await?;
    let companies = emitters::list(conn, id, "", PARTS).await?;
    let keys = api_keys::list(conn, id, Maybe(None), "", PARTS).await?;
    let done = audit::list(conn, id, "", PARTS).await?;
    let figures = Figures {
        available: balances.available,
        held: balances.held,
        companies: count(companies.len()),
        people: count(team.len()),
    };
    Ok(Some(Whole {
        line: line(account, &figures),
        equipe: team.into_iter().map(person).collect(),
        emitentes: companies.into_iter().map(company).collect(),
        chaves: keys.into_iter().map(key).collect(),
        auditoria: done.into_iter().map(Done::from).collect(),
    }))
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
