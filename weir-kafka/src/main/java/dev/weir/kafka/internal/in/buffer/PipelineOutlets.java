package dev.weir.kafka.internal.in.buffer;

import dev.weir.stream.spi.Clock;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * One buffer per pipeline of a reusable consumer, and a buffer for partitions that no pipeline reads. Confined to the
 * owner thread, except for {@link #records}.
 */
public final class PipelineOutlets implements RecordOutlets {

    /** A pipeline that reads from the consumer. A restarted source attaches again. */
    public static final class Attachment {

        public final RecordBuffer buffer;
        public final CompletableFuture<String> detached = new CompletableFuture<>();
        private final Set<String> topics;

        /** Deadline for finishing the pulled records; valid if {@link #hasDeadline}. */
        private long closeDeadlineNanos;

        private boolean hasDeadline;

        public boolean closing;
        public boolean detaching;

        /**
         * Creates an attachment.
         *
         * @param topics the topics to read; if empty, all topics that no other pipeline reads
         */
        public Attachment(Set<String> topics, Clock clock) {
            this.topics = topics;
            this.buffer = new RecordBuffer(clock);
        }

        /** Sets a deadline for finishing the pulled records. The earliest of several deadlines applies. */
        public void closeBy(long deadlineNanos) {
            if (!hasDeadline || deadlineNanos - closeDeadlineNanos < 0) {
                closeDeadlineNanos = deadlineNanos;
                hasDeadline = true;
            }
        }

        /**
         * Returns the time from {@code nowNanos} to the deadline. Must be called only while the attachment is
         * detaching.
         */
        public long patienceNanos(long nowNanos) {
            return closeDeadlineNanos - nowNanos;
        }

        public boolean readsSame(Attachment other) {
            return (topics.isEmpty() && other.topics.isEmpty()) || !Collections.disjoint(topics, other.topics);
        }

        Set<String> topics() {
            return topics;
        }
    }

    private final RecordBuffer parked = new RecordBuffer(Clock.SYSTEM);
    private final List<Attachment> attachments = new CopyOnWriteArrayList<>();
    private boolean ended;

    /**
     * Adds an attachment. The caller must assign its buffer to the partitions of its topics. Throws after {@link #end},
     * or if another attachment reads the same topics.
     */
    public void add(Attachment attachment) {
        if (ended) {
            throw new IllegalStateException("the reusable consumer is closed");
        }
        for (Attachment other : attachments) {
            if (other.readsSame(attachment)) {
                List<String> shared = other.topics.stream()
                        .filter(attachment.topics::contains)
                        .toList();
                throw new IllegalStateException("another pipeline reads "
                        + (shared.isEmpty() ? "the other topics" : shared) + " from this consumer already");
            }
        }
        attachments.add(attachment);
    }

    public void remove(Attachment attachment) {
        attachments.remove(attachment);
    }

    /** Returns the closing attachments, whose pipelines may still work on pulled records. */
    public List<Attachment> closing() {
        return attachments.isEmpty()
                ? List.of()
                : attachments.stream().filter(each -> each.closing).toList();
    }

    /** Returns the attachment that reads the partition; null if no pipeline does. */
    @Nullable
    public Attachment of(AssignedPartition partition) {
        Attachment others = null;
        for (Attachment each : attachments) {
            if (each.topics.contains(partition.id().topic())) {
                return each;
            }
            if (each.topics.isEmpty()) {
                others = each;
            }
        }
        return others;
    }

    @Override
    public void open(AssignedPartition partition) {
        Attachment attachment = of(partition);
        if (attachment == null || attachment.closing) {
            partition.beginUnread();
            partition.goOutBy(parked);
        } else {
            partition.goOutBy(attachment.buffer);
        }
    }

    @Override
    public void withdrawn(Collection<AssignedPartition> partitions) {}

    @Override
    public void end() {
        ended = true;
        attachments.forEach(each -> each.buffer.end());
    }

    @Override
    public int records() {
        int records = 0;
        for (Attachment each : attachments) {
            records += each.buffer.records();
        }
        return records;
    }
}
