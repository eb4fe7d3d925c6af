//! The examples run and end well.

#[cfg(feature = "session-model")]
#[path = "../examples/custom_model.rs"]
mod custom_model;
#[cfg(feature = "session")]
#[path = "../examples/host_loop.rs"]
mod host_loop;
#[cfg(feature = "session-team")]
#[path = "../examples/two_homes.rs"]
mod two_homes;

#[cfg(feature = "session")]
#[test]
fn the_smallest_host_learns_and_recalls() {
    host_loop::main().expect("the example ends well");
}

#[cfg(feature = "session-model")]
#[test]
fn a_model_of_ones_own_works_for_a_session() {
    custom_model::main().expect("the example ends well");
}

#[cfg(feature = "session-team")]
#[test]
fn a_memory_travels_between_two_homes() {
    two_homes::main().expect("the example ends well");
}
