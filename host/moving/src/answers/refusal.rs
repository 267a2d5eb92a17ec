//! Refusals.

use super::{Answer, place, text};
use crate::kind::Kind;
use crate::names::Rows;
use crate::orders::Fault;
use serde_json::{Value, json};

/// What a call is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// A note to be: its body is judged as a document of the authority.
    Issue,
    /// A note there is.
    Note,
    /// Numbers that no note has.
    Numbers,
}

/// What was asked for, as far as a refusal depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub kind: Kind,
    pub about: About,
    /// The table the body was read by; none where its names are ours.
    pub rows: Rows,
    /// Their name of the list of items in the body.
    pub items: &'static str,
}

impl Asked {
    /// A call whose body has our own names.
    pub const fn plain(kind: Kind) -> Asked {
        Asked {
            kind,
            about: About::Note,
            rows: &[],
            items: "items",
        }
    }
}

/// What our refusal is in their words.
#[derive(Debug)]
pub enum Told {
    Answer(Answer),
    /// The authority refused: code, text and what to do, as far as known.
    Rejected(Rejection),
}

/// What an authority said when it refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejection {
    pub code: String,
    pub reason: String,
    pub correction: String,
}

impl Rejection {
    /// The one of a refusal or of a note of ours.
    pub fn of(answer: &Value) -> Option<Rejection> {
        let at = |name: &str| text(answer, &format!("/rejeicao/{name}")).map(str::to_owned);
        Some(Rejection {
            code: at("codigo")?,
            reason: at("motivo").unwrap_or_default(),
            correction: at("correcao").unwrap_or_default(),
        })
    }

    /// An entry of `erros` of a service note.
    pub fn entry(&self) -> Value {
        let correction = Some(&self.correction).filter(|text| !text.is_empty());
        json!({ "codigo": self.code, "mensagem": self.reason, "correcao": correction })
    }
}

/// Translates a refusal of ours. `status`: that of our answer.
pub fn refusal(asked: Asked, status: u16, answer: &Value) -> Told {
    let code = text(answer, "/codigo").unwrap_or("erro_interno");
    let message = text(answer, "/mensagem").unwrap_or("Erro interno.");
    let with_hint = hinted(message, text(answer, "/dica"));
    if matches!(code, "rejeitada_pela_sefaz" | "rejeitada_pela_prefeitura")
        && let Some(rejection) = Rejection::of(answer)
    {
        return Told::Rejected(rejection);
    }
    let faults = faults(asked, answer);
    let (status, code) = theirs(asked, status, code);
    let message = if faults.is_empty() {
        &with_hint
    } else {
        message
    };
    Told::Answer(if faults.is_empty() {
        Answer::error(status, code, message)
    } else {
        Answer::faults(status, code, message, &faults)
    })
}

/// A body that is no JSON object.
pub fn unreadable(message: &str) -> Answer {
    Answer::error(415, "midia_invalida", message)
}

fn hinted(message: &str, hint: Option<&str>) -> String {
    match hint {
        Some(hint) if !hint.is_empty() => format!("{message} {hint}"),
        _ => message.to_owned(),
    }
}

/// The members that are wrong, by their names.
fn faults(asked: Asked, answer: &Value) -> Vec<Fault> {
    let fields = answer["campos"].as_array().into_iter().flatten();
    fields
        .map(|field| {
            let ours = text(field, "/campo").unwrap_or_default();
            let theirs = match ours {
                "referencia" => "ref".to_owned(),
                "emitente_id" => asked.kind.company().to_owned(),
                other => place(asked.rows, other, asked.items),
            };
            let message = text(field, "/mensagem").unwrap_or_default();
            let message = hinted(message, text(field, "/correcao"));
            Fault {
                message: renamed(&message, ours, &theirs),
                field: theirs,
            }
        })
        .collect()
}

/// A sentence that names the member says their name of it.
fn renamed(message: &str, ours: &str, theirs: &str) -> String {
    let message = if ours.contains(['.', '[']) {
        message.replace(ours, theirs)
    } else {
        message.to_owned()
    };
    // A name of one word may be a word of the sentence.
    let name = last(ours);
    if name.contains('_') {
        in_words(&message, name, last(theirs))
    } else {
        message
    }
}

/// The name of a member without those around it.
fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Says another name wherever a name stands as a whole word.
fn in_words(message: &str, name: &str, other: &str) -> String {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut said = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(name) {
        let after = &rest[at + name.len()..];
        said.push_str(&rest[..at]);
        let whole = !said.ends_with(part) && !after.starts_with(part);
        said.push_str(if whole { other } else { name });
        rest = after;
    }
    said.push_str(rest);
    said
}

/// Their status and code of ours. A code they have none for stays ours.
fn theirs(asked: Asked, status: u16, code: &str) -> (u16, &str) {
    let product = asked.kind.is_product();
    match code {
        "nao_encontrado" | "rota_inexistente" | "metodo_nao_permitido" => (404, "nao_encontrado"),
        "ja_autorizada" => (422, "nfe_autorizada"),
        "em_transmissao" | "requisicao_em_andamento" => (422, "em_processamento"),
        "ja_cancelada" => (400, "nfe_cancelada"),
        "estado_invalido" | "faixa_ja_inutilizada" if asked.about == About::Numbers => {
            (400, "requisicao_invalida")
        }
        "estado_invalido" if product => (422, "nfe_nao_autorizada"),
        "estado_invalido" => (400, "nfe_nao_autorizada"),
        "validacao_previa" if product && asked.about == About::Issue => {
            (422, "erro_validacao_schema")
        }
        "validacao_previa" | "parametro_invalido" | "parametro_ausente" | "campo_desconhecido" => {
            (400, "requisicao_invalida")
        }
        "json_invalido" => (415, "midia_invalida"),
        "certificado_vencido" => (400, "certificado_vencido"),
        "certificado_ausente"
        | "perfil_fiscal_incompleto"
        | "emitente_nao_habilitado"
        | "csc_ausente"
        | "municipio_nao_atendido"
        | "uf_nao_atendida" => (400, "empresa_nao_habilitada"),
        "sem_permissao"
        | "ip_nao_autorizado"
        | "conta_bloqueada"
        | "chave_de_teste"
        | "liberacao_pelo_suporte" => (403, "permissao_negada"),
        _ => (status, code),
    }
}
