//! What the city answered.

mod content;
mod isolate;
mod messages;
mod nota;

pub use content::{Conteudo, Leitura, ler};
pub use isolate::isolate;
pub use messages::{Classe, classificar, fault};
pub use nota::Nota;
