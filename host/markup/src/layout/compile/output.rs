//! The table as it is put together: equal types are one type.

use std::collections::BTreeMap;

use super::Receita;
use crate::xmldsig::DSIG_NAMESPACE;

/// Lines of a table.
#[derive(Default)]
pub(super) struct Saida {
    /// Name and definition, in order of first use.
    tipos: Vec<(String, String)>,
    /// Definition (with the suggested name) to the name it got.
    por_definicao: BTreeMap<String, String>,
    nomes: BTreeMap<String, String>,
    raizes: BTreeMap<String, String>,
}

impl Saida {
    /// Name with the prefix of the table; the main namespace has none.
    pub fn qname(&self, ns: &str, nome: &str) -> String {
        if ns == DSIG_NAMESPACE {
            format!("ds:{nome}")
        } else {
            nome.to_owned()
        }
    }

    pub fn tem(&self, nome: &str) -> bool {
        self.nomes.contains_key(nome)
    }

    pub fn raiz(&mut self, nome: &str, tipo: &str) {
        self.raizes
            .entry(nome.to_owned())
            .or_insert(tipo.to_owned());
    }

    /// Adds a type unless an equal one is there; gives its name.
    pub fn tipo(
        &mut self,
        letra: char,
        sugestao: &str,
        campos: Vec<String>,
        pai: Option<String>,
    ) -> String {
        let mut campos = campos.join("\t");
        if let Some(pai) = pai {
            campos.push_str("\tderiva=");
            campos.push_str(&pai);
        }
        // Named and anonymous types of different names stay apart: the name is
        // what messages are looked up by.
        let definicao = format!("{letra}\t{sugestao}\t{campos}");
        if let Some(nome) = self.por_definicao.get(&definicao) {
            return nome.clone();
        }
        let mut nome = sugestao.to_owned();
        let mut numero = 1;
        while self.nomes.contains_key(&nome) {
            numero += 1;
            nome = format!("{sugestao}~{numero}");
        }
        self.nomes.insert(nome.clone(), definicao.clone());
        self.por_definicao.insert(definicao, nome.clone());
        self.tipos
            .push((nome.clone(), format!("{letra}\t{nome}\t{campos}")));
        nome
    }

    pub fn texto(&self, receita: &Receita) -> String {
        let mut texto = format!(
            "# Compiled from the official XSDs: do not edit, see layout/compila.\nL\t{}\t{}\n",
            receita.nome, receita.namespace
        );
        for (nome, tipo) in &self.raizes {
            texto.push_str(&format!("R\t{nome}\t{tipo}\n"));
        }
        for (_, linha) in &self.tipos {
            texto.push_str(linha.trim_end_matches('\t'));
            texto.push('\n');
        }
        texto
    }
}
