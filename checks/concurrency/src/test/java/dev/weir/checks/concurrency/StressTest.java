package dev.weir.checks.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs every jcstress case briefly. A case must show no forbidden outcome. Its variant named {@code Broken} must show
 * one, which proves that the case detects its fault. The build runs only cases in the packages of {@link
 * #ON_A_RECORDS_WAY}; the long tests run the others and the broken variants.
 */
class StressTest {

    private static final String BROKEN = ".Broken";

    /** Packages in which a race could lose a record or finish it twice. */
    private static final String ON_A_RECORDS_WAY = "\\.internal\\.(?:in\\.)?(?:ack|boundary|fetch|offsets|waiting)\\.";

    private static final Pattern FAILED = Pattern.compile("\\[(?:FAILED|ERROR|.*TIMEOUT)] (dev\\.weir\\.\\S+)");
    private static final Pattern TOTALS =
            Pattern.compile("Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, 0 soft errs, \\d+ hard errs");

    @Test
    void casesOnARecordsWay_hold(@TempDir Path reports) throws Exception {
        String output = runSuite(reports, "^(?!.*" + Pattern.quote(BROKEN) + "$).*" + ON_A_RECORDS_WAY + ".*$", 100);
        Set<String> run = casesIn(reports);
        // jcstress skips cases with three threads on two processors.
        assertThat(run).hasSizeGreaterThanOrEqualTo(12).noneMatch(name -> name.endsWith(BROKEN));
        assertThat(failedIn(output)).as(output).isEmpty();

        MatchResult totals =
                TOTALS.matcher(output).results().reduce((one, next) -> next).orElseThrow();
        assertThat(totals.group(1)).as("planned").isEqualTo(Integer.toString(run.size()));
        assertThat(totals.group(2)).as("passed of " + output).isEqualTo(Integer.toString(run.size()));
    }

    @Test
    @Tag("long")
    void cases_holdAndTheirBrokenVariantsFail(@TempDir Path reports) throws Exception {
        String output = runSuite(reports, ".*", 200);
        Set<String> run = casesIn(reports);
        Set<String> broken = run.stream().filter(name -> name.endsWith(BROKEN)).collect(Collectors.toSet());
        Set<String> failed = failedIn(output);
        assertThat(broken).as(output).containsAll(failed).hasSizeGreaterThanOrEqualTo(5);
        assertThat(run.size() - broken.size()).as("cases").isGreaterThanOrEqualTo(40);

        MatchResult totals =
                TOTALS.matcher(output).results().reduce((one, next) -> next).orElseThrow();
        assertThat(totals.group(1)).as("planned").isEqualTo(Integer.toString(run.size()));
        assertThat(totals.group(2)).as("passed of " + output).isEqualTo(Integer.toString(run.size() - failed.size()));

        assertThat(unseenAfterLongerRuns(reports, broken, failed))
                .as("cases that do not see the fault of their broken variant")
                .isEmpty();
    }

    /**
     * Repeats the broken variants that did not fail, for longer. On a busy machine, the threads of a case rarely act at
     * the same time.
     */
    private static Set<String> unseenAfterLongerRuns(Path reports, Set<String> broken, Set<String> failed)
            throws IOException, InterruptedException {
        Set<String> unseen = new TreeSet<>(broken);
        unseen.removeAll(failed);
        for (int roundMillis = 500; !unseen.isEmpty() && roundMillis <= 2000; roundMillis *= 2) {
            String names = unseen.stream().map(Pattern::quote).collect(Collectors.joining("|", "(", ")"));
            Path again = Files.createDirectory(reports.resolve("again-" + roundMillis));
            unseen.removeAll(failedIn(runSuite(again, names, roundMillis)));
        }
        return unseen;
    }

    private static Set<String> failedIn(String output) {
        return FAILED.matcher(output).results().map(match -> match.group(1)).collect(Collectors.toSet());
    }

    /** Returns the cases that ran. Each has an HTML file. */
    private static Set<String> casesIn(Path reports) throws IOException {
        try (Stream<Path> files = Files.list(reports)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("dev.weir.") && name.endsWith(".html"))
                    .map(name -> name.substring(0, name.length() - ".html".length()))
                    .collect(Collectors.toSet());
        }
    }

    private static String runSuite(Path reports, String cases, int roundMillis)
            throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-t",
                cases,
                "-r",
                reports.toString(),
                // One JVM configuration and one short round take less than a second per case.
                "-f",
                "1",
                "-fsm",
                "1",
                "-iters",
                "1",
                "-time",
                Integer.toString(roundMillis),
                "-sc",
                "false",
                "-af",
                "NONE",
                "-hs",
                "256",
                "-jvmArgs",
                "-XX:+UseSerialGC");
        Process process = new ProcessBuilder(command)
                .directory(reports.toFile())
                .redirectErrorStream(true)
                .start();
        try {
            process.getOutputStream().close();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            process.destroyForcibly();
        }
    }
}
