//! Substitution: charged now (`st`), charged before (`retido`), passed on.

use super::Work;
use crate::arithmetic::{TOLERANCE, f2, f4, left_of, percent_of, plus, r2, reduced_base};
use fiscal::nfe::order::{Fcp, ModalidadeBcSt};
use fiscal::taxes::substitution;
use markup::tree::Node;
use rust_decimal::Decimal;

impl Work<'_, '_> {
    /// `modBCST` to `vFCPST`.
    pub(super) fn st(&mut self, group: Node, own: Decimal) -> Node {
        let parent_place = self.place;
        let place = parent_place.at("st");
        let Some(st) = self.icms.st.as_ref() else {
            self.ctx
                .missing(place, "Informe o grupo st: mva ou base, e aliquota.");
            return group;
        };
        let reduction = self.ctx.optional(place.at("reducao"), st.reducao);
        let mva = self.ctx.optional(place.at("mva"), st.mva);
        let base = match self.ctx.optional(place.at("base"), st.base) {
            Some(base) => r2(base),
            None => {
                if mva.is_none() {
                    self.ctx.missing(
                        place.at("mva"),
                        "Informe a MVA ou a base da substituição tributária.",
                    );
                }
                // LC 87/1996 art. 8 II: operation, freight, insurance, IPI and
                // other charges, and the margin over all of it.
                let whole = plus(self.line.values.operation(), self.sums.ipi);
                let margin = mva.unwrap_or_default();
                substitution::base(whole, margin, reduction.unwrap_or_default())
            }
        };
        let aliquota = match self.ctx.optional(place.at("aliquota"), st.aliquota) {
            Some(aliquota) => aliquota,
            None => {
                let from_table = self
                    .ctx
                    .internal_icms(self.ctx.route().1)
                    .filter(|_| self.ctx.calcular);
                match from_table {
                    Some(aliquota) => {
                        self.ctx.aviso(
                            place.at("aliquota"),
                            format!("Alíquota modal interna do destino, da tabela: {aliquota}%."),
                        );
                        aliquota
                    }
                    None => {
                        self.ctx.missing(
                            place.at("aliquota"),
                            "Informe a alíquota interna do destino.",
                        );
                        Decimal::ZERO
                    }
                }
            }
        };
        let value = self.st_value(percent_of(base, aliquota), own);
        let modality = st.modalidade_bc.unwrap_or(if mva.is_some() {
            ModalidadeBcSt::Mva
        } else {
            ModalidadeBcSt::ValorOperacao
        });
        self.sums.bc_st = base;
        self.sums.st = value;
        let group = group
            .with("modBCST", modality.codigo())
            .with_if("pMVAST", mva.map(f4))
            .with_if("pRedBCST", reduction.map(f4))
            .with("vBCST", f2(base))
            .with("pICMSST", f4(aliquota))
            .with("vICMSST", f2(value));
        let Some((base, rate, value)) = self.fcp_st(base) else {
            return group;
        };
        self.sums.fcp_st = value;
        group
            .with("vBCFCPST", f2(base))
            .with("pFCPST", f4(rate))
            .with("vFCPST", f2(value))
    }

    /// The rate over the base, less the own operation. How much is taken off
    /// no authority checks: an ST that came with its base is taken, with a word
    /// where it is another one.
    fn st_value(&mut self, full: Decimal, own: Decimal) -> Decimal {
        let parent_place = self.place;
        let st = parent_place.at("st");
        let place = st.at("valor");
        let (with_base, stated) = match &self.icms.st {
            Some(st) => (st.base.is_some(), st.valor),
            None => (false, None),
        };
        let computed = left_of(full, own);
        let read = self.ctx.optional(place, stated).map(r2);
        let fits = |read: &Decimal| *read <= full + TOLERANCE || self.ctx.values_only();
        let Some(value) = read.filter(|_| with_base).filter(fits) else {
            return self.ctx.checked(place, stated, computed);
        };
        if !own.is_zero() && !self.ctx.values_only() && (value - computed).abs() > TOLERANCE {
            let expected = f2(computed);
            self.ctx.aviso(
                place,
                format!("O ICMS-ST informado não é a base vezes a alíquota menos o ICMS próprio, {expected}: confira."),
            );
        }
        value
    }

    /// FCP by substitution: that on the margin, less the own operation's.
    pub(super) fn fcp_st(&mut self, base: Decimal) -> Option<(Decimal, Decimal, Decimal)> {
        let fcp = self.icms.fcp_st.as_ref()?;
        let parent_place = self.place;
        let place = parent_place.at("fcp_st");
        let base = self
            .ctx
            .optional(place.at("base"), fcp.base)
            .map_or(base, r2);
        let rate = self.ctx.number(place.at("aliquota"), fcp.aliquota);
        let value = left_of(percent_of(base, rate), self.sums.fcp);
        let value = self.ctx.checked(place.at("valor"), fcp.valor, value);
        Some((base, rate, value))
    }

    /// `vICMSSTDeson`, `motDesICMSST`.
    pub(super) fn relieved_st(&mut self, group: Node) -> Node {
        let Some(relieved) = self.icms.st.as_ref().and_then(|st| st.desonerado.as_ref()) else {
            return group;
        };
        let st = self.place;
        let st = st.at("st");
        let place = st.at("desonerado");
        let value = self.ctx.number(place.at("valor"), relieved.valor);
        let reason = self
            .ctx
            .mandatory_text(place.at("motivo"), relieved.motivo.as_deref(), 2);
        group
            .with("vICMSSTDeson", f2(value))
            .with("motDesICMSST", reason.trim_start_matches('0'))
    }

    /// `vBCSTRet` to `vFCPSTRet`: charged before.
    pub(super) fn withheld(&mut self, group: Node) -> Node {
        let Some(withheld) = &self.icms.retido else {
            return group;
        };
        let parent_place = self.place;
        let place = parent_place.at("retido");
        let base = self.ctx.number(place.at("base"), withheld.base);
        // `ICMSST` may do without (N10b); the others are whole or not there.
        let aliquota = match (withheld.aliquota, group.name.as_ref()) {
            (None, "ICMSST") => None,
            (stated_rate, _) => Some(self.ctx.number(place.at("aliquota"), stated_rate)),
        };
        let substitute = self
            .ctx
            .optional(place.at("valor_substituto"), withheld.valor_substituto);
        let value = self.ctx.number(place.at("valor"), withheld.valor);
        let group = group
            .with("vBCSTRet", f2(base))
            .with_if("pST", aliquota.map(f4))
            .with_if("vICMSSubstituto", substitute.map(f2))
            .with("vICMSSTRet", f2(value));
        self.withheld_fcp(group, withheld.fcp.as_ref(), base)
    }

    pub(super) fn withheld_fcp(&mut self, group: Node, fcp: Option<&Fcp>, base: Decimal) -> Node {
        let Some(fcp) = fcp else { return group };
        let withheld = self.place;
        let withheld = withheld.at("retido");
        let place = withheld.at("fcp");
        let base = self
            .ctx
            .optional(place.at("base"), fcp.base)
            .map_or(r2(base), r2);
        let rate = self.ctx.number(place.at("aliquota"), fcp.aliquota);
        let value = self
            .ctx
            .optional(place.at("valor"), fcp.valor)
            .map_or(percent_of(base, rate), r2);
        self.sums.fcp_st_withheld = value;
        group
            .with("vBCFCPSTRet", f2(base))
            .with("pFCPSTRet", f4(rate))
            .with("vFCPSTRet", f2(value))
    }

    /// `pRedBCEfet` to `vICMSEfet`.
    pub(super) fn effective(&mut self, group: Node) -> Node {
        let Some(effective) = &self.icms.efetivo else {
            return group;
        };
        let parent_place = self.place;
        let place = parent_place.at("efetivo");
        let reduction = self
            .ctx
            .optional(place.at("reducao"), effective.reducao)
            .unwrap_or_default();
        let aliquota = self.ctx.number(place.at("aliquota"), effective.aliquota);
        let base = self.ctx.optional(place.at("base"), effective.base);
        let base = base.map_or_else(|| reduced_base(self.full_base(aliquota), reduction), r2);
        let value = self.ctx.checked(
            place.at("valor"),
            effective.valor,
            percent_of(base, aliquota),
        );
        group
            .with("pRedBCEfet", f4(reduction))
            .with("vBCEfet", f2(base))
            .with("pICMSEfet", f4(aliquota))
            .with("vICMSEfet", f2(value))
    }
}
