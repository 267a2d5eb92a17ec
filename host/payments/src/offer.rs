//! Whether credits are sold here, and by which PSP.

use authority::gateway::Gateway;
use authority::service::Service;
use base::config::AuthoritiesMode;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::sync::Once;
use zeroize::Zeroizing;

/// Component and address of the simulated PSP.
const SIMULATED: &str = "psp";
/// What the simulated PSP's secret is derived for.
const PURPOSE: &str = "hub/psp-callback/1";

/// The PSP of this hub.
#[derive(Clone)]
pub struct Offer {
    pub service: Service,
    /// Empty: callbacks are refused.
    pub secret: Zeroizing<String>,
}

/// The PSP the operator chose; where all authorities are simulated, the
/// simulated one. None: credits are not sold here.
pub fn offered(app: &Gateway) -> Option<Offer> {
    let settings = &app.config.payments;
    let simulated = app.config.authorities.mode == AuthoritiesMode::Simulator;
    let name = if simulated {
        SIMULATED
    } else {
        &settings.adapter
    };
    if name.is_empty() {
        return None;
    }
    let Some(component) = app.catalog.current(name) else {
        // Logged once, because this is called every second.
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            tracing::error!(adapter = %name, "the adapter of payments is not installed: credits are not sold");
        });
        return None;
    };
    let mut secret = Zeroizing::new(settings.callback_secret.expose().to_owned());
    if simulated && secret.is_empty() {
        *secret = derived(&app.pepper);
    }
    let service = if simulated {
        Service::simulated(component, sim::psp::HOST)
    } else {
        Service::official(component, &settings.base_url, settings.token.expose())
    };
    Some(Offer { service, secret })
}

/// Tells the simulated PSP of this process where the hub is.
pub fn announce(app: &Gateway, hub_url: &str) {
    if let Some(offer) = offered(app).filter(|offer| offer.service.is_simulated()) {
        let url = format!("{hub_url}/api/psp/aviso");
        app.simulator.sim.set_aviso(&url, &offer.secret);
    }
}

fn derived(pepper: &[u8; 32]) -> String {
    // HMAC pads a short key with zeros to the block of 64 (RFC 2104 §2).
    let mut block = Zeroizing::new([0_u8; 64]);
    block[..32].copy_from_slice(pepper);
    let mut mac = Hmac::<Sha256>::new((&*block).into());
    mac.update(PURPOSE.as_bytes());
    flow::hex(&mac.finalize().into_bytes())
}
