//! What can be read off source text.

use serde::{Deserialize, Serialize};

/// Metrics of one program. Undefined is null, never 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeMetrics {
    /// McCabe: decisions + 1 per function, the module body a unit of its own; the sum over units.
    pub cyclomatic: u32,
    /// Halstead effort over the whole program; null where a volume or a difficulty is undefined.
    pub halstead_effort: Option<f64>,
    /// Lines that hold code.
    pub sloc: u32,
}
