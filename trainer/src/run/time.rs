//! The clock of the machine.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use stopped::Instant;

/// The clock of targets where the standard library has none and panics. It stands still, so that no time limit ends a
/// computation there.
#[cfg(any(test, all(target_family = "wasm", target_os = "unknown")))]
mod stopped {
    use std::ops::Add;
    use std::time::Duration;

    /// A time since the start of the program, as `std::time::Instant`.
    #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Eq, Ord)]
    pub(crate) struct Instant(Duration);

    impl Instant {
        /// Returns the start of the program.
        pub fn now() -> Instant {
            Instant(Duration::ZERO)
        }

        /// Returns zero for a time that is not later than the start of the program.
        pub fn elapsed(&self) -> Duration {
            Duration::ZERO.saturating_sub(self.0)
        }

        /// Returns the time `duration` later; none where it cannot be represented.
        pub fn checked_add(&self, duration: Duration) -> Option<Instant> {
            self.0.checked_add(duration).map(Instant)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, duration: Duration) -> Instant {
            Instant(self.0 + duration)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::stopped::Instant;

    #[test]
    fn the_clock_that_stands_still_reaches_no_later_time() {
        let later = Instant::now().checked_add(Duration::from_nanos(1)).unwrap();
        assert!(Instant::now() < later && Instant::now() >= Instant::now());
        assert_eq!(later.elapsed(), Duration::ZERO);
        assert_eq!(Instant::now().checked_add(Duration::MAX), Some(Instant::now() + Duration::MAX));
        assert_eq!(later.checked_add(Duration::MAX), None);
    }
}
