package dev.weir.site;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;

/**
 * A document as read.
 *
 * @param source its file, relative to the project
 * @param target its page, relative to the site, with slashes
 * @param title the text of its heading of level 1
 * @param headings all its headings, in order
 * @param ids the anchor of each heading
 */
record Page(Path source, String target, Node document, String title, List<Heading> headings, Map<Node, String> ids) {

    private static final int DESCRIPTION = 160;

    /** A heading with its anchor. */
    record Heading(int level, String text, String id) {}

    /** Returns the beginning of a node, as {@code file:line}. */
    String at(Node node) {
        Node known = node;
        while (known.getSourceSpans().isEmpty() && known.getParent() != null) {
            known = known.getParent();
        }
        int line = known.getSourceSpans().isEmpty()
                ? 1
                : known.getSourceSpans().get(0).getLineIndex() + 1;
        return PageReader.slashed(source) + ":" + line;
    }

    /** The first paragraph, cut between words. */
    String description() {
        for (Node node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Paragraph) {
                String text = PlainText.of(node);
                return text.length() <= DESCRIPTION
                        ? text
                        : text.substring(0, Math.max(0, text.lastIndexOf(' ', DESCRIPTION))) + " ...";
            }
        }
        return title;
    }

    /** The address of another page or file of the site, from this one. */
    String linkTo(String other) {
        return root() + other;
    }

    /** The way from this page to the top of its version: empty, or ends with a slash. */
    String root() {
        return "../".repeat((int) target.chars().filter(c -> c == '/').count());
    }
}
