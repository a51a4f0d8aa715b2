package dev.weir.site;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;

/**
 * The index of a search: the part under each heading of each page. A script, as a page from a disk may load no data.
 */
final class SearchIndex {

    /** Deeper headings belong to the part that they are in. */
    private static final int DEEPEST = 4;

    private SearchIndex() {}

    static void write(List<Page> pages, Path file) throws IOException {
        List<Map<String, String>> parts = new ArrayList<>();
        for (Page page : pages) {
            addParts(page, parts);
        }
        Site.writeScript(file, "weirSearch", new ObjectMapper().writeValueAsString(parts));
    }

    private static void addParts(Page page, List<Map<String, String>> parts) {
        String heading = page.title();
        String url = page.target();
        StringBuilder text = new StringBuilder();
        for (Node node = page.document().getFirstChild(); node != null; node = node.getNext()) {
            String id = page.ids().get(node);
            if (node instanceof Heading next && next.getLevel() <= DEEPEST && id != null) {
                addPart(page, heading, url, text, parts);
                heading = PlainText.of(next);
                url = page.target() + "#" + id;
                text.setLength(0);
            } else {
                text.append(PlainText.of(node)).append(' ');
            }
        }
        addPart(page, heading, url, text, parts);
    }

    private static void addPart(
            Page page, String heading, String url, StringBuilder text, List<Map<String, String>> parts) {
        if (!url.equals(page.target())) {
            parts.add(Map.of(
                    "id", String.valueOf(parts.size()),
                    "title", page.title(),
                    "heading", heading,
                    "url", url,
                    "text", text.toString().strip()));
        }
    }
}
