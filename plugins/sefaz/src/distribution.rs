//! Operation "distribuicao": documents of interest of a CNPJ or CPF, as the
//! national environment hands them out.

use crate::Chamada;
use crate::answer::cstat::{Classe, Estado};
use crate::answer::{Retorno, texto};
use crate::content::{self, Distribuicao};
use crate::ids;
use crate::request::{mensagem, tp_amb};
use crate::service::Servico;
use sdk::gzip::{self, GzipError};
use sdk::xml::Element;
use sdk::{
    Conteudo, Documento, Failure, FailureReason, Flow, Mensagem, Outcome, Situacao, Success, b64,
};
use serde_json::json;

/// Schema of the answer.
const RESPOSTA: &str = "sefaz.distribuicao.resposta/1";
/// Version of distDFeInt.
const VERSAO: &str = "1.01";
/// Most documents of one answer: the service gives 50 at a time.
const MAX_DOCUMENTOS: usize = 64;
/// Bytes of all decoded documents of one outcome. What comes after is asked
/// again: an adapter has 32 MiB, and its outcome may take half of that.
const MAX_BYTES: usize = 6 * 1024 * 1024;

pub async fn buscar(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let pedido: Distribuicao = content::ler(conteudo, content::DISTRIBUICAO)?;
    let chamada = Chamada::nova(flow)?;
    let retorno = chamada
        .perguntar(Servico::Distribuicao, &pergunta(flow, &pedido))
        .await?;
    let raiz = retorno.raiz();
    let Some(estado) = Estado::de(raiz) else {
        return Err(Failure::unexpected(
            "retDistDFeInt sem cStat",
            retorno.texto(),
        ));
    };
    let ambiente = texto(raiz, "tpAmb");
    if ambiente.is_some_and(|dito| dito != tp_amb(flow.ctx())) {
        return Err(Failure::unexpected(
            "distribuicao de outro ambiente",
            retorno.texto(),
        ));
    }
    let lote = match estado.cstat.as_str() {
        "138" => abrir(raiz),
        "137" => Lote::default(),
        _ => return Err(recusa(&estado, &retorno)),
    };
    if estado.cstat == "138" && lote.documentos.is_empty() {
        return Err(Failure::unexpected("138 sem docZip", retorno.texto()));
    }
    let resposta = json!({
        "cstat": estado.cstat,
        "motivo": estado.motivo,
        "ultimo_nsu": lote.cortado_em.clone().or_else(|| nsu(raiz, "ultNSU")),
        "max_nsu": nsu(raiz, "maxNSU"),
        "recebido_em": texto(raiz, "dhResp"),
        "cortada": lote.cortado_em.is_some(),
    });
    let sucesso = Success::new(Situacao::Consultado).mensagens(lote.mensagens);
    let mut sucesso = lote
        .documentos
        .into_iter()
        .fold(sucesso, Success::documento);
    sucesso.conteudo = Some(Conteudo {
        schema: RESPOSTA.into(),
        json: resposta.to_string(),
    });
    Ok(sucesso)
}

fn pergunta(flow: &Flow, pedido: &Distribuicao) -> String {
    mensagem("distDFeInt", VERSAO, |w| {
        w.leaf("tpAmb", tp_amb(flow.ctx()));
        let uf = pedido.uf_autor.map(|uf| uf.to_string());
        w.optional("cUFAutor", uf.as_deref());
        let tag = if ids::cpf(&pedido.documento) {
            "CPF"
        } else {
            "CNPJ"
        };
        w.leaf(tag, &pedido.documento);
        let quinze = |nsu: &String| format!("{nsu:0>15}");
        if let Some(ultimo) = &pedido.ultimo_nsu {
            w.group("distNSU", &[], |w| {
                w.leaf("ultNSU", &quinze(ultimo));
            });
        }
        if let Some(nsu) = &pedido.nsu {
            w.group("consNSU", &[], |w| {
                w.leaf("NSU", &quinze(nsu));
            });
        }
        if let Some(chave) = &pedido.chave {
            w.group("consChNFe", &[], |w| {
                w.leaf("chNFe", chave);
            });
        }
    })
}

/// A number of the sequence, when it is one.
fn nsu(raiz: &Element, campo: &str) -> Option<String> {
    raiz.text_at(campo)
        .filter(|nsu| ids::digitos(nsu, 1..=15))
        .map(|nsu| format!("{nsu:0>15}"))
}

/// A no. With 656 comes the NSU to go on from (NT 2014.002 v1.14,
/// second-hand): it goes along as messages, since a failure has no content.
fn recusa(estado: &Estado, retorno: &Retorno) -> Failure {
    let mut falha = estado.falha(retorno);
    if let (Classe::Indisponivel(_), FailureReason::Unavailable(motivo)) =
        (estado.classe(), &mut falha.reason)
    {
        let campos = [("ultimo_nsu", "ultNSU"), ("max_nsu", "maxNSU")];
        motivo
            .mensagens
            .extend(campos.iter().filter_map(|(codigo, campo)| {
                Some(Mensagem::new(codigo, &nsu(retorno.raiz(), campo)?))
            }));
    }
    falha
}

#[derive(Default)]
struct Lote {
    documentos: Vec<Documento>,
    mensagens: Vec<Mensagem>,
    /// NSU of the last document given, where others had no room.
    cortado_em: Option<String>,
}

fn abrir(raiz: &Element) -> Lote {
    let mut lote = Lote::default();
    let mut bytes = 0;
    let Some(lista) = raiz.child("loteDistDFeInt") else {
        return lote;
    };
    for zip in lista.children_named("docZip") {
        let numero = zip.attribute("NSU").unwrap_or_default().to_owned();
        // Some room for the next one, or it waits; the first is always given.
        let resto = MAX_BYTES.saturating_sub(bytes);
        if !lote.documentos.is_empty() && (resto == 0 || lote.documentos.len() >= MAX_DOCUMENTOS) {
            lote.cortado_em = ultimo(&lote);
            return lote;
        }
        let aberto = b64::decode(zip.text())
            .ok_or(GzipError::NotBase64)
            .and_then(|zip| gzip::decompress(&zip, resto.max(1)));
        if aberto == Err(GzipError::TooLarge) && bytes > 0 {
            lote.cortado_em = ultimo(&lote);
            return lote;
        }
        let xml = aberto.ok();
        if xml.is_none() {
            lote.mensagens.push(Mensagem::new(
                "doczip_ilegivel",
                &format!("O documento do NSU {numero} não pôde ser lido."),
            ));
        }
        bytes += xml.as_ref().map_or(0, Vec::len);
        lote.documentos.push(documento(zip, numero, xml));
    }
    lote
}

fn ultimo(lote: &Lote) -> Option<String> {
    let ultimo = lote.documentos.last()?.numero.as_deref()?;
    Some(format!("{ultimo:0>15}"))
}

fn documento(zip: &Element, numero: String, xml: Option<Vec<u8>>) -> Documento {
    let schema = zip.attribute("schema").unwrap_or_default();
    // "procNFe_v4.00.xsd"
    let tipo = schema.split(['_', '.']).next().unwrap_or_default();
    let mut documento = Documento::new(tipo, Situacao::Consultado);
    documento.numero = Some(numero);
    documento.chave = xml.as_deref().and_then(chave);
    documento.valor("schema", Some(schema));
    documento.xml = xml;
    documento
}

/// Text of the first chNFe: every kind of document has one.
fn chave(xml: &[u8]) -> Option<String> {
    const TAG: &[u8] = b"chNFe>";
    let inicio = xml.windows(TAG.len()).position(|parte| parte == TAG)? + TAG.len();
    let texto = std::str::from_utf8(xml.get(inicio..inicio + ids::CHAVE)?).ok()?;
    ids::chave(texto).then(|| texto.to_owned())
}
