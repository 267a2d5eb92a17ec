//! `ICMS` of an item: the group its CST or CSOSN asks for.
//!
//! Sources: MOC 7.0 annex I group N; LC 87/1996 art. 13; NT 2023.001 (fuels
//! taxed once); Resolução do Senado 13/2012 (4 % on imported goods).

mod deferral;
mod fits;
mod mono;
mod st;

use crate::arithmetic::{CEM, dec, dividido, f2, f4, mais, por_cento, r2, reduzida, vezes};
use crate::assembly::line::Linha;
use crate::assembly::sums::Somas;
use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{Destino, Fcp, GrupoIcms, Icms, IndicadorIe, ModalidadeBc};
use markup::tree::Elemento;
use rust_decimal::Decimal;
use std::borrow::Cow;

/// Builds `ICMS`, if the note has it; the sums go to `somas`.
pub(super) fn icms(
    ctx: &mut Contexto<'_>,
    linha: &Linha<'_>,
    somas: &mut Somas,
) -> Option<Elemento> {
    let (icms, origem) = completo(ctx, linha);
    if ctx.veda("ICMS") || !ctx.exige_antigos && sem_nada(ctx, &icms) {
        return None;
    }
    let impostos = linha.onde.em("impostos");
    let onde = impostos.em("icms");
    let proprio = linha.item.impostos.as_ref().and_then(|i| i.icms.as_ref());
    let perfil = ctx.emitente.padroes.icms.as_ref();
    let perfil = perfil.filter(|_| origem.situacao_do_perfil);
    let mut obra = Obra {
        ctx,
        linha,
        onde,
        icms: &icms,
        do_perfil: origem.aliquota_do_perfil,
        somas,
    };
    obra.fora(proprio, perfil);
    Some(Elemento::grupo("ICMS").filho(obra.grupo()))
}

/// Does neither the item nor anything else say what its ICMS is?
fn sem_nada(ctx: &Contexto<'_>, icms: &Icms) -> bool {
    let do_simples = ctx.calcular && ctx.emitente.regime.usa_csosn();
    !do_simples && *icms == Icms::default()
}

/// What of an item's ICMS is the profile's.
#[derive(Clone, Copy, Default)]
struct Origem {
    situacao_do_perfil: bool,
    /// The rate, if any: an internal one.
    aliquota_do_perfil: bool,
}

/// The item's own data over the profile's.
fn completo<'a>(ctx: &Contexto<'a>, linha: &Linha<'a>) -> (Cow<'a, Icms>, Origem) {
    static VAZIO: std::sync::LazyLock<Icms> = std::sync::LazyLock::new(Icms::default);
    let proprio = linha.item.impostos.as_ref().and_then(|i| i.icms.as_ref());
    let perfil = ctx.emitente.padroes.icms.as_ref();
    let do_perfil = |aliquota_do_perfil| Origem {
        situacao_do_perfil: true,
        aliquota_do_perfil,
    };
    match (proprio, perfil) {
        (Some(icms), _) if icms.cst.is_some() || icms.csosn.is_some() => {
            (Cow::Borrowed(icms), Origem::default())
        }
        (None, Some(perfil)) => (Cow::Borrowed(perfil), do_perfil(true)),
        (Some(icms), Some(perfil)) => {
            let mut junto = icms.clone();
            junto.cst = perfil.cst.clone();
            junto.csosn = perfil.csosn.clone();
            let sem_aliquota = junto.aliquota.is_none();
            junto.aliquota = junto.aliquota.or(perfil.aliquota);
            junto.modalidade_bc = junto.modalidade_bc.or(perfil.modalidade_bc);
            junto.reducao = junto.reducao.or(perfil.reducao);
            (Cow::Owned(junto), do_perfil(sem_aliquota))
        }
        (Some(icms), None) => (Cow::Borrowed(icms), Origem::default()),
        (None, None) => (Cow::Borrowed(&*VAZIO), Origem::default()),
    }
}

struct Obra<'o, 'a> {
    ctx: &'o mut Contexto<'a>,
    linha: &'o Linha<'o>,
    onde: Onde<'o>,
    icms: &'o Icms,
    do_perfil: bool,
    somas: &'o mut Somas,
}

/// Own operation of the item.
struct Propria {
    base: Decimal,
    aliquota: Decimal,
    valor: Decimal,
}

impl Obra<'_, '_> {
    fn grupo(&mut self) -> Elemento {
        let cst = self.icms.cst.as_deref().map(str::trim);
        let csosn = self.icms.csosn.as_deref().map(str::trim);
        match (cst, csosn) {
            (Some(_), Some(_)) => {
                self.ctx.erro(
                    self.onde,
                    "cst_e_csosn",
                    "Foram informados CST e CSOSN no mesmo item.",
                    "Informe csosn para Simples Nacional e MEI, cst para os demais.",
                );
                Elemento::grupo("ICMS40")
            }
            (Some(cst), None) => self.normal(cst),
            (None, Some(csosn)) => self.simples(csosn),
            // Without permission of credit: what a Simples company without a
            // profile sells nearly always is.
            (None, None) if self.ctx.emitente.regime.usa_csosn() && self.ctx.calcular => {
                self.simples("102")
            }
            (None, None) => {
                let campo = if self.ctx.emitente.regime.usa_csosn() {
                    "csosn"
                } else {
                    "cst"
                };
                self.ctx.falta(
                    self.onde.em(campo),
                    "Informe a situação tributária do ICMS, ou configure padroes.icms no perfil fiscal.",
                );
                Elemento::grupo("ICMS40")
            }
        }
    }

    fn normal(&mut self, cst: &str) -> Elemento {
        match self.icms.grupo {
            Some(GrupoIcms::Partilha) => return self.partilha(cst),
            Some(GrupoIcms::StRepasse) => return self.repasse(cst),
            None => {}
        }
        match cst {
            "00" => {
                let grupo = self.cabeca("ICMS00", "CST", cst);
                let (grupo, propria) = self.propria(grupo, false);
                // The base is that of ICMS: the group has none of its own.
                let da_nota = self.icms.fcp.as_ref().and_then(|fcp| fcp.base);
                let onde_pai = self.onde;
                let onde = onde_pai.em("fcp");
                self.ctx.conferido(onde.em("base"), da_nota, propria.base);
                let fcp = self.fcp_de("fcp", self.icms.fcp.as_ref(), propria.base);
                let Some((_, taxa, valor)) = fcp else {
                    return grupo;
                };
                self.somas.fcp = valor;
                grupo.com("pFCP", f4(taxa)).com("vFCP", f2(valor))
            }
            "10" => {
                let grupo = self.cabeca("ICMS10", "CST", cst);
                let (grupo, propria) = self.propria(grupo, false);
                let grupo = self.fcp(grupo, propria.base);
                let grupo = self.st(grupo, propria.valor);
                self.st_desonerado(grupo)
            }
            "20" => {
                let grupo = self.cabeca("ICMS20", "CST", cst);
                let (grupo, propria) = self.propria(grupo, true);
                let grupo = self.fcp(grupo, propria.base);
                self.desonerado(grupo, Some(&propria))
            }
            "30" => {
                let grupo = self.cabeca("ICMS30", "CST", cst);
                let propria = self.nocional();
                let grupo = self.st(grupo, propria);
                self.desonerado(grupo, None)
            }
            "40" | "41" | "50" => {
                let grupo = self.cabeca("ICMS40", "CST", cst);
                self.desonerado(grupo, None)
            }
            "51" => self.diferido(cst),
            "60" => {
                let grupo = self.cabeca("ICMS60", "CST", cst);
                let grupo = self.retido(grupo);
                self.efetivo(grupo)
            }
            "70" => {
                let grupo = self.cabeca("ICMS70", "CST", cst);
                let (grupo, propria) = self.propria(grupo, true);
                let grupo = self.fcp(grupo, propria.base);
                let grupo = self.st(grupo, propria.valor);
                let grupo = self.desonerado(grupo, Some(&propria));
                self.st_desonerado(grupo)
            }
            "90" => self.outros(cst),
            "02" | "15" | "53" | "61" => self.mono(cst),
            _ => {
                self.ctx.campos.add_value(
                    self.onde.em("cst").to_string(),
                    "cst_inexistente",
                    cst,
                    "CST do ICMS inexistente.",
                    "Use 00, 02, 10, 15, 20, 30, 40, 41, 50, 51, 53, 60, 61, 70 ou 90.",
                );
                Elemento::grupo("ICMS40")
            }
        }
    }

    fn simples(&mut self, csosn: &str) -> Elemento {
        match csosn {
            "101" => {
                let grupo = self.cabeca("ICMSSN101", "CSOSN", csosn);
                self.credito(grupo, true)
            }
            "102" | "103" | "300" | "400" => self.cabeca("ICMSSN102", "CSOSN", csosn),
            "201" => {
                let grupo = self.cabeca("ICMSSN201", "CSOSN", csosn);
                let propria = self.nocional();
                let grupo = self.st(grupo, propria);
                self.credito(grupo, true)
            }
            "202" | "203" => {
                let grupo = self.cabeca("ICMSSN202", "CSOSN", csosn);
                let propria = self.nocional();
                self.st(grupo, propria)
            }
            "500" => {
                let grupo = self.cabeca("ICMSSN500", "CSOSN", csosn);
                let grupo = self.retido(grupo);
                self.efetivo(grupo)
            }
            "900" => {
                let mut grupo = self.cabeca("ICMSSN900", "CSOSN", csosn);
                let mut valor = Decimal::ZERO;
                if self.tem_propria() {
                    let (com, propria) = self.propria(grupo, self.icms.reducao.is_some());
                    grupo = com;
                    valor = propria.valor;
                }
                if self.icms.st.is_some() {
                    grupo = self.st(grupo, valor);
                }
                self.credito(grupo, false)
            }
            _ => {
                self.ctx.campos.add_value(
                    self.onde.em("csosn").to_string(),
                    "csosn_inexistente",
                    csosn,
                    "CSOSN inexistente.",
                    "Use 101, 102, 103, 201, 202, 203, 300, 400, 500 ou 900.",
                );
                Elemento::grupo("ICMSSN102")
            }
        }
    }

    fn cabeca(&self, nome: &'static str, qual: &'static str, codigo: &str) -> Elemento {
        Elemento::grupo(nome)
            .com("orig", self.linha.origem)
            .com(qual, codigo)
    }

    /// Is there an own operation to tell (CST 90, CSOSN 900)?
    fn tem_propria(&self) -> bool {
        self.icms.base.is_some() || self.icms.aliquota.is_some() || self.icms.valor.is_some()
    }

    /// The rate: the one given, else the table's.
    fn aliquota(&mut self) -> Decimal {
        let dada = self
            .icms
            .aliquota
            .filter(|_| !self.do_perfil || self.ctx.destino != Destino::Interestadual);
        if let Some(aliquota) = self.ctx.opcional(self.onde.em("aliquota"), dada) {
            return aliquota;
        }
        if dada.is_none() && self.ctx.calcular {
            let ctx = &*self.ctx;
            let da_tabela = if ctx.destino == Destino::Interestadual {
                // Resolução do Senado 13/2012.
                let importado = data::icms::origem_importada(self.linha.origem);
                let (de, para) = ctx.percurso();
                data::icms::interestadual(de, para, importado)
            } else {
                ctx.icms_interna(ctx.uf.sigla)
            };
            if let Some(aliquota) = da_tabela {
                let tipo = if ctx.destino == Destino::Interestadual {
                    "interestadual"
                } else {
                    "modal interna"
                };
                self.ctx.aviso(
                    self.onde.em("aliquota"),
                    format!("Alíquota {tipo} da tabela: {aliquota}%. Informe aliquota se a do produto for outra."),
                );
                return aliquota;
            }
        }
        self.ctx
            .falta(self.onde.em("aliquota"), "Informe a alíquota do ICMS.");
        Decimal::ZERO
    }

    /// Base of the own operation before any reduction.
    fn base_cheia(&self, aliquota: Decimal) -> Decimal {
        let v = &self.linha.valores;
        // CF art. 155 §2 XI: IPI stays out between taxpayers when goods go on
        // to be sold or made into others.
        let com_ipi =
            self.ctx.consumidor_final || self.ctx.indicador_ie == IndicadorIe::NaoContribuinte;
        let ipi = if com_ipi {
            self.somas.ipi
        } else {
            Decimal::ZERO
        };
        if !self.linha.importacao {
            return mais(v.operacao(), ipi);
        }
        // LC 87/1996 art. 13 V and §1 I: duties and the tax itself are part of
        // it. Other charges are taken to be these very taxes.
        let soma = [
            v.operacao() - v.outro,
            self.somas.ii,
            self.somas.ipi,
            self.somas.pis,
            self.somas.cofins,
            self.linha.despesas_aduaneiras,
        ]
        .into_iter()
        .fold(Decimal::ZERO, mais);
        r2(dividido(
            vezes(soma, CEM),
            (CEM - aliquota).max(Decimal::ONE),
        ))
    }

    fn base(&mut self, aliquota: Decimal, reduz: bool) -> Decimal {
        if let Some(base) = self.ctx.opcional(self.onde.em("base"), self.icms.base) {
            return r2(base);
        }
        let cheia = self.base_cheia(aliquota);
        match dec(self.icms.reducao).filter(|_| reduz) {
            Some(reducao) => reduzida(cheia, reducao),
            None => cheia,
        }
    }

    /// `modBC`, `pRedBC`, `vBC`, `pICMS`, `vICMS`.
    fn propria(&mut self, grupo: Elemento, reduz: bool) -> (Elemento, Propria) {
        let aliquota = self.aliquota();
        let base = self.base(aliquota, reduz);
        let valor = por_cento(base, aliquota);
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
        let obrigatoria = matches!(grupo.nome.as_ref(), "ICMS20" | "ICMS70");
        if obrigatoria && reducao.is_none() {
            self.ctx.falta(
                self.onde.em("reducao"),
                "Informe o percentual de redução da base.",
            );
        }
        let reducao = reducao.filter(|_| reduz).map(f4);
        let beneficio = self.icms.cbenef_reducao.as_deref().map(str::trim);
        let beneficio = beneficio.filter(|_| grupo.nome == "ICMS90");
        self.somas.bc = base;
        self.somas.icms = valor;
        let grupo = grupo
            .com("modBC", modalidade.codigo())
            .com_se("pRedBC", reducao)
            .com_se("cBenefRBC", beneficio)
            .com("vBC", f2(base))
            .com("pICMS", f4(aliquota))
            .com("vICMS", f2(valor));
        (
            grupo,
            Propria {
                base,
                aliquota,
                valor,
            },
        )
    }

    /// ICMS of the own operation where the group does not tell it but ST
    /// takes it off (CST 30; CSOSN 201, 202, 203: Resolução CGSN 140/2018
    /// art. 28).
    fn nocional(&mut self) -> Decimal {
        if self
            .icms
            .st
            .as_ref()
            .is_some_and(|st| st.valor.is_some() && st.base.is_some())
        {
            // Given as a whole; `st` checks only the order of magnitude.
            return Decimal::ZERO;
        }
        let aliquota = self.aliquota();
        por_cento(self.base_cheia(aliquota), aliquota)
    }

    fn fcp_de(
        &mut self,
        nome: &'static str,
        fcp: Option<&Fcp>,
        base: Decimal,
    ) -> Option<(Decimal, Decimal, Decimal)> {
        let fcp = fcp?;
        let onde = self.onde.em(nome);
        let base = self
            .ctx
            .opcional(onde.em("base"), fcp.base)
            .map_or(base, r2);
        let taxa = self.ctx.numero(onde.em("aliquota"), fcp.aliquota);
        let valor = self
            .ctx
            .conferido(onde.em("valor"), fcp.valor, por_cento(base, taxa));
        Some((base, taxa, valor))
    }

    /// `vBCFCP`, `pFCP`, `vFCP`.
    fn fcp(&mut self, grupo: Elemento, base: Decimal) -> Elemento {
        let Some((base, taxa, valor)) = self.fcp_de("fcp", self.icms.fcp.as_ref(), base) else {
            return grupo;
        };
        self.somas.fcp = valor;
        grupo
            .com("vBCFCP", f2(base))
            .com("pFCP", f4(taxa))
            .com("vFCP", f2(valor))
    }

    /// `vICMSDeson`, `motDesICMS`, `indDeduzDeson`.
    fn desonerado(&mut self, grupo: Elemento, propria: Option<&Propria>) -> Elemento {
        let Some(desonerado) = &self.icms.desonerado else {
            return grupo;
        };
        let onde_pai = self.onde;
        let onde = onde_pai.em("desonerado");
        let valor = match self.ctx.opcional(onde.em("valor"), desonerado.valor) {
            Some(valor) => r2(valor),
            None => match (propria, dec(self.icms.aliquota)) {
                // What a full base would give, less what is charged.
                (Some(propria), _) => {
                    let cheio = por_cento(self.base_cheia(propria.aliquota), propria.aliquota);
                    (cheio - propria.valor).max(Decimal::ZERO)
                }
                (None, Some(aliquota)) => por_cento(self.base_cheia(aliquota), aliquota),
                (None, None) => {
                    self.ctx
                        .falta(onde.em("valor"), "Informe o valor do ICMS desonerado.");
                    Decimal::ZERO
                }
            },
        };
        let motivo = self
            .ctx
            .texto_obrigatorio(onde.em("motivo"), desonerado.motivo.as_deref(), 2);
        self.somas.desonerado = valor;
        if desonerado.deduz == Some(true) {
            self.somas.desonerado_deduzido = valor;
        }
        let deduz = desonerado.deduz.map(|deduz| if deduz { "1" } else { "0" });
        grupo
            .com("vICMSDeson", f2(valor))
            .com("motDesICMS", motivo.trim_start_matches('0'))
            .com_se("indDeduzDeson", deduz)
    }

    /// CST 90.
    fn outros(&mut self, cst: &str) -> Elemento {
        let mut grupo = self.cabeca("ICMS90", "CST", cst);
        let mut propria_valor = Decimal::ZERO;
        let mut propria = None;
        if self.tem_propria() {
            let (com, nova) = match self.icms.diferimento.is_some() {
                true => self.propria_diferida(grupo),
                false => {
                    let (com, nova) = self.propria(grupo, self.icms.reducao.is_some());
                    (self.fcp(com, nova.base), nova)
                }
            };
            grupo = com;
            propria_valor = nova.valor;
            propria = Some(nova);
        }
        if self.icms.st.is_some() {
            grupo = self.st(grupo, propria_valor);
        }
        grupo = self.desonerado(grupo, propria.as_ref());
        self.st_desonerado(grupo)
    }

    /// `pCredSN`, `vCredICMSSN` (LC 123/2006 art. 23).
    fn credito(&mut self, grupo: Elemento, obrigatorio: bool) -> Elemento {
        let onde_pai = self.onde;
        let onde = onde_pai.em("credito_sn");
        let credito = self.icms.credito_sn.as_ref();
        if credito.is_none() && !obrigatorio {
            return grupo;
        }
        let dada = credito.and_then(|credito| credito.aliquota);
        let do_perfil = self
            .ctx
            .emitente
            .aliquota_credito_sn
            .filter(|_| self.ctx.calcular);
        let taxa = self.ctx.numero(onde.em("aliquota"), dada.or(do_perfil));
        let base = mais(self.linha.valores.operacao(), Decimal::ZERO);
        let valor = credito.and_then(|credito| credito.valor);
        let valor = match valor {
            // The base is not told in the group: what comes is taken.
            Some(valor) => self.ctx.numero(onde.em("valor"), Some(valor)),
            None => por_cento(base, taxa),
        };
        grupo.com("pCredSN", f4(taxa)).com("vCredICMSSN", f2(valor))
    }

    /// `ICMSPart`: shared between the states of origin and destination.
    fn partilha(&mut self, cst: &str) -> Elemento {
        let grupo = self.cabeca("ICMSPart", "CST", cst);
        let (grupo, propria) = self.propria(grupo, self.icms.reducao.is_some());
        let grupo = self.st(grupo, propria.valor);
        let percentual = self.ctx.numero(
            self.onde.em("percentual_base_operacao"),
            self.icms.percentual_base_operacao,
        );
        let uf = self
            .ctx
            .texto_obrigatorio(self.onde.em("uf_st"), self.icms.uf_st.as_deref(), 2);
        let grupo = grupo
            .com("pBCOp", f4(percentual))
            .com("UFST", uf.to_ascii_uppercase());
        self.desonerado(grupo, Some(&propria))
    }

    /// `ICMSST`: ST retained before, passed on to the destination's state.
    fn repasse(&mut self, cst: &str) -> Elemento {
        let grupo = self.cabeca("ICMSST", "CST", cst);
        if self.icms.retido.is_none() {
            self.ctx.falta(
                self.onde.em("retido"),
                "Informe base e valor do ICMS retido antes.",
            );
        }
        let grupo = self.retido(grupo);
        let destino = self.icms.st_destino.clone().unwrap_or_default();
        let onde_pai = self.onde;
        let onde = onde_pai.em("st_destino");
        let base = self.ctx.numero(onde.em("base"), destino.base);
        let valor = self.ctx.numero(onde.em("valor"), destino.valor);
        let grupo = grupo
            .com("vBCSTDest", f2(base))
            .com("vICMSSTDest", f2(valor));
        self.efetivo(grupo)
    }
}
