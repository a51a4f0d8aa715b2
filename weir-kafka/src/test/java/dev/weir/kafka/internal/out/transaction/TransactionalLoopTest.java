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
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
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

    private void start(boolean keeps, boolean skips) throws InterruptedException {
        source.name(new TopicPartition("in", 0));
        run = new TransactionsOfRun<>(Clock.SYSTEM, keeps);
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
        TransactionPlan plan = new TransactionPlan("g", "run", 1, 1_000, 1_000, 1);
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
