//! What the city answered.

mod conteudo;
mod isolar;
mod mensagens;
mod nota;

pub use conteudo::{Conteudo, Leitura, ler};
pub use isolar::isolar;
pub use mensagens::{Classe, classificar, fault};
pub use nota::Nota;
