//! The layout engine: its tables against the official XSDs, its verdicts
//! against libxml2.

mod amostra;
mod gerador;
mod libxml2;
mod modelo;
mod mutantes;
mod oraculo;
mod propriedades;
mod tabelas;
