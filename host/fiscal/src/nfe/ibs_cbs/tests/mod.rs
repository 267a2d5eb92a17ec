//! Tests of IBS and CBS.
