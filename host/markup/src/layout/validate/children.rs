//! Children of an element: by the automaton while it goes, and when it does
//! not, by name, so that one mistake gives one error.

use std::collections::HashSet;

use super::Validator;
use crate::layout::error::{LayoutError, rule};
use crate::layout::phrases;
use crate::layout::structure::{Arrangement, Leftover, Missing, Place, arrange, shifted};
use crate::layout::table::{Check, Complex, Declaration, Model, Namespace, Symbol, Wildcard};
use crate::layout::walk::Walk;
use crate::xml::{Document, Element};

/// Unknown names of one element that are compared with the known ones.
const MAX_SLIPS: usize = 64;

fn admits(wildcard: &Wildcard, namespace: Option<Namespace>, without_namespace: bool) -> bool {
    match wildcard.except {
        None => true,
        Some(except) => !without_namespace && namespace != Some(except),
    }
}

/// Does a CDATA section stand directly inside the element? libxml2 takes one,
/// even an empty one, for text.
pub(super) fn has_cdata(doc: &Document<'_>, element: Element<'_>) -> bool {
    let Some(within) = element.content_span() else {
        return false;
    };
    let mut start = within.start;
    let ends = element.children().map(|child| child.span());
    for child in ends.chain(std::iter::once(within.end..within.end)) {
        let mut rest = doc.text().get(start..child.start).unwrap_or("");
        while let Some(index) = rest.find('<') {
            rest = rest.get(index..).unwrap_or("");
            let end = if rest.starts_with("<![CDATA[") {
                return true;
            } else if rest.starts_with("<!--") {
                "-->"
            } else {
                "?>"
            };
            let Some(end) = rest.find(end) else { break };
            rest = rest.get(end..).unwrap_or("");
        }
        start = child.end;
    }
    false
}

impl<'t: 'd, 'd> Validator<'t, 'd> {
    pub(super) fn children(&mut self, element: Element<'d>, kind: &'t Complex, model: &'t Model) {
        let mut walk = Walk::START;
        // Siblings nearly always share one namespace, and then its very text:
        // its letters are compared once.
        let mut uri = "";
        let mut namespace = self.table.namespace(uri);
        for (count, child) in element.children().enumerate() {
            if !std::ptr::eq(child.namespace(), uri) {
                uri = child.namespace();
                namespace = self.table.namespace(uri);
            }
            let name = child.name();
            let serves = |symbol: Symbol| match symbol {
                Symbol::Element(index) => model
                    .declarations
                    .get(index)
                    .is_some_and(|d| d.name == name && Some(d.namespace) == namespace),
                Symbol::Any(index) => model
                    .wildcards
                    .get(index)
                    .is_some_and(|wildcard| admits(wildcard, namespace, uri.is_empty())),
            };
            let Some((next, symbol)) = walk.step(model, serves) else {
                return self.disorder(element, kind, model, count);
            };
            walk = next;
            let index = if walk.max(&model.automaton) > 1 {
                walk.times
            } else {
                0
            };
            self.enters(name, index);
            match symbol {
                Symbol::Element(declaration) => {
                    if let Some(declaration) = model.declarations.get(declaration) {
                        self.element(child, declaration.kind);
                    }
                }
                Symbol::Any(wildcard) => self.wildcard(child, model.wildcards.get(wildcard)),
            }
            self.leaves();
        }
        if !walk.can_end(&model.automaton) {
            self.disorder(element, kind, model, usize::MAX);
        }
    }

    /// What a wildcard lets in.
    fn wildcard(&mut self, element: Element<'d>, wildcard: Option<&Wildcard>) {
        let check = wildcard.map_or(Check::Nothing, |wildcard| wildcard.check);
        if check == Check::Nothing {
            return;
        }
        let namespace = self.table.namespace(element.namespace());
        if let Some(root) = self.table.root(namespace, element.name()) {
            return self.element(element, root.kind);
        }
        if check == Check::All {
            let path = self.path();
            let name: String = element.name().chars().take(60).collect();
            return self.error(LayoutError::new(
                path,
                rule::UNKNOWN,
                format!("{name} não existe no layout."),
                format!("Retire {name}."),
            ));
        }
        for child in element.children() {
            self.enters(child.name(), 0);
            self.wildcard(child, wildcard);
            self.leaves();
        }
    }

    /// The children do not fit: says why, and goes on into those not seen yet
    /// (`seen` of them were).
    fn disorder(&mut self, element: Element<'d>, kind: &'t Complex, model: &'t Model, seen: usize) {
        let children: Vec<Element<'d>> = element.children().collect();
        let before = self.errors.len();
        let mut names: Vec<&str> = children.iter().map(|child| child.name()).collect();
        let mut slips: Vec<Option<&'static str>> = vec![None; children.len()];
        self.correct_names(model, &children, &mut names, &mut slips);
        let arrangement = arrange(model, &names);
        let indices = occurrences(&names);
        self.arrangement(element, model, &children, &indices, &arrangement);
        // Names that are nearly right were taken for what they nearly are.
        for ((child, slip), index) in children.iter().zip(&slips).zip(&indices) {
            if let Some(right) = slip {
                self.slip(child, right, *index);
            }
        }
        let places = places(&arrangement, children.len());
        for (number, (child, place)) in children.iter().zip(places).enumerate() {
            self.enters(child.name(), indices.get(number).copied().unwrap_or(0));
            let place = match place {
                Some(Place::Element(_)) => place,
                // A child that is too many has the type of its name all the same.
                _ => names
                    .get(number)
                    .and_then(|name| model.declarations.iter().position(|d| d.name == *name))
                    .map(Place::Element)
                    .or(place),
            };
            self.placed_child(*child, model, place, number >= seen);
            self.leaves();
        }
        if self.errors.len() == before && !self.full {
            self.without_diagnosis(kind, &children, seen);
        }
    }

    /// Reports which children stand out of order, are too many or are missing.
    fn arrangement(
        &mut self,
        element: Element<'d>,
        model: &Model,
        children: &[Element<'d>],
        indices: &[u32],
        arrangement: &Arrangement,
    ) {
        let order: Vec<usize> = arrangement.order.iter().map(|(child, _)| *child).collect();
        self.out_of_order(children, &order, indices);
        for leftover in &arrangement.left_over {
            if self.full {
                break;
            }
            self.leftover(element, children, indices, leftover);
        }
        for missing in &arrangement.missing {
            self.missing(element, model, missing);
        }
    }

    /// Checks the namespace of a child at its place and, unless that was done
    /// already, its content.
    fn placed_child(
        &mut self,
        child: Element<'d>,
        model: &'t Model,
        place: Option<Place>,
        unseen: bool,
    ) {
        let namespace = self.table.namespace(child.namespace());
        match place {
            Some(Place::Element(declaration)) => {
                let Some(declaration) = model.declarations.get(declaration) else {
                    return;
                };
                if namespace != Some(declaration.namespace) {
                    self.wrong_namespace(child, declaration);
                }
                if unseen {
                    self.element(child, declaration.kind);
                }
            }
            Some(Place::Any(wildcard)) => {
                let wildcard = model.wildcards.get(wildcard);
                let without_namespace = child.namespace().is_empty();
                if wildcard.is_some_and(|c| !admits(c, namespace, without_namespace)) {
                    let error = LayoutError::new(
                        self.path(),
                        rule::NAMESPACE,
                        format!("{} não pode ser deste namespace.", short_name(child.name())),
                        "Use o namespace de outra especificação.".to_owned(),
                    );
                    self.error(error);
                }
                if unseen {
                    self.wildcard(child, wildcard);
                }
            }
            None => {}
        }
    }

    /// The automaton refuses and no rule above says why: names the place.
    fn without_diagnosis(&mut self, kind: &Complex, children: &[Element<'d>], seen: usize) {
        let (path, message) = match children.get(seen) {
            Some(child) => (
                self.child_path(child.name()),
                format!("{} não pode vir aqui.", short_name(child.name())),
            ),
            None => (
                self.path(),
                format!("O conteúdo de {} está incompleto.", kind.name),
            ),
        };
        self.error(LayoutError::new(
            path,
            rule::OUT_OF_ORDER,
            message,
            "Siga a ordem e as repetições do layout.".to_owned(),
        ));
    }

    /// Finds names that are a slip of a name of the layout which is not there.
    fn correct_names(
        &self,
        model: &'t Model,
        children: &[Element<'d>],
        names: &mut [&'d str],
        slips: &mut [Option<&'static str>],
    ) {
        if !model.wildcards.is_empty() {
            return;
        }
        let known = |name: &str| model.declarations.iter().any(|d| d.name == name);
        let mut present: HashSet<&str> = names.iter().copied().collect();
        let mut attempts = 0;
        for index in 0..children.len() {
            if attempts >= MAX_SLIPS {
                break;
            }
            let Some(name) = names.get(index).copied().filter(|name| !known(name)) else {
                continue;
            };
            attempts += 1;
            let right = model
                .declarations
                .iter()
                .find(|d| phrases::similar(name, d.name) && !present.contains(d.name));
            present.extend(right.map(|right| right.name));
            if let (Some(right), Some(name), Some(slip)) =
                (right, names.get_mut(index), slips.get_mut(index))
            {
                *name = right.name;
                *slip = Some(right.name);
            }
        }
    }

    fn slip(&mut self, child: &Element<'d>, right: &str, index: u32) {
        let name = short_name(child.name());
        self.error(LayoutError::new(
            self.child_path(&with_index(&name, index)),
            rule::UNKNOWN,
            format!("{name} não existe no layout; o nome certo é {right}."),
            format!("Troque {name} por {right}."),
        ));
    }

    fn out_of_order(&mut self, children: &[Element<'d>], order: &[usize], indices: &[u32]) {
        let outside = shifted(order);
        let name = |child: usize| children.get(child).map_or("", |child| child.name());
        let mut last = "";
        for (place, child) in order.iter().enumerate() {
            if !outside.get(place).copied().unwrap_or(false) {
                continue;
            }
            let this = name(*child);
            // A run of one name out of place is one mistake.
            if this == last {
                continue;
            }
            last = this;
            let before = order
                .get(..place)
                .and_then(|before| before.iter().rev().find(|other| name(**other) != this));
            let after = order
                .get(place + 1..)
                .and_then(|after| after.iter().find(|other| name(**other) != this));
            let correction = match (before, after) {
                (Some(before), _) => format!("Coloque {this} logo depois de {}.", name(*before)),
                (None, Some(after)) => format!("Coloque {this} antes de {}.", name(*after)),
                (None, None) => "Siga a ordem do layout.".to_owned(),
            };
            let index = indices.get(*child).copied().unwrap_or(0);
            let error = LayoutError::new(
                self.child_path(&with_index(this, index)),
                rule::OUT_OF_ORDER,
                format!("{this} está fora da ordem do layout."),
                correction,
            );
            self.error(error);
        }
    }

    fn leftover(
        &mut self,
        element: Element<'d>,
        children: &[Element<'d>],
        indices: &[u32],
        leftover: &Leftover,
    ) {
        let name = |child: usize| short_name(children.get(child).map_or("", |child| child.name()));
        let (Leftover::Repeated { child, .. }
        | Leftover::Excluded { child, .. }
        | Leftover::Unknown { child }) = leftover;
        let this = name(*child);
        let parent = element.name();
        let index = indices.get(*child).copied().unwrap_or(0);
        let path = self.child_path(&with_index(&this, index));
        let error = match leftover {
            Leftover::Repeated { max, .. } => LayoutError::new(
                path,
                rule::REPEATED,
                match max {
                    1 => format!("{this} só pode aparecer uma vez em {parent}."),
                    max => format!("{this} só pode aparecer até {max} vezes em {parent}."),
                },
                format!("Retire {this} a mais."),
            ),
            Leftover::Excluded { by, .. } => {
                let mut other: Vec<String> = by.iter().map(|child| name(*child)).collect();
                other.dedup();
                let other = phrases::list(other.iter().map(String::as_str), "e");
                LayoutError::new(
                    path,
                    rule::CHOICE,
                    format!("{this} não pode ser informado junto com {other}."),
                    format!("Deixe só {this} ou só {other}."),
                )
            }
            Leftover::Unknown { .. } => {
                let owners = self.owners(&this);
                let (message, correction) = if owners.is_empty() {
                    (
                        format!("{this} não existe no layout."),
                        format!("Retire {this}."),
                    )
                } else {
                    let owners = phrases::list(owners.iter().copied(), "ou");
                    (
                        format!("{this} não pertence a {parent}."),
                        format!("Retire {this} daqui; no layout fica em {owners}."),
                    )
                };
                LayoutError::new(path, rule::UNKNOWN, message, correction)
            }
        };
        self.error(error);
    }

    /// Types that have a child of that name: at most three.
    fn owners(&self, name: &str) -> Vec<&'t str> {
        let has = |kind: &&Complex| match &kind.content {
            crate::layout::table::Content::Elements(model) => {
                model.declarations.iter().any(|d| d.name == name)
            }
            _ => false,
        };
        let mut owners: Vec<&str> = self
            .table
            .complex
            .iter()
            .filter(has)
            .map(|kind| kind.name.split('~').next().unwrap_or(kind.name))
            .collect();
        owners.dedup();
        owners.truncate(3);
        owners
    }

    fn missing(&mut self, element: Element<'d>, model: &Model, missing: &Missing) {
        let parent = element.name();
        let name = |declaration: &usize| {
            model
                .declarations
                .get(*declaration)
                .map_or("", |d: &Declaration| d.name)
        };
        let error = match missing {
            Missing::Element {
                declaration,
                min,
                has,
            } => {
                let this = name(declaration);
                let (message, correction) = if *has == 0 {
                    (
                        format!("Falta {this} em {parent}."),
                        phrases::inform(this, self.table, model.declarations.get(*declaration)),
                    )
                } else {
                    (
                        format!("{this} deve aparecer pelo menos {min} vezes em {parent}."),
                        format!("Informe {this} mais {} vez(es).", min - has),
                    )
                };
                LayoutError::new(self.child_path(this), rule::MANDATORY, message, correction)
            }
            Missing::OneOf(declarations) => {
                let mut names: Vec<&str> = declarations.iter().map(name).collect();
                names.dedup();
                let names = phrases::list(names.into_iter(), "ou");
                LayoutError::new(
                    self.path(),
                    rule::MANDATORY,
                    format!("Falta em {parent} um destes: {names}."),
                    format!("Informe {names}."),
                )
            }
            Missing::Any => LayoutError::new(
                self.path(),
                rule::MANDATORY,
                format!("{parent} está sem conteúdo."),
                format!("Informe o conteúdo de {parent}."),
            ),
        };
        self.error(error);
    }
}

/// The place of each of so many children; none for those that have none.
fn places(arrangement: &Arrangement, children: usize) -> Vec<Option<Place>> {
    let mut places = vec![None; children];
    for (child, found) in &arrangement.order {
        if let Some(place) = places.get_mut(*child) {
            *place = Some(*found);
        }
    }
    places
}

fn short_name(name: &str) -> String {
    name.chars().take(60).collect()
}

fn with_index(name: &str, index: u32) -> String {
    if index > 0 {
        format!("{name}[{index}]")
    } else {
        name.to_owned()
    }
}

/// For each name that occurs more than once, which of its occurrences this is.
fn occurrences(names: &[&str]) -> Vec<u32> {
    let mut total: std::collections::HashMap<&str, u32> = std::collections::HashMap::new();
    let mut indices = Vec::with_capacity(names.len());
    for name in names {
        let times = total.entry(name).or_insert(0);
        *times += 1;
        indices.push(*times);
    }
    names
        .iter()
        .zip(indices)
        .map(|(name, index)| {
            if total.get(name).is_some_and(|total| *total > 1) {
                index
            } else {
                0
            }
        })
        .collect()
}
