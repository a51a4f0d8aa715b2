package dev.weir.otel;

import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The acknowledgement target of a batch of elements, with the trace of each element. Tokens are the indexes of the
 * elements. A trace starts on first access, and ends with the last pending acknowledgement of its element. The original
 * target receives the acknowledgement even if a user's span processor throws. Thread-safe.
 */
final class TraceTarget implements AckTarget {

    private final Spans spans;
    private final boolean inHeaders;
    private final AckTarget[] targets;
    private final long[] tokens;
    private final AtomicIntegerArray pending;
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * One entry per element: its record or the {@link Members} of its group, later the trace. Null once the element is
     * finished. Guarded by the lock.
     */
    private final @Nullable Object[] origins;

    /** Identifies the traces of all records in a group. */
    private record Members(List<Place> places) {

        List<Trace> traces() {
            List<Trace> traces = new ArrayList<>();
            for (Place place : places) {
                Trace trace = place.trace();
                if (trace != null) {
                    traces.add(trace);
                }
            }
            return traces;
        }
    }

    private TraceTarget(Spans spans, boolean inHeaders, int size) {
        this.spans = spans;
        this.inHeaders = inHeaders;
        this.targets = new AckTarget[size];
        this.tokens = new long[size];
        this.origins = new Object[size];
        this.pending = new AtomicIntegerArray(size);
    }

    /**
     * Creates the target of a batch of records. Call {@link #set} for each of them.
     *
     * @param inHeaders whether traces are also stored in the headers of their records
     */
    static TraceTarget ofRecords(Spans spans, boolean inHeaders, int size) {
        return new TraceTarget(spans, inHeaders, size);
    }

    static TraceTarget ofGroup(Spans spans, List<Place> members, AckTarget target, long token) {
        TraceTarget group = new TraceTarget(spans, false, 1);
        group.set(0, new Members(members), target, token);
        return group;
    }

    /** Adds an element and its original acknowledgement. Must be called before the batch is passed on. */
    void set(int index, Object origin, AckTarget target, long token) {
        origins[index] = origin;
        targets[index] = target;
        tokens[index] = token;
        pending.set(index, 1);
    }

    /** Returns the trace of an element, and starts it if necessary. Returns null if the element is finished. */
    @Nullable
    Trace trace(int index) {
        lock.lock();
        try {
            Object origin = origins[index];
            if (origin instanceof ConsumerRecord<?, ?> record) {
                if (inHeaders) {
                    return spans.inHeaders(record);
                }
                origin = spans.begin(record);
                origins[index] = origin;
            } else if (origin instanceof Members members) {
                origin = spans.begin(members.traces());
                origins[index] = origin;
            }
            return (Trace) origin;
        } finally {
            lock.unlock();
        }
    }

    private void endAcknowledgement(int index, boolean unfinished) {
        if (pending.decrementAndGet(index) != 0) {
            return;
        }
        Object origin;
        lock.lock();
        try {
            origin = origins[index];
            origins[index] = null;
        } finally {
            lock.unlock();
        }
        Trace trace = origin instanceof ConsumerRecord<?, ?> record && inHeaders
                ? TraceHeader.find(record.headers())
                : origin instanceof Trace begun ? begun : null;
        if (trace != null) {
            trace.end(unfinished);
        }
    }

    @Override
    public void ack(long token) {
        try {
            endAcknowledgement((int) token, false);
        } finally {
            targets[(int) token].ack(tokens[(int) token]);
        }
    }

    @Override
    public void forgo(long token) {
        try {
            endAcknowledgement((int) token, true);
        } finally {
            targets[(int) token].forgo(tokens[(int) token]);
        }
    }

    @Override
    public void abandon(long token) {
        try {
            endAcknowledgement((int) token, true);
        } finally {
            targets[(int) token].abandon(tokens[(int) token]);
        }
    }

    @Override
    public boolean dropIfRevoked(long token) {
        if (targets[(int) token].dropIfRevoked(tokens[(int) token])) {
            endAcknowledgement((int) token, true);
            return true;
        }
        return false;
    }

    @Override
    public boolean isRevoked(long token) {
        return targets[(int) token].isRevoked(tokens[(int) token]);
    }

    @Override
    public boolean standsFor(long token, AckTarget of, long ofToken) {
        return (this == of && token == ofToken) || targets[(int) token].standsFor(tokens[(int) token], of, ofToken);
    }

    @Override
    public String placeOf(long token) {
        return targets[(int) token].placeOf(tokens[(int) token]);
    }

    /**
     * Reports this target to a {@link TraceFinder}, which searches no further. Forwards other visitors to the original
     * target.
     */
    @Override
    public void roots(long token, RootVisitor visitor) {
        if (visitor instanceof TraceFinder finder) {
            finder.found(new Place(this, (int) token));
        } else {
            targets[(int) token].roots(tokens[(int) token], visitor);
        }
    }

    @Override
    public void retain(long token, int more) {
        pending.addAndGet((int) token, more);
        targets[(int) token].retain(tokens[(int) token], more);
    }
}
