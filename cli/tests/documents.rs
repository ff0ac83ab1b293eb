//! The documents tell the truth: console blocks print what they show, C blocks compile, links lead to files.
//!
//! README.md and every document of `docs/` and `docs/start/` are read. The commands of a document run in order, by
//! `sh`, in a folder of its own. A block whose first line names a file, such as ```` ```toml harfe.toml ````, is
//! written to that folder. A line `...` stands for any lines and `...` within a line for any text; everything else must
//! be equal. Commands succeed.
//!
//! `srfm device` needs an emulator. Without one the command is skipped, unless `CI` or `SRFM_REQUIRE_DEVICE` is set.
//!
//! With `SRFM_UPDATE_DOCUMENTS` set, blocks that differ are written anew: read the change before you commit it.

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io, thread};

/// Stands for any text in what a document shows.
const ANYTHING: &str = "...";

/// A fenced block of a document.
struct Block<'a> {
    /// The line of the document, from 1, on which the content begins.
    line: usize,
    language: &'a str,
    /// The file that the block is written to.
    file: Option<&'a str>,
    content: Vec<&'a str>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace")
}

fn documents() -> Vec<PathBuf> {
    let folders = ["docs", "docs/start"].map(|folder| fs::read_dir(root().join(folder)).expect("the folder exists"));
    let paths = folders.into_iter().flatten().map(|entry| entry.expect("the folder can be read").path());
    let mut documents: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    documents.push(root().join("README.md"));
    documents.sort();
    documents
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut open): (Vec<Block<'_>>, Option<Block<'_>>) = (Vec::new(), None);
    for (place, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(title), None) => {
                let mut words = title.split_whitespace();
                let (language, file) = (words.next().unwrap_or_default(), words.next());
                open = Some(Block { line: place + 2, language, file, content: Vec::new() });
            }
            (None, Some(block)) => block.content.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block has no end");
    blocks
}

/// Whether the printed lines are those that a document shows.
fn lines_match(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&ANYTHING, rest)) => (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..])),
        Some((line, rest)) => {
            printed.split_first().is_some_and(|(first, others)| line_matches(line, first) && lines_match(rest, others))
        }
    }
}

fn line_matches(shown: &str, printed: &str) -> bool {
    let Some((start, rest)) = shown.split_once(ANYTHING) else { return shown.trim_end() == printed.trim_end() };
    let Some(mut left) = printed.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split(ANYTHING).collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(place) = left.find(part) else { return false };
        left = &left[place + part.len()..];
    }
    left.ends_with(end)
}

/// A command whose output differs from the document, or that fails.
struct Problem {
    /// The line of the command, from 1.
    line: usize,
    text: String,
    /// The lines that the document shows, and those that it should show; none where the command fails.
    update: Option<(Range<usize>, Vec<String>)>,
}

/// Runs the console blocks of a document.
fn console_problems(text: &str) -> Vec<Problem> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut problems = Vec::new();
    for block in blocks(text) {
        if let Some(file) = block.file {
            fs::write(folder.path().join(file), block.content.join("\n")).expect("the folder is writable");
        }
        if block.language != "console" {
            continue;
        }
        let starts: Vec<usize> = (0..block.content.len()).filter(|&i| block.content[i].starts_with("$ ")).collect();
        for (place, &start) in starts.iter().enumerate() {
            let end = starts.get(place + 1).copied().unwrap_or(block.content.len());
            let mut shown = &block.content[start + 1..end];
            while let Some((&"", before)) = shown.split_last() {
                shown = before;
            }
            let (command, line) = (&block.content[start][2..], block.line + start);
            match run(command, folder.path()) {
                Ok(Some(printed)) if !lines_match(shown, &printed.lines().collect::<Vec<_>>()) => {
                    let update = Some((line..line + shown.len(), updated(shown, &printed)));
                    problems.push(Problem { line, text: format!("{command} prints\n{printed}"), update });
                }
                Ok(_) => {}
                Err(text) => problems.push(Problem { line, text, update: None }),
            }
        }
    }
    problems
}

/// Runs a command. Returns its output, or none where it was skipped.
fn run(command: &str, folder: &Path) -> Result<Option<String>, String> {
    let binaries = Path::new(env!("CARGO_BIN_EXE_srfm")).parent().expect("the binary lies in a folder");
    let paths = env::var_os("PATH").unwrap_or_default();
    let paths = env::join_paths([binaries.to_owned()].into_iter().chain(env::split_paths(&paths))).expect("a path");
    let script = format!("exec 2>&1\n{command}");
    let output = Command::new("sh").args(["-c", &script]).env("PATH", paths).current_dir(folder).output();
    let output = output.map_err(|error| format!("sh does not start: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    let required = ["CI", "SRFM_REQUIRE_DEVICE"].iter().any(|name| env::var_os(name).is_some());
    if output.status.success() {
        Ok(Some(printed))
    } else if command.starts_with("srfm device") && !required {
        // The test runner captures what `eprintln!` prints.
        writeln!(io::stderr(), "SKIPPED: {command}: {printed}").map_err(|error| error.to_string())?;
        Ok(None)
    } else {
        Err(format!("{command} fails ({}):\n{printed}", output.status))
    }
}

/// The printed lines in the way of the shown ones: with their `...` within lines and, where some lines are left out,
/// with one line alone for every shown line, which begins with the same word.
fn updated(shown: &[&str], printed: &str) -> Vec<String> {
    let (abridged, mut lines) = (shown.contains(&ANYTHING), Vec::<&str>::new());
    let mut left: Vec<&str> = shown.iter().copied().filter(|&line| line != ANYTHING).collect();
    let label = |line: &str| line.split_whitespace().next().map(str::to_owned);
    for line in printed.lines() {
        let place = left.iter().position(|shown| line_matches(shown, line) || label(shown) == label(line));
        let old = place.map(|place| left.remove(place));
        if let Some(pattern) = old.filter(|old| line_matches(old, line)) {
            lines.push(pattern);
        } else if !abridged || old.is_some() {
            lines.push(line.trim_end());
        } else if lines.last() != Some(&ANYTHING) {
            lines.push(ANYTHING);
        }
    }
    lines.into_iter().map(str::to_owned).collect()
}

/// Checks the console blocks of a file, or writes them anew. Returns the problems.
fn check_console(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("the document can be read");
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let update = env::var_os("SRFM_UPDATE_DOCUMENTS").is_some();
    let (mut problems, mut changed) = (Vec::new(), false);
    for problem in console_problems(&text).into_iter().rev() {
        match problem.update.filter(|_| update) {
            Some((place, replacement)) => {
                lines.splice(place, replacement);
                changed = true;
            }
            None => problems.push(format!("{}:{}: {}", path.display(), problem.line, problem.text)),
        }
    }
    if changed {
        fs::write(path, lines.join("\n")).expect("the document can be written");
    }
    problems.reverse();
    problems
}

/// Compiles a block of C against the header of the runtime. Returns the compiler's message where it refuses the
/// block.
fn c_problem(content: &str) -> Option<String> {
    let flags = ["-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-x", "c", "-"];
    let mut compiler = Command::new("cc");
    compiler.arg("-I").arg(root().join("runtime/c/include")).args(flags);
    let mut compiler = compiler.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cc links Rust, too");
    let mut input = compiler.stdin.take().expect("a pipe");
    input.write_all(content.as_bytes()).expect("cc reads");
    drop(input);
    let output = compiler.wait_with_output().expect("cc ends");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn console_blocks_print_what_they_show() {
    let problems: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = documents().into_iter().map(|path| scope.spawn(move || check_console(&path))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn c_blocks_compile() {
    let mut compiled = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for block in blocks(&text).iter().filter(|block| block.language == "c") {
            let problem = c_problem(&block.content.join("\n"));
            assert_eq!(problem, None, "{}:{}", path.display(), block.line);
            compiled += 1;
        }
    }
    assert!(compiled > 0);
    assert!(c_problem("#include \"srfm.h\"\nint f(void) { return srfm_no_such_function(); }\n").is_some());
}

#[test]
fn rust_blocks_are_documentation_tests() {
    let listed = fs::read_to_string(root().join("tests/src/documents.rs")).unwrap();
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        let has_code = blocks(&text).iter().any(|block| block.language.starts_with("rust"));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        assert!(!has_code || listed.contains(&format!("/{name}\"")), "{name} is not in tests/src/documents.rs");
    }
}

#[test]
fn links_lead_to_files() {
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            let file = link.split('#').next().unwrap_or_default();
            let outside = link.contains("://") || file.is_empty();
            let found = outside || path.parent().is_some_and(|folder| folder.join(file).exists());
            assert!(found, "{}: there is no {link}", path.display());
        }
    }
}

#[test]
fn every_setting_of_the_sources_is_in_the_document_of_the_methods() {
    let document = fs::read_to_string(root().join("docs/methods.md")).unwrap();
    let folder = root().join("trainer/src/method");
    let mut settings = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let files = match path.is_dir() {
            true => vec![path.join("mod.rs"), path.join("settings.rs")],
            false => vec![path],
        };
        let source: String = files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
        for row in source.lines().filter_map(|line| line.strip_prefix("/// ")).filter(|line| line.starts_with("| `")) {
            assert!(document.contains(row), "docs/methods.md lacks the row: {row}");
            settings += 1;
        }
    }
    assert!(settings > 90, "{settings} rows");
}

#[test]
fn a_figure_that_differs_is_found() {
    let document = |shown: &str| format!("```toml a.toml\nrmse = 1.5\n```\n\n```console\n$ cat a.toml\n{shown}\n```\n");
    for shown in ["rmse = 1.5", "rmse = ...", "...", "...\nrmse = 1.5\n..."] {
        assert!(console_problems(&document(shown)).is_empty(), "{shown}");
    }
    for shown in ["rmse = 1.6", "rmse = ... 1.5 ...", "", "rmse = 1.5\nr2 = 1", "...\nrmse = 1.6"] {
        let problems = console_problems(&document(shown));
        assert!(problems.len() == 1 && problems[0].line == 6 && problems[0].update.is_some(), "{shown}");
    }
    let failing = console_problems("```console\n$ false\n```\n");
    assert!(failing.len() == 1 && failing[0].update.is_none());
    assert!(!lines_match(&["a", "...", "c"], &["a", "b"]) && lines_match(&["a", "...", "c"], &["a", "c"]));
}

#[test]
fn an_update_keeps_what_stands_for_any_text() {
    let printed = "rows 3\nrmse 2\nr2 1\ntook 1.5 s";
    assert_eq!(updated(&["rmse 1", "took ... s"], printed), ["rows 3", "rmse 2", "r2 1", "took ... s"]);
    assert_eq!(updated(&["...", "rmse 1", "..."], printed), ["...", "rmse 2", "..."]);
    assert_eq!(updated(&["rmse 1", "..."], "rmse 2\nrmse 3"), ["rmse 2", "..."]);
}
