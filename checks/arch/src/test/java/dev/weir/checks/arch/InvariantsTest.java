package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the page of invariants matches the code's checks, and that a test triggers each check. */
class InvariantsTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));
    private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\| (.*?)\\.? \\| (.*?) \\| (?:`(\\w+)`)?[^|]*\\|");
    private static final Pattern THROWN =
            Pattern.compile("new InvariantException\\(\\s*(\\d+),\\s*\"([^\"]+)\",", Pattern.DOTALL);

    /** A check: the number and sentence of its invariant, and its class. */
    private record Check(int number, String sentence, String type) {}

    @Test
    void checks_areThoseOfThePage() throws IOException {
        List<Check> ofPage = rows().stream()
                .filter(row -> !row.type.isEmpty())
                .map(row -> new Check(row.number, beginningSmall(row.sentence), row.type))
                .toList();
        assertThat(checksOfSources("main")).hasSizeGreaterThan(10).containsExactlyInAnyOrderElementsOf(ofPage);
    }

    @Test
    void numbers_areUsedOnce_andNoneIsLeftOut() throws IOException {
        List<Integer> numbers = rows().stream().map(Check::number).sorted().toList();
        assertThat(numbers)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, numbers.size()).boxed().toList());
    }

    @Test
    void checks_haveATestThatBreaksTheirInvariant() throws IOException {
        String tests = String.join("\n", texts("test"));
        assertThat(checksOfSources("main"))
                .allMatch(
                        check -> tests.contains("invariant " + check.number + " does not hold")
                                || tests.contains("Violation(" + check.number + ", "),
                        "a test sees it");
    }

    private static String beginningSmall(String sentence) {
        return sentence.substring(0, 1).toLowerCase(Locale.ROOT) + sentence.substring(1);
    }

    private static List<Check> rows() throws IOException {
        return Files.readAllLines(ROOT.resolve("docs/internals/invariants.md")).stream()
                .map(ROW::matcher)
                .filter(row -> row.matches())
                .map(row -> new Check(
                        Integer.parseInt(row.group(1)), row.group(2), row.group(4) == null ? "" : row.group(4)))
                .toList();
    }

    private static List<Check> checksOfSources(String kind) throws IOException {
        List<Check> checks = new ArrayList<>();
        for (Path file : files(kind)) {
            String type = String.valueOf(file.getFileName()).replace(".java", "");
            THROWN.matcher(Files.readString(file))
                    .results()
                    .map(thrown -> new Check(Integer.parseInt(thrown.group(1)), thrown.group(2), type))
                    .forEach(checks::add);
        }
        return checks;
    }

    private static List<String> texts(String kind) throws IOException {
        List<String> texts = new ArrayList<>();
        for (Path file : files(kind)) {
            texts.add(Files.readString(file));
        }
        return texts;
    }

    private static List<Path> files(String kind) throws IOException {
        List<Path> all = new ArrayList<>();
        for (WeirModule module : Arrays.asList(WeirModule.values())) {
            Path folder = ROOT.resolve(module.folder).resolve("src/" + kind + "/java");
            if (Files.isDirectory(folder)) {
                try (Stream<Path> files = Files.walk(folder)) {
                    files.filter(each -> each.toString().endsWith(".java")).forEach(all::add);
                }
            }
        }
        return all;
    }
}
