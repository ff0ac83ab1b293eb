//! Reports as pages: HTML that needs no other file and no network.

mod comparison;
mod confusion;
mod costs;
mod deploy;
mod errors;
mod front;
mod history;
mod inputs;
mod model;
mod responses;
mod rows;
mod search;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::report::text::breakable;

pub use errors::held_out_by;
pub use model::{CrossValidation, ModelPage, Part};
pub use search::SearchView;

/// The style sheet of all pages: one column on a telephone, two columns of charts on a screen, dark where that is
/// preferred. Charts keep their colours in a dark page by turning their hues after the inversion.
pub const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff;\
    max-width:66rem;margin:1.5rem auto;padding:0 1rem;overflow-wrap:break-word}\
    h1{font-size:1.6rem;margin:.2em 0}h2{font-size:1.2rem;margin:1.6em 0 .3em}h3{font-size:1rem;margin:1.2em 0 .2em}\
    .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:.5rem 1.5rem;\
    margin-bottom:1rem}.note{font-size:.85rem;margin:.2rem 0}\
    figure{margin:0;break-inside:avoid;max-width:32rem}figcaption{font-weight:600;margin-top:.6rem}\
    svg{width:100%;height:auto;display:block}.wide{overflow-x:auto}\
    .legend{margin:.1rem 0;font-size:.85rem}.legend span{margin-right:1rem;display:inline-block}\
    .legend i{display:inline-block;width:.8rem;height:.8rem;margin-right:.3rem;vertical-align:-.05rem}\
    .legend .ring{background:none;border:2px solid #000;border-radius:50%;box-sizing:border-box}\
    table{border-collapse:collapse;font-size:.9rem}th,td{text-align:right;padding:.15rem .6rem;vertical-align:top}\
    th,td{border-bottom:1px solid #bbb}td:first-child{min-width:5rem}\
    td:not(:first-child):not(.text){white-space:nowrap}th.text,td.text{text-align:left}\
    th:first-child,td:first-child{text-align:left;padding-left:0}\
    .best{font-weight:600}.sensors{width:100%}\
    .bar{display:block;height:.7rem;margin-top:.4rem;background:#0072b2;min-width:1px}td.bars{width:40%;\
    position:relative}\
    td.bars{padding:0}td.bars i{position:absolute;top:.25rem;height:1rem;border-left:2px solid #d55e00}\
    pre{background:#f2f2f2;padding:.7rem;white-space:pre-wrap;font-size:.85rem}\
    .counts td:first-child{min-width:0}\
    @media(max-width:30rem){th,td{padding:.15rem .2rem;font-size:.75rem}td:first-child{min-width:0}\
    .counts th,.counts td{padding:.15rem .1rem}}\
    @media print{body{max-width:none;margin:0}}\
    @media screen and (prefers-color-scheme:dark){body{color:#ddd;background:#111}pre{background:#222}\
    svg,.legend i{filter:invert(1) hue-rotate(180deg)}}";

/// Returns a page.
fn page(title: &str, body: Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { h1 { (breakable(title)) } (body) }
        }
    };
    page.into_string()
}

/// Returns figures side by side; nothing if there are none.
fn side_by_side(figures: impl IntoIterator<Item = Markup>) -> Markup {
    let figures: Vec<Markup> = figures.into_iter().filter(|figure| !figure.0.is_empty()).collect();
    html! { @if !figures.is_empty() { div class="charts" { @for figure in figures { (figure) } } } }
}

/// Returns a section with a heading; nothing if its content is empty.
fn section(heading: &str, content: Markup) -> Markup {
    html! { @if !content.0.is_empty() { section { h2 { (heading) } (content) } } }
}
