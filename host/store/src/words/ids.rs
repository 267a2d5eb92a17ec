//! Ids of rows, a type for each table.
//!
//! An id is text in the database, in JSON and in a path. In the program it has
//! the type of its table, so that ids of two tables cannot take each other's
//! place. What comes from outside becomes an id unchecked: one that no row has
//! finds no row.
//!
//! Three kinds of columns stay text. A column that names rows of several tables
//! (`subject_id`, `target`, `ref`) has no single type. A position in a listing
//! (`before`, `after`) is compared with ids and names no row. The name of a node
//! (`lease_owner`) is no row's id.

use super::Model;

/// Declares the id of each table, with the prefix that its new ids have. An id
/// without a prefix is not made by `new`: its type says how it is made.
macro_rules! ids {
    ($($(#[$about:meta])* $name:ident $(= $prefix:literal)?;)+) => {$(
        $(#[$about])*
        ///
        /// The default is the empty text, which no row has.
        #[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        $(
            impl $name {
                /// A new id. Those made in one millisecond keep their order.
                pub fn new(now_ms: i64) -> $name {
                    $name(base::ids::new($prefix, now_ms))
                }

                /// Several new ids of one moment, in order.
                pub fn several(now_ms: i64, count: usize) -> Vec<$name> {
                    let ids = base::ids::several($prefix, now_ms, count);
                    ids.into_iter().map($name).collect()
                }

                /// The lowest id of a moment: bounds a search by time.
                pub fn floor(ms: i64) -> $name {
                    $name(base::ids::floor($prefix, ms))
                }

                /// Whether a text begins as ids of this table do.
                pub fn is(text: &str) -> bool {
                    let rest = text.strip_prefix($prefix);
                    rest.is_some_and(|rest| rest.starts_with('_'))
                }

                /// When the id was made; None for what is no id of this table.
                pub fn moment(&self) -> Option<i64> {
                    base::ids::moment($prefix, &self.0)
                }
            }
        )?

        impl $name {
            /// The text of the column.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        // Text compares and hashes as its id does: maps of ids are asked by text.
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> $name {
                $name(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> $name {
                $name(text.to_owned())
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl From<&$name> for String {
            fn from(id: &$name) -> String {
                id.0.clone()
            }
        }

        impl From<$name> for serde_json::Value {
            fn from(id: $name) -> serde_json::Value {
                id.0.into()
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, text: &str) -> bool {
                self.0 == text
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, text: &&str) -> bool {
                self.0 == *text
            }
        }

        impl PartialEq<$name> for str {
            fn eq(&self, id: &$name) -> bool {
                self == id.0
            }
        }

        impl PartialEq<$name> for &str {
            fn eq(&self, id: &$name) -> bool {
                *self == id.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }

        // As the text it is: a row that is printed shows it in quotes.
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&self.0, f)
            }
        }

        impl $crate::words::Text for $name {
            fn text(&self) -> &str {
                &self.0
            }

            fn read(text: &str) -> Result<$name, $crate::words::UnknownWord> {
                Ok($name(text.to_owned()))
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                <String as schemars::JsonSchema>::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <String as schemars::JsonSchema>::json_schema(generator)
            }
        }

        $crate::words::text_column!($name);
    )+};
}

ids! {
    /// Id of a row of `accounts`: a customer.
    AccountId = "con";
    /// Id of a row of `api_keys`. It is empty where the panel asks, which has a
    /// session and no key.
    KeyId = "key";
    /// Id of a row of `audit`: what somebody did to an account.
    AuditId = "aud";
    /// Id of a row of `budgets`: what the keys of one spending limit spend. It
    /// is the text of the id of the first of these keys.
    BudgetId;
    /// Id of a row of `certificates`.
    CertificateId = "crt";
    /// Id of a row of `compras`: a purchase of credits.
    CompraId = "cmp";
    /// Id of a row of `deliveries`: one event for one webhook. It is made of
    /// both by `tables::deliveries::id_of`.
    DeliveryId;
    /// Id of a row of `dere_batches`: events of the DeRE that go together.
    DereBatchId = "dlo";
    /// Id of a row of `dere_events`.
    DereEventId = "der";
    /// Id of a row of `emitters`: a company that issues.
    EmitterId = "emi";
    /// Id of a row of `eventos`: what is done to a note.
    EventoId = "eve";
    /// Id of a row of `exportacoes`.
    ExportacaoId = "exp";
    /// Id of a row of `flows`: a run of an adapter.
    FlowId = "flw";
    /// Id of a row of `invites`: somebody is asked into an account.
    InviteId = "cvt";
    /// Id of a row of `lotes`: notes that are issued together, of a file.
    LoteId = "lot";
    /// Id of a row of `mail_contents`: what a mail says, to all its addresses.
    MailContentId = "env";
    /// Id of a row of `mails`: one content for one address.
    MailId = "eml";
    /// Id of a row of `notas`. Its prefix says the model: `NotaId::new`.
    NotaId;
    /// Id of a row of `objetos`: a file that a customer keeps here.
    ObjetoId = "obj";
    /// Id of a row of `operator_actions`: what an operator did.
    OperatorActionId = "opa";
    /// Id of a row of `outbox`: an event that customers are told of.
    OutboxId = "evt";
    /// Id of a row of `pessoas`: a party of notes.
    PessoaId = "pes";
    /// Id of a row of `produtos`: a product that is registered in the panel.
    ProdutoId = "prd";
    /// Id of a row of `recebidas`, a note that another issued, or of
    /// `recebidas_eventos`, an event about one. Both come from one queue, in
    /// whose order their ids are.
    RecebidaId = "ent";
    /// Id of a row of `reembolsos`: money of a purchase given back.
    ReembolsoId = "rmb";
    /// Id of a row of `catalog_reports`: a code that gave the wrong product.
    ReportId = "rel";
    /// Id of a row of `requests`: a call of the API.
    RequestId = "req";
    /// Id of a row of `transfers`: a movement of credits, a hold too.
    TransferId = "lan";
    /// Id of a row of `users`: a person.
    UserId = "usr";
    /// Id of a row of `vinculos`: a note that derives from another.
    VinculoId = "vin";
    /// Id of a row of `webhooks`.
    WebhookId = "whk";
}

impl NotaId {
    /// A new id of a note of this model. Those made in one millisecond keep
    /// their order.
    pub fn new(model: Model, now_ms: i64) -> NotaId {
        NotaId(base::ids::new(model.prefix(), now_ms))
    }
}

impl From<&KeyId> for BudgetId {
    /// The budget that begins with a key.
    fn from(first: &KeyId) -> BudgetId {
        BudgetId(first.0.clone())
    }
}
