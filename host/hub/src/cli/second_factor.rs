//! `hub second-factor FILE`: makes the secret of `admin.totp_file`.

use ::accounts::users::totp;
use anyhow::Context as _;
use base::files;
use std::path::Path;
use std::process::ExitCode;
use zeroize::Zeroizing;

/// Writes a fresh secret into a file that is not there yet, and prints the address an
/// authenticator takes.
pub fn make(file: &Path) -> anyhow::Result<ExitCode> {
    let secret = totp::new_secret()?;
    let line = Zeroizing::new(format!("{}\n", *totp::base32(&secret)));
    let made = files::create(file, line.as_bytes());
    let made = made.with_context(|| file.display().to_string())?;
    anyhow::ensure!(made, "{} is there already", file.display());
    say!("{}", *totp::uri(&secret, "operador"));
    say!("for an authenticator: it is not shown again");
    say!("setting: HUB_ADMIN_TOTP_FILE={}", file.display());
    Ok(ExitCode::SUCCESS)
}
