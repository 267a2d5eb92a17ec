//! Builders for what an adapter says about itself.

pub use crate::bindings::describe::exports::fiscal::provider::describe::{
    Description, EndpointSpec, OperationInfo, OptionKind, OptionSpec,
};

impl Description {
    /// `version` is usually `env!("CARGO_PKG_VERSION")`.
    pub fn new(name: &str, version: &str) -> Self {
        Description {
            name: name.into(),
            version: version.into(),
            schemas: Vec::new(),
            operations: Vec::new(),
            options: Vec::new(),
            endpoints: Vec::new(),
            state_version: crate::state::VERSION,
            resumes: Vec::new(),
            maintainers: Vec::new(),
        }
    }

    /// The same under another name and version, with these defaults: for an adapter
    /// that is another one with options of its own.
    #[must_use]
    pub fn with_defaults(mut self, name: &str, version: &str, options: &[(&str, &str)]) -> Self {
        self.name = name.into();
        self.version = version.into();
        for option in &mut self.options {
            let given = options.iter().find(|(name, _)| *name == option.name);
            if let Some((_, value)) = given {
                option.default = Some((*value).into());
            }
        }
        self
    }

    #[must_use]
    pub fn schema(mut self, name: &str) -> Self {
        self.schemas.push(name.into());
        self
    }

    #[must_use]
    pub fn operation(mut self, name: &str, synchronous: bool, notes: &str) -> Self {
        self.operations.push(OperationInfo {
            name: name.into(),
            synchronous,
            notes: notes.into(),
        });
        self
    }

    #[must_use]
    pub fn option(mut self, spec: OptionSpec) -> Self {
        self.options.push(spec);
        self
    }

    #[must_use]
    pub fn endpoint(
        mut self,
        name: &str,
        required: bool,
        client_certificate: bool,
        doc: &str,
    ) -> Self {
        self.endpoints.push(EndpointSpec {
            name: name.into(),
            required,
            client_certificate,
            doc: doc.into(),
        });
        self
    }

    #[must_use]
    pub fn maintainer(mut self, name: &str) -> Self {
        self.maintainers.push(name.into());
        self
    }
}

impl OptionSpec {
    /// An optional value of this kind without default.
    pub fn new(name: &str, kind: OptionKind, doc: &str) -> Self {
        OptionSpec {
            name: name.into(),
            kind,
            choices: Vec::new(),
            default: None,
            required: false,
            doc: doc.into(),
        }
    }

    /// One of a fixed list; the first is the default.
    pub fn choice(name: &str, choices: &[&str], doc: &str) -> Self {
        OptionSpec {
            choices: choices.iter().map(|&choice| choice.into()).collect(),
            default: choices.first().map(|&choice| choice.into()),
            ..OptionSpec::new(name, OptionKind::Choice, doc)
        }
    }

    /// `recusa_duplicata`, which the hub reads as well (docs/ADAPTERS.md);
    /// `como` says how such an authority answers.
    pub fn refuses_duplicates(how: &str) -> Self {
        let doc = format!(
            "The authority refuses a second copy of a document by itself ({how}): after a lost answer it is asked at once, and one \"not here\" suffices to send the same bytes again."
        );
        OptionSpec::new(crate::REFUSES_DUPLICATES, OptionKind::Flag, &doc).default_value("false")
    }

    #[must_use]
    pub fn default_value(mut self, value: &str) -> Self {
        self.default = Some(value.into());
        self
    }

    /// The registry must give a value.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }
}
