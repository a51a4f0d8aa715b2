package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.ScriptedNetwork.ScriptedChannel;
import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import dev.weir.lean.share.ScriptedReceiver.Unreadable;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData.ShareAcknowledgeTopicResponse;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.message.ShareFetchResponseData.ShareFetchableTopicResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** Sessions with two brokers: broker 1 leads partition 0, broker 2 leads partition 1. */
class ShareSessionsTest {

    private static final long MILLISECOND = 1_000_000;
    private static final Uuid TOPIC = new Uuid(1, 2);

    private final ScriptedReceiver receiver = new ScriptedReceiver();
    private final ScriptedNetwork network = new ScriptedNetwork();
    private final ShareCluster cluster = new ShareCluster(
            "group", List.of("topic"), List.of(InetSocketAddress.createUnresolved("bootstrap", 9)), receiver, 1);
    private int moved;
    private final ShareSessions sessions = new ShareSessions(
            new ShareRequests("group", "member"),
            cluster,
            network,
            receiver,
            new ShareMember.Reading(true, 1_000_000),
            () -> moved++);
    private long now = 1_000 * MILLISECOND;

    ShareSessionsTest() {
        cluster.answered(leaders(1, 2, 1));
        receiver.unreadable = Unreadable.PASS_ON;
        sessions.at(now);
        sessions.workers(100);
        sessions.plan(100, false, 1_000);
    }

    static MetadataResponseData leaders(int ofZero, int ofOne, int epoch) {
        MetadataResponseTopic topic =
                new MetadataResponseTopic().setTopicId(TOPIC).setName("topic");
        topic.partitions()
                .add(new MetadataResponsePartition()
                        .setPartitionIndex(0)
                        .setLeaderId(ofZero)
                        .setLeaderEpoch(epoch));
        topic.partitions()
                .add(new MetadataResponsePartition()
                        .setPartitionIndex(1)
                        .setLeaderId(ofOne)
                        .setLeaderEpoch(epoch));
        MetadataResponseData answer = new MetadataResponseData();
        answer.topics().add(topic);
        for (int node = 1; node <= 2; node++) {
            answer.brokers()
                    .add(new MetadataResponseBroker()
                            .setNodeId(node)
                            .setHost("broker" + node)
                            .setPort(node));
        }
        return answer;
    }

    private void settle(Integer... partitions) {
        sessions.settle(Map.of(TOPIC, Set.of(partitions)));
    }

    private ScriptedChannel broker(int node) {
        return network.channel("broker " + node);
    }

    private long turn(long millis) {
        now += millis * MILLISECOND;
        sessions.at(now);
        sessions.takeEnded();
        return sessions.turn() / MILLISECOND;
    }

    /** Returns a response with a partition's acquired records, or without records if their number is 0. */
    static ShareFetchResponseData answer(int partition, long first, int records) {
        PartitionData data = new PartitionData().setPartitionIndex(partition);
        if (records > 0) {
            data.setAcquiredRecords(List.of(new AcquiredRecords()
                            .setFirstOffset(first)
                            .setLastOffset(first + records - 1)
                            .setDeliveryCount((short) 1)))
                    .setRecords(MemoryRecords.withRecords(
                            first,
                            Compression.NONE,
                            IntStream.range(0, records)
                                    .mapToObj(each -> new SimpleRecord(new byte[8]))
                                    .toArray(SimpleRecord[]::new)));
        }
        return answer(data);
    }

    private static ShareFetchResponseData answer(PartitionData data) {
        ShareFetchableTopicResponse topic = new ShareFetchableTopicResponse().setTopicId(TOPIC);
        topic.setPartitions(List.of(data));
        ShareFetchResponseData answer = new ShareFetchResponseData();
        answer.responses().add(topic);
        return answer;
    }

    private static ShareAcknowledgeResponseData acknowledged(int partition) {
        ShareAcknowledgeTopicResponse topic = new ShareAcknowledgeTopicResponse().setTopicId(TOPIC);
        topic.setPartitions(List.of(new ShareAcknowledgeResponseData.PartitionData().setPartitionIndex(partition)));
        ShareAcknowledgeResponseData answer = new ShareAcknowledgeResponseData();
        answer.responses().add(topic);
        return answer;
    }

    private int asked(int node) {
        return broker(node).last(ShareFetchRequestData.class).maxRecords();
    }

    /** Opens the session with broker 1. It has acquired the given number of records from offset 0 on. */
    private void open(int records) {
        settle(0);
        assertThat(turn(0)).isNotNegative();
        broker(1).receiver.answered(answer(0, 0, records));
    }

    private boolean end(int index, AcknowledgeType outcome) {
        ScriptedRecord locked = receiver.acquired.get(index);
        locked.done = true;
        locked.outcome = outcome;
        return sessions.ended(locked);
    }

    // ---- Partitions ------------------------------------------------------------------------------------------------

    @Test
    void partition_isReadAtItsLeader_andMovesWithIt() {
        settle(0, 1);
        assertThat(turn(0)).isEqualTo(50);
        assertThat(broker(1).addresses.get()).containsExactly(InetSocketAddress.createUnresolved("broker1", 1));
        assertThat(broker(2).addresses.get()).containsExactly(InetSocketAddress.createUnresolved("broker2", 2));
        assertThat(broker(1).versions).containsExactly(2);
        assertThat(broker(1)
                        .last(ShareFetchRequestData.class)
                        .topics()
                        .find(TOPIC)
                        .partitions())
                .extracting(each -> each.partitionIndex())
                .containsExactly(0);
        assertThat(broker(2)
                        .last(ShareFetchRequestData.class)
                        .topics()
                        .find(TOPIC)
                        .partitions())
                .extracting(each -> each.partitionIndex())
                .containsExactly(1);

        broker(1).receiver.answered(answer(0, 0, 0));
        broker(2).receiver.answered(answer(1, 0, 0));
        cluster.answered(leaders(2, 2, 2));
        settle(0, 1);
        assertThat(turn(0)).isNotNegative();
        assertThat(broker(1).dropped).as("nothing is left of it").isTrue();
        assertThat(broker(2)
                        .last(ShareFetchRequestData.class)
                        .topics()
                        .find(TOPIC)
                        .partitions())
                .extracting(each -> each.partitionIndex())
                .containsExactly(0);
    }

    @Test
    void partitionWithoutALeader_hasLeadersAskedFor_andIsReadNowhere() {
        assertThat(cluster.next()).isNotNull();
        cluster.lost();
        cluster.answered(leaders(1, -1, 2));
        settle(1);
        assertThat(network.has("broker 1")).isFalse();
        sessions.settle(Map.of(new Uuid(7, 7), Set.of(0)));
        assertThat(network.has("broker 2")).isFalse();
        assertThat(turn(0)).isEqualTo(50);
    }

    /** Given a session without partitions: records acquired in it are still acknowledged. */
    @Test
    void sessionThatReadsNothingMore_staysUntilItsRecordsAreToldOf() {
        open(1);
        cluster.answered(leaders(2, 2, 2));
        settle(0);
        assertThat(turn(0)).isNotNegative();
        assertThat(broker(1).dropped).isFalse();
        assertThat(end(0, AcknowledgeType.ACCEPT)).isFalse();
        assertThat(turn(100)).isNotNegative();
        assertThat(turn(100)).isNotNegative();
        assertThat(broker(1).dropped).isFalse();
        assertThat(broker(1).last(ShareAcknowledgeRequestData.class).topics()).hasSize(1);
        broker(1).receiver.answered(acknowledged(0));
        assertThat(turn(0)).isNotNegative();
        assertThat(broker(1).dropped).isTrue();
    }

    @Test
    void leaderThatABrokerNames_isNoted_andPartitionsAreSettledAgain() {
        settle(0);
        assertThat(turn(0)).isNotNegative();
        broker(1)
                .receiver
                .answered(answer(new PartitionData()
                        .setPartitionIndex(0)
                        .setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code())
                        .setCurrentLeader(new LeaderIdAndEpoch().setLeaderId(2).setLeaderEpoch(9))));
        assertThat(moved).isEqualTo(1);
        settle(0);
        assertThat(turn(0)).isNotNegative();
        assertThat(broker(1).dropped).isTrue();
        assertThat(broker(2).sent).hasSize(1);
    }

    @Test
    void connectionThatIsLost_losesItsRecords_andLeadersAreDoubted() {
        open(2);
        broker(1).receiver.lost("cut");
        assertThat(receiver.lost).containsExactly(0L, 1L);
        assertThat(moved).isEqualTo(1);
        assertThat(sessions.open()).isZero();
        assertThat(turn(0)).isEqualTo(50);
        assertThat(broker(1).last(ShareFetchRequestData.class).shareSessionEpoch())
                .isZero();
    }

    // ---- Credits ---------------------------------------------------------------------------------------------------

    @Test
    void credits_countWhatIsAcquiredAndWhatIsAskedFor() {
        settle(0, 1);
        assertThat(turn(0)).isNotNegative();
        assertThat(asked(1)).isEqualTo(50);
        assertThat(asked(2)).isEqualTo(50);
        broker(1).receiver.answered(answer(0, 0, 50));
        assertThat(receiver.acquiredAll).isEqualTo(1);
        assertThat(sessions.open()).isEqualTo(50);
        assertThat(turn(60)).isNotNegative();
        assertThat(broker(1).sent).as("no credit is left").hasSize(1);
        broker(2).receiver.answered(answer(1, 0, 20));
        assertThat(turn(60)).isNotNegative();
        assertThat(asked(1)).as("the first one gets what is left").isEqualTo(30);
        assertThat(broker(2).sent).hasSize(1);
    }

    @Test
    void withoutDemand_nothingIsAskedFor() {
        receiver.demand = false;
        settle(0);
        assertThat(turn(0)).as("nobody waits").isEqualTo(20);
        assertThat(broker(1).sent).isEmpty();
        receiver.demand = true;
        assertThat(turn(0)).isNotNegative();
        assertThat(asked(1)).isEqualTo(100);
    }

    /** The mean starts at 1024 bytes and moves by a tenth of the difference. */
    @Test
    void bytesOfAFetch_followTheSizeOfTheRecordsThatCame() {
        settle(0);
        assertThat(turn(0)).isNotNegative();
        ShareFetchResponseData answer = answer(0, 0, 10);
        int bytes = answer.responses()
                .iterator()
                .next()
                .partitions()
                .getFirst()
                .records()
                .sizeInBytes();
        broker(1).receiver.answered(answer);
        assertThat(turn(60)).isNotNegative();
        assertThat(broker(1).last(ShareFetchRequestData.class).maxBytes())
                .isEqualTo((int) (90 * (1024 + (bytes / 10.0 - 1024) / 10) * 1.5));
    }

    @Test
    void channelWithoutAConnection_isSentNothing() {
        settle(0, 1);
        broker(1).canSend = false;
        assertThat(turn(0)).isNotNegative();
        assertThat(broker(1).sent).isEmpty();
        assertThat(asked(2)).isEqualTo(50);
        broker(1).canSend = true;
        assertThat(turn(0)).isNotNegative();
        assertThat(asked(1)).isEqualTo(50);
    }

    @Test
    void creditsOfAPlan_areOneAtLeast_andWholeBatchesAreAskedForIfItSaysSo() {
        sessions.plan(0, true, 1_000);
        settle(0);
        assertThat(turn(0)).isNotNegative();
        assertThat(asked(1)).isEqualTo(1);
        assertThat(broker(1).last(ShareFetchRequestData.class).shareAcquireMode())
                .isZero();
    }

    // ---- Records ---------------------------------------------------------------------------------------------------

    @Test
    void recordThatEnds_isToldOf_andOneThatIsReleasedGoesBack() {
        open(3);
        assertThat(sessions.openRecords()).hasSize(3);
        assertThat(end(0, AcknowledgeType.ACCEPT)).isFalse();
        assertThat(end(1, AcknowledgeType.RELEASE)).isFalse();
        assertThat(end(2, AcknowledgeType.REJECT)).isFalse();
        assertThat(sessions.open()).as("the member has not looked").isEqualTo(3);
        assertThat(turn(1)).isNotNegative();
        assertThat(sessions.open()).isZero();
        assertThat(sessions.openRecords()).isEmpty();
        assertThat(receiver.wentBack).containsExactly(1L);
        assertThat(turn(50)).isNotNegative();
        assertThat(broker(1)
                        .last(ShareFetchRequestData.class)
                        .topics()
                        .find(TOPIC)
                        .partitions()
                        .find(0)
                        .acknowledgementBatches())
                .extracting(each -> each.acknowledgeTypes().getFirst())
                .containsExactly(
                        AcknowledgementRange.ACCEPT, AcknowledgementRange.RELEASE, AcknowledgementRange.REJECT);
        assertThat(turn(0)).isNotNegative();
    }

    /** The broker delivers the lost record to another member. */
    @Test
    void recordOfALostLock_doesNotGoBackASecondTime() {
        open(1);
        broker(1).receiver.lost("cut");
        assertThat(end(0, AcknowledgeType.RELEASE)).isFalse();
        assertThat(turn(0)).isNotNegative();
        assertThat(receiver.wentBack).isEmpty();
    }

    @Test
    void lockTime_isThatOfTheLastAnswerThatNamesOne() {
        assertThat(sessions.lockMillis()).isZero();
        settle(0);
        assertThat(turn(0)).isNotNegative();
        broker(1).receiver.answered(answer(0, 0, 1).setAcquisitionLockTimeoutMs(4_000));
        assertThat(sessions.lockMillis()).isEqualTo(4_000);
        assertThat(sessions.batchRecords()).isEqualTo(1.0);
        assertThat(turn(60)).isNotNegative();
        broker(1).receiver.answered(answer(0, 0, 0));
        assertThat(sessions.lockMillis()).as("the answer does not say").isEqualTo(4_000);

        assertThat(turn(1_939)).isNotNegative();
        assertThat(receiver.wentBack).as("half of its lock is not over").isEmpty();
        assertThat(turn(1)).isNotNegative();
        assertThat(receiver.wentBack).containsExactly(0L);
        assertThat(receiver.passedBy).isEqualTo(1);
    }

    @Test
    void lockTimeOfAnAcknowledgement_isNotedToo() {
        open(1);
        receiver.demand = false;
        assertThat(end(0, AcknowledgeType.ACCEPT)).isFalse();
        assertThat(turn(50)).isNotNegative();
        assertThat(turn(50)).isNotNegative();
        assertThat(broker(1).last(ShareAcknowledgeRequestData.class).topics()).hasSize(1);
        broker(1).receiver.answered(acknowledged(0).setAcquisitionLockTimeoutMs(7_000));
        assertThat(sessions.lockMillis()).isEqualTo(7_000);
        assertThat(receiver.confirmed).containsExactly("accept 1 0");
    }

    /** One open record represents the batch with its three open offsets. */
    @Test
    void unreadableBatch_isOneOpenRecord_andHoldsAllItsOffsets() {
        settle(0);
        assertThat(turn(0)).isNotNegative();
        broker(1).receiver.answered(damaged(3));
        assertThat(sessions.open()).isEqualTo(3);
        assertThat(sessions.openRecords()).singleElement().isSameAs(receiver.acquired.getFirst());
    }

    @Test
    void recordsThatAreGivenUp_goBack() {
        open(3);
        receiver.acquired.get(1).taken = true;
        assertThat(end(2, AcknowledgeType.ACCEPT)).isFalse();
        assertThat(turn(1)).isNotNegative();
        assertThat(sessions.giveUp()).isEqualTo(2);
        assertThat(receiver.wentBack).containsExactly(0L, 1L);
        assertThat(sessions.open()).isZero();
    }

    // ---- Turns -----------------------------------------------------------------------------------------------------

    @Test
    void nextTurn_comesAfterTheTimeThatItsWorkAllows() {
        settle(0);
        assertThat(turn(0)).as("nothing is acquired").isEqualTo(50);
        assertThat(sessions.span()).isZero();
        broker(1).receiver.answered(answer(0, 0, 4));
        assertThat(turn(0)).as("more is wanted, and acquired").isEqualTo(25);
        assertThat(sessions.span()).isEqualTo(4);
        receiver.demand = false;
        assertThat(turn(0)).as("no fetch takes acknowledgements along").isEqualTo(10);
        receiver.demand = true;
        broker(1).receiver.answered(answer(0, 4, 0));
        sessions.plan(100, false, 4);
        assertThat(turn(0)).as("all that may be is acquired").isEqualTo(1);
        sessions.plan(100, false, 5);
        assertThat(turn(60)).isEqualTo(25);
        sessions.plan(100, false, 4);
        assertThat(turn(0)).as("the window is nearly full").isEqualTo(10);
    }

    @Test
    void endedRecord_wakesTheMember_onceEnoughCreditsAreFree() {
        sessions.plan(8, false, 1_000);
        open(8);
        assertThat(turn(0)).isEqualTo(25);
        assertThat(end(0, AcknowledgeType.ACCEPT)).isFalse();
        assertThat(end(1, AcknowledgeType.ACCEPT)).isTrue();
        assertThat(turn(0)).isEqualTo(25);
        assertThat(asked(1)).isEqualTo(2);
        assertThat(end(2, AcknowledgeType.ACCEPT)).as("a fetch is under way").isFalse();
        assertThat(end(3, AcknowledgeType.ACCEPT)).isFalse();
        assertThat(end(4, AcknowledgeType.ACCEPT)).isFalse();
        broker(1).receiver.answered(answer(0, 8, 2));
        assertThat(sessions.turn()).as("enough have ended").isZero();
    }

    // ---- The end ---------------------------------------------------------------------------------------------------

    @Test
    void sessionsThatEnd_areClosedOnceNothingIsAcquired() {
        open(2);
        settle(0, 1);
        assertThat(turn(0)).isNotNegative();
        assertThat(sessions.haveEnded()).isFalse();
        broker(2).receiver.answered(answer(1, 0, 0));
        sessions.end();
        receiver.over = true;
        receiver.acquired.get(0).taken = true;
        assertThat(turn(0)).isEqualTo(10);
        assertThat(receiver.wentBack).containsExactly(1L);
        assertThat(broker(2).last(ShareAcknowledgeRequestData.class).shareSessionEpoch())
                .isEqualTo(-1);
        broker(2).receiver.answered(new ShareAcknowledgeResponseData());
        assertThat(sessions.haveEnded()).isFalse();

        assertThat(end(0, AcknowledgeType.ACCEPT)).isFalse();
        broker(1).receiver.answered(answer(0, 2, 0));
        assertThat(turn(0)).isEqualTo(10);
        ShareAcknowledgeRequestData told = broker(1).last(ShareAcknowledgeRequestData.class);
        assertThat(told.shareSessionEpoch()).isEqualTo(2);
        broker(1).receiver.answered(acknowledged(0));
        assertThat(turn(0)).isEqualTo(10);
        assertThat(broker(1).last(ShareAcknowledgeRequestData.class).shareSessionEpoch())
                .isEqualTo(-1);
        assertThat(sessions.haveEnded()).isFalse();
        broker(1).receiver.answered(new ShareAcknowledgeResponseData());
        assertThat(sessions.haveEnded()).isTrue();
        int sent = broker(1).sent.size();
        assertThat(turn(0)).isEqualTo(10);
        assertThat(broker(1).sent).as("it says no more").hasSize(sent);
    }

    @Test
    void sessionThatWasNeverOpened_isNotOpenedToBeClosed() {
        receiver.demand = false;
        settle(0);
        assertThat(turn(0)).isNotNegative();
        sessions.end();
        receiver.demand = true;
        assertThat(turn(0)).isNotNegative();
        assertThat(broker(1).sent).isEmpty();
        assertThat(sessions.haveEnded()).isTrue();
    }

    @Test
    void closedSessions_loseWhatIsAcquired_andTheirConnections() {
        open(2);
        sessions.close();
        assertThat(broker(1).dropped).isTrue();
        assertThat(receiver.lost).containsExactly(0L, 1L);
    }

    /** The broker has ended the session before it received the acknowledgements. */
    @Test
    void acknowledgementsOfASessionThatTheBrokerLost_areSentInANewOne_evenWhenTheMemberEnds() {
        open(2);
        assertThat(end(0, AcknowledgeType.ACCEPT)).isFalse();
        assertThat(end(1, AcknowledgeType.ACCEPT)).isFalse();
        assertThat(turn(60)).isNotNegative();
        sessions.end();
        receiver.over = true;
        broker(1).receiver.answered(new ShareFetchResponseData().setErrorCode(Errors.SHARE_SESSION_NOT_FOUND.code()));
        assertThat(sessions.haveEnded()).isFalse();
        assertThat(turn(0)).isNotNegative();
        assertThat(broker(1).last(ShareFetchRequestData.class).shareSessionEpoch())
                .isZero();
        broker(1).receiver.answered(answer(0, 2, 0));
        assertThat(turn(0)).isNotNegative();
        assertThat(broker(1).last(ShareAcknowledgeRequestData.class).topics()).hasSize(1);
        broker(1).receiver.answered(acknowledged(0));
        assertThat(receiver.confirmed).containsExactly("accept 2 0");
    }

    // ---- Unreadable batches, refusals and limits -------------------------------------------------------------------

    private static ShareFetchResponseData damaged(int records) {
        ShareFetchResponseData damaged = answer(0, 0, records);
        MemoryRecords batch = (MemoryRecords)
                damaged.responses().iterator().next().partitions().getFirst().records();
        batch.buffer().put(batch.sizeInBytes() - 1, (byte) -1);
        return damaged;
    }

    /** The broker must not deliver the remaining batch again. */
    @Test
    void offsetsOfAnUnreadableBatch_endWithItsRecord() {
        settle(0);
        assertThat(turn(0)).isNotNegative();
        broker(1).receiver.answered(damaged(3));
        assertThat(sessions.open()).isEqualTo(3);
        assertThat(end(0, AcknowledgeType.REJECT)).isFalse();
        assertThat(turn(1)).isNotNegative();
        assertThat(sessions.open()).isZero();
        assertThat(turn(60)).isNotNegative();
        assertThat(broker(1)
                        .last(ShareFetchRequestData.class)
                        .topics()
                        .find(TOPIC)
                        .partitions()
                        .find(0)
                        .acknowledgementBatches())
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.firstOffset()).isZero();
                    assertThat(each.lastOffset()).isEqualTo(2);
                    assertThat(each.acknowledgeTypes()).containsExactly(AcknowledgementRange.REJECT);
                });
    }

    private void refuse() {
        assertThat(turn(100)).isNotNegative();
        broker(1)
                .receiver
                .answered(answer(
                        new PartitionData().setPartitionIndex(0).setErrorCode(Errors.UNKNOWN_SERVER_ERROR.code())));
    }

    @Test
    void refusedFetch_isReportedOnce_andAgainOnceRecordsCameBetween() {
        try (ScriptedLog log = new ScriptedLog(ShareSession.class)) {
            settle(0);
            refuse();
            refuse();
            assertThat(log.warnings)
                    .containsExactly("topic-0 cannot be fetched from broker 1 now: UNKNOWN_SERVER_ERROR");
            assertThat(turn(100)).isNotNegative();
            broker(1).receiver.answered(answer(0, 0, 1));
            refuse();
            assertThat(log.warnings).hasSize(2);
        }
    }

    @Test
    void answerWithoutRecords_saysNothingOfTheirSize() {
        settle(0);
        assertThat(turn(0)).isNotNegative();
        int bytes = broker(1).last(ShareFetchRequestData.class).maxBytes();
        broker(1).receiver.answered(answer(0, 0, 0));
        assertThat(turn(60)).isNotNegative();
        assertThat(broker(1).sent).hasSize(2);
        assertThat(broker(1).last(ShareFetchRequestData.class).maxBytes()).isEqualTo(bytes);
    }

    @Test
    void endedRecord_wakesTheMember_togetherWithTheCreditsThatAreFree() {
        sessions.plan(9, false, 1_000);
        open(8);
        assertThat(turn(0)).isEqualTo(25);
        assertThat(broker(1).sent).as("one credit is too few").hasSize(1);
        assertThat(end(0, AcknowledgeType.ACCEPT)).isTrue();
    }

    @Test
    void recordsThatEndBeforeTheirNumberIsSet_areNotedInTheSameTurn() {
        sessions.plan(8, false, 1_000);
        open(8);
        assertThat(end(0, AcknowledgeType.ACCEPT)).isFalse();
        assertThat(sessions.turn()).as("one is too few").isEqualTo(25 * MILLISECOND);
        assertThat(end(1, AcknowledgeType.ACCEPT)).isTrue();
        assertThat(sessions.turn()).as("two are enough").isZero();
    }

    @Test
    void windowOfWhichNineTenthsAreAcquired_isAlmostFull() {
        sessions.plan(100, false, 10);
        open(9);
        assertThat(turn(0)).isEqualTo(10);
        sessions.plan(100, false, 11);
        assertThat(turn(0)).isEqualTo(25);
    }

    /** The broker has ended the first lock, so the first handler no longer owns the record. */
    @Test
    void recordThatIsAcquiredAgain_isLostInItsFirstDelivery() {
        open(2);
        assertThat(turn(60)).isNotNegative();
        broker(1).receiver.answered(answer(0, 1, 2));
        assertThat(receiver.lost).containsExactly(1L);
        assertThat(sessions.openRecords())
                .containsExactly(receiver.acquired.get(0), receiver.acquired.get(2), receiver.acquired.get(3));
    }
}
