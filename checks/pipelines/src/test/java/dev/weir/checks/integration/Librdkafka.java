package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A reader without code of the Java client: {@code confluent-kafka} from PyPI, which uses librdkafka. Tests are skipped
 * if it cannot be installed; with {@code CI=true}, they fail.
 */
final class Librdkafka {

    private static final String VERSION = "confluent-kafka==2.16.1";
    private static final long MINUTES = 5;

    private Librdkafka() {}

    /** Returns the numbers in a topic as a reader with read_committed sees them, partition by partition. */
    static List<Long> committed(Path folder, String bootstrapServers, String topic) throws Exception {
        Path packages = folder.resolve("packages");
        if (!Files.exists(packages)) {
            install(folder, packages);
        }
        Path script = folder.resolve("read_committed.py");
        try (InputStream source = Librdkafka.class.getResourceAsStream("/read_committed.py")) {
            Files.copy(Objects.requireNonNull(source), script);
        }
        Path numbers = folder.resolve(topic + ".txt");
        int exit = run(folder, packages, "python3", script.toString(), bootstrapServers, topic, numbers.toString());
        assertThat(exit).as(log(folder)).isZero();
        List<Long> read = new ArrayList<>();
        for (String line : Files.readAllLines(numbers, US_ASCII)) {
            read.add(Long.valueOf(line));
        }
        return read;
    }

    private static void install(Path folder, Path packages) throws Exception {
        boolean isThere;
        try {
            isThere = run(
                            folder,
                            packages,
                            "python3",
                            "-m",
                            "pip",
                            "install",
                            "--quiet",
                            "--disable-pip-version-check",
                            "--target",
                            packages.toString(),
                            VERSION)
                    == 0;
        } catch (IOException noPython) {
            isThere = false;
        }
        if (!isThere) {
            String reason = "no " + VERSION + " by python3 -m pip: " + log(folder);
            assertThat(System.getenv("CI")).as(reason).isNotEqualTo("true");
            Assumptions.abort(reason);
        }
    }

    private static int run(Path folder, Path packages, String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("python.log").toFile());
        builder.environment().put("PYTHONPATH", packages.toString());
        Process process = builder.start();
        try {
            assertThat(process.waitFor(MINUTES, TimeUnit.MINUTES)).as("ended").isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static String log(Path folder) throws IOException {
        Path log = folder.resolve("python.log");
        return Files.exists(log) ? Files.readString(log, UTF_8) : "";
    }
}
