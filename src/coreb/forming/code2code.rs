//! Code to code: the same problem solved by another model, in another language, or both.

use super::{Former, is_claude, owned, those};
use crate::{
    coreb::corpus::Problem,
    sources::coreb::{Amount, Code, PublishedQuery},
};

impl Former {
    pub(super) fn code2code(&mut self, solved: &[&Problem]) {
        if self.edition.has_models_compared() {
            for problem in solved {
                self.mono_lang(problem);
            }
        }
        self.end_block();
        for problem in solved {
            self.cross_lang(problem);
        }
        self.end_block();
        if self.edition.has_models_compared() {
            for problem in solved {
                self.cross_model(problem);
            }
        }
    }

    /// Gemini's Python asks for Claude's.
    fn mono_lang(&mut self, problem: &Problem) {
        let targets: Vec<&Code> = problem.passed().filter(|code| is_claude(code) && is_python(code)).collect();
        let Some(anchor) = geminis_python(problem).filter(|_| !targets.is_empty()) else { return };
        let query_id = self.next_id("c2c_mono_lang");
        let query = self.anchored(&query_id, "c2c_mono_lang", anchor);
        self.push(query);
        let [failed, passed] = others(problem, anchor, &targets);
        let negatives = self.staged([failed, passed]);
        self.judge_codes(&query_id, &targets, &negatives);
    }

    /// Each of Claude's programs asks for those that come after it.
    fn cross_lang(&mut self, problem: &Problem) {
        let programs: Vec<&Code> = problem.passed().filter(|code| is_claude(code)).collect();
        for (i, anchor) in programs.iter().enumerate().take(programs.len().saturating_sub(1)) {
            let targets = &programs[i + 1..];
            let query_id = self.targeted("c2c_cross_lang", anchor, targets);
            let [failed, passed] = others(problem, anchor, targets);
            let other = those(&failed, |code| code.language != anchor.language);
            let same = those(&failed, |code| code.language == anchor.language);
            let negatives = self.staged([other, same, passed]);
            self.judge_codes(&query_id, targets, &negatives);
        }
    }

    /// Gemini's Python asks for Claude's programs in other languages.
    fn cross_model(&mut self, problem: &Problem) {
        let targets: Vec<&Code> = problem.passed().filter(|code| is_claude(code) && !is_python(code)).collect();
        let Some(anchor) = geminis_python(problem).filter(|_| !targets.is_empty()) else { return };
        let query_id = self.targeted("c2c_cross_model", anchor, &targets);
        let [failed, passed] = others(problem, anchor, &targets);
        let is_far = |code: &Code| code.language != anchor.language && code.model != anchor.model;
        let negatives = self.staged([those(&failed, is_far), those(&failed, |code| !is_far(code)), passed]);
        self.judge_codes(&query_id, &targets, &negatives);
    }

    /// A query that says which languages it wants.
    fn targeted(&mut self, subtask: &str, anchor: &Code, targets: &[&Code]) -> String {
        let query_id = self.next_id(subtask);
        let query = PublishedQuery {
            target_languages: Some(owned(targets.iter().map(|code| code.language.as_str()))),
            num_target_solutions: Some(Amount::of(targets.len())),
            ..self.anchored(&query_id, subtask, anchor)
        };
        self.push(query);
        query_id
    }
}

fn is_python(code: &Code) -> bool {
    code.language == "python"
}

fn geminis_python<'a>(problem: &Problem<'a>) -> Option<&'a Code> {
    problem.passed().find(|code| !is_claude(code) && is_python(code))
}

/// The problem's other programs, failed and passed.
fn others<'a>(problem: &Problem<'a>, anchor: &Code, targets: &[&Code]) -> [Vec<&'a Code>; 2] {
    let is_other =
        |code: &Code| code.code_id != anchor.code_id && targets.iter().all(|target| target.code_id != code.code_id);
    let others = those(&problem.codes, is_other);
    [those(&others, |code| !code.passed), those(&others, |code| code.passed)]
}
