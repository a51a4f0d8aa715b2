package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.weir.lean.internal.batch.Batches;
import dev.weir.lean.spi.BrokerNetwork;
import dev.weir.lean.spi.BrokerNetworks;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.EpochEndOffset;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests rare states of a cluster. */
class RareFaultsTest {

    private static final int LEADER_EPOCH_AT = 12;

    private final FakeLog log = new FakeLog();
    private final List<Long> offsets = new ArrayList<>();

    private static LeanSettings.Builder settings(FakeBroker broker) throws IOException {
        return LeanSettings.builder().bootstrapServers(broker.address());
    }

    private void pollUntil(LeanConsumer consumer, BooleanSupplier done) {
        FakeLog.pollUntil(consumer, record -> offsets.add(record.offset()), done);
    }

    /**
     * Remembers requested partitions, as a real broker's fetch session does. A request may omit unchanged partitions.
     */
    private static final class Session {

        private @Nullable FetchPartition partition;

        FetchPartition after(FetchRequestData request) {
            if (!request.topics().isEmpty()) {
                partition = request.topics().getFirst().partitions().getFirst();
            }
            return Objects.requireNonNull(partition);
        }
    }

    private FetchResponseData serve(FetchPartition wanted, int most) {
        FetchTopic topic = new FetchTopic().setPartitions(List.of(wanted));
        return log.serve(new FetchRequestData().setTopics(List.of(topic)), most);
    }

    /** Regression: after an unclean election, the broker repeated its response forever. */
    @ParameterizedTest
    @EnumSource(OffsetLostPolicy.class)
    void logThatDiffers_fromTheSameOffsetOn_isReadFromThere(OffsetLostPolicy policy) throws Exception {
        log.batches.get(2).putInt(LEADER_EPOCH_AT, Batches.EPOCH - 1);
        try (FakeBroker broker = withoutTheEpochBefore20(40);
                LeanConsumer consumer =
                        LeanConsumer.open(settings(broker).onOffsetLost(policy).build())) {
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            if (policy == OffsetLostPolicy.FAIL) {
                assertThatExceptionOfType(OffsetLostException.class)
                        .isThrownBy(() -> pollUntil(consumer, () -> false))
                        .satisfies(fault -> assertThat(fault.divergentOffset()).isEqualTo(20));
                consumer.seek(index, StartAt.offset(20));
            }
            pollUntil(consumer, () -> offsets.size() >= FakeLog.END);
            assertThat(offsets).doesNotHaveDuplicates().isSorted();
            assertThat(consumer.metrics().resets() > 0).isEqualTo(policy != OffsetLostPolicy.FAIL);
        }
    }

    /** Regression: a divergence that affects no record failed the read. */
    @Test
    void epochOfWhichNothingIsLeft_isNoFault() throws Exception {
        log.batches.get(2).putInt(LEADER_EPOCH_AT, Batches.EPOCH + 1);
        try (FakeBroker broker = withoutTheEpochBefore20(20);
                LeanConsumer consumer = LeanConsumer.open(
                        settings(broker).onOffsetLost(OffsetLostPolicy.FAIL).build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            pollUntil(consumer, () -> offsets.size() >= FakeLog.END);
            assertThat(offsets)
                    .isEqualTo(LongStream.range(0, FakeLog.END).boxed().toList());
        }
    }

    /**
     * Creates a broker that does not know the epoch of the records before offset 20. It reports an earlier epoch up to
     * {@code end}.
     */
    private FakeBroker withoutTheEpochBefore20(long end) throws Exception {
        Session session = new Session();
        return new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> {
            FetchPartition wanted = session.after(request);
            FetchResponseData answer = serve(wanted, 2);
            if (wanted.fetchOffset() == 20 && wanted.lastFetchedEpoch() == Batches.EPOCH) {
                answer = FakeLog.failing(Errors.NONE);
                answer.responses()
                        .getFirst()
                        .partitions()
                        .getFirst()
                        .setDivergingEpoch(
                                new EpochEndOffset().setEpoch(Batches.EPOCH - 1).setEndOffset(end));
            }
            return answer.setSessionId(77);
        });
    }

    /** Regression: the first records of a recreated topic were skipped. */
    @ParameterizedTest
    @EnumSource(OffsetLostPolicy.class)
    void topicMadeAgainUnderItsName_isNotReadFromThePositionInTheOldOne(OffsetLostPolicy policy) throws Exception {
        Uuid successor = Uuid.randomUuid();
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> {
                    if (request.topics().isEmpty()) {
                        return new FetchResponseData();
                    }
                    FetchTopic topic = request.topics().getFirst();
                    boolean old = topic.topicId().equals(FakeBroker.TOPIC_ID);
                    boolean gone = old && topic.partitions().getFirst().fetchOffset() > 0;
                    FetchResponseData answer = gone ? FakeLog.failing(Errors.UNKNOWN_TOPIC_ID) : log.serve(request, 1);
                    answer.responses().getFirst().setTopicId(topic.topicId());
                    return answer;
                });
                LeanConsumer consumer =
                        LeanConsumer.open(settings(broker).onOffsetLost(policy).build())) {
            broker.offsets(wanted -> wanted.timestamp() == StartAt.END ? 20 : 0);
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            pollUntil(consumer, () -> offsets.size() == FakeLog.PER_BATCH);
            offsets.clear();
            broker.topicId(successor);
            if (policy == OffsetLostPolicy.FAIL) {
                assertThatExceptionOfType(OffsetLostException.class)
                        .isThrownBy(() -> pollUntil(consumer, () -> !offsets.isEmpty()))
                        .withMessageContaining("t-0@10")
                        .withMessageContaining("another topic of this name");
                consumer.seek(index, StartAt.beginning());
            }
            pollUntil(consumer, () -> offsets.contains(FakeLog.END - 1L));
            assertThat(offsets.getFirst()).isEqualTo(policy == OffsetLostPolicy.END ? 20L : 0L);
        }
    }

    /** Regression: records appended during the search for a time were skipped. */
    @Test
    void recordAppended_whileATimeIsLookedFor_isRead() throws Exception {
        AtomicBoolean timeAsked = new AtomicBoolean();
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            broker.offsets(wanted -> {
                if (wanted.timestamp() != StartAt.END) {
                    timeAsked.set(true);
                    return -1;
                }
                return timeAsked.get() ? 20 : 10;
            });
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.time(Instant.ofEpochMilli(1)));
            pollUntil(consumer, () -> offsets.contains(FakeLog.END - 1L));
            assertThat(timeAsked).isTrue();
            assertThat(offsets)
                    .isEqualTo(LongStream.range(10, FakeLog.END).boxed().toList());
        }
    }

    /** Regression: the consumer queried the same stale broker again and again, and read nothing. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void brokerThatIsBehind_isNotTheOnlyOneThatIsAsked(boolean namesTheOther) throws Exception {
        try (FakeBroker behind = new FakeBroker(
                        SecurityProtocol.PLAINTEXT,
                        Map.of(),
                        request -> FakeLog.failing(Errors.NOT_LEADER_OR_FOLLOWER));
                FakeBroker leader = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve)) {
            behind.near(namesTheOther ? leader.port() : 0);
            leader.leader(behind.port());
            leader.near(leader.port());
            leader.moved(0);
            String bootstrap = behind.address() + (namesTheOther ? "" : "," + leader.address());
            try (LeanConsumer consumer = LeanConsumer.open(LeanSettings.builder()
                    .bootstrapServers(bootstrap)
                    .maxBackoff(Duration.ofMillis(10))
                    .build())) {
                consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
                pollUntil(consumer, () -> offsets.size() >= FakeLog.END);
                assertThat(offsets)
                        .isEqualTo(LongStream.range(0, FakeLog.END).boxed().toList());
            }
        }
    }

    /** No request fails, but the stale broker does not know the new partition. */
    @Test
    void brokerThatIsBehind_isLeft_whenItsMetadataAreOld() throws Exception {
        try (FakeBroker behind = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serveAll);
                FakeBroker other = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serveAll)) {
            behind.near(other.port());
            other.leader(behind.port());
            other.near(other.port());
            other.partitions(2);
            try (LeanConsumer consumer = LeanConsumer.open(
                    settings(behind).metadataMaxAge(Duration.ofMillis(100)).build())) {
                consumer.assign(FakeBroker.TOPIC, StartAt.beginning());
                pollUntil(consumer, () -> offsets.size() == 2 * FakeLog.END);
            }
        }
    }

    /** Regression: lost connections left direct buffers behind while the heap was nearly empty. */
    @Test
    void connectionsThatAreLost_leaveNoBuffersBehind() throws Exception {
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findAny()
                .orElseThrow();
        int connections = 30;
        try (FakeBroker broker = new FakeBroker(
                        SecurityProtocol.PLAINTEXT,
                        Map.of(),
                        request -> new FetchResponseData().setErrorCode(Errors.UNKNOWN_SERVER_ERROR.code()));
                LeanConsumer consumer = LeanConsumer.open(
                        settings(broker).maxBackoff(Duration.ofMillis(10)).build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            pollUntil(consumer, () -> consumer.metrics().connects() >= 3);
            long before = direct.getCount();
            pollUntil(consumer, () -> consumer.metrics().connects() >= 3 + connections);
            assertThat(direct.getCount() - before).isLessThan(connections);
        }
    }

    /** Regression: without a fetch session, the last partition of a broker was never read. */
    @Test
    void partitionsOfABrokerWithoutSessions_areEachTheFirstInTheirTurn() throws Exception {
        Set<Integer> first = ConcurrentHashMap.newKeySet();
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), request -> {
                    first.add(
                            request.topics().getFirst().partitions().getFirst().partition());
                    assertThat(request.topics().stream()
                                    .flatMap(topic -> topic.partitions().stream())
                                    .map(FetchPartition::partition))
                            .doesNotHaveDuplicates();
                    return new FetchResponseData();
                });
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            broker.partitions(3);
            for (int partition = 0; partition < 3; partition++) {
                consumer.assign(FakeBroker.TOPIC, partition, StartAt.offset(0));
            }
            pollUntil(consumer, () -> first.size() == 3);
        }
    }

    /** Regression: for a missing topic, nothing was read and nothing was logged. */
    @Test
    void topicThatIsNotThere_isInTheLog_onceUntilItIsFound() throws Exception {
        ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();
        Logger logger = Logger.getLogger("dev.weir.lean.internal.consumer.PartitionLocations");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getLevel() + " " + line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.setLevel(Level.INFO);
        logger.addHandler(handler);
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            broker.topicError(Errors.UNKNOWN_TOPIC_OR_PARTITION);
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            pollUntil(consumer, () -> consumer.metrics().metadataRefreshes() > 3);
            assertThat(lines).singleElement().asString().contains("WARNING", "t: UNKNOWN_TOPIC_OR_PARTITION");
            broker.topicError(Errors.NONE);
            pollUntil(consumer, () -> offsets.size() >= FakeLog.END);
            assertThat(lines).hasSize(2).last().asString().contains("INFO", "t: found");
        } finally {
            logger.removeHandler(handler);
            logger.setLevel(null);
        }
    }

    /** Regression: the message did not name the setting that was too small. */
    @Test
    void metadataLargerThanAllowed_areAnErrorThatNamesTheLimit() throws Exception {
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
                LeanConsumer consumer = LeanConsumer.open(settings(broker)
                        .maxFetchBytes(1_024)
                        .maxResponseBytes(70_000)
                        .build())) {
            broker.partitions(10_000);
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> pollUntil(consumer, () -> false))
                    .withMessageContaining("maxResponseBytes=70000");
        }
    }

    /** Regression: connected to a TLS port, the consumer waited for 352,518,912 bytes. */
    @Test
    void portThatSpeaksTls_isLeftAtOnce() throws Exception {
        AtomicInteger accepted = new AtomicInteger();
        List<Socket> open = new ArrayList<>();
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        LeanSettings settings = LeanSettings.builder()
                .bootstrapServers("localhost:" + server.getLocalPort())
                .build();
        try (LeanConsumer consumer = LeanConsumer.open(settings)) {
            Thread alerting = Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        Socket socket = server.accept();
                        open.add(socket);
                        accepted.incrementAndGet();
                        socket.getOutputStream().write(new byte[] {0x15, 3, 3, 0, 2, 2, 70});
                    }
                } catch (IOException e) {
                    assertThat(server.isClosed()).isTrue();
                }
            });
            consumer.assign("t", 0, StartAt.beginning());
            pollUntil(consumer, () -> accepted.get() > 2);
            server.close();
            alerting.join();
        } finally {
            server.close();
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    /** Regression: after an unreachable first address, the second address was never tried. */
    @Test
    void brokerWithSeveralAddresses_isReachedByWhicheverWorks() throws Exception {
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            broker.host(TwoAddresses.HOST);
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            pollUntil(consumer, () -> offsets.size() >= FakeLog.END);
        }
    }

    /** Regression: the thread used a whole CPU after the removal of the last partition. */
    @Test
    void lastPartition_removedDuringAMetadataRequest_leavesNoResponseUnread() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            broker.beforeMetadata(() -> {
                asked.countDown();
                assertThatNoException().isThrownBy(answers::await);
            });
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            pollUntil(consumer, () -> asked.getCount() == 0);
            consumer.unassign(index);
            answers.countDown();
            pollUntil(consumer, () -> consumer.metrics().metadataRefreshes() == 1);

            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            pollUntil(consumer, () -> offsets.size() >= FakeLog.END);
        }
    }

    @Test
    void propertyThatDoesNotFit_isNamed() {
        LeanSettings settings = LeanSettings.builder()
                .bootstrapServers("localhost:9092")
                .property("security.protocol", "SSLL")
                .build();
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> LeanConsumer.open(settings))
                .withMessageContaining("security.protocol")
                .withMessageContaining("SSLL");
    }

    @Test
    void consumerThatIsClosed_saysSo() throws Exception {
        try (FakeBroker broker = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
                LeanConsumer consumer = LeanConsumer.open(settings(broker).build())) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            Runnable close = consumer::close;
            RecordHandler handler = record -> {
                offsets.add(record.offset());
                close.run();
            };
            assertThatIllegalStateException()
                    .isThrownBy(() -> FakeLog.pollUntil(consumer, handler, () -> false))
                    .withMessageContaining("closed");
            assertThat(offsets).containsExactly(0L);
        }
    }

    /** Regression: waits below a millisecond used a whole CPU. */
    @Test
    void wait_isRoundedUpToMilliseconds() {
        List<Long> waits = new ArrayList<>();
        BrokerNetwork network = new BrokerNetwork() {
            @Override
            public ByteChannel connect(InetSocketAddress address, Runnable whenReady) throws IOException {
                throw new IOException("nobody listens");
            }

            @Override
            public void await(long millis) {
                waits.add(millis);
            }

            @Override
            public void wakeup() {}

            @Override
            public long nanoTime() {
                return 0;
            }

            @Override
            public long nextSeed() {
                return 0;
            }
        };
        String address = "waits:1";
        BrokerNetworks.put(address, network);
        try (LeanConsumer consumer = LeanConsumer.open(
                LeanSettings.builder().bootstrapServers(address).build())) {
            for (Duration wait : List.of(
                    Duration.ofNanos(1),
                    Duration.ofMillis(1),
                    Duration.ofNanos(1_000_001),
                    Duration.ZERO,
                    Duration.ofNanos(-1))) {
                consumer.await(wait);
            }
        } finally {
            BrokerNetworks.remove(address);
        }
        assertThat(waits).containsExactly(1L, 1L, 2L, 0L, 0L);
    }
}
