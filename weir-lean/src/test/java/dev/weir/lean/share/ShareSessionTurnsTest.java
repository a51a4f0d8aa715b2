package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.AcquiredRange.Lock;
import dev.weir.lean.share.ScriptedReceiver.ScriptedRecord;
import dev.weir.lean.share.ShareSession.Turn;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData;
import org.apache.kafka.common.message.ShareAcknowledgeResponseData.ShareAcknowledgeTopicResponse;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData.FetchPartition;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.message.ShareFetchResponseData.ShareFetchableTopicResponse;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests a session's requests and their times. Offsets 0 to 3 of partition 0 are acquired from the start. */
class ShareSessionTurnsTest {

    private static final long MILLISECOND = 1_000_000;
    private static final Turn TURN = new Turn(10, 1, 1_000, false);
    private static final Turn NO_CREDITS = new Turn(0, 1, 1_000, false);
    private static final Uuid TOPIC = new Uuid(1, 2);
    private static final TopicIdPartition ZERO = new TopicIdPartition(TOPIC, 0, "topic");
    private static final TopicIdPartition ONE = new TopicIdPartition(TOPIC, 1, "topic");

    private final ScriptedReceiver receiver = new ScriptedReceiver();
    private final ScriptedAnswers answers = new ScriptedAnswers();
    private final ShareSession session = new ShareSession(7, new ShareRequests("group", "member"), receiver, answers);
    private final AcquiredRanges acquired;

    /** Time of the first fetch and its response. */
    private final long opened = 1_000 * MILLISECOND;

    ShareSessionTurnsTest() {
        session.partitions.want(List.of(ZERO, ONE));
        assertThat(session.next(opened, TURN)).isInstanceOf(ShareFetchRequestData.class);
        session.answered(answer(), opened);
        acquired = Objects.requireNonNull(session.partitions.find(TOPIC, 0));
        AcquiredRange range = new AcquiredRange(0, 3, new Lock(opened, 60_000 * MILLISECOND), opened);
        for (long offset = 0; offset < 4; offset++) {
            range.put(ScriptedRecord.at(offset));
        }
        assertThat(acquired.add(range)).isEmpty();
    }

    private static PartitionData partition(int number, long... offsets) {
        PartitionData partition = new PartitionData().setPartitionIndex(number);
        for (long offset : offsets) {
            partition
                    .acquiredRecords()
                    .add(new AcquiredRecords().setFirstOffset(offset).setLastOffset(offset));
        }
        return partition;
    }

    private static ShareFetchResponseData answer(PartitionData... partitions) {
        ShareFetchableTopicResponse topic = new ShareFetchableTopicResponse().setTopicId(TOPIC);
        topic.setPartitions(List.of(partitions));
        ShareFetchResponseData answer = new ShareFetchResponseData();
        answer.responses().add(topic);
        return answer;
    }

    private static ShareAcknowledgeResponseData acknowledged(ShareAcknowledgeResponseData.PartitionData partition) {
        ShareAcknowledgeTopicResponse topic = new ShareAcknowledgeTopicResponse().setTopicId(TOPIC);
        topic.setPartitions(List.of(partition));
        ShareAcknowledgeResponseData answer = new ShareAcknowledgeResponseData();
        answer.responses().add(topic);
        return answer;
    }

    /** Finishes the first records. */
    private void accept(int records, long nowNanos) {
        AcquiredRange range = acquired.all().getFirst();
        assertThat(range.endIf(locked -> locked.offset() < records, AcknowledgementRange.ACCEPT, nowNanos))
                .isEqualTo(records);
        acquired.pending.add(range.takeUnacknowledged(), nowNanos);
    }

    private @Nullable ApiMessage next(long millis, Turn turn) {
        return session.next(opened + millis * MILLISECOND, turn);
    }

    private ShareFetchRequestData fetch(long millis) {
        return (ShareFetchRequestData) Objects.requireNonNull(next(millis, TURN));
    }

    private void answered(ShareFetchResponseData answer, long millis) {
        session.answered(answer, opened + millis * MILLISECOND);
    }

    // ---- Fetches ---------------------------------------------------------------------------------------------------

    /** The workers have enough records, so the fetch can wait for more credits. */
    @Test
    void fewCredits_waitForMore_butNotForLong() {
        Turn few = new Turn(3, 4, 1_000, false);
        assertThat(next(49, few)).isNull();
        assertThat(next(20, new Turn(4, 4, 1_000, false))).as("enough").isNotNull();
        answered(answer(), 30);
        assertThat(next(69, few)).isNull();
        assertThat(next(70, few)).as("counted from the last fetch").isInstanceOf(ShareFetchRequestData.class);
    }

    @Test
    void fewCredits_areAskedForAtOnce_ifNothingIsAcquired() {
        assertThat(acquired.loseAll()).hasSize(4);
        assertThat(next(1, new Turn(3, 4, 1_000, false))).isInstanceOf(ShareFetchRequestData.class);
    }

    @Test
    void fewCredits_goWithAcknowledgementsThatAreDue() {
        accept(2, opened - 50 * MILLISECOND);
        ShareFetchRequestData request =
                (ShareFetchRequestData) Objects.requireNonNull(next(0, new Turn(3, 4, 1_000, false)));
        assertThat(request.maxRecords()).isEqualTo(3);
        assertThat(request.topics().find(TOPIC).partitions().find(0).acknowledgementBatches())
                .hasSize(1);
    }

    /** A fetch would find nothing and delay the acknowledgement of the first record. */
    @Test
    void fullPartitions_areNotFetched_butNowAndThen() {
        session.partitions.want(List.of(ZERO));
        assertThat(fetch(0).forgottenTopicsData()).hasSize(1);
        answered(answer(), 0);
        Turn full = new Turn(10, 1, 4, false);
        assertThat(next(49, full)).isNull();
        assertThat(next(50, full)).isInstanceOf(ShareFetchRequestData.class);
        answered(answer(), 50);
        assertThat(next(51, new Turn(10, 1, 5, false))).isNotNull();
    }

    @Test
    void acknowledgementsOfFullPartitions_goByThemselves() {
        session.partitions.want(List.of(ZERO));
        assertThat(fetch(0)).isNotNull();
        answered(answer(), 0);
        AcquiredRange range = acquired.all().getFirst();
        assertThat(range.endIf(locked -> locked.offset() == 2, AcknowledgementRange.ACCEPT, opened))
                .isEqualTo(1);
        acquired.pending.add(range.takeUnacknowledged(), opened);
        Turn full = new Turn(10, 1, 4, false);
        assertThat(next(49, full)).isNull();
        assertThat(next(49, new Turn(10, 1, 4, true))).isInstanceOf(ShareAcknowledgeRequestData.class);
        assertThat(session.asked()).isZero();
    }

    @Test
    void fetch_waitsForRecords_onlyWhileNothingIsAcquiredOrTold() {
        assertThat(fetch(1).maxWaitMs()).as("four are acquired").isEqualTo(10);
        answered(answer(partition(1, 8, 9)), 3);
        assertThat(receiver.fetched).contains("2 " + 2 * MILLISECOND);
        assertThat(answers.askedNanos).isEqualTo(opened + MILLISECOND);
        accept(4, opened);
        assertThat(fetch(60).maxWaitMs()).as("four are told").isEqualTo(10);
        answered(answer(partition(0)), 60);
        acquired.removeOver();
        assertThat(fetch(61).maxWaitMs()).isEqualTo(500);
        answered(answer(), 61);
        assertThat(receiver.fetched.getLast()).isEqualTo("0 0 idle");
    }

    @Test
    void partitionThatTheSessionDoesNotHave_isIgnoredInAnAnswer() {
        assertThat(fetch(1)).isNotNull();
        answered(answer(partition(5, 1), partition(1, 2)), 2);
        assertThat(answers.acquired).extracting(acquired -> acquired.id).containsExactly(ONE);
    }

    @Test
    void refusedPartition_pausesNothing_ifAnotherOneFoundRecords() {
        assertThat(fetch(1)).isNotNull();
        answered(answer(partition(0).setErrorCode(Errors.UNKNOWN_SERVER_ERROR.code()), partition(1, 2)), 1);
        assertThat(answers.refusals).containsExactly("0 UNKNOWN_SERVER_ERROR");
        assertThat(next(1, TURN)).isNotNull();
    }

    @Test
    void partitionThatCannotBeFetched_isToldOf_andOneThatMovedIsNot() {
        assertThat(fetch(1)).isNotNull();
        answered(
                answer(
                        partition(0).setErrorCode(Errors.KAFKA_STORAGE_ERROR.code()),
                        partition(1).setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code())),
                1);
        assertThat(answers.refusals).containsExactly("0 KAFKA_STORAGE_ERROR");
        assertThat(answers.moved).containsExactly(ZERO, ONE);
        assertThat(answers.leaders).hasSize(1);
        assertThat(session.partitions.areWanted()).isFalse();
    }

    // ---- Renewals and acknowledgements -----------------------------------------------------------------------------

    @Test
    void renewals_goBeforeAFetchAndBeforeAcknowledgements() {
        accept(1, opened - 60 * MILLISECOND);
        acquired.pending.addApart(acquired.all().getFirst().takeRenewals(), true, opened);
        ShareAcknowledgeRequestData renewal = (ShareAcknowledgeRequestData) Objects.requireNonNull(next(0, TURN));
        assertThat(renewal.isRenewAck()).isTrue();
        session.answered(acknowledged(new ShareAcknowledgeResponseData.PartitionData()), opened);
        assertThat(fetch(0).topics().find(TOPIC).partitions()).hasSize(1);
    }

    /** Responses to fetches and to acknowledgements name the leader. */
    @Test
    void acknowledgementAtABrokerThatDoesNotLead_namesTheLeader() {
        accept(4, opened);
        assertThat(next(50, NO_CREDITS)).isInstanceOf(ShareAcknowledgeRequestData.class);
        ShareAcknowledgeResponseData answer = acknowledged(new ShareAcknowledgeResponseData.PartitionData()
                .setErrorCode(Errors.FENCED_LEADER_EPOCH.code())
                .setCurrentLeader(new ShareAcknowledgeResponseData.LeaderIdAndEpoch()
                        .setLeaderId(9)
                        .setLeaderEpoch(4)));
        session.answered(answer, opened);
        assertThat(answers.leaders).containsExactly("0 9 4 null");
        assertThat(answers.moved).containsExactly(ZERO);
    }

    @Test
    void acknowledgementThatTheAnswerDoesNotName_isRefused() {
        accept(4, opened);
        assertThat(next(50, NO_CREDITS)).isInstanceOf(ShareAcknowledgeRequestData.class);
        session.answered(new ShareAcknowledgeResponseData(), opened);
        assertThat(receiver.refused).containsExactly("topic-0@0..3 accept 4 UNKNOWN_SERVER_ERROR");
        assertThat(receiver.confirmed).isEmpty();
    }

    @Test
    void answerThatNobodyWaitsFor_isIgnored() {
        answered(answer(partition(1, 2)), 1);
        session.answered(acknowledged(new ShareAcknowledgeResponseData.PartitionData()), opened);
        assertThat(answers.acquired).isEmpty();
        assertThat(fetch(1).shareSessionEpoch()).isEqualTo(1);
    }

    // ---- Opening ---------------------------------------------------------------------------------------------------

    @Test
    void sessionIsOpened_withoutCredits_onlyForWhatIsToBeTold() {
        accept(2, opened);
        assertThat(fetch(60)).isNotNull();
        answered(new ShareFetchResponseData().setErrorCode(Errors.SHARE_SESSION_NOT_FOUND.code()), 60);
        assertThat(session.hasEnded()).isTrue();
        ShareFetchRequestData opening = (ShareFetchRequestData) Objects.requireNonNull(next(61, NO_CREDITS));
        assertThat(opening.shareSessionEpoch()).isZero();
        assertThat(opening.maxRecords()).isEqualTo(1);
        answered(new ShareFetchResponseData().setErrorCode(Errors.INVALID_SHARE_SESSION_EPOCH.code()), 61);
        assertThat(session.partitions.takeAcks(false)).hasSize(1);
        assertThat(next(62, NO_CREDITS)).isNull();
        acquired.pending.addApart(acquired.all().getFirst().takeRenewals(), true, opened);
        assertThat(next(62, NO_CREDITS)).isInstanceOf(ShareFetchRequestData.class);
    }

    @Test
    void connectionThatIsLostWithNothingUnderWay_listsAllPartitionsAgain() {
        session.lost();
        assertThat(receiver.lost).containsExactly(0L, 1L, 2L, 3L);
        ShareFetchRequestData opening = fetch(1);
        assertThat(opening.shareSessionEpoch()).isZero();
        assertThat(opening.topics().find(TOPIC).partitions()).hasSize(2);
        session.lost();
        assertThat(session.isUnderWay()).isFalse();
        assertThat(session.hasEnded()).isTrue();
    }

    // ---- Pauses ----------------------------------------------------------------------------------------------------

    /** The broker answers nothing on the connection until the throttle time is over. */
    @Test
    void pauseAfterAnError_doesNotShortenTheOneOfAQuota() {
        accept(2, opened);
        assertThat(fetch(60)).isNotNull();
        answered(
                answer(partition(0).setAcknowledgeErrorCode(Errors.NOT_COORDINATOR.code()), partition(1, 5))
                        .setThrottleTimeMs(500),
                60);
        assertThat(next(559, TURN)).isNull();
        assertThat(next(560, TURN)).isNotNull();
        assertThat(receiver.emptied).as("it brought records").isZero();
    }

    @Test
    void throttledAcknowledgement_pausesTheSession() {
        accept(4, opened);
        assertThat(next(50, NO_CREDITS)).isInstanceOf(ShareAcknowledgeRequestData.class);
        session.answered(
                acknowledged(new ShareAcknowledgeResponseData.PartitionData()).setThrottleTimeMs(30),
                opened + 50 * MILLISECOND);
        assertThat(receiver.confirmed).containsExactly("accept 4 0");
        assertThat(next(79, TURN)).isNull();
        assertThat(next(80, TURN)).isNotNull();
    }

    @Test
    void recordsAskedForAfterAQuota_areHalved_downToOne_andGrowOnlyWithFullAnswers() {
        long at = 1;
        for (int expected : new int[] {10, 5, 2, 1, 1}) {
            assertThat(fetch(at).maxRecords()).isEqualTo(expected);
            answered(answer().setThrottleTimeMs(1), at);
            at++;
        }
        assertThat(receiver.emptied).isEqualTo(5);
        assertThat(fetch(at).maxRecords()).isEqualTo(1);
        answered(answer(), at);
        assertThat(fetch(at).maxRecords()).as("an answer without records").isEqualTo(1);
        answered(answer(partition(1, 10)), at);
        assertThat(fetch(at).maxRecords()).isEqualTo(2);
        answered(answer(partition(1, 20)), at);
        assertThat(fetch(at).maxRecords()).as("one of two").isEqualTo(2);
        answered(answer(partition(1, 30, 31)), at);
        assertThat(fetch(at).maxRecords()).isEqualTo(3);
        answered(answer(partition(1, 40, 41, 42, 43, 44, 45, 46, 47)), at);
        assertThat(fetch(at).maxRecords()).isEqualTo(4);
    }

    @Test
    void recordsAskedForAfterAQuota_growByAnEighth() {
        Turn hundred = new Turn(100, 1, 1_000, false);
        assertThat(next(1, hundred)).isNotNull();
        answered(answer().setThrottleTimeMs(1), 1);
        assertThat(((ShareFetchRequestData) Objects.requireNonNull(next(2, hundred))).maxRecords())
                .isEqualTo(50);
        PartitionData fifty = partition(1)
                .setAcquiredRecords(
                        List.of(new AcquiredRecords().setFirstOffset(100).setLastOffset(149)));
        answered(answer(fifty), 2);
        assertThat(((ShareFetchRequestData) Objects.requireNonNull(next(2, hundred))).maxRecords())
                .isEqualTo(57);
    }

    // Regression: with full responses, every few fetches exceeded the quota again, which used up deliveries.
    @Test
    void recordsAskedForAfterAQuota_growHalfAsOften_afterAGrowthThatExceededIt() {
        long at = 1;
        fetch(at);
        answered(answer().setThrottleTimeMs(1), at);
        at++;
        assertThat(fetch(at).maxRecords()).isEqualTo(5);
        answered(answer(partition(1, 10, 11, 12, 13, 14)), at);
        assertThat(fetch(at).maxRecords()).isEqualTo(6);
        answered(answer().setThrottleTimeMs(1), at);
        at++;
        assertThat(fetch(at).maxRecords()).isEqualTo(3);
        answered(answer(partition(1, 20, 21, 22)), at);
        assertThat(fetch(at).maxRecords()).isEqualTo(3);
        answered(answer(partition(1, 30, 31, 32)), at);
        assertThat(fetch(at).maxRecords()).isEqualTo(4);
    }

    private static List<Integer> forgotten(ShareFetchRequestData fetch) {
        return fetch.forgottenTopicsData().stream()
                .flatMap(topic -> topic.partitions().stream())
                .toList();
    }

    private static final long[] TEN = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19};

    /** Regression: with a backlog, one of 60 partitions waited for several hundred fetches. */
    @Test
    void partitions_takeTurns_afterThreeFullResponses_untilAResponseIsNotFull() {
        session.partitions.want(IntStream.range(0, 6)
                .mapToObj(each -> new TopicIdPartition(TOPIC, each, "topic"))
                .toList());
        for (long at = 1; at <= 3; at++) {
            assertThat(forgotten(fetch(at))).isEmpty();
            answered(answer(partition(1, TEN)), at);
        }
        assertThat(forgotten(fetch(4))).containsExactly(1);
        answered(answer(partition(2, TEN)), 4);
        assertThat(forgotten(fetch(5))).containsExactly(2);
        answered(answer(partition(3, 10)), 5);
        ShareFetchRequestData all = fetch(6);
        assertThat(forgotten(all)).isEmpty();
        assertThat(all.topics().iterator().next().partitions())
                .extracting(FetchPartition::partitionIndex)
                .containsExactlyInAnyOrder(1, 2);
    }

    /** Otherwise the session would pause again and again for the refused partition alone. */
    @Test
    void partitions_takeNoTurns_whileOneIsRefused() {
        session.partitions.want(IntStream.range(0, 6)
                .mapToObj(each -> new TopicIdPartition(TOPIC, each, "topic"))
                .toList());
        for (long at = 1; at <= 5; at++) {
            assertThat(forgotten(fetch(at))).isEmpty();
            answered(answer(partition(1, TEN), partition(2).setErrorCode(Errors.UNKNOWN_SERVER_ERROR.code())), at);
        }
    }

    /** Waiting partitions may have records. */
    @Test
    void fetchOfSomePartitions_thatFindsNothing_saysNothingAboutTheOthers() {
        session.partitions.want(IntStream.range(0, 6)
                .mapToObj(each -> new TopicIdPartition(TOPIC, each, "topic"))
                .toList());
        for (long at = 1; at <= 3; at++) {
            fetch(at);
            answered(answer(partition(1, TEN)), at);
        }
        assertThat(fetch(4).maxWaitMs()).isEqualTo(10);
        answered(answer(), 4);
        assertThat(session.foundNothing()).isFalse();
        fetch(5);
        answered(answer(), 5);
        assertThat(session.foundNothing()).isTrue();
    }

    /** A throttled client gets many responses per second. */
    @Test
    void quota_isReportedOnce() {
        try (ScriptedLog log = new ScriptedLog(ShareSession.class)) {
            for (int i = 1; i < 4; i++) {
                assertThat(fetch(i)).isNotNull();
                answered(answer().setThrottleTimeMs(1), i);
            }
            assertThat(log.warnings)
                    .singleElement()
                    .asString()
                    .contains("a quota makes broker 7 delay answers by 1 ms", "may have removed the records");
        }
    }

    // ---- Partitions ------------------------------------------------------------------------------------------------

    @Test
    void partitionThatIsNoLongerRead_isForgotten_onceNothingOfItIsAcquired() {
        session.partitions.want(List.of());
        assertThat(next(1, TURN)).isNull();
        assertThat(session.partitions.find(TOPIC, 1)).isNull();
        assertThat(session.partitions.find(TOPIC, 0)).isSameAs(acquired);
    }

    @Test
    void partitionThatMoved_pausesNothing() {
        assertThat(fetch(1)).isNotNull();
        answered(answer(partition(0).setErrorCode(Errors.NOT_LEADER_OR_FOLLOWER.code())), 1);
        assertThat(answers.moved).containsExactly(ZERO);
        assertThat(next(1, TURN)).isInstanceOf(ShareFetchRequestData.class);
    }

    @Test
    void partitionThatMayNotBeRead_isFatal() {
        assertThat(fetch(1)).isNotNull();
        answered(answer(partition(0).setErrorCode(Errors.TOPIC_AUTHORIZATION_FAILED.code())), 1);
        assertThat(receiver.fatal)
                .singleElement()
                .isInstanceOf(Errors.TOPIC_AUTHORIZATION_FAILED.exception().getClass());
    }

    /** Gaps have no records. */
    @Test
    void acknowledgedGaps_areNeitherConfirmedNorRefused() {
        for (Errors error : List.of(Errors.NONE, Errors.INVALID_REQUEST)) {
            acquired.pending.add(List.of(new AcknowledgementRange(10, 12, AcknowledgementRange.GAP, 0)), opened);
            assertThat(next(50, NO_CREDITS)).isInstanceOf(ShareAcknowledgeRequestData.class);
            session.answered(
                    acknowledged(new ShareAcknowledgeResponseData.PartitionData().setErrorCode(error.code())), opened);
        }
        assertThat(receiver.confirmed).isEmpty();
        assertThat(receiver.refused).isEmpty();
    }

    /** The broker ends the lock of the whole range. */
    @Test
    void rangeWithARefusedRenewal_keepsItsLock_whenTheOtherPartIsRenewed() {
        AcquiredRange range = acquired.all().getFirst();
        assertThat(range.endIf(locked -> locked.offset() == 1, AcknowledgementRange.ACCEPT, opened))
                .isEqualTo(1);
        Lock before = range.lock();
        acquired.pending.addApart(range.takeRenewals(), true, opened);
        Errors[] results = {Errors.INVALID_RECORD_STATE, Errors.INVALID_RECORD_STATE, Errors.NONE};
        for (int i = 0; i < results.length; i++) {
            assertThat(next(i, NO_CREDITS)).isInstanceOf(ShareAcknowledgeRequestData.class);
            session.answered(
                    acknowledged(new ShareAcknowledgeResponseData.PartitionData().setErrorCode(results[i].code())),
                    opened + i * MILLISECOND);
        }
        assertThat(receiver.notRenewed).containsExactly("topic-0@0 1 INVALID_RECORD_STATE");
        assertThat(receiver.confirmed).containsExactly("renew 2 0");
        assertThat(range.lock()).isEqualTo(before);
    }
}
