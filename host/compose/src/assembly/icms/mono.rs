//! Fuels taxed once, by unit (NT 2023.001).

use super::Obra;
use crate::arithmetic::{CEM, arredonda, f2, f4, por_cento, r2, reduzida, variavel, vezes};
use fiscal::nfe::order::Mono;
use markup::tree::Elemento;
use rust_decimal::Decimal;

impl Obra<'_, '_> {
    /// CST 02, 15, 53, 61: reais by unit.
    pub(super) fn mono(&mut self, cst: &str) -> Elemento {
        let onde_pai = self.onde;
        let onde = onde_pai.em("mono");
        let Some(mono) = self.icms.mono.as_ref() else {
            self.ctx
                .falta(onde, "Informe o grupo mono: aliquota em reais por unidade.");
            return Elemento::grupo("ICMS02");
        };
        let quantidade = self.ctx.opcional(onde.em("quantidade"), mono.quantidade);
        let quantidade = quantidade.unwrap_or(self.linha.quantidade_tributavel);
        let aliquota = self.ctx.numero(onde.em("aliquota"), mono.aliquota);
        let cheio = r2(vezes(quantidade, aliquota));
        let q = |quantidade: Decimal| variavel(quantidade, 0, 4);
        match cst {
            "02" => {
                let valor = self.ctx.conferido(onde.em("valor"), mono.valor, cheio);
                self.somas.q_mono = arredonda(quantidade, 4);
                self.somas.mono = valor;
                self.cabeca("ICMS02", "CST", cst)
                    .com("qBCMono", q(quantidade))
                    .com("adRemICMS", f4(aliquota))
                    .com("vICMSMono", f2(valor))
            }
            "15" => self.mono_com_retencao(mono, quantidade, aliquota),
            "53" => {
                let operacao =
                    self.ctx
                        .conferido(onde.em("valor_operacao"), mono.valor_operacao, cheio);
                let percentual = self.ctx.opcional(onde.em("diferimento"), mono.diferimento);
                let percentual = percentual.unwrap_or(CEM);
                let adiado = por_cento(operacao, percentual);
                let adiado =
                    self.ctx
                        .conferido(onde.em("valor_diferido"), mono.valor_diferido, adiado);
                let devido = r2(operacao - adiado).max(Decimal::ZERO);
                let valor = self.ctx.conferido(onde.em("valor"), mono.valor, devido);
                self.somas.q_mono = arredonda(quantidade, 4);
                self.somas.mono = valor;
                self.cabeca("ICMS53", "CST", cst)
                    .com("qBCMono", q(quantidade))
                    .com("adRemICMS", f4(aliquota))
                    .com("vICMSMonoOp", f2(operacao))
                    .com("pDif", f4(percentual))
                    .com("vICMSMonoDif", f2(adiado))
                    .com("vICMSMono", f2(valor))
            }
            _ => {
                let valor = self.ctx.conferido(onde.em("valor"), mono.valor, cheio);
                self.somas.q_mono_ret = arredonda(quantidade, 4);
                self.somas.mono_ret = valor;
                self.cabeca("ICMS61", "CST", cst)
                    .com("qBCMonoRet", q(quantidade))
                    .com("adRemICMSRet", f4(aliquota))
                    .com("vICMSMonoRet", f2(valor))
            }
        }
    }

    /// CST 15: own and retained.
    fn mono_com_retencao(
        &mut self,
        mono: &Mono,
        quantidade: Decimal,
        aliquota: Decimal,
    ) -> Elemento {
        let pai = self.onde;
        let onde = pai.em("mono");
        let cheio = r2(vezes(quantidade, aliquota));
        let reducao = self.ctx.opcional(onde.em("reducao"), mono.reducao);
        let devido = reducao.map_or(cheio, |reducao| reduzida(cheio, reducao));
        let valor = self.ctx.conferido(onde.em("valor"), mono.valor, devido);
        let retida = self
            .ctx
            .opcional(onde.em("quantidade_retencao"), mono.quantidade_retencao);
        let retida = retida.unwrap_or(quantidade);
        let taxa = self
            .ctx
            .numero(onde.em("aliquota_retencao"), mono.aliquota_retencao);
        let retido = r2(vezes(retida, taxa));
        let retido = self
            .ctx
            .conferido(onde.em("valor_retencao"), mono.valor_retencao, retido);
        self.somas.q_mono = arredonda(quantidade, 4);
        self.somas.mono = valor;
        self.somas.q_mono_reten = arredonda(retida, 4);
        self.somas.mono_reten = retido;
        let grupo = self
            .cabeca("ICMS15", "CST", "15")
            .com("qBCMono", variavel(quantidade, 0, 4))
            .com("adRemICMS", f4(aliquota))
            .com("vICMSMono", f2(valor))
            .com("qBCMonoReten", variavel(retida, 0, 4))
            .com("adRemICMSReten", f4(taxa))
            .com("vICMSMonoReten", f2(retido));
        let Some(reducao) = reducao else { return grupo };
        let motivo = mono.motivo_reducao.as_deref().unwrap_or("9").trim();
        grupo
            .com("pRedAdRem", f2(reducao))
            .com("motRedAdRem", motivo)
    }
}
