//! The registration of a company: of the imported base of the Receita Federal,
//! else of the sources outside.

use crate::lookup::{self, Origin};
use base::errors::Failure;
use data::cities;
use datasets::bases::cnpj::layout::{Choices, Partner as PartnerLine, shown_day};
use datasets::bases::companies::{self, Answer, Company as Local};
use gate::Call;
use lookups::Question;
use lookups::answers::{Choice, Coded, Company, Contacts, Partner, Place, Registration};
use store::tables::editions::EditionRow;

/// Looks a company up by its 14 positions.
///
/// # Errors
/// Nothing was found: as [`lookup::found`], with the base among the places where it
/// was looked.
pub(crate) async fn company(call: &Call, cnpj: &str) -> Result<(Company, Origin), Failure> {
    let mut conn = call.app.db.read().await?;
    let answer = companies::get(&mut conn, cnpj).await?;
    drop(conn);
    let asked_base = match answer {
        Answer::Found(local) => {
            let origin = Origin::of_base(&local.edition);
            return Ok((of_base(cnpj, *local), origin));
        }
        Answer::Missing(edition) => vec![*edition],
        Answer::NoBase => Vec::new(),
    };
    let mut asked = lookup::ask::<Company>(call, &Question::company(cnpj)).await?;
    if let Some(found) = asked.found.take() {
        let origin = Origin::of(&found);
        return Ok((found.answer, origin));
    }
    lookup::after_bases(&mut asked, &asked_base);
    Err(lookup::nothing(&asked).into())
}

/// A company of the base, as sources describe it.
fn of_base(cnpj: &str, local: Local) -> Company {
    let here = local.establishment;
    let registration = local.registration.unwrap_or_default();
    let city = cities::by_siafi(&format!("{:0>4}", here.city));
    let name = city.and_then(|city| city.municipality());
    let street = [here.street_kind.as_str(), here.street.as_str()];
    let street = street.into_iter().filter(|part| !part.is_empty());
    let street = street.collect::<Vec<_>>().join(" ");
    let secondary = here.other_activities.split(',').map(str::trim);
    let (simples, mei) = chosen(local.choices, &local.edition);
    let size = size(&registration.size);
    Company {
        cnpj: cnpj.to_owned(),
        razao_social: registration.name,
        nome_fantasia: told(here.trade_name),
        matriz: match here.head.as_str() {
            "1" => Some(true),
            "2" => Some(false),
            _ => None,
        },
        situacao: Some(Registration {
            descricao: Some(status(&here.status).to_owned()),
            codigo: told(here.status),
            desde: shown_day(&here.status_day),
            motivo: local.reason.filter(|_| here.reason != "0"),
        }),
        abertura: shown_day(&here.begun),
        natureza_juridica: Some(Coded {
            codigo: told(registration.nature),
            descricao: local.nature,
        }),
        porte: size.map(str::to_owned),
        capital_social: registration.capital.parse().ok(),
        cnae_principal: Some(activity(&here.activity)),
        cnaes_secundarios: secondary
            .filter(|code| !code.is_empty())
            .map(activity)
            .collect(),
        endereco: Some(Place {
            logradouro: told(street),
            numero: told(here.number),
            complemento: told(here.complement),
            bairro: told(here.district),
            cep: told(here.cep),
            cidade: name.map(|city| city.name.to_owned()).or(local.city),
            codigo_ibge: city.map(|city| city.codigo.to_string()),
            uf: told(here.uf),
        }),
        contatos: Some(Contacts {
            telefone: told(here.phone),
            telefone2: told(here.second_phone),
            email: told(here.email.to_lowercase()),
        }),
        socios: local.partners.into_iter().map(partner).collect(),
        simples: Some(simples),
        mei: Some(mei),
    }
}

fn told(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn activity(code: &str) -> Coded {
    Coded {
        codigo: told(code.to_owned()),
        // Its text is that of our table.
        descricao: None,
    }
}

fn partner((line, role): (PartnerLine, Option<String>)) -> Partner {
    Partner {
        nome: told(line.name),
        qualificacao: role,
        desde: shown_day(&line.since),
    }
}

/// Simples and MEI. Who never chose stands in no line of the file, if it was imported.
fn chosen(line: Option<Choices>, edition: &EditionRow) -> (Choice, Choice) {
    if line.is_none() && !edition.source.to_uppercase().contains("SIMPLES") {
        return (Choice::default(), Choice::default());
    }
    let line = line.unwrap_or_default();
    let choice = |word: &str, from: &str, until: &str| Choice {
        optante: Some(word == "S"),
        desde: shown_day(from),
        ate: shown_day(until),
    };
    (
        choice(&line.simples, &line.simples_from, &line.simples_until),
        choice(&line.mei, &line.mei_from, &line.mei_until),
    )
}

/// Table of the layout.
fn status(code: &str) -> &'static str {
    match code {
        "01" => "NULA",
        "02" => "ATIVA",
        "03" => "SUSPENSA",
        "04" => "INAPTA",
        "08" => "BAIXADA",
        _ => "",
    }
}

/// Table of the layout.
fn size(code: &str) -> Option<&'static str> {
    match code.trim_start_matches('0') {
        "1" => Some("MICRO EMPRESA"),
        "3" => Some("EMPRESA DE PEQUENO PORTE"),
        "5" => Some("DEMAIS"),
        _ => None,
    }
}
