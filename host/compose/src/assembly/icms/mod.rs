//! `ICMS` of an item: the group its CST or CSOSN asks for.
//!
//! Sources: MOC 7.0 annex I group N; LC 87/1996 art. 13; NT 2023.001 (fuels
//! taxed once); Resolução do Senado 13/2012 (4 % on imported goods).

mod deferral;
mod fits;
mod mono;
mod st;

use crate::arithmetic::{dec, f2, f4, percent_of, plus, r2, reduced_base, with_tax_inside};
use crate::assembly::line::Line;
use crate::assembly::sums::Sums;
use crate::context::{Context, Place};
use fiscal::nfe::order::{Destino, Fcp, GrupoIcms, Icms, IndicadorIe, ModalidadeBc};
use markup::tree::Node;
use rust_decimal::Decimal;
use std::borrow::Cow;

/// A rate above has no base that it could be inside of, and is a mistake.
const LARGEST_INSIDE: Decimal = Decimal::from_parts(99, 0, 0, false, 0);

/// Builds `ICMS`, if the note has it; the sums go to `somas`.
pub(super) fn icms(ctx: &mut Context<'_>, line: &Line<'_>, sums: &mut Sums) -> Option<Node> {
    let (icms, origin) = complete(ctx, line);
    if ctx.forbids("ICMS") || !ctx.demands_old && says_nothing(ctx, &icms) {
        return None;
    }
    let impostos = line.place.at("impostos");
    let place = impostos.at("icms");
    let own_data = line.item.impostos.as_ref().and_then(|i| i.icms.as_ref());
    let perfil = ctx.emitter.padroes.icms.as_ref();
    let perfil = perfil.filter(|_| origin.situation_from_profile);
    let mut work = Work {
        ctx,
        line,
        place,
        icms: &icms,
        of_perfil: origin.aliquota_of_perfil,
        sums,
    };
    work.outside(own_data, perfil);
    Some(Node::group("ICMS").child(work.group()))
}

/// Does neither the item nor anything else say what its ICMS is?
fn says_nothing(ctx: &Context<'_>, icms: &Icms) -> bool {
    let in_simples = ctx.calcular && ctx.emitter.regime.uses_csosn();
    !in_simples && *icms == Icms::default()
}

/// What of an item's ICMS is the profile's.
#[derive(Clone, Copy, Default)]
struct Origin {
    situation_from_profile: bool,
    /// The rate, if any: an internal one.
    aliquota_of_perfil: bool,
}

/// The item's own data over the profile's.
fn complete<'a>(ctx: &Context<'a>, line: &Line<'a>) -> (Cow<'a, Icms>, Origin) {
    static EMPTY: std::sync::LazyLock<Icms> = std::sync::LazyLock::new(Icms::default);
    let own_data = line.item.impostos.as_ref().and_then(|i| i.icms.as_ref());
    let perfil = ctx.emitter.padroes.icms.as_ref();
    let of_perfil = |aliquota_of_perfil| Origin {
        situation_from_profile: true,
        aliquota_of_perfil,
    };
    match (own_data, perfil) {
        (Some(icms), _) if icms.cst.is_some() || icms.csosn.is_some() => {
            (Cow::Borrowed(icms), Origin::default())
        }
        (None, Some(perfil)) => (Cow::Borrowed(perfil), of_perfil(true)),
        (Some(icms), Some(perfil)) => {
            let mut joined = icms.clone();
            joined.cst = perfil.cst.clone();
            joined.csosn = perfil.csosn.clone();
            let without_aliquota = joined.aliquota.is_none();
            joined.aliquota = joined.aliquota.or(perfil.aliquota);
            joined.modalidade_bc = joined.modalidade_bc.or(perfil.modalidade_bc);
            joined.reducao = joined.reducao.or(perfil.reducao);
            (Cow::Owned(joined), of_perfil(without_aliquota))
        }
        (Some(icms), None) => (Cow::Borrowed(icms), Origin::default()),
        (None, None) => (Cow::Borrowed(&*EMPTY), Origin::default()),
    }
}

struct Work<'o, 'a> {
    ctx: &'o mut Context<'a>,
    line: &'o Line<'o>,
    place: Place<'o>,
    icms: &'o Icms,
    of_perfil: bool,
    sums: &'o mut Sums,
}

/// Own operation of the item.
struct OwnOperation {
    base: Decimal,
    aliquota: Decimal,
    value: Decimal,
}

impl Work<'_, '_> {
    fn group(&mut self) -> Node {
        let cst = self.icms.cst.as_deref().map(str::trim);
        let csosn = self.icms.csosn.as_deref().map(str::trim);
        match (cst, csosn) {
            (Some(_), Some(_)) => {
                self.ctx.error(
                    self.place,
                    "cst_e_csosn",
                    "Foram informados CST e CSOSN no mesmo item.",
                    "Informe csosn para Simples Nacional e MEI, cst para os demais.",
                );
                Node::group("ICMS40")
            }
            (Some(cst), None) => self.normal(cst),
            (None, Some(csosn)) => self.simples(csosn),
            // Without permission of credit: what a Simples company without a
            // profile sells nearly always is.
            (None, None) if self.ctx.emitter.regime.uses_csosn() && self.ctx.calcular => {
                self.simples("102")
            }
            (None, None) => {
                let field = if self.ctx.emitter.regime.uses_csosn() {
                    "csosn"
                } else {
                    "cst"
                };
                self.ctx.missing(
                    self.place.at(field),
                    "Informe a situação tributária do ICMS, ou configure padroes.icms no perfil fiscal.",
                );
                Node::group("ICMS40")
            }
        }
    }

    fn normal(&mut self, cst: &str) -> Node {
        match self.icms.grupo {
            Some(GrupoIcms::Partilha) => return self.sharing(cst),
            Some(GrupoIcms::StRepasse) => return self.passed_on(cst),
            None => {}
        }
        match cst {
            "00" => {
                let group = self.head("ICMS00", "CST", cst);
                let (group, own) = self.own(group, false);
                // The base is that of ICMS: the group has none of its own.
                let of_nota = self.icms.fcp.as_ref().and_then(|fcp| fcp.base);
                let parent_place = self.place;
                let place = parent_place.at("fcp");
                self.ctx.checked(place.at("base"), of_nota, own.base);
                let fcp = self.fcp_of("fcp", self.icms.fcp.as_ref(), own.base);
                let Some((_, rate, value)) = fcp else {
                    return group;
                };
                self.sums.fcp = value;
                group.with("pFCP", f4(rate)).with("vFCP", f2(value))
            }
            "10" => {
                let group = self.head("ICMS10", "CST", cst);
                let (group, own) = self.own(group, false);
                let group = self.fcp(group, own.base);
                let group = self.st(group, own.value);
                self.relieved_st(group)
            }
            "20" => {
                let group = self.head("ICMS20", "CST", cst);
                let (group, own) = self.own(group, true);
                let group = self.fcp(group, own.base);
                self.relieved(group, Some(&own))
            }
            "30" => {
                let group = self.head("ICMS30", "CST", cst);
                let own = self.notional();
                let group = self.st(group, own);
                self.relieved(group, None)
            }
            "40" | "41" | "50" => {
                let group = self.head("ICMS40", "CST", cst);
                self.relieved(group, None)
            }
            "51" => self.deferred(cst),
            "60" => {
                let group = self.head("ICMS60", "CST", cst);
                let group = self.withheld(group);
                self.effective(group)
            }
            "70" => {
                let group = self.head("ICMS70", "CST", cst);
                let (group, own) = self.own(group, true);
                let group = self.fcp(group, own.base);
                let group = self.st(group, own.value);
                let group = self.relieved(group, Some(&own));
                self.relieved_st(group)
            }
            "90" => self.others(cst),
            "02" | "15" | "53" | "61" => self.mono(cst),
            _ => {
                self.ctx.fields.add_value(
                    self.place.at("cst").to_string(),
                    "cst_inexistente",
                    cst,
                    "CST do ICMS inexistente.",
                    "Use 00, 02, 10, 15, 20, 30, 40, 41, 50, 51, 53, 60, 61, 70 ou 90.",
                );
                Node::group("ICMS40")
            }
        }
    }

    fn simples(&mut self, csosn: &str) -> Node {
        match csosn {
            "101" => {
                let group = self.head("ICMSSN101", "CSOSN", csosn);
                self.credit(group, true)
            }
            "102" | "103" | "300" | "400" => self.head("ICMSSN102", "CSOSN", csosn),
            "201" => {
                let group = self.head("ICMSSN201", "CSOSN", csosn);
                let own = self.notional();
                let group = self.st(group, own);
                self.credit(group, true)
            }
            "202" | "203" => {
                let group = self.head("ICMSSN202", "CSOSN", csosn);
                let own = self.notional();
                self.st(group, own)
            }
            "500" => {
                let group = self.head("ICMSSN500", "CSOSN", csosn);
                let group = self.withheld(group);
                self.effective(group)
            }
            "900" => {
                let mut group = self.head("ICMSSN900", "CSOSN", csosn);
                let mut value = Decimal::ZERO;
                if self.has_own() {
                    let (with, own) = self.own(group, self.icms.reducao.is_some());
                    group = with;
                    value = own.value;
                }
                if self.icms.st.is_some() {
                    group = self.st(group, value);
                }
                self.credit(group, false)
            }
            _ => {
                self.ctx.fields.add_value(
                    self.place.at("csosn").to_string(),
                    "csosn_inexistente",
                    csosn,
                    "CSOSN inexistente.",
                    "Use 101, 102, 103, 201, 202, 203, 300, 400, 500 ou 900.",
                );
                Node::group("ICMSSN102")
            }
        }
    }

    fn head(&self, name: &'static str, which: &'static str, codigo: &str) -> Node {
        Node::group_of(name, 8)
            .with("orig", self.line.origin)
            .with(which, codigo)
    }

    /// Is there an own operation to tell (CST 90, CSOSN 900)?
    fn has_own(&self) -> bool {
        self.icms.base.is_some() || self.icms.aliquota.is_some() || self.icms.valor.is_some()
    }

    /// The rate: the one given, else the table's.
    fn aliquota(&mut self) -> Decimal {
        let stated_rate = self
            .icms
            .aliquota
            .filter(|_| !self.of_perfil || self.ctx.destination != Destino::Interestadual);
        if let Some(aliquota) = self.ctx.optional(self.place.at("aliquota"), stated_rate) {
            return aliquota;
        }
        if stated_rate.is_none() && self.ctx.calcular {
            let ctx = &*self.ctx;
            let from_table = if ctx.destination == Destino::Interestadual {
                // Resolução do Senado 13/2012.
                let imported = data::icms::imported_origin(self.line.origin);
                let (of, to) = ctx.route();
                data::icms::interstate(of, to, imported)
            } else {
                ctx.internal_icms(ctx.uf.abbreviation)
            };
            if let Some(aliquota) = from_table {
                let kind = if ctx.destination == Destino::Interestadual {
                    "interestadual"
                } else {
                    "modal interna"
                };
                self.ctx.aviso(
                    self.place.at("aliquota"),
                    format!("Alíquota {kind} da tabela: {aliquota}%. Informe aliquota se a do produto for outra."),
                );
                return aliquota;
            }
        }
        self.ctx
            .missing(self.place.at("aliquota"), "Informe a alíquota do ICMS.");
        Decimal::ZERO
    }

    /// Base of the own operation before any reduction.
    fn full_base(&self, aliquota: Decimal) -> Decimal {
        let v = &self.line.values;
        // CF art. 155 §2 XI: IPI stays out between taxpayers when goods go on
        // to be sold or made into others.
        let with_ipi =
            self.ctx.final_consumer || self.ctx.ie_indicator == IndicadorIe::NaoContribuinte;
        let ipi = if with_ipi {
            self.sums.ipi
        } else {
            Decimal::ZERO
        };
        if !self.line.import {
            return plus(v.operation(), ipi);
        }
        // LC 87/1996 art. 13 V and §1 I: duties and the tax itself are part of
        // it. Other charges are taken to be these very taxes.
        let sum = [
            v.operation() - v.other,
            self.sums.ii,
            self.sums.ipi,
            self.sums.pis,
            self.sums.cofins,
            self.line.customs_expenses,
        ]
        .into_iter()
        .fold(Decimal::ZERO, plus);
        with_tax_inside(sum, aliquota.min(LARGEST_INSIDE))
    }

    fn base(&mut self, aliquota: Decimal, reduced: bool) -> Decimal {
        if let Some(base) = self.ctx.optional(self.place.at("base"), self.icms.base) {
            return r2(base);
        }
        let whole = self.full_base(aliquota);
        match dec(self.icms.reducao).filter(|_| reduced) {
            Some(reduction) => reduced_base(whole, reduction),
            None => whole,
        }
    }

    /// `modBC`, `pRedBC`, `vBC`, `pICMS`, `vICMS`.
    fn own(&mut self, group: Node, reduced: bool) -> (Node, OwnOperation) {
        let aliquota = self.aliquota();
        let base = self.base(aliquota, reduced);
        let value = percent_of(base, aliquota);
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
        let mandatory = matches!(group.name.as_ref(), "ICMS20" | "ICMS70");
        if mandatory && reduction.is_none() {
            self.ctx.missing(
                self.place.at("reducao"),
                "Informe o percentual de redução da base.",
            );
        }
        let reduction = reduction.filter(|_| reduced).map(f4);
        let benefit = self.icms.cbenef_reducao.as_deref().map(str::trim);
        let benefit = benefit.filter(|_| group.name == "ICMS90");
        self.sums.bc = base;
        self.sums.icms = value;
        let group = group
            .with("modBC", modality.codigo())
            .with_if("pRedBC", reduction)
            .with_if("cBenefRBC", benefit)
            .with("vBC", f2(base))
            .with("pICMS", f4(aliquota))
            .with("vICMS", f2(value));
        (
            group,
            OwnOperation {
                base,
                aliquota,
                value,
            },
        )
    }

    /// ICMS of the own operation where the group does not tell it but ST
    /// takes it off (CST 30; CSOSN 201, 202, 203: Resolução CGSN 140/2018
    /// art. 28).
    fn notional(&mut self) -> Decimal {
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
        percent_of(self.full_base(aliquota), aliquota)
    }

    fn fcp_of(
        &mut self,
        name: &'static str,
        fcp: Option<&Fcp>,
        base: Decimal,
    ) -> Option<(Decimal, Decimal, Decimal)> {
        let fcp = fcp?;
        let place = self.place.at(name);
        let base = self
            .ctx
            .optional(place.at("base"), fcp.base)
            .map_or(base, r2);
        let rate = self.ctx.number(place.at("aliquota"), fcp.aliquota);
        let value = self
            .ctx
            .checked(place.at("valor"), fcp.valor, percent_of(base, rate));
        Some((base, rate, value))
    }

    /// `vBCFCP`, `pFCP`, `vFCP`.
    fn fcp(&mut self, group: Node, base: Decimal) -> Node {
        let Some((base, rate, value)) = self.fcp_of("fcp", self.icms.fcp.as_ref(), base) else {
            return group;
        };
        self.sums.fcp = value;
        group
            .with("vBCFCP", f2(base))
            .with("pFCP", f4(rate))
            .with("vFCP", f2(value))
    }

    /// `vICMSDeson`, `motDesICMS`, `indDeduzDeson`.
    fn relieved(&mut self, group: Node, own: Option<&OwnOperation>) -> Node {
        let Some(relieved) = &self.icms.desonerado else {
            return group;
        };
        let parent_place = self.place;
        let place = parent_place.at("desonerado");
        let value = match self.ctx.optional(place.at("valor"), relieved.valor) {
            Some(value) => r2(value),
            None => match (own, dec(self.icms.aliquota)) {
                // What a full base would give, less what is charged.
                (Some(own), _) => {
                    let full = percent_of(self.full_base(own.aliquota), own.aliquota);
                    (full - own.value).max(Decimal::ZERO)
                }
                (None, Some(aliquota)) => percent_of(self.full_base(aliquota), aliquota),
                (None, None) => {
                    self.ctx
                        .missing(place.at("valor"), "Informe o valor do ICMS desonerado.");
                    Decimal::ZERO
                }
            },
        };
        let reason = self
            .ctx
            .mandatory_text(place.at("motivo"), relieved.motivo.as_deref(), 2);
        self.sums.relieved = value;
        if relieved.deduz == Some(true) {
            self.sums.relieved_deducted = value;
        }
        let deducts = relieved
            .deduz
            .map(|deducts| if deducts { "1" } else { "0" });
        group
            .with("vICMSDeson", f2(value))
            .with("motDesICMS", reason.trim_start_matches('0'))
            .with_if("indDeduzDeson", deducts)
    }

    /// CST 90.
    fn others(&mut self, cst: &str) -> Node {
        let mut group = self.head("ICMS90", "CST", cst);
        let mut own_value = Decimal::ZERO;
        let mut own = None;
        if self.has_own() {
            let (with, fresh) = match self.icms.diferimento.is_some() {
                true => self.deferred_own(group),
                false => {
                    let (with, fresh) = self.own(group, self.icms.reducao.is_some());
                    (self.fcp(with, fresh.base), fresh)
                }
            };
            group = with;
            own_value = fresh.value;
            own = Some(fresh);
        }
        if self.icms.st.is_some() {
            group = self.st(group, own_value);
        }
        group = self.relieved(group, own.as_ref());
        self.relieved_st(group)
    }

    /// `pCredSN`, `vCredICMSSN` (LC 123/2006 art. 23).
    fn credit(&mut self, group: Node, mandatory: bool) -> Node {
        let parent_place = self.place;
        let place = parent_place.at("credito_sn");
        let credit = self.icms.credito_sn.as_ref();
        if credit.is_none() && !mandatory {
            return group;
        }
        let stated_rate = credit.and_then(|credit| credit.aliquota);
        let of_perfil = self
            .ctx
            .emitter
            .aliquota_credito_sn
            .filter(|_| self.ctx.calcular);
        let rate = self
            .ctx
            .number(place.at("aliquota"), stated_rate.or(of_perfil));
        let base = plus(self.line.values.operation(), Decimal::ZERO);
        let value = credit.and_then(|credit| credit.valor);
        let value = match value {
            // The base is not told in the group: what comes is taken.
            Some(value) => self.ctx.number(place.at("valor"), Some(value)),
            None => percent_of(base, rate),
        };
        group
            .with("pCredSN", f4(rate))
            .with("vCredICMSSN", f2(value))
    }

    /// `ICMSPart`: shared between the states of origin and destination.
    fn sharing(&mut self, cst: &str) -> Node {
        let group = self.head("ICMSPart", "CST", cst);
        let (group, own) = self.own(group, self.icms.reducao.is_some());
        let group = self.st(group, own.value);
        let percent = self.ctx.number(
            self.place.at("percentual_base_operacao"),
            self.icms.percentual_base_operacao,
        );
        let uf = self
            .ctx
            .mandatory_text(self.place.at("uf_st"), self.icms.uf_st.as_deref(), 2);
        let group = group
            .with("pBCOp", f4(percent))
            .with("UFST", uf.to_ascii_uppercase());
        self.relieved(group, Some(&own))
    }

    /// `ICMSST`: ST retained before, passed on to the destination's state.
    fn passed_on(&mut self, cst: &str) -> Node {
        let group = self.head("ICMSST", "CST", cst);
        if self.icms.retido.is_none() {
            self.ctx.missing(
                self.place.at("retido"),
                "Informe base e valor do ICMS retido antes.",
            );
        }
        let group = self.withheld(group);
        let destination = self.icms.st_destino.clone().unwrap_or_default();
        let parent_place = self.place;
        let place = parent_place.at("st_destino");
        let base = self.ctx.number(place.at("base"), destination.base);
        let value = self.ctx.number(place.at("valor"), destination.valor);
        let group = group
            .with("vBCSTDest", f2(base))
            .with("vICMSSTDest", f2(value));
        self.effective(group)
    }
}
