//! Macros that turn functions for `describe` and the permissions, and an `async fn run` into the
//! exports of a component.

/// Exports an adapter of the world `nfse-adapter`:
/// `export_nfse!(describe_fn, permissions_fn, run_fn)` with
/// `fn describe_fn() -> sdk::Description`,
/// `fn permissions_fn() -> sdk::Permissions` and
/// `async fn run_fn(flow: sdk::Flow, op: sdk::Operacao) -> sdk::Outcome`.
///
/// It also defines `pub fn adapter() -> sdk::Adapter` for native tests.
#[macro_export]
macro_rules! export_nfse {
    ($describe:path, $permissions:path, $run:path) => {
        $crate::__export!(nfse, export_only_nfse, $describe, $permissions, $run);
    };
}

/// Exports an adapter of the world `sefaz-adapter`; see [`export_nfse!`].
#[macro_export]
macro_rules! export_sefaz {
    ($describe:path, $permissions:path, $run:path) => {
        $crate::__export!(sefaz, export_only_sefaz, $describe, $permissions, $run);
    };
}

/// Exports an adapter of the world `lookup-adapter`; see [`export_nfse!`].
#[macro_export]
macro_rules! export_lookup {
    ($describe:path, $permissions:path, $run:path) => {
        $crate::__export!(lookup, export_only_lookup, $describe, $permissions, $run);
    };
}

/// The adapter of [`export_nfse!`] as a library: `adapter()` without the exports of a
/// component, for a package that is used by other adapters. [`nfse_component!`] exports
/// it from a package of its own.
#[macro_export]
macro_rules! nfse_adapter {
    ($describe:path, $permissions:path, $run:path) => {
        $crate::__adapter!($describe, $permissions, $run);
    };
}

/// Exports what [`nfse_adapter!`] defined: `nfse_component!(adapter_x::adapter)`.
#[macro_export]
macro_rules! nfse_component {
    ($adapter:path) => {
        $crate::__component!(nfse, export_only_nfse, $adapter);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __export {
    ($interface:ident, $export:ident, $describe:path, $permissions:path, $run:path) => {
        $crate::__adapter!($describe, $permissions, $run);
        $crate::__component!($interface, $export, adapter);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __adapter {
    ($describe:path, $permissions:path, $run:path) => {
        /// This adapter as plain functions, for tests without a sandbox.
        pub fn adapter() -> $crate::Adapter {
            $crate::Adapter {
                describe: $describe,
                permissions: $permissions,
                start: |op, ctx| $crate::replay::start($run, op, ctx),
                resume: |state, event, ctx| $crate::replay::resume($run, state, event, ctx),
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __component {
    ($interface:ident, $export:ident, $adapter:path) => {
        #[cfg(target_arch = "wasm32")]
        use $adapter as exported;

        #[cfg(target_arch = "wasm32")]
        mod component {
            use $crate::bindings::$interface::exports::fiscal::provider::$interface;
            use $crate::bindings::describe::exports::fiscal::provider::describe;
            use $crate::bindings::permissions::exports::fiscal::permissions::declaration;

            struct Component;

            impl describe::Guest for Component {
                fn describe() -> describe::Description {
                    $crate::host::install_panic_hook();
                    (super::exported().describe)()
                }
            }

            impl declaration::Guest for Component {
                fn declare() -> declaration::Permissions {
                    $crate::host::install_panic_hook();
                    (super::exported().permissions)()
                }
            }

            impl $interface::Guest for Component {
                fn start(op: $interface::Operacao, ctx: $interface::Context) -> $interface::Step {
                    $crate::host::install_panic_hook();
                    (super::exported().start)(op, ctx)
                }

                fn resume(
                    state: $interface::State,
                    event: $interface::Event,
                    ctx: $interface::Context,
                ) -> $interface::Step {
                    $crate::host::install_panic_hook();
                    (super::exported().resume)(state, event, ctx)
                }
            }

            $crate::bindings::describe::export_only_describe!(Component with_types_in $crate::bindings::describe);
            $crate::bindings::permissions::export_only_permissions!(Component with_types_in $crate::bindings::permissions);
            $crate::bindings::$interface::$export!(Component with_types_in $crate::bindings::$interface);
        }
    };
}
