package dev.weir.checks.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs every jcstress case briefly. A case must show no forbidden outcome; its variant named {@code Broken} must show
 * one, or else the case could not see the fault that it is there for.
 */
class StressTest {

    private static final Pattern FAILED = Pattern.compile("\\[(?:FAILED|ERROR|.*TIMEOUT)] (dev\\.weir\\.\\S+)");
    private static final Pattern TOTALS =
            Pattern.compile("Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, 0 soft errs, 0 hard errs");

    @Test
    void cases_holdAndTheirBrokenVariantsFail(@TempDir Path reports) throws Exception {
        String output = runSuite(reports);
        Set<String> run = casesIn(reports);
        Set<String> broken =
                run.stream().filter(name -> name.endsWith(".Broken")).collect(Collectors.toSet());
        Set<String> failed =
                FAILED.matcher(output).results().map(match -> match.group(1)).collect(Collectors.toSet());
        assertThat(failed).as(output).isEqualTo(broken);
        assertThat(broken).as(output).hasSizeGreaterThanOrEqualTo(5);

        MatchResult totals =
                TOTALS.matcher(output).results().reduce((one, next) -> next).orElseThrow();
        assertThat(totals.group(1)).as("planned").isEqualTo(Integer.toString(run.size()));
        assertThat(totals.group(2)).as("passed").isEqualTo(Integer.toString(run.size() - broken.size()));
    }

    /** The cases that were run: each leaves a page. */
    private static Set<String> casesIn(Path reports) throws IOException {
        try (Stream<Path> files = Files.list(reports)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("dev.weir.") && name.endsWith(".html"))
                    .map(name -> name.substring(0, name.length() - ".html".length()))
                    .collect(Collectors.toSet());
        }
    }

    private static String runSuite(Path reports) throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-r",
                reports.toString(),
                // One plain configuration, four short rounds: about twenty seconds on two cores.
                "-f",
                "1",
                "-fsm",
                "1",
                "-iters",
                "4",
                "-time",
                "200",
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
