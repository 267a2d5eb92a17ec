//! `InfDeclaracaoPrestacaoServico`: one RPS from 2.00 on.

use super::ibs_cbs;
use super::tags::Tags;
use crate::dates;
use crate::message::fields::Campos;
use crate::message::sending::Ids;
use crate::message::{countries, party, provider, tax, values};
use crate::options::{LugarIbsCbs, Opcoes};
use crate::version::Versao;
use sdk::Emitente;
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
    let competencia = dates::data(
        &dps.data_competencia,
        opcoes.data_hora,
        "data_competencia",
        campos,
    );
    t.grupo(
        "InfDeclaracaoPrestacaoServico",
        &[(&opcoes.atributo_id, &ids.rps)],
        |t| {
            rps(t, opcoes, dps, campos);
            t.folha("Competencia", &competencia);
            servico(t, opcoes, dps, campos);
            t.grupo("Prestador", &[], |t| {
                provider::identificacao(t, versao, emitente, campos);
            });
            if let Some(tomador) = &dps.tomador {
                party::tomador(t, opcoes, tomador, campos);
            }
            if let Some(intermediario) = &dps.intermediario {
                party::intermediario(t, opcoes, intermediario, campos);
            }
            if let Some(obra) = &dps.obra {
                construcao(t, versao, obra, campos);
            }
            regime(t, dps, "IncentivoFiscal");
            if versao >= Versao::V204 {
                evento(t, dps, campos);
                let texto = dps.informacoes_complementares.as_deref();
                let texto = campos.opcional("informacoes_complementares", texto, 2000);
                t.opcional("InformacoesComplementares", texto.as_deref());
            }
            if opcoes.ibs_cbs == LugarIbsCbs::Declaracao {
                ibs_cbs::em_declaracao(t, dps, campos);
            }
        },
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

fn servico(t: &mut Tags, opcoes: &Opcoes, dps: &Dps, campos: &mut Campos) {
    let versao = opcoes.versao;
    let servico = &dps.servico;
    let iss = dps.valores.iss.clone().unwrap_or_default();
    let exigibilidade = tax::exigibilidade(&iss);
    let com_nbs = versao >= Versao::V203 || opcoes.ibs_cbs == LugarIbsCbs::Declaracao;
    t.grupo("Servico", &[], |t| {
        values::declaracao(t, opcoes, dps, campos);
        t.folha("IssRetido", tax::sim_nao(values::retido(&dps.valores)));
        t.opcional(
            "ResponsavelRetencao",
            tax::responsavel_retencao(iss.retencao),
        );
        codigos(t, opcoes, dps, campos);
        if com_nbs && let Some(nbs) = servico.codigo_nbs.as_deref() {
            t.folha("CodigoNbs", &campos.digitos("servico.codigo_nbs", nbs, 9));
        }
        t.folha("Discriminacao", &discriminacao(opcoes, dps, campos));
        let pais = servico.codigo_pais_prestacao.as_deref();
        t.folha("CodigoMunicipio", &municipio(dps, campos));
        if let Some(pais) = pais {
            match countries::bacen(pais) {
                Some(codigo) => t.folha("CodigoPais", codigo),
                None => campos.erro(
                    "servico.codigo_pais_prestacao",
                    "formato",
                    "Informe o país pela sigla ISO de duas letras.",
                ),
            }
        }
        t.folha("ExigibilidadeISS", tax::codigo_exigibilidade(exigibilidade));
        if let Some(codigo) = tax::municipio_incidencia(dps, exigibilidade) {
            let codigo = campos.digitos("servico.codigo_municipio_incidencia", codigo, 7);
            t.folha("MunicipioIncidencia", &codigo);
        }
        let processo = campos.opcional(
            "valores.iss.numero_processo",
            iss.numero_processo.as_deref(),
            30,
        );
        if processo.is_none()
            && matches!(
                exigibilidade,
                Exigibilidade::SuspensaJudicial | Exigibilidade::SuspensaAdministrativa
            )
        {
            campos.erro(
                "valores.iss.numero_processo",
                "obrigatorio",
                "Informe o número do processo que suspende a exigibilidade.",
            );
        }
        t.opcional("NumeroProcesso", processo.as_deref());
        if opcoes.ibs_cbs == LugarIbsCbs::Valores {
            comercio_exterior(t, dps, campos);
        }
    });
}

/// The provider's tax regime; `incentivo` is the version's own name.
pub fn regime(t: &mut Tags, dps: &Dps, incentivo: &str) {
    let regime = dps.regime.clone().unwrap_or_default();
    t.opcional("RegimeEspecialTributacao", tax::regime_especial(&regime));
    t.folha("OptanteSimplesNacional", tax::optante_simples(&regime));
    t.folha(incentivo, tax::sim_nao(regime.incentivador_cultural));
}

/// Item of the list, CNAE and the city's own code.
pub fn codigos(t: &mut Tags, opcoes: &Opcoes, dps: &Dps, campos: &mut Campos) {
    let servico = &dps.servico;
    let item = tax::item_lista(servico, opcoes.item, campos);
    t.folha("ItemListaServico", &item);
    if let Some(cnae) = servico
        .cnae
        .as_deref()
        .map(str::trim)
        .filter(|cnae| !cnae.is_empty())
    {
        t.folha("CodigoCnae", &campos.digitos("servico.cnae", cnae, 7));
    }
    let municipal = servico.codigo_tributacao_municipio.as_deref();
    let municipal = campos.opcional("servico.codigo_tributacao_municipio", municipal, 20);
    t.opcional("CodigoTributacaoMunicipio", municipal.as_deref());
}

/// The text of the service; before 2.04 there is no other place for the
/// complementary information, so it follows the text.
pub fn discriminacao(opcoes: &Opcoes, dps: &Dps, campos: &mut Campos) -> String {
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
pub fn municipio(dps: &Dps, campos: &mut Campos) -> String {
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

fn evento(t: &mut Tags, dps: &Dps, campos: &mut Campos) {
    let Some(evento) = &dps.evento else { return };
    let codigo = campos.opcional("evento.identificacao", evento.identificacao.as_deref(), 30);
    let nome = campos.texto("evento.nome", Some(&evento.nome), 255);
    t.grupo("Evento", &[], |t| {
        t.opcional("IdentificacaoEvento", codigo.as_deref());
        t.folha("DescricaoEvento", &nome);
    });
}

/// `comExt` of Giss: the group of the DPS.
fn comercio_exterior(t: &mut Tags, dps: &Dps, campos: &mut Campos) {
    let Some(exportacao) = &dps.exportacao else {
        return;
    };
    t.grupo("comExt", &[], |t| {
        t.folha("mdPrestacao", &exportacao.modo_prestacao);
        t.folha("vincPrest", &exportacao.vinculo);
        t.folha(
            "tpMoeda",
            &campos.digitos("exportacao.moeda", &exportacao.moeda, 3),
        );
        t.folha(
            "vServMoeda",
            &campos.valor("exportacao.valor_moeda", exportacao.valor_moeda),
        );
        t.folha("mecAFComexP", &exportacao.mecanismo_prestador);
        t.folha("mecAFComexT", &exportacao.mecanismo_tomador);
        t.folha("movTempBens", &exportacao.movimentacao_temporaria);
        let di = campos.opcional("exportacao.di", exportacao.di.as_deref(), 12);
        t.opcional("nDI", di.as_deref());
        let re = campos.opcional("exportacao.re", exportacao.re.as_deref(), 12);
        t.opcional("nRE", re.as_deref());
        t.folha("mdic", if exportacao.mdic { "1" } else { "0" });
    });
}
