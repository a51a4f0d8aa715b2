package dev.weir.checks.arch;

import java.util.regex.Pattern;

/** Converts Javadoc comments to Markdown for generated pages. Contains only static functions. */
final class JavadocText {

    /** Matches a link in a comment: its target without parameters, and its label, if any. */
    private static final Pattern LINK =
            Pattern.compile("\\{@link(?:plain)?\\s+#?([^\\s(}]+)(?:\\([^)]*\\))?(?:\\s+([^}]+))?}");

    private static final Pattern CODE = Pattern.compile("\\{@code\\s+([^}]*)}");

    private JavadocText() {}

    /** Returns a comment as one line, with links as code. */
    static String markdown(String comment) {
        String text = LINK.matcher(comment)
                .replaceAll(link -> link.group(2) == null ? "`" + link.group(1) + "`" : link.group(2));
        return CODE.matcher(text)
                .replaceAll("`$1`")
                .replaceAll("\\s+", " ")
                .strip()
                .replace('#', '.');
    }

    static String paragraph(String comment) {
        return markdown(comment)
                .replaceFirst(" ?(?:<p>|<pre>|<ul>|@param|@throws|@return|\\{@snippet).*", "")
                .replace("|", "\\|");
    }

    static String firstSentence(String comment) {
        return markdown(comment)
                .replaceFirst(
                        "(?<=[.:])(?<!e\\.g\\.) (?=[A-Z<@{]).*|(?<=\\.)? ?(<p>|<pre>|<ul>|@param|\\{@snippet).*", "")
                .replace("|", "\\|");
    }
}
