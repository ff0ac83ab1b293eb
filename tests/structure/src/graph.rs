//! The graph of modules: which file uses items that another file defines, and which files form cycles.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use crate::resolve::{Resolver, Target};
use crate::source::Crate;
use crate::uses::{Kind, Use, uses};

/// The first use of one module's items by another, as an example, and the number of uses.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The file of the use.
    pub file: PathBuf,
    /// The line of the use.
    pub line: usize,
    /// The path in the code.
    pub path: String,
    /// The number of uses.
    pub uses: usize,
}

/// Edges from the user to the definition, by the names of both modules.
pub type Edges = BTreeMap<(String, String), Edge>;

/// The graph of the modules of a crate; inline modules belong to their file.
#[derive(Debug)]
pub struct Graph {
    /// The name of the crate.
    pub name: String,
    /// The modules that have a file.
    pub modules: BTreeSet<String>,
    /// Edges between files.
    pub edges: Edges,
    /// Paths of the crate that lead nowhere, with file and line: none if the checks understand the code.
    pub unresolved: Vec<String>,
}

/// Modules that use each other, directly or through others.
#[derive(Debug)]
pub struct Cycle {
    /// The name of the crate.
    pub name: String,
    /// The modules; the name of a folder stands for all modules below it, and `a::{mod}` for the file of `a` alone.
    pub modules: Vec<String>,
    /// The edges between them.
    pub edges: Edges,
}

impl Graph {
    /// Joins the modules of a crate.
    pub fn of(krate: &Crate) -> Graph {
        let resolver = Resolver::new(krate);
        let name = |module: usize| module_name(&krate.modules[module].path);
        let files = (0..krate.modules.len()).filter(|&module| !krate.modules[module].inline);
        let modules = files.map(name).collect();
        let mut graph = Graph { name: krate.name.clone(), modules, edges: Edges::new(), unresolved: Vec::new() };
        for found in uses(krate) {
            let from = krate.file_module(found.module);
            let resolved = resolve(&resolver, &found);
            if resolved.is_empty() && ["crate", "super", "self"].contains(&found.path[0].as_str()) {
                let (file, path) = (krate.modules[from].file.display(), found.path.join("::"));
                graph.unresolved.push(format!("{file}:{}: {path}", found.line));
            }
            let mut targets = files_of(krate, resolved, &found, from);
            targets.sort_unstable();
            targets.dedup();
            for to in targets.into_iter().filter(|&to| to != from) {
                let file = krate.modules[from].file.clone();
                let edge = Edge { file, line: found.line, path: found.path.join("::"), uses: 1 };
                add(&mut graph.edges, (name(from), name(to)), edge);
            }
        }
        graph
    }

    /// The cycles between files, and those between folders that no cycle between files shows.
    ///
    /// Folders of every level of the tree are compared: an edge from `a::b::c` to `a::d::e` joins `a::b` to `a::d`.
    pub fn cycles(&self) -> Vec<Cycle> {
        let mut cycles = self.components(&self.edges);
        let mut lifted = Edges::new();
        for ((from, to), edge) in &self.edges {
            add(&mut lifted, siblings(from, to), edge.clone());
        }
        let is_file = |name: &String| {
            let below = format!("{name}::");
            name.ends_with(OWN) || !self.modules.iter().any(|module| module.starts_with(&below))
        };
        cycles.extend(self.components(&lifted).into_iter().filter(|cycle| !cycle.modules.iter().all(is_file)));
        cycles
    }

    /// The strongly connected components of two modules or more.
    fn components(&self, edges: &Edges) -> Vec<Cycle> {
        let nodes: BTreeSet<&str> = edges.keys().flat_map(|(from, to)| [from.as_str(), to.as_str()]).collect();
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            nodes.iter().map(|&node| (node, reachable(edges, node))).collect();
        let mut seen = BTreeSet::new();
        let mut cycles = Vec::new();
        for &node in &nodes {
            let together = |&other: &&str| reached[node].contains(other) && reached[other].contains(node);
            let modules: Vec<&str> = nodes.iter().copied().filter(together).collect();
            if modules.len() > 1 && seen.insert(modules.clone()) {
                let inside = |((from, to), edge): (&(String, String), &Edge)| {
                    let both = modules.contains(&from.as_str()) && modules.contains(&to.as_str());
                    both.then(|| ((from.clone(), to.clone()), edge.clone()))
                };
                let edges = edges.iter().filter_map(inside).collect();
                let modules = modules.into_iter().map(str::to_owned).collect();
                cycles.push(Cycle { name: self.name.clone(), modules, edges });
            }
        }
        cycles
    }
}

/// Ends the name of a module's own file where the name alone stands for all modules below it.
const OWN: &str = "{mod}";

/// What a use mentions; macros are known below their definition without an import.
fn resolve(resolver: &Resolver, found: &Use) -> Vec<Target> {
    let mut targets = resolver.resolve(found.module, &found.path);
    if let (true, Kind::Macro, [name]) = (targets.is_empty(), found.kind, &found.path[..]) {
        targets.extend(resolver.textual_macro(name).map(|module| Target::Item(module, name.clone())));
    }
    targets
}

/// The files whose items a use mentions, as indices of modules.
///
/// A path to a module alone uses no item. A parent that re-exports its descendants does not use them; a re-export of
/// another module uses that module.
fn files_of(krate: &Crate, targets: Vec<Target>, found: &Use, from: usize) -> Vec<usize> {
    let is_reexport = matches!(found.kind, Kind::Reexport | Kind::GlobReexport);
    let file = |target| match target {
        Target::Module(_) if !is_reexport => None,
        Target::Module(module) | Target::Item(module, _) if is_reexport && krate.is_within(module, from) => None,
        Target::Module(module) | Target::Item(module, _) => Some(krate.file_module(module)),
    };
    targets.into_iter().filter_map(file).collect()
}

fn add(edges: &mut Edges, ends: (String, String), edge: Edge) {
    edges.entry(ends).and_modify(|first| first.uses += edge.uses).or_insert(edge);
}

fn module_name(path: &[String]) -> String {
    if path.is_empty() { "crate".to_owned() } else { format!("crate::{}", path.join("::")) }
}

/// The two different names at which the paths of two modules part; the file of an ancestor is a name of its own.
fn siblings(from: &str, to: &str) -> (String, String) {
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split("::").collect(), to.split("::").collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let name = |path: &[&str]| match path.get(..=common) {
        Some(path) => path.join("::"),
        None => format!("{}::{OWN}", path.join("::")),
    };
    (name(&from), name(&to))
}

/// All nodes that edges lead to from a node.
fn reachable<'a>(edges: &'a Edges, start: &'a str) -> BTreeSet<&'a str> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![start]);
    while let Some(node) = open.pop() {
        for (from, to) in edges.keys() {
            if from == node && reached.insert(to.as_str()) {
                open.push(to);
            }
        }
    }
    reached
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} modules form a cycle: {}", self.name, self.modules.len(), self.modules.join(", "))?;
        write_edges(f, &self.edges)
    }
}

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} modules, {} edges", self.name, self.modules.len(), self.edges.len())?;
        write_edges(f, &self.edges)
    }
}

/// Writes each edge with its first use; `⇄` marks an edge whose reverse exists.
fn write_edges(f: &mut fmt::Formatter<'_>, edges: &Edges) -> fmt::Result {
    for ((from, to), Edge { file, line, path, uses }) in edges {
        let times = if *uses == 1 { "1 use".to_owned() } else { format!("{uses} uses") };
        let arrow = if edges.contains_key(&(to.clone(), from.clone())) { '⇄' } else { '→' };
        writeln!(f, "  {from} {arrow} {to}\n      {}:{line}  {path}  ({times})", file.display())?;
    }
    Ok(())
}
