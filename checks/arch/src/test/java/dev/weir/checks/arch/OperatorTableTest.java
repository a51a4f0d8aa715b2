package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks that {@code docs/reference/operators.md} matches the code. Regenerate the page with {@code -Dweir.write=true}.
 */
class OperatorTableTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final Path PAGE = ROOT.resolve("docs/reference/operators.md");

    private static OperatorTable table;

    @BeforeAll
    static void read() throws IOException {
        table = OperatorTable.read(ROOT.resolve("weir-stream/src/main/java/dev/weir/stream"));
    }

    @Test
    void everyMethodThatMakesAStage_isMarked() {
        assertThat(table.unmarked()).as("methods without an @Operator mark").isEmpty();
    }

    @Test
    void page_isWhatTheCodeSays() throws IOException {
        String expected = table.markdown();
        if (Boolean.getBoolean("weir.write")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/reference/operators.md; its first lines say how to regenerate it")
                .isEqualTo(expected);
    }
}
