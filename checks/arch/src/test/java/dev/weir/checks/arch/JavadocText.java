package dev.weir.checks.arch;

import java.util.regex.Pattern;

/** Text of Javadoc comments in Markdown, for pages that are made from the code. Functions only. */
final class JavadocText {

    /** A link in a comment: what it names, without the parameters, and its label if it has one. */
    private static final Pattern LINK =
            Pattern.compile("\\{@link(?:plain)?\\s+#?([^\\s(}]+)(?:\\([^)]*\\))?(?:\\s+([^}]+))?}");

    private static final Pattern CODE = Pattern.compile("\\{@code\\s+([^}]*)}");

    private JavadocText() {}

    /** A comment in one line, with links as code. */
    static String markdown(String comment) {
        String text = LINK.matcher(comment)
                .replaceAll(link -> link.group(2) == null ? "`" + link.group(1) + "`" : link.group(2));
        return CODE.matcher(text)
                .replaceAll("`$1`")
                .replaceAll("\\s+", " ")
                .strip()
                .replace('#', '.');
    }

    /** The first paragraph of a comment, as the cell of a table. */
    static String paragraph(String comment) {
        return markdown(comment)
                .replaceFirst(" ?(?:<p>|<pre>|<ul>|@param|@throws|@return|\\{@snippet).*", "")
                .replace("|", "\\|");
    }

    /** The first sentence of a comment, as the cell of a table. */
    static String firstSentence(String comment) {
        return markdown(comment)
                .replaceFirst(
                        "(?<=[.:])(?<!e\\.g\\.) (?=[A-Z<@{]).*|(?<=\\.)? ?(<p>|<pre>|<ul>|@param|\\{@snippet).*", "")
                .replace("|", "\\|");
    }
}
