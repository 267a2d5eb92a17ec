//! Children of an element: by the automaton while it goes, and when it does
//! not, by name, so that one mistake gives one error.

use std::collections::HashSet;

use super::Validador;
use crate::layout::error::{Erro, regra};
use crate::layout::phrases;
use crate::layout::structure::{Arranjo, Falta, Lugar, Sobra, arranja, deslocados};
use crate::layout::table::{
    Automato, Complexo, Curinga, Declaracao, Espaco, Exame, Modelo, Simbolo,
};
use crate::xml::{Document, Element};

/// Unknown names of one element that are compared with the known ones.
const MAX_DESLIZES: usize = 64;

/// Where the automaton is.
#[derive(Clone, Copy)]
struct Estado {
    /// None before the first child.
    posicao: Option<u16>,
    /// How often the position was taken in a row.
    vezes: u32,
}

impl Estado {
    const INICIO: Estado = Estado {
        posicao: None,
        vezes: 0,
    };

    /// The state after a child, and what the child is.
    fn passo(
        self,
        modelo: &Modelo,
        espaco: Option<Espaco>,
        sem_espaco: bool,
        nome: &str,
    ) -> Option<(Estado, Simbolo)> {
        let automato = &modelo.automato;
        let serve = |simbolo: Simbolo| match simbolo {
            Simbolo::Elemento(indice) => modelo
                .declaracoes
                .get(indice)
                .is_some_and(|d| d.nome == nome && Some(d.espaco) == espaco),
            Simbolo::Qualquer(indice) => modelo
                .curingas
                .get(indice)
                .is_some_and(|curinga| admite(curinga, espaco, sem_espaco)),
        };
        let mut seguintes = automato.inicio.as_slice();
        if let Some(numero) = self.posicao {
            let posicao = automato.simbolos.get(usize::from(numero))?;
            if self.vezes < posicao.max && serve(posicao.o) {
                let estado = Estado {
                    posicao: self.posicao,
                    vezes: self.vezes + 1,
                };
                return Some((estado, posicao.o));
            }
            if self.vezes < posicao.min {
                return None;
            }
            seguintes = automato.segue.get(usize::from(numero))?;
        }
        for numero in seguintes {
            let posicao = automato.simbolos.get(usize::from(*numero))?;
            if serve(posicao.o) {
                let estado = Estado {
                    posicao: Some(*numero),
                    vezes: 1,
                };
                return Some((estado, posicao.o));
            }
        }
        None
    }

    fn pode_acabar(self, automato: &Automato) -> bool {
        match self.posicao {
            None => automato.vazio,
            Some(numero) => automato
                .simbolos
                .get(usize::from(numero))
                .is_some_and(|posicao| automato.acaba_em(numero) && self.vezes >= posicao.min),
        }
    }

    /// How many of the name the layout allows here.
    fn maximo(self, automato: &Automato) -> u32 {
        let posicao = self
            .posicao
            .and_then(|n| automato.simbolos.get(usize::from(n)));
        posicao.map_or(1, |posicao| posicao.max)
    }
}

fn admite(curinga: &Curinga, espaco: Option<Espaco>, sem_espaco: bool) -> bool {
    match curinga.exceto {
        None => true,
        Some(exceto) => !sem_espaco && espaco != Some(exceto),
    }
}

/// Does a CDATA section stand directly inside the element? libxml2 takes one,
/// even an empty one, for text.
pub(super) fn tem_cdata(doc: &Document<'_>, elemento: Element<'_>) -> bool {
    let Some(dentro) = elemento.content_span() else {
        return false;
    };
    let mut inicio = dentro.start;
    let fins = elemento.children().map(|filho| filho.span());
    for filho in fins.chain(std::iter::once(dentro.end..dentro.end)) {
        let mut resto = doc.text().get(inicio..filho.start).unwrap_or("");
        while let Some(indice) = resto.find('<') {
            resto = resto.get(indice..).unwrap_or("");
            let fim = if resto.starts_with("<![CDATA[") {
                return true;
            } else if resto.starts_with("<!--") {
                "-->"
            } else {
                "?>"
            };
            let Some(fim) = resto.find(fim) else { break };
            resto = resto.get(fim..).unwrap_or("");
        }
        inicio = filho.end;
    }
    false
}

impl<'t: 'd, 'd> Validador<'t, 'd> {
    pub(super) fn children(
        &mut self,
        elemento: Element<'d>,
        tipo: &'t Complexo,
        modelo: &'t Modelo,
    ) {
        let mut estado = Estado::INICIO;
        for (quantos, filho) in elemento.children().enumerate() {
            let uri = filho.namespace();
            let espaco = self.tabela.espaco(uri);
            let Some((seguinte, simbolo)) =
                estado.passo(modelo, espaco, uri.is_empty(), filho.name())
            else {
                return self.desarranjo(elemento, tipo, modelo, quantos);
            };
            estado = seguinte;
            let indice = if estado.maximo(&modelo.automato) > 1 {
                estado.vezes
            } else {
                0
            };
            self.entra(filho.name(), indice);
            match simbolo {
                Simbolo::Elemento(declaracao) => {
                    if let Some(declaracao) = modelo.declaracoes.get(declaracao) {
                        self.elemento(filho, declaracao.tipo);
                    }
                }
                Simbolo::Qualquer(curinga) => self.curinga(filho, modelo.curingas.get(curinga)),
            }
            self.sai();
        }
        if !estado.pode_acabar(&modelo.automato) {
            self.desarranjo(elemento, tipo, modelo, usize::MAX);
        }
    }

    /// What a wildcard lets in.
    fn curinga(&mut self, elemento: Element<'d>, curinga: Option<&Curinga>) {
        let exame = curinga.map_or(Exame::Nenhum, |curinga| curinga.exame);
        if exame == Exame::Nenhum {
            return;
        }
        let espaco = self.tabela.espaco(elemento.namespace());
        if let Some(raiz) = self.tabela.raiz(espaco, elemento.name()) {
            return self.elemento(elemento, raiz.tipo);
        }
        if exame == Exame::Todos {
            let caminho = self.caminho();
            let nome: String = elemento.name().chars().take(60).collect();
            return self.erro(Erro::novo(
                caminho,
                regra::DESCONHECIDO,
                format!("{nome} não existe no layout."),
                format!("Retire {nome}."),
            ));
        }
        for filho in elemento.children() {
            self.entra(filho.name(), 0);
            self.curinga(filho, curinga);
            self.sai();
        }
    }

    /// The children do not fit: says why, and goes on into those not seen yet
    /// (`vistos` of them were).
    fn desarranjo(
        &mut self,
        elemento: Element<'d>,
        tipo: &'t Complexo,
        modelo: &'t Modelo,
        vistos: usize,
    ) {
        let filhos: Vec<Element<'d>> = elemento.children().collect();
        let antes = self.erros.len();
        let mut nomes: Vec<&str> = filhos.iter().map(|filho| filho.name()).collect();
        let mut deslizes: Vec<Option<&'static str>> = vec![None; filhos.len()];
        self.corrige_nomes(modelo, &filhos, &mut nomes, &mut deslizes);
        let arranjo = arranja(modelo, &nomes);
        let indices = ocorrencias(&nomes);
        self.arrangement(elemento, modelo, &filhos, &indices, &arranjo);
        // Names that are nearly right were taken for what they nearly are.
        for ((filho, deslize), indice) in filhos.iter().zip(&deslizes).zip(&indices) {
            if let Some(certo) = deslize {
                self.deslize(filho, certo, *indice);
            }
        }
        let places = places(&arranjo, filhos.len());
        for (numero, (filho, place)) in filhos.iter().zip(places).enumerate() {
            self.entra(filho.name(), indices.get(numero).copied().unwrap_or(0));
            let place = match place {
                Some(Lugar::Elemento(_)) => place,
                // A child that is too many has the type of its name all the same.
                _ => nomes
                    .get(numero)
                    .and_then(|nome| modelo.declaracoes.iter().position(|d| d.nome == *nome))
                    .map(Lugar::Elemento)
                    .or(place),
            };
            self.placed_child(*filho, modelo, place, numero >= vistos);
            self.sai();
        }
        if self.erros.len() == antes && !self.cheio {
            self.sem_diagnostico(tipo, &filhos, vistos);
        }
    }

    /// Reports which children stand out of order, are too many or are missing.
    fn arrangement(
        &mut self,
        elemento: Element<'d>,
        modelo: &Modelo,
        filhos: &[Element<'d>],
        indices: &[u32],
        arranjo: &Arranjo,
    ) {
        let ordem: Vec<usize> = arranjo.ordem.iter().map(|(filho, _)| *filho).collect();
        self.fora_de_ordem(filhos, &ordem, indices);
        for sobra in &arranjo.sobram {
            if self.cheio {
                break;
            }
            self.sobra(elemento, filhos, indices, sobra);
        }
        for falta in &arranjo.faltam {
            self.falta(elemento, modelo, falta);
        }
    }

    /// Checks the namespace of a child at its place and, unless that was done
    /// already, its content.
    fn placed_child(
        &mut self,
        filho: Element<'d>,
        modelo: &'t Modelo,
        place: Option<Lugar>,
        unseen: bool,
    ) {
        let espaco = self.tabela.espaco(filho.namespace());
        match place {
            Some(Lugar::Elemento(declaracao)) => {
                let Some(declaracao) = modelo.declaracoes.get(declaracao) else {
                    return;
                };
                if espaco != Some(declaracao.espaco) {
                    self.namespace_errado(filho, declaracao);
                }
                if unseen {
                    self.elemento(filho, declaracao.tipo);
                }
            }
            Some(Lugar::Qualquer(curinga)) => {
                let curinga = modelo.curingas.get(curinga);
                let sem_espaco = filho.namespace().is_empty();
                if curinga.is_some_and(|c| !admite(c, espaco, sem_espaco)) {
                    let erro = Erro::novo(
                        self.caminho(),
                        regra::NAMESPACE,
                        format!("{} não pode ser deste namespace.", nome_curto(filho.name())),
                        "Use o namespace de outra especificação.".to_owned(),
                    );
                    self.erro(erro);
                }
                if unseen {
                    self.curinga(filho, curinga);
                }
            }
            None => {}
        }
    }

    /// The automaton refuses and no rule above says why: names the place.
    fn sem_diagnostico(&mut self, tipo: &Complexo, filhos: &[Element<'d>], vistos: usize) {
        let (caminho, mensagem) = match filhos.get(vistos) {
            Some(filho) => (
                self.caminho_do_filho(filho.name()),
                format!("{} não pode vir aqui.", nome_curto(filho.name())),
            ),
            None => (
                self.caminho(),
                format!("O conteúdo de {} está incompleto.", tipo.nome),
            ),
        };
        self.erro(Erro::novo(
            caminho,
            regra::FORA_DE_ORDEM,
            mensagem,
            "Siga a ordem e as repetições do layout.".to_owned(),
        ));
    }

    /// Finds names that are a slip of a name of the layout which is not there.
    fn corrige_nomes(
        &self,
        modelo: &'t Modelo,
        filhos: &[Element<'d>],
        nomes: &mut [&'d str],
        deslizes: &mut [Option<&'static str>],
    ) {
        if !modelo.curingas.is_empty() {
            return;
        }
        let conhecido = |nome: &str| modelo.declaracoes.iter().any(|d| d.nome == nome);
        let mut presentes: HashSet<&str> = nomes.iter().copied().collect();
        let mut tentativas = 0;
        for indice in 0..filhos.len() {
            if tentativas >= MAX_DESLIZES {
                break;
            }
            let Some(nome) = nomes.get(indice).copied().filter(|nome| !conhecido(nome)) else {
                continue;
            };
            tentativas += 1;
            let certo = modelo
                .declaracoes
                .iter()
                .find(|d| phrases::parecidos(nome, d.nome) && !presentes.contains(d.nome));
            presentes.extend(certo.map(|certo| certo.nome));
            if let (Some(certo), Some(nome), Some(deslize)) =
                (certo, nomes.get_mut(indice), deslizes.get_mut(indice))
            {
                *nome = certo.nome;
                *deslize = Some(certo.nome);
            }
        }
    }

    fn deslize(&mut self, filho: &Element<'d>, certo: &str, indice: u32) {
        let nome = nome_curto(filho.name());
        self.erro(Erro::novo(
            self.caminho_do_filho(&com_indice(&nome, indice)),
            regra::DESCONHECIDO,
            format!("{nome} não existe no layout; o nome certo é {certo}."),
            format!("Troque {nome} por {certo}."),
        ));
    }

    fn fora_de_ordem(&mut self, filhos: &[Element<'d>], ordem: &[usize], indices: &[u32]) {
        let fora = deslocados(ordem);
        let nome = |filho: usize| filhos.get(filho).map_or("", |filho| filho.name());
        let mut ultimo = "";
        for (lugar, filho) in ordem.iter().enumerate() {
            if !fora.get(lugar).copied().unwrap_or(false) {
                continue;
            }
            let este = nome(*filho);
            // A run of one name out of place is one mistake.
            if este == ultimo {
                continue;
            }
            ultimo = este;
            let antes = ordem
                .get(..lugar)
                .and_then(|antes| antes.iter().rev().find(|outro| nome(**outro) != este));
            let depois = ordem
                .get(lugar + 1..)
                .and_then(|depois| depois.iter().find(|outro| nome(**outro) != este));
            let correcao = match (antes, depois) {
                (Some(antes), _) => format!("Coloque {este} logo depois de {}.", nome(*antes)),
                (None, Some(depois)) => format!("Coloque {este} antes de {}.", nome(*depois)),
                (None, None) => "Siga a ordem do layout.".to_owned(),
            };
            let indice = indices.get(*filho).copied().unwrap_or(0);
            let erro = Erro::novo(
                self.caminho_do_filho(&com_indice(este, indice)),
                regra::FORA_DE_ORDEM,
                format!("{este} está fora da ordem do layout."),
                correcao,
            );
            self.erro(erro);
        }
    }

    fn sobra(
        &mut self,
        elemento: Element<'d>,
        filhos: &[Element<'d>],
        indices: &[u32],
        sobra: &Sobra,
    ) {
        let nome = |filho: usize| nome_curto(filhos.get(filho).map_or("", |filho| filho.name()));
        let (Sobra::Repetido { filho, .. }
        | Sobra::Excluido { filho, .. }
        | Sobra::Desconhecido { filho }) = sobra;
        let este = nome(*filho);
        let pai = elemento.name();
        let indice = indices.get(*filho).copied().unwrap_or(0);
        let caminho = self.caminho_do_filho(&com_indice(&este, indice));
        let erro = match sobra {
            Sobra::Repetido { max, .. } => Erro::novo(
                caminho,
                regra::REPETIDO,
                match max {
                    1 => format!("{este} só pode aparecer uma vez em {pai}."),
                    max => format!("{este} só pode aparecer até {max} vezes em {pai}."),
                },
                format!("Retire {este} a mais."),
            ),
            Sobra::Excluido { por, .. } => {
                let mut outros: Vec<String> = por.iter().map(|filho| nome(*filho)).collect();
                outros.dedup();
                let outros = phrases::lista(outros.iter().map(String::as_str), "e");
                Erro::novo(
                    caminho,
                    regra::ESCOLHA,
                    format!("{este} não pode ser informado junto com {outros}."),
                    format!("Deixe só {este} ou só {outros}."),
                )
            }
            Sobra::Desconhecido { .. } => {
                let donos = self.donos(&este);
                let (mensagem, correcao) = if donos.is_empty() {
                    (
                        format!("{este} não existe no layout."),
                        format!("Retire {este}."),
                    )
                } else {
                    let donos = phrases::lista(donos.iter().copied(), "ou");
                    (
                        format!("{este} não pertence a {pai}."),
                        format!("Retire {este} daqui; no layout fica em {donos}."),
                    )
                };
                Erro::novo(caminho, regra::DESCONHECIDO, mensagem, correcao)
            }
        };
        self.erro(erro);
    }

    /// Types that have a child of that name: at most three.
    fn donos(&self, nome: &str) -> Vec<&'t str> {
        let tem = |tipo: &&Complexo| match &tipo.conteudo {
            crate::layout::table::Conteudo::Elementos(modelo) => {
                modelo.declaracoes.iter().any(|d| d.nome == nome)
            }
            _ => false,
        };
        let mut donos: Vec<&str> = self
            .tabela
            .complexos
            .iter()
            .filter(tem)
            .map(|tipo| tipo.nome.split('~').next().unwrap_or(tipo.nome))
            .collect();
        donos.dedup();
        donos.truncate(3);
        donos
    }

    fn falta(&mut self, elemento: Element<'d>, modelo: &Modelo, falta: &Falta) {
        let pai = elemento.name();
        let nome = |declaracao: &usize| {
            modelo
                .declaracoes
                .get(*declaracao)
                .map_or("", |d: &Declaracao| d.nome)
        };
        let erro = match falta {
            Falta::Elemento {
                declaracao,
                min,
                ha,
            } => {
                let este = nome(declaracao);
                let (mensagem, correcao) = if *ha == 0 {
                    (
                        format!("Falta {este} em {pai}."),
                        phrases::informe(este, self.tabela, modelo.declaracoes.get(*declaracao)),
                    )
                } else {
                    (
                        format!("{este} deve aparecer pelo menos {min} vezes em {pai}."),
                        format!("Informe {este} mais {} vez(es).", min - ha),
                    )
                };
                Erro::novo(
                    self.caminho_do_filho(este),
                    regra::OBRIGATORIO,
                    mensagem,
                    correcao,
                )
            }
            Falta::UmDe(declaracoes) => {
                let mut nomes: Vec<&str> = declaracoes.iter().map(nome).collect();
                nomes.dedup();
                let nomes = phrases::lista(nomes.into_iter(), "ou");
                Erro::novo(
                    self.caminho(),
                    regra::OBRIGATORIO,
                    format!("Falta em {pai} um destes: {nomes}."),
                    format!("Informe {nomes}."),
                )
            }
            Falta::Qualquer => Erro::novo(
                self.caminho(),
                regra::OBRIGATORIO,
                format!("{pai} está sem conteúdo."),
                format!("Informe o conteúdo de {pai}."),
            ),
        };
        self.erro(erro);
    }
}

/// The place of each of so many children; none for those that have none.
fn places(arranjo: &Arranjo, children: usize) -> Vec<Option<Lugar>> {
    let mut places = vec![None; children];
    for (filho, lugar) in &arranjo.ordem {
        if let Some(place) = places.get_mut(*filho) {
            *place = Some(*lugar);
        }
    }
    places
}

fn nome_curto(nome: &str) -> String {
    nome.chars().take(60).collect()
}

fn com_indice(nome: &str, indice: u32) -> String {
    if indice > 0 {
        format!("{nome}[{indice}]")
    } else {
        nome.to_owned()
    }
}

/// For each name that occurs more than once, which of its occurrences this is.
fn ocorrencias(nomes: &[&str]) -> Vec<u32> {
    let mut total: std::collections::HashMap<&str, u32> = std::collections::HashMap::new();
    let mut indices = Vec::with_capacity(nomes.len());
    for nome in nomes {
        let vezes = total.entry(nome).or_insert(0);
        *vezes += 1;
        indices.push(*vezes);
    }
    nomes
        .iter()
        .zip(indices)
        .map(|(nome, indice)| {
            if total.get(nome).is_some_and(|total| *total > 1) {
                indice
            } else {
                0
            }
        })
        .collect()
}
