//! What the files of a case answer to a request.

use super::files::Case;
use super::{body, words};
use flow::contract::{Event, HttpResponse, Named, TransportFault, TransportKind};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResponseFile {
    status: u16,
    #[serde(default)]
    headers: Vec<(String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoResponseFile {
    kind: String,
    detail: String,
    maybe_arrived: bool,
}

impl Case {
    /// What answers the request of a step.
    ///
    /// # Errors
    /// There is no answer, or it cannot be read.
    pub fn answer(&self, number: u32) -> Result<Event, String> {
        if self.cancelled(number) {
            return Ok(Event::Cancelled);
        }
        let silent = format!("{number:02}-no-response.toml");
        if self.has(&silent) {
            let file: NoResponseFile = self.toml(&silent)?;
            let kind = words::TRANSPORT_KINDS
                .iter()
                .find(|(_, word)| *word == file.kind)
                .map(|(kind, _)| *kind);
            let kind = kind.ok_or_else(|| format!("{silent}: kind {}", file.kind))?;
            return Ok(Event::NoResponse(TransportFault {
                kind,
                detail: file.detail,
                maybe_arrived: file.maybe_arrived,
            }));
        }
        let stem = format!("{number:02}-response");
        let file: ResponseFile = self.toml(&format!("{stem}.toml"))?;
        let headers = file
            .headers
            .into_iter()
            .map(|(name, value)| Named { name, value })
            .collect();
        Ok(Event::Response(HttpResponse {
            status: file.status,
            headers,
            body: body::expand(&self.body(&stem)?, self)?,
        }))
    }
}

/// No answer, and nobody knows what arrived.
pub(super) fn silence() -> Event {
    Event::NoResponse(TransportFault {
        kind: TransportKind::Timeout,
        detail: "no answer".to_owned(),
        maybe_arrived: true,
    })
}
