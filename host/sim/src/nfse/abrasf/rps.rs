//! An RPS, of both generations of the layout, and the rules it must follow.

use rust_decimal::Decimal;

use super::codes::RefusalMessage;
use super::message::document;
use super::typed::holder;
use crate::clock;
use crate::documents::document_ok;
use crate::xml::Element;

/// An RPS as the rules and the note need it.
pub(super) struct Rps<'a> {
    /// `InfRps` (1.00) or `InfDeclaracaoPrestacaoServico` (2.x).
    pub inf: &'a Element,
    pub first_generation: bool,
}

/// Amounts of a note.
pub(super) struct Amounts {
    pub base: Decimal,
    pub rate: Decimal,
    pub iss: Decimal,
    pub net: Decimal,
}

impl<'a> Rps<'a> {
    /// From the element `Rps` of a list.
    pub fn of(element: &'a Element) -> Option<Self> {
        let element = holder(element);
        element
            .child("InfRps")
            .map(|inf| Rps {
                inf,
                first_generation: true,
            })
            .or_else(|| {
                element
                    .child("InfDeclaracaoPrestacaoServico")
                    .map(|inf| Rps {
                        inf,
                        first_generation: false,
                    })
            })
    }

    pub fn text(&self, path: &str) -> String {
        self.given(path).unwrap_or_default()
    }

    /// Text at a path, past the elements named after their types; of a list of
    /// services the first.
    fn given(&self, path: &str) -> Option<String> {
        let mut names = path.split('/');
        let element = names.try_fold(self.inf, |e, name| {
            let e = holder(e);
            e.child(name)
                .or_else(|| e.child("ListaServicos")?.child(name))
        })?;
        Some(element.text())
    }

    /// Number, series, type; `None` in 2.x when the note comes without RPS.
    pub fn identification(&self) -> Option<(String, String, String)> {
        let id = if self.first_generation {
            self.inf.child("IdentificacaoRps")
        } else {
            self.inf.at("Rps/IdentificacaoRps")
        }?;
        let part = |name: &str| id.text_at(name).unwrap_or_default();
        Some((part("Numero"), part("Serie"), part("Tipo")))
    }

    /// `serie/numero/tipo`, leading zeros of the number ignored.
    pub fn natural(&self) -> Option<String> {
        self.identification()
            .map(|(n, s, t)| natural_key(&n, &s, &t))
    }

    pub fn provider(&self) -> String {
        self.inf
            .child("Prestador")
            .and_then(document)
            .unwrap_or_default()
    }

    pub fn customer(&self) -> Option<String> {
        let party = self
            .inf
            .child("Tomador")
            .or_else(|| self.inf.child("TomadorServico"))?;
        party.child("IdentificacaoTomador").and_then(document)
    }

    /// Day of issue of the RPS.
    fn emission(&self) -> String {
        let text = if self.first_generation {
            self.text("DataEmissao")
        } else {
            self.text("Rps/DataEmissao")
        };
        text.get(..10).unwrap_or_default().to_owned()
    }

    fn value(&self, name: &str) -> Option<Decimal> {
        self.given(&format!("Servico/Valores/{name}"))
            .and_then(|t| t.trim().parse().ok())
    }

    fn sum(&self, names: &[&str]) -> Decimal {
        names.iter().filter_map(|n| self.value(n)).sum()
    }

    fn iss_withheld(&self) -> bool {
        let path = if self.first_generation {
            "Servico/Valores/IssRetido"
        } else {
            "Servico/IssRetido"
        };
        self.text(path) == "1"
    }

    /// City of the service, for the issuing body of the note.
    pub fn municipality(&self) -> String {
        self.text("Servico/CodigoMunicipio")
    }

    /// Base, rate (percent unless it came as a fraction), ISS and net value.
    pub fn amounts(&self) -> Amounts {
        let service = self.sum(&["ValorServicos"]);
        let unconditional = self.sum(&["DescontoIncondicionado"]);
        let base = (service - self.sum(&["ValorDeducoes"]) - unconditional).max(Decimal::ZERO);
        let rate = self.value("Aliquota").unwrap_or(Decimal::from(5));
        let percent = if rate < Decimal::ONE {
            rate * Decimal::ONE_HUNDRED
        } else {
            rate
        };
        let iss = cents(base * percent / Decimal::ONE_HUNDRED);
        let withheld = if self.iss_withheld() {
            iss
        } else {
            Decimal::ZERO
        };
        let others = self.sum(&[
            "ValorPis",
            "ValorCofins",
            "ValorInss",
            "ValorIr",
            "ValorCsll",
            "OutrasRetencoes",
            "DescontoCondicionado",
        ]);
        Amounts {
            base: cents(base),
            rate,
            iss,
            net: cents(service - unconditional - others - withheld),
        }
    }

    /// All violated rules of one RPS.
    pub fn check(&self, now_ms: i64) -> Vec<RefusalMessage> {
        let mut codes: Vec<&str> = Vec::new();
        let service = self.sum(&["ValorServicos"]);
        if service <= Decimal::ZERO {
            codes.push("E18");
        }
        if self.sum(&["ValorDeducoes"]) > service {
            codes.push("E19");
        }
        if self.sum(&["DescontoIncondicionado", "DescontoCondicionado"]) > service {
            codes.push("E21");
        }
        let provider = self.provider();
        if !document_ok(&provider) {
            codes.push("E44");
        }
        match self.customer() {
            Some(c) if c == provider => codes.push("E52"),
            Some(c) if !document_ok(&c) => codes.push("E47"),
            _ => {}
        }
        let (emission, today) = (self.emission(), clock::date(now_ms));
        // ISO dates compare as text.
        if !emission.is_empty() && emission > today {
            codes.push("E16");
        }
        let competence = self.text("Competencia");
        let month = |date: &str| date.get(..7).unwrap_or_default().to_owned();
        if !self.first_generation && !competence.is_empty() && month(&competence) > month(&today) {
            codes.push("E2");
        }
        if !self.adds_up() {
            codes.push("S001");
        }
        let rps = self.identification().map(Box::new);
        codes
            .into_iter()
            .map(|c| RefusalMessage {
                rps: rps.clone(),
                ..RefusalMessage::of(c)
            })
            .collect()
    }

    /// Amounts the RPS gives must be those computed, to one cent.
    fn adds_up(&self) -> bool {
        let computed = self.amounts();
        let near = |given: Option<Decimal>, computed: Decimal| {
            given.is_none_or(|g| (g - computed).abs() <= Decimal::new(1, 2))
        };
        // ValorIss without rate cannot be compared.
        let iss_ok = self.value("Aliquota").is_none() || near(self.value("ValorIss"), computed.iss)
            // Exempt and immune services come with a rate and no ISS.
            || self.value("ValorIss").is_some_and(|v| v.is_zero());
        near(self.value("BaseCalculo"), computed.base)
            && near(self.value("ValorLiquidoNfse"), computed.net)
            && iss_ok
    }
}

/// `serie/numero/tipo`
pub(super) fn natural_key(number: &str, serie: &str, kind: &str) -> String {
    let short = number.trim().trim_start_matches('0');
    format!(
        "{}/{}/{}",
        serie.trim(),
        if short.is_empty() { "0" } else { short },
        kind.trim()
    )
}

fn cents(value: Decimal) -> Decimal {
    value.round_dp_with_strategy(2, rust_decimal::RoundingStrategy::MidpointAwayFromZero)
}
