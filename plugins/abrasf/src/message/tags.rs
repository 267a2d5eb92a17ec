//! A writer that knows to which namespace an element belongs.

use crate::options::Options;
use sdk::xml::Writer;

/// Writes a message. With one namespace for everything no name has a prefix;
/// with one per message, what the message's own schema declares has `m:` and
/// the shared types have `t:`. Where the root alone has a namespace, it alone
/// has a prefix.
pub struct Tags {
    w: Writer,
    message: &'static str,
    tipos: &'static str,
}

impl Tags {
    /// Opens the root.
    pub fn root(options: &Options, name: &str) -> Self {
        let namespace = options.namespace_of(name);
        let mut w = Writer::new();
        let (message, tipos) = if options.unqualified.message {
            w.open(&format!("m:{name}"), &[("xmlns:m", &namespace)]);
            ("", "")
        } else if options.message_namespace.is_some() {
            let name = format!("m:{name}");
            w.open(
                &name,
                &[("xmlns:m", &namespace), ("xmlns:t", &options.namespace)],
            );
            ("m:", "t:")
        } else if namespace.is_empty() {
            w.open(name, &[]);
            ("", "")
        } else {
            w.open(name, &[("xmlns", &namespace)]);
            ("", "")
        };
        Tags { w, message, tipos }
    }

    /// A group of the shared types.
    pub fn group(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        inside: impl FnOnce(&mut Tags),
    ) {
        self.w.open(&format!("{}{name}", self.tipos), attributes);
        inside(self);
        self.w.close();
    }

    /// A group that the message's own schema declares.
    pub fn message_group(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        inside: impl FnOnce(&mut Tags),
    ) {
        self.w.open(&format!("{}{name}", self.message), attributes);
        inside(self);
        self.w.close();
    }

    /// An element with text.
    pub fn leaf(&mut self, name: &str, text: &str) {
        self.w.leaf(&format!("{}{name}", self.tipos), text);
    }

    /// The same, declared by the message's own schema.
    pub fn message_leaf(&mut self, name: &str, text: &str) {
        self.w.leaf(&format!("{}{name}", self.message), text);
    }

    /// An element with text, when there is one.
    pub fn optional(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            self.leaf(name, text);
        }
    }

    /// The message, closed.
    pub fn end(self) -> String {
        self.w.finish()
    }
}
