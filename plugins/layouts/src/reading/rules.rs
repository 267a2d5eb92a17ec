//! How answers are read: the sections `resposta` and `mensagens`.

use super::path::{Path, Selector};
use super::repair::Repairs;
use crate::sections::Entry;
use crate::template::Mistake;
use rps::Class;
use rps::class::simplify;
use sdk::Situacao;

/// All that the sections say.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Names of which one must be in the answer.
    pub roots: Vec<String>,
    pub repairs: Repairs,
    /// HTTP statuses whose messages are the service's own.
    pub error_statuses: Vec<u16>,
    pub message: MessageRules,
    pub nota: NotaRules,
    pub event: EventRules,
    pub list: Vec<Selector>,
    /// Elements whose text alone is a message where no root is there.
    pub spoken: Vec<Selector>,
    /// Digits alone in such an element are a number.
    pub spoken_number: bool,
    /// An answer about a batch that says nothing means that it waits.
    pub silent_batch: bool,
    pub protocol: Option<Path>,
    /// What must be said for a protocol to be one; none: its path alone.
    pub protocol_yes: Option<Yes>,
    pub batch_status: Option<Path>,
    pub batch_codes: Vec<(String, u8)>,
    /// Token of a session, and the text it begins with.
    pub session: Option<Path>,
    pub session_start: String,
    /// In the order of the file.
    pub meanings: Vec<(Meaning, Test)>,
}

#[derive(Clone, Debug, Default)]
pub struct MessageRules {
    pub elements: Vec<Selector>,
    pub code: Option<Path>,
    pub text: Option<Path>,
    pub correction: Option<Path>,
    /// Elements that are warnings, whatever they say.
    pub alerts: Vec<Selector>,
    pub separator: String,
}

#[derive(Clone, Debug, Default)]
pub struct NotaRules {
    pub elements: Vec<Selector>,
    pub yes: Yes,
    /// Where these words, without accents and in small letters, say that the
    /// element is no note.
    pub no: Option<(Path, String)>,
    pub number: Option<Path>,
    pub serie: Option<Path>,
    pub verification: Option<Path>,
    pub issued: Option<Path>,
    pub key: Option<Path>,
    pub link: Option<Path>,
    pub rps_number: Option<Path>,
    pub rps_serie: Option<Path>,
    pub value: Option<Path>,
    pub taker: Option<Path>,
    pub state: Option<Path>,
    pub states: Vec<(String, NotaState)>,
    /// Amounts of the document, by their names there.
    pub amounts: Vec<(String, Path)>,
}

#[derive(Clone, Debug, Default)]
pub struct EventRules {
    pub elements: Vec<Selector>,
    pub yes: Yes,
    pub number: Option<Path>,
    pub moment: Option<Path>,
    /// The city received the request and decides later.
    pub requested: bool,
    /// Protocol of a request that the city decides about.
    pub protocol: Option<Path>,
}

/// What an explicit yes is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Yes {
    /// A message of success.
    #[default]
    Success,
    /// The element itself.
    Always,
    /// One of these texts at this path; `*` at the end of one is any end.
    Field(Path, Vec<String>),
}

/// What a word of a note's situation says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotaState {
    Is(Situacao),
    /// There is no note, or not yet.
    NoNota,
}

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Success,
    Alert,
    Is(Class),
}

/// `codigo 00209`, `texto ja consta`, `igual OK` or `comeca https:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    Code(String),
    /// Part of the text, without accents, in small letters.
    Text(String),
    /// The whole text, in the same form.
    Whole(String),
    /// How the text begins, in the same form.
    Start(String),
}

const MEANINGS: [(&str, Meaning); 8] = [
    ("sucesso", Meaning::Success),
    ("alerta", Meaning::Alert),
    ("pendente", Meaning::Is(Class::Pending)),
    ("duplicada", Meaning::Is(Class::Duplicate)),
    ("nao_encontrada", Meaning::Is(Class::NotFound)),
    ("ja_cancelada", Meaning::Is(Class::AlreadyCancelled)),
    ("login", Meaning::Is(Class::Credential)),
    ("recusa", Meaning::Is(Class::Refusal)),
];

const STATES: [(&str, NotaState); 4] = [
    ("autorizada", NotaState::Is(Situacao::Autorizado)),
    ("cancelada", NotaState::Is(Situacao::Cancelado)),
    ("substituida", NotaState::Is(Situacao::Substituido)),
    ("nenhuma", NotaState::NoNota),
];

impl Test {
    pub fn fits(&self, code: &str, text: &str) -> bool {
        match self {
            Test::Code(expected) => code == expected,
            Test::Text(part) => text.contains(part.as_str()),
            Test::Whole(whole) => text.trim() == whole,
            Test::Start(start) => text.trim_start().starts_with(start.as_str()),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.trim().split_once(' ')?;
        match kind {
            "codigo" => Some(Test::Code(rest.trim().to_owned())),
            "texto" => Some(Test::Text(simplify(rest.trim()))),
            "igual" => Some(Test::Whole(simplify(rest.trim()))),
            "comeca" => Some(Test::Start(simplify(rest.trim()))),
            _ => None,
        }
    }
}

impl Rules {
    /// # Errors
    /// The first line that cannot be read.
    pub fn read(entries: &[&Entry], classes: &[&Entry]) -> Result<Self, Mistake> {
        let mut rules = Rules::default();
        for entry in entries {
            let known = rules.entry(entry).or_else(|| rules.of_nota(entry));
            if known.is_none() {
                return Err(unreadable(entry));
            }
        }
        for entry in classes {
            let meaning = MEANINGS.iter().find(|(name, _)| *name == entry.key);
            let tests: Option<Vec<Test>> = entry.value.split(';').map(Test::parse).collect();
            let (Some((_, meaning)), Some(tests)) = (meaning, tests) else {
                return Err(unreadable(entry));
            };
            let tests = tests.into_iter().map(|test| (*meaning, test));
            rules.meanings.extend(tests);
        }
        Ok(rules)
    }

    fn entry(&mut self, entry: &Entry) -> Option<()> {
        let value = entry.value.as_str();
        let path = || Path::parse(value).map(Some);
        let words = || value.split_whitespace().map(str::to_owned).collect();
        match entry.key.as_str() {
            "raiz" => self.roots = words(),
            "corta" => self.repairs.cuts.push(arrow(value)?),
            "troca" => self.repairs.replaced.push(arrow(value)?),
            "e_comercial" => self.repairs.ampersands = yes_no(value)?,
            "texto_puro" => self.repairs.plain_text = yes_no(value)?,
            "erros_http" => {
                let statuses = value.split_whitespace().map(|status| status.parse().ok());
                self.error_statuses = statuses.collect::<Option<_>>()?;
            }
            "protocolo" => self.protocol = path()?,
            "protocolo.sim" => self.protocol_yes = Some(yes(value)?),
            "texto" => self.spoken = Selector::list(value)?,
            "texto.numero" => self.spoken_number = yes_no(value)?,
            "lote_calado" => self.silent_batch = yes_no(value)?,
            "sessao" => self.session = path()?,
            "sessao.comeca" => self.session_start = value.to_owned(),
            "lista" => self.list = Selector::list(value)?,
            "situacao_lote" => self.batch_status = path()?,
            "situacao_lote.mapa" => {
                let codes = pairs(value).map(|pair| {
                    let (word, code) = pair?;
                    let code: u8 = code.parse().ok().filter(|code| (1..=4).contains(code))?;
                    Some((word.to_owned(), code))
                });
                self.batch_codes = codes.collect::<Option<_>>()?;
            }
            "mensagem" => self.message.elements = Selector::list(value)?,
            "mensagem.alerta" => self.message.alerts = Selector::list(value)?,
            "mensagem.codigo" => self.message.code = path()?,
            "mensagem.texto" => self.message.text = path()?,
            "mensagem.correcao" => self.message.correction = path()?,
            // The blanks around it are trimmed with the line.
            "mensagem.separa" => self.message.separator = format!(" {value} "),
            "evento" => self.event.elements = Selector::list(value)?,
            "evento.sim" => self.event.yes = yes(value)?,
            "evento.numero" => self.event.number = path()?,
            "evento.data" => self.event.moment = path()?,
            "evento.protocolo" => self.event.protocol = path()?,
            "evento.pedido" => self.event.requested = yes_no(value)?,
            _ => return None,
        }
        Some(())
    }

    fn of_nota(&mut self, entry: &Entry) -> Option<()> {
        let value = entry.value.as_str();
        let nota = &mut self.nota;
        let path = || Path::parse(value).map(Some);
        match entry.key.as_str() {
            "nota" => nota.elements = Selector::list(value)?,
            "nota.sim" => nota.yes = yes(value)?,
            "nota.nao" => {
                let (path, words) = value.split_once(" = ")?;
                nota.no = Some((Path::parse(path)?, simplify(words)));
            }
            "nota.numero" => nota.number = path()?,
            "nota.serie" => nota.serie = path()?,
            "nota.codigo_verificacao" => nota.verification = path()?,
            "nota.emitida_em" => nota.issued = path()?,
            "nota.chave" => nota.key = path()?,
            "nota.link" => nota.link = path()?,
            "nota.rps.numero" => nota.rps_number = path()?,
            "nota.rps.serie" => nota.rps_serie = path()?,
            "nota.valor" => nota.value = path()?,
            "nota.tomador" => nota.taker = path()?,
            "nota.situacao" => nota.state = path()?,
            "nota.situacao.mapa" => {
                let states = pairs(value).map(|pair| {
                    let (word, name) = pair?;
                    let state = STATES.iter().find(|(known, _)| *known == name)?;
                    Some((word.to_owned(), state.1))
                });
                nota.states = states.collect::<Option<_>>()?;
            }
            "nota.base_calculo" | "nota.aliquota" | "nota.iss" | "nota.liquido" => {
                let (_, name) = entry.key.split_once('.')?;
                nota.amounts.push((name.to_owned(), Path::parse(value)?));
            }
            _ => return None,
        }
        Some(())
    }
}

fn unreadable(entry: &Entry) -> Mistake {
    Mistake::new(
        entry.line,
        format!(
            "{}: chave ou valor desconhecido: {}",
            entry.key, entry.value
        ),
    )
}

fn yes_no(text: &str) -> Option<bool> {
    match text {
        "sim" => Some(true),
        "nao" => Some(false),
        _ => None,
    }
}

/// `sucesso`, `sempre`, or `situacao = 1 2`.
fn yes(text: &str) -> Option<Yes> {
    match text {
        "sucesso" => Some(Yes::Success),
        "sempre" => Some(Yes::Always),
        _ => {
            let (path, values) = text.split_once(" = ")?;
            let values: Vec<String> = values.split(';').map(|v| v.trim().to_owned()).collect();
            Some(Yes::Field(Path::parse(path)?, values))
        }
    }
}

/// `wrong => right`
fn arrow(text: &str) -> Option<(String, String)> {
    let (wrong, right) = text.split_once(" => ")?;
    (!wrong.is_empty()).then(|| (wrong.to_owned(), right.to_owned()))
}

/// `a=1 b=2`; a word may have blanks as underscores.
fn pairs(text: &str) -> impl Iterator<Item = Option<(&str, &str)>> {
    text.split_whitespace().map(|pair| pair.split_once('='))
}
