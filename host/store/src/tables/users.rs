//! Tables `users`, `members` and `invites`: people and the accounts they work
//! in.

use crate::ids::{AccountId, InviteId, UserId};
use crate::words::{Maybe, words};
use crate::{Conn, DbResult, execute, fetch_all, fetch_optional, fetch_value, row};

words! {
    /// The role a person has in an account.
    pub enum Role {
        /// Everything, the team included.
        Owner = "dono",
        /// Everything but owners.
        Administrator = "administrador",
        /// Documents, keys, webhooks, emitters.
        Developer = "desenvolvedor",
        /// Credits, usage, documents to read.
        Finance = "financeiro",
        /// Reads.
        ReadOnly = "leitura",
    }
}

row! {
    #[derive(Clone, Debug, Default)]
    pub struct UserRow {
        pub id: UserId,
        /// In lower case.
        pub email: String,
        pub nome: String,
        /// Argon2id, in the PHC format.
        pub senha: String,
        /// Sealed secret of the second factor; empty: none.
        pub totp: Vec<u8>,
        /// Last step of it that was used.
        pub totp_step: i64,
        pub created_at_ms: i64,
        pub updated_at_ms: i64,
        /// When they showed that mail to the address reaches them; 0: not yet.
        pub email_ms: i64,
    }
}

row! {
    /// A person in an account.
    #[derive(Clone, Debug)]
    pub struct MemberRow {
        pub account_id: AccountId,
        pub user_id: UserId,
        pub papel: Role,
        pub email: String,
        pub nome: String,
        /// Name of the account.
        pub conta: String,
        pub created_at_ms: i64,
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct InviteRow {
        pub id: InviteId,
        pub account_id: AccountId,
        pub email: String,
        pub papel: Role,
        pub digest: String,
        pub expires_at_ms: i64,
        pub created_at_ms: i64,
        /// Id of the person; empty in those of before it was written down.
        pub invited_by: Maybe<UserId>,
    }
}

const INSERT: &str = "INSERT INTO users (id, email, nome, senha, totp, created_at_ms, updated_at_ms) \
     VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT DO NOTHING";
const BY_EMAIL: &str = "SELECT * FROM users WHERE email = $1";
const GET: &str = "SELECT * FROM users WHERE id = $1";
const SET_PASSWORD: &str = "UPDATE users SET senha = $2, updated_at_ms = $3 WHERE id = $1";
const REPLACE_PASSWORD: &str =
    "UPDATE users SET senha = $3, updated_at_ms = $4 WHERE id = $1 AND senha = $2";
const REACHED: &str =
    "UPDATE users SET email_ms = $3 WHERE id = $1 AND email = $2 AND email_ms = 0";
// An operator's account has no people; the others have an owner who was
// reached.
const ANSWERS_FOR_MAIL: &str = "SELECT COUNT(*) FROM accounts a WHERE a.id = $1 AND (NOT EXISTS (SELECT 1 FROM members m WHERE m.account_id = a.id) \
     OR EXISTS (SELECT 1 FROM members m JOIN users u ON u.id = m.user_id WHERE m.account_id = a.id AND m.papel = 'dono' AND u.email_ms > 0))";
const SET_TOTP: &str =
    "UPDATE users SET totp = $2, totp_step = $3, updated_at_ms = $4 WHERE id = $1";
const USE_STEP: &str = "UPDATE users SET totp_step = $2 WHERE id = $1 AND totp_step < $2";
const WITH_TOTP: &str =
    "SELECT * FROM users WHERE id > $1 AND LENGTH(totp) > 0 ORDER BY id LIMIT CAST($2 AS BIGINT)";
const EXCHANGE_TOTP: &str = "UPDATE users SET totp = $3 WHERE id = $1 AND totp = $2";
const JOIN: &str = "INSERT INTO members (account_id, user_id, papel, created_at_ms) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
const MEMBER: &str = "SELECT m.account_id, m.user_id, m.papel, u.email, u.nome, a.nome AS conta, m.created_at_ms FROM members m \
     JOIN users u ON u.id = m.user_id JOIN accounts a ON a.id = m.account_id WHERE m.account_id = $1 AND m.user_id = $2";
const TEAM: &str = "SELECT m.account_id, m.user_id, m.papel, u.email, u.nome, a.nome AS conta, m.created_at_ms FROM members m \
     JOIN users u ON u.id = m.user_id JOIN accounts a ON a.id = m.account_id WHERE m.account_id = $1 ORDER BY m.created_at_ms, m.user_id LIMIT 200";
const ACCOUNTS_OF: &str = "SELECT m.account_id, m.user_id, m.papel, u.email, u.nome, a.nome AS conta, m.created_at_ms FROM members m \
     JOIN users u ON u.id = m.user_id JOIN accounts a ON a.id = m.account_id WHERE m.user_id = $1 ORDER BY m.created_at_ms, m.account_id LIMIT 200";
const OWNERS: &str = "SELECT COUNT(*) FROM members WHERE account_id = $1 AND papel = 'dono'";
const SET_ROLE: &str = "UPDATE members SET papel = $3 WHERE account_id = $1 AND user_id = $2";
const LEAVE: &str = "DELETE FROM members WHERE account_id = $1 AND user_id = $2";
const INVITE: &str = "INSERT INTO invites (id, account_id, email, papel, digest, expires_at_ms, created_at_ms, invited_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
     ON CONFLICT (account_id, email) DO UPDATE SET papel = excluded.papel, digest = excluded.digest, expires_at_ms = excluded.expires_at_ms, invited_by = excluded.invited_by";
const INVITES: &str = "SELECT * FROM invites WHERE account_id = $1 ORDER BY id LIMIT 200";
const INVITE_BY_DIGEST: &str = "SELECT * FROM invites WHERE digest = $1";
const TAKE_INVITE: &str = "DELETE FROM invites WHERE digest = $1 RETURNING *";
const UNINVITE: &str = "DELETE FROM invites WHERE account_id = $1 AND id = $2";

/// False when somebody has this e-mail already.
pub async fn insert(conn: &mut Conn, u: &UserRow) -> DbResult<bool> {
    let rows = execute!(
        conn,
        INSERT,
        &u.id,
        &u.email,
        &u.nome,
        &u.senha,
        &u.totp,
        u.created_at_ms
    )?;
    Ok(rows == 1)
}

/// Users belong to no tenant: an e-mail is one person everywhere.
pub async fn by_email(conn: &mut Conn, email: &str) -> DbResult<Option<UserRow>> {
    fetch_optional!(conn, UserRow, BY_EMAIL, email)
}

pub async fn get(conn: &mut Conn, id: &UserId) -> DbResult<Option<UserRow>> {
    fetch_optional!(conn, UserRow, GET, id)
}

pub async fn set_password(
    conn: &mut Conn,
    id: &UserId,
    password: &str,
    now_ms: i64,
) -> DbResult<()> {
    execute!(conn, SET_PASSWORD, id, password, now_ms)?;
    Ok(())
}

/// Sets a password in the place of another; false when that is not it any more.
pub async fn replace_password(
    conn: &mut Conn,
    id: &UserId,
    old: &str,
    new: &str,
    now_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, REPLACE_PASSWORD, id, old, new, now_ms)? == 1)
}

/// Writes that the person has shown that mail to this address reaches them.
pub async fn reached(conn: &mut Conn, id: &UserId, email: &str, now_ms: i64) -> DbResult<()> {
    execute!(conn, REACHED, id, email, now_ms)?;
    Ok(())
}

/// Whether an account may have mail sent to others: it has no people, or an
/// owner of it has confirmed the address.
pub async fn answers_for_mail(conn: &mut Conn, account: &AccountId) -> DbResult<bool> {
    Ok(fetch_value!(conn, i64, ANSWERS_FOR_MAIL, account)? == Some(1))
}

/// Sets the second factor; an empty secret takes it away.
pub async fn set_totp(
    conn: &mut Conn,
    id: &UserId,
    totp: &[u8],
    step: i64,
    now_ms: i64,
) -> DbResult<()> {
    execute!(conn, SET_TOTP, id, totp, step, now_ms)?;
    Ok(())
}

/// Uses a step of the second factor; false when it was used before.
pub async fn use_step(conn: &mut Conn, id: &UserId, step: i64) -> DbResult<bool> {
    Ok(execute!(conn, USE_STEP, id, step)? == 1)
}

/// People with a second factor: only for key rotation and verification.
pub async fn with_totp(conn: &mut Conn, after: &str, limit: i64) -> DbResult<Vec<UserRow>> {
    fetch_all!(conn, UserRow, WITH_TOTP, after, limit)
}

/// Puts a re-wrapped secret in the place of the one that was read.
pub async fn exchange_totp(conn: &mut Conn, id: &UserId, old: &[u8], new: &[u8]) -> DbResult<bool> {
    Ok(execute!(conn, EXCHANGE_TOTP, id, old, new)? == 1)
}

/// Takes a person into an account; false when they are in it already.
pub async fn join(
    conn: &mut Conn,
    account: &AccountId,
    user: &UserId,
    role: Role,
    now_ms: i64,
) -> DbResult<bool> {
    Ok(execute!(conn, JOIN, account, user, role, now_ms)? == 1)
}

pub async fn member(
    conn: &mut Conn,
    account: &AccountId,
    user: &UserId,
) -> DbResult<Option<MemberRow>> {
    fetch_optional!(conn, MemberRow, MEMBER, account, user)
}

/// The people of an account, oldest first.
pub async fn team(conn: &mut Conn, account: &AccountId) -> DbResult<Vec<MemberRow>> {
    fetch_all!(conn, MemberRow, TEAM, account)
}

/// The accounts of a person, oldest first.
pub async fn accounts_of(conn: &mut Conn, user: &UserId) -> DbResult<Vec<MemberRow>> {
    fetch_all!(conn, MemberRow, ACCOUNTS_OF, user)
}

/// How many owners an account has.
pub async fn owners(conn: &mut Conn, account: &AccountId) -> DbResult<i64> {
    Ok(fetch_value!(conn, i64, OWNERS, account)?.unwrap_or(0))
}

pub async fn set_role(
    conn: &mut Conn,
    account: &AccountId,
    user: &UserId,
    role: Role,
) -> DbResult<bool> {
    Ok(execute!(conn, SET_ROLE, account, user, role)? == 1)
}

pub async fn leave(conn: &mut Conn, account: &AccountId, user: &UserId) -> DbResult<bool> {
    Ok(execute!(conn, LEAVE, account, user)? == 1)
}

/// Invites somebody; an earlier invitation of the same e-mail ends.
pub async fn invite(conn: &mut Conn, i: &InviteRow) -> DbResult<()> {
    execute!(
        conn,
        INVITE,
        &i.id,
        &i.account_id,
        &i.email,
        i.papel,
        &i.digest,
        i.expires_at_ms,
        i.created_at_ms,
        &i.invited_by
    )?;
    Ok(())
}

pub async fn invites(conn: &mut Conn, account: &AccountId) -> DbResult<Vec<InviteRow>> {
    fetch_all!(conn, InviteRow, INVITES, account)
}

/// Without a tenant: for who has the link.
pub async fn invite_by_digest(conn: &mut Conn, digest: &str) -> DbResult<Option<InviteRow>> {
    fetch_optional!(conn, InviteRow, INVITE_BY_DIGEST, digest)
}

/// Uses an invitation, as it stands; None when it was used, taken back or
/// replaced by another.
pub async fn take_invite(conn: &mut Conn, digest: &str) -> DbResult<Option<InviteRow>> {
    fetch_optional!(conn, InviteRow, TAKE_INVITE, digest)
}

pub async fn uninvite(conn: &mut Conn, account: &AccountId, id: &InviteId) -> DbResult<bool> {
    Ok(execute!(conn, UNINVITE, account, id)? == 1)
}
