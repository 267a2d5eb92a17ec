//! Events built from generated fields, judged by the official schemas and by
//! `xmlsec1`; rules by example.

mod join;
pub(crate) mod keyring;
mod official;
mod rules;

use rust_decimal::Decimal;
use serde_json::{Map, Value, json};
use time::macros::datetime;

use super::*;
use markup::ids::CpfCnpj;
use markup::ids::chave::{Chave, Partes};
use markup::tree::{Conteudo, Elemento};

/// Small deterministic numbers for generated fields.
pub(crate) struct Dado(pub u64);

impl Dado {
    pub fn ate(&mut self, limite: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limite
    }

    pub fn digitos(&mut self, quantos: usize) -> String {
        (0..quantos)
            .map(|_| char::from(b'0' + u8::try_from(self.ate(10)).unwrap()))
            .collect()
    }
}

pub(crate) fn chave(modelo: u8) -> Chave {
    let partes = Partes {
        uf: 35,
        ano: 2026,
        mes: 11,
        documento: CpfCnpj::parse("11222333000181").unwrap(),
        modelo,
        serie: 1,
        numero: 1523,
        tp_emis: 1,
        c_nf: 31_415_926,
    };
    partes.chave().unwrap()
}

fn evento(codigo: &str, modelo: u8, dados: Value) -> Evento {
    Evento {
        tipo: busca(codigo).unwrap(),
        chave: chave(modelo),
        sequencia: 1,
        autor: CpfCnpj::parse("11222333000181").unwrap(),
        papel: None,
        orgao: None,
        orgao_autor: None,
        producao: false,
        em: datetime!(2026-11-20 10:15:00 -3),
        ver_aplic: "hub 0.1".to_owned(),
        dados,
    }
}

/// Fields the catalogue allows, all of them or only the required ones.
fn gera(campos: &[CampoEvento], oficiais: bool, tudo: bool, dado: &mut Dado) -> Value {
    let mut objeto = Map::new();
    let escolhidos: Vec<&CampoEvento> = campos
        .iter()
        .filter(|campo| tudo || campo.obrigatorio)
        .filter(|campo| !matches!(campo.formato, Formato::Fixo { .. }))
        .collect();
    for campo in escolhidos {
        let nome = if oficiais { campo.tag } else { campo.nome };
        let valor = match (campo.formato, campo.ocorrencias) {
            (Formato::Grupo, 1) => gera(campo.campos, oficiais, tudo, dado),
            (Formato::Grupo, _) => {
                let lista = (1..=2).map(|item| {
                    let mut grupo = gera(campo.campos, oficiais, tudo, dado);
                    if let Some(nome) = ["item", "nItem"]
                        .iter()
                        .find(|nome| grupo.get(**nome).is_some())
                    {
                        grupo[*nome] = json!(item);
                    }
                    grupo
                });
                lista.collect()
            }
            // Without a description it may not be "others".
            _ if campo.tag == "tPag" && !tudo => json!("01"),
            (formato, _) => valor(formato, dado),
        };
        objeto.insert(nome.to_owned(), valor);
    }
    Value::Object(objeto)
}

fn valor(formato: Formato, dado: &mut Dado) -> Value {
    match formato {
        Formato::Texto {
            tamanho_minimo,
            tamanho_maximo,
        } => {
            let minimo = u64::from(tamanho_minimo);
            let tamanho = minimo + dado.ate(u64::from(tamanho_maximo) - minimo + 1);
            let letras = ['a', 'ç', 'É', '&', '<', '"', '\'', 'ÿ', '!', '9'];
            let texto: String = (0..tamanho)
                .map(|_| letras[usize::try_from(dado.ate(10)).unwrap()])
                .collect();
            json!(texto)
        }
        Formato::Decimal { inteiros, decimais } => {
            let quantos = 1 + usize::try_from(dado.ate(u64::from(inteiros))).unwrap();
            let texto = format!(
                "{}.{}",
                dado.digitos(quantos),
                dado.digitos(decimais as usize)
            );
            let numero: Decimal = texto.parse().unwrap();
            json!(numero.to_string())
        }
        Formato::Opcao { opcoes } => {
            let opcao = &opcoes[usize::try_from(dado.ate(opcoes.len() as u64)).unwrap()];
            json!(if dado.ate(2) == 0 {
                opcao.valor
            } else {
                opcao.nome
            })
        }
        Formato::Digitos { tamanho } => json!(dado.digitos(usize::from(tamanho))),
        Formato::Data => json!(format!("20{:02}-02-{:02}", dado.ate(100), 1 + dado.ate(28))),
        Formato::Chave => json!(chave(65).as_str()),
        Formato::Protocolo => {
            let tamanho = [15, 17][usize::try_from(dado.ate(2)).unwrap()];
            json!(dado.digitos(tamanho))
        }
        Formato::Cnpj => json!("11.222.333/0001-81"),
        Formato::Uf => json!("sp"),
        Formato::Item => json!(1 + dado.ate(990)),
        Formato::Fixo { .. } | Formato::Grupo => Value::Null,
    }
}

/// Canonical XML of a tree as it stands, apart from the layout's writer.
fn canonico(elemento: &Elemento, raiz: bool, saida: &mut String) {
    saida.push('<');
    saida.push_str(&elemento.nome);
    if raiz {
        saida.push_str(&format!(" xmlns=\"{NAMESPACE}\""));
    }
    for (nome, valor) in &elemento.atributos {
        saida.push_str(&format!(" {nome}=\"{valor}\""));
    }
    saida.push('>');
    match &elemento.conteudo {
        Conteudo::Texto(texto) => {
            saida.push_str(
                &texto
                    .replace('&', "&amp;")
                    .replace('<', "&lt;")
                    .replace('>', "&gt;"),
            );
        }
        Conteudo::Filhos(filhos) => {
            for filho in filhos {
                canonico(filho, false, saida);
            }
        }
    }
    saida.push_str(&format!("</{}>", elemento.nome));
}

pub(crate) fn escreve(elemento: &Elemento) -> String {
    let mut saida = String::new();
    canonico(elemento, true, &mut saida);
    saida
}
