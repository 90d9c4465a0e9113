#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    noughts_fuzz_properties::event_history(bytes);
});
