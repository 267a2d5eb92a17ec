//! The names whose values are shown, and how such a value must look.

use super::known::Known;
use super::{HIDDEN, sentence};
use markup::ids::{Cnpj, Cpf};

/// How a value that is shown looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// A code of digits alone.
    Digits,
    /// A short code or version with letters or points.
    Code,
    /// A receipt, a protocol, a lot.
    Number,
    /// Date and time.
    Moment,
    /// A sentence of the authority.
    Sentence,
    /// An access key or an id made of one: both ends.
    Chave,
    /// Address of a namespace.
    Namespace,
}

/// Elements shown wherever they stand.
const ELEMENTS: &[(&str, Rule)] = &[
    ("cMsg", Rule::Digits),
    ("cOrgao", Rule::Digits),
    ("cOrgaoAutor", Rule::Digits),
    ("cStat", Rule::Digits),
    ("cUF", Rule::Digits),
    ("ambGer", Rule::Digits),
    ("indSinc", Rule::Digits),
    ("mod", Rule::Digits),
    ("nSeqEvento", Rule::Digits),
    ("tMed", Rule::Digits),
    ("tpAmb", Rule::Digits),
    ("tpEvento", Rule::Digits),
    ("verAplic", Rule::Code),
    ("verEvento", Rule::Code),
    ("versaoDados", Rule::Code),
    ("xServ", Rule::Code),
    ("Situacao", Rule::Digits),
    ("idLote", Rule::Number),
    ("nProt", Rule::Number),
    ("nRec", Rule::Number),
    ("NumeroLote", Rule::Number),
    ("Protocolo", Rule::Number),
    ("DataRecebimento", Rule::Moment),
    ("dhCons", Rule::Moment),
    ("dhProc", Rule::Moment),
    ("dhRecbto", Rule::Moment),
    ("dhRegEvento", Rule::Moment),
    ("dhResp", Rule::Moment),
    ("dhRetorno", Rule::Moment),
    ("descEvento", Rule::Sentence),
    ("faultcode", Rule::Sentence),
    ("faultstring", Rule::Sentence),
    ("xEvento", Rule::Sentence),
    ("chDPS", Rule::Chave),
    ("chNFSe", Rule::Chave),
    ("chNFe", Rule::Chave),
];

/// Parents of the authority's own `xMotivo`: in an event of the national
/// environment the element of that name is the customer's.
const PARENTS_OF_REASON: [&str; 6] = [
    "infProt",
    "infEvento",
    "infInut",
    "infCons",
    "infRec",
    "infCanc",
];

/// The rule of an element, by the names of its parent and itself.
pub(super) fn element(parent: &str, name: &str) -> Option<Rule> {
    let messages = ["MensagemRetorno", "ListaMensagem", "Alerta", "Erro"];
    match name {
        "xMotivo" | "xMsg" => {
            let theirs = parent.starts_with("ret") || PARENTS_OF_REASON.contains(&parent);
            theirs.then_some(Rule::Sentence)
        }
        "Text" if parent == "Reason" => Some(Rule::Sentence),
        "Value" if matches!(parent, "Code" | "Subcode") => Some(Rule::Sentence),
        "Codigo" | "Mensagem" | "Correcao"
            if messages.iter().any(|known| parent.starts_with(known)) =>
        {
            let code = name == "Codigo";
            Some(if code { Rule::Code } else { Rule::Sentence })
        }
        _ => {
            let known = ELEMENTS.iter().find(|(known, _)| *known == name);
            known.map(|(_, rule)| *rule)
        }
    }
}

/// The rule of an attribute.
pub(super) fn attribute(name: &str) -> Option<Rule> {
    match name {
        "versao" | "version" | "schema" => Some(Rule::Code),
        "Id" | "id" => Some(Rule::Chave),
        "xmlns" => Some(Rule::Namespace),
        _ if name.starts_with("xmlns:") => Some(Rule::Namespace),
        _ => None,
    }
}

/// The rule of a member of a JSON object; `path` are the names around it.
pub(super) fn member(path: &[String], name: &str) -> Option<Rule> {
    let name = name.to_ascii_lowercase();
    let known = match name.as_str() {
        "tipoambiente" | "cstat" => Some(Rule::Digits),
        "versaoaplicativo" => Some(Rule::Code),
        "datahoraprocessamento" => Some(Rule::Moment),
        "chaveacesso" | "iddps" => Some(Rule::Chave),
        _ => None,
    };
    let in_errors = path.iter().any(|around| {
        ["erro", "erros", "alerta", "alertas", "errors"]
            .contains(&around.to_ascii_lowercase().as_str())
    });
    let told = match name.as_str() {
        "codigo" | "code" if in_errors => Some(Rule::Code),
        "descricao" | "complemento" | "mensagem" | "message" | "correcao" if in_errors => {
            Some(Rule::Sentence)
        }
        "status" if path.is_empty() => Some(Rule::Digits),
        "title" | "detail" | "message" | "mensagem" | "error" if path.is_empty() => {
            Some(Rule::Sentence)
        }
        _ => None,
    };
    known.or(told)
}

/// Signatures and certificates, under whatever prefix.
pub(super) fn signature(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["signature", "x509", "keyinfo", "assinatura", "certificad"]
        .iter()
        .any(|word| name.contains(word))
}

/// A name of an element or member as it may be shown: hidden if it looks like
/// data, such as a long number.
pub(super) fn shown<'a>(name: &'a str, known: &Known) -> &'a str {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '@');
    let plain = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_.:-@".contains(&b));
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    if starts && plain && name.len() <= 64 && digits < 8 && !known.repeats(name) {
        name
    } else {
        HIDDEN
    }
}

impl Rule {
    /// The value as it may be shown; None when it does not look as it should.
    pub(super) fn keep(self, value: &str, known: &Known) -> Option<String> {
        match self {
            Rule::Digits => {
                let digits = value.bytes().all(|b| b.is_ascii_digit());
                (digits && value.len() <= 6).then(|| value.to_owned())
            }
            Rule::Code => is_code(value, known).then(|| value.to_owned()),
            Rule::Number => is_number(value, known).then(|| value.to_owned()),
            Rule::Moment => is_moment(value).then(|| value.to_owned()),
            Rule::Sentence => Some(sentence::shown(value, known)),
            Rule::Chave => Some(ends(value)),
            Rule::Namespace => sentence::is_namespace(value)
                .then(|| value.to_owned())
                .filter(|_| !known.contains(value)),
        }
    }
}

/// Longest run of digits.
fn longest(value: &str) -> usize {
    let runs = value.split(|c: char| !c.is_ascii_digit());
    runs.map(str::len).max().unwrap_or(0)
}

/// `100`, `4.00`, `SVRSnfce202410081545`.
fn is_code(value: &str, known: &Known) -> bool {
    let plain = value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    let longest = longest(value);
    // `4.00` is a version.
    let amount = value.len() > 4
        && value.contains('.')
        && value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    plain
        && !amount
        && value.len() <= 40
        // The moment a version was made has 12 digits.
        && (longest < 10 || longest == 12)
        && !is_registration(value)
        && !known.contains(value)
}

/// `351000000000123`, or the UUID some cities give.
fn is_number(value: &str, known: &Known) -> bool {
    let plain = value
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let digits = value.bytes().any(|b| b.is_ascii_digit());
    plain && digits && value.len() <= 50 && !is_registration(value) && !known.contains(value)
}

/// A CPF or CNPJ.
fn is_registration(value: &str) -> bool {
    Cpf::parse(value).is_ok() || Cnpj::parse(value).is_ok()
}

/// `2026-10-05T10:15:03-03:00`, with or without what follows the seconds.
fn is_moment(value: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00";
    let (Some(head), Some(tail)) = (value.get(..FORM.len()), value.get(FORM.len()..)) else {
        return false;
    };
    let fits = |(byte, form): (u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        _ => byte == *form,
    };
    head.bytes().zip(FORM).all(fits)
        && tail.len() <= 14
        && tail
            .bytes()
            .all(|b| b.is_ascii_digit() || b".:+-Z".contains(&b))
        && longest(tail) <= 7
}

/// Both ends of a key: state and month, and what tells it from its neighbours.
/// The CNPJ stands between them.
pub(super) fn ends(value: &str) -> String {
    let plain = value.bytes().all(|b| b.is_ascii_alphanumeric());
    if !plain || value.len() < 30 {
        return HIDDEN.to_owned();
    }
    let begins = value.get(..6).unwrap_or_default();
    let ends = value.get(value.len() - 4..).unwrap_or_default();
    format!("{begins}{HIDDEN}{ends}")
}
