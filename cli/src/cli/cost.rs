//! Arguments of `cost`.

use clap::Args;

/// Arguments of `cost`.
#[derive(Args, Debug)]
pub(crate) struct Cost {
    /// Show the last N days that have calls (at most 3,660)
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=3660))]
    pub(crate) days: u16,
    /// What a day may cost, such as 2.50, to see what of it is left today
    ///
    /// In the currency of the price table that the calls were booked with.
    #[arg(long, value_name = "AMOUNT", value_parser = amount)]
    pub(crate) budget: Option<u64>,
    /// How many tokens a day may take, to see what of them is left today
    #[arg(long, value_name = "N")]
    pub(crate) token_budget: Option<u64>,
}

/// Reads an amount of money into millionths; at most six digits behind the point.
fn amount(text: &str) -> Result<u64, String> {
    let wrong = || "an amount is written like 2.50".to_owned();
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 6 {
        return Err(wrong());
    }
    let whole: u64 = whole.parse().map_err(|_| wrong())?;
    let part: u64 = format!("{part:0<6}").parse().map_err(|_| wrong())?;
    whole
        .checked_mul(1_000_000)
        .and_then(|micros| micros.checked_add(part))
        .ok_or_else(wrong)
}
