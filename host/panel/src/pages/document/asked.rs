//! What a document says that was not authorized: what was asked for, or what stands in the
//! form of a draft that is not finished. It has the shape of an authorized document, so
//! that the same views show it.

use super::content::{self, Content};
use crate::form::Fields;
use crate::pages::issue::body::{Line, code, lines, number};
use crate::pages::issue::past;
use crate::pages::issue::rows::{ITEMS, PAYMENTS, named};
use crate::pages::listing::value_of;
use crate::reply::{Problem, text};
use crate::visitor::Visitor;
use flow::registry::Registry;
use issuing::model::Model;
use prints::danfse::{Danfse, MunicipalTaxation, Municipality, Party, Prestador, Service, Totals};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use store::tables::notas::NotaStatus;

/// Amounts of a whole note that a request may have, and its totals have, too.
const ADDED: [&str; 3] = ["frete", "seguro", "outras_despesas"];

/// The content of a document that was not authorized. `emitter`: its company.
///
/// # Errors
/// The database failed; a document of which nothing is kept is [`Content::Unknown`].
pub async fn of(visitor: &Visitor, document: &Value, emitter: &Value) -> Result<Content, Problem> {
    Ok(match found(visitor, document, emitter).await? {
        Content::Unknown => Content::Unknown,
        content => Content::Asked(Box::new(content)),
    })
}

async fn found(visitor: &Visitor, document: &Value, emitter: &Value) -> Result<Content, Problem> {
    let Some(row) = past::row(visitor, text(document, "nota_id")).await? else {
        return Ok(Content::Unknown);
    };
    let draft = row.status == NotaStatus::Draft && row.chave.is_empty();
    if row.modelo != Model::Nfse && !draft {
        return match past::xml(visitor, &row).await? {
            Some(xml) => content::of_xml(row.modelo.as_str().to_owned(), xml).await,
            None => Ok(Content::Unknown),
        };
    }
    let request = match past::form(&row)? {
        Some(texts) => Some(of_form(&texts.into_iter().collect(), row.modelo)),
        None => past::request(visitor, &row).await?,
    };
    let Some(request) = request.filter(Value::is_object) else {
        return Ok(Content::Unknown);
    };
    let registry = visitor.panel.app.registry.load();
    Ok(match row.modelo {
        Model::Nfse => Content::Service(Box::new(service(&request, document, emitter, &registry))),
        Model::Nfe | Model::Nfce => {
            Content::Product(product(request, document, emitter, &registry))
        }
        Model::Cte | Model::Mdfe => Content::Unknown,
    })
}

/// The request of a product note with what its view shows beside it.
fn product(mut request: Value, document: &Value, emitter: &Value, registry: &Registry) -> Value {
    request["emitente"] =
        json!({ "nome": text(emitter, "razao_social"), "cpf_cnpj": text(emitter, "cnpj") });
    if !request["destinatario"].is_object() {
        let consumer = request["consumidor"].take();
        request["destinatario"] = match consumer.is_object() {
            true => consumer,
            false => document["destinatario"].clone(),
        };
    }
    if let Some(address) = request.pointer_mut("/destinatario/endereco")
        && address.is_object()
        && text(address, "cidade").is_empty()
    {
        let place = municipality(address, registry);
        address["cidade"] = place.name.into();
        address["uf"] = place.uf.into();
    }
    let (mut gross, mut discount) = (Decimal::ZERO, Decimal::ZERO);
    let items = request["itens"].as_array_mut().into_iter().flatten();
    for item in items.filter(|item| item.is_object()) {
        if decimal(&item["valor_bruto"]).is_none() {
            let amount = |name: &str| decimal(&item[name]);
            let product = amount("quantidade").zip(amount("valor_unitario"));
            let total = product.and_then(|(quantity, price)| quantity.checked_mul(price));
            item["valor_bruto"] = total.map(|total| total.round_dp(2).to_string()).into();
        }
        gross = gross.saturating_add(decimal(&item["valor_bruto"]).unwrap_or_default());
        discount = discount.saturating_add(decimal(&item["desconto"]).unwrap_or_default());
    }
    discount = discount.saturating_add(decimal(&request["desconto"]).unwrap_or_default());
    request["totais"] = json!({
        "produtos": gross.to_string(), "desconto": discount.to_string(), "valor_total": value_of(document),
    });
    for name in ADDED {
        request["totais"][name] = request[name].clone();
    }
    request
}

/// The request of a service note as its view shows one.
fn service(request: &Value, document: &Value, emitter: &Value, registry: &Registry) -> Danfse {
    let (asked, values) = (&request["servico"], &request["valores"]);
    let iss = &values["iss"];
    let taker = Some(&request["tomador"]).filter(|one| one.is_object());
    let taker = taker.or(Some(&document["tomador"]).filter(|one| one.is_object()));
    let middle = Some(&request["intermediario"]).filter(|one| one.is_object());
    let provider = Party {
        document: text(emitter, "cnpj").to_owned(),
        name: text(emitter, "razao_social").to_owned(),
        ..Party::default()
    };
    let national = match text(asked, "codigo_tributacao_nacional") {
        "" => text(asked, "item_lista_servico"),
        code => code,
    };
    let member = |name: &str| text(asked, name).to_owned();
    let place = json!({ "codigo_ibge": asked["codigo_municipio_prestacao"] });
    let information = text(request, "informacoes_complementares");
    Danfse {
        competence: text(request, "data_competencia").to_owned(),
        prestador: Prestador {
            party: provider,
            ..Prestador::default()
        },
        tomador: taker.map(|one| party(one, registry)),
        intermediary: middle.map(|one| party(one, registry)),
        service: Service {
            national_code: national.to_owned(),
            municipal_code: member("codigo_tributacao_municipio"),
            cnae: member("cnae"),
            nbs: member("codigo_nbs"),
            local: municipality(&place, registry),
            description: member("descricao"),
            ..Service::default()
        },
        iss: MunicipalTaxation {
            deductions: decimal(&values["deducoes"]["valor"]),
            rate: decimal(&iss["aliquota"]),
            retention: match text(iss, "retencao") {
                "tomador" => "Retido pelo tomador".to_owned(),
                "intermediario" => "Retido pelo intermediário".to_owned(),
                _ => String::new(),
            },
            ..MunicipalTaxation::default()
        },
        totals: Totals {
            service: decimal(&values["servico"]),
            unconditional_discount: decimal(&values["desconto_incondicionado"]),
            conditional_discount: decimal(&values["desconto_condicionado"]),
            ..Totals::default()
        },
        information: information.lines().map(str::to_owned).collect(),
        ..Danfse::default()
    }
}

fn party(one: &Value, registry: &Registry) -> Party {
    let member = |name: &str| text(one, name).to_owned();
    let address = &one["endereco"];
    let street = ["logradouro", "numero", "complemento", "bairro"];
    let street = street.map(|name| text(address, name));
    let street: Vec<&str> = street.into_iter().filter(|part| !part.is_empty()).collect();
    Party {
        document: match text(one, "cpf_cnpj") {
            "" => member("nif"),
            known => known.to_owned(),
        },
        municipal_registration: member("im"),
        name: member("nome"),
        telephone: member("telefone"),
        email: member("email"),
        address: street.join(", "),
        municipality: municipality(address, registry),
        cep: text(address, "cep").to_owned(),
    }
}

/// The municipality of an address, by its code or as it was written.
fn municipality(address: &Value, registry: &Registry) -> Municipality {
    let code = text(address, "codigo_ibge");
    let known = code
        .parse()
        .ok()
        .and_then(|code| registry.municipality(code));
    let (name, uf) = known.map_or_else(
        || (text(address, "cidade"), text(address, "uf")),
        |known| (known.name.as_str(), known.uf.as_str()),
    );
    Municipality {
        code: code.to_owned(),
        name: name.to_owned(),
        uf: uf.to_owned(),
        country: String::new(),
    }
}

fn decimal(value: &Value) -> Option<Decimal> {
    value.to_string().trim_matches('"').parse().ok()
}

/// What stands in a form, in the words of requests. A number that cannot be read is left
/// out.
fn of_form(fields: &Fields, model: Model) -> Value {
    let mut request = json!({});
    let written = |name: &str| fields.get(name);
    let person = person(fields);
    if model == Model::Nfse {
        let (lines, _) = lines(fields);
        let texts = lines
            .iter()
            .map(|line| written(&named("descricao", line.row)));
        let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        let gross: Decimal = lines.iter().map(Line::gross).sum();
        let discount: Decimal = lines.iter().map(|line| line.discount).sum();
        request["servico"] = json!({
            "descricao": texts.join("\n"), "codigo_tributacao_nacional": code(written("servico")),
        });
        request["valores"] = json!({
            "servico": above_zero(gross),
            "desconto_incondicionado": above_zero(discount),
            "iss": { "aliquota": amount(fields, "aliquota"), "retencao": written("retido") },
        });
        request["data_competencia"] = written("competencia").into();
        request["tomador"] = person;
    } else {
        request["destinatario"] = person;
        let rows = ITEMS.used(fields).into_iter();
        request["itens"] = rows.map(|row| item(fields, row)).collect();
        let payments = (1..=PAYMENTS.count(fields)).map(|row| {
            json!({ "forma": written(&named("forma", row)), "valor": amount(fields, &named("pago", row)) })
        });
        let chosen = payments.filter(|payment| !text(payment, "forma").is_empty());
        request["pagamentos"] = chosen.collect();
        request["natureza_operacao"] = written("natureza").into();
        request["frete"] = amount(fields, "frete");
        request["troco"] = amount(fields, "troco");
    }
    request["informacoes_complementares"] = written("informacoes").into();
    request
}

fn item(fields: &Fields, row: usize) -> Value {
    let mut item = json!({});
    for name in ["descricao", "codigo", "ncm", "cfop", "unidade"] {
        item[name] = fields.get(&named(name, row)).into();
    }
    for (name, field) in [
        ("quantidade", "quantidade"),
        ("valor_unitario", "valor"),
        ("desconto", "desconto"),
    ] {
        item[name] = amount(fields, &named(field, row));
    }
    item
}

/// Who is to receive the note; nobody where nothing of it was written.
fn person(fields: &Fields) -> Value {
    let mut person = json!({});
    let mut any = false;
    for (name, field) in [
        ("cpf_cnpj", "documento"),
        ("nome", "nome"),
        ("ie", "ie"),
        ("email", "email"),
    ] {
        let written = fields.get(field);
        any |= !written.is_empty();
        person[name] = match name {
            "cpf_cnpj" => code(written).into(),
            _ => written.into(),
        };
    }
    let mut address = json!({ "cep": code(fields.get("cep")), "cidade": fields.get("municipio") });
    for name in ["logradouro", "numero", "complemento", "bairro"] {
        address[name] = fields.get(name).into();
    }
    let parts = address.as_object().into_iter().flatten();
    let mut parts = parts.filter_map(|(_, part)| part.as_str());
    if parts.any(|part| !part.is_empty()) {
        any = true;
        address["uf"] = fields.get("uf").into();
        person["endereco"] = address;
    }
    if any { person } else { Value::Null }
}

/// A number of a form; null where it is empty or cannot be read.
fn amount(fields: &Fields, name: &str) -> Value {
    let number = number(fields, name).ok().flatten();
    number.map(|number| number.to_string()).into()
}

fn above_zero(amount: Decimal) -> Value {
    let there = Some(amount).filter(|amount| !amount.is_zero());
    there.map(|amount| amount.to_string()).into()
}
