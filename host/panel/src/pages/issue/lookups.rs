//! An address by its CEP and a company by its CNPJ, only when somebody asks for
//! it: in Produção each costs credits, once for a form and what is asked.

use super::wrong::{Refused, Said, Wrong};
use crate::form::Fields;
use crate::once;
use crate::reply::{Problem, joined, text};
use crate::visitor::Visitor;
use api::inside::Reply;
use axum::http::Method;
use base::operations;
use data::municipalities::{self, Municipality};
use data::search::fold;
use markup::ids::{Cnpj, Takes};
use serde_json::{Value, json};

/// What a button of the form found.
#[derive(Default)]
pub struct Found {
    /// Good news above the form; empty: there are none.
    pub note: String,
    /// Why it found nothing.
    pub refused: Option<Refused>,
}

impl Found {
    pub fn note(note: impl Into<String>) -> Found {
        Found {
            note: note.into(),
            refused: None,
        }
    }

    pub fn refused(refused: Refused) -> Found {
        Found {
            note: String::new(),
            refused: Some(refused),
        }
    }

    pub fn wrong(wrong: Wrong) -> Found {
        Found::refused(Refused::of_form(vec![wrong]))
    }

    pub fn said(said: Said) -> Found {
        Found::refused(Refused::saying(said))
    }

    /// What it costs is more than there is.
    pub fn short_of_credits() -> Found {
        let said = Said::new("Os créditos da conta não bastam para a consulta.");
        Found::said(said.to("/painel/creditos", "Comprar créditos"))
    }
}

/// What an operation costs where the person is, in words: ` (4 créditos)`;
/// empty where it is free.
pub fn price(visitor: &Visitor, operation: &str) -> String {
    match visitor.live() {
        true => price_of(operation),
        false => String::new(),
    }
}

/// What an operation costs where it is charged, as [`price`] says it.
pub fn price_of(operation: &str) -> String {
    let price = operations::get(operation).and_then(|row| row.price());
    match price {
        Some(1) => " (1 crédito)".to_owned(),
        Some(price) if price > 0 => format!(" ({price} créditos)"),
        _ => String::new(),
    }
}

/// Fills the address of a CEP in.
///
/// # Errors
/// It could not be asked.
pub async fn cep(visitor: &Visitor, fields: &mut Fields) -> Result<Found, Problem> {
    let cep = fields.get("cep").replace(|c: char| !c.is_ascii_digit(), "");
    if cep.len() != 8 {
        return Ok(Found::wrong(Wrong::at("cep", "O CEP deve ter 8 dígitos.")));
    }
    let path = format!("/api/v1/geo/cep/{cep}");
    let form = fields.get(once::FIELD);
    let reply = visitor.ask_once(form, Method::GET, &path, None).await?;
    if !reply.ok() {
        return Ok(nothing(&reply, "cep", "Nenhum endereço tem este CEP."));
    }
    let found = reply.json();
    let street = text(&found, "precisao") == "cep";
    for (name, member) in [("logradouro", "logradouro"), ("bairro", "bairro")] {
        // A town of one CEP has no street: what was written stays.
        if !text(&found, member).is_empty() {
            fields.set(name, text(&found, member));
        }
    }
    let city = text(&found, "localidade");
    if !city.is_empty() {
        fields.set("municipio", city);
    }
    fields.set("uf", text(&found, "uf"));
    Ok(Found::note(if street {
        "Endereço preenchido. Falta só o número."
    } else {
        "Este CEP só diz a cidade: escreva a rua e o bairro."
    }))
}

/// Fills name and address of a company in. `document`, `name`: what the form calls its CNPJ
/// and its name.
///
/// # Errors
/// It could not be asked.
pub async fn cnpj(
    visitor: &Visitor,
    fields: &mut Fields,
    (document, name): (&str, &str),
) -> Result<Found, Problem> {
    let cnpj = fields.get(document);
    let cnpj = cnpj.replace(|c: char| !c.is_ascii_alphanumeric(), "");
    if cnpj.len() != 14 {
        let what = "A consulta é de empresas, pelo CNPJ.";
        return Ok(Found::wrong(Wrong::at(document, what)));
    }
    if Cnpj::parse(&cnpj).is_err() {
        let what = Takes::Cnpj.mistake(&cnpj).message;
        return Ok(Found::wrong(Wrong::at(document, &what)));
    }
    let body = json!({ "cnpj": cnpj });
    let (form, path) = (fields.get(once::FIELD), "/api/v1/empresa/cnpj");
    let asked = visitor.ask_once(form, Method::POST, path, Some(&body));
    let reply = asked.await?;
    if !reply.ok() {
        return Ok(nothing(&reply, document, "Nenhuma empresa tem este CNPJ."));
    }
    let found = reply.json();
    let called = text(&found, "razao_social");
    let letters = |text: &str| fold(text).replace(|c: char| !c.is_alphanumeric(), "");
    let before = letters(fields.get(name));
    // The form of a company of one's own keeps them.
    let other = name == "nome" && !before.is_empty() && before != letters(called);
    let mut lost = "";
    // They are of whoever stood there: the note would be sent to somebody else.
    for of_other in ["email", "ie"] {
        if other && !fields.get(of_other).is_empty() {
            fields.set(of_other, "");
            lost = " O e-mail e a inscrição estadual do nome anterior foram retirados.";
        }
    }
    fields.set(name, called);
    address(&found["endereco"], fields);
    if fields.get("email").is_empty() {
        fields.set("email", text(&found["contatos"], "email").to_lowercase());
    }
    let state = text(&found["situacao"], "descricao");
    Ok(Found::note(
        if state.is_empty() || state.eq_ignore_ascii_case("ativa") {
            format!("Dados da empresa preenchidos. Confira antes de emitir.{lost}")
        } else {
            format!(
                "Dados preenchidos. Atenção: a situação da empresa na Receita é {}.{lost}",
                state.to_lowercase()
            )
        },
    ))
}

/// Fills an address in, as the API writes addresses.
pub fn address(address: &Value, fields: &mut Fields) {
    for name in ["logradouro", "numero", "complemento", "bairro", "uf"] {
        fields.set(name, text(address, name));
    }
    let cep = text(address, "cep");
    let shown = match (cep.get(..5), cep.get(5..)) {
        (Some(area), Some(rest)) if rest.len() == 3 => format!("{area}-{rest}"),
        _ => cep.to_owned(),
    };
    fields.set("cep", shown);
    let code = text(address, "codigo_ibge");
    let known = code.parse::<u32>().ok().and_then(municipalities::get);
    let city = match (text(address, "cidade"), known) {
        ("", Some(city)) => city.name,
        ("", None) => code,
        (name, _) => name,
    };
    fields.set("municipio", city);
    // A service note says no state: it follows from the code, and a name may be of several.
    if fields.get("uf").is_empty()
        && let Some(uf) = known.and_then(Municipality::uf)
    {
        fields.set("uf", uf.abbreviation);
    }
}

/// Why the account gets no answer now, whatever it looks for; None: that is not the reason.
pub fn stopped(reply: &Reply) -> Option<Found> {
    let body = reply.json();
    let sentence = match (text(&body, "codigo"), reply.status) {
        ("saldo_insuficiente", _) => return Some(Found::short_of_credits()),
        ("conta_bloqueada", _) => joined([text(&body, "mensagem"), text(&body, "dica")]),
        (_, 429) => {
            "Foram consultas demais em pouco tempo, e nada foi cobrado por esta. Tente de novo em um minuto."
                .to_owned()
        }
        _ => return None,
    };
    Some(Found::refused(Refused {
        status: reply.status,
        ..Refused::saying(Said::new(sentence))
    }))
}

/// A look-up without a result, or one that is not possible.
pub fn nothing(reply: &Reply, field: &str, sentence: &str) -> Found {
    if let Some(found) = stopped(reply) {
        return found;
    }
    match text(&reply.json(), "codigo") {
        "sem_resultado" | "nao_encontrado" => Found::wrong(Wrong::at(field, sentence)),
        "fonte_nao_configurada" | "fonte_indisponivel" | "fonte_tempo_esgotado" => Found::said(
            Said::new("A consulta não está disponível agora, e nada foi cobrado. Preencha à mão."),
        ),
        _ if reply.status < 500 => Found::wrong(Wrong::at(field, "Não foi aceito.")),
        _ => Found::said(Said::new(
            "A consulta falhou, e nada foi cobrado. Tente de novo, ou preencha à mão.",
        )),
    }
}
