package dev.weir.kafka.internal.out.client;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.out.client.ClientProgress.StuckException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClientProgressTest {

    private static final int STUCK_SECONDS = 40;

    private boolean canBeWritten = true;
    private int questions;

    private final ClientProgress progress = new ClientProgress(SECONDS.toNanos(STUCK_SECONDS), topics -> {
        questions++;
        return canBeWritten ? "" : "out-0 has no leader";
    });

    private @Nullable StuckException look(int oldestSeconds, int now) {
        return progress.look(SECONDS.toNanos(oldestSeconds), Set.of("out"), SECONDS.toNanos(now));
    }

    /** Returns the second at which the client is found stuck, or -1. Its oldest record is unanswered since second 0. */
    private int found(int from, int to) {
        for (int now = from; now <= to; now++) {
            if (look(now, now) != null) {
                return now;
            }
        }
        return -1;
    }

    @Test
    void recordWithoutAnAnswer_whilePartitionsCanBeWritten_isFoundAfterTwoQuestions() {
        assertThat(found(0, 100)).isEqualTo(STUCK_SECONDS + 1);
        assertThat(questions).isEqualTo(2);
    }

    @Test
    void recordWithoutAnAnswer_whileBrokersAreAway_isWaitedFor() {
        canBeWritten = false;
        assertThat(found(0, 3_600)).isEqualTo(-1);
    }

    @Test
    void leadersThatComeBack_leaveTheClientHalfOfTheTimeToGoOn() {
        canBeWritten = false;
        assertThat(found(0, 300)).isEqualTo(-1);
        canBeWritten = true;
        assertThat(found(301, 500)).isBetween(301 + STUCK_SECONDS / 2, 302 + STUCK_SECONDS);
    }

    @Test
    void leadersThatAreGoneAtTheSecondQuestion_areWaitedFor() {
        assertThat(found(0, STUCK_SECONDS - 1)).isEqualTo(-1);
        canBeWritten = false;
        assertThat(found(STUCK_SECONDS, 300)).isEqualTo(-1);
    }

    @Test
    void answers_atAnyTime_beginAgain() {
        for (int now = 0; now < 1_000; now++) {
            assertThat(look(now % STUCK_SECONDS, now)).isNull();
        }
    }

    // Brokers that recover may answer during the last check.
    @Test
    void answers_thatComeDuringTheLastQuestion_leaveTheClientAlone() {
        assertThat(found(0, STUCK_SECONDS)).isEqualTo(-1);
        assertThat(questions).isEqualTo(2);
        assertThat(look(0, STUCK_SECONDS + 1)).isNull();
        assertThat(found(1, STUCK_SECONDS)).isEqualTo(-1);
    }

    // If the next client gets no answers either, replacing it only writes duplicates.
    @Test
    void clientsThatAreStuckOneAfterTheOther_areFoundAfterTwiceTheTimeEach() {
        assertThat(found(0, 1_000)).isEqualTo(STUCK_SECONDS + 1);
        assertThat(found(0, 1_000)).isEqualTo(2 * STUCK_SECONDS + 1);
        assertThat(found(0, 1_000)).isEqualTo(4 * STUCK_SECONDS + 1);
    }

    // Regression: with a linger.ms of hours, a working client counted as stuck after one hour.
    @Test
    void clientThatIsStuckAfterHours_isNotFoundEarlierTheNextTime() {
        ClientProgress slow = new ClientProgress(SECONDS.toNanos(7_200), topics -> "");
        for (int round = 0; round < 2; round++) {
            StuckException stuck = null;
            int now = 0;
            for (; stuck == null; now += 600) {
                stuck = slow.look(SECONDS.toNanos(now), Set.of("out"), SECONDS.toNanos(now));
            }
            assertThat(now).isGreaterThanOrEqualTo(7_200);
        }
    }

    @Test
    void message_saysHowLongAndForWhichTopics() {
        assertThat(look(30, 0)).isNull();
        assertThat(look(50, 20)).isNull();
        assertThat(look(51, 21))
                .hasMessageStartingWith(
                        "the producer has had no answer for 51 s to records for out, although the brokers say");
    }

    @Test
    void requestTimeout_fourTimes_isTheTime_butTenSecondsAtLeast() {
        for (var each : Map.of("1000", 10, "30000", 120).entrySet()) {
            assertThat(ClientProgress.stuckNanos(Map.of("request.timeout.ms", each.getKey())))
                    .isEqualTo(SECONDS.toNanos(each.getValue()));
        }
        assertThat(ClientProgress.stuckNanos(Map.of())).isEqualTo(SECONDS.toNanos(120));
        assertThat(ClientProgress.stuckNanos(Map.of("request.timeout.ms", 1000, "linger.ms", "15000")))
                .isEqualTo(SECONDS.toNanos(25));
        assertThat(ClientProgress.stuckNanos(Map.of("linger.ms", Long.MAX_VALUE / 1_000_000)))
                .as("a client that sends full batches only is never stuck")
                .isEqualTo(Long.MAX_VALUE);
    }
}
