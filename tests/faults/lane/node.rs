use super::{Lane, PATIENCE};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tests::adapters;

/// A hub in a process of its own.
pub struct Node {
    child: tokio::process::Child,
    pub base_url: String,
    /// Kept open: a hub that cannot print what it says dies.
    _output: tokio::io::Lines<tokio::io::BufReader<tokio::process::ChildStdout>>,
}

impl Node {
    pub(super) async fn start(lane: &Lane, command: &str, kill_at: &str) -> Node {
        use tokio::io::AsyncBufReadExt as _;
        let program = tokio::task::spawn_blocking(program).await.expect("hub");
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(lane.file("log"))
            .expect("log");
        let mut child = tokio::process::Command::new(program)
            .arg(command)
            .current_dir(lane.folder.path())
            .env_remove("CARGO_MANIFEST_DIR")
            .envs(
                lane.settings
                    .iter()
                    .map(|(name, value)| (*name, value.as_str())),
            )
            .env("HUB_FAULT_KILL", kill_at)
            .env("HUB_FAULT_ARMED", lane.file("armed"))
            .env("HUB_FAULT_TRACE", lane.file("trace"))
            .env_remove("HUB_LOG")
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .expect("hub starts");
        let mut lines = tokio::io::BufReader::new(child.stdout.take().expect("output")).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line())
            .await
            .ok()
            .and_then(Result::ok)
            .flatten();
        let Some(base_url) = line
            .as_deref()
            .and_then(|line| line.strip_prefix("hub is running on "))
        else {
            panic!("the hub did not start: {line:?}\n{}", lane.log());
        };
        Node {
            child,
            base_url: base_url.to_owned(),
            _output: lines,
        }
    }

    /// True when the process is gone.
    pub fn dead(&mut self) -> bool {
        self.child.try_wait().expect("child").is_some()
    }

    /// Waits until the process has died by itself.
    ///
    /// # Panics
    /// It does not, or not by SIGKILL.
    pub async fn died(&mut self) {
        use std::os::unix::process::ExitStatusExt as _;
        let status = tokio::time::timeout(PATIENCE, self.child.wait())
            .await
            .expect("death")
            .expect("child");
        assert_eq!(status.signal(), Some(9), "died by SIGKILL: {status:?}");
    }

    /// Asks the process to stop, and waits until it has; its exit code.
    ///
    /// # Panics
    /// It does not end.
    pub async fn stop(&mut self) -> Option<i32> {
        self.signal("TERM");
        self.ended().await
    }

    /// Waits until the process has ended; its exit code.
    ///
    /// # Panics
    /// It does not end.
    pub async fn ended(&mut self) -> Option<i32> {
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        ended.expect("an end").expect("child").code()
    }

    /// kill -9, and the process is gone.
    ///
    /// # Panics
    /// The signal cannot be sent.
    pub async fn kill(&mut self) {
        if !self.dead() {
            self.child.kill().await.expect("killed");
        }
    }

    /// Sends a signal by name: STOP, CONT.
    ///
    /// # Panics
    /// There is no `kill` or no process.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().expect("a living process");
        let sent = std::process::Command::new("sh")
            .args(["-c", &format!("kill -{name} {pid}")])
            .status();
        assert!(sent.expect("sh").success(), "SIG{name}");
    }
}

/// The binary beside this test, brought up to date once.
///
/// # Panics
/// It does not build.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let test = std::env::current_exe().expect("this test");
        let profile = test
            .parent()
            .and_then(Path::parent)
            .expect("target/<profile>/deps");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = std::process::Command::new(cargo);
        build
            .current_dir(adapters::workspace())
            // As `cargo test --workspace` has it: of the package alone the
            // features of some dependencies differ, and all is built again.
            .args([
                "build",
                "--quiet",
                "--locked",
                "--workspace",
                "--bin",
                "hub",
            ]);
        build
            .arg("--target-dir")
            .arg(profile.parent().expect("target"));
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(
            build.status().expect("cargo").success(),
            "the hub does not build"
        );
        profile.join("hub")
    })
}
