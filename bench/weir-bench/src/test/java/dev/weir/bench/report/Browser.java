package dev.weir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * Headless Chromium without a network; one process per page. Without a browser, tests that open a page are skipped, or
 * fail if the environment has {@code CI=true}. Confined to one thread.
 */
final class Browser {

    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome");
    private static final String ON_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

    private static final String MISSING =
            "no browser: Chromium or Chrome on the PATH opens the report's page. Install it:"
                    + " apt-get install chromium (Debian), snap install chromium (Ubuntu),"
                    + " brew install --cask google-chrome (macOS)";

    private final Path folder;
    private final String executable;

    /** Creates a browser with this folder for its profile and output. Skips the test if there is no browser. */
    Browser(Path folder) {
        this.folder = folder;
        this.executable = executable();
    }

    /** A page after its scripts have run, with its console output. */
    record Page(String document, List<String> console) {}

    Page open(Path page) throws IOException, InterruptedException {
        File out = folder.resolve("document.html").toFile();
        File log = folder.resolve("browser.log").toFile();
        List<String> command = List.of(
                executable,
                "--headless",
                // The page comes from this build, and containers lack the user namespaces that the sandbox needs.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--user-data-dir=" + folder.resolve("profile"),
                "--enable-logging=stderr",
                "--window-size=1280,2600",
                "--virtual-time-budget=15000",
                "--dump-dom",
                page.toUri().toString());
        Process process = new ProcessBuilder(command)
                .redirectOutput(out)
                .redirectError(log)
                .start();
        boolean ended;
        try {
            ended = process.waitFor(50, TimeUnit.SECONDS);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        assertThat(ended)
                .as("the browser ended in time; its log: %s", Files.readString(log.toPath()))
                .isTrue();
        List<String> console = Files.readAllLines(log.toPath()).stream()
                .filter(line -> line.contains("CONSOLE"))
                .toList();
        return new Page(Files.readString(out.toPath()), console);
    }

    private static String executable() {
        String path = System.getenv().getOrDefault("PATH", "");
        String found = Stream.concat(
                        NAMES.stream()
                                .flatMap(name -> Stream.of(path.split(File.pathSeparator, -1))
                                        .map(folder -> folder + File.separator + name)),
                        Stream.of(ON_MAC))
                .filter(file -> Files.isExecutable(Path.of(file)))
                .findFirst()
                .orElse("");
        if (found.isEmpty()) {
            assertThat(System.getenv("CI")).as(MISSING).isNotEqualTo("true");
            System.out.println("Skipped: " + MISSING); // Surefire prints only the number of skipped tests.
            Assumptions.abort(MISSING);
        }
        return found;
    }
}
