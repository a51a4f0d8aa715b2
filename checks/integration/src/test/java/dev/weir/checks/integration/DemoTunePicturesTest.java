package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.checks.browser.Browser;
import java.awt.image.BufferedImage;
import java.io.BufferedReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Takes the guide's pictures of the console while {@code weir demo --tune} runs. With {@code -Dweir.write=true}, two of
 * them replace the guide's pictures.
 */
@Tag("long")
@Timeout(900)
class DemoTunePicturesTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int UPPER_PIXELS = 740;
    private static final String LIMITED = "Limited by";
    private static final Path ROOT = Path.of(System.getProperty("weir.root", "../.."));

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @CsvSource({"tuning, --records=150000", "tuning-waiting, --waiting --records=60000"})
    void console_showsWhatLimitsEachStep(String name, String options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                "dev.weir.cli.Main",
                "demo",
                "--tune",
                "--json"));
        command.addAll(List.of(options.split(" ", -1)));
        Process demo = new ProcessBuilder(command)
                .redirectError(temporary.resolve("stderr").toFile())
                .start();
        try (BufferedReader lines = demo.inputReader();
                Browser browser = new Browser(temporary.resolve("browser"));
                ExecutorService reader = Executors.newVirtualThreadPerTaskExecutor()) {
            JsonNode started = JSON.readTree(lines.readLine());
            browser.open(URI.create(started.path("console").textValue()));
            Map<Integer, Path> pictures = new TreeMap<>();
            List<String> limiters = new ArrayList<>();
            JsonNode line = JSON.createObjectNode();
            int step = 1;
            while (!line.has("outputs_equal")) {
                Path picture = temporary.resolve(step + ".png");
                Future<String> next = reader.submit(lines::readLine);
                Path shot = temporary.resolve("shot.png");
                while (!isDone(next)) {
                    boolean wasRunning = isRunning(browser);
                    String limiter = browser.textOf("limiter");
                    browser.screenshot(shot);
                    // Keeps the latest picture of the running, limited pipeline.
                    if (limiter.startsWith(LIMITED) && wasRunning && isRunning(browser)) {
                        limiters.add(limiter);
                        Files.move(shot, picture, StandardCopyOption.REPLACE_EXISTING);
                    }
                }
                if (Files.exists(picture)) {
                    pictures.put(step, picture);
                }
                step++;
                line = JSON.readTree(next.get());
            }
            assertThat(pictures).hasSizeGreaterThan(1);
            assertThat(limiters).isNotEmpty();
            assertThat(line.path("outputs_equal").booleanValue()).isTrue();
            int best = line.path("best_step").intValue();
            assertThat(pictures).as("a picture of a running pipeline").containsKeys(1, best);
            keep(pictures.get(1), name + "-first.png");
            keep(pictures.get(best), name + "-last.png");
        } finally {
            demo.destroyForcibly();
        }
    }

    private static boolean isRunning(Browser browser) throws Exception {
        return browser.textOf("run-state").equals("running");
    }

    private static boolean isDone(Future<String> next) throws Exception {
        try {
            return next.get(500, TimeUnit.MILLISECONDS) != null;
        } catch (TimeoutException notYet) {
            return false;
        }
    }

    /** Keeps the limiter, the stages and the rate. */
    private static void keep(Path picture, String name) throws Exception {
        Path folder = Boolean.getBoolean("weir.write") ? ROOT.resolve("docs/guide") : Path.of("target");
        BufferedImage whole = ImageIO.read(picture.toFile());
        BufferedImage upper = whole.getSubimage(0, 0, whole.getWidth(), Math.min(whole.getHeight(), UPPER_PIXELS));
        assertThat(ImageIO.write(upper, "png", folder.resolve(name).toFile())).isTrue();
    }
}
