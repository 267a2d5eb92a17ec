//! Name, address and fiscal profile of a company: what a registration of CNPJ
//! and name alone still lacks to issue.

use super::company::{Company, REGIMES, choice_of, has_common_rates, regime_of, starter};
use super::inputs::{
    BLOCKS, Block, Input, Kind, OF_ADDRESS, OF_LOGINS, OF_NUMBERS, OF_TAXES, REGIME, inputs,
};
use super::login::Logins;
use super::{place, registration, wrong};
use crate::form::Fields;
use crate::form::amount::{NotANumber, amount};
use crate::form::fields::{choice, framed, needed};
use crate::form::wrong::Wrongs;
use crate::pages::filling::{self, Filled};
use crate::pages::issue::wrong::Wrong;
use crate::parts::{encoded, hidden, marks};
use crate::reply::text;
use crate::visitor::Visitor;
use data::ufs;
use maud::{Markup, html};
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

/// Says that a form had boxes: one that is not ticked sends nothing itself.
const BOXES: &str = "caixas";

/// The form. `filled`: what was sent; without any field, what is stored.
pub fn form(visitor: &Visitor, company: &Company, filled: &Filled) -> Markup {
    let record = &company.record;
    let action = format!("/painel/emitentes/{}/perfil", encoded(text(record, "id")));
    let form = Form {
        visitor,
        record,
        filled,
        fields: &filled.fields,
        wrong: &filled.wrong,
        logins: Logins::of(visitor, record),
    };
    html! {
        section class="cartao" {
            h2 { "Dados da empresa" }
            (marks())
            form class="campos blocos" method="post" action=(action) {
                (filling::main_button())
                (hidden(visitor))
                input type="hidden" name="versao" value=(company.etag);
                input type="hidden" name=(BOXES) value="1";
                @for (index, block) in BLOCKS.iter().enumerate() { (form.block(block, index == 0)) }
                div { button class="botao" { "Salvar os dados" } }
            }
        }
    }
}

/// What the form shows.
struct Form<'f> {
    visitor: &'f Visitor,
    filled: &'f Filled,
    record: &'f Value,
    fields: &'f Fields,
    wrong: &'f Wrongs,
    logins: Logins,
}

impl Form<'_> {
    /// `first`: with the regime, which a company has besides its data.
    fn block(&self, block: &Block, first: bool) -> Markup {
        let fields = html! { @for one in block.inputs { (self.field(one)) @if one.name == "cep" { (filling::by_cep(self.visitor)) } } };
        if block.folded {
            return html! {
                details class="mais" id=(block.id) open[self.is_wrong(block)] {
                    summary { (block.title) }
                    div class="bloco" { (fields) }
                }
            };
        }
        html! {
            fieldset class="bloco" id=(block.id) {
                legend { (block.title) }
                @if !block.hint.is_empty() { p class="dica c6" { (block.hint) } }
                @if block.id == OF_TAXES && has_common_rates(&self.record["perfil_fiscal"]) { p class="dica c6" { strong { "Confira as alíquotas com o seu contador." } } }
                @if block.id == OF_LOGINS { (self.logins.asked()) }
                @if block.id == OF_ADDRESS { (self.filled.told()) }
                @if block.id == OF_LOGINS && self.logins.unasked() { (self.folded(block, &fields)) }
                @else { (fields) }
                @if first { (self.regime()) }
                @if block.id == OF_NUMBERS { p class="dica c6" { a href="/painel/numeracao" { "Ver os números já usados e inutilizar os que ficaram sem nota" } } }
            }
        }
    }

    /// The fields of a block that this company need not fill in.
    fn folded(&self, block: &Block, fields: &Markup) -> Markup {
        html! {
            details class="mais" id=(format!("{}-campos", block.id)) open[self.is_wrong(block)] {
                summary { "Mostrar os campos do login" }
                div class="bloco" { (fields) }
            }
        }
    }

    /// A field of a block was refused.
    fn is_wrong(&self, block: &Block) -> bool {
        block.inputs.iter().any(|one| self.wrong.has(one.name))
    }

    fn regime(&self) -> Markup {
        let chosen = chosen(self.fields, &self.record["perfil_fiscal"]);
        let mut regimes = vec![("", "Não informado")];
        regimes.extend(REGIMES);
        let input = choice(self.wrong, "regime", "", &regimes, chosen);
        framed(self.wrong, "", "regime", REGIME, "", input)
    }

    fn field(&self, input: &Input) -> Markup {
        if input.kind == Kind::Tick {
            return self.tick(input);
        }
        let (name, wrong) = (input.name, self.wrong);
        let hint = self.logins.hint(input);
        let field = self.input(input, hint);
        let frame = if name == "razao_social" {
            needed
        } else {
            framed
        };
        frame(wrong, input.class, name, input.label, hint, field)
    }

    /// The input itself.
    fn input(&self, input: &Input, hint: &str) -> Markup {
        let (name, wrong) = (input.name, self.wrong);
        let value = self.value(input);
        if name == "municipio" {
            return place::input(&value, wrong);
        }
        let (invalid, focus) = (wrong.invalid(name), self.filled.focus(name));
        let described = wrong.described(name, hint);
        let keyboard = match input.kind {
            Kind::Choice(options) => return choice(wrong, name, hint, options, &value),
            Kind::Secret => {
                return html! { input id=(name) name=(name) type="password" autocomplete="off" aria-invalid=[invalid] aria-describedby=[described] autofocus[focus]; };
            }
            Kind::Registrations => {
                return html! { textarea id=(name) name=(name) rows="3" aria-invalid=[invalid] aria-describedby=[described] autofocus[focus] { (value) } };
            }
            Kind::Digits | Kind::Whole => "numeric",
            Kind::Decimal => "decimal",
            Kind::Text | Kind::Tick => "text",
        };
        html! { input id=(name) name=(name) type="text" inputmode=(keyboard) value=(value) aria-invalid=[invalid] aria-describedby=[described] autofocus[focus]; }
    }

    fn tick(&self, input: &Input) -> Markup {
        let (name, wrong) = (input.name, self.wrong);
        let on = if self.fields.has(BOXES) {
            self.fields.on(name)
        } else {
            ticked(input, self.record)
        };
        html! {
            label class="opcao" {
                input id=(name) name=(name) type="checkbox" value="1" checked[on] aria-invalid=[wrong.invalid(name)] aria-describedby=[wrong.described(name, input.hint)] autofocus[wrong.focus(name)];
                (input.label)
            }
            div class="caixa c6" {
                (wrong.beside(name))
                span class="dica" id=(format!("{name}-dica")) { (input.hint) }
            }
        }
    }

    /// What stands in a field: what was sent, or what is stored.
    fn value(&self, input: &Input) -> String {
        if input.kind == Kind::Secret {
            String::new()
        } else if self.fields.has(input.name) {
            self.fields.raw(input.name).to_owned()
        } else if input.name == "municipio" {
            place::named(municipality(self.record))
        } else {
            stored(input, self.record)
        }
    }
}

/// Code of the IBGE of the company's municipality; empty where it has none.
pub fn municipality(record: &Value) -> &str {
    let code = record.pointer("/perfil_fiscal/endereco/codigo_ibge");
    code.and_then(Value::as_str).unwrap_or_default()
}

/// Whether a box is ticked in the profile.
fn ticked(input: &Input, record: &Value) -> bool {
    record["perfil_fiscal"].pointer(input.place) == Some(&Value::Bool(true))
}

/// The registrations of a profile as a substitute, as people write them.
pub fn substitutes(record: &Value) -> String {
    let all = record.pointer("/perfil_fiscal/ie_substituto");
    let all = all.and_then(Value::as_array).into_iter().flatten();
    let lines: Vec<String> = all
        .map(|one| format!("{} {}", text(one, "uf"), text(one, "ie")))
        .collect();
    lines.join("\n")
}

/// What the profile has there, as people write it.
fn stored(input: &Input, record: &Value) -> String {
    let found = record["perfil_fiscal"].pointer(input.place);
    match found {
        None | Some(Value::Null) if input.name == "razao_social" => {
            text(record, "razao_social").to_owned()
        }
        _ if input.kind == Kind::Registrations => substitutes(record),
        None | Some(Value::Null) => String::new(),
        Some(Value::String(word)) if matches!(input.kind, Kind::Choice(_)) => {
            // Other words of the API for the same.
            match word.as_str() {
                "auto" | "nenhum" => String::new(),
                "gateway" => "municipal".to_owned(),
                word => word.to_owned(),
            }
        }
        Some(Value::String(text)) if input.kind == Kind::Decimal => text.replace('.', ","),
        Some(Value::String(text)) => text.clone(),
        Some(number) if input.kind == Kind::Decimal => number.to_string().replace('.', ","),
        Some(other) => other.to_string(),
    }
}

/// The regime that a form chooses; that of the stored profile where it has no such field.
pub fn chosen<'c>(fields: &'c Fields, profile: &'c Value) -> &'c str {
    if fields.has("regime") {
        fields.get("regime")
    } else {
        choice_of(profile)
    }
}

/// The profile as it is stored, with what the form says.
pub fn changed(record: &Value, fields: &Fields) -> Value {
    let mut profile = record["perfil_fiscal"].clone();
    let ticks = inputs().filter(|input| input.kind == Kind::Tick && fields.has(BOXES));
    for input in ticks.filter(|input| fields.on(input.name) != ticked(input, record)) {
        set(
            &mut profile,
            input.place,
            Some(fields.on(input.name).into()),
        );
    }
    let others = inputs().filter(|input| input.kind != Kind::Tick && fields.has(input.name));
    for input in others {
        let given = fields.get(input.name);
        // What was not touched stays as it is: a number may have grown since.
        if input.kind == Kind::Secret && given.is_empty() || given == stored(input, record) {
            continue;
        }
        set(&mut profile, input.place, written(input, fields));
    }
    if fields.has("regime") {
        let regime = Some(regime_of(fields.get("regime"))).filter(|regime| !regime.is_empty());
        set(&mut profile, "/regime", regime.map(Value::from));
    }
    if profile["padroes"].is_null() {
        profile["padroes"] = starter(chosen(fields, &record["perfil_fiscal"]));
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
        Kind::Text | Kind::Secret | Kind::Choice(_) | Kind::Tick => given.into(),
        Kind::Registrations => registration::substitutes(given)
            .map(|(uf, ie)| json!({ "uf": uf, "ie": ie }))
            .collect(),
        Kind::Digits => {
            let plain = given
                .chars()
                .filter(|c| !matches!(c, '.' | '-' | '/' | ' '));
            plain.collect::<String>().into()
        }
        Kind::Whole => whole(given).map_or_else(|| given.into(), Value::from),
        Kind::Decimal => rate(given).map_or_else(
            || given.into(),
            |rate| issuing::answer::number(&rate.to_string()),
        ),
    })
}

/// A whole number, also with points between its thousands: `1.5` is none.
fn whole(given: &str) -> Option<u64> {
    let mut groups = given.split('.');
    let first = groups.next().unwrap_or_default();
    let mut thousands = groups.peekable();
    let plain = thousands.peek().is_none();
    let grouped = (1..=3).contains(&first.len()) && !first.starts_with('0');
    let fits = plain || grouped && thousands.all(|group| group.len() == 3);
    fits.then(|| given.replace('.', ""))
        .and_then(|digits| digits.parse().ok())
}

/// A rate, also with `%` behind it. None has thousands: `1.650` is 1,65.
fn rate(given: &str) -> Option<Decimal> {
    let given = given.strip_suffix('%').unwrap_or(given).trim_end();
    match amount(given) {
        Ok(rate) => Some(rate),
        Err(NotANumber::TwoMeanings) => given.parse().ok(),
        Err(NotANumber::Unreadable) => None,
    }
}

/// The numbers and the state of a form that nobody can read, but for what is stored so.
pub fn unread(record: &Value, fields: &Fields) -> Vec<Wrong> {
    let found = inputs().filter_map(|input| {
        let given = fields.get(input.name);
        if given == stored(input, record) {
            return None;
        }
        let written = written(input, fields)?;
        let what = match input.kind {
            Kind::Whole | Kind::Decimal if !written.is_number() => "Não entendemos este número.",
            _ if input.name == "uf" && ufs::by_uf(&given.to_uppercase()).is_none() => {
                "Não é a sigla de um estado."
            }
            _ => return None,
        };
        Some(Wrong {
            field: input.name.to_owned(),
            sentence: format!("{what} {}", wrong::write(input.name)),
        })
    });
    found.collect()
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
