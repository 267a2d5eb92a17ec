//! The names whose values are shown, and how such a value must look.

use super::conhecidos::Conhecidos;
use super::{OCULTO, texto};
use fiscal::ids::{Cnpj, Cpf};

/// How a value that is shown looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Regra {
    /// A code of digits alone.
    Digitos,
    /// A short code or version with letters or points.
    Codigo,
    /// A receipt, a protocol, a lot.
    Numero,
    /// Date and time.
    Momento,
    /// A sentence of the authority.
    Frase,
    /// An access key or an id made of one: both ends.
    Chave,
    /// Address of a namespace.
    Espaco,
}

/// Elements shown wherever they stand.
const ELEMENTOS: &[(&str, Regra)] = &[
    ("cMsg", Regra::Digitos),
    ("cOrgao", Regra::Digitos),
    ("cOrgaoAutor", Regra::Digitos),
    ("cStat", Regra::Digitos),
    ("cUF", Regra::Digitos),
    ("ambGer", Regra::Digitos),
    ("indSinc", Regra::Digitos),
    ("mod", Regra::Digitos),
    ("nSeqEvento", Regra::Digitos),
    ("tMed", Regra::Digitos),
    ("tpAmb", Regra::Digitos),
    ("tpEvento", Regra::Digitos),
    ("verAplic", Regra::Codigo),
    ("verEvento", Regra::Codigo),
    ("versaoDados", Regra::Codigo),
    ("xServ", Regra::Codigo),
    ("Situacao", Regra::Digitos),
    ("idLote", Regra::Numero),
    ("nProt", Regra::Numero),
    ("nRec", Regra::Numero),
    ("NumeroLote", Regra::Numero),
    ("Protocolo", Regra::Numero),
    ("DataRecebimento", Regra::Momento),
    ("dhCons", Regra::Momento),
    ("dhProc", Regra::Momento),
    ("dhRecbto", Regra::Momento),
    ("dhRegEvento", Regra::Momento),
    ("dhResp", Regra::Momento),
    ("dhRetorno", Regra::Momento),
    ("descEvento", Regra::Frase),
    ("faultcode", Regra::Frase),
    ("faultstring", Regra::Frase),
    ("xEvento", Regra::Frase),
    ("chDPS", Regra::Chave),
    ("chNFSe", Regra::Chave),
    ("chNFe", Regra::Chave),
];

/// Parents of the authority's own `xMotivo`: in an event of the national
/// environment the element of that name is the customer's.
const COM_MOTIVO: [&str; 6] = [
    "infProt",
    "infEvento",
    "infInut",
    "infCons",
    "infRec",
    "infCanc",
];

/// The rule of an element, by the names of its parent and itself.
pub(super) fn elemento(pai: &str, nome: &str) -> Option<Regra> {
    let mensagem = ["MensagemRetorno", "ListaMensagem", "Alerta", "Erro"];
    match nome {
        "xMotivo" | "xMsg" => {
            let theirs = pai.starts_with("ret") || COM_MOTIVO.contains(&pai);
            theirs.then_some(Regra::Frase)
        }
        "Text" if pai == "Reason" => Some(Regra::Frase),
        "Value" if matches!(pai, "Code" | "Subcode") => Some(Regra::Frase),
        "Codigo" | "Mensagem" | "Correcao"
            if mensagem.iter().any(|known| pai.starts_with(known)) =>
        {
            let code = nome == "Codigo";
            Some(if code { Regra::Codigo } else { Regra::Frase })
        }
        _ => {
            let known = ELEMENTOS.iter().find(|(known, _)| *known == nome);
            known.map(|(_, regra)| *regra)
        }
    }
}

/// The rule of an attribute.
pub(super) fn atributo(nome: &str) -> Option<Regra> {
    match nome {
        "versao" | "version" | "schema" => Some(Regra::Codigo),
        "Id" | "id" => Some(Regra::Chave),
        "xmlns" => Some(Regra::Espaco),
        _ if nome.starts_with("xmlns:") => Some(Regra::Espaco),
        _ => None,
    }
}

/// The rule of a member of a JSON object; `caminho` are the names around it.
pub(super) fn membro(caminho: &[String], nome: &str) -> Option<Regra> {
    let nome = nome.to_ascii_lowercase();
    let known = match nome.as_str() {
        "tipoambiente" | "cstat" => Some(Regra::Digitos),
        "versaoaplicativo" => Some(Regra::Codigo),
        "datahoraprocessamento" => Some(Regra::Momento),
        "chaveacesso" | "iddps" => Some(Regra::Chave),
        _ => None,
    };
    let in_errors = caminho.iter().any(|around| {
        ["erro", "erros", "alerta", "alertas", "errors"]
            .contains(&around.to_ascii_lowercase().as_str())
    });
    let told = match nome.as_str() {
        "codigo" | "code" if in_errors => Some(Regra::Codigo),
        "descricao" | "complemento" | "mensagem" | "message" | "correcao" if in_errors => {
            Some(Regra::Frase)
        }
        "status" if caminho.is_empty() => Some(Regra::Digitos),
        "title" | "detail" | "message" | "mensagem" | "error" if caminho.is_empty() => {
            Some(Regra::Frase)
        }
        _ => None,
    };
    known.or(told)
}

/// Signatures and certificates, under whatever prefix.
pub(super) fn assinatura(nome: &str) -> bool {
    let nome = nome.to_ascii_lowercase();
    ["signature", "x509", "keyinfo", "assinatura", "certificad"]
        .iter()
        .any(|word| nome.contains(word))
}

/// A name as it may be shown: one that is no data.
pub(super) fn nome<'a>(nome: &'a str, conhecidos: &Conhecidos) -> &'a str {
    let starts = nome.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '@');
    let plain = nome
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"_.:-@".contains(&b));
    let digits = nome.bytes().filter(u8::is_ascii_digit).count();
    if starts && plain && nome.len() <= 64 && digits < 8 && !conhecidos.repete(nome) {
        nome
    } else {
        OCULTO
    }
}

impl Regra {
    /// The value as it may be shown; None when it does not look as it should.
    pub(super) fn guardar(self, valor: &str, conhecidos: &Conhecidos) -> Option<String> {
        match self {
            Regra::Digitos => {
                let digits = valor.bytes().all(|b| b.is_ascii_digit());
                (digits && valor.len() <= 6).then(|| valor.to_owned())
            }
            Regra::Codigo => is_code(valor, conhecidos).then(|| valor.to_owned()),
            Regra::Numero => is_number(valor, conhecidos).then(|| valor.to_owned()),
            Regra::Momento => is_moment(valor).then(|| valor.to_owned()),
            Regra::Frase => Some(texto::frase(valor, conhecidos)),
            Regra::Chave => Some(pontas(valor)),
            Regra::Espaco => texto::is_namespace(valor)
                .then(|| valor.to_owned())
                .filter(|_| !conhecidos.contem(valor)),
        }
    }
}

/// Longest run of digits.
fn longest(valor: &str) -> usize {
    let runs = valor.split(|c: char| !c.is_ascii_digit());
    runs.map(str::len).max().unwrap_or(0)
}

/// `100`, `4.00`, `SVRSnfce202410081545`.
fn is_code(valor: &str, conhecidos: &Conhecidos) -> bool {
    let plain = valor
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b));
    let longest = longest(valor);
    // `4.00` is a version.
    let amount = valor.len() > 4
        && valor.contains('.')
        && valor.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    plain
        && !amount
        && valor.len() <= 40
        // The moment a version was made has 12 digits.
        && (longest < 10 || longest == 12)
        && !is_registration(valor)
        && !conhecidos.contem(valor)
}

/// `351000000000123`, or the UUID some cities give.
fn is_number(valor: &str, conhecidos: &Conhecidos) -> bool {
    let plain = valor
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let digits = valor.bytes().any(|b| b.is_ascii_digit());
    plain && digits && valor.len() <= 50 && !is_registration(valor) && !conhecidos.contem(valor)
}

/// A CPF or CNPJ.
fn is_registration(valor: &str) -> bool {
    Cpf::parse(valor).is_ok() || Cnpj::parse(valor).is_ok()
}

/// `2026-10-05T10:15:03-03:00`, with or without what follows the seconds.
fn is_moment(valor: &str) -> bool {
    const FORMA: &[u8] = b"0000-00-00T00:00:00";
    let (Some(head), Some(tail)) = (valor.get(..FORMA.len()), valor.get(FORMA.len()..)) else {
        return false;
    };
    let fits = |(byte, form): (u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        _ => byte == *form,
    };
    head.bytes().zip(FORMA).all(fits)
        && tail.len() <= 14
        && tail
            .bytes()
            .all(|b| b.is_ascii_digit() || b".:+-Z".contains(&b))
        && longest(tail) <= 7
}

/// Both ends of a key: state and month, and what tells it from its neighbours.
/// The CNPJ stands between them.
pub(super) fn pontas(valor: &str) -> String {
    let plain = valor.bytes().all(|b| b.is_ascii_alphanumeric());
    if !plain || valor.len() < 30 {
        return OCULTO.to_owned();
    }
    let begins = valor.get(..6).unwrap_or_default();
    let ends = valor.get(valor.len() - 4..).unwrap_or_default();
    format!("{begins}{OCULTO}{ends}")
}
