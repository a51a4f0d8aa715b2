package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import dev.weir.lean.StartAt;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Copies views of a lean consumer into the batches of a lean producer. Neither thread may allocate an object per
 * record.
 */
@Timeout(120)
class LeanCopyAllocationTest {

    private static final int RECORDS = 100_000;
    private static final int WARM_PASSES = 4;

    /** The lowest measurement counts, because a thread's one-time allocation occurs in only one of them. */
    private static final int PASSES = WARM_PASSES + 3;

    private static final Duration LONG = Duration.ofMinutes(1);

    /** Less than the 16 bytes of the smallest object. Requests, responses and the selector need some memory. */
    private static final double ALLOWED_BYTES_PER_RECORD = 8;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private volatile long producersThread;
    private long planted;

    private final SendListener listener = new SendListener() {
        @Override
        public void acknowledged(long token, String topic, int partition, long offset) {
            producersThread = Thread.currentThread().threadId();
            acknowledged.incrementAndGet();
        }

        @Override
        public void failed(long token, SendException why) {
            failed.incrementAndGet();
        }
    };

    @Test
    void copyOfViews_afterWarmUp_makesNoObjectPerRecord() {
        assertThat(bytesPerRecord("views", false)).isLessThan(ALLOWED_BYTES_PER_RECORD);
    }

    @Test
    void copyThatMakesAnArrayPerRecord_isSeen() {
        assertThat(bytesPerRecord("arrays", true)).isGreaterThan(ALLOWED_BYTES_PER_RECORD);
        assertThat(planted).isPositive();
    }

    private double bytesPerRecord(String topic, boolean arrays) {
        KAFKA.cluster().createTopic(topic, 1);
        KAFKA.cluster().createTopic(topic + "-out", 1);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, RECORDS, 100);
        LeanProducerSettings settings = LeanProducerSettings.builder()
                .bootstrapServers(KAFKA.bootstrapServers())
                .linger(Duration.ofMillis(100))
                .build();
        LeanRecord out = new LeanRecord(topic + "-out");
        try (LeanConsumer consumer = LeanConsumer.open(LeanSettings.builder()
                        .bootstrapServers(KAFKA.bootstrapServers())
                        .build());
                LeanProducer producer = LeanProducer.open(settings, listener)) {
            consumer.assign(topic, 0, StartAt.beginning());
            RecordHandler copy = record -> {
                if (arrays) {
                    planted += record.value().toBytes().length;
                }
                out.partition(0).timestamp(record.timestamp()).key(record.key()).value(record.value());
                try {
                    producer.send(out, record.offset());
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            };
            long least = Long.MAX_VALUE;
            for (int pass = 1; pass <= PASSES; pass++) {
                consumer.seek(0, StartAt.offset(0));
                long before = allocated();
                long goal = (long) pass * RECORDS;
                while (consumer.metrics().records() < goal) {
                    if (consumer.poll(copy) == 0) {
                        consumer.await(Duration.ofMillis(50));
                    }
                }
                ConsumerLedger.await("acknowledged " + goal, LONG, () -> acknowledged.get() == goal);
                if (pass > WARM_PASSES) {
                    least = Math.min(least, allocated() - before);
                }
            }
            assertThat(failed).hasValue(0);
            return (double) least / RECORDS;
        }
    }

    /** Returns the bytes allocated by this thread and by the producer's thread. */
    private long allocated() {
        long producers = producersThread == 0 ? 0 : threads.getThreadAllocatedBytes(producersThread);
        return threads.getCurrentThreadAllocatedBytes() + producers;
    }
}
