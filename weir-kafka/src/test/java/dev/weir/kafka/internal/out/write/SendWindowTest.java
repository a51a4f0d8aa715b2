package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SendWindowTest {

    private static final int BATCH = 100;

    /** Maximum bytes per partition: one batch that is being filled, and twice five batches in flight. */
    private static final int BOUND = 11 * BATCH;

    private final List<CompletableFuture<Object>> answers = new ArrayList<>();
    private final Client client = new Client();
    private final SendWindow window = new SendWindow(Map.of("batch.size", String.valueOf(BATCH)));

    private boolean isFullAfter(int bytes) {
        client.held.addAndGet(bytes);
        CompletableFuture<Object> answer = new CompletableFuture<>();
        answers.add(answer);
        return window.isFullWith(answer);
    }

    private void begin(Integer... partitionsByBroker) {
        window.begin(client);
        window.partitions(List.of(partitionsByBroker));
    }

    @Test
    void bound_isWhatTheClientCanMakeUseOf() {
        begin(1);
        assertThat(window.bound()).isEqualTo(BOUND);
        window.partitions(List.of(2, 1));
        assertThat(window.bound()).isEqualTo(3L * BOUND);
        SendWindow smallRequests = new SendWindow(
                Map.of("batch.size", BATCH, "max.request.size", 3 * BATCH, "max.in.flight.requests.per.connection", 1));
        smallRequests.partitions(List.of(10));
        assertThat(smallRequests.bound()).isEqualTo(10L * BATCH + 2 * 3 * BATCH);
    }

    // A record may be larger than a batch.
    @Test
    void bound_ofRecordsThatAreLargerThanABatch_isOfThese() {
        client.largest = 5 * BATCH;
        begin(1);
        assertThat(window.bound()).isEqualTo(5L * BOUND);
    }

    /** Frees four batches while it waits. */
    private void answeredWhileItWaits(int mark) throws InterruptedException {
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                window.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        client.held.addAndGet(-4 * BATCH);
        answers.get(mark).complete("");
        waiting.join();
    }

    @Test
    void sender_goesOnWhenAQuarterIsFree_andWaitsForNoMoreAnswersThanThatTakes() throws Exception {
        begin(1);
        assertThat(isFullAfter(BOUND)).isFalse();
        assertThat(isFullAfter(BATCH)).isTrue();
        answeredWhileItWaits(0);
        assertThat(answers.get(1)).isNotDone();
        assertThat(isFullAfter(BATCH)).isFalse();
    }

    @Test
    @Timeout(30)
    void sender_isWokenOnce_byTheAnswerThatFreesEnough() throws Exception {
        begin(1);
        for (int i = 0; i < BOUND / BATCH; i++) {
            assertThat(isFullAfter(BATCH)).isFalse();
        }
        assertThat(isFullAfter(BATCH)).isTrue();
        answeredWhileItWaits(3);
        assertThat(answers.getFirst()).isNotDone();
    }

    @Test
    void refusal_endsTheWait() throws Exception {
        begin(1);
        assertThat(isFullAfter(2 * BOUND)).isTrue();
        answers.get(0).completeExceptionally(new IllegalStateException("refused"));
        window.await();
        assertThat(client.held).hasValue(2 * BOUND);
    }

    @Test
    void interrupt_endsTheWait_forAnAnswerThatNeverComes() {
        begin(1);
        assertThat(isFullAfter(2 * BOUND)).isTrue();
        Thread.currentThread().interrupt();
        assertThatThrownBy(window::await).isInstanceOf(InterruptedException.class);
        assertThat(window.waitedNanos()).isPositive();
    }

    @Test
    void clientWithoutMeters_andTopicsThatNobodyKnows_holdNobodyBack() {
        assertThat(isFullAfter(2 * BOUND)).isFalse();
        window.begin(client);
        assertThat(isFullAfter(2 * BOUND)).isFalse();
        window.begin(new MockProducer<>(true, null, new StringSerializer(), new StringSerializer()));
        window.partitions(List.of(1));
        assertThat(isFullAfter(2 * BOUND)).isFalse();
    }

    @Test
    void bound_ofAClientWithoutSettings_isThatOfKafkasDefaults() {
        SendWindow defaults = new SendWindow(Map.of());
        assertThat(defaults.bound()).as("before the partitions are known").isEqualTo(Long.MAX_VALUE);
        defaults.partitions(List.of(1));
        assertThat(defaults.bound()).isEqualTo(16_384L + 2 * 5 * 16_384);
        defaults.partitions(List.of(100));
        assertThat(defaults.bound()).isEqualTo(100 * 16_384L + 2 * 5 * 1_048_576);
        defaults.partitions(List.of());
        assertThat(defaults.bound()).isEqualTo(Long.MAX_VALUE);
    }

    /** The goal is 825 bytes: three quarters of the bound. */
    @Test
    @Timeout(30)
    void wait_endsWhenExactlyAQuarterIsFree() throws Exception {
        begin(1);
        assertThat(isFullAfter(BOUND + 1)).isTrue();
        client.held.set(825);
        window.await();
        client.held.set(826);
        Thread.currentThread().interrupt();
        assertThatThrownBy(window::await).isInstanceOf(InterruptedException.class);
    }

    @Test
    @Timeout(30)
    void completeRecords_holdNobodyBack_thoughTheMemoryIsNotFree() throws Exception {
        begin(1);
        client.held.set(2 * BOUND);
        assertThat(window.isFullWith(CompletableFuture.completedFuture(""))).isFalse();
        assertThat(isFullAfter(BATCH)).isTrue();
        answers.getFirst().complete("");
        window.await();
        assertThat(client.held).hasValue(2 * BOUND + BATCH);
    }

    /** The new client has none of the earlier records. */
    @Test
    void anotherClient_startsOver() {
        begin(1);
        assertThat(isFullAfter(2 * BOUND)).isTrue();
        window.begin(client);
        assertThat(window.isFullWith(CompletableFuture.completedFuture(""))).isFalse();
    }

    @Test
    void waitedTime_isTheTimeOfTheWaits_alsoOfOneThatIsNotOver() throws Exception {
        begin(1);
        assertThat(isFullAfter(2 * BOUND)).isTrue();
        assertThat(window.waitedNanos()).isZero();
        long beforeNanos = System.nanoTime();
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                window.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        long seen = window.waitedNanos();
        while (seen == 0) {
            assertThat(System.nanoTime() - beforeNanos).isLessThan(TimeUnit.SECONDS.toNanos(20));
            seen = window.waitedNanos();
        }
        answers.getFirst().complete("");
        waiting.join();
        long waited = window.waitedNanos();
        assertThat(waited).isBetween(seen, System.nanoTime() - beforeNanos);
        assertThat(window.waitedNanos()).isEqualTo(waited);
    }

    /** A client whose metrics report the memory usage that the test sets. */
    private static final class Client extends MockProducer<String, String> {

        private static final int TOTAL = 1_000_000;
        private final AtomicInteger held = new AtomicInteger();
        private volatile double largest = Double.NaN;

        @Override
        public Map<MetricName, Metric> metrics() {
            return Map.of(
                    name("buffer-total-bytes"),
                    metric("buffer-total-bytes", false),
                    name("buffer-available-bytes"),
                    metric("buffer-available-bytes", true),
                    name("record-size-max"),
                    metric("record-size-max", false),
                    new MetricName("buffer-available-bytes", "of-another-group", "", Map.of()),
                    metric("buffer-total-bytes", false));
        }

        private static MetricName name(String name) {
            return new MetricName(name, "producer-metrics", "", Map.of());
        }

        private Metric metric(String name, boolean isFree) {
            return new Metric() {
                @Override
                public MetricName metricName() {
                    return name(name);
                }

                @Override
                public Object metricValue() {
                    return name.startsWith("record") ? largest : (double) (isFree ? TOTAL - held.get() : TOTAL);
                }
            };
        }
    }
}
