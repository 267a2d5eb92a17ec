//! The DPS 1.01 by the contract's table (`wit/tables/dps.txt`):
//! elements in the order of the official schema, how often they occur, what
//! their text may be and which field of the content each one is.
//!
//! Builders fill a tree of official names in any order; [`write`] walks the
//! table and writes it, so order and form are decided in one place.

mod fields;
mod form;
mod union;
mod writing;

use fields::field_of;
use sdk::nfse::table::{Content, Form, element};

pub use sdk::nfse::table::DPS;
pub use union::unite;
pub use writing::write;

/// The code that an element of the DPS has for a word of the content; empty
/// where the table has no such word.
pub fn code(element_path: &str, word: &str) -> &'static str {
    let form = element(DPS, element_path).map(|element| &element.content);
    match form {
        Some(Content::Text(form)) => code_in(*form, word).unwrap_or_default(),
        _ => "",
    }
}

/// The code of a word in a list of codes.
pub fn code_in(form: Form, word: &str) -> Option<&'static str> {
    let Form::OneOf(choices) = form else {
        return None;
    };
    let choice = choices.iter().find(|(_, known)| *known == word)?;
    Some(choice.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::nfse::table::{Element, Occurs};
    use sdk::xml;
    use std::path::PathBuf;

    /// The folder with official material, or None (and says so).
    fn bundle() -> Option<PathBuf> {
        judges::shared("schemas/nfse-nacional/v1.01-20260727")
    }

    /// Compares a sequence of the table with an official type, and goes down.
    fn compare(types: &xml::Element, name: &str, ours: &[Element], path: &str) {
        let defined = types
            .children_named("complexType")
            .find(|defined| defined.attribute("name") == Some(name))
            .unwrap_or_else(|| panic!("{path}: no type {name}"));
        let mut official = Vec::new();
        let choices = gather(defined, None, &mut official);
        assert!(choices <= 1, "{path}: the table knows one choice a type");
        let names: Vec<&str> = official
            .iter()
            .map(|(element, _)| element.attribute("name").expect("name"))
            .collect();
        let our_names: Vec<&str> = ours.iter().map(|element| element.name).collect();
        assert_eq!(names, our_names, "{path}");
        for ((official, choice), ours) in official.iter().zip(ours) {
            let path = format!("{path}/{}", ours.name);
            let optional = official.attribute("minOccurs") == Some("0");
            let most = official
                .attribute("maxOccurs")
                .and_then(|most| most.parse::<usize>().ok());
            let right = match ours.occurs {
                Occurs::Once => !optional && choice.is_none() && most.is_none(),
                Occurs::Optional => optional && choice.is_none(),
                Occurs::Choice => *choice == Some(true),
                Occurs::OptionalChoice => optional || *choice == Some(false),
                Occurs::UpTo(ours) => most == Some(ours) && !optional,
            };
            assert!(right, "{path}: occurs {:?}", ours.occurs);
            if let Content::Group(inside) = ours.content {
                let name = official.attribute("type").expect("type");
                compare(types, name, inside, &path);
            }
        }
    }

    /// Elements of a sequence; inside a choice with Some(it is mandatory).
    /// Returns how many choices there are.
    fn gather<'a>(
        from: &'a xml::Element,
        choice: Option<bool>,
        to: &mut Vec<(&'a xml::Element, Option<bool>)>,
    ) -> usize {
        let mut choices = 0;
        for child in from.children() {
            match child.name() {
                "element" => to.push((child, choice)),
                "choice" => {
                    let mandatory = child.attribute("minOccurs") != Some("0");
                    choices += 1 + gather(child, Some(mandatory), to);
                }
                "sequence" => choices += gather(child, choice, to),
                _ => {}
            }
        }
        choices
    }

    #[test]
    fn same_order_and_occurrence_as_the_official_schema() {
        let Some(bundle) = bundle() else { return };
        let bytes = std::fs::read(bundle.join("tiposComplexos_v1.01.xsd")).expect("schema");
        let types = xml::parse(&bytes).expect("XML");
        compare(types.root(), "TCInfDPS", DPS, "infDPS");
    }

    #[test]
    fn words_of_the_content_have_codes() {
        assert_eq!(code("prest.regTrib.regEspTrib", "outros"), "9");
        assert_eq!(code("valores.trib.tribMun.tpRetISSQN", "tomador"), "2");
    }
}
