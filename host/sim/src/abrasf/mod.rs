//! Cities on ABRASF systems (SOAP).
use crate::engine::{Call, Outcome};
use crate::faults::Peek;
use crate::request::{Answer, SimRequest};

/// How one vendor speaks.
pub(crate) struct Profile { pub id: &'static str }
static GENERIC: Profile = Profile { id: "abrasf-1.00" };
pub(crate) fn profile(_host: &str, _req: &SimRequest) -> &'static Profile { &GENERIC }
pub(crate) fn peek(_p: &Profile, _r: &SimRequest, host: &str) -> Peek { Peek { host: host.to_owned(), ..Peek::default() } }
pub(crate) fn process(_c: &mut Call<'_>, _p: &Profile) -> Outcome { Answer::new(404, "text/plain", "").into() }
pub(crate) fn refuse(_c: &Call<'_>, _p: &Profile, _code: &str, _m: Option<&str>) -> Answer { Answer::new(404, "text/plain", "") }
pub(crate) fn internal_error(_c: &Call<'_>) -> Answer { Answer::new(500, "text/plain", "") }
pub(crate) fn expired(_c: &Call<'_>) -> Answer { Answer::new(403, "text/plain", "") }
