package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.common.IsolationLevel;

/**
 * Compares the output, read with read_committed, with the numbered input records. The key of a record is its number
 * modulo {@link #KEYS}.
 */
final class ExactlyOnceLedger {

    static final int KEYS = 500;

    private ExactlyOnceLedger() {}

    static List<Long> committed(KafkaCluster cluster, String topic) {
        return Records.numbers(Records.readAll(cluster.bootstrapServers(), topic, IsolationLevel.READ_COMMITTED));
    }

    /** Checks that each of the first {@code count} numbers occurs exactly once, and in order within its key. */
    static void assertEachOnceInOrderOfItsKey(KafkaCluster cluster, String topic, int count) {
        assertEachOnceInOrderOfItsKey(committed(cluster, topic), topic, count);
    }

    static void assertEachOnceInOrderOfItsKey(List<Long> numbers, String topic, int count) {
        assertThat(numbers.stream().sorted().toList())
                .as("numbers in %s", topic)
                .isEqualTo(LongStream.range(0, count).boxed().toList());
        Map<Long, Long> lastOfKey = new HashMap<>();
        for (long number : numbers) {
            Long before = lastOfKey.put(number % KEYS, number);
            assertThat(before == null || before < number)
                    .as("%s after %s in %s", number, before, topic)
                    .isTrue();
        }
    }
}
