package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.internal.share.group.GroupStart;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests when a bounded read is at its end. A lag of -1 stands for an unknown lag. */
class GroupEndTest {

    private static final TopicPartition FIRST = new TopicPartition("orders", 0);
    private static final TopicPartition SECOND = new TopicPartition("orders", 1);
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final FakeGroup group = new FakeGroup();
    private final Map<TopicPartition, Long> ends = new HashMap<>(Map.of(FIRST, 10L));

    private GroupEnd end(boolean committed) {
        ShareGroupConfig config = ShareGroupConfig.of(
                "earliest",
                true,
                Duration.ofSeconds(30),
                5,
                2_000,
                committed ? "read_committed" : "read_uncommitted",
                true);
        return new GroupEnd("g", group, new GroupStart(List.copyOf(ends.keySet()), config, ends));
    }

    private boolean isReached(boolean committed) {
        return end(committed).isReached(group.offsets(ends.keySet()), 0, 0);
    }

    @ParameterizedTest
    @CsvSource({
        "9, 1, false",
        "9, -1, false",
        "9, 0, true", // the start offset may be out of date
        "10, 5, true",
        "10, -1, true",
        "11, -1, true",
        "0, 10, false"
    })
    void partition_isRead_onceTheGroupHasPassedItsEnd(long start, long lag, boolean isReached) {
        group.offsets.put(FIRST, FakeGroup.at(start, lag));
        assertThat(isReached(false)).isEqualTo(isReached);
    }

    @Test
    void groupThatHasNotBegun_isNotAtItsEnd() {
        assertThat(isReached(false)).isFalse();
        assertThat(isReached(true)).isFalse();
    }

    @Test
    void readWithoutPartitions_isAtItsEnd() {
        ends.clear();
        assertThat(isReached(false)).isTrue();
        assertThat(isReached(true)).isTrue();
    }

    @Test
    void eachPartition_mustBeRead() {
        ends.put(SECOND, 3L);
        group.offsets.put(FIRST, FakeGroup.at(10, 0));
        assertThat(isReached(false)).isFalse();
        group.offsets.put(SECOND, FakeGroup.at(2, 1));
        assertThat(isReached(false)).isFalse();
        group.offsets.put(SECOND, FakeGroup.at(3, 0));
        assertThat(isReached(false)).isTrue();
    }

    /** An open transaction begins at offset 9 of 12. */
    @ParameterizedTest
    @CsvSource({"3, true", "0, true", "4, false", "-1, false"})
    void committedRecords_areRead_onceTheLagIsNotAboveTheOpenTransactions(long lag, boolean isReached) {
        group.offsets.put(FIRST, FakeGroup.at(5, lag));
        group.ends.put(FIRST, 12L);
        group.stableEnds.put(FIRST, 9L);
        assertThat(isReached(true)).isEqualTo(isReached);
        assertThat(isReached(false)).isEqualTo(lag == 0);
    }

    /** Otherwise the lag and the stable offset could be of different times. */
    @Test
    void committedRecords_areNotRead_whileTheStableOffsetMoves_orIsUnknown() {
        group.offsets.put(FIRST, FakeGroup.at(5, 3));
        group.ends.put(FIRST, 12L);
        assertThat(isReached(true)).as("no stable offset").isFalse();
        group.stableEnds.put(FIRST, 9L);
        group.laterStableEnds = Map.of(FIRST, 10L);
        assertThat(isReached(true)).as("another stable offset").isFalse();
        group.laterStableEnds = Map.of();
        assertThat(isReached(true)).as("no later stable offset").isFalse();
        group.laterStableEnds = null;
        assertThat(isReached(true)).isTrue();
        group.ends.clear();
        assertThat(isReached(true)).as("no end of the log").isFalse();
    }

    @Test
    void stableOffsets_areReadForMissingPartitionsOnly() {
        ends.put(SECOND, 3L);
        group.offsets.put(FIRST, FakeGroup.at(10, 0));
        group.offsets.put(SECOND, FakeGroup.at(2, 1));
        assertThat(isReached(true)).isFalse();
        assertThat(group.asked).hasSize(2).last().isEqualTo(List.of(SECOND));
    }

    // ---- The log ---------------------------------------------------------------------------------------------------

    @Test
    void missingPartitions_areLogged_onceNothingHasBeenFinishedForAWhile() {
        GroupEnd end = end(false);
        List<TopicPartition> missing = List.of(FIRST);
        assertThat(end.waitsFor(missing, Map.of(), 7, 100)).isNull();
        assertThat(end.waitsFor(missing, Map.of(), 7, 100 + QUIET_NANOS)).isNull();
        assertThat(end.waitsFor(missing, Map.of(), 8, 101 + QUIET_NANOS))
                .as("one more is finished")
                .isNull();
        long due = 102 + 2 * QUIET_NANOS;
        assertThat(end.waitsFor(missing, Map.of(), 8, due - 1)).isNull();
        assertThat(end.waitsFor(missing, Map.of(), 8, due)).isEqualTo("orders-0 to 10 (not begun)");
        assertThat(end.waitsFor(missing, Map.of(), 8, due + QUIET_NANOS)).isNull();
        assertThat(end.waitsFor(missing, Map.of(FIRST, FakeGroup.at(4, 6)), 8, due + QUIET_NANOS + 1))
                .isEqualTo("orders-0 to 10 (at 4, lag 6)");
    }

    @Test
    void fivePartitionsAtMost_areLogged() {
        List<TopicPartition> missing = IntStream.range(0, 7)
                .mapToObj(number -> new TopicPartition("orders", number))
                .toList();
        missing.forEach(partition -> ends.put(partition, 10L));
        GroupEnd end = end(false);
        assertThat(end.waitsFor(missing, Map.of(), 0, 0)).isNull();
        assertThat(end.waitsFor(missing, Map.of(FIRST, FakeGroup.at(4, -1)), 0, QUIET_NANOS + 1))
                .startsWith("orders-0 to 10 (at 4, lag unknown, as without a leader), orders-1 to 10 (not begun)")
                .endsWith("orders-4 to 10 (not begun) and 2 more");
        assertThat(end.waitsFor(missing.subList(0, 5), Map.of(), 0, 2 * QUIET_NANOS + 2))
                .endsWith("orders-4 to 10 (not begun)");
    }
}
