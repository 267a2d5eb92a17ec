mod ambientes;
mod create;
mod eventos;
mod ferramentas;
mod regras;
mod tamanho;
mod vinculos;
