package dev.weir.kafka.internal.meters;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts records sent and records answered. Each count has one writer, the sender's or the producer's thread, and its
 * own cache line, so that the two threads do not slow each other down. Any thread reads.
 */
public final class SendCounts {

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
        @SuppressWarnings("unused") // through its handle
        private long sent;
    }

    @SuppressWarnings("unused") // padding
    private static class Between extends Sent {
        private long q1, q2, q3, q4, q5, q6, q7, q8;
    }

    private static class Answered extends Between {
        @SuppressWarnings("unused") // through its handle
        private long answered;
    }

    @SuppressWarnings("unused") // padding
    private static final class Cells extends Answered {
        private long r1, r2, r3, r4, r5, r6, r7, r8;
    }

    private final Cells cells = new Cells();

    /** Counts a record about to be sent. Sender's thread. */
    public void sends() {
        SENT.setRelease(cells, (long) SENT.get(cells) + 1);
    }

    /** Takes back a record that was not accepted. Sender's thread. */
    public void sendsNot() {
        SENT.setRelease(cells, (long) SENT.get(cells) - 1);
    }

    /** Counts an answer. Producer's thread. */
    public void answers() {
        ANSWERED.setRelease(cells, (long) ANSWERED.get(cells) + 1);
    }

    /** The number of answered records. Any thread. */
    public long answered() {
        return (long) ANSWERED.getAcquire(cells);
    }

    /** The number of unanswered records. Any thread. */
    public long unanswered() {
        long answered = answered(); // first, because answered records were sent before
        return Math.max(0, (long) SENT.getAcquire(cells) - answered);
    }
}
