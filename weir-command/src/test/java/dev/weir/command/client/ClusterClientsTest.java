package dev.weir.command.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.command.terminal.CliFailure;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.Subscription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ClusterClientsTest {

    @TempDir
    private Path folder;

    private ClusterClients clients(String text) throws IOException {
        return new ClusterClients(
                "h:1", "g", Files.writeString(folder.resolve("c.properties"), text), Duration.ofSeconds(10));
    }

    @Test
    void file_ofAllKinds_setsWeirsOwnAndBothClients() throws IOException {
        ClusterClients clients = clients("""
                bootstrap.servers=elsewhere:1
                group.id=elsewhere
                linger.ms=5
                weir.commit.interval=250ms
                weir.fetch=lean
                """);
        assertThat(clients.consumer())
                .satisfies(settings -> assertThat(settings.commitInterval()).isEqualTo(Duration.ofMillis(250)))
                .satisfies(settings -> assertThat(settings.fetch()).isEqualTo(FetchPath.LEAN))
                .satisfies(settings -> assertThat(settings.groupId()).isEqualTo("g"))
                .satisfies(settings -> assertThat(settings.properties())
                        .containsEntry("bootstrap.servers", "h:1")
                        .doesNotContainKey("weir.fetch"));
        assertThat(clients.producer(null).properties())
                .containsEntry("bootstrap.servers", "h:1")
                .containsEntry("linger.ms", "5")
                .doesNotContainKey("weir.fetch");
    }

    @Test
    void fetchThreads_goWithThePathOfTheCommand_notOnlyWithThatOfTheFile() throws IOException {
        assertThat(clients("weir.fetch.threads=2\n").consumer(FetchPath.LEAN).fetchThreads())
                .isEqualTo(2);
        ClusterClients clients = clients("weir.fetch=lean\nweir.fetch.threads=2\n");
        assertThat(clients.consumer(null).fetch()).isEqualTo(FetchPath.LEAN);
        assertThatThrownBy(() -> clients.consumer(FetchPath.CLIENT))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining("weir.fetch.threads=2 needs the lean path");
    }

    @Test
    void pollsOfReaders_areLimitedByTheHeap_unlessTheFileSaysOtherwise() throws IOException {
        long most = Math.max(10, Runtime.getRuntime().maxMemory() / (4 << 20));
        Map<String, Object> config = clients("").limitPolls(new HashMap<>(Map.of("max.poll.records", 2_000_000)));
        assertThat(config).containsEntry("max.poll.records", (int) most);
        assertThat(clients("").limitPolls(new HashMap<>(Map.of("max.poll.records", 10))))
                .containsEntry("max.poll.records", 10);
        assertThat(clients("max.poll.records=777").readerConfig()).containsEntry("max.poll.records", "777");
    }

    @Test
    void consumers_areNamedAfterTheConsole_unlessTheFileNamesThem() throws IOException {
        ClusterClients free = clients("linger.ms=5\n");
        free.nameConsumers("weir-g.console-9500");
        assertThat(free.consumer().properties()).containsEntry("client.id", "weir-g.console-9500");
        assertThat(free.producer(null).properties()).doesNotContainKey("client.id");
        ClusterClients named = clients("client.id=orders\n");
        named.nameConsumers("weir-g.console-9500");
        assertThat(named.consumer().properties()).containsEntry("client.id", "orders");
        assertThat(named.consumerId()).isNull();
    }

    /** The file is refused before a client is created, because some commands create only a client without checks. */
    @Test
    void misspeltClientKey_isRefusedWithFileAndLine() {
        assertThatThrownBy(() -> clients("linger.ms=5\nmax.poll.recrods=5\n"))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining("c.properties:2: no Kafka client has a setting max.poll.recrods; did you mean"
                        + " max.poll.records?");
    }

    @Test
    void keysWithoutEffect_andThoseOfPlugIns_areWarnedOf_andLetThrough() throws IOException {
        ClusterClients clients = clients("""
                key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
                my.interceptor.endpoint=http://localhost
                metrics.context.team=orders
                linger.ms=5
                """);
        assertThat(clients.warnings())
                .hasSize(2)
                .anySatisfy(warning -> assertThat(warning).contains("key.deserializer", "has no effect"))
                .anySatisfy(warning -> assertThat(warning).contains("my.interceptor.endpoint", "plug-ins"));
        assertThat(clients.consumer().properties()).containsKey("my.interceptor.endpoint");
    }

    @Test
    void consumerSettings_seldomMeant_areWarnedOf_butNothingTwice() throws IOException {
        ClusterClients clients = clients("""
                key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
                weir.on.close=remain
                """);
        assertThat(ClusterClients.warnings(clients.consumer(), Subscription.topics("t")))
                .singleElement()
                .asString()
                .contains("weir.on.close=REMAIN without group.instance.id");
    }

    /** Regression: with a byte order mark, the file's first setting had no effect. */
    @Test
    void byteOrderMark_isNoPartOfTheFirstKey() throws IOException {
        ClusterClients clients = clients("\uFEFFlinger.ms=5\nweir.fetch=lean\n");
        assertThat(clients.producer(null).properties()).containsEntry("linger.ms", "5");
        assertThat(clients.consumer().fetch()).isEqualTo(FetchPath.LEAN);
        assertThat(clients.ofKafka()).containsOnlyKeys("linger.ms");
        assertThat(clients.warnings()).isEmpty();
    }

    @Test
    void keyGivenTwice_orInUpperCase_isRefusedWithFileAndLine() {
        assertThatThrownBy(() -> clients("linger.ms=5\nacks=all\nlinger.ms = 6\n"))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining("c.properties:3: linger.ms is given twice, first in line 1");
        assertThatThrownBy(() -> clients("WEIR.FETCH=lean\n"))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining("c.properties:1: there is no setting WEIR.FETCH; did you mean weir.fetch?");
        assertThatThrownBy(() -> clients("Linger.MS=5\n"))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining("no Kafka client has a setting Linger.MS; did you mean linger.ms?");
    }

    @Test
    void valueOutOfBounds_isRefusedWithFileAndLine() throws IOException {
        ClusterClients clients = clients("linger.ms=5\nweir.commit.interval=11m\n");
        assertThatThrownBy(clients::consumer)
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining(
                        "--client-config=" + folder.resolve("c.properties") + ":2: weir.commit.interval must be");
    }

    @Test
    void writer_givesUpARecordAfterTwoMinutes_unlessTheFileHasATime() throws IOException {
        assertThat(clients("linger.ms=5\n").writerConfig())
                .doesNotContainKey("delivery.timeout.ms"); // the client's own
        assertThat(clients("delivery.timeout.ms=60000\n").writerConfig()).containsEntry("delivery.timeout.ms", "60000");
    }

    /**
     * Regression: clients after the first client ran without the settings of a file such as {@code <(vault read)}. This
     * test deletes the file.
     */
    @Test
    void file_isReadOnlyOnce() throws IOException {
        ClusterClients clients = clients("isolation.level=read_committed\nlinger.ms=5\nweir.fetch=lean\n");
        Files.delete(folder.resolve("c.properties"));
        assertThat(clients.consumer().fetch()).isEqualTo(FetchPath.LEAN);
        assertThat(clients.consumer().properties()).containsEntry("isolation.level", "read_committed");
        assertThat(clients.producer(null).properties()).containsEntry("linger.ms", "5");
    }

    /** A command that answers several questions, like {@code weir mcp}, creates clients for each. */
    @Test
    void fileOfSeveralClients_isReadOnlyOnce() throws IOException {
        Path file = Files.writeString(folder.resolve("c.properties"), "linger.ms=5\n");
        ClusterOptions options = CommandLine.populateCommand(
                new ClusterOptions(), "--bootstrap-server=h:1", "--connect-timeout=PT10S", "--client-config=" + file);
        assertThat(options.clients().ofKafka()).containsEntry("linger.ms", "5");
        Files.delete(file);
        assertThat(options.clients().ofKafka()).containsEntry("linger.ms", "5");
    }
}
