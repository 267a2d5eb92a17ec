//! Why a step is refused.

/// Why a step gave no usable answer. The flow fails; nothing else does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    #[error("adapter stopped: {0}")]
    Trap(String),
    #[error("adapter took longer than {0} ms")]
    Deadline(u64),
    #[error("adapter's state has {size} bytes, the limit is {limit}")]
    StateTooLarge { size: usize, limit: usize },
    #[error("adapter's request has {size} bytes, the limit is {limit}")]
    RequestTooLarge { size: usize, limit: usize },
    #[error("adapter asked for endpoint {0}, which this flow does not have")]
    UnknownEndpoint(String),
    #[error("adapter's request is malformed: {0}")]
    BadRequest(String),
    #[error("adapter's request is outside of what the adapter declares: {0}")]
    Undeclared(String),
    #[error("adapter wants more than {0} steps")]
    TooManySteps(u32),
    #[error("adapter's outcome is not acceptable: {0}")]
    BadOutcome(String),
}
