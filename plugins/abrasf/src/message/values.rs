//! The group `Valores`.

use super::ibs_cbs;
use super::tags::Tags;
use crate::message::fields::Campos;
use crate::message::{plain, tax};
use crate::options::{LugarIbsCbs, Opcoes};
use crate::version::Versao;
use sdk::Decimal;
use sdk::nfse::table::RPS_VALUES;
use sdk::nfse::{Dps, Exigibilidade, ModoTributos, Retencao, Valores};

/// Amounts that the layouts ask for and the content does not have itself.
struct Apurado {
    deducoes: Decimal,
    base: Decimal,
    /// None when no rate was given or no tax is due.
    iss: Option<Decimal>,
    liquido: Decimal,
}

/// `Valores` of every version. Zeros are left out: some cities refuse them.
pub fn values(t: &mut Tags, opcoes: &Opcoes, dps: &Dps, campos: &mut Campos) {
    let valores = &dps.valores;
    let apurado = apurar(valores, campos);
    let retido = retido(valores);
    if opcoes.ibs_cbs == LugarIbsCbs::Valores {
        ibs_cbs::refuse(dps, campos);
    }
    let code = &mut |t: &mut Tags, name: &str, campos: &mut Campos| match name {
        "ValorDeducoes" => {
            let deducoes = Some(apurado.deducoes);
            opcional(t, name, "valores.deducoes", deducoes, campos);
        }
        "IssRetido" => t.folha(name, tax::sim_nao(retido)),
        "ValorIss" => opcional(t, name, "valores.iss.aliquota", apurado.iss, campos),
        "ValorIssRetido" => {
            let withheld = apurado.iss.filter(|_| retido);
            opcional(t, name, "valores.iss.aliquota", withheld, campos);
        }
        "ValTotTributos" => {
            let total = tributos(valores);
            opcional(t, name, "valores.tributos_aproximados", total, campos);
        }
        "BaseCalculo" => t.folha(name, &campos.valor("valores.deducoes", apurado.base)),
        "Aliquota" => aliquota(t, opcoes, valores, campos),
        "ValorLiquidoNfse" => {
            t.folha(name, &campos.valor("valores.retencoes", apurado.liquido));
        }
        of_group => ibs_cbs::code(t, of_group, opcoes, dps, campos),
    };
    t.grupo("Valores", &[], |t| {
        plain::write(t, RPS_VALUES, opcoes, dps, campos, code);
    });
}

/// The tax is withheld by somebody.
pub fn retido(valores: &Valores) -> bool {
    let iss = valores.iss.as_ref();
    iss.is_some_and(|iss| iss.retencao != Retencao::NaoRetido)
}

fn apurar(valores: &Valores, campos: &mut Campos) -> Apurado {
    let cem = Decimal::new(100, 0).unwrap_or_default();
    let iss = valores.iss.clone().unwrap_or_default();
    if iss.beneficio_municipal.is_some() {
        campos.erro(
            "valores.iss.beneficio_municipal",
            "sem_equivalente",
            "O leiaute da prefeitura não tem campo para benefício municipal; informe a redução em valores.deducoes.",
        );
    }
    let incondicionado = valores.desconto_incondicionado.unwrap_or_default();
    let deducoes = deducoes(valores);
    let base = valores.servico - deducoes - incondicionado;
    let devido = matches!(
        tax::exigibilidade(&iss),
        Exigibilidade::Exigivel
            | Exigibilidade::SuspensaJudicial
            | Exigibilidade::SuspensaAdministrativa
    );
    let valor_iss = iss
        .aliquota
        .filter(|_| devido)
        .filter(|aliquota| !aliquota.is_negative() && *aliquota <= cem)
        .and_then(|aliquota| base.checked_mul(aliquota.percent_to_fraction()))
        .map(|valor| valor.rounded(2));
    let mut liquido = valores.servico
        - incondicionado
        - valores.desconto_condicionado.unwrap_or_default()
        - federais(valores);
    if retido(valores) {
        liquido = liquido - valor_iss.unwrap_or_default();
    }
    Apurado {
        deducoes,
        base,
        iss: valor_iss,
        liquido,
    }
}

/// By value, by percentage of the price, or the sum of the documents.
fn deducoes(valores: &Valores) -> Decimal {
    let Some(deducoes) = &valores.deducoes else {
        return Decimal::ZERO;
    };
    if let Some(valor) = deducoes.valor {
        return valor;
    }
    if let Some(percentual) = deducoes.percentual {
        let valor = valores
            .servico
            .checked_mul(percentual.percent_to_fraction());
        return valor.unwrap_or_default().rounded(2);
    }
    deducoes.documentos.iter().map(|d| d.valor_deducao).sum()
}

fn federais(valores: &Valores) -> Decimal {
    let Some(r) = &valores.retencoes else {
        return Decimal::ZERO;
    };
    [r.pis, r.cofins, r.inss, r.ir, r.csll, r.outras]
        .into_iter()
        .flatten()
        .sum()
}

/// The approximate burden in R$, where it was given in R$.
fn tributos(valores: &Valores) -> Option<Decimal> {
    let tributos = valores.tributos_aproximados.as_ref()?;
    if tributos.modo != ModoTributos::Valores {
        return None;
    }
    let partes = [tributos.federal, tributos.estadual, tributos.municipal];
    Some(partes.into_iter().flatten().sum())
}

/// `Aliquota`: a fraction with four decimals or a percentage with two, four
/// where 2.00 to 2.02 allow it and the rate needs them.
fn aliquota(t: &mut Tags, opcoes: &Opcoes, valores: &Valores, campos: &mut Campos) {
    let Some(aliquota) = valores.iss.as_ref().and_then(|iss| iss.aliquota) else {
        return;
    };
    let texto = if opcoes.aliquota_fracao {
        aliquota.percent_to_fraction().fixed(4)
    } else if opcoes.versao < Versao::V203 && !opcoes.versao.primeira() {
        aliquota.fixed(2).or_else(|| aliquota.fixed(4))
    } else {
        aliquota.fixed(2)
    };
    let cabe = Decimal::new(100, 0).is_some_and(|cem| aliquota < cem) && !aliquota.is_negative();
    match texto {
        Some(texto) if cabe => t.folha("Aliquota", &texto),
        _ => campos.erro(
            "valores.iss.aliquota",
            "valor",
            "O leiaute da prefeitura aceita a alíquota em percentual, menor que 100, com até duas casas decimais.",
        ),
    }
}

fn opcional(t: &mut Tags, nome: &str, campo: &str, valor: Option<Decimal>, campos: &mut Campos) {
    if let Some(valor) = valor.filter(|valor| !valor.is_zero()) {
        let texto = campos.valor(campo, valor);
        t.folha(nome, &texto);
    }
}
