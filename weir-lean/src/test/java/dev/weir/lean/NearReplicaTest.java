package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests fetching from the closest replica, which the leader names in a response without records. Regression: if the
 * consumer could not reach that replica, the partition was never read.
 */
class NearReplicaTest {

    private final FakeLog log = new FakeLog();
    private final List<Long> offsets = new ArrayList<>();
    private volatile boolean namesReplica = true;

    /** Answers as a leader that names a closer replica. */
    private FetchResponseData lead(FetchRequestData request) {
        return !namesReplica || request.topics().isEmpty() || request.rackId().isEmpty()
                ? log.serve(request)
                : FakeLog.answer(new PartitionData()
                        .setPreferredReadReplica(FakeBroker.NEAR)
                        .setRecords(MemoryRecords.EMPTY));
    }

    private FakeBroker leader(int nearPort) throws Exception {
        FakeBroker leader = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), this::lead);
        leader.near(nearPort);
        return leader;
    }

    private static LeanConsumer consumer(FakeBroker leader) throws Exception {
        return LeanConsumer.open(LeanSettings.builder()
                .bootstrapServers(leader.address())
                .rack("here")
                .build());
    }

    private void take(RecordView record) {
        offsets.add(record.offset());
    }

    private void assertAllOnce() {
        assertThat(offsets).isEqualTo(LongStream.range(0, FakeLog.END).boxed().toList());
    }

    /** One replica refuses connections. The other never responds. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void replicaThatCannotBeReached_isLeftForTheLeader(boolean takesConnections) throws Exception {
        ServerSocket near = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        try (FakeBroker leader = leader(near.getLocalPort());
                LeanConsumer consumer = consumer(leader)) {
            if (!takesConnections) {
                near.close();
            }
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            FakeLog.pollUntil(consumer, this::take, () -> offsets.size() >= FakeLog.END);
            assertThat(consumer.broker(index)).isEqualTo(FakeBroker.LEADER);
            assertThat(consumer.metrics().relocations()).isZero();
        } finally {
            near.close();
        }
        assertAllOnce();
    }

    @Test
    void replicaThatRefuses_isLeftForTheLeader() throws Exception {
        try (FakeBroker near = new FakeBroker(
                        SecurityProtocol.PLAINTEXT,
                        Map.of(),
                        request -> FakeLog.failing(Errors.NOT_LEADER_OR_FOLLOWER));
                FakeBroker leader = leader(near.port());
                LeanConsumer consumer = consumer(leader)) {
            consumer.assign(FakeBroker.TOPIC, 0, StartAt.beginning());
            FakeLog.pollUntil(consumer, this::take, () -> offsets.size() >= FakeLog.END);
        }
        assertAllOnce();
    }

    /** The metadata never name the new leader. A broker's refusal does. */
    @Test
    void leaderThatARefusalNames_isReadFrom() throws Exception {
        try (FakeBroker moved = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
                FakeBroker former = new FakeBroker(
                        SecurityProtocol.PLAINTEXT,
                        Map.of(),
                        request -> FakeLog.answer(new PartitionData()
                                .setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code())
                                .setCurrentLeader(new LeaderIdAndEpoch()
                                        .setLeaderId(FakeBroker.NEAR)
                                        .setLeaderEpoch(7))
                                .setRecords(MemoryRecords.EMPTY)));
                LeanConsumer consumer = consumer(former)) {
            former.near(moved.port());
            moved.leader(former.port());
            moved.near(moved.port());
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(0));
            FakeLog.pollUntil(consumer, this::take, () -> offsets.size() >= FakeLog.END);
            assertThat(consumer.broker(index)).isEqualTo(FakeBroker.NEAR);
        }
        assertAllOnce();
    }

    /** Regression: after a lost connection, the same fault was thrown again. */
    @Test
    void partitionAtFault_restsAlsoWhenItsReplicaIsLost() throws Exception {
        FakeLog broken = new FakeLog();
        broken.batches.get(1).put(70, (byte) ~broken.batches.get(1).get(70));
        FakeBroker near = new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), broken::serve);
        try (near;
                FakeBroker leader = leader(near.port());
                LeanConsumer consumer = consumer(leader)) {
            int index = consumer.assign(FakeBroker.TOPIC, 0, StartAt.offset(10));
            // The consumer reads from the leader until it is connected to the replica, so seek back until the damaged
            // batch is read.
            assertThatExceptionOfType(CorruptBatchException.class)
                    .isThrownBy(() -> FakeLog.pollUntil(consumer, this::take, () -> {
                        consumer.seek(index, StartAt.offset(10));
                        return false;
                    }));
            assertThat(consumer.broker(index)).isEqualTo(FakeBroker.NEAR);
            offsets.clear();
            namesReplica = false;
            near.close();
            FakeLog.pollUntil(consumer, this::take, () -> consumer.metrics().disconnects() > 0);
            long refreshes = consumer.metrics().metadataRefreshes();
            FakeLog.pollUntil(consumer, this::take, () -> consumer.metrics().metadataRefreshes() > refreshes);
            assertThat(offsets).isEmpty();
            consumer.skipBatch(index);
            FakeLog.pollUntil(consumer, this::take, () -> offsets.size() == FakeLog.PER_BATCH);
            assertThat(offsets).startsWith(20L);
        }
    }
}
