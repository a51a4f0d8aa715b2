package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.in.fetch.UnreadableBatch;
import dev.weir.lean.share.LockedRecord;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record that this member has acquired from its share group, with its acknowledgement. It is acquired until its
 * acquisition lock expires. Thread-safe.
 *
 * <pre>
 *   WAITING -> TAKEN (by the pipeline) -> SETTLED (its last pending acknowledgement has ended) -> acknowledged
 *          \                          \-> GONE (its lock was lost, or the run ended)
 *           \-> GONE (released before the pipeline took it, or its lock was lost)
 * </pre>
 */
public final class AcquiredRecord extends ConsumerRecord<byte[], byte[]>
        implements LockedRecord, UnreadableBatch.Holder {

    private enum Place {
        WAITING,
        TAKEN,
        SETTLED,
        GONE
    }

    private final AtomicReference<Place> place = new AtomicReference<>(Place.WAITING);
    private final AtomicInteger pending = new AtomicInteger(1);
    private final Consumer<AcquiredRecord> onSettled;
    private final int delivery;
    private final @Nullable UnreadableBatch unreadable;
    private final IntSupplier deliveryLimit;
    private final AtomicReference<RecordAcknowledgement> acknowledgement =
            new AtomicReference<>(RecordAcknowledgement.ACCEPT);

    private volatile boolean offered;
    private volatile boolean copied;

    // Written by the pipeline's thread before other threads receive the record.
    private long takenNanos;

    /**
     * Wraps a record that a client has acquired.
     *
     * @param deliveryLimit returns the group's current delivery limit; may be called from any thread
     * @param onSettled called once, by any thread, when the acknowledgement is known
     */
    AcquiredRecord(
            ConsumerRecord<byte[], byte[]> record, IntSupplier deliveryLimit, Consumer<AcquiredRecord> onSettled) {
        super(
                record.topic(),
                record.partition(),
                record.offset(),
                record.timestamp(),
                record.timestampType(),
                record.serializedKeySize(),
                record.serializedValueSize(),
                record.key(),
                record.value(),
                record.headers(),
                record.leaderEpoch(),
                record.deliveryCount());
        this.delivery = record.deliveryCount().map(Short::intValue).orElse(1);
        this.unreadable = UnreadableBatch.in(record);
        this.deliveryLimit = deliveryLimit;
        this.onSettled = onSettled;
    }

    @Override
    public @Nullable UnreadableBatch unreadable() {
        return unreadable;
    }

    /** Returns whether the client's {@code record} is this record. Compares the headers objects. */
    @Override
    public boolean isOf(ConsumerRecord<byte[], byte[]> record) {
        return record.headers() == headers();
    }

    /** Returns how many times the record has been delivered, including this delivery. */
    public int delivery() {
        return delivery;
    }

    /** Returns the maximum number of deliveries of a record. */
    public int deliveryLimit() {
        return deliveryLimit.getAsInt();
    }

    /** Returns whether this is the record's last delivery. */
    @Override
    public boolean isLastDelivery() {
        return delivery >= deliveryLimit();
    }

    /** Returns whether this is one of the last two deliveries, in which a crash may lose the record. */
    @Override
    public boolean isAtRisk() {
        return delivery >= deliveryLimit() - 1;
    }

    /**
     * Sets the acknowledgement to send. Of several acknowledgements, RELEASE takes precedence over REJECT, and REJECT
     * over ACCEPT. May be called from any thread.
     */
    public void endsWith(RecordAcknowledgement another) {
        var unused = acknowledgement.accumulateAndGet(another, RecordAcknowledgement::and);
    }

    @Override
    public AcknowledgeType outcome() {
        return acknowledgement().type();
    }

    RecordAcknowledgement acknowledgement() {
        return acknowledgement.get();
    }

    /** Returns topic, partition and offset, for messages. */
    public String name() {
        return topic() + "-" + partition() + "@" + offset();
    }

    /** Reports that the pipeline takes the record. Returns false if the record was already released or lost. */
    boolean take(long nowNanos) {
        takenNanos = nowNanos;
        return place.compareAndSet(Place.WAITING, Place.TAKEN);
    }

    /**
     * Returns how long the pipeline has had the record. May be called by any thread that received the record from the
     * pipeline.
     */
    long inHandNanos(long nowNanos) {
        return nowNanos - takenNanos;
    }

    void offered() {
        offered = true;
    }

    @Override
    public boolean isOffered() {
        return offered;
    }

    void copied() {
        copied = true;
    }

    /** Returns whether a release would lose the record: this is its last delivery, and there is no copy. */
    boolean isLostIfReleased() {
        return isLastDelivery() && !copied;
    }

    /** Marks the record for release, unless the pipeline has taken it. */
    @Override
    public boolean giveBack() {
        return place.compareAndSet(Place.WAITING, Place.GONE);
    }

    /** Marks a taken record as gone, unless the pipeline has finished it. */
    boolean giveUp() {
        return place.compareAndSet(Place.TAKEN, Place.GONE);
    }

    /** Reports that the acquisition lock was lost. Returns false if the record is already settled or gone. */
    @Override
    public boolean lose() {
        return giveBack() || giveUp();
    }

    @Override
    public boolean isGone() {
        return place.get() == Place.GONE;
    }

    /** Returns whether the record would be released if the run ended now. */
    boolean isUndone() {
        return place.get() != Place.SETTLED || acknowledgement() == RecordAcknowledgement.RELEASE;
    }

    void retain(int more) {
        int ignored = pending.addAndGet(more);
    }

    void abandon() {
        endsWith(RecordAcknowledgement.RELEASE);
        endAcknowledgement();
    }

    void endAcknowledgement() {
        if (pending.decrementAndGet() == 0 && place.compareAndSet(Place.TAKEN, Place.SETTLED)) {
            onSettled.accept(this);
        }
    }
}
