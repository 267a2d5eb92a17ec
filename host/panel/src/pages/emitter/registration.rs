//! The state registration (inscrição estadual) of a company. The API keeps any,
//! because whom it serves may issue service notes alone; people are told here
//! of a wrong one, before a note is refused for it.

use super::inputs::SUBSTITUTE;
use crate::form::Fields;
use crate::pages::issue::wrong::Wrong;
use data::municipalities::{self, Municipality};
use data::ufs;
use fiscal::person;
use markup::field;

/// Name of the field.
const FIELD: &str = "ie";
const HOW: &str = "Confira no comprovante de inscrição estadual. Se a empresa é isenta, escreva ISENTO; se não tem inscrição, deixe vazio.";

/// What is wrong with the registration of a form. `fields`: with the code of the
/// municipality in the place of its name, where it is known.
pub fn wrong(fields: &Fields) -> Option<Wrong> {
    let number = fields.get(FIELD);
    if number.is_empty() {
        return None;
    }
    let uf = state(fields);
    let mut found = field::Fields::default();
    person::registration(&mut found, FIELD, number, uf.as_slice());
    if found.0.is_empty() {
        return None;
    }
    let what = match uf {
        Some(uf) => format!(
            "A inscrição estadual não é válida em {uf}: algum número está trocado, faltando ou sobrando."
        ),
        None => "Isto não é uma inscrição estadual, que tem de 2 a 14 números.".to_owned(),
    };
    Some(Wrong {
        field: FIELD.to_owned(),
        sentence: format!("{what} {HOW}"),
    })
}

/// What is wrong with the CEP of a form. The API checks it, too, but not beside a wrong CNPJ.
pub fn wrong_cep(fields: &Fields) -> Option<Wrong> {
    let cep = fields.get("cep");
    if cep.is_empty() {
        return None;
    }
    let mut found = field::Fields::default();
    person::cep(&mut found, "cep", cep);
    let wrong = found.0.first()?;
    Some(Wrong::at("cep", &wrong.mensagem))
}

/// What is wrong with the registrations of a form as a substitute taxpayer. `stored`: those
/// of the company so far, which are not judged again.
pub fn wrong_substitute(fields: &Fields, stored: &str) -> Option<Wrong> {
    let given = fields.get(SUBSTITUTE);
    if given.replace('\r', "") == stored {
        return None;
    }
    let (uf, ie) = substitutes(given).find(|(uf, ie)| {
        let mut found = field::Fields::default();
        let number = person::registration(&mut found, SUBSTITUTE, ie, &[uf.as_str()]);
        !found.0.is_empty() || number == "ISENTO"
    })?;
    Some(Wrong {
        field: SUBSTITUTE.to_owned(),
        sentence: format!(
            "“{uf} {ie}” não é a sigla de um estado seguida de uma inscrição estadual dele. Escreva uma por linha, como SP 110042490114."
        ),
    })
}

/// State and registration of each line.
pub fn substitutes(text: &str) -> impl Iterator<Item = (String, String)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| {
        let (uf, ie) = line.split_once([' ', ':']).unwrap_or((line, ""));
        let ie = ie.chars().filter(char::is_ascii_alphanumeric).collect();
        (uf.to_uppercase(), ie)
    })
}

/// The state of a company: that of its municipality, or the one of the form.
fn state(fields: &Fields) -> Option<&'static str> {
    let city = fields.get("municipio").parse().ok();
    let city = city.and_then(municipalities::get);
    let of_city = city.and_then(Municipality::uf);
    let of_form = || ufs::by_uf(&fields.get("uf").to_uppercase());
    of_city.or_else(of_form).map(|uf| uf.abbreviation)
}
