//! Which secrets a request carries, and whether its adapter declares that they go
//! there.

use crate::contract::permissions::{Permissions, URL};
use crate::contract::{HttpRequest, Target};
use crate::host::{Asked, Use};
use crate::placeholder;

/// Where a request goes, by its name in a declaration.
pub fn place(request: &HttpRequest) -> &str {
    match &request.target {
        Target::Endpoint(target) => &target.endpoint,
        Target::Url(_) => URL,
    }
}

/// Holds a request to the declaration. `entropy` is the flow's: its placeholders
/// are known by it.
///
/// # Errors
/// What was refused, with the reason.
pub(super) fn check(
    request: &HttpRequest,
    permissions: &Permissions,
    entropy: &[u8],
) -> Result<(), Use> {
    let place = place(request);
    let refused =
        |asked, what: &str, why: String| Err(Use::new(asked, what, String::new(), Some(&why)));
    if request.client_certificate && !permissions.certificate_at(place) {
        let why = format!("the customer's certificate at {place}");
        return refused(Asked::Certificate, place, why);
    }
    let path = match &request.target {
        Target::Endpoint(target) => &target.path,
        Target::Url(url) => url,
    };
    let headers = request.headers.iter().map(|header| header.value.as_bytes());
    let texts = headers.chain([path.as_bytes(), &request.body]);
    for name in texts.flat_map(|text| placeholder::names(text, entropy)) {
        if !permissions.secret_at(&name, place) {
            let why = format!("secret {name} at {place}");
            return refused(Asked::Secret, &format!("{name} at {place}"), why);
        }
    }
    Ok(())
}
