//! The events a taxpayer or the tax office registers.
//!
//! Source: MOC 7.0, NT 2018.004, 2020.001 (manifestation), 2024.002 (ECONF)
//! and 2025.002 (reform), with the names of the event schemas of 2026-06.

/// Who may be the author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Autor {
    Emitente,
    Destinatario,
    /// Either side of the operation.
    Partes,
    /// Anyone with a certificate (a successor company).
    Qualquer,
    Fisco,
}

/// Where it is registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Onde {
    /// The state's authorizer, `cOrgao` of the key.
    Uf,
    /// The national environment, `cOrgao` 91.
    Nacional,
    /// Both take it: events of the tax reform.
    Ambos,
}

/// One kind of event.
#[derive(Debug)]
pub(super) struct Tipo {
    pub codigo: &'static str,
    pub nome: &'static str,
    pub autor: Autor,
    pub onde: Onde,
    /// Greatest `nSeqEvento`.
    pub maximo: u32,
}

const fn tipo(
    codigo: &'static str,
    nome: &'static str,
    autor: Autor,
    onde: Onde,
    maximo: u32,
) -> Tipo {
    Tipo {
        codigo,
        nome,
        autor,
        onde,
        maximo,
    }
}

static TIPOS: [Tipo; 31] = [
    tipo("110110", "Carta de Correção", Autor::Emitente, Onde::Uf, 20),
    tipo("110111", "Cancelamento", Autor::Emitente, Onde::Uf, 1),
    tipo(
        "110112",
        "Cancelamento por substituicao",
        Autor::Emitente,
        Onde::Uf,
        1,
    ),
    tipo(
        "110130",
        "Comprovante de Entrega da NF-e",
        Autor::Emitente,
        Onde::Uf,
        99,
    ),
    tipo(
        "110131",
        "Cancelamento Comprovante de Entrega da NF-e",
        Autor::Emitente,
        Onde::Uf,
        99,
    ),
    tipo(
        "110150",
        "Ator interessado na NF-e",
        Autor::Partes,
        Onde::Ambos,
        99,
    ),
    tipo(
        "110192",
        "Insucesso na Entrega da NF-e",
        Autor::Emitente,
        Onde::Uf,
        99,
    ),
    tipo(
        "110193",
        "Cancelamento Insucesso na Entrega da NF-e",
        Autor::Emitente,
        Onde::Uf,
        99,
    ),
    // NT 2024.002 has SVRS register it for all states; second-hand.
    tipo("110750", "ECONF", Autor::Emitente, Onde::Ambos, 99),
    tipo(
        "110751",
        "Cancelamento Conciliação Financeira",
        Autor::Emitente,
        Onde::Ambos,
        99,
    ),
    tipo(
        "110001",
        "Cancelamento de Evento",
        Autor::Qualquer,
        Onde::Ambos,
        99,
    ),
    tipo(
        "112110",
        "Informação de efetivo pagamento integral",
        Autor::Emitente,
        Onde::Ambos,
        99,
    ),
    tipo(
        "112120",
        "Importação em ALC/ZFM não convertida em isenção",
        Autor::Emitente,
        Onde::Ambos,
        99,
    ),
    tipo(
        "112130",
        "Perecimento, perda, roubo ou furto - fornecedor",
        Autor::Emitente,
        Onde::Ambos,
        99,
    ),
    tipo(
        "112140",
        "Fornecimento não realizado com pagamento antecipado",
        Autor::Emitente,
        Onde::Ambos,
        99,
    ),
    tipo(
        "112150",
        "Atualização da Data de Previsão de Entrega",
        Autor::Emitente,
        Onde::Ambos,
        99,
    ),
    tipo(
        "210200",
        "Confirmacao da Operacao",
        Autor::Destinatario,
        Onde::Nacional,
        2,
    ),
    tipo(
        "210210",
        "Ciencia da Operacao",
        Autor::Destinatario,
        Onde::Nacional,
        2,
    ),
    tipo(
        "210220",
        "Desconhecimento da Operacao",
        Autor::Destinatario,
        Onde::Nacional,
        2,
    ),
    tipo(
        "210240",
        "Operacao nao Realizada",
        Autor::Destinatario,
        Onde::Nacional,
        2,
    ),
    tipo(
        "211110",
        "Solicitação de Apropriação de crédito presumido",
        Autor::Destinatario,
        Onde::Ambos,
        99,
    ),
    tipo(
        "211120",
        "Destinação de item para consumo pessoal",
        Autor::Partes,
        Onde::Ambos,
        99,
    ),
    tipo(
        "211124",
        "Perecimento, perda, roubo ou furto - adquirente",
        Autor::Destinatario,
        Onde::Ambos,
        99,
    ),
    tipo(
        "211128",
        "Aceite de débito na apuração",
        Autor::Destinatario,
        Onde::Ambos,
        99,
    ),
    tipo(
        "211130",
        "Imobilização de Item",
        Autor::Destinatario,
        Onde::Ambos,
        99,
    ),
    tipo(
        "211140",
        "Solicitação de Apropriação de Crédito de Combustível",
        Autor::Destinatario,
        Onde::Ambos,
        99,
    ),
    tipo(
        "211150",
        "Apropriação de Crédito por atividade do adquirente",
        Autor::Destinatario,
        Onde::Ambos,
        99,
    ),
    tipo(
        "212110",
        "Manifestação sobre Transferência de Crédito de IBS",
        Autor::Qualquer,
        Onde::Ambos,
        99,
    ),
    tipo(
        "212120",
        "Manifestação sobre Transferência de Crédito de CBS",
        Autor::Qualquer,
        Onde::Ambos,
        99,
    ),
    tipo(
        "412120",
        "Manifestação do Fisco - Transferência de IBS",
        Autor::Fisco,
        Onde::Ambos,
        99,
    ),
    tipo(
        "412130",
        "Manifestação do Fisco - Transferência de CBS",
        Autor::Fisco,
        Onde::Ambos,
        99,
    ),
];

pub(super) fn find(codigo: &str) -> Option<&'static Tipo> {
    TIPOS.iter().find(|t| t.codigo == codigo)
}

/// The manifestations that conclude; one may be changed once.
pub(super) fn conclusive(codigo: &str) -> bool {
    matches!(codigo, "210200" | "210220" | "210240")
}

pub(super) fn cancels(codigo: &str) -> bool {
    matches!(codigo, "110111" | "110112")
}

#[cfg(test)]
mod tests {
    use super::TIPOS;

    #[test]
    fn names_fit_the_layout() {
        for t in &TIPOS {
            assert!((5..=60).contains(&t.nome.chars().count()), "{}", t.codigo);
        }
    }
}
