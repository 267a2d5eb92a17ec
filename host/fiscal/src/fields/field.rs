//! What a line of a table says.

use std::borrow::Cow;

/// Stands as a place for the name that the request has for the recipient.
pub const RECIPIENT: &str = "{destinatario}";

/// An element or attribute of a layout and the member it is in the API.
#[derive(Clone, Copy)]
pub struct Field {
    /// Name of the element; of an attribute with `@` before it.
    pub tag: &'static str,
    /// Member it becomes; dots lead into groups. Empty where the element's
    /// children are members of the group around.
    pub name: &'static str,
    pub kind: Kind,
    /// A request does not take it: the note identifies itself by it, or it is
    /// worked out from the rest.
    pub note_only: bool,
    /// Where an error of it is told, if not at `name`; below the group around.
    pub place: Option<&'static str>,
    /// Set for a field that is written as the request has it.
    pub plain: Option<Plain>,
    /// There is a plain field in it, or it is one.
    pub has_plain: bool,
    /// All that a request has of it is plain.
    pub all_plain: bool,
}

/// How an element is read, and what is in it.
#[derive(Clone, Copy)]
pub enum Kind {
    Text,
    /// Digits as the document has them.
    Number,
    /// A number that belongs under this name, too.
    NumberTwice(&'static str),
    /// A number whose element says that the flag of this name is set.
    NumberMarking(&'static str),
    /// Texts for true and false; anything else stays text.
    Flag(&'static str, &'static str),
    /// The API's word for an official code; a code without a word stays text.
    Word(fn(&str) -> Option<Cow<'static, str>>),
    /// A text that belongs to the list entry around, not to this group.
    Rises,
    /// Each occurrence a text of a list.
    Texts,
    /// Each occurrence a text of a list: the only child's.
    TextsOf,
    Group(&'static [Field]),
    /// Each occurrence a group of a list.
    List(&'static [Field]),
    /// Its children become members of the group around.
    Dissolve(&'static [Field]),
    /// Like `Dissolve`, and says by a member `grupo` that it was this one.
    Variant(&'static [Field]),
}

/// How a plain field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain {
    pub form: Form,
    /// Its absence is told.
    pub required: bool,
}

/// What is made of the request's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text as the layout takes it, of at most so many characters.
    Text(usize),
    /// The same in capitals.
    Capitals(usize),
    /// As it came, without white space around it.
    Trimmed,
    /// The same in capitals.
    TrimmedCapitals,
    /// The letters and digits of a code that people punctuate.
    Alphanumeric,
    /// `AAAA-MM-DD`.
    Date,
    /// The official code of a word.
    Code,
    /// A decimal with at least and at most so many places.
    Decimal(u32, u32),
}

impl Field {
    const fn leaf(tag: &'static str, name: &'static str, kind: Kind) -> Field {
        Field {
            tag,
            name,
            kind,
            note_only: false,
            place: None,
            plain: None,
            has_plain: false,
            all_plain: false,
        }
    }

    const fn around(tag: &'static str, name: &'static str, kind: Kind) -> Field {
        let inside = kind.children();
        let (mut has_plain, mut all_plain) = (false, true);
        let mut at = 0;
        while at < inside.len() {
            has_plain |= inside[at].has_plain;
            all_plain &= inside[at].all_plain;
            at += 1;
        }
        Field {
            has_plain,
            all_plain: has_plain && all_plain,
            ..Field::leaf(tag, name, kind)
        }
    }

    /// The member of a request, which has one of two names for the recipient.
    pub fn request_name(&self, recipient: &'static str) -> &'static str {
        match self.place {
            Some(RECIPIENT) => recipient,
            _ => self.name,
        }
    }

    /// The same field, which a request does not take.
    pub const fn note(self) -> Field {
        Field {
            note_only: true,
            has_plain: false,
            all_plain: true,
            ..self
        }
    }

    /// The same field, whose errors are told elsewhere.
    pub const fn told_at(self, place: &'static str) -> Field {
        Field {
            place: Some(place),
            ..self
        }
    }

    /// The same field, written in this form where the request has it.
    pub const fn plain(self, form: Form) -> Field {
        self.written(form, false)
    }

    /// The same, told where the request does not have it.
    pub const fn required(self, form: Form) -> Field {
        self.written(form, true)
    }

    const fn written(self, form: Form, required: bool) -> Field {
        Field {
            plain: Some(Plain { form, required }),
            has_plain: true,
            all_plain: true,
            ..self
        }
    }
}

impl Kind {
    /// The fields inside.
    pub const fn children(&self) -> &'static [Field] {
        match self {
            Kind::Group(fields)
            | Kind::List(fields)
            | Kind::Dissolve(fields)
            | Kind::Variant(fields) => fields,
            _ => &[],
        }
    }
}

/// A text.
pub const fn text(tag: &'static str, name: &'static str) -> Field {
    Field::leaf(tag, name, Kind::Text)
}

/// A number, with the digits the document has.
pub const fn number(tag: &'static str, name: &'static str) -> Field {
    Field::leaf(tag, name, Kind::Number)
}

/// `1` and `0`.
pub const fn flag(tag: &'static str, name: &'static str) -> Field {
    flag_of(tag, name, "1", "0")
}

/// A flag with its two texts.
pub const fn flag_of(
    tag: &'static str,
    name: &'static str,
    yes: &'static str,
    no: &'static str,
) -> Field {
    Field::leaf(tag, name, Kind::Flag(yes, no))
}

/// A code that the API has a word for.
pub const fn word(
    tag: &'static str,
    name: &'static str,
    read: fn(&str) -> Option<Cow<'static, str>>,
) -> Field {
    Field::leaf(tag, name, Kind::Word(read))
}

/// A text that belongs to the list entry around.
pub const fn rises(tag: &'static str, name: &'static str) -> Field {
    Field::leaf(tag, name, Kind::Rises)
}

/// A number that is the member `too` as well.
pub const fn number_twice(tag: &'static str, name: &'static str, too: &'static str) -> Field {
    Field::leaf(tag, name, Kind::NumberTwice(too))
}

/// A number whose element says that `flag` is true.
pub const fn number_marking(tag: &'static str, name: &'static str, flag: &'static str) -> Field {
    Field::leaf(tag, name, Kind::NumberMarking(flag))
}

/// A list of texts, an element each.
pub const fn texts(tag: &'static str, name: &'static str) -> Field {
    Field::leaf(tag, name, Kind::Texts)
}

/// A list of texts, each the only child of an element.
pub const fn texts_of(tag: &'static str, name: &'static str) -> Field {
    Field::leaf(tag, name, Kind::TextsOf)
}

/// A group of its own.
pub const fn group(tag: &'static str, name: &'static str, fields: &'static [Field]) -> Field {
    Field::around(tag, name, Kind::Group(fields))
}

/// Its entries are made by code, so it is never plain itself.
pub const fn list(tag: &'static str, name: &'static str, fields: &'static [Field]) -> Field {
    Field {
        all_plain: false,
        ..Field::around(tag, name, Kind::List(fields))
    }
}

/// A group whose members are those of the group around.
pub const fn dissolve(tag: &'static str, fields: &'static [Field]) -> Field {
    Field::around(tag, "", Kind::Dissolve(fields))
}

/// `grupo` is the word for it in the member of that name.
pub const fn variant(tag: &'static str, group: &'static str, fields: &'static [Field]) -> Field {
    Field::around(tag, group, Kind::Variant(fields))
}

/// `tpAmb`.
pub fn environment(code: &str) -> Option<Cow<'static, str>> {
    match code {
        "1" => Some("producao".into()),
        "2" => Some("homologacao".into()),
        _ => None,
    }
}

/// `AAMM` of this century as `AAAA-MM`.
pub fn year_month(text: &str) -> Option<Cow<'static, str>> {
    let digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let (year, month) = text.split_at_checked(2).filter(|_| digits)?;
    Some(format!("20{year}-{month}").into())
}

/// `MM/AAAA` as `AAAA-MM`.
pub fn month_year(text: &str) -> Option<Cow<'static, str>> {
    let (month, year) = text.split_once('/')?;
    let digits =
        |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(month, 2) && digits(year, 4)).then(|| format!("{year}-{month}").into())
}

/// IBGE code of a state as its two letters.
pub fn state(code: &str) -> Option<Cow<'static, str>> {
    let uf = data::ufs::by_code(code.parse().ok()?)?;
    (code.len() == 2).then_some(Cow::Borrowed(uf.abbreviation))
}
