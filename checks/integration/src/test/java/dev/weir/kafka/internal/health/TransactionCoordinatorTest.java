package dev.weir.kafka.internal.health;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A broker that has all partitions of the output, and can make no topic for transactions: no coordinator is found. */
@Timeout(60)
class TransactionCoordinatorTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(
            KafkaCluster.builder().brokerConfig("transaction.state.log.replication.factor", "3"));

    private static ClientProgress progress(List<String> transactionalIds) {
        return ClientProgress.of(
                Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "request.timeout.ms", "1000"), transactionalIds);
    }

    @Test
    void producerThatWaitsForItsCoordinator_isNotStuck_andTheReasonSaysSo() {
        KAFKA.cluster().createTopic("out", 1);
        ClientProgress withoutTransactions = progress(List.of());
        ClientProgress transactional = progress(List.of("orders-0", "orders-1"));

        assertThat(withoutTransactions.look(SECONDS.toNanos(60), Set.of("out"), SECONDS.toNanos(60)))
                .isNull();
        assertThat(transactional.look(SECONDS.toNanos(60), Set.of("out"), SECONDS.toNanos(60)))
                .isNull();

        assertThat(withoutTransactions.trouble()).contains("although the brokers say");
        assertThat(transactional.trouble())
                .contains("the producer has had no answer for 60 s to records for out")
                .contains("the coordinator of transactional.id=orders-")
                .contains("does not answer");
    }
}
