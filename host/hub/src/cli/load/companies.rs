//! Companies of generated accounts, and of the account whose notes are copied: the same
//! in each, so that a copy finds its company by its place.

use crate::app::App;
use crate::demo;
use issuing::emitters::profile::{Credentials, Numbering, Perfil};
use issuing::emitters::{self, NewEmitter};
use issuing::model::Ambiente;
use load::bodies;
use load::people::cnpj;
use store::ids::AccountId;

/// Systems whose notes are copied: a city of each, and its part of a hundred.
pub const CITIES: [(&str, u64); 3] = [
    (bodies::CITY, 60),
    // ABRASF 2.02, answered at once.
    ("1100304", 20),
    // ABRASF 2.04 with a queue of batches.
    ("3301009", 20),
];
/// Of the certificates, which only the simulator accepts.
const PASSWORD: &str = "carga";

/// Registers a company in each city, the first of which is the account's default.
///
/// # Errors
/// One of them is refused.
pub async fn register(
    app: &App,
    account: &AccountId,
    number: u64,
    first: u64,
) -> anyhow::Result<()> {
    for (place, (city, _)) in (0_u64..).zip(CITIES) {
        let cnpj = cnpj(50_000_000 + number * 10 + place, 1);
        let pfx = app
            .simulator
            .issue(&cnpj, "EMPRESA DE CARGA LTDA", PASSWORD)
            .await?;
        let new = NewEmitter {
            cnpj,
            alias: None,
            ambiente: Ambiente::Production,
            default: Some(place == 0),
            certificado: Some((pfx, PASSWORD.to_owned())),
            perfil: Some(profile(city, first)),
        };
        let made = emitters::register(app, account, new, false).await;
        made.map_err(|failure| anyhow::anyhow!("company: {failure:?}"))?;
    }
    Ok(())
}

fn profile(city: &str, first: u64) -> Perfil {
    let mut perfil = demo::company("Empresa de Carga Ltda", city);
    perfil.nfe = Some(Numbering {
        serie: Some(1),
        proximo_numero: Some(first),
    });
    if let Some(nfse) = &mut perfil.nfse {
        nfse.proximo_numero = Some(first);
        nfse.credenciais = Some(Credentials {
            usuario: Some("usuario".to_owned()),
            senha: Some("senha".to_owned()),
            ..Credentials::default()
        });
    }
    perfil
}
