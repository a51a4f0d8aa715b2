package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.produce.Message;
import dev.weir.kafka.produce.Produced;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.VirtualClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ResultStageTest {

    private final List<String> claims = new ArrayList<>();
    private final RunContext context = new RunContext();
    private final Client client = new Client();
    private final Queue<Batch<Message<String, String, Integer>>> batches = new ArrayDeque<>();

    /** Deadlines of the stage's pulls. */
    private final List<Long> deadlines = new ArrayList<>();

    /** True if the upstream stage has no elements at present; false if it ends after its batches. */
    private boolean isIdle;

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            claims.add("ack " + token);
        }

        @Override
        public void abandon(long token) {
            claims.add("abandon " + token);
        }

        @Override
        public void retain(long token, int more) {
            claims.add("retain " + token + " by " + more);
        }

        @Override
        public String placeOf(long token) {
            return "in-0@" + token;
        }
    };

    private final Stage<Message<String, String, Integer>> upstream = new Stage<>() {
        @Override
        public @Nullable Batch<Message<String, String, Integer>> pull(long deadlineNanos) {
            deadlines.add(deadlineNanos);
            return batches.isEmpty() && isIdle ? new Batch<>(0) : batches.poll();
        }

        @Override
        public void close() {
            claims.add("closed");
        }
    };

    private final ProducerSettings<String, String> settings = ProducerSettings.builder(
                    new StringSerializer(), new StringSerializer())
            .bootstrapServers("h:1")
            .build();

    private Stage<Produced<Integer>> stage(WriteFailures failures, int maxInHand) {
        return ResultStage.sharing(client, settings, failures, maxInHand, upstream, context);
    }

    /**
     * Adds messages with the given numbers of records. A record's value contains the numbers of its message and of
     * itself.
     */
    private void messages(int... records) {
        Batch<Message<String, String, Integer>> batch = new Batch<>(records.length);
        for (int i = 0; i < records.length; i++) {
            int message = i;
            batch.add(
                    Message.multi(
                            IntStream.range(0, records[i])
                                    .mapToObj(n -> new ProducerRecord<>("out", "k", message + "." + n))
                                    .toList(),
                            message),
                    target,
                    i);
        }
        batches.add(batch);
    }

    private List<Integer> pulled(Stage<Produced<Integer>> stage) throws InterruptedException {
        List<Integer> results = new ArrayList<>();
        Batch<Produced<Integer>> batch = Objects.requireNonNull(stage.pull(System.nanoTime()));
        for (int i = 0; i < batch.size(); i++) {
            assertThat(batch.token(i)).isEqualTo((long) batch.get(i).passThrough());
            results.add(batch.get(i).passThrough());
        }
        return results;
    }

    private void pullTwice(Stage<Produced<Integer>> stage) throws InterruptedException {
        assertThat(pulled(stage)).isEmpty();
        assertThat(pulled(stage)).isEmpty();
    }

    @Test
    void results_comeInTheOrderOfTheMessages_withTheirMetadata() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 100);
        messages(1, 0, 2);
        pull(stage, 3);
        assertThat(client.history()).extracting(ProducerRecord::value).containsExactly("0.0", "2.0", "2.1");
        client.completeNext();
        assertThat(pulled(stage)).containsExactly(0, 1);
        client.completeNext();
        assertThat(pulled(stage)).isEmpty();
        client.completeNext();
        Batch<Produced<Integer>> last = Objects.requireNonNull(stage.pull(Stage.NEVER));
        assertThat(last.get(0).metadata()).extracting(RecordMetadata::offset).containsExactly(1L, 2L);
        assertThat(stage.pull(Stage.NEVER)).isNull();
        assertThat(claims).as("claims go on with the results").isEmpty();
    }

    /** Pulls repeatedly. After the deadline, each pull performs one step. */
    private void pull(Stage<Produced<Integer>> stage, int messages) throws InterruptedException {
        for (int i = 0; i <= messages; i++) {
            assertThat(pulled(stage)).isEmpty();
        }
    }

    @Test
    void messages_beyondTheBound_areNotSent() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 2);
        messages(1, 1, 1);
        pull(stage, 5);
        assertThat(client.history()).hasSize(2);
        client.completeNext();
        assertThat(pulled(stage)).containsExactly(0);
        pullTwice(stage);
        assertThat(client.history()).hasSize(3);
    }

    @Test
    void refusedRecord_failsTheRunAfterTheResultsBeforeIt_andCloseAbandonsTheRest() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 100);
        messages(1, 1, 1, 1);
        pull(stage, 3);
        client.completeNext();
        client.errorNext(new RecordTooLargeException("too large"));
        client.completeNext();
        assertThat(pulled(stage)).containsExactly(0);
        assertThatThrownBy(() -> stage.pull(Stage.NEVER))
                .isInstanceOf(ProduceException.class)
                .hasMessageContaining("in-0@1")
                .hasMessageContaining("too large");
        stage.close();
        assertThat(claims).containsExactly("abandon 1", "abandon 2", "abandon 3", "closed");
    }

    // Regression: the run failed immediately, and the next run wrote the messages in flight again.
    @Test
    void recordThatIsNotEvenSent_failsTheRunAfterTheResultsInFlight() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 100);
        client.notSent = "1.0";
        messages(1, 1, 1);
        pull(stage, 3);
        assertThat(client.history()).extracting(ProducerRecord::value).containsExactly("0.0");
        client.completeNext();
        assertThat(pulled(stage)).containsExactly(0);
        assertThatThrownBy(() -> stage.pull(Stage.NEVER))
                .isInstanceOf(ProduceException.class)
                .hasMessageContaining("in-0@1")
                .hasMessageContaining("not a number");
        stage.close();
        assertThat(claims).containsExactly("abandon 1", "abandon 2", "closed");
    }

    // Regression: after a failure of the dead-letter topic, an earlier result was neither emitted nor abandoned.
    @Test
    void deadLetterThatCannotBeWritten_failsTheRunAfterTheResultsBeforeIt() throws Exception {
        WriteRule<ProducerRecord<String, String>> rule =
                new WriteRule<>(WriteFailures.skip(), context, new UnwrittenFailures<>(settings)::failed, failed -> {
                    throw new KafkaPipelineException("planted");
                });
        Stage<Produced<Integer>> stage =
                new ResultStage<>(new RunProducers<>(settings).sharing(client), settings, rule, 100, upstream, context);
        messages(1, 1, 1);
        pull(stage, 3);
        client.errorNext(new KafkaException("part of a batch with invalid records"));
        client.errorNext(new InvalidRecordException("null key"));
        client.errorNext(new KafkaException("part of a batch with invalid records"));
        client.refused.add("1.0");
        client.answered = 3;
        client.answersAtFlush = true;
        assertThat(pulled(stage)).containsExactly(0);
        assertThatThrownBy(() -> pulledUntilEnd(stage)).hasMessageContaining("planted");
        stage.close();
        assertThat(claims).containsExactly("abandon 2", "closed");
    }

    @Test
    void refusedRecords_underARuleToSkip_areAcknowledgedOncePerClaim() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.skip(), 100);
        messages(4, 1);
        pull(stage, 2);
        client.refused.addAll(List.of("0.0", "0.2", "0.3"));
        client.answersAtFlush = true;
        assertThat(pulled(stage)).isEmpty();
        client.flush();
        assertThat(pulledUntilEnd(stage)).containsExactly(1);
        assertThat(claims).containsExactly("retain 0 by 2", "ack 0", "ack 0", "ack 0");
    }

    // Regression: one refused record failed the run because of other records in its batch.
    @Test
    void neighboursOfARefusedRecord_areSentAgainInOrder_andOnlyThatOneIsTakenOut() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.skip(), 100);
        messages(1, 1, 1, 1);
        pull(stage, 4);
        client.errorNext(new KafkaException("part of a batch with invalid records"));
        client.errorNext(new InvalidRecordException("null key"));
        client.errorNext(new KafkaException("part of a batch with invalid records"));
        client.completeNext(); // the client has still written the last record
        client.refused.add("1.0");
        client.answered = 4;
        client.answersAtFlush = true;
        assertThat(pulledUntilEnd(stage)).containsExactly(0, 2, 3);
        assertThat(client.history().stream().skip(4))
                .extracting(ProducerRecord::value)
                .containsExactly("0.0", "1.0", "2.0", "3.0");
        assertThat(claims).containsExactly("ack 1");
    }

    // A record of another pipeline on the same producer is refused. This pipeline must not fail.
    @Test
    void neighboursOfSomebodyElsesRecord_withoutARule_areSentAgain() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 100);
        messages(1, 1);
        pull(stage, 2);
        client.errorNext(new KafkaException("part of a batch with invalid records"));
        client.completeNext();
        client.answered = 2;
        client.answersAtFlush = true;
        assertThat(pulledUntilEnd(stage)).containsExactly(0, 1);
        assertThat(context.failures).isEmpty();
    }

    private List<Integer> pulledUntilEnd(Stage<Produced<Integer>> stage) throws InterruptedException {
        List<Integer> results = new ArrayList<>();
        for (var batch = stage.pull(Stage.NEVER); batch != null; batch = stage.pull(Stage.NEVER)) {
            for (int i = 0; i < batch.size(); i++) {
                results.add(batch.get(i).passThrough());
            }
        }
        return results;
    }

    @Test
    void failureOfTheProducer_isNotForARule() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.skip(), 100);
        messages(1);
        pull(stage, 1);
        client.errorNext(new AuthenticationException("who are you"));
        assertThatThrownBy(() -> stage.pull(Stage.NEVER)).isInstanceOf(ProduceException.class);
        assertThat(claims).isEmpty();
    }

    private static final long MILLI = 1_000_000;

    private Batch<Produced<Integer>> pulledBy(Stage<Produced<Integer>> stage, long deadlineNanos)
            throws InterruptedException {
        return Objects.requireNonNull(stage.pull(deadlineNanos));
    }

    /** Results of records in flight must not wait for the next element. */
    @Test
    void upstream_isWaitedForBriefly_whileRecordsAreInFlight() throws Exception {
        context.clock = new VirtualClock();
        isIdle = true;
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 100);
        assertThat(pulledBy(stage, Stage.NEVER).isEmpty()).isTrue();
        assertThat(pulledBy(stage, 7 * MILLI).isEmpty()).isTrue();
        messages(1);
        for (long deadlineNanos : new long[] {Stage.NEVER, 7 * MILLI, MILLI / 2}) {
            assertThat(pulledBy(stage, deadlineNanos).isEmpty()).isTrue();
        }
        assertThat(client.history()).hasSize(1);
        assertThat(deadlines).containsExactly(Stage.NEVER, 7 * MILLI, Stage.NEVER, MILLI, MILLI, MILLI / 2);
        client.completeNext();
        assertThat(pulledBy(stage, Stage.NEVER).get(0).passThrough()).isZero();
        assertThat(pulledBy(stage, Stage.NEVER).isEmpty()).isTrue();
        assertThat(deadlines.getLast()).isEqualTo(Stage.NEVER);
    }

    @Test
    void messages_inHand_areCounted() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 100);
        messages(1, 2);
        pull(stage, 2);
        assertThat(context.depth.getAsInt()).isEqualTo(2);
        assertThat(context.meter().elementsIn()).isEqualTo(2);
        client.completeNext();
        assertThat(pulled(stage)).containsExactly(0);
        assertThat(context.depth.getAsInt()).isEqualTo(1);
        assertThat(context.meter().elementsOut()).isEqualTo(1);
    }

    @Test
    void pull_withAFullWindow_waitsForTheFirstMessage() throws Exception {
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 1);
        messages(1, 1);
        Thread pulling = Thread.currentThread();
        Thread answering = Thread.ofPlatform().start(() -> {
            while (pulling.getState() != Thread.State.WAITING || !client.completeNext()) {
                Thread.onSpinWait();
            }
        });
        Batch<Produced<Integer>> results = pulledBy(stage, Stage.NEVER);
        answering.join();
        assertThat(results.size()).isEqualTo(1);
        assertThat(client.history()).hasSize(1);
    }

    @Test
    void interruptInTheClient_isThrownAsOne() {
        Stage<Produced<Integer>> stage = stage(WriteFailures.fail(), 100);
        messages(1);
        client.thrown = new InterruptException("planted");
        assertThatThrownBy(() -> stage.pull(Stage.NEVER))
                .isInstanceOf(InterruptedException.class)
                .hasCause(client.thrown);
        assertThat(Thread.interrupted()).isFalse();
    }

    /** A result acknowledges that all earlier inputs are done with. */
    @Test
    void deadLetters_areDelivered_beforeTheResultsBehindThem() throws Exception {
        WriteRule<ProducerRecord<String, String>> rule =
                new WriteRule<>(WriteFailures.skip(), context, new UnwrittenFailures<>(settings)::failed, failed -> {
                    for (int i = 0; i < failed.size(); i++) {
                        claims.add("delivered " + failed.token(i));
                    }
                });
        Stage<Produced<Integer>> stage =
                new ResultStage<>(new RunProducers<>(settings).sharing(client), settings, rule, 100, upstream, context);
        messages(1, 1, 1);
        client.refused.addAll(List.of("0.0", "2.0"));
        client.answersAtFlush = true;
        pull(stage, 1);
        client.flush();
        assertThat(pulledBy(stage, Stage.NEVER).get(0).passThrough()).isEqualTo(1);
        assertThat(claims).containsExactly("delivered 0");
        pull(stage, 1);
        client.flush();
        assertThat(stage.pull(Stage.NEVER)).isNull();
        assertThat(claims).containsExactly("delivered 0", "delivered 2");
    }

    /** A client that answers when the test says so, or at each flush. A flush refuses records by their value. */
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
    private static final class Client extends MockProducer<String, String> {

        final Set<String> refused = new HashSet<>();

        @Nullable
        String notSent;

        @Nullable
        RuntimeException thrown;

        boolean answersAtFlush;
        int answered;

        Client() {
            super(false, null, new StringSerializer(), new StringSerializer());
        }

        @Override
        public Future<RecordMetadata> send(ProducerRecord<String, String> record, Callback callback) {
            if (thrown != null) {
                throw thrown;
            }
            if (record.value().equals(notSent)) {
                throw new SerializationException("not a number");
            }
            return super.send(record, callback);
        }

        @Override
        public void flush() {
            while (answersAtFlush && answered < history().size()) {
                if (refused.contains(history().get(answered++).value())) {
                    errorNext(new InvalidRecordException("null key"));
                } else {
                    completeNext();
                }
            }
        }
    }
}
