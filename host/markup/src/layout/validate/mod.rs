//! A document against its table: all errors in one walk.

mod children;
mod value;

pub(super) use value::confere;

use std::collections::HashSet;

use crate::layout::error::{Erro, regra};
use crate::layout::phrases;
use crate::layout::table::{Complexo, Conteudo, Declaracao, Espaco, Tabela, Tipo};
use crate::xml::{Document, Element};
use crate::xmldsig::DSIG_NAMESPACE;

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";
const XS: &str = "http://www.w3.org/2001/XMLSchema";
/// Errors of one answer: beyond this nobody reads on.
const MAX_ERROS: usize = 1000;

pub(super) fn valida(tabela: &Tabela, xml: &str) -> Vec<Erro> {
    let doc = match Document::parse(xml) {
        Ok(doc) => doc,
        Err(erro) => return vec![malformado(xml, &erro)],
    };
    let mut validador = Validador {
        tabela,
        doc: &doc,
        tem_cdata: xml.contains("<![CDATA["),
        pilha: Vec::with_capacity(16),
        ids: HashSet::new(),
        erros: Vec::new(),
        cheio: false,
    };
    validador.raiz(doc.root());
    validador.termina()
}

fn malformado(xml: &str, erro: &crate::xml::XmlError) -> Erro {
    let antes = xml.get(..erro.offset).unwrap_or("");
    let linha = antes.matches('\n').count() + 1;
    let coluna = antes.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    Erro::novo(
        String::new(),
        regra::XML,
        format!("O XML não está bem formado (linha {linha}, coluna {coluna})."),
        "Corrija o XML: marcas abertas e fechadas, caracteres especiais escapados, sem DTD."
            .to_owned(),
    )
    .original(erro.message.clone())
}

/// One level of the path to where the walk is.
struct Passo<'d> {
    nome: &'d str,
    /// From 1; 0 where the layout allows one only.
    indice: u32,
}

struct Validador<'t, 'd> {
    tabela: &'t Tabela,
    doc: &'d Document<'d>,
    tem_cdata: bool,
    pilha: Vec<Passo<'d>>,
    ids: HashSet<&'d str>,
    erros: Vec<Erro>,
    cheio: bool,
}

impl<'t: 'd, 'd> Validador<'t, 'd> {
    fn raiz(&mut self, raiz: Element<'d>) {
        let espaco = self.tabela.espaco(raiz.namespace());
        self.entra(raiz.name(), 0);
        if let Some(declaracao) = self.tabela.raiz(espaco, raiz.name()) {
            return self.elemento(raiz, declaracao.tipo);
        }
        if let Some(declaracao) = self.tabela.raiz_por_nome(raiz.name()) {
            self.namespace_errado(raiz, declaracao);
            return self.elemento(raiz, declaracao.tipo);
        }
        let nomes = self
            .tabela
            .raizes
            .iter()
            .filter(|r| r.espaco == Espaco::Layout);
        let esperados = phrases::lista(nomes.map(|raiz| raiz.nome), "ou");
        self.erro(Erro::novo(
            raiz.name().chars().take(60).collect(),
            regra::RAIZ,
            "O elemento raiz do XML não é deste layout.".to_owned(),
            format!("Envie um XML cuja raiz seja {esperados}."),
        ));
    }

    /// Most useful first; among equals, in document order.
    fn termina(mut self) -> Vec<Erro> {
        if self.cheio {
            self.erros.push(Erro::novo(
                String::new(),
                regra::LIMITE,
                format!("Há mais de {MAX_ERROS} erros; os demais não foram listados."),
                "Corrija os erros listados e valide de novo.".to_owned(),
            ));
        }
        let assinatura = |erro: &Erro| erro.caminho.contains("Signature");
        self.erros
            .sort_by_key(|erro| (regra::vez(erro.regra) + 3 * u8::from(assinatura(erro))).min(9));
        self.erros
    }

    fn entra(&mut self, nome: &'d str, indice: u32) {
        self.pilha.push(Passo { nome, indice });
    }

    fn sai(&mut self) {
        self.pilha.pop();
    }

    /// Path of the element the walk is at, below the root.
    fn caminho(&self) -> String {
        let abaixo = self.pilha.get(1..).unwrap_or_default();
        let passos = if abaixo.is_empty() {
            self.pilha.as_slice()
        } else {
            abaixo
        };
        let mut caminho = String::new();
        for passo in passos {
            if !caminho.is_empty() {
                caminho.push('/');
            }
            caminho.push_str(passo.nome);
            if passo.indice > 0 {
                caminho.push_str(&format!("[{}]", passo.indice));
            }
        }
        caminho
    }

    /// Path of a child of the element the walk is at.
    fn caminho_do_filho(&self, nome: &str) -> String {
        if self.pilha.len() <= 1 {
            return nome.to_owned();
        }
        format!("{}/{nome}", self.caminho())
    }

    fn erro(&mut self, erro: Erro) {
        if self.erros.len() < MAX_ERROS {
            self.erros.push(erro);
        } else {
            self.cheio = true;
        }
    }

    fn namespace_errado(&mut self, elemento: Element<'d>, declaracao: &Declaracao) {
        let certo = self.tabela.uri(declaracao.espaco);
        let veio = elemento.namespace();
        let mensagem = if veio.is_empty() {
            format!("{} está sem namespace.", declaracao.nome)
        } else {
            format!("{} está em outro namespace.", declaracao.nome)
        };
        let caminho = self.caminho();
        self.erro(
            Erro::novo(
                caminho,
                regra::NAMESPACE,
                mensagem,
                format!("Declare xmlns=\"{certo}\" para {}.", declaracao.nome),
            )
            .com_valor(Some(veio).filter(|veio| !veio.is_empty()))
            .original(format!("namespace {certo}")),
        );
    }

    /// An element whose declaration says this type.
    fn elemento(&mut self, elemento: Element<'d>, declarado: Tipo) {
        if self.cheio {
            return;
        }
        let tipo = self.xsi(elemento, declarado);
        match tipo {
            Tipo::Simples(indice) => {
                self.sem_atributos(elemento);
                self.texto_simples(elemento, indice);
            }
            Tipo::Complexo(indice) => {
                let Some(complexo) = self.tabela.complexo(indice) else {
                    return;
                };
                self.atributos(elemento, complexo);
                match &complexo.conteudo {
                    Conteudo::Simples(indice) => self.texto_simples(elemento, *indice),
                    Conteudo::Vazio => self.vazio(elemento, complexo),
                    Conteudo::Elementos(modelo) => {
                        if !complexo.misto {
                            self.so_elementos(elemento, true);
                        }
                        self.children(elemento, complexo, modelo);
                    }
                }
                for unico in &complexo.unicos {
                    self.unico(elemento, unico.todos, unico.atributo);
                }
            }
        }
    }

    /// What `xsi:type` and `xsi:nil` make of the type.
    fn xsi(&mut self, elemento: Element<'d>, declarado: Tipo) -> Tipo {
        let mut tipo = declarado;
        for (espaco, nome, valor) in elemento.attributes() {
            if espaco != XSI {
                continue;
            }
            let caminho = || format!("@xsi:{}", nome.chars().take(60).collect::<String>());
            match nome {
                "schemaLocation" | "noNamespaceSchemaLocation" => {}
                "type" => match self.tipo_do_documento(elemento, valor, declarado) {
                    Some(outro) => tipo = outro,
                    None => self.xsi_indevido(caminho()),
                },
                // No element of the official layouts is nillable.
                _ => self.xsi_indevido(caminho()),
            }
        }
        tipo
    }

    fn xsi_indevido(&mut self, atributo: String) {
        let mensagem = format!("{} não é aceito aqui.", atributo.trim_start_matches('@'));
        self.erro(Erro::novo(
            format!("{}/{atributo}", self.caminho()),
            regra::XSI,
            mensagem,
            "Retire o atributo.".to_owned(),
        ));
    }

    /// The type a document names, if it is the declared one or restricts it.
    fn tipo_do_documento(
        &self,
        elemento: Element<'d>,
        qname: &str,
        declarado: Tipo,
    ) -> Option<Tipo> {
        let qname = qname.trim();
        let (prefixo, local) = qname.split_once(':').unwrap_or(("", qname));
        let escopo = self.doc.namespaces_in_scope(elemento.id());
        let uri = escopo
            .iter()
            .find(|(outro, _)| *outro == prefixo)
            .map_or("", |(_, uri)| *uri);
        let nome = match uri {
            XS => format!("xs:{local}"),
            DSIG_NAMESPACE => format!("ds:{local}"),
            uri if uri == self.tabela.namespace => local.to_owned(),
            _ => return None,
        };
        if uri == XS {
            return self.embutido(&nome, declarado);
        }
        let tipo = self.tabela.tipo(&nome)?;
        if tipo == declarado {
            return Some(tipo);
        }
        let (Tipo::Simples(de), Tipo::Simples(base)) = (tipo, declarado) else {
            return None;
        };
        let base = self.tabela.simples(base)?;
        let mut atual = self.tabela.simples(de)?;
        if base.nome == base.embutido {
            return value::restringe(atual.embutido, base.embutido).then_some(tipo);
        }
        // Chains of derivation are short; the bound is for a table gone wrong.
        for _ in 0..16 {
            if atual.nome == base.nome {
                return Some(tipo);
            }
            let Some(Tipo::Simples(pai)) = atual.deriva.and_then(|nome| self.tabela.tipo(nome))
            else {
                // The parent itself is not in the table, so it is not the base.
                return (atual.deriva == Some(base.nome)).then_some(tipo);
            };
            atual = self.tabela.simples(pai)?;
        }
        None
    }

    /// A built-in type in `xsi:type`, where the declared one is built in too.
    fn embutido(&self, nome: &str, declarado: Tipo) -> Option<Tipo> {
        let Tipo::Simples(indice) = declarado else {
            return None;
        };
        let base = self.tabela.simples(indice)?;
        if base.nome != base.embutido || !value::restringe(nome, base.embutido) {
            return None;
        }
        match self.tabela.tipo(nome) {
            Some(tipo) => Some(tipo),
            None => Some(declarado),
        }
    }

    fn sem_atributos(&mut self, elemento: Element<'d>) {
        for (espaco, nome, _) in elemento.attributes() {
            if espaco != XSI {
                self.atributo_desconhecido(elemento, nome);
            }
        }
    }

    fn atributos(&mut self, elemento: Element<'d>, tipo: &'t Complexo) {
        let mut obrigatorios = 0;
        for (espaco, nome, valor) in elemento.attributes() {
            if espaco == XSI {
                continue;
            }
            let declarado = tipo.atributos.iter().find(|a| a.nome == nome);
            match declarado.filter(|_| espaco.is_empty()) {
                Some(atributo) => {
                    obrigatorios += usize::from(atributo.obrigatorio);
                    self.valor_de_atributo(atributo, valor);
                }
                None if tipo.qualquer_atributo => {}
                None => self.atributo_desconhecido(elemento, nome),
            }
        }
        if obrigatorios == tipo.atributos.iter().filter(|a| a.obrigatorio).count() {
            return;
        }
        for atributo in tipo.atributos.iter().filter(|a| a.obrigatorio) {
            if elemento.attribute(atributo.nome).is_none() {
                self.erro(Erro::novo(
                    format!("{}/@{}", self.caminho(), atributo.nome),
                    regra::ATRIBUTO_OBRIGATORIO,
                    format!("Falta o atributo {} de {}.", atributo.nome, elemento.name()),
                    format!("Informe {} em {}.", atributo.nome, elemento.name()),
                ));
            }
        }
    }

    fn atributo_desconhecido(&mut self, elemento: Element<'d>, nome: &str) {
        let nome: String = nome.chars().take(60).collect();
        self.erro(Erro::novo(
            format!("{}/@{nome}", self.caminho()),
            regra::ATRIBUTO_DESCONHECIDO,
            format!("{} não tem o atributo {nome}.", elemento.name()),
            format!("Retire o atributo {nome}."),
        ));
    }

    /// Text beside children: only white space may be there.
    fn so_elementos(&mut self, elemento: Element<'d>, brancos: bool) {
        let texto = elemento.has_text(!brancos);
        if texto || (self.tem_cdata && children::tem_cdata(self.doc, elemento)) {
            let caminho = self.caminho();
            self.erro(Erro::novo(
                caminho,
                regra::TEXTO_INDEVIDO,
                format!("Há texto solto dentro de {}.", elemento.name()),
                "Retire o texto que está fora das marcas dos campos.".to_owned(),
            ));
        }
    }

    fn vazio(&mut self, elemento: Element<'d>, tipo: &Complexo) {
        self.so_elementos(elemento, false);
        if elemento.children().next().is_some() {
            let caminho = self.caminho();
            self.erro(Erro::novo(
                caminho,
                regra::ESTRUTURA,
                format!("{} não pode ter conteúdo.", tipo.nome),
                format!("Deixe {} vazio.", tipo.nome),
            ));
        }
    }

    fn unico(&mut self, elemento: Element<'d>, todos: bool, atributo: &'static str) {
        let mut vistos = HashSet::new();
        let mut repetidos = Vec::new();
        let mut olha = |filho: Element<'d>| {
            if let Some(valor) = filho.attribute(atributo)
                && !vistos.insert(valor)
            {
                repetidos.push((filho.name(), valor));
            }
        };
        if todos {
            elemento.descendants_or_self().skip(1).for_each(&mut olha);
        } else {
            elemento.children().for_each(&mut olha);
        }
        for (nome, valor) in repetidos {
            if self.cheio {
                break;
            }
            let erro = Erro::novo(
                format!("{}/@{atributo}", self.caminho_do_filho(nome)),
                regra::UNICO,
                format!("{atributo} se repete em {nome}."),
                format!("Numere cada {nome} com um {atributo} diferente."),
            );
            self.erro(erro.com_valor(Some(valor)));
        }
    }
}
