//! Tests of the crate's parts, one module each as in src.

mod scopes;
mod users;

mod ledger {
    mod alerta;
    mod budget;
}

mod people {
    mod password;
}
