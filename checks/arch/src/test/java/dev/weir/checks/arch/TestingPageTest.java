package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks that the figures on the testing page match the actual counts. {@code -Dweir.write=true} updates them. */
class TestingPageTest {

    private static final Path PAGE = Path.of(System.getProperty("weir.root")).resolve("docs/internals/testing.md");

    /** Matches a table row with only numbers or empty cells after the first one. */
    private static final Pattern NUMBERS = Pattern.compile("\\| ([^|]+?) \\|(?: [\\d,.]+(?: %)? \\|)+.*");

    @Test
    void figures_areThoseThatAreCounted() throws IOException {
        String page = Files.readString(PAGE);
        for (Map.Entry<String, String> figure : TestingFigures.count().entrySet()) {
            page = withFigure(page, figure.getKey(), figure.getValue());
        }
        if (Boolean.getBoolean("weir.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE))
                .as("%s; -Dweir.write=true brings it up to date", PAGE)
                .isEqualTo(page);
    }

    @Test
    void rowsOfFigures_areAllCounted() throws IOException {
        Map<String, String> counted = TestingFigures.count();
        List<String> typed = new ArrayList<>();
        for (String line : Files.readAllLines(PAGE)) {
            Matcher row = NUMBERS.matcher(line);
            if (row.matches() && !counted.containsKey(row.group(1))) {
                typed.add(line);
            }
        }
        assertThat(typed).as("typed by hand").isEmpty();
    }

    /** Returns the page with {@code cells} after the row's first cell. */
    private static String withFigure(String page, String what, String cells) {
        int count = cells.split(" \\| ", -1).length;
        Pattern row =
                Pattern.compile("^\\| " + Pattern.quote(what) + " \\|(?: [^|]* \\|){" + count + "}", Pattern.MULTILINE);
        Matcher found = row.matcher(page);
        assertThat(found.results().count()).as("rows of \"%s\"", what).isEqualTo(1);
        return row.matcher(page).replaceAll(Matcher.quoteReplacement("| " + what + " | " + cells + " |"));
    }
}
