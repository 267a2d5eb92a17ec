mod ambientes;
mod create;
mod eventos;
mod ferramentas;
mod tamanho;
mod vinculos;
