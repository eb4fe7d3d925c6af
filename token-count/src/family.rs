//! How many tokens a model family makes of what is one token to o200k.

/// Tokens of a model family for each o200k token.
///
/// Kept in thousandths, so that counts are whole-number arithmetic and equal on every platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor {
    thousandths: u32,
}

impl Factor {
    /// The o200k vocabulary itself (GPT-4o and later, the o-series, gpt-oss): 1.0.
    pub const O200K: Self = Self { thousandths: 1_000 };
    /// Claude models up to version 4.6: 1.2.
    pub const CLAUDE: Self = Self { thousandths: 1_200 };
    /// Newer Claude models, and every model that is not known: 1.5, so that a limit is rather kept
    /// too early than too late.
    pub const UNKNOWN: Self = Self { thousandths: 1_500 };
    /// The least factor that is believed: 0.6.
    pub const MIN: Self = Self { thousandths: 600 };
    /// The greatest factor that is believed: 2.5.
    pub const MAX: Self = Self { thousandths: 2_500 };

    /// Returns the factor of `thousandths` / 1,000, brought between [`Factor::MIN`] and
    /// [`Factor::MAX`].
    pub const fn from_thousandths(thousandths: u32) -> Self {
        if thousandths < Self::MIN.thousandths {
            Self::MIN
        } else if thousandths > Self::MAX.thousandths {
            Self::MAX
        } else {
            Self { thousandths }
        }
    }

    /// Returns the factor in thousandths.
    pub const fn thousandths(self) -> u32 {
        self.thousandths
    }

    /// Returns the factor of the family that a model name belongs to.
    ///
    /// Names are read as vendors, routers and clouds write them: with a vendor in front
    /// (`openai/gpt-4o`, `us.anthropic.claude-sonnet-4-5-20250929-v1:0`), with a date behind, in
    /// any case. What is not recognised is [`Factor::UNKNOWN`].
    ///
    /// ```
    /// use token_count::Factor;
    ///
    /// assert_eq!(Factor::of_model("gpt-5-mini"), Factor::O200K);
    /// assert_eq!(Factor::of_model("claude-opus-4-6"), Factor::CLAUDE);
    /// assert_eq!(Factor::of_model("anthropic.claude-3-5-haiku-20241022-v1:0"), Factor::CLAUDE);
    /// assert_eq!(Factor::of_model("claude-opus-4-7"), Factor::UNKNOWN);
    /// assert_eq!(Factor::of_model("my-own-model"), Factor::UNKNOWN);
    /// ```
    pub fn of_model(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        if let Some((_, rest)) = name.split_once("claude") {
            return match claude_version(rest) {
                Some(version) if version <= (4, 6) => Self::CLAUDE,
                _ => Self::UNKNOWN,
            };
        }
        let bare = name.rsplit('/').next().unwrap_or(&name);
        let is_o200k = [
            "gpt-4o",
            "gpt-4.1",
            "gpt-4.5",
            "gpt-5",
            "gpt-oss",
            "chatgpt-4o",
            "codex",
        ]
        .iter()
        .any(|start| bare.starts_with(start))
            || is_o_series(bare);
        if is_o200k { Self::O200K } else { Self::UNKNOWN }
    }

    /// Whole tokens, rounded to the nearest, of a number of o200k tokens in hundredths.
    pub(crate) fn tokens(self, hundredths: u64) -> usize {
        if hundredths == 0 {
            return 0;
        }
        let scaled = u128::from(hundredths) * u128::from(self.thousandths);
        usize::try_from((scaled + 50_000) / 100_000)
            .unwrap_or(usize::MAX)
            .max(1)
    }

    /// The least number of hundredths whose tokens are more than `limit`.
    pub(crate) fn hundredths_above(self, limit: usize) -> u64 {
        if limit == 0 {
            return 1;
        }
        let scaled = (limit as u128 * 100_000).saturating_add(50_000);
        u64::try_from(scaled.div_ceil(u128::from(self.thousandths))).unwrap_or(u64::MAX)
    }
}

impl Default for Factor {
    fn default() -> Self {
        Self::O200K
    }
}

/// Major and minor version in what follows `claude`: `-3-5-sonnet-20241022`, `-sonnet-4-20250514`,
/// `-2.1`. A number of more than two digits is a date.
fn claude_version(rest: &str) -> Option<(u32, u32)> {
    let mut numbers = rest
        .split(|c: char| !c.is_ascii_alphanumeric())
        .skip_while(|part| !part.starts_with(|c: char| c.is_ascii_digit()));
    let short = |part: &str| (part.len() <= 2).then(|| part.parse().ok()).flatten();
    let major = short(numbers.next()?)?;
    let minor = numbers.next().and_then(short).unwrap_or(0);
    Some((major, minor))
}

/// `o1`, `o3-mini`, `o4-mini-2025-04-16`.
fn is_o_series(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next() == Some('o')
        && chars.next().is_some_and(|c| c.is_ascii_digit() && c != '0')
        && matches!(chars.next(), None | Some('-'))
}
