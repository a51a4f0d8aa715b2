package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.WrittenLog.Written;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that a batch which cannot be sent yet is filled further (ADR 183). A second broker answers immediately. Its
 * acknowledgement of a record tells the test that the producer's thread has checked all partitions since that record.
 */
@Timeout(120)
class HeldBatchesTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    /** Longer than any test, so no batch is sealed because of its linger. */
    private static final Duration NO_LINGER_ENDS = Duration.ofSeconds(30);

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Requests that a broker gets before it answers the first request. */
    private static final int WINDOW = 5;

    private static final int CROWD = 1_000;

    // Partitions. All except FREE belong to the slow broker.
    private static final int BUSY = 0;
    private static final int WATCHED = 1;
    private static final int FREE = 2;
    private static final int CROWDED = 3;

    private final WrittenLog log = new WrittenLog();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Semaphore acknowledgedOfFree = new Semaphore(0);
    private volatile boolean holds;
    private FakeBroker slow;
    private FakeBroker free;

    private final SendListener listener = new SendListener() {
        @Override
        public void acknowledged(long token, String topic, int partition, long offset) {
            if (partition == FREE) {
                acknowledgedOfFree.release();
            }
        }

        @Override
        public void failed(long token, SendException why) {
            throw new IllegalStateException("record " + token, why);
        }
    };

    @BeforeEach
    void start() throws Exception {
        free = broker();
        free.produces(log::answer);
        slow = broker();
        slow.partitions(4);
        slow.near(free.port());
        slow.moved(FREE);
        slow.produces(request -> {
            if (holds) {
                awaitUninterruptibly(goOn);
            }
            return log.answer(request);
        });
    }

    private static FakeBroker broker() throws Exception {
        return new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> new FetchResponseData());
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void stop() throws Exception {
        goOn.countDown();
        slow.close();
        free.close();
    }

    /** Returns settings with small batches, one per request. Sixteen of them fill the producer's memory. */
    private LeanProducerSettings.Builder smallBatches() throws Exception {
        return LeanProducerSettings.builder()
                .bootstrapServers(slow.address())
                .batchBytes(1_024)
                .maxRequestBytes(1_024)
                .bufferBytes(16 * 1_024);
    }

    private static LeanRecord record(int partition, long number) {
        return new LeanRecord(FakeBroker.TOPIC)
                .partition(partition)
                .value(ByteBuffer.allocate(Long.BYTES).putLong(0, number));
    }

    private static void send(LeanProducer producer, int partition, long number) throws Exception {
        producer.send(record(partition, number), number);
    }

    /** Writes each partition's first record. Until then, a partition sends one batch at a time. */
    private void begin(LeanProducer producer, int... partitions) throws Exception {
        for (int partition : partitions) {
            send(producer, partition, 0);
        }
        assertThat(producer.flush(LONG)).hasToString("0 records ()");
        acknowledgedOfFree.drainPermits();
        holds = true;
    }

    /** Sends a record in its own request to the slow broker. */
    private static void launch(LeanProducer producer, int partition, long number) throws Exception {
        long before = producer.metrics().requests();
        send(producer, partition, number);
        while (producer.metrics().requests() == before) {
            producer.flush(Duration.ofMillis(1));
        }
    }

    private void awaitAcknowledgedOfFree() throws InterruptedException {
        assertThat(acknowledgedOfFree.tryAcquire(LONG.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
    }

    /** Starts a thread that sends more records than memory can hold. */
    private static FutureTask<Boolean> crowd(LeanProducer producer, int partition) {
        FutureTask<Boolean> crowd = new FutureTask<>(() -> {
            for (long number = 1_000; number < 1_000 + CROWD; number++) {
                send(producer, partition, number);
            }
            return true;
        });
        Thread.ofPlatform().daemon().name("crowd").start(crowd);
        return crowd;
    }

    /** Runs the body with a producer. Then unblocks the slow broker and waits until all records are written. */
    private void with(LeanProducerSettings settings, Body body) throws Exception {
        try (LeanProducer producer = LeanProducer.open(settings, listener)) {
            try {
                body.use(producer);
            } finally {
                goOn.countDown();
            }
            assertThat(producer.flush(LONG)).hasToString("0 records ()");
        }
    }

    private interface Body {
        void use(LeanProducer producer) throws Exception;
    }

    private List<List<Long>> batchesOfWatched() {
        return log.written(WATCHED).stream().map(Written::values).toList();
    }

    /**
     * Regression: while senders waited for memory and a broker accepted no more requests, batches were needlessly
     * small.
     */
    @Test
    void batchThatCouldNotLeaveNow_isFilledOn_whileSendersWaitForRoom() throws Exception {
        with(smallBatches().linger(NO_LINGER_ENDS).build(), producer -> {
            begin(producer, BUSY, WATCHED, FREE);
            for (int request = 1; request <= WINDOW; request++) {
                launch(producer, BUSY, request);
            }
            fillOnWhileSendersWait(producer, BUSY);
        });
        assertThat(batchesOfWatched()).containsExactly(List.of(0L), List.of(1L, 2L));
        assertThat(log.values(BUSY)).hasSize(1 + WINDOW + CROWD).isSorted();
    }

    /** The broker accepts more requests, but the watched partition's first batch must be sent alone. */
    @Test
    void batchThatCouldNotLeaveNow_behindTheFirstOfItsPartition_isFilledOn_whileSendersWaitForRoom() throws Exception {
        with(smallBatches().linger(NO_LINGER_ENDS).build(), producer -> {
            begin(producer, FREE);
            launch(producer, WATCHED, 0);
            launch(producer, CROWDED, 0);
            fillOnWhileSendersWait(producer, CROWDED);
        });
        assertThat(batchesOfWatched()).containsExactly(List.of(0L), List.of(1L, 2L));
        assertThat(log.values(CROWDED)).hasSize(1 + CROWD).isSorted();
    }

    /**
     * Sends two records to the watched partition. In between, waiting senders make the producer check all partitions.
     */
    private void fillOnWhileSendersWait(LeanProducer producer, int crowded) throws Exception {
        send(producer, FREE, 1);
        send(producer, WATCHED, 1);
        FutureTask<Boolean> crowd = crowd(producer, crowded);
        // A waiting sender caused this send: the linger of the record's batch is not over.
        awaitAcknowledgedOfFree();
        assertThat(producer.trySend(record(WATCHED, 2), 2)).isTrue();
        goOn.countDown();
        assertThat(crowd.get(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    /** A batch that cannot be sent yet is filled for a second after its linger. */
    @Test
    void batchThatCouldNotLeaveNow_isFilledOn_forASecondAtMost() throws Exception {
        LeanProducerSettings largeBatches = LeanProducerSettings.builder()
                .bootstrapServers(slow.address())
                .batchBytes(256 * 1_024)
                .linger(Duration.ofMillis(1))
                .build();
        AtomicLong lastWithin = new AtomicLong(1);
        AtomicLong firstAfter = new AtomicLong();
        with(largeBatches, producer -> {
            begin(producer, BUSY, WATCHED, FREE);
            for (int request = 1; request <= WINDOW; request++) {
                launch(producer, BUSY, request);
            }
            long beforeNanos = System.nanoTime();
            send(producer, WATCHED, 1);
            long afterNanos = System.nanoTime();
            for (long next = 2; firstAfter.get() == 0; next++) {
                // Before FREE's record is acknowledged, the producer's thread checks the watched batch at least once.
                boolean over = System.nanoTime() - afterNanos >= SECOND_NANOS;
                send(producer, FREE, next);
                awaitAcknowledgedOfFree();
                send(producer, WATCHED, next);
                if (System.nanoTime() - beforeNanos < SECOND_NANOS) {
                    lastWithin.set(next);
                }
                firstAfter.set(over ? next : 0);
            }
        });
        assertThat(batchesOfWatched().get(1))
                .startsWith(1L)
                .contains(lastWithin.get())
                .doesNotContain(firstAfter.get());
        assertThat(log.values(WATCHED)).hasSize((int) firstAfter.get() + 1).isSorted();
    }
}
