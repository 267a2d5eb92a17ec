//! The service: its kind, modal, places, CFOP and values.

use crate::cte::order::{Modal, Servico, Tipo};
use crate::cte::work::Work;
use rust_decimal::Decimal;

/// Components that the layout's own bound does not reach.
const MAX_COMPONENTS: usize = 200;
const RESERVED_SERIES: std::ops::RangeInclusive<u16> = 890..=899;
/// Highest price of a service (rejection 650).
const HIGHEST_TOTAL: Decimal = Decimal::from_parts(999_999_999, 0, 0, false, 2);

pub(super) fn check(work: &mut Work<'_>) {
    series(work);
    modal(work);
    kind(work);
    places(work);
    cfop(work);
    values(work);
    linked(work);
}

/// Series that the authority keeps for documents it issues itself (rejection 670).
fn series(work: &mut Work<'_>) {
    if RESERVED_SERIES.contains(&work.frame.serie) {
        work.fields.add_value(
            "serie",
            "serie_reservada",
            &work.frame.serie.to_string(),
            "As séries 890 a 899 são de CT-e emitidos pela própria SEFAZ.",
            "Use outra série, no pedido ou no perfil fiscal.",
        );
    }
}

/// The group of the modal, and no other's (rejection 580 of the modal's schema).
fn modal(work: &mut Work<'_>) {
    let Some(modal) = work.order.modal else {
        return work.missing(
            "modal",
            "Informe rodoviario, aereo, aquaviario, ferroviario, dutoviario ou multimodal.",
        );
    };
    let order = &work.order;
    let groups = [
        (Modal::Rodoviario, order.rodoviario.is_some()),
        (Modal::Aereo, order.aereo.is_some()),
        (Modal::Aquaviario, order.aquaviario.is_some()),
        (Modal::Ferroviario, order.ferroviario.is_some()),
        (Modal::Dutoviario, order.dutoviario.is_some()),
        (Modal::Multimodal, order.multimodal.is_some()),
    ];
    let complementary = work.kind() == Tipo::Complementar;
    for (other, present) in groups {
        let name = other.word();
        if other == modal && !present && !complementary {
            work.missing(name, "Informe os dados do modal neste grupo.");
        }
        if present && (other != modal || complementary) {
            let message = match complementary {
                true => "O CT-e complementar não leva dados do modal.".to_owned(),
                false => format!("O modal é {}: o grupo {name} não cabe.", modal.word()),
            };
            work.fields
                .add(name, "campo_nao_cabe", message, "Retire o grupo.");
        }
    }
}

/// What each kind of CT-e must and must not have.
fn kind(work: &mut Work<'_>) {
    let complementary = work.kind() == Tipo::Complementar;
    let replaces = work.kind() == Tipo::Substituicao;
    let order = &work.order;
    let (named, replaced) = (order.complementados.len(), order.substituicao.is_some());
    let of_the_cargo = [
        ("carga", order.carga.is_some()),
        ("documentos", order.documentos.is_some()),
        (
            "documentos_anteriores",
            !order.documentos_anteriores.is_empty(),
        ),
        ("veiculos_novos", !order.veiculos_novos.is_empty()),
        ("cobranca", order.cobranca.is_some()),
        ("ctes_multimodal", !order.ctes_multimodal.is_empty()),
        (
            "observacao_globalizado",
            order.observacao_globalizado.is_some(),
        ),
    ];
    if complementary && named == 0 {
        work.missing(
            "complementados",
            "Informe as chaves de acesso dos CT-e que este complementa.",
        );
    }
    if !complementary && named > 0 {
        work.fields.add(
            "complementados",
            "campo_nao_cabe",
            "Só o CT-e complementar leva as chaves dos complementados.",
            "Informe tipo complementar, ou retire o campo.",
        );
    }
    if replaces && !replaced {
        work.missing(
            "substituicao",
            "Informe a chave de acesso do CT-e que este substitui.",
        );
    }
    if !replaces && replaced {
        work.fields.add(
            "substituicao",
            "campo_nao_cabe",
            "Só o CT-e de substituição leva este grupo.",
            "Informe tipo substituicao, ou retire o grupo.",
        );
    }
    if complementary {
        for (name, present) in of_the_cargo {
            if present {
                work.fields.add(
                    name,
                    "campo_nao_cabe",
                    "O CT-e complementar só leva valores: a carga está no CT-e complementado.",
                    "Retire o campo.",
                );
            }
        }
        return;
    }
    // Only in a pipeline has the cargo no value that is known (rejection 581).
    let in_pipeline = work.order.modal == Some(Modal::Dutoviario);
    match work.order.carga.as_ref().map(|cargo| cargo.valor) {
        None => work.missing("carga", "Informe produto e quantidades da carga."),
        Some(None) if !in_pipeline => work.missing("carga.valor", "Informe o valor da carga."),
        Some(_) => {}
    }
}

fn places(work: &mut Work<'_>) {
    let codes = [
        ("municipio_envio", work.order.municipio_envio.clone()),
        ("municipio_inicio", work.order.municipio_inicio.clone()),
        ("municipio_fim", work.order.municipio_fim.clone()),
    ];
    for (name, code) in codes {
        match code.as_deref() {
            None | Some("") => work.missing(name, "Informe o código IBGE, sete dígitos."),
            Some(code) if crate::places::place(Some(code)).is_none() => {
                work.fields.add_value(
                    name,
                    "municipio_inexistente",
                    code,
                    "Não há município com esse código IBGE.",
                    "Confira o código em GET /api/v1/municipios; no exterior, 9999999.",
                );
            }
            Some(_) => {}
        }
    }
}

/// The first digit says where the service ends: 5 in the state it begins in, 6
/// in another, 7 abroad (Convênio S/N 1970, CFOP).
fn cfop(work: &mut Work<'_>) {
    let Some(code) = work.order.cfop.clone().filter(|code| !code.is_empty()) else {
        return work.missing("cfop", "Informe o CFOP da prestação, como 5353 ou 6353.");
    };
    let known = code.parse().ok().and_then(data::cfop::get);
    if known.is_none() || !matches!(code.as_bytes().first(), Some(b'5'..=b'7')) {
        return work.fields.add_value(
            "cfop",
            "cfop_invalido",
            &code,
            "O CFOP não existe, ou não é de prestação.",
            "Use um CFOP de prestação de transporte, como 5353 ou 6353.",
        );
    }
    let (Some(start), Some(end)) = (work.start(), work.end()) else {
        return;
    };
    let expected = match (start.uf, end.uf) {
        ("EX", _) | (_, "EX") => '7',
        (start, end) if start == end => '5',
        _ => '6',
    };
    begun_elsewhere(work, &code, (start.uf, end.uf));
    // A service to or from abroad may have the CFOP of its part in Brazil.
    if expected != '7' && !code.starts_with(expected) {
        work.fields.add_value(
            "cfop",
            "cfop_incompativel",
            &code,
            format!(
                "De {} para {}, o CFOP começa com {expected}.",
                start.uf, end.uf
            ),
            "Corrija o CFOP, ou os municípios de início e término.",
        );
    }
}

/// A service that begins in another state than the emitter's has a CFOP of its
/// own, which no other service has (rejections 524 and 908).
fn begun_elsewhere(work: &mut Work<'_>, code: &str, (start, end): (&str, &str)) {
    if start == "EX" || end == "EX" {
        return;
    }
    let own = work.uf.abbreviation;
    let elsewhere = matches!(code, "5932" | "6932");
    let (message, correction) = match (start == own, elsewhere) {
        (true, true) => (
            format!("O CFOP {code} é de prestação iniciada fora de {own}."),
            "Use o CFOP da prestação, como 5353 ou 6353.",
        ),
        (false, false) => (
            format!("A prestação inicia em {start}, e o emitente é de {own}."),
            "Use o CFOP 5932, ou 6932 se ela termina em outra UF.",
        ),
        _ => return,
    };
    work.fields
        .add_value("cfop", "cfop_incompativel", code, message, correction);
}

fn values(work: &mut Work<'_>) {
    let Some(values) = work.order.valores.clone() else {
        return work.missing(
            "valores",
            "Informe o valor da prestação em valores.prestacao.",
        );
    };
    if values.prestacao.is_none() {
        work.missing("valores.prestacao", "Informe o valor total da prestação.");
    }
    if values.componentes.len() > MAX_COMPONENTS {
        work.fields.add(
            "valores.componentes",
            "limite",
            format!("São até {MAX_COMPONENTS} componentes."),
            "Some componentes de mesmo nome.",
        );
    }
    let named = values.componentes.iter().filter_map(|part| part.valor);
    let sum = named.fold(Decimal::ZERO, |sum, value| {
        fiscal::taxes::money::plus(sum, *value)
    });
    if !values.componentes.is_empty() && sum != work.total() {
        work.notice(
            "valores.componentes",
            "A soma dos componentes difere do valor da prestação.",
        );
    }
    if work.receivable() > work.total() {
        work.fields.add(
            "valores.receber",
            "valor_divergente",
            "O valor a receber passa do valor da prestação (rejeição 531).",
            "Informe em valores.receber até o valor da prestação.",
        );
    }
    if work.total() > HIGHEST_TOTAL {
        work.fields.add(
            "valores.prestacao",
            "limite",
            "O valor da prestação vai até R$ 9.999.999,99 (rejeição 650).",
            "Confira o valor, ou divida a prestação.",
        );
    }
}

/// A service that is linked to a multimodal one names it.
fn linked(work: &mut Work<'_>) {
    let is_linked = work.service() == Servico::VinculadoMultimodal;
    let named = !work.order.ctes_multimodal.is_empty();
    if is_linked && !named && work.kind() != Tipo::Complementar {
        work.missing(
            "ctes_multimodal",
            "Informe a chave de acesso do CT-e multimodal a que o serviço se vincula.",
        );
    }
    if !is_linked && named {
        work.fields.add(
            "ctes_multimodal",
            "campo_nao_cabe",
            "Só o serviço vinculado a multimodal leva estas chaves.",
            "Informe servico vinculado_multimodal, ou retire o campo.",
        );
    }
}
