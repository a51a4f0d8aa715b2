package dev.weir.examples.formats;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Apicurio Registry in a separate process. It keeps schemas in memory. */
final class Registry implements BeforeAllCallback, AfterAllCallback {

    private static final Pattern ADDRESS = Pattern.compile("Listening on: (http://[0-9.]+:[0-9]+)\\.");
    private static final Path FOLDER = Path.of("target", "registry").toAbsolutePath();
    private static final Path LOG = Path.of("target", "registry.log").toAbsolutePath();

    private @Nullable Process process;
    private String address = "";

    /** Returns the registry's address, without a path. */
    String address() {
        return address;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx300m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dquarkus.http.host=127.0.0.1",
                        "-Dquarkus.http.port=0",
                        "-Dquarkus.management.host=127.0.0.1",
                        "-Dquarkus.management.port=0",
                        "-jar",
                        FOLDER.resolve("quarkus-run.jar").toString()))
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .redirectOutput(LOG.toFile())
                .start();
        await().atMost(Duration.ofMinutes(2)).until(this::listens);
    }

    private boolean listens() {
        try {
            String log = Files.readString(LOG);
            if (process == null || !process.isAlive()) {
                throw new IllegalStateException("the registry has ended: " + log);
            }
            Matcher found = ADDRESS.matcher(log);
            if (!found.find()) {
                return false;
            }
            address = found.group(1);
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }
}
