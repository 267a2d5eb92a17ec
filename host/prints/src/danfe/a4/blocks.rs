//! The blocks between the header and the items.

use std::borrow::Cow;

use crate::danfe::a4::paging::{Fluxo, TITULO};
use crate::danfe::board::{Alinha, Area, Campo, MM, RECUO};
use crate::danfe::nota::{No, Nota};
use crate::danfe::values::{data_e_hora, numero, positivo, unir, valor};
use crate::pdf::font::Fonte;
use markup::format::{cep, dia, documento, telefone};

/// How much room the blocks before the items take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aperto {
    /// Rows of volumes; the other ones go to the additional data.
    pub volumes: usize,
    /// Places of pickup and delivery on two rows instead of three.
    pub locais_baixos: bool,
    /// Rows of instalments; the other ones go to the next page.
    pub parcelas: usize,
}

impl Aperto {
    /// From the usual one to the tightest that still shows every instalment at
    /// its place.
    pub const TODOS: [Aperto; 3] = [
        Aperto {
            volumes: 3,
            locais_baixos: false,
            parcelas: usize::MAX,
        },
        Aperto {
            volumes: 1,
            locais_baixos: false,
            parcelas: usize::MAX,
        },
        Aperto {
            volumes: 1,
            locais_baixos: true,
            parcelas: usize::MAX,
        },
    ];

    /// The tightest of all, with so many rows of instalments.
    pub fn maximo(parcelas: usize) -> Aperto {
        Aperto {
            volumes: 1,
            locais_baixos: true,
            parcelas,
        }
    }
}

/// Draws the blocks; gives back the instalments that are still to be drawn.
pub(super) fn antes_dos_itens<'d>(
    fluxo: &mut Fluxo,
    nota: &Nota<'d>,
    aperto: Aperto,
) -> Parcelas<'d> {
    destinatario(fluxo, nota);
    for (nome, titulo) in [
        ("retirada", "INFORMAÇÕES DO LOCAL DE RETIRADA"),
        ("entrega", "INFORMAÇÕES DO LOCAL DE ENTREGA"),
    ] {
        let local = nota.inf.no(nome);
        if local.existe() {
            outro_local(fluxo, local, titulo, aperto.locais_baixos);
        }
    }
    let restantes = fatura(fluxo, nota.inf.no("cobr"), aperto.parcelas);
    if fluxo.forma.reforma {
        totais_da_reforma(fluxo, nota);
    } else {
        imposto(fluxo, nota);
    }
    transporte(fluxo, nota.inf.no("transp"), aperto.volumes);
    restantes
}

/// "CNPJ / CPF", or the document of a foreigner.
fn documento_de(pessoa: No<'_>) -> String {
    let interno = pessoa.um_de(&["CNPJ", "CPF"]);
    if interno.is_empty() {
        pessoa.t("idEstrangeiro").into_owned()
    } else {
        documento(&interno)
    }
}

pub(super) fn endereco(ender: No<'_>) -> String {
    unir(
        [&*ender.t("xLgr"), &*ender.t("nro"), &*ender.t("xCpl")],
        ", ",
    )
}

/// The city; abroad with the country.
fn municipio<'d>(ender: No<'d>) -> Cow<'d, str> {
    if ender.t("UF") == "EX" {
        Cow::Owned(unir([&*ender.t("xMun"), &*ender.t("xPais")], " - "))
    } else {
        ender.t("xMun")
    }
}

fn destinatario(fluxo: &mut Fluxo, nota: &Nota<'_>) {
    let (dest, ender) = (nota.dest, nota.dest.no("enderDest"));
    let (emissao, _) = data_e_hora(&nota.ide.um_de(&["dhEmi", "dEmi"]));
    let (saida, hora) = data_e_hora(&nota.ide.um_de(&["dhSaiEnt", "dSaiEnt"]));
    let hora = if hora.is_empty() {
        nota.ide.t("hSaiEnt").into_owned()
    } else {
        hora
    };
    fluxo.bloco(
        "DESTINATÁRIO / REMETENTE",
        &[
            vec![
                Campo::novo(0.0, "NOME / RAZÃO SOCIAL", dest.t("xNome")),
                Campo::novo(44.0, "CNPJ / CPF", documento_de(dest)).alinhado(Alinha::Centro),
                Campo::novo(28.0, "DATA DA EMISSÃO", emissao).alinhado(Alinha::Centro),
            ],
            vec![
                Campo::novo(0.0, "ENDEREÇO", endereco(ender)),
                Campo::novo(45.0, "BAIRRO / DISTRITO", ender.t("xBairro")),
                Campo::novo(23.0, "CEP", cep(&ender.t("CEP"))).alinhado(Alinha::Centro),
                Campo::novo(28.0, "DATA DA SAÍDA / ENTRADA", saida).alinhado(Alinha::Centro),
            ],
            vec![
                Campo::novo(0.0, "MUNICÍPIO", municipio(ender)),
                Campo::novo(34.0, "FONE / FAX", telefone(&ender.t("fone")))
                    .alinhado(Alinha::Centro),
                Campo::novo(10.0, "UF", ender.t("UF")).alinhado(Alinha::Centro),
                Campo::novo(40.0, "INSCRIÇÃO ESTADUAL", dest.t("IE")).alinhado(Alinha::Centro),
                Campo::novo(28.0, "HORA DA SAÍDA / ENTRADA", hora).alinhado(Alinha::Centro),
            ],
        ],
    );
}

fn outro_local(fluxo: &mut Fluxo, local: No<'_>, titulo: &str, baixo: bool) {
    if baixo {
        let fone = telefone(&local.t("fone"));
        if !fone.is_empty() {
            let sobra = (format!("{titulo}, FONE / FAX"), fone);
            fluxo.prancha.sobras.push(sobra);
        }
        let quem = vec![
            Campo::novo(0.0, "NOME / RAZÃO SOCIAL", local.t("xNome")),
            Campo::novo(44.0, "CNPJ / CPF", documento_de(local)).alinhado(Alinha::Centro),
            Campo::novo(40.0, "INSCRIÇÃO ESTADUAL", local.t("IE")).alinhado(Alinha::Centro),
        ];
        let onde = vec![
            Campo::novo(0.0, "ENDEREÇO", endereco(local)),
            Campo::novo(36.0, "BAIRRO / DISTRITO", local.t("xBairro")),
            Campo::novo(42.0, "MUNICÍPIO", municipio(local)),
            Campo::novo(9.0, "UF", local.t("UF")).alinhado(Alinha::Centro),
            Campo::novo(23.0, "CEP", cep(&local.t("CEP"))).alinhado(Alinha::Centro),
        ];
        fluxo.bloco(titulo, &[quem, onde]);
        return;
    }
    fluxo.bloco(
        titulo,
        &[
            vec![
                Campo::novo(0.0, "NOME / RAZÃO SOCIAL", local.t("xNome")),
                Campo::novo(44.0, "CNPJ / CPF", documento_de(local)).alinhado(Alinha::Centro),
                Campo::novo(40.0, "INSCRIÇÃO ESTADUAL", local.t("IE")).alinhado(Alinha::Centro),
            ],
            vec![
                Campo::novo(0.0, "ENDEREÇO", endereco(local)),
                Campo::novo(50.0, "BAIRRO / DISTRITO", local.t("xBairro")),
                Campo::novo(25.0, "CEP", cep(&local.t("CEP"))).alinhado(Alinha::Centro),
            ],
            vec![
                Campo::novo(0.0, "MUNICÍPIO", municipio(local)),
                Campo::novo(10.0, "UF", local.t("UF")).alinhado(Alinha::Centro),
                Campo::novo(40.0, "FONE / FAX", telefone(&local.t("fone")))
                    .alinhado(Alinha::Centro),
            ],
        ],
    );
}

/// The invoice and so many rows of its instalments; gives back the rest.
fn fatura<'d>(fluxo: &mut Fluxo, cobr: No<'d>, fileiras: usize) -> Parcelas<'d> {
    let fat = cobr.no("fat");
    let mut parcelas = Parcelas(cobr.todos("dup").collect());
    let agora = fileiras.saturating_mul(por_fileira(fluxo));
    let depois = Parcelas(parcelas.0.split_off(agora.min(parcelas.0.len())));
    if !fat.existe() && parcelas.0.is_empty() {
        return depois;
    }
    fluxo.titulo("FATURA / DUPLICATAS", fluxo.forma.campo);
    if fat.existe() {
        fluxo.fileira(&[
            Campo::novo(0.0, "NÚMERO DA FATURA", fat.t("nFat")),
            Campo::valor("VALOR ORIGINAL", valor(&fat.t("vOrig"))),
            Campo::valor("VALOR DO DESCONTO", valor(&fat.t("vDesc"))),
            Campo::valor("VALOR LÍQUIDO", valor(&fat.t("vLiq"))),
        ]);
    }
    parcelas.desenhar(fluxo);
    depois
}

/// Instalments yet to be drawn.
pub(super) struct Parcelas<'d>(Vec<No<'d>>);

/// Height of a row of instalments.
pub(super) const PARCELA: f32 = 10.4;

/// Number, date and amount on one line each: 120 of them are allowed.
fn por_fileira(fluxo: &Fluxo) -> usize {
    if fluxo.forma.paisagem { 6 } else { 4 }
}

impl Parcelas<'_> {
    /// Draws what did not stand with the invoice, if anything.
    pub fn continuar(&mut self, fluxo: &mut Fluxo) {
        if !self.0.is_empty() {
            fluxo.titulo("FATURA / DUPLICATAS (CONTINUAÇÃO)", PARCELA);
            self.desenhar(fluxo);
        }
    }

    fn desenhar(&mut self, fluxo: &mut Fluxo) {
        for fileira in std::mem::take(&mut self.0).chunks(por_fileira(fluxo)) {
            if fluxo.espaco() < PARCELA {
                fluxo.nova_pagina();
                fluxo.titulo("FATURA / DUPLICATAS (CONTINUAÇÃO)", PARCELA);
            }
            uma_fileira(fluxo, fileira);
        }
    }
}

fn uma_fileira(fluxo: &mut Fluxo, fileira: &[No<'_>]) {
    let (forma, y) = (fluxo.forma, fluxo.y);
    let largura = forma.largura / por_fileira(fluxo) as f32;
    let prancha = &mut fluxo.prancha;
    for (at, dup) in fileira.iter().enumerate() {
        let area = Area {
            x: forma.x + at as f32 * largura,
            y,
            largura,
            altura: PARCELA,
        };
        let (de, ate) = (area.x + RECUO, area.direita() - RECUO);
        let (vencimento, quantia) = (dia(&dup.t("dVenc")), valor(&dup.t("vDup")));
        let parte = (ate - de) / 3.0;
        let y = y + 7.6;
        let fonte = (Fonte::Times, 7.5);
        let (um, dois) = (de + parte * 0.9, de + parte * 1.9);
        prancha.caixa(area);
        prancha.ajustado((de, um - 2.0), y, fonte, Alinha::Esquerda, &dup.t("nDup"));
        prancha.ajustado((um, dois), y, fonte, Alinha::Centro, &vencimento);
        prancha.ajustado((dois, ate), y, fonte, Alinha::Direita, &quantia);
        if dup.t("nDup").len() > 14 {
            let inteiro = unir([&*dup.t("nDup"), &*vencimento, &*quantia], " ");
            prancha.sobras.push(("DUPLICATA".to_owned(), inteiro));
        }
    }
    fluxo.y += PARCELA;
}

/// MOC 7.0: one block for all taxes.
fn imposto(fluxo: &mut Fluxo, nota: &Nota<'_>) {
    let t = |nome: &str| valor(&nota.total.no("ICMSTot").t(nome));
    fluxo.bloco(
        "CÁLCULO DO IMPOSTO",
        &[
            vec![
                Campo::valor("BASE DE CÁLCULO DO ICMS", t("vBC")),
                Campo::valor("VALOR DO ICMS", t("vICMS")),
                Campo::valor("BASE DE CÁLCULO DO ICMS ST", t("vBCST")),
                Campo::valor("VALOR DO ICMS ST", t("vST")),
                Campo::valor("VALOR TOTAL DOS PRODUTOS", t("vProd")),
            ],
            vec![
                Campo::valor("VALOR DO FRETE", t("vFrete")),
                Campo::valor("VALOR DO SEGURO", t("vSeg")),
                Campo::valor("DESCONTO", t("vDesc")),
                Campo::valor("OUTRAS DESPESAS ACESSÓRIAS", t("vOutro")),
                Campo::valor("VALOR DO IPI", t("vIPI")),
                Campo::valor("VALOR TOTAL DA NOTA", t("vNF")).negrito(),
            ],
        ],
    );
    facultativos(fluxo, nota, &[DO_ICMS, DA_NOTA].concat());
}

/// Totals shown only where they are not zero.
const DO_ICMS: &[(&str, &str)] = &[
    ("vFCP", "VALOR DO FCP"),
    ("vFCPST", "VALOR DO FCP RETIDO POR ST"),
    ("vFCPSTRet", "FCP RETIDO ANTERIORMENTE POR ST"),
    ("vICMSUFDest", "VALOR DO DIFAL NA UF DE DESTINO"),
    ("vICMSUFRemet", "VALOR DO DIFAL NA UF DO REMETENTE"),
    ("vFCPUFDest", "VALOR DO FCP NA UF DE DESTINO"),
    ("vICMSDeson", "VALOR DO ICMS DESONERADO"),
    ("qBCMono", "BC DO ICMS MONOFÁSICO"),
    ("vICMSMono", "VALOR DO ICMS MONOFÁSICO"),
    ("qBCMonoReten", "BC DO ICMS MONOF. POR RETENÇÃO"),
    ("vICMSMonoReten", "ICMS MONOFÁSICO POR RETENÇÃO"),
    ("qBCMonoRet", "BC DO ICMS MONOF. RETIDO ANTES"),
    ("vICMSMonoRet", "ICMS MONOF. RETIDO ANTERIORMENTE"),
    ("vIPIDevol", "VALOR DO IPI DEVOLVIDO"),
];
const DA_NOTA: &[(&str, &str)] = &[
    ("vII", "VALOR DO IMPOSTO DE IMPORTAÇÃO"),
    ("vPIS", "VALOR DO PIS"),
    ("vCOFINS", "VALOR DA COFINS"),
    ("vTotTrib", "VALOR APROX. DOS TRIBUTOS"),
];

fn facultativos(fluxo: &mut Fluxo, nota: &Nota<'_>, nomes: &[(&'static str, &'static str)]) {
    let campos = presentes(nota, nomes);
    let por_fileira = if fluxo.forma.paisagem { 8 } else { 6 };
    for fileira in em_fileiras(campos, por_fileira) {
        fluxo.fileira(&fileira);
    }
}

fn presentes(nota: &Nota<'_>, nomes: &[(&'static str, &'static str)]) -> Vec<Campo<'static>> {
    let total = nota.total.no("ICMSTot");
    nomes
        .iter()
        .filter(|(nome, _)| positivo(&total.t(nome)))
        .map(|(nome, rotulo)| Campo::valor(rotulo, valor(&total.t(nome))))
        .collect()
}

fn em_fileiras(campos: Vec<Campo<'static>>, por_fileira: usize) -> Vec<Vec<Campo<'static>>> {
    let mut campos = campos.into_iter();
    let mut out = Vec::new();
    loop {
        let fileira: Vec<Campo<'static>> = campos.by_ref().take(por_fileira).collect();
        if fileira.is_empty() {
            return out;
        }
        out.push(fileira);
    }
}

/// Fields that are always there and those that are there when not zero: on a
/// lying page side by side.
fn fileiras_de_totais(
    paisagem: bool,
    fixos: Vec<Campo<'static>>,
    facultativos: Vec<Campo<'static>>,
) -> Vec<Vec<Campo<'static>>> {
    if paisagem {
        em_fileiras(fixos.into_iter().chain(facultativos).collect(), 10)
    } else {
        let mut fileiras = vec![fixos];
        fileiras.extend(em_fileiras(facultativos, 6));
        fileiras
    }
}

/// NT 2026.010 §4.1: three blocks. What the XML does not have stays blank
/// (§4.4), not even as zero.
fn totais_da_reforma(fluxo: &mut Fluxo, nota: &Nota<'_>) {
    let t = |nome: &str| valor(&nota.total.no("ICMSTot").t(nome));
    let mut total = vec![
        Campo::valor("VALOR TOTAL DOS PRODUTOS", t("vProd")),
        Campo::valor("VALOR DO FRETE", t("vFrete")),
        Campo::valor("VALOR DO SEGURO", t("vSeg")),
        Campo::valor("DESCONTO", t("vDesc")),
        Campo::valor("OUTRAS DESPESAS ACESSÓRIAS", t("vOutro")),
        Campo::valor("VALOR TOTAL DA NOTA", t("vNF")).negrito(),
    ];
    // From 2027 on IBS, CBS and IS come on top of `vNF` (NT 2025.002, VB01-10); the
    // field's name is ours.
    let com_reforma = nota.total.t("vNFTot");
    if positivo(&com_reforma) && valor(&com_reforma) != t("vNF") {
        total.push(Campo::valor("TOTAL COM IBS / CBS / IS", valor(&com_reforma)).negrito());
    }
    let paisagem = fluxo.forma.paisagem;
    let da_nota = fileiras_de_totais(paisagem, total, presentes(nota, DA_NOTA));
    let do_icms = fileiras_de_totais(
        paisagem,
        vec![
            Campo::valor("BASE DE CÁLCULO DO ICMS", t("vBC")),
            Campo::valor("VALOR DO ICMS", t("vICMS")),
            Campo::valor("BASE DE CÁLCULO DO ICMS ST", t("vBCST")),
            Campo::valor("VALOR DO ICMS ST", t("vST")),
            Campo::valor("VALOR DO IPI", t("vIPI")),
        ],
        presentes(nota, DO_ICMS),
    );
    let reforma = nota.total.no("IBSCBSTot");
    let (ibs, cbs, mono) = (reforma.no("gIBS"), reforma.no("gCBS"), reforma.no("gMono"));
    let mut fileiras = vec![vec![
        Campo::valor("VALOR DA CBS", valor(&cbs.t("vCBS"))),
        Campo::valor("VALOR DO IBS UF", valor(&ibs.no("gIBSUF").t("vIBSUF"))),
        Campo::valor(
            "VALOR DO IBS MUNICÍPIO",
            valor(&ibs.no("gIBSMun").t("vIBSMun")),
        ),
        Campo::valor(
            "VALOR DO IMPOSTO SELETIVO",
            valor(&nota.total.no("ISTot").t("vIS")),
        ),
    ]];
    if mono.existe() {
        fileiras.push(vec![
            Campo::valor("VALOR DO IBS MONOFÁSICO", valor(&mono.t("vIBSMono"))),
            Campo::valor("VALOR DA CBS MONOFÁSICA", valor(&mono.t("vCBSMono"))),
            Campo::valor(
                "IBS MONOFÁSICO POR RETENÇÃO",
                valor(&mono.t("vIBSMonoReten")),
            ),
            Campo::valor(
                "CBS MONOFÁSICA POR RETENÇÃO",
                valor(&mono.t("vCBSMonoReten")),
            ),
        ]);
    }
    let blocos = [
        ("TOTAL DOS PRODUTOS E TOTAL DA NOTA", da_nota),
        ("TOTAL DO ICMS / IPI", do_icms),
        ("TOTAL DO IBS / CBS / IS", fileiras),
    ];
    // The totals are one thing to look at: on one page.
    let campo = fluxo.forma.campo;
    let altura = |fileiras: &[_]| TITULO + fileiras.len() as f32 * campo;
    fluxo.reservar(blocos.iter().map(|(_, f)| altura(f)).sum());
    for (titulo, fileiras) in &blocos {
        fluxo.bloco(titulo, fileiras);
    }
}

/// `modFrete` (MOC, X02).
fn frete(codigo: &str) -> String {
    match codigo {
        "0" => "0 - Remetente (CIF)".to_owned(),
        "1" => "1 - Destinatário (FOB)".to_owned(),
        "2" => "2 - Terceiros".to_owned(),
        "3" => "3 - Próprio, remetente".to_owned(),
        "4" => "4 - Próprio, destinatário".to_owned(),
        "9" => "9 - Sem transporte".to_owned(),
        outro => outro.to_owned(),
    }
}

fn transporte(fluxo: &mut Fluxo, transp: No<'_>, quantos: usize) {
    let (quem, veiculo) = (transp.no("transporta"), transp.no("veicTransp"));
    let mut fileiras = vec![
        vec![
            Campo::novo(0.0, "NOME / RAZÃO SOCIAL", quem.t("xNome")),
            Campo::novo(32.0, "FRETE POR CONTA", frete(&transp.t("modFrete"))),
            Campo::novo(21.0, "CÓDIGO ANTT", veiculo.t("RNTC")),
            Campo::novo(23.0, "PLACA DO VEÍCULO", veiculo.t("placa")).alinhado(Alinha::Centro),
            Campo::novo(9.0, "UF", veiculo.t("UF")).alinhado(Alinha::Centro),
            Campo::novo(36.0, "CNPJ / CPF", documento_de(quem)).alinhado(Alinha::Centro),
        ],
        vec![
            Campo::novo(0.0, "ENDEREÇO", quem.t("xEnder")),
            Campo::novo(60.0, "MUNICÍPIO", quem.t("xMun")),
            Campo::novo(9.0, "UF", quem.t("UF")).alinhado(Alinha::Centro),
            Campo::novo(36.0, "INSCRIÇÃO ESTADUAL", quem.t("IE")).alinhado(Alinha::Centro),
        ],
    ];
    let mut volumes: Vec<No<'_>> = transp.todos("vol").take(quantos).collect();
    if volumes.is_empty() {
        // The boxes stay, empty.
        volumes.push(transp.no("vol"));
    }
    for vol in volumes {
        fileiras.push(vec![
            Campo::valor("QUANTIDADE", inteiro(&vol.t("qVol"))),
            Campo::novo(0.0, "ESPÉCIE", vol.t("esp")),
            Campo::novo(0.0, "MARCA", vol.t("marca")),
            Campo::novo(0.0, "NUMERAÇÃO", vol.t("nVol")),
            Campo::valor("PESO BRUTO", peso(&vol.t("pesoB"))),
            Campo::valor("PESO LÍQUIDO", peso(&vol.t("pesoL"))),
        ]);
    }
    fluxo.bloco("TRANSPORTADOR / VOLUMES TRANSPORTADOS", &fileiras);
}

pub(super) fn inteiro(texto: &str) -> String {
    if texto.is_empty() {
        String::new()
    } else {
        numero(texto, 0)
    }
}

/// Three places: kilograms and grams.
pub(super) fn peso(texto: &str) -> String {
    if texto.is_empty() {
        String::new()
    } else {
        numero(texto, 3)
    }
}

/// Below the items: only where there are services.
pub(super) fn issqn(nota: &Nota<'_>) -> Option<Vec<Campo<'static>>> {
    let total = nota.total.no("ISSQNtot");
    total.existe().then(|| {
        vec![
            Campo::novo(0.0, "INSCRIÇÃO MUNICIPAL", nota.emit.t("IM").into_owned()),
            Campo::valor("VALOR TOTAL DOS SERVIÇOS", valor(&total.t("vServ"))),
            Campo::valor("BASE DE CÁLCULO DO ISSQN", valor(&total.t("vBC"))),
            Campo::valor("VALOR DO ISSQN", valor(&total.t("vISS"))),
        ]
    })
}

/// Width of the column of the QR code beside the additional data.
pub(super) const QR: f32 = 30.0 * MM;
