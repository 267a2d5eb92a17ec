//! The city's messages, and what they mean.

use super::content::DENIED;
use rps::class::{self, Class};
use rps::content::together;
use sdk::Mensagem;
use sdk::xml::Element;

/// Most messages kept of one answer.
const MAX_MESSAGES: usize = 100;

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
    together(messages, of_one)
}

fn of_one(message: &Mensagem) -> Class {
    if let Some(class) = class::of_text(&message.texto) {
        return class;
    }
    // Table of the model (ABRASF 1.00 and 2.0x, annex of errors and alerts).
    match message.codigo.trim() {
        "E92" => Class::Pending,
        "E10" => Class::Duplicate,
        "E4" | "E86" | "E87" | "E89" | "E91" | "E78" => Class::NotFound,
        "E79" => Class::AlreadyCancelled,
        "E138" | "E157" | DENIED => Class::Credential,
        _ => Class::Refusal,
    }
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
