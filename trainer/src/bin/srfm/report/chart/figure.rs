//! A chart in a page, with its title and legend in HTML.

use maud::{Markup, PreEscaped, html};

use crate::report::chart::{COLOURS, Chart};

impl Chart {
    /// Returns the figure; nothing if no point can be drawn.
    pub fn figure(&self) -> Markup {
        if self.is_empty() {
            return html! {};
        }
        let drawn = self.series.iter().enumerate().filter(|(_, series)| self.points(series).next().is_some());
        let legend: Vec<(usize, &str)> = drawn.map(|(place, series)| (place, &*series.name)).collect();
        html! {
            figure {
                figcaption { (self.title) }
                (PreEscaped(self.small_svg()))
                @if legend.iter().any(|(_, name)| !name.is_empty()) {
                    p class="legend" {
                        @for (place, name) in legend {
                            span { i style={ "background:" (colour(place)) } {} (name) }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the colour of a series in HTML.
fn colour(place: usize) -> String {
    let plotters::style::RGBColor(red, green, blue) = COLOURS[place % COLOURS.len()];
    format!("#{red:02x}{green:02x}{blue:02x}")
}
