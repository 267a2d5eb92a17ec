//! What a check found: its form for people and for programs.

use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// How it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Ok,
    /// It works, but somebody should look.
    Warning,
    /// It does not work, or soon will not.
    Error,
}

/// One thing that was looked at. No secret is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Name of the check.
    pub check: &'static str,
    pub state: State,
    /// What was seen, in a sentence.
    pub seen: String,
    /// What to do; empty where nothing is to be done.
    #[serde(rename = "do")]
    pub advice: String,
}

impl Finding {
    /// All is well.
    pub fn ok(check: &'static str, seen: impl Into<String>) -> Finding {
        Finding::new(check, State::Ok, seen, "")
    }

    pub fn warning(check: &'static str, seen: impl Into<String>, advice: &str) -> Finding {
        Finding::new(check, State::Warning, seen, advice)
    }

    pub fn error(check: &'static str, seen: impl Into<String>, advice: &str) -> Finding {
        Finding::new(check, State::Error, seen, advice)
    }

    fn new(check: &'static str, state: State, seen: impl Into<String>, advice: &str) -> Finding {
        Finding {
            check,
            state,
            seen: seen.into(),
            advice: advice.to_owned(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            State::Ok => "ok",
            State::Warning => "warning",
            State::Error => "error",
        };
        write!(f, "{state:8} {:13} {}", self.check, self.seen)?;
        if !self.advice.is_empty() {
            write!(f, "\n{:23}do: {}", "", self.advice)?;
        }
        Ok(())
    }
}

/// A check that did not end in its time.
pub fn late(check: &'static str, time: Duration) -> Finding {
    Finding::error(
        check,
        format!("not done within {} s", time.as_secs()),
        "look whether what it asks (disk, database, servers) hangs; the other checks are not affected",
    )
}
