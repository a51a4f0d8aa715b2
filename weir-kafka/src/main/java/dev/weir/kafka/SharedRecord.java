package dev.weir.kafka;

import dev.weir.kafka.internal.share.member.AcquiredRecord;
import dev.weir.kafka.internal.share.member.RecordAcknowledgement;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A record of a share group with its delivery count ({@link #deliveryCount()}), and a say in its acknowledgement. When
 * its work is done it is accepted, unless one of the two methods below said otherwise before. Their methods are
 * thread-safe.
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

    /** The number of deliveries by the group, this one included. */
    public int delivery() {
        return acquired.delivery();
    }

    /** Returns whether the group gives the record up unless it is accepted now. */
    public boolean isLastDelivery() {
        return acquired.isLastDelivery();
    }

    /** Makes the group forget the record when the pipeline is done with it: nobody sees it again. */
    public void rejectWhenDone() {
        acquired.endsWith(RecordAcknowledgement.REJECT);
    }

    /**
     * Makes the group deliver the record once more when the pipeline is done with it, unless this was the last
     * delivery.
     */
    public void releaseWhenDone() {
        acquired.endsWith(RecordAcknowledgement.RELEASE);
    }
}
