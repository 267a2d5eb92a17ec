//! The street of a CEP, as answers show it.

use super::city::named;
use crate::lookup::Origin;
use base::errors::{Code, Failure, Refusal};
use data::municipalities::{self, Municipality};
use data::search::fold;
use data::{cities, postal};
use lookups::answers::Street;
use markup::decimal::Exact;
use schemars::JsonSchema;
use serde::Serialize;

/// What the answer of our own tables is called.
const TABLES: &str = "faixas de CEP";

/// Até onde a resposta vai.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PrecisaoDoCep")]
#[serde(rename_all = "snake_case")]
pub(super) enum Reach {
    /// O logradouro do CEP, ou a localidade de CEP único.
    Cep,
    /// Só o município a que a faixa pertence; não se sabe se o CEP existe.
    Municipio,
    /// Só a UF a que a faixa pertence.
    Uf,
}

/// Um CEP, com os nomes do ViaCEP.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Cep")]
pub(super) struct StreetOut {
    /// Com traço.
    pub cep: String,
    /// Vazio se a localidade tem um CEP só.
    pub logradouro: String,
    pub complemento: String,
    pub unidade: String,
    pub bairro: String,
    pub localidade: String,
    pub uf: String,
    pub estado: String,
    pub regiao: String,
    pub ibge: String,
    pub gia: String,
    pub ddd: String,
    pub siafi: String,
    /// Graus; `null` se a fonte não as tem.
    pub latitude: Option<Exact>,
    pub longitude: Option<Exact>,
    pub precisao: Reach,
    /// Quem respondeu: `base local` e a edição dela, uma fonte, ou as faixas de CEP
    /// dos municípios.
    pub fonte: String,
    /// Quando a fonte respondeu ou a base foi importada; `null`: vem das tabelas do hub.
    pub consultado_em: Option<String>,
}

/// Eight digits of a CEP, with or without mask.
///
/// # Errors
/// 400: it has another form.
pub(super) fn digits(text: &str, field: &str) -> Result<String, Failure> {
    let kept: String = text
        .chars()
        .filter(|c| !matches!(c, '-' | '.' | ' '))
        .collect();
    if kept.len() == 8 && kept.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(kept);
    }
    let hint = "Informe os oito dígitos, com ou sem traço, como 80010-000.";
    let refusal = Refusal::field(Code::ParametroInvalido, field, "O CEP tem 8 dígitos.", hint);
    Err(refusal.with("erro", true).into())
}

/// A street of a source.
pub(super) fn shown(street: Street, origin: Origin) -> StreetOut {
    let cep: u32 = street.cep.parse().unwrap_or_default();
    let city = municipality(&street, cep);
    let text = |text: Option<String>| text.unwrap_or_default();
    StreetOut {
        logradouro: text(street.logradouro),
        complemento: text(street.complemento),
        unidade: text(street.unidade),
        bairro: text(street.bairro),
        gia: text(street.gia),
        latitude: street.latitude.map(Exact),
        longitude: street.longitude.map(Exact),
        fonte: origin.fonte,
        consultado_em: Some(origin.consultado_em),
        ..placed(&street.cep, &street.localidade, &street.uf, city)
    }
}

/// A town of our tables.
pub(super) fn town(cep: &str, city: &Municipality, reach: Reach) -> StreetOut {
    let uf = city.uf().map_or("", |uf| uf.abbreviation);
    StreetOut {
        precisao: reach,
        ..placed(cep, city.name, uf, Some(city))
    }
}

/// What the range of a state says.
pub(super) fn in_state(cep: &str, uf: &str) -> StreetOut {
    StreetOut {
        precisao: Reach::Uf,
        ..placed(cep, "", uf, None)
    }
}

fn placed(cep: &str, name: &str, uf: &str, city: Option<&Municipality>) -> StreetOut {
    let known = city.and_then(|city| cities::get(city.codigo));
    let state = data::ufs::by_uf(uf);
    let (first, last) = cep.split_at_checked(5).unwrap_or((cep, ""));
    StreetOut {
        cep: format!("{first}-{last}"),
        logradouro: String::new(),
        complemento: String::new(),
        unidade: String::new(),
        bairro: String::new(),
        localidade: name.to_owned(),
        uf: uf.to_owned(),
        estado: state.map_or("", |state| state.name).to_owned(),
        regiao: state.map_or("", |state| state.region()).to_owned(),
        ibge: city.map_or_else(String::new, |city| city.codigo.to_string()),
        gia: String::new(),
        ddd: known.map_or_else(String::new, |known| known.ddd.to_string()),
        siafi: known.map_or("", |known| known.siafi).to_owned(),
        latitude: None,
        longitude: None,
        precisao: Reach::Cep,
        fonte: TABLES.to_owned(),
        consultado_em: None,
    }
}

/// The municipality of a source's answer: by its code, else by the range of the
/// CEP, else by its name.
fn municipality(street: &Street, cep: u32) -> Option<&'static Municipality> {
    let of_state =
        |city: &&'static Municipality| city.uf().is_some_and(|uf| uf.abbreviation == street.uf);
    let by_code = street.ibge.as_ref().and_then(|code| code.parse().ok());
    if let Some(city) = by_code.and_then(municipalities::get).filter(of_state) {
        return Some(city);
    }
    let wanted = fold(&street.localidade);
    let same = |city: &&'static Municipality| fold(city.name) == wanted;
    let by_range = postal::city_of(cep).and_then(|range| municipalities::get(range.municipality));
    if let Some(city) = by_range.filter(same) {
        return Some(city);
    }
    let mut all = named(&street.localidade).into_iter();
    all.find(|city| of_state(city) && same(city))
}
