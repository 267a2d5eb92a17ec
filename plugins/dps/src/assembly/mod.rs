//! From the hub's neutral content to the signed-to-be DPS.

mod group;
mod ibs_cbs;
mod party;
mod plain;
mod service;
mod values;

use crate::layout::{self, DPS, unite, write};
use crate::{description, ids};
use group::Group;
use sdk::nfse::{ApuracaoSimples, Dps, OpcaoSimples, RegimeEspecial, Substitui, Tributacao};
use sdk::xml::Writer;
use sdk::{Context, FieldError};

/// Namespace of every national document.
pub const NAMESPACE: &str = "http://www.sped.fazenda.gov.br/nfse";
/// Version of the layout.
pub const VERSAO: &str = "1.01";

/// An unsigned DPS.
#[derive(Debug)]
pub struct Montada {
    /// Id of `infDPS`, 45 positions.
    pub id: String,
    pub xml: String,
}

/// Builds the DPS of a content.
///
/// # Errors
/// Every field that the layout cannot express, with its path in the API.
pub fn montar(dps: &Dps, ctx: &Context) -> Result<Montada, Vec<FieldError>> {
    let mut errors = Vec::new();
    let municipality = municipio_emissor(dps, ctx);
    let id = ids::id_dps(
        &municipality,
        &ctx.emitente.documento,
        &dps.identificacao.serie,
        dps.identificacao.numero,
    )
    .map_err(|error| errors.push(error))
    .unwrap_or_default();
    let mut root = inf_dps(dps, ctx, &municipality, &mut errors).into_tree();
    if let Some(extra) = &dps.inf_dps {
        unite(DPS, &mut root, extra, &mut errors);
    }
    let mut w = Writer::with_declaration();
    w.group("DPS", &[("xmlns", NAMESPACE), ("versao", VERSAO)], |w| {
        w.group("infDPS", &[("Id", &id)], |w| {
            write(w, DPS, &root, &mut errors)
        });
    });
    if errors.is_empty() {
        Ok(Montada {
            id,
            xml: w.finish(),
        })
    } else {
        Err(one_per_field(errors))
    }
}

/// The first problem of each field: the others follow from it.
fn one_per_field(errors: Vec<FieldError>) -> Vec<FieldError> {
    let mut seen: Vec<FieldError> = Vec::with_capacity(errors.len());
    for error in errors {
        if !seen.iter().any(|known| known.campo == error.campo) {
            seen.push(error);
        }
    }
    seen
}

/// IBGE code of the emitter's municipality.
fn municipio_emissor(dps: &Dps, ctx: &Context) -> String {
    match (dps.codigo_municipio_emissor.trim(), &ctx.municipio) {
        ("", Some(municipio)) => format!("{:07}", municipio.codigo),
        (codigo, _) => codigo.to_owned(),
    }
}

/// The plain fields by the table, completed by what is calculated.
fn inf_dps(dps: &Dps, ctx: &Context, municipality: &str, errors: &mut Vec<FieldError>) -> Group {
    let emission = if dps.data_emissao.trim().is_empty() {
        &ctx.now
    } else {
        &dps.data_emissao
    };
    let emission = ids::data_hora(emission).unwrap_or_else(|| {
        errors.push(FieldError::new(
            "data_emissao",
            "formato",
            "Esperada data e hora RFC 3339 com fuso de horas inteiras.",
        ));
        String::new()
    });
    let competence = match dps.data_competencia.trim() {
        "" => emission.get(..10).unwrap_or_default(),
        day => day,
    };
    let mut g = plain::plain(DPS, dps, errors);
    g.text("tpAmb", tipo_ambiente(ctx));
    g.text("dhEmi", &emission);
    g.text("verAplic", &description::aplicativo(ctx));
    g.text("dCompet", competence);
    // 2 and 3 (taker, intermediary) are not accepted by the server yet (E9996).
    g.text("tpEmit", "1");
    g.text("cLocEmi", municipality);
    if let Some(substitui) = &dps.substitui {
        g.within("subst", |subst| {
            subst.text("cMotivo", motivo_da_substituicao(substitui));
        });
    }
    g.group("prest", provider(dps, ctx));
    party::person(&mut g, "toma", dps.tomador.as_ref());
    party::person(&mut g, "interm", dps.intermediario.as_ref());
    g.within("serv", |serv| service::service(serv, dps, municipality));
    g.within("valores", |valores| {
        values::values(valores, dps, ctx, errors);
    });
    if let Some(given) = &dps.ibs_cbs {
        g.within("IBSCBS", |group| ibs_cbs::ibs_cbs(group, given));
    }
    g
}

/// cMotivo of a substitution: 99, "others", when none is given.
pub fn motivo_da_substituicao(substitui: &Substitui) -> &str {
    substitui.motivo.as_deref().map_or("99", str::trim)
}

/// tpAmb: 1 production, 2 homologation.
pub fn tipo_ambiente(ctx: &Context) -> &'static str {
    if ctx.em_producao() { "1" } else { "2" }
}

/// The provider, who is the emitter: name and address may not be sent (E0121,
/// E0128).
fn provider(dps: &Dps, ctx: &Context) -> Group {
    let mut g = Group::default();
    party::document(&mut g, &ctx.emitente.documento);
    if ctx.option_flag("inscricao_municipal", true) {
        g.optional("IM", ctx.emitente.inscricao_municipal.as_deref());
    }
    g.optional(
        "fone",
        ctx.extra("telefone").map(party::only_digits).as_deref(),
    );
    g.optional("email", ctx.extra("email"));
    let (option, method, special) = regime(dps);
    let code = |name: &str, word| layout::code(&format!("prest.regTrib.{name}"), word);
    let mut tax = Group::default();
    tax.text("opSimpNac", code("opSimpNac", option.word()));
    tax.optional("regApTribSN", method.map(|m| code("regApTribSN", m.word())));
    tax.text("regEspTrib", code("regEspTrib", special.word()));
    g.group("regTrib", tax);
    g
}

/// The regime as the rules of the national system allow it on this note.
pub fn regime(dps: &Dps) -> (OpcaoSimples, Option<ApuracaoSimples>, RegimeEspecial) {
    let regime = dps.regime.clone().unwrap_or_default();
    let opcao = regime.opcao_simples;
    // Mandatory for ME/EPP (E0166), forbidden for the others (E0162).
    let apuracao =
        (opcao == OpcaoSimples::MeEpp).then(|| regime.apuracao_simples.unwrap_or_default());
    let especial_proibido = tributacao(dps) != Tributacao::Tributavel // E0172
        || opcao == OpcaoSimples::Mei // E0174
        || apuracao == Some(ApuracaoSimples::FederaisEMunicipalPeloSn); // E0175
    let especial = if especial_proibido {
        RegimeEspecial::Nenhum
    } else {
        regime.especial
    };
    (opcao, apuracao, especial)
}

/// tribISSQN, also when only the word of ABRASF was given.
pub fn tributacao(dps: &Dps) -> Tributacao {
    use sdk::nfse::Exigibilidade as E;
    let Some(iss) = &dps.valores.iss else {
        return Tributacao::Tributavel;
    };
    match (iss.tributacao, iss.exigibilidade) {
        (Tributacao::Tributavel, Some(E::NaoIncidencia)) => Tributacao::NaoIncidencia,
        (Tributacao::Tributavel, Some(E::Exportacao)) => Tributacao::Exportacao,
        (Tributacao::Tributavel, Some(E::Imunidade)) => Tributacao::Imunidade,
        (tributacao, _) => tributacao,
    }
}
