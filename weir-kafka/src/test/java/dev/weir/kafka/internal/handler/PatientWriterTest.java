package dev.weir.kafka.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.PatientWriter.PendingRecord;
import dev.weir.kafka.internal.out.client.ClientProgress;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests a writer with its own thread. The test answers sent records and advances the clock. */
class PatientWriterTest {

    private static final Duration LONGER_THAN_THE_FIRST_PAUSE = Duration.ofMillis(1_200);

    private final VirtualClock clock = new VirtualClock();
    private final List<Client> opened = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Sent> sent = new LinkedBlockingQueue<>();
    private final List<Integer> written = new CopyOnWriteArrayList<>();
    private final List<Integer> gone = new CopyOnWriteArrayList<>();
    private final PatientWriter writer =
            new PatientWriter("test", PatientWriterTest::propose, clock, this::open, ClientProgress.NONE);
    private final Thread thread = Thread.ofVirtual().unstarted(this::run);

    private record Sent(int number, Callback answer) {

        void acknowledge() {
            answer.onCompletion(null, null);
        }

        void refuse(Exception why) {
            answer.onCompletion(null, why);
        }
    }

    private final class Client extends MockProducer<byte[], byte[]> {

        Client() {
            super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread
        public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
            Future<RecordMetadata> never = super.send(record, (metadata, refusal) -> {});
            sent.add(new Sent(record.value()[0], callback));
            return never;
        }
    }

    private final class Numbered extends PendingRecord {

        private final int number;

        Numbered(int number) {
            super(new FailedRecord(
                    new ConsumerRecord<>("in", 0, number, new byte[0], new byte[] {(byte) number}),
                    FailedRecord.Reason.HANDLER,
                    new IllegalStateException("no"),
                    1,
                    false));
            this.number = number;
        }

        @Override
        protected boolean isGone() {
            return gone.contains(number);
        }

        @Override
        protected void written(ProducerRecord<byte[], byte[]> proposed) {
            written.add(number);
        }
    }

    private static ProducerRecord<byte[], byte[]> propose(FailedRecord failed, int tooLarge) {
        return new ProducerRecord<>("dead", failed.raw().value());
    }

    private Producer<byte[], byte[]> open() {
        Client client = new Client();
        opened.add(client);
        return client;
    }

    private void run() {
        try {
            writer.run();
        } catch (InterruptedException ended) {
            // Expected at the end of the test.
        }
    }

    @BeforeEach
    void start() {
        thread.start();
    }

    @AfterEach
    void end() throws InterruptedException {
        thread.interrupt();
        thread.join();
        writer.close(Duration.ZERO);
    }

    private void add(int... numbers) {
        for (int number : numbers) {
            writer.add(new Numbered(number));
        }
    }

    /** Returns the next sent record, and checks its number. */
    private Sent sent(int number) throws InterruptedException {
        Sent next = sent.take();
        assertThat(next.number).isEqualTo(number);
        return next;
    }

    private void awaitInHand(int records) {
        while (writer.inHand() != records) {
            Thread.onSpinWait();
        }
    }

    @Test
    void records_refusedTogether_areSentAgainOneByOneWithoutAPause() throws Exception {
        add(1, 2);
        Sent first = sent(1);
        Sent second = sent(2);
        first.refuse(new KafkaException("invalid batch"));
        second.refuse(new KafkaException("invalid batch"));
        Sent alone = sent(1);
        assertThat(sent).isEmpty();
        alone.acknowledge();
        sent(2).acknowledge();
        awaitInHand(0);
        assertThat(written).containsExactly(1, 2);
        assertThat(writer.held()).isZero();
    }

    private static Stream<KafkaException> refusals() {
        return Stream.of(new TimeoutException("leaves the client open"), new ClusterAuthorizationException("ends it"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void record_atFault_waits_andItsNeighboursAreWrittenAfterOnePause(KafkaException refusal) throws Exception {
        add(1, 2, 3);
        List<Sent> together = List.of(sent(1), sent(2), sent(3));
        together.forEach(each -> each.refuse(new KafkaException("invalid batch")));
        sent(1).refuse(refusal);
        clock.awaitWaiters(1);
        assertThat(sent).isEmpty();
        clock.advance(LONGER_THAN_THE_FIRST_PAUSE);
        sent(2).acknowledge();
        sent(3).acknowledge();
        Sent last = sent(1);
        assertThat(written).containsExactly(2, 3);
        assertThat(writer.held()).isEqualTo(1);
        last.acknowledge();
        awaitInHand(0);
        assertThat(written).containsExactly(2, 3, 1);
    }

    @Test
    void pause_growsWithEachRefusal() throws Exception {
        add(1);
        sent(1).refuse(new TimeoutException("no leader"));
        sent(1).refuse(new TimeoutException("no leader"));
        assertThat(pause()).isLessThanOrEqualTo(LONGER_THAN_THE_FIRST_PAUSE);
        clock.advance(LONGER_THAN_THE_FIRST_PAUSE);
        sent(1).refuse(new TimeoutException("no leader"));
        assertThat(pause()).isGreaterThan(LONGER_THAN_THE_FIRST_PAUSE);
        assertThat(sent).isEmpty();
        assertThat(writer.held()).isEqualTo(1);
        clock.advance(pause());
        sent(1).acknowledge();
        awaitInHand(0);
    }

    /** Returns the rest of the writer's pause. */
    private Duration pause() throws InterruptedException {
        clock.awaitWaiters(1);
        return Duration.ofNanos(clock.nextDeadlineNanos() - clock.nanoTime());
    }

    @Test
    void record_addedDuringAPause_isSentAtOnce() throws Exception {
        add(1);
        sent(1).refuse(new TimeoutException("no leader"));
        sent(1).refuse(new TimeoutException("no leader"));
        clock.awaitWaiters(1);
        add(2);
        sent(2).acknowledge();
        awaitInHand(1);
        assertThat(written).containsExactly(2);
        assertThat(sent).isEmpty();
    }

    @Test
    void record_thatIsGone_isNotSentAgain_andDoesNotHoldUpTheNext() throws Exception {
        add(1, 2);
        List<Sent> together = List.of(sent(1), sent(2));
        gone.add(1);
        together.forEach(each -> each.refuse(new KafkaException("invalid batch")));
        sent(2).acknowledge();
        awaitInHand(0);
        assertThat(written).containsExactly(2);
    }

    @Test
    void client_thatMayHaveEnded_isReplacedOnce_howeverManyRecordsItRefuses() throws Exception {
        add(1, 2);
        List<Sent> together = List.of(sent(1), sent(2));
        together.forEach(each -> each.refuse(new ClusterAuthorizationException("no")));
        sent(1).acknowledge();
        sent(2).acknowledge();
        awaitInHand(0);
        assertThat(written).containsExactly(1, 2);
        assertThat(opened).hasSize(2);
        assertThat(opened.getFirst().closed()).isTrue();
    }
}
