package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds two rules about tests that the build leaves out. Each class with a test tagged {@code long} has a row on the
 * page of long tests, and each row of the guarantees that names tests names one that the build runs.
 */
class LongTestsTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    /** Written in parts, because the test searches this file as well. */
    private static final String LONG = "@Tag(" + '"' + "long" + '"' + ")";

    /** {@code `SomeTest.subject_condition*`}, or the class alone. */
    private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w*Test)(?:\\.(\\w+)\\*?)?`");

    /** The text from the end of the previous member to the name of a method, and the name. */
    private static final Pattern METHOD = Pattern.compile("(.*?)\\n    (?:public )?void (\\w+)\\(", Pattern.DOTALL);

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
        List<String> rows = Files.readAllLines(ROOT.resolve("docs/internals/guarantee-tests.md"));
        assertThat(rows.stream().filter(LongTestsTest::namesTests)).hasSizeGreaterThan(50);
        assertThat(rows).allMatch(row -> !namesTests(row) || isShown(row, sources), "names a test that the build runs");
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

    /**
     * Returns whether the build runs a test of the class. A class without its own tests runs the tests that it
     * inherits.
     */
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

    /** Returns the sources of all tests by simple class name. Sources of classes with the same name are joined. */
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
