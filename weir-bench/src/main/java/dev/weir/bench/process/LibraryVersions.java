package dev.weir.bench.process;

import dev.weir.bench.BenchException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Other versions of the libraries under test, each a jar below {@code drivers/target/libraries}. Maven fetches what is
 * not there yet, so its settings for mirrors and proxies apply. Thread-safe.
 */
final class LibraryVersions {
    /** No path and no option of a command. */
    private static final Pattern VERSION = Pattern.compile("\\d[\\w.+-]*");

    private static final Pattern ERROR = Pattern.compile("^\\[ERROR\\] *(.*)$", Pattern.MULTILINE);

    private final Path root;
    private final Path folder;

    LibraryVersions(Path root) {
        this.root = root;
        this.folder = root.resolve("drivers/target/libraries");
    }

    /**
     * The jar of that version.
     *
     * @param coordinates group and artifact, {@code org.apache.kafka:kafka-clients}
     * @throws BenchException if the version is none, or cannot be fetched: with what Maven said
     */
    Path jar(String driver, String coordinates, String version) {
        if (!VERSION.matcher(version).matches()) {
            throw new BenchException("driver " + driver + ": what stands behind @ is no version: " + version
                    + "; write 2.4.0, for example");
        }
        String name = coordinates.substring(coordinates.indexOf(':') + 1) + "-" + version + ".jar";
        Path jar = folder.resolve(name);
        if (!Files.exists(jar)) {
            fetch(driver, coordinates + ":" + version, jar);
        }
        return jar;
    }

    private void fetch(String driver, String artifact, Path jar) {
        Path maven = root.resolve("mvnw");
        String byHand = "; or put " + jar.getFileName() + " into " + folder + " yourself";
        if (!Files.isExecutable(maven)) {
            throw new BenchException("driver " + driver + " needs " + artifact
                    + ", which is fetched by the Maven of a checkout, and there is none in " + root + byHand);
        }
        try {
            Process process = new ProcessBuilder(List.of(
                            maven.toString(),
                            "-q",
                            "-B",
                            "-N",
                            "-f",
                            root.resolve("pom.xml").toString(),
                            "dependency:copy",
                            "-Dartifact=" + artifact,
                            "-DoutputDirectory=" + folder))
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0 || !Files.exists(jar)) {
                var error = ERROR.matcher(said);
                throw new BenchException("driver " + driver + " needs " + artifact + ", which Maven could not fetch: "
                        + (error.find() ? error.group(1) : said.strip()) + byHand);
            }
        } catch (IOException e) {
            throw new BenchException(
                    "driver " + driver + " needs " + artifact + ", and Maven could not be started: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted while Maven fetched " + artifact, e);
        }
    }
}
