//! Canonical XML straight from a tree.

use std::ops::Range;

use crate::layout::error::{Erro, regra};
use crate::layout::structure::{Lugar, Sobra, arranja, ordem_simples};
use crate::layout::table::{Complexo, Conteudo, Declaracao, Espaco, Tabela, Tipo};
use crate::tree::{self, Elemento};
use crate::xml::{MAX_DEPTH, escape_attribute};
use crate::xmldsig::{Algorithm, CanonicalParts, Prepared, SignXmlError, prepare_canonical};

/// Canonical XML, and where the part to sign is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escrito {
    /// C14N 1.0: no declaration, no white space, no `<a/>`, attributes sorted.
    pub xml: String,
    /// Namespace declared at the root, which the signed element inherits.
    pub namespace: &'static str,
    /// What is signed, if the layout signs something here and it is not signed
    /// yet; the first, where there are several (`enviNFe`).
    pub assinado: Option<Assinado>,
}

/// The element a signature refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assinado {
    /// Its `Id`: the signature refers to `#` and this.
    pub id: String,
    /// From `<` of its start tag to `>` of its end tag.
    pub span: Range<usize>,
    /// Where the `Signature` goes: before the end tag of the element around it.
    pub lugar: usize,
}

impl Escrito {
    /// The signature of the document: see [`crate::xmldsig::prepare_canonical`].
    ///
    /// # Errors
    /// Nothing here is signed, or the `Id` cannot stand in a reference.
    pub fn preparar(self, algoritmo: Algorithm) -> Result<Prepared, SignXmlError> {
        let Some(assinado) = self.assinado else {
            return Err(SignXmlError::Unsupported(
                "the layout signs nothing in this document".to_owned(),
            ));
        };
        let partes = CanonicalParts {
            id: &assinado.id,
            span: assinado.span,
            namespace: self.namespace,
            insertion: assinado.lugar,
        };
        prepare_canonical(self.xml, &partes, algoritmo)
    }
}

pub(super) fn escreve(tabela: &Tabela, raiz: &Elemento) -> Result<Escrito, Vec<Erro>> {
    let Some(declaracao) = tabela.raiz_por_nome(&raiz.nome) else {
        return Err(vec![Erro::novo(
            curto(&raiz.nome),
            regra::RAIZ,
            format!("{} não é um documento deste layout.", curto(&raiz.nome)),
            "Use um elemento raiz do layout.".to_owned(),
        )]);
    };
    let mut escritor = Escritor {
        tabela,
        xml: String::with_capacity(16 * 1024),
        caminho: Vec::new(),
        assinado: None,
        erros: Vec::new(),
    };
    escritor.elemento(raiz, declaracao, None, false);
    if escritor.erros.is_empty() {
        Ok(Escrito {
            xml: escritor.xml,
            namespace: tabela.uri(declaracao.espaco),
            assinado: escritor.assinado,
        })
    } else {
        Err(escritor.erros)
    }
}

struct Escritor<'t, 'e> {
    tabela: &'t Tabela,
    xml: String,
    /// Each level: the siblings, and which of them it is.
    caminho: Vec<(&'e [Elemento], usize)>,
    assinado: Option<Assinado>,
    erros: Vec<Erro>,
}

impl<'t, 'e> Escritor<'t, 'e> {
    /// `fora` is the namespace around; `assina` says that the layout wants a
    /// signature beside the element, and there is none.
    fn elemento(
        &mut self,
        elemento: &'e Elemento,
        declaracao: &Declaracao,
        fora: Option<Espaco>,
        assina: bool,
    ) {
        let inicio = self.xml.len();
        self.xml.push('<');
        self.xml.push_str(declaracao.nome);
        if fora != Some(declaracao.espaco) {
            self.xml.push_str(" xmlns=\"");
            self.xml.push_str(self.tabela.uri(declaracao.espaco));
            self.xml.push('"');
        }
        self.atributos(elemento, declaracao.tipo);
        self.xml.push('>');
        let modelo = self.tabela.modelo(declaracao.tipo);
        match (&elemento.conteudo, modelo) {
            (tree::Conteudo::Texto(texto), None) => self.texto(texto),
            (tree::Conteudo::Texto(texto), Some(_)) => {
                if !texto.is_empty() {
                    self.erro(
                        regra::ESTRUTURA,
                        format!("{} é um grupo e veio com um valor.", declaracao.nome),
                        format!("Informe os campos de {}.", declaracao.nome),
                    );
                }
            }
            (tree::Conteudo::Filhos(filhos), Some(_)) => {
                self.filhos(filhos, declaracao);
            }
            (tree::Conteudo::Filhos(filhos), None) => {
                if !filhos.is_empty() {
                    self.erro(
                        regra::ESTRUTURA,
                        format!("{} é um campo e veio com outros dentro.", declaracao.nome),
                        format!("Informe só o valor de {}.", declaracao.nome),
                    );
                }
            }
        }
        self.xml.push_str("</");
        self.xml.push_str(declaracao.nome);
        self.xml.push('>');
        let id = elemento.atributos.iter().find(|(nome, _)| nome == "Id");
        if let (true, Some((_, id)), None) = (assina, id, &self.assinado) {
            self.assinado = Some(Assinado {
                id: id.clone(),
                span: inicio..self.xml.len(),
                lugar: 0,
            });
        }
    }

    fn atributos(&mut self, elemento: &Elemento, tipo: Tipo) {
        if elemento.atributos.is_empty() {
            return;
        }
        let complexo = match tipo {
            Tipo::Complexo(indice) => self.tabela.complexo(indice),
            Tipo::Simples(_) => None,
        };
        let mut atributos: Vec<&(tree::Nome, String)> = elemento.atributos.iter().collect();
        // C14N 1.0, §2.2: by name, for attributes without namespace.
        atributos.sort_by(|a, b| a.0.cmp(&b.0));
        for (nome, valor) in atributos {
            let conhecido = complexo.is_some_and(|tipo| {
                tipo.qualquer_atributo || tipo.atributos.iter().any(|a| a.nome == nome)
            });
            if !conhecido {
                let nome = curto(nome);
                self.erro(
                    regra::ATRIBUTO_DESCONHECIDO,
                    format!("{} não tem o atributo {nome}.", curto(&elemento.nome)),
                    format!("Retire o atributo {nome}."),
                );
                continue;
            }
            self.atributo(nome, valor);
        }
    }

    fn atributo(&mut self, nome: &str, valor: &str) {
        self.confere_caracteres(valor);
        self.xml.push(' ');
        self.xml.push_str(nome);
        self.xml.push_str("=\"");
        escape_attribute(&mut self.xml, valor);
        self.xml.push('"');
    }

    fn filhos(&mut self, filhos: &'e [Elemento], pai: &Declaracao) {
        let Some(modelo) = self.tabela.modelo(pai.tipo) else {
            return;
        };
        if self.caminho.len() >= MAX_DEPTH {
            return self.erro(
                regra::ESTRUTURA,
                "Há elementos demais uns dentro dos outros.".to_owned(),
                "Reduza os níveis do documento.".to_owned(),
            );
        }
        let nomes: Vec<&str> = filhos.iter().map(|filho| &*filho.nome).collect();
        let assina = modelo
            .declaracoes
            .iter()
            .any(|d| d.espaco == Espaco::Assinatura && d.nome == "Signature")
            && !nomes.contains(&"Signature");
        if let Some(ordem) = ordem_simples(modelo, &nomes) {
            for (indice, declaracao) in ordem {
                if let (Some(filho), Some(declaracao)) =
                    (filhos.get(indice), modelo.declaracoes.get(declaracao))
                {
                    self.desce(filhos, indice, |escritor| {
                        escritor.elemento(filho, declaracao, Some(pai.espaco), assina);
                    });
                }
            }
            return self.lugar_da_assinatura(assina);
        }
        let arranjo = arranja(modelo, &nomes);
        for (indice, lugar) in &arranjo.ordem {
            let Some(filho) = filhos.get(*indice) else {
                continue;
            };
            self.desce(filhos, *indice, |escritor| match lugar {
                Lugar::Elemento(declaracao) => {
                    if let Some(declaracao) = modelo.declaracoes.get(*declaracao) {
                        escritor.elemento(filho, declaracao, Some(pai.espaco), assina);
                    }
                }
                Lugar::Qualquer(_) => escritor.livre(filho),
            });
        }
        for sobra in &arranjo.sobram {
            let (Sobra::Repetido { filho: indice, .. }
            | Sobra::Excluido { filho: indice, .. }
            | Sobra::Desconhecido { filho: indice }) = sobra;
            let Some(filho) = filhos.get(*indice) else {
                continue;
            };
            let declaracao = modelo.declaracoes.iter().find(|d| d.nome == filho.nome);
            self.desce(filhos, *indice, |escritor| match declaracao {
                // Too many or not together: written at the end, judged by the
                // validation that follows.
                Some(declaracao) => escritor.elemento(filho, declaracao, Some(pai.espaco), false),
                None => {
                    let nome = curto(&filho.nome);
                    escritor.erro(
                        regra::DESCONHECIDO,
                        format!("{nome} não existe em {} no layout.", pai.nome),
                        format!("Retire {nome}."),
                    );
                }
            });
        }
        self.lugar_da_assinatura(assina);
    }

    /// The element around the signed one ends here.
    fn lugar_da_assinatura(&mut self, assina: bool) {
        if let (true, Some(assinado)) = (assina, self.assinado.as_mut())
            && assinado.lugar == 0
        {
            assinado.lugar = self.xml.len();
        }
    }

    fn desce(
        &mut self,
        irmaos: &'e [Elemento],
        indice: usize,
        faz: impl FnOnce(&mut Escritor<'t, 'e>),
    ) {
        self.caminho.push((irmaos, indice));
        faz(self);
        self.caminho.pop();
    }

    /// Content of a wildcard: written as it is, in the namespace around it.
    fn livre(&mut self, elemento: &'e Elemento) {
        let nome_bom = |nome: &str| {
            !nome.is_empty()
                && nome.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && nome
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        };
        let nomes_bons =
            nome_bom(&elemento.nome) && elemento.atributos.iter().all(|(nome, _)| nome_bom(nome));
        if !nomes_bons || self.caminho.len() >= MAX_DEPTH {
            let nome = curto(&elemento.nome);
            return self.erro(
                regra::DESCONHECIDO,
                format!("{nome} não pode ser escrito em XML."),
                "Use nomes com letras e dígitos, em poucos níveis.".to_owned(),
            );
        }
        self.xml.push('<');
        self.xml.push_str(&elemento.nome);
        let mut atributos: Vec<&(tree::Nome, String)> = elemento.atributos.iter().collect();
        atributos.sort_by(|a, b| a.0.cmp(&b.0));
        for (nome, valor) in atributos {
            self.atributo(nome, valor);
        }
        self.xml.push('>');
        match &elemento.conteudo {
            tree::Conteudo::Texto(texto) => self.texto(texto),
            tree::Conteudo::Filhos(filhos) => {
                for (indice, filho) in filhos.iter().enumerate() {
                    self.desce(filhos, indice, |escritor| escritor.livre(filho));
                }
            }
        }
        self.xml.push_str("</");
        self.xml.push_str(&elemento.nome);
        self.xml.push('>');
    }

    fn texto(&mut self, texto: &str) {
        self.confere_caracteres(texto);
        escapa_texto(&mut self.xml, texto);
    }

    /// XML 1.0 §2.2: such a character cannot even be written as a reference.
    fn confere_caracteres(&mut self, texto: &str) {
        let proibido = |c: char| matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}');
        if texto.contains(proibido) {
            self.erro(
                regra::XML,
                "O valor tem um caractere de controle, que o XML não admite.".to_owned(),
                "Retire os caracteres de controle.".to_owned(),
            );
        }
    }

    fn erro(&mut self, regra: &'static str, mensagem: String, correcao: String) {
        const MAX_ERROS: usize = 1000;
        if self.erros.len() < MAX_ERROS {
            let caminho = self
                .caminho
                .iter()
                .map(|(lista, i)| passo(lista, *i))
                .collect::<Vec<_>>();
            self.erros
                .push(Erro::novo(caminho.join("/"), regra, mensagem, correcao));
        }
    }
}

/// `det[2]`, or the name alone where it is the only one.
fn passo(irmaos: &[Elemento], indice: usize) -> String {
    let nome = irmaos.get(indice).map_or("", |este| &*este.nome);
    let iguais = |lista: &[Elemento]| lista.iter().filter(|outro| outro.nome == nome).count();
    if iguais(irmaos) > 1 {
        let antes = iguais(irmaos.get(..indice).unwrap_or_default());
        format!("{}[{}]", curto(nome), antes + 1)
    } else {
        curto(nome)
    }
}

/// C14N 1.0, §2.3: character data.
fn escapa_texto(saida: &mut String, texto: &str) {
    let mut inicio = 0;
    for (indice, byte) in texto.bytes().enumerate() {
        let por = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'\r' => "&#xD;",
            _ => continue,
        };
        saida.push_str(texto.get(inicio..indice).unwrap_or(""));
        saida.push_str(por);
        inicio = indice + 1;
    }
    saida.push_str(texto.get(inicio..).unwrap_or(""));
}

fn curto(nome: &str) -> String {
    nome.chars().take(60).collect()
}

/// Content kind, for readers of trees.
pub(super) fn conteudo_de(tabela: &Tabela, tipo: Tipo) -> Option<&Complexo> {
    match tipo {
        Tipo::Complexo(indice) => tabela.complexo(indice),
        Tipo::Simples(_) => None,
    }
}

/// Is it written with a value rather than with children?
pub(super) fn tem_valor(tabela: &Tabela, tipo: Tipo) -> bool {
    match conteudo_de(tabela, tipo) {
        None => true,
        Some(complexo) => matches!(complexo.conteudo, Conteudo::Simples(_)),
    }
}
