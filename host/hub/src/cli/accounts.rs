//! `hub accounts list|show|block|unblock|credit|limits`: an operator looks after
//! accounts, also while hubs run. Each change is in the account's audit.

use super::record::by_command;
use crate::admin::accounts::shown::{self, Changed, Line, Whole};
use ::accounts::operator::{self, Change, Refused, Rule, TEXT_CHARS};
use base::config::Config;
use clap::Subcommand;
use std::process::ExitCode;
use store::ids::AccountId;
use store::tables::accounts::Sought;
use store::{Db, TxError};

#[derive(Subcommand)]
pub enum Command {
    /// Prints accounts, the newest first, a hundred at a time: id, state, balance, name.
    #[command(after_help = "Example: hub accounts list --search padaria --json")]
    List {
        /// Part of a name, an id, the CNPJ of a company or the e-mail of a person.
        #[arg(long, value_name = "TEXT", default_value = "")]
        search: String,
        /// Only those that are blocked.
        #[arg(long)]
        blocked: bool,
        /// Those opened before this account.
        #[arg(long, value_name = "ACCOUNT", default_value = "")]
        before: String,
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Prints an account: balance, limits, people, companies, keys, the end of its audit.
    #[command(after_help = "Example: hub accounts show con_01KAEXEMPL0000000000000000")]
    Show {
        /// Id of the account.
        account: AccountId,
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Blocks an account within five seconds: its keys are refused with the reason, its
    /// people read, revoke keys and change nothing else. Documents on their way are settled.
    #[command(
        after_help = "Example: hub accounts block con_01KAEXEMPL0000000000000000 --reason 'Fatura em aberto'"
    )]
    Block {
        /// Id of the account.
        account: AccountId,
        /// Why, as its people are told.
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// For programs: the account, with `mudou`, which is false if it was so already.
        #[arg(long)]
        json: bool,
    },
    /// Ends a block.
    #[command(after_help = "Example: hub accounts unblock con_01KAEXEMPL0000000000000000")]
    Unblock {
        /// Id of the account.
        account: AccountId,
        /// Why, as its people read it.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// For programs: the account, with `mudou`, which is false if it was so already.
        #[arg(long)]
        json: bool,
    },
    /// Grants credits (1 credit is R$ 0.01). A reference is granted once: the command can
    /// be repeated.
    #[command(
        after_help = "Example: hub accounts credit con_01KAEXEMPL0000000000000000 5000 --reference 2026-117 --reason 'Desconto do contrato'"
    )]
    Credit {
        /// Id of the account.
        account: AccountId,
        credits: i64,
        /// What the grant is known by.
        #[arg(long, value_name = "TEXT")]
        reference: String,
        /// Why, as its people read it.
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// For programs: the account, with `mudou`, which is false if it was so already.
        #[arg(long)]
        json: bool,
    },
    /// Changes how many calls an account may make in a minute, within five seconds.
    #[command(
        after_help = "Example: hub accounts limits con_01KAEXEMPL0000000000000000 --requests-per-minute 600"
    )]
    Limits {
        /// Id of the account.
        account: AccountId,
        #[arg(long, value_name = "N")]
        requests_per_minute: i64,
        /// Why, as its people read it.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// For programs: the account, with `mudou`, which is false if it was so already.
        #[arg(long)]
        json: bool,
    },
}

/// # Errors
/// A sentence that says what was refused and why; nothing changed then.
pub async fn run(command: Command, config: &Config) -> anyhow::Result<ExitCode> {
    let db = Db::open(&config.database_url(), config.database.pool_size).await?;
    let (account, change, json) = match command {
        Command::List {
            search,
            blocked,
            before,
            json,
        } => {
            let sought = shown::sought(search, blocked, before);
            return list(&db, &sought, json).await;
        }
        Command::Show { account, json } => return show(&db, &account, json).await,
        Command::Block {
            account,
            reason,
            json,
        } => (account, Change::Block { reason }, json),
        Command::Unblock {
            account,
            reason,
            json,
        } => (account, Change::Unblock { reason }, json),
        Command::Credit {
            account,
            credits,
            reference,
            reason,
            json,
        } => {
            let change = Change::Credit {
                credits,
                reference,
                reason,
            };
            (account, change, json)
        }
        Command::Limits {
            account,
            requests_per_minute,
            reason,
            json,
        } => {
            let change = Change::Limit {
                requests_per_minute,
                reason,
            };
            (account, change, json)
        }
    };
    let done = changed(&db, &account, change).await?;
    let conta = whole(&db, &account).await?;
    if json {
        let changed = Changed { mudou: done, conta };
        say!("{}", serde_json::to_string_pretty(&changed)?);
        return Ok(ExitCode::SUCCESS);
    }
    if !done {
        say!("nothing changed: it was so already");
    }
    print(&conta);
    Ok(ExitCode::SUCCESS)
}

/// Changes an account; false: it was so already.
///
/// # Errors
/// A sentence that says what was refused and why.
pub async fn changed(db: &Db, account: &AccountId, change: Change) -> anyhow::Result<bool> {
    match operator::change(db, account, change, &by_command()).await {
        Ok(made) => Ok(made.new),
        Err(TxError::Db(error)) => Err(error.into()),
        Err(TxError::Abort(refused)) => Err(anyhow::anyhow!(sentence(account, &refused))),
    }
}

fn sentence(account: &AccountId, refused: &Refused) -> String {
    match refused {
        Refused::Unknown => format!("there is no account {account}"),
        Refused::Wrong(name, Rule::Line) => {
            format!("{name}: one line of 1 to {TEXT_CHARS} characters")
        }
        Refused::Wrong(name, Rule::UpTo(most)) => {
            format!("{name}: a whole number from 1 to {most}")
        }
        Refused::OtherAmount(credits) => {
            format!("{credits} credits were granted with this reference: choose another")
        }
    }
}

async fn list(db: &Db, sought: &Sought, json: bool) -> anyhow::Result<ExitCode> {
    let mut conn = db.read().await?;
    let accounts = shown::list(&mut conn, sought).await?;
    if json {
        say!("{}", serde_json::to_string_pretty(&accounts)?);
        return Ok(ExitCode::SUCCESS);
    }
    for line in &accounts.contas {
        let (id, credits) = (&line.id, line.saldo);
        say!("{id}\t{}\t{credits}\t{}", state(line), line.nome);
    }
    if let Some(last) = accounts.proxima {
        say!("more: --before {last}");
    }
    Ok(ExitCode::SUCCESS)
}

fn state(line: &Line) -> &'static str {
    if line.bloqueio.is_some() {
        "blocked"
    } else {
        "open"
    }
}

async fn whole(db: &Db, id: &AccountId) -> anyhow::Result<Whole> {
    let mut conn = db.read().await?;
    let whole = shown::one(&mut conn, id).await?;
    whole.ok_or_else(|| anyhow::anyhow!("there is no account {id}"))
}

async fn show(db: &Db, id: &AccountId, json: bool) -> anyhow::Result<ExitCode> {
    let whole = whole(db, id).await?;
    if json {
        say!("{}", serde_json::to_string_pretty(&whole)?);
    } else {
        print(&whole);
    }
    Ok(ExitCode::SUCCESS)
}

fn print(whole: &Whole) {
    let line = &whole.line;
    say!("account:   {} {}", line.id, line.nome);
    say!("opened:    {}", line.criada_em);
    match &line.bloqueio {
        Some(block) => say!("blocked:   since {}: {}", block.desde, block.motivo),
        None => say!("blocked:   no"),
    }
    say!("credits:   {} and {} held", line.saldo, line.reservado);
    say!("a minute:  {} calls", line.requisicoes_por_minuto);
    say!("released:  {}", line.liberacoes.join(", "));
    for person in &whole.equipe {
        say!("person:    {} ({})", person.email, person.papel);
    }
    for company in &whole.emitentes {
        let ambiente = company.ambiente.as_str();
        say!(
            "company:   {} {} {} ({ambiente})",
            company.id,
            company.cnpj,
            company.razao_social
        );
    }
    for key in &whole.chaves {
        let ended = key.revogada_em.as_ref().map_or("", |_| ", revoked");
        let kind = key.tipo.as_str();
        say!(
            "key:       {} …{} {} ({kind}{ended})",
            key.id,
            key.termina_em,
            key.nome
        );
    }
    for done in &whole.auditoria {
        say!(
            "done:      {} {} by {} {}",
            done.em,
            done.acao,
            done.quem,
            done.detalhe
        );
    }
}
