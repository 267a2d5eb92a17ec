//! Documents the cargo goes with, and keys of other documents.

use crate::cte::order::{Servico, Tipo, TipoDocumento};
use crate::cte::work::Work;
use markup::ids::chave::Chave;

/// Models of keys: `mod` of each document.
const NFE: &[u8] = &[55];
const DCE: &[u8] = &[99];
const CTE: &[u8] = &[57];
const CTE_OR_OTHER: &[u8] = &[57, 67];
/// Documents of one CT-e: far above any, below what would make the XML too long
/// (500 KB; a key takes some 90 bytes).
const MAX_DOCUMENTS: usize = 4000;

pub(super) fn check(work: &mut Work<'_>) {
    if work.kind() != Tipo::Complementar {
        carried(work);
        earlier(work);
    }
    keys(work);
}

/// Documents are of one kind; only services between carriers have none.
fn carried(work: &mut Work<'_>) {
    let between = matches!(
        work.service(),
        Servico::RedespachoIntermediario | Servico::VinculadoMultimodal
    );
    let Some(documents) = work.order.documentos.clone() else {
        if !between {
            work.missing(
                "documentos",
                "Informe as NF-e da carga em documentos.nfe, ou nf, outros ou dce.",
            );
        }
        return;
    };
    if between {
        work.fields.add(
            "documentos",
            "campo_nao_cabe",
            "O redespacho intermediário e o vinculado não levam documentos da carga (rejeição 694).",
            "Retire o grupo; informe documentos_anteriores ou ctes_multimodal.",
        );
    }
    let kinds = [
        ("nf", documents.nf.len()),
        ("nfe", documents.nfe.len()),
        ("outros", documents.outros.len()),
        ("dce", documents.dce.len()),
    ];
    let given: Vec<&str> = kinds
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, _)| *name)
        .collect();
    match given.as_slice() {
        [] if !between => work.missing("documentos.nfe", "Informe ao menos um documento da carga."),
        [] | [_] => {}
        [first, rest @ ..] => work.fields.add(
            "documentos",
            "especies_misturadas",
            format!(
                "Um CT-e leva documentos de uma só espécie; vieram {first} e {}.",
                rest.join(", ")
            ),
            "Emita um CT-e para cada espécie.",
        ),
    }
    for (name, count) in kinds {
        if count > MAX_DOCUMENTS {
            work.fields.add(
                format!("documentos.{name}"),
                "limite",
                format!("São até {MAX_DOCUMENTS} documentos."),
                "Divida a carga em mais de um CT-e.",
            );
        }
    }
    for (position, document) in documents.outros.iter().take(MAX_DOCUMENTS).enumerate() {
        let described = document
            .descricao
            .as_deref()
            .is_some_and(|text| !text.trim().is_empty());
        if document.tipo == Some(TipoDocumento::Outros) && !described {
            work.missing(
                &format!("documentos.outros[{position}].descricao"),
                "Descreva o documento.",
            );
        }
    }
}

/// Services that go on from another carrier's name its documents.
fn earlier(work: &mut Work<'_>) {
    let goes_on = matches!(
        work.service(),
        Servico::Subcontratacao | Servico::Redespacho | Servico::RedespachoIntermediario
    );
    if goes_on && work.order.documentos_anteriores.is_empty() {
        work.missing(
            "documentos_anteriores",
            "Informe os documentos do transporte anterior.",
        );
    }
    if work.service() == Servico::Normal && !work.order.documentos_anteriores.is_empty() {
        work.fields.add(
            "documentos_anteriores",
            "campo_nao_cabe",
            "O serviço normal não leva documentos de transporte anterior (rejeição 747).",
            "Informe o servico, ou retire o campo.",
        );
    }
}

/// Every key has its check digit and is of the model that stands there.
fn keys(work: &mut Work<'_>) {
    let order = work.order.clone();
    let documents = order.documentos.unwrap_or_default();
    for (position, nfe) in documents.nfe.iter().take(MAX_DOCUMENTS).enumerate() {
        let place = format!("documentos.nfe[{position}].chave");
        key(work, place, nfe.0.chave.as_deref(), NFE);
    }
    list(work, "documentos.dce", &documents.dce, DCE);
    list(work, "complementados", &order.complementados, CTE);
    list(work, "ctes_multimodal", &order.ctes_multimodal, CTE);
    list(
        work,
        "pagamentos_antecipados",
        &order.pagamentos_antecipados,
        CTE_OR_OTHER,
    );
    for (position, emitter) in order.documentos_anteriores.iter().enumerate() {
        let place = format!("documentos_anteriores[{position}].eletronicos");
        list(work, &place, &emitter.eletronicos, CTE);
    }
    if let Some(replaced) = &order.substituicao {
        key(
            work,
            "substituicao.chave".to_owned(),
            replaced.chave.as_deref(),
            CTE,
        );
    }
    let nfe: Vec<String> = documents
        .nfe
        .iter()
        .filter_map(|nfe| nfe.0.chave.clone())
        .collect();
    repeated(work, ("documentos.nfe", "NF-e"), &nfe);
    repeated(work, ("complementados", "chave"), &order.complementados);
}

fn list(work: &mut Work<'_>, place: &str, keys: &[String], models: &[u8]) {
    for (position, text) in keys.iter().take(MAX_DOCUMENTS).enumerate() {
        key(work, format!("{place}[{position}]"), Some(text), models);
    }
}

fn key(work: &mut Work<'_>, place: String, text: Option<&str>, models: &[u8]) {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
        return work.missing(&place, "Informe a chave de acesso, 44 posições.");
    };
    let right = Chave::parse(text).is_ok_and(|chave| models.contains(&chave.model()));
    if !right {
        let names: Vec<String> = models.iter().map(u8::to_string).collect();
        work.fields.add(
            place,
            "chave_invalida",
            format!(
                "A chave de acesso não existe, ou não é do modelo {}.",
                names.join(" ou ")
            ),
            "Confira as 44 posições da chave.",
        );
    }
}

/// A key stands once in its list (rejections 527 and 907).
fn repeated(work: &mut Work<'_>, (place, what): (&str, &str), keys: &[String]) {
    let mut seen = std::collections::BTreeSet::new();
    for (position, key) in keys.iter().take(MAX_DOCUMENTS).enumerate() {
        if !seen.insert(key.trim()) {
            work.fields.add(
                format!("{place}[{position}]"),
                "chave_repetida",
                format!("A mesma {what} foi informada mais de uma vez."),
                "Retire a repetição.",
            );
        }
    }
}
