//! From the hub's neutral content to the signed-to-be DPS.

mod group;
mod ibs_cbs;
mod party;
mod service;
mod values;

use crate::layout::{INF_DPS, escrever, unir};
use crate::{description, ids};
use group::Grupo;
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
    let mut erros = Vec::new();
    let municipio = municipio_emissor(dps, ctx);
    let id = ids::id_dps(
        &municipio,
        &ctx.emitente.documento,
        &dps.identificacao.serie,
        dps.identificacao.numero,
    )
    .map_err(|erro| erros.push(erro))
    .unwrap_or_default();
    let mut raiz = inf_dps(dps, ctx, &municipio, &mut erros).arvore();
    if let Some(extra) = &dps.inf_dps {
        unir(INF_DPS, &mut raiz, extra, &mut erros);
    }
    let mut w = Writer::with_declaration();
    w.group("DPS", &[("xmlns", NAMESPACE), ("versao", VERSAO)], |w| {
        w.group("infDPS", &[("Id", &id)], |w| {
            escrever(w, INF_DPS, &raiz, &mut erros)
        });
    });
    if erros.is_empty() {
        Ok(Montada {
            id,
            xml: w.finish(),
        })
    } else {
        Err(um_por_campo(erros))
    }
}

/// The first problem of each field: the others follow from it.
fn um_por_campo(erros: Vec<FieldError>) -> Vec<FieldError> {
    let mut vistos: Vec<FieldError> = Vec::with_capacity(erros.len());
    for erro in erros {
        if !vistos.iter().any(|visto| visto.campo == erro.campo) {
            vistos.push(erro);
        }
    }
    vistos
}

/// IBGE code of the emitter's municipality.
fn municipio_emissor(dps: &Dps, ctx: &Context) -> String {
    match (dps.codigo_municipio_emissor.trim(), &ctx.municipio) {
        ("", Some(municipio)) => format!("{:07}", municipio.codigo),
        (codigo, _) => codigo.to_owned(),
    }
}

fn inf_dps(dps: &Dps, ctx: &Context, municipio: &str, erros: &mut Vec<FieldError>) -> Grupo {
    let emissao = if dps.data_emissao.trim().is_empty() {
        &ctx.now
    } else {
        &dps.data_emissao
    };
    let emissao = ids::data_hora(emissao).unwrap_or_else(|| {
        erros.push(FieldError::new(
            "data_emissao",
            "formato",
            "Esperada data e hora RFC 3339 com fuso de horas inteiras.",
        ));
        String::new()
    });
    let competencia = match dps.data_competencia.trim() {
        "" => emissao.get(..10).unwrap_or_default().to_owned(),
        dia => dia.to_owned(),
    };
    let mut g = Grupo::default();
    g.texto("tpAmb", tipo_ambiente(ctx));
    g.texto("dhEmi", &emissao);
    g.texto("verAplic", &description::aplicativo(ctx));
    g.texto("serie", dps.identificacao.serie.trim());
    g.texto("nDPS", &dps.identificacao.numero.to_string());
    g.texto("dCompet", &competencia);
    // 2 and 3 (taker, intermediary) are not accepted by the server yet (E9996).
    g.texto("tpEmit", "1");
    g.texto("cLocEmi", municipio);
    if let Some(substitui) = &dps.substitui {
        let mut subst = Grupo::default();
        subst.opcional("chSubstda", substitui.chave.as_deref());
        subst.texto("cMotivo", motivo_da_substituicao(substitui));
        subst.opcional("xMotivo", substitui.justificativa.as_deref());
        g.group("subst", subst);
    }
    g.group("prest", prestador(dps, ctx));
    g.opcional_grupo("toma", dps.tomador.as_ref().and_then(party::party));
    g.opcional_grupo("interm", dps.intermediario.as_ref().and_then(party::party));
    g.group("serv", service::service(dps, municipio));
    g.group("valores", values::values(dps, ctx, erros));
    g.opcional_grupo(
        "IBSCBS",
        dps.ibs_cbs
            .as_ref()
            .map(|dados| ibs_cbs::ibs_cbs(dados, erros)),
    );
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
fn prestador(dps: &Dps, ctx: &Context) -> Grupo {
    let mut g = Grupo::default();
    party::documento(&mut g, &ctx.emitente.documento);
    if ctx.option_flag("inscricao_municipal", true) {
        g.opcional("IM", ctx.emitente.inscricao_municipal.as_deref());
    }
    g.opcional(
        "fone",
        ctx.extra("telefone").map(party::so_digitos).as_deref(),
    );
    g.opcional("email", ctx.extra("email"));
    let (opcao, apuracao, especial) = regime(dps);
    let mut tributario = Grupo::default();
    tributario.texto("opSimpNac", opcao_simples(opcao));
    tributario.opcional("regApTribSN", apuracao.map(apuracao_simples));
    tributario.texto("regEspTrib", regime_especial(especial));
    g.group("regTrib", tributario);
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

fn opcao_simples(opcao: OpcaoSimples) -> &'static str {
    match opcao {
        OpcaoSimples::NaoOptante => "1",
        OpcaoSimples::Mei => "2",
        OpcaoSimples::MeEpp => "3",
    }
}

fn apuracao_simples(apuracao: ApuracaoSimples) -> &'static str {
    match apuracao {
        ApuracaoSimples::FederaisEMunicipalPeloSn => "1",
        ApuracaoSimples::FederaisPeloSnMunicipalFora => "2",
        ApuracaoSimples::FederaisEMunicipalFora => "3",
    }
}

fn regime_especial(regime: RegimeEspecial) -> &'static str {
    match regime {
        RegimeEspecial::Nenhum => "0",
        RegimeEspecial::AtoCooperado => "1",
        RegimeEspecial::Estimativa => "2",
        RegimeEspecial::MicroempresaMunicipal => "3",
        RegimeEspecial::NotarioOuRegistrador => "4",
        RegimeEspecial::ProfissionalAutonomo => "5",
        RegimeEspecial::SociedadeDeProfissionais => "6",
        RegimeEspecial::Outros => "9",
    }
}
