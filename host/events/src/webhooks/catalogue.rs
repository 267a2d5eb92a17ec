//! Kinds of events: what they mean, and which a webhook asks for.

/// A kind of event.
pub struct Kind {
    pub name: &'static str,
    /// For customers: pt-BR.
    pub description: &'static str,
    /// Sent to a webhook that names no kinds.
    pub default: bool,
    /// Members of `dados`, as an example.
    pub(super) example: Example,
}

#[derive(Clone, Copy)]
pub(super) enum Example {
    Nota {
        prefix: &'static str,
        status: &'static str,
    },
    Range,
    ReceivedNota,
    Certificado,
    Balance,
    Gap,
    Cobertura,
}

macro_rules! tipos {
    ($($name:literal $default:literal $example:expr, $description:literal;)+) => {
        /// Every kind there is, in the contract's order.
        pub const TIPOS: &[Kind] = &[$(Kind { name: $name, description: $description, default: $default, example: $example }),+];
    };
}

const fn nota(prefix: &'static str, status: &'static str) -> Example {
    Example::Nota { prefix, status }
}

tipos! {
    "nfe.autorizada" true nota("nfe", "autorizada"), "Uma NF-e foi autorizada.";
    "nfe.rejeitada" true nota("nfe", "rejeitada"), "Uma NF-e foi rejeitada ou denegada.";
    "nfe.cancelada" true nota("nfe", "cancelada"), "Uma NF-e foi cancelada.";
    "nfe.cce" true nota("nfe", "autorizada"), "Uma Carta de Correção foi registrada em uma NF-e.";
    "nfe.inutilizada" true Example::Range, "Uma faixa de números de NF-e ou NFC-e foi inutilizada.";
    "nfce.autorizada" true nota("nfce", "autorizada"), "Uma NFC-e foi autorizada.";
    "nfce.rejeitada" true nota("nfce", "rejeitada"), "Uma NFC-e foi rejeitada ou denegada.";
    "nfce.cancelada" true nota("nfce", "cancelada"), "Uma NFC-e foi cancelada.";
    "nfse.emitida" true nota("nfse", "autorizada"), "Uma NFS-e foi emitida.";
    "nfse.rejeitada" true nota("nfse", "rejeitada"), "Uma NFS-e foi recusada.";
    "nfse.cancelada" true nota("nfse", "cancelada"), "Uma NFS-e foi cancelada.";
    "dfe.recebida" true Example::ReceivedNota, "Chegou uma nota emitida contra o CNPJ de um emitente.";
    "cte.autorizado" true nota("cte", "autorizada"), "Um CT-e foi autorizado (em fase de teste: só de contas liberadas).";
    "cte.rejeitado" true nota("cte", "rejeitada"), "Um CT-e foi rejeitado (em fase de teste: só de contas liberadas).";
    "cte.cancelado" false nota("cte", "cancelada"), "Um CT-e foi cancelado (em fase de teste: só de contas liberadas).";
    "mdfe.autorizado" false nota("mdfe", "autorizada"), "Um MDF-e foi autorizado.";
    "mdfe.rejeitado" false nota("mdfe", "rejeitada"), "Um MDF-e foi rejeitado.";
    "mdfe.cancelado" false nota("mdfe", "cancelada"), "Um MDF-e foi cancelado.";
    "mdfe.encerrado" false nota("mdfe", "autorizada"), "O encerramento de um MDF-e foi registrado.";
    "nota.pendente" false nota("nfse", "pendente_prefeitura"), "Uma NFS-e espera na fila da prefeitura.";
    "certificado.expirando" false Example::Certificado, "O certificado de um emitente vence em 30, 15, 7 ou 1 dia, ou venceu (dias_restantes 0); uma vez por prazo.";
    "numeracao.lacuna" false Example::Gap, "Números de NF-e ou NFC-e ficaram sem nota e devem ser inutilizados.";
    "cobertura.mudou" false Example::Cobertura, "O município de um emitente passou a emitir NFS-e de outro modo, ou o endereço para onde as notas vão saiu do ar ou voltou; uma vez por mudança.";
    "saldo.baixo" false Example::Balance, "O saldo chegou a um dos limiares da conta, ou passou para baixo dele; uma vez até voltar a subir.";
}

/// The kind with this name.
pub fn get(name: &str) -> Option<&'static Kind> {
    TIPOS.iter().find(|kind| kind.name == name)
}

/// Whether somebody may ask for this: a kind, `familia.*` of one, or `*`.
pub fn exists(pattern: &str) -> bool {
    TIPOS.iter().any(|kind| matches(pattern, kind))
}

/// The kinds a list asks for; an empty one asks for the default kinds.
pub fn wanted(patterns: &[String]) -> Vec<&'static Kind> {
    TIPOS
        .iter()
        .filter(|kind| {
            if patterns.is_empty() {
                kind.default
            } else {
                patterns.iter().any(|pattern| matches(pattern, kind))
            }
        })
        .collect()
}

fn matches(pattern: &str, kind: &Kind) -> bool {
    match pattern.strip_suffix('*') {
        Some("") => true,
        Some(family) => family.ends_with('.') && kind.name.starts_with(family),
        None => pattern == kind.name,
    }
}
