//! Insurance of the cargo and the product that leads it.

use crate::mdfe::order::{Local, ResponsavelSeguro, Seguro};
use crate::mdfe::work::{Work, is_given};
use markup::ids::{Cnpj, CpfCnpj, Takes};

/// Policies of one MDF-e, which the layout does not bound.
const MAX_POLICIES: usize = 100;

pub(super) fn check(work: &mut Work<'_>) {
    let policies = work.order.seguro.clone();
    // Rejections 698 and 699 (Lei 11.442/2007, art. 13).
    let obligatory = work.by_road() && work.for_others();
    if obligatory && policies.is_empty() {
        work.missing(
            "seguro",
            "O prestador de serviço de transporte informa seguradora, apólice e averbação.",
        );
    }
    if policies.len() > MAX_POLICIES {
        work.fields.add(
            "seguro",
            "limite",
            format!("São até {MAX_POLICIES} seguros."),
            "Reúna as averbações da mesma apólice.",
        );
    }
    for (position, policy) in policies.iter().take(MAX_POLICIES).enumerate() {
        insurance(work, &format!("seguro[{position}]"), policy, obligatory);
    }
    product(work);
}

fn insurance(work: &mut Work<'_>, at: &str, policy: &Seguro, obligatory: bool) {
    let by_other = policy.responsavel == Some(ResponsavelSeguro::Contratante);
    let documento = policy.cpf_cnpj.as_deref();
    match documento.map(|text| (text, CpfCnpj::parse(text))) {
        None if by_other => work.missing(
            &format!("{at}.cpf_cnpj"),
            "Informe o CPF ou CNPJ do contratante responsável pelo seguro.",
        ),
        Some((text, Err(_))) => {
            work.fields
                .add_number(format!("{at}.cpf_cnpj"), Takes::CpfCnpj, text);
        }
        None | Some((_, Ok(_))) => {}
    }
    let lists = [
        ("seguradora", is_given(&policy.seguradora)),
        ("cnpj_seguradora", is_given(&policy.cnpj_seguradora)),
        ("apolice", is_given(&policy.apolice)),
        ("averbacoes", !policy.averbacoes.is_empty()),
    ];
    for (name, given) in lists {
        if obligatory && !given {
            work.missing(
                &format!("{at}.{name}"),
                "O prestador de serviço de transporte informa seguradora, apólice e averbação.",
            );
        }
    }
    // The layout has both or none.
    if !obligatory && is_given(&policy.seguradora) != is_given(&policy.cnpj_seguradora) {
        let lacking = match is_given(&policy.seguradora) {
            true => "cnpj_seguradora",
            false => "seguradora",
        };
        work.missing(
            &format!("{at}.{lacking}"),
            "Nome e CNPJ da seguradora vão juntos.",
        );
    }
    let insurer = policy.cnpj_seguradora.as_deref();
    if let Some(text) = insurer.filter(|text| Cnpj::parse(text).is_err()) {
        work.fields
            .add_number(format!("{at}.cnpj_seguradora"), Takes::Cnpj, text);
    }
}

fn product(work: &mut Work<'_>) {
    let Some(product) = work.order.produto_predominante.clone() else {
        if work.by_road() {
            work.notice(
                "produto_predominante",
                "No modal rodoviário a SEFAZ pode exigir o produto predominante.",
            );
        }
        return;
    };
    if product.tipo_carga.is_none() {
        work.missing(
            "produto_predominante.tipo_carga",
            "Informe o tipo da carga, como carga_geral.",
        );
    }
    if !is_given(&product.descricao) {
        work.missing(
            "produto_predominante.descricao",
            "Informe a descrição do produto.",
        );
    }
    if let Some(load) = &product.lotacao {
        let at = "produto_predominante.lotacao";
        local(
            work,
            &format!("{at}.carregamento"),
            load.carregamento.as_ref(),
        );
        local(
            work,
            &format!("{at}.descarregamento"),
            load.descarregamento.as_ref(),
        );
    }
}

/// A postal code, or a pair of coordinates.
fn local(work: &mut Work<'_>, at: &str, given: Option<&Local>) {
    let given = given.cloned().unwrap_or_default();
    let point = (is_given(&given.latitude), is_given(&given.longitude));
    match (is_given(&given.cep), point) {
        (true, (false, false)) | (false, (true, true)) => {}
        (true, _) => work.fields.add(
            at,
            "campo_nao_cabe",
            "O lugar tem CEP ou coordenadas, não os dois.",
            "Deixe só um deles.",
        ),
        (false, _) => work.missing(at, "Informe cep, ou latitude e longitude."),
    }
}
