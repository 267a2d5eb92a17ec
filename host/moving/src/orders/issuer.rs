//! What the hub has of the company that issues. A body of theirs says it with each
//! note; here it is in the fiscal profile.

use crate::kind::Kind;
use crate::orders::values::{given, text_of};
use issuing::emitters::profile::{Perfil, TaxRegime};
use serde_json::{Map, Value};

/// A company that issues.
#[derive(Clone, Debug, Default)]
pub struct Issuer {
    pub cnpj: String,
    pub perfil: Perfil,
}

/// Who issues, by the body of an issuing call, without punctuation.
pub fn cnpj(kind: Kind, body: &Map<String, Value>) -> Option<String> {
    let name = kind.company();
    let value = match name.split_once('.') {
        Some((group, name)) => {
            let group = body.get(group).and_then(Value::as_object);
            group.and_then(|group| given(group, name))
        }
        None => given(body, name),
    };
    value.and_then(cnpj_of)
}

/// A CNPJ as the hub stores it; a number lost its leading zeros.
pub fn cnpj_of(value: &Value) -> Option<String> {
    let text = text_of(value)?;
    let plain = letters_and_digits(&text).to_uppercase();
    match value {
        Value::Number(_) => Some(format!("{plain:0>14}")),
        _ => Some(plain).filter(|plain| !plain.is_empty()),
    }
}

impl Issuer {
    /// What the hub has of the company by one of the names of the tables, ready to be
    /// compared; None where it has nothing to compare with.
    pub fn own(&self, what: &str) -> Option<String> {
        let perfil = &self.perfil;
        let address = perfil.endereco.as_ref();
        let of = |text: Option<&String>| text.cloned();
        match what {
            "cnpj" => Some(self.cnpj.clone()),
            "nome" => of(perfil.razao_social.as_ref()),
            "fantasia" => of(perfil.nome_fantasia.as_ref()),
            "ie" => of(perfil.ie.as_ref()),
            "im" => of(perfil.im.as_ref()),
            "cnae" => of(perfil.cnae.as_ref()),
            "telefone" => of(perfil.telefone.as_ref()),
            "email" => of(perfil.email.as_ref()),
            "crt" => perfil.regime.map(|regime| regime.regime().crt().to_owned()),
            "municipio" => perfil.municipality().map(str::to_owned),
            "uf" => self.uf().map(str::to_owned),
            "cidade" => self.city().map(str::to_owned),
            "logradouro" => of(address?.logradouro.as_ref()),
            "numero" => of(address?.numero.as_ref()),
            "complemento" => of(address?.complemento.as_ref()),
            "bairro" => of(address?.bairro.as_ref()),
            "cep" => of(address?.cep.as_ref()),
            _ => None,
        }
    }

    /// Whether a value of theirs says what the hub has; None where the hub has nothing
    /// of it.
    pub fn agrees(&self, what: &str, value: &str) -> Option<bool> {
        if what == "ie_st" {
            let mut own = self.perfil.ie_substituto.iter();
            return Some(own.any(|own| same(&own.ie, value)));
        }
        // A company that is MEI says the one of the Simples or its own (CRT 1, 4).
        if what == "crt" && self.perfil.regime == Some(TaxRegime::Mei) {
            return Some(matches!(value, "1" | "4"));
        }
        let own = self.own(what)?;
        Some(same(&own, value))
    }

    fn uf(&self) -> Option<&str> {
        let address = self.perfil.endereco.as_ref()?;
        let by_city = self
            .municipality()
            .and_then(data::municipalities::Municipality::uf);
        by_city.map(|uf| uf.abbreviation).or(address.uf.as_deref())
    }

    fn city(&self) -> Option<&str> {
        self.municipality().map(|city| city.name)
    }

    fn municipality(&self) -> Option<&'static data::municipalities::Municipality> {
        data::municipalities::get(self.perfil.municipality()?.parse().ok()?)
    }
}

/// The same but for punctuation, capitals, accents and leading zeros of a number.
fn same(ours: &str, theirs: &str) -> bool {
    let plain = |text: &str| {
        let plain = letters_and_digits(&data::search::fold(text));
        if plain.bytes().all(|byte| byte.is_ascii_digit()) {
            plain.trim_start_matches('0').to_owned()
        } else {
            plain
        }
    };
    plain(ours) == plain(theirs)
}

fn letters_and_digits(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}
