package dev.weir.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every page of the site that the build has made, apart from the Javadoc. */
class MadePagesTest {

    static final Path SITE = Path.of(System.getProperty("weir.site"), System.getProperty("weir.version"))
            .toAbsolutePath();

    private static final Map<Path, Document> PAGES = new TreeMap<>();

    @BeforeAll
    static void readPages() throws IOException {
        try (Stream<Path> files = Files.walk(SITE)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".html") && !isJavadoc(each))
                    .toList()) {
                PAGES.put(file, Jsoup.parse(file.toFile(), "UTF-8"));
            }
        }
    }

    /** In the folder of a module, {@code api/MODULE/}; the list of them is ours. */
    private static boolean isJavadoc(Path file) {
        Path within = SITE.relativize(file);
        return within.startsWith("api") && within.getNameCount() > 2;
    }

    @Test
    void page_hasTitleDescriptionAndOneHeadingOfLevelOne() {
        assertThat(PAGES).hasSizeGreaterThan(100);
        assertThat(PAGES).allSatisfy((file, page) -> {
            assertThat(page.title()).contains("Weir").endsWith(System.getProperty("weir.version"));
            assertThat(page.select("meta[name=description]").attr("content")).isNotBlank();
            assertThat(page.select("h1")).hasSize(1);
        });
    }

    @Test
    void links_leadToPagesAndAnchorsThatAreThere() {
        List<String> dead = new ArrayList<>();
        PAGES.forEach((file, page) -> {
            for (Element element : page.select("[href], [src]")) {
                String link = element.hasAttr("href") ? element.attr("href") : element.attr("src");
                if (!link.startsWith("https:") && !leads(file, link)) {
                    dead.add(SITE.relativize(file) + ": " + link);
                }
            }
        });
        assertThat(dead).isEmpty();
    }

    private static boolean leads(Path file, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? file : file.resolveSibling(parts[0]).normalize();
        if (parts.length == 1) {
            return Files.isRegularFile(target);
        }
        Document page = PAGES.get(target);
        return page != null && page.getElementById(parts[1]) != null;
    }

    /** Only links lead to other hosts: a page loads nothing from them. */
    @Test
    void page_loadsNothingFromOtherHosts() {
        assertThat(PAGES).allSatisfy((file, page) -> {
            assertThat(page.select("meta[http-equiv=Content-Security-Policy]").attr("content"))
                    .isEqualTo("default-src 'self'");
            assertThat(page.select("[src^=http], link[href^=http], [style], script:not([src])"))
                    .isEmpty();
        });
    }
}
