//! `InfDeclaracaoPrestacaoServico`: one RPS from 2.00 on.

use super::ibs_cbs;
use super::tags::Tags;
use crate::message::sending::Ids;
use crate::message::{party, plain, provider, tax, values};
use crate::options::Options;
use crate::version::LayoutVersion;
use rps::amounts::withheld;
use rps::{Fields, countries, dates};
use sdk::Emitente;
use sdk::nfse::table::{RPS, RPS_SERVICE};
use sdk::nfse::{Dps, Exigibilidade, Identificacao, Obra};

/// Longest text of the service, in every version.
pub const MAX_SERVICE_TEXT: usize = 2000;

/// Everything inside `Rps`, without its signature.
pub fn write(
    t: &mut Tags,
    options: &Options,
    emitter: &Emitente,
    dps: &Dps,
    ids: &Ids,
    fields: &mut Fields,
) {
    let version = options.version;
    let code = &mut |t: &mut Tags, name: &str, fields: &mut Fields| match name {
        "Rps" => rps(t, options, dps, ids, fields),
        "Competencia" => {
            let day = &dps.data_competencia;
            let day = dates::data(day, options.period_time, "data_competencia", fields);
            t.leaf(name, &day);
        }
        "Servico" => service(t, options, dps, fields),
        "Prestador" => t.group(name, &[], |t| {
            provider::identification(t, version, emitter, fields);
        }),
        "Tomador" => {
            if let Some(tomador) = &dps.tomador {
                party::tomador(t, options, tomador, fields);
            }
        }
        "Intermediario" => {
            if let Some(intermediary) = &dps.intermediario {
                party::intermediary(t, options, intermediary, fields);
            }
        }
        "ConstrucaoCivil" => {
            if let Some(construction) = &dps.obra {
                building(t, version, construction, fields);
            }
        }
        "RegimeEspecialTributacao" | "OptanteSimplesNacional" | "IncentivoFiscal" => {
            regime(t, options, name, dps);
        }
        of_group => ibs_cbs::code(t, of_group, options, dps, fields),
    };
    t.group(
        "InfDeclaracaoPrestacaoServico",
        &options.id(&ids.rps),
        |t| plain::write(t, RPS, options, dps, fields, code),
    );
}

fn rps(t: &mut Tags, options: &Options, dps: &Dps, ids: &Ids, fields: &mut Fields) {
    let issue = dates::data(
        &dps.data_emissao,
        options.issue_time,
        "data_emissao",
        fields,
    );
    let attributes = if options.rps_id {
        options.id(&ids.inner_rps)
    } else {
        Vec::new()
    };
    t.group("Rps", &attributes, |t| {
        t.group("IdentificacaoRps", &[], |t| {
            identification(t, &dps.identificacao, "identificacao", fields);
        });
        t.leaf("DataEmissao", &issue);
        // 1: a normal RPS.
        t.leaf("Status", "1");
        replaced_rps(t, dps, fields);
    });
}

/// `RpsSubstituido`, where the content names the RPS of the note replaced.
pub fn replaced_rps(t: &mut Tags, dps: &Dps, fields: &mut Fields) {
    if let Some(rps) = dps.substitui.as_ref().and_then(|s| s.rps.as_ref()) {
        t.group("RpsSubstituido", &[], |t| {
            identification(t, rps, "substitui.rps", fields);
        });
    }
}

/// Number, series and type (1, RPS) of a declaration.
pub fn identification(t: &mut Tags, rps: &Identificacao, field: &str, fields: &mut Fields) {
    let serie = fields.text(&format!("{field}.serie"), Some(&rps.serie), 5);
    let number = rps.numero.to_string();
    let number = fields.text(&format!("{field}.numero"), Some(&number), 15);
    t.leaf("Numero", &number);
    t.leaf("Serie", &serie);
    t.leaf("Tipo", "1");
}

/// `Servico` of every version.
pub fn service(t: &mut Tags, options: &Options, dps: &Dps, fields: &mut Fields) {
    let service = &dps.servico;
    let iss = dps.valores.iss.clone().unwrap_or_default();
    let exigibility = tax::exigibility(&iss);
    let suspended = matches!(
        exigibility,
        Exigibilidade::SuspensaJudicial | Exigibilidade::SuspensaAdministrativa
    );
    let case = iss.numero_processo.as_deref().unwrap_or_default();
    if suspended && case.trim().is_empty() && !options.version.first() {
        fields.error(
            "valores.iss.numero_processo",
            "obrigatorio",
            "Informe o número do processo que suspende a exigibilidade.",
        );
    }
    let code = &mut |t: &mut Tags, name: &str, fields: &mut Fields| match name {
        "Valores" => values::values(t, options, dps, fields),
        "IssRetido" => t.leaf(name, tax::yes_no(withheld(&dps.valores))),
        "ResponsavelRetencao" => t.optional(name, tax::withholding_party(iss.retencao)),
        "ItemListaServico" => t.leaf(name, &tax::list_item(service, options.item, fields)),
        "Discriminacao" => t.leaf(name, &service_text(options, dps, fields)),
        "CodigoMunicipio" => t.leaf(name, &municipality(dps, fields)),
        "CodigoPais" => {
            if let Some(country) = service.codigo_pais_prestacao.as_deref() {
                match countries::bacen(country) {
                    Some(codigo) => t.leaf(name, codigo),
                    None => fields.error(
                        "servico.codigo_pais_prestacao",
                        "formato",
                        "Informe o país pela sigla ISO de duas letras.",
                    ),
                }
            }
        }
        "ExigibilidadeISS" => t.leaf(name, tax::exigibility_code(exigibility)),
        "MunicipioIncidencia" => {
            if let Some(codigo) = tax::incidence_municipality(dps, exigibility) {
                let codigo = fields.digits("servico.codigo_municipio_incidencia", codigo, 7);
                t.leaf(name, &codigo);
            }
        }
        _ => plain::unknown(name),
    };
    t.group("Servico", &[], |t| {
        plain::write(t, RPS_SERVICE, options, dps, fields, code);
    });
}

/// One of the three elements of the provider's tax regime.
pub fn regime(t: &mut Tags, options: &Options, name: &str, dps: &Dps) {
    let regime = dps.regime.clone().unwrap_or_default();
    match name {
        "RegimeEspecialTributacao" => {
            let known = |code: &&str| {
                code.parse()
                    .is_ok_and(|code: u64| code <= options.max_regime)
            };
            t.optional(name, tax::special_regime(&regime).filter(known));
        }
        "OptanteSimplesNacional" => t.leaf(name, tax::opts_for_simples(&regime)),
        // IncentivoFiscal; IncentivadorCultural in 1.00.
        _ => t.leaf(name, tax::yes_no(regime.incentivador_cultural)),
    }
}

/// The text of the service; before 2.04 there is no other place for the
/// complementary information, so it follows the text.
fn service_text(options: &Options, dps: &Dps, fields: &mut Fields) -> String {
    let mut text = dps.servico.descricao.trim().to_owned();
    let more = dps
        .informacoes_complementares
        .as_deref()
        .map(str::trim)
        .unwrap_or_default();
    if options.version < LayoutVersion::V204 && !more.is_empty() {
        text = format!("{text} {more}");
    }
    fields.text("servico.descricao", Some(&text), MAX_SERVICE_TEXT)
}

/// Where the service was rendered: abroad there is no code.
fn municipality(dps: &Dps, fields: &mut Fields) -> String {
    let service = &dps.servico;
    if service.codigo_pais_prestacao.is_some() {
        return "9999999".into();
    }
    let codigo = service.codigo_municipio_prestacao.as_ref();
    let codigo = codigo.unwrap_or(&dps.codigo_municipio_emissor);
    fields.digits("servico.codigo_municipio_prestacao", codigo, 7)
}

/// Work and its technical responsibility (ART).
fn building(t: &mut Tags, version: LayoutVersion, construction: &Obra, fields: &mut Fields) {
    let maximum = if version >= LayoutVersion::V203 {
        30
    } else {
        15
    };
    let codigo = fields.optional("obra.codigo", construction.codigo.as_deref(), maximum);
    // Only 2.04 takes a work without ART.
    let art = if version >= LayoutVersion::V204 && codigo.is_some() {
        fields.optional("obra.art", construction.art.as_deref(), maximum)
    } else {
        Some(fields.text("obra.art", construction.art.as_deref(), maximum))
    };
    t.group("ConstrucaoCivil", &[], |t| {
        t.optional("CodigoObra", codigo.as_deref());
        t.optional("Art", art.as_deref());
    });
}
