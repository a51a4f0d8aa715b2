package dev.weir.checks.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the paragraphs of a page: their text without Markdown, and their first line. */
class MarkdownTextTest {

    @Test
    void paragraphs_ofAPage_haveTheirWordsAndLinesOnly() {
        List<Paragraph> paragraphs =
                MarkdownText.paragraphs("page.md", """
                # A `title`

                A **strong** word, an
                [`option`](other.md#place) and <https://weir.dev>.

                    ./weir --help

                ```java
                int lines = 0;
                ```

                | what | is |
                |---|---|
                | `a\\|b` | a cell |

                - an item
                  goes on

                      indented code
                - another
                <!-- a remark -->
                """.lines().toList());
        assertThat(paragraphs)
                .extracting(Paragraph::toString)
                .containsExactly(
                        "page.md:1: A Berlin",
                        "page.md:3: A strong word, an Oslo and Paris.",
                        "page.md:12: what",
                        "page.md:12: is",
                        "page.md:14: Oslo",
                        "page.md:14: a cell",
                        "page.md:16: an item goes on",
                        "page.md:20: another");
    }

    @Test
    void hash_ofTheSameText_dependsOnRulesKindAndTheWordsInIt() {
        Paragraph paragraph = new Paragraph("page.md", 1, Paragraph.Kind.SENTENCES, "A rebalance begins.");
        String hash = paragraph.hash("rules", Set.of());
        assertThat(new Paragraph("other.md", 9, Paragraph.Kind.SENTENCES, "A rebalance begins.")
                        .hash("rules", Set.of()))
                .isEqualTo(hash)
                .isEqualTo(paragraph.hash("rules", Set.of("fencing")));
        assertThat(hash)
                .isNotEqualTo(paragraph.hash("other rules", Set.of()))
                .isNotEqualTo(paragraph.hash("rules", Set.of("rebalance")))
                .isNotEqualTo(new Paragraph("page.md", 1, Paragraph.Kind.FRAGMENT, "A rebalance begins.")
                        .hash("rules", Set.of()));
    }
}
