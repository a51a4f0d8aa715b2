package dev.weir.site;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Block;
import org.commonmark.node.CustomBlock;
import org.commonmark.node.Document;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.renderer.html.HtmlRenderer;

/** One version of the site, made in a folder of its own beside other versions. */
final class Site {

    /** Ours and, each in its folder with its licence, those of libraries. */
    private static final List<String> ASSETS = List.of(
            "site.css",
            "theme.js",
            "site.js",
            "icon.svg",
            "highlight/highlight.min.js",
            "highlight/LICENSE",
            "minisearch/minisearch.js",
            "minisearch/LICENSE.txt");

    private final Path root;
    private final Path versions;
    private final Path folder;
    private final String version;
    private final boolean withJavadoc;
    private final List<String> faults = new ArrayList<>();
    private final List<Page> pages;
    private final Links links;

    /** @param withJavadoc whether that of each published module must be there */
    Site(Path root, Path versions, String version, boolean withJavadoc) throws IOException {
        this.root = root.toAbsolutePath().normalize();
        this.versions = versions;
        this.folder = versions.resolve(version);
        this.version = version;
        this.withJavadoc = withJavadoc;
        this.pages = new PageReader(this.root, faults).readAll();
        this.links = new Links(this.root, pages, faults);
    }

    /** Writes all pages, or none if there is a fault. */
    void make() throws IOException {
        List<Contents.Section> sections = Contents.of(pages, links, faults);
        for (Page page : pages) {
            links.rewrite(page);
        }
        if (!faults.isEmpty()) {
            throw new SiteException(faults);
        }
        List<Page> javadoc = Javadoc.unpack(root, version, folder, withJavadoc);
        Layout layout =
                new Layout(sections, version, !javadoc.isEmpty() || Files.exists(folder.resolve("api/index.html")));
        for (Page page : javadoc) {
            write(page, layout);
        }
        for (Page page : pages) {
            makeTablesScroll(page.document());
            write(page, layout);
        }
        for (Path file : links.files) {
            write(shown(file), layout);
        }
        for (Path image : links.images) {
            Path target = folder.resolve(PageReader.inSite(PageReader.slashed(image)));
            Files.createDirectories(Objects.requireNonNull(target.getParent()));
            Files.copy(root.resolve(image), target, StandardCopyOption.REPLACE_EXISTING);
        }
        for (String asset : ASSETS) {
            copyAsset(asset);
        }
        SearchIndex.write(pages, folder.resolve("assets/search-index.js"));
        Versions.write(versions);
    }

    /** Each address outside of the project with the places that name it; after {@link #make}. */
    Map<String, Set<String>> externalLinks() {
        return links.external;
    }

    private void write(Page page, Layout layout) throws IOException {
        HtmlRenderer renderer = HtmlRenderer.builder()
                .extensions(PageReader.EXTENSIONS)
                .attributeProviderFactory(context -> (node, tag, attributes) -> {
                    String id = page.ids().get(node);
                    if (node instanceof Heading && id != null) {
                        attributes.put("id", id);
                    } else if (tag.equals("pre")) {
                        // It scrolls sideways, so the keyboard must reach it.
                        attributes.put("tabindex", "0");
                    }
                })
                .build();
        Path target = folder.resolve(page.target());
        Files.createDirectories(Objects.requireNonNull(target.getParent()));
        Files.writeString(target, layout.page(page, renderer.render(page.document())));
    }

    /** A wide table scrolls in a box of its own, not the page. */
    private static void makeTablesScroll(Node document) {
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(CustomBlock block) {
                if (block instanceof TableBlock) {
                    block.insertBefore(
                            html("<div class=\"table\" role=\"group\" aria-label=\"Table\" tabindex=\"0\">"));
                    block.insertAfter(html("</div>"));
                }
            }
        });
    }

    private static Block html(String literal) {
        HtmlBlock block = new HtmlBlock();
        block.setLiteral(literal);
        return block;
    }

    /** A file that is no document, as a page. */
    private Page shown(Path file) throws IOException {
        String path = PageReader.slashed(file);
        Heading heading = new Heading();
        heading.setLevel(1);
        heading.appendChild(new Text(path));
        FencedCodeBlock code = new FencedCodeBlock();
        code.setInfo(path.substring(path.lastIndexOf('.') + 1));
        code.setLiteral(Files.readString(root.resolve(file)));
        Document document = new Document();
        document.appendChild(heading);
        document.appendChild(code);
        return new Page(file, Links.target(file), document, path, List.of(), Map.of());
    }

    private void copyAsset(String asset) throws IOException {
        Path target = folder.resolve("assets").resolve(asset);
        Files.createDirectories(Objects.requireNonNull(target.getParent()));
        try (InputStream from = Objects.requireNonNull(Site.class.getResourceAsStream("assets/" + asset), asset)) {
            Files.copy(from, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    static void writeScript(Path file, String variable, String json) throws IOException {
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(file, "window." + variable + " = " + json + ";\n", StandardCharsets.UTF_8);
    }
}
