//! The blocks of the DANFSe v2.0, in the order and with the captions of NT 008,
//! items 2.1 and 2.4.5. Notes of a city's own layout use the same blocks with
//! the names their layout has, and leave out what it does not know.

mod parties;
mod taxes;

use super::{Ambiente, Danfse, IbsCbs, Municipio, Padrao, Situacao};
use crate::danfse::board::{CAMPO, Campo, Quadro, TOPO, coluna};
use crate::pdf::font::{Fonte, largura, win_ansi};
use crate::pdf::sheet::{A4_ALTURA as ALTURA, A4_LARGURA as LARGURA, CM, Folhas, Marca};
use crate::qr::QrCode;
use markup::format::{codigo_servico, data, dia, juntar, nbs, ou_traco, reais};

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
    parties::prestador(&mut quadro, danfse);
    parties::participantes(&mut quadro, danfse);
    servico(&mut quadro, danfse);
    taxes::iss(&mut quadro, danfse);
    taxes::federal(&mut quadro, &danfse.federal, nacional);
    match &danfse.ibs_cbs {
        Some(grupo) => taxes::ibs_cbs(&mut quadro, grupo),
        // The NT has no note without this block; a city's may.
        None if nacional => taxes::ibs_cbs(&mut quadro, &IbsCbs::default()),
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

/// Size of a mark across the page in points: as large as the diagonal takes, at
/// most 64. Item 2.5.1 asks for 50 at least, which the words it names reach.
fn tamanho_da_marca(marca: &[u8]) -> f32 {
    // What is left of the diagonal with the corners cut off.
    let espaco = (LARGURA * LARGURA + ALTURA * ALTURA).sqrt() * 0.78;
    let por_ponto = largura(marca, Fonte::Negrito, 1.0).max(1.0);
    (espaco / por_ponto).min(64.0)
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
