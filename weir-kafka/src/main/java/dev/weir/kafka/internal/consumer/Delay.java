package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.internal.consumer.RecordBuffer.Fetched;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Lets records out of a {@link RecordBuffer} when they are due, each partition in its order. Confined to the buffer's lock.
 * What is not due stays in the buffer, so that it is purged and forgotten like all that was not pulled.
 */
final class Delay {

    private final ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis;
    private final LongSupplier wallClockMillis;

    private final Set<AssignedPartition> waiting = new HashSet<>();
    private long nextDueMillis;

    /**
     * Creates one.
     *
     * @param dueMillis when a record may be taken, as milliseconds since 1970
     */
    Delay(ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis, LongSupplier wallClockMillis) {
        this.dueMillis = dueMillis;
        this.wallClockMillis = wallClockMillis;
    }

    /** Takes the first records of a partition that are due; null if there are none, see {@link #nextDueNanos}. */
    @Nullable
    Fetched pollDue(ArrayDeque<Fetched> fetched) {
        long now = wallClockMillis.getAsLong();
        nextDueMillis = Long.MAX_VALUE;
        waiting.clear();
        Fetched found = null;
        for (Iterator<Fetched> each = fetched.iterator(); each.hasNext() && found == null; ) {
            Fetched candidate = each.next();
            if (!waiting.contains(candidate.partition())) {
                int due = countDue(candidate.batch(), now);
                if (due == candidate.batch().size()) {
                    each.remove();
                    return candidate;
                }
                if (due > 0) {
                    found = candidate;
                } else {
                    waiting.add(candidate.partition());
                    nextDueMillis = Math.min(
                            nextDueMillis,
                            dueMillis.applyAsLong(candidate.batch().get(0)));
                }
            }
        }
        return found == null ? null : split(fetched, found, countDue(found.batch(), now));
    }

    private int countDue(Batch<ConsumerRecord<byte[], byte[]>> batch, long now) {
        int due = 0;
        while (due < batch.size() && dueMillis.applyAsLong(batch.get(due)) <= now) {
            due++;
        }
        return due;
    }

    /** Leaves what is behind the first {@code due} records in the buffer, in the place of all. */
    private static Fetched split(ArrayDeque<Fetched> fetched, Fetched whole, int due) {
        int size = whole.batch().size();
        Fetched rest = part(whole, due, size);
        for (int n = fetched.size(); n > 0; n--) {
            Fetched each = fetched.remove();
            fetched.add(each == whole ? rest : each);
        }
        return part(whole, 0, due);
    }

    private static Fetched part(Fetched whole, int from, int to) {
        Object[] values = new Object[to - from];
        long[] tokens = new long[to - from];
        AckTarget target = whole.batch().target(from);
        for (int i = from; i < to; i++) {
            values[i - from] = whole.batch().get(i);
            tokens[i - from] = whole.batch().token(i);
        }
        return new Fetched(whole.partition(), tokens[0], Batch.of(values, to - from, target, tokens));
    }

    /** When something of what {@link #pollDue} has seen may be due, as a time of {@link System#nanoTime}. */
    long nextDueNanos() {
        return nextDueMillis == Long.MAX_VALUE
                ? Stage.NEVER
                : System.nanoTime()
                        + TimeUnit.MILLISECONDS.toNanos(Math.max(1, nextDueMillis - wallClockMillis.getAsLong()));
    }
}
