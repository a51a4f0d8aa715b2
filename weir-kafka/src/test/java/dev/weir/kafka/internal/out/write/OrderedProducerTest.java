package dev.weir.kafka.internal.out.write;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.internal.meters.LatencyCounts;
import dev.weir.kafka.internal.meters.WrittenCount;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.SplittingClient;
import dev.weir.kafka.internal.out.write.OrderedProducer.Sent;
import dev.weir.kafka.internal.out.write.RecordAnswer.Kept;
import dev.weir.stream.spi.AckTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests which acknowledgements a refused record holds back. */
class OrderedProducerTest {

    private final KafkaException ofANeighbour = new KafkaException("part of a batch with invalid records");

    private final List<Long> acknowledged = new CopyOnWriteArrayList<>();
    private final AtomicInteger settled = new AtomicInteger();
    private final List<String> suspected = new ArrayList<>();
    private final Scripted client = new Scripted();
    private final WrittenCount written = new WrittenCount();
    private final LatencyCounts latency = new LatencyCounts();
    private final OrderedProducer<String, String> producer = producer(false, 0, ClientProgress.NONE);

    private OrderedProducer<String, String> producer(boolean shared, int maxInFlight, ClientProgress progress) {
        return new OrderedProducer<>(
                client,
                shared,
                written,
                latency,
                new OffsetOrder(suspected::add),
                maxInFlight,
                progress,
                settled::incrementAndGet);
    }

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            acknowledged.add(token);
        }

        @Override
        public void retain(long token, int claims) {}

        @Override
        public String placeOf(long token) {
            return "in-0@" + token;
        }
    };

    private Sent send(int number, int partition) {
        ProducerRecord<String, String> record = new ProducerRecord<>("out", partition, "k", Integer.toString(number));
        return producer.send(record, new Kept<>(number, record, number, target, number));
    }

    private void sendTo(int... partitions) {
        for (int number = 0; number < partitions.length; number++) {
            assertThat(send(number, partitions[number])).isEqualTo(Sent.TAKEN);
        }
    }

    // Regression: record N was refused, and the next run wrote it after record N+1.
    @Test
    void answer_behindARefusedRecordOfItsPartition_countsAsIfItHadNotCome() throws Exception {
        sendTo(0, 1, 0, 1);
        client.answer(0, new InvalidRecordException("no key"));
        client.answer(1, null);
        client.answer(2, null);
        client.answer(3, null);
        assertThat(acknowledged).containsExactly(1L, 3L);
        assertThat(settled).hasValue(1);
        assertThat(producer.awaitSettled()).extracting(kept -> kept.ordinal).containsExactly(0L, 2L);
    }

    // Regression: the run ended without a failure although the record was not written.
    @Test
    void answer_thatIsMissingAfterTheClose_failsTheRun() throws InterruptedException {
        sendTo(0, 0);
        client.answer(0, new InvalidRecordException("no key"));
        assertThatThrownBy(producer::awaitSettled).isInstanceOf(KafkaPipelineException.class);
    }

    @Test
    void answer_thatSaysNo_closesTheClientBeforeItReturns() throws Exception {
        sendTo(0, 0);
        client.answer(0, ofANeighbour);
        assertThat(client.closed()).isTrue();
        assertThat(send(2, 0)).isEqualTo(Sent.STOPPED);
        assertThat(settled).hasValue(0);
        assertThat(producer.isQuiet()).isFalse();
    }

    @Test
    void refusal_whosePartitionIsNotKnown_countsForItsTopic() throws Exception {
        sendTo(0, 1);
        client.answerWithoutPlace(0, new InvalidRecordException("no key"));
        client.answer(1, null);
        assertThat(acknowledged).isEmpty();
    }

    // Regression: the message named the first record of the batch, which has no fault.
    @Test
    void stop_afterAWholeBatchIsRefused_namesTheRecordThatIsToBlame() throws Exception {
        sendTo(0, 0, 0);
        client.answer(0, ofANeighbour);
        client.answer(1, new InvalidRecordException("no key"));
        client.answer(2, ofANeighbour);
        OrderedProducer.Stop stop = Objects.requireNonNull(producer.stop());
        assertThat(stop.isOfRecords()).isTrue();
        assertThat(producer.failure()).hasMessageContaining("out").hasMessageContaining("in-0@1:");
    }

    @Test
    void stop_forWhatIsNotOfOneRecord_saysSo() throws Exception {
        sendTo(0, 0);
        client.answer(0, new TopicAuthorizationException("out"));
        client.answer(1, ofANeighbour);
        OrderedProducer.Stop stop = Objects.requireNonNull(producer.stop());
        assertThat(stop.isOfRecords()).isFalse();
    }

    @Test
    void record_thatCameBack_goesToThePartitionThatItWasMeantFor() throws Exception {
        ProducerRecord<String, String> record = new ProducerRecord<>("out", "k", "0");
        record.headers().add("h", new byte[1]);
        assertThat(producer.send(record, new Kept<>(0, record, 0, target, 0))).isEqualTo(Sent.TAKEN);
        client.answer(0, ofANeighbour);
        ProducerRecord<?, ?> again = producer.awaitSettled().getFirst().record;
        assertThat(again.partition()).isEqualTo(0);
        assertThat(again.headers()).isEqualTo(record.headers()).isNotSameAs(record.headers());
    }

    // Regression: the run stalled after a long chain of batch splits.
    @Test
    void splits_withoutAnyAnswer_stopItAtAThousand_orAtAHundredAfterFiveSeconds() throws Exception {
        sendTo(0, 0);
        assertThat(producer.look(0)).isNull();
        client.splits = 999;
        assertThat(producer.look(SECONDS.toNanos(1))).isNull();
        client.answer(0, null);
        assertThat(producer.look(SECONDS.toNanos(2))).isNull();
        client.splits = 999 + 99;
        assertThat(producer.look(SECONDS.toNanos(8))).isNull();
        assertThat(producer.stop()).isNull();
        client.splits = 999 + 100;
        assertThat(producer.look(SECONDS.toNanos(9))).isNull();
        assertThat(Objects.requireNonNull(producer.stop()).isOfSplits()).isTrue();
        assertThat(client.closed()).isTrue();
    }

    @Test
    void splits_byTheThousandWithoutAnAnswer_stopItAtOnce() throws Exception {
        sendTo(0, 0);
        assertThat(producer.look(0)).isNull();
        client.splits = 1_000;
        assertThat(producer.look(1)).isNull();
        assertThat(Objects.requireNonNull(producer.stop()).isOfSplits()).isTrue();
    }

    @Test
    void deadThread_whileTheClientIsWaitedFor_isSeenThoughNoAnswerIsMissing() throws Exception {
        sendTo(0);
        client.answerOn("kafka-producer-network-thread | 1", 0);
        for (int looks = 0; looks < 3; looks++) {
            assertThat(producer.look(looks)).isNull();
        }
        CountDownLatch flushing = new CountDownLatch(1);
        client.flushing = flushing;
        Thread waiting = Thread.ofVirtual().start(producer::flush);
        flushing.await();
        assertThat(producer.look(3)).isNull();
        assertThat(producer.look(4)).hasMessageContaining("the thread of the producer has ended");
        client.flushed.countDown();
        waiting.join();
        assertThat(producer.look(5)).isNull();
    }

    // Regression: the run waited forever, and no message named the producer.
    @Test
    void recordThatIsSentAlone_withoutAnAnswer_stopsTheClientAndComesBack() throws Exception {
        OrderedProducer<String, String> watched = producer(false, 0, SplittingClient.stuckAfter(10));
        CountDownLatch flushing = new CountDownLatch(1);
        client.flushing = flushing;
        Kept<Integer, String, String> alone = new Kept<>(0, new ProducerRecord<>("out", "0"), 0, target, 0);
        CompletableFuture<@Nullable RecordMetadata> answer = new CompletableFuture<>();
        Thread sending = Thread.ofVirtual().start(() -> {
            try {
                answer.complete(watched.sendAlone(alone));
            } catch (Exception e) {
                answer.completeExceptionally(e);
            }
        });
        flushing.await();
        for (int second = 0; second < 40 && watched.stop() == null; second++) {
            assertThat(watched.look(SECONDS.toNanos(second))).isNull();
        }
        assertThat(Objects.requireNonNull(watched.stop()).isOfProgress()).isTrue();
        assertThat(client.closed()).isTrue();

        client.answer(0, new KafkaException("Producer is closed forcefully."));
        client.flushed.countDown();
        sending.join();
        assertThat(answer).isCompletedWithValue(null);
        assertThat(watched.awaitSettled()).containsExactly(alone);
    }

    @Test
    void recordThatIsSentAlone_andSplitWithoutEnd_isRefusedAsTooLarge() throws Exception {
        CountDownLatch flushing = new CountDownLatch(1);
        client.flushing = flushing;
        Kept<Integer, String, String> alone = new Kept<>(0, new ProducerRecord<>("out", "0"), 0, target, 0);
        CompletableFuture<@Nullable RecordMetadata> answer = new CompletableFuture<>();
        Thread sending = Thread.ofVirtual().start(() -> {
            try {
                answer.complete(producer.sendAlone(alone));
            } catch (Exception e) {
                answer.completeExceptionally(e);
            }
        });
        flushing.await();
        assertThat(producer.look(0)).isNull();
        client.splits = 1_000;
        assertThat(producer.look(1)).isNull();
        assertThat(client.closed()).isTrue();

        client.answer(0, new KafkaException("Producer is closed forcefully."));
        client.flushed.countDown();
        sending.join();
        assertThat(answer).isCompletedExceptionally();
        assertThat(answer.exceptionNow()).hasCauseInstanceOf(RecordTooLargeException.class);
        assertThat(producer.awaitSettled()).isEmpty();
    }

    @Test
    void splits_whileNoAnswerIsMissing_areNobodysFault() {
        assertThat(producer.look(0)).isNull();
        client.splits = 5_000;
        assertThat(producer.look(SECONDS.toNanos(9))).isNull();
        assertThat(producer.stop()).isNull();
    }

    @Test
    void offsets_thatGoBack_areToldOnce() throws Exception {
        sendTo(0, 1, 0, 0);
        client.answerAt(0, 100);
        client.answerAt(1, 7);
        client.answerAt(2, 101);
        assertThat(suspected).isEmpty();
        client.answerAt(3, 0);
        assertThat(suspected).containsExactly("out");
    }

    private Kept<Integer, String, String> kept(int number, ProducerRecord<String, String> record) {
        return new Kept<>(number, record, number, target, number);
    }

    private Kept<Integer, String, String> kept(int number) {
        return kept(number, new ProducerRecord<>("out", Integer.toString(number)));
    }

    private Sent send(OrderedProducer<String, String> by, Kept<Integer, String, String> answer) {
        return by.send(answer.record, answer);
    }

    // ---- Records that the client does not accept -------------------------------------------------------------------

    @Test
    @Timeout(30)
    void permit_ofARecordThatTheClientDoesNotAccept_isGivenBack() throws Exception {
        OrderedProducer<String, String> limited = producer(false, 1, ClientProgress.NONE);
        client.refusal = new RecordTooLargeException("planted");
        assertThat(send(limited, kept(0))).isEqualTo(Sent.REFUSED);
        client.refusal = new TimeoutException("planted");
        assertThat(send(limited, kept(1))).isEqualTo(Sent.NO_ROOM);
        client.refusal = null;
        client.thrown = new SerializationException("planted");
        assertThat(send(limited, kept(2))).isEqualTo(Sent.REFUSED);
        client.thrown = new InterruptException("planted");
        assertThat(Thread.interrupted()).as("set by the exception").isTrue();
        assertThatThrownBy(() -> send(limited, kept(3))).isSameAs(client.thrown);
        client.thrown = null;
        assertThat(limited.unanswered()).isZero();
        assertThat(limited.isQuiet()).isTrue();
        assertThat(send(limited, kept(4))).isEqualTo(Sent.TAKEN);
        client.answer(0, null);
        assertThat(send(limited, kept(5))).isEqualTo(Sent.TAKEN);
        assertThat(limited.unanswered()).isEqualTo(1);
        assertThat(acknowledged).containsExactly(4L);
        assertThat(written.getAsLong()).isEqualTo(1);
    }

    @Test
    @Timeout(30)
    void interrupt_endsTheWaitForAPermit() {
        OrderedProducer<String, String> limited = producer(false, 1, ClientProgress.NONE);
        assertThat(send(limited, kept(0))).isEqualTo(Sent.TAKEN);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> send(limited, kept(1))).isInstanceOf(InterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(client.callbacks).hasSize(1);
        assertThat(limited.unanswered()).isEqualTo(1);
    }

    @Test
    void reason_ofARecordThatTheClientDoesNotAccept_isKept_untilItIsSentAgain() {
        Kept<Integer, String, String> record = kept(0);
        client.refusal = new TimeoutException("planted");
        assertThat(send(producer, record)).isEqualTo(Sent.NO_ROOM);
        assertThat(record.notTaken).isSameAs(client.refusal);
        client.refusal = new TimeoutException("planted", new UnknownTopicOrPartitionException("out"));
        assertThat(send(producer, record)).isEqualTo(Sent.NO_ROOM);
        assertThat(record.notTaken).isInstanceOf(UnknownTopicOrPartitionException.class);
        client.refusal = null;
        assertThat(send(producer, record)).isEqualTo(Sent.TAKEN);
        assertThat(record.notTaken).isNull();
        assertThat(producer.stop()).isNull();
    }

    /** The exception of the closed client says nothing about this record. */
    @Test
    void recordThatIsSentWhileTheClientStops_isToBeSentAgain() throws Exception {
        sendTo(0);
        Kept<Integer, String, String> second = kept(1);
        client.refusal = new KafkaException("Producer is closed forcefully.");
        client.onSend = () -> client.answerInSend(0, new InvalidRecordException("no key"));
        assertThat(send(producer, second)).isEqualTo(Sent.STOPPED);
        assertThat(second.notTaken).isNull();
        assertThat(settled).as("all outcomes are known now").hasValue(1);
        assertThat(send(producer, second)).isEqualTo(Sent.STOPPED);
        assertThat(producer.unanswered()).isZero();
        assertThat(producer.awaitSettled()).extracting(kept -> kept.ordinal).containsExactly(0L);
        assertThat(producer.close(Duration.ZERO)).as("the unwritten record").isEqualTo(1);
    }

    // ---- Outcomes --------------------------------------------------------------------------------------------------

    @Test
    void writtenRecords_areCounted_withTheTimeSinceTheirTimestamp() throws Exception {
        long timestamp = System.currentTimeMillis() - 5_000;
        assertThat(send(producer, kept(0, new ProducerRecord<>("out", 0, timestamp, "k", "0"))))
                .isEqualTo(Sent.TAKEN);
        assertThat(send(producer, kept(1))).isEqualTo(Sent.TAKEN);
        assertThat(producer.isQuiet()).isFalse();
        client.answer(0, null);
        client.answer(1, null);
        assertThat(producer.isQuiet()).isTrue();
        assertThat(written.getAsLong()).isEqualTo(2);
        assertThat(latency.snapshot().count()).isEqualTo(1);
        assertThat(latency.snapshot().max()).isBetween(5_000L, 500_000L);
        assertThat(settled).as("nothing was refused").hasValue(0);
    }

    /** The place of a written record is not always known. */
    @Test
    void answerWithoutAPlace_behindARefusedRecordOfItsTopic_countsAsIfItHadNotCome() throws Exception {
        sendTo(0, 0);
        assertThat(send(producer, kept(2, new ProducerRecord<>("other", "2")))).isEqualTo(Sent.TAKEN);
        client.answer(0, new InvalidRecordException("no key"));
        client.answerWithoutMetadata(1);
        client.answerWithoutMetadata(2);
        assertThat(acknowledged).containsExactly(2L);
        assertThat(producer.awaitSettled()).extracting(kept -> kept.ordinal).containsExactly(0L, 1L);
    }

    @Test
    void unwrittenRecords_comeBackInTheOrderInWhichTheyWereSent() throws Exception {
        sendTo(0, 0, 0);
        client.answer(1, new InvalidRecordException("no key"));
        client.answer(2, null);
        client.answer(0, ofANeighbour);
        assertThat(producer.awaitSettled()).extracting(kept -> kept.ordinal).containsExactly(0L, 1L, 2L);
        assertThat(producer.close(Duration.ZERO)).isEqualTo(3);
    }

    @Test
    void recordThatCameBack_isTheSame_andKeepsAPartitionThatTheUserChose() throws Exception {
        Kept<Integer, String, String> chosen = kept(0, new ProducerRecord<>("out", 1, 99L, "k", "0"));
        Kept<Integer, String, String> unknown = kept(1);
        assertThat(send(producer, chosen)).isEqualTo(Sent.TAKEN);
        assertThat(send(producer, unknown)).isEqualTo(Sent.TAKEN);
        client.answerWithoutPlace(0, ofANeighbour);
        client.answerWithoutPlace(1, ofANeighbour);
        assertThat(chosen.record).isEqualTo(new ProducerRecord<>("out", 1, 99L, "k", "0"));
        assertThat(chosen.refusal).isSameAs(ofANeighbour);
        assertThat(unknown.record.partition()).isNull();
    }

    // ---- Clients that fail -----------------------------------------------------------------------------------------

    @Test
    void failureOfAClient_namesTheFirstInputsWithoutAnAnswer() throws Exception {
        for (int input = 6; input >= 0; input--) {
            AckTarget ofInput = input == 0 ? AckTarget.NONE : namedTarget("in-" + input);
            for (int token : new int[] {5, 3, 4}) {
                ProducerRecord<String, String> record = new ProducerRecord<>("out", "v");
                assertThat(producer.send(record, new Kept<>(token, record, token, ofInput, token)))
                        .isEqualTo(Sent.TAKEN);
            }
        }
        assertThat(producer.look(0)).isNull();
        client.splits = 1_000;
        assertThat(producer.look(1)).isNull();
        for (int i = 0; i < 21; i++) {
            // The reason of the stop stays the same.
            client.answer(i, new TopicAuthorizationException("out"));
        }
        assertThat(Objects.requireNonNull(producer.stop()).isOfSplits()).isTrue();
        assertThat(producer.failure())
                .isNotInstanceOf(ProduceException.class)
                .hasMessageEndingWith(
                        "; the first inputs without an answer are in-1@3, in-2@3, in-3@3, in-4@3, in-5@3");
        assertThat(settled).hasValue(1);
    }

    private static AckTarget namedTarget(String name) {
        return new AckTarget() {
            @Override
            public void ack(long token) {}

            @Override
            public void retain(long token, int count) {}

            @Override
            public String placeOf(long token) {
                return name + "@" + token;
            }
        };
    }

    @Test
    void failureOfAClient_withoutKnownInputs_namesNone() throws Exception {
        sendTo(0);
        assertThat(producer.look(0)).isNull();
        client.splits = 1_000;
        assertThat(producer.look(1)).isNull();
        assertThat(producer.look(2)).as("already stopped").isNull();
        assertThat(producer.failure().getMessage()).doesNotContain("first inputs");
    }

    @Test
    void stuckClient_isStopped_andItsTopicsAreNamed() {
        OrderedProducer<String, String> watched = producer(false, 0, SplittingClient.stuckAfter(10));
        assertThat(send(watched, kept(0))).isEqualTo(Sent.TAKEN);
        assertThat(send(watched, kept(1, new ProducerRecord<>("other", "1")))).isEqualTo(Sent.TAKEN);
        for (int second = 0; second < 40 && watched.stop() == null; second++) {
            assertThat(watched.look(SECONDS.toNanos(second))).isNull();
        }
        assertThat(Objects.requireNonNull(watched.stop()).isOfProgress()).isTrue();
        assertThat(watched.failure()).hasMessageContaining("out").hasMessageContaining("other");
        assertThat(client.closed()).isTrue();
    }

    // ---- A client that other writers use, too ----------------------------------------------------------------------

    @Test
    void sharedClient_staysOpen_andIsFlushedBeforeRecordsAreSentAgain() throws Exception {
        OrderedProducer<String, String> shared = producer(true, 0, ClientProgress.NONE);
        assertThat(send(shared, kept(0))).isEqualTo(Sent.TAKEN);
        assertThat(send(shared, kept(1))).isEqualTo(Sent.TAKEN);
        client.answer(0, new InvalidRecordException("no key"));
        assertThat(Objects.requireNonNull(shared.stop()).topic()).isEqualTo("out");
        assertThat(send(shared, kept(2))).isEqualTo(Sent.STOPPED);
        client.answersAtFlush = true;
        assertThat(shared.awaitSettled()).extracting(kept -> kept.ordinal).containsExactly(0L, 1L);
        assertThat(shared.close(Duration.ZERO)).isEqualTo(2);
        assertThat(client.closed()).isFalse();
    }

    /** Other writers still use the client. */
    @Test
    void sharedClient_thatSplitsWithoutEnd_failsTheRunAndIsNotStopped() {
        OrderedProducer<String, String> shared = producer(true, 0, ClientProgress.NONE);
        assertThat(send(shared, kept(0))).isEqualTo(Sent.TAKEN);
        assertThat(shared.look(0)).isNull();
        client.splits = 1_000;
        assertThat(shared.look(1)).hasMessageContaining("splits it without end");
        assertThat(shared.stop()).isNull();
        assertThat(client.closed()).isFalse();
    }

    // Regression: the writer waited forever for the record that had no outcome.
    @Test
    void sharedClient_withoutEnd_failsTheRun_alsoAfterARefusedRecord() throws Exception {
        OrderedProducer<String, String> splitting = producer(true, 0, ClientProgress.NONE);
        assertThat(send(splitting, kept(0))).isEqualTo(Sent.TAKEN);
        assertThat(send(splitting, kept(1))).isEqualTo(Sent.TAKEN);
        client.answer(0, new InvalidRecordException("no key"));
        assertThat(splitting.look(0)).isNull();
        client.splits = 1_000;
        assertThat(splitting.look(1)).hasMessageContaining("splits it without end");

        OrderedProducer<String, String> stuck = producer(true, 0, SplittingClient.stuckAfter(10));
        client.splits = 0;
        assertThat(send(stuck, kept(2))).isEqualTo(Sent.TAKEN);
        assertThat(send(stuck, kept(3))).isEqualTo(Sent.TAKEN);
        client.answer(2, new InvalidRecordException("no key"));
        KafkaPipelineException failure = null;
        for (int second = 0; second < 40 && failure == null; second++) {
            failure = stuck.look(SECONDS.toNanos(second));
        }
        assertThat(failure).hasMessageContaining("has had no answer for");
        assertThat(client.closed()).isFalse();
    }

    // ---- Records that are sent alone -------------------------------------------------------------------------------

    @Test
    void recordThatIsSentAlone_isWritten_orItsRefusalIsThrown() throws Exception {
        client.answersAtFlush = true;
        assertThat(producer.sendAlone(kept(0))).isNotNull();
        client.refusalAtFlush = new InvalidRecordException("no key");
        assertThatThrownBy(() -> producer.sendAlone(kept(1))).hasCause(client.refusalAtFlush);
        client.thrown = new SerializationException("planted");
        assertThatThrownBy(() -> producer.sendAlone(kept(2))).isSameAs(client.thrown);
        assertThat(producer.unanswered()).isZero();
        assertThat(producer.stop()).isNull();
        assertThat(client.closed()).isFalse();
    }

    /** A client that answers on another thread when the test says so. */
    private static final class Scripted extends SplittingClient {

        private final List<Callback> callbacks = new ArrayList<>();
        private final List<Integer> partitions = new ArrayList<>();
        private final List<CompletableFuture<RecordMetadata>> futures = new ArrayList<>();

        /** Given to the callback of each record within the send. */
        private @Nullable Exception refusal;

        private @Nullable RuntimeException thrown;
        private Runnable onSend = () -> {};
        private boolean answersAtFlush;
        private @Nullable Exception refusalAtFlush;

        private @Nullable CountDownLatch flushing;
        private final CountDownLatch flushed = new CountDownLatch(1);

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // it waits
        public void flush() {
            if (flushing != null) {
                flushing.countDown();
                try {
                    flushed.await();
                } catch (InterruptedException e) {
                    throw new InterruptException(e);
                }
            }
            for (int i = 0; answersAtFlush && i < futures.size(); i++) {
                if (!futures.get(i).isDone()) {
                    answerInSend(i, refusalAtFlush);
                }
            }
        }

        void answerInSend(int index, @Nullable Exception failure) {
            try {
                answer(index, failure);
            } catch (InterruptedException e) {
                throw new InterruptException(e);
            }
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
        public Future<RecordMetadata> send(ProducerRecord<String, String> record, Callback callback) {
            onSend.run();
            if (thrown != null) {
                throw thrown;
            }
            if (refusal != null) {
                callback.onCompletion(null, refusal);
                return CompletableFuture.failedFuture(refusal);
            }
            callbacks.add(callback);
            partitions.add(record.partition() == null ? 0 : record.partition());
            futures.add(new CompletableFuture<>());
            return futures.getLast();
        }

        void answer(int index, @Nullable Exception failure) throws InterruptedException {
            answer(index, index, partitions.get(index), failure);
        }

        void answerAt(int index, long offset) throws InterruptedException {
            answer(index, offset, partitions.get(index), null);
        }

        /** Answers on a thread with the given name, which ends afterwards. */
        void answerOn(String thread, int index) throws InterruptedException {
            RecordMetadata metadata = new RecordMetadata(new TopicPartition("out", 0), index, 0, -1, -1, -1);
            Thread.ofPlatform()
                    .name(thread)
                    .start(() -> callbacks.get(index).onCompletion(metadata, null))
                    .join();
        }

        void answerWithoutMetadata(int index) throws InterruptedException {
            Thread.ofPlatform()
                    .start(() -> callbacks.get(index).onCompletion(null, null))
                    .join();
        }

        void answerWithoutPlace(int index, Exception failure) throws InterruptedException {
            answer(index, -1, RecordMetadata.UNKNOWN_PARTITION, failure);
        }

        private void answer(int index, long offset, int partition, @Nullable Exception failure)
                throws InterruptedException {
            RecordMetadata metadata = new RecordMetadata(
                    new TopicPartition("out", partition), failure == null ? offset : -1, 0, -1, -1, -1);
            Thread.ofPlatform()
                    .start(() -> callbacks.get(index).onCompletion(metadata, failure))
                    .join();
            boolean ignored = failure == null
                    ? futures.get(index).complete(metadata)
                    : futures.get(index).completeExceptionally(failure);
        }
    }
}
