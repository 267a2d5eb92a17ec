//! JSON and forms; a document within them is shown after them.

use super::nomes::{self, Regra};
use super::{Mascara, OCULTO, SEM_RESTO, Saida, Valor, xml};
use serde_json::{Map, Value};

/// Documents within one body that are shown.
const ANEXOS: usize = 8;

/// A document found in a member.
struct Anexo {
    nome: String,
    xml: String,
}

/// Writes a JSON body with its values hidden; false when it is none.
pub(super) fn mascarar(mascara: &mut Mascara, saida: &mut Saida, bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return false;
    };
    let mut anexos = Vec::new();
    let hidden = oculto(mascara, &value, &mut Vec::new(), "", &mut anexos);
    let text = serde_json::to_string_pretty(&hidden).unwrap_or_default();
    for line in text.lines() {
        saida.linha(0, line);
    }
    juntar(mascara, saida, anexos);
    true
}

/// The same of a form, a field per line.
pub(super) fn formulario(mascara: &mut Mascara, saida: &mut Saida, bytes: &[u8]) -> bool {
    let Ok(mut url) = reqwest::Url::parse("form:") else {
        return false;
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    url.set_query(Some(text.trim()));
    let mut anexos = Vec::new();
    for (name, value) in url.query_pairs() {
        let shown = membro(mascara, &name, &value, &[], &mut anexos);
        let name = nomes::nome(&name, &mascara.conhecidos);
        saida.linha(0, &format!("{name}={shown}"));
    }
    juntar(mascara, saida, anexos);
    true
}

fn juntar(mascara: &mut Mascara, saida: &mut Saida, anexos: Vec<Anexo>) {
    for (index, anexo) in anexos.iter().enumerate() {
        saida.linha(0, "");
        saida.linha(0, &format!("[XML {}: {}]", index + 1, anexo.nome));
        if !xml::mascarar(mascara, saida, &anexo.xml, 0, 1) {
            saida.linha(0, SEM_RESTO);
        }
    }
}

fn oculto(
    mascara: &mut Mascara,
    value: &Value,
    caminho: &mut Vec<String>,
    nome: &str,
    anexos: &mut Vec<Anexo>,
) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::String(text) => membro(mascara, nome, text, caminho, anexos).into(),
        Value::Bool(_) => OCULTO.into(),
        Value::Number(number) => {
            let text = number.to_string();
            let regra = nomes::membro(caminho, nome)
                .filter(|regra| matches!(regra, Regra::Digitos | Regra::Codigo));
            match regra.and_then(|regra| regra.guardar(&text, &mascara.conhecidos)) {
                Some(_) => value.clone(),
                None => {
                    mascara.conhecidos.aprender(&text);
                    OCULTO.into()
                }
            }
        }
        // What is in a list has the list's name.
        Value::Array(items) => items
            .iter()
            .map(|item| oculto(mascara, item, caminho, nome, anexos))
            .collect(),
        Value::Object(members) => {
            let below = !nome.is_empty();
            if below {
                caminho.push(nome.to_owned());
            }
            let mut shown = Map::new();
            for (name, value) in members {
                let value = if nomes::assinatura(name) && !value.is_null() {
                    "[assinatura]".into()
                } else {
                    oculto(mascara, value, caminho, name, anexos)
                };
                let name = nomes::nome(name, &mascara.conhecidos);
                shown.insert(name.to_owned(), value);
            }
            if below {
                caminho.pop();
            }
            shown.into()
        }
    }
}

/// A text; a document becomes the name under which it follows.
fn membro(
    mascara: &mut Mascara,
    nome: &str,
    texto: &str,
    caminho: &[String],
    anexos: &mut Vec<Anexo>,
) -> String {
    let regra = nomes::membro(caminho, nome);
    match mascara.valor(regra, texto, 0) {
        Valor::Texto(text) => text,
        Valor::Xml(_) if anexos.len() >= ANEXOS => "[XML]".to_owned(),
        Valor::Xml(xml) => {
            let nome = nomes::nome(nome, &mascara.conhecidos).to_owned();
            anexos.push(Anexo { nome, xml });
            format!("[XML {}]", anexos.len())
        }
    }
}
