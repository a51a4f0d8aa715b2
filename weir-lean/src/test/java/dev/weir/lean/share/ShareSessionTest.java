package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.lean.share.AcquiredRange.Lock;
import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import dev.weir.lean.share.ShareSession.Turn;
import dev.weir.lean.spi.InvariantException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData.ShareAcknowledgeTopicResponse;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.LeaderIdAndEpoch;
import org.apache.kafka.common.message.ShareFetchResponseData.NodeEndpoint;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.message.ShareFetchResponseData.ShareFetchableTopicResponse;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ShareRequestMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One session with broker 7. The test responds for the broker. */
class ShareSessionTest {

    private static final long SECOND = 1_000_000_000;
    private static final Turn TURN = new Turn(10, 1, 1_000, false);
    private static final Uuid TOPIC = new Uuid(1, 2);
    private static final TopicIdPartition ZERO = new TopicIdPartition(TOPIC, 0, "topic");
    private static final TopicIdPartition ONE = new TopicIdPartition(TOPIC, 1, "topic");

    private final ScriptedReceiver receiver = new ScriptedReceiver();
    private final ScriptedAnswers answers = new ScriptedAnswers();
    private final ShareSession session = new ShareSession(7, new ShareRequests("group", "member"), receiver, answers);
    private long now = 1;

    // ---- The broker's part -----------------------------------------------------------------------------------------

    private ShareFetchRequestData fetch() {
        return (ShareFetchRequestData) Objects.requireNonNull(next(TURN));
    }

    private ShareAcknowledgeRequestData acknowledgement() {
        return (ShareAcknowledgeRequestData) Objects.requireNonNull(next(TURN));
    }

    /** Returns the next request after pending acknowledgements have waited long enough. */
    private @Nullable ApiMessage next(Turn turn) {
        now += SECOND;
        return session.next(now, turn);
    }

    private static PartitionData partition(int number) {
        return new PartitionData().setPartitionIndex(number);
    }

    private static ShareFetchResponseData answer(PartitionData... partitions) {
        ShareFetchableTopicResponse topic = new ShareFetchableTopicResponse().setTopicId(TOPIC);
        topic.setPartitions(List.of(partitions));
        ShareFetchResponseData answer = new ShareFetchResponseData();
        answer.responses().add(topic);
        return answer;
    }

    private static ShareAcknowledgeResponseData acknowledged(int number, Errors error) {
        ShareAcknowledgeTopicResponse topic = new ShareAcknowledgeTopicResponse().setTopicId(TOPIC);
        topic.setPartitions(List.of(new ShareAcknowledgeResponseData.PartitionData()
                .setPartitionIndex(number)
                .setErrorCode(error.code())));
        ShareAcknowledgeResponseData answer = new ShareAcknowledgeResponseData();
        answer.responses().add(topic);
        return answer;
    }

    /** Opens a session with offsets 0 to 3 of partition 0 acquired. */
    private AcquiredRanges open() {
        session.partitions.want(List.of(ZERO, ONE));
        assertThat(fetch().shareSessionEpoch()).isZero();
        session.answered(answer(), now);
        AcquiredRanges of = Objects.requireNonNull(session.partitions.find(TOPIC, 0));
        AcquiredRange range = new AcquiredRange(0, 3, new Lock(now, 2 * SECOND), now);
        for (long offset = 0; offset < 4; offset++) {
            range.put(ScriptedRecord.at(offset));
        }
        assertThat(of.add(range)).isEmpty();
        return of;
    }

    private AcquiredRanges openWithAcks() {
        AcquiredRanges of = open();
        of.all().getFirst().endIf(locked -> locked.offset() < 2, AcknowledgementRange.ACCEPT, now);
        of.pending.add(of.all().getFirst().takeUnacknowledged(), now);
        return of;
    }

    private static List<Long> toldFirst(ShareFetchRequestData request) {
        return request.topics().stream()
                .flatMap(topic -> topic.partitions().stream())
                .flatMap(each -> each.acknowledgementBatches().stream())
                .map(each -> each.firstOffset())
                .toList();
    }

    @Test
    void requestBesideOneThatIsUnderWay_violatesAnInvariant() {
        AcquiredRanges of = open();
        assertThat(fetch().shareSessionEpoch()).isEqualTo(1);
        assertThatExceptionOfType(InvariantException.class)
                .isThrownBy(() -> session.acknowledge(now + 1, Map.of()))
                .withMessageContaining("invariant 35 does not hold: at most one request is under way per session")
                .withMessageContaining("broker=7 epoch=1 sent=" + now + " next=" + (now + 1));
        session.answered(answer(), now);
        assertThat(of.open()).isEqualTo(4);
        assertThat(session.isUnderWay()).as("the first one is answered").isFalse();
    }

    // ---- Epochs ----------------------------------------------------------------------------------------------------

    @Test
    void epoch_countsRequests_andGoesOnAtOne() {
        session.partitions.want(List.of(ZERO));
        for (int epoch = 0; epoch < 4; epoch++) {
            assertThat(session.hasEnded()).isEqualTo(epoch == 0);
            ShareFetchRequestData request = fetch();
            assertThat(request.shareSessionEpoch()).isEqualTo(epoch);
            assertThat(request.topics().isEmpty()).as("listed once").isEqualTo(epoch > 0);
            assertThat(session.isUnderWay()).isTrue();
            assertThat(next(TURN)).as("one at a time").isNull();
            session.answered(answer(), now);
            assertThat(session.isUnderWay()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, Integer.MAX_VALUE - 1, Integer.MAX_VALUE})
    void epochAfterTheLargest_isOne(int epoch) {
        assertThat(ShareSession.epochAfter(epoch)).isEqualTo(ShareRequestMetadata.nextEpoch(epoch));
    }

    @ParameterizedTest
    @EnumSource(names = {"SHARE_SESSION_NOT_FOUND", "INVALID_SHARE_SESSION_EPOCH"})
    void sessionThatTheBrokerHasLost_isOpenedAgain_andItsAcknowledgementsAreToldThen(Errors error) {
        openWithAcks();
        assertThat(toldFirst(fetch())).containsExactly(0L);
        session.answered(new ShareFetchResponseData().setErrorCode(error.code()), now);
        assertThat(receiver.refused).isEmpty();
        ShareFetchRequestData opening = fetch();
        assertThat(opening.shareSessionEpoch()).isZero();
        assertThat(opening.topics().find(TOPIC).partitions()).as("all of them").hasSize(2);
        assertThat(toldFirst(opening))
                .as("no acknowledgement may open a session")
                .isEmpty();
        session.answered(answer(), now);
        assertThat(toldFirst(fetch())).containsExactly(0L);
        session.answered(answer(partition(0)), now);
        assertThat(receiver.confirmed).hasSize(1);
    }

    @Test
    void requestThatIsRefusedForAnotherReason_costsItsAcknowledgements_andAPause() {
        openWithAcks();
        assertThat(fetch()).isNotNull();
        session.answered(new ShareFetchResponseData().setErrorCode(Errors.UNKNOWN_SERVER_ERROR.code()), now);
        assertThat(receiver.refused).containsExactly("topic-0@0..1 accept 2 UNKNOWN_SERVER_ERROR");
        assertThat(session.next(now + 99_999_999, TURN)).isNull();
        assertThat(session.next(now + 100_000_000, TURN)).isInstanceOf(ShareFetchRequestData.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"GROUP_AUTHORIZATION_FAILED", "TOPIC_AUTHORIZATION_FAILED"})
    void requestThatIsForbidden_isFatal(Errors error) {
        open();
        assertThat(fetch()).isNotNull();
        session.answered(new ShareFetchResponseData().setErrorCode(error.code()), now);
        assertThat(receiver.fatal)
                .singleElement()
                .isInstanceOf(error.exception().getClass());
    }

    @Test
    void connectionThatIsLost_takesAllLocksWithIt_andTheSessionIsOpenedAgain() {
        AcquiredRanges of = openWithAcks();
        assertThat(fetch()).isNotNull();
        session.lost();
        assertThat(receiver.refused).containsExactly("topic-0@0..1 accept 2 NETWORK_EXCEPTION");
        assertThat(receiver.lost).containsExactly(2L, 3L);
        assertThat(of.isEmpty()).isTrue();
        assertThat(answers.brokersMoved).isEqualTo(1);
        assertThat(fetch().shareSessionEpoch()).isZero();
    }

    @Test
    void lastRequest_givesAllBack_andEndsTheSession() {
        AcquiredRanges of = openWithAcks();
        assertThat(session.hasEnded()).isFalse();
        var last = (ShareAcknowledgeRequestData) Objects.requireNonNull(session.last(now));
        assertThat(last.shareSessionEpoch()).isEqualTo(-1);
        assertThat(last.topics()).hasSize(1);
        assertThat(session.last(now)).as("under way").isNull();
        session.answered(acknowledged(0, Errors.NONE), now);
        assertThat(session.hasEnded()).isTrue();
        assertThat(session.last(now)).isNull();
        assertThat(next(TURN)).isNull();
        assertThat(receiver.confirmed).containsExactly("accept 2 0");
        assertThat(of.open()).isEqualTo(2);
    }

    @Test
    void lastRequest_thatIsRefused_endsTheSessionAllTheSame() {
        openWithAcks();
        assertThat(session.last(now)).isNotNull();
        session.answered(new ShareAcknowledgeResponseData().setErrorCode(Errors.SHARE_SESSION_NOT_FOUND.code()), now);
        assertThat(session.hasEnded()).isTrue();
        assertThat(receiver.refused).containsExactly("topic-0@0..1 accept 2 SHARE_SESSION_NOT_FOUND");
    }

    // ---- Acknowledgements ------------------------------------------------------------------------------------------

    @Test
    void acknowledgement_thatTheAnswerDoesNotName_isNotConfirmed() {
        openWithAcks();
        assertThat(toldFirst(fetch())).containsExactly(0L);
        session.answered(answer(partition(1)), now);
        assertThat(receiver.confirmed).isEmpty();
        assertThat(receiver.refused).containsExactly("topic-0@0..1 accept 2 UNKNOWN_SERVER_ERROR");
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "COORDINATOR_LOAD_IN_PROGRESS",
                "COORDINATOR_NOT_AVAILABLE",
                "NOT_COORDINATOR",
                "REQUEST_TIMED_OUT",
                "UNKNOWN_SERVER_ERROR"
            })
    void acknowledgement_thatWasNotWrittenDown_isToldAgain_afterAPause(Errors error) {
        openWithAcks();
        assertThat(fetch()).isNotNull();
        session.answered(answer(partition(0).setAcknowledgeErrorCode(error.code())), now);
        assertThat(receiver.refused).isEmpty();
        assertThat(session.next(now + 99_999_999, TURN)).isNull();
        assertThat(toldFirst(fetch())).containsExactly(0L);
    }

    @ParameterizedTest
    @EnumSource(
            names = {"NOT_LEADER_OR_FOLLOWER", "FENCED_LEADER_EPOCH", "UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_TOPIC_ID"})
    void acknowledgement_thatABrokerRefusesWhichDoesNotLead_isRefused_andThePartitionIsLeft(Errors error) {
        AcquiredRanges of = openWithAcks();
        assertThat(fetch()).isNotNull();
        of.pending.addApart(List.of(new AcknowledgementRange(2, 2, AcknowledgementRange.RENEW, 1)), true, now);
        session.answered(answer(partition(0).setAcknowledgeErrorCode(error.code())), now);
        assertThat(receiver.refused).containsExactly("topic-0@0..1 accept 2 " + error, "topic-0@2 renew 1 " + error);
        assertThat(receiver.lost).containsExactlyInAnyOrder(2L, 3L);
        assertThat(answers.moved).contains(ZERO);
        assertThat(session.partitions.wanted()).isEqualTo(1);
        assertThat(fetch().forgottenTopicsData())
                .singleElement()
                .satisfies(topic -> assertThat(topic.partitions()).containsExactly(0));
    }

    @Test
    void acknowledgement_thatIsRefusedForItsState_isDividedUntilTheOneToBlameIsFound() {
        AcquiredRanges of = open();
        of.pending.add(
                List.of(
                        new AcknowledgementRange(0, 0, AcknowledgementRange.ACCEPT, 1),
                        new AcknowledgementRange(2, 2, AcknowledgementRange.ACCEPT, 1)),
                now);
        assertThat(toldFirst(fetch())).containsExactly(0L, 2L);
        session.answered(answer(partition(0).setAcknowledgeErrorCode(Errors.INVALID_RECORD_STATE.code())), now);
        assertThat(receiver.refused).isEmpty();
        assertThat(toldFirst(fetch())).containsExactly(0L);
        session.answered(answer(partition(0).setAcknowledgeErrorCode(Errors.INVALID_RECORD_STATE.code())), now);
        assertThat(receiver.refused).containsExactly("topic-0@0 accept 1 INVALID_RECORD_STATE");
        assertThat(toldFirst(fetch())).containsExactly(2L);
        session.answered(answer(partition(0)), now);
        assertThat(receiver.confirmed).containsExactly("accept 1 0");
    }

    @Test
    void acknowledgements_ofAPartitionThatIsNotFetched_goByThemselves() {
        openWithAcks();
        session.partitions.want(List.of(ONE));
        ShareAcknowledgeRequestData request = acknowledgement();
        assertThat(request.shareSessionEpoch()).isEqualTo(1);
        assertThat(request.isRenewAck()).isFalse();
        session.answered(acknowledged(0, Errors.NONE), now + 5);
        assertThat(receiver.confirmed).containsExactly("accept 2 5");
        assertThat(fetch().shareSessionEpoch()).isEqualTo(2);
    }

    // ---- Renewals --------------------------------------------------------------------------------------------------

    private ShareAcknowledgeRequestData renewal(AcquiredRanges of) {
        of.pending.addApart(of.all().getFirst().takeRenewals(), true, now);
        return acknowledgement();
    }

    /** The broker may have renewed the lock right after the request was sent. */
    @Test
    void renewedLock_countsFromTheRequest() {
        AcquiredRanges of = open();
        assertThat(renewal(of).isRenewAck()).isTrue();
        long sent = now;
        session.answered(acknowledged(0, Errors.NONE), now + 5);
        assertThat(of.all().getFirst().lock()).isEqualTo(new Lock(sent, 3 * SECOND));
        assertThat(receiver.confirmed).containsExactly("renew 4 5");
    }

    @Test
    void renewalThatIsRefusedForItsState_leavesTheLockForItsTime() {
        AcquiredRanges of = open();
        Lock before = of.all().getFirst().lock();
        assertThat(renewal(of)).isNotNull();
        session.answered(acknowledged(0, Errors.INVALID_RECORD_STATE), now);
        assertThat(receiver.notRenewed).containsExactly("topic-0@0..3 4 INVALID_RECORD_STATE");
        assertThat(receiver.lost).isEmpty();
        assertThat(of.all().getFirst().lock()).isEqualTo(before);
        assertThat(of.all().getFirst().isRenewing()).as("no other is asked for").isTrue();
    }

    @Test
    void renewalThatIsRefusedOtherwise_losesItsRecords() {
        AcquiredRanges of = open();
        assertThat(renewal(of)).isNotNull();
        session.answered(acknowledged(0, Errors.INVALID_REQUEST), now);
        assertThat(receiver.lost).containsExactly(0L, 1L, 2L, 3L);
        assertThat(receiver.refused).containsExactly("topic-0@0..3 renew 4 INVALID_REQUEST");
        assertThat(of.all()).isEmpty();
    }

    // ---- Fetches ---------------------------------------------------------------------------------------------------

    @Test
    void whatIsAcquired_isLent_byPartition() {
        open();
        assertThat(fetch()).isNotNull();
        session.answered(
                answer(
                        partition(0),
                        partition(1)
                                .setAcquiredRecords(List.of(
                                        new AcquiredRecords().setFirstOffset(5).setLastOffset(6)))),
                now);
        assertThat(answers.acquired).extracting(acquired -> acquired.id).containsExactly(ONE);
        assertThat(session.foundNothing()).isFalse();
        assertThat(fetch()).isNotNull();
        session.answered(answer(partition(0), partition(1)), now);
        assertThat(session.foundNothing()).isTrue();
    }

    @Test
    void leaderThatTheBrokerNames_isHandedOn_withItsAddress() {
        open();
        assertThat(fetch()).isNotNull();
        PartitionData elsewhere = partition(0)
                .setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code())
                .setCurrentLeader(new LeaderIdAndEpoch().setLeaderId(9).setLeaderEpoch(4));
        ShareFetchResponseData answer = answer(elsewhere);
        answer.nodeEndpoints()
                .add(new NodeEndpoint().setNodeId(9).setHost("there").setPort(99));
        session.answered(answer, now);
        assertThat(answers.leaders)
                .singleElement()
                .asString()
                .startsWith("0 9 4 there")
                .endsWith(":99");
        assertThat(answers.moved).containsExactly(ZERO);
        assertThat(receiver.lost).as("locks are of one leader").containsExactly(0L, 1L, 2L, 3L);
    }

    /** These errors make the session leave the partition. Locks on acquired records last. */
    @ParameterizedTest
    @EnumSource(
            names = {"KAFKA_STORAGE_ERROR", "REPLICA_NOT_AVAILABLE", "OFFSET_NOT_AVAILABLE", "INCONSISTENT_TOPIC_ID"})
    void partitionThatCannotBeFetchedHere_isLeft_andItsLocksStand(Errors error) {
        open();
        assertThat(fetch()).isNotNull();
        session.answered(answer(partition(0).setErrorCode(error.code())), now);
        assertThat(answers.moved).containsExactly(ZERO);
        assertThat(receiver.lost).isEmpty();
        assertThat(session.partitions.open()).isEqualTo(4);
    }

    @Test
    void fetchThatIsRefusedOtherwise_isRepeatedAfterAPause() {
        open();
        assertThat(fetch()).isNotNull();
        session.answered(answer(partition(0).setErrorCode(Errors.UNKNOWN_SERVER_ERROR.code())), now);
        assertThat(answers.brokersMoved).isEqualTo(1);
        assertThat(answers.moved).isEmpty();
        assertThat(session.next(now + 99_999_999, TURN)).isNull();
        assertThat(session.next(now + 100_000_000, TURN)).isNotNull();
    }

    @Test
    void sessionWithNothingToFetch_isNotOpened_andLosesWhatItHad() {
        AcquiredRanges of = openWithAcks();
        assertThat(fetch()).isNotNull();
        session.answered(new ShareFetchResponseData().setErrorCode(Errors.SHARE_SESSION_NOT_FOUND.code()), now);
        session.partitions.want(List.of());
        assertThat(next(TURN)).isNull();
        assertThat(receiver.lost).containsExactly(2L, 3L);
        assertThat(receiver.refused).containsExactly("topic-0@0..1 accept 2 SHARE_SESSION_NOT_FOUND");
        assertThat(of.isEmpty()).isTrue();
        assertThat(session.isQuiet()).isTrue();
    }

    /** Regression: the log said ten times per second that the session was opened again. */
    @Test
    void sessionThatTheBrokerRefuses_isReportedOncePerReason_untilItBringsRecords() {
        session.partitions.want(List.of(ZERO));
        try (ScriptedLog log = new ScriptedLog(ShareSession.class)) {
            refuse(Errors.SHARE_SESSION_LIMIT_REACHED);
            refuse(Errors.SHARE_SESSION_LIMIT_REACHED);
            assertThat(log.warnings)
                    .singleElement()
                    .asString()
                    .contains("broker 7 refuses the share session", "SHARE_SESSION_LIMIT_REACHED");
            refuse(Errors.INVALID_REQUEST);
            assertThat(log.warnings).hasSize(2);
            fetch();
            session.answered(answer(), now);
            refuse(Errors.INVALID_REQUEST);
            assertThat(log.warnings)
                    .as("an idle fetch between refusals is no news")
                    .hasSize(2);
            fetch();
            AcquiredRecords one = new AcquiredRecords().setFirstOffset(0).setLastOffset(0);
            session.answered(answer(partition(0).setAcquiredRecords(List.of(one))), now);
            refuse(Errors.INVALID_REQUEST);
            assertThat(log.warnings).hasSize(3);
            refuse(Errors.SHARE_SESSION_NOT_FOUND);
            assertThat(log.warnings)
                    .as("a lost session is opened again at once")
                    .hasSize(3);
        }
    }

    private void refuse(Errors error) {
        fetch();
        session.answered(new ShareFetchResponseData().setErrorCode(error.code()), now);
    }

    /** The broker has acquired the records of a response that a quota empties. */
    @Test
    void answerThatAQuotaHasEmptied_halvesWhatIsAskedFor_andGrowsBack() {
        open();
        assertThat(fetch().maxRecords()).isEqualTo(10);
        assertThat(session.asked()).isEqualTo(10);
        session.answered(answer().setThrottleTimeMs(50), now);
        assertThat(receiver.emptied).isEqualTo(1);
        assertThat(session.next(now + 49_999_999, TURN)).isNull();
        assertThat(fetch().maxRecords()).isEqualTo(5);
        PartitionData five = partition(0)
                .setAcquiredRecords(
                        List.of(new AcquiredRecords().setFirstOffset(10).setLastOffset(14)));
        session.answered(answer(five), now);
        assertThat(fetch().maxRecords()).isEqualTo(6);
    }

    @Test
    void withoutCredits_nothingIsFetched_andAcknowledgementsGo() {
        openWithAcks();
        Turn none = new Turn(0, 1, 1_000, false);
        assertThat(session.next(now, none)).as("too young").isNull();
        assertThat(next(none)).isInstanceOf(ShareAcknowledgeRequestData.class);
        session.answered(acknowledged(0, Errors.NONE), now);
        assertThat(next(none)).isNull();
    }
}
