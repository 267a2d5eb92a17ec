//! Arithmetic of money: exact, bounded, rounded as the MOC does.

use fiscal::nfe::order::Numero;
use rust_decimal::{Decimal, RoundingStrategy};

/// Bound of every intermediate result: beyond what any field holds (10^13),
/// far below where 990 of them would overflow a [`Decimal`].
const TETO: Decimal = Decimal::from_parts(2_764_472_320, 232_830, 0, false, 0);
pub(super) const CEM: Decimal = Decimal::ONE_HUNDRED;
/// Tolerance of the authority's rules.
pub(super) const TOLERANCIA: Decimal = Decimal::from_parts(1, 0, 0, false, 2);

/// Two decimals, commercial rounding (MOC, "arredondamento").
pub(super) fn r2(valor: Decimal) -> Decimal {
    arredonda(valor, 2)
}

pub(super) fn arredonda(valor: Decimal, casas: u32) -> Decimal {
    valor.round_dp_with_strategy(casas, RoundingStrategy::MidpointAwayFromZero)
}

fn preso(valor: Decimal) -> Decimal {
    valor.clamp(-TETO, TETO)
}

pub(super) fn mais(a: Decimal, b: Decimal) -> Decimal {
    sem_sinal_no_zero(a.checked_add(b).map_or(TETO, preso))
}

pub(super) fn vezes(a: Decimal, b: Decimal) -> Decimal {
    a.checked_mul(b).map_or(TETO, preso)
}

/// Zero when there is nothing to divide by.
pub(super) fn dividido(a: Decimal, b: Decimal) -> Decimal {
    a.checked_div(b).map_or(Decimal::ZERO, preso)
}

/// `taxa` percent of a base, two decimals.
pub(super) fn por_cento(base: Decimal, taxa: Decimal) -> Decimal {
    r2(dividido(vezes(base, taxa), CEM))
}

/// A base less `reducao` percent, two decimals.
pub(super) fn reduzida(base: Decimal, reducao: Decimal) -> Decimal {
    r2(dividido(vezes(base, CEM - reducao), CEM))
}

/// Shares an amount out by weight; the parts have two decimals and add up to
/// it exactly.
pub(super) fn rateio(total: Decimal, pesos: &[Decimal]) -> Vec<Decimal> {
    let soma = pesos
        .iter()
        .fold(Decimal::ZERO, |soma, peso| mais(soma, *peso));
    let mut acumulado = Decimal::ZERO;
    let mut ja_dado = Decimal::ZERO;
    pesos
        .iter()
        .map(|peso| {
            acumulado = mais(acumulado, *peso);
            let ate_aqui = r2(dividido(vezes(total, acumulado), soma));
            let parte = ate_aqui - ja_dado;
            ja_dado = ate_aqui;
            parte
        })
        .collect()
}

pub(super) fn dec(numero: Option<Numero>) -> Option<Decimal> {
    numero.map(|numero| *numero)
}

/// `1234.50`.
pub(super) fn f2(valor: Decimal) -> String {
    fixo(valor, 2)
}

/// `18.0000`.
pub(super) fn f4(valor: Decimal) -> String {
    fixo(valor, 4)
}

pub(super) fn fixo(valor: Decimal, casas: u32) -> String {
    let mut valor = sem_sinal_no_zero(arredonda(valor, casas));
    valor.rescale(casas);
    valor.to_string()
}

/// Sums that end in nothing may end in minus nothing.
fn sem_sinal_no_zero(valor: Decimal) -> Decimal {
    if valor.is_zero() { valor.abs() } else { valor }
}

/// From `minimo` to `maximo` decimals, no zeros beyond the minimum.
pub(super) fn variavel(valor: Decimal, minimo: u32, maximo: u32) -> String {
    let mut valor = sem_sinal_no_zero(arredonda(valor, maximo)).normalize();
    if valor.scale() < minimo {
        valor.rescale(minimo);
    }
    valor.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(texto: &str) -> Decimal {
        texto.parse().expect(texto)
    }

    #[test]
    fn shares_add_up() {
        for (total, pesos) in [
            ("10.00", vec!["1", "1", "1"]),
            ("0.01", vec!["3", "3", "3", "3"]),
            ("99.99", vec!["0.01", "1234567.89", "0"]),
            ("7", vec!["0", "0", "5"]),
        ] {
            let pesos: Vec<Decimal> = pesos.into_iter().map(d).collect();
            let partes = rateio(d(total), &pesos);
            assert_eq!(partes.iter().sum::<Decimal>(), d(total));
            assert!(partes.iter().all(|parte| !parte.is_sign_negative()));
        }
    }

    #[test]
    fn nothing_overflows() {
        let grande = d("9999999999999.9999999999");
        assert_eq!(vezes(vezes(grande, grande), grande), TETO);
        assert_eq!(TETO, Decimal::from(1_000_000_000_000_000_i64));
        let soma = (0..100_000).fold(Decimal::ZERO, |soma, _| mais(soma, TETO));
        assert_eq!(soma, TETO);
        assert_eq!(dividido(grande, Decimal::ZERO), Decimal::ZERO);
        assert_eq!(dividido(grande, d("0.0000000001")), TETO);
    }

    #[test]
    fn rounding_is_half_up() {
        assert_eq!(f2(d("0.005")), "0.01");
        assert_eq!(f2(d("2.675")), "2.68");
        assert_eq!(f2(Decimal::ZERO - d("0.001")), "0.00");
        assert_eq!(variavel(-Decimal::ZERO, 0, 4), "0");
        assert_eq!(f4(d("18")), "18.0000");
        assert_eq!(variavel(d("2.000"), 0, 4), "2");
        assert_eq!(variavel(d("4.9"), 2, 10), "4.90");
        assert_eq!(variavel(d("4.98765432109"), 2, 10), "4.9876543211");
    }
}
