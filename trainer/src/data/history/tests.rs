//! Tests of the samples that inputs come from.

use super::*;
use crate::sampling::Sampler;

/// Columns of one channel each.
fn history(lags: &[Vec<Lag>]) -> History {
    let column = |(number, lags): (usize, &'_ Vec<Lag>)| (vec![format!("c{number}")], lags.clone());
    let columns: Vec<(Vec<String>, Vec<Lag>)> = lags.iter().enumerate().map(column).collect();
    History::of_lags(&columns)
}

fn lag(samples: u8, difference: bool) -> Lag {
    Lag { samples, difference }
}

/// Returns the number of readings that a history of lags keeps.
fn slots(history: &History) -> usize {
    match history.spec() {
        HistorySpec::Lags { windows, .. } => windows.iter().map(|&window| usize::from(window)).sum(),
        HistorySpec::Windows(_) => panic!("no lags"),
    }
}

#[test]
fn inputs_are_readings_of_earlier_rows_of_the_group() {
    let history = history(&[vec![lag(0, false), lag(2, false), lag(0, true)], vec![lag(1, true)]]);
    assert_eq!(history.names(), ["c0", "c0 lag 2", "c0 change", "c1 change lag 1"]);
    assert_eq!((history.depth(), slots(&history)), (3, 6));
    let samples = DMatrix::from_fn(8, 2, |row, channel| [0.1, 0.7][channel] * (row * row) as f64);
    let groups = [0, 1, 0, 0, 1, 1, 0, 1];
    let (x, ready) = history.inputs_of(&samples, Some(&groups));
    assert_eq!(ready, [false, false, false, true, false, true, true, true]);
    // Row 6 follows the rows 3 and 2 of its group.
    let newer = samples[(3, 1)] as f32;
    let older = samples[(2, 1)] as f32;
    let change = f64::from(samples[(6, 0)] as f32 - samples[(3, 0)] as f32);
    assert_eq!(x.row(6).iter().copied().collect::<Vec<_>>(), [3.6, 0.4, change, f64::from(newer - older)]);
    assert!(x.row(4).iter().all(|value| value.is_nan()));
    assert_eq!(history.inputs_of(&samples, None).1.iter().filter(|ready| !**ready).count(), 2);
}

#[test]
fn a_shortened_history_gives_the_same_inputs() {
    let mut sampler = Sampler::new(6);
    for _ in 0..100 {
        let mut below = |most: usize| sampler.permutation(most)[0];
        let mut lags = || -> Vec<Lag> {
            let all = (0..12).map(|i| lag(i / 2, i % 2 == 1));
            let some: Vec<Lag> = all.filter(|_| below(3) == 0).collect();
            if some.is_empty() { vec![Lag::default()] } else { some }
        };
        let full = history(&[lags(), lags(), lags(), vec![lag(1, false)]]);
        let used: Vec<usize> = (0..full.inputs()).filter(|_| below(2) == 0).collect();
        let short = full.shortened(&used);
        let samples = DMatrix::from_fn(20, 4, |row, channel| (100 * channel + row * row) as f64);
        let [(x, ready), (short_x, short_ready)] = [&full, &short].map(|history| history.inputs_of(&samples, None));
        for row in (0..20).filter(|&row| ready[row]) {
            assert!(short_ready[row] && used.iter().all(|&input| short_x[(row, input)] == x[(row, input)]));
        }
        assert!(slots(&short) >= 1 && slots(&short) <= slots(&full));
        // One sample less would not do.
        let needed = used.iter().map(|&input| full.names()[input].clone()).map(|name| {
            let lag = name.rsplit_once("lag ").map_or(0, |(_, lag)| lag.parse::<usize>().unwrap());
            lag + 1 + usize::from(name.contains("change"))
        });
        assert_eq!(short.depth(), needed.max().unwrap_or(1));
    }
}

#[test]
fn windows_are_those_of_a_group() {
    let history = History::of_windows(4, 3, vec!["u".to_owned(), "v".to_owned()]);
    let statistics = ["mean", "deviation", "minimum", "maximum", "crossings", "band 1"];
    assert_eq!(history.names()[..6], statistics.map(|name| format!("u {name}")));
    assert_eq!((history.inputs(), history.depth(), history.step()), (12, 4, 3));
    let samples = DMatrix::from_fn(20, 2, |row, channel| [1.0, -10.0][channel] * row as f64);
    let groups: Vec<usize> = (0..20).map(|row| usize::from(row % 4 == 3)).collect();
    let (x, ready) = history.inputs_of(&samples, Some(&groups));
    // The first group has the rows 0, 1, 2, 4, 5, 6, 8, …, the second one 3, 7, 11, 15 and 19.
    let complete: Vec<usize> = (0..20).filter(|&row| ready[row]).collect();
    assert_eq!(complete, [4, 8, 12, 15, 16]);
    assert_eq!([x[(8, 0)], x[(8, 2)], x[(8, 8)]], [5.75, 4.0, -80.0], "the rows 4, 5, 6 and 8");
    assert_eq!(x[(15, 6)], -90.0);
    assert!(x.row(5).iter().all(|value| value.is_nan()));
    // Without groups, windows end at the rows 3, 6, 9, …
    assert!((0..20).all(|row| history.inputs_of(&samples, None).1[row] == (row % 3 == 0 && row > 0)));
}

#[test]
fn windows_of_several_labels_are_mixed() {
    let history = History::of_windows(3, 1, vec!["u".to_owned()]);
    let labels = ["a", "a", "a", "b", "b", "b", "b", "a"].map(Some);
    let mixed = [true, true, false, true, true, false, false, true];
    assert_eq!(history.are_mixed(&labels, None), mixed);
    let groups = [0, 1, 0, 1, 1, 1, 0, 0];
    let mixed_in_groups = history.are_mixed(&labels, Some(&groups));
    assert_eq!(mixed_in_groups[5..], [false, true, true], "rows 3, 4 and 5 of a group");
    let some_missing = [Some("a"), None, Some("a"), None, Some("b"), None, Some("b"), Some("b")];
    assert_eq!(history.are_mixed(&some_missing, None), [true, true, false, false, true, true, false, false]);
    assert!(History::default().are_mixed(&labels, None).iter().all(|mixed| !mixed));
}

#[test]
fn shortened_windows_give_the_same_inputs() {
    let mut sampler = Sampler::new(7);
    for _ in 0..50 {
        let mut below = |most: usize| sampler.permutation(most)[0];
        let names: Vec<String> = (0..1 + below(4)).map(|channel| format!("c{channel}")).collect();
        let [samples, step] = [5, 1 + below(5)].map(|count| count as u16);
        let full = History::of_windows(samples, step, names.clone());
        let used: Vec<usize> = (0..full.inputs()).filter(|_| below(6) == 0).collect();
        let short = full.shortened(&used);
        let of_channel = |channel: usize| used.iter().any(|input| input / (full.inputs() / names.len()) == channel);
        let HistorySpec::Windows(spec) = short.spec() else { panic!("no windows") };
        let kept: Vec<bool> =
            (0..names.len()).map(|channel| of_channel(channel) || used.is_empty() && channel == 0).collect();
        assert_eq!(spec.kept, kept);
        let rows = DMatrix::from_fn(20, names.len(), |row, channel| ((100 * channel + row * row) % 17) as f64);
        let [(x, ready), (short_x, short_ready)] = [&full, &short].map(|history| history.inputs_of(&rows, None));
        assert_eq!(ready, short_ready);
        for (row, input) in (0..20).filter(|&row| ready[row]).flat_map(|row| (0..x.ncols()).map(move |i| (row, i))) {
            let expected = if used.contains(&input) { x[(row, input)] } else { 0.0 };
            assert_eq!(short_x[(row, input)], expected);
        }
    }
}
