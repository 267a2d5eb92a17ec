//! A fiscal profile suggested for a company from its registration: each value with
//! how sure it is, and why.
//!
//! Sources: LC 123/2006, art. 18 (annexes by activity), 18-A (MEI); Convênio s/n of
//! 1970, annex II (CFOP: 5.101 is a sale of what the company made, 5.102 of what it
//! bought); table B of annex III of Ajuste SINIEF 07/2005 (CSOSN).

use data::cnae;
use data::simples::Annex;

/// What is known of the company.
#[derive(Clone, Copy, Debug, Default)]
pub struct Company<'a> {
    /// Seven digits.
    pub activity: Option<&'a str>,
    /// It chose the Simples Nacional.
    pub simples: Option<bool>,
    pub mei: Option<bool>,
    /// Size, as the registry writes it.
    pub size: Option<&'a str>,
}

/// How sure a suggestion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// The registry says it.
    High,
    /// It follows from what the registry says, with exceptions.
    Medium,
    /// Only a beginning.
    Low,
}

/// A value of the fiscal profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// Path in the profile, `padroes.icms.csosn`.
    pub field: &'static str,
    pub value: String,
    pub confidence: Confidence,
    /// For customers.
    pub reason: String,
}

/// A value that nobody can suggest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub field: &'static str,
    /// For customers.
    pub reason: String,
}

/// What a company mostly does, by the section of its activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trade {
    Industry,
    Commerce,
    Services,
}

/// The regime, the annex and the defaults of a company.
pub fn suggest(company: &Company<'_>) -> (Vec<Suggestion>, Vec<Missing>) {
    let mut found = Found::default();
    let simples = regime(company, &mut found);
    let activity = company.activity.and_then(cnae::get);
    if let Some(activity) = activity {
        annex(activity, simples, &mut found);
        defaults(trade(activity), simples, &mut found);
        service(activity, &mut found);
    } else {
        found.miss("cnae", "O cadastro não diz a atividade principal.");
    }
    (found.suggestions, found.missing)
}

#[derive(Default)]
struct Found {
    suggestions: Vec<Suggestion>,
    missing: Vec<Missing>,
}

impl Found {
    fn put(&mut self, field: &'static str, value: &str, confidence: Confidence, reason: &str) {
        self.suggestions.push(Suggestion {
            field,
            value: value.to_owned(),
            confidence,
            reason: reason.to_owned(),
        });
    }

    fn miss(&mut self, field: &'static str, reason: &str) {
        self.missing.push(Missing {
            field,
            reason: reason.to_owned(),
        });
    }
}

/// The regime; whether the company is in the Simples, if that is known.
fn regime(company: &Company<'_>, found: &mut Found) -> Option<bool> {
    use Confidence::{High, Low};
    match (company.mei, company.simples) {
        (Some(true), _) => {
            found.put("regime", "mei", High, "O cadastro diz que a empresa é MEI.");
            Some(true)
        }
        (_, Some(true)) => {
            let reason = "O cadastro diz que a empresa optou pelo Simples Nacional.";
            found.put("regime", "simples_nacional", High, reason);
            Some(true)
        }
        (_, Some(false)) => {
            let reason = "O cadastro diz que a empresa não optou pelo Simples Nacional.";
            found.put("regime", "normal", High, reason);
            Some(false)
        }
        _ if company
            .size
            .is_some_and(|size| size.to_uppercase().contains("DEMAIS")) =>
        {
            let reason = "O cadastro não diz se optou pelo Simples, e o porte está acima dele.";
            found.put("regime", "normal", Low, reason);
            Some(false)
        }
        _ => {
            let reason = "O cadastro não diz se a empresa optou pelo Simples Nacional.";
            found.miss("regime", reason);
            None
        }
    }
}

fn annex(activity: &cnae::Cnae, simples: Option<bool>, found: &mut Found) {
    if simples != Some(true) {
        return;
    }
    let annexes = activity.annexes();
    let code = activity.formatted();
    match annexes {
        [one] => {
            let reason = format!("A atividade {code} costuma ser do anexo {}.", roman(*one));
            found.put("simples.anexo", roman(*one), Confidence::Medium, &reason);
        }
        [] => {
            let reason = format!("Nenhuma tabela diz o anexo da atividade {code}.");
            found.miss("simples.anexo", &reason);
        }
        several => {
            let names: Vec<&str> = several.iter().map(|one| roman(*one)).collect();
            let reason = format!(
                "A atividade {code} é dos anexos {}; o Fator R decide (POST /api/v1/fiscal/simples/fator-r).",
                names.join(" ou ")
            );
            found.miss("simples.anexo", &reason);
        }
    }
}

fn roman(annex: Annex) -> &'static str {
    match annex {
        Annex::I => "I",
        Annex::Ii => "II",
        Annex::Iii => "III",
        Annex::Iv => "IV",
        Annex::V => "V",
    }
}

/// Sections C is industry, G commerce; A and B sell what they made.
fn trade(activity: &cnae::Cnae) -> Trade {
    let levels = activity.levels();
    let section = levels.first().map_or("", |level| level.codigo);
    match section {
        "A" | "B" | "C" => Trade::Industry,
        "G" => Trade::Commerce,
        _ => Trade::Services,
    }
}

fn defaults(trade: Trade, simples: Option<bool>, found: &mut Found) {
    use Confidence::{Low, Medium};
    let (inside, outside, reason) = match trade {
        Trade::Industry => (
            "5101",
            "6101",
            "A atividade principal é de produção: venda do que a empresa fez.",
        ),
        Trade::Commerce => (
            "5102",
            "6102",
            "A atividade principal é de comércio: venda do que a empresa comprou.",
        ),
        Trade::Services => {
            let reason = "A atividade principal é de serviços: notas de produto são exceção.";
            found.miss("padroes.cfop_interno", reason);
            return;
        }
    };
    found.put("padroes.cfop_interno", inside, Medium, reason);
    found.put("padroes.cfop_interestadual", outside, Medium, reason);
    let national = "Mercadoria nacional é o caso comum; mude nos itens importados.";
    found.put("padroes.origem", "0", Low, national);
    let whole = "Tributação integral; confira itens com redução, alíquota zero ou monofásicos.";
    found.put("padroes.ibs_cbs.cst", "000", Low, whole);
    found.put("padroes.ibs_cbs.cclass_trib", "000001", Low, whole);
    match simples {
        Some(true) => {
            let reason =
                "No Simples sem crédito e sem substituição tributária; confira item a item.";
            found.put("padroes.icms.csosn", "102", Medium, reason);
            let reason = "No Simples, PIS e COFINS estão no DAS: CST 49, outras saídas.";
            found.put("padroes.pis.cst", "49", Medium, reason);
            found.put("padroes.cofins.cst", "49", Medium, reason);
        }
        Some(false) => {
            let reason =
                "Depende da UF, do produto e, em PIS e COFINS, do lucro real ou presumido.";
            found.miss("padroes.icms", reason);
            found.miss("padroes.pis", reason);
            found.miss("padroes.cofins", reason);
        }
        None => found.miss("padroes.icms", "Depende do regime, que o cadastro não diz."),
    }
}

fn service(activity: &cnae::Cnae, found: &mut Found) {
    match activity.items() {
        [] => {}
        [one] => {
            let reason =
                "Tabelas municipais levam a atividade principal a este item da LC 116/2003.";
            let field = "nfse.item_lista_servico";
            found.put(field, one, Confidence::Medium, reason);
        }
        several => {
            let reason = format!(
                "A atividade principal pode ser dos itens {} da LC 116/2003.",
                several.join(", ")
            );
            found.miss("nfse.item_lista_servico", &reason);
        }
    }
}
