package dev.weir.checks.language;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.checks.language.BannedPhrases.Allowance;
import dev.weir.checks.language.BannedPhrases.Ban;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Checks that the comments of all Java sources, and the pages, contain no phrases banned by style.md. */
class BannedPhrasesTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    /** The page that names the banned phrases. */
    private static final String STYLE_PAGE = "docs/internals/style.md";

    private static BannedPhrases phrases;
    private static final List<Passage> passages = new ArrayList<>();

    /** A comment, or a paragraph of a page. */
    private record Passage(String file, int line, boolean isJavadoc, String text) {}

    @BeforeAll
    static void readAll() throws IOException {
        phrases = BannedPhrases.read();
        for (Path file : sources()) {
            String name = ROOT.relativize(file).toString();
            JavaComments.of(Files.readString(file))
                    .forEach(each -> passages.add(new Passage(name, each.line(), each.isJavadoc(), each.text())));
        }
        PageLanguageTest.paragraphs().stream()
                .filter(BannedPhrasesTest::isBound)
                .forEach(each -> passages.add(new Passage(each.page(), each.line(), false, each.text())));
    }

    @Test
    void commentsAndPages_haveNoBannedPhrase() {
        List<String> faults = new ArrayList<>();
        for (Passage each : passages) {
            phrases.in(each.file, each.text, each.isJavadoc)
                    .forEach(fault -> faults.add(each.file + ":" + each.line + ": " + fault));
        }
        assertThat(faults)
                .as("Rewrite the sentence. A word with another meaning goes to allowed-phrases.txt with its reason.")
                .isEmpty();
    }

    @Test
    void allowances_areUsed_andHaveAReason() {
        assertThat(phrases.allowances).allSatisfy(each -> {
            assertThat(each.reason()).as(each.phrase()).hasSizeGreaterThan(15);
            assertThat(passages).as(each.phrase()).anyMatch(uses(each));
        });
    }

    private static Predicate<Passage> uses(Allowance allowance) {
        return passage -> passage.file.startsWith(allowance.place())
                && passage.text.toLowerCase(Locale.ROOT).contains(allowance.phrase());
    }

    @Test
    void exampleOfEachBan_isFound_inAllKindsOfText() {
        assertThat(phrases.bans).hasSizeGreaterThan(20).allSatisfy(each -> {
            assertThat(found(each, "class A { /** " + each.example() + " */ int a; }"))
                    .as(each.example())
                    .isTrue();
            assertThat(found(each, "/**\n * " + each.example().replace(" ", "\n * ") + "\n */"))
                    .as(each.example())
                    .isTrue();
            assertThat(found(each, "// " + each.example())).as(each.example()).isNotEqualTo(each.isOpening());
            assertThat(found(each, "/* " + each.example() + " */"))
                    .as(each.example())
                    .isNotEqualTo(each.isOpening());
            assertThat(found(each, "String a = \"// " + each.example() + "\";"))
                    .as(each.example())
                    .isFalse();
        });
    }

    private static boolean found(Ban ban, String source) {
        return JavaComments.of(source).stream()
                .flatMap(each -> phrases.in("Any.java", each.text(), each.isJavadoc()).stream())
                .anyMatch(fault -> fault.endsWith(ban.instead()));
    }

    @Test
    void innocentText_passes() {
        assertThat(List.of(
                        "/** Writes a dead-letter record. Dead letters keep their headers. */",
                        "/** Ends {@code claim} and {@link Outbox#lanes() lanes}, as {@snippet : if (lent) { claim(); } } says. */",
                        "/** Takes a packet. <pre> each second | lent </pre> */",
                        "// The tutorial told them apart: `outbox` is a name.",
                        "// Records cannot be told apart.",
                        "/** Returns what a reader sees, and how. */",
                        "/** The leader of a partition that is known. */",
                        "// What a line comment may begin with.",
                        "char quote = '\"'; String text = \"// by which \\\" // of which\"; char c = '\\'';",
                        "String text = \"\"\"\n    // that of\n    \\\"\"\" /* by which */\n    \"\"\";"))
                .allSatisfy(source -> assertThat(JavaComments.of(source))
                        .flatExtracting(each -> phrases.in("Any.java", each.text(), each.isJavadoc()))
                        .as(source)
                        .isEmpty());
    }

    @Test
    void comments_areReadWithTheirLines() {
        assertThat(JavaComments.of("""
                package a; // One.

                /**
                 * Two <em>words</em>
                 * and {@code more}.
                 *
                 * @param a three
                 */
                class A { // Four
                    // five.

                    // Six.
                    /* Seven. */ /**/
                    String a = "/* no"; // Eight. */
                }"""))
                .containsExactly(
                        new JavaComments.Comment(1, false, "One."),
                        new JavaComments.Comment(3, true, "Two words and Code. @param a three"),
                        new JavaComments.Comment(9, false, "Four five."),
                        new JavaComments.Comment(12, false, "Six."),
                        new JavaComments.Comment(13, false, "Seven."),
                        new JavaComments.Comment(13, false, ""),
                        new JavaComments.Comment(14, false, "Eight. */"));
    }

    /** Returns whether the rules apply to a paragraph. In a decision, they apply only to the title. */
    private static boolean isBound(Paragraph paragraph) {
        return !paragraph.page().equals(STYLE_PAGE)
                && (!paragraph.page().matches("docs/adr/\\d.*") || paragraph.line() == 1);
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                String name = folder.getFileName().toString();
                boolean isOurs = folder.equals(ROOT) || !(name.equals("target") || name.startsWith("."));
                return isOurs ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".java")) {
                    sources.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        sources.sort(null);
        return sources;
    }
}
