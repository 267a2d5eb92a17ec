mod create;
mod eventos;
mod ferramentas;
mod regras;
mod vinculos;
