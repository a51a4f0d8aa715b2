package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a user's mistakes: within 15 s, one or two lines say what happened and what to do. {@code PipeArgumentsTest} in
 * weir-cli tests refusals that need no broker.
 */
class PipeRefusalTest {

    /** Less than the command's default of ten seconds. */
    private static final String SHORT = "--connect-timeout=3s";

    private static KafkaCluster cluster;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void startCluster() throws Exception {
        cluster = KafkaCluster.builder().start();
        cluster.createTopic("a", 1);
        cluster.createTopic("c", 1);
        Files.writeString(folder.resolve("typo.properties"), "linger.ms=1\nmax.poll.recrods=5\n");
        Files.writeString(
                folder.resolve("sasl.properties"),
                "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=org.apache.kafka.common"
                        + ".security.plain.PlainLoginModule required username='u' password='p';\n");
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @ParameterizedTest(name = "{1}: {0}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            --from missing | 1 | there is no topic missing at
            --to missing | 1 | there is no topic missing at
            --dead-letter missing | 1 | there is no topic missing at
            --from in/valid | 2 | 'in/valid' cannot be the name of a topic
            --guarantee exactly-once --produce lean | 2 | exactly-once does not go with --produce lean
            --via sed | 2 | none of identity, asimov, exec:CMD
            --bootstrap-server no-such-host.invalid:9092 | 1 | no address of --bootstrap-server=no-such-host.invalid:9092
            --client-config FOLDER/typo.properties | 2 | typo.properties:2: no Kafka client has a setting max.poll.recrods; did you mean max.poll.records?
            --client-config FOLDER/sasl.properties | 1 | authentication failed at
            """)
    void wrongArguments_areRefusedWithWhatAndWhatToDo(String arguments, int exitCode, String message) {
        assertRefused(arguments, exitCode, message);
    }

    @Test
    void bootstrapServer_whereNobodyListens_isReported() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        assertRefused("--bootstrap-server 127.0.0.1:" + port, 1, "no broker answers at 127.0.0.1:" + port, SHORT);
    }

    @Test
    void bootstrapServer_thatNeverAnswers_isReported() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            String address = "127.0.0.1:" + silent.getLocalPort();
            assertRefused("--bootstrap-server " + address, 1, "no broker answers at " + address, SHORT);
        }
    }

    @Test
    void signal_beforeThePipelineRuns_endsTheCommandAtOnceWithItsNumber() throws Exception {
        try (ServerSocket silent = new ServerSocket(0);
                PipeProcess pipe = PipeProcess.start(
                        "pipe",
                        "--bootstrap-server=127.0.0.1:" + silent.getLocalPort(),
                        "--from=a",
                        "--to=c",
                        "--group=g",
                        "--connect-timeout=5m");
                Socket asking = silent.accept()) {
            pipe.signal("TERM");
            assertThat(pipe.exitCode(Duration.ofSeconds(20)))
                    .as("%s asked, %s", asking, pipe.err())
                    .isEqualTo(128 + 15);
        }
    }

    /**
     * Regression: the client read the response's first bytes as a size of 1.2 GB, and the process ended without a
     * message.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 400 Bad Request\r\n\r\n",
                "\u0015\u0003\u0003\u0000\u0002\u0002P a TLS alert",
                "\u0015\u0003\u0003\u0000\u0002\u0002P",
                "SSH-"
            })
    void bootstrapServer_thatIsNoBroker_isReported(String answer) throws Exception {
        try (ServerSocket other = new ServerSocket(0)) {
            Thread.ofPlatform().daemon().start(() -> answerAll(other, answer.getBytes(StandardCharsets.ISO_8859_1)));
            String address = "127.0.0.1:" + other.getLocalPort();
            assertRefused("--bootstrap-server " + address, 1, "what listens at " + address + " is not a Kafka broker");
        }
    }

    private static void answerAll(ServerSocket server, byte[] answer) {
        try {
            while (true) {
                Socket socket = server.accept();
                socket.getOutputStream().write(answer);
            }
        } catch (IOException closed) {
            // Closed by the test.
        }
    }

    private static void assertRefused(String arguments, int exitCode, String message, String... more) {
        String[] given = arguments.replace("FOLDER", folder.toString()).split("[ =]", 2);
        Map<String, String> defaults =
                Map.of("--bootstrap-server", cluster.bootstrapServers(), "--from", "a", "--to", "c", "--group", "g");
        StringBuilder line = new StringBuilder("pipe");
        defaults.forEach((name, value) -> line.append(name.equals(given[0]) ? "" : " " + name + "=" + value));
        line.append(" ").append(given[0]).append("=").append(given[1]);
        Stream.of(more).forEach(option -> line.append(" ").append(option));
        WeirCommand pipe = WeirCommand.run(line.toString().split(" "));
        assertThat(pipe.exitCode()).as(pipe.err()).isEqualTo(exitCode);
        assertThat(pipe.err()).startsWith("weir pipe: ").contains(message);
        assertThat(pipe.err().lines()).hasSizeLessThanOrEqualTo(2);
        assertThat(pipe.err().getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(600);
        assertThat(pipe.out()).isEmpty();
    }
}
