mod create;
mod environments;
mod events;
mod rules;
mod size;
mod tools;
mod vinculos;
