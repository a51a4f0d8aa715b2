package dev.weir.kafka.internal.meters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts sent and acknowledged records. Only the sender's thread counts sends, and only the producer's thread counts
 * acknowledgements; any thread may read. Each count has its own cache line, to avoid contention between these threads.
 * {@link #ofAnyThread} creates counts with any number of writers.
 */
public class SendCounts {

    private static final VarHandle SENT;
    private static final VarHandle ANSWERED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SENT = lookup.findVarHandle(Sent.class, "sent", long.class);
            ANSWERED = lookup.findVarHandle(Answered.class, "answered", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // padding
    private static class Before {
        private long p1, p2, p3, p4, p5, p6, p7, p8;
    }

    private static class Sent extends Before {
        @SuppressWarnings("unused") // accessed through SENT
        private long sent;
    }

    @SuppressWarnings("unused") // padding
    private static class Between extends Sent {
        private long q1, q2, q3, q4, q5, q6, q7, q8;
    }

    private static class Answered extends Between {
        @SuppressWarnings("unused") // accessed through ANSWERED
        private long answered;
    }

    @SuppressWarnings("unused") // padding
    private static final class Cells extends Answered {
        private long r1, r2, r3, r4, r5, r6, r7, r8;
    }

    private final Cells cells = new Cells();

    /** Creates counts that any thread may change. */
    public static SendCounts ofAnyThread() {
        return new AtomicCounts();
    }

    private static final class AtomicCounts extends SendCounts {

        @Override
        public void sends() {
            long ignored = (long) SENT.getAndAddRelease(super.cells, 1L);
        }

        @Override
        public void sends(int records) {
            long ignored = (long) SENT.getAndAddRelease(super.cells, (long) records);
        }

        @Override
        public void sendsNot() {
            long ignored = (long) SENT.getAndAddRelease(super.cells, -1L);
        }

        @Override
        public void answers() {
            long ignored = (long) ANSWERED.getAndAddRelease(super.cells, 1L);
        }
    }

    /** Counts a record that is about to be sent. Called by the sender's thread. */
    public void sends() {
        SENT.setRelease(cells, (long) SENT.get(cells) + 1);
    }

    /** Counts records that are about to be sent. Called by the sender's thread. */
    public void sends(int records) {
        SENT.setRelease(cells, (long) SENT.get(cells) + records);
    }

    /** Takes back one {@link #sends}, for a record that was not accepted. Called by the sender's thread. */
    public void sendsNot() {
        SENT.setRelease(cells, (long) SENT.get(cells) - 1);
    }

    /** Counts an acknowledgement. Called by the producer's thread. */
    public void answers() {
        ANSWERED.setRelease(cells, (long) ANSWERED.get(cells) + 1);
    }

    /** Returns the number of acknowledged records. May be called from any thread. */
    public long answered() {
        return (long) ANSWERED.getAcquire(cells);
    }

    /** Returns the number of unacknowledged records. May be called from any thread. */
    public long unanswered() {
        long answered = answered(); // read first, so that the result is never too low
        return Math.max(0, (long) SENT.getAcquire(cells) - answered);
    }
}
