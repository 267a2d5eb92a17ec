//! Documents as JSON with official names, and back.
//!
//! An element with a value is a string, a group an object; attributes are
//! members with `@` before their name; a value beside attributes is `#text`.
//! What the layout allows several of is always a list.

use serde_json::{Map, Value};

use crate::layout::error::{Erro, regra};
use crate::layout::structure::{Lugar, arranja};
use crate::layout::table::{Modelo, Simbolo, Tabela, Tipo};
use crate::layout::validate::confere;
use crate::layout::write::{conteudo_de, tem_valor};
use crate::tree::Elemento;
use crate::xml::{Document, Element, MAX_DEPTH};

/// Member for a value that has attributes beside it.
const TEXTO: &str = "#text";
const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

pub(super) fn para_json(tabela: &Tabela, doc: &Document<'_>) -> Value {
    let raiz = doc.root();
    let tipo = tabela.elemento_por_nome(raiz.name());
    let mut mapa = Map::new();
    mapa.insert(raiz.name().to_owned(), do_elemento(tabela, raiz, tipo));
    Value::Object(mapa)
}

fn do_elemento(tabela: &Tabela, elemento: Element<'_>, tipo: Option<Tipo>) -> Value {
    let mut mapa = Map::new();
    for (espaco, nome, valor) in elemento.attributes() {
        if espaco != XSI {
            mapa.insert(format!("@{nome}"), Value::from(valor));
        }
    }
    let modelo = tipo.and_then(|tipo| tabela.modelo(tipo));
    let filhos: Vec<Element<'_>> = elemento.children().collect();
    let nomes: Vec<&str> = filhos.iter().map(|filho| filho.name()).collect();
    let mut tipos: Vec<Option<Tipo>> = vec![None; filhos.len()];
    if let Some(modelo) = modelo {
        for (indice, lugar) in arranja(modelo, &nomes).ordem {
            if let (Lugar::Elemento(declaracao), Some(tipo)) = (lugar, tipos.get_mut(indice)) {
                *tipo = modelo.declaracoes.get(declaracao).map(|d| d.tipo);
            }
        }
    }
    for (filho, tipo) in filhos.iter().zip(tipos) {
        let valor = do_elemento(tabela, *filho, tipo);
        let varios = modelo.is_some_and(|modelo| repete(modelo, filho.name()));
        match mapa.get_mut(filho.name()) {
            Some(Value::Array(lista)) => lista.push(valor),
            Some(outro) => {
                let primeiro = outro.take();
                *outro = Value::Array(vec![primeiro, valor]);
            }
            None if varios => {
                mapa.insert(filho.name().to_owned(), Value::Array(vec![valor]));
            }
            None => {
                mapa.insert(filho.name().to_owned(), valor);
            }
        }
    }
    if !filhos.is_empty() || modelo.is_some() {
        return Value::Object(mapa);
    }
    let texto = Value::from(elemento.text().as_ref());
    if mapa.is_empty() {
        return texto;
    }
    if elemento.text().is_empty() && !tipo.is_none_or(|tipo| tem_valor(tabela, tipo)) {
        return Value::Object(mapa);
    }
    mapa.insert(TEXTO.to_owned(), texto);
    Value::Object(mapa)
}

/// May the name occur more than once?
fn repete(modelo: &Modelo, nome: &str) -> bool {
    modelo.automato.simbolos.iter().any(|posicao| {
        let Simbolo::Elemento(declaracao) = posicao.o else {
            return false;
        };
        let este = modelo
            .declaracoes
            .get(declaracao)
            .is_some_and(|d| d.nome == nome);
        este && (posicao.max > 1 || modelo.grupo_repete)
    })
}

pub(super) fn de_json(tabela: &Tabela, raiz: &str, valor: &Value) -> Result<Elemento, Vec<Erro>> {
    let Some(tipo) = tabela.elemento_por_nome(raiz) else {
        let nome: String = raiz.chars().take(60).collect();
        return Err(vec![Erro::novo(
            nome.clone(),
            regra::RAIZ,
            format!("{nome} não existe no layout."),
            "Use um elemento do layout.".to_owned(),
        )]);
    };
    // `{"NFe": {...}}` is the same as `{...}`.
    let dentro = match valor {
        Value::Object(mapa) if mapa.len() == 1 => mapa.get(raiz).unwrap_or(valor),
        _ => valor,
    };
    let mut leitor = Leitor {
        tabela,
        caminho: Vec::new(),
        erros: Vec::new(),
    };
    let elemento = leitor.elemento(raiz, tipo, dentro);
    if leitor.erros.is_empty() {
        Ok(elemento)
    } else {
        Err(leitor.erros)
    }
}

struct Leitor<'t> {
    tabela: &'t Tabela,
    caminho: Vec<String>,
    erros: Vec<Erro>,
}

impl Leitor<'_> {
    fn elemento(&mut self, nome: &str, tipo: Tipo, valor: &Value) -> Elemento {
        if tem_valor(self.tabela, tipo) {
            return self.campo(nome, tipo, valor);
        }
        let mut grupo = Elemento::grupo(nome.to_owned());
        let Value::Object(mapa) = valor else {
            self.erro(
                regra::ESTRUTURA,
                format!("{nome} é um grupo de campos."),
                format!("Informe um objeto em {nome}."),
            );
            return grupo;
        };
        let complexo = conteudo_de(self.tabela, tipo);
        for (chave, valor) in mapa {
            if valor.is_null() || self.caminho.len() >= MAX_DEPTH {
                continue;
            }
            let atributo = chave.strip_prefix('@').unwrap_or(chave);
            let modelo = self.tabela.modelo(tipo);
            let filho = modelo.and_then(|m| m.declaracoes.iter().find(|d| d.nome == *chave));
            let declarado = complexo
                .and_then(|complexo| complexo.atributos.iter().find(|a| a.nome == atributo));
            self.caminho.push(chave.chars().take(60).collect());
            if let Some(filho) = filho {
                let tipo = filho.tipo;
                self.membros(&mut grupo, filho.nome, tipo, valor);
            } else if declarado.is_some() {
                if let Some(texto) = self.texto(valor, declarado.map(|a| a.tipo)) {
                    grupo.atributos.push((atributo.to_owned().into(), texto));
                }
            } else if modelo.is_some_and(|modelo| !modelo.curingas.is_empty()) {
                self.livre(&mut grupo, chave, valor);
            } else {
                self.erro(
                    regra::DESCONHECIDO,
                    format!("{} não existe em {nome} no layout.", curto(chave)),
                    format!("Retire {}.", curto(chave)),
                );
            }
            self.caminho.pop();
        }
        grupo
    }

    /// One member of the object: an element, or a list of them.
    fn membros(&mut self, grupo: &mut Elemento, nome: &'static str, tipo: Tipo, valor: &Value) {
        match valor {
            Value::Array(lista) => {
                for (indice, item) in lista.iter().enumerate() {
                    if let Some(ultimo) = self.caminho.last_mut() {
                        *ultimo = format!("{nome}[{}]", indice + 1);
                    }
                    grupo.poe(self.elemento(nome, tipo, item));
                }
            }
            item => grupo.poe(self.elemento(nome, tipo, item)),
        }
    }

    fn campo(&mut self, nome: &str, tipo: Tipo, valor: &Value) -> Elemento {
        let complexo = conteudo_de(self.tabela, tipo);
        let simples = match (tipo, complexo) {
            (Tipo::Simples(indice), _) => Some(indice),
            (_, Some(complexo)) => match complexo.conteudo {
                crate::layout::table::Conteudo::Simples(indice) => Some(indice),
                _ => None,
            },
            _ => None,
        };
        let (Value::Object(mapa), Some(complexo)) = (valor, complexo) else {
            let texto = self.texto(valor, simples).unwrap_or_default();
            return Elemento::campo(nome.to_owned(), texto);
        };
        let texto = mapa
            .get(TEXTO)
            .map_or(Some(String::new()), |v| self.texto(v, simples));
        let mut campo = Elemento::campo(nome.to_owned(), texto.unwrap_or_default());
        for (chave, valor) in mapa.iter().filter(|(chave, _)| *chave != TEXTO) {
            let atributo = chave.strip_prefix('@').unwrap_or(chave);
            if !complexo.atributos.iter().any(|a| a.nome == atributo) {
                let chave = curto(chave);
                self.erro(
                    regra::ATRIBUTO_DESCONHECIDO,
                    format!("{nome} não tem o atributo {chave}."),
                    format!("Retire {chave}."),
                );
            } else if let Some(texto) = self.texto(valor, None) {
                campo.atributos.push((atributo.to_owned().into(), texto));
            }
        }
        campo
    }

    /// Content of a wildcard, read without a layout.
    fn livre(&mut self, grupo: &mut Elemento, nome: &str, valor: &Value) {
        if self.caminho.len() >= MAX_DEPTH {
            return;
        }
        if let Some(atributo) = nome.strip_prefix('@') {
            if let Some(texto) = self.texto(valor, None) {
                grupo.atributos.push((atributo.to_owned().into(), texto));
            }
            return;
        }
        let itens = match valor {
            Value::Array(lista) => lista.as_slice(),
            um => std::slice::from_ref(um),
        };
        for item in itens {
            let filho = match item {
                Value::Object(mapa) => {
                    let mut filho = Elemento::grupo(nome.to_owned());
                    if let Some(texto) = mapa.get(TEXTO).and_then(Value::as_str) {
                        filho = Elemento::campo(nome.to_owned(), texto);
                    }
                    for (chave, valor) in mapa.iter().filter(|(chave, _)| *chave != TEXTO) {
                        self.caminho.push(curto(chave));
                        self.livre(&mut filho, chave, valor);
                        self.caminho.pop();
                    }
                    filho
                }
                outro => {
                    let texto = self.texto(outro, None).unwrap_or_default();
                    Elemento::campo(nome.to_owned(), texto)
                }
            };
            grupo.poe(filho);
        }
    }

    /// A value: texts as they are, numbers with the decimal places the type asks for.
    fn texto(&mut self, valor: &Value, tipo: Option<usize>) -> Option<String> {
        match valor {
            Value::String(texto) => Some(texto.clone()),
            Value::Number(numero) => {
                let texto = numero.to_string();
                let simples = tipo.and_then(|tipo| self.tabela.simples(tipo));
                let Some(simples) = simples else {
                    return Some(texto);
                };
                let serve = |texto: &str| confere(self.tabela, simples, texto).is_ok();
                if serve(&texto) {
                    return Some(texto);
                }
                // 10.5 where the layout wants 10.50.
                let mut longo = texto.clone();
                if !longo.contains('.') {
                    longo.push('.');
                }
                for _ in 0..10 {
                    longo.push('0');
                    if serve(&longo) {
                        return Some(longo);
                    }
                }
                Some(texto)
            }
            _ => {
                self.erro(
                    regra::ESTRUTURA,
                    "O valor deve ser um texto ou um número.".to_owned(),
                    "Informe um texto.".to_owned(),
                );
                None
            }
        }
    }

    fn erro(&mut self, regra: &'static str, mensagem: String, correcao: String) {
        const MAX_ERROS: usize = 1000;
        if self.erros.len() < MAX_ERROS {
            let caminho = self.caminho.join("/");
            self.erros
                .push(Erro::novo(caminho, regra, mensagem, correcao));
        }
    }
}

fn curto(nome: &str) -> String {
    nome.chars().take(60).collect()
}
