//! DANFE NFC-e (Manual do DANFE NFC-e e QR Code, v6.0, second-hand) on a roll: one
//! page as long as the note. A NF-e with `tpImp` 6 has the same divisions as DANFE
//! Simplificado Tipo 2 (NT 2026.003, second-hand).

use std::str::FromStr as _;

use rust_decimal::Decimal;

use super::a4::marcas;
use super::nota::{No, Nota};
use super::{DanfeError, Opcoes};
use crate::danfe::a4::header::dentro;
use crate::danfe::board::{Alinha, MM, Prancha};
use crate::danfe::values::{
    agrupar, data_e_hora, forma_de_pagamento, numero, numero_da_nota, positivo, serie, unir, valor,
};
use crate::pdf::font::Fonte;
use crate::pdf::image::Imagem;
use crate::pdf::sheet::{Folhas, Item};
use crate::qr::QrCode;
use markup::format::documento;

/// Left and right (2 mm at least, §3.3).
const MARGEM: f32 = 3.0 * MM;
/// A PDF page may be 14,400 points long: five metres.
const MAX_ALTURA: f32 = 14_000.0;
const NORMAL: Fonte = Fonte::Normal;
const NEGRITO: Fonte = Fonte::Negrito;

/// Lays the note out.
pub(super) fn montar(
    nota: &Nota<'_>,
    opcoes: &Opcoes<'_>,
    logo: Option<Imagem>,
) -> Result<Folhas, DanfeError> {
    let largura = f32::from(opcoes.largura_mm.clamp(56, 120)) * MM;
    let qr = Some(nota.supl.t("qrCode"))
        .filter(|texto| !texto.is_empty())
        .and_then(|texto| QrCode::encode(texto.as_bytes()).ok());
    let mut rolo = Rolo::novo(largura, f32::MAX);
    rolo.tudo(nota, opcoes, logo.as_ref(), qr.is_some());
    if rolo.y > MAX_ALTURA {
        // Pages of the same length, with room for what is not broken.
        let paginas = (rolo.y / (MAX_ALTURA - 400.0)).ceil();
        let cada = rolo.y / paginas + 200.0;
        rolo = Rolo::novo(largura, cada);
        rolo.tudo(nota, opcoes, logo.as_ref(), qr.is_some());
    }
    let altura = rolo.altura + 4.0 * MM;
    rolo.paginas.push(rolo.prancha);
    let tamanho = (largura, altura);
    Ok(Folhas {
        tamanho,
        paginas: rolo
            .paginas
            .into_iter()
            .map(|pagina| pagina.itens)
            .collect(),
        qr,
        logo,
        marcas: marcas(nota, opcoes, tamanho, 30.0),
    })
}

/// The roll being printed.
struct Rolo {
    prancha: Prancha,
    paginas: Vec<Prancha>,
    y: f32,
    /// The longest page.
    altura: f32,
    limite: f32,
    limites: (f32, f32),
    /// Narrow rolls have smaller print.
    corpo: f32,
}

impl Rolo {
    fn novo(largura: f32, limite: f32) -> Rolo {
        Rolo {
            prancha: Prancha::default(),
            paginas: Vec::new(),
            y: MARGEM,
            altura: 0.0,
            limite,
            limites: (MARGEM, largura - MARGEM),
            corpo: if largura < 70.0 * MM { 6.5 } else { 7.5 },
        }
    }

    fn espaco(&self) -> f32 {
        self.limites.1 - self.limites.0
    }

    fn descer(&mut self, quanto: f32) {
        self.y += quanto;
        self.altura = self.altura.max(self.y);
    }

    fn virar_se_cheia(&mut self) {
        if self.y > self.limite {
            self.paginas.push(std::mem::take(&mut self.prancha));
            self.y = MARGEM;
        }
    }

    /// A text of any length.
    fn texto(&mut self, fonte: Fonte, tamanho: f32, alinha: Alinha, texto: &str) {
        if texto.is_empty() {
            return;
        }
        let entrelinha = tamanho * 1.18;
        let jeito = (alinha, entrelinha, usize::MAX);
        let y = self.y + tamanho;
        let linhas = self
            .prancha
            .paragrafo(self.limites, y, (fonte, tamanho), jeito, texto);
        self.descer(linhas as f32 * entrelinha);
    }

    fn centrado(&mut self, fonte: Fonte, texto: &str) {
        self.texto(fonte, self.corpo, Alinha::Centro, texto);
    }

    /// A name on the left and an amount on the right; the name gives way.
    fn par(&mut self, fonte: Fonte, nome: &str, quantia: &str) {
        let tamanho = self.corpo;
        let y = self.y + tamanho;
        let meio = self.limites.1 - self.espaco() * 0.36;
        let (de, ate) = self.limites;
        self.prancha
            .ajustado((meio, ate), y, (fonte, tamanho), Alinha::Direita, quantia);
        let jeito = (Alinha::Esquerda, tamanho * 1.18, usize::MAX);
        let linhas = self
            .prancha
            .paragrafo((de, meio - 2.0), y, (fonte, tamanho), jeito, nome);
        self.descer(linhas as f32 * tamanho * 1.18 + 0.6);
    }

    fn divisoria(&mut self) {
        self.descer(2.5);
        let (de, ate) = self.limites;
        self.prancha.itens.push(Item::Picote {
            x: de,
            y: self.y,
            ate_x: ate,
            ate_y: self.y,
        });
        self.descer(2.5);
    }

    fn tudo(&mut self, nota: &Nota<'_>, opcoes: &Opcoes<'_>, logo: Option<&Imagem>, com_qr: bool) {
        self.emitente(nota, logo);
        self.avisos(nota, opcoes);
        self.divisoria();
        self.itens(nota);
        self.divisoria();
        self.totais(nota);
        self.divisoria();
        self.consulta(nota);
        if com_qr {
            self.qr();
        }
        self.divisoria();
        self.consumidor(nota);
        self.identificacao(nota);
        self.avisos(nota, opcoes);
        self.mensagens(nota, opcoes);
        // All of the last page counts.
        self.descer(0.0);
    }

    fn emitente(&mut self, nota: &Nota<'_>, logo: Option<&Imagem>) {
        if let Some(logo) = logo {
            let (largura, altura) = dentro(logo, (self.espaco() * 0.7, 14.0 * MM));
            self.prancha.itens.push(Item::Logo {
                x: self.limites.0 + (self.espaco() - largura) / 2.0,
                y: self.y,
                largura,
                altura,
            });
            self.descer(altura + 3.0);
        }
        let emit = nota.emit;
        self.texto(NEGRITO, self.corpo + 1.5, Alinha::Centro, &emit.t("xNome"));
        let ie = emit.t("IE");
        let ie = if ie.is_empty() {
            String::new()
        } else {
            format!("IE: {ie}")
        };
        let cnpj = documento(&emit.um_de(&["CNPJ", "CPF"]));
        let rotulo = if emit.t("CNPJ").is_empty() {
            "CPF"
        } else {
            "CNPJ"
        };
        self.centrado(NORMAL, &unir([&*format!("{rotulo}: {cnpj}"), &*ie], "  "));
        self.centrado(NORMAL, &endereco(emit.no("enderEmit")));
        self.descer(2.0);
        if nota.ide.t("mod") == "65" {
            let titulo = "Documento Auxiliar da Nota Fiscal de Consumidor Eletrônica";
            self.centrado(NEGRITO, titulo);
        } else {
            self.centrado(NEGRITO, "DANFE Simplificado Tipo 2");
        }
    }

    /// What must be seen at once; printed twice, as the manual asks of the
    /// contingency.
    fn avisos(&mut self, nota: &Nota<'_>, opcoes: &Opcoes<'_>) {
        let mut avisos: Vec<&str> = Vec::new();
        if nota.ide.t("tpEmis") == "9" {
            avisos.push("EMITIDA EM CONTINGÊNCIA");
            if !nota.autorizada() {
                avisos.push("Pendente de autorização");
            }
        } else if !nota.autorizada() {
            avisos.push("SEM AUTORIZAÇÃO DE USO");
        }
        if nota.homologacao() {
            avisos.push("EMITIDA EM AMBIENTE DE HOMOLOGAÇÃO - SEM VALOR FISCAL");
        }
        if opcoes.cancelada {
            avisos.push("NOTA CANCELADA");
        }
        avisos.extend(opcoes.marca);
        if !avisos.is_empty() {
            self.descer(2.0);
        }
        for aviso in avisos {
            self.centrado(NEGRITO, aviso);
        }
    }

    fn itens(&mut self, nota: &Nota<'_>) {
        self.par(NEGRITO, "Código  Descrição", "");
        self.par(NEGRITO, "Qtde. Un. x Vl. unit.", "Vl. total");
        self.descer(1.5);
        for det in nota.itens() {
            self.virar_se_cheia();
            let prod = det.no("prod");
            let nome = unir([&*prod.t("cProd"), &*prod.t("xProd")], "  ");
            self.texto(NORMAL, self.corpo, Alinha::Esquerda, &nome);
            let informacoes = det.t("infAdProd");
            self.texto(NORMAL, self.corpo - 1.0, Alinha::Esquerda, &informacoes);
            let conta = format!(
                "{} {} x {}",
                numero(&prod.t("qCom"), 0),
                prod.t("uCom"),
                numero(&prod.t("vUnCom"), 2)
            );
            self.par(NORMAL, &conta, &valor(&prod.t("vProd")));
            for (campo, rotulo, sinal) in [
                ("vDesc", "Desconto", "-"),
                ("vFrete", "Frete", "+"),
                ("vSeg", "Seguro", "+"),
                ("vOutro", "Outras despesas", "+"),
            ] {
                let quantia = prod.t(campo);
                if positivo(&quantia) {
                    self.par(NORMAL, rotulo, &format!("{sinal}{}", valor(&quantia)));
                }
            }
        }
    }

    fn totais(&mut self, nota: &Nota<'_>) {
        let total = nota.total.no("ICMSTot");
        self.par(
            NORMAL,
            "Qtde. total de itens",
            &nota.itens().count().to_string(),
        );
        let servicos = nota.total.no("ISSQNtot").t("vServ");
        self.par(
            NORMAL,
            "Valor total R$",
            &soma(&[&total.t("vProd"), &servicos]),
        );
        for (campo, rotulo) in [
            ("vFrete", "Frete R$"),
            ("vSeg", "Seguro R$"),
            ("vOutro", "Acréscimos R$"),
            ("vDesc", "Desconto R$"),
        ] {
            let quantia = total.t(campo);
            if positivo(&quantia) {
                self.par(NORMAL, rotulo, &valor(&quantia));
            }
        }
        self.par(NEGRITO, "Valor a pagar R$", &valor(&total.t("vNF")));
        self.descer(2.0);
        self.par(NEGRITO, "FORMA DE PAGAMENTO", "VALOR PAGO R$");
        for det in nota.pagamentos() {
            let outra = det.t("xPag");
            let forma = forma_de_pagamento(&det.t("tPag"));
            let forma = if outra.is_empty() { forma } else { &*outra };
            self.par(NORMAL, forma, &valor(&det.t("vPag")));
        }
        let troco = nota.inf.no("pag").t("vTroco");
        if !troco.is_empty() {
            self.par(NORMAL, "Troco R$", &valor(&troco));
        }
        let (reforma, seletivo) = (nota.total.no("IBSCBSTot"), nota.total.no("ISTot"));
        let tributos = [
            ("CBS R$", reforma.no("gCBS").t("vCBS")),
            ("IBS R$", reforma.no("gIBS").t("vIBS")),
            ("IS R$", seletivo.t("vIS")),
        ];
        for (rotulo, quantia) in tributos {
            if !quantia.is_empty() {
                self.par(NORMAL, rotulo, &valor(&quantia));
            }
        }
    }

    fn consulta(&mut self, nota: &Nota<'_>) {
        self.centrado(NORMAL, "Consulte pela chave de acesso em");
        self.centrado(NORMAL, &nota.supl.t("urlChave"));
        self.descer(1.0);
        // One line where it fits: half the text size keeps it legible.
        let grupos = agrupar(nota.chave, 4, " ");
        if self.espaco() >= 60.0 * MM {
            let y = self.y + self.corpo;
            let fonte = (NEGRITO, self.corpo);
            self.prancha
                .ajustado(self.limites, y, fonte, Alinha::Centro, &grupos);
            self.descer(self.corpo * 1.2);
        } else {
            // Six groups and five, rather than wherever the roll ends.
            let (um, dois) = grupos.split_at_checked(30).unwrap_or((&grupos, ""));
            self.centrado(NEGRITO, um.trim_end());
            self.centrado(NEGRITO, dois);
        }
    }

    /// §3.4: 25 mm at least, four modules of white around.
    fn qr(&mut self) {
        let lado = if self.espaco() < 60.0 * MM {
            29.0
        } else {
            34.0
        } * MM;
        self.descer(3.5 * MM);
        self.prancha.itens.push(Item::Qr {
            x: self.limites.0 + (self.espaco() - lado) / 2.0,
            y: self.y,
            lado,
        });
        self.descer(lado + 2.5 * MM);
    }

    fn consumidor(&mut self, nota: &Nota<'_>) {
        let dest = nota.dest;
        let (cnpj, cpf, fora) = (dest.t("CNPJ"), dest.t("CPF"), dest.t("idEstrangeiro"));
        let quem = if !cnpj.is_empty() {
            format!("CONSUMIDOR CNPJ: {}", documento(&cnpj))
        } else if !cpf.is_empty() {
            format!("CONSUMIDOR CPF: {}", documento(&cpf))
        } else if !fora.is_empty() {
            format!("CONSUMIDOR ID. ESTRANGEIRO: {fora}")
        } else {
            "CONSUMIDOR NÃO IDENTIFICADO".to_owned()
        };
        self.centrado(NEGRITO, &quem);
        self.centrado(NORMAL, &dest.t("xNome"));
        self.centrado(NORMAL, &endereco(dest.no("enderDest")));
    }

    fn identificacao(&mut self, nota: &Nota<'_>) {
        let (dia, hora) = data_e_hora(&nota.ide.t("dhEmi"));
        let nome = if nota.ide.t("mod") == "65" {
            "NFC-e"
        } else {
            "NF-e"
        };
        let texto = format!(
            "{nome} nº {}  Série {}  {dia} {hora}",
            numero_da_nota(&nota.ide.t("nNF")),
            serie(&nota.ide.t("serie"))
        );
        self.descer(2.0);
        self.centrado(NEGRITO, &texto);
        let protocolo = nota.prot.t("nProt");
        if !protocolo.is_empty() {
            let (dia, hora) = data_e_hora(&nota.prot.t("dhRecbto"));
            self.centrado(NORMAL, &format!("Protocolo de autorização: {protocolo}"));
            self.centrado(NORMAL, &format!("Data de autorização: {dia} {hora}"));
        }
    }

    fn mensagens(&mut self, nota: &Nota<'_>, opcoes: &Opcoes<'_>) {
        let adic = nota.inf.no("infAdic");
        let tributos = nota.total.no("ICMSTot").t("vTotTrib");
        let (fisco, livre) = (adic.t("infAdFisco"), adic.t("infCpl"));
        if fisco.is_empty() && livre.is_empty() && !positivo(&tributos) {
            return;
        }
        self.divisoria();
        let quebra = |c: char| c == '\n' || (c == ';' && opcoes.quebrar_em_ponto_e_virgula);
        let tamanho = self.corpo - 0.5;
        for parte in fisco.split(quebra) {
            self.texto(NORMAL, tamanho, Alinha::Esquerda, parte.trim());
        }
        if positivo(&tributos) {
            let texto = format!(
                "Tributos totais incidentes (Lei Federal 12.741/2012): R$ {}",
                valor(&tributos)
            );
            self.texto(NORMAL, tamanho, Alinha::Esquerda, &texto);
        }
        for parte in livre.split(quebra) {
            self.virar_se_cheia();
            self.texto(NORMAL, tamanho, Alinha::Esquerda, parte.trim());
        }
    }
}

fn endereco(ender: No<'_>) -> String {
    unir(
        [
            &*ender.t("xLgr"),
            &*ender.t("nro"),
            &*ender.t("xCpl"),
            &*ender.t("xBairro"),
            &*unir([&*ender.t("xMun"), &*ender.t("UF")], " - "),
        ],
        ", ",
    )
}

/// Sum of amounts; the first as it stands if one of them is no number.
fn soma(partes: &[&str]) -> String {
    let soma = partes
        .iter()
        .filter(|parte| !parte.is_empty())
        .try_fold(Decimal::ZERO, |soma, parte| {
            soma.checked_add(Decimal::from_str(parte).ok()?)
        });
    match soma {
        Some(soma) => numero(&soma.to_string(), 2),
        None => valor(partes.first().unwrap_or(&"")),
    }
}
