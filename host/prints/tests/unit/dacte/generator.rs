//! CT-e of nobody, one of each modal and some at their limits.

/// The key of all of them.
pub const CHAVE: &str = "31261111222333000181570010000000091271828180";

/// What a CT-e is made with.
#[derive(Clone)]
pub struct Generator {
    pub modal: &'static str,
    /// NF-e of the cargo.
    pub documents: usize,
    /// Components of the price.
    pub components: usize,
    /// Quantities of the cargo.
    pub quantities: usize,
    pub remarks: String,
    /// Expedidor, recebedor and another payer, too.
    pub everybody: bool,
    pub reform: bool,
    pub complementary: bool,
    pub production: bool,
    /// `cStat` of the protocol; none if there is no protocol.
    pub status: Option<&'static str>,
    /// Every text as long as the layout takes it.
    pub long: bool,
}

impl Default for Generator {
    fn default() -> Generator {
        Generator {
            modal: "01",
            documents: 2,
            components: 3,
            quantities: 3,
            remarks: "Carga seca, descarga por conta do destinatário".to_owned(),
            everybody: false,
            reform: false,
            complementary: false,
            production: true,
            status: Some("100"),
            long: false,
        }
    }
}

/// All of them, by name.
pub fn all() -> Vec<(&'static str, Generator)> {
    let default = Generator::default;
    let by = |modal| Generator { modal, ..default() };
    vec![
        ("rodoviario", by("01")),
        ("aereo", by("02")),
        ("aquaviario", by("03")),
        ("ferroviario", by("04")),
        ("dutoviario", by("05")),
        ("multimodal", by("06")),
        (
            "completo",
            Generator {
                everybody: true,
                reform: true,
                quantities: 5,
                components: 9,
                documents: 31,
                ..default()
            },
        ),
        (
            "complementar",
            Generator {
                complementary: true,
                ..default()
            },
        ),
        (
            "500-notas",
            Generator {
                documents: 500,
                ..default()
            },
        ),
        (
            "longo",
            Generator {
                long: true,
                everybody: true,
                remarks: "Observação longa de uma carga qualquer. ".repeat(50),
                ..default()
            },
        ),
        (
            "homologacao",
            Generator {
                production: false,
                status: None,
                ..default()
            },
        ),
    ]
}

impl Generator {
    /// The XML: `cteProc`, or a bare `CTe` where there is no protocol.
    pub fn xml(&self) -> String {
        let normal = match self.complementary {
            true => format!("<infCteComp><chCTe>{CHAVE}</chCTe></infCteComp>"),
            false => self.normal(),
        };
        let cte = format!(
            "<CTe xmlns=\"http://www.portalfiscal.inf.br/cte\"><infCte versao=\"4.00\" Id=\"CTe{CHAVE}\">\
             {}{}{}{}{}{}{normal}</infCte>\
             <infCTeSupl><qrCodCTe>https://dfe-portal.svrs.rs.gov.br/cte/qrCode?chCTe={CHAVE}&amp;tpAmb=1</qrCodCTe></infCTeSupl></CTe>",
            self.ide(),
            self.compl(),
            self.emit(),
            self.parties(),
            self.values(),
            self.taxes(),
        );
        match self.status {
            Some(status) => format!(
                "<cteProc xmlns=\"http://www.portalfiscal.inf.br/cte\" versao=\"4.00\">{cte}\
                 <protCTe versao=\"4.00\"><infProt><tpAmb>1</tpAmb><chCTe>{CHAVE}</chCTe>\
                 <dhRecbto>2026-11-20T10:16:00-03:00</dhRecbto><nProt>131260000000001</nProt>\
                 <cStat>{status}</cStat><xMotivo>Autorizado o uso do CT-e</xMotivo></infProt></protCTe></cteProc>"
            ),
            None => cte,
        }
    }

    fn text(&self, text: &str, longest: usize) -> String {
        match self.long {
            true => text
                .chars()
                .chain(" e mais".chars())
                .cycle()
                .take(longest)
                .collect::<String>()
                .trim()
                .to_owned(),
            false => text.to_owned(),
        }
    }

    fn ide(&self) -> String {
        let payer = match self.everybody {
            true => format!(
                "<toma4><toma>4</toma>{}</toma4>",
                self.person("Pagador Exemplo Ltda", "enderToma", "11444777000161")
            ),
            false => "<toma3><toma>0</toma></toma3>".to_owned(),
        };
        format!(
            "<ide><cUF>31</cUF><cCT>27182818</cCT><CFOP>6353</CFOP><natOp>{}</natOp><mod>57</mod><serie>1</serie>\
             <nCT>9</nCT><dhEmi>2026-11-20T10:15:00-03:00</dhEmi><tpImp>1</tpImp><tpEmis>1</tpEmis><cDV>0</cDV>\
             <tpAmb>{}</tpAmb><tpCTe>{}</tpCTe><procEmi>0</procEmi><verProc>1</verProc><cMunEnv>3106200</cMunEnv>\
             <xMunEnv>Belo Horizonte</xMunEnv><UFEnv>MG</UFEnv><modal>{}</modal><tpServ>0</tpServ>\
             <cMunIni>3106200</cMunIni><xMunIni>Belo Horizonte</xMunIni><UFIni>MG</UFIni><cMunFim>3550308</cMunFim>\
             <xMunFim>São Paulo</xMunFim><UFFim>SP</UFFim><retira>1</retira><indIEToma>1</indIEToma>{payer}</ide>",
            self.text("Transporte a estabelecimento comercial", 60),
            if self.production { 1 } else { 2 },
            u8::from(self.complementary),
            self.modal,
        )
    }

    fn compl(&self) -> String {
        format!(
            "<compl><xCaracAd>FRACIONADO</xCaracAd><fluxo><xOrig>BHZ</xOrig><pass><xPass>RAO</xPass></pass>\
             <xDest>GRU</xDest></fluxo><Entrega><comData><tpPer>2</tpPer><dProg>2026-12-01</dProg></comData>\
             <semHora><tpHor>0</tpHor></semHora></Entrega><xObs>{}</xObs>\
             <ObsCont xCampo=\"Motorista\"><xTexto>A definir</xTexto></ObsCont></compl>",
            self.remarks
        )
    }

    fn emit(&self) -> String {
        format!(
            "<emit><CNPJ>11222333000181</CNPJ><IE>0623079040081</IE><xNome>{}</xNome>\
             <enderEmit><xLgr>Avenida Central</xLgr><nro>100</nro><xBairro>Centro</xBairro><cMun>3106200</cMun>\
             <xMun>Belo Horizonte</xMun><CEP>30130010</CEP><UF>MG</UF><fone>3133334444</fone></enderEmit><CRT>3</CRT></emit>",
            self.text("Transportes Exemplo Ltda", 60)
        )
    }

    fn person(&self, name: &str, address: &str, cnpj: &str) -> String {
        format!(
            "<CNPJ>{cnpj}</CNPJ><IE>110042490114</IE><xNome>{}</xNome><fone>1133334444</fone><{address}>\
             <xLgr>{}</xLgr><nro>1000</nro><xCpl>Loja 2</xCpl><xBairro>Centro</xBairro><cMun>3550308</cMun>\
             <xMun>São Paulo</xMun><CEP>01001000</CEP><UF>SP</UF><cPais>1058</cPais><xPais>BRASIL</xPais></{address}>",
            self.text(name, 60),
            self.text("Rua da Bahia", 255),
        )
    }

    fn parties(&self) -> String {
        let part = |tag: &str, name: &str, address: &str, cnpj: &str| {
            format!("<{tag}>{}</{tag}>", self.person(name, address, cnpj))
        };
        let mut parties = part(
            "rem",
            "Remetente Exemplo Ltda",
            "enderReme",
            "12345678000195",
        );
        if self.everybody {
            parties += &part(
                "exped",
                "Expedidor Exemplo Ltda",
                "enderExped",
                "11444777000161",
            );
            parties += &part(
                "receb",
                "Recebedor Exemplo Ltda",
                "enderReceb",
                "11444777000161",
            );
        }
        parties
            + &part(
                "dest",
                "Destino Exemplo Ltda",
                "enderDest",
                "11444777000161",
            )
    }

    fn values(&self) -> String {
        let parts: String = (0..self.components)
            .map(|at| format!("<Comp><xNome>PARCELA {at}</xNome><vComp>500.00</vComp></Comp>"))
            .collect();
        format!("<vPrest><vTPrest>1500.00</vTPrest><vRec>1450.00</vRec>{parts}</vPrest>")
    }

    fn taxes(&self) -> String {
        let reform = match self.reform {
            true => {
                "<IBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib><gIBSCBS><vBC>1320.00</vBC>\
                <gIBSUF><pIBSUF>0.10</pIBSUF><vIBSUF>1.32</vIBSUF></gIBSUF><gIBSMun><pIBSMun>0.00</pIBSMun>\
                <vIBSMun>0.00</vIBSMun></gIBSMun><vIBS>1.32</vIBS><gCBS><pCBS>0.90</pCBS><vCBS>11.88</vCBS></gCBS>\
                </gIBSCBS></IBSCBS><vTotDFe>1500.00</vTotDFe>"
            }
            false => "",
        };
        format!(
            "<imp><ICMS><ICMS00><CST>00</CST><vBC>1500.00</vBC><pICMS>12.00</pICMS><vICMS>180.00</vICMS></ICMS00></ICMS>\
             <infAdFisco>Regime especial 123</infAdFisco>{reform}</imp>"
        )
    }

    fn normal(&self) -> String {
        let quantities: String = (0..self.quantities)
            .map(|at| format!("<infQ><cUnid>01</cUnid><tpMed>PESO {at}</tpMed><qCarga>1250.5000</qCarga></infQ>"))
            .collect();
        let documents: String = (0..self.documents)
            .map(|at| {
                format!(
                    "<infNFe><chave>3126111122233300018155001{at:09}1314159266</chave></infNFe>"
                )
            })
            .collect();
        format!(
            "<infCTeNorm><infCarga><vCarga>25000.00</vCarga><proPred>{}</proPred><xOutCat>Caixas</xOutCat>{quantities}\
             </infCarga><infDoc>{documents}</infDoc><infModal versaoModal=\"4.00\">{}</infModal></infCTeNorm>",
            self.text("Café torrado", 60),
            modal(self.modal),
        )
    }
}

fn modal(code: &str) -> &'static str {
    match code {
        "01" => {
            "<rodo><RNTRC>12345678</RNTRC><occ><serie>1</serie><nOcc>12</nOcc><dEmi>2026-11-19</dEmi><emiOcc>\
             <CNPJ>11222333000181</CNPJ><IE>0623079040081</IE><UF>MG</UF></emiOcc></occ></rodo>"
        }
        "02" => {
            "<aereo><nMinu>000012345</nMinu><nOCA>95712345678</nOCA><dPrevAereo>2026-11-22</dPrevAereo><natCarga>\
             <xDime>0100X0050X0040</xDime><cInfManu>01</cInfManu><cInfManu>99</cInfManu></natCarga><tarifa><CL>G</CL>\
             <cTar>TG1</cTar><vTar>12.50</vTar></tarifa><peri><nONU>1203</nONU><qTotEmb>2</qTotEmb><infTotAP>\
             <qTotProd>10.0000</qTotProd><uniAP>3</uniAP></infTotAP></peri></aereo>"
        }
        "03" => {
            "<aquav><vPrest>1500.00</vPrest><vAFRMM>120.00</vAFRMM><xNavio>Navio Exemplo</xNavio><balsa>\
             <xBalsa>Balsa 1</xBalsa></balsa><nViag>12</nViag><direc>S</direc><irin>PP1234</irin><detCont>\
             <nCont>CONT1234567</nCont><lacre><nLacre>L1</nLacre></lacre></detCont></aquav>"
        }
        "04" => {
            "<ferrov><tpTraf>1</tpTraf><trafMut><respFat>1</respFat><ferrEmi>2</ferrEmi><vFrete>900.00</vFrete>\
             <ferroEnv><CNPJ>11444777000161</CNPJ><cInt>9</cInt><xNome>Ferrovia Exemplo SA</xNome><enderFerro>\
             <xMun>São Paulo</xMun><UF>SP</UF></enderFerro></ferroEnv></trafMut><fluxo>F123</fluxo></ferrov>"
        }
        "05" => {
            "<duto><vTar>0.125000</vTar><dIni>2026-11-01</dIni><dFim>2026-11-30</dFim><classDuto>1</classDuto>\
             <nContrato>C-1</nContrato></duto>"
        }
        _ => {
            "<multimodal><COTM>COTM123</COTM><indNegociavel>1</indNegociavel><seg><infSeg><xSeg>Seguros Exemplo</xSeg>\
             <CNPJ>11444777000161</CNPJ></infSeg><nApol>AP1</nApol><nAver>AV1</nAver></seg></multimodal>"
        }
    }
}
