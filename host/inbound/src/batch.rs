//! What an answer of the distribution holds, read: notes, summaries, events.

use fiscal::nfe::reading::{LeituraError, answers, ler};
use flow::contract::Documento;
use issuing::issue::centavos;
use markup::ids::chave::Chave;
use markup::xml::{Document, XmlError};
use rust_decimal::Decimal;
use store::tables::recebidas::RecebidaSituacao;

/// A document of the distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recebido {
    /// 0: the authority did not say.
    pub nsu: i64,
    /// Byte for byte as it came.
    pub xml: Vec<u8>,
    pub lido: Lido,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lido {
    Nota(Nota),
    Evento(Evento),
}

/// A note, or its summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nota {
    pub completa: bool,
    pub chave: String,
    pub situacao: RecebidaSituacao,
    /// CNPJ or CPF.
    pub emitente: String,
    pub nome: String,
    pub emitida_em: String,
    pub valor: String,
    pub valor_centavos: i64,
    pub protocolo: String,
}

/// An event of a received note, or of one of the company's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evento {
    pub chave: String,
    /// `tpEvento`.
    pub codigo: String,
    pub descricao: String,
    pub sequencia: u8,
    pub registrado_em: String,
    pub protocolo: String,
}

/// Why a document was left out.
#[derive(Debug, thiserror::Error)]
pub enum LoteError {
    #[error("no bytes")]
    Vazio,
    #[error("not UTF-8")]
    Texto,
    #[error(transparent)]
    Xml(#[from] XmlError),
    #[error(transparent)]
    Leitura(#[from] LeituraError),
    #[error("no access key")]
    Chave,
    /// The distribution of NF-e has no other kinds (MOC 7.0 §5.7).
    #[error("unknown kind of document")]
    Tipo,
}

/// Reads one document, as the adapter gave it.
///
/// # Errors
/// It is none of the four kinds, or cannot be read.
pub fn ler_documento(documento: Documento) -> Result<Recebido, LoteError> {
    let nsu = documento.numero.as_deref().map_or(0, numero);
    let xml = documento
        .xml
        .filter(|xml| !xml.is_empty())
        .ok_or(LoteError::Vazio)?;
    let text = std::str::from_utf8(&xml).map_err(|_| LoteError::Texto)?;
    let doc = Document::parse(text)?;
    let lido = match documento.tipo.as_str() {
        "resNFe" => Lido::Nota(resumo(&doc)?),
        "procNFe" => Lido::Nota(completa(&doc)?),
        "resEvento" => Lido::Evento(resumo_evento(&doc)?),
        "procEventoNFe" => Lido::Evento(evento(&doc)?),
        _ => return Err(LoteError::Tipo),
    };
    let chave = match &lido {
        Lido::Nota(nota) => &nota.chave,
        Lido::Evento(evento) => &evento.chave,
    };
    Chave::parse(chave).map_err(|_| LoteError::Chave)?;
    drop(doc);
    Ok(Recebido { nsu, xml, lido })
}

/// An NSU: up to 15 digits; 0 for anything else.
pub fn numero(text: &str) -> i64 {
    let digits = text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).unwrap_or(0)
}

fn resumo(doc: &Document<'_>) -> Result<Nota, LoteError> {
    let resumo = answers::resumo_nota(doc)?;
    Ok(Nota {
        completa: false,
        chave: resumo.chave,
        situacao: match resumo.situacao.as_str() {
            "2" => RecebidaSituacao::Denegada,
            "3" => RecebidaSituacao::Cancelada,
            _ => RecebidaSituacao::Autorizada,
        },
        emitente: resumo.emitente,
        nome: resumo.nome,
        emitida_em: resumo.emitida_em,
        valor_centavos: em_centavos(&resumo.valor),
        valor: resumo.valor,
        protocolo: resumo.protocolo,
    })
}

fn completa(doc: &Document<'_>) -> Result<Nota, LoteError> {
    let nota = ler(doc)?;
    let protocolo = answers::protocolo(doc)?;
    let text = |caminho: &str| nota.texto(caminho).unwrap_or_default().to_owned();
    let valor = text("totais.valor_total");
    Ok(Nota {
        completa: true,
        chave: nota.chave.to_owned(),
        situacao: match protocolo.status.as_str() {
            "110" | "301" | "302" | "303" => RecebidaSituacao::Denegada,
            _ => RecebidaSituacao::Autorizada,
        },
        emitente: text("emitente.cpf_cnpj"),
        nome: text("emitente.nome"),
        emitida_em: text("data_emissao"),
        valor_centavos: em_centavos(&valor),
        valor,
        protocolo: protocolo.numero.unwrap_or_default(),
    })
}

fn resumo_evento(doc: &Document<'_>) -> Result<Evento, LoteError> {
    let resumo = answers::resumo_evento(doc)?;
    Ok(Evento {
        chave: resumo.chave,
        codigo: resumo.tipo,
        descricao: resumo.descricao,
        sequencia: resumo.sequencia,
        registrado_em: resumo.registrado_em,
        protocolo: resumo.protocolo,
    })
}

fn evento(doc: &Document<'_>) -> Result<Evento, LoteError> {
    let lido = answers::evento_processado(doc)?;
    Ok(Evento {
        chave: lido.evento.chave,
        codigo: lido.evento.tipo,
        descricao: lido.evento.descricao,
        sequencia: lido.evento.sequencia,
        registrado_em: lido.retorno.registrado_em,
        protocolo: lido.retorno.protocolo.unwrap_or_default(),
    })
}

fn em_centavos(valor: &str) -> i64 {
    valor.parse::<Decimal>().map_or(0, centavos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flow::contract::Situacao;

    const CHAVE: &str = "35261199888777000100550010000000011123456780";

    fn documento(tipo: &str, xml: &str) -> Documento {
        Documento {
            tipo: tipo.to_owned(),
            situacao: Situacao::Consultado,
            xml: Some(xml.as_bytes().to_vec()),
            numero: Some("000000000000007".to_owned()),
            serie: None,
            chave: None,
            codigo_verificacao: None,
            protocolo: None,
            emitido_em: None,
            url_consulta: None,
            valores: Vec::new(),
        }
    }

    fn chave() -> String {
        let body = &CHAVE[..43];
        format!("{body}{}", markup::ids::chave::digito(body.as_bytes()))
    }

    fn resumo_de(situacao: &str) -> String {
        format!(
            "<resNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.01\"><chNFe>{}</chNFe><CNPJ>99888777000100</CNPJ><xNome>A &amp; B</xNome>\
             <IE>1</IE><dhEmi>2026-11-20T10:00:00-03:00</dhEmi><tpNF>1</tpNF><vNF>1234.50</vNF><digVal>x</digVal>\
             <dhRecbto>2026-11-20T10:00:01-03:00</dhRecbto><nProt>135</nProt><cSitNFe>{situacao}</cSitNFe></resNFe>",
            chave()
        )
    }

    #[test]
    fn a_summary_is_read() {
        for (code, word) in [
            ("1", RecebidaSituacao::Autorizada),
            ("2", RecebidaSituacao::Denegada),
            ("3", RecebidaSituacao::Cancelada),
        ] {
            let read = ler_documento(documento("resNFe", &resumo_de(code))).expect("read");
            let Lido::Nota(nota) = read.lido else {
                panic!("a note");
            };
            assert_eq!((read.nsu, nota.situacao, nota.completa), (7, word, false));
            assert_eq!(
                (nota.nome.as_str(), nota.valor_centavos),
                ("A & B", 123_450)
            );
        }
    }

    #[test]
    fn what_is_not_understood_is_left_out() {
        let summary = resumo_de("1");
        for (tipo, xml) in [
            ("resCTe", summary.as_str()),
            ("resNFe", ""),
            ("resNFe", "<a"),
            ("resNFe", "<a/>"),
            ("procNFe", &summary),
            ("resEvento", &summary),
            ("procEventoNFe", &summary),
            ("resNFe", &summary.replace(&chave(), "123")),
        ] {
            assert!(ler_documento(documento(tipo, xml)).is_err(), "{tipo} {xml}");
        }
        assert_eq!(
            (numero("15"), numero("x"), numero("1234567890123456")),
            (15, 0, 0)
        );
    }
}
