//! Adapters that misbehave, each contained: it fails its own flow, within its
//! limits, with the right answer, and its neighbours do not notice.

mod accounts;
mod admin;
mod city;
mod components;
mod contained;
mod factor;
mod later;
mod load;
mod minisign;
mod neighbours;
mod oci;
mod once;
mod operator;
mod permissions;
mod pressure;
mod queues;
mod releases;
mod settings;

mod stage;
mod strangers;
