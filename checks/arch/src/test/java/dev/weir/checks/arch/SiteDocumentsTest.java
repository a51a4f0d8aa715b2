package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that the documents have no faults, and that each kind of fault is found in a small site. */
class SiteDocumentsTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    @TempDir
    Path project;

    @BeforeEach
    void smallProject() throws IOException {
        write("README.md", "# Small\n\nSee [all](docs/README.md) and [the source](code/Some.java).\n");
        write("code/Some.java", "class Some {}\n");
        write("docs/README.md", """
                # Documents

                ## Guide

                | page | about |
                |---|---|
                | [a.md](guide/a.md) | the one |
                | [b.md](guide/b.md) | the other |
                | [decisions](adr/README.md) | why |
                """);
        write("docs/adr/README.md", "# Decisions\n\n- 1: [One](0001-one.md)\n");
        write("docs/adr/0001-one.md", "# 1. One\n");
        write("docs/guide/a.md", "# Page A\n\n## Its part\n\nWords.\n\n## Its `part`\n\n```sh\n# a comment\n```\n");
        write("docs/guide/b.md", "# B\n\n[First](a.md#its-part), [second](a.md#its-part-1), [here](#b).\n");
        write("examples/one/README.md", "# Example\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = project.resolve(file);
        Files.createDirectories(path.resolveSibling(""));
        Files.writeString(path, text);
    }

    private void assertFaults(String... faults) throws IOException {
        assertThat(SiteDocuments.faults(project)).containsExactly(faults);
    }

    @Test
    void documents_ofThisProject_haveNoFault() throws IOException {
        assertThat(SiteDocuments.of(ROOT)).hasSizeGreaterThan(100);
        assertThat(SiteDocuments.faults(ROOT)).isEmpty();
    }

    @Test
    void soundDocuments_haveNoFault() throws IOException {
        assertFaults();
    }

    @Test
    void deadLink_isNamedWithFileAndLine() throws IOException {
        write("docs/guide/b.md", "# B\n\nOne line,\nand [a link that\nis long](absent.md).\n");
        assertFaults("docs/guide/b.md:5: absent.md: leads nowhere");
    }

    @Test
    void deadLinkInATable_isNamedWithFileAndLine() throws IOException {
        write("docs/guide/b.md", "# B\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | [x](../../../outside.md) |\n");
        assertFaults("docs/guide/b.md:6: ../../../outside.md: leads nowhere");
    }

    @Test
    void deadImage_isNamedWithFileAndLine() throws IOException {
        write("docs/guide/b.md", "# B\n\n![seen](picture.png \"Title\")\n");
        assertFaults("docs/guide/b.md:3: picture.png: leads nowhere");
    }

    @Test
    void linkToAFolder_isAFault() throws IOException {
        write("docs/guide/b.md", "# B\n\n[decisions](../adr/)\n");
        assertFaults("docs/guide/b.md:3: ../adr/: leads nowhere");
    }

    @Test
    void linkInCode_isNoLink() throws IOException {
        write(
                "docs/guide/b.md",
                "# B\n\nWrite `[x](absent.md)`:\n\n```md\n[x](absent.md)\n# Title\n```\n\n[`code`](a.md)\n");
        assertFaults();
    }

    @Test
    void missingAnchor_isNamedWithFileAndLine() throws IOException {
        write("docs/guide/b.md", "# B\n\n[part](a.md#its-part-2)\n[comment](a.md#a-comment)\n[self](#c)\n");
        assertFaults(
                "docs/guide/b.md:3: a.md#its-part-2: no heading of that name in docs/guide/a.md",
                "docs/guide/b.md:4: a.md#a-comment: no heading of that name in docs/guide/a.md",
                "docs/guide/b.md:5: #c: no heading of that name in docs/guide/b.md");
    }

    @Test
    void anchorInASource_isAFault() throws IOException {
        write("docs/guide/b.md", "# B\n\n[some](../../code/Some.java#L1)\n");
        assertFaults("docs/guide/b.md:3: ../../code/Some.java#L1: only documents have headings");
    }

    @Test
    void documentOutside_isAFault() throws IOException {
        write("other/page.md", "# Other\n");
        write("docs/guide/b.md", "# B\n\n[other](../../other/page.md)\n");
        assertFaults("docs/guide/b.md:3: ../../other/page.md: is not among the documents that become pages");
    }

    @Test
    void pagesWithoutOneTitle_areNamed() throws IOException {
        write("docs/guide/b.md", "Without a title.\n");
        write("examples/one/README.md", "# One\n\n# Two\n");
        assertFaults(
                "docs/guide/b.md:1: a page has one heading of level 1, this one has 0",
                "examples/one/README.md:1: a page has one heading of level 1, this one has 2");
    }

    @Test
    void pagesThatNoIndexNames_areNamed() throws IOException {
        write("docs/guide/c.md", "# C\n");
        write("docs/adr/0002-two.md", "# 2. Two\n");
        write("docs/guide/b.md", "# B\n\n[C](c.md), [Two](../adr/0002-two.md)\n");
        assertFaults(
                "docs/adr/0002-two.md:1: no index names it, neither docs/README.md nor in docs/adr/README.md",
                "docs/guide/c.md:1: no index names it, neither docs/README.md nor in docs/adr/README.md");
    }
}
