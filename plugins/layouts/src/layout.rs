//! A layout: what its files say, read for the options of a city.

use crate::embedded::{self, Files};
use crate::names::{Known, Scope};
use crate::reading::Rules;
use crate::sections::{self, Entry, Section};
use crate::sending::Sending;
use crate::source::Registry;
use crate::template::{Mistake, Rendering};
use rps::Service;
use sdk::{Context, Failure};

/// The services with the names of their sections.
pub const SERVICES: [(&str, Service); 7] = [
    ("emitir", Service::Issue),
    ("substituir", Service::Replace),
    ("consultar-situacao", Service::Status),
    ("consultar-lote", Service::Batch),
    ("consultar-rps", Service::ByRps),
    ("consultar-nota", Service::ByNota),
    ("cancelar", Service::Cancel),
];

/// Section of the request that opens a session.
const LOGIN: &str = "entrar";

/// What a layout says of itself.
const KEYS: [&str; 6] = [
    "variantes",
    "recusa_copias",
    "situacao_antes",
    "protocolo_decide",
    "consulta_antes_de_cancelar",
    "confere_recusa",
];

/// Name of a service's section.
pub fn section_of(service: Service) -> &'static str {
    let found = SERVICES.iter().find(|(_, known)| *known == service);
    found.map_or("", |(name, _)| *name)
}

/// Name of a service's own address, where the registry gives one.
pub fn endpoint_of(service: Service) -> &'static str {
    match service {
        Service::Issue => "gerar",
        Service::Replace => "substituir",
        Service::Status => "consultar_situacao",
        Service::Batch => "consultar_lote",
        Service::ByRps => "consultar_rps",
        Service::ByNota => "consultar_nfse",
        Service::Cancel => "cancelar",
    }
}

/// A layout with the variants of a city.
pub struct Layout {
    files: Files,
    /// All variants the layout declares.
    declared: Vec<String>,
    /// Those of the city.
    pub variants: Vec<String>,
    sections: Vec<Section>,
    /// The system refuses a second copy by a mark in the message.
    pub refuses_copies: bool,
    /// The situation of a batch is asked for before the batch.
    pub status_first: bool,
    /// An answer with a protocol and messages is followed by the protocol.
    pub protocol_decides: bool,
    /// A cancellation needs what only the note itself says.
    pub looks_before_cancelling: bool,
    /// A refused cancellation is believed when the note is still valid.
    pub doubts_refused_cancellations: bool,
}

impl Layout {
    /// The layout of the option `leiaute` with the city's options.
    ///
    /// # Errors
    /// The registry names a layout or a variant that is not there, or a file
    /// has a mistake.
    pub fn of(ctx: &Context) -> Result<Self, Failure> {
        let wrong = |name: &str| Failure::other(&format!("opcao {name} invalida no cadastro"));
        let name = ctx.option("leiaute").unwrap_or_default();
        let files = embedded::files(name).ok_or_else(|| wrong("leiaute"))?;
        let broken = |mistake: Mistake| {
            Failure::other(&format!(
                "leiaute {name}, linha {}: {}",
                mistake.line, mistake.text
            ))
        };
        let text = embedded::file(files, "leiaute.txt").unwrap_or_default();
        let declared = sections::variants(text);
        let variants: Vec<String> = ctx
            .option("variantes")
            .unwrap_or_default()
            .split([',', ' '])
            .map(str::trim)
            .filter(|variant| !variant.is_empty())
            .map(str::to_owned)
            .collect();
        if variants.iter().any(|variant| !declared.contains(variant)) {
            return Err(wrong("variantes"));
        }
        let mut sections = sections::parse(text, &declared).map_err(broken)?;
        let registry = Registry {
            ctx,
            variants: &variants,
        };
        let rendering = Rendering::new(&registry);
        sections.retain(|section| {
            let condition = section.condition.as_ref();
            condition.is_none_or(|condition| rendering.holds(condition))
        });
        let head = sections::merged(&sections.iter().collect::<Vec<_>>(), &["leiaute"]);
        let says = |key: &str| {
            head.iter()
                .any(|entry| entry.key == key && entry.value == "sim")
        };
        Ok(Layout {
            files,
            declared,
            variants,
            refuses_copies: says("recusa_copias"),
            status_first: says("situacao_antes"),
            protocol_decides: says("protocolo_decide"),
            looks_before_cancelling: says("consulta_antes_de_cancelar"),
            doubts_refused_cancellations: says("confere_recusa"),
            sections,
        })
    }

    /// All variants the layout has.
    pub fn declared(&self) -> &[String] {
        &self.declared
    }

    fn entries(&self, names: &[&str]) -> Vec<&Entry> {
        sections::merged(&self.sections.iter().collect::<Vec<_>>(), names)
    }

    /// The layout has this service.
    pub fn has(&self, service: Service) -> bool {
        let name = section_of(service);
        self.sections.iter().any(|section| section.name == name)
    }

    /// How a service is asked.
    ///
    /// # Errors
    /// A file has a mistake.
    pub fn sending(&self, service: Service) -> Result<Sending, Failure> {
        self.sending_of(section_of(service), scope(service))
    }

    /// How a session is opened.
    ///
    /// # Errors
    /// A file has a mistake.
    pub fn login(&self) -> Result<Sending, Failure> {
        self.sending_of(LOGIN, Scope::Reference)
    }

    fn sending_of(&self, name: &str, scope: Scope) -> Result<Sending, Failure> {
        let names = Known {
            scope,
            variants: &self.declared,
        };
        let entries = self.entries(&["pedido", name]);
        Sending::read(&entries, self.files, &names).map_err(|mistake| {
            Failure::other(&format!(
                "leiaute, {name}, linha {}: {}",
                mistake.line, mistake.text
            ))
        })
    }

    /// How the answers of a service are read.
    ///
    /// # Errors
    /// A file has a mistake.
    pub fn rules(&self, service: Service) -> Result<Rules, Failure> {
        self.rules_of(section_of(service))
    }

    /// How the answer to a login is read.
    ///
    /// # Errors
    /// A file has a mistake.
    pub fn login_rules(&self) -> Result<Rules, Failure> {
        self.rules_of(LOGIN)
    }

    fn rules_of(&self, name: &str) -> Result<Rules, Failure> {
        let own = format!("resposta {name}");
        let entries = self.entries(&["resposta", &own]);
        let classes = self.entries(&["mensagens"]);
        Rules::read(&entries, &classes).map_err(|mistake| {
            Failure::other(&format!(
                "leiaute, {own}, linha {}: {}",
                mistake.line, mistake.text
            ))
        })
    }
}

fn scope(service: Service) -> Scope {
    match service {
        Service::Issue | Service::Replace => Scope::Declaration,
        _ => Scope::Reference,
    }
}

/// The variants of all layouts, sorted.
pub fn all_variants() -> Vec<String> {
    let mut all: Vec<String> = embedded::LAYOUTS
        .iter()
        .filter_map(|(_, files)| embedded::file(files, "leiaute.txt"))
        .flat_map(sections::variants)
        .collect();
    all.sort();
    all.dedup();
    all
}

/// Every mistake in the files of a layout, whatever the options: for tests.
pub fn mistakes(files: Files) -> Vec<String> {
    let mut found = Vec::new();
    let text = embedded::file(files, "leiaute.txt").unwrap_or_default();
    let declared = sections::variants(text);
    let sections = match sections::parse(text, &declared) {
        Ok(sections) => sections,
        Err(mistake) => return vec![format!("leiaute.txt:{}: {}", mistake.line, mistake.text)],
    };
    for section in &sections {
        let entries: Vec<&Entry> = section.entries.iter().collect();
        if let Err((file, mistake)) = checked(section, &entries, files, &declared) {
            found.push(format!("{file}:{}: {}", mistake.line, mistake.text));
        }
    }
    found
}

fn checked(
    section: &Section,
    entries: &[&Entry],
    files: Files,
    declared: &[String],
) -> Result<(), (String, Mistake)> {
    let own = |mistake| ("leiaute.txt".to_owned(), mistake);
    let name = section.name.as_str();
    if name == "leiaute" {
        let unknown = entries
            .iter()
            .find(|entry| !KEYS.contains(&entry.key.as_str()));
        return unknown.map_or(Ok(()), |entry| {
            let text = format!("chave desconhecida: {}", entry.key);
            Err(own(Mistake::new(entry.line, text)))
        });
    }
    let service = SERVICES.iter().find(|(known, _)| *known == name);
    if service.is_some() || matches!(name, "pedido" | LOGIN) {
        let names = Known {
            scope: service.map_or(Scope::Reference, |(_, service)| scope(*service)),
            variants: declared,
        };
        let sending = Sending::read(entries, files, &names).map_err(own)?;
        return sending.check(&names);
    }
    let answer = name
        .strip_prefix("resposta ")
        .map(|name| name == LOGIN || SERVICES.iter().any(|(known, _)| *known == name));
    match (name, answer) {
        ("resposta", _) | (_, Some(true)) => Rules::read(entries, &[]).map_err(own).map(|_| ()),
        ("mensagens", _) => Rules::read(&[], entries).map_err(own).map(|_| ()),
        _ => Err(own(Mistake::new(
            section.line,
            format!("seção desconhecida: {name}"),
        ))),
    }
}
