//! The city's messages, and what they mean.

use sdk::Mensagem;
use sdk::soap::Fault;
use sdk::xml::Element;

/// Most messages kept of one answer.
const MAX_MESSAGES: usize = 100;

/// What a list of messages says about the note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Received, no result yet.
    Pending,
    /// This RPS was informed before.
    Duplicate,
    /// The city does not know the RPS, the batch or the note.
    NotFound,
    /// It is cancelled already.
    AlreadyCancelled,
    /// Certificate, user or password.
    Credential,
    /// An explicit no.
    Refusal,
}

/// Messages of an element; alerts are only those below
/// `ListaMensagemAlertaRetorno`.
pub fn collect(root: &Element) -> (Vec<Mensagem>, Vec<Mensagem>) {
    let mut erros = Vec::new();
    let mut alertas = Vec::new();
    descend(root, false, &mut erros, &mut alertas);
    (erros, alertas)
}

fn descend(
    element: &Element,
    alerta: bool,
    erros: &mut Vec<Mensagem>,
    alertas: &mut Vec<Mensagem>,
) {
    // The depth is bounded by the reader.
    for child in element.children() {
        let alerta = alerta || child.name() == "ListaMensagemAlertaRetorno";
        if child.name() == "MensagemRetorno" {
            let list = if alerta { &mut *alertas } else { &mut *erros };
            if let Some(message) = read(child)
                && list.len() < MAX_MESSAGES
            {
                list.push(message);
            }
        } else {
            descend(child, alerta, erros, alertas);
        }
    }
}

fn read(element: &Element) -> Option<Mensagem> {
    let codigo = element.text_at("Codigo").unwrap_or_default();
    let text = element.text_at("Mensagem").unwrap_or_default();
    if codigo.is_empty() && text.is_empty() {
        return None;
    }
    Some(Mensagem {
        correcao: element.text_at("Correcao").map(str::to_owned),
        ..Mensagem::new(codigo, text)
    })
}

/// What the messages say together. Codes differ between systems (E10 is a
/// duplicate in the model's table and "not sent" in one old system), so the
/// text decides and the code of the model's table helps.
pub fn classify(messages: &[Mensagem]) -> Class {
    let has = |class| messages.iter().any(|m| of_one(m) == class);
    for class in [
        Class::Pending,
        Class::Duplicate,
        Class::AlreadyCancelled,
        Class::Credential,
    ] {
        if has(class) {
            return class;
        }
    }
    // Not found only when nothing else was said.
    let only_not_found =
        !messages.is_empty() && messages.iter().all(|m| of_one(m) == Class::NotFound);
    if only_not_found {
        Class::NotFound
    } else {
        Class::Refusal
    }
}

fn of_one(message: &Mensagem) -> Class {
    let text = simplify(&message.texto);
    if contains(
        &text,
        &[
            "ainda nao foi processad",
            "em processamento",
            "aguardando processamento",
            "sendo processad",
            "fila de processamento",
        ],
    ) {
        return Class::Pending;
    }
    // About the note to be replaced, not about this one.
    if contains(&text, &["substituid"]) {
        return Class::Refusal;
    }
    if not_found(&text) {
        return Class::NotFound;
    }
    if duplicated(&text) {
        return Class::Duplicate;
    }
    if contains(
        &text,
        &[
            "ja esta cancelad",
            "ja se encontra cancelad",
            "ja cancelad",
            "ja foi cancelad",
        ],
    ) {
        return Class::AlreadyCancelled;
    }
    if is_credential(&text) {
        return Class::Credential;
    }
    // Table of the model (ABRASF 1.00 and 2.0x, annex of errors and alerts).
    match message.codigo.trim() {
        "E92" => Class::Pending,
        "E10" => Class::Duplicate,
        "E4" | "E86" | "E87" | "E89" | "E91" | "E78" => Class::NotFound,
        "E79" => Class::AlreadyCancelled,
        "E138" | "E157" => Class::Credential,
        _ => Class::Refusal,
    }
}

fn contains(text: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| text.contains(part))
}

/// There is no such RPS, note, batch or protocol.
fn not_found(text: &str) -> bool {
    contains(text, &["rps"])
        && contains(
            text,
            &[
                "nao foi enviado",
                "inexistente",
                "nao encontrado",
                "nao existe",
                "nao localizado",
            ],
        )
        || contains(text, &["nfs-e", "nfse", "nota"])
            && contains(
                text,
                &[
                    "inexistente",
                    "nao encontrad",
                    "nao localizad",
                    "nao existe",
                ],
            )
        || contains(text, &["protocolo", "lote"])
            && contains(text, &["inexistente", "nao encontrado", "nao localizado"])
        || contains(
            text,
            &[
                "nenhuma nota",
                "nenhum registro",
                "nenhuma nfs",
                "nenhum rps",
            ],
        )
}

/// The RPS or the batch came before.
fn duplicated(text: &str) -> bool {
    contains(text, &["rps", "lote"])
        && contains(
            text,
            &[
                "ja informado",
                "ja foi informado",
                "ja existe",
                "ja enviado",
                "ja foi enviado",
                "ja convertido",
                "ja foi convertido",
                "ja utilizado",
                "ja foi utilizado",
                "ja emitid",
                "ja foi emitid",
                "ja processado",
                "ja cadastrado",
                "duplicad",
            ],
        )
}

/// The text is about a refused login or certificate.
fn is_credential(text: &str) -> bool {
    contains(
        text,
        &["senha", "usuario", "login", "certificado", "credencia"],
    ) && contains(
        text,
        &[
            "invalid",
            "incorret",
            "nao autorizad",
            "nao esta autorizad",
            "expirad",
            "vencid",
            "revogad",
            "negad",
            "nao confere",
            "bloquead",
            "nao informad",
        ],
    )
}

/// What a SOAP fault says: `Refusal` and `Credential` are certain, None is not
/// known.
pub fn fault(fault: &Fault) -> Option<Class> {
    let text = simplify(&format!("{} {}", fault.text, fault.detail));
    if is_credential(&text) {
        return Some(Class::Credential);
    }
    // SOAP 1.1 §4.4.1 and 1.2 §5.4.6: the sender's message is wrong, it was
    // not processed. Dotted codes refine the first part.
    let codigo = fault.code.rsplit(':').next().unwrap_or_default();
    let codigo = codigo.split('.').next().unwrap_or_default();
    let of_client = ["Client", "Sender", "VersionMismatch", "MustUnderstand"]
        .iter()
        .any(|name| codigo.eq_ignore_ascii_case(name));
    of_client.then_some(Class::Refusal)
}

/// Lower case, without accents, white space in one.
pub fn simplify(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        let c = match c {
            'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
            'é' | 'ê' | 'è' => 'e',
            'í' | 'ì' => 'i',
            'ó' | 'ô' | 'õ' | 'ò' | 'ö' => 'o',
            'ú' | 'ü' | 'ù' => 'u',
            'ç' => 'c',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        if c != ' ' || !output.ends_with(' ') {
            output.push(c);
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(codigo: &str, text: &str) -> Class {
        classify(&[Mensagem::new(codigo, text)])
    }

    #[test]
    fn the_text_says_what_the_code_may_not() {
        for (codigo, text, expected) in [
            ("E10", "RPS já informado.", Class::Duplicate),
            ("E160", "RPS ja informado.", Class::Duplicate),
            (
                "E10",
                "Esse RPS não foi enviado para a nossa base de dados.",
                Class::NotFound,
            ),
            ("E123", "RPS inexistente", Class::NotFound),
            (
                "E92",
                "Esse RPS foi enviado para a nossa base de dados, mas ainda não foi processado",
                Class::Pending,
            ),
            ("E001", "Lote em processamento", Class::Pending),
            (
                "E86",
                "Número do protocolo de recebimento do lote inexistente na base de dados",
                Class::NotFound,
            ),
            (
                "E79",
                "Essa NFS-e já está cancelada",
                Class::AlreadyCancelled,
            ),
            (
                "E301",
                "NFSe ja se encontra cancelada.",
                Class::AlreadyCancelled,
            ),
            (
                "E157",
                "Usuário não está autorizado a utilizar esse serviço para esse contribuinte.",
                Class::Credential,
            ),
            ("X1", "Usuário ou senha inválidos", Class::Credential),
            (
                "E43",
                "Inscrição Municipal do prestador não encontrada na base de dados do município.",
                Class::Refusal,
            ),
            (
                "E5",
                "O número da NFS-E substituída informado não existe na base de dados do município.",
                Class::Refusal,
            ),
            (
                "E76",
                "O número do RPS substituído informado não existe na base de dados",
                Class::Refusal,
            ),
            (
                "E160",
                "Arquivo enviado fora da estrutura do arquivo XML de entrada.",
                Class::Refusal,
            ),
            ("E324", "Assinatura do RPS inválida.", Class::Refusal),
            ("", "", Class::Refusal),
        ] {
            assert_eq!(class(codigo, text), expected, "{codigo} {text}");
        }
    }

    #[test]
    fn one_refusal_is_enough_against_not_found() {
        let list = [Mensagem::new("E4", ""), Mensagem::new("E43", "x")];
        assert_eq!(classify(&list), Class::Refusal);
        assert_eq!(classify(&[]), Class::Refusal);
    }
}
