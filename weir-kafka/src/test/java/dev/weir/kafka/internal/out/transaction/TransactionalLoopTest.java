package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.internal.out.transaction.LostInputs.Root;
import dev.weir.kafka.internal.out.write.TopicWatch;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which records the sink sends again after an abort. The test acts as the consumer's owner. */
@Timeout(60)
class TransactionalLoopTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Counts the calls of {@code send} down to the call that throws. */
    private final AtomicInteger untilItThrows = new AtomicInteger();

    private final AtomicInteger rootsVisited = new AtomicInteger();

    private final BlockingQueue<String> written = new LinkedBlockingQueue<>();
    private final List<Callback> answers = new ArrayList<>();
    private final BlockingQueue<Batch<ProducerRecord<String, String>>> offered = new LinkedBlockingQueue<>();
    private final CountDownLatch idle = new CountDownLatch(1);

    private TransactionsOfRun<String, String> run = new TransactionsOfRun<>(Clock.SYSTEM, false);
    private final BareContext context = new BareContext();
    private final TransactionCounts counts = new TransactionCounts();
    private @Nullable TransactionCommitter<String, String> committer;
    private final OffsetTracker source = new OffsetTracker(1_000, () -> {});
    private @Nullable Thread segment;
    private long maxRecords = 1_000;

    /** One permit per call that wakes the consumer's owner. */
    private final Semaphore wakes = new Semaphore(0);

    /** One permit per wait of the sink for a change. */
    private final Semaphore waits = new Semaphore(0);

    private final Clock clock = new Clock() {
        @Override
        public long nanoTime() {
            return Clock.SYSTEM.nanoTime();
        }

        @Override
        public void await(Lock lock, Condition condition, long deadlineNanos) throws InterruptedException {
            if (deadlineNanos == Stage.NEVER) {
                waits.release();
            }
            Clock.SYSTEM.await(lock, condition, deadlineNanos);
        }
    };

    private void start(boolean keeps, boolean skips) throws InterruptedException {
        source.name(new TopicPartition("in", 0));
        run = new TransactionsOfRun<>(clock, keeps);
        run.wakeOwner = wakes::release;
        committer = new TransactionCommitter<>(run, context, counts, null, number -> new Closing());
        run.emits(source);
        if (skips) {
            ProducerSettings<String, String> settings = ProducerSettings.builder(
                            new StringSerializer(), new StringSerializer())
                    .bootstrapServers("nobody:1")
                    .build();
            run.rule = TransactionRule.of(WriteFailures.skip(), context, settings, committer.trial());
        }
        committer.start();
        await(() -> run.freeProducers() == TransactionCommitter.PRODUCERS);
        TransactionPlan plan = new TransactionPlan("g", "run", 1, maxRecords, 1_000, 1);
        TransactionalLoop<String, String> loop =
                new TransactionalLoop<>(run, committer, counts, plan, new AllKnown(), context);
        segment = Thread.ofPlatform().start(() -> {
            try {
                loop.run(new Offered());
            } catch (InterruptedException end) {
                // Expected at the end of the test.
            } catch (RuntimeException | Error thrown) {
                context.fail(thrown);
            }
        });
    }

    @AfterEach
    void close() throws InterruptedException {
        Objects.requireNonNull(committer).close();
        Thread sink = Objects.requireNonNull(segment);
        sink.interrupt();
        sink.join();
        assertThat(context.failures).isEmpty();
    }

    /** Waits until the condition holds. Fails if no thread signals the change in time. */
    private void await(BooleanSupplier condition) throws InterruptedException {
        run.lock.lockInterruptibly();
        try {
            long left = PATIENCE.toNanos();
            while (!condition.getAsBoolean()) {
                assertThat(left).as("nanoseconds left").isPositive();
                left = run.changed.awaitNanos(left);
            }
        } finally {
            run.lock.unlock();
        }
    }

    private void goOnAfterTheAbort(boolean writesAgain) throws InterruptedException {
        await(() -> run.state() == TransactionState.ABORTED);
        run.lock.lock();
        try {
            run.resume(writesAgain);
        } finally {
            run.lock.unlock();
        }
    }

    private void offer(String... values) {
        Batch<ProducerRecord<String, String>> batch = new Batch<>(values.length);
        for (String value : values) {
            batch.add(new ProducerRecord<>("out", value), source, source.append(source.outstanding(), 1));
        }
        offered.add(batch);
    }

    private void assertWritten(String... values) throws InterruptedException {
        for (String value : values) {
            assertThat(written.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(value);
        }
    }

    // Regression: with a serializer that adds a header, the transaction failed at every further attempt.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void send_thatThrowsOnceAtARecordAlone_isDoneAgain(boolean writesAgain) throws InterruptedException {
        untilItThrows.set(1);
        start(writesAgain, false);
        offer("a");
        goOnAfterTheAbort(writesAgain);
        assertWritten("a");
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void send_thatThrowsOnceInARun_isDoneAgain(boolean writesAgain) throws InterruptedException {
        untilItThrows.set(3);
        start(writesAgain, false);
        offer("a");
        assertWritten("a");
        offer("b", "c", "d");
        assertWritten("b");
        goOnAfterTheAbort(writesAgain);
        if (writesAgain) {
            assertWritten("a", "b");
        }
        assertWritten("c", "d");
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
    }

    // A slow handler may hold the next record during a drain. The aborted records must not wait for it.
    @Test
    void again_whileNothingComesFromAbove_isSent() throws InterruptedException {
        start(true, false);
        offer("a");
        assertWritten("a");
        idle.await();
        Objects.requireNonNull(committer).abortFilling(new KafkaException("planned"));
        goOnAfterTheAbort(true);
        assertWritten("a");
    }

    // Regression: each record kept its own copy of all inputs of its group.
    @Test
    void recordsOfGroupsByTurns_shareWhatIsKnownOfTheirInputs() throws InterruptedException {
        start(true, true);
        List<AckTarget> groups = List.of(group(), group());
        Batch<ProducerRecord<String, String>> batch = new Batch<>(4);
        for (int i = 0; i < 4; i++) {
            batch.add(new ProducerRecord<>("out", "of group " + i % 2), groups.get(i % 2), 0);
        }
        offered.add(batch);
        assertWritten("of group 0", "of group 1", "of group 0", "of group 1");
        OpenTransaction<String, String> transaction = Objects.requireNonNull(run.filling());
        for (int i : new int[] {0, 2}) {
            answers.get(i).onCompletion(null, new RecordTooLargeException("planned"));
        }
        List<TransactionRule.Refusal> refusals = List.copyOf(transaction.refusals);
        assertThat(refusals.get(0).places()).containsExactly("in-0@0", "in-0@1");
        assertThat(refusals.get(1).places()).isSameAs(refusals.get(0).places());
        await(() -> run.state() == TransactionState.ABORTED);
        run.lock.lock();
        try {
            run.resume(true);
            List<AckTarget> targets = run.aborted.waiting().stream()
                    .map(element -> element.target)
                    .toList();
            assertThat(targets).hasSize(4);
            assertThat(targets.get(2)).isSameAs(targets.get(0));
            assertThat(targets.get(3)).isSameAs(targets.get(1)).isNotSameAs(targets.get(0));
        } finally {
            run.lock.unlock();
        }
    }

    // Regression: a long close became quadratic, and some exactly-once copies took twice the time.
    @Test
    void recordsThatWaitForAClose_areSearchedOncePerChange() throws InterruptedException {
        start(false, false);
        AckTarget begun = group();
        offerOf(begun, "of the closing transaction");
        assertWritten("of the closing transaction");
        run.wantCut();
        rootsVisited.set(0);
        int waiting = 200;
        for (int i = 0; i < waiting; i++) {
            offerOf(group(), "of the next transaction");
        }
        offerOf(begun, "of the closing transaction too");
        assertWritten("of the closing transaction too");
        assertThat(rootsVisited).hasValueLessThan(3 * waiting);
    }

    private static void acquire(Semaphore permits) throws InterruptedException {
        assertThat(permits.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    /** Cuts the open transaction, as the consumer's owner does. */
    @SuppressWarnings("removal") // the only way to create this object without a client in a group
    private TransactionCut<String, String> cut() throws InterruptedException {
        run.lock.lockInterruptibly();
        try {
            assertThat(run.awaitSent(PATIENCE.toNanos())).isTrue();
            var cut = new TransactionCut<>(
                    Objects.requireNonNull(run.filling()), Map.of(), List.of(), new ConsumerGroupMetadata("group"));
            run.clearCut();
            run.cut(cut);
            return cut;
        } finally {
            run.lock.unlock();
        }
    }

    private long records() throws InterruptedException {
        run.lock.lockInterruptibly();
        try {
            assertThat(run.awaitSent(PATIENCE.toNanos())).isTrue();
            return Objects.requireNonNull(run.filling()).records();
        } finally {
            run.lock.unlock();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void transaction_isDue_onceItHasItsMostRecords(boolean inOneBatch) throws InterruptedException {
        maxRecords = 3;
        start(false, false);
        offer("a");
        acquire(wakes);
        assertWritten("a");
        if (inOneBatch) {
            offer("b", "c");
        } else {
            offer("b");
            assertWritten("b");
            assertThat(run.isCutWanted()).isFalse();
            offer("c");
        }
        acquire(wakes);
        assertThat(run.isCutWanted()).isTrue();
        assertThat(records()).isEqualTo(3);
    }

    @Test
    void transaction_isDue_onceItHasItsMostBytes() throws InterruptedException {
        start(false, false);
        offer("a");
        acquire(wakes);
        assertWritten("a");
        answers.get(0).onCompletion(new RecordMetadata(new TopicPartition("out", 0), 0, 0, 0, 1, 998), null);
        offer("b");
        assertWritten("b");
        offer("c");
        assertWritten("c");
        assertThat(run.isCutWanted()).isFalse();
        answers.get(1).onCompletion(new RecordMetadata(new TopicPartition("out", 0), 1, 0, 0, 0, 1), null);
        offer("d");
        acquire(wakes);
        assertThat(run.isCutWanted()).isTrue();
    }

    /** A record of the next transaction might otherwise reach its partition before one that is being flushed. */
    @Test
    void records_waitWhileATransactionIsFlushed_andThenGoIntoTheNext() throws InterruptedException {
        start(false, false);
        offer("a");
        assertWritten("a");
        acquire(wakes);
        TransactionCut<String, String> cut = cut();
        offer("b");
        acquire(waits);
        assertThat(written).isEmpty();
        run.flushed();
        assertWritten("b");
        acquire(wakes);
        assertThat(counts.overlapped.sum()).isEqualTo(1);
        assertThat(run.filling()).isNotNull().isNotSameAs(cut.transaction());
        run.committed(cut);
        assertThat(run.state()).isEqualTo(TransactionState.FILLING);
    }

    /** The bound keeps a slow commit from growing the next transaction without end. */
    @Test
    void nextTransaction_takesFourTimesItsMostRecords_whileTheOneBeforeIsCommitted() throws InterruptedException {
        maxRecords = 2;
        start(false, false);
        offer("a");
        assertWritten("a");
        acquire(wakes);
        TransactionCut<String, String> cut = cut();
        run.flushed();
        offer("1", "2", "3", "4", "5", "6", "7", "8", "9");
        assertWritten("1", "2", "3", "4", "5", "6", "7", "8");
        acquire(waits);
        assertThat(written).isEmpty();
        assertThat(records()).isEqualTo(8);
        run.committed(cut);
        assertWritten("9");
    }

    @Test
    void recordOfAnotherInput_waitsWhileTheTransactionCloses() throws InterruptedException {
        start(false, false);
        AckTarget begun = group();
        offerOf(begun, "of the closing transaction");
        assertWritten("of the closing transaction");
        run.wantCut();
        offer("next");
        offer("after that");
        offerOf(begun, "of the closing transaction too");
        assertWritten("of the closing transaction too");
        assertThat(written).isEmpty();
        TransactionCut<String, String> cut = cut();
        run.flushed();
        offer("last");
        assertWritten("next", "after that", "last");
        assertThat(cut.transaction().records()).isEqualTo(2);
        assertThat(records()).isEqualTo(3);
    }

    private void offerOf(AckTarget target, String value) {
        Batch<ProducerRecord<String, String>> batch = new Batch<>(1);
        batch.add(new ProducerRecord<>("out", value), target, 0);
        offered.add(batch);
    }

    /** Creates the target of an element that has two inputs and becomes two records. */
    private AckTarget group() {
        List<Root> inputs = List.of(input(), input());
        AtomicInteger claims = new AtomicInteger(2);
        return new AckTarget() {
            @Override
            public void ack(long ofGroup) {
                if (claims.decrementAndGet() == 0) {
                    inputs.forEach(input -> input.source().ack(input.token()));
                }
            }

            @Override
            public void retain(long ofGroup, int more) {
                claims.addAndGet(more);
            }

            @Override
            public void roots(long ofGroup, RootVisitor visitor) {
                rootsVisited.incrementAndGet();
                inputs.forEach(input -> visitor.root(input.source(), input.token()));
            }
        };
    }

    private Root input() {
        return new Root(source, source.append(source.outstanding(), 1));
    }

    /** A stage that waits for the next batch from the test. */
    private final class Offered implements Stage<ProducerRecord<String, String>> {

        @Override
        public Batch<ProducerRecord<String, String>> pull(long deadlineNanos) throws InterruptedException {
            Batch<ProducerRecord<String, String>> next = offered.poll();
            if (next == null) {
                idle.countDown();
                next = deadlineNanos == NEVER
                        ? offered.take()
                        : offered.poll(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            return next == null ? new Batch<>(0) : next;
        }

        @Override
        public void close() {}
    }

    static final class AllKnown implements TopicWatch {
        @Override
        public void written(String topic) {}

        @Override
        public void suspect(String topic) {}

        @Override
        public boolean isKnown(String topic) {
            return true;
        }
    }

    /** A client whose serializer adds a header. Each send makes the record's headers read-only, even if it throws. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // other threads use it meanwhile, like Kafka's producer
    private final class Closing extends MockProducer<String, String> {

        Closing() {
            super(false, null, new StringSerializer(), new StringSerializer());
        }

        @Override
        public Future<RecordMetadata> send(ProducerRecord<String, String> record, Callback callback) {
            record.headers().add("of-a-serializer", new byte[0]);
            assertThat(record.headers()).hasSize(1);
            ((RecordHeaders) record.headers()).setReadOnly();
            if (untilItThrows.decrementAndGet() == 0) {
                throw new KafkaException("an earlier record has broken it");
            }
            answers.add(callback);
            written.add(record.value());
            return new CompletableFuture<>();
        }
    }
}
