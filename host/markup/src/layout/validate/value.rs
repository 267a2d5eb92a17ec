//! Values of elements and attributes against simple types.

use std::cmp::Ordering;

use super::Validator;
use crate::layout::error::{LayoutError, rule};
use crate::layout::lexical;
use crate::layout::phrases::{self, Failure};
use crate::layout::table::{Attribute, Base, Simples, Table};
use crate::tree::same;
use crate::xml::Element;

/// Does the first built-in type restrict the second, or is it the same?
pub(super) fn restrict(kind: &str, base: &str) -> bool {
    let above = |name: &str| {
        Some(match name {
            "xs:normalizedString" => "xs:string",
            "xs:token" => "xs:normalizedString",
            "xs:language" | "xs:Name" | "xs:NMTOKEN" => "xs:token",
            "xs:NCName" => "xs:Name",
            "xs:ID" => "xs:NCName",
            "xs:integer" => "xs:decimal",
            "xs:nonNegativeInteger" | "xs:long" => "xs:integer",
            "xs:positiveInteger" | "xs:unsignedLong" => "xs:nonNegativeInteger",
            "xs:int" => "xs:long",
            "xs:short" => "xs:int",
            "xs:byte" => "xs:short",
            "xs:unsignedInt" => "xs:unsignedLong",
            "xs:unsignedShort" => "xs:unsignedInt",
            "xs:unsignedByte" => "xs:unsignedShort",
            _ => return None,
        })
    };
    std::iter::successors(Some(kind), |name| above(name)).any(|name| name == base)
}

impl<'t: 'd, 'd> Validator<'t, 'd> {
    pub(super) fn simple_text(&mut self, element: Element<'d>, kind: usize) {
        let Some(simples) = self.table.simples(kind) else {
            return;
        };
        if let Some(child) = element.children().next() {
            let error = LayoutError::new(
                self.path(),
                rule::STRUCTURE,
                format!(
                    "{} é um campo de valor e não pode ter outros dentro.",
                    element.name()
                ),
                format!(
                    "Retire {} de dentro de {}.",
                    child.name().chars().take(60).collect::<String>(),
                    element.name()
                ),
            );
            return self.error(error);
        }
        let text = element.text();
        if let Err(failure) = check(self.table, simples, &text) {
            let path = self.path();
            self.refusal(path, element.name(), simples, &text, failure);
        }
    }

    pub(super) fn attribute_value(&mut self, attribute: &'t Attribute, value: &'d str) {
        let Some(simples) = self.table.simples(attribute.kind) else {
            return;
        };
        let mut failure = check(self.table, simples, value).err();
        if failure.is_none()
            && let Some(fixed) = attribute.fixed
            && lexical::normalize(simples.blanks, value) != fixed
        {
            failure = Some(Failure::Fixed(fixed));
        }
        if let Some(failure) = failure {
            let path = format!("{}/@{}", self.path(), attribute.name);
            return self.refusal(path, attribute.name, simples, value, failure);
        }
        if simples.base == Base::Id && !self.ids.insert(value.trim()) {
            let error = LayoutError::new(
                format!("{}/@{}", self.path(), attribute.name),
                rule::REPEATED_ID,
                format!("{} se repete no documento.", attribute.name),
                format!("Use um {} diferente em cada elemento.", attribute.name),
            );
            self.error(error);
        }
    }

    fn refusal(
        &mut self,
        path: String,
        name: &str,
        simples: &Simples,
        value: &str,
        failure: Failure<'_>,
    ) {
        let (message, correction) = phrases::of_value(name, simples, value, &failure);
        let shows = !phrases::personal(name);
        self.error(
            LayoutError::new(path, failure.rule(), message, correction)
                .with_value(Some(value).filter(|value| shows && !value.is_empty()))
                .original(failure.original()),
        );
    }
}

/// A text against a type: the first facet that does not hold.
pub(in crate::layout) fn check<'t>(
    table: &'t Table,
    simples: &'t Simples,
    text: &str,
) -> Result<(), Failure<'t>> {
    let text = lexical::normalize(simples.blanks, text);
    let text: &str = &text;
    if simples.base != Base::String && !lexical::accepts(simples.base, text) {
        return Err(Failure::Type(simples.embedded));
    }
    let is_text = |value: &&str| same(value, text);
    if !simples.values.is_empty() && !simples.values.iter().any(is_text) {
        return Err(Failure::Enumeration(&simples.values));
    }
    if simples.min.is_some() || simples.max.is_some() || simples.length.is_some() {
        length(simples, text)?;
    }
    for pattern in &simples.patterns {
        if let Some(pattern) = table.patterns.get(*pattern)
            && !pattern.matches(text)
        {
            return Err(Failure::Pattern(pattern));
        }
    }
    if simples.from.is_some() || simples.to.is_some() || simples.digits.is_some() {
        strip(simples, text)?;
    }
    Ok(())
}

fn length<'t>(simples: &Simples, text: &str) -> Result<(), Failure<'t>> {
    let letters = match simples.base {
        Base::Base64 => lexical::octets(text).unwrap_or(0),
        _ => text.chars().count(),
    };
    let letters = u32::try_from(letters).unwrap_or(u32::MAX);
    let right = simples.length.is_none_or(|n| letters == n)
        && simples.min.is_none_or(|min| letters >= min)
        && simples.max.is_none_or(|max| letters <= max);
    if right {
        return Ok(());
    }
    Err(Failure::Length {
        min: simples.length.or(simples.min),
        max: simples.length.or(simples.max),
        came: letters,
    })
}

fn strip<'t>(simples: &Simples, text: &str) -> Result<(), Failure<'t>> {
    let from = simples.from.is_none_or(|from| {
        matches!(
            lexical::compare(simples.base, text, from),
            Some(Ordering::Equal | Ordering::Greater)
        )
    });
    let to = simples.to.is_none_or(|to| {
        matches!(
            lexical::compare(simples.base, text, to),
            Some(Ordering::Equal | Ordering::Less)
        )
    });
    let (all, fraction) = lexical::digits(text).unwrap_or((0, 0));
    let digits =
        simples.digits.is_none_or(|n| all <= n) && simples.decimals.is_none_or(|n| fraction <= n);
    if from && to && digits {
        return Ok(());
    }
    Err(Failure::Range {
        from: simples.from,
        to: simples.to,
    })
}
