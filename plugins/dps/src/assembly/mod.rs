//! From the hub's neutral content to the signed-to-be DPS.

mod filled;
mod group;
mod ibs_cbs;
mod party;
mod plain;
mod service;
mod signature;
mod values;

use crate::layout::{self, DPS, unite, write};
use crate::{description, ids, transport};
use group::Group;
use sdk::nfse::{ApuracaoSimples, Dps, OpcaoSimples, RegimeEspecial, Substitui, Tributacao};
use sdk::xml::Writer;
use sdk::{Context, FieldError};

pub use signature::sign;

/// Namespace of every national document.
pub const NAMESPACE: &str = "http://www.sped.fazenda.gov.br/nfse";
/// Version of the layout.
pub const VERSION: &str = "1.01";

/// An unsigned DPS, or the note filled in around it.
#[derive(Debug)]
pub struct BuiltDps {
    /// Id of the DPS, 45 positions.
    pub id: String,
    /// Id of what is signed.
    pub signed: String,
    pub xml: String,
}

/// Builds the DPS of a content.
///
/// # Errors
/// Every field that the layout cannot express, with its path in the API.
pub fn build(dps: &Dps, ctx: &Context) -> Result<BuiltDps, Vec<FieldError>> {
    let mut errors = Vec::new();
    let municipality = issuing_municipality(dps, ctx);
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
    let (namespace, version) = (transport::namespace(ctx), transport::version(ctx));
    w.group("DPS", &[("xmlns", namespace), ("versao", version)], |w| {
        let empty = ctx.option_flag("ids_vazios", false);
        let written = if empty { "" } else { id.as_str() };
        let mut attributes = vec![(transport::id_attribute(ctx), written)];
        attributes.extend(transport::inner_namespace(ctx).map(|uri| ("xmlns", uri)));
        w.group("infDPS", &attributes, |w| write(w, DPS, &root, &mut errors));
    });
    if !errors.is_empty() {
        return Err(one_per_field(errors));
    }
    let xml = w.finish();
    if ctx.option("documento") == Some("nfse") {
        let filled = filled::fill(&xml, dps, ctx)?;
        return Ok(BuiltDps {
            id,
            signed: filled.id,
            xml: filled.xml,
        });
    }
    Ok(BuiltDps {
        signed: id.clone(),
        id,
        xml,
    })
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
fn issuing_municipality(dps: &Dps, ctx: &Context) -> String {
    match (dps.codigo_municipio_emissor.trim(), &ctx.municipio) {
        ("", Some(municipality)) => format!("{:07}", municipality.codigo),
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
    let emission = ids::date_time(emission).unwrap_or_else(|| {
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
    g.text("tpAmb", ambiente_kind(ctx));
    g.text("dhEmi", &emission);
    g.text("verAplic", &description::application(ctx));
    g.text("dCompet", competence);
    // 2 and 3 (taker, intermediary) are not accepted by the server yet (E9996).
    g.text("tpEmit", "1");
    g.text("cLocEmi", municipality);
    if let Some(replacement) = &dps.substitui {
        g.within("subst", |subst| {
            subst.text("cMotivo", replacement_reason(replacement));
        });
    }
    g.group("prest", provider(dps, ctx));
    party::person(&mut g, "toma", dps.tomador.as_ref());
    party::person(&mut g, "interm", dps.intermediario.as_ref());
    g.within("serv", |serv| service::service(serv, dps, municipality));
    g.within("valores", |values| {
        values::values(values, dps, ctx, errors);
    });
    if let Some(given) = &dps.ibs_cbs {
        g.within("IBSCBS", |group| ibs_cbs::ibs_cbs(group, given));
    }
    g
}

/// cMotivo of a substitution: 99, "others", when none is given.
pub fn replacement_reason(replacement: &Substitui) -> &str {
    replacement.motivo.as_deref().map_or("99", str::trim)
}

/// tpAmb: 1 production, 2 homologation.
pub fn ambiente_kind(ctx: &Context) -> &'static str {
    if ctx.in_production() { "1" } else { "2" }
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
    let option = regime.opcao_simples;
    // Mandatory for ME/EPP (E0166), forbidden for the others (E0162).
    let assessment =
        (option == OpcaoSimples::MeEpp).then(|| regime.apuracao_simples.unwrap_or_default());
    let special_forbidden = taxation(dps) != Tributacao::Tributavel // E0172
        || option == OpcaoSimples::Mei // E0174
        || assessment == Some(ApuracaoSimples::FederaisEMunicipalPeloSn); // E0175
    let special = if special_forbidden {
        RegimeEspecial::Nenhum
    } else {
        regime.especial
    };
    (option, assessment, special)
}

/// tribISSQN, also when only the word of ABRASF was given.
pub fn taxation(dps: &Dps) -> Tributacao {
    use sdk::nfse::Exigibilidade as E;
    let Some(iss) = &dps.valores.iss else {
        return Tributacao::Tributavel;
    };
    match (iss.tributacao, iss.exigibilidade) {
        (Tributacao::Tributavel, Some(E::NaoIncidencia)) => Tributacao::NaoIncidencia,
        (Tributacao::Tributavel, Some(E::Exportacao)) => Tributacao::Exportacao,
        (Tributacao::Tributavel, Some(E::Imunidade)) => Tributacao::Imunidade,
        (taxation, _) => taxation,
    }
}
