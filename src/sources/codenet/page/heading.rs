//! What a section holds, told by the words of its heading.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Description,
    InputFormat,
    OutputFormat,
    Constraints,
    /// Definitions and remarks that belong to the description.
    Notes,
    SampleInput,
    SampleOutput,
    /// Inputs and outputs under one heading.
    Samples,
    /// Scoring, sources, hints.
    Dropped,
    /// A title or a heading of the author's own.
    Unknown,
}

impl Kind {
    pub(super) fn is_sample(self) -> bool {
        matches!(self, Self::SampleInput | Self::SampleOutput | Self::Samples)
    }

    /// What a heading means below one such as "Examples".
    pub(super) fn below_samples(self) -> Self {
        match self {
            Self::InputFormat | Self::SampleInput => Self::SampleInput,
            Self::OutputFormat | Self::SampleOutput => Self::SampleOutput,
            Self::Samples | Self::Unknown => Self::Samples,
            other => other,
        }
    }
}

pub(super) fn kind_of(heading: &str) -> Kind {
    let words = words(heading);
    match words.as_str() {
        "" => Kind::Unknown,
        "problem"
        | "problem statement"
        | "problem description"
        | "statement"
        | "description"
        | "task"
        | "問題"
        | "問題文" => Kind::Description,
        "input" | "inputs" | "input format" | "input specification" | "format of input" | "入力" | "入力形式" => {
            Kind::InputFormat
        }
        "output" | "outputs" | "output format" | "output specification" | "format of output" | "出力" | "出力形式" => {
            Kind::OutputFormat
        }
        "constraint" | "constraints" | "constrants" | "input constraints" | "制約" | "制限" => Kind::Constraints,
        "note" | "notes" | "background" | "story" | "definition" | "definitions" => Kind::Notes,
        "hint"
        | "hints"
        | "reference"
        | "references"
        | "source"
        | "partial score"
        | "partial scores"
        | "subtasks"
        | "subtask"
        | "scoring"
        | "score"
        | "notes on test cases"
        | "notes on submission"
        | "note on submission" => Kind::Dropped,
        _ => sample_kind(&words),
    }
}

/// "Sample Input 2", "Output for the Sample Input", "Input #1", "入力例 1", "Examples".
fn sample_kind(words: &str) -> Kind {
    let names = ["sample", "example", "例", "サンプル"];
    // "Input #1" is a sample's too: no page numbers the description of its input.
    let is_numbered = words.starts_with("input #") || words.starts_with("output #");
    if !is_numbered && !names.iter().any(|name| words.contains(name)) {
        return Kind::Unknown;
    }
    let has_output = words.contains("output") || words.contains("出力");
    let has_input = words.contains("input") || words.contains("入力");
    match (has_input, has_output) {
        // "Output for the Sample Input", but not "Sample Input and Output".
        _ if words.contains("入出力") => Kind::Samples,
        (true, true) if words.starts_with("output") || words.contains(" for ") => Kind::SampleOutput,
        (true, false) => Kind::SampleInput,
        (false, true) => Kind::SampleOutput,
        _ => Kind::Samples,
    }
}

/// Lower case, single blanks, without the colon and the number at the end.
fn words(heading: &str) -> String {
    let text = heading.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    text.trim_end_matches([':', '：', '.']).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_both_judges_are_known() {
        let cases = [
            ("Problem Statement", Kind::Description),
            ("Input", Kind::InputFormat),
            ("INPUT:", Kind::InputFormat),
            ("Inputs", Kind::InputFormat),
            ("Output Format", Kind::OutputFormat),
            ("Constrants", Kind::Constraints),
            ("Sample Input 1", Kind::SampleInput),
            ("Sample  input", Kind::SampleInput),
            ("Sample Output1", Kind::SampleOutput),
            ("Output for the Sample Input 2", Kind::SampleOutput),
            ("Output for Sample Input", Kind::SampleOutput),
            ("Sample Output for Input 1", Kind::SampleOutput),
            ("Sample Input and Output", Kind::Samples),
            ("Examples", Kind::Samples),
            ("Input #1", Kind::SampleInput),
            ("入力例 1", Kind::SampleInput),
            ("サンプル出力1", Kind::SampleOutput),
            ("入出力例", Kind::Samples),
            ("Partial Scores", Kind::Dropped),
            ("Notes", Kind::Notes),
            ("X Cubic", Kind::Unknown),
            ("", Kind::Unknown),
        ];
        for (heading, expected) in cases {
            assert_eq!(kind_of(heading), expected, "{heading}");
        }
    }
}
