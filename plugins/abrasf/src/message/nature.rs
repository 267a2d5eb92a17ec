//! `NaturezaOperacao` where a city has a table of its own in the place of the
//! model's.

use super::tax;
use rps::Fields;
use sdk::nfse::{Dps, Iss, OpcaoSimples, Regime, RegimeEspecial, Retencao};

/// The city's codes by situation; empty: the codes are those of the model.
///
/// A situation is the model's code (`1` to `6`), `retido` (tax that is due and
/// withheld), `profissionais` (a company of professionals) or `mei`; one of a
/// company of Simples Nacional has `simples.` before it.
#[derive(Clone, Debug, Default)]
pub struct Natures(Vec<(String, String)>);

impl Natures {
    /// None: a situation that no note has.
    pub fn new(pairs: Vec<(String, String)>) -> Option<Self> {
        let known = |name: &str| {
            let bare = name.strip_prefix("simples.").unwrap_or(name);
            let model = matches!(bare, "1" | "2" | "3" | "4" | "5" | "6" | "retido");
            model || matches!(name, "mei" | "profissionais")
        };
        let sound = pairs
            .iter()
            .all(|(name, code)| known(name) && !code.is_empty());
        sound.then_some(Natures(pairs))
    }

    /// The code of this note. A situation without a code is refused: the
    /// nearest code would tax the note otherwise.
    pub fn code(&self, dps: &Dps, iss: &Iss, fields: &mut Fields) -> String {
        let model = tax::operation_nature(dps, iss, fields);
        if self.0.is_empty() || model.is_empty() {
            return model.to_owned();
        }
        let regime = dps.regime.clone().unwrap_or_default();
        let code = self.named(&situation(&regime, iss.retencao, model));
        if code.is_none() {
            fields.error(
                "valores.iss.tributacao",
                "sem_equivalente",
                "A prefeitura não tem código de natureza da operação para esta situação.",
            );
        }
        code.unwrap_or_default().to_owned()
    }

    fn named(&self, situation: &str) -> Option<&str> {
        let found = self.0.iter().find(|(name, _)| name == situation);
        found.map(|(_, code)| code.as_str())
    }
}

fn situation(regime: &Regime, withholding: Retencao, model: &str) -> String {
    // Codes 1 and 2 of the model: the tax is due, here or elsewhere.
    let due = matches!(model, "1" | "2");
    let own = match regime.opcao_simples {
        OpcaoSimples::Mei if due => return "mei".to_owned(),
        _ if due && withholding != Retencao::NaoRetido => "retido",
        OpcaoSimples::NaoOptante
            if due && regime.especial == RegimeEspecial::SociedadeDeProfissionais =>
        {
            "profissionais"
        }
        _ => model,
    };
    match regime.opcao_simples {
        OpcaoSimples::NaoOptante => own.to_owned(),
        _ => format!("simples.{own}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Natures {
        let pair = |name: &str, code: &str| (name.to_owned(), code.to_owned());
        let pairs = vec![
            pair("1", "101"),
            pair("retido", "201"),
            pair("profissionais", "121"),
            pair("simples.1", "501"),
            pair("simples.3", "701"),
            pair("mei", "541"),
        ];
        Natures::new(pairs).expect("situations")
    }

    #[test]
    fn a_situation_by_regime_and_withholding() {
        use OpcaoSimples::{MeEpp, Mei, NaoOptante};
        use RegimeEspecial::{Nenhum, SociedadeDeProfissionais};
        use Retencao::{NaoRetido, Tomador};
        for (simples, special, withheld, name) in [
            (NaoOptante, Nenhum, NaoRetido, "1"),
            (NaoOptante, Nenhum, Tomador, "retido"),
            (
                NaoOptante,
                SociedadeDeProfissionais,
                NaoRetido,
                "profissionais",
            ),
            (MeEpp, Nenhum, NaoRetido, "simples.1"),
            (MeEpp, Nenhum, Tomador, "simples.retido"),
            (Mei, Nenhum, NaoRetido, "mei"),
        ] {
            let mut regime = Regime::default();
            regime.opcao_simples = simples;
            regime.especial = special;
            assert_eq!(situation(&regime, withheld, "1"), name);
        }
    }

    #[test]
    fn only_a_situation_with_a_code_is_found() {
        assert_eq!(table().named("simples.1"), Some("501"));
        assert_eq!(table().named("simples.retido"), None);
    }

    #[test]
    fn an_unknown_situation_is_no_table() {
        assert!(Natures::new(vec![("7".to_owned(), "1".to_owned())]).is_none());
        assert!(Natures::new(vec![("1".to_owned(), String::new())]).is_none());
    }
}
