package dev.weir.testkit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a broker's process gets from its owner, and what the owner learns from a JVM that does not start. */
class ForkedNodeTest {

    @TempDir
    private Path folder;

    private ForkedNode node(int heapMegabytes, Map<String, String> settings) {
        BrokerProgram program = new BrokerProgram(List.of(), List.of("-version"));
        return new ForkedNode(1, settings, folder.resolve("settings"), folder.resolve("log"), heapMegabytes, program);
    }

    /** Regression: a server of another release, which reads the file as Latin-1, used a folder of another name. */
    @Test
    void settings_withUmlauts_areReadAlikeByEveryServer() throws IOException {
        assertThatThrownBy(node(16, Map.of("log.dirs", "/data/Gr\u00f6\u00dfe"))::start)
                .hasMessageContaining("broker 1 did not start: its process ended");

        Properties read = new Properties();
        try (InputStream in = Files.newInputStream(folder.resolve("settings"))) {
            read.load(in);
        }
        assertThat(read).containsEntry("log.dirs", "/data/Gr\u00f6\u00dfe");
    }

    /** Regression: the message was only "Error occurred during initialization of VM", and the log was empty. */
    @Test
    void heapThatTheMachineDoesNotHave_isNamed() {
        assertThatThrownBy(node(Integer.MAX_VALUE, Map.of())::start)
                .hasMessageContaining("broker 1 did not start: its process ended: ")
                .hasMessageContaining("heap");
    }
}
