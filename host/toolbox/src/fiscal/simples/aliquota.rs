//! POST /api/v1/fiscal/simples/aliquota: the effective rate of an annex.

use super::{Annex, StepOut, fraction, refused};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use fiscal::nfe::order::Number;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::answer::Reais;
use markup::decimal::Exact;
use rust_decimal::Decimal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tools::simples::{Assessed, Revenue, RevenueError, Share, annual, assess};

pub fn built() -> Built {
    Built {
        operation: "fiscal.simples.aliquota",
        route: |method| on(method, aliquota),
        docs: Docs::new("Calcula a alíquota efetiva do Simples Nacional, com a trilha: faixa, parcela a deduzir, fórmula e artigo. No início de atividade, a receita de doze meses é a proporcional.")
            .body::<AliquotaIn>()
            .success::<Charged<AliquotaOut>>(),
    }
}

/// O anexo, e a receita: de doze meses, ou a de cada mês desde o início.
#[derive(Deserialize, JsonSchema)]
struct AliquotaIn {
    anexo: Annex,
    /// Receita bruta dos doze meses anteriores, em reais.
    #[serde(default)]
    rbt12: Option<Number>,
    /// No início de atividade, em vez de `rbt12`: a receita de cada mês antes
    /// do que se apura, do mais antigo ao mais novo; vazio no primeiro mês.
    #[serde(default)]
    #[schemars(length(max = 12))]
    receitas_mensais: Option<Vec<Number>>,
    /// A receita do mês que se apura: com ela a resposta traz o valor devido;
    /// obrigatória no primeiro mês de atividade.
    #[serde(default)]
    receita_mes: Option<Number>,
}

/// A alíquota efetiva e como se chega a ela.
#[derive(Serialize, JsonSchema)]
struct AliquotaOut {
    anexo: &'static str,
    faixa: u8,
    /// A receita de doze meses que escolheu a faixa.
    rbt12: Reais,
    /// A receita de doze meses foi projetada de menos meses.
    rbt12_proporcionalizado: bool,
    /// Como fração: 0,0652 é 6,52%.
    aliquota_efetiva: Exact,
    /// Com seis casas.
    aliquota_efetiva_percentual: Exact,
    /// A da tabela, como fração.
    aliquota_nominal: Exact,
    aliquota_nominal_percentual: Exact,
    parcela_deduzir: Reais,
    /// A parte de cada tributo.
    reparticao: BTreeMap<&'static str, ShareOut>,
    /// A receita de doze meses passa do sublimite: se a do ano-calendário
    /// também passa, ICMS e ISS são pagos fora do Simples.
    acima_do_sublimite: bool,
    /// O ISS foi limitado a 5%.
    teto_do_iss: bool,
    /// O que se paga pelo mês; `null` sem `receita_mes`, e acima do sublimite,
    /// onde depende da receita do ano-calendário.
    valor_devido: Option<Reais>,
    trilha: Vec<StepOut>,
}

/// A parte de um tributo.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReparticaoDoSimples")]
struct ShareOut {
    /// Quanto da alíquota é dele, em percentual.
    percentual: Exact,
    /// Quanto da receita é dele, em percentual.
    aliquota_efetiva_percentual: Exact,
}

async fn aliquota(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<AliquotaOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: AliquotaIn = body::read(value, call.tolerant)?;
    let month = body.receita_mes.map(|month| *month);
    if month.is_some_and(|month| month < Decimal::ZERO) {
        return Err(wrong("receita_mes", "A receita não pode ser negativa.").into());
    }
    let revenue = revenue(&body, month)?;
    let field = match &body.receitas_mensais {
        None => "rbt12",
        Some(months) if months.is_empty() => "receita_mes",
        Some(_) => "receitas_mensais",
    };
    let found = assess(body.anexo.into(), revenue.rbt12).map_err(|error| refused(error, field))?;
    charge::paid(&call, answer(revenue, found, month)).await
}

/// The revenue that chooses the bracket.
fn revenue(body: &AliquotaIn, month: Option<Decimal>) -> Result<Revenue, Failure> {
    let closed = match (&body.rbt12, &body.receitas_mensais) {
        (Some(_), Some(_)) => {
            return Err(wrong(
                "receitas_mensais",
                "Vieram rbt12 e receitas_mensais: vale um só.",
            )
            .into());
        }
        (Some(rbt12), None) => return Ok(Revenue::told(**rbt12)),
        (None, Some(months)) => months.iter().map(|month| **month).collect::<Vec<_>>(),
        (None, None) => {
            return Err(Refusal::field(
                Code::ParametroAusente,
                "rbt12",
                "Falta a receita de doze meses.",
                "Informe rbt12; no início de atividade, receitas_mensais e receita_mes.",
            )
            .into());
        }
    };
    annual(&closed, month).map_err(|error| {
        match error {
            RevenueError::Negative => wrong("receitas_mensais", "A receita não pode ser negativa."),
            RevenueError::TooManyMonths => wrong("receitas_mensais", "São doze meses no máximo."),
            RevenueError::NoRevenue => Refusal::field(
                Code::ParametroAusente,
                "receita_mes",
                "No primeiro mês de atividade falta a receita dele.",
                "Informe receita_mes.",
            ),
            RevenueError::TooBig => wrong("receitas_mensais", "A receita é grande demais."),
        }
        .into()
    })
}

fn wrong(field: &str, message: &str) -> Refusal {
    Refusal::field(Code::ParametroInvalido, field, message, "Corrija o campo.")
}

fn answer(revenue: Revenue, found: Assessed, month: Option<Decimal>) -> AliquotaOut {
    let month = month.filter(|_| !found.above_sublimit);
    let due = month.and_then(|month| found.due(month));
    let bracket = found.bracket;
    let mut trail: Vec<StepOut> = revenue.step.into_iter().map(StepOut::from).collect();
    trail.extend(found.steps.into_iter().map(StepOut::from));
    AliquotaOut {
        anexo: bracket.annex.name(),
        faixa: bracket.number,
        rbt12: Reais(revenue.rbt12),
        rbt12_proporcionalizado: revenue.projected,
        aliquota_efetiva: fraction(found.effective),
        aliquota_efetiva_percentual: Exact(found.effective),
        aliquota_nominal: fraction(bracket.aliquota),
        aliquota_nominal_percentual: Exact(bracket.aliquota),
        parcela_deduzir: Reais(bracket.deduction),
        reparticao: found.shares.into_iter().map(part).collect(),
        acima_do_sublimite: found.above_sublimit,
        teto_do_iss: found.iss_capped,
        valor_devido: due.map(Reais),
        trilha: trail,
    }
}

fn part(share: Share) -> (&'static str, ShareOut) {
    let out = ShareOut {
        percentual: Exact(share.percent),
        aliquota_efetiva_percentual: Exact(share.rate),
    };
    (share.tax.name(), out)
}
