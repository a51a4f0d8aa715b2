package dev.weir.kafka.internal.share.member;

import static dev.weir.kafka.internal.share.member.ShareClientStub.until;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.internal.handler.DeadLetterWriter;
import dev.weir.kafka.internal.handler.PatientWriter;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.stream.spi.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the copies of records in their last delivery. Regression: after some errors of a producer, records never got
 * their copies.
 */
class ParkedCopiesTest {

    /** Longer than the time limit of a test. */
    private static final Duration LONG = Duration.ofMinutes(2);

    private final List<Broken> opened = new CopyOnWriteArrayList<>();

    /** Errors with which the clients answer next. Afterwards the clients succeed. */
    private final Queue<RuntimeException> faults = new ArrayDeque<>();

    private final ShareCounters counters = new ShareCounters();

    /** A client that repeats its first error forever. */
    private static class Broken extends MockProducer<byte[], byte[]> {

        private final @Nullable RuntimeException fault;

        private final CountDownLatch tried;

        Broken(@Nullable RuntimeException fault, CountDownLatch tried) {
            super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
            this.fault = fault;
            this.tried = tried;
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
            tried.countDown();
            if (fault instanceof IllegalStateException thrown) {
                throw thrown;
            }
            if (fault != null) {
                callback.onCompletion(null, fault);
                return CompletableFuture.failedFuture(fault);
            }
            return super.send(record, callback);
        }
    }

    private Producer<byte[], byte[]> open() {
        Broken client = new Broken(faults.poll(), new CountDownLatch(0));
        opened.add(client);
        return client;
    }

    static PatientWriter writer(DeadLetterTopic to, Supplier<Producer<byte[], byte[]>> clients) {
        return new PatientWriter("test", new DeadLetterWriter(to), Clock.SYSTEM, clients, ClientProgress.NONE);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static DeadLetterTopic deadLetters() {
        return DeadLetterTopic.of(
                "dead",
                ProducerSettings.builder().bootstrapServers("localhost:1").build(),
                "group");
    }

    private static AcquiredRecord record() {
        return new AcquiredRecord(ShareClientStub.record(0, 5), () -> 5, settled -> {});
    }

    private static RuntimeException fault(String name) {
        return switch (name) {
            case "sequence" -> new OutOfOrderSequenceException("planted");
            case "closed" -> new IllegalStateException("Cannot perform operation after producer has been closed");
            default -> new KafkaException("cannot execute in an error state");
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"sequence", "closed", "other"})
    void copy_thatAClientRefusesForGood_isWrittenByAnotherOne(String fault) throws Exception {
        faults.add(fault(fault));
        CountDownLatch written = new CountDownLatch(1);

        try (ParkedCopies copies = new ParkedCopies(writer(deadLetters(), this::open), counters, LONG)) {
            copies.keep(record(), written::countDown);

            assertThat(written.await(30, SECONDS)).isTrue();
            assertThat(copies.look(0)).isNull();
        }

        assertThat(opened)
                .hasSize(2)
                .allSatisfy(client -> assertThat(client.closed()).isTrue());
        assertThat(counters.parked.sum()).isEqualTo(1);
    }

    @Test
    void copy_thatIsLate_isTriedAgainByTheSameClient() throws Exception {
        faults.add(new TimeoutException("no leader"));
        CountDownLatch tried = new CountDownLatch(2);

        try (ParkedCopies copies =
                new ParkedCopies(writer(deadLetters(), () -> new Broken(faults.poll(), tried)), counters, LONG)) {
            copies.keep(record(), () -> {});

            assertThat(tried.await(30, SECONDS)).isTrue();
        }
    }

    /** Regression: the copy of a record after one that is too large was never sent. */
    @Test
    void copy_behindOneThatIsTooLarge_isWritten() throws Exception {
        faults.add(fault("other"));
        CountDownLatch bothAreAdded = new CountDownLatch(1);
        CountDownLatch written = new CountDownLatch(1);
        AtomicBoolean isFirst = new AtomicBoolean(true);
        Supplier<Producer<byte[], byte[]>> clients = () -> {
            RuntimeException fault = faults.poll();
            return new Broken(fault, new CountDownLatch(0)) {
                @Override
                public synchronized Future<RecordMetadata> send(
                        ProducerRecord<byte[], byte[]> record, Callback callback) {
                    awaitQuietly(bothAreAdded);
                    if (fault == null && isFirst.getAndSet(false)) {
                        callback.onCompletion(null, new RecordTooLargeException("too large"));
                        return CompletableFuture.failedFuture(new RecordTooLargeException("too large"));
                    }
                    return super.send(record, callback);
                }
            };
        };

        try (ParkedCopies copies = new ParkedCopies(
                writer(deadLetters().whenTooLarge(DeadLetterTopic.TooLarge.FAIL), clients), counters, LONG)) {
            copies.keep(record(), () -> {});
            copies.keep(record(), written::countDown);
            bothAreAdded.countDown();

            assertThat(written.await(30, SECONDS)).isTrue();
            assertThat(copies.look(0)).hasMessageContaining("too large for topic dead");
        }
    }

    @Test
    void copy_thatIsTooLargeAndMayNotBeCut_failsTheRun() {
        faults.add(new RecordTooLargeException("too large"));

        try (ParkedCopies copies = new ParkedCopies(
                writer(deadLetters().whenTooLarge(DeadLetterTopic.TooLarge.FAIL), this::open), counters, LONG)) {
            copies.keep(record(), () -> {});
            until(() -> assertThat(copies.look(0)).isNotNull().hasMessageContaining("too large for topic dead"));
        }
    }

    /** Regression: an error of the client did not fail the run, and records in their last delivery were lost. */
    @Test
    @Timeout(30)
    void errorOfTheClient_failsTheRun_andOtherCopiesAreWritten() throws Exception {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        CountDownLatch written = new CountDownLatch(1);
        Supplier<Producer<byte[], byte[]>> clients = () -> new Broken(null, new CountDownLatch(0)) {
            @Override
            public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> copy, Callback callback) {
                if (isFirst.getAndSet(false)) {
                    throw new NoClassDefFoundError("planted");
                }
                return super.send(copy, callback);
            }
        };

        try (ParkedCopies copies = new ParkedCopies(writer(deadLetters(), clients), counters, LONG)) {
            copies.keep(record(), () -> {});
            until(() -> assertThat(copies.look(0))
                    .isNotNull()
                    .hasMessageContaining("planted")
                    .hasCauseInstanceOf(NoClassDefFoundError.class));
            copies.keep(record(), written::countDown);
            written.await();
        }
    }

    /** Regression: the shutdown waited for the copy of a record whose lock was lost. */
    @Test
    @Timeout(30)
    void keepLast_ofARecordThatIsGone_doesNotWait() {
        AcquiredRecord gone = record();
        gone.offered();
        assertThat(gone.take(0) && gone.giveUp()).isTrue();

        try (ParkedCopies copies = new ParkedCopies(writer(deadLetters(), this::open), counters, LONG)) {
            copies.keepLast(List.of(gone));
        }

        assertThat(counters.parked.sum()).isZero();
    }

    /** Regression: the shutdown waited for the copy of a record that is too large. */
    @Test
    @Timeout(30)
    void keepLast_ofARecordThatIsTooLarge_copiesTheOthersAndDoesNotWait() {
        faults.add(new RecordTooLargeException("too large"));
        Supplier<Producer<byte[], byte[]>> clients = () -> new Broken(null, new CountDownLatch(0)) {
            @Override
            public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
                RuntimeException fault = faults.poll();
                if (fault == null) {
                    return super.send(record, callback);
                }
                callback.onCompletion(null, fault);
                return CompletableFuture.failedFuture(fault);
            }
        };
        AcquiredRecord tooLarge = record();
        AcquiredRecord other = record();
        tooLarge.offered();
        other.offered();

        try (ParkedCopies copies = new ParkedCopies(
                writer(deadLetters().whenTooLarge(DeadLetterTopic.TooLarge.FAIL), clients), counters, LONG)) {
            copies.keepLast(List.of(tooLarge, other));
        }

        assertThat(tooLarge.isLostIfReleased()).isTrue();
        assertThat(other.isLostIfReleased()).isFalse();
    }

    /** Regression: the shutdown waited for the copy of a record that the pipeline had finished. */
    @Test
    @Timeout(30)
    void keepLast_ofARecordThatIsFinishedMeanwhile_doesNotWait() {
        CountDownLatch returned = new CountDownLatch(1);
        AcquiredRecord record = record();
        record.offered();
        assertThat(record.take(0)).isTrue();
        Supplier<Producer<byte[], byte[]>> clients = () -> new Broken(null, new CountDownLatch(0)) {
            @Override
            public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> copy, Callback callback) {
                record.endAcknowledgement();
                awaitQuietly(returned);
                return super.send(copy, callback);
            }
        };

        try (ParkedCopies copies = new ParkedCopies(writer(deadLetters(), clients), counters, LONG)) {
            copies.keepLast(List.of(record));
            returned.countDown();
        }
    }

    /** Regression: a waiting record got no copy after the delivery limit was lowered. */
    @Test
    @Timeout(30)
    void keepLast_ofARecordThatWasNeitherOfferedNorCopied_copiesIt() {
        AcquiredRecord record = record();

        try (ParkedCopies copies = new ParkedCopies(writer(deadLetters(), this::open), counters, LONG)) {
            copies.keepLast(List.of(record));
        }

        assertThat(record.isLostIfReleased()).isFalse();
        assertThat(counters.parked.sum()).isEqualTo(1);
    }

    /** Regression: the waiting thread kept a processor busy until the copy was written, or for 5 s. */
    @Test
    @Timeout(30)
    void keepLast_onAnInterruptedThread_waitsWithoutSpinning_andStaysInterrupted() throws Exception {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        AcquiredRecord record = record();
        Supplier<Producer<byte[], byte[]>> clients = () -> new Broken(null, new CountDownLatch(0)) {
            @Override
            public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> copy, Callback callback) {
                awaitQuietly(mayAnswer);
                return super.send(copy, callback);
            }
        };
        AtomicBoolean stayed = new AtomicBoolean();
        try (ParkedCopies copies = new ParkedCopies(writer(deadLetters(), clients), counters, LONG)) {
            Thread waiting = Thread.ofPlatform().start(() -> {
                Thread.currentThread().interrupt();
                copies.keepLast(List.of(record));
                stayed.set(Thread.currentThread().isInterrupted());
            });
            // The interrupt is held back while the thread is parked.
            until(() -> assertThat(waiting.getState() == Thread.State.TIMED_WAITING && !waiting.isInterrupted())
                    .isTrue());
            mayAnswer.countDown();
            waiting.join();
        }
        assertThat(stayed).isTrue();
        assertThat(record.isLostIfReleased()).isFalse();
    }
}
