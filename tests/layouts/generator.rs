//! Documents a table allows: the smallest, the largest, each alternative.

use super::model::{O, Particula, Tabela, Tipo};
use super::sample;

/// What a document is to look like.
#[derive(Clone, Copy, Debug)]
pub struct Plano {
    /// Optional parts, repetitions and long values too.
    pub cheio: bool,
    /// Alternative taken of each choice, value taken of each list (modulo).
    pub ramo: usize,
}

/// Repetitions written at most.
const MAX_VEZES: u32 = 2;

pub fn gera(tabela: &Tabela, raiz: &str, tipo: &str, plano: Plano) -> String {
    let mut obra = Obra {
        tabela,
        plano,
        ids: 0,
        texto: String::new(),
    };
    obra.elemento(raiz, tipo, true, 0, &[]);
    obra.texto
}

/// Alternatives of the widest choice.
pub fn ramos(tabela: &Tabela) -> usize {
    fn de(particula: &Particula) -> usize {
        match &particula.o {
            O::Escolha(partes) => partes.iter().map(de).max().unwrap_or(1).max(partes.len()),
            O::Sequencia(partes) => partes.iter().map(de).max().unwrap_or(1),
            _ => 1,
        }
    }
    let tipos = tabela
        .tipos
        .values()
        .filter_map(|tipo| tipo.particula.as_ref());
    tipos.map(de).max().unwrap_or(1)
}

struct Obra<'t> {
    tabela: &'t Tabela,
    plano: Plano,
    ids: usize,
    texto: String,
}

impl Obra<'_> {
    fn elemento(&mut self, qname: &str, tipo: &str, topo: bool, vez: usize, unicos: &[String]) {
        let (assinatura, nome) = match qname.strip_prefix("ds:") {
            Some(nome) => (true, nome),
            None => (false, qname),
        };
        self.texto.push('<');
        self.texto.push_str(nome);
        if topo || (assinatura && nome == "Signature") {
            let ns = if assinatura {
                "http://www.w3.org/2000/09/xmldsig#"
            } else {
                &self.tabela.namespace
            };
            self.texto.push_str(&format!(" xmlns=\"{ns}\""));
        }
        let definicao = self.tabela.tipos.get(tipo);
        for (nome, obrigatorio, tipo, fixo) in definicao.map_or(&[][..], |d| &d.atributos) {
            if !obrigatorio && !self.plano.cheio {
                continue;
            }
            let valor = match fixo {
                Some(fixo) => fixo.clone(),
                None => self.atributo(nome, tipo, vez, unicos),
            };
            self.texto
                .push_str(&format!(" {nome}=\"{}\"", escapa(&valor)));
        }
        self.texto.push('>');
        match definicao {
            None => {
                let valor = self.valor(tipo);
                self.texto.push_str(&escapa(&valor));
            }
            Some(definicao) if definicao.base.is_some() => {
                let valor = self.valor(tipo);
                self.texto.push_str(&escapa(&valor));
            }
            Some(definicao) => self.conteudo(definicao, unicos),
        }
        self.texto.push_str(&format!("</{nome}>"));
    }

    fn conteudo(&mut self, tipo: &Tipo, herdados: &[String]) {
        if let Some(simples) = &tipo.conteudo_simples {
            let valor = self.valor(simples);
            self.texto.push_str(&escapa(&valor));
        }
        if let Some(particula) = &tipo.particula {
            let unicos = [herdados, &tipo.unicos].concat();
            self.particula(particula, &unicos);
        }
    }

    fn particula(&mut self, particula: &Particula, unicos: &[String]) {
        let vezes = if self.plano.cheio {
            particula.max.min(MAX_VEZES.max(particula.min))
        } else {
            particula.min
        };
        for vez in 0..vezes {
            match &particula.o {
                O::Elemento(nome, tipo) => self.elemento(nome, tipo, false, vez as usize, unicos),
                O::Curinga(qual) if qual.ends_with("strict") => {}
                O::Curinga(_) => self.texto.push_str("<a:q xmlns:a=\"urn:a\">1</a:q>"),
                O::Sequencia(partes) => partes.iter().for_each(|p| self.particula(p, unicos)),
                O::Escolha(ramos) => {
                    let ramo = &ramos[(self.plano.ramo + vez as usize) % ramos.len()];
                    self.particula(ramo, unicos);
                }
            }
        }
    }

    fn atributo(&mut self, nome: &str, tipo: &str, vez: usize, unicos: &[String]) -> String {
        self.ids += 1;
        let definicao = self.tabela.tipos.get(tipo);
        let base = definicao.and_then(|d| d.base.as_deref()).unwrap_or(tipo);
        if unicos.iter().any(|unico| unico == nome) {
            let valores: Vec<&String> = definicao
                .map_or(&[][..], |d| &d.facetas)
                .iter()
                .filter(|(faceta, _)| faceta == "valor")
                .map(|(_, valor)| valor)
                .collect();
            if !valores.is_empty() {
                return valores[vez % valores.len()].clone();
            }
            return (vez + 1).to_string();
        }
        if base == "xs:ID" && definicao.is_none_or(|d| d.facetas.is_empty()) {
            return format!("i{}", self.ids);
        }
        let mut valor = self.valor(tipo);
        if base == "xs:ID" && valor.len() > 4 {
            valor.truncate(valor.len() - 2);
            valor.push_str(&format!("{:02}", self.ids % 100));
        }
        valor
    }

    fn valor(&mut self, tipo: &str) -> String {
        sample::valor(self.tabela, tipo, self.plano.cheio, self.plano.ramo)
    }
}

fn escapa(texto: &str) -> String {
    texto
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}
