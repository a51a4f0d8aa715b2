package dev.weir.kafka.internal.in.buffer;

import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageMeter;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A revocation purges a batch while the pipeline takes it. The batch is either taken or purged. */
@JCStressTest
@Outcome(
        id = {"1, 0", "0, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "handed out or forgotten")
@Outcome(expect = Expect.FORBIDDEN, desc = "both, or neither")
@State
public class RecordBufferStress {

    /** The maximum wait of a take. After a longer wait, a wake-up counts as lost. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final StageMeter METER = new StageMeter();

    private final RecordBuffer buffer = new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM);
    private final AssignedPartition partition = partition();

    public RecordBufferStress() {
        buffer.add(partition, single());
        buffer.end();
    }

    private static AssignedPartition partition() {
        return new AssignedPartition(new TopicPartition("t", 0), new OffsetTracker(4, () -> {}), Long.MAX_VALUE);
    }

    private static Batch<Fetched> single() {
        return Batch.unacknowledged(new Object[1], 1);
    }

    /** Waits like the pipeline. Returns the number of records, or 0 at the end. */
    private static int take(RecordBuffer buffer) {
        try {
            var batch = buffer.take(System.nanoTime() + PATIENCE_NANOS, METER);
            return batch == null ? 0 : batch.size();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Actor
    public void pipeline(II_Result result) {
        result.r1 = take(buffer);
    }

    @Actor
    public void owner(II_Result result) {
        result.r2 = buffer.purge(Set.of(partition)).size();
    }

    /** Two batches and the end reach a pipeline that waits for them. */
    @JCStressTest
    @Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "both, then the end")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a batch or a wake-up was lost")
    @State
    public static class WakeUp {

        private final RecordBuffer buffer = new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM);
        private final AssignedPartition partition = partition();

        @Actor
        public void owner() {
            buffer.add(partition, single());
            buffer.add(partition, single());
            buffer.end();
        }

        @Actor
        public void pipeline(II_Result result) {
            try {
                long deadline = System.nanoTime() + PATIENCE_NANOS;
                Batch<Fetched> batch;
                while ((batch = buffer.take(deadline, METER)) != null) {
                    if (batch.isEmpty()) {
                        return;
                    }
                    result.r1++;
                }
                result.r2 = 1;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** A held batch is released while the pipeline waits for it. The pipeline gets it. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "handed out")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the wake-up was lost")
    @State
    public static class LetGo {

        private final RecordBuffer buffer = new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM);
        private final AssignedPartition partition = partition();

        public LetGo() {
            buffer.pause(partition, true);
        }

        @Actor
        public void owner() {
            buffer.add(partition, single());
            buffer.pause(partition, false);
        }

        @Actor
        public void pipeline(II_Result result) {
            result.r1 = take(buffer);
        }
    }

    /** A batch is handed to a pipeline that may wait for it, and its partition is revoked. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "handed out or forgotten")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both, or neither")
    @State
    public static class Handed {

        private final RecordBuffer buffer = new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM);
        private final AssignedPartition partition = partition();

        @Actor
        public void owner(II_Result result) {
            buffer.hand(partition, single());
            result.r2 = buffer.purge(Set.of(partition)).size();
            buffer.end();
        }

        @Actor
        public void pipeline(II_Result result) {
            result.r1 = take(buffer);
        }
    }

    /**
     * The owner thread registers a callback for an empty buffer while the last record is taken. The registration
     * reports an empty buffer, or the callback runs.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "told, or called")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both, or neither: the owner sleeps on")
    @State
    public static class FewReady {

        private final RecordBuffer buffer = new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM);
        private final AtomicInteger calls = new AtomicInteger();

        public FewReady() {
            buffer.add(partition(), single());
        }

        @Actor
        public void pipeline() {
            int ignored = take(buffer);
        }

        @Actor
        public void owner(II_Result result) {
            result.r1 = buffer.watchReady(0, 0, calls::incrementAndGet) ? 1 : 0;
        }

        @Arbiter
        public void after(II_Result result) {
            result.r2 = calls.get();
        }
    }

    /** Faulty: checks for a batch and removes it in two steps. */
    @JCStressTest
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "handed out or forgotten")
    @Outcome(expect = Expect.FORBIDDEN, desc = "both, or neither")
    @State
    public static class Broken {

        private volatile boolean buffered = true;

        private int remove() {
            if (buffered) {
                buffered = false;
                return 1;
            }
            return 0;
        }

        @Actor
        public void pipeline(II_Result result) {
            result.r1 = remove();
        }

        @Actor
        public void owner(II_Result result) {
            result.r2 = remove();
        }
    }
}
