//! Head of every page (MOC 7.0, Anexo II §3.5): who issued the note, its number,
//! its key and protocol; and the stub of the first page.

use crate::code128::Codigo128;
use crate::danfe::a4::paging::Forma;
use crate::danfe::board::{Alinha, Area, Campo, MM, Prancha, RECUO};
use crate::danfe::nota::Nota;
use crate::danfe::values::{agrupar, data_e_hora, numero_da_nota, serie, unir, valor};
use crate::pdf::font::{Fonte, caber, largura, quebrar, win_ansi};
use crate::pdf::image::Imagem;
use crate::pdf::sheet::Item;
use markup::format::{cep, documento, telefone};

const CONSULTA: &str = "Consulta de autenticidade no portal nacional da NF-e \
    www.nfe.fazenda.gov.br/portal ou no site da Sefaz Autorizadora";

/// The header of page `folha` of `folhas`.
pub(super) fn header(
    prancha: &mut Prancha,
    forma: &Forma,
    nota: &Nota<'_>,
    logo: Option<&Imagem>,
    (folha, folhas): (usize, usize),
) {
    let topo = if folha == 1 {
        forma.topo
    } else {
        forma.topo_seguinte
    };
    let (do_danfe, da_chave) = if forma.paisagem {
        (34.0 * MM, 130.0 * MM)
    } else {
        (34.0 * MM, 90.0 * MM)
    };
    let area = |x, largura| Area {
        x,
        y: topo,
        largura,
        altura: forma.identificacao,
    };
    let do_emitente = forma.largura - do_danfe - da_chave;
    emitente(prancha, area(forma.x, do_emitente), nota, logo);
    let x = forma.x + do_emitente;
    danfe(prancha, area(x, do_danfe), nota, (folha, folhas));
    let codigo = Codigo128::novo(nota.chave).ok();
    let mut na_caixa = codigo.as_ref();
    let mut y = topo + forma.identificacao;
    if forma.faixa_de_barras > 0.0 {
        bar_code_row(prancha, forma, y, na_caixa.take());
        y += forma.faixa_de_barras;
    }
    chave(prancha, area(x + do_danfe, da_chave), nota, na_caixa);
    fields(prancha, forma, nota, y, (do_emitente + do_danfe, da_chave));
}

/// A bar code that needs more than the key's box, in a row of its own.
fn bar_code_row(prancha: &mut Prancha, forma: &Forma, y: f32, codigo: Option<&Codigo128>) {
    let faixa = Area {
        x: forma.x,
        y,
        largura: forma.largura,
        altura: forma.faixa_de_barras,
    };
    prancha.caixa(faixa);
    if let Some(codigo) = codigo {
        // NT 2025.001 conjunta: at least 11.5 cm wide and 0.8 cm high.
        let barras = Area {
            x: faixa.x + 30.0 * MM,
            y: faixa.y + 1.5 * MM,
            largura: faixa.largura - 60.0 * MM,
            altura: faixa.altura - 3.0 * MM,
        };
        prancha.codigo_de_barras(barras, codigo);
    }
}

/// The rows below the boxes: operation and protocol, as wide as the boxes above
/// them, the issuer's registrations and tax regime.
fn fields(
    prancha: &mut Prancha,
    forma: &Forma,
    nota: &Nota<'_>,
    mut y: f32,
    (esquerda, da_chave): (f32, f32),
) {
    let (rotulo, texto) = protocolo(nota);
    prancha.fileira(
        forma.fileira(y),
        &[
            Campo::novo(esquerda / MM, "NATUREZA DA OPERAÇÃO", nota.ide.t("natOp")),
            Campo::novo(da_chave / MM, rotulo, texto).alinhado(Alinha::Centro),
        ],
    );
    y += forma.campo;
    prancha.fileira(
        forma.fileira(y),
        &[
            Campo::novo(0.0, "INSCRIÇÃO ESTADUAL", nota.emit.t("IE")),
            Campo::novo(
                0.0,
                "INSCRIÇÃO ESTADUAL DO SUBST. TRIBUTÁRIO",
                nota.emit.t("IEST"),
            ),
            Campo::novo(
                0.0,
                "CNPJ / CPF",
                documento(&nota.emit.um_de(&["CNPJ", "CPF"])),
            ),
        ],
    );
    y += forma.campo;
    if forma.reforma {
        prancha.fileira(
            forma.fileira(y),
            &[
                Campo::novo(0.0, "CÓDIGO DO REGIME TRIBUTÁRIO", crt(&nota.emit.t("CRT"))),
                // Kept empty until a note gives it a tag (NT 2026.010 §4.2, second-hand).
                Campo::novo(0.0, "TIPO DE REGIME DE APURAÇÃO DO IBS E DA CBS", ""),
            ],
        );
    }
}

/// `CRT` in words (MOC, C21; NT 2024.001 for 4).
fn crt(codigo: &str) -> String {
    match codigo {
        "1" => "1 - Simples Nacional".to_owned(),
        "2" => "2 - Simples Nacional, excesso de sublimite de receita bruta".to_owned(),
        "3" => "3 - Regime Normal".to_owned(),
        "4" => "4 - Simples Nacional, Microempreendedor Individual (MEI)".to_owned(),
        outro => outro.to_owned(),
    }
}

/// Caption and content of the box of the protocol.
fn protocolo(nota: &Nota<'_>) -> (&'static str, String) {
    let numero = nota.prot.t("nProt");
    if numero.is_empty() {
        return (
            "PROTOCOLO DE AUTORIZAÇÃO DE USO",
            "NF-e SEM PROTOCOLO DE AUTORIZAÇÃO".to_owned(),
        );
    }
    let (dia, hora) = data_e_hora(&nota.prot.t("dhRecbto"));
    let quando = unir([&*dia, &*hora], " ");
    let rotulo = if nota.denegada() {
        "PROTOCOLO DE DENEGAÇÃO DE USO"
    } else {
        "PROTOCOLO DE AUTORIZAÇÃO DE USO"
    };
    (rotulo, unir([&*numero, &*quando], " - "))
}

/// A line of a box whose text stands in the middle.
struct Linha {
    texto: Vec<u8>,
    fonte: Fonte,
    tamanho: f32,
}

/// The issuer's logo, name and address.
fn emitente(prancha: &mut Prancha, area: Area, nota: &Nota<'_>, logo: Option<&Imagem>) {
    prancha.caixa(area);
    let mut limites = (area.x + RECUO, area.direita() - RECUO);
    if let Some(logo) = logo {
        limites.0 += place_logo(prancha, area, logo) + RECUO;
    }
    let nome = nota.emit.t("xNome");
    let partes = address(nota);
    let espaco = (limites.1 - limites.0, area.altura - 2.0 * RECUO);
    let linhas = name_and_address(&nome, &partes, espaco);
    let mut y = area.y + ((area.altura - altura_das(&linhas)) / 2.0).max(RECUO);
    let mut cortado = false;
    for linha in linhas {
        if y + linha.tamanho > area.fundo() {
            cortado = true;
            break;
        }
        y += linha.tamanho;
        let fonte = (linha.fonte, linha.tamanho);
        prancha.escrito(limites, y, fonte, Alinha::Centro, linha.texto);
        y += linha.tamanho * 0.12;
    }
    if cortado {
        let inteiro = unir(
            std::iter::once(&*nome).chain(partes.iter().map(|parte| &**parte)),
            ", ",
        );
        prancha.sobras.push(("EMITENTE".to_owned(), inteiro));
    }
}

/// Draws the logo on the left of an area; returns how wide it is there.
fn place_logo(prancha: &mut Prancha, area: Area, logo: &Imagem) -> f32 {
    let espaco = (area.largura * 0.34, area.altura - 2.0 * RECUO);
    let (largura, altura) = dentro(logo, espaco);
    prancha.itens.push(Item::Logo {
        x: area.x + RECUO,
        y: area.y + (area.altura - altura) / 2.0,
        largura,
        altura,
    });
    largura
}

/// Trade name, address and telephone of the issuer, each on lines of its own.
fn address(nota: &Nota<'_>) -> [String; 5] {
    let ender = nota.emit.no("enderEmit");
    let named = |nome: &str, texto: &str, formata: fn(&str) -> String| {
        if texto.is_empty() {
            String::new()
        } else {
            format!("{nome} {}", formata(texto))
        }
    };
    [
        nota.emit.t("xFant").into_owned(),
        unir(
            [&*ender.t("xLgr"), &*ender.t("nro"), &*ender.t("xCpl")],
            ", ",
        ),
        unir(
            [&*ender.t("xBairro"), &*named("CEP", &ender.t("CEP"), cep)],
            " - ",
        ),
        unir([&*ender.t("xMun"), &*ender.t("UF")], " - "),
        named("Fone:", &ender.t("fone"), telefone),
    ]
}

/// The lines of the issuer's box, of sizes at which they fit this width and,
/// unless they are very many, this height.
fn name_and_address(nome: &str, partes: &[String], (largura, altura): (f32, f32)) -> Vec<Linha> {
    let mut linhas = Vec::new();
    let nome = win_ansi(nome);
    // §3.7.6: 12 points; a long name gets smaller before it takes four lines.
    let tamanho = [12.0, 11.0, 10.0, 9.0]
        .into_iter()
        .find(|tamanho| quebrar(&nome, Fonte::TimesNegrito, *tamanho, largura).len() <= 3)
        .unwrap_or(8.0);
    junta(&mut linhas, &nome, tamanho, largura);
    let nome_em = linhas.len();
    for tamanho in [8.0, 7.0, 6.0] {
        linhas.truncate(nome_em);
        for parte in partes.iter().filter(|parte| !parte.is_empty()) {
            junta(&mut linhas, &win_ansi(parte), tamanho, largura);
        }
        if altura_das(&linhas) <= altura {
            break;
        }
    }
    linhas
}

fn altura_das(linhas: &[Linha]) -> f32 {
    linhas.iter().map(|linha| linha.tamanho * 1.12).sum()
}

fn junta(linhas: &mut Vec<Linha>, texto: &[u8], tamanho: f32, espaco: f32) {
    let fonte = Fonte::TimesNegrito;
    linhas.extend(
        quebrar(texto, fonte, tamanho, espaco)
            .into_iter()
            .map(|linha| Linha {
                texto: linha.to_vec(),
                fonte,
                tamanho,
            }),
    );
}

/// Size of a picture within a space, proportions kept.
pub(in crate::danfe) fn dentro(logo: &Imagem, (largura, altura): (f32, f32)) -> (f32, f32) {
    let (l, a) = (logo.largura.max(1) as f32, logo.altura.max(1) as f32);
    let escala = (largura / l).min(altura / a);
    (l * escala, a * escala)
}

fn danfe(prancha: &mut Prancha, area: Area, nota: &Nota<'_>, (folha, folhas): (usize, usize)) {
    prancha.caixa(area);
    let limites = (area.x + RECUO, area.direita() - RECUO);
    let (normal, negrito) = (Fonte::Times, Fonte::TimesNegrito);
    let mut y = area.y + 13.0;
    prancha.ajustado(limites, y, (negrito, 12.0), Alinha::Centro, "DANFE");
    for linha in ["Documento Auxiliar da", "Nota Fiscal Eletrônica"] {
        y += 9.0;
        prancha.ajustado(limites, y, (normal, 8.0), Alinha::Centro, linha);
    }
    y += 13.0;
    let x = area.x + 12.0;
    for (at, linha) in ["0 - ENTRADA", "1 - SAÍDA"].into_iter().enumerate() {
        let y = y + at as f32 * 9.0;
        prancha.ajustado(
            (x, area.direita() - 26.0),
            y,
            (normal, 8.0),
            Alinha::Esquerda,
            linha,
        );
    }
    let caixa = Area {
        x: area.direita() - 26.0,
        y: y - 7.0,
        largura: 16.0,
        altura: 17.0,
    };
    prancha.caixa(caixa);
    prancha.ajustado(
        (caixa.x, caixa.direita()),
        caixa.fundo() - 5.0,
        (negrito, 10.0),
        Alinha::Centro,
        &nota.ide.t("tpNF"),
    );
    let y = area.fundo() - 28.0;
    let numero = format!("Nº {}", numero_da_nota(&nota.ide.t("nNF")));
    let da_serie = format!("SÉRIE {}", serie(&nota.ide.t("serie")));
    let da_folha = format!("FOLHA {folha} de {folhas}");
    for (at, linha) in [numero, da_serie, da_folha].iter().enumerate() {
        let y = y + at as f32 * 11.5;
        prancha.ajustado(limites, y, (negrito, 10.0), Alinha::Centro, linha);
    }
}

fn chave(prancha: &mut Prancha, area: Area, nota: &Nota<'_>, codigo: Option<&Codigo128>) {
    prancha.caixa(area);
    let mut y = area.y;
    if let Some(codigo) = codigo {
        let altura = 15.0 * MM;
        let barras = Area {
            x: area.x,
            y: y + 1.5 * MM,
            largura: area.largura,
            altura: altura - 3.0 * MM,
        };
        prancha.codigo_de_barras(barras, codigo);
        y += altura;
    }
    prancha.linha((area.x, y), (area.direita(), y), 0.5);
    let da_chave = Area {
        y,
        altura: 8.4 * MM,
        ..area
    };
    prancha.rotulo(da_chave, "CHAVE DE ACESSO");
    let grupos = agrupar(nota.chave, 4, " ");
    let limites = (area.x + RECUO, area.direita() - RECUO);
    let fonte = (Fonte::TimesNegrito, 10.0);
    prancha.ajustado(
        limites,
        da_chave.fundo() - 4.0,
        fonte,
        Alinha::Centro,
        &grupos,
    );
    let y = da_chave.fundo();
    prancha.linha((area.x, y), (area.direita(), y), 0.5);
    let linhas = quebrar(
        CONSULTA.as_bytes(),
        Fonte::Times,
        9.0,
        limites.1 - limites.0,
    )
    .len();
    let y = (y + area.fundo()) / 2.0 - linhas as f32 * 5.0 + 7.5;
    let jeito = (Alinha::Centro, 10.0, 3);
    prancha.paragrafo(limites, y, (Fonte::Times, 9.0), jeito, CONSULTA);
}

/// What the recipient signs: on a lying page it runs up the left edge.
pub(super) fn canhoto(prancha: &mut Prancha, forma: &Forma, nota: &Nota<'_>) {
    let area = forma.canhoto();
    let (dia, _) = data_e_hora(&nota.ide.um_de(&["dhEmi", "dEmi"]));
    let ender = nota.dest.no("enderDest");
    let destino = unir(
        [
            &*nota.dest.t("xNome"),
            &*unir([&*ender.t("xLgr"), &*ender.t("nro")], ", "),
            &*ender.t("xBairro"),
            &*unir([&*ender.t("xMun"), &*ender.t("UF")], " - "),
        ],
        ", ",
    );
    let texto = format!(
        "RECEBEMOS DE {} OS PRODUTOS E/OU SERVIÇOS CONSTANTES DA NOTA FISCAL ELETRÔNICA INDICADA AO LADO. \
         EMISSÃO: {dia}  VALOR TOTAL: R$ {}  DESTINATÁRIO: {destino}",
        nota.emit.t("xNome"),
        valor(&nota.total.no("ICMSTot").t("vNF")),
    );
    let numero = format!("Nº {}", numero_da_nota(&nota.ide.t("nNF")));
    let da_serie = format!("SÉRIE {}", serie(&nota.ide.t("serie")));
    if forma.paisagem {
        em_pe(prancha, area, &texto, &numero, &da_serie);
        let x = (area.direita() + forma.x) / 2.0;
        prancha.itens.push(Item::Picote {
            x,
            y: area.y,
            ate_x: x,
            ate_y: area.fundo(),
        });
        return;
    }
    prancha.caixa(area);
    let divisa = area.direita() - 38.0 * MM;
    let meio = area.y + area.altura / 2.0;
    let data = area.x + 42.0 * MM;
    prancha.linha((divisa, area.y), (divisa, area.fundo()), 0.5);
    prancha.linha((area.x, meio), (divisa, meio), 0.5);
    prancha.linha((data, meio), (data, area.fundo()), 0.5);
    let limites = (area.x + RECUO, divisa - RECUO);
    let jeito = (Alinha::Esquerda, 7.0, 3);
    prancha.paragrafo(limites, area.y + 7.2, (Fonte::Times, 6.5), jeito, &texto);
    for (x, rotulo) in [
        (area.x, "DATA DE RECEBIMENTO"),
        (data, "IDENTIFICAÇÃO E ASSINATURA DO RECEBEDOR"),
    ] {
        let limites = (x + RECUO, divisa);
        prancha.ajustado(
            limites,
            meio + 6.8,
            (Fonte::Times, 6.0),
            Alinha::Esquerda,
            rotulo,
        );
    }
    for (at, linha) in ["NF-e", &numero, &da_serie].into_iter().enumerate() {
        let y = area.y + 14.0 + at as f32 * 14.0;
        let fonte = (Fonte::TimesNegrito, 10.0);
        prancha.ajustado(
            (divisa + RECUO, area.direita() - RECUO),
            y,
            fonte,
            Alinha::Centro,
            linha,
        );
    }
    let y = (area.fundo() + forma.topo) / 2.0;
    prancha.itens.push(Item::Picote {
        x: area.x,
        y,
        ate_x: area.direita(),
        ate_y: y,
    });
}

/// The stub of a lying page, to be read from the right.
fn em_pe(prancha: &mut Prancha, area: Area, texto: &str, numero: &str, da_serie: &str) {
    prancha.caixa(area);
    let divisa = area.y + 34.0 * MM;
    let meio = area.x + area.largura / 2.0;
    let data = area.fundo() - 42.0 * MM;
    prancha.linha((area.x, divisa), (area.direita(), divisa), 0.5);
    prancha.linha((meio, divisa), (meio, area.fundo()), 0.5);
    prancha.linha((meio, data), (area.direita(), data), 0.5);
    let mut escrever = |x: f32, y: f32, fonte, tamanho, texto: Vec<u8>| {
        prancha.itens.push(Item::TextoEmPe {
            x,
            y,
            tamanho,
            fonte,
            texto,
        });
    };
    let espaco = area.fundo() - divisa - 2.0 * RECUO;
    let texto = win_ansi(texto);
    let linhas = quebrar(&texto, Fonte::Times, 6.5, espaco);
    for (at, linha) in linhas.iter().take(3).enumerate() {
        let x = area.x + 7.2 + at as f32 * 7.0;
        let linha = if at == 2 && linhas.len() > 3 {
            crate::danfe::board::reticencias(linha, Fonte::Times, 6.5, espaco)
        } else {
            linha.to_vec()
        };
        escrever(x, area.fundo() - RECUO, Fonte::Times, 6.5, linha);
    }
    for (y, rotulo) in [
        (area.fundo(), "DATA DE RECEBIMENTO"),
        (data, "IDENTIFICAÇÃO E ASSINATURA DO RECEBEDOR"),
    ] {
        escrever(meio + 6.8, y - RECUO, Fonte::Times, 6.0, win_ansi(rotulo));
    }
    let alto = divisa - area.y;
    for (at, linha) in ["NF-e", numero, da_serie].into_iter().enumerate() {
        let linha = win_ansi(linha);
        let fonte = Fonte::TimesNegrito;
        let tamanho = caber(&linha, fonte, 10.0, alto - 2.0 * RECUO);
        let y = divisa - (alto - largura(&linha, fonte, tamanho)) / 2.0;
        escrever(area.x + 14.0 + at as f32 * 14.0, y, fonte, tamanho, linha);
    }
}
