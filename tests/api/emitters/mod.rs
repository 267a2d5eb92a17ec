mod batch;
mod certificado;
mod create;
mod delete;
mod fiscal_profile;
mod list;
mod update;
