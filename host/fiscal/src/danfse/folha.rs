//! The blocks of the DANFSe v2.0, in the order and with the captions of NT 008,
//! items 2.1 and 2.4.5. Notes of a city's own layout use the same blocks with
//! the names their layout has, and leave out what it does not know.

use rust_decimal::Decimal;

use super::fonte::{Fonte, largura, win_ansi};
use super::formato::{
    cep, codigo_servico, data, dia, documento, juntar, nbs, ou_traco, percentual, reais, telefone,
};
use super::quadro::{ALTURA, CAMPO, CM, Campo, Folhas, LARGURA, Marca, Quadro, TOPO, coluna};
use super::{
    Ambiente, Danfse, Destinatario, IbsCbs, Municipio, Padrao, Pessoa, Situacao, TributacaoFederal,
};
use crate::qr::QrCode;

/// The QR code, at the place of item 2.4.3, which asks for 1.52 cm at least.
const QR_X: f32 = 17.48 * CM;
const QR_Y: f32 = 1.67 * CM;
const QR_LADO: f32 = 1.70 * CM;

/// Lays the note out.
pub(super) fn montar(danfse: &Danfse) -> Folhas {
    let nacional = danfse.padrao == Padrao::Nacional;
    // A text that no QR code holds leaves the document without one.
    let qr = Some(&danfse.url_consulta)
        .filter(|url| !url.is_empty())
        .and_then(|url| QrCode::encode(url.as_bytes()).ok());
    let mut quadro = Quadro::novo(continuacao(danfse));
    cabecalho(&mut quadro, danfse);
    identificacao(&mut quadro, danfse, qr.is_some());
    prestador(&mut quadro, danfse);
    participantes(&mut quadro, danfse);
    servico(&mut quadro, danfse);
    iss(&mut quadro, danfse);
    federal(&mut quadro, &danfse.federal, nacional);
    match &danfse.ibs_cbs {
        Some(grupo) => ibs_cbs(&mut quadro, grupo),
        // The NT has no note without this block; a city's may.
        None if nacional => ibs_cbs(&mut quadro, &IbsCbs::default()),
        None => {}
    }
    totais(&mut quadro, danfse);
    informacoes(&mut quadro, danfse);
    quadro.terminar(qr, marcas(danfse))
}

/// Grey of the marks that NT 008 asks for: K35 (items 2.5.1 and 2.5.2).
const CINZA_NT: f32 = 0.65;
/// Grey of ours, lighter so that the note stays easy to read.
const CINZA_NOSSO: f32 = 0.78;

fn marcas(danfse: &Danfse) -> Vec<Marca> {
    let mut marcas = Vec::new();
    if danfse.simulada {
        marcas.push(("SIMULADA", CINZA_NOSSO));
    }
    if danfse.ambiente == Ambiente::Homologacao {
        marcas.push(("SEM VALOR FISCAL - AMBIENTE DE HOMOLOGAÇÃO", CINZA_NOSSO));
    }
    match danfse.situacao {
        Situacao::Normal => {}
        Situacao::Cancelada => marcas.push(("CANCELADA", CINZA_NT)),
        Situacao::Substituida => marcas.push(("SUBSTITUÍDA", CINZA_NT)),
    }
    let marcar = |(texto, cinza)| {
        let texto = win_ansi(texto);
        Marca {
            tamanho: tamanho_da_marca(&texto),
            texto,
            cinza,
        }
    };
    marcas.into_iter().map(marcar).collect()
}

fn continuacao(danfse: &Danfse) -> String {
    let (nome, codigo) = match danfse.padrao {
        Padrao::Nacional => ("DANFSe v2.0", &danfse.chave),
        Padrao::Abrasf => ("NFS-e", &danfse.codigo_verificacao),
    };
    format!(
        "{nome} (continuação)   NFS-e nº {}   {}",
        ou_traco(&danfse.numero),
        ou_traco(codigo)
    )
}

fn cabecalho(quadro: &mut Quadro, danfse: &Danfse) {
    let altura = 1.16 * CM;
    quadro.sombra(coluna(0), TOPO, coluna(4) - coluna(0), altura);
    let x = 0.49 * CM;
    quadro.escrito(x, coluna(1), TOPO + 18.0, 18.0, Fonte::Negrito, "NFS-e");
    let nome = "Nota Fiscal de Serviço eletrônica";
    quadro.escrito(x, coluna(1), TOPO + 27.0, 6.0, Fonte::Normal, nome);

    let (titulo, nome) = match danfse.padrao {
        Padrao::Nacional => ("DANFSe v2.0", "Documento Auxiliar da NFS-e"),
        Padrao::Abrasf => ("NFS-e MUNICIPAL", "Documento Auxiliar da NFS-e"),
    };
    let (de, ate) = (coluna(1), coluna(3));
    quadro.centrado(de, ate, TOPO + 10.0, 9.0, Fonte::Negrito, titulo);
    quadro.centrado(de, ate, TOPO + 20.0, 9.0, Fonte::Negrito, nome);
    let aviso = match (danfse.simulada, danfse.ambiente) {
        (true, _) => "NFS-e SIMULADA, SEM VALIDADE JURÍDICA",
        // Item 2.4.3, in these words and in red.
        (false, Ambiente::Homologacao) => "NFS-e SEM VALIDADE JURÍDICA",
        (false, Ambiente::Producao) => "",
    };
    if !aviso.is_empty() {
        quadro.centrado(de, ate, TOPO + 30.0, 9.0, Fonte::Negrito, aviso);
        quadro.em_vermelho();
    }

    let (x, fim) = (coluna(3), coluna(4) - 0.1 * CM);
    // Item 99 is not of any municipality's competence (item 2.4.3).
    if !danfse.iss.nao_sujeita {
        let municipio = format!("Município: {}", cidade_uf(&danfse.municipio));
        quadro.escrito(x, fim, TOPO + 9.5, 8.0, Fonte::Normal, &municipio);
    }
    let gerador = format!("Ambiente Gerador: {}", ou_traco(&danfse.ambiente_gerador));
    quadro.escrito(x, fim, TOPO + 20.0, 6.0, Fonte::Normal, &gerador);
    let tipo = match danfse.ambiente {
        Ambiente::Producao => "Tipo de Ambiente: Produção",
        Ambiente::Homologacao => "Tipo de Ambiente: Homologação",
    };
    quadro.escrito(x, fim, TOPO + 28.0, 6.0, Fonte::Normal, tipo);
    quadro.descer_ate(1.47 * CM);
}

fn identificacao(quadro: &mut Quadro, danfse: &Danfse, tem_qr: bool) {
    quadro.divisoria();
    let inicio = quadro.y();
    let nacional = danfse.padrao == Padrao::Nacional;
    let rotulos = if nacional {
        [
            "CHAVE DE ACESSO DA NFS-e",
            "NÚMERO DA DPS",
            "SÉRIE DA DPS",
            "DATA E HORA DA EMISSÃO DA DPS",
        ]
    } else {
        [
            "CÓDIGO DE VERIFICAÇÃO DA NFS-e",
            "NÚMERO DO RPS",
            "SÉRIE DO RPS",
            "DATA E HORA DA EMISSÃO DO RPS",
        ]
    };
    let [codigo, numero, serie, emissao] = rotulos;
    let valor = if nacional {
        &danfse.chave
    } else {
        &danfse.codigo_verificacao
    };
    let campo = |at, rotulo, valor: &str| Campo::novo(at, 1, rotulo, ou_traco(valor));
    // The rows of this block are a little higher than the others (annex I).
    let folga = 0.075 * CM;
    quadro.campos(&[Campo::novo(0, 3, codigo, ou_traco(valor))]);
    quadro.descer(folga);
    quadro.campos(&[
        campo(0, "NÚMERO DA NFS-e", &danfse.numero),
        campo(1, "COMPETÊNCIA DA NFS-e", &dia(&danfse.competencia)),
        campo(2, "DATA E HORA DA EMISSÃO DA NFS-e", &data(&danfse.emissao)),
    ]);
    quadro.descer(folga);
    quadro.campos(&[
        campo(0, numero, &danfse.numero_dps),
        campo(1, serie, &danfse.serie_dps),
        campo(2, emissao, &data(&danfse.emissao_dps)),
    ]);
    quadro.descer(folga);
    quadro.campos(&[
        campo(0, "EMITENTE DA NFS-e", &danfse.emitente).sombreado(),
        campo(1, "SITUAÇÃO DA NFS-e", &danfse.situacao_texto),
        campo(2, "FINALIDADE", &danfse.finalidade),
    ]);

    let mut y = inicio + 12.0;
    if tem_qr {
        quadro.qr(QR_X, QR_Y, QR_LADO);
        y = QR_Y + QR_LADO + 8.0;
    }
    let aviso = match (danfse.padrao, tem_qr) {
        (Padrao::Nacional, true) => [
            "A autenticidade desta NFS-e pode ser verificada",
            "pela leitura deste código QR ou pela consulta da",
            "chave de acesso no portal nacional da NFS-e",
        ],
        (Padrao::Nacional, false) => [
            "A autenticidade desta NFS-e pode ser verificada",
            "pela consulta da chave de acesso no portal",
            "nacional da NFS-e",
        ],
        (Padrao::Abrasf, true) => [
            "A autenticidade desta NFS-e pode ser verificada",
            "pela leitura deste código QR ou no portal do",
            "município, com o código de verificação",
        ],
        (Padrao::Abrasf, false) => [
            "A autenticidade desta NFS-e pode ser verificada",
            "no portal do município, com o número e o",
            "código de verificação",
        ],
    };
    for linha in aviso {
        quadro.centrado(coluna(3), coluna(4), y, 6.0, Fonte::Normal, linha);
        y += 6.7;
    }
}

fn prestador(quadro: &mut Quadro, danfse: &Danfse) {
    let prestador = &danfse.prestador;
    pessoa(quadro, "PRESTADOR / FORNECEDOR", &prestador.pessoa, true);
    quadro.campos(&[
        Campo::novo(
            0,
            2,
            "Simples Nacional na Data de Competência",
            ou_traco(&prestador.simples_nacional),
        ),
        Campo::novo(
            2,
            2,
            "Regime de Apuração Tributária pelo SN",
            ou_traco(&prestador.regime_apuracao),
        ),
    ]);
}

/// Items 2.3.1 and 2.3.2: one sentence for a party that is not identified.
fn participantes(quadro: &mut Quadro, danfse: &Danfse) {
    match &danfse.tomador {
        Some(tomador) => pessoa(quadro, "TOMADOR / ADQUIRENTE", tomador, true),
        None => quadro.frase("TOMADOR/ADQUIRENTE DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"),
    }
    match &danfse.destinatario {
        Destinatario::Outro(outro) => pessoa(quadro, "DESTINATÁRIO DA OPERAÇÃO", outro, false),
        Destinatario::Tomador => {
            quadro.frase("O DESTINATÁRIO É O PRÓPRIO TOMADOR/ADQUIRENTE DA OPERAÇÃO");
        }
        // Only the national layout has a recipient apart from the taker.
        Destinatario::NaoIdentificado if danfse.padrao == Padrao::Nacional => {
            quadro.frase("DESTINATÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e");
        }
        Destinatario::NaoIdentificado => {}
    }
    match &danfse.intermediario {
        Some(outro) => pessoa(quadro, "INTERMEDIÁRIO DA OPERAÇÃO", outro, true),
        None => quadro.frase("INTERMEDIÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"),
    }
}

fn pessoa(quadro: &mut Quadro, titulo: &str, pessoa: &Pessoa, com_inscricao: bool) {
    quadro.reservar(3.0 * CAMPO);
    quadro.divisoria();
    let documento = documento(&pessoa.documento);
    let telefone = telefone(&pessoa.telefone);
    let mut primeira = vec![
        Campo::titulo(titulo),
        Campo::novo(1, 1, "CNPJ / CPF / NIF", ou_traco(&documento)),
    ];
    if com_inscricao {
        primeira.push(Campo::novo(
            2,
            1,
            "Indicador Municipal (Inscrição)",
            ou_traco(&pessoa.inscricao_municipal),
        ));
    }
    primeira.push(Campo::novo(3, 1, "Telefone", ou_traco(&telefone)));
    quadro.campos(&primeira);
    quadro.campos(&[
        Campo::novo(0, 2, "Nome / Nome Empresarial", ou_traco(&pessoa.nome)),
        Campo::novo(2, 1, "Município / Sigla UF", cidade_uf(&pessoa.municipio)),
        Campo::novo(
            3,
            1,
            "Código IBGE / CEP",
            juntar(&[&pessoa.municipio.codigo, &cep(&pessoa.cep)]),
        ),
    ]);
    quadro.campos(&[
        Campo::novo(0, 2, "Endereço", ou_traco(&pessoa.endereco)),
        Campo::novo(2, 2, "E-mail", ou_traco(&pessoa.email)),
    ]);
}

fn servico(quadro: &mut Quadro, danfse: &Danfse) {
    let servico = &danfse.servico;
    quadro.reservar(3.0 * CAMPO);
    quadro.divisoria();
    let codigos = juntar(&[
        &codigo_servico(&servico.codigo_nacional),
        &servico.codigo_municipal,
    ]);
    let rotulo = match danfse.padrao {
        Padrao::Nacional => "Código de Tributação Nacional / Municipal",
        Padrao::Abrasf => "Item da LC 116/2003 / Código Municipal",
    };
    let mut campos = vec![
        Campo::titulo("SERVIÇO PRESTADO"),
        Campo::novo(1, 1, rotulo, codigos),
    ];
    if servico.cnae.is_empty() {
        let nbs = nbs(&servico.nbs);
        campos.push(Campo::novo(2, 1, "Código da NBS", ou_traco(&nbs)));
    } else {
        let valor = juntar(&[&nbs(&servico.nbs), &servico.cnae]);
        campos.push(Campo::novo(2, 1, "Código da NBS / CNAE", valor));
    }
    campos.push(Campo::novo(
        3,
        1,
        "Local da Prestação / Sigla UF / País",
        lugar(&servico.local),
    ));
    quadro.campos(&campos);
    if !servico.descricao_codigo.trim().is_empty() {
        quadro.texto_corrido("", &servico.descricao_codigo);
    }
    quadro.texto_corrido("Descrição do Serviço", ou_traco(&servico.descricao));
}

fn iss(quadro: &mut Quadro, danfse: &Danfse) {
    let iss = &danfse.iss;
    if iss.nao_sujeita {
        quadro.frase("TRIBUTAÇÃO MUNICIPAL (ISSQN) - OPERAÇÃO NÃO SUJEITA AO ISSQN");
        return;
    }
    quadro.reservar(4.0 * CAMPO);
    quadro.divisoria();
    quadro.campos(&[
        Campo::titulo("TRIBUTAÇÃO MUNICIPAL (ISSQN)"),
        Campo::novo(
            1,
            1,
            "Tipo de Tributação do ISSQN",
            ou_traco(&iss.tributacao),
        ),
        Campo::novo(
            2,
            2,
            "Município / Sigla UF / País da Incidência do ISSQN",
            lugar(&iss.incidencia),
        ),
    ]);
    // Item 2.4.5, note 5: a row without any content may be left out.
    let textos = [
        &iss.regime_especial,
        &iss.imunidade,
        &iss.suspensao,
        &iss.processo_suspensao,
    ];
    if textos.iter().any(|texto| !texto.trim().is_empty()) {
        let [regime, imunidade, suspensao, processo] = textos.map(|texto| ou_traco(texto));
        quadro.campos(&[
            Campo::novo(0, 1, "Regime Especial de Tributação do ISSQN", regime),
            Campo::novo(1, 1, "Tipo de Imunidade do ISSQN", imunidade),
            Campo::novo(2, 1, "Suspensão da Exigibilidade do ISSQN", suspensao),
            Campo::novo(3, 1, "Número Processo Suspensão", processo),
        ]);
    }
    let valores = [
        iss.calculo_beneficio,
        iss.deducoes,
        iss.desconto_incondicionado,
    ];
    if !iss.beneficio.trim().is_empty() || valores.iter().any(Option::is_some) {
        let [calculo, deducoes, desconto] = valores.map(reais);
        quadro.campos(&[
            Campo::novo(0, 1, "Benefício Municipal", ou_traco(&iss.beneficio)),
            Campo::novo(1, 1, "Cálculo do BM", calculo),
            Campo::novo(2, 1, "Total Deduções/Reduções", deducoes),
            Campo::novo(3, 1, "Desconto Incondicionado", desconto),
        ]);
    }
    quadro.campos(&[
        Campo::novo(0, 1, "BC ISSQN", reais(iss.base_calculo)),
        Campo::novo(1, 1, "Alíquota Aplicada", percentual(iss.aliquota)),
        Campo::novo(2, 1, "Retenção do ISSQN", ou_traco(&iss.retencao)),
        Campo::novo(3, 1, "ISSQN Apurado", reais(iss.valor)),
    ]);
}

fn federal(quadro: &mut Quadro, federal: &TributacaoFederal, nacional: bool) {
    quadro.reservar(2.0 * CAMPO);
    quadro.divisoria();
    quadro.campos(&[
        Campo::titulo("TRIBUTAÇÃO FEDERAL (EXCETO CBS)"),
        Campo::novo(1, 1, "IRRF", reais(federal.irrf)),
        Campo::novo(
            2,
            1,
            "Contribuição Previdenciária - Retida",
            reais(federal.previdencia),
        ),
        Campo::novo(
            3,
            1,
            if nacional {
                "Contribuições Sociais - Retidas"
            } else {
                "CSLL - Retida"
            },
            reais(federal.contribuicoes_sociais),
        ),
    ]);
    if nacional {
        quadro.campos(&[
            Campo::novo(0, 1, "PIS - Débito Apuração Própria", reais(federal.pis)),
            Campo::novo(
                1,
                1,
                "COFINS - Débito Apuração Própria",
                reais(federal.cofins),
            ),
            Campo::novo(
                2,
                2,
                "Descrição Contrib. Sociais - Retidas",
                ou_traco(&federal.descricao_retencao),
            ),
        ]);
    } else {
        quadro.campos(&[
            Campo::novo(0, 1, "PIS - Retido", reais(federal.pis)),
            Campo::novo(1, 1, "COFINS - Retida", reais(federal.cofins)),
            Campo::novo(2, 1, "Outras Retenções", reais(federal.outras_retencoes)),
        ]);
    }
}

fn ibs_cbs(quadro: &mut Quadro, grupo: &IbsCbs) {
    let rate = |valor: Option<Decimal>| percentual(valor);
    quadro.reservar(4.0 * CAMPO);
    quadro.divisoria();
    quadro.campos(&[
        Campo::titulo("TRIBUTAÇÃO IBS / CBS"),
        Campo::novo(
            1,
            1,
            "CST / cClassTrib",
            juntar(&[&grupo.cst, &grupo.classificacao]),
        ),
        Campo::novo(
            2,
            2,
            "Indicador de Operação / Código IBGE Incidência / Município Incidência / Sigla UF",
            juntar(&[
                &grupo.indicador_operacao,
                &grupo.incidencia.codigo,
                &grupo.incidencia.nome,
                &grupo.incidencia.uf,
            ]),
        ),
    ]);
    quadro.campos(&[
        Campo::novo(
            0,
            1,
            "Exclusões e Reduções da Base de Cálculo",
            reais(grupo.exclusoes),
        ),
        Campo::novo(
            1,
            1,
            "Base de Cálculo Após Exclusões e Reduções",
            reais(grupo.base_calculo),
        ),
        Campo::novo(
            2,
            1,
            "Red. Alíquota IBS (UF / Mun) / Red. Alíquota CBS",
            juntar(&[
                &rate(grupo.reducao_uf),
                &rate(grupo.reducao_municipio),
                &rate(grupo.reducao_cbs),
            ]),
        ),
        Campo::novo(
            3,
            1,
            "Alíquota - IBS UF / IBS Mun",
            juntar(&[&rate(grupo.aliquota_uf), &rate(grupo.aliquota_municipio)]),
        ),
    ]);
    quadro.campos(&[
        Campo::novo(
            0,
            1,
            "Alíq. Efetiva Municipal - IBS",
            rate(grupo.efetiva_municipio),
        ),
        Campo::novo(
            1,
            1,
            "Valor Apurado Municipal - IBS",
            reais(grupo.valor_municipio),
        ),
        Campo::novo(2, 1, "Alíq. Efetiva Estadual - IBS", rate(grupo.efetiva_uf)),
        Campo::novo(3, 1, "Valor Apurado Estadual - IBS", reais(grupo.valor_uf)),
    ]);
    quadro.campos(&[
        Campo::novo(0, 1, "Valor Total Apurado - IBS", reais(grupo.valor_ibs)),
        Campo::novo(1, 1, "Alíquota - CBS", rate(grupo.aliquota_cbs)),
        Campo::novo(2, 1, "Alíquota Efetiva - CBS", rate(grupo.efetiva_cbs)),
        Campo::novo(3, 1, "Valor Total Apurado - CBS", reais(grupo.valor_cbs)),
    ]);
}

fn totais(quadro: &mut Quadro, danfse: &Danfse) {
    let totais = &danfse.totais;
    quadro.reservar(2.0 * CAMPO);
    quadro.divisoria();
    quadro.campos(&[
        Campo::titulo("VALOR TOTAL DA NFS-e"),
        Campo::novo(1, 1, "VALOR DA OPERAÇÃO / SERVIÇO", reais(totais.servico)),
        Campo::novo(
            2,
            1,
            "Desconto Incondicionado",
            reais(totais.desconto_incondicionado),
        ),
        Campo::novo(
            3,
            1,
            "Desconto Condicionado",
            reais(totais.desconto_condicionado),
        ),
    ]);
    let retencoes = Campo::novo(
        0,
        1,
        "Total das Retenções (ISSQN / Federais)",
        reais(totais.retencoes),
    );
    let liquido = Campo::novo(1, 1, "VALOR LÍQUIDO DA NFS-e", reais(totais.liquido));
    if danfse.padrao == Padrao::Abrasf && danfse.ibs_cbs.is_none() {
        quadro.campos(&[retencoes, liquido.destacado()]);
        return;
    }
    quadro.campos(&[
        retencoes,
        liquido,
        Campo::novo(2, 1, "Total do IBS/CBS", reais(totais.ibs_cbs)),
        Campo::novo(
            3,
            1,
            "VALOR LÍQUIDO DA NFS-e + IBS/CBS",
            reais(totais.liquido_com_ibs_cbs),
        )
        .destacado(),
    ]);
}

fn informacoes(quadro: &mut Quadro, danfse: &Danfse) {
    quadro.frase("INFORMAÇÕES COMPLEMENTARES");
    let texto = danfse.informacoes.join("\n\n");
    quadro.texto_corrido("", ou_traco(&texto));
}

/// "Niterói / RJ"; the code stands in for a name that is not known.
fn cidade_uf(municipio: &Municipio) -> String {
    let uf = if municipio.pais.is_empty() {
        municipio.uf.clone()
    } else {
        [&*municipio.uf, &*municipio.pais]
            .into_iter()
            .filter(|parte| !parte.is_empty())
            .collect::<Vec<_>>()
            .join(" - ")
    };
    juntar(&[nome(municipio), &uf])
}

/// "Niterói / RJ / -": the country only if it is not Brazil.
fn lugar(municipio: &Municipio) -> String {
    juntar(&[nome(municipio), &municipio.uf, &municipio.pais])
}

fn nome(municipio: &Municipio) -> &str {
    if municipio.nome.trim().is_empty() {
        &municipio.codigo
    } else {
        &municipio.nome
    }
}

/// Size of a mark across the page in points: as large as the diagonal takes, at
/// most 64. Item 2.5.1 asks for 50 at least, which the words it names reach.
fn tamanho_da_marca(marca: &[u8]) -> f32 {
    // What is left of the diagonal with the corners cut off.
    let espaco = (LARGURA * LARGURA + ALTURA * ALTURA).sqrt() * 0.78;
    let por_ponto = largura(marca, Fonte::Negrito, 1.0).max(1.0);
    (espaco / por_ponto).min(64.0)
}
