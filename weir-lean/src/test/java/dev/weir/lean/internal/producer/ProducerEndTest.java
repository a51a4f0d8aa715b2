package dev.weir.lean.internal.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.lean.LeanCompression;
import dev.weir.lean.LeanException;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.internal.cluster.PartitionLeader;
import dev.weir.lean.spi.BrokerNetwork;
import dev.weir.lean.spi.BrokerNetworks;
import dev.weir.simulation.Brokers.Refusal;
import dev.weir.simulation.Log;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests other answers, the reasons of records that were given up, and the end of a producer. */
class ProducerEndTest extends ProducerEngineCase {

    /** Position of a batch's attributes. Their lowest three bits are the number of the codec; gzip is 1. */
    private static final int ATTRIBUTES_AT = 21;

    /** The broker has another address. */
    @Test
    void brokerThatMoves_getsItsBatchesOnAnotherConnection() throws Exception {
        send(0, 1);
        Objects.requireNonNull(partition(0).broker).moved();
        awaitTold(1);
        assertThat(told).containsExactly("1 written");
        assertThat(counters.get(ProducerCounters.RESENT)).isEqualTo(1);
    }

    private int metadataRequests() {
        return brokers.asked(1) + brokers.asked(2);
    }

    @Test
    void leaderThatARefusalNames_isBelieved() throws Exception {
        engine.refused(
                partition(0),
                send(0, 1),
                new PartitionProduceResponse()
                        .setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code())
                        .setCurrentLeader(new LeaderIdAndEpoch().setLeaderId(2).setLeaderEpoch(Integer.MAX_VALUE)));
        assertThat(partition(0).leader.node()).isEqualTo(2);
    }

    /** Other partitions may have new leaders as well. */
    @Test
    void brokerThatIsNotTheLeader_isAReasonToReadMetadataAgain() throws Exception {
        int before = metadataRequests();
        brokers.refuseNext(Refusal.NOT_LEADER);
        send(0, 1);
        passUntil(() -> metadataRequests() > before);
    }

    @Test
    void brokerThatDisconnects_isAReasonToReadMetadataAgain() {
        int before = metadataRequests();
        Objects.requireNonNull(partition(0).broker).lost("planted");
        passUntil(() -> metadataRequests() > before);
    }

    /** The leader is right, but another replica was slow. */
    @Test
    void batchThatTimedOut_isNoReasonToReadMetadata() throws Exception {
        int before = metadataRequests();
        brokers.refuseNext(Refusal.WRITTEN_BUT_TIMED_OUT);
        send(0, 1);
        awaitTold(1);
        assertThat(counters.get(ProducerCounters.RESENT)).isEqualTo(1);
        for (int passes = 0; passes < 1_000; passes++) {
            pass();
        }
        assertThat(metadataRequests()).isEqualTo(before);
        assertThat(told).containsExactly("1 written");
    }

    @Test
    void compressedBatch_thatIsSentAgain_isCompressedOnce() throws Exception {
        reopen(LeanProducerSettings.builder()
                .bootstrapServers(process.bootstrap())
                .linger(Duration.ZERO)
                .compression(LeanCompression.GZIP)
                .build());
        brokers.refuseNext(Refusal.NOT_LEADER);
        byte[] value = new byte[100_000]; // so regular that a second compression would make it smaller as well
        append(0, 1, value);
        awaitTold(1);
        assertThat(counters.get(ProducerCounters.RESENT)).isEqualTo(1);
        Log log = brokers.topics().topic(TOPIC).partitions().getFirst().log();
        assertThat(log.records(false).lastEntry().getValue()).isEqualTo(ByteBuffer.wrap(value));
        ByteBuffer batch = log.bytes().getLast();
        assertThat(batch.getShort(batch.position() + ATTRIBUTES_AT) & 7)
                .as("the codec of the batch")
                .isEqualTo(1);
        assertThat(batch.remaining()).isLessThan(1_000);
    }

    @ParameterizedTest
    @CsvSource({
        "t, 1, 'names t-1, which was not sent'",
        "other, 0, 'names other-0, which was not sent'",
        "'', -1, names 0 of 1 batches"
    })
    void answerThatDoesNotFitTheRequest_endsTheProducer(String topic, int partition, String why) throws Exception {
        send(0, 1);
        ProducerBroker broker = Objects.requireNonNull(partition(0).broker);
        ProduceResponseData answer = new ProduceResponseData();
        if (partition >= 0) {
            answer.responses()
                    .add(new TopicProduceResponse()
                            .setName(topic)
                            .setPartitionResponses(List.of(new PartitionProduceResponse().setIndex(partition))));
        }
        short version = ProduceRequest.MAX_VERSION;
        var body = MessageUtil.toByteBufferAccessor(answer, version);
        assertThatThrownBy(() -> broker.answered(ApiKeys.PRODUCE, version, body))
                .isInstanceOf(LeanException.class)
                .hasMessageContaining("sent an answer to a produce request that " + why);
        assertThat(told).isEmpty();
    }

    @Test
    void answerThatCannotBeRead_endsTheProducer() throws Exception {
        send(0, 1);
        ProducerBroker broker = Objects.requireNonNull(partition(0).broker);
        var body = new ByteBufferAccessor(ByteBuffer.allocate(1).put(0, (byte) 100));
        assertThatThrownBy(() -> broker.answered(ApiKeys.PRODUCE, ProduceRequest.MAX_VERSION, body))
                .isInstanceOf(LeanException.class)
                .hasMessageContaining("sent a malformed answer to PRODUCE");
    }

    // ---- Reasons ---------------------------------------------------------------------------------------------------

    @Test
    void refusedBatch_hasTheMessageOfTheBroker_orThatOfItsError() throws Exception {
        PartitionProduceResponse forbidden =
                new PartitionProduceResponse().setErrorCode(Errors.TOPIC_AUTHORIZATION_FAILED.code());
        engine.refused(partition(0), send(0, 1), forbidden);
        engine.refused(partition(0), send(0, 2), forbidden.duplicate().setErrorMessage(""));
        engine.refused(partition(0), send(0, 3), forbidden.duplicate().setErrorMessage("not yours"));
        String ofError = "t-0: TOPIC_AUTHORIZATION_FAILED: " + Errors.TOPIC_AUTHORIZATION_FAILED.message();
        assertThat(reasons)
                .extracting(Throwable::getMessage)
                .containsExactly(ofError, ofError, "t-0: TOPIC_AUTHORIZATION_FAILED: not yours");
    }

    @Test
    void overdueBatch_isGivenUpAfterTheTimeout_withItsLastTrouble() throws Exception {
        partition(0).leader.learn(PartitionLeader.NOBODY, Integer.MAX_VALUE);
        append(0, 1);
        turn();
        ProducerBatch first = Objects.requireNonNull(partition(0).waiting.peek());
        first.begunNanos = engine.nanoTime() - DELIVERY_TIMEOUT.toNanos();
        engine.turn();
        assertThat(told).as("at the timeout").isEmpty();
        first.begunNanos--;
        engine.turn();
        append(0, 2);
        turn();
        ProducerBatch second = Objects.requireNonNull(partition(0).waiting.peek());
        second.trouble = "planted";
        second.begunNanos -= DELIVERY_TIMEOUT.toNanos() + 1;
        engine.turn();
        String timeout = "t-0: not acknowledged within deliveryTimeout=120000 ms; ";
        assertThat(reasons)
                .extracting(Throwable::getMessage)
                .containsExactly(
                        timeout + "no leader could be reached, or it took no further request",
                        timeout + "last: planted");
        assertThat(reasons).allMatch(why -> why.getCause() instanceof TimeoutException);
    }

    @Test
    void batchesThatAreLeftAtTheEnd_haveTheirLastTrouble() throws Exception {
        engine.lost(partition(0), send(0, 1), "connection reset");
        append(0, 2);
        end();
        assertThat(reasons)
                .extracting(Throwable::getMessage)
                .containsExactly(
                        "t-0: the producer was closed before it was acknowledged; last: connection reset"
                                + "; it may be written: an earlier attempt was not answered",
                        "t-0: the producer was closed before it was acknowledged");
    }

    /** The listener hears of all records although it throws for each. */
    @Test
    void listenerThatThrowsAtTheEnd_hearsOfEveryRecord() throws Exception {
        send(0, 1);
        append(0, 2);
        append(1, 3);
        fault = new IllegalStateException("planted");
        end();
        fault = null;
        assertThat(told).containsExactlyInAnyOrder("1 may be written", "2 is not written", "3 is not written");
        assertThat(Objects.requireNonNull(engine.abandoned()).records()).isEqualTo(3);
        assertThat(engine.hasEnded()).isTrue();
    }

    /** A caller that waits for memory, or for an outcome, would wait forever. */
    @Test
    void endedProducer_letsNobodyWait_andClosesItsConnections() throws Exception {
        Thread waiting = Thread.ofPlatform().daemon().start(() -> {
            try {
                boolean ignored = changes.await(engine::hasEnded, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        while (waiting.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(engine.hasEnded()).isFalse();
        assertThat(process.process().connections()).isPositive();
        end();
        waiting.join();
        assertThat(engine.hasEnded()).isTrue();
        assertThat(pool.take(1, Long.MAX_VALUE)).isNull();
        assertThatThrownBy(() -> append(0, 1)).hasMessage("closed");
        assertThat(process.process().connections()).isZero();
    }

    // ---- Sleep -----------------------------------------------------------------------------------------------------

    /** A network without brokers. Only a wake-up ends a wait. */
    private static final class SleepingNetwork implements BrokerNetwork {

        private final Semaphore wakeups = new Semaphore(0);
        private final AtomicInteger readings = new AtomicInteger();
        private final AtomicInteger readingsBeforeSleep = new AtomicInteger();
        private volatile Runnable onReading = () -> {};

        @Override
        public ByteChannel connect(InetSocketAddress address, Runnable whenReady) throws IOException {
            throw new IOException("nobody listens");
        }

        @Override
        public void await(long millis) {
            boolean ignored = readingsBeforeSleep.compareAndSet(0, readings.get());
            wakeups.acquireUninterruptibly();
        }

        @Override
        public void wakeup() {
            wakeups.release();
        }

        @Override
        public long nanoTime() {
            readings.incrementAndGet();
            onReading.run();
            return 0;
        }

        @Override
        public long nextSeed() {
            return 7;
        }
    }

    /** The thread reads the clock at the beginning of each iteration, and before it sleeps. */
    @Test
    void thread_sleepsOnlyWithoutNews_andIsWokenByThem() throws Exception {
        SleepingNetwork network = new SleepingNetwork();
        String address = "127.0.0.1:1";
        BrokerNetworks.put(address, network);
        try {
            ProducerEngine sleeping = new ProducerEngine(
                    LeanProducerSettings.builder().bootstrapServers(address).build(),
                    listener(),
                    new ProducerTopics(() -> new IllegalStateException("closed")),
                    new ProducerBatchPool(64 * 1_024, 1_024, () -> {}),
                    new ProducerProgress(),
                    counters);
            network.readings.set(0);
            network.onReading = () -> {
                network.onReading = () -> {};
                sleeping.wake(); // as a caller does, during the first iteration
            };
            Thread thread = Thread.ofPlatform().daemon().start(sleeping);
            while (!network.wakeups.hasQueuedThreads()) {
                Thread.onSpinWait();
            }
            assertThat(network.readingsBeforeSleep).as("two iterations").hasValue(3);
            sleeping.end();
            thread.join();
            assertThat(sleeping.hasEnded()).isTrue();
        } finally {
            BrokerNetworks.remove(address);
        }
    }
}
