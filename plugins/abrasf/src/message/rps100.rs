//! `InfRps`: one RPS in 1.00.

use super::tags::Tags;
use crate::message::declaration::{identification, regime, replaced_rps, service};
use crate::message::sending::Ids;
use crate::message::{party, provider};
use crate::options::Options;
use rps::Fields;
use rps::dates;
use sdk::Emitente;
use sdk::nfse::Dps;

/// Everything inside `Rps`, without its signature.
pub fn write(
    t: &mut Tags,
    options: &Options,
    emitter: &Emitente,
    dps: &Dps,
    ids: &Ids,
    fields: &mut Fields,
) {
    let iss = dps.valores.iss.clone().unwrap_or_default();
    let issue = dates::data(
        &dps.data_emissao,
        options.issue_time,
        "data_emissao",
        fields,
    );
    if dps.servico.codigo_pais_prestacao.is_some() {
        fields.error(
            "servico.codigo_pais_prestacao",
            "sem_equivalente",
            "O leiaute da prefeitura não tem serviço prestado no exterior.",
        );
    }
    t.group("InfRps", &options.id(&ids.rps), |t| {
        t.group("IdentificacaoRps", &[], |t| {
            identification(t, &dps.identificacao, "identificacao", fields);
        });
        t.leaf("DataEmissao", &issue);
        t.leaf("NaturezaOperacao", &options.natures.code(dps, &iss, fields));
        for name in [
            "RegimeEspecialTributacao",
            "OptanteSimplesNacional",
            "IncentivadorCultural",
        ] {
            regime(t, options, name, dps);
        }
        // 1: a normal RPS.
        t.leaf("Status", "1");
        replaced_rps(t, dps, fields);
        service(t, options, dps, fields);
        t.group("Prestador", &[], |t| {
            provider::identification(t, options.version, emitter, fields);
        });
        if let Some(tomador) = &dps.tomador {
            party::tomador(t, options, tomador, fields);
        }
        if let Some(intermediary) = &dps.intermediario {
            party::intermediary(t, options, intermediary, fields);
        }
        if let Some(construction) = &dps.obra {
            let codigo = fields.text("obra.codigo", construction.codigo.as_deref(), 15);
            let art = fields.text("obra.art", construction.art.as_deref(), 15);
            // The schema's own spelling.
            t.group("ContrucaoCivil", &[], |t| {
                t.leaf("CodigoObra", &codigo);
                t.leaf("Art", &art);
            });
        }
    });
}
