//! A source of data: addresses, companies, vehicles, prices, coordinates, routes,
//! products.
//!
//! It answers with the contents `consulta.*` of `wit/schemas`, as the map
//! `plugins/lookup/sources/hub.json` asks for them. What it answers is made of the
//! question alone: it remembers nothing.

use super::{authorized, problem, unknown_route};
use crate::engine::faults::Peek;
use crate::request::{Answer, SimRequest};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Name of the system in orders of faults.
pub(crate) const SYSTEM: &str = "fontes";
/// Host it answers at.
pub const HOST: &str = "fontes.simulado.test";
/// What ends so is not known.
const UNKNOWN: &str = "999";
/// First digits of the bar codes that are known.
const PRODUCTS: &str = "78999";
/// Metres of a degree, and seconds of a kilometre by road.
const METRES_OF_A_DEGREE: f64 = 111_195.0;
const SECONDS_OF_A_KM: f64 = 60.0;

/// First two digits of the CEP, city, state, IBGE code, area code, where it is.
const CITIES: [(&str, &str, &str, &str, &str, &str, &str); 10] = [
    (
        "01",
        "São Paulo",
        "SP",
        "3550308",
        "11",
        "-23.5505",
        "-46.6333",
    ),
    (
        "20",
        "Rio de Janeiro",
        "RJ",
        "3304557",
        "21",
        "-22.9068",
        "-43.1729",
    ),
    (
        "30",
        "Belo Horizonte",
        "MG",
        "3106200",
        "31",
        "-19.9167",
        "-43.9345",
    ),
    (
        "40", "Salvador", "BA", "2927408", "71", "-12.9718", "-38.5011",
    ),
    ("50", "Recife", "PE", "2611606", "81", "-8.0476", "-34.8770"),
    (
        "60",
        "Fortaleza",
        "CE",
        "2304400",
        "85",
        "-3.7172",
        "-38.5433",
    ),
    (
        "70",
        "Brasília",
        "DF",
        "5300108",
        "61",
        "-15.7797",
        "-47.9297",
    ),
    (
        "80", "Curitiba", "PR", "4106902", "41", "-25.4297", "-49.2731",
    ),
    (
        "88",
        "Florianópolis",
        "SC",
        "4205407",
        "48",
        "-27.5949",
        "-48.5482",
    ),
    (
        "90",
        "Porto Alegre",
        "RS",
        "4314902",
        "51",
        "-30.0331",
        "-51.2300",
    ),
];

pub(crate) fn knows(host: &str) -> bool {
    host == HOST
}

pub(crate) fn peek(host: &str) -> Peek {
    Peek {
        host: host.to_owned(),
        operation: "consultar",
        ..Peek::default()
    }
}

pub(crate) fn answer(req: &SimRequest) -> Answer {
    if let Err(refused) = authorized(req) {
        return refused;
    }
    let Some(rest) = req.plain_path().strip_prefix("/v1/") else {
        return unknown_route();
    };
    let query = |name: &str| parameter(&req.path, name);
    let found = match rest.split_once('/').unwrap_or((rest, "")) {
        ("cep", cep) => street(cep, 1),
        ("ceps", _) => streets(&query("uf"), &query("logradouro")),
        ("empresas", cnpj) => company(cnpj),
        ("placas", plate) => vehicle(plate),
        ("coordenadas", _) => coordinates(&query("endereco")),
        ("endereco", _) => nearest(&query("latitude"), &query("longitude")),
        ("fipe", "marcas") => Some(items(&[("1", "Marca A"), ("2", "Marca B")])),
        ("fipe", "modelos") => models(&query("marca")),
        ("fipe", "anos") => Some(items(&[
            ("2020-1", "2020 Gasolina"),
            ("2024-1", "2024 Gasolina"),
        ])),
        ("fipe", price) => price.strip_prefix("precos/").and_then(prices),
        ("produtos", gtin) => product(gtin),
        ("rota", _) => route(&query("origem"), &query("destino")),
        _ => return unknown_route(),
    };
    match found {
        Some(content) => Answer::json(200, &content),
        None => problem(404, "sem_resultado", "Nada foi achado."),
    }
}

pub(crate) fn refuse(code: &str, message: Option<&str>) -> Answer {
    problem(422, code, message.unwrap_or("Recusado pela fonte."))
}

/// A number below `most` that the text decides.
fn drawn(text: &str, most: u64) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    let bytes = digest.iter().take(8);
    bytes.fold(0_u64, |number, byte| (number << 8) | u64::from(*byte)) % most
}

fn street(cep: &str, number: usize) -> Option<Value> {
    if cep.ends_with(UNKNOWN) {
        return None;
    }
    let (_, city, uf, ibge, ddd, latitude, longitude) =
        *CITIES.iter().find(|(first, ..)| cep.starts_with(first))?;
    Some(json!({
        "cep": cep, "logradouro": format!("Rua Simulada {}", drawn(cep, 900) + 100), "complemento": null,
        "unidade": null, "bairro": format!("Bairro {number}"), "localidade": city, "uf": uf, "ibge": ibge, "gia": null,
        "ddd": ddd, "siafi": null, "latitude": latitude, "longitude": longitude,
    }))
}

fn streets(uf: &str, name: &str) -> Option<Value> {
    let (first, ..) = CITIES.iter().find(|(_, _, of, ..)| *of == uf)?;
    if name.ends_with(UNKNOWN) {
        return None;
    }
    let list = (1..=3).filter_map(|number| {
        let mut one = street(&format!("{first}01{number}000"), number)?;
        one["logradouro"] = json!(format!("{name} {number}"));
        Some(one)
    });
    Some(json!({ "itens": list.collect::<Vec<_>>() }))
}

fn company(cnpj: &str) -> Option<Value> {
    // The number before the check digits decides: 999 is nobody.
    if cnpj.get(..12)?.ends_with(UNKNOWN) {
        return None;
    }
    let small = drawn(cnpj, 2) == 0;
    let end = cnpj.get(8..12)?;
    Some(json!({
        "cnpj": cnpj, "razao_social": format!("EMPRESA SIMULADA {end} LTDA"), "nome_fantasia": "LOJA SIMULADA", "matriz": end == "0001",
        "situacao": { "codigo": "02", "descricao": "ATIVA", "desde": "2019-03-01", "motivo": null },
        "abertura": "2019-03-01", "natureza_juridica": { "codigo": "2062", "descricao": "Sociedade Empresária Limitada" },
        "porte": if small { "MICRO EMPRESA" } else { "DEMAIS" }, "capital_social": "10000.00",
        "cnae_principal": { "codigo": "4711302", "descricao": "Comércio varejista de mercadorias em geral, com predominância de produtos alimentícios - supermercados" },
        "cnaes_secundarios": [{ "codigo": "6201501", "descricao": "Desenvolvimento de programas de computador sob encomenda" }],
        "endereco": { "logradouro": "Rua Simulada", "numero": "100", "complemento": null, "bairro": "Centro", "cep": "80010000", "cidade": "Curitiba", "codigo_ibge": "4106902", "uf": "PR" },
        "contatos": { "telefone": "4130000000", "telefone2": null, "email": "contato@empresa.test" },
        "socios": [{ "nome": "PESSOA SIMULADA", "qualificacao": "Sócio-Administrador", "desde": "2019-03-01" }],
        "simples": { "optante": small, "desde": small.then_some("2019-03-01"), "ate": null },
        "mei": { "optante": false, "desde": null, "ate": null },
    }))
}

fn vehicle(plate: &str) -> Option<Value> {
    // Letters and digits alternate from the fourth on: 9s at the end are nobody's.
    if plate.ends_with("99") {
        return None;
    }
    let year = 2010 + drawn(plate, 15);
    Some(json!({
        "placa": plate, "marca": "Marca A", "modelo": "Modelo 1.0", "versao": null, "ano_fabricacao": year, "ano_modelo": year + 1,
        "cor": "PRATA", "combustivel": "FLEX", "municipio": "CURITIBA", "uf": "PR",
        "fipe": [{ "codigo": "001004-9", "descricao": "Modelo 1.0", "valor": "45000.50" }],
    }))
}

fn items(list: &[(&str, &str)]) -> Value {
    let list = list.iter();
    let list = list.map(|(code, name)| json!({ "codigo": code, "nome": name }));
    json!({ "itens": list.collect::<Vec<_>>(), "mes_referencia": "2026-11" })
}

fn models(make: &str) -> Option<Value> {
    matches!(make, "1" | "2").then(|| items(&[("10", "Modelo 1.0"), ("11", "Modelo 1.6")]))
}

fn prices(code: &str) -> Option<Value> {
    if code.starts_with(UNKNOWN) {
        return None;
    }
    let price = |year: u64, value: &str| {
        json!({
            "ano_modelo": year, "combustivel": "Gasolina", "sigla_combustivel": "G",
            "valor": value, "mes_referencia": "2026-11",
        })
    };
    let prices = [
        price(2020, "45000.50"),
        price(2024, "61230.00"),
        price(32_000, "101120.00"),
    ];
    Some(json!({ "codigo": code, "marca": "Marca A", "modelo": "Modelo 1.0", "precos": prices }))
}

/// A product whose name has no visible character.
const NAMELESS: &str = "7899900000042";

/// Only what begins with [`PRODUCTS`] is known: with any other number it can be
/// tried what an unknown one does.
fn product(gtin: &str) -> Option<Value> {
    let number = gtin.strip_prefix(PRODUCTS).filter(|_| gtin.len() == 13)?;
    // Sources say anything: marks that turn the text, and a name of nothing else.
    let name = match gtin == NAMELESS {
        true => "\u{200b}".to_owned(),
        false => format!("Produto\u{202e}\u{7} simulado {number}"),
    };
    Some(json!({
        "gtin": gtin, "nome": name, "marca": "Marca A", "ncm": "19053100", "cest": null,
        "unidade": "UN", "imagem_url": null, "peso_kg": "0.250", "altura_cm": "20", "largura_cm": "12.5", "profundidade_cm": "4",
    }))
}

fn coordinates(address: &str) -> Option<Value> {
    let lower = address.to_lowercase();
    let (_, city, uf, _, _, latitude, longitude) = *CITIES
        .iter()
        .find(|(_, name, ..)| lower.contains(&name.to_lowercase()))?;
    let exact = address.bytes().any(|byte| byte.is_ascii_digit());
    Some(json!({
        "latitude": latitude, "longitude": longitude, "precisao": if exact { "numero" } else { "cidade" }, "texto": address,
        "endereco": { "logradouro": null, "numero": null, "bairro": null, "cidade": city, "uf": uf, "cep": null },
    }))
}

fn nearest(latitude: &str, longitude: &str) -> Option<Value> {
    let here: (f64, f64) = (latitude.parse().ok()?, longitude.parse().ok()?);
    let near = CITIES.iter().find(|(_, _, _, _, _, latitude, longitude)| {
        let there: Option<(f64, f64)> = latitude.parse().ok().zip(longitude.parse().ok());
        there.is_some_and(|there| (here.0 - there.0).abs() < 0.2 && (here.1 - there.1).abs() < 0.2)
    })?;
    let (first, city, uf, ..) = *near;
    Some(json!({
        "texto": format!("Rua Simulada, 100, {city}, {uf}"), "logradouro": "Rua Simulada", "numero": "100",
        "bairro": "Centro", "cidade": city, "uf": uf, "cep": format!("{first}010000"),
    }))
}

fn route(origin: &str, destination: &str) -> Option<Value> {
    let point = |text: &str| {
        let (latitude, longitude) = text.split_once(',')?;
        Some((
            latitude.parse::<f64>().ok()?,
            longitude.parse::<f64>().ok()?,
        ))
    };
    let (from, to) = (point(origin)?, point(destination)?);
    let metres = ((from.0 - to.0).abs() + (from.1 - to.1).abs()) * METRES_OF_A_DEGREE;
    Some(json!({
        "distancia_m": format!("{metres:.1}"), "duracao_s": format!("{:.1}", metres / 1_000.0 * SECONDS_OF_A_KM),
        "geometria": null,
    }))
}

/// A parameter of the query, decoded; empty where there is none.
fn parameter(path: &str, name: &str) -> String {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let mut parts = query.split('&').filter_map(|part| part.split_once('='));
    let value = parts
        .find(|(of, _)| *of == name)
        .map_or("", |(_, value)| value);
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let hex: String = rest.by_ref().take(2).map(char::from).collect();
        bytes.extend(u8::from_str_radix(&hex, 16));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
