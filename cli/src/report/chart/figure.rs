//! A chart in a page, with its title and legend in HTML.

use maud::{Markup, PreEscaped, html};

use crate::report::chart::draw::FRONT;
use crate::report::chart::{COLOURS, Chart};
use crate::report::text::{breakable, counted, significant};

impl Chart {
    /// Returns the figure; nothing if no point can be drawn.
    pub fn figure(&self) -> Markup {
        if self.is_empty() {
            return html! {};
        }
        html! {
            figure {
                figcaption { (breakable(&self.title)) }
                (PreEscaped(self.small_svg()))
                (self.html_legend())
                @if let Some((count, largest)) = self.above() {
                    p class="note" {
                        (counted(count, "point")) " of larger error, up to " (significant(largest)) ", not drawn."
                    }
                }
                @if !self.extras.note.is_empty() { p class="note" { (self.extras.note) } }
            }
        }
    }

    /// Returns the legend of the drawn series that have names, of the front and of the ring.
    fn html_legend(&self) -> Markup {
        let drawn = self.series.iter().enumerate().filter(|(_, series)| self.points(series).next().is_some());
        let drawn: Vec<(usize, &str)> = drawn.map(|(place, s)| (place, &*s.name)).filter(|s| !s.1.is_empty()).collect();
        let front = self.front().next().is_some();
        let ring = self.extras.ring.is_some();
        html! {
            @if !drawn.is_empty() || front || ring {
                p class="legend" {
                    @for (place, name) in drawn {
                        span { i style={ "background:" (colour(place)) } {} (name) }
                    }
                    @if front { span { i style={ "background:#000;opacity:" (FRONT) } {} "Pareto front" } }
                    @if ring { span { i class="ring" {} "this model" } }
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
