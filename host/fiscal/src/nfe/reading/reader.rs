//! The engine: elements become members by the tables of [`crate::nfe::reading::table`].
//! What no table knows, and what does not fit twice, goes to `outros` under
//! its official path: nothing is lost.

use std::borrow::Cow;

use crate::nfe::reading::value::{Grupo, Outro, Valor};
use markup::xml::Element;
use markup::xmldsig::DSIG_NAMESPACE;

/// What becomes of an element.
pub(super) struct Regra {
    pub tag: &'static str,
    /// Member it becomes; dots lead into groups.
    pub nome: &'static str,
    pub como: Como,
}

/// How an element is read.
pub(super) enum Como {
    Texto,
    Numero,
    /// Texts for true and false; anything else stays text.
    Logico(&'static str, &'static str),
    /// The API's word for an official code.
    Palavra(fn(&str) -> Option<&'static str>),
    /// `AAMM` of this century as `AAAA-MM`.
    AnoMes,
    /// A text that belongs to the item around, not to this group.
    Sobe,
    /// Each occurrence a text of a list.
    Textos,
    /// Each occurrence a text of a list: the only child's.
    TextosDe,
    Grupo(&'static [Regra]),
    /// Each occurrence a group of a list.
    Lista(&'static [Regra]),
    /// Members become the outer group's.
    Dissolve(&'static [Regra]),
    /// Like `Dissolve`, and says by a member `grupo` that it was this one.
    Variante(&'static [Regra]),
}

/// Most entries of `outros`; a note of ours or of anybody serious has a dozen.
pub(super) const MAX_OUTROS: usize = 10_000;

pub(super) struct Leitor<'d> {
    pub outros: Vec<Outro<'d>>,
    /// There were more than [`MAX_OUTROS`].
    pub cortado: bool,
    /// Members for the item, found further in.
    sobem: Vec<(&'static str, Valor<'d>)>,
}

/// Where the reader stands: the elements from the root, for `outros`.
type Caminho<'c, 'd> = Option<&'c Passo<'c, 'd>>;

pub(super) struct Passo<'c, 'd> {
    fora: Caminho<'c, 'd>,
    elemento: Element<'d>,
}

impl<'d> Leitor<'d> {
    pub fn novo() -> Leitor<'d> {
        Leitor {
            outros: Vec::new(),
            cortado: false,
            sobem: Vec::new(),
        }
    }

    /// Children and attributes of an element into a group.
    pub fn le(&mut self, elemento: Element<'d>, regras: &'static [Regra], destino: &mut Grupo<'d>) {
        self.membros(None, elemento, regras, destino);
    }

    /// Children and attributes of an element that are not of these names
    /// (attributes with `@`), into `outros`.
    pub fn le_resto(&mut self, elemento: Element<'d>, menos: &[&str]) {
        let aqui = Passo {
            fora: None,
            elemento,
        };
        for (_, nome, valor) in elemento.attributes() {
            if !menos
                .iter()
                .any(|menos| menos.strip_prefix('@') == Some(nome))
            {
                self.outro(format!("{}/@{nome}", elemento.name()), Cow::Borrowed(valor));
            }
        }
        let mut vistos: Vec<&str> = Vec::new();
        for filho in elemento.children() {
            if filho.namespace() == DSIG_NAMESPACE {
                continue;
            }
            // Only the first of each name is somebody's.
            if menos.contains(&filho.name()) && !vistos.contains(&filho.name()) {
                vistos.push(filho.name());
            } else {
                self.sobra(&aqui, filho);
            }
        }
    }

    fn membros(
        &mut self,
        fora: Caminho<'_, 'd>,
        elemento: Element<'d>,
        regras: &'static [Regra],
        destino: &mut Grupo<'d>,
    ) {
        let aqui = Passo { fora, elemento };
        for (namespace, nome, valor) in elemento.attributes() {
            let regra = regras
                .iter()
                .find(|regra| namespace.is_empty() && regra.tag.strip_prefix('@') == Some(nome));
            let sobrou = match regra {
                Some(regra) => destino
                    .poe(regra.nome, simples(&regra.como, Cow::Borrowed(valor)))
                    .is_err(),
                None => true,
            };
            if sobrou {
                self.outro(format!("{}/@{nome}", escrito(&aqui)), Cow::Borrowed(valor));
            }
        }
        // Documents follow the official order, and so do the tables.
        let mut proxima = 0;
        let mut filhos = 0;
        for filho in elemento.children() {
            filhos += 1;
            if filho.namespace() == DSIG_NAMESPACE {
                continue;
            }
            match procura(regras, proxima, filho.name()) {
                Some((posicao, regra)) => {
                    proxima = posicao;
                    self.membro(&aqui, filho, regra, destino);
                }
                None => self.sobra(&aqui, filho),
            }
        }
        let solto = if filhos > 0 {
            elemento.text()
        } else {
            Cow::Borrowed("")
        };
        if !solto.trim().is_empty() {
            self.outro(format!("{}/text()", escrito(&aqui)), solto);
        }
    }

    fn membro(
        &mut self,
        aqui: &Passo<'_, 'd>,
        filho: Element<'d>,
        regra: &'static Regra,
        destino: &mut Grupo<'d>,
    ) {
        let resultado = match &regra.como {
            Como::Grupo(regras) => match destino.dentro(regra.nome) {
                Some(grupo) => {
                    self.membros(Some(aqui), filho, regras, grupo);
                    Ok(())
                }
                None => return self.sobra(aqui, filho),
            },
            Como::Dissolve(regras) => {
                self.membros(Some(aqui), filho, regras, destino);
                Ok(())
            }
            Como::Variante(regras) => {
                let nome = Valor::Texto(Cow::Borrowed(regra.nome));
                // A second variant shows in its members, which do not fit.
                drop(destino.poe("grupo", nome));
                self.membros(Some(aqui), filho, regras, destino);
                Ok(())
            }
            Como::Lista(regras) => {
                let mut grupo = Grupo::com_espaco(regras.len().min(16));
                let antes = self.sobem.len();
                self.membros(Some(aqui), filho, regras, &mut grupo);
                for (nome, valor) in self.sobem.split_off(antes) {
                    drop(grupo.poe(nome, valor));
                }
                destino.acrescenta(regra.nome, Valor::Grupo(grupo))
            }
            Como::TextosDe => {
                let mut dentro = filho.children();
                match (dentro.next(), dentro.next()) {
                    (Some(unico), None) if folha(unico) => {
                        destino.acrescenta(regra.nome, Valor::Texto(unico.text()))
                    }
                    _ => return self.sobra(aqui, filho),
                }
            }
            _ if !folha(filho) => return self.sobra(aqui, filho),
            Como::Textos => destino.acrescenta(regra.nome, Valor::Texto(filho.text())),
            Como::Sobe => {
                if self.sobem.iter().any(|(nome, _)| *nome == regra.nome) {
                    return self.sobra(aqui, filho);
                }
                self.sobem.push((regra.nome, Valor::Texto(filho.text())));
                Ok(())
            }
            como => destino.poe(regra.nome, simples(como, filho.text())),
        };
        if resultado.is_err() {
            self.sobra(aqui, filho);
        }
    }

    fn outro(&mut self, caminho: String, valor: Cow<'d, str>) {
        if self.outros.len() < MAX_OUTROS {
            self.outros.push(Outro { caminho, valor });
        } else {
            self.cortado = true;
        }
    }

    /// Everything in an element nobody has a place for.
    fn sobra(&mut self, aqui: &Passo<'_, 'd>, elemento: Element<'d>) {
        let caminho = escrito(&Passo {
            fora: Some(aqui),
            elemento,
        });
        self.esvazia(caminho, elemento);
    }

    /// Recursion is as deep as the parser lets documents be ([`markup::xml::MAX_DEPTH`]).
    fn esvazia(&mut self, caminho: String, elemento: Element<'d>) {
        for (_, nome, valor) in elemento.attributes() {
            self.outro(format!("{caminho}/@{nome}"), Cow::Borrowed(valor));
        }
        let mut filhos = false;
        for filho in elemento.children() {
            filhos = true;
            self.esvazia(format!("{caminho}/{}", filho.name()), filho);
        }
        let texto = elemento.text();
        if !filhos || !texto.trim().is_empty() {
            self.outro(caminho, texto);
        }
    }
}

fn folha(elemento: Element<'_>) -> bool {
    elemento.children().next().is_none() && elemento.attributes().next().is_none()
}

fn procura(
    regras: &'static [Regra],
    proxima: usize,
    nome: &str,
) -> Option<(usize, &'static Regra)> {
    let adiante = regras.iter().enumerate().skip(proxima);
    let atras = regras.iter().enumerate().take(proxima);
    adiante.chain(atras).find(|(_, regra)| regra.tag == nome)
}

fn simples<'d>(como: &Como, texto: Cow<'d, str>) -> Valor<'d> {
    match como {
        Como::Numero => Valor::Numero(texto),
        Como::Logico(sim, _) if texto == *sim => Valor::Logico(true),
        Como::Logico(_, nao) if texto == *nao => Valor::Logico(false),
        Como::Palavra(palavra) => match palavra(&texto) {
            Some(palavra) => Valor::Texto(Cow::Borrowed(palavra)),
            None => Valor::Texto(texto),
        },
        Como::AnoMes => match ano_mes(&texto) {
            Some(data) => Valor::Texto(Cow::Owned(data)),
            None => Valor::Texto(texto),
        },
        _ => Valor::Texto(texto),
    }
}

fn ano_mes(texto: &str) -> Option<String> {
    let digitos = texto.len() == 4 && texto.bytes().all(|byte| byte.is_ascii_digit());
    let (ano, mes) = texto.split_at_checked(2).filter(|_| digitos)?;
    Some(format!("20{ano}-{mes}"))
}

/// `infNFe/det[2]/prod/xFoo`, items by their `nItem`. Other elements that
/// repeat have the same path and keep their order.
fn escrito(passo: &Passo<'_, '_>) -> String {
    let mut nomes = Vec::new();
    let mut atual = Some(passo);
    while let Some(Passo { fora, elemento }) = atual {
        nomes.push(match elemento.attribute("nItem") {
            Some(item) if elemento.name() == "det" => {
                Cow::Owned(format!("det[{}]", item.chars().take(3).collect::<String>()))
            }
            _ => Cow::Borrowed(elemento.name()),
        });
        atual = *fora;
    }
    nomes.reverse();
    nomes.join("/")
}
