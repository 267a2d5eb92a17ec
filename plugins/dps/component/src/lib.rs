//! The component of `adapter-dps`.

sdk::nfse_component!(adapter_dps::adapter);
