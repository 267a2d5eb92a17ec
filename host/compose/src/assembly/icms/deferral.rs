//! Deferral (CST 51 and 90).

use super::OwnOperation;
use super::Work;
use crate::arithmetic::{HUNDRED, dec, f2, f4, left_of, percent_of, r2};
use fiscal::nfe::order::ModalidadeBc;
use markup::tree::Node;
use rust_decimal::Decimal;

impl Work<'_, '_> {
    /// CST 51: the group may be empty where all is deferred.
    pub(super) fn deferred(&mut self, cst: &str) -> Node {
        let group = self.head("ICMS51", "CST", cst);
        if self.situation_only() {
            return group;
        }
        self.deferred_own(group).0
    }

    /// Does CST 51 come without amounts?
    pub(super) fn situation_only(&self) -> bool {
        let deferral = self.icms.diferimento.as_ref();
        !self.has_own() && deferral.and_then(|d| d.percentual).is_none()
    }

    /// FCP with its own deferral: `vFCPEfet` is what remains.
    fn deferred_fcp(&mut self, group: Node, base: Decimal) -> Node {
        let group = self.fcp(group, base);
        let percent = self
            .icms
            .diferimento
            .as_ref()
            .and_then(|d| d.percentual_fcp);
        let Some(percent) = dec(percent).filter(|_| self.icms.fcp.is_some()) else {
            return group;
        };
        let postponed = percent_of(self.sums.fcp, percent);
        let effective = r2(self.sums.fcp - postponed);
        // MOC W04h: the total takes the FCP that is due.
        self.sums.fcp = effective;
        group
            .with("pFCPDif", f4(percent))
            .with("vFCPDif", f2(postponed))
            .with("vFCPEfet", f2(effective))
    }

    /// The own operation, less what is put off (all of it, if no part is told).
    pub(super) fn deferred_own(&mut self, group: Node) -> (Node, OwnOperation) {
        let parent_place = self.place;
        let place = parent_place.at("diferimento");
        let deferral = self.icms.diferimento.as_ref();
        let aliquota = self.aliquota();
        let base = self.base(aliquota, true);
        let operation = deferral.and_then(|d| d.valor_operacao);
        let operation = self.ctx.checked(
            place.at("valor_operacao"),
            operation,
            percent_of(base, aliquota),
        );
        let percent = deferral.and_then(|d| d.percentual);
        let percent = self
            .ctx
            .optional(place.at("percentual"), percent)
            .unwrap_or(HUNDRED);
        let postponed = deferral.and_then(|d| d.valor);
        let postponed =
            self.ctx
                .checked(place.at("valor"), postponed, percent_of(operation, percent));
        let value = left_of(operation, postponed);
        let value = self
            .ctx
            .checked(self.place.at("valor"), self.icms.valor, value);
        let modality = self
            .icms
            .modalidade_bc
            .unwrap_or(ModalidadeBc::ValorOperacao);
        let reduction = self
            .ctx
            .optional(self.place.at("reducao"), self.icms.reducao);
        self.sums.bc = base;
        self.sums.icms = value;
        let group = group
            .with("modBC", modality.codigo())
            .with("vBC", f2(base))
            .with_if("pRedBC", reduction.map(f4))
            .with_if(
                "cBenefRBC",
                self.icms.cbenef_reducao.as_deref().map(str::trim),
            )
            .with("pICMS", f4(aliquota))
            .with("vICMSOp", f2(operation))
            .with("pDif", f4(percent))
            .with("vICMSDif", f2(postponed))
            .with("vICMS", f2(value));
        let group = self.deferred_fcp(group, base);
        (
            group,
            OwnOperation {
                base,
                aliquota,
                value,
            },
        )
    }
}
