//! Members of the request that are not the note's content: moments, series,
//! and the service's code.

use super::ServiceOrder;
use crate::document::moment;
use crate::emitters::profile::{Perfil, is_valid_serie};
use base::when;
use fiscal::nfse::dps::Content;
use markup::field::Fields;
use time::{Date, OffsetDateTime};

/// Series of the national layout (rule E0010).
const NATIONAL_SERIES: std::ops::RangeInclusive<u32> = 1..=49_999;

/// `data_emissao`, by default the moment `now` of the emitter's state, and
/// `data_competencia`, by default the day of the emission.
pub fn moments(
    fields: &mut Fields,
    request: &ServiceOrder,
    now: OffsetDateTime,
) -> (OffsetDateTime, Date) {
    let issue = moment::emission(fields, request.data_emissao.as_deref(), now);
    let Some(text) = request.data_competencia.as_deref() else {
        return (issue, issue.date());
    };
    let period = when::parse_date(text).unwrap_or_else(|| {
        fields.add_value(
            "data_competencia",
            "data_invalida",
            text,
            "Data inválida.",
            "Use AAAA-MM-DD.",
        );
        issue.date()
    });
    (issue, period)
}

/// The series of systems that have none; it is also every profile's first.
const THE_ONLY_SERIE: &str = "1";

/// The series asked for, or the profile's, in its one form.
pub fn serie(fields: &mut Fields, request: &ServiceOrder, perfil: &Perfil) -> String {
    let serie = perfil.serie_nfse(request.serie_rps.as_deref());
    if !is_valid_serie(&serie) {
        fields.add_value(
            "serie_rps",
            "serie_invalida",
            &serie,
            "Série inválida.",
            "Use até 5 letras e dígitos; no padrão nacional, de 1 a 49999.",
        );
    }
    serie
}

/// The national layout knows only numeric series.
pub fn serie_nacional(fields: &mut Fields, serie: &str) {
    if !serie
        .parse()
        .is_ok_and(|serie| NATIONAL_SERIES.contains(&serie))
    {
        fields.add_value(
            "serie_rps",
            "serie_invalida",
            serie,
            "No padrão nacional a série vai de 1 a 49999.",
            "Corrija serie_rps ou a série do perfil fiscal.",
        );
    }
}

/// Where the city knows an RPS by its number alone, all notes are numbered in
/// one series: the first note of a second series would be taken for the first
/// of the other.
pub fn single_serie(fields: &mut Fields, serie: &str) {
    if serie != THE_ONLY_SERIE {
        fields.add_value(
            "serie_rps",
            "serie_unica",
            serie,
            "A prefeitura conhece o RPS só pelo número: aqui há uma única série, a 1.",
            "Deixe serie_rps vazia ou 1, no pedido e no perfil fiscal.",
        );
    }
}

/// Checks the national code against its list, and fills the item of LC 116
/// that cities ask for.
pub fn known_service(fields: &mut Fields, content: &mut Content, layout_nacional: bool) {
    let service = &mut content.servico;
    let Some(codigo) = service
        .codigo_tributacao_nacional
        .as_deref()
        .filter(|codigo| codigo.len() == 6)
    else {
        return;
    };
    match data::services::get(codigo) {
        Some(known) if service.item_lista_servico.is_none() => {
            service.item_lista_servico = Some(known.item())
        }
        Some(_) => {}
        None if layout_nacional => fields.add_value(
            "servico.codigo_tributacao_nacional",
            "codigo_inexistente",
            codigo,
            "O código não existe na lista nacional de serviços.",
            "Veja a lista no Anexo VI da NFS-e nacional (item, subitem e desdobro).",
        ),
        None => {}
    }
}
