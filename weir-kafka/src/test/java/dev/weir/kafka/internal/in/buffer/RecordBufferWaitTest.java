package dev.weir.kafka.internal.in.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Tests what happens while a thread waits for records. The waiting thread itself runs what other threads would do. */
class RecordBufferWaitTest {

    private static final long LATE = Duration.ofHours(1).toNanos();

    private final SteppingClock clock = new SteppingClock();
    private final RecordBuffer buffer = new RecordBuffer(clock);
    private final StageMeter meter = new StageMeter();
    private final AssignedPartition a = partition(0);
    private final AssignedPartition b = partition(1);

    private static AssignedPartition partition(int number) {
        return new AssignedPartition(new TopicPartition("t", number), new OffsetTracker(100, () -> {}), Long.MAX_VALUE);
    }

    private static Batch<Fetched> batch(AssignedPartition partition, String name) {
        long token = partition.tracker().append(partition.tracker().outstanding(), 1);
        return Batch.of(new Object[] {name}, 1, partition.tracker(), new long[] {token});
    }

    private void fetch(AssignedPartition partition, String... names) {
        for (String name : names) {
            buffer.add(partition, batch(partition, name));
        }
    }

    private void hand(AssignedPartition partition, String name) {
        buffer.hand(partition, batch(partition, name));
    }

    /** Returns the next record; "-" if the buffer stays empty, "end" at the end. */
    private String next() throws InterruptedException {
        Batch<Fetched> batch = buffer.take(LATE, meter);
        return batch == null
                ? "end"
                : batch.isEmpty() ? "-" : String.valueOf(batch.<String>retyped().get(0));
    }

    private List<String> next(int batches) throws InterruptedException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < batches; i++) {
            names.add(next());
        }
        return names;
    }

    @Test
    void batchesHandedToOneWait_areTakenOneByOne() throws InterruptedException {
        clock.actions.add(() -> {
            hand(a, "a1");
            assertThat(buffer.records()).isZero();
            hand(a, "a2");
            hand(b, "b1");
            assertThat(buffer.records()).isEqualTo(2);
        });
        assertThat(next(4)).containsExactly("a1", "a2", "b1", "-");
    }

    @Test
    void batchHandedAfterAnAddedOne_comesAfterIt() throws InterruptedException {
        clock.actions.add(() -> {
            fetch(a, "a1");
            hand(a, "a2");
        });
        assertThat(next(3)).containsExactly("a1", "a2", "-");
    }

    @Test
    void batchHandedUnderARate_waitsForItsPermit() throws InterruptedException {
        buffer.perSecond(10);
        fetch(a, "a1");
        assertThat(next()).isEqualTo("a1");
        clock.actions.add(() -> hand(a, "a2"));
        assertThat(next()).isEqualTo("a2");
        assertThat(clock.nanos).isEqualTo(Duration.ofMillis(100).toNanos());
    }

    @Test
    void batchHandedOfAPausedPartition_waitsForItsResume() throws InterruptedException {
        buffer.pause(a, true);
        clock.actions.add(() -> hand(a, "a1"));
        clock.actions.add(() -> buffer.pause(a, false));
        assertThat(next()).isEqualTo("a1");
        assertThat(clock.deadlines).containsExactly(LATE, LATE);
    }

    @Test
    void batchHandedAtTheDeadline_isNotLost() throws InterruptedException {
        clock.actions.add(() -> {
            clock.nanos = LATE;
            hand(a, "a1");
        });
        assertThat(next(2)).containsExactly("a1", "-");
    }

    @Test
    void wait_withoutRecords_needsNoTimerOfARate() throws InterruptedException {
        buffer.perSecond(1);
        fetch(a, "a1");
        assertThat(next(2)).containsExactly("a1", "-");
        assertThat(clock.deadlines).containsExactly(LATE);
        assertThat(buffer.waitedNanos()).isZero();
    }

    @Test
    void wait_forARate_endsWithItsPermitAndIsCounted() throws InterruptedException {
        buffer.perSecond(1);
        fetch(a, "a1", "a2");
        assertThat(next()).isEqualTo("a1");
        assertThat(buffer.waitedNanos()).isZero();
        clock.actions.add(() -> {
            SteppingClock.passRealTime();
            assertThat(buffer.waitedNanos()).isPositive();
        });
        assertThat(next()).isEqualTo("a2");
        assertThat(clock.deadlines).containsOnly(Duration.ofSeconds(1).toNanos());
        long counted = buffer.waitedNanos();
        assertThat(counted).isPositive();
        SteppingClock.passRealTime();
        assertThat(buffer.waitedNanos()).isEqualTo(counted);
    }

    @Test
    void wait_underARate_endsAtTheCallersDeadline() throws InterruptedException {
        buffer.perSecond(1);
        fetch(a, "a1", "a2");
        assertThat(next()).isEqualTo("a1");
        Batch<Fetched> none = buffer.take(Duration.ofMillis(300).toNanos(), meter);
        assertThat(Objects.requireNonNull(none).isEmpty()).isTrue();
        assertThat(clock.nanos).isEqualTo(Duration.ofMillis(300).toNanos());
        assertThat(buffer.perSecond()).isEqualTo(1);
        assertThat(next()).isEqualTo("a2");
    }

    @Test
    void rate_thatIsRaised_letsRecordsOutAtOnce() throws InterruptedException {
        buffer.perSecond(1);
        fetch(a, "a1", "a2");
        assertThat(next()).isEqualTo("a1");
        clock.actions.add(() -> buffer.perSecond(0));
        assertThat(next()).isEqualTo("a2");
        assertThat(clock.nanos).isZero();
    }

    @Test
    void wait_isMeasuredAsWaitForInput() throws InterruptedException {
        fetch(a, "a1");
        assertThat(next()).isEqualTo("a1");
        assertThat(meter.blockedUpNanos()).isZero();
        List<Boolean> blocked = new ArrayList<>();
        clock.actions.add(() -> {
            blocked.add(meter.isBlockedUp());
            fetch(a, "a2");
        });
        assertThat(next()).isEqualTo("a2");
        assertThat(blocked).containsExactly(true);
        assertThat(meter.isBlockedUp()).isFalse();
        buffer.end();
        long before = meter.blockedUpNanos();
        assertThat(next()).isEqualTo("end");
        assertThat(meter.blockedUpNanos()).isEqualTo(before);
    }

    @Test
    void deadline_thatHasPassed_isNoWait() throws InterruptedException {
        clock.nanos = LATE;
        assertThat(next()).isEqualTo("-");
        assertThat(clock.deadlines).isEmpty();
    }

    @Test
    void interruptedWait_isOver_andTheNextBatchIsAdded() throws InterruptedException {
        assertThatThrownBy(() -> buffer.take(Stage.NEVER, meter)).isInstanceOf(InterruptedException.class);
        assertThat(meter.isBlockedUp()).isFalse();
        hand(a, "a1");
        assertThat(buffer.ready()).isEqualTo(1);
        assertThat(next(2)).containsExactly("a1", "-");
    }

    @Test
    void end_whileAThreadWaits_letsItTakeTheRestFirst() throws InterruptedException {
        clock.actions.add(() -> {
            fetch(a, "a1", "a2");
            buffer.end();
        });
        assertThat(next(3)).containsExactly("a1", "a2", "end");
        assertThat(clock.deadlines).hasSize(1);
    }

    @Test
    void purge_whileAThreadWaitsForARate_leavesNothing() throws InterruptedException {
        buffer.perSecond(1);
        fetch(a, "a1", "a2");
        assertThat(next()).isEqualTo("a1");
        clock.actions.add(() -> assertThat(buffer.purge(List.of(a, b))).containsOnlyKeys(a));
        assertThat(next()).isEqualTo("-");
        assertThat(clock.deadlines).containsExactly(Duration.ofSeconds(1).toNanos(), LATE);
        assertThat(buffer.records()).isZero();
    }

    @Test
    void fewReadyPartitions_areReportedOutsideTheLock() throws InterruptedException {
        List<Boolean> free = new ArrayList<>();
        fetch(a, "a1");
        fetch(b, "b1");
        boolean watched = buffer.watchReady(0, 1, () -> free.add(OtherThread.canCall(buffer::records)));
        assertThat(watched).isTrue();
        assertThat(next(2)).containsExactly("a1", "b1");
        assertThat(free).containsExactly(true);
    }
}
