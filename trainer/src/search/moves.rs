//! The candidates that a search tries on few rows, in their order.
//!
//! Few waves show which terms, λ, loss, inputs and warps suit the data, since their fits take little time. Polynomials,
//! piecewise linear functions and rules have no such settings. Rules beside waves are tried before the steps that take
//! long, and again with what those found: waves of all sizes, and larger rules if rules lead. Single changes of the
//! best candidate follow as long as they help.

use crate::export::NumberFormat;
use crate::method::{Builtin, METHODS, MethodConfig, Mixed, Path, Polynomial, Rules, Table, Terms};
use crate::search::candidate::Candidate;
use crate::search::policy::{
    COMPARED_ROWS, FACTORS_OF_HUBER, FEW, LAMBDAS_OF_LINES, LAMBDAS_OF_OTHERS, LAMBDAS_OF_WAVES, LEAST_RATIO,
    LEAST_ROWS, MANY_INPUTS, MORE_STEPS, NEGLIGIBLE, OTHER_LAMBDAS, PENALTY_PAYS,
};
use crate::search::session::{ALL_SIZES, Session, Stop};
use crate::warp::Warp;

/// A step of a search.
type Move = fn(&mut Session<'_>) -> Result<(), Stop>;

/// All steps, in their order.
const MOVES: [Move; 12] = [
    try_lines_and_few_waves,
    choose_loss,
    try_polynomial_and_table,
    try_rules,
    try_mixed,
    leave_inputs_out,
    choose_warps,
    try_waves,
    continue_rules,
    try_mixed,
    change_settings,
    try_others,
];

impl Session<'_> {
    /// Tries all candidates.
    pub fn go_through(&mut self) -> Result<(), Stop> {
        MOVES.iter().try_for_each(|step| step(self))
    }

    /// Compares candidates on more rows, in all their sizes. Then the best of them gets another λ.
    pub fn continue_with(&mut self, finalists: &[Candidate]) -> Result<(), Stop> {
        for finalist in finalists {
            self.attempt(&larger(self, finalist), &[], ALL_SIZES)?;
        }
        let Some(best) = self.trials.best(|_| true) else { return Ok(()) };
        follow_lambda(self, best).map(|_| ())
    }

    /// Returns the number formats. Those that allow the most features within the budget come first.
    pub fn numbers(&self) -> Vec<NumberFormat> {
        let mut numbers = self.config.numbers.clone();
        if numbers.len() > 1 {
            numbers.sort_by_cached_key(|&number| {
                let start = self.without_features(number, self.config.terms.unwrap_or(Terms::Intercept));
                let room = |waves: Candidate| self.evaluator.features_within_budget(&waves).unwrap_or(0);
                let rooms: usize = self.waves(&start).into_iter().map(room).sum();
                usize::MAX - rooms
            });
        }
        numbers
    }

    /// Returns waves with the terms, warps and inputs of a candidate: of one to all inputs side by side, or of each
    /// number of inputs that the settings name.
    fn waves(&self, start: &Candidate) -> Vec<Candidate> {
        let terms = start.method.tunable().terms;
        let of = |inputs| {
            let path = Path { features: self.config.features, inputs, terms, ..Path::default() };
            start.with(MethodConfig::from(path))
        };
        match &self.config.fit.grid.orders[..] {
            [] => vec![of(None)],
            orders => orders.iter().map(|&order| of(Some(order))).collect(),
        }
    }
}

/// Tries lines and few waves in the first number format that holds both.
fn try_lines_and_few_waves(session: &mut Session<'_>) -> Result<(), Stop> {
    for number in session.numbers() {
        for terms in try_lines(session, number)? {
            let mut start = session.without_features(number, terms);
            if let Some(most) = session.config.inputs {
                let excluded = inputs_to_exclude(session, &start, most)?;
                start.leave_out(&excluded);
                session.attempt(&start, &[], ALL_SIZES)?;
            }
            for waves in session.waves(&start) {
                session.attempt(&waves, &LAMBDAS_OF_WAVES, FEW)?;
            }
        }
        if session.trials.best(|candidate| candidate.features() > 0).is_some() {
            break;
        }
    }
    Ok(())
}

/// Tries the line and the mean, and returns the terms to start with: linear ones if the line is better than the mean.
/// With many inputs and few rows it is worse, and linear terms get a penalty if that helps.
fn try_lines(session: &mut Session<'_>, number: NumberFormat) -> Result<Vec<Terms>, Stop> {
    if let Some(terms) = session.config.terms {
        let line = session.without_features(number, terms);
        session.attempt(&line, &[], ALL_SIZES)?;
        if terms == Terms::Linear {
            session.attempt(&line, &LAMBDAS_OF_LINES, ALL_SIZES)?;
        }
        return Ok(vec![terms]);
    }
    let line = session.without_features(number, Terms::Linear);
    let mean = session.without_features(number, Terms::Intercept);
    let mut plain = session.attempt(&line, &[], ALL_SIZES)?;
    plain.extend(session.attempt(&mean, &[], ALL_SIZES)?);
    let penalised = session.attempt(&line, &LAMBDAS_OF_LINES, ALL_SIZES)?;
    let trials = &session.trials;
    let error = |indices: &[usize]| trials.best_at(indices).map(|best| trials.get(best).score.search_loss());
    if let (Some(penalised), Some(other)) = (error(&penalised), error(&plain))
        && penalised < PENALTY_PAYS * other
    {
        return Ok(vec![Terms::Ridge, Terms::Intercept]);
    }
    let best = trials.best_at(&plain).map(|best| trials.candidate(best).method.tunable().terms);
    Ok(match best {
        Some(Terms::Linear) if crowd(session, &line, &mean) => vec![Terms::Linear, Terms::Intercept],
        Some(Terms::Linear) => vec![Terms::Linear],
        _ => vec![Terms::Intercept],
    })
}

/// Returns whether linear terms leave room for at most half the waves within the budget.
fn crowd(session: &Session<'_>, line: &Candidate, mean: &Candidate) -> bool {
    let room = |start: &Candidate| -> usize {
        let rooms = session.waves(start).into_iter().map(|waves| session.evaluator.features_within_budget(&waves));
        rooms.map(|room| room.unwrap_or(0)).sum()
    };
    2 * room(line) <= room(mean)
}

/// Returns the inputs to leave out so that at most `most` are left, by backward elimination. Each round removes half of
/// the excess inputs, the least important ones of few waves.
fn inputs_to_exclude(session: &mut Session<'_>, start: &Candidate, most: usize) -> Result<Vec<usize>, Stop> {
    let mut candidate = start.clone();
    while session.sample.inputs(&candidate.without) > most {
        let terms = candidate.method.tunable().terms;
        let waves = candidate.with(MethodConfig::from(Path { features: FEW, terms, ..Path::default() }));
        let ascending = match session.importance(&waves)? {
            Some(ascending) => ascending,
            None => session.importance(&candidate)?.unwrap_or_default(),
        };
        let count = (session.sample.inputs(&candidate.without) - most).div_ceil(2);
        let least: Vec<usize> = ascending.into_iter().map(|(input, _)| input).take(count).collect();
        if least.is_empty() {
            break;
        }
        candidate.leave_out(&least);
    }
    Ok(candidate.without)
}

/// Leaves the least important inputs out as long as few waves are no worse without them. Fewer rows would decide by
/// chance, and of more rows waves find the inputs that matter by themselves.
fn leave_inputs_out(session: &mut Session<'_>) -> Result<(), Stop> {
    while (LEAST_ROWS..=COMPARED_ROWS).contains(&session.sample.all.rows()) {
        let Some(before) = session.trials.best_of("path") else { return Ok(()) };
        let own = session.candidate(before);
        let Some(ascending) = session.importance(&own)? else { return Ok(()) };
        let mut sum = 0.0;
        let negligible = ascending.iter().take_while(|(_, importance)| {
            sum += importance;
            sum <= NEGLIGIBLE
        });
        let inputs: Vec<usize> = negligible.map(|&(input, _)| input).collect();
        if inputs.is_empty() || inputs.len() == ascending.len() {
            break;
        }
        let mut fewer = larger(session, &own);
        fewer.leave_out(&inputs);
        session.attempt(&fewer, &[], FEW)?;
        if session.trials.best_of("path") == Some(before) {
            break;
        }
    }
    Ok(())
}

/// Tries polynomials and piecewise linear functions with the inputs and warps of the best waves.
fn try_polynomial_and_table(session: &mut Session<'_>) -> Result<(), Stop> {
    let Some(waves) = session.best_of("path") else { return Ok(()) };
    let features = session.config.features;
    let terms = waves.method.tunable().terms;
    for method in [
        MethodConfig::from(Polynomial { features, terms, ..Polynomial::default() }),
        MethodConfig::from(Table { features, terms, ..Table::default() }),
    ] {
        session.attempt(&waves.with(method), &[], ALL_SIZES)?;
    }
    Ok(())
}

/// Tries rules with the inputs and warps of the best waves.
fn try_rules(session: &mut Session<'_>) -> Result<(), Stop> {
    let terms = session.config.terms.unwrap_or(Terms::Intercept);
    let best = session.trials.best_of("path").or_else(|| session.trials.best(|_| true));
    match best.map(|best| session.candidate(best)) {
        Some(best) if takes_rules(session) => attempt_rules(session, &best, terms),
        _ => Ok(()),
    }
}

/// Where rules lead, tries them with the inputs and warps that waves have by now, in more sizes, and beside linear
/// terms.
fn continue_rules(session: &mut Session<'_>) -> Result<(), Stop> {
    let leads = session.trials.best(|_| true).is_some_and(|best| session.candidate(best).method.name() == "rules");
    let Some(waves) = session.best_of("path").filter(|_| leads) else { return Ok(()) };
    try_rules(session)?;
    match session.config.terms {
        None if waves.method.tunable().terms.has_lines() => attempt_rules(session, &waves, Terms::Linear),
        _ => Ok(()),
    }
}

/// Tries rules in place of the method of a candidate.
fn attempt_rules(session: &mut Session<'_>, candidate: &Candidate, terms: Terms) -> Result<(), Stop> {
    let rules = Rules { features: session.config.features, terms, ..Rules::default() };
    session.attempt(&candidate.with(MethodConfig::from(rules)), &LAMBDAS_OF_OTHERS, ALL_SIZES).map(|_| ())
}

/// Returns whether the model may have rules.
fn takes_rules(session: &Session<'_>) -> bool {
    !session.config.smooth && session.config.budget.takes_rules()
}

/// Tries Huber's loss where the residuals of the best waves have heavy tails.
fn choose_loss(session: &mut Session<'_>) -> Result<(), Stop> {
    let best = session.trials.best_of("path").filter(|&best| session.trials.get(best).heavy_tails);
    let Some(best) = best.filter(|_| session.config.robust) else { return Ok(()) };
    let best = session.candidate(best);
    let Some(robust) = best.with_other_loss() else { return Ok(()) };
    let own = best.method.tunable().lambda.unwrap_or_default();
    session.attempt(&robust, &FACTORS_OF_HUBER.map(|factor| factor * own), FEW).map(|_| ())
}

/// Tries every warp of every input by itself, most important inputs first, and keeps the warps that help few waves.
fn choose_warps(session: &mut Session<'_>) -> Result<(), Stop> {
    if !session.config.fit.preprocessing.warps.is_empty() {
        return Ok(());
    }
    let Some(mut best) = session.trials.best_of("path") else { return Ok(()) };
    let Some(ascending) = session.importance(&session.candidate(best))? else { return Ok(()) };
    if ascending.len() > MANY_INPUTS && session.candidate(best).number == NumberFormat::F32 {
        return Ok(()); // Floating point holds no warp beside more inputs.
    }
    for (input, _) in ascending.into_iter().rev().take(MANY_INPUTS) {
        let column = session.sample.all.x.column(input);
        if column.max() <= LEAST_RATIO * column.min() {
            continue;
        }
        for warp in Warp::possible(column.as_slice()) {
            let own = session.candidate(best);
            if warp != own.warps[input] {
                best = session.improve(best, &larger(session, &own.with_warp(input, warp)), FEW)?;
            }
        }
    }
    Ok(())
}

/// Tries waves of all sizes with the settings of the best few, waves of all inputs, and the better ones without warps.
fn try_waves(session: &mut Session<'_>) -> Result<(), Stop> {
    let Some(few) = session.best_of("path") else { return Ok(()) };
    session.attempt(&larger(session, &few), &[], ALL_SIZES)?;
    let inputs = session.sample.inputs(&few.without);
    let dense = few.with_setting("inputs", Some(inputs)).filter(|_| (2..=MANY_INPUTS).contains(&inputs));
    if let Some(dense) = dense.filter(|_| session.config.fit.grid.orders.is_empty()) {
        session.attempt(&larger(session, &dense), &[], ALL_SIZES)?;
    }
    let Some(best) = session.trials.best_of("path") else { return Ok(()) };
    let own = session.candidate(best);
    let plain = session.without_features(own.number, own.method.tunable().terms).warps;
    if plain != own.warps {
        session.improve(best, &larger(session, &Candidate { warps: plain, ..own }), ALL_SIZES)?;
    }
    Ok(())
}

/// Tries waves and rules in one model, with half the room each and the settings of the best waves.
fn try_mixed(session: &mut Session<'_>) -> Result<(), Stop> {
    if !takes_rules(session) {
        return Ok(());
    }
    let Some(waves) = session.best_of("path") else { return Ok(()) };
    let settings = waves.method.tunable();
    let mixed = Mixed {
        features: session.config.features,
        lambda: settings.lambda.unwrap_or_default(),
        terms: settings.terms,
        inputs: waves.method.setting("inputs").flatten(),
        refine: waves.method.setting("refine").unwrap_or(20),
        ..Mixed::default()
    };
    session.attempt(&waves.with(MethodConfig::from(mixed)), &[], ALL_SIZES)?;
    Ok(())
}

/// Follows λ of a trial down and up while that helps. Returns the index of the best.
fn follow_lambda(session: &mut Session<'_>, mut best: usize) -> Result<usize, Stop> {
    for factor in OTHER_LAMBDAS {
        loop {
            let changed = larger(session, &session.candidate(best)).with_penalty(factor);
            let better = session.improve(best, &changed, ALL_SIZES)?;
            if better == best {
                break;
            }
            best = better;
        }
    }
    Ok(best)
}

/// Returns a candidate with as many features as are allowed, where its method goes through all sizes.
fn larger(session: &Session<'_>, candidate: &Candidate) -> Candidate {
    match candidate.method.method().grows() {
        true => candidate.with(candidate.method.clone().tuned(|t| t.features = session.config.features)),
        false => candidate.clone(),
    }
}

/// Changes one setting of the best candidate after the other as long as that helps.
fn change_settings(session: &mut Session<'_>) -> Result<(), Stop> {
    loop {
        let Some(before) = session.trials.best(|candidate| candidate.features() > 0) else { return Ok(()) };
        let mut best = follow_lambda(session, before)?;
        for change in changes(session, &session.candidate(best)) {
            let changed = larger(session, &change(&session.candidate(best)));
            best = session.improve(best, &changed, ALL_SIZES)?;
        }
        if best == before {
            return Ok(());
        }
    }
}

/// A change of one setting.
type Change = Box<dyn Fn(&Candidate) -> Candidate>;

/// Returns the changes of single settings of a candidate.
fn changes(session: &Session<'_>, best: &Candidate) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    if let Some(steps) = best.method.setting::<usize>("refine") {
        let longer = move |own: &Candidate| own.with_setting("refine", MORE_STEPS * steps);
        changes.push(Box::new(move |own| longer(own).unwrap_or_else(|| own.clone())));
    }
    if session.config.terms.is_none() {
        for terms in [Terms::Linear, Terms::Intercept] {
            changes.push(Box::new(move |own: &Candidate| own.with(own.method.clone().tuned(|t| t.terms = terms))));
        }
    }
    for number in session.config.numbers.iter().copied().filter(|&number| number != best.number) {
        changes.push(Box::new(move |own: &Candidate| Candidate { number, ..own.clone() }));
    }
    if session.config.robust && best.method.setting::<f64>("huber").is_some() {
        changes.push(Box::new(|own: &Candidate| own.with_other_loss().unwrap_or_else(|| own.clone())));
    }
    changes
}

/// Tries the methods of the papers with the inputs and warps of the best waves, those that take the least work first.
fn try_others(session: &mut Session<'_>) -> Result<(), Stop> {
    let Some(best) = session.trials.best(|_| true) else { return Ok(()) };
    let best = session.candidate(best);
    let inputs = session.sample.inputs(&best.without).max(1);
    let fit = &session.config.fit;
    let of = |row: &Builtin| {
        best.with(row.config().tuned(|t| {
            t.features = session.config.features;
            t.terms = session.config.terms.unwrap_or(t.terms);
            t.order = t.order.map(|order| fit.grid.orders.first().copied().unwrap_or(order.min(inputs)));
            t.scale = t.scale.map(|scale| fit.grid.scales.first().copied().unwrap_or(scale));
        }))
    };
    let mut others: Vec<Candidate> = METHODS.iter().filter(|row| row.searched).map(of).collect();
    let work = |candidate: &Candidate| session.evaluator.work_of_divisions(candidate, 1);
    others.sort_by(|a, b| work(a).total_cmp(&work(b)));
    for other in others {
        session.attempt(&other, &LAMBDAS_OF_OTHERS, ALL_SIZES)?;
    }
    Ok(())
}
