//! Writes a tree of official names in the order of the layout.

use super::{Elemento, Ocorre, Tipo, campo_da_api};
use sdk::FieldError;
use sdk::xml::Writer;
use serde_json::{Map, Value};

/// Official names and their texts, lists and groups. Error messages tell the
/// rule and never repeat a value.
type Arvore = Map<String, Value>;

/// Writes `arvore` and collects everything that does not fit.
pub fn escrever(
    w: &mut Writer,
    elementos: &[Elemento],
    arvore: &Arvore,
    erros: &mut Vec<FieldError>,
) {
    grupo(w, elementos, arvore, "", erros);
}

fn grupo(
    w: &mut Writer,
    elementos: &[Elemento],
    arvore: &Arvore,
    caminho: &str,
    erros: &mut Vec<FieldError>,
) {
    for nome in arvore.keys() {
        if !elementos.iter().any(|elemento| elemento.nome == nome) {
            erros.push(FieldError::new(
                &format!("inf_dps.{}", junto(caminho, nome)),
                "elemento_desconhecido",
                "O leiaute da DPS não tem este elemento aqui.",
            ));
        }
    }
    escolhas(elementos, arvore, caminho, erros);
    for elemento in elementos {
        let caminho = junto(caminho, elemento.nome);
        match (arvore.get(elemento.nome), elemento.ocorre) {
            (None | Some(Value::Null), Ocorre::Um | Ocorre::Varios(_)) => falta(&caminho, erros),
            (None | Some(Value::Null), _) => {}
            (Some(Value::Array(itens)), Ocorre::Varios(maximo)) => {
                if itens.is_empty() {
                    falta(&caminho, erros);
                }
                if itens.len() > maximo {
                    let texto = format!("No máximo {maximo} ocorrências.");
                    erros.push(FieldError::new(
                        &campo_da_api(&caminho),
                        "ocorrencias",
                        &texto,
                    ));
                    continue;
                }
                for (indice, item) in itens.iter().enumerate() {
                    um(w, elemento, item, &format!("{caminho}[{indice}]"), erros);
                }
            }
            (Some(valor), _) => um(w, elemento, valor, &caminho, erros),
        }
    }
}

fn um(
    w: &mut Writer,
    elemento: &Elemento,
    valor: &Value,
    caminho: &str,
    erros: &mut Vec<FieldError>,
) {
    match (&elemento.tipo, valor) {
        (Tipo::Grupo(dentro), Value::Object(arvore)) => {
            w.group(elemento.nome, &[], |w| {
                grupo(w, dentro, arvore, caminho, erros)
            });
        }
        (Tipo::Texto(forma), Value::String(_) | Value::Number(_)) => {
            let texto = match valor {
                Value::String(texto) => texto.trim().to_owned(),
                outro => outro.to_string(),
            };
            if !forma.aceita(&texto) {
                let texto = format!("Formato esperado: {}.", forma.descricao());
                erros.push(FieldError::new(&campo_da_api(caminho), "formato", &texto));
            }
            w.leaf(elemento.nome, &texto);
        }
        (Tipo::Grupo(_), _) => erros.push(FieldError::new(
            &campo_da_api(caminho),
            "tipo",
            "Esperado um objeto.",
        )),
        (Tipo::Texto(_), _) => erros.push(FieldError::new(
            &campo_da_api(caminho),
            "tipo",
            "Esperado um texto.",
        )),
    }
}

/// Exactly one of each choice (at most one of an optional one).
fn escolhas(elementos: &[Elemento], arvore: &Arvore, caminho: &str, erros: &mut Vec<FieldError>) {
    for numero in 1..=u8::MAX {
        let alternativas: Vec<&Elemento> = elementos
            .iter()
            .filter(|elemento| matches!(elemento.ocorre, Ocorre::Escolha(n) | Ocorre::EscolhaOpcional(n) if n == numero))
            .collect();
        let Some(primeira) = alternativas.first() else {
            return;
        };
        let presentes = alternativas
            .iter()
            .filter(|elemento| arvore.get(elemento.nome).is_some_and(|v| !v.is_null()))
            .count();
        let obrigatoria = matches!(primeira.ocorre, Ocorre::Escolha(_));
        if presentes > 1 || (presentes == 0 && obrigatoria) {
            let nomes: Vec<&str> = alternativas.iter().map(|elemento| elemento.nome).collect();
            let texto = format!("Informe exatamente um de: {}.", nomes.join(", "));
            erros.push(FieldError::new(
                &campo_da_api(&junto(caminho, primeira.nome)),
                "escolha",
                &texto,
            ));
        }
    }
}

fn falta(caminho: &str, erros: &mut Vec<FieldError>) {
    erros.push(FieldError::new(
        &campo_da_api(caminho),
        "obrigatorio",
        "O leiaute da DPS exige este campo.",
    ));
}

/// `caminho.nome`, or the name alone at the top.
pub fn junto(caminho: &str, nome: &str) -> String {
    if caminho.is_empty() {
        nome.to_owned()
    } else {
        format!("{caminho}.{nome}")
    }
}
