package dev.weir.kafka.internal.in.position;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.commit.ManualClock;
import dev.weir.kafka.internal.in.commit.QueuedOwner;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.position.LogRange.Answer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The logs have the offsets 10 to 50. */
class LogRangeTest {

    private static final TopicPartition A = new TopicPartition("t", 0);
    private static final TopicPartition B = new TopicPartition("t", 1);

    private final ManualClock clock = new ManualClock();
    private final QueuedOwner owner = new QueuedOwner();
    private final TopicLookup lookup = new TopicLookup();
    private int answers;
    private final LogRange range = new LogRange(lookup, clock, owner, () -> answers++);

    LogRangeTest() {
        lookup.logs.put(A, new TopicLookup.Log(10, 50));
        lookup.logs.put(B, new TopicLookup.Log(10, 50));
    }

    private Answer answer(TopicPartition id, LogPosition position) {
        assertThat(range.find(id, position)).isEqualTo(Answer.UNKNOWN);
        ask();
        ask();
        return range.find(id, position);
    }

    private void ask() {
        range.askIfDue();
        owner.run();
    }

    @ParameterizedTest
    @CsvSource({"9, OUTSIDE", "10, WITHIN", "50, WITHIN", "51, OUTSIDE"})
    void position_isWithinTheLog_fromItsStartToItsEnd(long offset, Answer expected) {
        assertThat(answer(A, LogPosition.at(offset))).isEqualTo(expected);
        assertThat(answers).isEqualTo(1);
        assertThat(range.trouble(A)).isNull();
        ask();
        assertThat(lookup.offsetQueries).hasSize(2);
        assertThat(lookup.epochQueries).isEmpty();
    }

    /** Records of an open transaction follow the last stable offset, which is the end for other queries. */
    @Test
    void position_afterTheLastStableOffset_isWithinTheLog() {
        lookup.highWatermarks.put(A, 60L);
        range.find(B, LogPosition.at(55));
        assertThat(answer(A, LogPosition.at(55))).isEqualTo(Answer.WITHIN);
        assertThat(range.find(B, LogPosition.at(55))).isEqualTo(Answer.OUTSIDE);
        assertThat(answer(A, LogPosition.at(61))).isEqualTo(Answer.OUTSIDE);
    }

    @ParameterizedTest
    @CsvSource({"30, 30, WITHIN", "30, 29, TRUNCATED", "30, -1, TRUNCATED", "60, 60, OUTSIDE", "60, 50, TRUNCATED"})
    void position_ofAReplacedRecord_isTruncated(long offset, long divergent, Answer expected) {
        lookup.divergent.put(A, divergent);
        assertThat(answer(A, new LogPosition(offset, 4))).isEqualTo(expected);
        assertThat(lookup.epochQueries).containsExactly(Map.of(A, new LogPosition(offset, 4).commit("")));
        assertThat(answers).isEqualTo(2);
        if (expected == Answer.TRUNCATED) {
            assertThat(range.divergentOffset(A)).isEqualTo(divergent);
        }
    }

    /** No record precedes it. */
    @Test
    void firstPosition_isNotComparedByItsEpoch() {
        lookup.logs.put(A, new TopicLookup.Log(0, 50));
        assertThat(answer(A, new LogPosition(0, 4))).isEqualTo(Answer.WITHIN);
        assertThat(answer(B, new LogPosition(20, 0))).isEqualTo(Answer.WITHIN);
        assertThat(lookup.epochQueries).containsExactly(Map.of(B, new OffsetAndMetadata(20, Optional.of(0), "")));
    }

    @Test
    void failedQuery_isRepeatedAfterASecond_andIsTheTrouble() {
        LogPosition position = new LogPosition(30, 4);
        lookup.failure = new TimeoutException("too slow");
        range.find(A, position);
        assertThat(range.trouble(A)).isNull();
        assertThat(range.trouble(B)).isNull();
        ask();
        assertThat(range.trouble(A)).contains("t-0", "30 (epoch 4)", "too slow");
        assertThat(answers).isZero();
        passASecond();
        lookup.failure = null;
        passASecond();
        assertThat(lookup.epochQueries).isEmpty();
        lookup.failure = new TimeoutException("slow again");
        ask();
        assertThat(lookup.epochQueries).hasSize(1);
        assertThat(range.trouble(A)).contains("slow again");
        lookup.failure = null;
        passASecond();
        ask();
        assertThat(lookup.epochQueries).hasSize(2);
        assertThat(range.find(A, position)).isEqualTo(Answer.WITHIN);
        assertThat(range.trouble(A)).isNull();
    }

    /** Queries again when a second has passed, and not before. */
    private void passASecond() {
        int before = lookup.offsetQueries.size();
        clock.nanos += Duration.ofSeconds(1).toNanos() - 1;
        ask();
        assertThat(lookup.offsetQueries).hasSize(before);
        clock.nanos++;
        ask();
        assertThat(lookup.offsetQueries).hasSize(before + 2);
    }

    @Test
    void query_isNotRepeated_whileItsResponseIsPending() {
        range.find(A, LogPosition.at(20));
        range.askIfDue();
        clock.nanos += Duration.ofMinutes(1).toNanos();
        range.askIfDue();
        assertThat(lookup.offsetQueries).hasSize(2);
    }

    @Test
    void anotherPosition_isAskedForOnItsOwn() {
        assertThat(answer(A, LogPosition.at(20))).isEqualTo(Answer.WITHIN);
        assertThat(answer(A, LogPosition.at(60))).isEqualTo(Answer.OUTSIDE);
        assertThat(range.find(A, LogPosition.at(60))).isEqualTo(Answer.OUTSIDE);
        range.forget(A);
        lookup.logs.put(A, new TopicLookup.Log(10, 70));
        assertThat(answer(A, LogPosition.at(60))).isEqualTo(Answer.WITHIN);
    }
}
