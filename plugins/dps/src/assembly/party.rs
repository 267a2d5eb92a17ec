//! People and addresses: what depends on who they are and where they live.

use crate::assembly::group::Group;
use crate::ids::digits;
use sdk::nfse::{Endereco, Pessoa, TipoPessoa};

/// cNaoNIF when a person abroad has no tax id: "not required".
const NIF_NOT_REQUIRED: &str = "2";

/// Completes toma, interm or dest. Someone who is not identified is left out.
pub fn person(parent: &mut Group, name: &str, given: Option<&Pessoa>) {
    let mut g = parent.take(name);
    let Some(person) = given.filter(|person| person.tipo != TipoPessoa::NaoIdentificado) else {
        return;
    };
    let nif = person.nif.as_deref().filter(|nif| !nif.trim().is_empty());
    match (&person.cpf_cnpj, nif) {
        (Some(number), _) if person.tipo == TipoPessoa::Identificado => {
            document(&mut g, number.trim());
        }
        (_, Some(nif)) => g.text("NIF", nif),
        _ if person.tipo == TipoPessoa::Exterior => g.text("cNaoNIF", NIF_NOT_REQUIRED),
        _ => {}
    }
    if let Some(given) = &person.endereco {
        g.within("end", |end| address(end, given));
    }
    parent.optional_group(name, Some(g));
}

/// CPF or CNPJ by size; anything else fails as a CNPJ, with its rule.
pub fn document(g: &mut Group, number: &str) {
    let name = if number.len() == 11 && digits(number) {
        "CPF"
    } else {
        "CNPJ"
    };
    g.text(name, number);
}

pub fn only_digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// TCEndereco: one of its two parts, also when nothing is known of it.
fn address(g: &mut Group, given: &Endereco) {
    let mut abroad = g.take("endExt");
    let national = g.take("endNac");
    if given.exterior() {
        complete(&mut abroad, given);
        g.group("endExt", abroad);
    } else {
        g.group("endNac", national);
    }
}

/// TCEnderecoSimples and TCEnderObraEvento: without country and municipality.
pub fn simple_address(g: &mut Group, given: &Endereco) {
    let mut abroad = g.take("endExt");
    if given.exterior() {
        g.take("CEP");
        complete(&mut abroad, given);
        g.group("endExt", abroad);
    }
}

/// What an address abroad has under the names of one in Brazil.
fn complete(abroad: &mut Group, given: &Endereco) {
    if given.codigo_postal.is_none() {
        abroad.optional("cEndPost", given.cep.as_deref());
    }
    if given.estado.is_none() {
        abroad.optional("xEstProvReg", given.uf.as_deref());
    }
}
