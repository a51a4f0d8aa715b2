package dev.weir.checks.integration;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests transactions without a coordinator: a broker leads all partitions of the output, but cannot create the topic
 * for transactions.
 */
@Timeout(60)
class TransactionCoordinatorTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(
            KafkaCluster.builder().brokerConfig("transaction.state.log.replication.factor", "3"));

    /**
     * Returns the warning about a producer without a response for a minute. Calls an internal method by reflection, to
     * avoid waiting for that minute.
     */
    private static String trouble(List<String> transactionalIds) throws ReflectiveOperationException {
        Class<?> type = Class.forName("dev.weir.kafka.internal.out.client.ClientProgress");
        Object progress = type.getMethod("of", Map.class, Collection.class)
                .invoke(
                        null,
                        Map.of("bootstrap.servers", KAFKA.bootstrapServers(), "request.timeout.ms", "1000"),
                        transactionalIds);
        Object found = type.getMethod("look", long.class, Set.class, long.class)
                .invoke(progress, SECONDS.toNanos(60), Set.of("out"), SECONDS.toNanos(60));
        assertThat(found).as("it is not replaced").isNull();
        return (String) type.getMethod("trouble").invoke(progress);
    }

    @Test
    void producerThatWaitsForItsCoordinator_isNotStuck_andTheReasonSaysSo() throws ReflectiveOperationException {
        KAFKA.cluster().createTopic("out", 1);

        assertThat(trouble(List.of())).contains("although the brokers say");
        assertThat(trouble(List.of("orders-0", "orders-1")))
                .contains("the producer has had no answer for 60 s to records for out")
                .contains("the coordinator of transactional.id=orders-")
                .contains("does not answer");
    }
}
