package dev.weir.site;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.jspecify.annotations.Nullable;

/** The order of the pages: that of the tables in {@code docs/README.md}, then the decisions in that of their index. */
final class Contents {

    private static final String DECISIONS = "docs/adr/README.md";

    /**
     * Pages under one heading.
     *
     * @param folded whether only its own pages list it: it is long
     */
    record Section(String title, List<Page> pages, boolean folded) {}

    private final Links links;
    private final @Nullable Page decisions;
    private final List<Section> sections = new ArrayList<>();
    private final Set<Page> placed = new HashSet<>();

    private Contents(Links links) {
        this.links = links;
        this.decisions = links.page(DECISIONS);
    }

    /** To be called before links are rewritten. A document that no table names is a fault: no reader would find it. */
    static List<Section> of(List<Page> pages, Links links, List<String> faults) {
        Contents contents = new Contents(links);
        contents.add("Weir", named(links, "README.md", "docs/README.md"), false);
        Page index = links.page("docs/README.md");
        if (index != null) {
            contents.addTablesOf(index);
        }
        if (contents.decisions != null) {
            Set<Page> all = new LinkedHashSet<>(Set.of(contents.decisions));
            all.addAll(contents.linksIn(contents.decisions, contents.decisions.document()));
            contents.add("Decisions", all, true);
        }
        contents.add("Examples", others(pages, "examples/"), false);
        contents.add("Deployment", others(pages, "deploy/"), false);
        contents.add("Project", named(links, "CHANGELOG.md", "CONTRIBUTING.md", "DESIGN.md"), false);
        for (Page page : pages) {
            if (!contents.placed.contains(page)) {
                faults.add(page.at(page.document()) + ": no table names it, neither in docs/README.md nor in "
                        + DECISIONS);
            }
        }
        return contents.sections;
    }

    private void addTablesOf(Page index) {
        String title = "";
        for (Node node = index.document().getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading heading && heading.getLevel() > 1) {
                title = PlainText.of(heading);
            } else if (node instanceof TableBlock && !title.isEmpty()) {
                Set<Page> named = linksIn(index, node);
                named.remove(decisions);
                add(title, named, false);
            }
        }
    }

    private Set<Page> linksIn(Page page, Node part) {
        Set<Page> found = new LinkedHashSet<>();
        part.accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                Page target = links.linked(page, link);
                if (target != null) {
                    found.add(target);
                }
            }
        });
        return found;
    }

    private void add(String title, Set<Page> pages, boolean folded) {
        List<Page> fresh = pages.stream().filter(placed::add).toList();
        if (!fresh.isEmpty()) {
            sections.add(new Section(title, fresh, folded));
        }
    }

    private static Set<Page> named(Links links, String... sources) {
        Set<Page> found = new LinkedHashSet<>();
        for (String source : sources) {
            Page page = links.page(source);
            if (page != null) {
                found.add(page);
            }
        }
        return found;
    }

    private static Set<Page> others(List<Page> pages, String folder) {
        Set<Page> found = new LinkedHashSet<>(pages);
        found.removeIf(page -> !PageReader.slashed(page.source()).startsWith(folder));
        return found;
    }
}
