//! What the list of documents is limited to. It stands in the address, so that
//! a list can be kept, sent to somebody and gone back to.

use crate::parts::encoded;
use base::when;
use std::collections::BTreeMap;
use time::{Date, Duration, Month};

/// Kinds: word of the address, name, model of the API.
pub const KINDS: [(&str, &str, &str); 5] = [
    ("nfe", "NF-e", "55"),
    ("nfce", "NFC-e", "65"),
    ("nfse", "NFS-e", "nfse"),
    ("cte", "CT-e", "57"),
    ("mdfe", "MDF-e", "58"),
];

/// States: word of the address, what people call it, states of the API.
pub const STATES: [(&str, &str, &str); 8] = [
    ("autorizada", "Autorizados", "autorizada,validada"),
    (
        "aberta",
        "À espera de resposta",
        "em_transmissao,pendente_prefeitura",
    ),
    ("em_transmissao", "Em transmissão", "em_transmissao"),
    (
        "pendente_prefeitura",
        "Na fila da prefeitura",
        "pendente_prefeitura",
    ),
    ("rejeitada", "Rejeitados", "rejeitada"),
    ("cancelada", "Cancelados", "cancelada"),
    ("rascunho", "Rascunhos", "rascunho"),
    ("nao_enviada", "Não enviados", "nao_enviada"),
];

/// Filters that an export of a period does not take, as its sentence calls them.
const NOT_EXPORTED: [(&str, &str); 9] = [
    ("q", "a procura"),
    ("status", "a situação"),
    ("numero", "o número"),
    ("serie", "a série"),
    ("chave", "a chave"),
    ("destinatario", "o CPF ou CNPJ"),
    ("nome", "o nome"),
    ("valor_min", "o valor mínimo"),
    ("valor_max", "o valor máximo"),
];

/// Orders, by the words of the API.
pub const ORDERS: [(&str, &str); 2] = [
    ("-criada_em", "Mais novos primeiro"),
    ("criada_em", "Mais antigos primeiro"),
];

/// Periods with a name.
pub const PERIODS: [(&str, &str); 4] = [
    ("hoje", "Hoje"),
    ("7-dias", "7 dias"),
    ("mes", "Este mês"),
    ("mes-passado", "Mês passado"),
];

/// The filter of the environment that documents are of. An `ambiente` of an address is the
/// world that the page is of.
pub const ENVIRONMENT: &str = "ambiente_da_nota";

/// Environments of the documents of a world, by the words of the API.
pub fn environments(live: bool) -> [(&'static str, &'static str); 2] {
    let trial = ("homologacao", "Homologação, sem valor fiscal");
    match live {
        true => [("producao", "Produção"), trial],
        false => [("simulado", "Simulado"), trial],
    }
}

/// An environment of an address; empty where the world has no documents of it, because
/// nothing else of the page could be shown then.
pub fn environment(live: bool, given: &str) -> &'static str {
    let known = environments(live)
        .into_iter()
        .find(|(word, _)| *word == given);
    known.map_or("", |(word, _)| word)
}

/// What tells a file without fiscal value from one of produção by its name. `environment`:
/// the one that the file is limited to; empty: what is counted in the world.
pub fn trial(live: bool, environment: &str) -> &'static str {
    match environment {
        "homologacao" => "homologacao-",
        _ if live => "",
        _ => "teste-",
    }
}

/// Those of a world where something is counted: in Produção one of them, in Teste both, or one.
pub fn environments_counted(live: bool) -> Vec<(&'static str, &'static str)> {
    let both = (!live).then_some(("", "Simulado e homologação"));
    both.into_iter().chain(environments(live)).collect()
}

/// Names of the filters in the address.
const NAMES: [&str; 16] = [
    ENVIRONMENT,
    "q",
    "tipo",
    "status",
    "emitente",
    "periodo",
    "de",
    "ate",
    "numero",
    "serie",
    "chave",
    "destinatario",
    "nome",
    "valor_min",
    "valor_max",
    "ordem",
];

/// Those that stand behind "Mais filtros".
pub const MORE: [&str; 7] = [
    "numero",
    "serie",
    "chave",
    "destinatario",
    "nome",
    "valor_min",
    "valor_max",
];

/// The filters of a list, by their names in the address.
#[derive(Clone, Debug, Default)]
pub struct Filters {
    given: BTreeMap<&'static str, String>,
    /// First and last day, where there is a period.
    from: String,
    until: String,
}

impl Filters {
    /// Those of an address in a world; `now_ms` says what "today" is.
    pub fn read(query: &BTreeMap<String, String>, live: bool, now_ms: i64) -> Filters {
        let mut given = BTreeMap::new();
        for name in NAMES {
            let value = query.get(name).map_or("", |value| value.trim());
            if !value.is_empty() && possible(name, value, live) {
                given.insert(name, value.to_owned());
            }
        }
        let mut filters = Filters {
            given,
            ..Filters::default()
        };
        let today = when::today(now_ms, "DF");
        match days(filters.get("periodo"), today) {
            // Days that were written in count more than the name of a period.
            Some((from, until))
                if filters.get("de").is_empty() && filters.get("ate").is_empty() =>
            {
                filters.from = from.to_string();
                filters.until = until.to_string();
            }
            _ => {
                filters.given.remove("periodo");
                filters.from = filters.get("de").to_owned();
                filters.until = filters.get("ate").to_owned();
            }
        }
        filters
    }

    /// A filter as it was given; empty when it was not.
    pub fn get(&self, name: &str) -> &str {
        self.given.get(name).map_or("", String::as_str)
    }

    /// First and last day of the period; empty where it is open.
    pub fn period(&self) -> (&str, &str) {
        (&self.from, &self.until)
    }

    /// Something limits the list; an order does not.
    pub fn any(&self) -> bool {
        self.given.keys().any(|name| *name != "ordem")
    }

    /// One of those behind "Mais filtros" limits the list.
    pub fn more(&self) -> bool {
        MORE.iter().any(|name| self.given.contains_key(name))
    }

    /// The filters given that an export of a period does not take, by their names.
    pub fn not_exported(&self) -> Vec<&'static str> {
        let given = NOT_EXPORTED
            .iter()
            .filter(|(name, _)| !self.get(name).is_empty());
        given.map(|(_, word)| *word).collect()
    }

    /// The kind's model of the API; empty for all.
    pub fn model(&self) -> &'static str {
        let kind = KINDS.iter().find(|(word, ..)| *word == self.get("tipo"));
        kind.map_or("", |(_, _, model)| model)
    }

    /// As a query of the panel's address.
    pub fn address(&self) -> String {
        joined(
            self.given
                .iter()
                .map(|(name, value)| (*name, value.as_str())),
        )
    }

    /// The same with another value of one of them; empty: without it.
    pub fn with(&self, name: &'static str, value: &str) -> String {
        let mut filters = self.clone();
        if name == "periodo" {
            filters.given.remove("de");
            filters.given.remove("ate");
        }
        filters.given.remove(name);
        if !value.is_empty() {
            filters.given.insert(name, value.to_owned());
        }
        filters.address()
    }

    /// The kind's model and the text to look for, as the operation takes them: `NF-e 1` is
    /// 1 among the NF-e. Another kind that was chosen leaves the text as it is.
    fn sought(&self) -> (&'static str, &str) {
        let (chosen, text) = (self.model(), self.get("q"));
        match titled(text) {
            Some((model, number)) if chosen.is_empty() || model.is_empty() || model == chosen => {
                (if model.is_empty() { chosen } else { model }, number)
            }
            _ => (chosen, text),
        }
    }

    /// As a query of the operation, without its page.
    pub fn api(&self) -> String {
        let (model, text) = self.sought();
        let status = STATES.iter().find(|(word, ..)| *word == self.get("status"));
        let order = ORDERS.iter().find(|(word, _)| *word == self.get("ordem"));
        let mut pairs = vec![
            ("modelo", model.to_owned()),
            ("q", text.to_owned()),
            (
                "status",
                status.map_or("", |(_, _, words)| words).to_owned(),
            ),
            ("emitente_id", self.get("emitente").to_owned()),
            ("de", self.from.clone()),
            ("ate", self.until.clone()),
            ("ordem", order.map_or("", |(word, _)| word).to_owned()),
            ("valor_min", decimal(self.get("valor_min"))),
            ("valor_max", decimal(self.get("valor_max"))),
            ("ambiente", self.get(ENVIRONMENT).to_owned()),
        ];
        for name in ["numero", "serie", "chave", "destinatario", "nome"] {
            pairs.push((name, self.get(name).to_owned()));
        }
        joined(pairs.iter().map(|(name, value)| (*name, value.as_str())))
    }
}

/// Whether a filter has this value: where there are some to choose from, an address with
/// another limits nothing.
fn possible(name: &str, value: &str, live: bool) -> bool {
    match name {
        ENVIRONMENT => !environment(live, value).is_empty(),
        "tipo" => KINDS.iter().any(|(word, ..)| *word == value),
        "status" => STATES.iter().any(|(word, ..)| *word == value),
        "ordem" => ORDERS.iter().any(|(word, _)| *word == value),
        _ => true,
    }
}

/// Pairs of a query; empty values are left out.
fn joined<'v>(pairs: impl Iterator<Item = (&'v str, &'v str)>) -> String {
    let pairs = pairs.filter(|(_, value)| !value.is_empty());
    let pairs: Vec<String> = pairs
        .map(|(name, value)| format!("{name}={}", encoded(value)))
        .collect();
    pairs.join("&")
}

/// The model (empty: of any) and the number of what lists call `NF-e 1`, `NFC-e 12` or
/// `NFS-e 3`, however it is written, and of `nota 5`.
pub fn titled(text: &str) -> Option<(&'static str, &str)> {
    let (words, number) = text.trim().rsplit_once(char::is_whitespace)?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let word: String = words
        .chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .collect();
    let word = word.to_ascii_lowercase();
    if word == "nota" {
        return Some(("", number));
    }
    let kind = KINDS.iter().find(|(known, ..)| *known == word);
    kind.map(|(_, _, model)| (*model, number))
}

/// `1.234,5` as the API takes it.
fn decimal(text: &str) -> String {
    let text = text.trim_start_matches("R$").trim();
    if text.contains(',') {
        text.replace('.', "").replace(',', ".")
    } else {
        text.to_owned()
    }
}

/// What a period is called in names of files: `2026-11` for a month, `2026-11-03` for a
/// day, `2026-11-03-a-2026-11-20` for other days; without a limit it is until now.
pub fn file_period(from: &str, until: &str, now_ms: i64) -> String {
    match (when::parse_date(from), when::parse_date(until)) {
        (Some(first), Some(last)) if first == last => first.to_string(),
        (Some(first), Some(last)) if is_month(first, last) => {
            format!("{}-{:02}", first.year(), u8::from(first.month()))
        }
        (Some(first), Some(last)) => format!("{first}-a-{last}"),
        (Some(first), None) => format!("desde-{first}"),
        (None, Some(last)) => format!("ate-{last}"),
        (None, None) => format!("ate-{}", when::today(now_ms, "DF")),
    }
}

/// The days are those of one whole month.
fn is_month(first: Date, last: Date) -> bool {
    let next = last.next_day();
    first.day() == 1
        && (first.year(), first.month()) == (last.year(), last.month())
        && next.is_none_or(|next| next.month() != last.month())
}

/// First and last day of a period with a name.
pub fn days(period: &str, today: Date) -> Option<(Date, Date)> {
    let first = |year: i32, month: Month| Date::from_calendar_date(year, month, 1).ok();
    match period {
        "hoje" => Some((today, today)),
        "7-dias" => Some((today.checked_sub(Duration::days(6))?, today)),
        "mes" => Some((first(today.year(), today.month())?, today)),
        "mes-passado" => {
            let last = first(today.year(), today.month())?.previous_day()?;
            Some((first(last.year(), last.month())?, last))
        }
        _ => None,
    }
}
