package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks the pages about long tests and about the tests of the guarantees. Each class with a {@code long} test, and
 * each guarantee, needs a row. The build must run at least one of the tests in a guarantee's row.
 */
class LongTestsTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    /** Split, because the test searches this file as well. */
    private static final String LONG = "@Tag(" + '"' + "long" + '"' + ")";

    /** Matches {@code `SomeTest.subject_condition*`}, or only the class. */
    private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w*Test)(?:\\.(\\w+)\\*?)?`");

    /** Matches a method's name, and the text between the previous member and the name. */
    private static final Pattern METHOD = Pattern.compile("(.*?)\\n    (?:public )?void (\\w+)\\(", Pattern.DOTALL);

    private static final Path GUARANTEES = ROOT.resolve("docs/reference/guarantees.md");

    private static final Path GUARANTEE_TESTS = ROOT.resolve("docs/internals/guarantee-tests.md");

    private static final Pattern GUARANTEE_TABLE = Pattern.compile("\\| promise \\| bounds \\||\\| event \\| what .*");

    private static final Pattern GUARANTEE_TESTS_TABLE = Pattern.compile("\\| (?:promise|event) \\| tests \\|");

    private static final Pattern LIMITS_TABLE = Pattern.compile("\\| limit \\| tests \\|");

    private static final Pattern HEADING = Pattern.compile("#+ (.*)");

    private static final Pattern BOLD_START = Pattern.compile("\\*\\*(.+?)\\.?\\*\\*.*");

    private static final Pattern MEMBER_END = Pattern.compile("\\n    }\\n");

    @Test
    void classesWithLongTests_areOnTheirPage() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/internals/long-tests.md"));
        List<String> classes = sources().entrySet().stream()
                .filter(source -> source.getValue().contains(LONG))
                .map(Map.Entry::getKey)
                .toList();
        assertThat(classes).isNotEmpty().allSatisfy(name -> assertThat(page).contains("| `" + name));
    }

    @Test
    void promises_nameATestThatTheBuildRuns() throws IOException {
        Map<String, String> sources = sources();
        List<String> rows = Files.readAllLines(GUARANTEE_TESTS);
        assertThat(rows.stream().filter(LongTestsTest::namesTests)).hasSizeGreaterThan(50);
        assertThat(rows).allMatch(row -> !namesTests(row) || isShown(row, sources), "names a test that the build runs");
    }

    @Test
    void guarantees_haveTheSameNamesOnThePageOfTheirTests() throws IOException {
        Map<String, List<String>> guarantees = rowNames(GUARANTEES, GUARANTEE_TABLE);
        assertThat(guarantees.values().stream().mapToInt(List::size).sum()).isGreaterThan(100);
        assertThat(rowNames(GUARANTEE_TESTS, GUARANTEE_TESTS_TABLE)).containsExactlyEntriesOf(guarantees);
    }

    @Test
    void limits_onThePageOfTests_areHeadingsOrListItemsOfTheGuarantees() throws IOException {
        List<String> known = Files.readAllLines(GUARANTEES).stream()
                .flatMap(line -> Stream.of(
                        HEADING.matcher(line),
                        Pattern.compile("- " + BOLD_START).matcher(line)))
                .filter(Matcher::matches)
                .map(match -> match.group(1))
                .toList();
        List<String> limits =
                rowNames(GUARANTEE_TESTS, LIMITS_TABLE).values().iterator().next();
        assertThat(limits).hasSizeGreaterThan(3).allMatch(name -> name.startsWith("[") || known.contains(name));
    }

    /** Returns the first cells of all tables with the given head, by the heading above the table. */
    private static Map<String, List<String>> rowNames(Path page, Pattern head) throws IOException {
        Map<String, List<String>> names = new LinkedHashMap<>();
        String heading = "";
        String before = "";
        boolean isWanted = false;
        for (String line : Files.readAllLines(page)) {
            Matcher title = HEADING.matcher(line);
            if (title.matches()) {
                heading = title.group(1);
            } else if (line.startsWith("|") && !before.startsWith("|")) {
                isWanted = head.matcher(line).matches();
            } else if (line.startsWith("|") && !line.startsWith("|--") && isWanted) {
                String cell = line.split("(?<!\\\\)\\|", -1)[1].strip();
                Matcher bold = BOLD_START.matcher(cell);
                names.computeIfAbsent(heading, first -> new ArrayList<>()).add(bold.matches() ? bold.group(1) : cell);
            }
            before = line;
        }
        return names;
    }

    @Test
    void promise_whoseOnlyTestIsLong_isFound() throws IOException {
        Map<String, String> sources = sources();
        assertThat(isShown("| a class | `PipeSoakTest` |", sources)).isFalse();
        assertThat(isShown("| a method | `ExactlyOnceFlowTest.rebalances_onTheClassicProtocol_*` |", sources))
                .isFalse();
        assertThat(isShown("| another | `ExactlyOnceFlowTest.rebalances_*` |", sources))
                .isTrue();
        assertThat(isShown("| beside it | `PipeSoakTest`, `PipeRestartTest` |", sources))
                .isTrue();
    }

    private static boolean namesTests(String row) {
        return row.startsWith("|") && NAMED.matcher(row).find();
    }

    private static boolean isShown(String row, Map<String, String> sources) {
        return NAMED.matcher(row)
                .results()
                .anyMatch(named -> isInTheBuild(
                        sources.getOrDefault(named.group(1), LONG),
                        method -> named.group(2) == null || method.startsWith(named.group(2))));
    }

    /** Returns whether the build runs a test of the class. A class without own tests inherits them. */
    private static boolean isInTheBuild(String source, Predicate<String> isNamed) {
        int body = source.indexOf(" {\n");
        if (body < 0 || source.substring(0, body).contains(LONG)) {
            return false;
        }
        boolean none = true;
        for (String member : MEMBER_END.splitAsStream(source.substring(body)).toList()) {
            Matcher method = METHOD.matcher(member);
            if (method.lookingAt() && method.group(1).contains("Test")) {
                none = false;
                if (isNamed.test(method.group(2)) && !method.group(1).contains(LONG)) {
                    return true;
                }
            }
        }
        return none;
    }

    /** Returns the sources of all tests by simple class name. Sources with the same name are concatenated. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> files = Files.find(
                ROOT, 20, (file, attributes) -> file.toString().endsWith("Test.java") && isTestSource(file))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                sources.merge(name, Files.readString(file), String::concat);
            }
        }
        return sources;
    }

    private static boolean isTestSource(Path file) {
        return ROOT.relativize(file).toString().contains("src/test/java");
    }
}
