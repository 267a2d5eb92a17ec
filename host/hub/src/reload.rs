//! Follows the operator's `providers.toml`: a changed file is read and, if
//! it is right, in use within seconds; a broken one changes nothing.

use crate::registry;
use authority::gateway::Gateway;
use std::time::{Duration, SystemTime};

/// How often the file is looked at.
const EVERY: Duration = Duration::from_secs(2);

/// Watches for as long as the process lives. Without a file of the
/// operator's there is nothing to watch.
pub async fn watch(app: Gateway) {
    let file = app.config.registry.file.clone();
    if file.as_os_str().is_empty() {
        return;
    }
    let mut seen = modified(&file).await;
    let mut tick = tokio::time::interval(EVERY);
    loop {
        tick.tick().await;
        let now = modified(&file).await;
        if now == seen || now.is_none() {
            continue;
        }
        seen = now;
        // A thread of its own: reading and parsing take a tenth of a second.
        let (app, file) = (app.clone(), file.clone());
        let done = tokio::task::spawn_blocking(move || match registry::text_of(&file) {
            Ok(text) => reload(&app, &text, &file.display().to_string()),
            Err(error) => {
                tracing::error!(file = %file.display(), %error, "registry cannot be read; the old one stays");
            }
        });
        if let Err(error) = done.await {
            tracing::error!(%error, "the registry's reading ended early; the old one stays");
        }
    }
}

fn reload(app: &Gateway, text: &str, name: &str) {
    match registry::usable(text, &app.config) {
        Ok(registry) => {
            app.registry.replace(registry);
            let registry = app.registry.load();
            tracing::info!(
                file = name,
                municipios = registry.municipalities().len(),
                "registry reloaded"
            );
        }
        Err(errors) => {
            for error in &errors {
                tracing::error!(file = name, line = error.line, "{}", error.message);
            }
            tracing::error!(
                file = name,
                errors = errors.len(),
                "registry is broken; the old one stays"
            );
        }
    }
}

async fn modified(file: &std::path::Path) -> Option<SystemTime> {
    tokio::fs::metadata(file).await.ok()?.modified().ok()
}
