package dev.weir.site;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.jspecify.annotations.Nullable;

/** Turns links between documents into links between pages, and finds those that lead nowhere. */
final class Links {

    private static final Pattern EXTERNAL = Pattern.compile("(https?|mailto):.*");

    private final Path root;
    private final Map<Path, Page> pages;
    private final List<String> faults;

    /** Files that pages link to and that are no pages: each is shown as one. */
    final Set<Path> files = new TreeSet<>();

    /** Images in pages, to be copied. */
    final Set<Path> images = new TreeSet<>();

    /** Each address outside with the places that name it. */
    final Map<String, Set<String>> external = new TreeMap<>();

    Links(Path root, List<Page> pages, List<String> faults) {
        this.root = root;
        this.pages = pages.stream()
                .collect(Collectors.toMap(Page::source, Function.identity(), (a, b) -> a, LinkedHashMap::new));
        this.faults = faults;
    }

    @Nullable
    Page page(String source) {
        return pages.get(Path.of(source));
    }

    /** The page that a link leads to, if it does. */
    @Nullable
    Page linked(Page from, Link link) {
        String path = pathOf(link.getDestination());
        Path file = EXTERNAL.matcher(path).matches() ? null : resolve(from, path);
        return file == null ? null : pages.get(file);
    }

    /** Rewrites the links of a page, once. */
    void rewrite(Page page) {
        page.document().accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                link.setDestination(rewritten(page, link, link.getDestination()));
                visitChildren(link);
            }

            @Override
            public void visit(Image image) {
                Path file = resolve(page, image.getDestination());
                if (file == null || !Files.isRegularFile(root.resolve(file))) {
                    faults.add(page.at(image) + ": no image " + image.getDestination());
                } else {
                    images.add(file);
                    image.setDestination(page.linkTo(PageReader.inSite(PageReader.slashed(file))));
                }
            }
        });
    }

    private String rewritten(Page page, Node link, String destination) {
        if (EXTERNAL.matcher(destination).matches()) {
            external.computeIfAbsent(destination, any -> new TreeSet<>()).add(page.at(link));
            return destination;
        }
        String path = pathOf(destination);
        String anchor = destination.substring(path.length());
        Path file = resolve(page, path);
        Page target = file == null ? null : pages.get(file);
        if (target != null) {
            if (anchor.length() > 1
                    && target.headings().stream().noneMatch(heading -> anchor.equals("#" + heading.id()))) {
                faults.add(page.at(link) + ": " + destination + ": no heading of that name in "
                        + PageReader.slashed(target.source()));
            }
            return (path.isEmpty() ? "" : page.linkTo(target.target())) + anchor;
        }
        if (file == null || !Files.isRegularFile(root.resolve(file))) {
            faults.add(page.at(link) + ": " + destination + ": leads nowhere");
        } else if (file.toString().endsWith(".md")) {
            faults.add(page.at(link) + ": " + destination + ": is not among the documents that become pages");
        } else if (!anchor.isEmpty()) {
            faults.add(page.at(link) + ": " + destination + ": only documents have headings");
        } else {
            files.add(file);
            return page.linkTo(target(file));
        }
        return destination;
    }

    /** The page that shows a file. */
    static String target(Path file) {
        return "source/" + PageReader.slashed(file) + ".html";
    }

    private static String pathOf(String destination) {
        int at = destination.indexOf('#');
        return at < 0 ? destination : destination.substring(0, at);
    }

    /** A file of the project, relative to it; the README of a folder; null outside of the project. */
    private @Nullable Path resolve(Page page, String path) {
        if (path.isEmpty()) {
            return page.source();
        }
        try {
            Path whole = root.resolve(page.source()).resolveSibling(path).normalize();
            if (!whole.startsWith(root)) {
                return null;
            }
            Path readme = whole.resolve("README.md");
            return root.relativize(Files.isRegularFile(readme) ? readme : whole);
        } catch (InvalidPathException e) {
            return null;
        }
    }
}
