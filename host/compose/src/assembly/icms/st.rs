//! Substitution: charged now (`st`), charged before (`retido`), passed on.

use super::Obra;
use crate::arithmetic::{CEM, TOLERANCIA, dividido, f2, f4, mais, por_cento, r2, reduzida, vezes};
use fiscal::nfe::order::{Fcp, ModalidadeBcSt};
use markup::tree::Elemento;
use rust_decimal::Decimal;

impl Obra<'_, '_> {
    /// `modBCST` to `vFCPST`.
    pub(super) fn st(&mut self, grupo: Elemento, propria: Decimal) -> Elemento {
        let onde_pai = self.onde;
        let onde = onde_pai.em("st");
        let Some(st) = self.icms.st.as_ref() else {
            self.ctx
                .falta(onde, "Informe o grupo st: mva ou base, e aliquota.");
            return grupo;
        };
        let reducao = self.ctx.opcional(onde.em("reducao"), st.reducao);
        let mva = self.ctx.opcional(onde.em("mva"), st.mva);
        let base = match self.ctx.opcional(onde.em("base"), st.base) {
            Some(base) => r2(base),
            None => {
                if mva.is_none() {
                    self.ctx.falta(
                        onde.em("mva"),
                        "Informe a MVA ou a base da substituição tributária.",
                    );
                }
                // LC 87/1996 art. 8 II: operation, freight, insurance, IPI and
                // other charges, and the margin over all of it.
                let cheia = mais(self.linha.valores.operacao(), self.somas.ipi);
                let com_margem = dividido(vezes(cheia, CEM + mva.unwrap_or_default()), CEM);
                reduzida(com_margem, reducao.unwrap_or_default())
            }
        };
        let aliquota = match self.ctx.opcional(onde.em("aliquota"), st.aliquota) {
            Some(aliquota) => aliquota,
            None => {
                let da_tabela = self
                    .ctx
                    .icms_interna(self.ctx.percurso().1)
                    .filter(|_| self.ctx.calcular);
                match da_tabela {
                    Some(aliquota) => {
                        self.ctx.aviso(
                            onde.em("aliquota"),
                            format!("Alíquota modal interna do destino, da tabela: {aliquota}%."),
                        );
                        aliquota
                    }
                    None => {
                        self.ctx.falta(
                            onde.em("aliquota"),
                            "Informe a alíquota interna do destino.",
                        );
                        Decimal::ZERO
                    }
                }
            }
        };
        let valor = self.valor_st(por_cento(base, aliquota), propria);
        let modalidade = st.modalidade_bc.unwrap_or(if mva.is_some() {
            ModalidadeBcSt::Mva
        } else {
            ModalidadeBcSt::ValorOperacao
        });
        self.somas.bc_st = base;
        self.somas.st = valor;
        let grupo = grupo
            .com("modBCST", modalidade.codigo())
            .com_se("pMVAST", mva.map(f4))
            .com_se("pRedBCST", reducao.map(f4))
            .com("vBCST", f2(base))
            .com("pICMSST", f4(aliquota))
            .com("vICMSST", f2(valor));
        let Some((base, taxa, valor)) = self.fcp_st(base) else {
            return grupo;
        };
        self.somas.fcp_st = valor;
        grupo
            .com("vBCFCPST", f2(base))
            .com("pFCPST", f4(taxa))
            .com("vFCPST", f2(valor))
    }

    /// The rate over the base, less the own operation. How much is taken off
    /// no authority checks: an ST that came with its base is taken, with a word
    /// where it is another one.
    fn valor_st(&mut self, cheio: Decimal, propria: Decimal) -> Decimal {
        let onde_pai = self.onde;
        let st = onde_pai.em("st");
        let onde = st.em("valor");
        let (com_base, dado) = match &self.icms.st {
            Some(st) => (st.base.is_some(), st.valor),
            None => (false, None),
        };
        let calculado = r2(cheio - propria).max(Decimal::ZERO);
        let lido = self.ctx.opcional(onde, dado).map(r2);
        let cabe = |lido: &Decimal| *lido <= cheio + TOLERANCIA || self.ctx.so_valores();
        let Some(valor) = lido.filter(|_| com_base).filter(cabe) else {
            return self.ctx.conferido(onde, dado, calculado);
        };
        if !propria.is_zero() && !self.ctx.so_valores() && (valor - calculado).abs() > TOLERANCIA {
            let esperado = f2(calculado);
            self.ctx.aviso(
                onde,
                format!("O ICMS-ST informado não é a base vezes a alíquota menos o ICMS próprio, {esperado}: confira."),
            );
        }
        valor
    }

    /// FCP by substitution: that on the margin, less the own operation's.
    pub(super) fn fcp_st(&mut self, base: Decimal) -> Option<(Decimal, Decimal, Decimal)> {
        let fcp = self.icms.fcp_st.as_ref()?;
        let onde_pai = self.onde;
        let onde = onde_pai.em("fcp_st");
        let base = self
            .ctx
            .opcional(onde.em("base"), fcp.base)
            .map_or(base, r2);
        let taxa = self.ctx.numero(onde.em("aliquota"), fcp.aliquota);
        let valor = r2(por_cento(base, taxa) - self.somas.fcp).max(Decimal::ZERO);
        let valor = self.ctx.conferido(onde.em("valor"), fcp.valor, valor);
        Some((base, taxa, valor))
    }

    /// `vICMSSTDeson`, `motDesICMSST`.
    pub(super) fn st_desonerado(&mut self, grupo: Elemento) -> Elemento {
        let Some(desonerado) = self.icms.st.as_ref().and_then(|st| st.desonerado.as_ref()) else {
            return grupo;
        };
        let st = self.onde;
        let st = st.em("st");
        let onde = st.em("desonerado");
        let valor = self.ctx.numero(onde.em("valor"), desonerado.valor);
        let motivo = self
            .ctx
            .texto_obrigatorio(onde.em("motivo"), desonerado.motivo.as_deref(), 2);
        grupo
            .com("vICMSSTDeson", f2(valor))
            .com("motDesICMSST", motivo.trim_start_matches('0'))
    }

    /// `vBCSTRet` to `vFCPSTRet`: charged before.
    pub(super) fn retido(&mut self, grupo: Elemento) -> Elemento {
        let Some(retido) = &self.icms.retido else {
            return grupo;
        };
        let onde_pai = self.onde;
        let onde = onde_pai.em("retido");
        let base = self.ctx.numero(onde.em("base"), retido.base);
        // `ICMSST` may do without (N10b); the others are whole or not there.
        let aliquota = match (retido.aliquota, grupo.nome.as_ref()) {
            (None, "ICMSST") => None,
            (dada, _) => Some(self.ctx.numero(onde.em("aliquota"), dada)),
        };
        let substituto = self
            .ctx
            .opcional(onde.em("valor_substituto"), retido.valor_substituto);
        let valor = self.ctx.numero(onde.em("valor"), retido.valor);
        let grupo = grupo
            .com("vBCSTRet", f2(base))
            .com_se("pST", aliquota.map(f4))
            .com_se("vICMSSubstituto", substituto.map(f2))
            .com("vICMSSTRet", f2(valor));
        self.fcp_retido(grupo, retido.fcp.as_ref(), base)
    }

    pub(super) fn fcp_retido(
        &mut self,
        grupo: Elemento,
        fcp: Option<&Fcp>,
        base: Decimal,
    ) -> Elemento {
        let Some(fcp) = fcp else { return grupo };
        let retido = self.onde;
        let retido = retido.em("retido");
        let onde = retido.em("fcp");
        let base = self
            .ctx
            .opcional(onde.em("base"), fcp.base)
            .map_or(r2(base), r2);
        let taxa = self.ctx.numero(onde.em("aliquota"), fcp.aliquota);
        let valor = self
            .ctx
            .opcional(onde.em("valor"), fcp.valor)
            .map_or(por_cento(base, taxa), r2);
        self.somas.fcp_st_retido = valor;
        grupo
            .com("vBCFCPSTRet", f2(base))
            .com("pFCPSTRet", f4(taxa))
            .com("vFCPSTRet", f2(valor))
    }

    /// `pRedBCEfet` to `vICMSEfet`.
    pub(super) fn efetivo(&mut self, grupo: Elemento) -> Elemento {
        let Some(efetivo) = &self.icms.efetivo else {
            return grupo;
        };
        let onde_pai = self.onde;
        let onde = onde_pai.em("efetivo");
        let reducao = self
            .ctx
            .opcional(onde.em("reducao"), efetivo.reducao)
            .unwrap_or_default();
        let aliquota = self.ctx.numero(onde.em("aliquota"), efetivo.aliquota);
        let base = self.ctx.opcional(onde.em("base"), efetivo.base);
        let base = base.map_or_else(|| reduzida(self.base_cheia(aliquota), reducao), r2);
        let valor = self
            .ctx
            .conferido(onde.em("valor"), efetivo.valor, por_cento(base, aliquota));
        grupo
            .com("pRedBCEfet", f4(reducao))
            .com("vBCEfet", f2(base))
            .com("pICMSEfet", f4(aliquota))
            .com("vICMSEfet", f2(valor))
    }
}
