//! Parts that the tasks of a server share: context, time, randomness, metrics and synchronization.

pub(crate) mod context;
pub(crate) mod fault_injection;
pub(crate) mod ignore;
pub(crate) mod logging;
pub(crate) mod metrics;
pub(crate) mod population;
pub(crate) mod rng;
pub(crate) mod sync;
pub(crate) mod time;
