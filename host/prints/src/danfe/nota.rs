//! The note as it is read for printing: elements by name, absent ones empty.

use std::borrow::Cow;

use super::DanfeError;
use markup::xml::{Document, Element};

/// Longest text of one field. The layout's longest is `infCpl` with 5,000.
const MAX_TEXTO: usize = 20_000;
/// Items; the layout admits 990.
const MAX_ITENS: usize = 2_000;
/// Payments, and instalments: the layout admits 100 and 120.
const MAX_PARCELAS: usize = 1_000;

/// An element, or the absence of one: reading on from there gives nothing.
#[derive(Clone, Copy)]
pub(super) struct No<'d>(Option<Element<'d>>);

impl<'d> No<'d> {
    pub fn de(element: Element<'d>) -> No<'d> {
        No(Some(element))
    }

    pub fn talvez(element: Option<Element<'d>>) -> No<'d> {
        No(element)
    }

    pub fn existe(self) -> bool {
        self.0.is_some()
    }

    /// First child of that name.
    pub fn no(self, nome: &str) -> No<'d> {
        No(self.0.and_then(|element| element.child(nome)))
    }

    /// First child element of all: for groups that are a choice of names.
    pub fn primeiro(self) -> No<'d> {
        No(self.0.and_then(|element| element.children().next()))
    }

    /// Children of that name.
    pub fn todos(self, nome: &str) -> impl Iterator<Item = No<'d>> {
        let nome = nome.to_owned();
        self.0
            .into_iter()
            .flat_map(Element::children)
            .filter(move |child| child.name() == nome)
            .map(|child| No(Some(child)))
    }

    /// Text of the first child of that name, without blanks around it.
    pub fn t(self, nome: &str) -> Cow<'d, str> {
        self.no(nome).texto()
    }

    /// The first of these children that has a text.
    pub fn um_de(self, nomes: &[&str]) -> Cow<'d, str> {
        nomes
            .iter()
            .map(|nome| self.t(nome))
            .find(|texto| !texto.is_empty())
            .unwrap_or_default()
    }

    pub fn texto(self) -> Cow<'d, str> {
        match self.0.map(Element::text) {
            Some(Cow::Borrowed(texto)) => Cow::Borrowed(texto.trim()),
            Some(Cow::Owned(texto)) => Cow::Owned(texto.trim().to_owned()),
            None => Cow::Borrowed(""),
        }
    }

    pub fn atributo(self, nome: &str) -> &'d str {
        self.0
            .and_then(|element| element.attribute(nome))
            .unwrap_or("")
    }
}

/// One note: the parts every printout needs.
#[derive(Clone, Copy)]
pub(super) struct Nota<'d> {
    pub inf: No<'d>,
    pub ide: No<'d>,
    pub emit: No<'d>,
    pub dest: No<'d>,
    pub total: No<'d>,
    /// `infProt`, if the note came with its protocol.
    pub prot: No<'d>,
    pub supl: No<'d>,
    /// 44 positions as in the `Id`, or whatever stands there.
    pub chave: &'d str,
    /// The document itself says that the note was cancelled.
    pub cancelada: bool,
}

/// Events that cancel a note: by its issuer, and by substitution (NFC-e).
const CANCELAMENTOS: [&str; 2] = ["110111", "110112"];

/// Is there an event beside the note that cancelled it, with the authority's yes
/// (135, 136, or 155 late)?
fn tem_cancelamento(raiz: Element<'_>, chave: &str) -> bool {
    let mut eventos = raiz
        .descendants_or_self()
        .filter(|element| element.name() == "procEventoNFe");
    eventos.any(|proc| {
        let proc = No(Some(proc));
        let evento = proc.no("evento").no("infEvento");
        let retorno = proc.no("retEvento").no("infEvento");
        CANCELAMENTOS.contains(&&*evento.t("tpEvento"))
            && evento.t("chNFe") == chave
            && matches!(&*retorno.t("cStat"), "135" | "136" | "155")
    })
}

impl<'d> Nota<'d> {
    /// The only note of a document.
    pub fn ler(doc: &'d Document<'d>) -> Result<Nota<'d>, DanfeError> {
        let raiz = doc.root();
        let mut notas = raiz
            .descendants_or_self()
            .filter(|element| element.name() == "infNFe");
        let inf = notas.next().ok_or(DanfeError::SemNota)?;
        match notas.count() {
            0 => {}
            mais => return Err(DanfeError::VariasNotas(mais + 1)),
        }
        limitar(inf)?;
        let supl = inf.parent().and_then(|nfe| nfe.child("infNFeSupl"));
        let inf = No(Some(inf));
        let id = inf.atributo("Id");
        let chave = id.strip_prefix("NFe").unwrap_or(id);
        // The protocol of another note says nothing about this one.
        let prot = raiz.descendants_or_self().find(|element| {
            element.name() == "infProt"
                && matches!(&*No(Some(*element)).t("chNFe"), outra if outra.is_empty() || outra == chave)
        });
        let prot = No(prot);
        // A protocol of today, asked for anew, has the note's present state.
        let cancelada =
            matches!(&*prot.t("cStat"), "101" | "151" | "155") || tem_cancelamento(raiz, chave);
        Ok(Nota {
            inf,
            ide: inf.no("ide"),
            emit: inf.no("emit"),
            dest: inf.no("dest"),
            total: inf.no("total"),
            prot,
            supl: No(supl),
            chave,
            cancelada,
        })
    }

    pub fn itens(self) -> impl Iterator<Item = No<'d>> {
        self.inf.todos("det")
    }

    /// Lines of payment: `detPag`; up to layout 3.10 each `pag` is one.
    pub fn pagamentos(self) -> Vec<No<'d>> {
        linhas_de_pagamento(self.inf)
    }

    pub fn homologacao(self) -> bool {
        self.ide.t("tpAmb") != "1"
    }

    /// Is there a protocol that says the use was authorized (100, 150) or a
    /// bare one that does not say?
    pub fn autorizada(self) -> bool {
        !self.prot.t("nProt").is_empty()
            && matches!(
                &*self.prot.t("cStat"),
                "" | "100" | "150" | "101" | "151" | "155"
            )
    }

    /// Use denied, until NT 2024.001 took that away.
    pub fn denegada(self) -> bool {
        matches!(&*self.prot.t("cStat"), "110" | "301" | "302" | "303")
    }
}

fn linhas_de_pagamento(inf: No<'_>) -> Vec<No<'_>> {
    let mut linhas = Vec::new();
    for pag in inf.todos("pag") {
        if pag.no("tPag").existe() {
            linhas.push(pag);
        }
        linhas.extend(pag.todos("detPag"));
    }
    linhas
}

/// Bounds what is going to be laid out.
fn limitar(inf: Element<'_>) -> Result<(), DanfeError> {
    let itens = inf.children().filter(|e| e.name() == "det").count();
    let duplicatas = No(Some(inf)).no("cobr").todos("dup").count();
    if duplicatas.max(linhas_de_pagamento(No(Some(inf))).len()) > MAX_PARCELAS {
        return Err(DanfeError::Extensa);
    }
    let longo = |element: Element<'_>| element.text().len() > MAX_TEXTO;
    if itens > MAX_ITENS || inf.descendants_or_self().any(longo) {
        return Err(DanfeError::Extensa);
    }
    Ok(())
}
