package dev.weir.testkit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a process's reported failure is its last logged exception, and not from an earlier start. */
final class LoggedFailureTest {

    private static final String TRACE = """
            2026-01-02 03:04:05.678 SEVERE kafka.Kafka$ Exiting Kafka due to fatal exception: Oops
            java.lang.RuntimeException: it failed
            \tat kafka.Kafka.main(Kafka.scala:1)
            Caused by: org.apache.kafka.common.config.ConfigException: Invalid value none for num.io.threads
            \tat kafka.Kafka.read(Kafka.scala:2)
            """;

    @Test
    void innermostException_isTheReason(@TempDir Path folder) throws IOException {
        Path log = Files.writeString(folder.resolve("broker.log"), TRACE);
        assertThat(LoggedFailure.past(log, 0)).isEqualTo("ConfigException: Invalid value none for num.io.threads");
    }

    @Test
    void earlierStart_isNot(@TempDir Path folder) throws IOException {
        Path log = Files.writeString(folder.resolve("broker.log"), TRACE);
        long before = LoggedFailure.sizeOf(log);
        assertThat(LoggedFailure.past(log, before)).isEmpty();
        Files.writeString(log, "Log directory /a is already formatted.\n", StandardOpenOption.APPEND);
        assertThat(LoggedFailure.past(log, before)).isEqualTo("Log directory /a is already formatted.");
        assertThat(LoggedFailure.sizeOf(folder.resolve("none"))).isZero();
    }
}
