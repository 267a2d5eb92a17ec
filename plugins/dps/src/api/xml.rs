//! Answers in XML, with or without SOAP around: the documents have the names
//! of the layout, what stands around them is named by each city.

use super::{Answer, MAX_MESSAGES, STATUS, cut, says_failed};
use sdk::Mensagem;
use sdk::soap;
use sdk::xml::{self, Document, Element, Inherited};

/// Elements one of which makes this an answer.
const KNOWN: [&str; 15] = [
    "NFSe",
    "evento",
    "Evento",
    "chaveAcesso",
    "ChaveAcesso",
    "protocolo",
    "Protocolo",
    "codigo",
    "Codigo",
    "ListaNfse",
    "ListaNFSe",
    "MensagemErro",
    "RetCancelamento",
    "status",
    "Status",
];
/// The word that is a no without any reason beside it.
const REFUSED: &str = "rejeitado";
/// Words of a status that end a cancellation.
const CANCELLED: [&str; 4] = [
    "cancelada",
    "cancelado",
    "processado com sucesso",
    "processado_com_sucesso",
];
/// "All is well" among the messages (ABRASF): no error.
const FINE: &str = "L000";

/// Reads an answer. None: not XML, a fault, or nothing known in it.
pub fn read(body: &[u8]) -> Option<Answer> {
    let document = soap::unwrap(body, &KNOWN).ok()?;
    let root = document.root();
    let (alerts, mut errors): (Vec<_>, Vec<_>) = messages(root).into_iter().partition(is_alert);
    let failed = status(root).is_some_and(|status| says_failed(&status));
    if errors.is_empty() && failed {
        errors.extend(reason(root));
    }
    let found = ["NFSe", "Nfse", "evento", "Evento"]
        .iter()
        .find_map(|name| root.descendant(name))
        .filter(|found| found.child("infNFSe").is_some() || found.child("infEvento").is_some());
    let list = ["ListaNfse", "ListaNFSe"]
        .iter()
        .find_map(|name| root.descendant(name));
    let mut answer = Answer {
        chave: first(root, &["chaveAcesso", "ChaveAcesso"]),
        id_dps: first(root, &["idDps", "IdDps", "idDPS"]),
        documento: found.map(|found| standalone(&document, found)),
        confirmation: confirmation(&document),
        protocol: first(root, &["protocolo", "Protocolo"]),
        failed,
        empty: found.is_none() && errors.is_empty() && list.is_some(),
        errors,
        alerts,
        explicit: true,
    };
    answer.add(first(root, &["resposta"]).as_deref());
    Some(answer)
}

impl Answer {
    /// What the national environment said, where a city gives that as JSON in
    /// an element of its own answer.
    fn add(&mut self, inner: Option<&str>) {
        let inner = inner
            .filter(|text| text.starts_with('{'))
            .and_then(|text| serde_json::from_str(text).ok())
            .map(|json| super::read_json(&json));
        let Some(inner) = inner else { return };
        self.chave = self.chave.take().or(inner.chave);
        self.documento = self.documento.take().or(inner.documento);
        self.errors.extend(inner.errors);
    }
}

/// Fine, or a warning: codes of an `A` and digits, beside those of errors.
fn is_alert(message: &Mensagem) -> bool {
    let digits = message.codigo.strip_prefix('A').unwrap_or_default();
    message.codigo.contains(FINE)
        || !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// A cancellation in the manner of ABRASF, with its date, or a status.
fn confirmation(document: &Document) -> Option<Vec<u8>> {
    let root = document.root();
    let has_date = |element: &&Element| {
        let said = ["Confirmacao", "ConfirmacaoCancelamento"]
            .iter()
            .find_map(|name| element.descendant(name));
        said.is_some_and(|said| first(said, &["DataHora", "DataHoraCancelamento"]).is_some())
    };
    let confirmed = ["RetCancelamento", "RetornoCancelamento"]
        .iter()
        .find_map(|name| root.descendant(name))
        .filter(has_date);
    if let Some(confirmed) = confirmed {
        return Some(standalone(document, confirmed));
    }
    let status = status(root)?.to_lowercase();
    CANCELLED
        .contains(&status.as_str())
        .then(|| standalone(document, root))
}

fn standalone(document: &Document, element: &Element) -> Vec<u8> {
    xml::standalone(document, element, Inherited::Used).into_bytes()
}

fn first(root: &Element, names: &[&str]) -> Option<String> {
    names
        .iter()
        .filter_map(|name| root.descendant(name))
        .map(|element| element.text().trim().to_owned())
        .find(|text| !text.is_empty())
}

/// Coded messages, wherever they are.
fn messages(root: &Element) -> Vec<Mensagem> {
    ["codigo", "Codigo"]
        .iter()
        .flat_map(|code| holders(root, code))
        .filter_map(message)
        .take(MAX_MESSAGES)
        .collect()
}

/// Elements with a child of this name.
fn holders<'a>(element: &'a Element, child: &str) -> Vec<&'a Element> {
    let mut found: Vec<&Element> = element.child(child).map(|_| element).into_iter().collect();
    for inner in element.children() {
        found.extend(holders(inner, child));
    }
    found
}

fn message(element: &Element) -> Option<Mensagem> {
    let text = |names: &[&str]| {
        names
            .iter()
            .filter_map(|name| element.text_at(name))
            .find(|text| !text.trim().is_empty())
            .map(cut)
    };
    let codigo = text(&["codigo", "Codigo"])?;
    let said = text(&["mensagem", "Mensagem", "descricao", "Descricao"])?;
    Some(Mensagem {
        codigo,
        texto: said,
        correcao: text(&["correcao", "Correcao", "complemento", "Complemento"]),
        campo: None,
    })
}

/// The status of a processing, whatever the case of its first letter.
fn status(root: &Element) -> Option<String> {
    STATUS.iter().find_map(|name| {
        let mut capital = (*name).to_owned();
        capital.get_mut(..1).map(str::make_ascii_uppercase);
        first(root, &[*name, capital.as_str()])
    })
}

/// Why something failed, in words, where there are no coded messages: the
/// reason beside the status, or that it was refused.
fn reason(root: &Element) -> Option<Mensagem> {
    let said = first(root, &["mensagemErro", "MensagemErro"])
        .or_else(|| status(root).filter(|status| status.to_lowercase() == REFUSED))?;
    Some(Mensagem::new("", &cut(&said)))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_cancellation_in_words_is_one_only_when_it_says_so() {
        let with = |content: &str| {
            let text = format!("<Resposta><protocolo>1</protocolo>{content}</Resposta>");
            read(text.as_bytes()).expect("an answer")
        };
        for said in [
            "<status>Cancelada</status>",
            "<Status>PROCESSADO_COM_SUCESSO</Status>",
            "<RetCancelamento><NfseCancelamento><Confirmacao><DataHora>2026-10-05T10:15:00</DataHora></Confirmacao></NfseCancelamento></RetCancelamento>",
        ] {
            assert!(with(said).confirmation.is_some(), "{said}");
        }
        for not in [
            "<status>Recebido com sucesso</status>",
            "<status>Rejeitado</status>",
            "<RetCancelamento><NfseCancelamento><Confirmacao></Confirmacao></NfseCancelamento></RetCancelamento>",
        ] {
            assert!(with(not).confirmation.is_none(), "{not}");
        }
        assert_eq!(with("<status>Rejeitado</status>").errors.len(), 1);
        let beside = "<mensagem><Codigo>A0010</Codigo><Mensagem>Aviso</Mensagem></mensagem>";
        let answer = with(&format!("<status>Cancelada</status>{beside}"));
        assert_eq!((answer.errors.len(), answer.alerts.len()), (0, 1));
    }

    #[test]
    fn what_the_national_environment_said_may_stand_inside() {
        let text = "<a><outputXML><GerarNfseResposta><protocolo>7</protocolo></GerarNfseResposta></outputXML><respostaADN><RespostaADN>\
                    <resposta>{\"Lote\":[{\"ChaveAcesso\":\"123\",\"Erros\":[{\"Codigo\":\"E1\",\"Descricao\":\"d\"}]}]}</resposta>\
                    </RespostaADN></respostaADN></a>";
        let answer = read(text.as_bytes()).expect("an answer");
        assert_eq!(answer.chave.as_deref(), Some("123"));
        assert_eq!(answer.errors.len(), 1);
    }
}
