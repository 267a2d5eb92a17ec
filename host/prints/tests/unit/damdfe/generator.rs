//! MDF-e of nobody, one of each modal and some at their limits.

/// The key of all of them.
pub const CHAVE: &str = "31261111222333000181580010000000091271828183";

/// What an MDF-e is made with.
#[derive(Clone)]
pub struct Generator {
    pub modal: &'static str,
    /// CT-e of each of the two cities.
    pub documents: usize,
    pub drivers: usize,
    pub trailers: usize,
    /// Toll vouchers, and policies of insurance.
    pub vouchers: usize,
    pub remarks: String,
    pub production: bool,
    pub contingency: bool,
    /// `cStat` of the protocol; none if there is no protocol.
    pub status: Option<&'static str>,
    /// Kind of an event beside the document.
    pub event: Option<&'static str>,
    /// Every text as long as the layout takes it.
    pub long: bool,
}

impl Default for Generator {
    fn default() -> Generator {
        Generator {
            modal: "1",
            documents: 3,
            drivers: 1,
            trailers: 1,
            vouchers: 1,
            remarks: "Carga seca, entrega em horário comercial".to_owned(),
            production: true,
            contingency: false,
            status: Some("100"),
            event: None,
            long: false,
        }
    }
}

/// All of them, by name.
pub fn all() -> Vec<(&'static str, Generator)> {
    let default = Generator::default;
    let by = |modal| Generator { modal, ..default() };
    vec![
        ("rodoviario", by("1")),
        ("aereo", by("2")),
        ("aquaviario", by("3")),
        ("ferroviario", by("4")),
        (
            "completo",
            Generator {
                drivers: 10,
                trailers: 3,
                vouchers: 4,
                documents: 30,
                ..default()
            },
        ),
        (
            "600-documentos",
            Generator {
                documents: 300,
                ..default()
            },
        ),
        (
            "longo",
            Generator {
                long: true,
                drivers: 3,
                trailers: 2,
                remarks: "Observação longa de uma carga qualquer. ".repeat(120),
                ..default()
            },
        ),
        (
            "contingencia",
            Generator {
                contingency: true,
                status: None,
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
    /// The XML: `mdfeProc`, or a bare `MDFe` where there is no protocol.
    pub fn xml(&self) -> String {
        const NAMESPACE: &str = "http://www.portalfiscal.inf.br/mdfe";
        let mdfe = format!(
            "<MDFe xmlns=\"{NAMESPACE}\"><infMDFe versao=\"3.00\" Id=\"MDFe{CHAVE}\">{}{}\
             <infModal versaoModal=\"3.00\">{}</infModal>{}{}{}{}</infMDFe>\
             <infMDFeSupl><qrCodMDFe>https://dfe-portal.svrs.rs.gov.br/mdfe/qrCode?chMDFe={CHAVE}&amp;tpAmb=1</qrCodMDFe>\
             </infMDFeSupl></MDFe>",
            self.ide(),
            self.emit(),
            self.modal(),
            self.documents(),
            self.insurance(),
            self.product(),
            self.rest(),
        );
        let event = self.event.map_or(String::new(), |kind| {
            format!(
                "<procEventoMDFe><eventoMDFe><infEvento><chMDFe>{CHAVE}</chMDFe><tpEvento>{kind}</tpEvento></infEvento>\
                 </eventoMDFe><retEventoMDFe><infEvento><cStat>135</cStat></infEvento></retEventoMDFe></procEventoMDFe>"
            )
        });
        match self.status {
            Some(status) => format!(
                "<mdfeProc xmlns=\"{NAMESPACE}\" versao=\"3.00\">{mdfe}<protMDFe versao=\"3.00\"><infProt>\
                 <tpAmb>1</tpAmb><chMDFe>{CHAVE}</chMDFe><dhRecbto>2026-11-20T10:16:00-03:00</dhRecbto>\
                 <nProt>931260000000001</nProt><cStat>{status}</cStat><xMotivo>Autorizado o uso do MDF-e</xMotivo>\
                 </infProt></protMDFe>{event}</mdfeProc>"
            ),
            None => mdfe,
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
        format!(
            "<ide><cUF>31</cUF><tpAmb>{}</tpAmb><tpEmit>1</tpEmit><tpTransp>1</tpTransp><mod>58</mod><serie>1</serie>\
             <nMDF>9</nMDF><cMDF>27182818</cMDF><cDV>3</cDV><modal>{}</modal><dhEmi>2026-11-20T10:15:00-03:00</dhEmi>\
             <tpEmis>{}</tpEmis><procEmi>0</procEmi><verProc>1</verProc><UFIni>MG</UFIni><UFFim>PR</UFFim>\
             <infMunCarrega><cMunCarrega>3106200</cMunCarrega><xMunCarrega>Belo Horizonte</xMunCarrega></infMunCarrega>\
             <infMunCarrega><cMunCarrega>3106705</cMunCarrega><xMunCarrega>Betim</xMunCarrega></infMunCarrega>\
             <infPercurso><UFPer>SP</UFPer></infPercurso><dhIniViagem>2026-11-20T14:00:00-03:00</dhIniViagem></ide>",
            if self.production { 1 } else { 2 },
            self.modal,
            if self.contingency { 2 } else { 1 },
        )
    }

    fn emit(&self) -> String {
        format!(
            "<emit><CNPJ>11222333000181</CNPJ><IE>0623079040081</IE><xNome>{}</xNome>\
             <enderEmit><xLgr>Avenida Central</xLgr><nro>100</nro><xBairro>Centro</xBairro><cMun>3106200</cMun>\
             <xMun>Belo Horizonte</xMun><CEP>30130010</CEP><UF>MG</UF><fone>3133334444</fone></enderEmit></emit>",
            self.text("Transportes Exemplo Ltda", 60)
        )
    }

    fn documents(&self) -> String {
        let city = |code: &str, name: &str, first: usize| {
            let documents: String = (first..first + self.documents)
                .map(|at| format!("<infCTe><chCTe>{}</chCTe></infCTe>", key(at)))
                .collect();
            format!(
                "<infMunDescarga><cMunDescarga>{code}</cMunDescarga><xMunDescarga>{name}</xMunDescarga>{documents}\
                 </infMunDescarga>"
            )
        };
        format!(
            "<infDoc>{}{}</infDoc>",
            city("4106902", "Curitiba", 0),
            city("4115200", "Maringá", self.documents)
        )
    }

    fn insurance(&self) -> String {
        (0..self.vouchers)
            .map(|at| {
                format!(
                    "<seg><infResp><respSeg>2</respSeg><CNPJ>12345678000195</CNPJ></infResp><infSeg><xSeg>{}</xSeg>\
                     <CNPJ>11444777000161</CNPJ></infSeg><nApol>AP-{at}</nApol><nAver>AV-{at}-1</nAver>\
                     <nAver>AV-{at}-2</nAver></seg>",
                    self.text("Seguradora Exemplo", 30)
                )
            })
            .collect()
    }

    fn product(&self) -> String {
        format!(
            "<prodPred><tpCarga>05</tpCarga><xProd>{}</xProd><NCM>09012100</NCM><infLotacao><infLocalCarrega>\
             <CEP>30130010</CEP></infLocalCarrega><infLocalDescarrega><latitude>-25.429600</latitude>\
             <longitude>-49.271300</longitude></infLocalDescarrega></infLotacao></prodPred>",
            self.text("Café torrado", 120)
        )
    }

    fn rest(&self) -> String {
        format!(
            "<tot><qCTe>{}</qCTe><vCarga>250000.00</vCarga><cUnid>01</cUnid><qCarga>12500.5000</qCarga></tot>\
             <lacres><nLacre>LM1</nLacre></lacres><infAdic><infAdFisco>Regime especial 123</infAdFisco>\
             <infCpl>{}</infCpl></infAdic>",
            2 * self.documents,
            self.remarks
        )
    }

    fn modal(&self) -> String {
        match self.modal {
            "1" => self.road(),
            "2" => {
                "<aereo><nac>PT</nac><matr>ABC</matr><nVoo>AB1234</nVoo><cAerEmb>CNF</cAerEmb><cAerDes>CWB</cAerDes>\
                 <dVoo>2026-11-21</dVoo></aereo>"
                    .to_owned()
            }
            "3" => {
                "<aquav><irin>PP1234</irin><tpEmb>01</tpEmb><cEmbar>E1</cEmbar><xEmbar>Navio Exemplo</xEmbar>\
                 <nViag>12</nViag><cPrtEmb>BRSSZ</cPrtEmb><cPrtDest>BRPNG</cPrtDest><tpNav>1</tpNav><infTermCarreg>\
                 <cTermCarreg>T1</cTermCarreg><xTermCarreg>Terminal A</xTermCarreg></infTermCarreg><infEmbComb>\
                 <cEmbComb>C1</cEmbComb><xBalsa>Balsa 1</xBalsa></infEmbComb></aquav>"
                    .to_owned()
            }
            _ => {
                "<ferrov><trem><xPref>K12</xPref><dhTrem>2026-11-20T12:00:00-03:00</dhTrem><xOri>BHZ</xOri>\
                 <xDest>CWB</xDest><qVag>1</qVag></trem><vag><pesoBC>50.500</pesoBC><pesoR>48.250</pesoR>\
                 <tpVag>HFD</tpVag><serie>HFD</serie><nVag>123456</nVag><nSeq>1</nSeq><TU>45.125</TU></vag></ferrov>"
                    .to_owned()
            }
        }
    }

    fn road(&self) -> String {
        let vouchers: String = (0..self.vouchers)
            .map(|at| {
                format!(
                    "<disp><CNPJForn>11444777000161</CNPJForn><CNPJPg>12345678000195</CNPJPg><nCompra>77{at}</nCompra>\
                     <vValePed>150.00</vValePed></disp>"
                )
            })
            .collect();
        let drivers: String = (0..self.drivers)
            .map(|at| {
                let name = self.text(&format!("Motorista {at} Exemplo"), 60);
                format!("<condutor><xNome>{name}</xNome><CPF>52998224725</CPF></condutor>")
            })
            .collect();
        let owner = format!(
            "<prop><CNPJ>11444777000161</CNPJ><RNTRC>87654321</RNTRC><xNome>{}</xNome><tpProp>2</tpProp></prop>",
            self.text("Reboques Exemplo Ltda", 60)
        );
        let trailers: String = (0..self.trailers)
            .map(|at| {
                format!(
                    "<veicReboque><placa>DEF456{at}</placa><RENAVAM>987654321</RENAVAM><tara>7000</tara>\
                     <capKG>25000</capKG>{owner}<tpCar>02</tpCar><UF>MG</UF></veicReboque>"
                )
            })
            .collect();
        format!(
            "<rodo><infANTT><RNTRC>12345678</RNTRC><infCIOT><CIOT>123456789012</CIOT><CNPJ>11444777000161</CNPJ>\
             </infCIOT><valePed>{vouchers}</valePed><infContratante><xNome>{contractor}</xNome>\
             <CNPJ>12345678000195</CNPJ></infContratante><infPag><xNome>{contractor}</xNome><CNPJ>12345678000195</CNPJ>\
             <vContrato>1500.00</vContrato><indPag>1</indPag><vAdiant>500.00</vAdiant></infPag></infANTT><veicTracao>\
             <placa>ABC1D23</placa><RENAVAM>12345678901</RENAVAM><tara>8000</tara><capKG>15000</capKG>{drivers}\
             <tpRod>03</tpRod><tpCar>00</tpCar><UF>MG</UF></veicTracao>{trailers}<lacRodo><nLacre>LV1</nLacre></lacRodo>\
             </rodo>",
            contractor = self.text("Contratante Exemplo Ltda", 60)
        )
    }
}

/// The key of a document of the cargo.
pub fn key(at: usize) -> String {
    format!("3126111122233300018157001{at:09}1314159266")
}
