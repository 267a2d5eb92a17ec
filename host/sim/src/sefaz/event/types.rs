//! The events a taxpayer or the tax office registers.
//!
//! Source: MOC 7.0, NT 2018.004, 2020.001 (manifestation), 2024.002 (ECONF)
//! and 2025.002 (reform), with the names of the event schemas of 2026-06.

/// Who may be the author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Author {
    Emitter,
    Recipient,
    /// Either side of the operation.
    Parties,
    /// Anyone with a certificate (a successor company).
    Anyone,
    TaxOffice,
}

/// Where it is registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// The state's authorizer, `cOrgao` of the key.
    Uf,
    /// The national environment, `cOrgao` 91.
    National,
    /// Both take it: events of the tax reform.
    Both,
}

/// One kind of event.
#[derive(Debug)]
pub struct Kind {
    /// `tpEvento`.
    pub code: &'static str,
    /// `descEvento`.
    pub name: &'static str,
    pub(super) author: Author,
    pub(super) at_where: Where,
    /// Greatest `nSeqEvento`.
    pub maximum: u32,
}

const fn kind(
    code: &'static str,
    name: &'static str,
    author: Author,
    at_where: Where,
    maximum: u32,
) -> Kind {
    Kind {
        code,
        name,
        author,
        at_where,
        maximum,
    }
}

/// Every kind of event the simulator knows.
pub static KINDS: [Kind; 31] = [
    kind(
        "110110",
        "Carta de Correção",
        Author::Emitter,
        Where::Uf,
        20,
    ),
    kind("110111", "Cancelamento", Author::Emitter, Where::Uf, 1),
    kind(
        "110112",
        "Cancelamento por substituicao",
        Author::Emitter,
        Where::Uf,
        1,
    ),
    kind(
        "110130",
        "Comprovante de Entrega da NF-e",
        Author::Emitter,
        Where::Uf,
        99,
    ),
    kind(
        "110131",
        "Cancelamento Comprovante de Entrega da NF-e",
        Author::Emitter,
        Where::Uf,
        99,
    ),
    kind(
        "110150",
        "Ator interessado na NF-e",
        Author::Parties,
        Where::Both,
        99,
    ),
    kind(
        "110192",
        "Insucesso na Entrega da NF-e",
        Author::Emitter,
        Where::Uf,
        99,
    ),
    kind(
        "110193",
        "Cancelamento Insucesso na Entrega da NF-e",
        Author::Emitter,
        Where::Uf,
        99,
    ),
    // NT 2024.002 has SVRS register it for all states; second-hand.
    kind("110750", "ECONF", Author::Emitter, Where::Both, 99),
    kind(
        "110751",
        "Cancelamento Conciliação Financeira",
        Author::Emitter,
        Where::Both,
        99,
    ),
    kind(
        "110001",
        "Cancelamento de Evento",
        Author::Anyone,
        Where::Both,
        99,
    ),
    kind(
        "112110",
        "Informação de efetivo pagamento integral",
        Author::Emitter,
        Where::Both,
        99,
    ),
    kind(
        "112120",
        "Importação em ALC/ZFM não convertida em isenção",
        Author::Emitter,
        Where::Both,
        99,
    ),
    kind(
        "112130",
        "Perecimento, perda, roubo ou furto - fornecedor",
        Author::Emitter,
        Where::Both,
        99,
    ),
    kind(
        "112140",
        "Fornecimento não realizado com pagamento antecipado",
        Author::Emitter,
        Where::Both,
        99,
    ),
    kind(
        "112150",
        "Atualização da Data de Previsão de Entrega",
        Author::Emitter,
        Where::Both,
        99,
    ),
    kind(
        "210200",
        "Confirmacao da Operacao",
        Author::Recipient,
        Where::National,
        2,
    ),
    kind(
        "210210",
        "Ciencia da Operacao",
        Author::Recipient,
        Where::National,
        2,
    ),
    kind(
        "210220",
        "Desconhecimento da Operacao",
        Author::Recipient,
        Where::National,
        2,
    ),
    kind(
        "210240",
        "Operacao nao Realizada",
        Author::Recipient,
        Where::National,
        2,
    ),
    kind(
        "211110",
        "Solicitação de Apropriação de crédito presumido",
        Author::Recipient,
        Where::Both,
        99,
    ),
    kind(
        "211120",
        "Destinação de item para consumo pessoal",
        Author::Parties,
        Where::Both,
        99,
    ),
    kind(
        "211124",
        "Perecimento, perda, roubo ou furto - adquirente",
        Author::Recipient,
        Where::Both,
        99,
    ),
    kind(
        "211128",
        "Aceite de débito na apuração",
        Author::Recipient,
        Where::Both,
        99,
    ),
    kind(
        "211130",
        "Imobilização de Item",
        Author::Recipient,
        Where::Both,
        99,
    ),
    kind(
        "211140",
        "Solicitação de Apropriação de Crédito de Combustível",
        Author::Recipient,
        Where::Both,
        99,
    ),
    kind(
        "211150",
        "Apropriação de Crédito por atividade do adquirente",
        Author::Recipient,
        Where::Both,
        99,
    ),
    kind(
        "212110",
        "Manifestação sobre Transferência de Crédito de IBS",
        Author::Anyone,
        Where::Both,
        99,
    ),
    kind(
        "212120",
        "Manifestação sobre Transferência de Crédito de CBS",
        Author::Anyone,
        Where::Both,
        99,
    ),
    kind(
        "412120",
        "Manifestação do Fisco - Transferência de IBS",
        Author::TaxOffice,
        Where::Both,
        99,
    ),
    kind(
        "412130",
        "Manifestação do Fisco - Transferência de CBS",
        Author::TaxOffice,
        Where::Both,
        99,
    ),
];

pub(super) fn find(code: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|t| t.code == code)
}

/// The manifestations that conclude; one may be changed once.
pub(super) fn conclusive(code: &str) -> bool {
    matches!(code, "210200" | "210220" | "210240")
}

pub(super) fn cancels(code: &str) -> bool {
    matches!(code, "110111" | "110112")
}
