//! `InfRps`: one RPS in 1.00.

use super::tags::Tags;
use crate::dates;
use crate::message::declaration::{identificacao, regime, service, substituido};
use crate::message::fields::Campos;
use crate::message::sending::Ids;
use crate::message::{party, provider, tax};
use crate::options::Opcoes;
use sdk::Emitente;
use sdk::nfse::Dps;

/// Everything inside `Rps`, without its signature.
pub fn escrever(
    t: &mut Tags,
    opcoes: &Opcoes,
    emitente: &Emitente,
    dps: &Dps,
    ids: &Ids,
    campos: &mut Campos,
) {
    let iss = dps.valores.iss.clone().unwrap_or_default();
    let emissao = dates::data(&dps.data_emissao, opcoes.data_hora, "data_emissao", campos);
    if dps.servico.codigo_pais_prestacao.is_some() {
        campos.erro(
            "servico.codigo_pais_prestacao",
            "sem_equivalente",
            "O leiaute da prefeitura não tem serviço prestado no exterior.",
        );
    }
    t.grupo("InfRps", &[(&opcoes.atributo_id, &ids.rps)], |t| {
        t.grupo("IdentificacaoRps", &[], |t| {
            identificacao(t, &dps.identificacao, "identificacao", campos);
        });
        t.folha("DataEmissao", &emissao);
        t.folha(
            "NaturezaOperacao",
            tax::natureza_operacao(dps, &iss, campos),
        );
        for name in [
            "RegimeEspecialTributacao",
            "OptanteSimplesNacional",
            "IncentivadorCultural",
        ] {
            regime(t, name, dps);
        }
        // 1: a normal RPS.
        t.folha("Status", "1");
        substituido(t, dps, campos);
        service(t, opcoes, dps, campos);
        t.grupo("Prestador", &[], |t| {
            provider::identificacao(t, opcoes.versao, emitente, campos);
        });
        if let Some(tomador) = &dps.tomador {
            party::tomador(t, opcoes, tomador, campos);
        }
        if let Some(intermediario) = &dps.intermediario {
            party::intermediario(t, opcoes, intermediario, campos);
        }
        if let Some(obra) = &dps.obra {
            let codigo = campos.texto("obra.codigo", obra.codigo.as_deref(), 15);
            let art = campos.texto("obra.art", obra.art.as_deref(), 15);
            // The schema's own spelling.
            t.grupo("ContrucaoCivil", &[], |t| {
                t.folha("CodigoObra", &codigo);
                t.folha("Art", &art);
            });
        }
    });
}
