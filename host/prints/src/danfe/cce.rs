//! The printout of correction letters (event 110110) of one note.
//!
//! No norm gives it a layout; it says what the event's XML says. Each letter
//! replaces the one before, so all that the XML has are printed, the conditions
//! of use from the XML itself.

use super::nota::{No, Nota};
use super::{DanfeError, Opcoes};
use crate::code128::Codigo128;
use crate::danfe::a4::additional::quem;
use crate::danfe::a4::header::dentro;
use crate::danfe::board::{Alinha, Area, Campo, MM, Prancha, RECUO};
use crate::danfe::values::{agrupar, data_e_hora, numero_da_nota, serie, unir, valor};
use crate::pdf::font::{Fonte, quebrar, win_ansi};
use crate::pdf::image::Imagem;
use crate::pdf::sheet::{A4_ALTURA, A4_LARGURA, Folhas, Item};
use crate::pdf::writing::marcas;
use markup::format::documento;
use markup::xml::{Document, Element};

const MARGEM: f32 = 8.0 * MM;
const CAMPO: f32 = 8.4 * MM;
const FUNDO: f32 = A4_ALTURA - MARGEM;
const LARGURA: f32 = A4_LARGURA - 2.0 * MARGEM;
/// A note takes 20 letters.
const MAX_CARTAS: usize = 20;
/// `xCorrecao` has at most 1,000 characters, `xCondUso` some 800.
const MAX_TEXTO: usize = 5_000;

/// A letter and the answer to it.
struct Carta<'d> {
    evento: No<'d>,
    detalhe: No<'d>,
    registro: No<'d>,
}

/// Lays the letters of a document out; `nota` says who the parties are.
pub(super) fn montar(
    doc: &Document<'_>,
    nota: Option<&Nota<'_>>,
    opcoes: &Opcoes<'_>,
    logo: Option<Imagem>,
) -> Result<Folhas, DanfeError> {
    let cartas = cartas(doc)?;
    let Some(primeira) = cartas.first() else {
        return Err(DanfeError::SemCarta);
    };
    let chave = primeira.evento.t("chNFe");
    if cartas.iter().any(|carta| carta.evento.t("chNFe") != chave) {
        return Err(DanfeError::VariasNotas(cartas.len()));
    }
    let homologacao = primeira.evento.t("tpAmb") != "1";
    let mut folhas = Paginas {
        prancha: Prancha::default(),
        prontas: Vec::new(),
        y: 0.0,
        chave: &chave,
        nota,
        emitente: primeira.evento.um_de(&["CNPJ", "CPF"]).into_owned(),
        logo: logo.as_ref(),
    };
    folhas.cabecalho();
    folhas.da_nota();
    for carta in &cartas {
        folhas.carta(carta);
    }
    let mut paginas = folhas.prontas;
    paginas.push(folhas.prancha);
    numerar(&mut paginas);
    let tamanho = (A4_LARGURA, A4_ALTURA);
    let mut palavras = Vec::new();
    if homologacao {
        palavras.push("SEM VALOR FISCAL");
    }
    palavras.extend(opcoes.marca);
    Ok(Folhas {
        tamanho,
        marcas: marcas(&palavras, tamanho, 60.0),
        paginas: paginas.into_iter().map(|pagina| pagina.itens).collect(),
        qr: None,
        logo,
    })
}

fn cartas<'d>(doc: &'d Document<'_>) -> Result<Vec<Carta<'d>>, DanfeError> {
    let mut cartas = Vec::new();
    let eventos = doc
        .root()
        .descendants_or_self()
        .filter(|element| element.name() == "infEvento" && element.child("detEvento").is_some());
    for inf in eventos {
        let evento = No::de(inf);
        if evento.t("tpEvento") != "110110" {
            continue;
        }
        let registro = inf
            .parent()
            .and_then(Element::parent)
            .and_then(|proc| proc.child("retEvento"))
            .and_then(|ret| ret.child("infEvento"));
        let detalhe = evento.no("detEvento");
        let longo = |nome| detalhe.t(nome).len() > MAX_TEXTO;
        if cartas.len() == MAX_CARTAS || longo("xCorrecao") || longo("xCondUso") {
            return Err(DanfeError::Extensa);
        }
        cartas.push(Carta {
            evento,
            detalhe,
            registro: No::talvez(registro),
        });
    }
    Ok(cartas)
}

struct Paginas<'l, 'd> {
    prancha: Prancha,
    prontas: Vec<Prancha>,
    y: f32,
    chave: &'l str,
    nota: Option<&'l Nota<'d>>,
    emitente: String,
    logo: Option<&'l Imagem>,
}

impl Paginas<'_, '_> {
    fn area(&self, altura: f32) -> Area {
        Area {
            x: MARGEM,
            y: self.y,
            largura: LARGURA,
            altura,
        }
    }

    fn reservar(&mut self, altura: f32) {
        if self.y + altura > FUNDO - 10.0 {
            self.prontas.push(std::mem::take(&mut self.prancha));
            self.cabecalho();
        }
    }

    /// Title, issuer, bar code and key: on every page.
    fn cabecalho(&mut self) {
        self.y = MARGEM;
        let area = self.area(34.0 * MM);
        self.prancha.caixa(area);
        let divisa = area.x + 88.0 * MM;
        self.prancha
            .linha((divisa, area.y), (divisa, area.fundo()), 0.5);
        let mut limites = (area.x + RECUO, divisa - RECUO);
        if let Some(logo) = self.logo {
            let (largura, altura) = dentro(logo, (26.0 * MM, area.altura - 2.0 * RECUO));
            self.prancha.itens.push(Item::Logo {
                x: limites.0,
                y: area.y + (area.altura - altura) / 2.0,
                largura,
                altura,
            });
            limites.0 += largura + RECUO;
        }
        let negrito = Fonte::TimesNegrito;
        let mut y = area.y + 20.0;
        if let Some(nota) = self.nota {
            let jeito = (Alinha::Centro, 12.0, 3);
            let nome = nota.emit.t("xNome");
            let linhas = self
                .prancha
                .paragrafo(limites, y, (negrito, 11.0), jeito, &nome);
            y += linhas as f32 * 12.0;
            let resto = quem(nota.emit, nota.emit.no("enderEmit"));
            let jeito = (Alinha::Centro, 9.0, 3);
            y += 9.0
                * self
                    .prancha
                    .paragrafo(limites, y, (Fonte::Times, 8.0), jeito, &resto)
                    as f32;
        }
        let emitente = format!("CNPJ / CPF {}", documento(&self.emitente));
        self.prancha
            .ajustado(limites, y, (negrito, 9.0), Alinha::Centro, &emitente);

        let direita = (divisa + RECUO, area.direita() - RECUO);
        let titulo = "CARTA DE CORREÇÃO ELETRÔNICA";
        self.prancha.ajustado(
            direita,
            area.y + 14.0,
            (negrito, 13.0),
            Alinha::Centro,
            titulo,
        );
        if let Ok(codigo) = Codigo128::novo(self.chave) {
            let barras = Area {
                x: divisa,
                y: area.y + 20.0,
                largura: area.direita() - divisa,
                altura: 14.0 * MM,
            };
            self.prancha.codigo_de_barras(barras, &codigo);
        }
        let legenda = "CHAVE DE ACESSO DA NF-e";
        let y = area.fundo() - 17.0;
        self.prancha
            .ajustado(direita, y, (Fonte::Times, 6.0), Alinha::Esquerda, legenda);
        let grupos = agrupar(self.chave, 4, " ");
        self.prancha.ajustado(
            direita,
            area.fundo() - 5.0,
            (negrito, 10.5),
            Alinha::Centro,
            &grupos,
        );
        self.y = area.fundo();
    }

    fn titulo(&mut self, texto: &str, depois: f32) {
        self.reservar(11.0 + depois);
        self.prancha.titulo(MARGEM, self.y + 8.4, texto);
        self.y += 11.0;
    }

    fn fileira(&mut self, campos: &[Campo<'_>]) {
        self.reservar(CAMPO);
        let area = self.area(CAMPO);
        self.prancha.fileira(area, campos);
        self.y += CAMPO;
    }

    fn da_nota(&mut self) {
        let chave = self.chave;
        let parte = |de: usize, ate: usize| chave.get(de..ate).unwrap_or("");
        let numero = numero_da_nota(parte(25, 34));
        let emissao = match self.nota {
            Some(nota) => data_e_hora(&nota.ide.um_de(&["dhEmi", "dEmi"])).0,
            None => format!("{}/20{}", parte(4, 6), parte(2, 4)),
        };
        self.titulo("NOTA FISCAL ELETRÔNICA", CAMPO);
        self.fileira(&[
            Campo::novo(0.0, "MODELO", parte(20, 22)),
            Campo::novo(0.0, "SÉRIE", serie(parte(22, 25))),
            Campo::novo(0.0, "NÚMERO", numero).negrito(),
            Campo::novo(0.0, "EMISSÃO", emissao),
        ]);
        let Some(nota) = self.nota else {
            return;
        };
        let (dest, ender) = (nota.dest, nota.dest.no("enderDest"));
        let de_quem = dest.um_de(&["CNPJ", "CPF", "idEstrangeiro"]);
        self.fileira(&[
            Campo::novo(0.0, "DESTINATÁRIO / REMETENTE", dest.t("xNome")),
            Campo::novo(42.0, "CNPJ / CPF", documento(&de_quem)),
            Campo::novo(
                50.0,
                "MUNICÍPIO / UF",
                unir([&*ender.t("xMun"), &*ender.t("UF")], " - "),
            ),
        ]);
        let total = valor(&nota.total.no("ICMSTot").t("vNF"));
        self.fileira(&[
            Campo::novo(0.0, "NATUREZA DA OPERAÇÃO", nota.ide.t("natOp")),
            Campo::novo(42.0, "PROTOCOLO DA NOTA", nota.prot.t("nProt")),
            Campo::novo(50.0, "VALOR TOTAL DA NOTA", total).alinhado(Alinha::Direita),
        ]);
    }

    fn carta(&mut self, carta: &Carta<'_>) {
        let (evento, registro) = (carta.evento, carta.registro);
        let quando = |texto: &str| {
            let (dia, hora) = data_e_hora(texto);
            unir([&*dia, &*hora], " ")
        };
        let sequencia = evento.t("nSeqEvento");
        let titulo = format!("CARTA DE CORREÇÃO Nº {sequencia}");
        self.titulo(&titulo, 2.0 * CAMPO);
        let ambiente = match &*evento.t("tpAmb") {
            "1" => "Produção",
            _ => "Homologação - sem valor fiscal",
        };
        self.fileira(&[
            Campo::novo(24.0, "SEQUÊNCIA", &*sequencia).negrito(),
            Campo::novo(0.0, "DATA E HORA DO EVENTO", quando(&evento.t("dhEvento"))),
            Campo::novo(0.0, "AMBIENTE", ambiente),
            Campo::novo(24.0, "ÓRGÃO", evento.t("cOrgao")),
        ]);
        let protocolo = registro.t("nProt");
        let protocolo = if protocolo.is_empty() {
            "SEM PROTOCOLO DE REGISTRO".into()
        } else {
            protocolo
        };
        let situacao = unir([&*registro.t("cStat"), &*registro.t("xMotivo")], " - ");
        self.fileira(&[
            Campo::novo(54.0, "PROTOCOLO DE REGISTRO", protocolo).negrito(),
            Campo::novo(
                48.0,
                "DATA E HORA DO REGISTRO",
                quando(&registro.t("dhRegEvento")),
            ),
            Campo::novo(0.0, "SITUAÇÃO", situacao),
        ]);
        let correcao = carta.detalhe.t("xCorrecao");
        self.texto(
            "CORREÇÃO A SER CONSIDERADA",
            (Fonte::Times, 10.0),
            &correcao,
        );
        let condicoes = carta.detalhe.t("xCondUso");
        self.texto("CONDIÇÕES DE USO", (Fonte::Times, 7.5), &condicoes);
    }

    /// A box with a text of any length.
    fn texto(&mut self, rotulo: &str, (fonte, tamanho): (Fonte, f32), texto: &str) {
        let entrelinha = tamanho * 1.2;
        let encodado = win_ansi(texto);
        let linhas = quebrar(&encodado, fonte, tamanho, LARGURA - 2.0 * RECUO);
        let mut linhas = linhas.into_iter().peekable();
        self.reservar(10.0 + 3.0 * entrelinha);
        while linhas.peek().is_some() {
            let cabem = ((FUNDO - 10.0 - self.y - 14.0) / entrelinha).max(1.0) as usize;
            let estas: Vec<&[u8]> = linhas.by_ref().take(cabem).collect();
            let area = self.area(12.0 + estas.len() as f32 * entrelinha);
            self.prancha.caixa(area);
            self.prancha.rotulo(area, rotulo);
            let limites = (area.x + RECUO, area.direita() - RECUO);
            for (at, linha) in estas.into_iter().enumerate() {
                let y = area.y + 9.0 + tamanho + at as f32 * entrelinha;
                let fonte = (fonte, tamanho);
                self.prancha
                    .escrito(limites, y, fonte, Alinha::Esquerda, linha.to_vec());
            }
            self.y = area.fundo();
            if linhas.peek().is_some() {
                self.reservar(FUNDO);
            }
        }
    }
}

fn numerar(paginas: &mut [Prancha]) {
    let total = paginas.len();
    for (at, pagina) in paginas.iter_mut().enumerate() {
        let texto = format!("Folha {} de {total}", at + 1);
        let limites = (MARGEM, MARGEM + LARGURA);
        let fonte = (Fonte::Times, 7.0);
        pagina.ajustado(limites, FUNDO, fonte, Alinha::Direita, &texto);
    }
}
