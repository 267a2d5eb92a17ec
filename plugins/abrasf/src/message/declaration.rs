//! `InfDeclaracaoPrestacaoServico`: one RPS from 2.00 on.

use super::ibs_cbs;
use super::tags::Tags;
use crate::dates;
use crate::message::fields::Campos;
use crate::message::sending::Ids;
use crate::message::{countries, party, plain, provider, tax, values};
use crate::options::Opcoes;
use crate::version::Versao;
use sdk::Emitente;
use sdk::nfse::table::{RPS, RPS_SERVICE};
use sdk::nfse::{Dps, Exigibilidade, Identificacao, Obra};

/// Longest text of the service, in every version.
pub const MAX_DISCRIMINACAO: usize = 2000;

/// Everything inside `Rps`, without its signature.
pub fn escrever(
    t: &mut Tags,
    opcoes: &Opcoes,
    emitente: &Emitente,
    dps: &Dps,
    ids: &Ids,
    campos: &mut Campos,
) {
    let versao = opcoes.versao;
    let code = &mut |t: &mut Tags, name: &str, campos: &mut Campos| match name {
        "Rps" => rps(t, opcoes, dps, campos),
        "Competencia" => {
            let day = &dps.data_competencia;
            let day = dates::data(day, opcoes.data_hora, "data_competencia", campos);
            t.folha(name, &day);
        }
        "Servico" => service(t, opcoes, dps, campos),
        "Prestador" => t.grupo(name, &[], |t| {
            provider::identificacao(t, versao, emitente, campos);
        }),
        "Tomador" => {
            if let Some(tomador) = &dps.tomador {
                party::tomador(t, opcoes, tomador, campos);
            }
        }
        "Intermediario" => {
            if let Some(intermediario) = &dps.intermediario {
                party::intermediario(t, opcoes, intermediario, campos);
            }
        }
        "ConstrucaoCivil" => {
            if let Some(obra) = &dps.obra {
                construcao(t, versao, obra, campos);
            }
        }
        "RegimeEspecialTributacao" | "OptanteSimplesNacional" | "IncentivoFiscal" => {
            regime(t, name, dps);
        }
        of_group => ibs_cbs::code(t, of_group, opcoes, dps, campos),
    };
    t.grupo(
        "InfDeclaracaoPrestacaoServico",
        &[(&opcoes.atributo_id, &ids.rps)],
        |t| plain::write(t, RPS, opcoes, dps, campos, code),
    );
}

fn rps(t: &mut Tags, opcoes: &Opcoes, dps: &Dps, campos: &mut Campos) {
    let emissao = dates::data(&dps.data_emissao, opcoes.data_hora, "data_emissao", campos);
    t.grupo("Rps", &[], |t| {
        t.grupo("IdentificacaoRps", &[], |t| {
            identificacao(t, &dps.identificacao, "identificacao", campos);
        });
        t.folha("DataEmissao", &emissao);
        // 1: a normal RPS.
        t.folha("Status", "1");
        substituido(t, dps, campos);
    });
}

/// `RpsSubstituido`, where the content names the RPS of the note replaced.
pub fn substituido(t: &mut Tags, dps: &Dps, campos: &mut Campos) {
    if let Some(rps) = dps.substitui.as_ref().and_then(|s| s.rps.as_ref()) {
        t.grupo("RpsSubstituido", &[], |t| {
            identificacao(t, rps, "substitui.rps", campos);
        });
    }
}

/// Number, series and type (1, RPS) of a declaration.
pub fn identificacao(t: &mut Tags, rps: &Identificacao, campo: &str, campos: &mut Campos) {
    let serie = campos.texto(&format!("{campo}.serie"), Some(&rps.serie), 5);
    let numero = rps.numero.to_string();
    let numero = campos.texto(&format!("{campo}.numero"), Some(&numero), 15);
    t.folha("Numero", &numero);
    t.folha("Serie", &serie);
    t.folha("Tipo", "1");
}

/// `Servico` of every version.
pub fn service(t: &mut Tags, opcoes: &Opcoes, dps: &Dps, campos: &mut Campos) {
    let servico = &dps.servico;
    let iss = dps.valores.iss.clone().unwrap_or_default();
    let exigibilidade = tax::exigibilidade(&iss);
    let suspended = matches!(
        exigibilidade,
        Exigibilidade::SuspensaJudicial | Exigibilidade::SuspensaAdministrativa
    );
    let case = iss.numero_processo.as_deref().unwrap_or_default();
    if suspended && case.trim().is_empty() && !opcoes.versao.primeira() {
        campos.erro(
            "valores.iss.numero_processo",
            "obrigatorio",
            "Informe o número do processo que suspende a exigibilidade.",
        );
    }
    let code = &mut |t: &mut Tags, name: &str, campos: &mut Campos| match name {
        "Valores" => values::values(t, opcoes, dps, campos),
        "IssRetido" => t.folha(name, tax::sim_nao(values::retido(&dps.valores))),
        "ResponsavelRetencao" => t.opcional(name, tax::responsavel_retencao(iss.retencao)),
        "ItemListaServico" => t.folha(name, &tax::item_lista(servico, opcoes.item, campos)),
        "Discriminacao" => t.folha(name, &discriminacao(opcoes, dps, campos)),
        "CodigoMunicipio" => t.folha(name, &municipio(dps, campos)),
        "CodigoPais" => {
            if let Some(country) = servico.codigo_pais_prestacao.as_deref() {
                match countries::bacen(country) {
                    Some(codigo) => t.folha(name, codigo),
                    None => campos.erro(
                        "servico.codigo_pais_prestacao",
                        "formato",
                        "Informe o país pela sigla ISO de duas letras.",
                    ),
                }
            }
        }
        "ExigibilidadeISS" => t.folha(name, tax::codigo_exigibilidade(exigibilidade)),
        "MunicipioIncidencia" => {
            if let Some(codigo) = tax::municipio_incidencia(dps, exigibilidade) {
                let codigo = campos.digitos("servico.codigo_municipio_incidencia", codigo, 7);
                t.folha(name, &codigo);
            }
        }
        _ => plain::unknown(name),
    };
    t.grupo("Servico", &[], |t| {
        plain::write(t, RPS_SERVICE, opcoes, dps, campos, code);
    });
}

/// One of the three elements of the provider's tax regime.
pub fn regime(t: &mut Tags, name: &str, dps: &Dps) {
    let regime = dps.regime.clone().unwrap_or_default();
    match name {
        "RegimeEspecialTributacao" => t.opcional(name, tax::regime_especial(&regime)),
        "OptanteSimplesNacional" => t.folha(name, tax::optante_simples(&regime)),
        // IncentivoFiscal; IncentivadorCultural in 1.00.
        _ => t.folha(name, tax::sim_nao(regime.incentivador_cultural)),
    }
}

/// The text of the service; before 2.04 there is no other place for the
/// complementary information, so it follows the text.
fn discriminacao(opcoes: &Opcoes, dps: &Dps, campos: &mut Campos) -> String {
    let mut texto = dps.servico.descricao.trim().to_owned();
    let mais = dps
        .informacoes_complementares
        .as_deref()
        .map(str::trim)
        .unwrap_or_default();
    if opcoes.versao < Versao::V204 && !mais.is_empty() {
        texto = format!("{texto} {mais}");
    }
    campos.texto("servico.descricao", Some(&texto), MAX_DISCRIMINACAO)
}

/// Where the service was rendered: abroad there is no code.
fn municipio(dps: &Dps, campos: &mut Campos) -> String {
    let servico = &dps.servico;
    if servico.codigo_pais_prestacao.is_some() {
        return "9999999".into();
    }
    let codigo = servico.codigo_municipio_prestacao.as_ref();
    let codigo = codigo.unwrap_or(&dps.codigo_municipio_emissor);
    campos.digitos("servico.codigo_municipio_prestacao", codigo, 7)
}

/// Work and its technical responsibility (ART).
fn construcao(t: &mut Tags, versao: Versao, obra: &Obra, campos: &mut Campos) {
    let maximo = if versao >= Versao::V203 { 30 } else { 15 };
    let codigo = campos.opcional("obra.codigo", obra.codigo.as_deref(), maximo);
    // Only 2.04 takes a work without ART.
    let art = if versao >= Versao::V204 && codigo.is_some() {
        campos.opcional("obra.art", obra.art.as_deref(), maximo)
    } else {
        Some(campos.texto("obra.art", obra.art.as_deref(), maximo))
    };
    t.grupo("ConstrucaoCivil", &[], |t| {
        t.opcional("CodigoObra", codigo.as_deref());
        t.opcional("Art", art.as_deref());
    });
}
