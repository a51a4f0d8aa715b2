package dev.weir.kafka;

import dev.weir.kafka.internal.share.member.AcquiredRecord;
import dev.weir.kafka.internal.share.member.RecordAcknowledgement;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record of a share group, with its {@link #deliveryCount()} and control over its acknowledgement. It is accepted
 * when the pipeline has finished it, unless {@link #rejectWhenDone} or {@link #releaseWhenDone} was called before.
 * These two methods are thread-safe.
 */
public final class SharedRecord<K, V> extends ConsumerRecord<K, V> {

    private final AcquiredRecord acquired;

    SharedRecord(AcquiredRecord acquired, ConsumerRecord<K, V> decoded) {
        super(
                decoded.topic(),
                decoded.partition(),
                decoded.offset(),
                decoded.timestamp(),
                decoded.timestampType(),
                decoded.serializedKeySize(),
                decoded.serializedValueSize(),
                decoded.key(),
                decoded.value(),
                decoded.headers(),
                decoded.leaderEpoch(),
                decoded.deliveryCount());
        this.acquired = Objects.requireNonNull(acquired, "acquired");
    }

    /** Returns the number of deliveries of this record, including this one. */
    public int delivery() {
        return acquired.delivery();
    }

    /** Returns whether this is the last delivery. The group then never delivers the record again. */
    public boolean isLastDelivery() {
        return acquired.isLastDelivery();
    }

    /** Requests that the finished record be rejected. No member receives it again. */
    public void rejectWhenDone() {
        acquired.endsWith(RecordAcknowledgement.REJECT);
    }

    /**
     * Requests that the finished record be released. The group delivers it again, unless this was the last delivery.
     */
    public void releaseWhenDone() {
        acquired.endsWith(RecordAcknowledgement.RELEASE);
    }
}
