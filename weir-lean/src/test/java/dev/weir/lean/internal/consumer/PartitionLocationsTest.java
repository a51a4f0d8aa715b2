package dev.weir.lean.internal.consumer;

import static dev.weir.lean.internal.consumer.ScriptedConsumer.EPOCH;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.TOPIC;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.TOPIC_ID;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.answer;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.batch;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.data;
import static dev.weir.lean.internal.consumer.ScriptedConsumer.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.LeanException;
import dev.weir.lean.PartitionException;
import dev.weir.lean.StartAt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the choice of the broker from which a partition is fetched. */
class PartitionLocationsTest {

    private static final long NEAR_MILLIS = 1_000;

    private final ScriptedConsumer consumer =
            new ScriptedConsumer(settings -> settings.rack("here").metadataMaxAge(Duration.ofMillis(NEAR_MILLIS)));

    @AfterEach
    void close() {
        consumer.close();
    }

    /** Assigns a partition led by broker 1. Its first request is in flight. */
    private void begin() {
        consumer.leaders(EPOCH, 1);
        consumer.assign(0, StartAt.offset(0));
        consumer.poll();
        assertThat(consumer.fetches(1)).hasSize(1);
    }

    private int broker() {
        return consumer.engine.broker(0);
    }

    private long relocations() {
        return consumer.engine.metrics().relocations();
    }

    // ---- Leaders ---------------------------------------------------------------------------------------------------

    @Test
    void leaderOfAnOlderEpoch_isNotBelieved() {
        begin();
        consumer.leaders(EPOCH - 1, 2);
        consumer.refresh();
        assertThat(broker()).isEqualTo(1);
        assertThat(relocations()).isZero();
        consumer.leaders(EPOCH + 1, 2);
        consumer.refresh();
        assertThat(broker()).isEqualTo(2);
        assertThat(relocations()).isEqualTo(1);
        assertThat(consumer.fetches(2)).containsExactly("0/0 [6-0@0 of 4 after -1]");
    }

    @Test
    void leaderThatIsNoKnownBroker_isNotBelieved() {
        begin();
        consumer.leaders(EPOCH + 1, 9);
        consumer.refresh();
        assertThat(broker()).isEqualTo(1);
        assertThat(relocations()).isZero();
    }

    private static FetchResponseData hint(int node, int epoch) {
        return answer(failure(0, Errors.NOT_LEADER_OR_FOLLOWER)
                .setCurrentLeader(new LeaderIdAndEpoch().setLeaderId(node).setLeaderEpoch(epoch)));
    }

    @Test
    void leaderNamedByARefusal_isUsedAtOnce() {
        begin();
        consumer.brokers.metadataRequests();
        consumer.brokers.answer(1, hint(2, EPOCH + 1));
        consumer.poll();
        assertThat(broker()).isEqualTo(2);
        assertThat(relocations()).isEqualTo(1);
        assertThat(consumer.fetches(2)).containsExactly("0/0 [6-0@0 of 4 after -1]");
        consumer.pass(100);
        assertThat(consumer.brokers.metadataRequests()).isZero();
    }

    /** A refusal that names a leader of a known epoch, or an unknown broker, does not say where to read. */
    @Test
    void leaderNamedByARefusal_isNotUsed_ifItIsOldOrUnknown() {
        begin();
        consumer.brokers.answer(1, hint(2, EPOCH));
        consumer.poll();
        assertThat(broker()).isEqualTo(-1);
        consumer.pass(25);
        assertThat(broker()).isEqualTo(1);
        consumer.brokers.answer(1, hint(9, EPOCH + 1));
        consumer.poll();
        assertThat(broker()).isEqualTo(-1);
        assertThat(relocations()).isEqualTo(2);
    }

    @Test
    void brokerThatMoves_isReachedAtItsNewAddress() {
        begin();
        consumer.brokers.answer(1, answer(data(0, batch(0))));
        consumer.poll();
        consumer.fetches(1);
        consumer.brokers.move(1, 100);
        consumer.refresh();
        assertThat(consumer.engine.metrics().disconnects()).isEqualTo(1);
        consumer.pass(25);
        assertThat(consumer.fetches(1)).containsExactly("0/0 [6-0@3 of 3 after 5]");
    }

    @Test
    void topicThatIsRecreated_isReadUnderItsNewId() {
        begin();
        consumer.brokers.topic(TOPIC, new Uuid(5, 7), 0, 1);
        assertThat(consumer.engine.topicId(0)).isEqualTo(TOPIC_ID);
        // Two brokers must agree on the new id.
        for (int turn = 0; turn < 5; turn++) {
            consumer.pass(300);
            consumer.refresh();
        }
        assertThat(consumer.engine.topicId(0).getLeastSignificantBits()).isEqualTo(7);
        consumer.brokers.answer(1, answer(failure(0, Errors.UNKNOWN_TOPIC_ID)));
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly("77/0 [7-0@0 of 0 after -1]");
    }

    // ---- Nearer replicas (KIP-392) ---------------------------------------------------------------------------------

    private static FetchResponseData nearer(int node) {
        return answer(data(0).setPreferredReadReplica(node));
    }

    /** Fetches from the nearer replica 0, whose request is in flight. */
    private void follow() {
        begin();
        consumer.brokers.answer(1, nearer(0));
        consumer.poll();
        consumer.pass(25);
        consumer.fetches(1);
        consumer.brokers.answer(1, answer());
        consumer.poll();
        consumer.brokers.answer(1, nearer(0));
        consumer.poll();
        assertThat(broker()).isZero();
        assertThat(relocations()).isEqualTo(1);
        assertThat(consumer.fetches(0)).containsExactly("0/0 [6-0@0 of 3 after -1]");
        consumer.fetches(1);
    }

    private String rack() {
        return ((FetchRequestData) consumer.brokers.received(1, ApiKeys.FETCH).getLast()).rackId();
    }

    /** Meanwhile, the leader sends the records. It names no nearer replica to a client without a rack. */
    @Test
    void nearerReplica_isUsedOnceItIsConnected() {
        begin();
        consumer.brokers.answer(1, nearer(0));
        consumer.poll();
        assertThat(broker()).isEqualTo(1);
        assertThat(Collections.frequency(consumer.brokers.connects, 0)).isEqualTo(1);
        assertThat(rack()).isEmpty();
        consumer.pass(25);
        consumer.brokers.answer(1, answer());
        consumer.poll();
        assertThat(rack()).isEqualTo("here");
        consumer.brokers.answer(1, nearer(0));
        consumer.poll();
        assertThat(broker()).isZero();
        consumer.brokers.answer(0, answer(data(0, batch(0))));
        consumer.poll();
        assertThat(consumer.offsets).containsExactly(0L, 1L, 2L);
    }

    @Test
    void leaderThatNamesItself_isReadFrom() {
        begin();
        consumer.brokers.answer(1, nearer(1));
        consumer.poll();
        assertThat(broker()).isEqualTo(1);
        assertThat(relocations()).isZero();
        assertThat(rack()).isEqualTo("here");
    }

    @Test
    void nearerReplicaThatIsUnknown_isLookedUp_whileTheLeaderSends() {
        begin();
        consumer.brokers.metadataRequests();
        consumer.brokers.answer(1, nearer(9));
        consumer.poll();
        assertThat(broker()).isEqualTo(1);
        assertThat(rack()).isEmpty();
        assertThat(consumer.brokers.metadataRequests()).isEqualTo(1);
    }

    /** Afterwards, the leader names the replica to use from then on. */
    @Test
    void nearerReplica_isUsedForTheAgeOfTheMetadata() {
        follow();
        consumer.pass(NEAR_MILLIS / 2);
        consumer.refresh();
        assertThat(broker()).isZero();
        consumer.pass(NEAR_MILLIS / 2 - 1);
        consumer.refresh();
        assertThat(broker()).isZero();
        consumer.pass(1);
        consumer.refresh();
        assertThat(broker()).isEqualTo(1);
        assertThat(relocations()).isEqualTo(2);
    }

    @Test
    void nearerReplica_isLeft_whenAnotherLeaderIsElected() {
        follow();
        consumer.leaders(EPOCH + 1, 2);
        consumer.refresh();
        assertThat(broker()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {"OFFSET_OUT_OF_RANGE", "NOT_LEADER_OR_FOLLOWER"})
    void nearerReplicaThatRefuses_isLeftForTheLeaderAtOnce(Errors error) {
        follow();
        consumer.brokers.metadataRequests();
        consumer.brokers.answer(0, answer(failure(0, error)));
        consumer.poll();
        assertThat(broker()).isEqualTo(1);
        assertThat(relocations()).isEqualTo(2);
        assertThat(consumer.engine.isAtFault(0)).isFalse();
        assertThat(rack()).isEmpty();
        assertThat(consumer.brokers.metadataRequests()).isZero();
    }

    @Test
    void nearerReplicaThatIsLost_isLeftForTheLeader() {
        follow();
        consumer.brokers.lose(0);
        consumer.poll();
        assertThat(broker()).isEqualTo(1);
        assertThat(rack()).isEmpty();
    }

    /** The wait before the leader may name a replica again doubles with each failure, until a replica has answered. */
    @Test
    void nearerReplicaThatServes_resetsTheWait() {
        follow();
        consumer.brokers.answer(0, answer(data(0, batch(0))));
        consumer.poll();
        consumer.brokers.answer(0, answer(failure(0, Errors.NOT_LEADER_OR_FOLLOWER)));
        consumer.poll();
        assertThat(rack()).isEmpty();
        consumer.brokers.answer(1, answer());
        consumer.pass(25);
        consumer.brokers.answer(1, answer());
        consumer.poll();
        assertThat(rack()).isEqualTo("here");
    }

    @Test
    void nearerReplicaThatFailsAgain_isNamedAfterALongerWait() {
        follow();
        consumer.brokers.answer(0, answer(failure(0, Errors.NOT_LEADER_OR_FOLLOWER)));
        consumer.poll();
        assertThat(rack()).isEmpty();
        consumer.brokers.answer(1, answer());
        consumer.pass(31);
        consumer.brokers.answer(1, answer());
        consumer.poll();
        assertThat(rack()).isEmpty();
    }

    // ---- Topics ----------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {"TOPIC_AUTHORIZATION_FAILED", "INVALID_TOPIC_EXCEPTION"})
    void topicThatIsRefused_isAFaultOfItsPartition_once(Errors error) {
        consumer.brokers.refuse(TOPIC, error);
        consumer.assign(0, StartAt.beginning());
        assertThatExceptionOfType(PartitionException.class)
                .isThrownBy(consumer::poll)
                .withMessage("t-0@0: " + error.message());
        consumer.refresh();
        consumer.pass(500);
        assertThat(consumer.engine.isAtFault(0)).isTrue();

        consumer.leaders(EPOCH, 1);
        consumer.refresh();
        assertThat(broker()).isEqualTo(-1);
        consumer.engine.seek(0, StartAt.offset(2));
        consumer.poll();
        assertThat(consumer.fetches(1)).containsExactly("0/0 [6-0@2 of 3 after -1]");
    }

    @Test
    void wholeTopicThatIsRefused_isAFaultOfTheConsumer_once() {
        consumer.brokers.refuse(TOPIC, Errors.TOPIC_AUTHORIZATION_FAILED);
        consumer.engine.assignAll(TOPIC, StartAt.beginning());
        assertThatExceptionOfType(LeanException.class)
                .isThrownBy(consumer::poll)
                .withMessage("topic t: " + Errors.TOPIC_AUTHORIZATION_FAILED.message());
        consumer.poll();
    }

    /** Partitions of the first response start at the end. Later ones are new, and must be read completely. */
    @Test
    void wholeTopicFromItsEnd_hasNewPartitionsFromTheirBeginning() {
        consumer.leaders(EPOCH, 1, 1);
        consumer.engine.assignAll(TOPIC, StartAt.end());
        consumer.poll();
        assertThat(consumer.offsetRequests(1)).containsExactly("t [0 3 -1, 1 3 -1]");
        consumer.leaders(EPOCH, 1, 1, 2);
        consumer.refresh();
        assertThat(consumer.offsetRequests(2)).containsExactly("t [2 3 -2]");
        assertThat(consumer.engine.assigned()).containsExactly(0, 1, 2);
    }

    // ---- Metadata --------------------------------------------------------------------------------------------------

    @Test
    void bootstrapBrokerThatRefusesConnections_isTriedAfterAGrowingWait() {
        consumer.brokers.unreachable.add(1);
        consumer.leaders(EPOCH, 2);
        consumer.assign(0, StartAt.offset(0));
        consumer.poll();
        consumer.pass(15);
        assertThat(consumer.brokers.connects).hasSize(1);
        consumer.pass(10);
        assertThat(consumer.brokers.connects).hasSize(2);
        consumer.pass(31);
        assertThat(consumer.brokers.connects).hasSize(2);
        consumer.brokers.unreachable.clear();
        consumer.pass(18);
        assertThat(consumer.fetches(2)).hasSize(1);
        assertThat(consumer.engine.metrics().metadataRefreshes()).isEqualTo(1);
    }

    @Test
    void malformedMetadata_areAFault_andAreRequestedAgain() {
        consumer.leaders(EPOCH, 2);
        consumer.brokers.answerMalformed(1, ApiKeys.METADATA);
        consumer.assign(0, StartAt.offset(0));
        assertThatExceptionOfType(LeanException.class)
                .isThrownBy(consumer::poll)
                .withMessageContaining("malformed metadata");
        consumer.pass(25);
        assertThat(consumer.fetches(2)).hasSize(1);
    }

    /** There are four addresses: three brokers and the bootstrap address. */
    @Test
    void brokersThatAreAllUnreachable_areLoggedOncePerRound() {
        begin();
        List<String> lines = new ArrayList<>();
        Logger logger = Logger.getLogger(MetadataConnection.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        try {
            consumer.brokers.unreachable.addAll(List.of(0, 1, 2));
            for (int node = 0; node < 3; node++) {
                consumer.brokers.lose(node);
            }
            for (int attempt = 0; attempt < 9; attempt++) {
                consumer.pass(2 * NEAR_MILLIS);
            }
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
        assertThat(lines)
                .hasSizeBetween(2, 3)
                .allSatisfy(line -> assertThat(line).startsWith("no metadata: "));
    }
}
