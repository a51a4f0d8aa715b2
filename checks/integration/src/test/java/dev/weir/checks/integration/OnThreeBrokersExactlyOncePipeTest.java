package dev.weir.checks.integration;

import dev.weir.testkit.KafkaCluster;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the tests of {@link ExactlyOncePipeTest} with three brokers in separate processes and many more kills. */
@Tag("long")
class OnThreeBrokersExactlyOncePipeTest extends ExactlyOncePipeTest {

    private static final int COUNT = 500_000;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().brokers(3).forked().heapMegabytes(256).start();
    }

    @Test
    @Timeout(900)
    void kill_twentyTimes_eachInputIsSeenOnceAndInOrder_alsoByAnotherClient() throws Exception {
        killAtRandom("killed-often", COUNT, 20, OnLeanPath.current());
        List<Long> seen = Librdkafka.committed(folder, cluster.bootstrapServers(), "killed-often-out");
        ExactlyOnceLedger.assertEachOnceInOrderOfItsKey(seen, "killed-often-out", COUNT);
    }

    @Override
    void kill_twice_eachInputIsSeenOnceAndInOrder() {}
}
