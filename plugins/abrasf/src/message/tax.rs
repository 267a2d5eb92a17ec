//! Codes of the model for regime, exigibility and withholding.

use crate::options::Item;
use rps::Fields;
pub use rps::tax::{exigibility, incidence_municipality};
use rps::tax::{item_parts, outside_city};
use sdk::nfse::{Dps, Exigibilidade, Iss, OpcaoSimples, Regime, RegimeEspecial, Retencao, Servico};

/// "1" is yes and "2" no, everywhere in the model.
pub fn yes_no(sim: bool) -> &'static str {
    if sim { "1" } else { "2" }
}

/// `ExigibilidadeISS`, from 2.00 on.
pub fn exigibility_code(exigibility: Exigibilidade) -> &'static str {
    match exigibility {
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
pub fn operation_nature(dps: &Dps, iss: &Iss, fields: &mut Fields) -> &'static str {
    match exigibility(iss) {
        Exigibilidade::Exigivel if outside_city(dps) => "2",
        Exigibilidade::Exigivel => "1",
        Exigibilidade::Isencao => "3",
        Exigibilidade::Imunidade => "4",
        Exigibilidade::SuspensaJudicial => "5",
        Exigibilidade::SuspensaAdministrativa => "6",
        Exigibilidade::NaoIncidencia | Exigibilidade::Exportacao => {
            fields.error(
                "valores.iss.tributacao",
                "sem_equivalente",
                "O leiaute da prefeitura não tem código para exportação nem para não incidência.",
            );
            ""
        }
    }
}

/// `ResponsavelRetencao`, when the tax is withheld.
pub fn withholding_party(withholding: Retencao) -> Option<&'static str> {
    match withholding {
        Retencao::NaoRetido => None,
        Retencao::Tomador => Some("1"),
        Retencao::Intermediario => Some("2"),
    }
}

/// `RegimeEspecialTributacao`; 5 and 6 are MEI and ME/EPP.
pub fn special_regime(regime: &Regime) -> Option<&'static str> {
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
pub fn opts_for_simples(regime: &Regime) -> &'static str {
    yes_no(regime.opcao_simples != OpcaoSimples::NaoOptante)
}

/// `ItemListaServico`: item of LC 116/2003, taken from the national code
/// (item, subitem, unfolding: two digits each) when it is not given.
pub fn list_item(service: &Servico, form: Item, fields: &mut Fields) -> String {
    match item_parts(service) {
        Some((item, subitem)) => match form {
            Item::WithZero => format!("{item:02}.{subitem:02}"),
            Item::WithoutZero => format!("{item}.{subitem:02}"),
            Item::WithoutPoint => format!("{item:02}{subitem:02}"),
            Item::Bare => format!("{item}{subitem:02}"),
        },
        None => {
            fields.error(
                "servico.item_lista_servico",
                "formato",
                "Informe o item da lista da LC 116/2003, como \"1.05\".",
            );
            String::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(item: Option<&str>, nacional: Option<&str>) -> Servico {
        let json = serde_json::json!({ "item_lista_servico": item, "codigo_tributacao_nacional": nacional });
        serde_json::from_value(json).expect("service")
    }

    #[test]
    fn items_in_their_forms() {
        let mut fields = Fields::default();
        let service_1 = service(Some("1.05"), None);
        for (form, text) in [
            (Item::WithZero, "01.05"),
            (Item::WithoutZero, "1.05"),
            (Item::WithoutPoint, "0105"),
            (Item::Bare, "105"),
        ] {
            assert_eq!(list_item(&service_1, form, &mut fields), text);
        }
        let nacional = service(None, Some("140102"));
        assert_eq!(list_item(&nacional, Item::WithZero, &mut fields), "14.01");
        assert!(fields.result(String::new()).is_ok());
        for wrong in ["105", "1.", ".5", "a.05", "001.05", "1.-5"] {
            let mut fields = Fields::default();
            list_item(&service(Some(wrong), None), Item::WithZero, &mut fields);
            assert!(fields.result(String::new()).is_err(), "{wrong}");
        }
    }
}
