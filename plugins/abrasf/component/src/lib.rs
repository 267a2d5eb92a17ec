//! The component of `adapter-abrasf`.

sdk::nfse_component!(adapter_abrasf::adapter);
