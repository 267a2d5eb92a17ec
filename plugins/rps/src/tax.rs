//! What a content says about the tax, whatever codes a layout has for it.

use sdk::nfse::{Dps, Exigibilidade, Iss, OpcaoSimples, Servico, Tributacao};

/// The exigibility, given or derived from the DPS's kind of taxation.
pub fn exigibility(iss: &Iss) -> Exigibilidade {
    iss.exigibilidade.unwrap_or(match iss.tributacao {
        Tributacao::Tributavel => Exigibilidade::Exigivel,
        Tributacao::Imunidade => Exigibilidade::Imunidade,
        Tributacao::Exportacao => Exigibilidade::Exportacao,
        Tributacao::NaoIncidencia => Exigibilidade::NaoIncidencia,
    })
}

/// A tax is due, although a suspended one is not paid yet.
pub fn due(exigibility: Exigibilidade) -> bool {
    matches!(
        exigibility,
        Exigibilidade::Exigivel
            | Exigibilidade::SuspensaJudicial
            | Exigibilidade::SuspensaAdministrativa
    )
}

/// The emitter is in the Simples Nacional, as MEI or as ME/EPP.
pub fn simples(dps: &Dps) -> bool {
    let regime = dps.regime.as_ref();
    regime.is_some_and(|regime| regime.opcao_simples != OpcaoSimples::NaoOptante)
}

/// The tax is due in another municipality than the emitter's.
pub fn outside_city(dps: &Dps) -> bool {
    let codigo = dps.servico.codigo_municipio_incidencia.as_deref();
    codigo.is_some_and(|codigo| codigo != dps.codigo_municipio_emissor)
}

/// Where the tax is due: what was given, or the emitter's city where nothing
/// points elsewhere. Otherwise the city decides.
pub fn incidence_municipality(dps: &Dps, exigibility: Exigibilidade) -> Option<&str> {
    let service = &dps.servico;
    if let Some(codigo) = service.codigo_municipio_incidencia.as_deref() {
        return Some(codigo);
    }
    let at_home = service.codigo_pais_prestacao.is_none()
        && service
            .codigo_municipio_prestacao
            .as_deref()
            .is_none_or(|codigo| codigo == dps.codigo_municipio_emissor);
    (at_home && due(exigibility)).then_some(dps.codigo_municipio_emissor.as_str())
}

/// Item and subitem of the list of LC 116/2003; from the national code (item,
/// subitem, unfolding: two digits each) when they are not given.
pub fn item_parts(service: &Servico) -> Option<(u8, u8)> {
    let pair = |text: &str| -> Option<u8> {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (digits && text.len() <= 2).then(|| text.parse().ok())?
    };
    if let Some(item) = service.item_lista_servico.as_deref().map(str::trim) {
        let (item, subitem) = item.split_once('.')?;
        return Some((pair(item)?, pair(subitem)?));
    }
    let codigo = service.codigo_tributacao_nacional.as_deref()?.trim();
    (codigo.len() == 6).then_some(())?;
    Some((pair(codigo.get(..2)?)?, pair(codigo.get(2..4)?)?))
}
