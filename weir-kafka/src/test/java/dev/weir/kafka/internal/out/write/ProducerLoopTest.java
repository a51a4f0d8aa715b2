package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ProduceException;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProducerLoopTest {

    private final List<Long> acknowledged = new CopyOnWriteArrayList<>();
    private final BareContext context = new BareContext();
    private final Scripted producer = new Scripted();
    private final ProducerLoop<ProducerRecord<String, String>, String, String> loop =
            new ProducerLoop<>(clients(), context, Function.identity(), failing(), new NoWatch(), 0);

    private OrderedWriter.Clients<String, String> clients() {
        return new OrderedWriter.Clients<>(
                () -> producer,
                new FirstRecords<>(new StringSerializer()),
                new SendWindow(Map.of()),
                ClientProgress.NONE,
                false);
    }

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            acknowledged.add(token);
        }

        @Override
        public void retain(long token, int claims) {}
    };

    @Test
    void run_allAnswered_acknowledgesEachInput() throws Exception {
        producer.autoComplete = true;
        loop.run(upstream(3));
        assertThat(acknowledged).containsExactly(0L, 1L, 2L);
        assertThat(loop.close(Duration.ZERO)).isEmpty();
    }

    @Test
    void run_answersOutOfOrder_acknowledgesWhatIsAnsweredOnly() throws Exception {
        Thread answering = Thread.ofPlatform().start(() -> {
            producer.awaitSent(4);
            producer.answer(3, null);
            producer.answer(1, null);
            assertThat(acknowledged).containsExactly(0L, 3L, 1L);
            producer.answer(2, null);
        });
        loop.run(upstream(4));
        answering.join();
        assertThat(acknowledged).containsExactly(0L, 3L, 1L, 2L);
    }

    // The client gives up waiting for memory and calls back on the calling thread. The record was not accepted.
    @Test
    void send_noRoomForAKnownTopic_triesAgainUntilTaken() throws Exception {
        producer.autoComplete = true;
        producer.script(null, new TimeoutException("no room"), new TimeoutException("no room"), null);
        loop.run(upstream(2));
        assertThat(producer.sent).extracting(ProducerRecord::value).containsExactly("0", "1");
        assertThat(acknowledged).containsExactly(0L, 1L);
        assertThat(context.failures).isEmpty();
    }

    @Test
    void send_topicNeverSeen_failsWithTheTopicsName() {
        producer.script(new TimeoutException("Topic out not present in metadata after 60000 ms."));
        assertThatThrownBy(() -> loop.run(upstream(1)))
                .isInstanceOf(ProduceException.class)
                .hasMessageContaining("out")
                .hasMessageContaining("not present in metadata");
        assertThat(acknowledged).isEmpty();
        assertThat(loop.close(Duration.ZERO)).isEmpty();
    }

    @Test
    void send_refusedAtOnce_failsTheRunAndAcknowledgesNothing() {
        producer.script(new RecordTooLargeException("too large"));
        assertThatThrownBy(() -> loop.run(upstream(2))).isInstanceOf(ProduceException.class);
        assertThat(acknowledged).isEmpty();
    }

    @Test
    void send_notSerialisable_failsTheRun() {
        producer.script(new SerializationException("not a number"));
        assertThatThrownBy(() -> loop.run(upstream(1)))
                .isInstanceOf(ProduceException.class)
                .hasMessageContaining("not a number");
        assertThat(loop.close(Duration.ZERO)).isEmpty();
    }

    // The client has given up the record, so the timeout is final.
    @Test
    void answer_timeoutFromTheProducersThread_failsTheRun() throws Exception {
        Thread answering = Thread.ofPlatform().start(() -> {
            producer.awaitSent(3);
            producer.answer(1, new TimeoutException("delivery timed out"));
            producer.answer(2, null);
        });
        assertThatThrownBy(() -> loop.run(upstream(3))).hasMessageContaining("delivery timed out");
        answering.join();
        assertThat(context.failures).hasSize(1);
        // The next run must write record 1 before record 2.
        assertThat(acknowledged).containsExactly(0L);
    }

    // Regression: the first records of a new topic were refused forever.
    @Test
    void send_firstRecordOfATopic_isAnsweredBeforeAnotherIsSent() throws Exception {
        List<Integer> sentAtFlush = new ArrayList<>();
        producer.onFlush = () -> sentAtFlush.add(producer.sent.size());
        producer.autoComplete = true;
        loop.run(upstream(3));
        assertThat(sentAtFlush).containsExactly(1, 3);
    }

    @Test
    void run_interruptedInTheClient_throwsInterruptedExceptionAndClearsTheFlag() {
        producer.script(new InterruptException("interrupted"));
        assertThatThrownBy(() -> loop.run(upstream(1))).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void run_withABoundOfRecords_waitsForAnswers() throws Exception {
        ProducerLoop<ProducerRecord<String, String>, String, String> bounded =
                new ProducerLoop<>(clients(), context, Function.identity(), failing(), new NoWatch(), 2);
        List<Integer> sentAtAnswer = new ArrayList<>();
        Thread answering = Thread.ofPlatform().start(() -> {
            for (int i = 1; i < 6; i++) {
                producer.awaitSent(i + 1);
                sentAtAnswer.add(producer.sent.size() - i);
                producer.answer(i, null);
            }
        });
        bounded.run(upstream(6));
        answering.join();
        assertThat(sentAtAnswer).as("records on their way").hasSize(5).allMatch(onTheirWay -> onTheirWay <= 2);
        assertThat(acknowledged).hasSize(6);
    }

    private WriteRule<ProducerRecord<String, String>> failing() {
        return WriteRule.of(WriteFailures.fail(), context, (record, refusal, place) -> {
            throw new AssertionError("the run fails");
        });
    }

    private ProducerLoop<ProducerRecord<String, String>, String, String> skipping() {
        return new ProducerLoop<>(
                clients(),
                context,
                Function.identity(),
                WriteRule.of(WriteFailures.skip(), context, (record, refusal, place) -> {
                    throw new AssertionError("skipped records need no dead-letter record");
                }),
                new NoWatch(),
                0);
    }

    // Only the first record for the topic waits for max.block.ms.
    @Test
    void send_topicMissingUnderARuleForIt_isRefusedOnceForAllItsRecords() throws Exception {
        producer.autoComplete = true;
        producer.script(new TimeoutException(
                "Topic out not present in metadata after 60000 ms.", new UnknownTopicOrPartitionException("out")));
        skipping().run(upstream(3));
        assertThat(producer.sent).isEmpty();
        assertThat(acknowledged).containsExactly(0L, 1L, 2L);
        assertThat(context.failures).isEmpty();
    }

    @Test
    void send_topicForbiddenUnderARuleForIt_isRefused() throws Exception {
        producer.autoComplete = true;
        producer.script(new TopicAuthorizationException("out"));
        skipping().run(upstream(2));
        assertThat(producer.sent).isEmpty();
        assertThat(acknowledged).containsExactly(0L, 1L);
    }

    // While the cluster is down, no topic counts as missing.
    @Test
    void send_noBrokerAnswersUnderARule_failsTheRun() {
        producer.script(new TimeoutException("Topic out not present in metadata after 60000 ms."));
        assertThatThrownBy(() -> skipping().run(upstream(1))).isInstanceOf(ProduceException.class);
        assertThat(acknowledged).isEmpty();
    }

    /** Regression: the record waited forever. */
    @Test
    @Timeout(30)
    void sendAlone_topicMissingUnderARuleForIt_isRefused() throws Exception {
        resendingToAGoneTopic(WriteFailures.skip()).run(upstream(2));
        assertThat(acknowledged).containsExactly(0L, 1L);
        assertThat(context.failures).isEmpty();
    }

    // Regression: the rule was not applied, and the run failed.
    @ParameterizedTest
    @Timeout(30)
    @ValueSource(classes = {SerializationException.class, NullPointerException.class})
    void sendAlone_notSerializableUnderARule_isRefused(Class<? extends RuntimeException> kind) throws Exception {
        RuntimeException thrown = kind.getConstructor(String.class).newInstance("planted");
        resending(WriteFailures.skip(), callback -> {
                    throw thrown;
                })
                .run(upstream(2));
        assertThat(acknowledged).containsExactly(0L, 1L);
        assertThat(context.failures).isEmpty();
    }

    @Test
    @Timeout(30)
    void sendAlone_topicMissingUnderARuleForRecords_failsWithTheTopicsName() {
        assertThatThrownBy(() -> resendingToAGoneTopic(WriteFailures.skip().ofRecordsOnly())
                        .run(upstream(2)))
                .isInstanceOf(ProduceException.class)
                .hasMessageContaining("out")
                .hasMessageContaining("not present in metadata");
        assertThat(acknowledged).containsExactly(0L);
    }

    /** Returns a loop whose second record is refused. Its topic is gone when another client sends the record again. */
    private ProducerLoop<ProducerRecord<String, String>, String, String> resendingToAGoneTopic(WriteFailures failures) {
        return resending(failures, callback -> {
            TimeoutException gone = new TimeoutException(
                    "Topic out not present in metadata after 60000 ms.", new UnknownTopicOrPartitionException("out"));
            callback.onCompletion(null, gone);
            return CompletableFuture.failedFuture(gone);
        });
    }

    /** Returns a loop whose second record is refused. Another client sends the record again as the test says. */
    private ProducerLoop<ProducerRecord<String, String>, String, String> resending(
            WriteFailures failures, Function<Callback, Future<RecordMetadata>> again) {
        Scripted first = new Scripted();
        Thread answering = Thread.ofPlatform().daemon().unstarted(() -> {
            first.awaitSent(2);
            first.answer(1, new RecordTooLargeException("too large"));
        });
        MockProducer<String, String> second =
                new MockProducer<>(false, null, new StringSerializer(), new StringSerializer()) {
                    @Override
                    public synchronized Future<RecordMetadata> send(
                            ProducerRecord<String, String> record, Callback callback) {
                        return again.apply(callback);
                    }
                };
        Queue<MockProducer<String, String>> producers = new ArrayDeque<>(List.of(first, second));
        answering.start();
        return new ProducerLoop<>(
                new OrderedWriter.Clients<>(
                        producers::remove,
                        new FirstRecords<>(new StringSerializer()),
                        new SendWindow(Map.of()),
                        ClientProgress.NONE,
                        false),
                context,
                Function.identity(),
                WriteRule.of(failures, context, (record, refusal, place) -> {
                    throw new AssertionError("skipped records need no dead-letter record");
                }),
                new NoWatch(),
                0);
    }

    // Regression: records that the client gave up during its close failed a cancelled run.
    @Test
    void close_withAnswersMissing_reportsThemAndFailsNothing() {
        producer.onFlush = () -> {
            if (producer.sent.size() == 3) {
                throw new InterruptException("interrupted");
            }
        };
        assertThatThrownBy(() -> loop.run(upstream(3))).isInstanceOf(InterruptedException.class);
        producer.onClose = () -> {
            producer.answer(1, new KafkaException("Producer is closed forcefully."));
            producer.answer(2, new KafkaException("Producer is closed forcefully."));
        };
        assertThat(loop.close(Duration.ZERO)).isEqualTo("2 records sent without an answer");
        assertThat(acknowledged).containsExactly(0L);
        assertThat(context.failures).isEmpty();
    }

    /** A rejection must be handled soon, and nothing else ends the wait for the next element. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pull_whileRecordsAreInFlightUnderARule_endsAfterFiftyMilliseconds(boolean underARule) throws Exception {
        RunContext run = new RunContext();
        run.clock = new VirtualClock();
        WriteFailures failures = underARule ? WriteFailures.skip() : WriteFailures.fail();
        var loopOfRun = new ProducerLoop<ProducerRecord<String, String>, String, String>(
                clients(),
                run,
                Function.identity(),
                WriteRule.of(failures, run, (record, refusal, place) -> {
                    throw new AssertionError("nothing is refused");
                }),
                new NoWatch(),
                0);
        List<Long> deadlines = new ArrayList<>();
        List<Integer> depths = new ArrayList<>();
        Stage<ProducerRecord<String, String>> first = upstream(2);
        loopOfRun.run(new Stage<>() {
            @Override
            public @Nullable Batch<ProducerRecord<String, String>> pull(long deadlineNanos)
                    throws InterruptedException {
                deadlines.add(deadlineNanos);
                depths.add(run.depth.getAsInt());
                if (deadlines.size() == 2) {
                    producer.answer(1, null);
                    return new Batch<>(0);
                }
                return first.pull(deadlineNanos);
            }

            @Override
            public void close() {}
        });
        long soon = underARule ? 50_000_000L : Stage.NEVER;
        assertThat(deadlines).containsExactly(Stage.NEVER, soon, Stage.NEVER);
        assertThat(depths).containsExactly(0, 1, 0);
    }

    /** After a failure or a cancel, records that are almost written get a little time. */
    @ParameterizedTest
    @CsvSource({"0, 2", "1, 2", "3, 3"})
    void close_waitsForTwoSecondsAtLeast(long patienceSeconds, long seconds) {
        assertThat(loop.close(Duration.ofSeconds(patienceSeconds))).isEmpty();
        assertThat(producer.patience).isEqualTo(Duration.ofSeconds(seconds));
    }

    private Stage<ProducerRecord<String, String>> upstream(int records) {
        Object[] values = LongStream.range(0, records)
                .mapToObj(n -> new ProducerRecord<String, String>("out", Long.toString(n)))
                .toArray();
        Queue<Batch<ProducerRecord<String, String>>> batches = new ArrayDeque<>();
        batches.add(
                Batch.of(values, records, target, LongStream.range(0, records).toArray()));
        return new Stage<>() {
            @Override
            public @Nullable Batch<ProducerRecord<String, String>> pull(long deadlineNanos) {
                return batches.poll();
            }

            @Override
            public void close() {}
        };
    }

    static final class NoWatch implements TopicWatch {
        @Override
        public void written(String topic) {}

        @Override
        public void suspect(String topic) {}

        @Override
        public boolean isKnown(String topic) {
            return false;
        }
    }

    /** A producer with a scripted result for each send. It answers when the test says so. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // flush waits for answers, which come on another thread
    private static final class Scripted extends MockProducer<String, String> {

        final List<ProducerRecord<String, String>> sent = new CopyOnWriteArrayList<>();
        final List<Callback> callbacks = new CopyOnWriteArrayList<>();
        private final Queue<Optional<RuntimeException>> script = new ArrayDeque<>();
        private final AtomicInteger answers = new AtomicInteger();
        boolean autoComplete;
        private volatile boolean closed;
        private volatile @Nullable Thread answering;
        private @Nullable Duration patience;
        Runnable onFlush = () -> {};
        Runnable onClose = () -> {};

        Scripted() {
            super(false, null, new StringSerializer(), new StringSerializer());
        }

        /**
         * Adds the results of the next sends: null accepts the record, an API exception goes to the callback, and other
         * exceptions are thrown.
         */
        void script(@Nullable RuntimeException... lines) {
            for (RuntimeException line : lines) {
                script.add(Optional.ofNullable(line));
            }
        }

        @Override
        public Future<RecordMetadata> send(ProducerRecord<String, String> record, Callback callback) {
            RuntimeException line = script.isEmpty() ? null : script.remove().orElse(null);
            if (line instanceof TimeoutException
                    || line instanceof RecordTooLargeException
                    || line instanceof TopicAuthorizationException) {
                callback.onCompletion(null, line);
            } else if (line != null) {
                throw line;
            } else {
                sent.add(record);
                callbacks.add(callback);
                if (autoComplete) {
                    answer(callbacks.size() - 1, null);
                }
            }
            return new CompletableFuture<>();
        }

        void awaitSent(int records) {
            while (callbacks.size() < records) {
                Thread.onSpinWait();
            }
        }

        void answer(int index, @Nullable Exception failure) {
            answering = Thread.currentThread();
            callbacks.get(index).onCompletion(null, failure);
            answers.incrementAndGet();
            answering = null;
        }

        /** Answers the first record. The loop sends no other record before this answer. */
        @Override
        public void flush() {
            if (callbacks.size() == 1 && answers.get() == 0) {
                answer(0, null);
            }
            onFlush.run();
            while (answers.get() < callbacks.size()) {
                Thread.onSpinWait();
            }
        }

        /** Waits for the callbacks on another thread, as Kafka's client does. */
        @Override
        public void close(Duration timeout) {
            Thread other = answering;
            while (other != null && other != Thread.currentThread()) {
                Thread.onSpinWait();
                other = answering;
            }
            if (closed) {
                return;
            }
            closed = true;
            patience = timeout;
            Thread io = Thread.ofPlatform().start(onClose);
            try {
                io.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
