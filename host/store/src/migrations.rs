//! The migrations of both engines, built in.

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

mod list {
    include!(concat!(env!("OUT_DIR"), "/migrations.rs"));
}

/// Those of SQLite.
pub fn sqlite() -> Migrator {
    migrator(list::SQLITE)
}

/// Those of PostgreSQL.
pub fn postgres() -> Migrator {
    migrator(list::POSTGRES)
}

/// `list`: file names like `0001_foundation`, and texts.
fn migrator(list: &'static [(&'static str, &'static str)]) -> Migrator {
    let migrations = list.iter().map(|(name, text)| {
        let (version, description) = name.split_once('_').unwrap_or((name, ""));
        Migration::new(
            version.parse().unwrap_or_default(),
            description.replace('_', " ").into(),
            MigrationType::Simple,
            text.into_sql_str(),
            false,
        )
    });
    Migrator::with_migrations(migrations.collect())
}
