package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A user pauses a partition while it is assigned. The partition ends up paused. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "held")
@Outcome(expect = Expect.FORBIDDEN, desc = "paused, and yet it flows")
@State
public class PausesStress {

    private static final StageMeter METER = new StageMeter();

    private final RecordBuffer buffer = new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM);
    private final AssignedPartition partition = partition(buffer);
    private final PausedPartitions pauses = new PausedPartitions();

    private static AssignedPartition partition(RecordBuffer buffer) {
        AssignedPartition partition =
                new AssignedPartition(new TopicPartition("t", 0), new OffsetTracker(4, () -> {}), Long.MAX_VALUE);
        partition.goOutBy(buffer);
        buffer.add(partition, Batch.unacknowledged(new Object[1], 1));
        return partition;
    }

    private static int taken(RecordBuffer buffer) {
        try {
            var batch = buffer.take(System.nanoTime() - 1, METER);
            return batch == null ? -1 : batch.size();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Actor
    public void user() {
        pauses.pause(List.of(partition.id()));
    }

    @Actor
    public void owner() {
        pauses.assigned(partition);
    }

    @Arbiter
    public void arbiter(I_Result result) {
        result.r1 = taken(buffer);
    }

    /** A user pauses a partition while it is reassigned. The new assignment ends up paused. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "held")
    @Outcome(expect = Expect.FORBIDDEN, desc = "paused, and yet it flows")
    @State
    public static class Renewal {

        private final RecordBuffer buffer = new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM);
        private final AssignedPartition before = partition(new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM));
        private final AssignedPartition renewed = partition(buffer);
        private final PausedPartitions pauses = new PausedPartitions();

        public Renewal() {
            pauses.assigned(before);
        }

        @Actor
        public void user() {
            pauses.pause("t");
        }

        @Actor
        public void owner() {
            pauses.assigned(renewed);
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = taken(buffer);
        }
    }

    /** A partition is withdrawn while a user pauses it. The pause is removed, or never takes effect. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "let go")
    @Outcome(expect = Expect.FORBIDDEN, desc = "held for ever, as no resume reaches it any more")
    @State
    public static class Withdrawal {

        private final RecordBuffer buffer = new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM);
        private final AssignedPartition partition = partition(buffer);
        private final PausedPartitions pauses = new PausedPartitions();

        public Withdrawal() {
            pauses.assigned(partition);
        }

        @Actor
        public void user() {
            pauses.pauseAll();
        }

        @Actor
        public void owner() {
            pauses.withdrawn(List.of(partition));
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = taken(buffer);
        }
    }

    /** Faulty: notes the pause and marks the partition without a lock. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "held")
    @Outcome(expect = Expect.FORBIDDEN, desc = "paused, and yet it flows")
    @State
    public static class Broken {

        private volatile boolean paused;
        private volatile boolean assigned;
        private volatile boolean held;

        @Actor
        public void user() {
            boolean isThere = assigned;
            paused = true;
            if (isThere) {
                held = true;
            }
        }

        @Actor
        public void owner() {
            boolean isPaused = paused;
            assigned = true;
            if (isPaused) {
                held = true;
            }
        }

        @Arbiter
        public void arbiter(I_Result result) {
            result.r1 = held ? 0 : 1;
        }
    }
}
