package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import org.apache.kafka.common.IsolationLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code weir pipe --share --fetch lean}. */
@Timeout(180)
class LeanSharePipeTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @Test
    void untilEnd_writesEachRecordOnce_overOneMember() {
        KAFKA.cluster().createTopic("lean-piped", 3);
        KAFKA.cluster().createTopic("lean-piped-out", 3);
        Records.produce(KAFKA.bootstrapServers(), "lean-piped", 0, 2_000);
        String out = WeirCommand.output(
                "pipe",
                "--bootstrap-server",
                KAFKA.bootstrapServers(),
                "--from",
                "lean-piped",
                "--to",
                "lean-piped-out",
                "--group",
                "lean-piped",
                "--share",
                "--share-from",
                "earliest",
                "--fetch",
                "lean",
                "--until-end",
                "--json",
                "--work",
                "2ms",
                "--concurrency",
                "32");
        assertThat(out)
                .contains("\"share\":{\"accepted\":2000,")
                .contains("\"failed_acknowledgements\":0")
                .contains("\"drained\":true");
        assertThat(Records.readAll(KAFKA.bootstrapServers(), "lean-piped-out", IsolationLevel.READ_UNCOMMITTED))
                .hasSize(2_000);
    }
}
