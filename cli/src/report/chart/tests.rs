//! Drawn points, text, labels and legends.

use plotters::prelude::SeriesLabelPosition;

use super::*;

fn chart(mark: Mark, logarithmic: bool, points: &[(f64, f64)]) -> Chart {
    let axis = |label: &str| Axis::new(label, logarithmic);
    let series = vec![Series { name: "a < b".to_owned(), points: points.to_vec() }];
    Chart {
        name: "c".to_owned(),
        title: "T & U".to_owned(),
        x: axis("x"),
        y: axis("y"),
        mark,
        series,
        extras: Extras::default(),
    }
}

#[test]
fn every_point_is_drawn_and_none_that_cannot_be() {
    let points = [(1.0, 1e-3), (10.0, f64::NAN), (100.0, 0.0), (1000.0, 10.0)];
    let circles = |logarithmic| chart(Mark::Lines, logarithmic, &points).svg().matches("<circle").count();
    assert_eq!((circles(true), circles(false)), (2, 3));
}

#[test]
fn text_is_escaped_and_extremes_draw() {
    let svg = chart(Mark::Bars, false, &[(1.0, 0.2), (2.0, 0.8)]).svg();
    assert!(svg.contains("T &amp; U") && svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
    for points in [&[][..], &[(5.0, 5.0)], &[(1e-300, 1e300), (1e-99, 1e99)]] {
        for (mark, logarithmic) in [(Mark::Lines, true), (Mark::Lines, false), (Mark::Bars, false)] {
            assert!(chart(mark, logarithmic, points).svg().starts_with("<svg"));
        }
    }
}

#[test]
fn logarithmic_axes_have_labels_from_end_to_end() {
    let svg = chart(Mark::Lines, true, &[(107.0, 0.2), (2660.0, 1.0)]).svg();
    let labelled = |label: &str| svg.contains(&format!("\n{label}\n"));
    assert!(["100", "200", "700", "1000", "2000", "3000", "0.5"].into_iter().all(labelled));
    assert!(!["600", "800", "900"].into_iter().any(labelled));
}

#[test]
fn the_legend_hides_no_line() {
    // A line from corner to corner leaves two corners free, and the upper one comes first.
    for (points, expected) in [
        (&[(1.0, 1.0), (100.0, 100.0)][..], SeriesLabelPosition::UpperLeft),
        (&[(1.0, 100.0), (100.0, 1.0)], SeriesLabelPosition::UpperRight),
        (&[(1.0, 100.0), (10.0, 1.0), (100.0, 100.0)], SeriesLabelPosition::LowerRight),
    ] {
        for logarithmic in [false, true] {
            let place = chart(Mark::Lines, logarithmic, points).emptiest_place();
            assert_eq!(format!("{place:?}"), format!("{expected:?}"));
        }
    }
}

#[test]
fn a_higher_value_is_drawn_higher() {
    let svg = chart(Mark::Lines, true, &[(1.0, 1e-6), (10.0, 1.0)]).svg();
    let heights: Vec<f64> =
        svg.match_indices("cy=\"").map(|(at, _)| svg[at + 4..].split('"').next().unwrap().parse().unwrap()).collect();
    assert!(heights.len() == 2 && heights[1] < heights[0]); // pixels count from the top
}

#[test]
fn a_figure_has_its_legend_in_html_and_nothing_without_points() {
    let mut figure = chart(Mark::Dots, false, &[(1.0, 2.0), (3.0, f64::NAN)]);
    let one = figure.figure().into_string();
    assert!(one.contains("<figcaption>T &amp; U</figcaption>") && one.contains("</i>a &lt; b</span>"), "{one}");
    assert_eq!(one.matches("<circle").count(), 1);
    figure.series[0].name.clear();
    assert!(!figure.figure().into_string().contains("legend"));
    figure.series[0].name = "a < b".to_owned();
    figure.series.push(Series { name: "b".to_owned(), points: vec![(2.0, 2.0)] });
    figure.series.push(Series { name: "nothing".to_owned(), points: vec![] });
    let two = figure.figure().into_string();
    assert!(two.contains("</i>a &lt; b</span>") && two.contains("</i>b</span>") && !two.contains("nothing"), "{two}");
    assert_eq!(chart(Mark::Dots, true, &[(-1.0, 1.0)]).figure().into_string(), "");
}

#[test]
fn extras_are_drawn() {
    let mut with = chart(Mark::Curves, false, &[(0.0, 0.0), (10.0, 1.0)]);
    let plain = with.svg();
    with.extras = Extras {
        shaded: Some((2.0, 8.0)),
        guide: vec![(0.0, 0.5), (10.0, 0.5)],
        ring: Some((5.0, 0.5)),
        ..Extras::default()
    };
    let drawn = with.svg();
    let count = |svg: &str, what: &str| svg.matches(what).count();
    for what in ["<rect", "<circle"] {
        assert_eq!(count(&drawn, what), count(&plain, what) + 1, "{what}");
    }
    assert!(count(&drawn, "<polyline") > count(&plain, "<polyline") || count(&drawn, "<line") > count(&plain, "<line"));
}

#[test]
fn the_middle_of_a_small_range_is_zero() {
    let svg = chart(Mark::Dots, false, &[(-2e-6, -3e-6), (2e-6, 3e-6)]).svg();
    let labels: Vec<&str> = svg.lines().map(str::trim).filter(|line| line.parse::<f64>().is_ok()).collect();
    let zeros = labels.iter().filter(|label| label.parse::<f64>().unwrap().abs() < 1e-9);
    assert_eq!(zeros.collect::<Vec<_>>(), [&"0", &"0"], "{labels:?}");
}

#[test]
fn an_outlier_does_not_flatten_the_errors() {
    let errors = |front: &[f64]| Axis::of_errors("", front.iter().copied());
    assert_eq!(errors(&[1.0, 0.45, 0.4, 0.35]), (Axis::new("", false), Some(0.875)));
    assert_eq!(errors(&[0.9, 0.5, 0.1, 0.01]), (Axis::new("", true), Some(1.8)));
    assert_eq!(errors(&[0.0, 0.2, 0.3]), (Axis::new("", false), Some(1.05 * 0.2)));
    assert_eq!(errors(&[]), (Axis::new("", false), None));

    let mut chart = chart(Mark::Dots, false, &[(100.0, 0.4), (200.0, 0.3), (50.0, 1.0)]);
    chart.extras = Extras { front: vec![(50.0, 1.0), (100.0, 0.4)], ceiling: Some(0.75), ..Extras::default() };
    assert_eq!(chart.range(&chart.y, |p| p.1), 0.296..0.404);
    let figure = chart.figure().into_string();
    assert!(figure.contains("1 point of larger error, up to 1.000, not drawn."), "{figure}");
    // Two dots of the series and one of the front are below the ceiling.
    assert!(figure.contains("</i>Pareto front</span>") && figure.matches("<circle").count() == 3, "{figure}");
    chart.extras.front.push((40.0, 2.0));
    assert!(chart.figure().into_string().contains("2 points of larger error, up to 2.000, not drawn."));
    chart.extras.ceiling = None;
    assert!(!chart.figure().into_string().contains("not drawn"));
}

#[test]
fn a_telephone_shows_labels_of_ten_pixels() {
    let svg = chart(Mark::Lines, true, &[(107.0, 0.2), (26600.0, 1.0)]).small_svg();
    let attribute = |text: &str, name: &str| -> f64 {
        text.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    // Units of the drawing in pixels, and pixels of the telephone.
    let drawing: Vec<f64> =
        svg.split("viewBox=\"").nth(1).unwrap().split(['"', ' ']).take(4).flat_map(str::parse).collect();
    assert_eq!((attribute(&svg, "width"), drawing[2], drawing[3]), (400.0, 4000.0, 2800.0));
    let scale = 358.0 / drawing[2];
    let labels: Vec<&str> = svg.split("<text").skip(1).collect();
    let size = |label: &&str| scale * attribute(label, "font-size");
    assert!(labels.len() > 5 && labels.iter().map(size).all(|size| size >= 10.0), "{svg}");
    // Labels of the horizontal axis lie at one height, and leave each other room for their digits.
    let text = |label: &&str| label.split('\n').nth(1).unwrap().trim().to_owned();
    let low = labels.iter().map(|label| attribute(label, "y")).filter(|y| *y < 2620.0).fold(0.0, f64::max);
    let lowest: Vec<&&str> = labels.iter().filter(|label| attribute(label, "y") == low && text(label) != "x").collect();
    let mut places: Vec<(f64, usize)> = lowest.iter().map(|l| (attribute(l, "x"), text(l).len())).collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(places.len() > 2);
    for pair in places.windows(2) {
        assert!(pair[1].0 - pair[0].0 > 33.0 * (pair[0].1 + pair[1].1) as f64, "{places:?}");
    }
}

#[test]
fn the_last_label_is_not_cut_off() {
    let svg = chart(Mark::Lines, true, &[(107.0, 0.2), (100_000.0, 1.0)]).small_svg();
    let label = svg.split("<text").find(|label| label.contains("\n100000\n")).unwrap();
    let x: f64 = label.split(" x=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    // Six digits of 14 pixels are 0.6 times as wide as high.
    assert!(x + 3.0 * 0.6 * 140.0 < 4000.0, "{x}");
}

#[test]
fn curves_end_where_their_points_do() {
    let curves = chart(Mark::Curves, false, &[(0.0, 1.0), (10.0, 2.0)]);
    assert_eq!(curves.range(&curves.x, |p| p.0), 0.0..10.0);
    // Points at one height change no sign.
    let dots = chart(Mark::Dots, false, &[(1.0, 0.25), (2.0, 0.25)]);
    assert_eq!(dots.range(&dots.y, |p| p.1), 0.125..0.375);
}

#[test]
fn a_curve_has_steps_of_less_than_a_pixel() {
    let points: Vec<(f64, f64)> = (0..=100).map(|i| (f64::from(i), f64::from(i) * 0.01)).collect();
    let mut curve = chart(Mark::Curves, false, &points);
    curve.extras.guide = vec![(0.0, 5.0)];
    let svg = curve.small_svg();
    let lines = svg.split("points=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    let line: Vec<f64> = lines.max_by_key(|line| line.len()).unwrap().split([' ', ',']).flat_map(str::parse).collect();
    let mut heights: Vec<i64> = line.chunks(2).map(|point| point[1] as i64).collect();
    assert_eq!(heights.len(), 101);
    // The curve rises by a fifth of the height, by less than half a pixel for each of its steps.
    heights.dedup();
    assert!(heights.len() > 95, "{heights:?}");
}

/// Returns the attribute of the text that has this content.
fn of_text(svg: &str, content: &str, name: &str) -> f64 {
    let text = svg.split("<text").find(|text| text.contains(&format!("\n{content}\n"))).unwrap();
    text.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
}

#[test]
fn labels_leave_room_for_the_title() {
    let svg = chart(Mark::Dots, false, &[(1.0, 123_456.701_2), (2.0, 123_456.705_9)]).small_svg();
    // Labels end at `x`; a digit is 0.56 times as wide as high in Arial.
    let width = "123456.702".len() as f64 * 0.56 * of_text(&svg, "123456.702", "font-size");
    let label = of_text(&svg, "123456.702", "x") - width;
    let title = of_text(&svg, "y", "x");
    assert!(label > title + of_text(&svg, "y", "font-size"), "{label} {title}");
    // Few digits leave the chart as it is.
    let small = chart(Mark::Dots, false, &[(1.0, 5.0), (2.0, 6.0)]).small_svg();
    assert_eq!(of_text(&small, "5.2", "x"), 720.0);
}

#[test]
fn long_titles_lose_their_middle() {
    let mut long = chart(Mark::Dots, false, &[(1.0, 1.0), (2.0, 2.0)]);
    long.y.label = format!("predicted {} hours", "operating_".repeat(7));
    long.x.label = "device less double precision, in units".to_owned();
    let svg = long.small_svg();
    let title = svg.lines().find(|line| line.contains('…')).unwrap();
    assert!(title.starts_with("predicted oper") && title.ends_with("ting_ hours"), "{title}");
    assert_eq!(title.chars().count(), 30);
    assert!(svg.contains("\ndevice less double precision, in units\n"));
    assert!(long.svg().lines().find(|line| line.contains('…')).unwrap().chars().count() > 40);
}
