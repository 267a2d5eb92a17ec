//! An adapter that misbehaves on purpose. It is compiled once; the tests write
//! the name of a misbehaviour into the compiled module (`mode.rs`), so that
//! one build gives all of them.
//!
//! It does not use the SDK's `async fn`: a hostile adapter speaks the
//! contract as it likes.

mod declaration;
mod description;
mod misbehave;
mod mode;
mod requests;

/// The exports as plain functions.
pub fn adapter() -> sdk::Adapter {
    sdk::Adapter {
        describe: description::describe,
        permissions: declaration::permissions,
        start: misbehave::start,
        resume: misbehave::resume,
    }
}

#[cfg(target_arch = "wasm32")]
mod component {
    use sdk::bindings::describe::exports::fiscal::provider::describe;
    use sdk::bindings::nfse::exports::fiscal::provider::nfse;
    use sdk::bindings::permissions::exports::fiscal::permissions::declaration;

    struct Component;

    impl describe::Guest for Component {
        fn describe() -> describe::Description {
            sdk::host::install_panic_hook();
            (super::adapter().describe)()
        }
    }

    impl declaration::Guest for Component {
        fn declare() -> declaration::Permissions {
            (super::adapter().permissions)()
        }
    }

    impl nfse::Guest for Component {
        fn start(op: nfse::Operacao, ctx: nfse::Context) -> nfse::Step {
            sdk::host::install_panic_hook();
            (super::adapter().start)(op, ctx)
        }

        fn resume(state: nfse::State, event: nfse::Event, ctx: nfse::Context) -> nfse::Step {
            sdk::host::install_panic_hook();
            (super::adapter().resume)(state, event, ctx)
        }
    }

    sdk::bindings::describe::export_only_describe!(Component with_types_in sdk::bindings::describe);
    sdk::bindings::permissions::export_only_permissions!(Component with_types_in sdk::bindings::permissions);
    sdk::bindings::nfse::export_only_nfse!(Component with_types_in sdk::bindings::nfse);
}
