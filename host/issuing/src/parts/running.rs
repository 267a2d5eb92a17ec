//! Which flows this process is running.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::ids::FlowId;

/// Tasks per flow. Cheap to clone; clones are the same list.
#[derive(Clone, Default)]
pub struct Running(Arc<Mutex<HashMap<FlowId, usize>>>);

/// One task that runs a flow, until it is dropped: a panic counts too.
pub struct Run {
    running: Running,
    flow_id: FlowId,
}

impl Running {
    pub fn begin(&self, flow_id: &FlowId) -> Run {
        *self.lock().entry(flow_id.to_owned()).or_default() += 1;
        Run {
            running: self.clone(),
            flow_id: flow_id.to_owned(),
        }
    }

    /// Nothing runs.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// How many run.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    pub fn has(&self, flow_id: &FlowId) -> bool {
        self.lock().contains_key(flow_id)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<FlowId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let mut tasks = self.running.lock();
        if let Some(count) = tasks.get_mut(&self.flow_id) {
            *count -= 1;
            if *count == 0 {
                tasks.remove(&self.flow_id);
            }
        }
    }
}
