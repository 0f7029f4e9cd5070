//! The published `CoREB` releases: formed again, compared, repaired, tabulated, executed.
//!
//! [`forming`] draws with the authors' generator ([`mersenne`]) what the authors drew, from the
//! corpora alone; [`reproduction`] holds the result against the published files. The faults in those
//! files are [`crate::verify`]'s business. Nothing here changes a published file.

pub mod corpus;
pub mod diff;
pub mod forming;
pub mod mersenne;
pub mod relabel;
pub mod repair;
pub mod reproduction;
pub mod search;
pub mod tables;
