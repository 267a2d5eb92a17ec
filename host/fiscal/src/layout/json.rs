//! Documents as JSON with official names, and back.

use serde_json::{Map, Value};

use crate::xml::{Document, Element};

pub fn para_json(doc: &Document<'_>) -> Value {
    let raiz = doc.root();
    let mut mapa = Map::new();
    mapa.insert(raiz.name().to_owned(), elemento(raiz));
    Value::Object(mapa)
}

fn elemento(de: Element<'_>) -> Value {
    let mut mapa = Map::new();
    for (_, nome, valor) in de.attributes() {
        mapa.insert(format!("@{nome}"), Value::from(valor));
    }
    let mut tem_filhos = false;
    for filho in de.children() {
        tem_filhos = true;
        let valor = elemento(filho);
        match mapa.get_mut(filho.name()) {
            None => {
                mapa.insert(filho.name().to_owned(), valor);
            }
            Some(Value::Array(lista)) => lista.push(valor),
            Some(outro) => {
                let primeiro = outro.take();
                *outro = Value::Array(vec![primeiro, valor]);
            }
        }
    }
    if tem_filhos {
        return Value::Object(mapa);
    }
    let texto = Value::from(de.text().as_ref());
    if mapa.is_empty() {
        return texto;
    }
    mapa.insert("#text".to_owned(), texto);
    Value::Object(mapa)
}
