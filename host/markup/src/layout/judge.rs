//! A document judged while it is written: the text of [`write`](super::write) with the
//! verdict of [`validate`](super::validate), in one walk over the tree.
//!
//! Only the verdict "nothing is wrong" is given here. Where anything is, or
//! might be, the answer is none, and the document is written and judged by those two, whose
//! messages are the only ones. So this may doubt what is right, and may never
//! accept what the validator refuses.

use super::lexical;
use super::table::{Attribute, Base, Complex, Content, Declaration, Model, Namespace};
use super::table::{Symbol, Table, Type, Unique};
use super::validate::check;
use super::walk::Walk;
use super::write::{Signed, Written};
use crate::tree::{ElementContent, Name, Node, same};
use crate::xml::{MAX_DEPTH, escape_attribute};

/// Longest text that is judged here, bytes. The parser has limits of its own,
/// of length and of nodes; below this nothing reaches them.
const LONGEST: usize = 2 * 1024 * 1024;

/// The text of a document that the layout accepts, but for a `Signature` that
/// is not there yet.
pub(super) fn write(table: &Table, root: &Node) -> Option<Written> {
    let declaration = table.root_by_name(&root.name)?;
    let mut judge = Judge {
        table,
        xml: String::with_capacity(16 * 1024),
        order: Vec::with_capacity(512),
        groups: vec![Group::default(); table.complex.len()],
        depth: 0,
        ids: Vec::new(),
        signed: None,
    };
    judge.element(root, declaration, None, false)?;
    (judge.xml.len() <= LONGEST).then(|| Written {
        xml: judge.xml,
        namespace: table.uri(declaration.namespace),
        signed: judge.signed,
    })
}

struct Judge<'t, 'e> {
    table: &'t Table,
    xml: String,
    /// The children of the groups, each group's together and in the order of the layout.
    order: Vec<Placed<'e>>,
    /// Where in `order` the last group of each complex type stands. The items of a note are
    /// alike: what has the same children in the same order is arranged once.
    groups: Vec<Group>,
    /// Groups around the element.
    depth: usize,
    /// Values of attributes of the type `xs:ID`.
    ids: Vec<&'e str>,
    signed: Option<Signed>,
}

/// A child of a group, with its places among the children and among the declarations.
#[derive(Clone, Copy)]
struct Placed<'e> {
    name: &'e str,
    child: usize,
    declaration: usize,
}

/// A part of [`Judge::order`]; none is empty.
#[derive(Clone, Copy, Default)]
struct Group {
    from: usize,
    to: usize,
}

impl<'t, 'e> Judge<'t, 'e> {
    /// `outside` is the namespace around; `sign` says that the layout wants a
    /// signature beside the element, and there is none.
    fn element(
        &mut self,
        element: &'e Node,
        declaration: &'t Declaration,
        outside: Option<Namespace>,
        sign: bool,
    ) -> Option<()> {
        let start = self.xml.len();
        let (open, close) = declaration.tags()?;
        // Nearly all elements have neither a namespace of their own nor attributes.
        let bare = outside == Some(declaration.namespace) && element.attributes.is_empty();
        if bare {
            self.xml.push_str(open);
        } else {
            self.xml.push('<');
            self.xml.push_str(declaration.name);
        }
        if outside != Some(declaration.namespace) {
            self.xml.push_str(" xmlns=\"");
            self.xml.push_str(self.table.uri(declaration.namespace));
            self.xml.push('"');
        }
        match declaration.kind {
            Type::Simples(index) => {
                if !element.attributes.is_empty() {
                    return None;
                }
                if !bare {
                    self.xml.push('>');
                }
                self.value(index, text_of(element)?)?;
            }
            Type::Complex(index) => {
                let kind = self.table.complex(index)?;
                self.attributes(&element.attributes, kind)?;
                if !bare {
                    self.xml.push('>');
                }
                match &kind.content {
                    Content::Simples(index) => self.value(*index, text_of(element)?)?,
                    Content::Empty if text_of(element)?.is_empty() => {}
                    Content::Empty => return None,
                    Content::Elements(model) => {
                        let children = children_of(element)?;
                        let group = self.group(index, children, model)?;
                        self.children(children, declaration.namespace, model, group)?;
                    }
                }
                if !kind.unique.iter().all(|unique| differ(element, unique)) {
                    return None;
                }
            }
        }
        self.xml.push_str(close);
        if sign && self.signed.is_none() {
            let id = element.attributes.iter().find(|(name, _)| name == "Id");
            self.signed = id.map(|(_, id)| Signed {
                id: id.clone(),
                span: start..self.xml.len(),
                place: 0,
            });
        }
        Some(())
    }

    fn value(&mut self, kind: usize, text: &str) -> Option<()> {
        let simples = self.table.simples(kind)?;
        check(self.table, simples, text).ok()?;
        if !text
            .bytes()
            .fold(true, |plain, byte| plain & is_plain(byte))
        {
            return self.escaped(text);
        }
        self.xml.push_str(text);
        Some(())
    }

    /// A text with characters that are written by a reference, or not at all.
    fn escaped(&mut self, text: &str) -> Option<()> {
        if super::write::has_forbidden(text) {
            return None;
        }
        super::write::escape_text(&mut self.xml, text);
        Some(())
    }

    fn attributes(&mut self, given: &'e [(Name, String)], kind: &'t Complex) -> Option<()> {
        let mut mandatory = kind.attributes.iter().filter(|a| a.mandatory).count();
        // Of a type that takes any attribute nothing is known about them.
        if kind.any_attribute && !given.is_empty() {
            return None;
        }
        // C14N 1.0, §2.2: by name, for attributes without namespace.
        if given.is_sorted_by(|a, b| a.0 < b.0) {
            for (name, value) in given {
                mandatory -= usize::from(self.attribute(name, value, kind)?);
            }
        } else {
            let mut sorted: Vec<&(Name, String)> = given.iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            if !sorted.is_sorted_by(|a, b| a.0 < b.0) {
                return None;
            }
            for (name, value) in sorted {
                mandatory -= usize::from(self.attribute(name, value, kind)?);
            }
        }
        (mandatory == 0).then_some(())
    }

    /// Says whether the attribute is one that must be there.
    fn attribute(&mut self, name: &str, value: &'e str, kind: &'t Complex) -> Option<bool> {
        let attribute = kind.attributes.iter().find(|a| a.name == name)?;
        self.attribute_value(attribute, value)?;
        self.xml.push(' ');
        self.xml.push_str(name);
        self.xml.push_str("=\"");
        escape_attribute(&mut self.xml, value);
        self.xml.push('"');
        Some(attribute.mandatory)
    }

    fn attribute_value(&mut self, attribute: &'t Attribute, value: &'e str) -> Option<()> {
        let simples = self.table.simples(attribute.kind)?;
        check(self.table, simples, value).ok()?;
        let fixed = attribute.fixed;
        if fixed.is_some_and(|fixed| lexical::normalize(simples.blanks, value) != fixed)
            || super::write::has_forbidden(value)
        {
            return None;
        }
        if simples.base == Base::Id {
            let value = value.trim();
            if self.ids.contains(&value) {
                return None;
            }
            self.ids.push(value);
        }
        Some(())
    }

    fn children(
        &mut self,
        children: &'e [Node],
        namespace: Namespace,
        model: &'t Model,
        group: Group,
    ) -> Option<()> {
        // The parser refuses an element with so many around it.
        if self.depth + 1 >= MAX_DEPTH {
            return None;
        }
        let sign = model.signature.is_some() && !children.iter().any(|child| child.is("Signature"));
        self.depth += 1;
        for place in group.from..group.to {
            let placed = self.order.get(place).copied()?;
            let declaration = model.declarations.get(placed.declaration)?;
            let child = children.get(placed.child)?;
            self.element(child, declaration, Some(namespace), sign)?;
        }
        self.depth -= 1;
        if let (true, Some(signed)) = (sign, self.signed.as_mut())
            && signed.place == 0
        {
            signed.place = self.xml.len();
        }
        Some(())
    }

    /// The children of an element of the complex type, arranged.
    fn group(&mut self, kind: usize, children: &'e [Node], model: &Model) -> Option<Group> {
        let last = self.groups.get(kind).copied()?;
        if last.to - last.from == children.len() {
            let order = self.order.get(last.from..last.to)?;
            // Names made of the same literal are the same without a look at their letters; of
            // others nothing is said here. The order depends on nothing but the names.
            let alike = order.iter().all(|placed| {
                let child = children.get(placed.child);
                child.is_some_and(|child| std::ptr::eq::<str>(&*child.name, placed.name))
            });
            // An empty group may be one that never was.
            if alike && !children.is_empty() {
                return Some(last);
            }
        }
        let from = self.order.len();
        self.arrange(children, model)?;
        let to = self.order.len();
        let group = Group { from, to };
        *self.groups.get_mut(kind)? = group;
        Some(group)
    }

    /// Appends the children to `order` as the layout has them: as they stand if that
    /// is the layout's order, else by name, if names decide it.
    fn arrange(&mut self, children: &'e [Node], model: &Model) -> Option<()> {
        if !model.wildcards.is_empty() {
            return None;
        }
        let from = self.order.len();
        let mut walk = Some(Walk::START);
        for (index, child) in children.iter().enumerate() {
            let name: &str = &child.name;
            let is_child = |symbol| match symbol {
                Symbol::Element(index) => {
                    let declaration = model.declarations.get(index);
                    declaration.is_some_and(|declaration| same(declaration.name, name))
                }
                Symbol::Any(_) => false,
            };
            let step = walk.and_then(|walk| walk.step(model, is_child));
            let Some((next, Symbol::Element(declaration))) = step else {
                walk = None;
                break;
            };
            walk = Some(next);
            self.order.push(Placed {
                name,
                child: index,
                declaration,
            });
        }
        let walk = match walk {
            Some(walk) => walk,
            None => {
                self.order.truncate(from);
                self.by_names(children, model)?
            }
        };
        self.ends(walk, model)
    }

    /// The children by the places of their names.
    fn by_names(&mut self, children: &'e [Node], model: &Model) -> Option<Walk> {
        if !model.names_decide {
            return None;
        }
        let from = self.order.len();
        let mut expected = 0;
        for (index, child) in children.iter().enumerate() {
            // Nearly all stand as in the layout: the place is looked for from the last one on.
            let ahead = model.declarations.get(expected..).unwrap_or_default();
            expected = match ahead.iter().position(|d| same(d.name, &child.name)) {
                Some(steps) => expected + steps,
                None => model
                    .declarations
                    .iter()
                    .position(|d| same(d.name, &child.name))?,
            };
            self.order.push(Placed {
                name: &child.name,
                child: index,
                declaration: expected,
            });
        }
        let order = self.order.get_mut(from..)?;
        // Children of one name stay as they stand.
        order.sort_unstable_by_key(|placed| (placed.declaration, placed.child));
        let mut walk = Walk::START;
        for placed in order {
            let here = Symbol::Element(placed.declaration);
            walk = walk.step(model, |symbol| symbol == here)?.0;
        }
        Some(walk)
    }

    /// May the group end here, or is the `Signature` all that is missing?
    fn ends(&self, walk: Walk, model: &Model) -> Option<()> {
        if walk.can_end(&model.automaton) {
            return Some(());
        }
        let signature = Symbol::Element(model.signature?);
        let (walk, _) = walk.step(model, |symbol| symbol == signature)?;
        // Where names do not decide, a message might be about more than the signature.
        let only_signature = model.names_decide && walk.can_end(&model.automaton);
        only_signature.then_some(())
    }
}

/// The value of an element; none of one that has children.
fn text_of(element: &Node) -> Option<&str> {
    match &element.content {
        ElementContent::Text(text) => Some(text),
        ElementContent::Children(children) => children.is_empty().then_some(""),
    }
}

/// The children of an element; none of one that has a value.
fn children_of(element: &Node) -> Option<&[Node]> {
    match &element.content {
        ElementContent::Children(children) => Some(children),
        ElementContent::Text(text) => text.is_empty().then_some(&[]),
    }
}

/// Is it a byte of text that stands for itself, in every character it may be a
/// part of? U+FFFE and U+FFFF begin with 0xEF.
fn is_plain(byte: u8) -> bool {
    byte >= b' ' && !matches!(byte, b'&' | b'<' | b'>' | 0xEF)
}

/// Do the elements inside differ in the attribute?
fn differ(element: &Node, unique: &Unique) -> bool {
    fn collect<'e>(element: &'e Node, unique: &Unique, values: &mut Vec<&'e str>) {
        for child in element.list() {
            let named = |(name, _): &&(Name, String)| name == unique.attribute;
            values.extend(child.attributes.iter().find(named).map(|(_, v)| v.as_str()));
            if unique.all {
                collect(child, unique, values);
            }
        }
    }
    let mut values = Vec::new();
    collect(element, unique, &mut values);
    values.sort_unstable();
    values.is_sorted_by(|a, b| a < b)
}
