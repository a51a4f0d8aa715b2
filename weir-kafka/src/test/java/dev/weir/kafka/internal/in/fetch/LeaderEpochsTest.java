package dev.weir.kafka.internal.in.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class LeaderEpochsTest {

    private final LeaderEpochs epochs = new LeaderEpochs();

    private static Fetched record(long offset, int epoch) {
        return new Fetched.OfRecord(new ConsumerRecord<>(
                "t",
                0,
                offset,
                ConsumerRecord.NO_TIMESTAMP,
                TimestampType.NO_TIMESTAMP_TYPE,
                0,
                0,
                null,
                null,
                new RecordHeaders(),
                epoch < 0 ? Optional.empty() : Optional.of(epoch)));
    }

    /** Creates records from pairs of offset and epoch. */
    private static List<Fetched> records(int... pairs) {
        return Arrays.stream(pairs.length == 0 ? new int[0] : range(pairs.length / 2))
                .mapToObj(i -> record(pairs[2 * i], pairs[2 * i + 1]))
                .toList();
    }

    private static int[] range(int size) {
        int[] indexes = new int[size];
        Arrays.setAll(indexes, i -> i);
        return indexes;
    }

    @Test
    void place_thatWasCommitted_keepsItsEpoch() {
        epochs.beginAt(new LogPosition(100, 3));
        assertThat(epochs.before(100)).isEqualTo(3);
        assertThat(epochs.before(101)).isEqualTo(LogPosition.NO_EPOCH);
    }

    @Test
    void place_withoutAnEpoch_hasNoneUntilARecordIsRead() {
        epochs.beginAt(LogPosition.at(100));
        assertThat(epochs.note(records(100, 5, 101, 5))).isEqualTo(LeaderEpochs.NONE);
        assertThat(epochs.before(100)).isEqualTo(LogPosition.NO_EPOCH);
        assertThat(epochs.before(101)).isEqualTo(5);
        assertThat(epochs.before(102)).isEqualTo(5);
    }

    // The gap may contain a transaction marker of the later epoch. With the earlier epoch, the log would look
    // truncated.
    @Test
    void offset_behindAGapInWhichTheLeaderChanged_hasTheLaterEpoch() {
        epochs.beginAt(LogPosition.at(0));
        assertThat(epochs.note(records(8, 1, 9, 1, 12, 2))).isEqualTo(LeaderEpochs.NONE);
        assertThat(epochs.before(10)).isEqualTo(1);
        assertThat(epochs.before(12)).isEqualTo(2);
        assertThat(epochs.before(13)).isEqualTo(2);
    }

    @Test
    void position_pastMarkers_hasTheEpochThatIsTold() {
        epochs.beginAt(LogPosition.at(0));
        assertThat(epochs.note(records(0, 1))).isEqualTo(LeaderEpochs.NONE);
        assertThat(epochs.passed(3, 2)).isTrue();
        assertThat(epochs.before(1)).isEqualTo(1);
        assertThat(epochs.before(3)).isEqualTo(2);
    }

    @Test
    void record_ofALowerEpoch_isOfAnotherLog() {
        epochs.beginAt(new LogPosition(10, 4));
        assertThat(epochs.note(records(10, 4, 11, 0))).isEqualTo(1);
        assertThat(epochs.note(records(12, 0))).isZero();
    }

    @Test
    void change_pastTheMostThatAreKept_forgetsTheOldest() {
        epochs.beginAt(LogPosition.at(0));
        for (int i = 0; i < 200; i++) {
            assertThat(epochs.note(records(i, i))).isEqualTo(LeaderEpochs.NONE);
        }
        assertThat(epochs.before(200)).isEqualTo(199);
        assertThat(epochs.before(5)).isEqualTo(LogPosition.NO_EPOCH);
    }
}
