//! Logins of a company in the system of its city: which are stored, and which it asks for.

use super::inputs::Input;
use crate::visitor::Visitor;
use base::when;
use issuing::emitters::profile::{Perfil, RequestedVia};
use issuing::route;
use maud::{Markup, html};
use serde_json::Value;

/// Where they stand in the profile.
const PLACE: &str = "/nfse/credenciais/";
const STORED: &str = "Já está salvo em segredo. Se ficar vazio, continua valendo.";
const ASKED: &str = "A prefeitura pede, e ainda falta. Guardamos em segredo e não mostramos mais.";
const ASKED_AND_STORED: &str =
    "A prefeitura pede. Já está salvo em segredo: se ficar vazio, continua valendo.";

/// The logins of a company.
pub struct Logins {
    /// The city whose system takes the company's notes; empty where none is known.
    city: String,
    /// Those that it asks for, by their names in the API.
    demanded: Vec<String>,
    /// Secrets that are stored, by the same names.
    stored: Vec<String>,
}

impl Logins {
    /// Those of a company as the API shows it.
    pub fn of(visitor: &Visitor, record: &Value) -> Logins {
        let stored = record["credenciais_informadas"].as_array();
        let stored = stored.into_iter().flatten().filter_map(Value::as_str);
        let stored = stored.map(str::to_owned).collect();
        let app = &visitor.panel.app;
        let perfil: Perfil =
            serde_json::from_value(record["perfil_fiscal"].clone()).unwrap_or_default();
        let registry = app.registry.load();
        let city = perfil.municipality().unwrap_or_default();
        let today = when::today(app.now_ms(), route::uf(&registry, city));
        let regime = route::regime(perfil.simples_option());
        let via = perfil.via(RequestedVia::Auto).into();
        match route::route(&registry, city, regime, today, via) {
            Ok(route) => Logins {
                city: route.municipality,
                demanded: route.demanded_credentials,
                stored,
            },
            Err(_) => Logins {
                city: String::new(),
                demanded: Vec::new(),
                stored,
            },
        }
    }

    /// What the city's system asks for.
    pub fn asked(&self) -> Markup {
        let words: Vec<&str> = self.demanded.iter().map(|name| word(name)).collect();
        html! {
            @if !self.city.is_empty() {
                p class="dica c6" {
                    @if words.is_empty() { "O sistema que recebe as notas de " (self.city) " não pede login." }
                    @else { "O sistema que recebe as notas de " (self.city) " pede: " (words.join(", ")) "." }
                }
            }
        }
    }

    /// The city is known, and its system asks for none.
    pub fn unasked(&self) -> bool {
        !self.city.is_empty() && self.demanded.is_empty()
    }

    /// What stands below a field.
    pub fn hint(&self, input: &Input) -> &'static str {
        let name = input.place.rsplit('/').next().unwrap_or_default();
        let has = |names: &[String]| names.iter().any(|one| one == name);
        let login = input.place.starts_with(PLACE);
        match (login && has(&self.demanded), has(&self.stored)) {
            (true, true) => ASKED_AND_STORED,
            (true, false) => ASKED,
            (false, true) if input.is_secret() => STORED,
            (false, _) => input.hint,
        }
    }
}

/// What people call a login.
fn word(name: &str) -> &str {
    match name {
        "usuario" => "usuário",
        "chave_autorizacao" => "chave de autorização",
        "frase_secreta" => "frase secreta",
        other => other,
    }
}
