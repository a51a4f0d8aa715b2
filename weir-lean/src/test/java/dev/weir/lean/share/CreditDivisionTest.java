package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareFetchResponseData;
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

    @Test
    void credits_areDividedAmongSessionsThatFindRecords_andOthersProbe() {
        List<ShareSession> sessions = sessions(2, 1, 1);
        CreditDivision division = CreditDivision.of(99, 99, sessions);
        assertThat(division).isEqualTo(new CreditDivision(50, 6, 12));
        assertThat(division.of(sessions.get(0))).isEqualTo(50);
        assertThat(division.of(sessions.get(2))).isEqualTo(6);
    }

    @Test
    void credits_areDividedAmongAll_ifNoneFindsRecords() {
        List<ShareSession> sessions = sessions(0, 4, 2);
        CreditDivision division = CreditDivision.of(100, 100, sessions);
        assertThat(division).isEqualTo(new CreditDivision(25, 25, 6));
        assertThat(division.of(sessions.getFirst())).isEqualTo(25);
    }

    /** Given a large reserve of records, a request is sent once half of the reserve is free. */
    @Test
    void threshold_isHalfOfTheStore_ifThatIsMore() {
        assertThat(CreditDivision.of(100, 20, sessions(1, 0, 0))).isEqualTo(new CreditDivision(100, 12, 40));
        assertThat(CreditDivision.of(100, 20, sessions(2, 0, 0))).isEqualTo(new CreditDivision(50, 6, 20));
        assertThat(CreditDivision.of(100, 80, sessions(1, 0, 0)).threshold()).isEqualTo(25);
        assertThat(CreditDivision.of(100, Integer.MAX_VALUE, sessions(1, 0, 0)).threshold())
                .isEqualTo(25);
    }

    @Test
    void eachSession_mayAskForOneRecord() {
        assertThat(CreditDivision.of(1, 1, sessions(2, 1, 0))).isEqualTo(new CreditDivision(1, 1, 1));
        assertThat(CreditDivision.of(1, 1, List.of())).isEqualTo(new CreditDivision(1, 1, 1));
    }
}
