//! Methods with settings of a table.

use srfm_trainer::method::MethodConfig;

/// The method of that name with its default settings.
pub fn named(name: &str) -> MethodConfig {
    MethodConfig::named(name).expect("a method of the library")
}

/// A method with some settings changed: `with!(named("harfe"), features: 500, order)`.
macro_rules! with {
    (@ $setting:ident) => { $setting };
    (@ $setting:ident $value:expr) => { $value };
    ($method:expr $(, $setting:ident $(: $value:expr)?)* $(,)?) => {{
        let method = $method.clone();
        $(
            let value = with!(@ $setting $($value)?);
            let method = method.with(stringify!($setting), value).expect("a setting in its range");
        )*
        method
    }};
}
pub(crate) use with;
