//! The fields of the events of every day, from typed values.

use serde_json::{Value, json};

use super::econf::Pagamento;
use crate::nfe::event::catalogue::busca;
use crate::nfe::event::kind::Tipo;

/// What the addressee says of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manifestacao {
    Confirmacao,
    Ciencia,
    Desconhecimento,
    NaoRealizada,
}

impl Manifestacao {
    /// Reads the API's word (`operacao_nao_realizada` is an alias) or the code.
    pub fn parse(texto: &str) -> Option<Manifestacao> {
        Some(match texto {
            "confirmacao" | "210200" => Manifestacao::Confirmacao,
            "ciencia" | "210210" => Manifestacao::Ciencia,
            "desconhecimento" | "210220" => Manifestacao::Desconhecimento,
            "nao_realizada" | "operacao_nao_realizada" | "210240" => Manifestacao::NaoRealizada,
            _ => return None,
        })
    }

    /// `tpEvento`.
    pub fn codigo(self) -> &'static str {
        match self {
            Manifestacao::Confirmacao => "210200",
            Manifestacao::Ciencia => "210210",
            Manifestacao::Desconhecimento => "210220",
            Manifestacao::NaoRealizada => "210240",
        }
    }
}

/// Type and fields of a cancelling (110111).
pub fn cancelamento(protocolo: &str, justificativa: &str) -> Option<(&'static Tipo, Value)> {
    let dados = json!({ "protocolo": protocolo, "justificativa": justificativa });
    Some((busca("110111")?, dados))
}

/// Type and fields of a cancelling by substitution (110112, model 65).
pub fn cancelamento_por_substituicao(
    protocolo: &str,
    justificativa: &str,
    chave_substituta: &str,
) -> Option<(&'static Tipo, Value)> {
    let dados = json!({
        "protocolo": protocolo,
        "justificativa": justificativa,
        "chave_substituta": chave_substituta,
    });
    Some((busca("110112")?, dados))
}

/// Type and fields of a letter of correction (110110).
pub fn cce(correcao: &str) -> Option<(&'static Tipo, Value)> {
    Some((busca("110110")?, json!({ "correcao": correcao })))
}

/// Type and fields of a manifestation (2102xx).
pub fn manifestacao(
    tipo: Manifestacao,
    justificativa: Option<&str>,
) -> Option<(&'static Tipo, Value)> {
    let dados = match justificativa {
        Some(texto) => json!({ "justificativa": texto }),
        None => json!({}),
    };
    Some((busca(tipo.codigo())?, dados))
}

/// Type and fields of linked payments (ECONF, 110750).
pub fn econf_de(pagamentos: &[Pagamento]) -> Option<(&'static Tipo, Value)> {
    let lista: Vec<Value> = pagamentos.iter().map(Pagamento::dados).collect();
    Some((busca("110750")?, json!({ "pagamentos": lista })))
}

/// Type and fields that undo an ECONF (110751).
pub fn desfazer_econf(protocolo: &str) -> Option<(&'static Tipo, Value)> {
    Some((busca("110751")?, json!({ "protocolo_evento": protocolo })))
}
