//! The engine: elements become members by a table of fields.
//! What no line of it knows, and what does not fit twice, goes to `outros` under
//! its official path: nothing is lost.

use std::borrow::Cow;

use super::field::{Field, Kind};
use super::value::{FieldValue, Group, Other};
use markup::xml::Element;
use markup::xmldsig::DSIG_NAMESPACE;

/// Most entries of `outros`; a note of ours or of anybody serious has a dozen.
pub const MAX_OTHERS: usize = 10_000;

/// Most members a group has room for before it grows: few have more.
const ROOM: usize = 16;

/// Reads elements by tables, and keeps what no line of them knows.
pub struct Reader<'d> {
    /// What no line of the tables knows.
    pub others: Vec<Other<'d>>,
    /// There were more than [`MAX_OTHERS`].
    pub cut: bool,
    /// What a request does not take, from inside of what it does, at the same
    /// paths.
    pub apart: Group<'d>,
    /// The same of the list entries that are open, the innermost last.
    apart_of_entries: Vec<Group<'d>>,
    /// Members for the list entry, found further in.
    rising: Vec<(&'static str, FieldValue<'d>)>,
}

/// Where the reader stands: the elements from the root, for `outros`.
type Above<'c, 'd> = Option<&'c Step<'c, 'd>>;

struct Step<'c, 'd> {
    above: Above<'c, 'd>,
    element: Element<'d>,
    /// What its members are in, of the members around.
    inside: Inside,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// In the same group.
    Same,
    /// In a group of their own.
    Group(&'static str),
    /// In an entry of a list.
    Entry,
    /// In a group that no request takes anything of.
    NoteOnly,
}

impl Default for Reader<'_> {
    fn default() -> Self {
        Reader::new()
    }
}

impl<'d> Reader<'d> {
    /// A reader that has read nothing.
    pub fn new() -> Reader<'d> {
        Reader {
            others: Vec::new(),
            cut: false,
            apart: Group::default(),
            apart_of_entries: Vec::new(),
            rising: Vec::new(),
        }
    }

    /// Children and attributes of an element into a group.
    pub fn read(&mut self, element: Element<'d>, fields: &'static [Field], target: &mut Group<'d>) {
        let here = Step {
            above: None,
            element,
            inside: Inside::Same,
        };
        self.members(&here, fields, target);
    }

    /// Children and attributes of an element that are not of these names
    /// (attributes with `@`), into `outros`.
    pub fn read_rest(&mut self, element: Element<'d>, but: &[&str]) {
        let here = Step {
            above: None,
            element,
            inside: Inside::Same,
        };
        for (_, name, value) in element.attributes() {
            if !but.iter().any(|but| but.strip_prefix('@') == Some(name)) {
                self.other(format!("{}/@{name}", element.name()), Cow::Borrowed(value));
            }
        }
        let mut seen: Vec<&str> = Vec::new();
        for child in element.children() {
            if child.namespace() == DSIG_NAMESPACE {
                continue;
            }
            // Only the first of each name is somebody's.
            if but.contains(&child.name()) && !seen.contains(&child.name()) {
                seen.push(child.name());
            } else {
                self.left_over(&here, child);
            }
        }
    }

    fn members(&mut self, here: &Step<'_, 'd>, fields: &'static [Field], target: &mut Group<'d>) {
        let element = here.element;
        for (namespace, name, value) in element.attributes() {
            let field = fields
                .iter()
                .find(|field| namespace.is_empty() && field.tag.strip_prefix('@') == Some(name));
            let taken = match field {
                Some(field) => self.put(here, field, Cow::Borrowed(value), target),
                None => false,
            };
            if !taken {
                self.other(format!("{}/@{name}", written(here)), Cow::Borrowed(value));
            }
        }
        // Documents follow the official order, and so does the table.
        let mut next = 0;
        let mut children = 0;
        for child in element.children() {
            children += 1;
            if child.namespace() == DSIG_NAMESPACE {
                continue;
            }
            match search(fields, next, child.name()) {
                Some((position, field)) => {
                    next = position;
                    if !self.member(here, child, field, target) {
                        self.left_over(here, child);
                    }
                }
                None => self.left_over(here, child),
            }
        }
        let loose = if children > 0 {
            element.text()
        } else {
            Cow::Borrowed("")
        };
        if !loose.trim().is_empty() {
            self.other(format!("{}/text()", written(here)), loose);
        }
    }

    /// One element; false if it has no place.
    fn member(
        &mut self,
        here: &Step<'_, 'd>,
        child: Element<'d>,
        field: &'static Field,
        target: &mut Group<'d>,
    ) -> bool {
        let below = |inside| Step {
            above: Some(here),
            element: child,
            inside,
        };
        match field.kind {
            Kind::Group(fields) if field.note_only && !here.tells_all() => {
                let mut group = Group::default();
                self.members(&below(Inside::NoteOnly), fields, &mut group);
                match self.apart_at(here) {
                    Some(apart) => apart.put(field.name, FieldValue::Group(group)).is_ok(),
                    None => false,
                }
            }
            Kind::Group(fields) => {
                let room = fields.len().min(ROOM);
                let Some(group) = target.inside_of(field.name, room) else {
                    return false;
                };
                let inside = match field.note_only {
                    true => Inside::NoteOnly,
                    false => Inside::Group(field.name),
                };
                self.members(&below(inside), fields, group);
                true
            }
            Kind::Dissolve(fields) => {
                self.members(&below(Inside::Same), fields, target);
                true
            }
            Kind::Variant(fields) => {
                let name = FieldValue::Text(Cow::Borrowed(field.name));
                // A second variant shows in its members, which do not fit.
                drop(target.put("grupo", name));
                self.members(&below(Inside::Same), fields, target);
                true
            }
            Kind::List(fields) => {
                let entry = self.entry(&below(Inside::Entry), fields);
                let apart = self.apart_of_entries.pop().unwrap_or_default();
                self.keep_apart(here, field.name, &entry, apart);
                target.append(field.name, FieldValue::Group(entry)).is_ok()
            }
            Kind::TextsOf => {
                let mut inside = child.children();
                match (inside.next(), inside.next()) {
                    (Some(only), None) if is_leaf(only) => target
                        .append(field.name, FieldValue::Text(only.text()))
                        .is_ok(),
                    _ => false,
                }
            }
            _ if !is_leaf(child) => false,
            Kind::Texts => target
                .append(field.name, FieldValue::Text(child.text()))
                .is_ok(),
            Kind::Rises => {
                let free = self.rising.iter().all(|(name, _)| *name != field.name);
                if free {
                    self.rising
                        .push((field.name, FieldValue::Text(child.text())));
                }
                free
            }
            _ => self.put(here, field, child.text(), target),
        }
    }

    /// One entry of a list; what is apart in it stays the last of
    /// `apart_of_entries`.
    fn entry(&mut self, here: &Step<'_, 'd>, fields: &'static [Field]) -> Group<'d> {
        let mut entry = Group::with_capacity(fields.len().min(ROOM));
        let before = self.rising.len();
        self.apart_of_entries.push(Group::default());
        self.members(here, fields, &mut entry);
        for (name, value) in self.rising.split_off(before) {
            drop(entry.put(name, value));
        }
        entry
    }

    /// Adds what is apart in an entry to the list of that name, with the number
    /// that tells which entry it is of.
    fn keep_apart(
        &mut self,
        here: &Step<'_, 'd>,
        name: &'static str,
        entry: &Group<'d>,
        apart: Group<'d>,
    ) {
        if apart.is_empty() {
            return;
        }
        let mut whole = Group::default();
        if let Some(number) = entry.get("numero") {
            drop(whole.put("numero", number.clone()));
        }
        for (name, value) in apart.into_members() {
            drop(whole.put(name, value));
        }
        if let Some(outer) = self.apart_at(here) {
            drop(outer.append(name, FieldValue::Group(whole)));
        }
    }

    /// A value into its member, or apart; false if there is one already.
    fn put(
        &mut self,
        here: &Step<'_, 'd>,
        field: &'static Field,
        text: Cow<'d, str>,
        target: &mut Group<'d>,
    ) -> bool {
        if field.note_only && !here.tells_all() {
            let value = simple(&field.kind, text);
            let apart = self.apart_at(here);
            return apart.is_some_and(|apart| apart.put(field.name, value).is_ok());
        }
        match field.kind {
            Kind::NumberTwice(too) => {
                let taken = target
                    .put(field.name, FieldValue::Number(text.clone()))
                    .is_ok();
                if taken {
                    drop(target.put(too, FieldValue::Number(text)));
                }
                taken
            }
            Kind::NumberMarking(flag) => {
                let taken = target.put(field.name, FieldValue::Number(text)).is_ok();
                if taken {
                    drop(target.put(flag, FieldValue::Boolean(true)));
                }
                taken
            }
            ref kind => target.put(field.name, simple(kind, text)).is_ok(),
        }
    }

    /// The group beside the request's one of this place; none where something
    /// else is in the way.
    fn apart_at(&mut self, here: &Step<'_, 'd>) -> Option<&mut Group<'d>> {
        let mut names = Vec::new();
        let mut at = Some(here);
        let mut in_entry = false;
        while let Some(step) = at {
            match step.inside {
                Inside::Group(name) => names.push(name),
                Inside::Entry => in_entry = true,
                Inside::Same | Inside::NoteOnly => {}
            }
            at = step.above.filter(|_| !in_entry);
        }
        let root = match in_entry {
            true => self.apart_of_entries.last_mut()?,
            false => &mut self.apart,
        };
        names
            .into_iter()
            .rev()
            .try_fold(root, |group, name| group.inside(name))
    }

    fn other(&mut self, caminho: String, value: Cow<'d, str>) {
        if self.others.len() < MAX_OTHERS {
            self.others.push(Other {
                caminho,
                valor: value,
            });
        } else {
            self.cut = true;
        }
    }

    /// Everything in an element nobody has a place for.
    fn left_over(&mut self, here: &Step<'_, 'd>, element: Element<'d>) {
        let path = written(&Step {
            above: Some(here),
            element,
            inside: Inside::Same,
        });
        self.empty_out(path, element);
    }

    /// Recursion is as deep as the parser lets documents be ([`markup::xml::MAX_DEPTH`]).
    fn empty_out(&mut self, path: String, element: Element<'d>) {
        for (_, name, value) in element.attributes() {
            self.other(format!("{path}/@{name}"), Cow::Borrowed(value));
        }
        let mut children = false;
        for child in element.children() {
            children = true;
            self.empty_out(format!("{path}/{}", child.name()), child);
        }
        let text = element.text();
        if !children || !text.trim().is_empty() {
            self.other(path, text);
        }
    }
}

impl Step<'_, '_> {
    /// Does the group that is filled here tell of the note what a request does
    /// not take, too? Those of the note itself and of what stands apart do.
    fn tells_all(&self) -> bool {
        let mut at = Some(self);
        while let Some(step) = at {
            match step.inside {
                Inside::Same => {}
                Inside::NoteOnly => return true,
                Inside::Group(_) | Inside::Entry => return false,
            }
            at = step.above;
        }
        true
    }
}

fn is_leaf(element: Element<'_>) -> bool {
    element.children().next().is_none() && element.attributes().next().is_none()
}

fn search(fields: &'static [Field], next: usize, tag: &str) -> Option<(usize, &'static Field)> {
    let ahead = fields.iter().enumerate().skip(next);
    let behind = fields.iter().enumerate().take(next);
    ahead.chain(behind).find(|(_, field)| field.tag == tag)
}

fn simple<'d>(kind: &Kind, text: Cow<'d, str>) -> FieldValue<'d> {
    match kind {
        Kind::Number | Kind::NumberTwice(_) | Kind::NumberMarking(_) => FieldValue::Number(text),
        Kind::Flag(yes, _) if text == *yes => FieldValue::Boolean(true),
        Kind::Flag(_, no) if text == *no => FieldValue::Boolean(false),
        Kind::Word(word) => match word(&text) {
            Some(word) => FieldValue::Text(word),
            None => FieldValue::Text(text),
        },
        _ => FieldValue::Text(text),
    }
}

/// `infNFe/det[2]/prod/xFoo`, items by their `nItem`. Other elements that
/// repeat have the same path and keep their order.
fn written(step: &Step<'_, '_>) -> String {
    let mut names = Vec::new();
    let mut at = Some(step);
    while let Some(Step { above, element, .. }) = at {
        names.push(match element.attribute("nItem") {
            Some(item) if element.name() == "det" => {
                Cow::Owned(format!("det[{}]", item.chars().take(3).collect::<String>()))
            }
            _ => Cow::Borrowed(element.name()),
        });
        at = *above;
    }
    names.reverse();
    names.join("/")
}
