//! What an item has to say in the table: the values of each column, and the text
//! that stands with its description.

use crate::danfe::nota::Node;
use crate::danfe::values::{date_and_time, join, number, positive, rate, value};

/// What a cell is to show.
pub(super) enum Content {
    /// Words, broken at spaces.
    Text(Vec<String>),
    /// Short codes in the middle.
    Code(String),
    /// Numbers on the right, one a line.
    Numbers(Vec<String>),
    /// Names on the left, numbers on the right.
    Named(Vec<(&'static str, String)>),
}

/// An item of the note.
pub(super) struct Item<'d> {
    det: Node<'d>,
    prod: Node<'d>,
    icms: Node<'d>,
    ipi: Node<'d>,
}

impl<'d> Item<'d> {
    pub fn new(det: Node<'d>) -> Item<'d> {
        let tax = det.node("imposto");
        Item {
            det,
            prod: det.node("prod"),
            icms: tax.node("ICMS").first(),
            ipi: tax.node("IPI").node("IPITrib"),
        }
    }

    /// Origin and CST or CSOSN; a service has neither.
    fn cst(&self) -> String {
        let code = self.icms.one_of(&["CST", "CSOSN"]);
        format!("{}{code}", self.icms.t("orig"))
    }

    /// Commercial, then taxable if it is another one (MOC: both must be seen).
    fn quantities(&self) -> [Vec<String>; 3] {
        let prod = self.prod;
        let mut units = vec![prod.t("uCom").into_owned()];
        let mut quantities = vec![number(&prod.t("qCom"), 2)];
        let mut unit = vec![number(&prod.t("vUnCom"), 2)];
        let taxable = (
            prod.t("uTrib").into_owned(),
            number(&prod.t("qTrib"), 2),
            number(&prod.t("vUnTrib"), 2),
        );
        let equal = taxable.0.eq_ignore_ascii_case(&prod.t("uCom"))
            && quantities.first() == Some(&taxable.1);
        if !equal && !taxable.0.is_empty() {
            units.push(taxable.0);
            quantities.push(taxable.1);
            unit.push(taxable.2);
        }
        [units, quantities, unit]
    }

    /// MOC 7.0, in the columns of its table.
    pub fn of_moc(&self) -> Vec<Content> {
        let prod = self.prod;
        let [units, quantities, unit] = self.quantities();
        let one = |text: String| Content::Numbers(vec![text]);
        vec![
            Content::Text(vec![prod.t("cProd").into_owned()]),
            Content::Text(self.description()),
            Content::Code(prod.t("NCM").into_owned()),
            Content::Code(self.cst()),
            Content::Code(prod.t("CFOP").into_owned()),
            Content::Code(units.join(" ")),
            Content::Numbers(quantities),
            Content::Numbers(unit),
            one(value(&prod.t("vProd"))),
            one(zero_if_absent(&self.icms.t("vBC"))),
            one(zero_if_absent(&self.icms.t("vICMS"))),
            one(zero_if_absent(&self.ipi.t("vIPI"))),
            one(zero_if_absent(&self.icms.t("pICMS"))),
            one(zero_if_absent(&self.ipi.t("pIPI"))),
        ]
    }

    /// The same of NT 2026.010.
    pub fn of_reform(&self, simples: bool) -> Vec<Content> {
        let prod = self.prod;
        let [units, quantities, unit] = self.quantities();
        let per_unit = quantities
            .into_iter()
            .zip(units)
            .flat_map(|(quantity, unit_text)| [quantity, unit_text])
            .collect();
        let mut description = self.description();
        let class = self.det.node("imposto").node("IBSCBS").t("cClassTrib");
        let selective = self.det.node("imposto").node("IS").t("cClassTribIS");
        let codes = [
            ("NCM", prod.t("NCM")),
            ("cClassTrib", class),
            ("cClassTribIS", selective),
        ];
        let codes: Vec<String> = codes
            .iter()
            .filter(|(_, code)| !code.is_empty())
            .map(|(name, code)| format!("[{name} {code}]"))
            .collect();
        description.push(codes.join(" "));
        let mut cst_cfop = Vec::new();
        let cst = self.cst();
        if !cst.is_empty() {
            cst_cfop.push((if simples { "CSOSN" } else { "CST" }, cst));
        }
        cst_cfop.push(("CFOP", prod.t("CFOP").into_owned()));
        let taxes = self.taxes();
        let column = |which: fn(&Tax) -> &String| {
            let pairs = taxes
                .iter()
                .filter(|tax| !which(tax).is_empty())
                .map(|tax| (tax.name, which(tax).clone()));
            Content::Named(pairs.collect())
        };
        let bases = taxes
            .iter()
            .filter(|tax| !tax.base.is_empty())
            .map(|tax| (tax.base_name, tax.base.clone()));
        vec![
            Content::Text(vec![prod.t("cProd").into_owned()]),
            Content::Text(description),
            Content::Named(cst_cfop),
            Content::Numbers(per_unit),
            Content::Numbers(unit),
            Content::Numbers(vec![value(&prod.t("vProd"))]),
            Content::Named(bases.collect()),
            column(|tax| &tax.rate),
            column(|tax| &tax.amount),
        ]
    }

    /// Only taxes whose group the item has (NT 2026.010 §4.4).
    fn taxes(&self) -> Vec<Tax> {
        let tax = self.det.node("imposto");
        let mut out = vec![Tax::new(
            ("ICMS", "ICMS"),
            value(&self.icms.t("vBC")),
            rate(&self.icms.t("pICMS")),
            value(&self.icms.t("vICMS")),
        )];
        let group = tax.node("IBSCBS").node("gIBSCBS");
        let base = value(&group.t("vBC"));
        let (uf, mun, cbs) = (
            group.node("gIBSUF"),
            group.node("gIBSMun"),
            group.node("gCBS"),
        );
        out.extend([
            // One base for all three: shown once.
            Tax::new(
                ("IBS/CBS", "CBS"),
                base,
                rate(&effective(cbs, "pCBS")),
                value(&cbs.t("vCBS")),
            ),
            Tax::new(
                ("", "IBS UF"),
                String::new(),
                rate(&effective(uf, "pIBSUF")),
                value(&uf.t("vIBSUF")),
            ),
            Tax::new(
                ("", "IBS MUN"),
                String::new(),
                rate(&effective(mun, "pIBSMun")),
                value(&mun.t("vIBSMun")),
            ),
        ]);
        out.extend(single_phase(tax.node("IBSCBS").node("gIBSCBSMono")));
        out.push(Tax::new(
            ("IPI", "IPI"),
            value(&self.ipi.t("vBC")),
            rate(&self.ipi.t("pIPI")),
            value(&self.ipi.t("vIPI")),
        ));
        let selective = tax.node("IS");
        out.push(Tax::new(
            ("IS", "IS"),
            value(&selective.t("vBCIS")),
            rate(&selective.t("pIS")),
            value(&selective.t("vIS")),
        ));
        let issqn = tax.node("ISSQN");
        out.push(Tax::new(
            ("ISSQN", "ISSQN"),
            value(&issqn.t("vBC")),
            rate(&issqn.t("vAliq")),
            value(&issqn.t("vISSQN")),
        ));
        out
    }

    /// The product's text and, below it, what the layout wants seen with it.
    fn description(&self) -> Vec<String> {
        let prod = self.prod;
        let mut out = vec![prod.t("xProd").into_owned()];
        for part in self.det.t("infAdProd").split('\n') {
            out.push(part.trim().to_owned());
        }
        out.extend(prod.all("rastro").map(lot));
        out.push(medicine(prod.node("med")));
        out.push(fuel(prod.node("comb")));
        out.push(vehicle(prod.node("veicProd")));
        out.extend(prod.all("arma").map(weapon));
        out.push(with_names(&[("RECOPI", &prod.t("nRECOPI"))]));
        out.push(with_names(&[
            ("FCI", &prod.t("nFCI")),
            ("Pedido", &prod.t("xPed")),
            ("Item do pedido", &prod.t("nItemPed")),
            ("cBenef", &prod.t("cBenef")),
        ]));
        for (name, text) in [
            ("vDesc", "Desconto"),
            ("vOutro", "Outras despesas"),
            ("vFrete", "Frete"),
            ("vSeg", "Seguro"),
        ] {
            let amount = prod.t(name);
            if positive(&amount) {
                out.push(format!("{text}: {}", value(&amount)));
            }
        }
        out.extend(self.without_column());
        out.retain(|part| !part.is_empty());
        out
    }

    /// Amounts that have no column of their own, where they are not zero.
    fn without_column(&self) -> Vec<String> {
        let icms = self.icms;
        let returned = self.det.node("impostoDevol");
        let groups: [(&str, &[(&str, String)]); 6] = [
            (
                "vICMSST",
                &[
                    ("ICMS ST: BC", value(&icms.t("vBCST"))),
                    ("MVA", rate(&icms.t("pMVAST"))),
                    ("Alíq.", rate(&icms.t("pICMSST"))),
                    ("Valor", value(&icms.t("vICMSST"))),
                ],
            ),
            (
                "vFCP",
                &[
                    ("FCP: Alíq.", rate(&icms.t("pFCP"))),
                    ("Valor", value(&icms.t("vFCP"))),
                ],
            ),
            (
                "vFCPST",
                &[
                    ("FCP ST: Alíq.", rate(&icms.t("pFCPST"))),
                    ("Valor", value(&icms.t("vFCPST"))),
                ],
            ),
            (
                "vICMSMono",
                &[
                    ("ICMS monofásico: BC", value(&icms.t("qBCMono"))),
                    ("Alíq. R$", value(&icms.t("adRemICMS"))),
                    ("Valor", value(&icms.t("vICMSMono"))),
                ],
            ),
            (
                "vICMSMonoRet",
                &[
                    (
                        "ICMS monofásico retido antes: BC",
                        value(&icms.t("qBCMonoRet")),
                    ),
                    ("Alíq. R$", value(&icms.t("adRemICMSRet"))),
                    ("Valor", value(&icms.t("vICMSMonoRet"))),
                ],
            ),
            (
                "vICMSDeson",
                &[
                    ("ICMS desonerado", value(&icms.t("vICMSDeson"))),
                    ("Motivo", icms.t("motDesICMS").into_owned()),
                ],
            ),
        ];
        let mut out = Vec::new();
        for (name, pairs) in groups {
            if positive(&icms.t(name)) {
                let pairs: Vec<(&str, &str)> = pairs.iter().map(|(n, t)| (*n, &**t)).collect();
                out.push(with_names(&pairs));
            }
        }
        let ipi = returned.node("IPI").t("vIPIDevol");
        if positive(&ipi) {
            let part = rate(&returned.t("pDevol"));
            out.push(with_names(&[
                ("IPI devolvido", &value(&ipi)),
                ("Percentual", &part),
            ]));
        }
        out
    }
}

/// `rastro`: one lot of the product.
fn lot(batch: Node<'_>) -> String {
    with_names(&[
        ("Lote", &batch.t("nLote")),
        ("Qtd", &number(&batch.t("qLote"), 0)),
        ("Fab", &date_and_time(&batch.t("dFab")).0),
        ("Val", &date_and_time(&batch.t("dVal")).0),
        ("Agregação", &batch.t("cAgreg")),
    ])
}

/// `med`: a medicine or its raw material.
fn medicine(med: Node<'_>) -> String {
    with_names(&[
        ("ANVISA", &med.t("cProdANVISA")),
        ("Isenção", &med.t("xMotivoIsencao")),
        ("PMC", &value(&med.t("vPMC"))),
    ])
}

/// `comb`: a fuel.
fn fuel(comb: Node<'_>) -> String {
    with_names(&[
        (
            "ANP",
            &join([&*comb.t("cProdANP"), &*comb.t("descANP")], " "),
        ),
        ("CODIF", &comb.t("CODIF")),
        ("UF cons.", &comb.t("UFCons")),
        ("GLP", &rate(&comb.t("pGLP"))),
        ("GNn", &rate(&comb.t("pGNn"))),
        ("GNi", &rate(&comb.t("pGNi"))),
        ("Valor de partida", &value(&comb.t("vPart"))),
        ("Biodiesel", &rate(&comb.t("pBio"))),
    ])
}

/// `veicProd`: a new vehicle.
fn vehicle(vehicle: Node<'_>) -> String {
    with_names(&[
        ("Chassi", &vehicle.t("chassi")),
        ("Motor", &vehicle.t("nMotor")),
        ("Série", &vehicle.t("nSerie")),
        (
            "Cor",
            &join([&*vehicle.t("cCor"), &*vehicle.t("xCor")], " "),
        ),
        (
            "Ano fab./mod.",
            &join([&*vehicle.t("anoFab"), &*vehicle.t("anoMod")], "/"),
        ),
        ("Potência", &vehicle.t("pot")),
        ("Cilindradas", &vehicle.t("cilin")),
        ("Combustível", &vehicle.t("tpComb")),
    ])
}

/// `arma`: one weapon.
fn weapon(armoured: Node<'_>) -> String {
    with_names(&[
        ("Arma", &armoured.t("descr")),
        ("Série", &armoured.t("nSerie")),
        ("Cano", &armoured.t("nCano")),
    ])
}

/// A tax of an item.
struct Tax {
    base_name: &'static str,
    name: &'static str,
    base: String,
    rate: String,
    amount: String,
}

impl Tax {
    fn new(
        (base_name, name): (&'static str, &'static str),
        base: String,
        rate: String,
        amount: String,
    ) -> Tax {
        Tax {
            base_name,
            name,
            base,
            rate,
            amount,
        }
    }
}

/// The effective rate where the rate is reduced (NT 2026.010 §4.3, second-hand).
fn effective(group: Node<'_>, name: &str) -> String {
    let reduced = group.node("gRed").t("pAliqEfet");
    if reduced.is_empty() {
        group.t(name).into_owned()
    } else {
        reduced.into_owned()
    }
}

/// Taxed once in the chain: by quantity (rate in reais) or by value. Layouts
/// before PL_010f have the groups directly inside.
fn single_phase(mono: Node<'_>) -> Vec<Tax> {
    if !mono.exists() {
        return Vec::new();
    }
    let group = |names: [&str; 2]| {
        let new = names
            .iter()
            .map(|name| mono.node(name))
            .find(|node| node.exists());
        new.unwrap_or(mono)
    };
    let ibs = group(["gIBSMonoAdRem", "gIBSMonoAdValorem"]).node("gMonoPadrao");
    let cbs = group(["gCBSMonoAdRem", "gCBSMonoAdValorem"]).node("gMonoPadrao");
    let quantity = |node: Node<'_>| {
        let base = node.one_of(&["qBCMono", "vBCMono"]);
        if base.is_empty() {
            String::new()
        } else {
            number(&base, 2)
        }
    };
    let money = |text: &str| {
        if text.is_empty() {
            String::new()
        } else {
            format!("R$ {}", number(text, 2))
        }
    };
    let percentage = |node: Node<'_>, names: &[&str]| rate(&node.one_of(names));
    let one_or_other = |one: String, other: String| if one.is_empty() { other } else { one };
    let total = |names: &[&str], node: Node<'_>| {
        let whole = mono.one_of(names);
        value(&if whole.is_empty() {
            node.one_of(names)
        } else {
            whole
        })
    };
    vec![
        Tax::new(
            ("IBS/CBS MONO", "CBS MONO"),
            one_or_other(quantity(ibs), quantity(cbs)),
            one_or_other(
                money(&cbs.t("adRemCBS")),
                percentage(cbs, &["pAliqMono", "pAliqMonoCBS"]),
            ),
            total(&["vTotCBSMonoItem", "vCBSMono"], cbs),
        ),
        Tax::new(
            ("", "IBS MONO"),
            String::new(),
            one_or_other(money(&ibs.t("adRemIBS")), percentage(ibs, &["pAliqMonoUF"])),
            total(&["vTotIBSMonoItem", "vIBSMono"], ibs),
        ),
    ]
}

fn zero_if_absent(text: &str) -> String {
    if text.is_empty() {
        "0,00".to_owned()
    } else {
        number(text, 2)
    }
}

/// "Lote: 12  Val: 01/02/2027", without what is empty.
fn with_names(pairs: &[(&str, &str)]) -> String {
    let parts: Vec<String> = pairs
        .iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| format!("{name}: {text}"))
        .collect();
    parts.join("  ")
}
