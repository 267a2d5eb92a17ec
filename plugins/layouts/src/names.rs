//! The names that the files of a layout may use, and what each stands for.

use crate::template::{Kind, Names};
use sdk::nfse::{PathKind, dps_path};

/// Which files may use which names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Messages and requests of `emitir` and `substituir`.
    Declaration,
    /// Those of the queries and of `cancelar`.
    Reference,
    /// Conditions of sections: only what the registry says.
    Registry,
}

/// Options of a city that have a value of their own.
pub const OPTIONS: [(&str, &str); 5] = [
    (
        "acao",
        "Beginning of the SOAP action, where systems differ.",
    ),
    ("caminho", "What follows the address, where cities differ."),
    ("entidade", "Number of the city in the system."),
    (
        "serie_nota",
        "Series of the notes, where a query or a cancellation asks for it.",
    ),
    ("versao", "Version of the layout."),
];

/// Secrets of a customer, in `segredo.`.
pub const SECRETS: [&str; 5] = [
    "usuario",
    "senha",
    "token",
    "chave_autorizacao",
    "frase_secreta",
];

/// Names calculated from a declaration, with the field an error is told of.
pub const CALCULATED: [(&str, Kind, &str); 19] = [
    ("calculado.base", Kind::Decimal, "valores.deducoes"),
    ("calculado.deducoes", Kind::Decimal, "valores.deducoes"),
    ("calculado.descricao", Kind::Text, "servico.descricao"),
    (
        "calculado.exigibilidade",
        Kind::Word,
        "valores.iss.exigibilidade",
    ),
    (
        "calculado.fora_do_municipio",
        Kind::Flag,
        "servico.codigo_municipio_incidencia",
    ),
    (
        "calculado.incidencia",
        Kind::Text,
        "servico.codigo_municipio_incidencia",
    ),
    ("calculado.iss", Kind::Decimal, "valores.iss.aliquota"),
    (
        "calculado.iss_retido",
        Kind::Decimal,
        "valores.iss.aliquota",
    ),
    ("calculado.item", Kind::Text, "servico.item_lista_servico"),
    ("calculado.liquido", Kind::Decimal, "valores.retencoes"),
    ("calculado.pessoa", Kind::Word, "tomador.cpf_cnpj"),
    (
        "calculado.prestacao",
        Kind::Text,
        "servico.codigo_municipio_prestacao",
    ),
    (
        "calculado.prestacao_fora",
        Kind::Flag,
        "servico.codigo_municipio_prestacao",
    ),
    ("calculado.retencoes", Kind::Decimal, "valores.retencoes"),
    ("calculado.retido", Kind::Flag, "valores.iss.retencao"),
    ("calculado.simples", Kind::Flag, "regime.opcao_simples"),
    (
        "calculado.subitem",
        Kind::Text,
        "servico.item_lista_servico",
    ),
    (
        "calculado.tomador_no_municipio",
        Kind::Flag,
        "tomador.endereco.codigo_ibge",
    ),
    (
        "calculado.tributos",
        Kind::Decimal,
        "valores.tributos_aproximados",
    ),
];

/// Names of the call that are there for every service.
const OF_CALL: [(&str, Kind); 24] = [
    ("agora", Kind::Text),
    ("assinatura", Kind::Text),
    ("basico", Kind::Secret),
    ("emitente.bairro", Kind::Text),
    ("emitente.cep", Kind::Text),
    ("emitente.cnae", Kind::Text),
    ("emitente.complemento", Kind::Text),
    ("emitente.documento", Kind::Text),
    ("emitente.email", Kind::Text),
    ("emitente.inscricao_estadual", Kind::Text),
    ("emitente.inscricao_municipal", Kind::Text),
    ("emitente.logradouro", Kind::Text),
    ("emitente.nome_fantasia", Kind::Text),
    ("emitente.numero", Kind::Text),
    ("emitente.razao_social", Kind::Text),
    ("emitente.telefone", Kind::Text),
    ("fluxo", Kind::Text),
    ("mensagem", Kind::Document),
    ("municipio.ibge", Kind::Text),
    ("municipio.nome", Kind::Text),
    ("municipio.tom", Kind::Text),
    ("municipio.uf", Kind::Text),
    ("operacao", Kind::Text),
    ("sessao", Kind::Text),
];

/// Names of what a query or a cancellation is about; those of the RPS also in
/// a declaration.
const OF_REFERENCE: [(&str, Kind); 12] = [
    ("codigo_motivo", Kind::Word),
    ("justificativa", Kind::Text),
    ("nota.chave", Kind::Text),
    ("nota.codigo_verificacao", Kind::Text),
    ("nota.emitida_em", Kind::Text),
    ("nota.numero", Kind::Text),
    ("nota.rps.numero", Kind::Text),
    ("nota.rps.serie", Kind::Text),
    ("nota.serie", Kind::Text),
    ("nota.valor", Kind::Decimal),
    ("protocolo", Kind::Text),
    ("nota", Kind::Group),
];

const OF_RPS: [(&str, Kind); 3] = [
    ("rps.emitido_em", Kind::Text),
    ("rps.numero", Kind::Text),
    ("rps.serie", Kind::Text),
];

/// The names of a scope, with the variants that the layout declares.
pub struct Known<'l> {
    pub scope: Scope,
    pub variants: &'l [String],
}

fn among(list: &[(&str, Kind)], name: &str) -> Option<Kind> {
    let found = list.iter().find(|(known, _)| *known == name);
    found.map(|(_, kind)| *kind)
}

impl Names for Known<'_> {
    fn kind(&self, name: &str) -> Option<Kind> {
        if let Some(variant) = name.strip_prefix("variante.") {
            let known = self.variants.iter().any(|known| known == variant);
            return known.then_some(Kind::Flag);
        }
        if let Some(option) = name.strip_prefix("opcao.") {
            let known = OPTIONS.iter().any(|(known, _)| *known == option);
            return known.then_some(Kind::Text);
        }
        if name == "producao" {
            return Some(Kind::Flag);
        }
        if self.scope == Scope::Registry {
            return None;
        }
        if let Some(secret) = name.strip_prefix("segredo.") {
            return SECRETS.contains(&secret).then_some(Kind::Secret);
        }
        if let Some(kind) = among(&OF_CALL, name).or_else(|| among(&OF_RPS, name)) {
            return Some(kind);
        }
        match self.scope {
            Scope::Declaration => {
                let calculated = CALCULATED.iter().find(|(known, ..)| *known == name);
                let calculated = calculated.map(|(_, kind, _)| *kind);
                calculated
                    .or_else(|| among(&OF_REFERENCE, name).filter(|_| name == "nota.numero"))
                    .or_else(|| dps_path(name).map(of_path))
            }
            Scope::Reference => among(&OF_REFERENCE, name),
            Scope::Registry => None,
        }
    }
}

fn of_path(kind: PathKind) -> Kind {
    match kind {
        PathKind::Text | PathKind::Whole => Kind::Text,
        PathKind::Decimal => Kind::Decimal,
        PathKind::Flag => Kind::Flag,
        PathKind::Word => Kind::Word,
        PathKind::Object | PathKind::List => Kind::Group,
    }
}
