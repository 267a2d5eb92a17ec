//! Codes of the model for regime, exigibility and withholding.

use crate::message::fields::Campos;
use crate::options::Item;
use sdk::nfse::{
    Dps, Exigibilidade, Iss, OpcaoSimples, Regime, RegimeEspecial, Retencao, Servico, Tributacao,
};

/// "1" is yes and "2" no, everywhere in the model.
pub fn sim_nao(sim: bool) -> &'static str {
    if sim { "1" } else { "2" }
}

/// The exigibility, given or derived from the DPS's kind of taxation.
pub fn exigibilidade(iss: &Iss) -> Exigibilidade {
    iss.exigibilidade.unwrap_or(match iss.tributacao {
        Tributacao::Tributavel => Exigibilidade::Exigivel,
        Tributacao::Imunidade => Exigibilidade::Imunidade,
        Tributacao::Exportacao => Exigibilidade::Exportacao,
        Tributacao::NaoIncidencia => Exigibilidade::NaoIncidencia,
    })
}

/// `ExigibilidadeISS`, from 2.00 on.
pub fn codigo_exigibilidade(exigibilidade: Exigibilidade) -> &'static str {
    match exigibilidade {
        Exigibilidade::Exigivel => "1",
        Exigibilidade::NaoIncidencia => "2",
        Exigibilidade::Isencao => "3",
        Exigibilidade::Exportacao => "4",
        Exigibilidade::Imunidade => "5",
        Exigibilidade::SuspensaJudicial => "6",
        Exigibilidade::SuspensaAdministrativa => "7",
    }
}

/// `NaturezaOperacao` of 1.00, which knows neither export nor
/// non-incidence.
pub fn natureza_operacao(dps: &Dps, iss: &Iss, campos: &mut Campos) -> &'static str {
    match exigibilidade(iss) {
        Exigibilidade::Exigivel if fora_do_municipio(dps) => "2",
        Exigibilidade::Exigivel => "1",
        Exigibilidade::Isencao => "3",
        Exigibilidade::Imunidade => "4",
        Exigibilidade::SuspensaJudicial => "5",
        Exigibilidade::SuspensaAdministrativa => "6",
        Exigibilidade::NaoIncidencia | Exigibilidade::Exportacao => {
            campos.erro(
                "valores.iss.tributacao",
                "sem_equivalente",
                "O leiaute da prefeitura não tem código para exportação nem para não incidência.",
            );
            ""
        }
    }
}

fn fora_do_municipio(dps: &Dps) -> bool {
    let codigo = dps.servico.codigo_municipio_incidencia.as_deref();
    codigo.is_some_and(|codigo| codigo != dps.codigo_municipio_emissor)
}

/// `MunicipioIncidencia`: what was given, or the emitter's city where nothing
/// points elsewhere. Otherwise the city decides.
pub fn municipio_incidencia(dps: &Dps, exigibilidade: Exigibilidade) -> Option<&str> {
    let servico = &dps.servico;
    if let Some(codigo) = servico.codigo_municipio_incidencia.as_deref() {
        return Some(codigo);
    }
    let em_casa = servico.codigo_pais_prestacao.is_none()
        && servico
            .codigo_municipio_prestacao
            .as_deref()
            .is_none_or(|codigo| codigo == dps.codigo_municipio_emissor);
    let devido = matches!(
        exigibilidade,
        Exigibilidade::Exigivel
            | Exigibilidade::SuspensaJudicial
            | Exigibilidade::SuspensaAdministrativa
    );
    (em_casa && devido).then_some(dps.codigo_municipio_emissor.as_str())
}

/// `ResponsavelRetencao`, when the tax is withheld.
pub fn responsavel_retencao(retencao: Retencao) -> Option<&'static str> {
    match retencao {
        Retencao::NaoRetido => None,
        Retencao::Tomador => Some("1"),
        Retencao::Intermediario => Some("2"),
    }
}

/// `RegimeEspecialTributacao`; 5 and 6 are MEI and ME/EPP.
pub fn regime_especial(regime: &Regime) -> Option<&'static str> {
    match (regime.especial, regime.opcao_simples) {
        (RegimeEspecial::MicroempresaMunicipal, _) => Some("1"),
        (RegimeEspecial::Estimativa, _) => Some("2"),
        (RegimeEspecial::SociedadeDeProfissionais, _) => Some("3"),
        (RegimeEspecial::AtoCooperado, _) => Some("4"),
        (_, OpcaoSimples::Mei) => Some("5"),
        (_, OpcaoSimples::MeEpp) => Some("6"),
        (_, OpcaoSimples::NaoOptante) => None,
    }
}

/// `OptanteSimplesNacional`.
pub fn optante_simples(regime: &Regime) -> &'static str {
    sim_nao(regime.opcao_simples != OpcaoSimples::NaoOptante)
}

/// `ItemListaServico`: item of LC 116/2003, taken from the national code
/// (item, subitem, unfolding: two digits each) when it is not given.
pub fn item_lista(servico: &Servico, forma: Item, campos: &mut Campos) -> String {
    match partes_do_item(servico) {
        Some((item, subitem)) => match forma {
            Item::ComZero => format!("{item:02}.{subitem:02}"),
            Item::SemZero => format!("{item}.{subitem:02}"),
            Item::SemPonto => format!("{item:02}{subitem:02}"),
        },
        None => {
            campos.erro(
                "servico.item_lista_servico",
                "formato",
                "Informe o item da lista da LC 116/2003, como \"1.05\".",
            );
            String::new()
        }
    }
}

fn partes_do_item(servico: &Servico) -> Option<(u8, u8)> {
    let dupla = |texto: &str| -> Option<u8> {
        let digitos = !texto.is_empty() && texto.bytes().all(|b| b.is_ascii_digit());
        (digitos && texto.len() <= 2).then(|| texto.parse().ok())?
    };
    if let Some(item) = servico.item_lista_servico.as_deref().map(str::trim) {
        let (item, subitem) = item.split_once('.')?;
        return Some((dupla(item)?, dupla(subitem)?));
    }
    let codigo = servico.codigo_tributacao_nacional.as_deref()?.trim();
    (codigo.len() == 6).then_some(())?;
    Some((dupla(codigo.get(..2)?)?, dupla(codigo.get(2..4)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servico(item: Option<&str>, nacional: Option<&str>) -> Servico {
        let json = serde_json::json!({ "item_lista_servico": item, "codigo_tributacao_nacional": nacional });
        serde_json::from_value(json).expect("service")
    }

    #[test]
    fn items_in_their_three_forms() {
        let mut campos = Campos::default();
        let servico_1 = servico(Some("1.05"), None);
        for (forma, texto) in [
            (Item::ComZero, "01.05"),
            (Item::SemZero, "1.05"),
            (Item::SemPonto, "0105"),
        ] {
            assert_eq!(item_lista(&servico_1, forma, &mut campos), texto);
        }
        let nacional = servico(None, Some("140102"));
        assert_eq!(item_lista(&nacional, Item::ComZero, &mut campos), "14.01");
        assert!(campos.resultado(String::new()).is_ok());
        for errado in ["105", "1.", ".5", "a.05", "001.05", "1.-5"] {
            let mut campos = Campos::default();
            item_lista(&servico(Some(errado), None), Item::ComZero, &mut campos);
            assert!(campos.resultado(String::new()).is_err(), "{errado}");
        }
    }
}
