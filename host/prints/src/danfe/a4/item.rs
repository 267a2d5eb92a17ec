//! What an item has to say in the table: the values of each column, and the text
//! that stands with its description.

use crate::danfe::nota::No;
use crate::danfe::values::{aliquota, data_e_hora, numero, positivo, unir, valor};

/// What a cell is to show.
pub(super) enum Conteudo {
    /// Words, broken at spaces.
    Texto(Vec<String>),
    /// Short codes in the middle.
    Codigo(String),
    /// Numbers on the right, one a line.
    Numeros(Vec<String>),
    /// Names on the left, numbers on the right.
    Nomeados(Vec<(&'static str, String)>),
}

/// An item of the note.
pub(super) struct Item<'d> {
    det: No<'d>,
    prod: No<'d>,
    icms: No<'d>,
    ipi: No<'d>,
}

impl<'d> Item<'d> {
    pub fn novo(det: No<'d>) -> Item<'d> {
        let imposto = det.no("imposto");
        Item {
            det,
            prod: det.no("prod"),
            icms: imposto.no("ICMS").primeiro(),
            ipi: imposto.no("IPI").no("IPITrib"),
        }
    }

    /// Origin and CST or CSOSN; a service has neither.
    fn cst(&self) -> String {
        let codigo = self.icms.um_de(&["CST", "CSOSN"]);
        format!("{}{codigo}", self.icms.t("orig"))
    }

    /// Commercial, then taxable if it is another one (MOC: both must be seen).
    fn quantidades(&self) -> [Vec<String>; 3] {
        let prod = self.prod;
        let mut unidades = vec![prod.t("uCom").into_owned()];
        let mut quantidades = vec![numero(&prod.t("qCom"), 2)];
        let mut unitarios = vec![numero(&prod.t("vUnCom"), 2)];
        let tributavel = (
            prod.t("uTrib").into_owned(),
            numero(&prod.t("qTrib"), 2),
            numero(&prod.t("vUnTrib"), 2),
        );
        let igual = tributavel.0.eq_ignore_ascii_case(&prod.t("uCom"))
            && quantidades.first() == Some(&tributavel.1);
        if !igual && !tributavel.0.is_empty() {
            unidades.push(tributavel.0);
            quantidades.push(tributavel.1);
            unitarios.push(tributavel.2);
        }
        [unidades, quantidades, unitarios]
    }

    /// MOC 7.0, in the columns of its table.
    pub fn do_moc(&self) -> Vec<Conteudo> {
        let prod = self.prod;
        let [unidades, quantidades, unitarios] = self.quantidades();
        let um = |texto: String| Conteudo::Numeros(vec![texto]);
        vec![
            Conteudo::Texto(vec![prod.t("cProd").into_owned()]),
            Conteudo::Texto(self.descricao()),
            Conteudo::Codigo(prod.t("NCM").into_owned()),
            Conteudo::Codigo(self.cst()),
            Conteudo::Codigo(prod.t("CFOP").into_owned()),
            Conteudo::Codigo(unidades.join(" ")),
            Conteudo::Numeros(quantidades),
            Conteudo::Numeros(unitarios),
            um(valor(&prod.t("vProd"))),
            um(zero_se_falta(&self.icms.t("vBC"))),
            um(zero_se_falta(&self.icms.t("vICMS"))),
            um(zero_se_falta(&self.ipi.t("vIPI"))),
            um(zero_se_falta(&self.icms.t("pICMS"))),
            um(zero_se_falta(&self.ipi.t("pIPI"))),
        ]
    }

    /// The same of NT 2026.010.
    pub fn da_reforma(&self, simples: bool) -> Vec<Conteudo> {
        let prod = self.prod;
        let [unidades, quantidades, unitarios] = self.quantidades();
        let por_unidade = quantidades
            .into_iter()
            .zip(unidades)
            .flat_map(|(quantidade, unidade)| [quantidade, unidade])
            .collect();
        let mut descricao = self.descricao();
        let classe = self.det.no("imposto").no("IBSCBS").t("cClassTrib");
        let seletivo = self.det.no("imposto").no("IS").t("cClassTribIS");
        let codigos = [
            ("NCM", prod.t("NCM")),
            ("cClassTrib", classe),
            ("cClassTribIS", seletivo),
        ];
        let codigos: Vec<String> = codigos
            .iter()
            .filter(|(_, codigo)| !codigo.is_empty())
            .map(|(nome, codigo)| format!("[{nome} {codigo}]"))
            .collect();
        descricao.push(codigos.join(" "));
        let mut cst_cfop = Vec::new();
        let cst = self.cst();
        if !cst.is_empty() {
            cst_cfop.push((if simples { "CSOSN" } else { "CST" }, cst));
        }
        cst_cfop.push(("CFOP", prod.t("CFOP").into_owned()));
        let tributos = self.tributos();
        let coluna = |qual: fn(&Tributo) -> &String| {
            let pares = tributos
                .iter()
                .filter(|tributo| !qual(tributo).is_empty())
                .map(|tributo| (tributo.nome, qual(tributo).clone()));
            Conteudo::Nomeados(pares.collect())
        };
        let bases = tributos
            .iter()
            .filter(|tributo| !tributo.base.is_empty())
            .map(|tributo| (tributo.nome_da_base, tributo.base.clone()));
        vec![
            Conteudo::Texto(vec![prod.t("cProd").into_owned()]),
            Conteudo::Texto(descricao),
            Conteudo::Nomeados(cst_cfop),
            Conteudo::Numeros(por_unidade),
            Conteudo::Numeros(unitarios),
            Conteudo::Numeros(vec![valor(&prod.t("vProd"))]),
            Conteudo::Nomeados(bases.collect()),
            coluna(|tributo| &tributo.aliquota),
            coluna(|tributo| &tributo.quantia),
        ]
    }

    /// Only taxes whose group the item has (NT 2026.010 §4.4).
    fn tributos(&self) -> Vec<Tributo> {
        let imposto = self.det.no("imposto");
        let mut out = vec![Tributo::novo(
            ("ICMS", "ICMS"),
            valor(&self.icms.t("vBC")),
            aliquota(&self.icms.t("pICMS")),
            valor(&self.icms.t("vICMS")),
        )];
        let grupo = imposto.no("IBSCBS").no("gIBSCBS");
        let base = valor(&grupo.t("vBC"));
        let (uf, mun, cbs) = (grupo.no("gIBSUF"), grupo.no("gIBSMun"), grupo.no("gCBS"));
        out.extend([
            // One base for all three: shown once.
            Tributo::novo(
                ("IBS/CBS", "CBS"),
                base,
                aliquota(&efetiva(cbs, "pCBS")),
                valor(&cbs.t("vCBS")),
            ),
            Tributo::novo(
                ("", "IBS UF"),
                String::new(),
                aliquota(&efetiva(uf, "pIBSUF")),
                valor(&uf.t("vIBSUF")),
            ),
            Tributo::novo(
                ("", "IBS MUN"),
                String::new(),
                aliquota(&efetiva(mun, "pIBSMun")),
                valor(&mun.t("vIBSMun")),
            ),
        ]);
        out.extend(monofasicos(imposto.no("IBSCBS").no("gIBSCBSMono")));
        out.push(Tributo::novo(
            ("IPI", "IPI"),
            valor(&self.ipi.t("vBC")),
            aliquota(&self.ipi.t("pIPI")),
            valor(&self.ipi.t("vIPI")),
        ));
        let seletivo = imposto.no("IS");
        out.push(Tributo::novo(
            ("IS", "IS"),
            valor(&seletivo.t("vBCIS")),
            aliquota(&seletivo.t("pIS")),
            valor(&seletivo.t("vIS")),
        ));
        let issqn = imposto.no("ISSQN");
        out.push(Tributo::novo(
            ("ISSQN", "ISSQN"),
            valor(&issqn.t("vBC")),
            aliquota(&issqn.t("vAliq")),
            valor(&issqn.t("vISSQN")),
        ));
        out
    }

    /// The product's text and, below it, what the layout wants seen with it.
    fn descricao(&self) -> Vec<String> {
        let prod = self.prod;
        let mut out = vec![prod.t("xProd").into_owned()];
        for parte in self.det.t("infAdProd").split('\n') {
            out.push(parte.trim().to_owned());
        }
        out.extend(prod.todos("rastro").map(lot));
        out.push(medicine(prod.no("med")));
        out.push(fuel(prod.no("comb")));
        out.push(vehicle(prod.no("veicProd")));
        out.extend(prod.todos("arma").map(weapon));
        out.push(nomear(&[("RECOPI", &prod.t("nRECOPI"))]));
        out.push(nomear(&[
            ("FCI", &prod.t("nFCI")),
            ("Pedido", &prod.t("xPed")),
            ("Item do pedido", &prod.t("nItemPed")),
            ("cBenef", &prod.t("cBenef")),
        ]));
        for (nome, texto) in [
            ("vDesc", "Desconto"),
            ("vOutro", "Outras despesas"),
            ("vFrete", "Frete"),
            ("vSeg", "Seguro"),
        ] {
            let quantia = prod.t(nome);
            if positivo(&quantia) {
                out.push(format!("{texto}: {}", valor(&quantia)));
            }
        }
        out.extend(self.sem_coluna());
        out.retain(|parte| !parte.is_empty());
        out
    }

    /// Amounts that have no column of their own, where they are not zero.
    fn sem_coluna(&self) -> Vec<String> {
        let icms = self.icms;
        let devolvido = self.det.no("impostoDevol");
        let grupos: [(&str, &[(&str, String)]); 6] = [
            (
                "vICMSST",
                &[
                    ("ICMS ST: BC", valor(&icms.t("vBCST"))),
                    ("MVA", aliquota(&icms.t("pMVAST"))),
                    ("Alíq.", aliquota(&icms.t("pICMSST"))),
                    ("Valor", valor(&icms.t("vICMSST"))),
                ],
            ),
            (
                "vFCP",
                &[
                    ("FCP: Alíq.", aliquota(&icms.t("pFCP"))),
                    ("Valor", valor(&icms.t("vFCP"))),
                ],
            ),
            (
                "vFCPST",
                &[
                    ("FCP ST: Alíq.", aliquota(&icms.t("pFCPST"))),
                    ("Valor", valor(&icms.t("vFCPST"))),
                ],
            ),
            (
                "vICMSMono",
                &[
                    ("ICMS monofásico: BC", valor(&icms.t("qBCMono"))),
                    ("Alíq. R$", valor(&icms.t("adRemICMS"))),
                    ("Valor", valor(&icms.t("vICMSMono"))),
                ],
            ),
            (
                "vICMSMonoRet",
                &[
                    (
                        "ICMS monofásico retido antes: BC",
                        valor(&icms.t("qBCMonoRet")),
                    ),
                    ("Alíq. R$", valor(&icms.t("adRemICMSRet"))),
                    ("Valor", valor(&icms.t("vICMSMonoRet"))),
                ],
            ),
            (
                "vICMSDeson",
                &[
                    ("ICMS desonerado", valor(&icms.t("vICMSDeson"))),
                    ("Motivo", icms.t("motDesICMS").into_owned()),
                ],
            ),
        ];
        let mut out = Vec::new();
        for (nome, pares) in grupos {
            if positivo(&icms.t(nome)) {
                let pares: Vec<(&str, &str)> = pares.iter().map(|(n, t)| (*n, &**t)).collect();
                out.push(nomear(&pares));
            }
        }
        let ipi = devolvido.no("IPI").t("vIPIDevol");
        if positivo(&ipi) {
            let parte = aliquota(&devolvido.t("pDevol"));
            out.push(nomear(&[
                ("IPI devolvido", &valor(&ipi)),
                ("Percentual", &parte),
            ]));
        }
        out
    }
}

/// `rastro`: one lot of the product.
fn lot(lote: No<'_>) -> String {
    nomear(&[
        ("Lote", &lote.t("nLote")),
        ("Qtd", &numero(&lote.t("qLote"), 0)),
        ("Fab", &data_e_hora(&lote.t("dFab")).0),
        ("Val", &data_e_hora(&lote.t("dVal")).0),
        ("Agregação", &lote.t("cAgreg")),
    ])
}

/// `med`: a medicine or its raw material.
fn medicine(med: No<'_>) -> String {
    nomear(&[
        ("ANVISA", &med.t("cProdANVISA")),
        ("Isenção", &med.t("xMotivoIsencao")),
        ("PMC", &valor(&med.t("vPMC"))),
    ])
}

/// `comb`: a fuel.
fn fuel(comb: No<'_>) -> String {
    nomear(&[
        (
            "ANP",
            &unir([&*comb.t("cProdANP"), &*comb.t("descANP")], " "),
        ),
        ("CODIF", &comb.t("CODIF")),
        ("UF cons.", &comb.t("UFCons")),
        ("GLP", &aliquota(&comb.t("pGLP"))),
        ("GNn", &aliquota(&comb.t("pGNn"))),
        ("GNi", &aliquota(&comb.t("pGNi"))),
        ("Valor de partida", &valor(&comb.t("vPart"))),
        ("Biodiesel", &aliquota(&comb.t("pBio"))),
    ])
}

/// `veicProd`: a new vehicle.
fn vehicle(veiculo: No<'_>) -> String {
    nomear(&[
        ("Chassi", &veiculo.t("chassi")),
        ("Motor", &veiculo.t("nMotor")),
        ("Série", &veiculo.t("nSerie")),
        (
            "Cor",
            &unir([&*veiculo.t("cCor"), &*veiculo.t("xCor")], " "),
        ),
        (
            "Ano fab./mod.",
            &unir([&*veiculo.t("anoFab"), &*veiculo.t("anoMod")], "/"),
        ),
        ("Potência", &veiculo.t("pot")),
        ("Cilindradas", &veiculo.t("cilin")),
        ("Combustível", &veiculo.t("tpComb")),
    ])
}

/// `arma`: one weapon.
fn weapon(arma: No<'_>) -> String {
    nomear(&[
        ("Arma", &arma.t("descr")),
        ("Série", &arma.t("nSerie")),
        ("Cano", &arma.t("nCano")),
    ])
}

/// A tax of an item.
struct Tributo {
    nome_da_base: &'static str,
    nome: &'static str,
    base: String,
    aliquota: String,
    quantia: String,
}

impl Tributo {
    fn novo(
        (nome_da_base, nome): (&'static str, &'static str),
        base: String,
        aliquota: String,
        quantia: String,
    ) -> Tributo {
        Tributo {
            nome_da_base,
            nome,
            base,
            aliquota,
            quantia,
        }
    }
}

/// The effective rate where the rate is reduced (NT 2026.010 §4.3, second-hand).
fn efetiva(grupo: No<'_>, nome: &str) -> String {
    let reduzida = grupo.no("gRed").t("pAliqEfet");
    if reduzida.is_empty() {
        grupo.t(nome).into_owned()
    } else {
        reduzida.into_owned()
    }
}

/// Taxed once in the chain: by quantity (rate in reais) or by value. Layouts
/// before PL_010f have the groups directly inside.
fn monofasicos(mono: No<'_>) -> Vec<Tributo> {
    if !mono.existe() {
        return Vec::new();
    }
    let grupo = |nomes: [&str; 2]| {
        let novo = nomes
            .iter()
            .map(|nome| mono.no(nome))
            .find(|no| no.existe());
        novo.unwrap_or(mono)
    };
    let ibs = grupo(["gIBSMonoAdRem", "gIBSMonoAdValorem"]).no("gMonoPadrao");
    let cbs = grupo(["gCBSMonoAdRem", "gCBSMonoAdValorem"]).no("gMonoPadrao");
    let quantidade = |no: No<'_>| {
        let base = no.um_de(&["qBCMono", "vBCMono"]);
        if base.is_empty() {
            String::new()
        } else {
            numero(&base, 2)
        }
    };
    let reais = |texto: &str| {
        if texto.is_empty() {
            String::new()
        } else {
            format!("R$ {}", numero(texto, 2))
        }
    };
    let percentual = |no: No<'_>, nomes: &[&str]| aliquota(&no.um_de(nomes));
    let um_ou_outro = |um: String, outro: String| if um.is_empty() { outro } else { um };
    let total = |nomes: &[&str], no: No<'_>| {
        let no_total = mono.um_de(nomes);
        valor(&if no_total.is_empty() {
            no.um_de(nomes)
        } else {
            no_total
        })
    };
    vec![
        Tributo::novo(
            ("IBS/CBS MONO", "CBS MONO"),
            um_ou_outro(quantidade(ibs), quantidade(cbs)),
            um_ou_outro(
                reais(&cbs.t("adRemCBS")),
                percentual(cbs, &["pAliqMono", "pAliqMonoCBS"]),
            ),
            total(&["vTotCBSMonoItem", "vCBSMono"], cbs),
        ),
        Tributo::novo(
            ("", "IBS MONO"),
            String::new(),
            um_ou_outro(reais(&ibs.t("adRemIBS")), percentual(ibs, &["pAliqMonoUF"])),
            total(&["vTotIBSMonoItem", "vIBSMono"], ibs),
        ),
    ]
}

fn zero_se_falta(texto: &str) -> String {
    if texto.is_empty() {
        "0,00".to_owned()
    } else {
        numero(texto, 2)
    }
}

/// "Lote: 12  Val: 01/02/2027", without what is empty.
fn nomear(pares: &[(&str, &str)]) -> String {
    let partes: Vec<String> = pares
        .iter()
        .filter(|(_, texto)| !texto.is_empty())
        .map(|(nome, texto)| format!("{nome}: {texto}"))
        .collect();
    partes.join("  ")
}
