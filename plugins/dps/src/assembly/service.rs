//! serv: where the service was rendered, and for what work or event.

use crate::assembly::group::Group;
use crate::assembly::party::simple_address;
use sdk::nfse::{Dps, Endereco};

/// Completes serv.
pub fn service(g: &mut Group, dps: &Dps, municipality: &str) {
    let service = &dps.servico;
    let mut place = Group::default();
    let (city, country) = (
        filled(&service.codigo_municipio_prestacao),
        filled(&service.codigo_pais_prestacao),
    );
    match (city, country) {
        (Some(code), _) => place.text("cLocPrestacao", code),
        (None, Some(country)) => place.text("cPaisPrestacao", country),
        (None, None) => place.text("cLocPrestacao", municipality),
    }
    g.group("locPrest", place);
    let address_of = |g: &mut Group, name: &str, given: Option<&Endereco>| {
        if let Some(given) = given {
            g.within(name, |inside| {
                inside.within("end", |end| simple_address(end, given));
            });
        }
    };
    let work = dps
        .obra
        .as_ref()
        .and_then(|construction| construction.endereco.as_ref());
    address_of(g, "obra", work);
    let event = dps.evento.as_ref();
    address_of(
        g,
        "atvEvento",
        event.and_then(|event| event.endereco.as_ref()),
    );
}

fn filled(text: &Option<String>) -> Option<&str> {
    text.as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}
