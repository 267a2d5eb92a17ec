//! Notes that nobody issued, as XML of the official layout. Names and numbers
//! are made up; registrations have right check digits.

use std::fmt::Write as _;

use markup::ids::chave::digit;
use prints::danfe::PrintOptions;

/// What a synthetic note is like.
#[derive(Clone)]
pub(super) struct Generator {
    pub model: &'static str,
    pub items: usize,
    pub cnpj: &'static str,
    pub reforma: bool,
    pub simples: bool,
    pub issqn: bool,
    pub duplicates: usize,
    pub volumes: usize,
    pub inf_cpl: String,
    pub description: String,
    pub inf_ad_prod: String,
    pub product_extras: &'static str,
    pub foreign: bool,
    pub places: bool,
    pub ambiente: u8,
    pub tp_imp: u8,
    pub tp_emis: u8,
    pub issued: &'static str,
    pub protocol: bool,
    pub number: u32,
    pub value: &'static str,
    pub quantity: &'static str,
    /// As `value` if empty.
    pub unit: &'static str,
    pub name: String,
    pub qr: String,
}

impl Default for Generator {
    fn default() -> Self {
        Generator {
            model: "55",
            items: 1,
            cnpj: "11222333000181",
            reforma: false,
            simples: false,
            issqn: false,
            duplicates: 0,
            volumes: 1,
            inf_cpl: "Pedido 8812;Vendedor: Joaquim;Entrega em horário comercial".to_owned(),
            description: "Açúcar cristal orgânico pacote 1 kg".to_owned(),
            inf_ad_prod: String::new(),
            product_extras: "",
            foreign: false,
            places: false,
            ambiente: 1,
            tp_imp: 1,
            tp_emis: 1,
            issued: "2026-10-05T10:15:00-03:00",
            protocol: true,
            number: 1523,
            value: "4.99",
            quantity: "2.0000",
            unit: "",
            name: "Comércio de Alimentos São João Ltda".to_owned(),
            qr: String::new(),
        }
    }
}

impl Generator {
    pub fn chave(&self) -> String {
        let year_month: String = self.issued.get(2..7).unwrap_or("").replace('-', "");
        let base = format!(
            "35{year_month}{}{}001{:09}{}12345678",
            self.cnpj, self.model, self.number, self.tp_emis
        );
        format!("{base}{}", digit(base.as_bytes()))
    }

    pub fn xml(&self) -> String {
        let mut out = String::with_capacity(4096 + self.items * 1600);
        let chave = self.chave();
        let tp_amb = self.ambiente;
        write!(
            out,
            r#"<?xml version="1.0" encoding="UTF-8"?><nfeProc xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><NFe xmlns="http://www.portalfiscal.inf.br/nfe"><infNFe Id="NFe{chave}" versao="4.00"><ide><cUF>35</cUF><cNF>12345678</cNF><natOp>Venda de mercadoria adquirida de terceiros</natOp><mod>{}</mod><serie>1</serie><nNF>{}</nNF><dhEmi>{}</dhEmi>{}<tpNF>1</tpNF><idDest>1</idDest><cMunFG>3550308</cMunFG><tpImp>{}</tpImp><tpEmis>{}</tpEmis><cDV>0</cDV><tpAmb>{tp_amb}</tpAmb><finNFe>1</finNFe><indFinal>1</indFinal><indPres>1</indPres><procEmi>0</procEmi><verProc>teste</verProc></ide>"#,
            self.model,
            self.number,
            self.issued,
            if self.model == "55" { "<dhSaiEnt>2026-10-05T14:30:00-03:00</dhSaiEnt>" } else { "" },
            self.tp_imp,
            self.tp_emis
        )
        .expect("write");
        let crt = if self.simples { 1 } else { 3 };
        write!(
            out,
            "<emit><CNPJ>{}</CNPJ><xNome>{}</xNome><xFant>Armazém São João</xFant><enderEmit><xLgr>Rua das Acácias</xLgr><nro>1000</nro><xCpl>Galpão 3</xCpl><xBairro>Distrito Industrial</xBairro><cMun>3550308</cMun><xMun>São Paulo</xMun><UF>SP</UF><CEP>01310100</CEP><cPais>1058</cPais><xPais>BRASIL</xPais><fone>1132654321</fone></enderEmit><IE>111222333444</IE><IM>4455</IM><CRT>{crt}</CRT></emit>",
            self.cnpj, self.name
        )
        .expect("write");
        self.recipient(&mut out);
        for n in 1..=self.items {
            self.item(&mut out, n);
        }
        self.totals(&mut out);
        out.push_str("<transp><modFrete>0</modFrete><transporta><CNPJ>11222333000181</CNPJ><xNome>Transportes Rápidos do Sul Ltda</xNome><IE>222333444555</IE><xEnder>Rodovia BR 101 km 12</xEnder><xMun>Joinville</xMun><UF>SC</UF></transporta><veicTransp><placa>ABC1D23</placa><UF>SC</UF><RNTC>12345678</RNTC></veicTransp>");
        for n in 1..=self.volumes {
            write!(out, "<vol><qVol>{n}</qVol><esp>CAIXA</esp><marca>SJ</marca><nVol>V{n}</nVol><pesoL>12.500</pesoL><pesoB>13.250</pesoB></vol>").expect("write");
        }
        out.push_str("</transp>");
        if self.duplicates > 0 {
            out.push_str("<cobr><fat><nFat>F-1523</nFat><vOrig>10000.00</vOrig><vDesc>0.00</vDesc><vLiq>10000.00</vLiq></fat>");
            for n in 1..=self.duplicates {
                write!(
                    out,
                    "<dup><nDup>{n:03}</nDup><dVenc>2027-{:02}-10</dVenc><vDup>{}.50</vDup></dup>",
                    (n - 1) % 12 + 1,
                    1000 + n
                )
                .expect("write");
            }
            out.push_str("</cobr>");
        }
        out.push_str("<pag><detPag><tPag>01</tPag><vPag>3000.00</vPag></detPag><detPag><tPag>17</tPag><vPag>1995.89</vPag></detPag><vTroco>5.11</vTroco></pag>");
        write!(out, "<infAdic><infAdFisco>Regime especial processo 12/2026</infAdFisco><infCpl>{}</infCpl><obsCont xCampo=\"Vendedor\"><xTexto>17</xTexto></obsCont></infAdic></infNFe>", self.inf_cpl).expect("write");
        if !self.qr.is_empty() {
            write!(out, "<infNFeSupl><qrCode><![CDATA[{}]]></qrCode><urlChave>www.nfce.fazenda.sp.gov.br/consulta</urlChave></infNFeSupl>", self.qr).expect("write");
        }
        out.push_str("</NFe>");
        if self.protocol {
            write!(out, "<protNFe versao=\"4.00\"><infProt><tpAmb>{tp_amb}</tpAmb><verAplic>T</verAplic><chNFe>{chave}</chNFe><dhRecbto>2026-10-05T10:15:03-03:00</dhRecbto><nProt>135260000000001</nProt><digVal>x</digVal><cStat>100</cStat><xMotivo>Autorizado o uso da NF-e</xMotivo></infProt></protNFe>").expect("write");
        }
        out.push_str("</nfeProc>");
        out
    }

    fn recipient(&self, out: &mut String) {
        if self.model == "65" {
            out.push_str("<dest><CPF>52998224725</CPF><xNome>Maria da Conceição</xNome><indIEDest>9</indIEDest></dest>");
            return;
        }
        let who = if self.foreign {
            "<idEstrangeiro>P-99AC</idEstrangeiro><xNome>Acme Import &amp; Export Ltd</xNome><enderDest><xLgr>Downing Street</xLgr><nro>10</nro><xBairro>Westminster</xBairro><cMun>9999999</cMun><xMun>EXTERIOR</xMun><UF>EX</UF><cPais>6289</cPais><xPais>REINO UNIDO</xPais></enderDest><indIEDest>9</indIEDest>"
        } else {
            "<CNPJ>11222333000181</CNPJ><xNome>Mercado Bom Preço e Distribuidora de Alimentos S.A.</xNome><enderDest><xLgr>Avenida Brigadeiro Central</xLgr><nro>123</nro><xCpl>Bloco B sala 402</xCpl><xBairro>Jardim das Flores</xBairro><cMun>3304557</cMun><xMun>Rio de Janeiro</xMun><UF>RJ</UF><CEP>20040002</CEP><cPais>1058</cPais><xPais>BRASIL</xPais><fone>21987654321</fone></enderDest><indIEDest>1</indIEDest><IE>78912345</IE>"
        };
        write!(out, "<dest>{who}</dest>").expect("write");
        if self.places {
            for name in ["retirada", "entrega"] {
                write!(out, "<{name}><CNPJ>11222333000181</CNPJ><xNome>Depósito {name}</xNome><xLgr>Rua do Porto</xLgr><nro>7</nro><xBairro>Cais</xBairro><cMun>3304557</cMun><xMun>Niterói</xMun><UF>RJ</UF><CEP>24020077</CEP></{name}>").expect("write");
            }
        }
    }

    fn item(&self, out: &mut String, n: usize) {
        let unit = match self.unit {
            "" => format!("{}0000", self.value),
            unit => unit.to_owned(),
        };
        write!(
            out,
            r#"<det nItem="{n}"><prod><cProd>SKU{n:05}</cProd><cEAN>SEM GTIN</cEAN><xProd>{} item {n}</xProd><NCM>17019900</NCM><CFOP>5102</CFOP><uCom>UN</uCom><qCom>{}</qCom><vUnCom>{unit}</vUnCom><vProd>{}</vProd><cEANTrib>SEM GTIN</cEANTrib><uTrib>UN</uTrib><qTrib>{}</qTrib><vUnTrib>{unit}</vUnTrib><indTot>1</indTot>{}</prod><imposto>"#,
            self.description, self.quantity, self.value, self.quantity, self.product_extras
        )
        .expect("write");
        if self.issqn {
            out.push_str("<ISSQN><vBC>100.00</vBC><vAliq>5.00</vAliq><vISSQN>5.00</vISSQN><cMunFG>3550308</cMunFG><cListServ>01.07</cListServ><indISS>1</indISS><indIncentivo>2</indIncentivo></ISSQN>");
        } else if self.simples {
            out.push_str("<ICMS><ICMSSN102><orig>0</orig><CSOSN>102</CSOSN></ICMSSN102></ICMS>");
        } else {
            write!(out, "<ICMS><ICMS00><orig>0</orig><CST>00</CST><modBC>3</modBC><vBC>{}</vBC><pICMS>18.0000</pICMS><vICMS>1.80</vICMS></ICMS00></ICMS><IPI><cEnq>999</cEnq><IPITrib><CST>50</CST><vBC>9.98</vBC><pIPI>5.00</pIPI><vIPI>0.50</vIPI></IPITrib></IPI>", self.value).expect("write");
        }
        if self.reforma {
            out.push_str("<IS><CSTIS>000</CSTIS><cClassTribIS>000001</cClassTribIS><vBCIS>9.98</vBCIS><pIS>1.5000</pIS><vIS>0.15</vIS></IS><IBSCBS><CST>200</CST><cClassTrib>200034</cClassTrib><gIBSCBS><vBC>8.18</vBC><gIBSUF><pIBSUF>0.1000</pIBSUF><gRed><pRedAliq>60.0000</pRedAliq><pAliqEfet>0.0400</pAliqEfet></gRed><vIBSUF>0.01</vIBSUF></gIBSUF><gIBSMun><pIBSMun>0.0000</pIBSMun><vIBSMun>0.00</vIBSMun></gIBSMun><vIBS>0.01</vIBS><gCBS><pCBS>0.9000</pCBS><vCBS>0.07</vCBS></gCBS></gIBSCBS></IBSCBS>");
        }
        out.push_str("</imposto>");
        if !self.inf_ad_prod.is_empty() {
            write!(out, "<infAdProd>{}</infAdProd>", self.inf_ad_prod).expect("write");
        }
        out.push_str("</det>");
    }

    fn totals(&self, out: &mut String) {
        out.push_str("<total><ICMSTot><vBC>1234.56</vBC><vICMS>222.22</vICMS><vICMSDeson>0.00</vICMSDeson><vFCP>0.00</vFCP><vBCST>0.00</vBCST><vST>0.00</vST><vFCPST>0.00</vFCPST><vFCPSTRet>0.00</vFCPSTRet><vProd>4990.78</vProd><vFrete>10.00</vFrete><vSeg>1.00</vSeg><vDesc>12.00</vDesc><vII>0.00</vII><vIPI>55.55</vIPI><vIPIDevol>0.00</vIPIDevol><vPIS>8.23</vPIS><vCOFINS>37.91</vCOFINS><vOutro>3.00</vOutro><vNF>4995.89</vNF><vTotTrib>812.44</vTotTrib></ICMSTot>");
        if self.issqn {
            out.push_str("<ISSQNtot><vServ>100.00</vServ><vBC>100.00</vBC><vISS>5.00</vISS><dCompet>2026-10-05</dCompet></ISSQNtot>");
        }
        if self.reforma {
            out.push_str("<ISTot><vIS>6.15</vIS></ISTot><IBSCBSTot><vBCIBSCBS>8.18</vBCIBSCBS><gIBS><gIBSUF><vDif>0.00</vDif><vDevTrib>0.00</vDevTrib><vIBSUF>0.41</vIBSUF></gIBSUF><gIBSMun><vDif>0.00</vDif><vDevTrib>0.00</vDevTrib><vIBSMun>0.02</vIBSMun></gIBSMun><vIBS>0.43</vIBS><vCredPres>0.00</vCredPres><vCredPresCondSus>0.00</vCredPresCondSus></gIBS><gCBS><vDif>0.00</vDif><vDevTrib>0.00</vDevTrib><vCBS>2.87</vCBS><vCredPres>0.00</vCredPres><vCredPresCondSus>0.00</vCredPresCondSus></gCBS></IBSCBSTot><vNFTot>5005.34</vNFTot>");
        }
        out.push_str("</total>");
    }
}

/// Prose of so many characters, no two sentences alike.
pub(super) fn prose(characters: usize) -> String {
    (1..)
        .map(|n| format!("Cláusula {n}: mercadoria conferida na entrega e na saída. "))
        .flat_map(|sentence| sentence.chars().collect::<Vec<_>>())
        .take(characters)
        .collect()
}

/// The notes whose printouts are looked at, by name.
pub(super) fn notas() -> Vec<(&'static str, Generator)> {
    let base = Generator::default;
    vec![
        ("simples", Generator { simples: true, ..base() }),
        ("um-item", base()),
        ("41-itens", Generator { items: 41, ..base() }),
        ("990-itens", Generator { items: 990, ..base() }),
        (
            "descricoes-longas",
            Generator {
                items: 12,
                description: prose(110),
                inf_ad_prod: prose(500),
                product_extras: "<rastro><nLote>L-2026-77</nLote><qLote>2.000</qLote><dFab>2026-01-02</dFab><dVal>2027-01-02</dVal></rastro><comb><cProdANP>210203001</cProdANP><descANP>GLP</descANP><pGLP>60.0000</pGLP><UFCons>SP</UFCons></comb>",
                value: "9999999999.99",
                ..base()
            },
        ),
        (
            "alfanumerico",
            Generator { cnpj: "12ABC34501DE35", number: 999_999_999, ..base() },
        ),
        (
            "reforma",
            Generator { reforma: true, items: 9, ..base() },
        ),
        (
            "reforma-41",
            Generator { reforma: true, items: 41, simples: true, ..base() },
        ),
        (
            "issqn",
            Generator { issqn: true, items: 3, ..base() },
        ),
        (
            "duplicatas",
            Generator { duplicates: 120, places: true, volumes: 7, items: 5, ..base() },
        ),
        (
            "apertado",
            Generator {
                duplicates: 20,
                places: true,
                volumes: 3,
                items: 8,
                reforma: true,
                ..base()
            },
        ),
        (
            "parcelas-demais",
            Generator { duplicates: 120, places: true, volumes: 3, items: 1, reforma: true, ..base() },
        ),
        (
            "numeros-grandes",
            Generator {
                items: 2,
                quantity: "99999999999.9999",
                unit: "99999999999.9999999999",
                value: "9999999999999.99",
                reforma: true,
                ..base()
            },
        ),
        (
            "infcpl-longo",
            Generator { inf_cpl: prose(5000), items: 3, ..base() },
        ),
        (
            "tudo-longo",
            Generator {
                inf_cpl: prose(19_000),
                items: 60,
                places: true,
                duplicates: 13,
                name: "M".repeat(60) + " " + &"W".repeat(200),
                ..base()
            },
        ),
        ("exterior", Generator { foreign: true, ..base() }),
        ("homologacao", Generator { ambiente: 2, ..base() }),
        ("sem-protocolo", Generator { protocol: false, ..base() }),
        ("contingencia", Generator { tp_emis: 4, protocol: false, ..base() }),
        (
            "paisagem",
            Generator { tp_imp: 2, items: 30, duplicates: 6, ..base() },
        ),
        (
            "paisagem-reforma",
            Generator { tp_imp: 2, items: 30, reforma: true, cnpj: "12ABC34501DE35", ..base() },
        ),
        (
            "qr",
            Generator {
                tp_imp: 6,
                qr: "https://www.nfce.fazenda.sp.gov.br/qrcode?p=35261011222333000181550010000015231123456780|3|1".to_owned(),
                ..base()
            },
        ),
    ]
}

/// NFC-e, by name, with how they are printed.
pub(super) fn receipts() -> Vec<(&'static str, Generator, PrintOptions<'static>)> {
    let base = || {
        Generator {
        model: "65",
        tp_imp: 4,
        items: 4,
        qr: "https://www.nfce.fazenda.sp.gov.br/qrcode?p=35261011222333000181650010000015231123456784|3|1".to_owned(),
        ..Generator::default()
    }
    };
    let narrow = PrintOptions {
        width_mm: 58,
        ..PrintOptions::default()
    };
    vec![
        ("nfce-80", base(), PrintOptions::default()),
        ("nfce-58", base(), narrow.clone()),
        (
            "nfce-homologacao",
            Generator {
                ambiente: 2,
                reforma: true,
                description: prose(110),
                ..base()
            },
            PrintOptions {
                cancelled: true,
                mark: Some("SIMULADA"),
                ..PrintOptions::default()
            },
        ),
        (
            "nfce-contingencia",
            Generator {
                tp_emis: 9,
                protocol: false,
                ..base()
            },
            narrow,
        ),
        (
            "nfce-990",
            Generator {
                items: 990,
                ..base()
            },
            PrintOptions::default(),
        ),
        (
            "simplificado-tipo-2",
            Generator {
                model: "55",
                tp_imp: 6,
                reforma: true,
                ..base()
            },
            PrintOptions::default(),
        ),
    ]
}

/// Correction letters of a note, as the authority gives them back.
pub(super) fn letters(nota: &Generator, count: usize) -> String {
    let chave = nota.chave();
    let mut out = String::from("<lote>");
    for n in 1..=count {
        let correction = prose(60 * n);
        write!(
            out,
            r#"<procEventoNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="1.00"><evento versao="1.00"><infEvento Id="ID110110{chave}{n:02}"><cOrgao>35</cOrgao><tpAmb>{}</tpAmb><CNPJ>{}</CNPJ><chNFe>{chave}</chNFe><dhEvento>2026-10-06T08:00:00-03:00</dhEvento><tpEvento>110110</tpEvento><nSeqEvento>{n}</nSeqEvento><verEvento>1.00</verEvento><detEvento versao="1.00"><descEvento>Carta de Correcao</descEvento><xCorrecao>{correction}</xCorrecao><xCondUso>Condições do evento {n}: texto que vem do XML.</xCondUso></detEvento></infEvento></evento><retEvento versao="1.00"><infEvento><tpAmb>1</tpAmb><cOrgao>35</cOrgao><cStat>135</cStat><xMotivo>Evento registrado e vinculado a NF-e</xMotivo><chNFe>{chave}</chNFe><tpEvento>110110</tpEvento><nSeqEvento>{n}</nSeqEvento><dhRegEvento>2026-10-06T08:00:01-03:00</dhRegEvento><nProt>1352600000001{n:02}</nProt></infEvento></retEvento></procEventoNFe>"#,
            nota.ambiente, nota.cnpj
        )
        .expect("write");
    }
    out.push_str("</lote>");
    out
}
