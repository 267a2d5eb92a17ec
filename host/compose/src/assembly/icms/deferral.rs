//! Deferral (CST 51 and 90).

use super::Obra;
use super::Propria;
use crate::arithmetic::{CEM, dec, f2, f4, por_cento, r2};
use fiscal::nfe::order::ModalidadeBc;
use markup::tree::Elemento;
use rust_decimal::Decimal;

impl Obra<'_, '_> {
    /// CST 51: the group may be empty where all is deferred.
    pub(super) fn diferido(&mut self, cst: &str) -> Elemento {
        let grupo = self.cabeca("ICMS51", "CST", cst);
        if self.so_a_situacao() {
            return grupo;
        }
        self.propria_diferida(grupo).0
    }

    /// Does CST 51 come without amounts?
    pub(super) fn so_a_situacao(&self) -> bool {
        let diferimento = self.icms.diferimento.as_ref();
        !self.tem_propria() && diferimento.and_then(|d| d.percentual).is_none()
    }

    /// FCP with its own deferral: `vFCPEfet` is what remains.
    fn fcp_diferido(&mut self, grupo: Elemento, base: Decimal) -> Elemento {
        let grupo = self.fcp(grupo, base);
        let percentual = self
            .icms
            .diferimento
            .as_ref()
            .and_then(|d| d.percentual_fcp);
        let Some(percentual) = dec(percentual).filter(|_| self.icms.fcp.is_some()) else {
            return grupo;
        };
        let adiado = por_cento(self.somas.fcp, percentual);
        let efetivo = r2(self.somas.fcp - adiado);
        // MOC W04h: the total takes the FCP that is due.
        self.somas.fcp = efetivo;
        grupo
            .com("pFCPDif", f4(percentual))
            .com("vFCPDif", f2(adiado))
            .com("vFCPEfet", f2(efetivo))
    }

    /// The own operation, less what is put off (all of it, if no part is told).
    pub(super) fn propria_diferida(&mut self, grupo: Elemento) -> (Elemento, Propria) {
        let onde_pai = self.onde;
        let onde = onde_pai.em("diferimento");
        let diferimento = self.icms.diferimento.as_ref();
        let aliquota = self.aliquota();
        let base = self.base(aliquota, true);
        let operacao = diferimento.and_then(|d| d.valor_operacao);
        let operacao = self.ctx.conferido(
            onde.em("valor_operacao"),
            operacao,
            por_cento(base, aliquota),
        );
        let percentual = diferimento.and_then(|d| d.percentual);
        let percentual = self
            .ctx
            .opcional(onde.em("percentual"), percentual)
            .unwrap_or(CEM);
        let adiado = diferimento.and_then(|d| d.valor);
        let adiado = self
            .ctx
            .conferido(onde.em("valor"), adiado, por_cento(operacao, percentual));
        let valor = r2(operacao - adiado).max(Decimal::ZERO);
        let valor = self
            .ctx
            .conferido(self.onde.em("valor"), self.icms.valor, valor);
        let modalidade = self
            .icms
            .modalidade_bc
            .unwrap_or(ModalidadeBc::ValorOperacao);
        let reducao = self
            .ctx
            .opcional(self.onde.em("reducao"), self.icms.reducao);
        self.somas.bc = base;
        self.somas.icms = valor;
        let grupo = grupo
            .com("modBC", modalidade.codigo())
            .com("vBC", f2(base))
            .com_se("pRedBC", reducao.map(f4))
            .com_se(
                "cBenefRBC",
                self.icms.cbenef_reducao.as_deref().map(str::trim),
            )
            .com("pICMS", f4(aliquota))
            .com("vICMSOp", f2(operacao))
            .com("pDif", f4(percentual))
            .com("vICMSDif", f2(adiado))
            .com("vICMS", f2(valor));
        let grupo = self.fcp_diferido(grupo, base);
        (
            grupo,
            Propria {
                base,
                aliquota,
                valor,
            },
        )
    }
}
