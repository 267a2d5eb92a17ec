mod create;
mod eventos;
