//! Fuels taxed once, by unit (NT 2023.001).

use super::Work;
use crate::arithmetic::{
    HUNDRED, by_unit, f2, f4, left_of, percent_of, reduced_base, round, variable,
};
use fiscal::nfe::order::Mono;
use markup::tree::Node;
use rust_decimal::Decimal;

impl Work<'_, '_> {
    /// CST 02, 15, 53, 61: reais by unit.
    pub(super) fn mono(&mut self, cst: &str) -> Node {
        let parent_place = self.place;
        let place = parent_place.at("mono");
        let Some(mono) = self.icms.mono.as_ref() else {
            self.ctx.missing(
                place,
                "Informe o grupo mono: aliquota em reais por unidade.",
            );
            return Node::group("ICMS02");
        };
        let quantity = self.ctx.optional(place.at("quantidade"), mono.quantidade);
        let quantity = quantity.unwrap_or(self.line.taxable_quantity);
        let aliquota = self.ctx.number(place.at("aliquota"), mono.aliquota);
        let full = by_unit(quantity, aliquota);
        let q = |quantity: Decimal| variable(quantity, 0, 4);
        match cst {
            "02" => {
                let value = self.ctx.checked(place.at("valor"), mono.valor, full);
                self.sums.q_mono = round(quantity, 4);
                self.sums.mono = value;
                self.head("ICMS02", "CST", cst)
                    .with("qBCMono", q(quantity))
                    .with("adRemICMS", f4(aliquota))
                    .with("vICMSMono", f2(value))
            }
            "15" => self.mono_with_withholding(mono, quantity, aliquota),
            "53" => {
                let operation =
                    self.ctx
                        .checked(place.at("valor_operacao"), mono.valor_operacao, full);
                let percent = self.ctx.optional(place.at("diferimento"), mono.diferimento);
                let percent = percent.unwrap_or(HUNDRED);
                let postponed = percent_of(operation, percent);
                let postponed =
                    self.ctx
                        .checked(place.at("valor_diferido"), mono.valor_diferido, postponed);
                let due = left_of(operation, postponed);
                let value = self.ctx.checked(place.at("valor"), mono.valor, due);
                self.sums.q_mono = round(quantity, 4);
                self.sums.mono = value;
                self.head("ICMS53", "CST", cst)
                    .with("qBCMono", q(quantity))
                    .with("adRemICMS", f4(aliquota))
                    .with("vICMSMonoOp", f2(operation))
                    .with("pDif", f4(percent))
                    .with("vICMSMonoDif", f2(postponed))
                    .with("vICMSMono", f2(value))
            }
            _ => {
                let value = self.ctx.checked(place.at("valor"), mono.valor, full);
                self.sums.q_mono_ret = round(quantity, 4);
                self.sums.mono_ret = value;
                self.head("ICMS61", "CST", cst)
                    .with("qBCMonoRet", q(quantity))
                    .with("adRemICMSRet", f4(aliquota))
                    .with("vICMSMonoRet", f2(value))
            }
        }
    }

    /// CST 15: own and retained.
    fn mono_with_withholding(&mut self, mono: &Mono, quantity: Decimal, aliquota: Decimal) -> Node {
        let parent = self.place;
        let place = parent.at("mono");
        let full = by_unit(quantity, aliquota);
        let reduction = self.ctx.optional(place.at("reducao"), mono.reducao);
        let due = reduction.map_or(full, |reduction| reduced_base(full, reduction));
        let value = self.ctx.checked(place.at("valor"), mono.valor, due);
        let withheld_quantity = self
            .ctx
            .optional(place.at("quantidade_retencao"), mono.quantidade_retencao);
        let withheld_quantity = withheld_quantity.unwrap_or(quantity);
        let rate = self
            .ctx
            .number(place.at("aliquota_retencao"), mono.aliquota_retencao);
        let withheld = by_unit(withheld_quantity, rate);
        let withheld = self
            .ctx
            .checked(place.at("valor_retencao"), mono.valor_retencao, withheld);
        self.sums.q_mono = round(quantity, 4);
        self.sums.mono = value;
        self.sums.q_mono_withholding = round(withheld_quantity, 4);
        self.sums.mono_withholding = withheld;
        let group = self
            .head("ICMS15", "CST", "15")
            .with("qBCMono", variable(quantity, 0, 4))
            .with("adRemICMS", f4(aliquota))
            .with("vICMSMono", f2(value))
            .with("qBCMonoReten", variable(withheld_quantity, 0, 4))
            .with("adRemICMSReten", f4(rate))
            .with("vICMSMonoReten", f2(withheld));
        let Some(reduction) = reduction else {
            return group;
        };
        let reason = mono.motivo_reducao.as_deref().unwrap_or("9").trim();
        group
            .with("pRedAdRem", f2(reduction))
            .with("motRedAdRem", reason)
    }
}
