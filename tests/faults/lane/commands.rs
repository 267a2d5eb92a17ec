//! Commands of the program, with the settings of a lane.

use super::{Lane, program};

impl Lane {
    /// Runs a command of the hub to its end: whether it went well, and what it
    /// said.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn command(&self, arguments: &[&str]) -> (bool, String) {
        let ran = self.ran(arguments).await;
        let text = [ran.stdout, ran.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        (ran.status.success(), text)
    }

    /// As `command`, with the exit code, and what was printed apart from errors and log.
    ///
    /// # Panics
    /// The program cannot be run.
    pub async fn ran(&self, arguments: &[&str]) -> std::process::Output {
        let program = tokio::task::spawn_blocking(program).await.expect("hub");
        let settings = self.settings.iter();
        let ran = tokio::process::Command::new(program)
            .args(arguments)
            .envs(settings.map(|(name, value)| (*name, value.as_str())))
            .env_remove("HUB_LOG")
            .output();
        ran.await.expect("hub")
    }

    /// Runs a command that dies at the first fault point with this label; what it said.
    ///
    /// # Panics
    /// The program cannot be run, or does not die there.
    pub async fn command_dying_at(&self, label: &str, arguments: &[&str]) -> String {
        use std::os::unix::process::ExitStatusExt as _;
        let program = tokio::task::spawn_blocking(program).await.expect("hub");
        let settings = self.settings.iter();
        let ran = tokio::process::Command::new(program)
            .args(arguments)
            .envs(settings.map(|(name, value)| (*name, value.as_str())))
            .env("HUB_FAULT_KILL", label)
            .env_remove("HUB_LOG")
            .output();
        let ran = ran.await.expect("hub");
        let text = [ran.stdout, ran.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert_eq!(ran.status.signal(), Some(9), "died at {label}: {text}");
        text
    }
}
