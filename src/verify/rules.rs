//! The closed list of rules. What a rule means and how grave it is stands in
//! `validators/rules/release.toml` and, for the faults that the published `CoREB` releases are known
//! for, in `published.toml` beside it; both are part of the program.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The release is unfit.
    Error,
    /// Told and counted.
    Warning,
}

impl Severity {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A rule as it is declared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    pub severity: Severity,
    /// What the fault does to a score.
    pub meaning: String,
    /// The row of the table of known faults in the published releases.
    pub row: Option<String>,
    /// How our definition of a heuristic rule differs from that table's.
    pub differs: Option<String>,
}

macro_rules! rules {
    ($($variant:ident $name:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub enum Rule {
            $(#[serde(rename = $name)] $variant,)*
        }

        impl Rule {
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

rules! {
    MissingFile "missing-file",
    BlankLine "blank-line",
    BadJson "bad-json",
    OffSchema "off-schema",
    ManifestMismatch "manifest-mismatch",
    NoManifest "no-manifest",
    UnsafeId "unsafe-id",
    ForeignId "foreign-id",
    DuplicateId "duplicate-id",
    SharedPrefix "shared-prefix",
    EmptyText "empty-text",
    WrongLength "wrong-length",
    WrongVerdict "wrong-verdict",
    IdenticalDocuments "identical-documents",
    ContradictoryDuplicates "contradictory-duplicates",
    DanglingQuery "dangling-query",
    DanglingDocument "dangling-document",
    DuplicatePair "duplicate-pair",
    BadGrade "bad-grade",
    NoPositive "no-positive",
    FailedPositive "failed-positive",
    PassedNegative "passed-negative",
    ForeignPositive "foreign-positive",
    ForeignNegative "foreign-negative",
    WrongTarget "wrong-target",
    MissingPositive "missing-positive",
    AnchorJudged "anchor-judged",
    AnchorMap "anchor-map",
    MatchPair "match-pair",
    WrongCount "wrong-count",
    DuplicateQuery "duplicate-query",
    ContradictoryQuery "contradictory-query",
    RepeatedPair "repeated-pair",
    LeakedId "leaked-id",
    SearchLanguage "search-language",
    NoTitle "no-title",
    NoHeader "no-header",
    BadColumns "bad-columns",
    QrelsDisagree "qrels-disagree",
    MixedConfigs "mixed-configs",
    BeirMismatch "beir-mismatch",
    PassedNegativeText "passed-negative-text2code",
    PassedNegativeCode "passed-negative-code2code",
    TranslationNegative "translation-negative",
    UnjudgedTranslation "unjudged-translation",
    DroppedFailed "dropped-failed",
    UnjudgedPair "unjudged-pair",
    FewNegatives "few-negatives",
    NearDuplicateGrades "near-duplicate-grades",
    NearDuplicates "near-duplicates",
    RepeatedMatch "repeated-match",
    LeakedOtherId "leaked-other-id",
    VacuousSearch "vacuous-search",
    DifficultyWords "difficulty-words",
    PromptLeak "prompt-leak",
    SearchOtherLanguage "search-other-language",
    SearchUnnamedLanguage "search-unnamed-language",
    SearchAnyLanguage "search-any-language",
    NoInclude "no-include",
    NoSlashes "no-slashes",
    CutDivision "cut-division",
    UnparsablePython "unparsable-python",
    StrayMain "stray-main",
    UnbalancedBraces "unbalanced-braces",
    MislabelledLanguage "mislabelled-language",
    NoEntryPoint "no-entry-point",
    NoInput "no-input",
    SingleTest "single-test",
    WhitespaceDuplicate "whitespace-duplicate",
    NoiseMarkup "noise-markup",
    NoiseSelfReference "noise-self-reference",
    NoiseTooNear "noise-too-near",
    NoiseTooFar "noise-too-far",
    LongAbbreviation "long-abbreviation",
    MissingCombination "missing-combination",
    IndexGaps "index-gaps",
    FloatIntegers "float-integers",
    NullCounts "null-counts",
    UnsolvedProblem "unsolved-problem",
}

static DECLARED: LazyLock<BTreeMap<String, Declared>> = LazyLock::new(|| {
    let files =
        [include_str!("../../validators/rules/release.toml"), include_str!("../../validators/rules/published.toml")];
    let read = |text| toml::from_str::<BTreeMap<String, Declared>>(text).expect("a test reads the declared rules");
    files.into_iter().flat_map(read).collect()
});

impl Rule {
    /// Whether only a release in its authors' layout is held against the rule.
    #[must_use]
    pub fn is_of_published(self) -> bool {
        self > Self::BeirMismatch
    }

    /// # Panics
    /// Never: a test walks all rules.
    #[must_use]
    pub fn declared(self) -> &'static Declared {
        DECLARED.get(self.name()).expect("every rule is declared")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_declared_and_every_declared_rule_exists() {
        let mut names: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        names.sort_unstable();
        let declared: Vec<&str> = DECLARED.keys().map(String::as_str).collect();
        assert_eq!(names, declared);
        for rule in Rule::ALL {
            assert!(rule.declared().meaning.ends_with('.'), "{}", rule.name());
        }
    }
}
