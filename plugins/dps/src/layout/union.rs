//! Merges `inf_dps`, the customer's own official elements, over the tree.

use super::{Elemento, Ocorre, Tipo};
use crate::layout::writing::junto;
use sdk::FieldError;
use serde_json::{Map, Value};

/// Deepest nesting followed: the layout has eight levels.
const MAX_NIVEIS: usize = 16;

/// Elements that decide which note this is: the hub numbers, signs and
/// settles by them, so nobody may change them behind its back.
const FIXOS: [&str; 10] = [
    "tpAmb",
    "serie",
    "nDPS",
    "tpEmit",
    "cLocEmi",
    "subst",
    "prest.CNPJ",
    "prest.CPF",
    "prest.NIF",
    "prest.cNaoNIF",
];

/// Puts `de` over `em`: groups are merged, texts and lists replaced, null
/// takes an element away, and an alternative of a choice drops the others.
pub fn unir(
    elementos: &[Elemento],
    em: &mut Map<String, Value>,
    de: &Map<String, Value>,
    erros: &mut Vec<FieldError>,
) {
    nivel(elementos, em, de, "", MAX_NIVEIS, erros);
}

fn nivel(
    elementos: &[Elemento],
    em: &mut Map<String, Value>,
    de: &Map<String, Value>,
    caminho: &str,
    restam: usize,
    erros: &mut Vec<FieldError>,
) {
    for (nome, valor) in de {
        let aqui = junto(caminho, nome);
        if FIXOS.contains(&aqui.as_str()) || restam == 0 {
            erros.push(FieldError::new(
                &format!("inf_dps.{aqui}"),
                "nao_permitido",
                "Este elemento não pode ser alterado por inf_dps.",
            ));
            continue;
        }
        let elemento = elementos.iter().find(|elemento| elemento.nome == nome);
        if let Some(Ocorre::Escolha(numero) | Ocorre::EscolhaOpcional(numero)) =
            elemento.map(|elemento| elemento.ocorre)
            && !valor.is_null()
        {
            em.retain(|outro, _| {
                outro == nome || de.contains_key(outro) || !mesma_escolha(elementos, outro, numero)
            });
        }
        match (
            valor,
            elemento.map(|elemento| &elemento.tipo),
            em.get_mut(nome),
        ) {
            (Value::Null, _, _) => {
                em.remove(nome);
            }
            (Value::Object(novo), Some(Tipo::Grupo(dentro)), Some(Value::Object(antigo))) => {
                nivel(dentro, antigo, novo, &aqui, restam - 1, erros);
            }
            _ => {
                em.insert(nome.clone(), valor.clone());
            }
        }
    }
}

fn mesma_escolha(elementos: &[Elemento], nome: &str, numero: u8) -> bool {
    elementos.iter().any(|elemento| {
        elemento.nome == nome
            && matches!(elemento.ocorre, Ocorre::Escolha(n) | Ocorre::EscolhaOpcional(n) if n == numero)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::INF_DPS;
    use serde_json::json;

    fn une(em: Value, de: Value) -> (Value, Vec<String>) {
        let (Value::Object(mut em), Value::Object(de)) = (em, de) else {
            panic!("objects")
        };
        let mut erros = Vec::new();
        unir(INF_DPS, &mut em, &de, &mut erros);
        (
            Value::Object(em),
            erros.into_iter().map(|erro| erro.campo).collect(),
        )
    }

    #[test]
    fn groups_merge_and_choices_replace() {
        let (tree, errors) = une(
            json!({"valores": {"trib": {"totTrib": {"indTotTrib": "0"}, "tribMun": {"tribISSQN": "1", "pAliq": "2.00"}}}}),
            json!({"valores": {"trib": {"totTrib": {"pTotTribSN": "6.00"}, "tribMun": {"pAliq": null}}}, "serv": {"infoCompl": {"xPed": "7"}}}),
        );
        assert!(errors.is_empty());
        assert_eq!(
            tree,
            json!({"valores": {"trib": {"totTrib": {"pTotTribSN": "6.00"}, "tribMun": {"tribISSQN": "1"}}}, "serv": {"infoCompl": {"xPed": "7"}}})
        );
    }

    #[test]
    fn the_identity_of_the_note_is_not_open() {
        let (tree, errors) = une(
            json!({"nDPS": "1", "prest": {"CNPJ": "00000000000191"}}),
            json!({"nDPS": "2", "prest": {"CNPJ": "11111111000191", "CPF": "1"}, "subst": {}}),
        );
        assert_eq!(
            errors,
            [
                "inf_dps.nDPS",
                "inf_dps.prest.CNPJ",
                "inf_dps.prest.CPF",
                "inf_dps.subst"
            ]
        );
        assert_eq!(
            tree,
            json!({"nDPS": "1", "prest": {"CNPJ": "00000000000191"}})
        );
    }
}
