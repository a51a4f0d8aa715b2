package dev.weir.kafka.internal.out.write;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.meters.LatencyCounts;
import dev.weir.kafka.internal.meters.WrittenCount;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.kafka.internal.out.client.SplittingClient;
import dev.weir.kafka.internal.out.write.OrderedProducer.Sent;
import dev.weir.kafka.internal.out.write.RecordAnswer.Kept;
import dev.weir.stream.spi.AckTarget;
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
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which acknowledgements a refused record holds back. */
class OrderedProducerTest {

    private final KafkaException ofANeighbour = new KafkaException("part of a batch with invalid records");

    private final List<Long> acknowledged = new CopyOnWriteArrayList<>();
    private final AtomicInteger settled = new AtomicInteger();
    private final List<String> suspected = new ArrayList<>();
    private final Scripted client = new Scripted();
    private final OrderedProducer<String, String> producer = new OrderedProducer<>(
            client,
            false,
            new WrittenCount(),
            new LatencyCounts(),
            new OffsetOrder(suspected::add),
            0,
            ClientProgress.NONE,
            settled::incrementAndGet);

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
        OrderedProducer<String, String> watched = new OrderedProducer<>(
                client,
                false,
                new WrittenCount(),
                new LatencyCounts(),
                new OffsetOrder(suspected::add),
                0,
                SplittingClient.stuckAfter(10),
                settled::incrementAndGet);
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

    /** A client that answers on another thread when the test says so. */
    private static final class Scripted extends SplittingClient {

        private final List<Callback> callbacks = new ArrayList<>();
        private final List<Integer> partitions = new ArrayList<>();
        private final List<CompletableFuture<RecordMetadata>> futures = new ArrayList<>();

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
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
        public Future<RecordMetadata> send(ProducerRecord<String, String> record, Callback callback) {
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
