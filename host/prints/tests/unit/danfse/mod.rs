//! Notes read and drawn. The companies do not exist.

mod drawing;
mod reading;

use prints::danfse::Danfse;

/// A national note with every group the DANFSe shows.
const NATIONAL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<NFSe xmlns="http://www.sped.fazenda.gov.br/nfse" versao="1.01">
<infNFSe Id="NFS3304557212ABC34501DE35000000000014625124504258429">
<xLocEmi>Rio de Janeiro</xLocEmi><xLocPrestacao>Niterói</xLocPrestacao><nNFSe>146</nNFSe>
<cLocIncid>3304557</cLocIncid><xLocIncid>Rio de Janeiro</xLocIncid>
<xTribNac>Análise e desenvolvimento de sistemas.</xTribNac><verAplic>X</verAplic>
<ambGer>2</ambGer><tpEmis>1</tpEmis><cStat>100</cStat><dhProc>2026-08-30T19:01:35-03:00</dhProc>
<nDFSe>1</nDFSe>
<emit><CNPJ>12ABC34501DE35</CNPJ><IM>4455</IM><xNome>Oficina de Programas Ltda</xNome>
<enderNac><xLgr>Rua das Acácias</xLgr><nro>10</nro><xCpl>-</xCpl><xBairro>Centro</xBairro>
<cMun>3304557</cMun><UF>RJ</UF><CEP>20040002</CEP></enderNac>
<fone>21987654321</fone><email>fiscal@example.com</email></emit>
<valores><vCalcDR>200.00</vCalcDR><tpBM>2</tpBM><vCalcBM>12.50</vCalcBM><vBC>9787.50</vBC>
<pAliqAplic>5.00</pAliqAplic><vISSQN>489.38</vISSQN><vTotalRet>615.00</vTotalRet><vLiq>9385.00</vLiq></valores>
<xOutInf>Processo 12/2026</xOutInf>
<IBSCBS><cLocalidadeIncid>3303302</cLocalidadeIncid><xLocalidadeIncid>Niterói</xLocalidadeIncid>
<valores><vBC>8740.00</vBC><vCalcReeRepRes>50.00</vCalcReeRepRes>
<uf><pIBSUF>0.10</pIBSUF><pRedAliqUF>60.00</pRedAliqUF><pAliqEfetUF>0.04</pAliqEfetUF></uf>
<mun><pIBSMun>0.00</pIBSMun><pAliqEfetMun>0.00</pAliqEfetMun></mun>
<fed><pCBS>0.90</pCBS><pAliqEfetCBS>0.36</pAliqEfetCBS></fed></valores>
<totCIBS><vTotNF>9472.40</vTotNF><gIBS><vIBSTot>8.74</vIBSTot><gIBSUFTot><vIBSUF>8.74</vIBSUF></gIBSUFTot>
<gIBSMunTot><vIBSMun>0.00</vIBSMun></gIBSMunTot></gIBS><gCBS><vCBS>78.66</vCBS></gCBS>
<gTribCompraGov><pIBSUF>9</pIBSUF><vIBSUF>999</vIBSUF></gTribCompraGov></totCIBS></IBSCBS>
<DPS versao="1.01"><infDPS Id="DPS1"><tpAmb>1</tpAmb><dhEmi>2026-08-30T19:00:06-03:00</dhEmi>
<serie>333</serie><nDPS>6</nDPS><dCompet>2026-08-30</dCompet><tpEmit>1</tpEmit><cLocEmi>3304557</cLocEmi>
<subst><chSubstda>33045572112223330001810000000000014525124504258420</chSubstda><cMotivo>01</cMotivo></subst>
<prest><CNPJ>12ABC34501DE35</CNPJ><regTrib><opSimpNac>3</opSimpNac><regApTribSN>3</regApTribSN>
<regEspTrib>0</regEspTrib></regTrib></prest>
<toma><CNPJ>11222333000181</CNPJ><IM>778899</IM><xNome>Comércio &amp; Indústria São João S.A.</xNome>
<end><endNac><cMun>3303302</cMun><CEP>24020077</CEP></endNac><xLgr>Avenida Central</xLgr><nro>123</nro>
<xBairro>Ingá</xBairro></end><fone>2132654321</fone><email>compras@example.com</email></toma>
<interm><CPF>52998224725</CPF><xNome>Intermediária de Negócios</xNome></interm>
<serv><locPrest><cLocPrestacao>3303302</cLocPrestacao></locPrest>
<cServ><cTribNac>010101</cTribNac><cTribMun>001</cTribMun><xDescServ>Manutenção evolutiva</xDescServ><cNBS>115021000</cNBS></cServ>
<obra><cObra>OBRA-9</cObra></obra>
<infoCompl><docRef>CT-77</docRef><xPed>P-1</xPed><gItemPed><xItemPed>1</xItemPed><xItemPed>2</xItemPed></gItemPed>
<xInfComp>Pagamento por boleto</xInfComp></infoCompl></serv>
<valores><vServPrest><vServ>10000.00</vServ></vServPrest>
<vDescCondIncond><vDescIncond>10.00</vDescIncond><vDescCond>5.00</vDescCond></vDescCondIncond>
<trib><tribMun><tribISSQN>1</tribISSQN><exigSusp><tpSusp>1</tpSusp><nProcesso>123</nProcesso></exigSusp>
<BM><nBM>33045570100001</nBM></BM><tpRetISSQN>2</tpRetISSQN></tribMun>
<tribFed><piscofins><CST>01</CST><vPis>65.00</vPis><vCofins>300.00</vCofins><tpRetPisCofins>3</tpRetPisCofins></piscofins>
<vRetCP>110.00</vRetCP><vRetIRRF>150.00</vRetIRRF><vRetCSLL>465.00</vRetCSLL></tribFed>
<totTrib><pTotTrib><pTotTribFed>13.45</pTotTribFed><pTotTribEst>0.00</pTotTribEst><pTotTribMun>5.00</pTotTribMun></pTotTrib></totTrib>
</trib></valores>
<IBSCBS><finNFSe>0</finNFSe><cIndOp>100301</cIndOp><indDest>1</indDest>
<dest><NIF>NIF-123</NIF><xNome>Acme Ltd</xNome><end><endExt><cPais>GB</cPais><cEndPost>SW1A 1AA</cEndPost>
<xCidade>London</xCidade><xEstProvReg>England</xEstProvReg></endExt><xLgr>Downing Street</xLgr><nro>10</nro>
<xBairro>Westminster</xBairro></end></dest>
<valores><trib><gIBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib></gIBSCBS></trib></valores></IBSCBS>
</infDPS></DPS></infNFSe></NFSe>"#;

/// A note of a city, layout 2.0x, with prefixes as some write them.
const ABRASF_2: &str = r#"<n:CompNfse xmlns:n="http://www.abrasf.org.br/nfse.xsd"><n:Nfse versao="2.04"><n:InfNfse Id="n1">
<n:Numero>15</n:Numero><n:CodigoVerificacao>AB12-CD34</n:CodigoVerificacao><n:DataEmissao>2026-03-19T09:20:00</n:DataEmissao>
<n:ValoresNfse><n:BaseCalculo>1500.00</n:BaseCalculo><n:Aliquota>0.02</n:Aliquota><n:ValorIss>30.00</n:ValorIss>
<n:ValorLiquidoNfse>1447.50</n:ValorLiquidoNfse></n:ValoresNfse>
<n:PrestadorServico><n:IdentificacaoPrestador><n:CpfCnpj><n:Cnpj>11222333000181</n:Cnpj></n:CpfCnpj>
<n:InscricaoMunicipal>4455</n:InscricaoMunicipal></n:IdentificacaoPrestador><n:RazaoSocial>Oficina de Programas Ltda</n:RazaoSocial>
<n:Endereco><n:Endereco>Rua das Acácias</n:Endereco><n:Numero>10</n:Numero><n:Bairro>Centro</n:Bairro>
<n:CodigoMunicipio>4209102</n:CodigoMunicipio><n:Uf>SC</n:Uf><n:Cep>89201001</n:Cep></n:Endereco></n:PrestadorServico>
<n:OrgaoGerador><n:CodigoMunicipio>4209102</n:CodigoMunicipio><n:Uf>SC</n:Uf></n:OrgaoGerador>
<n:DeclaracaoPrestacaoServico><n:InfDeclaracaoPrestacaoServico><n:Rps><n:IdentificacaoRps><n:Numero>7</n:Numero>
<n:Serie>A1</n:Serie><n:Tipo>1</n:Tipo></n:IdentificacaoRps><n:DataEmissao>2026-03-18</n:DataEmissao></n:Rps>
<n:Competencia>2026-03</n:Competencia><n:Servico><n:Valores><n:ValorServicos>1500.00</n:ValorServicos>
<n:ValorPis>9.75</n:ValorPis><n:ValorIr>12.75</n:ValorIr></n:Valores><n:IssRetido>1</n:IssRetido>
<n:ResponsavelRetencao>1</n:ResponsavelRetencao><n:ItemListaServico>0107</n:ItemListaServico><n:CodigoCnae>6209100</n:CodigoCnae>
<n:Discriminacao>Suporte técnico
Mês de março</n:Discriminacao><n:CodigoMunicipio>4209102</n:CodigoMunicipio><n:ExigibilidadeISS>1</n:ExigibilidadeISS>
<n:MunicipioIncidencia>4209102</n:MunicipioIncidencia></n:Servico>
<n:Tomador><n:IdentificacaoTomador><n:CpfCnpj><n:Cpf>52998224725</n:Cpf></n:CpfCnpj></n:IdentificacaoTomador>
<n:RazaoSocial>Maria da Conceição</n:RazaoSocial></n:Tomador><n:Intermediario/>
<n:OptanteSimplesNacional>2</n:OptanteSimplesNacional></n:InfDeclaracaoPrestacaoServico></n:DeclaracaoPrestacaoServico>
</n:InfNfse></n:Nfse></n:CompNfse>"#;

fn national() -> Danfse {
    Danfse::from_nfse_xml(NATIONAL).expect("a note")
}

fn abrasf() -> Danfse {
    Danfse::from_nfse_xml(ABRASF_2).expect("a note")
}
