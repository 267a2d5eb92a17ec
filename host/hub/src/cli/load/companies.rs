//! Companies of generated accounts, and of the account whose notes are copied: the same
//! in each, so that a copy finds its company by its place.

use crate::app::App;
use fiscal::nfse::dps::Address;
use issuing::emitters::profile::{Credentials, Numbering, Perfil, PerfilNfse, TaxRegime};
use issuing::emitters::{self, NewEmitter};
use issuing::model::Ambiente;
use load::bodies;
use load::people::cnpj;
use serde_json::json;
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
    Perfil {
        razao_social: Some("Empresa de Carga Ltda".to_owned()),
        // The example of the state's own manual: a valid number of nobody.
        ie: Some("0623079040081".to_owned()),
        im: Some("12345".to_owned()),
        regime: Some(TaxRegime::Normal),
        endereco: Some(Address {
            cep: Some("30130010".to_owned()),
            logradouro: Some("Avenida Central".to_owned()),
            numero: Some("100".to_owned()),
            bairro: Some("Centro".to_owned()),
            codigo_ibge: Some(city.to_owned()),
            ..Address::default()
        }),
        nfe: Some(Numbering { serie: Some(1), proximo_numero: Some(first) }),
        nfse: Some(PerfilNfse {
            serie_rps: Some("1".to_owned()),
            proximo_numero: Some(first),
            credenciais: Some(Credentials {
                usuario: Some("usuario".to_owned()),
                senha: Some("senha".to_owned()),
                ..Credentials::default()
            }),
            ..PerfilNfse::default()
        }),
        padroes: serde_json::from_value(json!({
            "cfop_interno": "5102", "cfop_interestadual": "6102", "origem": "0", "unidade": "UN",
            "icms": { "cst": "00", "aliquota": 18 }, "pis": { "cst": "01", "aliquota": 1.65 },
            "cofins": { "cst": "01", "aliquota": 7.6 }, "ibs_cbs": { "cst": "000", "cclass_trib": "000001" },
        }))
        .ok(),
        ..Perfil::default()
    }
}
