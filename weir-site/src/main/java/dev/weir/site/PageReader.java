package dev.weir.site;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;

/** Finds and reads the documents of a project. */
final class PageReader {

    static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());

    private static final List<String> AT_THE_TOP = List.of("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "DESIGN.md");
    private static final List<String> FOLDERS = List.of("docs", "examples", "deploy");

    private static final Parser PARSER = Parser.builder()
            .extensions(EXTENSIONS)
            .includeSourceSpans(IncludeSourceSpans.BLOCKS_AND_INLINES)
            .build();

    private final Path root;
    private final List<String> faults;

    PageReader(Path root, List<String> faults) {
        this.root = root;
        this.faults = faults;
    }

    List<Page> readAll() throws IOException {
        List<Page> pages = new ArrayList<>();
        for (Path source : sources()) {
            pages.add(read(source));
        }
        return pages;
    }

    private List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        AT_THE_TOP.stream()
                .map(Path::of)
                .filter(file -> Files.exists(root.resolve(file)))
                .forEach(sources::add);
        for (String folder : FOLDERS) {
            if (Files.isDirectory(root.resolve(folder))) {
                try (Stream<Path> files = Files.walk(root.resolve(folder))) {
                    files.map(root::relativize)
                            .filter(file -> file.toString().endsWith(".md")
                                    && !slashed(file).contains("/target/"))
                            .sorted(Comparator.comparing(PageReader::slashed))
                            .forEach(sources::add);
                }
            }
        }
        return sources;
    }

    private Page read(Path source) throws IOException {
        Node document = PARSER.parse(Files.readString(root.resolve(source)));
        List<Page.Heading> headings = new ArrayList<>();
        Map<Node, String> ids = new HashMap<>();
        IdGenerator generator = IdGenerator.builder().build();
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Heading heading) {
                String text = PlainText.of(heading);
                String id = generator.generateId(text);
                ids.put(heading, id);
                headings.add(new Page.Heading(heading.getLevel(), text, id));
            }
        });
        List<Page.Heading> titles =
                headings.stream().filter(heading -> heading.level() == 1).toList();
        if (titles.size() != 1) {
            faults.add(slashed(source) + ":1: a page has one heading of level 1, this one has " + titles.size());
        }
        String title = titles.isEmpty() ? slashed(source) : titles.get(0).text();
        return new Page(source, target(source), document, title, List.copyOf(headings), ids);
    }

    /** {@code docs/} is left out, {@code README} is the index of its folder; the project's own is the first page. */
    private static String target(Path source) {
        String path = slashed(source);
        if (path.equals("docs/README.md")) {
            return "contents.html";
        }
        if (source.getNameCount() == 1) {
            path = path.toLowerCase(Locale.ROOT);
        }
        return inSite(path).replaceFirst("(?i)\\breadme\\.md$", "index.md").replaceFirst("\\.md$", ".html");
    }

    /** Returns the place of a project file in the site. */
    static String inSite(String path) {
        return path.startsWith("docs/") ? path.substring("docs/".length()) : path;
    }

    static String slashed(Path path) {
        return path.toString().replace(File.separatorChar, '/');
    }
}
