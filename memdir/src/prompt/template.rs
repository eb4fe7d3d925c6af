//! Templates: Markdown with `{{name}}` where a value goes.

/// Puts values into a template, without the line end at its end.
///
/// One pass: what a value holds is never looked at again, so that text from a file cannot ask for
/// another value. A name without a value stays as it is.
pub(super) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template.trim_end_matches('\n');
    while let Some(open) = rest.find("{{") {
        let (before, from) = rest.split_at(open);
        text.push_str(before);
        let value = from.find("}}").and_then(|close| {
            let name = &from[2..close];
            let (_, value) = values.iter().find(|(key, _)| *key == name)?;
            Some((*value, close + 2))
        });
        let (value, length) = value.unwrap_or(("{{", 2));
        text.push_str(value);
        rest = &from[length..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn values_are_put_in_once_and_unknown_names_stay() {
        let values = [("a", "1"), ("b", "{{a}}"), ("c", "}}{{"), ("empty", "")];
        let table = [
            ("{{a}}", "1"),
            ("x{{a}}y{{b}}z", "x1y{{a}}z"),
            ("{{c}}a}}", "}}{{a}}"),
            ("{{unknown}} {{a}}", "{{unknown}} 1"),
            ("{{", "{{"),
            ("{{a", "{{a"),
            ("{{{a}}}", "{{{a}}}"),
            ("{{{{a}}", "{{1"),
            ("[{{empty}}]", "[]"),
            ("", ""),
            ("ends\n\n", "ends"),
        ];
        for (template, expected) in table {
            assert_eq!(fill(template, &values), expected, "{template}");
        }
    }
}
