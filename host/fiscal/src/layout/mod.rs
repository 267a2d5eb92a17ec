//! Official layouts as dated tables, and the one engine that writes,
//! validates and reads documents by them.
