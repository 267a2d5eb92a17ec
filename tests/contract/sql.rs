//! Every SQL text, prepared by both databases.

use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqlSafeStr as _, SqliteConnection,
};
use std::path::{Path, PathBuf};
use tests::adapters::workspace;
use tests::postgres;

/// A text constant of `host/store`.
pub struct Sql {
    /// `flows.rs CLAIM`.
    pub name: String,
    pub text: String,
}

/// Words a statement begins with.
const STATEMENTS: [&str; 11] = [
    "SELECT ",
    "INSERT ",
    "UPDATE ",
    "DELETE ",
    "WITH ",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT ",
    "RELEASE ",
    "PRAGMA ",
];
/// Statements of transactions and settings: PostgreSQL prepares the plain
/// ones only, and SQLite has its own.
const CONTROL: [&str; 6] = [
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT ",
    "RELEASE ",
    "PRAGMA ",
];

/// What asks an engine about itself is prepared by that engine alone.
const ONE_ENGINE: [&str; 2] = ["_SQLITE", "_POSTGRES"];

fn only(sql: &Sql, engine: &str) -> bool {
    let mut others = ONE_ENGINE.iter().filter(|other| **other != engine);
    others.all(|other| !sql.name.ends_with(other))
}

fn begins(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.starts_with(word))
}

/// All SQL constants.
pub fn constants() -> Vec<Sql> {
    let folder = workspace().join("host/store/src");
    let mut found = Vec::new();
    for path in sources(&folder) {
        let file = path
            .strip_prefix(&folder)
            .expect("below")
            .display()
            .to_string();
        let source = std::fs::read_to_string(&path).expect("source");
        for literal in literals(&source) {
            if let Some(constant) = literal
                .constant
                .filter(|_| begins(&literal.text, &STATEMENTS))
            {
                found.push(Sql {
                    name: format!("{file} {constant}"),
                    text: literal.text,
                });
            }
        }
    }
    found
}

/// Those SQLite prepares.
pub fn for_sqlite(all: Vec<Sql>) -> impl Iterator<Item = Sql> {
    all.into_iter().filter(|sql| only(sql, "_SQLITE"))
}

#[tokio::test]
async fn sqlite_prepares_every_statement() {
    let folder = tempfile::tempdir().expect("folder");
    let url = format!("sqlite:{}", folder.path().join("hub.db").display());
    let _db = store::Db::open(&url, 1).await.expect("migrated");
    let mut conn = SqliteConnection::connect(&url).await.expect("connection");
    let mut failures = Vec::new();
    let all = constants();
    assert!(all.len() > 50, "only {} statements found", all.len());
    for sql in for_sqlite(all) {
        if let Err(error) = conn.prepare(AssertSqlSafe(sql.text).into_sql_str()).await {
            failures.push(format!("{}: {error}", sql.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[tokio::test]
async fn postgres_prepares_every_statement() {
    let Some(url) = postgres::database().await else {
        return;
    };
    let _db = store::Db::open(&url, 1).await.expect("migrated");
    let mut conn = PgConnection::connect(&url).await.expect("connection");
    let mut failures = Vec::new();
    for sql in constants() {
        if !only(&sql, "_POSTGRES") || begins(&sql.text, &CONTROL) {
            continue;
        }
        if let Err(error) = conn.prepare(AssertSqlSafe(sql.text).into_sql_str()).await {
            failures.push(format!("{}: {error}", sql.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// SQL is a constant of `host/store`, where the tests above find it. The simulated
/// authorities have files of their own, which the hub never reads.
#[test]
fn no_sql_outside_of_constants() {
    let host = workspace().join("host");
    let db = host.join("store/src");
    let apart = [host.join("sim"), host.join("store/tests")];
    let mut findings = Vec::new();
    for path in sources(&host) {
        if apart.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("source");
        for literal in literals(&source) {
            let is_sql = begins(
                &literal.text,
                &[
                    "SELECT ",
                    "INSERT INTO ",
                    "DELETE FROM ",
                    "WITH ",
                    "PRAGMA ",
                ],
            ) || (literal.text.starts_with("UPDATE ")
                && literal.text.contains(" SET "));
            if is_sql && !(path.starts_with(&db) && literal.constant.is_some()) {
                findings.push(format!(
                    "{}: {}",
                    path.display(),
                    literal.text.chars().take(60).collect::<String>()
                ));
            }
        }
    }
    assert!(
        findings.is_empty(),
        "SQL belongs into a const of host/store/src/tables/<table>.rs:\n{}",
        findings.join("\n")
    );
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A text literal of a source, and the constant it is the value of.
struct Literal {
    constant: Option<String>,
    text: String,
}

/// The plain text literals of a Rust source, with their escapes resolved.
/// Comments and character literals are skipped; raw texts are taken as they are.
fn literals(source: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let chars: Vec<char> = source.chars().collect();
    let mut at = 0;
    // Where the statement that is being read began.
    let mut statement = String::new();
    while at < chars.len() {
        match chars[at] {
            '/' if chars.get(at + 1) == Some(&'/') => {
                while at < chars.len() && chars[at] != '\n' {
                    at += 1;
                }
            }
            // 'x' and '\x', not a lifetime.
            '\'' if chars.get(at + 1) == Some(&'\\') => {
                at += 3;
                while at < chars.len() && chars[at] != '\'' {
                    at += 1;
                }
                at += 1;
            }
            '\'' if chars.get(at + 2) == Some(&'\'') => at += 3,
            '"' => {
                let hashes = statement.chars().rev().take_while(|c| *c == '#').count();
                let raw = statement.chars().rev().nth(hashes) == Some('r');
                let (text, end) = literal(&chars, at + 1, raw.then_some(hashes));
                found.push(Literal {
                    constant: constant(&statement),
                    text,
                });
                at = end;
            }
            c => {
                if matches!(c, ';' | '{' | '}') {
                    statement.clear();
                } else {
                    statement.push(c);
                }
                at += 1;
            }
        }
    }
    found
}

/// The text from `at` to its closing quote, and the place after it.
fn literal(chars: &[char], mut at: usize, raw: Option<usize>) -> (String, usize) {
    let mut text = String::new();
    while at < chars.len() {
        match (chars[at], raw) {
            ('"', None) => return (text, at + 1),
            ('"', Some(hashes))
                if chars[at + 1..]
                    .iter()
                    .take(hashes)
                    .filter(|c| **c == '#')
                    .count()
                    == hashes =>
            {
                return (text, at + 1 + hashes);
            }
            ('\\', None) => {
                let escaped = chars.get(at + 1).copied();
                at += 2;
                match escaped {
                    // The line goes on after the white space.
                    Some('\n') => {
                        while chars.get(at).is_some_and(|c| c.is_whitespace()) {
                            at += 1;
                        }
                    }
                    Some('n') => text.push('\n'),
                    Some(other) => text.push(other),
                    None => {}
                }
            }
            (c, _) => {
                text.push(c);
                at += 1;
            }
        }
    }
    (text, at)
}

/// `const NAME: &str =` at the end of what was read.
fn constant(statement: &str) -> Option<String> {
    let (_, declaration) = statement.trim_end().rsplit_once("const ")?;
    let (name, kind) = declaration.split_once(':')?;
    let is_text = kind
        .replace("'static ", "")
        .trim()
        .trim_end_matches('=')
        .trim()
        == "&str";
    is_text.then(|| name.trim().to_owned())
}

/// The reader above, on what it meets.
#[test]
fn constants_are_read_as_the_compiler_reads_them() {
    let source = "// \"no\"\nconst A: &str = \"SELECT 1 \\\n     FROM x\";\nfn f<'a>() { let c = '\"'; let b = \"a\\\"b\"; g(r#\"q\"w\"#, '\\''); }";
    let found: Vec<(Option<String>, String)> = literals(source)
        .into_iter()
        .map(|l| (l.constant, l.text))
        .collect();
    assert_eq!(
        found,
        [
            (Some("A".to_owned()), "SELECT 1 FROM x".to_owned()),
            (None, "a\"b".to_owned()),
            (None, "q\"w".to_owned())
        ]
    );
}
