//! Fills `{{name}}` places in a template, once.

/// Fills each `{{name}}` of a template with the value of that name.
///
/// One pass: what a value contains is never looked at again, so a value with `{{…}}`, `$` or backslashes
/// stays as it is. A name without a value, and braces that are no place, stay as they are too. A name is
/// made of ASCII letters, digits and `_`; blanks around it are allowed.
///
/// ```
/// use session_memory::fill_template;
///
/// let text = fill_template("Notes: {{currentNotes}} ({{ today }}, {{unknown}})", &[
///     ("currentNotes", "see {{today}}"),
///     ("today", "2026-03-05"),
/// ]);
/// assert_eq!(text, "Notes: see {{today}} (2026-03-05, {{unknown}})");
/// ```
pub fn fill_template(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        let inside = &rest[start + 2..];
        let value = inside.find("}}").and_then(|end| {
            let name = inside[..end].trim_matches([' ', '\t']);
            let is_name = name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let value = values.iter().find(|(known, _)| is_name && *known == name)?;
            Some((value.1, end))
        });
        if let Some((value, end)) = value {
            out.push_str(&rest[..start]);
            out.push_str(value);
            rest = &inside[end + 2..];
        } else {
            // One brace further, not two: `{{{name}}` still holds a place.
            out.push_str(&rest[..=start]);
            rest = &rest[start + 1..];
        }
    }
    out.push_str(rest);
    out
}
