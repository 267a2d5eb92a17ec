//! Printouts of synthetic notes, looked at and read back.

mod desenho;
mod gerador;
mod leitura;
