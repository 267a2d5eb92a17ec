//! What can be asked.

use base::config;
use data::search::fold;
use serde_json::{Value, json};

/// Kinds of questions; their names are those of the adapter's operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Cep,
    Streets,
    Company,
    Vehicle,
    FipeMakes,
    FipeModels,
    FipeYears,
    FipePrices,
    Coordinates,
    Address,
    Route,
    Product,
}

impl Kind {
    /// The adapter's operation.
    pub fn operation(self) -> &'static str {
        match self {
            Kind::Cep => "consulta.cep",
            Kind::Streets => "consulta.ceps",
            Kind::Company => "consulta.empresa",
            Kind::Vehicle => "consulta.placa",
            Kind::FipeMakes => "consulta.fipe.marcas",
            Kind::FipeModels => "consulta.fipe.modelos",
            Kind::FipeYears => "consulta.fipe.anos",
            Kind::FipePrices => "consulta.fipe.precos",
            Kind::Coordinates => "consulta.coordenadas",
            Kind::Address => "consulta.endereco",
            Kind::Route => "consulta.rota",
            Kind::Product => "consulta.produto",
        }
    }

    /// The list of `[lookups]` that names its sources.
    pub fn list(self) -> &'static str {
        match self {
            Kind::Cep | Kind::Streets => "cep",
            Kind::Company => "company",
            Kind::Vehicle => "vehicle",
            Kind::FipeMakes | Kind::FipeModels | Kind::FipeYears | Kind::FipePrices => "fipe",
            Kind::Coordinates | Kind::Address => "coordinates",
            Kind::Route => "route",
            Kind::Product => "product",
        }
    }

    /// The sources the operator named for it, and the days an answer is used.
    pub(crate) fn settings(self, settings: &config::Lookups) -> (&[String], u32) {
        match self {
            Kind::Cep | Kind::Streets => (&settings.cep, settings.cep_days),
            Kind::Company => (&settings.company, settings.company_days),
            Kind::Vehicle => (&settings.vehicle, settings.vehicle_days),
            Kind::FipeMakes | Kind::FipeModels | Kind::FipeYears | Kind::FipePrices => {
                (&settings.fipe, settings.fipe_days)
            }
            Kind::Coordinates | Kind::Address => (&settings.coordinates, settings.coordinates_days),
            Kind::Route => (&settings.route, settings.route_days),
            Kind::Product => (&settings.product, settings.product_days),
        }
    }
}

/// A question: its kind, the content the adapter gets, and the text under which
/// its answer is kept.
#[derive(Clone, Debug)]
pub struct Question {
    pub kind: Kind,
    pub(crate) content: Value,
    pub(crate) key: String,
}

/// What joins the parts of a key: no part has it.
const BETWEEN: &str = "|";

impl Question {
    /// `cep`: 8 digits.
    pub fn cep(cep: &str) -> Question {
        Question::new(Kind::Cep, json!({ "cep": cep }), &[cep])
    }

    /// Streets of a city by a part of their name.
    pub fn streets(uf: &str, city: &str, street: &str) -> Question {
        let content = json!({ "uf": uf, "cidade": city, "logradouro": street });
        Question::new(Kind::Streets, content, &[uf, &fold(city), &fold(street)])
    }

    /// `cnpj`: 14 characters.
    pub fn company(cnpj: &str) -> Question {
        Question::new(Kind::Company, json!({ "cnpj": cnpj }), &[cnpj])
    }

    /// `plate`: 7 characters.
    pub fn vehicle(plate: &str) -> Question {
        Question::new(Kind::Vehicle, json!({ "placa": plate }), &[plate])
    }

    /// `vehicles`: `carros`, `motos` or `caminhoes`.
    pub fn fipe_makes(vehicles: &str) -> Question {
        Question::new(Kind::FipeMakes, json!({ "tipo": vehicles }), &[vehicles])
    }

    pub fn fipe_models(vehicles: &str, make: &str) -> Question {
        let content = json!({ "tipo": vehicles, "marca": make });
        Question::new(Kind::FipeModels, content, &[vehicles, make])
    }

    pub fn fipe_years(vehicles: &str, make: &str, model: &str) -> Question {
        let content = json!({ "tipo": vehicles, "marca": make, "modelo": model });
        Question::new(Kind::FipeYears, content, &[vehicles, make, model])
    }

    /// `code`: `999999-9`.
    pub fn fipe_prices(code: &str) -> Question {
        Question::new(Kind::FipePrices, json!({ "codigo": code }), &[code])
    }

    /// Where an address is.
    pub fn coordinates(address: &str) -> Question {
        let content = json!({ "endereco": address });
        Question::new(Kind::Coordinates, content, &[&fold(address)])
    }

    /// The address of a place: degrees, as decimal text.
    pub fn address(latitude: &str, longitude: &str) -> Question {
        let content = json!({ "latitude": latitude, "longitude": longitude });
        Question::new(Kind::Address, content, &[latitude, longitude])
    }

    /// The way between two places: latitude and longitude of each.
    pub fn route(from: [String; 2], to: [String; 2]) -> Question {
        let content = json!({
            "origem_latitude": from[0], "origem_longitude": from[1],
            "destino_latitude": to[0], "destino_longitude": to[1],
        });
        let [first, second, third, fourth] = [&from[0], &from[1], &to[0], &to[1]];
        Question::new(Kind::Route, content, &[first, second, third, fourth])
    }

    /// `gtin`: 8, 13 or 14 digits.
    pub fn product(gtin: &str) -> Question {
        Question::new(Kind::Product, json!({ "gtin": gtin }), &[gtin])
    }

    fn new(kind: Kind, content: Value, parts: &[&str]) -> Question {
        let parts: Vec<String> = parts
            .iter()
            .map(|part| part.replace(BETWEEN, " "))
            .collect();
        Question {
            kind,
            content,
            key: parts.join(BETWEEN),
        }
    }
}
