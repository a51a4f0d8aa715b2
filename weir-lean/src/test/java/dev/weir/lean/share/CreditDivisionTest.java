package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.message.ShareFetchResponseData.ShareFetchableTopicResponse;
import org.junit.jupiter.api.Test;

class CreditDivisionTest {

    private static final ShareSession.Turn TURN = new ShareSession.Turn(1, 1, 100, false);

    private static ShareSession session(boolean wanted, boolean foundNothing) {
        ShareSession session = new ShareSession(
                1, new ShareRequests("group", "member"), new ScriptedReceiver(), new ScriptedAnswers());
        session.partitions.want(List.of(new TopicIdPartition(new Uuid(1, 2), 0, "topic")));
        if (foundNothing) {
            assertThat(session.next(0, TURN)).isNotNull();
            session.answered(new ShareFetchResponseData(), 0);
        }
        if (!wanted) {
            session.partitions.want(List.of());
        }
        assertThat(session.foundNothing()).isEqualTo(foundNothing);
        return session;
    }

    private static List<ShareSession> sessions(int finding, int idle, int unwanted) {
        List<ShareSession> all = new ArrayList<>();
        IntStream.range(0, finding).forEach(each -> all.add(session(true, false)));
        IntStream.range(0, idle).forEach(each -> all.add(session(true, true)));
        IntStream.range(0, unwanted).forEach(each -> all.add(session(false, false)));
        return all;
    }

    private static CreditDivision division(int credits, int workers, List<ShareSession> sessions) {
        return CreditDivision.of(credits, workers, 1, sessions);
    }

    /** Creates a session whose last fetch was answered after {@code nanos} with all requested records. */
    private static ShareSession withBacklog(int partitions, long nanos) {
        ShareSession session = new ShareSession(
                1, new ShareRequests("group", "member"), new ScriptedReceiver(), new ScriptedAnswers());
        session.partitions.want(IntStream.range(0, partitions)
                .mapToObj(each -> new TopicIdPartition(new Uuid(1, 2), each, "topic"))
                .toList());
        for (int fetch = 0; fetch < 3; fetch++) {
            assertThat(session.hasBacklog()).isFalse();
            long now = fetch * nanos;
            assertThat(session.next(now, TURN)).isNotNull();
            ShareFetchResponseData answer = new ShareFetchResponseData();
            ShareFetchableTopicResponse topic = new ShareFetchableTopicResponse().setTopicId(new Uuid(1, 2));
            topic.partitions().add(new PartitionData().setAcquiredRecords(List.of(new AcquiredRecords())));
            answer.responses().add(topic);
            session.answered(answer, now + nanos);
        }
        return session;
    }

    /** 600 records last for 0.1 s, so 60 partitions are each read once per second with 100 records per fetch. */
    @Test
    void sessionWithBacklog_readsEachPartitionOncePerSecond() {
        ShareSession session = withBacklog(60, 1_000_000);
        assertThat(CreditDivision.of(630, 30, 5, List.of(session)).of(session)).isEqualTo(100);
        ShareSession few = withBacklog(6, 1_000_000);
        assertThat(CreditDivision.of(630, 30, 5, List.of(few)).of(few)).isEqualTo(630);
    }

    @Test
    void sessionWithBacklog_requestsAtLeastABatch_butNotMoreThanTheThreshold() {
        ShareSession session = withBacklog(600, 1_000_000);
        assertThat(CreditDivision.of(630, 30, 25, List.of(session)).of(session)).isEqualTo(25);
        assertThat(CreditDivision.of(630, 30, 5_000, List.of(session)).of(session))
                .isEqualTo(300);
        assertThat(CreditDivision.of(630, 30, 0, List.of(session)).of(session)).isEqualTo(18);
    }

    @Test
    void sessionWithBacklog_requestsTheRecordsOfThreeRoundTrips_ifFetchesAreSlow() {
        ShareSession session = withBacklog(60, 20_000_000);
        assertThat(CreditDivision.of(630, 30, 5, List.of(session)).of(session)).isEqualTo(360);
    }

    @Test
    void sessionWithBacklog_withoutReserve_requestsItsPart() {
        ShareSession session = withBacklog(60, 1_000_000);
        assertThat(CreditDivision.of(30, 30, 5, List.of(session)).of(session)).isEqualTo(30);
        assertThat(CreditDivision.of(30, Integer.MAX_VALUE, 5, List.of(session)).of(session))
                .isEqualTo(30);
    }

    @Test
    void credits_areDividedAmongSessionsThatFindRecords_andOthersProbe() {
        List<ShareSession> sessions = sessions(2, 1, 1);
        CreditDivision division = division(99, 99, sessions);
        assertThat(division).extracting("each", "probe", "threshold").containsExactly(50, 6, 12);
        assertThat(division.of(sessions.get(0))).isEqualTo(50);
        assertThat(division.of(sessions.get(2))).isEqualTo(6);
    }

    @Test
    void credits_areDividedAmongAll_ifNoneFindsRecords() {
        List<ShareSession> sessions = sessions(0, 4, 2);
        CreditDivision division = division(100, 100, sessions);
        assertThat(division).extracting("each", "probe", "threshold").containsExactly(25, 25, 6);
        assertThat(division.of(sessions.getFirst())).isEqualTo(25);
    }

    /** Given a large reserve of records, a request is sent once half of the reserve is free. */
    @Test
    void threshold_isHalfOfTheStore_ifThatIsMore() {
        assertThat(division(100, 20, sessions(1, 0, 0)))
                .extracting("each", "probe", "threshold")
                .containsExactly(100, 12, 40);
        assertThat(division(100, 20, sessions(2, 0, 0)))
                .extracting("each", "probe", "threshold")
                .containsExactly(50, 6, 20);
        assertThat(division(100, 80, sessions(1, 0, 0)).threshold()).isEqualTo(25);
        assertThat(division(100, Integer.MAX_VALUE, sessions(1, 0, 0)).threshold())
                .isEqualTo(25);
    }

    @Test
    void eachSession_mayAskForOneRecord() {
        assertThat(division(1, 1, sessions(2, 1, 0)))
                .extracting("each", "probe", "threshold")
                .containsExactly(1, 1, 1);
        assertThat(division(1, 1, List.of()))
                .extracting("each", "probe", "threshold")
                .containsExactly(1, 1, 1);
    }
}
