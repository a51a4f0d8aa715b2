package dev.weir.site;

import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The frame of every page: head, navigation, outline, the pages before and after. */
final class Layout {

    private final Template template;
    private final List<Contents.Section> sections;
    private final List<Page> order;
    private final String version;
    private final boolean withApi;

    /** {@code withApi}: whether the Javadoc lies in {@code api/}. */
    Layout(List<Contents.Section> sections, String version, boolean withApi) throws IOException {
        this.sections = sections;
        this.order =
                sections.stream().flatMap(section -> section.pages().stream()).toList();
        this.version = version;
        this.withApi = withApi;
        try (Reader text = new InputStreamReader(
                Objects.requireNonNull(Layout.class.getResourceAsStream("page.html.mustache")),
                StandardCharsets.UTF_8)) {
            template = Mustache.compiler().compile(text);
        }
    }

    String page(Page page, String body) {
        Map<String, Object> values = frame(page, body);
        int at = order.indexOf(page);
        if (at > 0) {
            values.put("previous", link(page, order.get(at - 1)));
        }
        if (at >= 0 && at < order.size() - 1) {
            values.put("next", link(page, order.get(at + 1)));
        }
        List<Map<String, Object>> outline = page.headings().stream()
                .filter(heading -> heading.level() == 2 || heading.level() == 3)
                .map(heading -> Map.<String, Object>of(
                        "id", heading.id(), "text", heading.text(), "deep", heading.level() == 3))
                .toList();
        if (outline.size() > 1) {
            values.put("outline", Map.of("headings", outline));
        }
        return template.execute(values);
    }

    private Map<String, Object> frame(Page page, String body) {
        Map<String, Object> values = new HashMap<>();
        values.put("title", page.title());
        values.put("home", page.target().equals("index.html"));
        values.put("description", page.description());
        values.put("root", page.root());
        values.put("version", version);
        values.put("snapshot", version.endsWith("-SNAPSHOT"));
        values.put("api", withApi);
        values.put("body", body);
        values.put(
                "sections",
                sections.stream().map(section -> navigation(section, page)).toList());
        // Absent unless there: a section of the template that is left out.
        values.put("previous", false);
        values.put("next", false);
        values.put("outline", false);
        return values;
    }

    private static Map<String, Object> navigation(Contents.Section section, Page current) {
        List<Map<String, Object>> links = new ArrayList<>();
        boolean open = !section.folded() || section.pages().contains(current);
        for (Page page : open ? section.pages() : section.pages().subList(0, 1)) {
            Map<String, Object> link = link(current, page);
            link.put("text", open ? page.title() : "All, by number");
            link.put("current", page.equals(current));
            links.add(link);
        }
        return Map.of("name", section.title(), "links", links);
    }

    private static Map<String, Object> link(Page from, Page to) {
        Map<String, Object> link = new HashMap<>();
        link.put("text", to.title());
        link.put("href", from.linkTo(to.target()));
        return link;
    }
}
