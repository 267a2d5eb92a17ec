//! `ide`: what the note is, and what it refers to.

use crate::assembly::parties;
use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{CompraGovernamental, Finalidade, NotaPapel, Referencia, TipoOperacao};
use markup::ids::chave::Chave;
use markup::tree::Elemento;
use time::format_description::well_known::Rfc3339;
use time::macros::{date, format_description};
use time::{Date, OffsetDateTime};

/// Highest number of referred documents (MOC, BA01).
const MAX_REFERENCIAS: usize = 999;
const MAX_ANTECIPADOS: usize = 99;

pub(super) fn ide(ctx: &mut Contexto<'_>, dv: u8) -> Elemento {
    let (pedido, dados) = (ctx.pedido, ctx.dados);
    let natureza = pedido.natureza_operacao.as_deref().or(ctx
        .emitente
        .padroes
        .natureza_operacao
        .as_deref());
    let natureza = ctx
        .texto(Onde::raiz("natureza_operacao"), natureza, 60)
        .unwrap_or_else(|| natureza_usual(ctx).to_owned());
    let saida = pedido.data_saida.as_deref().filter(|_| !ctx.nfce());
    let saida = saida.and_then(|texto| data_hora(ctx, Onde::raiz("data_saida"), texto));
    let municipio = pedido
        .municipio_fato_gerador
        .as_deref()
        .or(ctx.emitente.endereco.codigo_ibge.as_deref())
        .unwrap_or_default();
    let mut ide = Elemento::grupo("ide")
        .com("cUF", ctx.uf.codigo.to_string())
        .com("cNF", format!("{:08}", dados.c_nf))
        .com("natOp", natureza)
        .com("mod", dados.modelo.codigo().to_string())
        .com("serie", dados.serie.to_string())
        .com("nNF", dados.numero.to_string())
        .com("dhEmi", hora(dados.dh_emi))
        .com_se("dhSaiEnt", saida)
        .com("tpNF", ctx.operacao.codigo())
        .com("idDest", ctx.destino.codigo())
        .com("cMunFG", municipio.trim())
        // 1: portrait; 4: DANFE NFC-e.
        .com("tpImp", if ctx.nfce() { "4" } else { "1" })
        .com("tpEmis", dados.tp_emis.to_string())
        .com("cDV", dv.to_string())
        .com("tpAmb", dados.ambiente.codigo())
        .com("finNFe", ctx.finalidade.codigo())
        .com("indFinal", if ctx.consumidor_final { "1" } else { "0" })
        .com("indPres", ctx.presenca.codigo())
        .com_se("indIntermed", indicador_intermediador(ctx))
        // 0: own application.
        .com("procEmi", "0")
        .com("verProc", ver_proc(&dados.ver_proc));
    ide = ide.filhos(referencias(ctx));
    ide.filho_se(compra_governamental(
        ctx,
        pedido.compra_governamental.as_ref(),
    ))
    .filho_se(antecipados(ctx))
}

fn ver_proc(texto: &str) -> String {
    let limpo: String = markup::layout::normalizar_texto(texto)
        .chars()
        .take(20)
        .collect();
    if limpo.is_empty() {
        "1".to_owned()
    } else {
        limpo
    }
}

fn natureza_usual(ctx: &Contexto<'_>) -> &'static str {
    match (ctx.finalidade, ctx.operacao) {
        (Finalidade::Devolucao, _) => "Devolucao de mercadoria",
        (Finalidade::Complementar, _) => "Complemento",
        (Finalidade::Ajuste, _) => "Ajuste",
        (Finalidade::NotaCredito, _) => "Nota de credito",
        (Finalidade::NotaDebito, _) => "Nota de debito",
        (Finalidade::Normal, TipoOperacao::Saida) => "Venda de mercadoria",
        (Finalidade::Normal, TipoOperacao::Entrada) => "Entrada de mercadoria",
    }
}

/// Asked for sales at a distance only (MOC, B25c; rejections 434 and 435).
fn indicador_intermediador(ctx: &Contexto<'_>) -> Option<&'static str> {
    let a_distancia = ctx.presenca.is_a_distancia();
    a_distancia.then_some(if ctx.pedido.intermediador.is_some() {
        "1"
    } else {
        "0"
    })
}

/// `AAAA-MM-DDThh:mm:ss±hh:mm`, without fraction (TDateTimeUTC).
pub(super) fn hora(hora: OffsetDateTime) -> String {
    let formato = format_description!(
        "[year]-[month]-[day]T[hour]:[minute]:[second][offset_hour sign:mandatory]:[offset_minute]"
    );
    hora.format(formato).unwrap_or_default()
}

fn data_hora(ctx: &mut Contexto<'_>, onde: Onde<'_>, texto: &str) -> Option<String> {
    match OffsetDateTime::parse(texto.trim(), &Rfc3339) {
        Ok(lida) => Some(hora(lida)),
        Err(_) => {
            ctx.erro(
                onde,
                "data_invalida",
                "Data e hora inválidas.",
                "Use o formato 2026-10-05T10:15:00-03:00.",
            );
            None
        }
    }
}

/// `AAAA-MM-DD`.
pub(super) fn data(ctx: &mut Contexto<'_>, onde: Onde<'_>, texto: Option<&str>) -> Option<String> {
    let texto = texto?.trim();
    match Date::parse(texto, format_description!("[year]-[month]-[day]")) {
        Ok(data) if (2000..2100).contains(&data.year()) => Some(texto.to_owned()),
        _ => {
            ctx.erro(
                onde,
                "data_invalida",
                "Data inválida.",
                "Use o formato 2026-10-05.",
            );
            None
        }
    }
}

/// A key of any document, checked.
pub(super) fn chave(ctx: &mut Contexto<'_>, onde: Onde<'_>, texto: Option<&str>) -> Option<Chave> {
    match Chave::parse(texto?) {
        Ok(chave) => Some(chave),
        Err(_) => {
            ctx.erro(
                onde,
                "chave_invalida",
                "Chave de acesso inválida: confira as 44 posições e o dígito verificador.",
                "Informe a chave como está no documento.",
            );
            None
        }
    }
}

/// From this day a return names what it returns item by item, not in `NFref`
/// (rule VC02-14, NT 2025.002 v1.40 and v1.52; second-hand, not confirmed).
pub(super) fn devolucao_por_item(ctx: &Contexto<'_>) -> bool {
    ctx.finalidade == Finalidade::Devolucao && ctx.dados.dh_emi.date() >= date!(2026 - 11 - 03)
}

fn referencias(ctx: &mut Contexto<'_>) -> Vec<Elemento> {
    let pedido = ctx.pedido;
    if pedido.referencias.len() > MAX_REFERENCIAS {
        ctx.erro(
            Onde::raiz("referencias"),
            "limite",
            "São no máximo 999 documentos referenciados.",
            "Retire os excedentes.",
        );
        return Vec::new();
    }
    let por_item = devolucao_por_item(ctx);
    let mut grupos = Vec::new();
    for (i, referencia) in pedido.referencias.iter().enumerate() {
        let onde = Onde::lista("referencias", i);
        let elemento = uma(ctx, onde, referencia);
        let eletronica = elemento.as_ref().is_some_and(|e| e.nome == "refNFe");
        if let Some(elemento) = elemento
            && !(por_item && eletronica)
        {
            grupos.push(Elemento::grupo("NFref").filho(elemento));
        }
    }
    grupos
}

fn uma(ctx: &mut Contexto<'_>, onde: Onde<'_>, referencia: &Referencia) -> Option<Elemento> {
    if let Some(texto) = &referencia.chave {
        let chave = chave(ctx, onde.em("chave"), Some(texto))?;
        let nome = if chave.modelo() == 57 {
            "refCTe"
        } else {
            "refNFe"
        };
        return Some(Elemento::campo(nome, chave.as_str()));
    }
    if let Some(texto) = &referencia.chave_sigilosa {
        // Its `cNF` is zeroed, so the check digit says nothing.
        let limpa = ctx.codigo(Some(texto)).unwrap_or_default();
        return Some(Elemento::campo("refNFeSig", limpa));
    }
    if let Some(nota) = &referencia.nota_papel {
        let onde = onde.em("nota_papel");
        let grupo = papel(ctx, onde, "refNF", nota);
        let cnpj = parties::cnpj(ctx, onde.em("cnpj"), "CNPJ", nota.cnpj.as_deref());
        return Some(grupo.filho_se(cnpj).filhos(fim_papel(nota)));
    }
    if let Some(nota) = &referencia.nota_produtor {
        let onde = onde.em("nota_produtor");
        let comum = NotaPapel {
            uf: nota.uf.clone(),
            mes: nota.mes.clone(),
            cnpj: None,
            modelo: nota.modelo.clone(),
            serie: nota.serie.clone(),
            numero: nota.numero.clone(),
        };
        let grupo = papel(ctx, onde, "refNFP", &comum);
        let documento = parties::cpf_cnpj(ctx, onde.em("cpf_cnpj"), nota.cpf_cnpj.as_deref());
        return Some(
            grupo
                .filho_se(documento)
                .com("IE", parties::so_ie(nota.ie.as_deref().unwrap_or("ISENTO")))
                .filhos(fim_papel(&comum)),
        );
    }
    if let Some(cupom) = &referencia.cupom {
        let texto = |campo: &Option<String>| campo.as_deref().unwrap_or_default().trim().to_owned();
        return Some(
            Elemento::grupo("refECF")
                .com("mod", texto(&cupom.modelo))
                .com("nECF", texto(&cupom.numero_ecf))
                .com("nCOO", texto(&cupom.coo)),
        );
    }
    ctx.falta(
        onde.em("chave"),
        "Informe a chave do documento referenciado.",
    );
    None
}

fn papel(ctx: &mut Contexto<'_>, onde: Onde<'_>, nome: &'static str, nota: &NotaPapel) -> Elemento {
    let uf = nota
        .uf
        .as_deref()
        .and_then(|uf| data::ufs::por_sigla(&uf.trim().to_ascii_uppercase()));
    if uf.is_none() {
        ctx.falta(onde.em("uf"), "Informe a sigla da UF de quem emitiu.");
    }
    let aamm = nota.mes.as_deref().and_then(|mes| {
        let (ano, mes) = mes.trim().strip_prefix("20")?.split_once('-')?;
        (ano.len() == 2 && mes.len() == 2).then(|| format!("{ano}{mes}"))
    });
    if aamm.is_none() {
        ctx.erro(
            onde.em("mes"),
            "data_invalida",
            "Falta o mês de emissão.",
            "Use o formato 2026-10.",
        );
    }
    Elemento::grupo(nome)
        .com(
            "cUF",
            uf.map(|uf| uf.codigo.to_string()).unwrap_or_default(),
        )
        .com("AAMM", aamm.unwrap_or_default())
}

fn fim_papel(nota: &NotaPapel) -> [Elemento; 3] {
    let texto = |campo: &Option<String>, usual: &str| {
        let texto = campo.as_deref().unwrap_or(usual).trim().to_owned();
        match texto.trim_start_matches('0') {
            "" => "0".to_owned(),
            sem_zeros => sem_zeros.to_owned(),
        }
    };
    [
        Elemento::campo("mod", nota.modelo.as_deref().unwrap_or("01").trim()),
        Elemento::campo("serie", texto(&nota.serie, "0")),
        Elemento::campo("nNF", texto(&nota.numero, "")),
    ]
}

fn compra_governamental(
    ctx: &mut Contexto<'_>,
    compra: Option<&CompraGovernamental>,
) -> Option<Elemento> {
    let compra = compra?;
    let onde = Onde::raiz("compra_governamental");
    let mut grupo = Elemento::grupo("gCompraGov");
    for (i, texto) in compra
        .referencias
        .iter()
        .take(MAX_ANTECIPADOS + 1)
        .enumerate()
    {
        if let Some(chave) = chave(ctx, onde.n("referencias", i), Some(texto)) {
            grupo.poe(Elemento::campo("refDFeAnt", chave.as_str()));
        }
    }
    Some(grupo)
}

fn antecipados(ctx: &mut Contexto<'_>) -> Option<Elemento> {
    let pedido = ctx.pedido;
    if pedido.pagamentos_antecipados.is_empty() {
        return None;
    }
    let mut grupo = Elemento::grupo("gPagAntecipado");
    for (i, texto) in pedido
        .pagamentos_antecipados
        .iter()
        .take(MAX_ANTECIPADOS + 1)
        .enumerate()
    {
        let onde = Onde::lista("pagamentos_antecipados", i);
        if let Some(chave) = chave(ctx, onde, Some(texto)) {
            grupo.poe(Elemento::campo("refNFe", chave.as_str()));
        }
    }
    Some(grupo)
}
