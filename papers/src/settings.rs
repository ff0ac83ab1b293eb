//! Methods with settings of a table.

use srfm_trainer::method::MethodConfig;

/// Returns the method of that name with its default settings.
pub fn named(name: &str) -> MethodConfig {
    MethodConfig::named(name).expect("a method of the library")
}

/// Changes some settings of a method: `with!(named("harfe"), features: 500, order)`.
macro_rules! with {
    (@ $setting:ident) => { $setting };
    (@ $setting:ident $value:expr) => { $value };
    ($method:expr $(, $setting:ident $(: $value:expr)?)* $(,)?) => {{
        let method = $method.clone();
        $(
            let changed = method.with(stringify!($setting), with!(@ $setting $($value)?));
            let method = changed.expect("a setting in its range");
        )*
        method
    }};
}
pub(crate) use with;
