package dev.weir.site;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builds the site of a small project, and of one for each fault in its documents. */
class SiteTest {

    private static final String INDEX = """
            # Documents

            ## Guide

            | page | about |
            |---|---|
            | [a.md](guide/a.md) | the one |
            | [b.md](guide/b.md) | the other |
            """;

    @TempDir
    Path folder;

    private Path project = Path.of("");
    private Path site = Path.of("");

    @BeforeEach
    void smallProject() throws IOException {
        project = folder.resolve("project");
        site = folder.resolve("site");
        write("README.md", "# Small\n\nSee [all](docs/README.md).\n");
        write("docs/README.md", INDEX);
        write("docs/guide/a.md", "# Page A\n\nOf the first.\n\n## Its part\n\nWords.\n");
        write("docs/guide/b.md", "# Page `B`\n\nSee [the part](a.md#its-part).\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = project.resolve(file);
        Files.createDirectories(path.resolveSibling(""));
        Files.writeString(path, text);
    }

    private Site make(String version) throws IOException {
        return make(version, false);
    }

    private Site make(String version, boolean withJavadoc) throws IOException {
        Site made = new Site(project, site, version, withJavadoc);
        made.make();
        return made;
    }

    private Document page(String page) throws IOException {
        return Jsoup.parse(site.resolve("1.0.0").resolve(page).toFile(), "UTF-8");
    }

    private void assertFault(String fault) {
        assertThatThrownBy(() -> make("1.0.0"))
                .isInstanceOf(SiteException.class)
                .hasMessageContaining("\n  " + fault);
        assertThat(site.resolve("1.0.0")).doesNotExist();
    }

    @Test
    void documents_becomePagesInTheOrderOfTheIndex() throws IOException {
        make("1.0.0");
        Document first = page("guide/a.html");
        assertThat(first.title()).isEqualTo("Page A · Weir 1.0.0");
        assertThat(first.select("meta[name=description]").attr("content")).isEqualTo("Of the first.");
        assertThat(first.select("#navigation a[href]").eachAttr("href"))
                .containsExactly("#content", "../index.html", "../contents.html", "../guide/a.html", "../guide/b.html");
        assertThat(first.select("[rel=prev]").attr("href")).isEqualTo("../contents.html");
        assertThat(first.select("[rel=next]").text()).isEqualTo("Next Page B");
        assertThat(first.select("[aria-current]").text()).isEqualTo("Page A");
        assertThat(first.select(".snapshot")).isEmpty();
        assertThat(page("guide/b.html").select("article a").attr("href")).isEqualTo("../guide/a.html#its-part");
    }

    @Test
    void brokenLink_isNamedWithFileAndLine() throws IOException {
        write("docs/guide/b.md", "# B\n\nOne line,\nand [a link](absent.md).\n");
        assertFault("docs/guide/b.md:4: absent.md: leads nowhere");
    }

    @Test
    void brokenLinkInATable_isNamedWithFileAndLine() throws IOException {
        write("docs/guide/b.md", "# B\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | [x](../../../outside.md) |\n");
        assertFault("docs/guide/b.md:6: ../../../outside.md: leads nowhere");
    }

    @Test
    void missingAnchor_isNamedWithFileAndLine() throws IOException {
        write("docs/guide/b.md", "# B\n\n[part](a.md#no-part)\n");
        assertFault("docs/guide/b.md:3: a.md#no-part: no heading of that name in docs/guide/a.md");
    }

    @Test
    void allFaults_areNamedAtOnce() throws IOException {
        write("docs/guide/a.md", "Without a title, ![and](picture.png).\n");
        write("docs/guide/c.md", "# C\n\n[here](#nowhere)\n");
        assertThatThrownBy(() -> make("1.0.0"))
                .hasMessageContaining("docs/guide/a.md:1: a page has one heading of level 1, this one has 0")
                .hasMessageContaining("docs/guide/a.md:1: no image picture.png")
                .hasMessageContaining("docs/guide/b.md:3: a.md#its-part: no heading")
                .hasMessageContaining("docs/guide/c.md:1: no table names it")
                .hasMessageContaining("docs/guide/c.md:3: #nowhere: no heading");
    }

    @Test
    void linkedFile_isShownAsAPage() throws IOException {
        write("code/Some.java", "class Some<T> {}\n");
        write("docs/guide/b.md", "# B\n\n[some](../../code/Some.java)\n");
        make("1.0.0");
        assertThat(page("guide/b.html").select("article a").attr("href")).isEqualTo("../source/code/Some.java.html");
        Document shown = page("source/code/Some.java.html");
        assertThat(shown.select("pre code.language-java").text()).isEqualTo("class Some<T> {}");
        assertThat(shown.select("link[rel=stylesheet]").attr("href")).isEqualTo("../../assets/site.css");
    }

    @Test
    void versions_lieBesideEachOtherNewestFirst() throws IOException {
        make("0.9.0");
        make("0.10.0");
        make("0.11.0-SNAPSHOT");
        Files.createDirectories(site.resolve("drafts"));
        Files.writeString(site.resolve("drafts/index.html"), "<title>No version</title>");
        make("0.10.0");
        assertThat(site.resolve("versions.js"))
                .content()
                .isEqualTo("window.weirVersions = [\"0.11.0-SNAPSHOT\",\"0.10.0\",\"0.9.0\"];\n");
        assertThat(site.resolve("index.html")).content().contains("url=0.10.0/index.html");
        assertThat(site.resolve("0.11.0-SNAPSHOT/index.html")).content().contains("was not released");
    }

    @Test
    void javadoc_isLinkedOnlyWhenItIsThere() throws IOException {
        make("1.0.0");
        assertThat(page("index.html").select("#api")).isEmpty();
        Files.createDirectories(site.resolve("1.0.0/api"));
        Files.writeString(site.resolve("1.0.0/api/index.html"), "<title>API</title>");
        make("1.0.0");
        assertThat(page("index.html").select("#api").attr("href")).isEqualTo("api/index.html");
    }

    @Test
    void javadocOfModules_isUnpackedAndListed() throws IOException {
        write("weir-a/pom.xml", "<project><description>The first\n one.</description></project>\n");
        javadoc("a/A.html");
        make("1.0.0");
        assertThat(site.resolve("1.0.0/api/weir-a/a/A.html")).hasContent("<title>A</title>");
        assertThat(page("index.html").select("#api").attr("href")).isEqualTo("api/index.html");
        assertThat(page("api/index.html").select("article td").eachText()).containsExactly("weir-a", "The first one.");
        assertThat(page("api/index.html").select("article a").attr("href")).isEqualTo("weir-a/index.html");
    }

    @Test
    void javadoc_thatLeavesItsFolder_isRefused() throws IOException {
        javadoc("../outside.html");
        assertThatThrownBy(() -> make("1.0.0"))
                .isInstanceOf(SiteException.class)
                .hasMessageContaining("../outside.html leaves its folder");
        assertThat(site.resolve("1.0.0/api/outside.html")).doesNotExist();
    }

    @Test
    void javadocOfAPublishedModule_thatIsMissing_isNamed_ifAllMustBeThere() throws IOException {
        javadoc("a/A.html");
        write("weir-b/pom.xml", "<project><weir.unpublished>false</weir.unpublished></project>\n");
        write("weir-c/pom.xml", "<project/>\n");
        assertThatThrownBy(() -> make("1.0.0", true))
                .isInstanceOf(SiteException.class)
                .hasMessageEndingWith("\n  weir-b: has no Javadoc; a release's site takes a build of all modules");
        assertThat(site.resolve("1.0.0")).doesNotExist();
        make("1.0.0");
    }

    /** As the module {@code weir-a} makes it, of one page. */
    private void javadoc(String page) throws IOException {
        Path jar = project.resolve("weir-a/target/weir-a-1.0.0-javadoc.jar");
        Files.createDirectories(jar.resolveSibling(""));
        try (ZipOutputStream entries = new ZipOutputStream(Files.newOutputStream(jar))) {
            entries.putNextEntry(new ZipEntry(page));
            entries.write("<title>A</title>".getBytes(UTF_8));
        }
    }

    @Test
    void externalLinks_areKnownWithTheirPlaces() throws IOException {
        write("docs/guide/b.md", "# B\n\n[out](https://example.org/x#y)\n");
        assertThat(make("1.0.0").externalLinks()).containsEntry("https://example.org/x#y", Set.of("docs/guide/b.md:3"));
    }
}
