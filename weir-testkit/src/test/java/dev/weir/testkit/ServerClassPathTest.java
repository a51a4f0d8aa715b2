package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests class paths of another server release, which are refused. {@code OldBrokerTest} covers class paths that work.
 */
final class ServerClassPathTest {

    @Test
    void classPath_thatIsEmptyOrNotThere_isRefusedByName(@TempDir Path folder) {
        KafkaCluster.Builder builder = KafkaCluster.builder().forked();
        assertThatThrownBy(() -> builder.serverClassPath(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("serverClassPath is empty");
        Path missing = folder.resolve("kafka_2.13-4.3.1.jar");
        assertThatThrownBy(() -> builder.serverClassPath(List.of(folder, missing)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(missing.toString());
    }

    @Test
    void classPath_ofBrokersInThisJvm_isRefusedWithTheWayOut(@TempDir Path folder) {
        KafkaCluster.Builder builder = KafkaCluster.builder().serverClassPath(List.of(folder));
        assertThatThrownBy(builder::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("call forked()");
    }

    @Test
    void classPath_withoutAServer_isNamedAsSuch(@TempDir Path folder) {
        KafkaCluster.Builder builder = KafkaCluster.builder()
                .forked()
                .dataFolder(folder.resolve("cluster"))
                .serverClassPath(List.of(folder));
        assertThatThrownBy(builder::start)
                .isInstanceOf(KafkaClusterException.class)
                .hasMessageContainingAll("broker 1", "kafka.tools.StorageTool", "broker-1.log");
    }
}
