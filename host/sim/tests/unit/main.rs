//! Tests of the crate's parts, one module each as in src.

mod clock;
mod documents;
mod pki;
mod server;
mod xml;

mod engine {
    mod faults;
}

mod nfse {
    mod abrasf;
    mod layout;
    mod learned;
    mod national;
}

mod provider {
    mod psp;
}

mod sefaz {
    mod chave;
    mod cstat;
    mod event;
    mod rules;
    mod services;
    mod soap;
}
