package dev.weir.cli.pipe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.ExitCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests arguments of {@code weir pipe} that are refused before a broker is asked. One or two lines must say what is
 * wrong and what to do. {@code PipeRefusalTest} in checks/integration uses separate processes and brokers.
 */
class PipeArgumentsTest {

    /** Nothing listens at this address: a late refusal says that no broker answers. */
    private static final Map<String, String> DEFAULTS =
            Map.of("--bootstrap-server", "127.0.0.1:1", "--from", "a", "--to", "c", "--group", "g");

    @TempDir
    private static Path folder;

    @BeforeAll
    static void writeConfigurations() throws Exception {
        Files.writeString(folder.resolve("protocol.properties"), "security.protocol=PLANTEXT\n");
        Files.writeString(folder.resolve("acks.properties"), "acks=1\n");
        Files.writeString(folder.resolve("weir.properties"), "linger.ms=1\nweir.comit.interval=1s\n");
        Files.writeString(folder.resolve("fetch.properties"), "weir.fetch=quickly\n");
        Files.writeString(folder.resolve("produce.properties"), "weir.produce=lean\n");
        Files.writeString(
                folder.resolve("truststore.properties"), "security.protocol=SSL\nssl.truststore.location=/nope\n");
        Files.write(folder.resolve("binary.properties"), new byte[] {(byte) 0xC3, (byte) 0x28});
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            --to a | --from and --to name the same topic: a
            --dead-letter c | --dead-letter must be another topic
            --concurrency 0 | --concurrency must be 1 to 10000: --concurrency=0
            --concurrency many | Invalid value for option '--concurrency'
            --ordering random | expected one of [partition, key, unordered]
            --fetch quickly | expected one of [client, lean]
            --guarantee twice | at-least-once, at-most-once or exactly-once: --guarantee=twice
            --guarantee exactly-once --via each:cat --retry 2 | exactly-once does not go with --retry
            --guarantee exactly-once --work 1ms --timeout 2s | exactly-once does not go with --timeout
            --guarantee exactly-once --dead-letter d | exactly-once does not go with --dead-letter
            --guarantee exactly-once --commit-interval 30s | --commit-interval must be 1ms to 20s
            --commit-interval 1s | --commit-interval is for --guarantee exactly-once
            --guarantee at-most-once --via each:cat | --guarantee at-most-once does not go with --retry
            --work fast | 'fast' is not a duration
            --work-cpu 2h | --work-cpu must be 0s to 1h
            --via asimov | --via asimov needs --dead-letter
            --group= | --group must not be empty
            --bootstrap-server localhost | --bootstrap-server must be HOST:PORT
            --bootstrap-server a:1,a:99999 | with ports up to 65535: --bootstrap-server=a:1,a:99999
            --client-config FOLDER/absent | (no such file or folder): --client-config=
            --client-config FOLDER | must be a properties file that can be read
            --client-config FOLDER/binary.properties | not a text in UTF-8
            --client-config FOLDER/protocol.properties | protocol.properties: Invalid value PLANTEXT
            --client-config FOLDER/acks.properties | acks.properties:1: acks=1
            --client-config FOLDER/weir.properties | weir.properties:2: there is no setting weir.comit.interval
            --client-config FOLDER/produce.properties --guarantee exactly-once | weir.produce=lean in --client-config=
            --client-config FOLDER/fetch.properties | fetch.properties:1: weir.fetch must be client, lean
            --client-config FOLDER/truststore.properties | ssl.truststore.location=/nope: no such file or folder
            --via exec:cat --retry 1 | --retry does not go with
            --via each:cat --timeout 0s | --timeout must be more than 0s
            --retry 3 | --retry has nothing to repeat
            --unreadable-batches drop | 'drop' is none of fail, skip, dead-letter
            --unreadable-batches dead-letter | goes with --dead-letter of records one by one
            --unreadable-batches dead-letter --dead-letter d --via exec:cat | goes with --dead-letter of records one by one
            --unreadable-batches skip --share --fetch client | --unreadable-batches with --share goes with --fetch lean
            --max-batch-bytes 64KB --share --fetch client | --max-batch-bytes with --share goes with --fetch lean
            --max-batch-bytes 10KB | --max-batch-bytes must be 64KB to 1GB
            --max-batch-bytes 5GB | --max-batch-bytes must be 64KB to 1GB
            --max-batch-bytes much | 'much' is not a size like 65536, 64KB, 16MB or 1GB
            --connect-timeout 0s | --connect-timeout must be more than 0s
            """)
    void wrongArguments_areRefusedWithWhatAndWhatToDo(String arguments, String message) {
        String[] given = arguments.replace("FOLDER", folder.toString()).split("[ =]", 2);
        List<String> line = new ArrayList<>(List.of("pipe"));
        DEFAULTS.forEach((name, value) -> {
            if (!name.equals(given[0])) {
                line.add(name + "=" + value);
            }
        });
        line.addAll(List.of((given[0] + "=" + given[1]).split(" ")));
        CommandHarness command = new CommandHarness();
        assertThat(command.run(line.toArray(String[]::new))).as(command.err()).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(command.err()).startsWith("weir pipe: ").contains(message);
        assertThat(command.err().lines()).hasSizeLessThanOrEqualTo(2);
        assertThat(command.err().getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(600);
        assertThat(command.out()).isEmpty();
    }
}
