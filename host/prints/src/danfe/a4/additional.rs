//! "Dados adicionais": what the issuer wrote, what the layout wants repeated
//! there, and what did not fit its box. Text of any length, broken into lines as
//! there is room for them.

use crate::danfe::Opcoes;
use crate::danfe::a4::blocks::{endereco, inteiro, peso};
use crate::danfe::nota::{No, Nota};
use crate::danfe::values::{agrupar, data_e_hora, forma_de_pagamento, unir, valor};
use crate::pdf::font::{Fonte, quebrar, win_ansi};
use fiscal::nfe::simples_credit;
use markup::format::documento;

/// Size and leading of the text.
pub(super) const TAMANHO: f32 = 7.0;
pub(super) const ENTRELINHA: f32 = 7.9;

/// Paragraphs, and how far they have been written.
pub(super) struct Texto {
    paragrafos: Vec<Vec<u8>>,
    paragrafo: usize,
    byte: usize,
}

impl Texto {
    pub fn novo<'p>(paragrafos: impl IntoIterator<Item = &'p str>) -> Texto {
        let paragrafos = paragrafos.into_iter().map(win_ansi);
        Texto {
            paragrafos: paragrafos
                .filter(|paragrafo| !paragrafo.trim_ascii().is_empty())
                .collect(),
            paragrafo: 0,
            byte: 0,
        }
    }

    pub fn acabou(&self) -> bool {
        self.paragrafo >= self.paragrafos.len()
    }

    /// Lines that the rest takes at a width.
    pub fn linhas(&self, largura: f32) -> usize {
        self.resto()
            .map(|parte| quebrar(parte, Fonte::Times, TAMANHO, largura).len())
            .sum()
    }

    fn resto(&self) -> impl Iterator<Item = &[u8]> {
        let depois = self.paragrafos.iter().skip(self.paragrafo).enumerate();
        depois.map(|(at, paragrafo)| {
            let desde = if at == 0 { self.byte } else { 0 };
            paragrafo.get(desde..).unwrap_or(&[])
        })
    }

    /// The next lines, at most so many.
    pub fn tirar(&mut self, maximo: usize, largura: f32) -> Vec<Vec<u8>> {
        let mut out: Vec<Vec<u8>> = Vec::new();
        while out.len() < maximo {
            let Some(paragrafo) = self.paragrafos.get(self.paragrafo) else {
                break;
            };
            let resto = paragrafo.get(self.byte..).unwrap_or(&[]);
            let linhas = quebrar(resto, Fonte::Times, TAMANHO, largura);
            let cabem = maximo - out.len();
            out.extend(linhas.iter().take(cabem).map(|linha| linha.to_vec()));
            match linhas.get(cabem) {
                // A line is a part of the paragraph: where it begins is how far
                // the lines before it went.
                Some(proxima) => {
                    let salto = proxima.as_ptr().addr() - resto.as_ptr().addr();
                    self.byte += salto;
                }
                None => {
                    self.paragrafo += 1;
                    self.byte = 0;
                }
            }
        }
        out
    }
}

/// Everything to be said there, in order; `volumes` and what did not fit are
/// those of the blocks.
pub(super) fn paragrafos(
    nota: &Nota<'_>,
    opcoes: &Opcoes<'_>,
    volumes: usize,
    sobras: &[(String, String)],
) -> Vec<String> {
    let mut out = Vec::new();
    avisos(&mut out, nota, opcoes);
    let adic = nota.inf.no("infAdic");
    let fisco = adic.t("infAdFisco");
    if !fisco.is_empty() {
        let inicio = out.len();
        quebrar_linhas(&mut out, &fisco, opcoes);
        if let Some(primeira) = out.get_mut(inicio) {
            primeira.insert_str(0, "Inf. fisco: ");
        }
    }
    quebrar_linhas(&mut out, &adic.t("infCpl"), opcoes);
    credito_do_simples(&mut out, nota);
    for nome in ["obsCont", "obsFisco"] {
        for obs in adic.todos(nome) {
            out.push(unir([obs.atributo("xCampo"), &*obs.t("xTexto")], ": "));
        }
    }
    for nref in nota.ide.todos("NFref") {
        out.push(referencia(nref));
    }
    for processo in adic.todos("procRef") {
        out.push(format!("Processo: {}", processo.t("nProc")));
    }
    comercio(&mut out, nota);
    pagamentos(&mut out, nota);
    transporte(&mut out, nota.inf.no("transp"), volumes);
    avulsa(&mut out, nota.inf.no("avulsa"));
    out.extend(
        sobras
            .iter()
            .map(|(rotulo, texto)| format!("{rotulo}: {texto}")),
    );
    out
}

fn avisos(out: &mut Vec<String>, nota: &Nota<'_>, opcoes: &Opcoes<'_>) {
    if nota.homologacao() {
        out.push("NF-e EMITIDA EM AMBIENTE DE HOMOLOGAÇÃO - SEM VALOR FISCAL".to_owned());
    }
    if opcoes.cancelada {
        out.push("NF-e CANCELADA".to_owned());
    }
    if nota.denegada() {
        out.push(format!("USO DENEGADO: {}", nota.prot.t("xMotivo")));
    }
    out.extend(opcoes.marca.map(str::to_owned));
    // Wording of MOC 7.0, Anexo II, second-hand; forms 2, 4 and 5 are hardly
    // issued any more, but are read.
    let contingencia = match &*nota.ide.t("tpEmis") {
        "2" | "5" => "DANFE EM CONTINGÊNCIA - IMPRESSO EM DECORRÊNCIA DE PROBLEMAS TÉCNICOS",
        "4" => {
            "DANFE IMPRESSO EM CONTINGÊNCIA - EPEC REGULARMENTE RECEBIDO PELA RECEITA FEDERAL DO BRASIL"
        }
        "6" => "EMITIDA EM CONTINGÊNCIA - SVC-AN",
        "7" => "EMITIDA EM CONTINGÊNCIA - SVC-RS",
        "9" if nota.prot.existe() => "EMITIDA EM CONTINGÊNCIA OFF-LINE",
        "9" => "EMITIDA EM CONTINGÊNCIA - PENDENTE DE AUTORIZAÇÃO",
        _ => return,
    };
    let (dia, hora) = data_e_hora(&nota.ide.t("dhCont"));
    let inicio = unir([&*dia, &*hora], " ");
    let inicio = if inicio.is_empty() {
        String::new()
    } else {
        format!("Início: {inicio}")
    };
    let motivo = nota.ide.t("xJust");
    let motivo = if motivo.is_empty() {
        String::new()
    } else {
        format!("Motivo: {motivo}")
    };
    out.push(unir([contingencia, &*inicio, &*motivo], ". "));
}

/// The credit the buyer may take, which the table of items has no column for;
/// unless the issuer's own text says it.
fn credito_do_simples(out: &mut Vec<String>, nota: &Nota<'_>) {
    if out.iter().any(|texto| simples_credit::ja_diz(texto)) {
        return;
    }
    let creditos: Vec<_> = nota
        .itens()
        .map(|det| {
            let icms = det.no("imposto").no("ICMS").primeiro();
            (icms.t("pCredSN"), icms.t("vCredICMSSN"))
        })
        .collect();
    let pares = creditos.iter().map(|(taxa, valor)| (&**taxa, &**valor));
    out.extend(simples_credit::texto(pares));
}

fn quebrar_linhas(out: &mut Vec<String>, texto: &str, opcoes: &Opcoes<'_>) {
    let quebra = |c: char| c == '\n' || (c == ';' && opcoes.quebrar_em_ponto_e_virgula);
    let partes = texto.split(quebra).map(str::trim);
    out.extend(partes.filter(|parte| !parte.is_empty()).map(str::to_owned));
}

fn referencia(nref: No<'_>) -> String {
    let chave = nref.um_de(&["refNFe", "refNFeSig"]);
    if !chave.is_empty() {
        return format!("NF-e referenciada: {}", agrupar(&chave, 4, " "));
    }
    let cte = nref.t("refCTe");
    if !cte.is_empty() {
        return format!("CT-e referenciado: {}", agrupar(&cte, 4, " "));
    }
    let ecf = nref.no("refECF");
    if ecf.existe() {
        return format!(
            "Cupom referenciado: modelo {} ECF {} COO {}",
            ecf.t("mod"),
            ecf.t("nECF"),
            ecf.t("nCOO")
        );
    }
    let papel = nref.no("refNF");
    let papel = if papel.existe() {
        papel
    } else {
        nref.no("refNFP")
    };
    format!(
        "NF referenciada: modelo {} série {} nº {} {} emitente {}",
        papel.t("mod"),
        papel.t("serie"),
        papel.t("nNF"),
        papel.t("AAMM"),
        documento(&papel.um_de(&["CNPJ", "CPF"]))
    )
}

fn comercio(out: &mut Vec<String>, nota: &Nota<'_>) {
    let exporta = nota.inf.no("exporta");
    let compra = nota.inf.no("compra");
    let intermediador = nota.inf.no("infIntermed");
    let cadastro = intermediador.um_de(&["CNPJ"]);
    let grupos: [&[(&str, String)]; 3] = [
        &[
            (
                "UF de saída",
                exporta.um_de(&["UFSaidaPais", "UFEmbarq"]).into_owned(),
            ),
            (
                "Embarque",
                exporta.um_de(&["xLocExporta", "xLocEmbarq"]).into_owned(),
            ),
            ("Despacho", exporta.t("xLocDespacho").into_owned()),
        ],
        &[
            ("Nota de empenho", compra.t("xNEmp").into_owned()),
            ("Pedido", compra.t("xPed").into_owned()),
            ("Contrato", compra.t("xCont").into_owned()),
        ],
        &[
            ("Intermediador", documento(&cadastro)),
            (
                "Cadastro no intermediador",
                intermediador.t("idCadIntTran").into_owned(),
            ),
        ],
    ];
    for grupo in grupos {
        let partes: Vec<String> = grupo
            .iter()
            .filter(|(_, texto)| !texto.is_empty())
            .map(|(nome, texto)| format!("{nome}: {texto}"))
            .collect();
        out.push(partes.join("  "));
    }
}

fn pagamentos(out: &mut Vec<String>, nota: &Nota<'_>) {
    let mut partes: Vec<String> = nota
        .pagamentos()
        .into_iter()
        .filter(|det| det.t("tPag") != "90")
        .map(|det| {
            let outra = det.t("xPag");
            let forma = forma_de_pagamento(&det.t("tPag"));
            let forma = if outra.is_empty() { forma } else { &*outra };
            format!("{forma} R$ {}", valor(&det.t("vPag")))
        })
        .collect();
    let troco = nota.inf.no("pag").t("vTroco");
    if crate::danfe::values::positivo(&troco) {
        partes.push(format!("troco R$ {}", valor(&troco)));
    }
    if !partes.is_empty() {
        out.push(format!("Pagamento: {}", partes.join(" | ")));
    }
}

fn transporte(out: &mut Vec<String>, transp: No<'_>, volumes: usize) {
    for reboque in transp.todos("reboque") {
        out.push(format!(
            "Reboque: {}",
            unir(
                [&*reboque.t("placa"), &*reboque.t("UF"), &*reboque.t("RNTC")],
                " "
            )
        ));
    }
    for (nome, rotulo) in [("vagao", "Vagão"), ("balsa", "Balsa")] {
        let valor = transp.t(nome);
        if !valor.is_empty() {
            out.push(format!("{rotulo}: {valor}"));
        }
    }
    let ret = transp.no("retTransp");
    if ret.existe() {
        out.push(format!(
            "ICMS retido do transporte: serviço {} base {} valor {}",
            valor(&ret.t("vServ")),
            valor(&ret.t("vBCRet")),
            valor(&ret.t("vICMSRet"))
        ));
    }
    let lacres: Vec<String> = transp
        .todos("vol")
        .flat_map(|vol| {
            vol.todos("lacres")
                .map(|l| l.t("nLacre").into_owned())
                .collect::<Vec<_>>()
        })
        .collect();
    if !lacres.is_empty() {
        out.push(format!("Lacres: {}", lacres.join(", ")));
    }
    for vol in transp.todos("vol").skip(volumes) {
        let (bruto, liquido) = (peso(&vol.t("pesoB")), peso(&vol.t("pesoL")));
        out.push(format!(
            "Volume: {}  Peso bruto: {bruto}  Peso líquido: {liquido}",
            unir(
                [
                    &*inteiro(&vol.t("qVol")),
                    &*vol.t("esp"),
                    &*vol.t("marca"),
                    &*vol.t("nVol")
                ],
                " "
            )
        ));
    }
}

/// A note that the tax office issued for somebody.
fn avulsa(out: &mut Vec<String>, avulsa: No<'_>) {
    if !avulsa.existe() {
        return;
    }
    out.push(format!(
        "NF-e avulsa emitida por {}",
        unir(
            [
                &*avulsa.t("xOrgao"),
                &*documento(&avulsa.t("CNPJ")),
                &*avulsa.t("repEmi"),
                &*unir(["DAR", &*avulsa.t("nDAR"), &*valor(&avulsa.t("vDAR"))], " "),
            ],
            ", "
        )
    ));
}

/// For a correction letter: who a party is, in one line.
pub(in crate::danfe) fn quem(pessoa: No<'_>, ender: No<'_>) -> String {
    unir(
        [
            &*endereco(ender),
            &*ender.t("xBairro"),
            &*unir([&*ender.t("xMun"), &*ender.t("UF")], " - "),
            &*pessoa.t("email"),
        ],
        ", ",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_lines_in_pieces_loses_and_repeats_nothing() {
        let fonte: Vec<String> = (0..40)
            .map(|n| format!("Parágrafo {n}: ") + &format!("palavra{n} ").repeat(n))
            .collect();
        for (largura, por_vez) in [(50.0, 1), (80.0, 3), (200.0, 7), (1.0, 5), (900.0, 1000)] {
            let mut texto = Texto::novo(fonte.iter().map(String::as_str));
            let mut lidas = Vec::new();
            let mut vezes = 0;
            while !texto.acabou() {
                let restam = texto.linhas(largura);
                let novas = texto.tirar(por_vez, largura);
                assert_eq!(novas.len(), restam.min(por_vez));
                lidas.extend(novas);
                vezes += 1;
                assert!(vezes < 100_000);
            }
            let junto: Vec<u8> = lidas.concat().into_iter().filter(|b| *b != b' ').collect();
            let todo = win_ansi(&fonte.concat());
            let todo: Vec<u8> = todo.into_iter().filter(|b| *b != b' ').collect();
            assert_eq!(junto, todo, "{largura}");
        }
    }
}
