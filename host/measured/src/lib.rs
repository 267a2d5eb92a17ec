//! Coverage as it is measured: whether the addresses of the registry answer
//! ([`job`], [`now`], [`access`]), and what became of the service notes that really
//! left ([`usage`]); what recorded cases prove of a system
//! ([`tier`]); and what the national system says of municipalities ([`agreement`], [`round`]).
//!
//! Nothing of it is a claim of the registry: where nothing was measured, the answer
//! is that nothing was measured.

pub mod access;
pub mod agreement;
pub mod job;
pub mod now;
pub mod probe;
pub mod round;
pub mod tier;
pub mod usage;

use authority::gateway::Gateway;
use base::config::AuthoritiesMode;

/// Whether this hub asks addresses: not one whose authorities are simulated.
pub fn on(app: &Gateway) -> bool {
    official(app) && app.config.probes.enabled
}

/// Whether notes of this hub go to the authorities themselves.
pub fn official(app: &Gateway) -> bool {
    app.config.authorities.mode == AuthoritiesMode::Official
}
