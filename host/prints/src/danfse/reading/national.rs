//! National NFS-e, XSD 1.00 and 1.01; sources of each field as NT 008, item
//! 2.4.5, names them.

use super::ibs_cbs::{self, somar};
use crate::danfse::reading::descriptions::nacional as descricao;
use crate::danfse::reading::group::Grupo;
use crate::danfse::{
    Ambiente, Danfse, Destinatario, Municipio, Padrao, Pessoa, Prestador, Servico, Totais,
    TributacaoFederal, TributacaoMunicipal,
};
use markup::format::{TRACO, percentual, reais, uf_do_ibge};
use markup::xml::Element;

/// Positions of an access key.
const CHAVE: usize = 50;

pub(super) fn ler(nota: Element<'_>) -> Danfse {
    let id = nota.attribute("Id").unwrap_or("").trim();
    let chave = id.strip_prefix("NFS").unwrap_or(id).to_owned();
    let nfse = Grupo::from(nota);
    let dps = nfse.em("DPS/infDPS");
    let ambiente = if dps.texto("tpAmb") == "2" {
        Ambiente::Homologacao
    } else {
        Ambiente::Producao
    };
    let codigo_emissor = dps.texto("cLocEmi");
    let tomador = dps.em("toma");
    let intermediario = dps.em("interm");
    let iss = iss(nfse, dps);
    let federal = federal(dps);
    let ibs_cbs = ibs_cbs::ler(
        dps.em("IBSCBS"),
        nfse.em("IBSCBS"),
        somar([
            iss.desconto_incondicionado,
            iss.valor,
            federal.pis,
            federal.cofins,
        ]),
    );
    Danfse {
        padrao: Padrao::Nacional,
        ambiente,
        municipio: Municipio {
            uf: uf_do_ibge(&codigo_emissor).to_owned(),
            nome: nfse.texto("xLocEmi"),
            codigo: codigo_emissor,
            pais: String::new(),
        },
        ambiente_gerador: descricao::ambiente_gerador(&nfse.texto("ambGer")),
        url_consulta: consulta(ambiente, &chave),
        chave,
        numero: nfse.texto("nNFSe"),
        competencia: dps.texto("dCompet"),
        emissao: nfse.texto("dhProc"),
        numero_dps: dps.texto("nDPS"),
        serie_dps: dps.texto("serie"),
        emissao_dps: dps.texto("dhEmi"),
        emitente: descricao::emitente(&dps.texto("tpEmit")),
        situacao_texto: descricao::situacao(&nfse.texto("cStat")),
        finalidade: descricao::finalidade(&dps.texto("IBSCBS/finNFSe")),
        prestador: prestador(nfse, dps),
        tomador: tomador.tem_conteudo().then(|| pessoa(tomador)),
        destinatario: destinatario(dps),
        intermediario: intermediario.tem_conteudo().then(|| pessoa(intermediario)),
        servico: servico(nfse, dps),
        totais: totais(nfse, dps),
        informacoes: informacoes(nfse, dps),
        iss,
        federal,
        ibs_cbs,
        ..Danfse::default()
    }
}

/// Address of the public query (NT 008, item 2.4.3); only for a whole key.
fn consulta(ambiente: Ambiente, chave: &str) -> String {
    if chave.len() != CHAVE || !chave.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return String::new();
    }
    let host = match ambiente {
        Ambiente::Producao => "www.nfse.gov.br",
        Ambiente::Homologacao => "www.producaorestrita.nfse.gov.br",
    };
    format!("https://{host}/ConsultaPublica/?tpc=1&chave={chave}")
}

/// The DPS often has no more than the document of the provider: the rest is in
/// `emit`, if that is the same person (another party may have issued the note).
fn prestador(nfse: Grupo<'_>, dps: Grupo<'_>) -> Prestador {
    let declarado = dps.em("prest");
    let emit = nfse.em("emit");
    let mut pessoa = pessoa(declarado);
    let mesmo = pessoa.documento.is_empty() || pessoa.documento == documento(emit);
    if mesmo {
        let emitente = self::pessoa(emit);
        let completar = |to: &mut String, from: String| {
            if to.is_empty() {
                *to = from;
            }
        };
        completar(&mut pessoa.documento, emitente.documento);
        completar(
            &mut pessoa.inscricao_municipal,
            emitente.inscricao_municipal,
        );
        completar(&mut pessoa.nome, emitente.nome);
        completar(&mut pessoa.telefone, emitente.telefone);
        completar(&mut pessoa.email, emitente.email);
        // An address is of one piece.
        if pessoa.endereco.is_empty() {
            pessoa.endereco = emitente.endereco;
            pessoa.municipio = emitente.municipio;
            pessoa.cep = emitente.cep;
        }
    }
    Prestador {
        pessoa,
        simples_nacional: descricao::simples_nacional(&declarado.texto("regTrib/opSimpNac")),
        regime_apuracao: descricao::regime_apuracao(&declarado.texto("regTrib/regApTribSN")),
    }
}

fn documento(grupo: Grupo<'_>) -> String {
    grupo.texto_de(&["CNPJ", "CPF", "NIF"])
}

/// `prest`, `toma`, `interm`, `dest` or `emit`.
fn pessoa(grupo: Grupo<'_>) -> Pessoa {
    // `emit` has `enderNac` with the street inside, the others `end`.
    let endereco = grupo.um_de(&["end", "enderNac"]);
    let exterior = endereco.em("endExt");
    let codigo = endereco.texto_de(&["endNac/cMun", "cMun"]);
    let uf = endereco.texto("UF");
    let municipio = if exterior.tem_conteudo() {
        Municipio {
            nome: exterior.texto("xCidade"),
            uf: exterior.texto("xEstProvReg"),
            pais: exterior.texto("cPais"),
            codigo: String::new(),
        }
    } else {
        Municipio {
            uf: if uf.is_empty() {
                uf_do_ibge(&codigo).to_owned()
            } else {
                uf
            },
            codigo,
            ..Municipio::default()
        }
    };
    let partes = ["xLgr", "nro", "xCpl", "xBairro"].map(|nome| endereco.texto(nome));
    Pessoa {
        documento: documento(grupo),
        inscricao_municipal: grupo.texto("IM"),
        nome: grupo.texto("xNome"),
        telefone: grupo.texto("fone"),
        email: grupo.texto("email"),
        endereco: em_linha(&partes),
        municipio,
        cep: endereco.texto_de(&["endNac/CEP", "CEP", "endExt/cEndPost"]),
    }
}

/// The parts of an address that are there, with commas; some issuers write a
/// dash for a part that is not.
pub(super) fn em_linha(partes: &[String]) -> String {
    let partes: Vec<&str> = partes
        .iter()
        .map(String::as_str)
        .filter(|parte| !matches!(*parte, "" | "-"))
        .collect();
    partes.join(", ")
}

fn destinatario(dps: Grupo<'_>) -> Destinatario {
    let outro = dps.em("IBSCBS/dest");
    if outro.tem_conteudo() {
        Destinatario::Outro(Box::new(pessoa(outro)))
    } else if dps.texto("IBSCBS/indDest") == "0" && dps.em("toma").tem_conteudo() {
        Destinatario::Tomador
    } else {
        Destinatario::NaoIdentificado
    }
}

fn servico(nfse: Grupo<'_>, dps: Grupo<'_>) -> Servico {
    let codigo = dps.em("serv/cServ");
    let lugar = dps.texto("serv/locPrest/cLocPrestacao");
    Servico {
        codigo_nacional: codigo.texto("cTribNac"),
        codigo_municipal: codigo.texto("cTribMun"),
        cnae: String::new(),
        nbs: codigo.texto("cNBS"),
        local: Municipio {
            nome: nfse.texto("xLocPrestacao"),
            uf: uf_do_ibge(&lugar).to_owned(),
            codigo: lugar,
            pais: dps.texto("serv/locPrest/cPaisPrestacao"),
        },
        descricao_codigo: nfse.texto_de(&["xTribMun", "xTribNac"]),
        descricao: codigo.texto("xDescServ"),
    }
}

fn iss(nfse: Grupo<'_>, dps: Grupo<'_>) -> TributacaoMunicipal {
    let trib = dps.em("valores/trib/tribMun");
    let valores = nfse.em("valores");
    let incidencia = nfse.texto("cLocIncid");
    let beneficio = [
        trib.texto("BM/nBM"),
        descricao::beneficio(&valores.texto("tpBM")),
    ];
    TributacaoMunicipal {
        // Item 99 of the national list is outside LC 116/2003: IBS/CBS only.
        nao_sujeita: dps.texto("serv/cServ/cTribNac").starts_with("99"),
        tributacao: descricao::tributacao(&trib.texto("tribISSQN")),
        incidencia: Municipio {
            nome: nfse.texto("xLocIncid"),
            uf: uf_do_ibge(&incidencia).to_owned(),
            codigo: incidencia,
            pais: trib.texto("cPaisResult"),
        },
        regime_especial: descricao::regime_especial(&dps.texto("prest/regTrib/regEspTrib")),
        imunidade: descricao::imunidade(&trib.texto("tpImunidade")),
        suspensao: descricao::suspensao(&trib.texto("exigSusp/tpSusp")),
        processo_suspensao: trib.texto("exigSusp/nProcesso"),
        beneficio: beneficio
            .into_iter()
            .filter(|parte| !parte.is_empty())
            .collect::<Vec<_>>()
            .join(" - "),
        calculo_beneficio: valores.valor("vCalcBM"),
        // What was declared, or else what the system computed.
        deducoes: dps.valor("valores/vDedRed/vDR").or_else(|| {
            somar([
                valores.valor_de(&["vCalcDR", "vCalcAjusteBCISSQN"]),
                nfse.valor("IBSCBS/valores/vCalcReeRepRes"),
            ])
        }),
        desconto_incondicionado: dps.valor("valores/vDescCondIncond/vDescIncond"),
        base_calculo: valores.valor("vBC"),
        aliquota: valores.valor("pAliqAplic").or_else(|| trib.valor("pAliq")),
        retencao: descricao::retencao_iss(&trib.texto("tpRetISSQN")),
        valor: valores.valor("vISSQN"),
    }
}

fn federal(dps: Grupo<'_>) -> TributacaoFederal {
    let trib = dps.em("valores/trib/tribFed");
    TributacaoFederal {
        irrf: trib.valor("vRetIRRF"),
        previdencia: trib.valor("vRetCP"),
        contribuicoes_sociais: trib.valor("vRetCSLL"),
        pis: trib.valor("piscofins/vPis"),
        cofins: trib.valor("piscofins/vCofins"),
        descricao_retencao: descricao::retencao_pis_cofins(&trib.texto("piscofins/tpRetPisCofins")),
        outras_retencoes: None,
    }
}

fn totais(nfse: Grupo<'_>, dps: Grupo<'_>) -> Totais {
    let total = nfse.em("IBSCBS/totCIBS");
    Totais {
        servico: dps.valor("valores/vServPrest/vServ"),
        desconto_incondicionado: dps.valor("valores/vDescCondIncond/vDescIncond"),
        desconto_condicionado: dps.valor("valores/vDescCondIncond/vDescCond"),
        retencoes: nfse.valor("valores/vTotalRet"),
        liquido: nfse.valor("valores/vLiq"),
        ibs_cbs: somar([total.valor("gIBS/vIBSTot"), total.valor("gCBS/vCBS")]),
        liquido_com_ibs_cbs: total.valor("vTotNF"),
    }
}

/// NT 008, item 2.4.5, notes 7 and 10: labelled parts with a bar between them,
/// then the line that Lei 12.741/2012 asks for.
fn informacoes(nfse: Grupo<'_>, dps: Grupo<'_>) -> Vec<String> {
    let serv = dps.em("serv");
    let itens: Vec<String> = serv
        .em("infoCompl/gItemPed")
        .filhos("xItemPed")
        .map(Grupo::proprio_texto)
        .collect();
    let partes = [
        ("Inf. Cont.", serv.texto("infoCompl/xInfComp")),
        ("NFS-e Subst.", dps.texto("subst/chSubstda")),
        ("Doc. Ref.", serv.texto("infoCompl/docRef")),
        ("Doc. Tec.", serv.texto("infoCompl/idDocTec")),
        ("Cod. Obra", serv.texto_de(&["obra/cObra", "obra/cCIB"])),
        ("Insc. Imob.", dps.texto("IBSCBS/imovel/inscImobFisc")),
        ("Cod. Evt.", serv.texto("atvEvento/idAtvEvt")),
        ("Núm. Ped.", serv.texto("infoCompl/xPed")),
        ("Item Ped.", itens.join(", ")),
        ("Inf. A. T. Mun.", nfse.texto("xOutInf")),
    ];
    let corpo: Vec<String> = partes
        .into_iter()
        .filter(|(_, texto)| !texto.is_empty())
        .map(|(rotulo, texto)| format!("{rotulo}: {texto}"))
        .collect();
    let mut out = Vec::with_capacity(2);
    if !corpo.is_empty() {
        out.push(corpo.join(" | "));
    }
    out.push(tributos_aproximados(dps.em("valores/trib/totTrib")));
    out
}

fn tributos_aproximados(total: Grupo<'_>) -> String {
    let esferas = if total.em("pTotTrib").existe() {
        ["Fed", "Est", "Mun"].map(|e| percentual(total.valor(&format!("pTotTrib/pTotTrib{e}"))))
    } else {
        ["Fed", "Est", "Mun"].map(|e| reais(total.valor(&format!("vTotTrib/vTotTrib{e}"))))
    };
    let [federais, estaduais, municipais] = esferas;
    let simples = percentual(total.valor("pTotTribSN"));
    let simples = if simples == TRACO {
        String::new()
    } else {
        format!("; Simples Nacional: {simples}")
    };
    format!(
        "Totais Aproximados dos Tributos cfe. Lei nº 12.741/2012: Federais: {federais}; \
         Estaduais: {estaduais}; Municipais: {municipais}{simples}"
    )
}
