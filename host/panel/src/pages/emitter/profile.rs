//! Name, address and fiscal profile of a company: what a registration of CNPJ
//! and name alone still lacks to issue.

use super::company::{Company, REGIMES, starter};
use super::fields::{choice, framed, needed};
use super::place;
use crate::form::Fields;
use crate::pages::document::wrong::Wrongs;
use crate::parts::{encoded, hidden, marks};
use crate::reply::text;
use crate::visitor::Visitor;
use maud::{Markup, html};
use rust_decimal::Decimal;
use serde_json::{Map, Value};

/// How a field is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Digits,
    Whole,
    Decimal,
    /// A secret: stored sealed and never shown. An empty field leaves the
    /// stored one as it is.
    Secret,
}

/// A field: its name, its place in the profile, how it is written, its width,
/// its label and a hint.
struct Input {
    name: &'static str,
    place: &'static str,
    kind: Kind,
    class: &'static str,
    label: &'static str,
    hint: &'static str,
}

const fn input(
    name: &'static str,
    place: &'static str,
    kind: Kind,
    class: &'static str,
    label: &'static str,
    hint: &'static str,
) -> Input {
    Input {
        name,
        place,
        kind,
        class,
        label,
        hint,
    }
}

/// What the choice of the regime is called.
pub const REGIME: &str = "Regime tributário";
const NEXT: &str = "Não pode diminuir. Preencha se a empresa já emitiu notas por outro sistema.";
const KEPT: &str =
    "Guardamos em segredo e não mostramos mais. Se ficar vazio, vale o que já foi gravado.";

const COMPANY: &[Input] = &[
    input(
        "razao_social",
        "/razao_social",
        Kind::Text,
        "",
        "Razão social",
        "",
    ),
    input(
        "nome_fantasia",
        "/nome_fantasia",
        Kind::Text,
        "",
        "Nome fantasia",
        "",
    ),
    input("ie", "/ie", Kind::Text, "c2", "Inscrição estadual", ""),
    input("im", "/im", Kind::Text, "c2", "Inscrição municipal", ""),
    input("cnae", "/cnae", Kind::Digits, "c2", "CNAE", ""),
    input("email", "/email", Kind::Text, "", "E-mail", ""),
    input("telefone", "/telefone", Kind::Text, "", "Telefone", ""),
];

const ADDRESS: &[Input] = &[
    input("cep", "/endereco/cep", Kind::Digits, "c2", "CEP", ""),
    input(
        "logradouro",
        "/endereco/logradouro",
        Kind::Text,
        "c4",
        "Logradouro",
        "",
    ),
    input("numero", "/endereco/numero", Kind::Text, "c2", "Número", ""),
    input(
        "complemento",
        "/endereco/complemento",
        Kind::Text,
        "c4",
        "Complemento",
        "",
    ),
    input("bairro", "/endereco/bairro", Kind::Text, "c6", "Bairro", ""),
    input(
        "municipio",
        "/endereco/codigo_ibge",
        Kind::Digits,
        "c4",
        "Município",
        place::HINT,
    ),
    input("uf", "/endereco/uf", Kind::Text, "c2", "UF", ""),
];

const TAXES: &[Input] = &[
    input(
        "cfop_interno",
        "/padroes/cfop_interno",
        Kind::Digits,
        "c2",
        "CFOP no estado",
        "",
    ),
    input(
        "cfop_interestadual",
        "/padroes/cfop_interestadual",
        Kind::Digits,
        "c2",
        "CFOP fora do estado",
        "",
    ),
    input(
        "unidade",
        "/padroes/unidade",
        Kind::Text,
        "c2",
        "Unidade",
        "",
    ),
    input(
        "origem",
        "/padroes/origem",
        Kind::Digits,
        "c2",
        "Origem",
        "0 é mercadoria nacional.",
    ),
    input(
        "icms_cst",
        "/padroes/icms/cst",
        Kind::Digits,
        "c2",
        "CST do ICMS",
        "No regime normal.",
    ),
    input(
        "icms_csosn",
        "/padroes/icms/csosn",
        Kind::Digits,
        "c2",
        "CSOSN",
        "No Simples e no MEI.",
    ),
    input(
        "icms_aliquota",
        "/padroes/icms/aliquota",
        Kind::Decimal,
        "c2",
        "ICMS (%)",
        "",
    ),
    input(
        "pis_cst",
        "/padroes/pis/cst",
        Kind::Digits,
        "c2",
        "CST do PIS",
        "",
    ),
    input(
        "pis_aliquota",
        "/padroes/pis/aliquota",
        Kind::Decimal,
        "c2",
        "PIS (%)",
        "",
    ),
    input(
        "cofins_cst",
        "/padroes/cofins/cst",
        Kind::Digits,
        "c2",
        "CST da COFINS",
        "",
    ),
    input(
        "cofins_aliquota",
        "/padroes/cofins/aliquota",
        Kind::Decimal,
        "c2",
        "COFINS (%)",
        "",
    ),
    input(
        "ibs_cst",
        "/padroes/ibs_cbs/cst",
        Kind::Digits,
        "c2",
        "CST do IBS e da CBS",
        "",
    ),
    input(
        "ibs_classe",
        "/padroes/ibs_cbs/cclass_trib",
        Kind::Digits,
        "c2",
        "Classificação (cClassTrib)",
        "",
    ),
];

const NUMBERS: &[Input] = &[
    input(
        "nfe_serie",
        "/nfe/serie",
        Kind::Whole,
        "",
        "Série da NF-e",
        "",
    ),
    input(
        "nfe_proximo",
        "/nfe/proximo_numero",
        Kind::Whole,
        "",
        "Próximo número da NF-e",
        NEXT,
    ),
    input(
        "nfce_serie",
        "/nfce/serie",
        Kind::Whole,
        "",
        "Série da NFC-e",
        "",
    ),
    input(
        "nfce_proximo",
        "/nfce/proximo_numero",
        Kind::Whole,
        "",
        "Próximo número da NFC-e",
        NEXT,
    ),
    input(
        "csc_id",
        "/nfce/csc_id",
        Kind::Text,
        "",
        "Número (id) do CSC da NFC-e",
        "",
    ),
    input("csc", "/nfce/csc", Kind::Secret, "", "CSC da NFC-e", KEPT),
];

const SERVICE: &[Input] = &[
    input(
        "rps_serie",
        "/nfse/serie_rps",
        Kind::Text,
        "",
        "Série do RPS ou da DPS",
        "",
    ),
    input(
        "nfse_proximo",
        "/nfse/proximo_numero",
        Kind::Whole,
        "",
        "Próximo número do RPS ou da DPS",
        NEXT,
    ),
    input(
        "item_lista",
        "/nfse/item_lista_servico",
        Kind::Text,
        "c2",
        "Item da lista de serviços",
        "",
    ),
    input(
        "iss",
        "/nfse/aliquota_iss",
        Kind::Decimal,
        "c2",
        "ISS (%)",
        "",
    ),
    input(
        "nominal",
        "/simples/aliquota_nominal",
        Kind::Decimal,
        "c2",
        "Alíquota nominal do Simples (%)",
        "",
    ),
    input(
        "prefeitura_usuario",
        "/nfse/credenciais/usuario",
        Kind::Secret,
        "c2",
        "Usuário na prefeitura",
        "Só onde ela pede. Se ficar vazio, vale o que já foi gravado.",
    ),
    input(
        "prefeitura_senha",
        "/nfse/credenciais/senha",
        Kind::Secret,
        "c2",
        "Senha na prefeitura",
        KEPT,
    ),
    input(
        "prefeitura_token",
        "/nfse/credenciais/token",
        Kind::Secret,
        "c2",
        "Token da prefeitura",
        KEPT,
    ),
];

const BLOCKS: &[(&str, &str, &[Input])] = &[
    ("Empresa", "", COMPANY),
    ("Endereço", "", ADDRESS),
    (
        "Tributação dos produtos",
        "Vale para os produtos que não têm outra na nota. Se tudo ficar vazio, é a de uma venda comum de mercadoria no regime da empresa; só acima do sublimite do Simples não há uma comum, e é preciso preencher.",
        TAXES,
    ),
    ("Numeração da NF-e e da NFC-e", "", NUMBERS),
    ("Notas de serviço", "", SERVICE),
];

fn inputs() -> impl Iterator<Item = &'static Input> {
    BLOCKS.iter().flat_map(|(_, _, inputs)| inputs.iter())
}

/// The field of a place of the profile, as `endereco.cep`; None where none shows it.
pub fn at(path: &str) -> Option<&'static str> {
    let place = format!("/{}", path.replace('.', "/"));
    let found = inputs().find(|input| input.place == place);
    found.map(|input| input.name)
}

/// What a field is called; None for one of another form.
pub fn label(name: &str) -> Option<&'static str> {
    let found = inputs().find(|input| input.name == name);
    found.map(|input| input.label)
}

/// Where a field stands in the form, compared with others; those of other forms first.
pub fn order(name: &str) -> usize {
    match inputs().position(|input| input.name == name) {
        Some(at) if at < COMPANY.len() => at + 1,
        // The regime stands behind the first block.
        Some(at) => at + 2,
        None if name == "regime" => COMPANY.len() + 1,
        None => 0,
    }
}

/// What to write in a field of numbers; empty for others.
pub fn write(name: &str) -> &'static str {
    let found = inputs().find(|input| input.name == name);
    match found.map(|input| input.kind) {
        Some(Kind::Digits) => "Escreva só os números.",
        Some(Kind::Whole) => "Escreva um número inteiro.",
        Some(Kind::Decimal) => "Escreva um número, como 18 ou 1,65.",
        Some(Kind::Text | Kind::Secret) | None => "",
    }
}

/// The form. `fields`: what was sent and refused; without any, what is stored. `wrong`: what
/// is wrong with them.
pub fn form(visitor: &Visitor, company: &Company, fields: &Fields, wrong: &Wrongs) -> Markup {
    let record = &company.record;
    let profile = &record["perfil_fiscal"];
    let action = format!("/painel/emitentes/{}/perfil", encoded(text(record, "id")));
    let regime = if fields.has("regime") {
        fields.get("regime")
    } else {
        text(profile, "regime")
    };
    let mut regimes = vec![("", "Não informado")];
    regimes.extend(REGIMES);
    html! {
        section class="cartao" {
            h2 { "Dados da empresa" }
            (marks())
            form class="campos blocos" method="post" action=(action) {
                (hidden(visitor))
                input type="hidden" name="versao" value=(company.etag);
                @for (index, (title, hint, inputs)) in BLOCKS.iter().enumerate() {
                    fieldset class="bloco" {
                        legend { (title) }
                        @if !hint.is_empty() { p class="dica c6" { (hint) } }
                        @for one in *inputs { (shown(one, record, fields, wrong)) }
                        @if index == 0 { (framed(wrong, "", "regime", REGIME, "", choice(wrong, "regime", "", &regimes, regime))) }
                    }
                }
                div { button class="botao" { "Gravar os dados" } }
            }
        }
    }
}

fn shown(input: &Input, record: &Value, fields: &Fields, wrong: &Wrongs) -> Markup {
    let name = input.name;
    let value = if input.kind == Kind::Secret {
        String::new()
    } else if fields.has(name) {
        fields.raw(name).to_owned()
    } else if name == "municipio" {
        place::named(municipality(record))
    } else {
        stored(input, record)
    };
    let keyboard = match input.kind {
        Kind::Digits | Kind::Whole => "numeric",
        Kind::Decimal => "decimal",
        Kind::Text | Kind::Secret => "text",
    };
    let (invalid, focus) = (wrong.invalid(name), wrong.focus(name));
    let described = wrong.described(name, input.hint);
    let field = html! {
        @if name == "municipio" {
            (place::input(&value, wrong))
        } @else if input.kind == Kind::Secret {
            input id=(name) name=(name) type="password" autocomplete="off" aria-invalid=[invalid] aria-describedby=[described] autofocus[focus];
        } @else {
            input id=(name) name=(name) type="text" inputmode=(keyboard) value=(value) aria-invalid=[invalid] aria-describedby=[described] autofocus[focus];
        }
    };
    let frame = if name == "razao_social" {
        needed
    } else {
        framed
    };
    frame(wrong, input.class, name, input.label, input.hint, field)
}

/// Code of the IBGE of the company's municipality; empty where it has none.
pub fn municipality(record: &Value) -> &str {
    let code = record.pointer("/perfil_fiscal/endereco/codigo_ibge");
    code.and_then(Value::as_str).unwrap_or_default()
}

/// What the profile has there, as people write it.
fn stored(input: &Input, record: &Value) -> String {
    let found = record["perfil_fiscal"].pointer(input.place);
    match found {
        None | Some(Value::Null) if input.name == "razao_social" => {
            text(record, "razao_social").to_owned()
        }
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) if input.kind == Kind::Decimal => text.replace('.', ","),
        Some(Value::String(text)) => text.clone(),
        Some(number) if input.kind == Kind::Decimal => number.to_string().replace('.', ","),
        Some(other) => other.to_string(),
    }
}

/// The profile as it is stored, with what the form says.
pub fn changed(record: &Value, fields: &Fields) -> Value {
    let mut profile = record["perfil_fiscal"].clone();
    for input in inputs().filter(|input| fields.has(input.name)) {
        let given = fields.get(input.name);
        // What was not touched stays as it is: a number may have grown since.
        if input.kind == Kind::Secret && given.is_empty() || given == stored(input, record) {
            continue;
        }
        set(&mut profile, input.place, written(input, fields));
    }
    if fields.has("regime") {
        let regime = Some(fields.get("regime")).filter(|regime| !regime.is_empty());
        set(&mut profile, "/regime", regime.map(Value::from));
    }
    if profile["padroes"].is_null() {
        profile["padroes"] = starter(text(&profile, "regime"));
    }
    profile
}

/// A field as the API takes it; what cannot be read goes as it is, so that the
/// API says what is wrong with it.
fn written(input: &Input, fields: &Fields) -> Option<Value> {
    let given = fields.get(input.name);
    if given.is_empty() {
        return None;
    }
    Some(match input.kind {
        Kind::Text | Kind::Secret => given.into(),
        Kind::Digits => {
            let plain = given
                .chars()
                .filter(|c| !matches!(c, '.' | '-' | '/' | ' '));
            plain.collect::<String>().into()
        }
        Kind::Whole => given
            .replace('.', "")
            .parse::<u64>()
            .map_or_else(|_| given.into(), Value::from),
        Kind::Decimal => {
            let decimal = fields.decimal(input.name);
            let number = decimal.parse::<Decimal>().ok();
            number.map_or_else(|| given.into(), |_| issuing::answer::number(&decimal))
        }
    })
}

/// Sets a member below objects that are made where they are missing; None
/// takes it away, and the objects it leaves empty.
pub fn set(value: &mut Value, place: &str, member: Option<Value>) {
    let place = place.trim_start_matches('/');
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    let Some(members) = value.as_object_mut() else {
        return;
    };
    match (place.split_once('/'), member) {
        (Some((name, rest)), member) => {
            let below = members.entry(name).or_insert(Value::Null);
            set(below, rest, member);
            if below.as_object().is_some_and(Map::is_empty) {
                members.remove(name);
            }
        }
        (None, Some(member)) => {
            members.insert(place.to_owned(), member);
        }
        (None, None) => {
            members.remove(place);
        }
    }
}
