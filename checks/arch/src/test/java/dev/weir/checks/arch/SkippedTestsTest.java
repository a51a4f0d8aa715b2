package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Prints the skipped tests, because Surefire shows only their number. */
class SkippedTestsTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    /** Matches the name, the class and the reason of a skipped test. */
    private static final Pattern SKIPPED =
            Pattern.compile("<testcase name=\"([^\"]*)\" classname=\"([^\"]*)\"[^>]*>\\s*"
                    + "<skipped(?: message=\"([^\"]*)\")?[^>]*>"
                    + "(?:<!\\[CDATA\\[[\\w.$]+: ([^\n\\]]*))?");

    @Test
    void skippedTests_ofAllModules_arePrintedWithTheirReasons() throws IOException {
        List<String> skipped = new ArrayList<>();
        try (Stream<Path> reports = Files.find(ROOT, 6, (file, attributes) -> isReport(file))) {
            for (Path report : reports.sorted().toList()) {
                skipped.addAll(skippedIn(Files.readString(report)));
            }
        }
        skipped.forEach(System.out::println);
        System.out.println("Skipped tests: " + skipped.size());
        assertThat(skippedIn("""
                <testcase name="page_opens" classname="dev.PageTest" time="0.1">
                  <skipped message="no browser" type="x"/>
                <testcase name="other" classname="dev.PageTest" time="0.1"/>
                <testcase name="page_closes" classname="dev.PageTest" time="0.1">
                  <skipped type="x.Aborted"><![CDATA[x.Aborted: no window
                	at x.Assumptions.abort(Assumptions.java:316)
                """))
                .containsExactly(
                        "Skipped: dev.PageTest.page_opens: no browser", "Skipped: dev.PageTest.page_closes: no window");
    }

    private static boolean isReport(Path file) {
        return file.getFileName().toString().matches("TEST-.*\\.xml")
                && file.getParent().endsWith("target/surefire-reports");
    }

    private static List<String> skippedIn(String report) {
        List<String> skipped = new ArrayList<>();
        Matcher found = SKIPPED.matcher(report);
        while (found.find()) {
            String reason = found.group(3) == null ? found.group(4) : found.group(3);
            skipped.add("Skipped: " + found.group(2) + "." + found.group(1) + ": "
                    + (reason == null ? "no reason given" : reason));
        }
        return skipped;
    }
}
