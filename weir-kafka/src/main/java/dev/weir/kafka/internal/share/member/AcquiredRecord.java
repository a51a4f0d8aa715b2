package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.internal.in.fetch.UnreadableBatch;
import dev.weir.kafka.internal.share.session.LockedRecord;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record that a share group has acquired to this member for the time of its lock, and what is known of its
 * acknowledgement. Thread-safe.
 *
 * <pre>
 *   WAITING -> TAKEN (by the pipeline) -> SETTLED (its last pending acknowledgement has ended) -> acknowledged
 *          \-> GONE (given back unseen)   \-> GONE (its lock was lost)
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

    // Of the pipeline's thread, before others get the record.
    private long takenNanos;

    /**
     * Wraps what a client has acquired.
     *
     * @param deliveryLimit deliveries after which the group gives a record up, as last read; any thread
     * @param onSettled told once, by any thread, when the acknowledgement is known
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

    /** The number of times the group has acquired it, this time included: 1 for the first. */
    public int delivery() {
        return delivery;
    }

    /** Deliveries after which the group gives a record up. */
    public int deliveryLimit() {
        return deliveryLimit.getAsInt();
    }

    /** Returns whether the group gives it up if it is not accepted now. */
    @Override
    public boolean isLastDelivery() {
        return delivery >= deliveryLimit();
    }

    /** Returns whether a crash or two lose it, unless a copy stands elsewhere. */
    @Override
    public boolean isAtRisk() {
        return delivery >= deliveryLimit() - 1;
    }

    /**
     * Says which acknowledgement it ends with when its last pending acknowledgement ends. Of several, RELEASE wins over
     * REJECT, and REJECT over ACCEPT. Any thread.
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

    /** For messages. */
    public String name() {
        return topic() + "-" + partition() + "@" + offset();
    }

    /** The pipeline takes it; false if it was given back. */
    boolean take(long nowNanos) {
        takenNanos = nowNanos;
        return place.compareAndSet(Place.WAITING, Place.TAKEN);
    }

    /** For how long the pipeline has it. Any thread that has it from the pipeline. */
    long inHandNanos(long nowNanos) {
        return nowNanos - takenNanos;
    }

    /** The pipeline may take it: a copy stands if one is needed. */
    void offered() {
        offered = true;
    }

    @Override
    public boolean isOffered() {
        return offered;
    }

    /** The brokers have a copy of it. */
    void copied() {
        copied = true;
    }

    /** Returns whether nobody has it any more once it goes back. */
    boolean isLostIfReleased() {
        return isLastDelivery() && !copied;
    }

    /** It goes back unseen; false if the pipeline has it. */
    @Override
    public boolean giveBack() {
        return place.compareAndSet(Place.WAITING, Place.GONE);
    }

    /** The pipeline did not finish it, and is gone; false if it did. */
    boolean giveUp() {
        return place.compareAndSet(Place.TAKEN, Place.GONE);
    }

    /** Its lock is lost: somebody else may have it. False if its acknowledgement is known already. */
    @Override
    public boolean lose() {
        return giveBack() || giveUp();
    }

    @Override
    public boolean isGone() {
        return place.get() == Place.GONE;
    }

    /** Returns whether it goes back if it does: its work is not done, or somebody gave it back. */
    boolean isUndone() {
        return place.get() != Place.SETTLED || acknowledgement() == RecordAcknowledgement.RELEASE;
    }

    void retain(int more) {
        int ignored = pending.addAndGet(more);
    }

    /** Ends an acknowledgement that nobody will report as done. */
    void abandon() {
        endsWith(RecordAcknowledgement.RELEASE);
        endAcknowledgement();
    }

    /** Ends a pending acknowledgement; the last one settles the record. */
    void endAcknowledgement() {
        if (pending.decrementAndGet() == 0 && place.compareAndSet(Place.TAKEN, Place.SETTLED)) {
            onSettled.accept(this);
        }
    }
}
