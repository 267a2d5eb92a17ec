//! The body of a request to issue (API §5.1 and §5.2).
